package referee

import "reversi-board/engine"

// verdict is the explanation of one settled reading.
type verdict struct {
	kind kind
	// pending is the move on its way, or done.
	pending Pending
	// guide is what the hands must still change.
	guide Guide
	// reason, wrong and by describe a mistake: why, where, whose.
	reason Reason
	wrong  engine.Bitboard
	by     engine.Color
	// plies is how far a takeback goes.
	plies int
	// turned are the discs that a finished move has really turned; replied says
	// that the reply to it lies there already.
	turned  engine.Bitboard
	replied bool
	// missing are squares whose disc is off the board. The guide asks for them
	// only after a while: hands hold discs all the time.
	missing engine.Bitboard
}

type kind uint8

const (
	same       kind = iota // the board equals the record
	lifted                 // discs are off the board, nothing else
	frozen                 // what happened lies on cells that cannot be read
	moving                 // a legal move with flips still to do
	moved                  // a legal move with all its flips
	withdrawn              // the placed disc was picked up again, its flips stand
	takingBack             // the last discs are off, their flips not turned back yet
	tookBack               // the board equals an earlier position
	improper               // a disc that is no move but may be pressed
	passing                // nobody has pressed for a pass, but the reply lies there
	mending                // flips of the last move are being put right
	mended                 // they are right
	mistaken               // anything else
)

// change is the difference between a position of record and a reading, on the
// cells that can be believed.
type change struct {
	game   *engine.Game
	seen   engine.Discs
	lost   engine.Bitboard
	masked engine.Bitboard
	// placed: empty on record, a disc is seen. gone: the reverse. turned: the
	// other color is seen.
	placed, gone, turned engine.Bitboard
	// held are the faces of the discs that are gone, where they are remembered:
	// on a board that sees none. There a hand has to be told.
	held engine.Discs
}

func compare(g *engine.Game, seen engine.Discs, lost, masked engine.Bitboard) change {
	known := ^masked
	return change{
		game: g, seen: seen, lost: lost, masked: masked,
		placed: known & g.Empty() & seen.Occupied(),
		gone:   known & g.Occupied() & seen.Empty(),
		turned: known & (g.Black&seen.White | g.White&seen.Black),
	}
}

// right returns the discs in a hand that show what they show in d.
func (c change) right(d engine.Discs) engine.Bitboard {
	return c.held.Black&d.Black | c.held.White&d.White
}

// none reports whether the board equals the record.
func (c change) none() bool { return c.placed|c.gone|c.turned == 0 }

// judge explains the current reading by the record. It changes nothing.
func (s *State) judge() verdict {
	c := compare(&s.Game, s.Sensed, s.Lost, s.Masked)
	c.held = s.held(c.gone)
	if v, ok := s.judgeMending(c); ok {
		return v
	}
	switch {
	case c.none():
		return verdict{kind: same}
	case s.memory.restoring != restoringNothing:
		return s.judgeRestoring(c)
	case c.placed != 0:
		if v, ok := s.judgeMovedOn(c); ok {
			return v
		}
		return s.judgePlaced(c)
	}
	if v, ok := s.judgeWithdrawn(c); ok {
		return v
	}
	if v, ok := s.judgeTakeback(c); ok {
		return v
	}
	if c.turned == 0 {
		return verdict{kind: lifted, missing: c.gone}
	}
	return s.judgeTurned(c)
}

// judgeRestoring guides the hands back to the record after an order or a power
// cut, whatever moves the board might look like.
func (s *State) judgeRestoring(c change) verdict {
	flip := s.memory.undone
	v := verdict{kind: takingBack, missing: c.gone}
	v.guide.Flip = (c.turned | c.gone) & flip &^ c.right(c.game.Discs)
	v.guide.Turn = c.turned &^ flip
	v.guide.Remove = c.placed
	if s.memory.restoring == restoringPower {
		v.kind, v.wrong = mistaken, c.turned|c.placed|c.gone
	}
	return v
}

