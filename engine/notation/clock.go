package notation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Clock is how much time a player has, as GGF writes it
// (https://www.skatgame.net/mburo/ggsa/clock).
type Clock struct {
	// Main is the time for the game, or for Main.Moves moves.
	Main Period
	// Increment is added after every Increment.Moves moves.
	Increment Period
	// Extension is what the player gets when the main time has run out once.
	Extension Period
}

// Period is one of the three parts of a clock string.
type Period struct {
	Time time.Duration
	// Moves are those that the time is for; 0 in the main time means all.
	Moves int
	// Alternative is the letter N before the moves: the main time running out is
	// no loss, the increment gives back no more than was spent, the extension is
	// set and not added.
	Alternative bool
}

// defaultExtension is meant when a clock string has no third part.
const defaultExtension = 2 * time.Minute

// maxClock bounds a time, so that sums of two never overflow.
const maxClock = 1000 * 24 * time.Hour

// ParseClock reads main/increment/extension. Times are [[H:]M:]S, with fractions
// and with days before a point (1.12:01:23); a comma introduces the number of
// moves. Without a second part the increment is 0, without a third the extension
// is two minutes.
func ParseClock(text string) (Clock, error) {
	parts := strings.Split(text, "/")
	if len(parts) > 3 || len(text) > maxTag {
		return Clock{}, fmt.Errorf("clock %.40q: want main/increment/extension", text)
	}
	c := Clock{Increment: Period{Moves: 1}, Extension: Period{Time: defaultExtension}}
	for i, to := range []*Period{&c.Main, &c.Increment, &c.Extension} {
		if i >= len(parts) || parts[i] == "" {
			continue
		}
		var err error
		if *to, err = to.parsed(parts[i]); err != nil {
			return Clock{}, fmt.Errorf("clock %.40q: %w", text, err)
		}
	}
	return c, nil
}

// parsed returns p after reading time,[N]moves.
func (p Period) parsed(text string) (Period, error) {
	first, moves, both := strings.Cut(text, ",")
	if first != "" {
		var err error
		if p.Time, err = parseTime(first); err != nil {
			return p, err
		}
	}
	if !both {
		return p, nil
	}
	moves, p.Alternative = strings.CutPrefix(moves, "N")
	n, err := strconv.Atoi(moves)
	if err != nil || n < 0 || n > 1000 {
		return p, fmt.Errorf("%.20q is not a number of moves", moves)
	}
	p.Moves = n
	return p, nil
}

// parseTime reads [days.][[H:]M:]S[.fraction].
func parseTime(text string) (time.Duration, error) {
	wrong := fmt.Errorf("%.20q is not a time, want hours:minutes:seconds", text)
	var total time.Duration
	days, rest, ok := strings.Cut(text, ".")
	if ok && strings.Contains(rest, ":") {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return 0, wrong
		}
		total, text = time.Duration(n)*24*time.Hour, rest
	}
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return 0, wrong
	}
	unit := time.Second
	for i, part := range slices.Backward(parts) {
		whole, fraction, broken := strings.Cut(part, ".")
		if broken && i != len(parts)-1 {
			return 0, wrong
		}
		n, err := strconv.ParseUint(whole, 10, 32)
		if err != nil && (whole != "" || fraction == "") {
			return 0, wrong
		}
		f, ok := nanoseconds(fraction)
		if !ok || time.Duration(n) > maxClock/unit {
			return 0, wrong
		}
		total += time.Duration(n)*unit + f
		unit *= 60
	}
	if total > maxClock {
		return 0, wrong
	}
	return total, nil
}

// nanoseconds reads the digits behind the point; more than nine are cut.
func nanoseconds(fraction string) (time.Duration, bool) {
	if strings.Trim(fraction, "0123456789") != "" {
		return 0, false
	}
	if fraction == "" {
		return 0, true
	}
	n, err := strconv.Atoi((fraction + "000000000")[:9])
	return time.Duration(n), err == nil
}

// String writes the clock as short as it can be read back.
func (c Clock) String() string {
	increment, extension := "", ""
	if c.Increment != (Period{Moves: 1}) {
		increment = c.Increment.text(1)
	}
	if c.Extension != (Period{Time: defaultExtension}) {
		extension = c.Extension.text(0)
	}
	switch {
	case extension != "":
		return c.Main.text(0) + "/" + increment + "/" + extension
	case increment != "":
		return c.Main.text(0) + "/" + increment
	}
	return c.Main.text(0)
}

// text writes the period; moves is the number that need not be said.
func (p Period) text(moves int) string {
	text := timeText(p.Time)
	if p.Moves == moves && !p.Alternative {
		return text
	}
	sign := ""
	if p.Alternative {
		sign = "N"
	}
	return text + "," + sign + strconv.Itoa(p.Moves)
}

// timeText writes a time that is not negative: 23, 5:00, 12:01:23,
// 1.12:01:23, 1:00.005.
func timeText(d time.Duration) string {
	d = max(d, 0)
	_, fraction, broken := strings.Cut(string(Seconds(d)), ".")
	if broken {
		fraction = "." + fraction
	}
	s := int64(d / time.Second)
	days, hours, minutes, seconds := s/secondsOfDay, s/3600%24, s/60%60, s%60
	switch {
	case days > 0:
		return fmt.Sprintf("%d.%d:%02d:%02d%s", days, hours, minutes, seconds, fraction)
	case hours > 0:
		return fmt.Sprintf("%d:%02d:%02d%s", hours, minutes, seconds, fraction)
	case minutes > 0:
		return fmt.Sprintf("%d:%02d%s", minutes, seconds, fraction)
	}
	return fmt.Sprintf("%d%s", seconds, fraction)
}
