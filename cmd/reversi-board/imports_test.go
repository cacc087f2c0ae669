package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The architecture is executable: this test reads the imports of every Go file
// of the project and compares them with the directions below. The files are
// parsed here, in the test process, because the result of a `go list` started
// by a test would be cached together with the test.

// module is the project's module path.
const module = "reversi-board"

// rule says what the packages of a folder may import. The rule with the longest
// matching folder counts, so a package is never ruled by two of them.
type rule struct {
	// folder relative to the module root; "x/..." is x and everything below,
	// "x" is that package alone.
	folder string
	// project lists the project's folders that may be imported.
	project []string
	// modules lists the module paths from outside; "..." allows all.
	modules []string
	// never takes folders out of project, for all but test files.
	never []string
	// pure forbids the parts of the standard library that reach out of the
	// process or draw from it.
	pure bool
	// tests is what test files may import besides project.
	tests []string
}

func rules() []rule {
	vocabulary := []string{"engine", "engine/clock", "engine/notation", "engine/plaintext", "engine/referee", "engine/record"}
	chips := []string{"periph.io/x/conn/v3", "periph.io/x/devices/v3"}
	board := []string{"hardware/..."}
	helpers := []string{"display/web/browsertest", "engine/record/schematest", "mqtt/brokertest"}
	return []rule{
		{folder: "engine", pure: true},
		// It names the interfaces of databases, and reaches none.
		{folder: "engine/plaintext"},
		{folder: "engine/notation", pure: true, project: []string{"engine", "engine/plaintext"}},
		{folder: "engine/opening", pure: true, tests: []string{"engine", "engine/notation"}},
		{folder: "engine/clock", pure: true, project: []string{"engine"}},
		{folder: "engine/tournament", pure: true, project: []string{"engine", "engine/plaintext"}},
		{
			folder: "engine/referee", pure: true,
			project: []string{"engine", "engine/notation", "engine/plaintext", "engine/clock"},
		},
		{
			folder: "engine/record", pure: true,
			project: []string{"engine", "engine/notation", "engine/plaintext", "engine/clock", "engine/referee"},
			tests:   []string{"engine/record/schematest"},
		},
		{folder: "engine/record/schematest", modules: []string{"github.com/santhosh-tekuri/jsonschema/v6"}},
		{
			folder:  "engine/archive/...",
			project: append([]string{"engine/archive/...", "engine/tournament"}, vocabulary...),
			modules: []string{"github.com/oklog/ulid/v2", "modernc.org/sqlite"},
		},
		{folder: "engine/...", project: []string{"engine/..."}},

		{folder: "sensing/...", pure: true, project: []string{"engine", "sensing/..."}},

		{folder: "hardware", modules: chips, tests: board},
		{
			folder: "hardware/...", project: board, modules: chips, tests: board,
			// Drivers run the same above real and emulated chips.
			never: []string{"hardware/emu/...", "hardware/sim/...", "hardware/pi/..."},
		},
		{
			folder: "hardware/pi", project: []string{"hardware"},
			modules: append([]string{"periph.io/x/host/v3/sysfs", "github.com/warthog618/go-gpiocdev/uapi", "golang.org/x/sys/unix"}, chips...), tests: board,
		},
		// An emulator that knew its driver would agree with the driver's
		// mistakes, so neither it nor its tests may see one.
		{folder: "hardware/emu", modules: chips},
		{folder: "hardware/sim", project: []string{"hardware/emu"}, modules: chips, tests: board},

		{
			folder:  "display/...",
			project: append([]string{"display/..."}, vocabulary...),
			never:   []string{"display/web/browsertest"}, tests: []string{"display/web/browsertest"},
		},
		{
			folder:  "display/web/browsertest",
			modules: []string{"github.com/chromedp/chromedp", "github.com/chromedp/cdproto"},
		},
		{folder: "display", pure: true, project: vocabulary},
		{folder: "display/led", pure: true, project: append([]string{"display"}, vocabulary...)},
		{folder: "display/oled", pure: true, project: append([]string{"display"}, vocabulary...), modules: []string{"golang.org/x/image"}},

		{
			folder:  "mqtt/...",
			project: append([]string{"mqtt/..."}, vocabulary...),
			never:   []string{"mqtt/brokertest"},
			tests:   []string{"engine/record/schematest", "mqtt/brokertest"},
			modules: []string{
				"github.com/eclipse/paho.mqtt.golang",
				"github.com/mochi-mqtt/server/v2",
				"github.com/oklog/ulid/v2",
			},
		},

		{
			folder:  "configs/...",
			project: []string{"configs/...", "hardware/...", "sensing/...", "display/...", "mqtt/...", "engine/..."},
			modules: []string{"go.yaml.in/yaml/v3"},
		},

		{
			folder: "cmd/...",
			project: []string{
				"cmd/...", "configs/...", "hardware/...", "sensing/...", "display/...", "mqtt/...", "engine/...",
			},
			modules: []string{"..."},
			never:   helpers,
			tests:   helpers,
		},
	}
}

