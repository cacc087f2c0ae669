package referee

import (
	"reversi-board/engine"
	"reversi-board/engine/clock"
)

// New returns the state of a table at which nothing has happened yet. The match
// begins as soon as its start position lies on the board.
func New(m Match) State {
	return State{Match: m, Game: engine.NewGame(m.Rules), Clock: clock.New(m.Clock)}
}

// NewPresence is New for a board whose cells tell discs from empty squares and
// nothing more. Its readings are inputs of the type Felt.
func NewPresence(m Match) State {
	s := New(m)
	s.Presence = true
	return s
}

// Prepare says which match follows the finished one on record once its discs
// have been cleared away, unless an order says otherwise: the settings may have
// been changed while the program was not running.
func Prepare(s *State, next Match) {
	if s.Phase == Over {
		s.memory.next, s.memory.prepared = next, true
	}
}

// Apply makes ev true in s. It is the only way in which the record changes:
// Step applies the events that it announces, and a restart applies those of the
// journal. What the cells say, the guide and open problems are not on record;
// they return with the first reading.
func Apply(s *State, ev Event) {
	switch ev := ev.(type) {
	case GameStarted:
		s.start(ev)
	case Moved:
		s.moved(ev)
	case Passed:
		s.passed(ev)
	case FlipError:
		s.flipError(ev)
	case Undone:
		s.takeBack(ev)
	case Revised:
		s.revise(ev)
	case PositionSet:
		s.setPosition(ev)
	case ClockFlag:
		s.flagFell(ev)
	case ClockAdjusted:
		s.adjust(ev)
	case GamePaused:
		s.pause(ev)
	case GameResumed:
		s.resume(ev)
	case GameOver:
		s.end(ev)
	case PowerRestored:
		s.halt(ev.Clock, ev.At)
	case EngineLost:
		s.OpponentLost, s.Wish = true, Wish{}
	case Commanded:
		s.order(ev.Audit.Order)
	case Illegal, Faulted, Restored, TimeStepped:
		// Facts about the table; the record stays as it is.
	}
}

func (s *State) order(o Order) {
	switch o := o.(type) {
	case NewGame:
		s.Match = o.Match
		s.memory.swept, s.memory.prepared = false, false
		s.memory.inherited, s.memory.usual, s.Restart = false, false, Restart{}
		if !s.running() {
			s.Phase, s.Clock = Setup, clock.New(o.Match.Clock)
		}
	case Undo:
		s.memory.ordered = true
	case PlayersSet:
		s.Match.Players = o.Players
	case Pause, Resume, Resign, Adjudicate, ClockSet, CorrectSquare, Revise, LetStand, Claim, PassPressed, Look:
		// What they lead to are events of their own.
	}
}

func (s *State) start(ev GameStarted) {
	s.Phase, s.Step = Playing, ToMove
	s.Match, s.Game = ev.Match, engine.NewGame(ev.Match.Rules)
	s.Len, s.Result, s.Ended = 0, Result{}, false
	s.OpponentLost = false
	s.Clock, s.Halted, s.Flags, s.Objection = clock.New(ev.Match.Clock), false, Flags{}, Objection{}
	s.memory.swept, s.memory.faces = false, engine.Discs{}
	s.memory.inherited, s.memory.usual = false, false
	s.turnBegins(s.Clock.Times(0), ev.At)
	s.atRest()
}

// turnBegins lets the clock of the player on turn run.
func (s *State) turnBegins(t clock.Times, at Time) {
	s.TurnSince = at
	s.memory.turnClock, s.memory.turnFlags = t, s.Flags
	s.Clock.Restore(t, s.onClock(), at)
}

// onClock returns whose clock runs, None when both stand.
func (s *State) onClock() engine.Color {
	switch {
	case s.Phase != Playing || s.Halted || s.Flags.PlayOn || s.Flags.TimeUp:
		return engine.None
	case s.Objection.Claimed:
		return s.Entries[s.Objection.Entry].By
	default:
		return s.Game.Turn
	}
}

// moved puts a move on record as it was really made.
func (s *State) moved(ev Moved) {
	s.Objection = Objection{}
	spent := s.Clock.Remaining(ev.By, ev.At)
	s.add(Entry{
		By: ev.By, Move: engine.At(ev.Square), Flipped: ev.Flipped, Missed: ev.Missed, Extra: ev.Extra,
		Improper: ev.Improper, Think: ev.Think, Earned: max(ev.Clock.Left[ev.By]-spent, 0),
	}, played(s.Game, ev))
	s.turnBegins(ev.Clock, ev.At)
}

// played returns the game after a move with the discs that were really turned.
// Where the rules were kept it is what Game.Place says.
func played(g engine.Game, ev Moved) engine.Game {
	shows := ev.By
	if ev.Improper == WrongColor {
		shows = ev.By.Opponent()
	}
	g.Discs = turnOver(g.Discs, ev.Flipped).With(ev.Square, shows)
	g.Placed[ev.By]++
	g.Turn = ev.By.Opponent()
	return g
}

