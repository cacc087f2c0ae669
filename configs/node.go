package configs

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"reversi-board/engine/plaintext"
)

// maxShown bounds how much of a wrong value a message repeats, in characters.
const maxShown = 40

// field is one key of a section and the way to read its value.
type field struct {
	key  string
	read func(path string, n *yaml.Node)
}

// join appends a key to a dotted path.
func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// shown returns text as a message may repeat it: short and printable.
func shown(text string) string {
	if utf8.RuneCountInString(text) > maxShown {
		text = string([]rune(text)[:maxShown]) + "…"
	}
	return strconv.Quote(text)
}

// plain refuses what no setting needs: anchors, aliases and tags.
func (l *loader) plain(path string, n *yaml.Node) bool {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		l.add(n.Line, path, "anchors and aliases (& and *) are not allowed: write the value out")
	case n.Style&yaml.TaggedStyle != 0:
		l.add(n.Line, path, "tags (such as "+shown(n.Tag)+") are not allowed: write the value alone")
	default:
		return true
	}
	return false
}

// what names the form of a node for messages.
func what(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a group of keys"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode, yaml.AliasNode, yaml.DocumentNode:
	}
	if isNull(n) {
		return "nothing"
	}
	return shown(n.Value)
}

// isNull reports whether a key has no value.
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// object reads a section. A section without any key changes nothing.
func (l *loader) object(path string, n *yaml.Node, fields []field) {
	if !l.plain(path, n) || isNull(n) {
		return
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.key
	}
	if n.Kind != yaml.MappingNode {
		l.add(n.Line, path, fmt.Sprintf("%s: want a group of keys: %s", what(n), strings.Join(names, ", ")))
		return
	}
	l.entries(path, n, func(key, value *yaml.Node) {
		i := slices.Index(names, key.Value)
		if i < 0 {
			l.add(key.Line, join(path, printable(key.Value)), "unknown key: "+suggestion(key.Value, names))
			return
		}
		fields[i].read(join(path, key.Value), value)
	})
}

// printable returns a key as a part of a path.
func printable(key string) string {
	if q := shown(key); q[1:len(q)-1] != key || key == "" {
		return q
	}
	return key
}

// entries calls visit for each key of a mapping, once, and notes where it is.
func (l *loader) entries(path string, n *yaml.Node, visit func(key, value *yaml.Node)) {
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if !l.plain(path, key) {
			continue
		}
		if key.Kind != yaml.ScalarNode {
			l.add(key.Line, path, what(key)+" cannot be a key: want a word")
			continue
		}
		full := join(path, printable(key.Value))
		if first, twice := lines[key.Value]; twice {
			l.add(key.Line, full, fmt.Sprintf("set twice, first in line %d: keep one of them", first))
			continue
		}
		lines[key.Value] = key.Line
		l.at[full] = place{file: l.file, line: key.Line, user: l.user}
		visit(key, value)
	}
}

// suggestion says which key was probably meant, and which there are.
func suggestion(key string, known []string) string {
	best, distance := "", 3
	for _, k := range known {
		// Two slips are a typing mistake in a word of some length; a short
		// word would become any other.
		if d := edits(key, k); d < distance && d*2 < len(k) {
			best, distance = k, d
		}
	}
	list := "known here: " + strings.Join(known, ", ")
	if best == "" {
		return list
	}
	return fmt.Sprintf("did you mean %s? (%s)", best, list)
}

// edits returns the number of letters to insert, delete or replace to get from
// a to b, and many for texts of very different length.
func edits(a, b string) int {
	const many = 99
	if len(a) > len(b)+3 || len(b) > len(a)+3 {
		return many
	}
	a = strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(a))
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			row[j+1] = min(cost, above+1, row[j]+1)
			diagonal = above
		}
	}
	return row[len(b)]
}

// scalar returns the text of a single value; want says what is allowed.
func (l *loader) scalar(path string, n *yaml.Node, want string) (string, bool) {
	switch {
	case !l.plain(path, n):
		return "", false
	case n.Kind != yaml.ScalarNode || isNull(n):
		l.add(n.Line, path, what(n)+": want "+want)
		return "", false
	}
	return n.Value, true
}

// text reads words for people or for other programs; dst keeps its value when
// parse does not accept the text. A number or a date must be quoted, so that 007
// is what the user sees.
func text[T any](l *loader, key, want string, dst *T, parse func(string) (T, bool)) field {
	return field{key, func(path string, n *yaml.Node) {
		value, ok := l.scalar(path, n, want)
		if !ok {
			return
		}
		parsed, good := parse(value)
		switch {
		case n.ShortTag() != "!!str":
			l.add(n.Line, path, fmt.Sprintf("%s is not text: put it in quotes; want %s", shown(value), want))
		case !good:
			l.add(n.Line, path, shown(value)+": want "+want)
		default:
			*dst = parsed
		}
	}}
}

