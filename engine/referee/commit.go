package referee

import "reversi-board/engine"

// pressing reports whether a move of the player on turn is ended by a press. A
// program does not press; nor does anybody while the clocks stand for good.
func (s *State) pressing() bool {
	switch {
	case s.Flags.PlayOn || s.OpponentToMove():
		return false
	case s.Match.Profile.Commit == CommitPress:
		return true
	case s.Match.Profile.Commit == CommitPressIfClock:
		return s.Clock.On()
	default:
		return false
	}
}

// Pressing reports whether the player on turn ends a move with a press of the
// clock.
func (s *State) Pressing() bool { return s.running() && s.pressing() }

// PassDue reports whether the player on turn has no move and is to say so himself,
// with a press.
func (s *State) PassDue() bool { return s.Phase == Playing && s.passDue() }

// claims reports whether a disc that is no move counts once it is pressed.
func (s *State) claims() bool {
	return s.Match.Profile.Improper == ImproperClaimed && s.pressing()
}

// passDue reports whether the player on turn has to pass and to say so himself.
func (s *State) passDue() bool {
	return s.running() && s.Match.Profile.Pass == PassByPress && !s.Flags.PlayOn && !s.OpponentToMove() && s.Game.MustPass()
}

// correctsByPress reports whether a claimed mistake is put right with a press.
func (s *State) correctsByPress() bool {
	return s.Objection.Claimed && s.Match.Profile.FlipsCorrectedByMover && s.pressing()
}

// commit puts a move on record as it was made at a time, with what follows from
// it. Flips that are wrong are said at once: the opponent may object, unless he
// has replied already.
func (t *turn) commit(v verdict, at Time) {
	s := t.s
	p := v.pending
	turned := v.turned
	ev := Moved{
		By: p.By, Square: p.Square, Flipped: turned, Missed: p.Flips &^ turned, Extra: turned &^ p.Flips,
		Think: at - s.TurnSince, At: at,
	}
	if v.kind == improper {
		ev.Improper = v.reason
	}
	clock := s.Clock
	if clock.Advance(at); clock.Running != engine.None {
		clock.Credit(p.By)
	}
	ev.Clock = clock.Times(at)
	t.announce(ev)
	if ev.Missed|ev.Extra != 0 || ev.Improper != NoReason {
		status := FlipsOpen
		if v.replied || s.Match.Profile.Flips == FlipsMustBeRight && ev.Improper == NoReason {
			status = FlipsLeft
		}
		t.flipError(ev, status, at)
	}
	t.advance(at)
}

// flipError says what is wrong with the move that was just put on record.
func (t *turn) flipError(ev Moved, status FlipStatus, at Time) {
	t.announce(FlipError{
		Ply: t.s.Ply(), Missed: ev.Missed, Extra: ev.Extra, Status: status, Clock: t.s.Clock.Times(at), At: at,
	})
}

// advance passes for a player who cannot move and ends a game in which nobody
// can.
func (t *turn) advance(at Time) {
	s := t.s
	switch {
	case s.Game.Over():
		if !s.Match.Profile.ClaimAfterEnd {
			t.closeObjection(at)
		}
		t.end(s.counted(), at)
	case s.Game.MustPass() && !s.passDue():
		t.pass(at)
	}
}

// pass puts the pass of the player on turn on record. It moves the clock over,
// and earns nothing.
func (t *turn) pass(at Time) {
	t.announce(Passed{By: t.s.Game.Turn, Clock: t.s.Clock.Times(at), At: at})
}

// pressed takes a press of the clock. One by a player who is not to press is
// nothing: a clock that stands is no button.
func (t *turn) pressed(in Pressed) {
	s := t.s
	t.flagsUntil(s.known(in.At), in.At)
	switch {
	case s.Phase == Over && s.Objection.Open && in.By == s.claimant():
		t.claim(in.At)
		t.again(in.At)
	case s.Phase == Playing && s.Restart.Active:
		t.beginAnew(in.At)
	case s.Phase == Setup && s.Restart.Active:
		t.beginAsUsual(in.At)
	case s.Phase != Playing || !s.SensedOK || s.memory.resumed || s.memory.press.active || s.Flags.TimeUp:
	case s.Flags.PlayOn:
		// The player whose flag is up has seen enough.
		if in.By == s.Flags.Fallen.Opponent() {
			t.end(s.narrowly(in.By), in.At)
		}
	case in.By == s.presser() || s.Objection.Open && in.By == s.claimant():
		if s.pressing() {
			s.Clock.Advance(in.At) // elsewhere a flag may still have to be told of
		}
		s.memory.press = press{active: true, by: in.By, at: in.At, until: in.At + max(in.Wait, 0), moving: in.Moving}
		t.judge(in.At)
	}
}

