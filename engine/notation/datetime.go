package notation

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"reversi-board/engine/plaintext"
)

// DateTime is when a game was played, as far as that is known. Each format has its
// own form for it: SGF DT[2026-03-07], PGN [Date "2026.03.??"] and [Time "09:05:03"],
// GGF DT[2003.12.15_13:24:03.MST].
type DateTime struct { //nolint:recvcheck // a value, which only setTime sets
	// Date has Year 0 when the day is not known, Month or Day 0 when only what
	// stands before them is.
	Date

	// Timed says that the time of day is known; Second is -1 when it is not.
	Timed                bool
	Hour, Minute, Second int
	// Zone is the name or the offset of the time zone, such as UTC, MST or +02:00;
	// empty when it is not known.
	Zone plaintext.Text
	// Other is the text that was read, where a DateTime cannot hold all of it.
	Other plaintext.Text
}

// DateTimeOf returns t in UTC, to the second.
func DateTimeOf(t time.Time) DateTime {
	t = t.UTC()
	return DateTime{
		Date:  Date{t.Year(), int(t.Month()), t.Day()},
		Timed: true, Hour: t.Hour(), Minute: t.Minute(), Second: t.Second(), Zone: plaintext.Const("UTC"),
	}
}

// IsZero reports whether nothing is known.
func (d DateTime) IsZero() bool { return d == DateTime{} }

// ParseDateTime reads the date texts that programs write: 2003.12.15_12:33:18.MST,
// 2000-4-16 11:13 EST, 2014.10.19, 2026.03.??, a bare year, and whole seconds since
// 1970. What it does not understand is kept in Other.
func ParseDateTime(text string) DateTime {
	clean, _ := oneLine(text)
	text = strings.Trim(clean.String(), "? .-")
	if text == "" {
		return DateTime{}
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds > 9999 && seconds < 1<<36 {
		return DateTimeOf(time.Unix(seconds, 0))
	}
	d := DateTime{}
	day, rest, dated := cutDate(text)
	if dated {
		d.Date = day
	} else {
		rest = text
	}
	rest = strings.Trim(strings.TrimLeft(rest, "?.-_"), " ")
	if rest != "" && !d.setTime(strings.TrimPrefix(rest, "T")) {
		d.Other = clean
	}
	return d
}

// setTime reads a time of day and a zone behind it: 12:33:18.MST, 9.5.3, 11:13 EST.
func (d *DateTime) setTime(text string) bool {
	n := len(text) - len(strings.TrimLeft(text, "0123456789:."))
	clock, zone := strings.TrimRight(text[:n], "."), strings.Trim(text[n:], " _.")
	parts := strings.FieldsFunc(clock, func(r rune) bool { return r == ':' || r == '.' })
	colons := strings.Count(clock, ":")
	if len(parts) < 2 || len(parts) > 4 || len(parts) == 2 && colons == 0 || len(parts) == 4 && colons != 2 {
		return false
	}
	at := DateTime{Second: -1}
	for i, to := range []*int{&at.Hour, &at.Minute, &at.Second} {
		if i >= len(parts) {
			break
		}
		n, err := strconv.Atoi(parts[i])
		if err != nil || n > []int{23, 59, 60}[i] {
			return false
		}
		*to = n
	}
	if len(zone) > maxZone || strings.ContainsAny(zone[:min(1, len(zone))], "0123456789:/") || strings.Trim(strings.ToUpper(zone), "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-:/_") != "" {
		return false
	}
	if zone == "Z" {
		zone = "UTC"
	}
	d.Timed, d.Hour, d.Minute, d.Second, d.Zone = true, at.Hour, at.Minute, at.Second, plaintext.Clean(zone, maxZone)
	return true
}

// maxZone is the length of the longest name of a time zone that is kept.
const maxZone = 32

// day writes as much of the day as is known, with sep between its parts.
func (d Date) day(sep string) string {
	switch {
	case d.Year == 0:
		return ""
	case d.Month == 0:
		return fmt.Sprintf("%04d", d.Year)
	case d.Day == 0:
		return fmt.Sprintf("%04d%s%02d", d.Year, sep, d.Month)
	}
	return fmt.Sprintf("%04d%s%02d%s%02d", d.Year, sep, d.Month, sep, d.Day)
}

// clock writes the time of day.
func (d DateTime) clock() string {
	switch {
	case !d.Timed:
		return ""
	case d.Second < 0:
		return fmt.Sprintf("%02d:%02d", d.Hour, d.Minute)
	}
	return fmt.Sprintf("%02d:%02d:%02d", d.Hour, d.Minute, d.Second)
}

// String writes it as the JSON format does, 2026-11-30 23:10:00 UTC, or Other.
func (d DateTime) String() string {
	if !d.Other.IsZero() {
		return d.Other.String()
	}
	return strings.Join(strings.Fields(d.day("-")+" "+d.clock()+" "+d.Zone.String()), " ")
}

// ggf writes it as game servers do; the value of DT is free text.
func (d DateTime) ggf() string {
	if !d.Other.IsZero() {
		return d.Other.String()
	}
	text := d.day(".")
	if d.Timed {
		text = strings.TrimPrefix(text+"_"+d.clock(), "_")
		if !d.Zone.IsZero() {
			text += "." + d.Zone.String()
		}
	}
	return text
}

// sgf writes the day for DT (FF[4]: YYYY-MM-DD, YYYY-MM or YYYY), or the list of
// days that was read from one.
func (d DateTime) sgf() string {
	if other := d.Other.String(); strings.Contains(other, ",") && strings.Trim(other, "0123456789-,") == "" {
		return other
	}
	return d.day("-")
}

// pgn writes the day for Date, empty when nothing is known: 2026.03.??.
func (d DateTime) pgn() string {
	switch {
	case d.Year == 0:
		return ""
	case d.Month == 0:
		return d.day(".") + ".??.??"
	case d.Day == 0:
		return d.day(".") + ".??"
	}
	return d.day(".")
}

// setDate reads when the game was played.
func (g *Game) setDate(value string) {
	if _, mended := oneLine(value); mended {
		g.warn("the date was not clean text and is changed or cut")
	}
	d := ParseDateTime(value)
	if g.Date.Timed && !d.Timed {
		// The time of day stood before the day, in a tag of its own.
		d.Timed, d.Hour, d.Minute, d.Second, d.Zone = true, g.Date.Hour, g.Date.Minute, g.Date.Second, g.Date.Zone
	}
	g.Date = d
}

// setClock reads the time of day from a tag of its own; ok is false when it is none
// or there is one already.
func (g *Game) setClock(value, zone string) (ok bool) {
	clean, _ := oneLine(value)
	if g.Date.Timed || !g.Date.Other.IsZero() || !g.Date.setTime(clean.String()) {
		return false
	}
	if zone != "" {
		g.Date.Zone = plaintext.Clean(zone, maxZone)
	}
	return true
}
