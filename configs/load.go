package configs

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

// profiles are the built-in files.
//
//go:embed default.yaml hall-128.yaml hall-128-mcp23017.yaml hall-analog.yaml reed-64.yaml
var profiles embed.FS

const (
	// maxSize bounds a settings file in bytes.
	maxSize = 1 << 20
	// maxProblems is how many problems one report shows, maxKept how many are
	// kept until they are sorted.
	maxProblems = 10
	maxKept     = 1000
)

// ProfileNames lists the built-in files, the default first.
func ProfileNames() []string {
	return []string{"default.yaml", "hall-128-mcp23017.yaml", "hall-128.yaml", "hall-analog.yaml", "reed-64.yaml"}
}

// Profile returns the text of a built-in file with its comments, so that a user
// can copy it.
func Profile(name string) ([]byte, error) {
	if !slices.Contains(ProfileNames(), name) {
		return nil, fmt.Errorf("unknown profile %.32q: want one of %s", name, strings.Join(ProfileNames(), ", "))
	}
	text, err := profiles.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the built-in profile: %w", err)
	}
	return text, nil
}

// Default returns the built-in settings: a simulated board, everything on
// loopback. It panics if the embedded file is wrong, which a test excludes.
func Default() *Config {
	c, err := Parse("default.yaml", nil)
	if err != nil {
		panic(err)
	}
	return c
}

// Load reads a file of at most 1 MB; its keys override the built-in ones. The
// error is an *Error when the file could be read but is not right.
func Load(path string) (*Config, error) {
	f, err := os.Open(path) //nolint:gosec // The user names the file.
	if err != nil {
		return nil, fmt.Errorf("open the settings: %w", err)
	}
	defer f.Close() //nolint:errcheck // Nothing was written.
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	return Parse(path, text)
}

// Parse reads settings from text; name is the file's name for messages, and
// paths in it are relative to the folder of name. Empty text gives the built-in
// settings.
func Parse(name string, text []byte) (*Config, error) {
	if len(text) > maxSize {
		return nil, &Error{Problems: []Problem{{File: name, Line: 1, Text: "the file is larger than 1 MB"}}}
	}
	builtIn, err := Profile("default.yaml")
	if err != nil {
		return nil, err
	}
	c := &Config{}
	l := loader{at: map[string]place{}, wired: map[engine.Square]wire{}}
	l.read("default.yaml (built in)", builtIn, c)
	l.user = true
	l.read(name, text, c)
	l.check(c)
	if len(l.problems) > 0 {
		return nil, l.report()
	}
	return c, nil
}

// Problem is one thing wrong with the settings.
type Problem struct {
	File string
	// Line counts from 1.
	Line int
	// Path is the dotted key, empty when the file itself is wrong.
	Path string
	// Text says what is wrong and what is allowed.
	Text string
}

// String returns "file:line: path: text" in one line, with hidden characters made
// visible.
func (p Problem) String() string {
	where := p.File + ":" + strconv.Itoa(p.Line) + ": "
	if p.Path != "" {
		where += p.Path + ": "
	}
	return plaintext.EscapeLine(where + p.Text)
}

// Error is everything wrong with the settings, in the order of the file.
type Error struct {
	// Problems are the first ten.
	Problems []Problem
	// More counts those that are left out.
	More int
}

// Error returns one line per problem.
func (e *Error) Error() string {
	lines := make([]string, 0, len(e.Problems)+1)
	for _, p := range e.Problems {
		lines = append(lines, p.String())
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(lines, "\n")
}

// place is where a key stands.
type place struct {
	file string
	line int
	user bool
}

// loader reads one file after the other into a Config and collects what is
// wrong with them.
type loader struct {
	// file and dir are those being read; user is false for the built-in file.
	file, dir string
	user      bool
	// at says where the key with a dotted path stands, the last file winning.
	at       map[string]place
	problems []Problem
	// more counts those that were not kept.
	more int
	// wired are the squares whose wiring the files give.
	wired map[engine.Square]wire
}

// read parses text and takes its keys over into c.
func (l *loader) read(file string, text []byte, c *Config) { l.readInto(file, text, c.fields(l)) }

// readInto parses text and hands its keys to fields.
func (l *loader) readInto(file string, text []byte, fields []field) {
	l.file, l.dir = file, filepath.Dir(file)
	d := yaml.NewDecoder(bytes.NewReader(text))
	var doc, rest yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return
	case err != nil:
		l.syntax(err, text)
		return
	}
	switch err := d.Decode(&rest); {
	case errors.Is(err, io.EOF):
	case err != nil:
		l.syntax(err, text)
		return
	default:
		l.add(rest.Line, "", "a second document begins here: want one, without ---")
		return
	}
	l.object("", doc.Content[0], fields)
}

// syntax reports text that is not YAML. The library's message is "yaml: line 3:
// what", the line being left out for the first one.
func (l *loader) syntax(err error, file []byte) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		number, what, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(number); err == nil {
			line, text = n, what
		}
		if fromParser(text) {
			line++
		}
	}
	// What is missing at the end is reported for the line after the last one.
	line = min(line, 1+bytes.Count(bytes.TrimRight(file, "\n"), []byte("\n")))
	l.add(line, "", "this is not YAML: "+text+": look at colons, quotes and indentation near this line")
}

// fromParser reports whether a message comes from the library's parser and not
// from its scanner: the parser counts lines from 0.
func fromParser(text string) bool {
	missing, ok := strings.CutPrefix(text, "did not find expected ")
	return ok && slices.Contains([]string{
		"key", "node content", "'-' indicator", "',' or ']'", "',' or '}'", "<document start>",
	}, missing)
}

// add collects a problem of the file being read.
func (l *loader) add(line int, path, text string) {
	l.keep(Problem{File: l.file, Line: max(line, 1), Path: path, Text: text})
}

// keep collects a problem.
func (l *loader) keep(p Problem) {
	if len(l.problems) == maxKept {
		l.more++
		return
	}
	l.problems = append(l.problems, p)
}

// bad reports whether a problem of a key, of a key in it, or of a section
// around it has been found. Its value is then not what the user meant, and says
// nothing about other keys.
func (l *loader) bad(path string) bool {
	return slices.ContainsFunc(l.problems, func(p Problem) bool {
		return p.Path == path || strings.HasPrefix(path, p.Path+".") ||
			strings.HasPrefix(p.Path, path+".") || strings.HasPrefix(p.Path, path+"[")
	})
}

// blame collects a problem of keys that do not go together. It is put down to
// the first of them that the user's file holds.
func (l *loader) blame(text string, paths ...string) {
	if slices.ContainsFunc(paths, l.bad) {
		return
	}
	best, at := paths[0], l.where(paths[0])
	for _, path := range paths[1:] {
		if p := l.where(path); p.user && !at.user {
			best, at = path, p
		}
	}
	l.keep(Problem{File: at.file, Line: max(at.line, 1), Path: best, Text: text})
}

// where returns the place of a key, or of the nearest section around it.
func (l *loader) where(path string) place {
	for {
		if p, ok := l.at[path]; ok {
			return p
		}
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return place{file: l.file, user: l.user}
		}
		path = path[:i]
	}
}

// report sorts and cuts what was found.
func (l *loader) report() *Error {
	slices.SortStableFunc(l.problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	n := min(len(l.problems), maxProblems)
	return &Error{Problems: l.problems[:n:n], More: len(l.problems) - n + l.more}
}
