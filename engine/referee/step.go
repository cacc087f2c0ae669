package referee

import "reversi-board/engine"

// Step tells the referee what happened and appends what is to be done to out.
// It allocates only when there is an effect.
func Step(s *State, in Input, out []Effect) []Effect {
	t := turn{s: s, out: out}
	switch in := in.(type) {
	case Seen:
		t.seen(in)
	case Felt:
		t.felt(in)
	case CellsFailed:
		t.cellsFailed(in)
	case CellsBack:
		t.cellsBack(in)
	case PowerOn:
		t.powerOn(in)
	case Tick:
		t.tick(in.At)
	case Pressed:
	case WallStepped:
		t.announce(TimeStepped{By: in.By})
	case Suggested:
		t.suggested(in)
	case EngineGone:
		t.engineGone(in)
	case Command:
		t.command(in)
	}
	return t.out
}

// turn is one Step under way.
type turn struct {
	s   *State
	out []Effect
}

// announce makes an event true and has it told.
func (t *turn) announce(ev Event) {
	s := t.s
	Apply(s, ev)
	t.out = append(t.out, Announce{
		Event: ev, Ply: s.Ply(),
		Position: engine.Position{Discs: s.Game.Discs, Turn: s.Turn()},
	})
}

// seen takes in a settled reading.
func (t *turn) seen(in Seen) {
	s := t.s
	if s.Presence {
		return
	}
	frozen := s.frozen()
	s.Sensed = engine.Discs{
		Black: in.Discs.Black&^in.Lost | frozen.Black&in.Lost,
		White: in.Discs.White&^in.Lost | frozen.White&in.Lost,
	}
	t.sensed(in.At, in.Lost, in.Masked)
}

// frozen is what lost cells are taken to say.
func (s *State) frozen() engine.Discs {
	if s.SensedOK {
		return s.Sensed
	}
	return s.Game.Discs
}

// sensed judges the discs that have just been read by the phase.
func (t *turn) sensed(at Time, lost, masked engine.Bitboard) {
	s := t.s
	s.Lost, s.Masked, s.SensedOK = lost, masked, true
	s.memory.seenAt, s.memory.missing = at, false
	if s.Phase == Idle {
		s.Phase = Setup
	}
	if s.memory.resumed {
		t.resume()
	}
	t.judge(at)
}

// judge looks at the current reading again.
func (t *turn) judge(at Time) {
	s := t.s
	switch s.Phase {
	case Setup:
		t.setup(at)
	case Playing:
		t.play(at)
	case Over:
		t.over(at)
	case Idle, Paused:
		s.believe()
	}
	// Cells come back in every phase, also when nothing else is judged.
	if p := s.Problem.Code; p == NoProblem || p == SensorFault || p == BankLost {
		s.setProblem(NoProblem, NoReason, 0, at)
	}
}

func (t *turn) powerOn(in PowerOn) {
	s := t.s
	s.TurnSince = in.At
	m := &s.memory
	m.resumed, m.gap, m.before = s.Phase == Playing, in.Gap, s.Game.Discs
	if in.SeenOK {
		m.before, m.faces = in.Seen, in.Seen
	}
}

// resume reports what changed on the board while the program was away. If the
// change cannot be a move on its way, nothing is judged before the board equals
// the record again.
func (t *turn) resume() {
	s := t.s
	s.memory.resumed = false
	s.believe()
	changed := s.memory.before.Diff(s.Sensed) &^ s.Unsure()
	t.announce(PowerRestored{Changed: changed, Gap: s.memory.gap})
	if v := s.judge(); !v.onItsWay() {
		s.memory.restoring = restoringPower
	}
}

// onItsWay reports whether the board is as on record but for a move and its
// flips, the way it lies when the power fails in the middle of one.
func (v *verdict) onItsWay() bool {
	switch v.kind {
	case same, frozen, moved:
		return true
	case moving:
		return v.pending.Extra == 0
	case lifted, withdrawn, takingBack, tookBack, mistaken:
		return false
	default:
		return false
	}
}

