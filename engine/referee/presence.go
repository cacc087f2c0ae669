package referee

import "reversi-board/engine"

// felt takes in a settled reading of a board that sees no faces.
func (t *turn) felt(in Felt) {
	s := t.s
	if !s.Presence {
		return
	}
	frozen := s.frozen().Occupied()
	lie := in.Squares&^in.Lost | frozen&in.Lost
	m := &s.memory
	m.back = lie & (in.Lifted | ^frozen) &^ (in.Lost | in.Masked)
	m.fresh = lie &^ frozen
	t.touched = s.SensedOK && (lie != frozen || m.back != 0)
	// What has just been placed was not put back, and is no sign of a move that
	// is not seen.
	m.spent = lie
	if s.Phase == Playing {
		m.spent &^= s.Game.Occupied()
	}
	// The faces follow when the reading is judged.
	s.Sensed = engine.Discs{Black: lie}
	t.began = in.Began
	t.sensed(in.At, in.Changed, in.Lost, in.Masked)
	m.back, m.fresh, m.used, m.spent = 0, 0, 0, 0
}

// believe gives the discs that lie on a board that sees no faces the ones that
// they must have. A disc of the record keeps its face until it is put back where
// the guide wants it turned; a disc on another square belongs to whoever must
// have placed it. It changes nothing when nothing was put back since it was
// asked last, and nothing at all on other boards.
func (s *State) believe() {
	if !s.Presence || !s.SensedOK {
		return
	}
	s.face()
	if s.Phase != Playing {
		return
	}
	m := &s.memory
	for {
		v := s.asWished(s.judge())
		turned := m.back & (v.guide.Flip | v.guide.Turn) & s.Game.Occupied() &^ m.used
		if turned == 0 {
			break
		}
		m.used |= turned
		m.spent |= turned
		s.turnOver(turned)
	}
	s.findHidden()
}

// turnOver turns discs over as far as their faces are remembered.
func (s *State) turnOver(turned engine.Bitboard) {
	f := &s.memory.faces
	f.Black, f.White = f.Black&^turned|f.White&turned, f.White&^turned|f.Black&turned
	s.face()
}

// face sets the faces of the discs that lie, and remembers them.
func (s *State) face() {
	lie, m := s.Sensed.Occupied(), &s.memory
	if s.Phase == Idle || s.Phase == Setup {
		// Nothing tells a right disc from a wrong one; the players have been
		// told to look.
		start := s.Match.Rules.Start
		s.Sensed = lay(lie&^start.Occupied(), start.Turn)
		s.Sensed.Black |= lie & start.Black
		s.Sensed.White |= lie & start.White
		return
	}
	recorded, known := s.Game.Occupied(), m.faces.Occupied()
	faces := engine.Discs{
		Black: recorded & (m.faces.Black | s.Game.Black&^known),
		White: recorded & (m.faces.White | s.Game.White&^known),
	}
	s.Sensed = engine.Discs{Black: faces.Black & lie, White: faces.White & lie}
	placed := s.owners(lie &^ recorded)
	s.Sensed.Black |= placed.Black
	s.Sensed.White |= placed.White
	m.faces = engine.Discs{Black: faces.Black | placed.Black, White: faces.White | placed.White}
}

// lay returns discs of one color.
func lay(squares engine.Bitboard, c engine.Color) engine.Discs {
	if c == engine.White {
		return engine.Discs{White: squares}
	}
	return engine.Discs{Black: squares}
}

// owners says whose discs lie on squares that are empty on record: those of the
// player to move, but for the opponent's reply to a move that lies there as well,
// and for the last disc when it was taken up and put elsewhere. Sensed holds the
// discs of the record.
func (s *State) owners(placed engine.Bitboard) engine.Discs {
	mover := s.Game.Turn
	mine := lay(placed, mover)
	if placed == 0 || s.Phase != Playing {
		return mine
	}
	if by := s.movedOnBy(placed); by != engine.None {
		return lay(placed, by)
	}
	first, ok := s.firstPlaced(placed)
	if !ok {
		return mine
	}
	next := s.Game.Place(first)
	if next.MustPass() {
		next = next.Pass()
	}
	replies := placed &^ first.Bit() & next.Legal()
	theirs := lay(replies, next.Turn)
	mine = lay(placed&^replies, mover)
	return engine.Discs{Black: mine.Black | theirs.Black, White: mine.White | theirs.White}
}

// firstPlaced picks the move of the player to move among new discs: the one that
// has been seen before, or the only legal one. Of two legal ones it is the one
// to which the other can be the reply, if the discs that were handled leave no
// other choice. In an opening of which one square is left, on a cell that is not
// believed, it is that square.
func (s *State) firstPlaced(placed engine.Bitboard) (first engine.Square, ok bool) {
	g := &s.Game
	legal := placed & g.Legal()
	switch {
	case g.Opening() != 0 && g.Opening()&^s.Masked == 0 && g.Opening().Count() == 1:
		return g.Opening().First(), true
	case s.Pending.Active && legal.Has(s.Pending.Square):
		return s.Pending.Square, true
	case legal.Count() == 1:
		return legal.First(), true
	case placed.Count() != 2:
		return 0, false
	}
	best := 0
	for sq := range legal.All() {
		switch fit := s.fits(sq, (placed &^ sq.Bit()).First()); {
		case fit > best:
			best, first, ok = fit, sq, true
		case fit == best:
			ok = false
		}
	}
	return first, ok
}

