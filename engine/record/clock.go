package record

import (
	"errors"
	"fmt"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/referee"
)

// settingsJSON is how a game is timed. Mode is that of Black, or of White when
// Black has no clock; the members after it are only in games with clocks.
type settingsJSON struct {
	Mode string `json:"mode"`
	// Text is the form for people, as in the settings.
	Text  string       `json:"text,omitempty"`
	Black *controlJSON `json:"black,omitempty"`
	White *controlJSON `json:"white,omitempty"`
	// Shared says that there is one clock, Black's.
	Shared bool `json:"shared,omitempty"`
}

// controlJSON is the time of one side. The ns members are the exact times, when
// these have fractions of a millisecond.
type controlJSON struct {
	MainMS      int64  `json:"main_ms"`
	IncrementMS int64  `json:"increment_ms"`
	Periods     int    `json:"periods"`
	PeriodMS    int64  `json:"period_ms"`
	MainNS      *int64 `json:"main_ns,omitempty"`
	IncrementNS *int64 `json:"increment_ns,omitempty"`
	PeriodNS    *int64 `json:"period_ns,omitempty"`
}

// maxPeriods bounds the periods of byo-yomi.
const maxPeriods = 1000

// encodeSettings writes s; a control without time is left out.
func encodeSettings(s clock.Settings) settingsJSON {
	w := settingsJSON{Mode: modeOf(s).String()}
	if !s.On() {
		return w
	}
	w.Text, w.Shared = s.String(), s.Shared
	w.Black = encodeControl(s.Sides[engine.Black])
	w.White = encodeControl(s.Sides[engine.White])
	return w
}

// modeOf returns the one mode that stands for both sides.
func modeOf(s clock.Settings) clock.Mode {
	if m := s.Sides[engine.Black].Mode(); m != clock.None || s.Shared {
		return m
	}
	return s.Sides[engine.White].Mode()
}

func encodeControl(c clock.Control) *controlJSON {
	if c == (clock.Control{}) {
		return nil
	}
	w := &controlJSON{
		MainMS: c.Main.Milliseconds(), IncrementMS: c.Increment.Milliseconds(),
		Periods: c.Periods, PeriodMS: c.Period.Milliseconds(),
	}
	w.MainNS = exact(c.Main, c.Main.Truncate(time.Millisecond))
	w.IncrementNS = exact(c.Increment, c.Increment.Truncate(time.Millisecond))
	w.PeriodNS = exact(c.Period, c.Period.Truncate(time.Millisecond))
	return w
}

// settings reads what encodeSettings wrote.
func (w settingsJSON) settings() (clock.Settings, error) {
	s := clock.Settings{Shared: w.Shared}
	var err error
	for side, control := range []*controlJSON{w.Black, w.White} {
		if control == nil {
			continue
		}
		var wrong error
		s.Sides[side], wrong = control.control()
		err = errors.Join(err, wrong)
	}
	if !s.On() {
		s = clock.Settings{}
	}
	if err == nil && modeOf(s).String() != w.Mode {
		err = fmt.Errorf("read clock: its mode is %.16q, its times are those of %v", w.Mode, modeOf(s))
	}
	return s, err
}

func (w *controlJSON) control() (clock.Control, error) {
	c := clock.Control{Periods: w.Periods}
	err := inRange("periods", w.Periods, maxPeriods)
	for _, part := range []struct {
		member string
		ms     int64
		ns     *int64
		to     *time.Duration
	}{
		{"main_ms", w.MainMS, w.MainNS, &c.Main},
		{"increment_ms", w.IncrementMS, w.IncrementNS, &c.Increment},
		{"period_ms", w.PeriodMS, w.PeriodNS, &c.Period},
	} {
		whole, wrong := milliseconds(part.member, part.ms)
		if *part.to = unless(part.ns, whole); *part.to < 0 {
			wrong = errors.Join(wrong, fmt.Errorf("read %s: %v is negative", part.member, *part.to))
		}
		err = errors.Join(err, wrong)
	}
	return c, err
}

// remainingJSON is the time both players have left until their flags fall, null
// without a clock. Milliseconds are rounded up: zero is shown only once a flag
// has fallen.
type remainingJSON struct {
	BlackMS *int64 `json:"black_ms"`
	WhiteMS *int64 `json:"white_ms"`
	// The periods left, in byo-yomi only.
	BlackPeriods *int `json:"black_periods,omitempty"`
	WhitePeriods *int `json:"white_periods,omitempty"`
	// The exact times, when they are not whole milliseconds.
	BlackNS *int64 `json:"black_ns,omitempty"`
	WhiteNS *int64 `json:"white_ns,omitempty"`
}

