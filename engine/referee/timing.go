package referee

import (
	"time"

	"reversi-board/engine"
)

// grace is what a player gets whose flag has fallen once, where the rules give
// any (World Othello Championship: two minutes, once).
const grace = 2 * time.Minute

// flags lets a flag fall whose time is over at a moment. A press that is still
// to be judged has stopped the time.
func (t *turn) flags(now Time) {
	s := t.s
	if p := s.memory.press; p.active {
		now = min(now, p.at)
	}
	// Grace makes the same clock run out again.
	for {
		at, ok := s.Clock.FlagAt()
		if !ok || at > now || s.Phase != Playing {
			return
		}
		t.flagFalls(s.Clock.Running, at)
	}
}

// flagRule is what a flag of c means. Where one clock runs for the game nobody in
// particular has lost by it: whatever else the profile says, the discs are counted.
func (s *State) flagRule(c engine.Color) FlagRule {
	switch rule := s.Match.Profile.Flag; {
	case rule != FlagNone && s.Clock.Settings.Shared:
		return FlagCount
	case rule == FlagGrace && s.Flags.Graced[c]:
		return FlagLoss
	default:
		return rule
	}
}

// known is until when at a moment it is known what lay on the board.
func (s *State) known(now Time) Time {
	if s.pressing() {
		return now
	}
	return now - s.Lag
}

// flagsUntil is flags for a moment at which nothing is judged anyway. Where the
// opponent now plays on for both sides, nobody presses any more: what lies there
// is judged by that.
func (t *turn) flagsUntil(known, now Time) {
	before := t.s.Flags
	if t.flags(known); t.s.Flags.PlayOn != before.PlayOn || t.s.Flags.TimeUp != before.TimeUp {
		t.again(now)
	}
}

// flagFalls applies the rule for flags.
func (t *turn) flagFalls(c engine.Color, at Time) {
	s := t.s
	effect := s.flagRule(c)
	whose := c
	if s.Clock.Settings.Shared {
		whose = engine.None
	}
	after := s.Clock
	after.Advance(at)
	if effect == FlagGrace {
		after.Set(c, grace, at)
	}
	t.announce(ClockFlag{Color: whose, Effect: effect, Clock: after.Times(at), At: at})
	switch effect {
	case FlagLoss:
		t.end(awarded(&s.Game, c.Opponent(), FlagFell), at)
	case FlagCount:
		t.beginCount(at)
	case FlagJof:
		t.advance(at) // a pass that was still to be pressed
	case FlagNone, FlagGrace:
	}
}

// tick shows what is missing when discs have been off the board for long, sees
// what has not been touched for as long, and judges a press for which no reading
// has come.
func (t *turn) tick(in Tick) {
	s, at := t.s, in.At
	t.ticking, t.moving = true, in.Moving
	s.memory.wake = 0
	t.flagsUntil(s.known(at), at)
	if s.Phase == Playing && s.Flags.TimeUp {
		t.again(at)
	}
	waiting := s.Phase == Playing || s.Phase == Paused || s.Phase == Over && s.Presence
	late := waiting && s.SensedOK && !s.memory.missing && at >= s.memory.seenAt+s.Match.Profile.MissingAfter
	if late {
		s.memory.missing = true
	}
	anew := s.Restart.At != 0 && at >= s.Restart.At
	if p := s.memory.press; late || anew || p.active && p.until != 0 && at >= p.until {
		t.again(at)
	}
}

// askForTick asks to be woken when something will be due without anything
// happening: the first of what is waited for. It asks once.
func (t *turn) askForTick() {
	s := t.s
	next := Time(0)
	first := func(at Time) {
		if next == 0 || at < next {
			next = at
		}
	}
	if s.memory.waiting && !s.memory.missing {
		first(s.memory.seenAt + s.Match.Profile.MissingAfter)
	}
	if s.Restart.At != 0 {
		first(s.Restart.At)
	}
	if p := s.memory.press; p.active && p.until != 0 {
		first(p.until)
	} else if at, ok := s.Clock.FlagAt(); ok && s.Phase == Playing {
		first(at + at - s.known(at))
	}
	if n := &s.memory.count; s.Flags.TimeUp && s.Phase == Playing && n.open {
		first(n.next)
	}
	if s.Match.Profile.FlipLights == LightsAfter && s.Pending.Active && s.Dark != 0 {
		first(s.Pending.Since + s.Match.Profile.FlipLightsAfter)
	}
	if next != 0 && next != s.memory.wake {
		s.memory.wake = next
		t.out = append(t.out, Wake{At: next})
	}
}
