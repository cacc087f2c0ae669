// Package plaintext holds text that came from outside and is safe to show:
// names of players, events and places, and the reasons of rulings. A Text has no
// character that moves the cursor, ends a line, colors a terminal or turns the
// direction of the text around it, is valid UTF-8, and is not too long.
//
// A Text can only be made by a function that looks at every character, so that
// the compiler finds each place where somebody forgot to:
//
//   - Parse refuses. Use it where people can be told: the web page, MQTT, CSV,
//     command lines, settings.
//   - Clean replaces. Use it where nobody can be told: files of games, journals
//     and databases that older programs have written.
//   - Const is for texts in the source of this program and in tests.
//
// Text is one line. Comment is Text with line feeds, for comments on games.
//
// String gives the text back. What is written to a terminal may also hold what is
// no Text: names of files, errors of other programs. Escape makes that visible.
package plaintext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxName bounds names, in characters.
	MaxName = 64
	// MaxReason bounds sentences that say why, in characters.
	MaxReason = 200
	// MaxLine bounds every Text, in characters.
	MaxLine = 64 << 10
	// MaxComment bounds every Comment, in characters.
	MaxComment = 8192
)

// Text is one line of text without hidden characters. The zero value is the empty
// text; two Texts are equal if they say the same.
type Text struct{ text string } //nolint:recvcheck // a value, which only UnmarshalText and Scan set

// constant is unexported, so that other packages can call Const with a constant of
// the source and with nothing else.
type constant string

// Const returns a text of this program's source.
func Const(text constant) Text { return Clean(string(text), MaxLine) }

// Parse returns text without the blanks around it, or why it cannot be one: what
// names it in the error, limit bounds it in characters.
func Parse(what, text string, limit int) (Text, error) {
	text = strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) && !Hidden(r) })
	if !utf8.ValidString(text) {
		return Text{}, fmt.Errorf("%s is not UTF-8 text", what)
	}
	if n := utf8.RuneCountInString(text); n > limit {
		return Text{}, fmt.Errorf("%s is too long: want at most %d characters, got %d", what, limit, n)
	}
	for at, r := range text {
		if Hidden(r) {
			return Text{}, fmt.Errorf("%s %.64s… holds %U, which cannot be shown: leave it out",
				what, EscapeLine(text[:at+utf8.RuneLen(r)]), r)
		}
	}
	return Text{text}, nil
}

// Clean returns text of at most limit characters with a blank in place of each
// hidden character, without blanks around it. Bytes that are not UTF-8 become
// U+FFFD.
func Clean(text string, limit int) Text { return Text{cleaned(text, limit, false)} }

// Hidden reports whether nobody can see a character that changes what is around
// it: controls (C0, DEL, C1), separators of lines and paragraphs, marks that turn
// the direction of text (Unicode Standard Annex 9, section 2), the byte order mark,
// marks of annotations, and what no XML document may hold.
func Hidden(r rune) bool {
	switch {
	case unicode.IsControl(r),
		r == 0x061C, r == 0x200E, r == 0x200F, // direction marks
		r >= 0x2028 && r <= 0x202E, // separators, embeddings and overrides
		r >= 0x2066 && r <= 0x206F, // isolates and deprecated controls
		r == 0xFEFF, r >= 0xFFF9 && r <= 0xFFFB, r == 0xFFFE, r == 0xFFFF:
		return true
	}
	return false
}

// cleaned replaces hidden characters; line feeds stay if lines says so.
func cleaned(text string, limit int, lines bool) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	var b strings.Builder
	n := 0
	for _, r := range strings.TrimFunc(text, blank) {
		if n++; n > limit {
			break
		}
		if Hidden(r) && (r != '\n' || !lines) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return strings.TrimFunc(b.String(), blank)
}

// blank reports whether a character at the end of a text can be left out.
func blank(r rune) bool { return unicode.IsSpace(r) || Hidden(r) }

// Escape makes text fit for a terminal: each hidden character but line feeds and
// tabs is written as in JSON, \u001b, and each byte that is not UTF-8 as \xff. A
// JSON document stays the same document.
func Escape(text string) string {
	if clean(text) {
		return text
	}
	var b strings.Builder
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[at])
		case Hidden(r) && r != '\n' && r != '\t':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		at += size
	}
	return b.String()
}

// EscapeLine is Escape for what has to stay in one line: line feeds and tabs are
// written as \n and \t.
func EscapeLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Escape(text))
}

// clean reports whether Escape has nothing to do.
func clean(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return Hidden(r) && r != '\n' && r != '\t' })
}

// String returns the text.
func (t Text) String() string { return t.text }

// IsZero reports whether the text is empty; encoding/json asks it for omitzero.
func (t Text) IsZero() bool { return t.text == "" }

// MarshalText implements encoding.TextMarshaler.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.text), nil }

// UnmarshalText implements encoding.TextUnmarshaler; it refuses what Parse does.
func (t *Text) UnmarshalText(text []byte) error {
	parsed, err := Parse("a text", string(text), MaxLine)
	if err == nil {
		*t = parsed
	}
	return err
}

// Comment is text of several lines without other hidden characters.
type Comment struct{ text string }

// ConstComment is Const for a comment.
func ConstComment(text constant) Comment { return CleanComment(string(text), MaxComment) }

// CleanComment is Clean for a comment; line feeds stay.
func CleanComment(text string, limit int) Comment {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	return Comment{cleaned(text, limit, true)}
}

// String returns the comment.
func (c Comment) String() string { return c.text }

// IsZero reports whether the comment is empty.
func (c Comment) IsZero() bool { return c.text == "" }

// MarshalText implements encoding.TextMarshaler.
func (c Comment) MarshalText() ([]byte, error) { return []byte(c.text), nil }