// encodeTimes writes t.
func encodeTimes(t clock.Times) remainingJSON {
	var w remainingJSON
	w.BlackMS, w.BlackPeriods, w.BlackNS = left(t, engine.Black)
	w.WhiteMS, w.WhitePeriods, w.WhiteNS = left(t, engine.White)
	return w
}

// left writes what one side has.
func left(t clock.Times, c engine.Color) (ms *int64, periods *int, ns *int64) {
	if !t.Timed[c] {
		return nil, nil, nil
	}
	up := ceil(t.Left[c])
	whole := up.Milliseconds()
	if t.Periods[c] != 0 {
		periods = &t.Periods[c]
	}
	return &whole, periods, exact(t.Left[c], up)
}

// ceil rounds up to milliseconds.
func ceil(d time.Duration) time.Duration {
	if down := d.Truncate(time.Millisecond); down < d {
		return down + time.Millisecond
	}
	return d.Truncate(time.Millisecond)
}

// times reads what encodeTimes wrote.
func (w remainingJSON) times() (clock.Times, error) {
	var t clock.Times
	var err error
	for c, side := range []struct {
		member  string
		ms      *int64
		periods *int
		ns      *int64
	}{
		{"black_ms", w.BlackMS, w.BlackPeriods, w.BlackNS},
		{"white_ms", w.WhiteMS, w.WhitePeriods, w.WhiteNS},
	} {
		if side.ms == nil {
			continue
		}
		whole, wrong := milliseconds(side.member, *side.ms)
		t.Timed[c], t.Left[c] = true, unless(side.ns, whole)
		if t.Left[c] < 0 {
			wrong = errors.Join(wrong, fmt.Errorf("read %s: %v is negative", side.member, t.Left[c]))
		}
		if side.periods != nil {
			t.Periods[c] = *side.periods
			wrong = errors.Join(wrong, inRange("periods", *side.periods, maxPeriods))
		}
		err = errors.Join(err, wrong)
	}
	return t, err
}

// clockJSON is what the clocks show.
type clockJSON struct {
	Mode string `json:"mode"`
	remainingJSON
	Running string  `json:"running"`
	At      *string `json:"at"`
	FlagAt  *string `json:"flag_at"`
	Flagged string  `json:"flagged"`
}

// flaggedBoth says that the time of a clock for the whole game is over: its flag is
// nobody's alone.
const flaggedBoth = "both"

// encodeClock writes the clocks as they were when they were last touched, which
// is at the time at: whoever reads it counts on from there. Env knows both the
// monotonic clock and the wall clock.
func encodeClock(env Envelope, c *clock.Clock) clockJSON {
	w := clockJSON{Mode: modeOf(c.Settings).String(), Running: c.Running.String(), Flagged: engine.None.String()}
	if !c.On() {
		w.Running = engine.None.String()
		return w
	}
	w.remainingJSON = encodeTimes(c.Times(c.At))
	if c.Settings.Shared && c.Flagged(engine.Black) {
		w.Flagged = flaggedBoth
	}
	for color := range engine.None {
		if c.Flagged(color) && !c.Settings.Shared {
			w.Flagged = color.String()
			break
		}
	}
	at := env.wall(c.At)
	w.At = &at
	if flag, ok := c.FlagAt(); ok {
		text := env.wall(flag)
		w.FlagAt = &text
	}
	return w
}

// wall puts a monotonic time on the wall clock: the stamp knows both clocks at
// one moment. It is rounded once, when it is written, so that it does not depend on
// which moment that is.
func (e Envelope) wall(at time.Duration) string { return formatTime(e.TS.Add(at - e.Mono)) }

// clockTopic is the payload of the topic clock.
type clockTopic struct {
	V      int    `json:"v"`
	TS     string `json:"ts"`
	TSOK   bool   `json:"ts_ok"`
	Boot   int    `json:"boot"`
	MonoMS int64  `json:"mono_ms"`
	clockJSON
}

// EncodeClock writes the payload of the topic clock for s: what both clocks show,
// who runs, and when the flag will fall. Of env it uses the stamp.
func EncodeClock(env Envelope, s *referee.State) ([]byte, error) {
	head := env.head()
	return marshal(clockTopic{
		V: head.V, TS: head.TS, TSOK: head.TSOK, Boot: head.Boot, MonoMS: head.MonoMS,
		clockJSON: encodeClock(env, &s.Clock),
	})
}