// judgeMending follows flips of the last move that are put right: after a claim,
// when nothing else is judged, or of the mover's own accord before the reply.
func (s *State) judgeMending(c change) (verdict, bool) {
	o := s.Objection
	if !o.Open || s.Entries[o.Entry].Improper != NoReason {
		return verdict{}, false
	}
	wrong := s.Entries[o.Entry].Missed | s.Entries[o.Entry].Extra
	right := s.mended()
	left := compare(&right, c.seen, c.lost, c.masked)
	left.held = s.held(left.gone)
	changed := (c.turned | c.gone) & wrong
	switch {
	case wrong&c.lost != 0 && o.Claimed:
		return verdict{kind: frozen}, true
	case left.none() && wrong&c.lost == 0 && (changed != 0 || wrong&^c.masked == 0):
		return verdict{kind: mended}, true
	case !o.Claimed && (c.placed != 0 || changed == 0 || (c.turned|c.gone)&^wrong != 0):
		return verdict{}, false
	}
	return verdict{
		kind: mending, missing: left.gone,
		guide: Guide{Flip: (left.turned | left.gone) & wrong &^ left.right(right.Discs), Turn: left.turned &^ wrong, Remove: left.placed},
	}, true
}

// judgeTakeback recognises that the discs placed last have been picked up: an
// earlier position lies there, or one is on its way. Of several that may be it is
// the smallest number of plies whose discs are all off the board and whose other
// squares explain every change. One of these may have been taken back as well, and
// not only be in a hand that turns it: that shows when it stays away, and the board
// is as it was before it came.
func (s *State) judgeTakeback(c change) (found verdict, ok bool) {
	plies := 0
	for n := s.Len - 1; n >= 0 && s.mayTakeBack(plies+1); n-- {
		if s.Entries[n].Set {
			break // a ruling is nothing that hands take back
		}
		sq, placed := s.Entries[n].Move.Square()
		if !placed {
			continue
		}
		if !(c.gone | c.masked).Has(sq) {
			break
		}
		plies++
		before := &s.Entries[n].Before
		if before.Opening() != 0 && s.Ply() > s.Game.Rules.Opening.Count() {
			// Swept off in mid-game the board is also as it was in the opening.
			break
		}
		v, fits := s.backTo(c, before)
		v.plies = plies
		switch {
		case !fits:
		case v.kind == tookBack && (!ok || s.memory.missing):
			return v, true
		case !ok:
			found, ok = v, true
		}
	}
	if found.kind == lifted {
		found.plies = 0
	}
	return found, ok
}

// backTo explains discs that are off the board, or turned, by the way back to an
// earlier position of record.
func (s *State) backTo(c change, before *engine.Game) (v verdict, ok bool) {
	differ := before.Diff(s.Game.Discs)
	if (c.gone|c.turned)&^differ != 0 || c.gone&differ == 0 {
		return verdict{}, false
	}
	left := compare(before, c.seen, c.lost, c.masked)
	switch {
	case left.none() && !s.memory.missing &&
		(before.Opening() != 0 || differ&before.Occupied()&^c.masked == 0 || c.mayBeHidden()):
		// No disc is seen to be turned back, or all that are may have been turned
		// by a move that is not seen: nothing else tells it from a disc that is
		// lifted and put back.
		return verdict{kind: lifted, missing: c.gone}, true
	case left.none() && differ&c.lost == 0:
		return verdict{kind: tookBack}, true
	}
	return verdict{
		kind: takingBack, missing: left.gone,
		guide: Guide{Flip: (left.turned | left.gone) &^ c.right(before.Discs)},
	}, true
}

// mayBeHidden reports whether a move on a cell that says nothing turns all discs
// that have changed, so that the hands may be on their way to it.
func (c change) mayBeHidden() bool {
	for sq := range (c.game.Legal() & (c.masked | c.lost)).All() {
		if (c.gone|c.turned)&^c.game.Flips(sq) == 0 {
			return true
		}
	}
	return false
}

// mayTakeBack reports whether hands may take back so many moves. Touch-move
// cannot be sensed: a disc that is not committed may always be moved.
func (s *State) mayTakeBack(plies int) bool {
	switch s.Match.Profile.Takeback {
	case TakebackFree:
		return true
	case TakebackUntilReply:
		return plies == 1
	case TakebackNever:
	}
	return false
}

