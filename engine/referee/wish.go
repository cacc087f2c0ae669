package referee

import "reversi-board/engine"

// OpponentToMove reports whether the player to move is a program that still
// plays.
func (s *State) OpponentToMove() bool {
	return s.Phase == Playing && !s.OpponentLost && s.Match.Opponent.Plays(s.Game.Turn)
}

// suggested takes note of the opponent's move.
func (t *turn) suggested(in Suggested) {
	s := t.s
	// After the opponent was lost, another program may stand in for it.
	if s.Phase != Playing || !s.Match.Opponent.Plays(s.Game.Turn) || !s.Game.Legal().Has(in.Square) {
		return
	}
	s.Wish = Wish{Active: true, Square: in.Square}
	t.again(in.At)
}

// engineGone puts the loss of the opponent on record; it is lost only once.
func (t *turn) engineGone(in EngineGone) {
	s := t.s
	if s.Phase != Playing || s.OpponentLost || s.Match.Opponent.Kind == NoOpponent {
		return
	}
	t.announce(EngineLost{Engine: in.Engine, Reason: in.Reason})
	t.again(in.At)
}

// again judges the last reading once more, if there is one that counts.
func (t *turn) again(at Time) {
	if t.s.SensedOK && !t.s.memory.resumed {
		t.judge(at)
	}
}

// nextSquares are the squares of which the player to move is to take one: those
// of an opening, or the one that the opponent chose.
func (s *State) nextSquares() engine.Bitboard {
	if s.Wish.Active {
		return s.Wish.Square.Bit()
	}
	return s.Game.Opening()
}

// asWished turns a move of the opponent's disc to another square than it chose
// into a mistake: the disc and what it turned go back, then the move is made
// where it was meant to be.
func (s *State) asWished(v verdict) verdict {
	p := v.pending
	if !s.Wish.Active || v.kind != moving && v.kind != moved || p.Square == s.Wish.Square {
		return v
	}
	turned := p.Done & s.Sensed.Of(p.By) & s.Game.Of(p.By.Opponent())
	return verdict{
		kind: mistaken, pending: p, reason: OtherSquare, wrong: p.Square.Bit(), by: p.By, missing: v.missing,
		guide: Guide{Remove: p.Square.Bit(), Turn: turned}.with(s.Wish.Square.Bit()&^s.Sensed.Occupied(), p.By),
	}
}
