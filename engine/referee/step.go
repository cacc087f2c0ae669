package referee

import (
	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
)

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
		t.tick(in)
	case Pressed:
		t.pressed(in)
	case WallStepped:
		t.announce(TimeStepped{By: in.By})
	case Suggested:
		t.suggested(in)
	case EngineGone:
		t.engineGone(in)
	case Command:
		t.command(in)
	}
	s.light(at(in))
	t.askForTick()
	return t.out
}

// at returns when an input happened.
func at(in Input) Time {
	switch in := in.(type) {
	case Seen:
		return in.At
	case Felt:
		return in.At
	case CellsFailed:
		return in.At
	case CellsBack:
		return in.At
	case PowerOn:
		return in.At
	case Tick:
		return in.At
	case Pressed:
		return in.At
	case WallStepped:
		return in.At
	case Suggested:
		return in.At
	case EngineGone:
		return in.At
	case Command:
		return in.At
	default:
		return 0
	}
}

// turn is one Step under way.
type turn struct {
	s   *State
	out []Effect
	// touched says that the reading of this step is another than the last one.
	touched bool
	// reading says that this step has read the board, which lay as before says until
	// then; began is when the first cell changed. ticking says that this is a tick,
	// moving that the board is not at rest then.
	reading         bool
	before          engine.Discs
	began           Time
	ticking, moving bool
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
	frozen, before := s.frozen(), s.Sensed
	s.Sensed = engine.Discs{
		Black: in.Discs.Black&^in.Lost | frozen.Black&in.Lost,
		White: in.Discs.White&^in.Lost | frozen.White&in.Lost,
	}
	t.touched = s.SensedOK && before != s.Sensed
	t.before, t.began = before, in.Began
	t.sensed(in.At, in.Changed, in.Lost, in.Masked)
}

// frozen is what lost cells are taken to say.
func (s *State) frozen() engine.Discs {
	if s.SensedOK {
		return s.Sensed
	}
	return s.Game.Discs
}

// sensed judges the discs that have just been read by the phase. What lay there
// before a flag fell counts before the flag.
func (t *turn) sensed(at, changed Time, lost, masked engine.Bitboard) {
	s := t.s
	if changed == 0 || changed > at {
		changed = at
	}
	t.reading = true
	if t.began == 0 || t.began > changed {
		t.began = changed
	}
	t.flags(changed)
	s.Lost, s.Masked, s.SensedOK = lost, masked, true
	s.memory.seenAt, s.memory.changed, s.memory.missing = at, changed, false
	if s.Phase == Idle {
		s.Phase = Setup
	}
	if s.memory.resumed {
		t.powerIsBack(at)
	}
	t.judge(at)
	t.flagsUntil(at, at)
}

// judge looks at the current reading again.
func (t *turn) judge(at Time) {
	s := t.s
	s.memory.waiting = false
	switch s.Phase {
	case Setup:
		t.setup(at)
	case Playing:
		t.play(at)
	case Over:
		t.over(at)
	case Paused:
		t.paused(at)
	case Idle:
		s.believe()
	}
	// Cells come back in every phase, also when nothing else is judged.
	if p := s.Problem.Code; p == NoProblem || p == SensorFault || p == BankLost {
		s.setProblem(NoProblem, NoReason, 0, at)
	}
}

// setup guides the discs to the start position and starts the game when it lies
// there.
func (t *turn) setup(at Time) {
	s := t.s
	s.believe()
	s.Match.Rules = s.asLaidOut(s.Match.Rules)
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
	if t.usualStart(at) {
		return
	}
	// Seen from the side, or with the magnets the other way round, the four
	// centre discs have their colors swapped.
	code := NoProblem
	if c.placed|c.gone == 0 && c.turned != 0 && c.turned == start.Occupied() {
		code = Orientation
	}
	s.setProblem(code, NoReason, c.turned, at)
}

// asLaidOut returns the rules with the start that the discs are being laid out to,
// where players may choose which diagonal is light. Where colors are not seen it is
// the one that was agreed.
func (s *State) asLaidOut(r engine.Rules) engine.Rules {
	other, ok := r.OtherDiagonal()
	if !ok || s.Presence {
		return r
	}
	agreed, chosen := engine.NewGame(r), engine.NewGame(other)
	if compare(&chosen, s.Sensed, s.Lost, s.Masked).turned.Count() < compare(&agreed, s.Sensed, s.Lost, s.Masked).turned.Count() {
		return other
	}
	return r
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
	if next.Pairing != "" {
		// A pairing is one game: what is played next at this board is another.
		next.Pairing, next.Players = "", [2]plaintext.Text{}
	}
	if s.memory.prepared {
		next = s.memory.next
	}
	s.believe()
	if s.memory.untouched = s.memory.untouched && !t.touched; s.memory.untouched {
		return // a flag fell before anybody moved, say
	}
	next.Rules = s.asLaidOut(next.Rules)
	start := engine.NewGame(next.Rules)
	usual, other := usualRules(next.Rules)
	asked := s.memory.prepared
	if s.Sensed.Occupied()&^s.Masked == 0 || t.laidOut(&start) || other && !asked && t.laidOut(&usual) {
		s.Phase, s.Match, s.Objection = Setup, next, Objection{}
		s.memory.inherited = !asked
		s.Clock = clock.New(next.Clock)
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
		s.memory.waiting = true
		return false
	}
	return lies
}