// outside lists what a pure package does without: files, networks, processes,
// the program's log and chance.
func outside() []string {
	return []string{
		"database/...", "log/...", "math/rand/...", "net/...", "os/...", "plugin", "syscall", "unsafe",
	}
}

// testModules may be imported by test files everywhere.
func testModules() []string {
	return []string{
		"pgregory.net/rapid", "github.com/chromedp/chromedp", "github.com/chromedp/cdproto", "github.com/santhosh-tekuri/jsonschema/v6", "github.com/elastic/go-seccomp-bpf",
		"github.com/nats-io/nats-server/v2/server",
	}
}

// within reports whether the slash-separated path p is the pattern, or lies
// below it when the pattern ends in "/...".
func within(p, pattern string) bool {
	if pattern == "..." {
		return true
	}
	top, below := strings.CutSuffix(pattern, "/...")
	return p == top || below && strings.HasPrefix(p, top+"/")
}

// anyWithin reports whether p is within one of the patterns.
func anyWithin(p string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return within(p, pattern) })
}

// ruleFor returns the rule with the longest matching folder; an exact folder
// wins over the same one with "/...".
func ruleFor(folder string) (rule, bool) {
	var best rule
	length := -1
	for _, r := range rules() {
		top, below := strings.CutSuffix(r.folder, "/...")
		weight := 2 * len(top)
		if !below {
			weight++
		}
		if within(folder, r.folder) && weight > length {
			best, length = r, weight
		}
	}
	return best, length >= 0
}

// violation returns why a file in folder must not import the path, or "".
func violation(folder string, test bool, imported string) string {
	r, ok := ruleFor(folder)
	if !ok {
		return "no rule names this folder"
	}
	first, _, _ := strings.Cut(imported, "/")
	switch {
	case first == module:
		target := strings.TrimPrefix(strings.TrimPrefix(imported, module), "/")
		if anyWithin(target, r.project) && !anyWithin(target, r.never) {
			return ""
		}
		// The external test package of a folder imports the folder.
		if test && (target == folder || anyWithin(target, r.tests)) {
			return ""
		}
		return "may import of this project only " + fmt.Sprint(r.project) + " without " + fmt.Sprint(r.never)
	case strings.Contains(first, "."):
		allowed := r.modules
		if test {
			allowed = append(slices.Clone(allowed), testModules()...)
		}
		for _, m := range allowed {
			if m == "..." || within(imported, m+"/...") {
				return ""
			}
		}
		return "may import of other modules only " + fmt.Sprint(allowed)
	case r.pure && !test && anyWithin(imported, outside()):
		return "is pure: no files, network, log or chance"
	default:
		return ""
	}
}

// scan returns the violations of all Go files below root.
func scan(root string) (files int, found []string, err error) {
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != root && skipped(entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		files++
		faults, err := check(root, name)
		found = append(found, faults...)
		return err
	})
	return files, found, err
}

// skipped names the folders that hold none of our packages.
func skipped(name string) bool {
	return strings.HasPrefix(name, ".") || name == "testdata" || name == "bin" || name == "dist"
}

