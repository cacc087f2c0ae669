package opponent

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// gameFolders are where Debian has games. They are on the path of a person and not
// on that of a service.
func gameFolders() []string { return []string{"/usr/games", "/usr/local/games"} }

// serviceFolders are the path of a service, as systemd sets it.
func serviceFolders() []string {
	return []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}
}

// Find returns the file of the program that a command names: a name without a slash
// is looked for on the path and where Debian has games, one with a slash from dir,
// the folder in which it runs. The error says where there is none.
func Find(command []string, dir string) (file string, err error) {
	if len(command) == 0 || command[0] == "" {
		return "", errors.New("no command is given")
	}
	name := command[0]
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		file, err := exec.LookPath(name)
		var failed *exec.Error
		switch {
		case err == nil:
			return file, nil
		case errors.As(err, &failed):
			err = failed.Err
		}
		return "", fmt.Errorf("%q cannot be started: %w", name, err)
	}
	if file, err := exec.LookPath(name); err == nil {
		return filepath.Abs(file)
	}
	for _, folder := range gameFolders() {
		if file, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return file, nil
		}
	}
	path := filepath.SplitList(os.Getenv("PATH"))
	for _, folder := range gameFolders() {
		if !slices.Contains(path, folder) {
			path = append(path, folder)
		}
	}
	return "", fmt.Errorf("there is no program %q in %s", name, strings.Join(path, ", "))
}

// ForServices reports whether a service finds a program under its name alone: file
// is what Find has found for a person.
func ForServices(file string) bool {
	return slices.Contains(append(serviceFolders(), gameFolders()...), filepath.Dir(file))
}