// accept makes a parser out of a check.
func accept(check func(string) bool) func(string) (string, bool) {
	return func(s string) (string, bool) { return s, check(s) }
}

// name reads a name for people.
func (l *loader) name(key string, dst *string) field {
	return text(l, key, "1 to 64 printable characters", dst, accept(readable))
}

// playerName is name for the name of a player.
func (l *loader) playerName(key string, dst *plaintext.Text) field {
	return text(l, key, "1 to 64 printable characters", dst, func(s string) (plaintext.Text, bool) {
		name, err := plaintext.Parse(key, s, plaintext.MaxName)
		return name, err == nil && readable(s)
	})
}

// readable reports whether s is a name: 1 to 64 printable characters, no blanks
// around them.
func readable(s string) bool { return printed(s, 64) }

// printed reports whether s is 1 to limit printable characters, no blanks around
// them.
func printed(s string, limit int) bool {
	n := utf8.RuneCountInString(s)
	return n >= 1 && n <= limit && strings.TrimSpace(s) == s &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
}

// word reads one of a few words.
func (l *loader) word(key string, allowed []string, dst *string) field {
	return text(l, key, oneOf(allowed), dst, accept(func(s string) bool { return slices.Contains(allowed, s) }))
}

// oneOf lists words: "a", "a or b", "a, b or c".
func oneOf(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// yes reads a switch.
func (l *loader) yes(key string, dst *bool) field {
	return field{key, func(path string, n *yaml.Node) {
		const want = "true or false"
		value, ok := l.scalar(path, n, want)
		switch {
		case !ok:
		case n.ShortTag() != "!!bool":
			l.add(n.Line, path, what(n)+": want "+want)
		default:
			*dst = strings.EqualFold(value, "true")
		}
	}}
}

// integer reads a whole number; ok is false after a problem was reported.
func (l *loader) integer(path string, n *yaml.Node, low, high int64, format string) (int64, bool) {
	want := fmt.Sprintf("a whole number from "+format+" to "+format, low, high)
	value, ok := l.scalar(path, n, want)
	if !ok {
		return 0, false
	}
	number, err := wholeNumber(value)
	switch {
	case n.ShortTag() != "!!int" || err != nil:
		l.add(n.Line, path, shown(value)+" is not a whole number: want "+want)
	case number < low || number > high:
		l.add(n.Line, path, value+" is out of range: want "+want)
	default:
		return number, true
	}
	return 0, false
}

// wholeNumber reads 12 or 0x2a. A leading zero is refused, since some programs
// take it for octal, and so are underscores.
func wholeNumber(text string) (int64, error) {
	if hex, ok := strings.CutPrefix(text, "0x"); ok {
		return strconv.ParseInt(hex, 16, 64)
	}
	if len(text) > 1 && strings.HasPrefix(strings.TrimLeft(text, "+-"), "0") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(text, 10, 64)
}

// number reads a whole number in decimal terms.
func number[T int | uint8 | uint64](l *loader, key string, dst *T, low, high int64) field {
	return field{key, func(path string, n *yaml.Node) {
		if v, ok := l.integer(path, n, low, high, "%d"); ok {
			*dst = T(v)
		}
	}}
}

// decimal reads a number with a fraction.
func (l *loader) decimal(key string, dst *float64, low, high float64) field {
	return field{key, func(path string, n *yaml.Node) {
		want := fmt.Sprintf("a number from %g to %g", low, high)
		value, ok := l.scalar(path, n, want)
		if !ok {
			return
		}
		v, err := strconv.ParseFloat(value, 64)
		switch tag := n.ShortTag(); {
		case err != nil || math.IsNaN(v) || (tag != "!!int" && tag != "!!float"):
			l.add(n.Line, path, shown(value)+" is not a number: want "+want)
		case v < low || v > high:
			l.add(n.Line, path, value+" is out of range: want "+want)
		default:
			*dst = v
		}
	}}
}

// duration reads a time with its unit.
func (l *loader) duration(key string, dst *time.Duration, low, high time.Duration) field {
	return field{key, func(path string, n *yaml.Node) {
		want := fmt.Sprintf("a time from %v to %v", low, high)
		value, ok := l.scalar(path, n, want)
		if !ok {
			return
		}
		d, err := time.ParseDuration(value)
		switch tag := n.ShortTag(); {
		case tag == "!!int" || tag == "!!float":
			l.add(n.Line, path, value+" has no unit: write it as "+value+"ms or "+value+"s; want "+want)
		case err != nil:
			l.add(n.Line, path, shown(value)+" is not a time: want "+want+", such as 200ms")
		case d < low || d > high:
			l.add(n.Line, path, value+" is out of range: want "+want)
		default:
			*dst = d
		}
	}}
}