// turnOver returns d with some discs turned over.
func turnOver(d engine.Discs, set engine.Bitboard) engine.Discs {
	return engine.Discs{Black: d.Black&^set | d.White&set, White: d.White&^set | d.Black&set}
}

// passed puts a pass on record. It is no work of hands: if they are on their way
// to a position, they still are.
func (s *State) passed(ev Passed) {
	restoring, undone := s.memory.restoring, s.memory.undone
	s.add(Entry{By: ev.By, Move: engine.PassMove}, s.Game.Pass())
	s.memory.restoring, s.memory.undone = restoring, undone
	s.turnBegins(ev.Clock, ev.At)
}

// add appends to the record.
func (s *State) add(e Entry, next engine.Game) {
	e.Before, e.Clock, e.Flags = s.Game, s.memory.turnClock, s.memory.turnFlags
	s.Entries[s.Len] = e
	s.Len++
	s.Game = next
	s.play()
	if !s.SensedOK {
		// An event of the journal: the board followed it.
		s.memory.faces = engine.Discs{}
	}
	s.atRest()
}

// play makes the game go on, unless it is paused.
func (s *State) play() {
	if s.Phase != Paused {
		s.Phase, s.Step = Playing, ToMove
	}
}

// reopen makes a finished game go on. Its clocks stand until somebody plays.
func (s *State) reopen() {
	if s.Ended && s.Clock.On() {
		s.Halted = true
	}
	s.Result, s.Ended, s.Flags.TimeUp = Result{}, false, false
	s.play()
}

// flipError opens or closes what may be said against the last move. Flips that
// were put right change the record: the passes after the move were those of
// another position.
func (s *State) flipError(ev FlipError) {
	n := s.entryOfNumber(ev.Ply)
	// What the mover puts right of his own accord is done in the opponent's turn.
	// After a claim, or when a pass goes, a turn begins.
	begins := ev.Status == FlipsFixed && (s.Objection.Claimed || s.Len > n+1)
	switch ev.Status {
	case FlipsOpen:
		s.Objection = Objection{Open: true, Claimed: ev.Claimed, Entry: n}
		if ev.Claimed {
			s.reopen()
			s.atRest()
		}
	case FlipsFixed:
		s.Game, s.Len = s.mended(), n+1
		e := &s.Entries[n]
		e.Flipped, e.Missed, e.Extra = e.Before.Flips(square(e)), 0, 0
		s.Objection = Objection{}
		s.play()
		s.atRest()
	case FlipsLeft:
		s.Objection = Objection{}
	}
	s.Clock.Restore(ev.Clock, s.onClock(), ev.At)
	if begins {
		s.TurnSince, s.memory.turnClock, s.memory.turnFlags = ev.At, ev.Clock, s.Flags
	}
}

// mended returns the game after the last move with the flips that the rules
// demand.
func (s *State) mended() engine.Game {
	e := &s.Entries[s.Objection.Entry]
	return e.Before.Place(square(e))
}

// square returns where an entry placed a disc.
func square(e *Entry) engine.Square {
	sq, _ := e.Move.Square()
	return sq
}

// takeBack makes the record shorter. After an order the discs still lie as they
// did, also when the program has been restarted meanwhile: without being guided
// back they would be taken for the same moves again.
func (s *State) takeBack(ev Undone) {
	if ev.Plies == 0 {
		s.takeBackEnd(ev)
		return
	}
	n := s.entryOfPly(ev.Plies)
	before, ordered := s.Entries[n].Before, s.memory.ordered || ev.Claimed
	back := before.Diff(s.Game.Discs) & before.Occupied()
	if ordered && !s.SensedOK {
		lie, known := s.Game.Discs, s.memory.faces.Occupied()
		s.memory.faces.Black |= lie.Black & back &^ known
		s.memory.faces.White |= lie.White & back &^ known
	}
	s.Game, s.Len = before, n
	if !ev.Claimed {
		s.Flags = s.Entries[n].Flags
	}
	s.Objection = Objection{}
	s.reopen()
	s.turnBegins(ev.Clock, ev.At)
	s.atRest()
	if ordered {
		s.memory.restoring, s.memory.undone = restoringUndo, back
	}
}

// takeBackEnd lets a game go on whose end was declared. The discs may have been
// swept off the board since, so that hands are guided to where they lay.
func (s *State) takeBackEnd(ev Undone) {
	s.reopen()
	s.Clock.Restore(ev.Clock, s.onClock(), ev.At)
	s.TurnSince = ev.At
	s.atRest()
	s.memory.restoring = restoringSet
}

// revise puts other moves in the place of those from disc number FromPly on.
func (s *State) revise(ev Revised) {
	n := s.entryOfNumber(ev.FromPly)
	if n < s.Len {
		s.Game, s.memory.turnClock, s.memory.turnFlags = s.Entries[n].Before, s.Entries[n].Clock, s.Entries[n].Flags
	}
	s.Len = n
	s.Objection = Objection{}
	for _, p := range ev.Line[:ev.Len] {
		next := s.Game.Pass()
		if sq, ok := p.Move.Square(); ok {
			next = played(s.Game, Moved{By: p.By, Square: sq, Flipped: p.Flipped})
		}
		s.add(Entry{By: p.By, Move: p.Move, Flipped: p.Flipped, Think: p.Think}, next)
		s.memory.turnClock = p.Clock
	}
	s.rule(ev.Clock, ev.At)
}

