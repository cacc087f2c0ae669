package virtual_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The table of scenarios and tests names only what exists, and every story is
// in it.
func TestCoverageTableIsTrue(t *testing.T) {
	text, err := os.ReadFile("testdata/scenarios.txt")
	must(t, err)
	told := map[string]bool{}
	for l := range strings.Lines(string(text)) {
		words := strings.Fields(l)
		switch {
		case len(words) == 0 || words[0] == "#":
		case len(words) == 2 && words[1] == "stories":
			prefix := strings.ToLower(words[0]) + "-"
			if len(prefix) == len("1-") {
				prefix = "0" + prefix
			}
			stories, err := filepath.Glob("testdata/scenarios/" + prefix + "*.txt")
			must(t, err)
			if len(stories) == 0 {
				t.Errorf("scenario %s has no story", words[0])
			}
			told[prefix] = true
		case len(words) == 3:
			if !hasTest(t, words[1], words[2]) {
				t.Errorf("scenario %s: there is no %s in %s: has it been renamed?", words[0], words[2], words[1])
			}
		default:
			t.Errorf("%q is no line of the table", strings.TrimSpace(l))
		}
	}
	stories, err := filepath.Glob("testdata/scenarios/*.txt")
	must(t, err)
	for _, name := range stories {
		if number := filepath.Base(name)[:3]; !told[number] {
			t.Errorf("%s is not in the table", name)
		}
	}
}

// hasTest looks for a test in the files of a folder.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../../..", folder, "*_test.go"))
	must(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		if bytes.Contains(text, []byte("\nfunc "+name+"(t *testing.T)")) {
			return true
		}
	}
	return false
}