// presser is who may end his turn with a press.
func (s *State) presser() engine.Color {
	if s.Objection.Claimed {
		return s.Entries[s.Objection.Entry].By
	}
	return s.Game.Turn
}

// judgePress decides what a press that waits means now that the reading is
// explained by v, and reports whether something follows from it. What would be
// refused waits for a reading that may still be on its way, and discs in a hand
// until they have been missing for long.
func (t *turn) judgePress(v verdict, now Time) bool {
	s := t.s
	p := s.memory.press
	if !p.active {
		return false
	}
	onItsWay := now < p.until && s.memory.seenAt <= p.at
	switch {
	case p.moving && onItsWay:
		return false // what lay there is not known yet
	case v.kind == moved && p.by == v.pending.By:
		if s.Halted {
			t.playersGoOn(p.at)
		}
		if !s.pressing() {
			p.at = s.boardTime()
		}
		t.commit(v, p.at)
	case v.kind == mended:
		t.fixed(p.at)
	case v.kind == tookBack || v.kind == passing:
		return false
	case v.kind == frozen || s.Lost&(v.pending.Flips|v.pending.Square.Bit()) != 0:
		s.memory.press.until = 0 // until the cells say something
		return false
	case v.missing != 0 && !s.memory.missing:
		s.memory.press.until = s.memory.seenAt + s.Match.Profile.MissingAfter
		return false
	case onItsWay:
		return false
	default:
		s.memory.press = press{}
		return t.pressMeans(v, p)
	}
	return true
}

// pressMeans decides about a press on a board that has settled and is no
// finished move by the rules.
func (t *turn) pressMeans(v verdict, p press) bool {
	s := t.s
	wrong := v.kind == moving && s.Match.Profile.Flips == FlipsStand && s.pressing() || v.kind == improper
	nothing := v.kind == same || v.kind == lifted && v.missing == 0
	switch {
	case nothing && s.memory.changed > p.at:
		// Something lay there when he pressed, and has been taken away since.
		return false
	case p.by == s.claimantNow() && nothing:
		t.claim(p.at)
	case nothing && s.passDue():
		t.closeObjection(p.at)
		t.pass(p.at)
	case nothing && s.Halted:
		t.playersGoOn(p.at)
	case nothing:
		if s.pressing() {
			t.announce(Illegal{By: p.by, Square: engine.Square(engine.PassMove), Reason: PassNotAllowed})
		}
		return false
	case wrong && v.missing == 0:
		if s.Halted {
			t.playersGoOn(p.at)
		}
		t.commit(v, p.at)
	default:
		t.refusePress(v, p)
		return false
	}
	return true
}

// claimantNow is who may object to the last move at this moment.
func (s *State) claimantNow() engine.Color {
	if !s.Objection.Open || s.Objection.Claimed {
		return engine.None
	}
	return s.claimant()
}

// refusePress says why the press of a player changes nothing; the clock goes on
// as if it had not been. A mistake that lies there has been said before. Where no
// move is ended with a press, a press that does nothing means nothing either: a
// child that plays with the button is no player who does what is not allowed.
func (t *turn) refusePress(v verdict, p press) {
	if v.kind == mistaken || !t.s.pressing() && !t.s.Objection.Claimed {
		return
	}
	refused := Illegal{By: p.by, Square: v.pending.Square, Reason: FlipsPending}
	if todo := v.guide.Flip | v.guide.Turn | v.guide.Remove | v.missing; !v.pending.Active && todo != 0 {
		refused.Square = todo.First()
	}
	if v.kind == lifted {
		refused.Reason = DiscMissing
	}
	if v.reason == ExtraFlip || v.pending.Active && v.pending.Open() == 0 && v.guide.Turn != 0 {
		refused.Reason = ExtraFlip
	}
	t.announce(refused)
}