// setPosition puts a ruling about the position on record.
func (s *State) setPosition(ev PositionSet) {
	next := s.Game
	next.Discs, next.Turn = ev.Discs, ev.Turn
	s.Objection = Objection{}
	s.add(Entry{By: engine.None, Move: engine.PassMove, Set: true}, next)
	s.rule(ev.Clock, ev.At)
}

// rule makes play go on from a position that hands have not made: they are
// guided to it, also when the program has been restarted meanwhile.
func (s *State) rule(t clock.Times, at Time) {
	s.reopen()
	s.turnBegins(t, at)
	s.atRest()
	s.memory.restoring = restoringSet
}

func (s *State) flagFell(ev ClockFlag) {
	switch ev.Effect {
	case FlagGrace:
		s.Flags.Graced[ev.Color] = true
	case FlagJof:
		s.Flags.PlayOn, s.Flags.Fallen = true, ev.Color
	case FlagCount:
		s.Flags.TimeUp = true
	case FlagNone, FlagLoss:
	}
	s.Clock.Restore(ev.Clock, s.onClock(), ev.At)
}

// adjust sets the clocks. Who has been given time after his flag has fallen
// plays on himself, also when that had ended the game.
func (s *State) adjust(ev ClockAdjusted) {
	if s.Flags.PlayOn && ev.Clock.Left[s.Flags.Fallen] > 0 {
		s.Flags.PlayOn = false
	}
	if s.Ended {
		s.reopen()
	}
	if c := s.Game.Turn; c < engine.None && ev.Clock.Left[c] > 0 {
		s.Flags.TimeUp = false
	}
	s.memory.turnClock = ev.Clock
	s.Clock.Restore(ev.Clock, s.onClock(), ev.At)
}

// pause stops the clocks and frees the hands. What has been thought so far
// counts.
func (s *State) pause(ev GamePaused) {
	s.memory.thought = ev.At - s.TurnSince
	s.Phase, s.Step = Paused, NoStep
	s.Clock.Restore(ev.Clock, engine.None, ev.At)
	restoring, undone := s.memory.restoring, s.memory.undone
	s.atRest()
	s.memory.restoring, s.memory.undone = restoring, undone
}

func (s *State) resume(ev GameResumed) {
	if s.Phase == Paused {
		s.Phase, s.Step = Playing, ToMove
		s.TurnSince = ev.At - s.memory.thought
	}
	s.Halted = false
	s.Clock.Restore(ev.Clock, s.onClock(), ev.At)
}

func (s *State) end(ev GameOver) {
	s.Result, s.Ended = ev.Result, true
	s.Phase, s.Step = Over, NoStep
	if ev.Result.Reason == Aborted {
		s.Phase, s.memory.inherited = Setup, true
	}
	s.Halted, s.Objection.Claimed = false, false
	// What was given up, stopped by the time or ruled is over for good.
	if !s.Match.Profile.ClaimAfterEnd || !s.Game.Over() || ev.Result.Reason == Adjudicated {
		s.Objection = Objection{}
	}
	s.Clock.Restore(ev.Clock, engine.None, ev.At)
	if s.Phase == Setup {
		s.Clock = clock.New(s.Match.Clock) // of the game that is to follow
	}
	s.atRest()
}

// halt lets the clocks stand after a power cut.
func (s *State) halt(t clock.Times, at Time) {
	s.Halted = s.Phase == Playing && s.Clock.On() && !s.Flags.TimeUp
	s.Clock.Restore(t, engine.None, at)
	s.TurnSince = at
}

// entryOfPly returns the index of the entry that placed the plies-th last disc
// (1 = the last one). The caller has made sure that there are so many.
func (s *State) entryOfPly(plies int) int {
	n := s.Len
	for plies > 0 {
		n--
		if s.Entries[n].Move != engine.PassMove {
			plies--
		}
	}
	return n
}

// entryOfNumber returns the index of the entry that placed disc number ply, the
// length of the record if that is still to be placed.
func (s *State) entryOfNumber(ply int) int {
	for n := range s.Len {
		if s.Entries[n].Move != engine.PassMove {
			ply--
		}
		if ply == 0 {
			return n
		}
	}
	return s.Len
}

// atRest forgets a move on its way, one that was wished for, and everything that
// was wrong.
func (s *State) atRest() {
	s.Pending, s.Guide, s.Dark, s.Problem, s.Wish = Pending{}, Guide{}, 0, Problem{}, Wish{}
	s.memory.withdrawn, s.memory.reported, s.memory.reason = 0, 0, NoReason
	s.memory.missing, s.memory.waiting, s.memory.turned = false, false, 0
	s.liftedBefore()
	s.memory.restoring, s.memory.undone, s.memory.ordered = restoringNothing, 0, false
	s.memory.press = press{}
	s.memory.off, s.memory.cleared, s.Restart = 0, false, Restart{}
}