// paused leaves the hands alone, but for the way to a position that was ruled.
func (t *turn) paused(at Time) {
	s := t.s
	s.believe()
	s.Pending, s.Guide, s.Step = Pending{}, Guide{}, NoStep
	code, wrong := NoProblem, engine.Bitboard(0)
	if s.memory.restoring != restoringNothing {
		v := s.judge()
		s.remember(v, at)
		s.Guide = v.guide
		if v.missing != 0 {
			t.askForMissing(v)
		}
		if v.kind == mistaken {
			code, wrong = Power, v.wrong
		}
	}
	s.setProblem(code, NoReason, wrong, at)
}

// play judges the reading until nothing more follows from it.
func (t *turn) play(at Time) {
	s := t.s
	for s.Phase == Playing {
		s.believe()
		if s.Flags.TimeUp {
			t.count(at)
			return
		}
		if t.restarts(at) {
			return
		}
		v := s.asWished(s.judge())
		t.replyCloses(v)
		t.goOn(v)
		if t.judgePress(v, at) {
			continue
		}
		switch v.kind {
		case moved:
			if s.pressing() && !v.replied {
				t.show(v, at)
				return
			}
			t.commit(v, s.boardTime())
		case passing:
			t.pass(s.boardTime())
		case tookBack:
			t.takenBack(v)
		case mended:
			if s.correctsByPress() {
				t.show(v, at)
				return
			}
			t.fixed(s.boardTime())
		case same, lifted, frozen, moving, withdrawn, takingBack, improper, mending, mistaken:
			t.show(v, at)
			return
		}
	}
}

// boardTime is when what lies on the board came to lie there, but no earlier
// than the turn began or the clocks were last touched.
func (s *State) boardTime() Time { return max(s.memory.changed, s.TurnSince, s.Clock.At) }

// takenBack puts a takeback by hand on record.
func (t *turn) takenBack(v verdict) {
	s := t.s
	e := &s.Entries[s.entryOfPly(v.plies)]
	t.announce(Undone{Plies: v.plies, ToPly: s.Ply() - v.plies, By: e.By, Clock: e.Clock, At: s.boardTime()})
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
	if s.Objection.Claimed && v.kind == mending {
		code, v.wrong = FlipsNotDone, s.Guide.Flip|s.Guide.Wrong()|s.Guide.Place()
	}
	if v.kind != mistaken {
		v.reason = NoReason
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
	case moving, moved, withdrawn, takingBack, tookBack, improper:
		return InProgress
	case mending, mended, mistaken:
		return Correcting
	case same, lifted, frozen, passing:
		return ToMove
	default:
		return ToMove
	}
}

// report announces a mistake when it is first seen, not again while it stands.
func (t *turn) report(v verdict) {
	m := &t.s.memory
	if m.cleared {
		return // discs are laid out anew: nobody moves
	}
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
	s.Pending, m.turned = v.pending, v.turned
	if v.pending.Active {
		s.Pending.Since = at
		if before.Active && before.Square == v.pending.Square {
			s.Pending.Since = before.Since
		}
	}
	switch {
	case v.kind == same:
		m.withdrawn, m.restoring, m.undone = 0, restoringNothing, 0
		m.off, m.cleared = 0, false
	case v.pending.Active:
		m.withdrawn = 0
	case before.Active:
		m.withdrawn = before.Flips
	}
}

// askForMissing shows where discs are missing once they have been off the board
// for long; until then it asks to be woken at that time. On the way to a position
// that hands have not made, they are asked for at once.
func (t *turn) askForMissing(v verdict) {
	s := t.s
	ruled := s.memory.restoring == restoringPower || s.memory.restoring == restoringSet
	if !s.memory.missing && !ruled {
		s.memory.waiting = true
		return
	}
	want := s.Game.Discs
	switch {
	case v.kind == mending:
		want = s.mended().Discs
	case v.pending.Active:
		want = s.Game.After(v.pending.Square, v.pending.Flips).Discs
	case v.plies > 0:
		want = s.Entries[s.entryOfPly(v.plies)].Before.Discs
	}
	s.Guide.Flip &^= v.missing
	s.Guide.PlaceBlack = v.missing & want.Black
	s.Guide.PlaceWhite = v.missing & want.White
}

// light decides what of the guide the lights may show at a time. The profile may
// leave it to the players to find the flips of a move; whatever else there is to
// do is always shown.
func (s *State) light(at Time) {
	s.Dark = 0
	ruled := s.Objection.Claimed || s.memory.restoring != restoringNothing
	if s.Phase != Playing || ruled || !s.Pending.Active && s.Step != InProgress {
		return
	}
	p := &s.Match.Profile
	var flips, errors bool // are dark
	switch p.FlipLights {
	case LightsAlways:
	case LightsAfter:
		flips = s.Pending.Active && at < s.Pending.Since+p.FlipLightsAfter
		errors = flips
	case LightsErrorsOnly:
		flips = s.Pending.Active || s.memory.withdrawn != 0
	case LightsOff:
		flips, errors = true, true
	}
	if flips {
		s.Dark |= s.Guide.Flip
	}
	switch {
	case !errors:
	case s.Step == InProgress:
		s.Dark |= s.Guide.Turn
	case p.Flips == FlipsStand:
		s.Dark |= s.Guide.Turn & s.Pending.Extra
	}
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

func (t *turn) cellsFailed(in CellsFailed) {
	s := t.s
	switch in.Kind {
	case LostBank, Reset:
		s.Lost |= in.Squares
	case Stuck, Flapping, Ghost, Dead:
		s.Masked |= in.Squares
	case Drift: // They are still read right.
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