// fits says how well a move and the reply to it explain the discs that this
// reading found put back: not at all (0), with some flips of the reply to be
// done (1), or exactly (2).
func (s *State) fits(sq, reply engine.Square) int {
	next := s.Game.Place(sq)
	flips, handled := s.Game.Flips(sq), s.memory.back&s.Game.Occupied()
	switch both := flips | next.Flips(reply); {
	case flips == 0 || flips&^handled != 0 || !next.Legal().Has(reply) || handled&^both != 0:
		return 0
	case handled == both:
		return 2
	default:
		return 1
	}
}

// movedOnBy returns whose disc has been taken up after its move and put on
// another square, None when that is not what has happened.
func (s *State) movedOnBy(placed engine.Bitboard) engine.Color {
	c := compare(&s.Game, s.Sensed, s.Lost, s.Masked)
	if last, ok := s.Last(); ok && last.Before.Opening() != 0 && c.gone == lastSquare(last) &&
		placed.Count() == 1 && placed&last.Before.Opening() != 0 {
		return last.By
	}
	c.placed = placed &^ s.Masked
	if v, ok := s.judgeMovedOn(c); ok {
		return s.Entries[s.entryOfPly(v.plies)].By
	}
	return engine.None
}

// lastSquare returns the square of a disc that was placed.
func lastSquare(e Entry) engine.Bitboard {
	sq, _ := e.Move.Square()
	return sq.Bit()
}

// held are the faces of discs in a hand, on a board that sees none.
func (s *State) held(gone engine.Bitboard) engine.Discs {
	if !s.Presence {
		return engine.Discs{}
	}
	return engine.Discs{Black: s.memory.faces.Black & gone, White: s.memory.faces.White & gone}
}

// judgeWithdrawn recognises, where no faces are seen, that the discs in a hand
// are on their way back from a move that was withdrawn. A takeback of the move
// before it, which had turned the same discs, would look like that too.
func (s *State) judgeWithdrawn(c change) (verdict, bool) {
	back := s.memory.withdrawn
	if s.Pending.Active {
		back = s.Pending.Flips // its disc has just been picked up
	}
	wrong := c.turned | c.gone&^c.right(c.game.Discs)
	if !s.Presence || wrong == 0 || (c.gone|c.turned)&^back != 0 {
		return verdict{}, false
	}
	return verdict{kind: withdrawn, guide: Guide{Flip: wrong}, missing: c.gone}, true
}

// judgeMovedOn recognises a takeback whose disc has already been put down again,
// where its color cannot be seen. A disc that the player to move has just placed
// is none, nor one that turns the disc which is off the board.
func (s *State) judgeMovedOn(c change) (verdict, bool) {
	last, ok := s.Last()
	if !ok || !s.Presence || c.gone&lastSquare(last) == 0 ||
		s.Pending.Active && c.placed.Has(s.Pending.Square) {
		return verdict{}, false
	}
	for sq := range (c.placed & c.game.Legal()).All() {
		if c.game.Flips(sq)&lastSquare(last) != 0 {
			return verdict{}, false
		}
	}
	placed := c.placed
	c.placed = 0
	c.seen.Black &^= placed
	c.seen.White &^= placed
	v, ok := s.judgeTakeback(c)
	if !ok || v.plies == 0 {
		return verdict{}, false
	}
	if before := &s.Entries[s.entryOfPly(v.plies)].Before; placed.Count() > 1 || placed&before.Legal() == 0 {
		v.guide.Remove = placed
	}
	return v, true
}

// liftedBefore says, when the record has changed, which lifts of this reading
// still count. A disc that was lifted for a move is turned again for the reply
// only if the reply was played in the same reading: a disc that lay there before
// waits for lifts of its own. What was lifted before is no sign of a reply that is
// not seen.
func (s *State) liftedBefore() {
	m := &s.memory
	if s.Sensed.Occupied()&^s.Game.Occupied()&^m.fresh == 0 {
		m.used = 0
	}
	m.spent |= m.back
	m.handled = 0
	// What lies on cells that are not believed is as on record, also when they can
	// be believed again: nobody has seen their discs turned, or not turned.
	m.faces.Black, m.faces.White = m.faces.Black&^s.Masked, m.faces.White&^s.Masked
}

// findHidden takes discs for turned that were lifted and put back without having
// been asked to, if a move on a cell that is not believed, and nothing else,
// explains it.
func (s *State) findHidden() {
	m := &s.memory
	m.handled |= m.back & s.Game.Occupied() &^ m.spent
	if s.Sensed.Occupied()&^s.Game.Occupied()&^s.Masked != 0 {
		m.handled = 0 // it was about the disc that lies there
	}
	legal := s.Game.Legal()
	if m.handled == 0 || legal&s.Masked == 0 || legal&s.Lost != 0 || m.restoring != restoringNothing {
		return
	}
	var flips engine.Bitboard
	for sq := range (legal & s.Masked).All() {
		switch f := s.Game.Flips(sq); {
		case f&m.handled == 0:
		case flips != 0:
			return // it may be either
		default:
			flips = f
		}
	}
	if flips != 0 && flips&^m.handled&^s.Masked == 0 {
		m.handled &^= flips
		s.turnOver(flips &^ s.Masked)
	}
}
