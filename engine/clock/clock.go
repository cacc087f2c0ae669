package clock

import (
	"time"

	"reversi-board/engine"
)

// Time is monotonic time since an arbitrary start.
type Time = time.Duration

// Control is what one side has to make its moves in. At most one of Increment
// and Periods is set.
type Control struct {
	// Main is the time for all moves together.
	Main time.Duration
	// Increment is added after every move.
	Increment time.Duration
	// Periods of length Period follow the main time.
	Periods int
	Period  time.Duration
}

// Mode is the kind of a control.
type Mode uint8

// The modes.
const (
	None Mode = iota
	Sudden
	Fischer
	Byoyomi
)

// String returns the word of the MQTT contract.
func (m Mode) String() string { return [...]string{"none", "sudden", "fischer", "byoyomi"}[m] }

// Mode returns the kind of the control; None for one without any time.
func (c Control) Mode() Mode {
	switch {
	case c.Periods > 0 && c.Period > 0:
		return Byoyomi
	case c.Main <= 0:
		return None
	case c.Increment > 0:
		return Fischer
	default:
		return Sudden
	}
}

// Settings are the controls of a game. The zero value is a game without clocks.
type Settings struct {
	Sides [2]Control
	// Shared says that there is one clock, with the control of Black, which
	// runs whoever is to move.
	Shared bool
}

// On reports whether there are clocks at all.
func (s Settings) On() bool {
	return s.Sides[engine.Black].Mode() != None || !s.Shared && s.Sides[engine.White].Mode() != None
}

// Same returns settings that give both sides the same control.
func Same(c Control) Settings { return Settings{Sides: [2]Control{c, c}} }

// Clock is the state of both clocks. It is a plain value. The zero value is a
// game without clocks, on which every method does nothing.
type Clock struct {
	Settings Settings
	// Left is the main time left when the clocks were last touched, at At; a
	// side in byo-yomi has none.
	Left [2]time.Duration
	// Periods are left for each side, the running one included; InPeriod is
	// what is left of that one.
	Periods  [2]int
	InPeriod [2]time.Duration
	// Running is the side whose clock runs, None when both stand.
	Running engine.Color
	// At is when Left was true.
	At Time
	// Down says whose flag has fallen.
	Down [2]bool
}

// New returns clocks that stand, with all of their time.
func New(s Settings) Clock {
	c := Clock{Settings: s, Running: engine.None}
	for side, control := range s.Sides {
		c.Left[side] = max(control.Main, 0)
		if control.Mode() == Byoyomi {
			c.Periods[side], c.InPeriod[side] = control.Periods, control.Period
		}
	}
	return c
}

// On reports whether there are clocks at all.
func (c *Clock) On() bool { return c.Settings.On() }

// side is the clock that runs for a color.
func (c *Clock) side(color engine.Color) engine.Color {
	if c.Settings.Shared {
		return engine.Black
	}
	return color
}

// Advance counts the time until now. Going back in time does nothing. It
// reports whether a flag has fallen.
func (c *Clock) Advance(now Time) (fell bool) {
	if now <= c.At {
		return false
	}
	took := now - c.At
	c.At = now
	if c.Running == engine.None || !c.On() {
		return false
	}
	return c.use(c.side(c.Running), took)
}

// timed reports whether a side has any time to lose.
func (c *Clock) timed(side engine.Color) bool { return c.Settings.Sides[side].Mode() != None }

// use takes time from a side.
func (c *Clock) use(side engine.Color, took time.Duration) (fell bool) {
	if c.Down[side] || !c.timed(side) {
		return false
	}
	if took < c.Left[side] {
		c.Left[side] -= took
		return false
	}
	took -= c.Left[side]
	c.Left[side] = 0
	for c.Periods[side] > 0 {
		if took < c.InPeriod[side] {
			c.InPeriod[side] -= took
			return false
		}
		took -= c.InPeriod[side]
		c.Periods[side]--
		c.InPeriod[side] = c.Settings.Sides[side].Period
	}
	c.InPeriod[side] = 0
	c.Down[side] = true
	return true
}

// Start lets the clock of a color run, whichever ran before, without crediting
// anybody with a move.
func (c *Clock) Start(color engine.Color, now Time) {
	c.Advance(now)
	c.At = max(c.At, now)
	if c.On() {
		c.Running = color
	}
}

// Stop lets both clocks stand.
func (c *Clock) Stop(now Time) {
	c.Advance(now)
	c.At = max(c.At, now)
	c.Running = engine.None
}