// judgePlaced explains a reading with discs on squares that are empty on
// record.
func (s *State) judgePlaced(c change) verdict {
	if v, ok := s.judgeBoth(c); ok {
		return v
	}
	mover := c.game.Turn
	own := c.placed & c.seen.Of(mover) & c.game.Legal()
	if own == 0 {
		if v, ok := s.judgeOpening(c); ok {
			return v
		}
		return s.judgeMisplaced(c)
	}
	sq := own.First()
	switch {
	case s.Pending.Active && own.Has(s.Pending.Square):
		sq = s.Pending.Square
	case own.Count() > 1:
		var ok bool
		if sq, ok = mostFlipped(c, own); !ok {
			return verdict{
				kind: mistaken, reason: SecondDisc, wrong: own, by: mover,
				guide: Guide{Remove: c.placed, Turn: c.turned}, missing: c.gone,
			}
		}
	}
	v := explain(c, sq)
	others := c.placed &^ sq.Bit()
	if others == 0 {
		return s.leniently(v)
	}
	if v.pending.Open() == 0 && !s.seenTooMany(sq) && followedByLegal(c, sq) {
		// What else was turned is the work of the reply.
		v.kind, v.replied, v.turned = moved, true, v.pending.Flips
		return v
	}
	if turned, ok := s.repliedTo(c, sq); ok {
		v.kind, v.replied, v.turned = moved, true, turned
		return v
	}
	v.kind = mistaken
	v.guide.Remove |= others
	v.pending.Extra |= others
	v.wrong |= others
	v.reason, v.by = SecondDisc, mover
	unfinished := v.pending.Open()
	if s.Match.Profile.Flips == FlipsStand {
		// Wrong flips alone are no mistake there.
		v.wrong, unfinished = others, v.guide.Flip|v.guide.Turn
	}
	if others&c.seen.Of(mover) == 0 {
		v.by = mover.Opponent()
		if unfinished != 0 {
			v.reason = FlipsPending
		}
	}
	return v
}

// seenTooMany reports whether discs that are not outflanked were seen to be turned
// beside the move on sq, where that stands: they are the mover's work, also if the
// reply would have turned them.
func (s *State) seenTooMany(sq engine.Square) bool {
	p := &s.Pending
	return s.Match.Profile.Flips == FlipsStand && p.Active && p.Square == sq && s.memory.turned&^p.Flips != 0
}

// judgeOpening recognises two things that only an opening has, since its discs
// turn nothing: the last disc moved to another of the free squares, and a disc
// on the last free square when its cell is masked, seen by the reply to it.
func (s *State) judgeOpening(c change) (v verdict, ok bool) {
	free := c.game.Opening()
	if free != 0 && free&^c.masked == 0 && free.Count() == 1 && followedByLegal(c, free.First()) {
		v = explain(c, free.First())
		v.kind, v.replied, v.turned = moved, true, 0
		return v, true
	}
	if s.Len == 0 || !s.mayTakeBack(1) || s.Entries[s.Len-1].Set {
		return verdict{}, false
	}
	last := &s.Entries[s.Len-1]
	sq, placed := last.Move.Square()
	moved := placed && last.Before.Opening() != 0 && c.gone == sq.Bit() && c.turned == 0 &&
		c.placed.Count() == 1 && c.placed&last.Before.Opening()&c.seen.Of(last.By) != 0
	return verdict{kind: tookBack, plies: 1}, moved && (c.placed|c.gone)&c.lost == 0
}

// mostFlipped picks the legal new disc for which the most flips have been done;
// ok is false when two are equal.
func mostFlipped(c change, own engine.Bitboard) (sq engine.Square, ok bool) {
	best := -1
	for cand := range own.All() {
		done := (c.game.Flips(cand) & c.seen.Of(c.game.Turn)).Count()
		switch {
		case done > best:
			best, sq, ok = done, cand, true
		case done == best:
			ok = false
		}
	}
	return sq, ok
}

