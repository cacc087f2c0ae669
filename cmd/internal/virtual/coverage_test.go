package virtual_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The table of scenarios and tests names only what exists, and every story is
// in it.
func TestCoverageTableIsTrue(t *testing.T) {
	told := map[string]bool{}
	for _, words := range table(t, "testdata/scenarios.txt") {
		switch {
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
			t.Errorf("%q is no line of the table", words)
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

// Every way in which the hardware fails has tests, and they exist.
func TestFailureTableIsTrue(t *testing.T) {
	shown := map[string]bool{}
	for _, words := range table(t, "testdata/failures.txt") {
		switch {
		case len(words) > 2 && words[1] == "stories":
			for _, name := range words[2:] {
				if _, err := os.Stat("testdata/scenarios/" + name + ".txt"); err != nil {
					t.Errorf("%s: %v", words[0], err)
				}
			}
		case len(words) != 3 || !hasTest(t, words[1], words[2]):
			t.Errorf("%s: there is no test %s: has it been renamed?", words[0], words[1:])
		default:
			shown[words[0]] = true
		}
	}
	for _, failure := range []string{
		"sda-held", "scl-held", "nack", "brown-out", "corrupt", "interrupt", "hands", "drift", "crosstalk", "ghost",
		"converter", "multiplexer", "droop", "supply", "card", "display", "leds", "cell",
	} {
		if !shown[failure] {
			t.Errorf("%s has no test", failure)
		}
	}
}

// table returns the words of the lines of a table that are no comments.
func table(t *testing.T, name string) (lines [][]string) {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	for l := range strings.Lines(string(text)) {
		if words := strings.Fields(l); len(words) > 0 && words[0] != "#" {
			lines = append(lines, words)
		}
	}
	return slices.Clip(lines)
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