// setup guides the discs to the start position and starts the game when it lies
// there.
func (t *turn) setup(at Time) {
	s := t.s
	s.believe()
	start := engine.NewGame(s.Match.Rules)
	c := compare(&start, s.Sensed, s.Lost, s.Masked)
	s.Step, s.Pending = NoStep, Pending{}
	if s.memory.swept {
		if s.Lost != 0 || !begun(c) {
			s.Guide = Guide{Remove: c.placed}
			if c.none() {
				s.Guide = s.Guide.with(start.Opening(), start.Turn)
			}
			s.setProblem(NoProblem, NoReason, 0, at)
			return
		}
		c = change{}
	}
	if c.none() && s.Lost == 0 {
		t.announce(GameStarted{Match: s.Match, At: at})
		t.advance(at)
		t.play(at)
		return
	}
	s.Guide = Guide{
		Turn: c.turned, Remove: c.placed,
		PlaceBlack: c.gone & start.Black, PlaceWhite: c.gone & start.White,
	}
	// Seen from the side, or with the magnets the other way round, the four
	// centre discs have their colors swapped.
	code := NoProblem
	if c.placed|c.gone == 0 && c.turned != 0 && c.turned == start.Occupied() {
		code = Orientation
	}
	s.setProblem(code, NoReason, c.turned, at)
}

// begun reports whether the first disc of a game that begins on the empty board
// has been placed, perhaps with the reply to it, and nothing else.
func begun(c change) bool {
	own := c.placed & c.seen.Of(c.game.Turn)
	return own.Count() == 1 && c.placed.Count() <= 2 && c.placed&^c.game.Opening() == 0
}

// over leaves the hands alone until the next start position is being laid out.
func (t *turn) over(at Time) {
	s := t.s
	next := s.Match
	if s.memory.prepared {
		next = s.memory.next
	}
	s.believe()
	start := engine.NewGame(next.Rules)
	if s.Sensed.Occupied()&^s.Masked == 0 || t.laidOut(&start) {
		s.Phase, s.Match = Setup, next
		s.memory.prepared = false
		s.memory.swept = start.Occupied() == 0
		t.setup(at)
	}
}

// laidOut reports whether the discs lie as at the start of a game. Where their
// faces are not seen, this also happens for a moment while a board is swept: it
// counts when they have lain there for as long as it takes to ask for missing
// discs.
func (t *turn) laidOut(start *engine.Game) bool {
	s := t.s
	c := compare(start, s.Sensed, s.Lost, s.Masked)
	if !s.Presence {
		return c.none()
	}
	lies := c.placed|c.gone == 0
	if lies && !s.memory.missing {
		t.out = append(t.out, Wake{At: s.memory.seenAt + s.Match.Profile.MissingAfter})
		return false
	}
	return lies
}

// play judges the reading until nothing more follows from it.
func (t *turn) play(at Time) {
	s := t.s
	for s.Phase == Playing {
		s.believe()
		v := s.asWished(s.judge())
		switch v.kind {
		case moved:
			t.commit(v.pending, at)
		case tookBack:
			t.announce(Undone{
				Plies: v.plies, ToPly: s.Ply() - v.plies,
				By: s.Entries[s.entryOfPly(v.plies)].By, At: at,
			})
		case same, lifted, frozen, moving, withdrawn, takingBack, mistaken:
			t.show(v, at)
			return
		}
	}
}

// commit puts a finished move on record, with the passes that follow from it,
// or the end of the game.
func (t *turn) commit(p Pending, at Time) {
	t.announce(Moved{By: p.By, Square: p.Square, Flipped: p.Flips, Think: at - t.s.TurnSince, At: at})
	t.advance(at)
}

// advance passes for a player who cannot move and ends a game in which nobody
// can.
func (t *turn) advance(at Time) {
	g := t.s.Game
	switch {
	case g.Over():
		t.announce(GameOver{Result: resultOf(g)})
	case g.MustPass():
		t.announce(Passed{By: g.Turn, At: at})
	}
}