// explain reads the board as a move on sq and finds what is left to do.
func explain(c change, sq engine.Square) verdict {
	mover := c.game.Turn
	flips := c.game.Flips(sq)
	v := verdict{pending: Pending{
		Active: true, Square: sq, By: mover, Flips: flips,
		Lifted: c.gone & flips,
		Extra:  (c.turned | c.gone) &^ flips,
	}}
	done := flips & c.seen.Of(mover)
	// A masked disc cannot be seen to turn; it follows from the others.
	if flips&^done&^c.masked == 0 {
		done = flips
	}
	v.pending.Done = done
	v.turned = c.turned | flips&c.masked
	v.missing = c.gone
	v.guide.Flip = flips &^ done &^ c.held.Of(mover)
	v.guide.Turn = c.turned &^ flips
	switch {
	case v.guide.Turn != 0:
		v.kind, v.reason, v.wrong, v.by = mistaken, ExtraFlip, v.guide.Turn, mover
	case v.guide.Flip != 0 || c.gone != 0 || (flips|sq.Bit())&c.lost != 0:
		v.kind = moving
	default:
		v.kind = moved
	}
	return v
}

// judgeBoth recognises two whole moves that lie on the board before it has been
// quiet once: the reply has then turned some of the first move's discs again,
// or even the disc that was placed. It returns the first of the two, unless
// they could have been made in either order, or the first was last seen with
// just those flips undone that the reply would turn back: a reply to a move that
// was never finished looks the same.
func (s *State) judgeBoth(c change) (v verdict, ok bool) {
	if c.placed.Count() != 2 {
		return verdict{}, false
	}
	for sq := range (c.placed & c.game.Legal()).All() {
		next := c.game.Place(sq)
		if next.MustPass() {
			next = next.Pass()
		}
		reply := (c.placed &^ sq.Bit()).First()
		if !next.Legal().Has(reply) {
			continue
		}
		flips := c.game.Flips(sq)
		after := next.Place(reply)
		if !compare(&after, c.seen, c.lost, c.masked).none() ||
			(c.placed|flips|next.Flips(reply))&c.lost != 0 {
			continue
		}
		undone := s.Pending.Open()
		if ok || s.Pending.Square == sq && undone != 0 && undone&^next.Flips(reply) == 0 {
			return verdict{}, false
		}
		v, ok = verdict{kind: moved, turned: flips, replied: true, pending: Pending{
			Active: true, Square: sq, By: c.game.Turn, Flips: flips, Done: flips,
		}}, true
	}
	return v, ok
}

// followedByLegal reports whether the board is a finished move on sq with the
// opponent's next disc already lying: quick players do not wait for the board
// to settle between two moves.
func followedByLegal(c change, sq engine.Square) bool {
	if (c.game.Flips(sq)|sq.Bit())&c.lost != 0 {
		return false
	}
	next := c.game.Place(sq)
	if next.MustPass() {
		next = next.Pass()
	}
	after := compare(&next, c.seen, c.lost, c.masked)
	if after.placed.Count() != 1 {
		return false
	}
	reply := after.placed.First()
	if after.seen.At(reply) != next.Turn || !next.Legal().Has(reply) {
		return false
	}
	return (after.turned|after.gone)&^next.Flips(reply) == 0
}

// judgeMisplaced names what is wrong with new discs of which none is a legal
// move.
func (s *State) judgeMisplaced(c change) verdict {
	mover := c.game.Turn
	v := verdict{kind: mistaken, wrong: c.placed, by: mover, missing: c.gone}
	v.guide.Remove, v.guide.Turn = c.placed, c.turned
	sq := c.placed.First()
	switch {
	case s.passDue() && c.placed.Count() == 1 && c.seen.At(sq) != mover && c.game.Pass().Legal().Has(sq):
		return verdict{kind: passing}
	case c.placed.Count() > 1:
		v.reason = SecondDisc
	case c.seen.At(sq) == mover && c.game.Opening() != 0:
		v.reason = OffCenter
	case c.seen.At(sq) == mover:
		v.reason = NoFlip
	case c.game.Legal().Has(sq):
		v.reason = WrongColor
		v.guide.Remove = 0
		v.guide.Turn = sq.Bit() | c.turned&^c.game.Flips(sq)
	case c.game.Ply() > 0 && c.game.Pass().Legal().Has(sq):
		v.reason, v.by = OutOfTurn, mover.Opponent()
	default:
		v.reason = WrongColor
	}
	if s.claims() && c.placed.Count() == 1 && (v.reason == NoFlip || v.reason == OffCenter || v.reason == WrongColor) {
		return s.judgeImproper(c, v)
	}
	return v
}