// Press ends a move of color by: it gets what a move earns, and the clock of
// the other side runs. A side whose flag is down earns nothing.
func (c *Clock) Press(by engine.Color, now Time) {
	c.Advance(now)
	c.Credit(by)
	c.Start(by.Opponent(), now)
}

// Credit gives a side what a finished move earns.
func (c *Clock) Credit(by engine.Color) {
	side := c.side(by)
	if !c.timed(side) || c.Down[side] {
		return
	}
	control := c.Settings.Sides[side]
	switch control.Mode() {
	case Fischer:
		c.Left[side] += control.Increment
	case Byoyomi:
		if c.Left[side] == 0 {
			c.InPeriod[side] = control.Period
		}
	case None, Sudden:
	}
}

// Remaining returns what a color has left at now: main time and all periods.
// It is never negative, and zero for a side without a clock.
func (c *Clock) Remaining(color engine.Color, now Time) time.Duration {
	d := *c
	d.Advance(now)
	side := d.side(color)
	if d.Down[side] || !d.timed(side) {
		return 0
	}
	left := d.Left[side]
	if d.Periods[side] > 0 {
		left += d.InPeriod[side] + time.Duration(d.Periods[side]-1)*d.Settings.Sides[side].Period
	}
	return left
}

// Shown returns what the clock of a color shows at now: the main time, or the
// rest of the running period, with the number of periods left.
func (c *Clock) Shown(color engine.Color, now Time) (left time.Duration, periods int) {
	d := *c
	d.Advance(now)
	side := d.side(color)
	switch {
	case d.Down[side]:
		return 0, 0
	case d.Left[side] == 0 && d.Periods[side] > 0:
		return d.InPeriod[side], d.Periods[side]
	default:
		return d.Left[side], d.Periods[side]
	}
}

// FlagAt returns when the running clock's flag will fall if nothing happens;
// ok is false when none can fall.
func (c *Clock) FlagAt() (at Time, ok bool) {
	if c.Running == engine.None || !c.timed(c.side(c.Running)) || c.Flagged(c.Running) {
		return 0, false
	}
	return c.At + c.Remaining(c.Running, c.At), true
}

// Flagged reports whether the flag of a color is down.
func (c *Clock) Flagged(color engine.Color) bool { return c.Down[c.side(color)] }

// Times is what both players have left at one moment: what an event says of the
// clocks, and what a restart gives back to them. The zero value is a game
// without clocks.
type Times struct {
	// Timed says who has a clock.
	Timed [2]bool
	// Left is the time until the flag falls: main time and all periods.
	Left [2]time.Duration
	// Periods are the periods that are left, the running one included.
	Periods [2]int
}

// Times returns what both players have left at now.
func (c *Clock) Times(now Time) Times {
	var t Times
	d := *c
	d.Advance(now)
	for color := range engine.None {
		side := d.side(color)
		if !d.timed(side) {
			continue
		}
		t.Timed[color] = true
		t.Left[color] = d.Remaining(color, now)
		if !d.Down[side] {
			t.Periods[color] = d.Periods[side]
		}
	}
	return t
}

// Restore makes the clocks show t at now, whatever they have shown before; now
// may lie before the time at which they were last touched, as it does after a
// restart. The clock of running runs, none with None. A time that t does not
// have stays as it was.
func (c *Clock) Restore(t Times, running engine.Color, now Time) {
	c.At, c.Running = now, engine.None
	for color := range engine.None {
		side := c.side(color)
		if !t.Timed[color] || !c.timed(side) {
			continue
		}
		left, period := max(t.Left[color], 0), c.Settings.Sides[side].Period
		c.Periods[side], c.InPeriod[side] = max(t.Periods[color], 0), 0
		c.Down[side] = left == 0
		switch all := time.Duration(c.Periods[side]) * period; {
		case left > all:
			c.Left[side], c.InPeriod[side] = left-all, period
		case c.Periods[side] > 0:
			// The main time is over; what is left fills the last periods.
			c.Left[side] = 0
			for c.Periods[side] > 1 && left <= all-period {
				c.Periods[side]--
				all -= period
			}
			c.InPeriod[side] = left - (all - period)
		default:
			c.Left[side] = left
		}
		if c.Periods[side] == 0 {
			c.InPeriod[side] = 0
		}
	}
	if c.On() {
		c.Running = running
	}
}

// Set gives a color so much main time; a flag that was down is up again if that
// is any. Periods that were used up stay so.
func (c *Clock) Set(color engine.Color, left time.Duration, now Time) {
	c.Advance(now)
	side := c.side(color)
	if !c.timed(side) {
		return
	}
	c.Left[side] = max(left, 0)
	c.Down[side] = c.Left[side] == 0 && c.Periods[side] == 0
}
