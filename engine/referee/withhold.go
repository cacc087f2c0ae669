package referee

import "reversi-board/engine"

// Withheld says what of a state players, and everybody who watches, may not know
// yet: what the lights keep to themselves must not be told in another way. The zero
// value withholds nothing.
type Withheld struct {
	// Flips: which discs the pending move turns, and which of them are turned.
	Flips bool
	// Errors: what is wrong with the last move, which its opponent may claim.
	Errors bool
	// Claims: mistakes of this game may be claimed, so that not even the form of
	// a record may tell whether there is one.
	Claims bool
	// Legal: the legal squares.
	Legal bool
	// Guide: squares of the guide that are dark on the board.
	Guide engine.Bitboard
}

// Withheld returns what players may not know of the state at a time.
func (s *State) Withheld(at Time) Withheld {
	p := &s.Match.Profile
	w := Withheld{
		Flips:  s.Phase == Playing && s.Pending.Active && p.keepsFlips(at-s.Pending.Since),
		Claims: p.KeepsErrors(),
		Legal:  s.Phase == Playing && p.Hints != HintsOn,
		Guide:  s.Dark,
	}
	w.Errors = w.Claims && s.Objection.Open && !s.Objection.Claimed
	return w
}

// Withholds reports whether the entry of the record is the one of which it is not to
// be told what is wrong.
func (s *State) Withholds(w Withheld, entry int) bool { return w.Errors && entry == s.Objection.Entry }

// KeepsErrors reports whether it is left to the opponent to find what is wrong with
// a move.
func (p Profile) KeepsErrors() bool {
	return p.FlipLights != LightsAlways && (p.Flips == FlipsStand || p.Improper == ImproperClaimed)
}

// keepsFlips reports whether it is left to the mover to find the flips of a move
// whose disc has lain on the board for some time.
func (p Profile) keepsFlips(lain Time) bool {
	switch p.FlipLights {
	case LightsAlways:
		return false
	case LightsAfter:
		return lain < p.FlipLightsAfter
	case LightsErrorsOnly, LightsOff:
	}
	return true
}

// Redact returns an event as players may know it, nil for one that they may not know
// at all; whole says that nothing had to be left out.
func (p Profile) Redact(ev Event) (public Event, whole bool) {
	if !p.KeepsErrors() {
		return ev, true
	}
	switch ev := ev.(type) {
	case Moved:
		whole := ev.Missed|ev.Extra == 0 && ev.Improper == NoReason
		ev.Missed, ev.Extra, ev.Improper = 0, 0, NoReason
		return ev, whole
	case FlipError:
		if ev.Status == FlipsOpen && !ev.Claimed {
			return nil, false
		}
	case GameStarted, Passed, Undone, Revised, PositionSet, Illegal, ClockFlag, ClockAdjusted, GamePaused, GameResumed,
		GameOver, Faulted, Restored, PowerRestored, TimeStepped, EngineLost, Commanded:
	}
	return ev, true
}