// judgeImproper makes of a mistake what the mover may press, and nobody says
// anything about before the opponent does.
func (s *State) judgeImproper(c change, v verdict) verdict {
	sq := c.placed.First()
	flips := c.game.Flips(sq)
	return verdict{
		kind: improper, reason: v.reason, missing: c.gone, turned: c.turned | flips&c.masked,
		pending: Pending{
			Active: true, Square: sq, By: v.by, Flips: flips, Done: flips & c.seen.Of(v.by),
			Lifted: c.gone & flips, Extra: (c.turned | c.gone) &^ flips,
		},
	}
}

// leniently makes of flips that are too many a move that goes on: where wrong
// flips stand, it is not the board that objects to them.
func (s *State) leniently(v verdict) verdict {
	if s.Match.Profile.Flips == FlipsStand && v.kind == mistaken && v.reason == ExtraFlip {
		v.kind, v.reason, v.wrong = moving, NoReason, 0
	}
	return v
}

// repliedTo reports whether the opponent's next disc lies beside a move whose
// flips are wrong, where that makes them stand: the game then goes on from the
// discs as the mover has left them. It returns those that he has really turned.
// While a clock runs for a move that was not pressed, it is not finished, and
// the opponent's disc has to wait.
func (s *State) repliedTo(c change, sq engine.Square) (turned engine.Bitboard, ok bool) {
	others := c.placed &^ sq.Bit()
	if s.Match.Profile.Flips != FlipsStand || s.pressing() || others.Count() != 1 {
		return 0, false
	}
	mover := c.game.Turn
	// A disc that shows the mover's color now, or was seen to have been turned
	// before the reply, is the mover's work; the reply may have turned it back.
	turned = c.turned&c.seen.Of(mover) | c.game.Flips(sq)&c.masked
	if s.Pending.Active && s.Pending.Square == sq {
		turned |= s.memory.turned
	}
	next := played(*c.game, Moved{By: mover, Square: sq, Flipped: turned})
	if next.MustPass() {
		next = next.Pass()
	}
	reply := others.First()
	left := compare(&next, c.seen, c.lost, c.masked)
	ok = left.placed == reply.Bit() && c.seen.At(reply) == next.Turn && next.Legal().Has(reply) &&
		(left.turned|left.gone)&^next.Flips(reply) == 0 && (turned|c.game.Flips(sq)|sq.Bit())&c.lost == 0
	return turned, ok
}

// judgeTurned explains discs that were turned although no disc was seen to be
// placed.
func (s *State) judgeTurned(c change) verdict {
	mover := c.game.Turn
	if hidden := c.game.Legal() & (c.lost | c.masked); hidden != 0 {
		if v, ok := judgeHidden(c, hidden); ok {
			return v
		}
	}
	back := s.memory.withdrawn
	if s.Pending.Active {
		back = s.Pending.Flips // its disc has just been picked up
	}
	if c.turned&^back == 0 {
		return verdict{kind: withdrawn, guide: Guide{Flip: c.turned}, missing: c.gone}
	}
	v := verdict{
		kind: mistaken, reason: ExtraFlip, wrong: c.turned, by: mover,
		guide: Guide{Turn: c.turned}, missing: c.gone,
	}
	if s.claims() && (c.gone == 0 || !s.memory.missing) {
		// Before the press nobody says anything about what the mover does, unless
		// discs have been missing for long.
		v.kind, v.wrong = withdrawn, 0
	}
	return v
}

// judgeHidden looks for the move on a cell that cannot be read which explains
// the discs that were turned. On a lost cell the answer is to wait; on a masked
// one the move is taken if it is the only one.
func judgeHidden(c change, hidden engine.Bitboard) (verdict, bool) {
	var found verdict
	matches := 0
	for sq := range hidden.All() {
		if c.turned&^c.game.Flips(sq) != 0 {
			continue
		}
		if c.lost.Has(sq) {
			return verdict{kind: frozen}, true
		}
		v := explain(c, sq)
		switch {
		case matches == 0 || v.kind == moved && found.kind != moved:
			found, matches = v, 1
		case v.kind == found.kind:
			matches++
		}
	}
	switch {
	case matches == 0:
		return verdict{}, false
	case matches > 1:
		return verdict{kind: frozen}, true
	default:
		return found, true
	}
}
