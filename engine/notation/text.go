package notation

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
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

// oneLine makes a tag value of a text: valid, without control characters and
// blanks around it, not too long.
func oneLine(text string) (clean string, mended bool) { return tidy(text, maxTag, false) }

// manyLines makes a comment of a text; line feeds stay.
func manyLines(text string) (clean string, mended bool) { return tidy(text, maxComment, true) }

// tidy reports mended when more than blanks was lost.
func tidy(text string, limit int, lines bool) (clean string, mended bool) {
	var b strings.Builder
	if !utf8.ValidString(text) {
		text, mended = fromLatin1(text), true
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	n := 0
	for _, r := range strings.TrimSpace(text) {
		if n++; n > limit {
			return strings.TrimSpace(b.String()), true
		}
		switch {
		case r == '\n' && lines:
			b.WriteRune(r)
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String()), mended
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
func (g *Game) setTag(to *string, name, value string) {
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
	var t Tag
	g.setTag(&t.Name, name, name)
	g.setTag(&t.Value, name, value)
	g.Tags = append(g.Tags, t)
}

// addComment adds to a comment.
func (g *Game) addComment(to *string, text string) {
	if *to != "" {
		text = *to + "\n" + text
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
	text, _ = oneLine(text)
	if len(text) <= maxNumber && !strings.ContainsAny(text, " /[]{}") {
		p.Eval = text
	}
}

// ParseDate finds the day in a date text: 2003.12.15_12:33:18.MST, 2000-4-16
// 11:13 EST, 2014.10.19 or a bare year, and whole seconds since 1970 as some
// servers write them. Month and Day are 0 where only the year is known; ok is
// false where there is no date. Days are not checked against a calendar.
func ParseDate(text string) (d Date, ok bool) {
	digits := func() int {
		n := len(text) - len(strings.TrimLeft(text, "0123456789"))
		v, err := strconv.Atoi(text[:n])
		text = text[n:]
		if err != nil {
			return -1
		}
		return v
	}
	first := digits()
	if first > 9999 && text == "" {
		return daysToDate(first / secondsOfDay), true
	}
	if first < 1000 || first > 9999 {
		return Date{}, false
	}
	d.Year = first
	for _, part := range []*int{&d.Month, &d.Day} {
		if text == "" || !strings.Contains(".-/", text[:1]) {
			return d, true
		}
		text = text[1:]
		if *part = digits(); *part < 1 || *part > 31 {
			*part = 0
			return d, true
		}
	}
	if d.Month > 12 {
		d.Month, d.Day = 0, 0
	}
	return d, true
}

const secondsOfDay = 24 * 60 * 60

// daysToDate returns the day in the Gregorian calendar, days after 1970-01-01.
func daysToDate(days int) Date {
	t := time.Unix(int64(days)*secondsOfDay, 0).UTC()
	return Date{t.Year(), int(t.Month()), t.Day()}
}
