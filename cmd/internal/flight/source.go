package flight

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxFile bounds a file in bytes.
const maxFile = 64 << 20

// Recording is a row of segments, the oldest first.
type Recording struct {
	// Names are those of the segments.
	Names []string
	read  func(name string) ([]byte, error)
}

// Segment reads the i-th segment.
func (r *Recording) Segment(i int) (*Segment, error) {
	b, err := r.read(r.Names[i])
	if err != nil {
		return nil, fmt.Errorf("read the recording %s: %w", r.Names[i], err)
	}
	return ReadSegment(r.Names[i], b)
}

// Open finds the recording at a path: a segment, a folder of segments, a data
// folder, or a bug report.
func Open(name string) (*Recording, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("open the recording: %w", err)
	}
	if info.IsDir() {
		return openDir(name)
	}
	b, err := readFile(os.DirFS(filepath.Dir(name)), filepath.Base(name))
	if err != nil {
		return nil, fmt.Errorf("open the recording: %w", err)
	}
	if bytes.HasPrefix(b, []byte("PK")) {
		return openZip(name, b)
	}
	base := filepath.Base(name)
	return &Recording{Names: []string{base}, read: func(string) ([]byte, error) { return b, nil }}, nil
}

// openDir finds the segments of a folder, or of the folder of the recorder in it.
func openDir(dir string) (*Recording, error) {
	if info, err := os.Stat(filepath.Join(dir, Folder)); err == nil && info.IsDir() {
		dir = filepath.Join(dir, Folder)
	}
	files := os.DirFS(dir)
	names, err := segments(files)
	if err != nil {
		return nil, fmt.Errorf("open the recording: %w", err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("open the recording: there is none in %s", dir)
	}
	return &Recording{Names: names, read: func(name string) ([]byte, error) { return readFile(files, name) }}, nil
}

// openZip finds the segments of a bug report.
func openZip(name string, b []byte) (*Recording, error) {
	archive, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, fmt.Errorf("open the bug report %s: %w", name, err)
	}
	var names []string
	for _, f := range archive.File {
		if path.Dir(f.Name) == Folder && strings.HasSuffix(f.Name, suffix) {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("open the bug report %s: it holds no recording", name)
	}
	slices.Sort(names)
	return &Recording{Names: names, read: func(name string) ([]byte, error) { return readFile(archive, name) }}, nil
}

// segments lists the recordings of a folder, the oldest first.
func segments(files fs.FS) ([]string, error) {
	names, err := fs.Glob(files, "*"+suffix)
	slices.Sort(names)
	return names, err
}

// readFile reads a file of a bounded size.
func readFile(files fs.FS, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf("it has more than %d MB", maxFile>>20)
	}
	return b, errors.Join(err, f.Close())
}
