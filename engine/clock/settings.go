package clock

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"reversi-board/engine"
)

// Bounds of what Parse believes.
const (
	maxMain    = 100 * time.Hour
	maxEarned  = time.Hour
	maxPeriods = 100
)

// The words of the text form.
const (
	noneWord   = "none"
	sharedWord = "game "
)

// Parse reads how a game is timed:
//
//	none                          no clocks
//	5:00                          five minutes for each player
//	5:00/3                        and three seconds more after every move
//	10:00+3x0:30                  ten minutes, then three periods of 30 s (byo-yomi)
//	black 5:00, white 30:00/10    a different time for each player; one may have none
//	game 20:00                    one clock for the whole game
//
// Times are minutes:seconds or hours:minutes:seconds; seconds alone are allowed
// behind the stroke and the x. Parse(s.String()) gives back s.
func Parse(text string) (Settings, error) {
	if len(text) > maxText {
		return Settings{}, wrong(text[:maxText])
	}
	text = strings.TrimSpace(text)
	switch {
	case text == noneWord:
		return Settings{}, nil
	case strings.HasPrefix(text, sharedWord):
		c, err := parseControl(text[len(sharedWord):])
		if err != nil || c == (Control{}) {
			return Settings{}, wrong(text)
		}
		return Settings{Sides: [2]Control{engine.Black: c}, Shared: true}, nil
	case strings.HasPrefix(text, engine.Black.String()+" "):
		return parseSides(text)
	default:
		c, err := parseControl(text)
		if err != nil || c == (Control{}) {
			return Settings{}, wrong(text)
		}
		return Same(c), nil
	}
}

// maxText is the length in bytes of the longest text form.
const maxText = 100

func wrong(text string) error {
	return fmt.Errorf("%q is no time control: want none, 5:00, 5:00/3 (seconds more for every move), "+
		"10:00+3x0:30 (periods), black 5:00, white 30:00/10, or game 20:00 (one clock)", text)
}

// parseSides reads "black …, white …".
func parseSides(text string) (Settings, error) {
	first, second, both := strings.Cut(text, ",")
	b, isBlack := strings.CutPrefix(first, engine.Black.String()+" ")
	w, isWhite := strings.CutPrefix(strings.TrimSpace(second), engine.White.String()+" ")
	if !both || !isBlack || !isWhite {
		return Settings{}, wrong(text)
	}
	var s Settings
	for side, part := range []string{b, w} {
		part = strings.TrimSpace(part)
		if part == noneWord {
			continue
		}
		c, err := parseControl(part)
		if err != nil {
			return Settings{}, wrong(text)
		}
		s.Sides[side] = c
	}
	return s, nil
}

// parseControl reads the time of one side. The error says nothing; the caller
// knows the whole text.
func parseControl(text string) (Control, error) {
	var c Control
	var err error
	main, earned, increment := strings.Cut(text, "/")
	main, periods, byoyomi := strings.Cut(main, "+")
	if increment && byoyomi {
		return c, wrong(text)
	}
	if c.Main, err = parseTime(main, false, maxMain); err != nil {
		return c, err
	}
	if increment {
		c.Increment, err = parseTime(earned, true, maxEarned)
		if c.Main == 0 {
			err = wrong(text) // nobody could make the first move
		}
		return c, err
	}
	if byoyomi {
		number, length, _ := strings.Cut(periods, "x")
		n, errN := digits(number, maxPeriods)
		c.Periods = n
		c.Period, err = parseTime(length, true, maxEarned)
		if errN != nil || n == 0 || c.Period == 0 {
			err = wrong(text)
		}
	}
	return c, err
}

// parseTime reads [hours:]minutes:seconds, or seconds alone where they may be.
func parseTime(text string, alone bool, limit time.Duration) (time.Duration, error) {
	parts := strings.Split(text, ":")
	if len(parts) > 3 || len(parts) == 1 && !alone {
		return 0, wrong(text)
	}
	total := 0
	for i, part := range parts {
		n, err := digits(part, int(maxMain/time.Second))
		if err != nil || i > 0 && (len(part) != 2 || n > 59) {
			return 0, wrong(text)
		}
		total = 60*total + n
	}
	d := time.Duration(total) * time.Second
	if d > limit {
		return 0, wrong(text)
	}
	return d, nil
}

// digits reads a number without a sign.
func digits(text string, limit int) (int, error) {
	if text == "" || len(text) > 6 || strings.Trim(text, "0123456789") != "" {
		return 0, wrong(text)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n > limit {
		return 0, wrong(text)
	}
	return n, nil
}

// String writes the settings in the form that Parse reads. Fractions of a
// second, which no text of Parse has, are written as such.
func (s Settings) String() string {
	black, white := s.Sides[engine.Black], s.Sides[engine.White]
	switch {
	case !s.On():
		return noneWord
	case s.Shared:
		return sharedWord + black.String()
	case black == white:
		return black.String()
	default:
		return engine.Black.String() + " " + black.String() + ", " + engine.White.String() + " " + white.String()
	}
}

// String writes the control in the form that Parse reads.
func (c Control) String() string {
	switch c.Mode() {
	case Fischer:
		return long(c.Main) + "/" + short(c.Increment)
	case Byoyomi:
		return long(c.Main) + "+" + strconv.Itoa(c.Periods) + "x" + long(c.Period)
	case Sudden:
		return long(c.Main)
	case None:
	}
	return noneWord
}

// long writes minutes:seconds, or hours:minutes:seconds from one hour on.
func long(d time.Duration) string {
	s := int64(d / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d%s", s/3600, s/60%60, s%60, fraction(d))
	}
	return fmt.Sprintf("%d:%02d%s", s/60, s%60, fraction(d))
}

// short writes seconds alone below one minute.
func short(d time.Duration) string {
	if d < time.Minute {
		return strconv.FormatInt(int64(d/time.Second), 10) + fraction(d)
	}
	return long(d)
}

func fraction(d time.Duration) string {
	if d%time.Second == 0 {
		return ""
	}
	return strings.TrimRight(fmt.Sprintf(".%09d", d%time.Second), "0")
}