func resultOf(g engine.Game) Result {
	r := Result{Winner: g.Rules.Winner(g.Discs), Reason: NoMoves}
	r.DiscsBlack, r.DiscsWhite = g.Black.Count(), g.White.Count()
	r.Black, r.White = g.Score()
	if r.DiscsBlack == 0 || r.DiscsWhite == 0 {
		r.Reason = Wipeout
	}
	return r
}

// show makes the explanation of the reading visible, and reports a mistake once.
func (t *turn) show(v verdict, at Time) {
	s := t.s
	if v.kind == frozen {
		return
	}
	t.report(v)
	s.remember(v, at)
	s.Guide = v.guide
	if v.missing != 0 {
		t.askForMissing(v)
	}
	if v.kind == same || v.kind == lifted && !s.memory.missing {
		s.Guide = s.Guide.with(s.nextSquares(), s.Game.Turn)
	}
	code := v.code()
	if s.memory.restoring == restoringPower && v.kind == mistaken {
		code = Power
	}
	if s.memory.missing && v.missing != 0 && code == NoProblem && v.kind == lifted {
		code = IllegalPosition
		v.wrong = v.missing
	}
	s.Step = v.stage()
	if code == IllegalPosition {
		s.Step = Correcting
	}
	s.setProblem(code, v.reason, v.wrong, at)
}

// code is the open problem that a verdict amounts to.
func (v *verdict) code() Code {
	switch {
	case v.kind != mistaken:
		return NoProblem
	case v.reason == FlipsPending:
		return FlipsNotDone
	case v.reason == OutOfTurn:
		return TurnWrong
	default:
		return IllegalPosition
	}
}

// stage is the stage of the move that a verdict amounts to.
func (v *verdict) stage() Stage {
	switch v.kind {
	case moving, moved, withdrawn, takingBack, tookBack:
		return InProgress
	case mistaken:
		return Correcting
	case same, lifted, frozen:
		return ToMove
	default:
		return ToMove
	}
}

// report announces a mistake when it is first seen, not again while it stands.
func (t *turn) report(v verdict) {
	m := &t.s.memory
	if v.kind != mistaken || v.reason == NoReason {
		m.reported, m.reason = 0, NoReason
		return
	}
	if v.reason != m.reason {
		m.reported = 0
	}
	fresh := v.wrong &^ m.reported
	m.reported, m.reason = v.wrong, v.reason
	if fresh != 0 {
		t.announceMistake(v, fresh.First())
	}
}

func (t *turn) announceMistake(v verdict, sq engine.Square) {
	t.announce(Illegal{By: v.by, Square: sq, Reason: v.reason})
}

// remember keeps the move on its way, and the flips of one that was withdrawn.
func (s *State) remember(v verdict, at Time) {
	m := &s.memory
	before := s.Pending
	s.Pending = v.pending
	if v.pending.Active {
		s.Pending.Since = at
		if before.Active && before.Square == v.pending.Square {
			s.Pending.Since = before.Since
		}
	}
	switch {
	case v.kind == same:
		m.withdrawn, m.restoring, m.undone = 0, restoringNothing, 0
	case v.pending.Active:
		m.withdrawn = 0
	case before.Active:
		m.withdrawn = before.Flips
	}
}

// askForMissing shows where discs are missing once they have been off the board
// for long; until then it asks to be woken at that time.
func (t *turn) askForMissing(v verdict) {
	s := t.s
	if !s.memory.missing && s.memory.restoring != restoringPower {
		t.out = append(t.out, Wake{At: s.memory.seenAt + s.Match.Profile.MissingAfter})
		return
	}
	want := s.Game.Discs
	switch {
	case v.pending.Active:
		want = s.Game.After(v.pending.Square, v.pending.Flips).Discs
	case v.plies > 0:
		want = s.Entries[s.entryOfPly(v.plies)].Before.Discs
	}
	s.Guide.Flip &^= v.missing
	s.Guide.PlaceBlack = v.missing & want.Black
	s.Guide.PlaceWhite = v.missing & want.White
}