// check returns the violations of one file.
func check(root, name string) ([]string, error) {
	relative, err := filepath.Rel(root, name)
	if err != nil {
		return nil, err
	}
	relative = filepath.ToSlash(relative)
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		why := violation(path.Dir(relative), strings.HasSuffix(relative, "_test.go"), imported)
		if why != "" {
			found = append(found, fmt.Sprintf("%s imports %s: %s %s", relative, imported, path.Dir(relative), why))
		}
	}
	return found, nil
}

// strangers compares the names at the top level with the fixed layout. Dot
// files and what builds and tests leave behind (all ignored by git) are free.
func strangers(names []string) (missing, extra []string) {
	layout := []string{
		"cmd", "engine", "hardware", "sensing", "display", "mqtt", "configs",
		"go.mod", "go.sum", "Makefile", "README.md",
	}
	for _, want := range layout {
		if !slices.Contains(names, want) {
			missing = append(missing, want)
		}
	}
	for _, name := range names {
		built := name == "bin" || name == "dist" || strings.HasPrefix(name, "coverage.") ||
			strings.HasSuffix(name, ".out") || strings.HasSuffix(name, ".test")
		if !strings.HasPrefix(name, ".") && !built && !slices.Contains(layout, name) {
			extra = append(extra, name)
		}
	}
	return missing, extra
}

// moduleRoot finds the folder of go.mod at or above the test's own.
func moduleRoot(t *testing.T) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			t.Fatal("no go.mod above the test")
		}
		folder = parent
	}
}

func TestImportsPointOneWay(t *testing.T) {
	files, found, err := scan(moduleRoot(t))
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Errorf("only %d Go files seen: the walk does not reach the project", files)
	}
	for _, fault := range found {
		t.Error(fault)
	}
}

func TestTopLevelIsTheFixedLayout(t *testing.T) {
	entries, err := os.ReadDir(moduleRoot(t))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	missing, extra := strangers(names)
	if len(missing) > 0 || len(extra) > 0 {
		t.Errorf("top level: missing %v, not in the layout %v", missing, extra)
	}
}

