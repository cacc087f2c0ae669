package referee

import "reversi-board/engine"

// New returns the state of a table at which nothing has happened yet. The match
// begins as soon as its start position lies on the board.
func New(m Match) State {
	return State{Match: m, Game: engine.NewGame(m.Rules)}
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
		s.add(ev.By, engine.At(ev.Square), ev.Flipped, s.Game.Place(ev.Square))
		s.TurnSince = ev.At
	case Passed:
		s.add(ev.By, engine.PassMove, 0, s.Game.Pass())
		s.TurnSince = ev.At
	case Undone:
		s.takeBack(ev)
	case GameOver:
		s.Result, s.Ended = ev.Result, true
		s.Phase, s.Step = Over, NoStep
		if ev.Result.Reason == Aborted {
			s.Phase = Setup
		}
		s.atRest()
	case EngineLost:
		s.OpponentLost, s.Wish = true, Wish{}
	case Commanded:
		s.order(ev.Audit.Order)
	case FlipError, Revised, PositionSet, ClockFlag, ClockAdjusted, GamePaused, GameResumed:
	case Illegal, Faulted, Restored, PowerRestored, TimeStepped:
		// Facts about the table; the record stays as it is.
	}
}

func (s *State) order(o Order) {
	switch o := o.(type) {
	case NewGame:
		s.Match = o.Match
		s.memory.swept, s.memory.prepared = false, false
		if s.Phase == Over || s.Phase == Idle {
			s.Phase = Setup
		}
	case Undo:
		s.memory.ordered = true
	case Pause, Resume, Resign, Adjudicate, ClockSet, PlayersSet, CorrectSquare, Revise, LetStand, Claim, PassPressed, Look:
	}
}

func (s *State) start(ev GameStarted) {
	s.Phase, s.Step = Playing, ToMove
	s.Match, s.Game = ev.Match, engine.NewGame(ev.Match.Rules)
	s.Len, s.Result, s.Ended = 0, Result{}, false
	s.OpponentLost = false
	s.TurnSince = ev.At
	s.memory.swept, s.memory.faces = false, engine.Discs{}
	s.atRest()
}

func (s *State) add(by engine.Color, m engine.Move, flipped engine.Bitboard, next engine.Game) {
	s.Entries[s.Len] = Entry{By: by, Move: m, Flipped: flipped, Before: s.Game}
	s.Len++
	s.Game = next
	s.Phase, s.Step = Playing, ToMove
	if !s.SensedOK {
		// An event of the journal: the board followed it.
		s.memory.faces = engine.Discs{}
	}
	s.atRest()
}

// takeBack makes the record shorter. After an order the discs still lie as they
// did, also when the program has been restarted meanwhile: without being guided
// back they would be taken for the same moves again.
func (s *State) takeBack(ev Undone) {
	n := s.entryOfPly(ev.Plies)
	before, ordered := s.Entries[n].Before, s.memory.ordered
	back := before.Diff(s.Game.Discs) & before.Occupied()
	if ordered && !s.SensedOK {
		lie, known := s.Game.Discs, s.memory.faces.Occupied()
		s.memory.faces.Black |= lie.Black & back &^ known
		s.memory.faces.White |= lie.White & back &^ known
	}
	s.Game, s.Len = before, n
	s.Phase, s.Step = Playing, ToMove
	s.Result, s.Ended = Result{}, false
	s.TurnSince = ev.At
	s.atRest()
	if ordered {
		s.memory.restoring, s.memory.undone = restoringUndo, back
	}
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

// atRest forgets a move on its way, one that was wished for, and everything that
// was wrong.
func (s *State) atRest() {
	s.Pending, s.Guide, s.Problem, s.Wish = Pending{}, Guide{}, Problem{}, Wish{}
	s.memory.withdrawn, s.memory.reported, s.memory.reason = 0, 0, NoReason
	s.memory.missing = false
	s.memory.used, s.memory.handled = 0, 0
	s.memory.restoring, s.memory.undone, s.memory.ordered = restoringNothing, 0, false
}