// setProblem opens, keeps or closes the problem. Cells that say nothing are the
// problem when there is none that matters more.
func (s *State) setProblem(code Code, reason Reason, squares engine.Bitboard, at Time) {
	switch {
	case code != NoProblem:
	case s.Lost != 0:
		code, squares = BankLost, s.Lost
	case s.Masked != 0:
		code, squares = SensorFault, s.Masked
	default:
		s.Problem = Problem{}
		return
	}
	since := at
	if s.Problem.Code == code && s.Problem.Reason == reason {
		since = s.Problem.Since
	}
	s.Problem = Problem{Code: code, Reason: reason, Squares: squares, Since: since}
}

// tick shows what is missing when discs have been off the board for long, and
// sees what has not been touched for as long.
func (t *turn) tick(at Time) {
	s := t.s
	waiting := s.Phase == Playing || s.Phase == Over && s.Presence
	if !waiting || !s.SensedOK || at < s.memory.seenAt+s.Match.Profile.MissingAfter {
		return
	}
	if !s.memory.missing {
		s.memory.missing = true
		t.judge(at)
	}
}

func (t *turn) cellsFailed(in CellsFailed) {
	s := t.s
	switch in.Kind {
	case LostBank, Reset:
		s.Lost |= in.Squares
	case Stuck, Flapping, Ghost, Dead, Drift:
		s.Masked |= in.Squares
	}
	t.announce(Faulted{Squares: in.Squares, Kind: in.Kind})
	if p := s.Problem.Code; p == NoProblem || p == SensorFault || p == BankLost {
		s.setProblem(NoProblem, NoReason, 0, in.At)
	}
}

func (t *turn) cellsBack(in CellsBack) {
	t.announce(Restored{Squares: in.Squares, Kind: in.Kind})
	// The cells count again with the reading that says what they see.
}

// command obeys an order, or refuses it with a reason.
func (t *turn) command(in Command) {
	switch order := in.Audit.Order.(type) {
	case NewGame:
		t.newGame(in, order)
	case Undo:
		t.undo(in, order)
	case Look:
		t.announce(Commanded{in.Audit})
	case Pause, Resume, Resign, Adjudicate, ClockSet, PlayersSet, CorrectSquare, Revise, LetStand, Claim, PassPressed:
		t.refuse(NotAllowed, "this order cannot be carried out yet")
	default:
		t.refuse(BadPayload, "the command has no order that the referee knows")
	}
}

func (t *turn) refuse(code RefusalCode, text string) {
	t.out = append(t.out, Refuse{Code: code, Text: text})
}

func (t *turn) newGame(in Command, order NewGame) {
	s := t.s
	running := s.Phase == Playing || s.Phase == Paused
	t.announce(Commanded{in.Audit})
	if running {
		r := resultOf(s.Game)
		r.Winner, r.Void, r.Reason = engine.None, true, Aborted
		r.Black, r.White = 0, 0 // an unfinished game has no score
		t.announce(GameOver{Result: r})
	}
	s.Match = order.Match
	s.Phase = Setup
	s.memory.resumed = false
	if s.SensedOK {
		t.judge(in.At)
	}
}

func (t *turn) undo(in Command, order Undo) {
	s := t.s
	reopen := s.Phase == Over && in.Audit.Role == "arbiter"
	switch {
	case s.Phase != Playing && !reopen:
		t.refuse(NotAllowed, "there is no running game to take a move back in")
		return
	case order.Plies < 1 || order.Plies > s.Ply():
		t.refuse(NotAllowed, "there are not so many moves to take back")
		return
	}
	by := s.Entries[s.entryOfPly(order.Plies)].By
	t.announce(Commanded{in.Audit})
	t.announce(Undone{Plies: order.Plies, ToPly: s.Ply() - order.Plies, By: by, At: in.At})
	if s.SensedOK {
		t.judge(in.At)
	}
}
