package notation

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"reversi-board/engine/plaintext"
)

// What strangers may make readers keep, in characters.
const (
	maxTag     = 512
	maxComment = 8192
	maxTags    = 64
)

// Number is a decimal number as written, so that nothing is lost by reading and
// writing it again: 2.7680000000000002 stays that. Empty means that there is
// none.
type Number string

// maxNumber is the length of the longest number that is kept.
const maxNumber = 32

// ParseNumber checks a number: digits with an optional sign, point and
// exponent.
func ParseNumber(text string) (Number, error) {
	plain := strings.Trim(text, "0123456789+-.eE") == ""
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !plain || len(text) > maxNumber || f > 1e15 || f < -1e15 {
		return "", fmt.Errorf("%.40q is not a number", text)
	}
	return Number(text), nil
}

// Float returns the value, 0 when there is none.
func (n Number) Float() float64 {
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return 0
	}
	return f
}

// Seconds writes a time that is not negative as a decimal number of seconds, exactly.
func Seconds(d time.Duration) Number {
	d = max(d, 0)
	text := strconv.FormatInt(int64(d/time.Second), 10)
	if ns := d % time.Second; ns != 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%09d", ns), "0")
	}
	return Number(text)
}

// oneLine makes a tag value of a text: valid, without control characters and
// blanks around it, not too long.
func oneLine(text string) (clean plaintext.Text, mended bool) {
	text, mended = unicodeText(text)
	return plaintext.Clean(text, maxTag), mended || tooLong(text, maxTag)
}

// manyLines makes a comment of a text; line feeds stay.
func manyLines(text string) (clean plaintext.Comment, mended bool) {
	text, mended = unicodeText(text)
	return plaintext.CleanComment(text, maxComment), mended || tooLong(text, maxComment)
}

// unicodeText returns what a text says if it is no UTF-8.
func unicodeText(text string) (_ string, mended bool) {
	if utf8.ValidString(text) {
		return text, false
	}
	return fromLatin1(text), true
}

// tooLong reports whether more than blanks is lost when a text is cut.
func tooLong(text string, limit int) bool {
	return utf8.RuneCountInString(strings.TrimSpace(text)) > limit
}

// fromLatin1 takes each byte for a character: what old programs wrote.
func fromLatin1(text string) string {
	runes := make([]rune, 0, len(text))
	for _, c := range []byte(text) {
		runes = append(runes, rune(c))
	}
	return string(runes)
}

// setTag stores a value of the field named name.
func (g *Game) setTag(to *plaintext.Text, name, value string) {
	clean, mended := oneLine(value)
	if mended {
		g.warn("the tag %.16s was not clean text and is changed or cut", name)
	}
	*to = clean
}

// addTag keeps a tag that has no field. One without a value says nothing.
func (g *Game) addTag(name, value string) {
	if strings.TrimSpace(value) == "" {
		return
	}
	if len(g.Tags) == maxTags {
		g.warn("more than %d tags without a meaning here: the rest was left out", maxTags)
		return
	}
	var key, text plaintext.Text
	g.setTag(&key, name, name)
	g.setTag(&text, name, value)
	g.Tags = append(g.Tags, Tag{key.String(), text})
}

// addComment adds to a comment.
func (g *Game) addComment(to *plaintext.Comment, text string) {
	if !to.IsZero() {
		text = to.String() + "\n" + text
	}
	clean, mended := manyLines(text)
	if mended {
		g.warn("a comment was not clean text and is changed or cut")
	}
	*to = clean
}

// setNumber stores a number of a move. One that is none is left out.
func (g *Game) setNumber(to *Number, what, text string) {
	if text == "" {
		return
	}
	n, err := ParseNumber(text)
	if err != nil {
		g.warn("%s: %v", what, err)
		return
	}
	*to = n
}

// setEval stores an evaluation: any short word.
func (p *Play) setEval(text string) {
	clean, _ := oneLine(text)
	if text = clean.String(); len(text) <= maxNumber && !strings.ContainsAny(text, " /[]{}") {
		p.Eval = text
	}
}

// ParseDate reads a day: 2026, 2026-02 or 2026-02-23, or with points. Month and Day
// are 0 where only the year is known; ok is false where there is no date. Days are
// not checked against a calendar.
func ParseDate(text string) (d Date, ok bool) {
	d = ParseDateTime(text).Date
	return d, d.Year != 0
}

// cutDate reads the day at the beginning of a text, and returns what follows it.
func cutDate(text string) (d Date, rest string, ok bool) {
	digits := func() int {
		n := len(text) - len(strings.TrimLeft(text, "0123456789"))
		v, err := strconv.Atoi(text[:n])
		text = text[n:]
		if err != nil {
			return -1
		}
		return v
	}
	if d.Year = digits(); d.Year < 1000 || d.Year > 9999 {
		return Date{}, "", false
	}
	for _, part := range []struct {
		to  *int
		max int
	}{{&d.Month, 12}, {&d.Day, 31}} {
		before := text
		if text == "" || !strings.Contains(".-/", text[:1]) {
			return d, text, true
		}
		text = text[1:]
		if *part.to = digits(); *part.to < 1 || *part.to > part.max {
			*part.to = 0
			return d, before, true
		}
	}
	return d, text, true
}

const secondsOfDay = 24 * 60 * 60
