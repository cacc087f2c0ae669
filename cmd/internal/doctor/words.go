package doctor

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// upper makes the first letter of a sentence a capital.
func upper(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 || strings.HasPrefix(text, "/") {
		return text
	}
	return string(unicode.ToUpper(r)) + text[n:]
}

// sentence makes a sentence of a message.
func sentence(text string) string {
	text = upper(text)
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// firstSentence returns a text up to its first full stop.
func firstSentence(text string) string {
	first, _, more := strings.Cut(text, ". ")
	if !more {
		return text
	}
	return first + "."
}