// The checks above must be able to fail.
func TestViolationsAreFound(t *testing.T) {
	for _, c := range []struct {
		folder   string
		test     bool
		imported string
		allowed  bool
	}{
		{"engine", false, "math/bits", true},
		{"engine", false, "reversi-board/engine/referee", false},
		{"engine", false, "os", false},
		{"engine", false, "net/http", false},
		{"engine", true, "os", true},
		{"engine", false, "periph.io/x/conn/v3/i2c", false},
		{"engine", false, "pgregory.net/rapid", false},
		{"engine", true, "pgregory.net/rapid", true},
		{"engine", true, "reversi-board/engine", true},
		{"engine", true, "reversi-board/hardware", false},
		{"engine/notation", false, "reversi-board/engine", true},
		{"engine/notation", false, "reversi-board/engine/referee", false},
		{"engine/referee", false, "reversi-board/engine", true},
		{"engine/referee", false, "reversi-board/engine/record", false},
		{"engine/record", false, "reversi-board/engine/referee", true},
		{"engine/record", false, "reversi-board/engine/archive", false},
		{"engine/archive", false, "reversi-board/engine/record", true},
		{"engine/archive", false, "os", true},
		{"engine/archive", false, "reversi-board/mqtt", false},
		{"engine/search", false, "reversi-board/engine", true},
		{"engine/search", false, "reversi-board/sensing", false},
		{"sensing", false, "reversi-board/engine", true},
		{"sensing", false, "reversi-board/engine/referee", false},
		{"sensing", false, "reversi-board/hardware", false},
		{"hardware", false, "periph.io/x/conn/v3/i2c", true},
		{"hardware", false, "periph.io/x/host/v3", false},
		{"hardware/pi", false, "periph.io/x/host/v3/sysfs", true},
		// It logs by itself, closes standard input and cannot be opened again.
		{"hardware/pi", false, "periph.io/x/host/v3/gpioioctl", false},
		{"hardware/hall128", false, "reversi-board/hardware", true},
		{"hardware/hall128", false, "reversi-board/hardware/tca9555", true},
		{"hardware/hall128", false, "reversi-board/engine", false},
		{"hardware/hall128", true, "reversi-board/engine", false},
		{"hardware/hall128", false, "reversi-board/hardware/emu", false},
		{"hardware/hall128", true, "reversi-board/hardware/emu", true},
		{"hardware/emu", false, "reversi-board/hardware/tca9555", false},
		{"hardware/emu", true, "reversi-board/hardware/tca9555", false},
		{"hardware/sim", false, "reversi-board/hardware/emu", true},
		{"hardware/sim", false, "reversi-board/hardware/hall128", false},
		{"hardware/sim", true, "reversi-board/hardware/hall128", true},
		{"display", false, "reversi-board/engine/referee", true},
		{"display", false, "net/http", false},
		{"display/web", false, "net/http", true},
		{"display/web", false, "reversi-board/display", true},
		{"display/web", false, "reversi-board/mqtt", false},
		{"display/web", false, "reversi-board/configs", false},
		{"display/web", false, "github.com/chromedp/chromedp", false},
		{"display/web", true, "github.com/chromedp/chromedp", true},
		{"mqtt", false, "github.com/eclipse/paho.mqtt.golang", true},
		{"mqtt", false, "reversi-board/display", false},
		{"mqtt/broker", false, "github.com/mochi-mqtt/server/v2/listeners", true},
		{"configs", false, "reversi-board/hardware/hall128", true},
		{"configs", false, "reversi-board/cmd/internal/app", false},
		{"cmd/internal/app", false, "reversi-board/hardware/pi", true},
		{"cmd/internal/app", false, "example.org/anything", true},
		{"engineering", false, "fmt", false},
		{"sensing", false, "reversi-board/engineering", false},
		{"mqtt", false, "github.com/eclipse/paho.mqtt.golang-fork", false},
	} {
		why := violation(c.folder, c.test, c.imported)
		if (why == "") != c.allowed {
			t.Errorf("%s (test %v) imports %s: allowed %v, want %v (%s)",
				c.folder, c.test, c.imported, why == "", c.allowed, why)
		}
	}
}

func TestScanReadsEveryFolder(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"engine/good.go":            "package engine\n\nimport \"fmt\"\n",
		"hardware/emu/bad.go":       "package emu\n\nimport _ \"reversi-board/engine\"\n",
		"hardware/emu/deep/a.go":    "package deep\n\nimport (\n\t\"fmt\"\n\tx \"reversi-board/mqtt\"\n)\n",
		"sensing/bad_test.go":       "package sensing\n\nimport \"reversi-board/hardware\"\n",
		"display/testdata/a.go":     "package a\n\nimport \"reversi-board/hardware\"\n",
		".cache/a.go":               "package a\n\nimport \"reversi-board/hardware\"\n",
		"engine/archive/notes.text": "import \"reversi-board/hardware\"\n",
	} {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, found, err := scan(root)
	if err != nil {
		t.Fatal(err)
	}
	if files != 4 || len(found) != 3 {
		t.Errorf("%d files, violations %q: want 4 files and 3 violations", files, found)
	}
	for _, want := range []string{
		"hardware/emu/bad.go imports reversi-board/engine",
		"hardware/emu/deep/a.go imports reversi-board/mqtt",
		"sensing/bad_test.go imports reversi-board/hardware",
	} {
		if !slices.ContainsFunc(found, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("not found: %s in %q", want, found)
		}
	}
}

func TestStrangersAreFound(t *testing.T) {
	missing, extra := strangers([]string{
		".git", "bin", "dist", "coverage.out", "cmd", "engine", "hardware", "sensing", "mqtt", "configs",
		"go.mod", "go.sum", "Makefile", "README.md", "internal",
	})
	if !slices.Equal(missing, []string{"display"}) || !slices.Equal(extra, []string{"internal"}) {
		t.Errorf("missing %v, extra %v: want display missing and internal extra", missing, extra)
	}
}
