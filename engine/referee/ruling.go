package referee

import (
	"errors"
	"fmt"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
)

// command obeys an order, or refuses it with a reason. The audit of an order that
// is obeyed comes before what follows from it.
func (t *turn) command(in Command) {
	t.flagsUntil(in.At, in.At)
	switch order := in.Audit.Order.(type) {
	case NewGame:
		t.newGame(in, order)
	case Undo:
		t.undo(in, order)
	case Pause:
		t.pauseGame(in, order)
	case Resume:
		t.resumeGame(in, order)
	case Resign:
		t.resign(in, order)
	case Adjudicate:
		t.adjudicate(in, order)
	case ClockSet:
		t.setClocks(in, order)
	case PlayersSet:
		t.obey(in)
	case CorrectSquare:
		t.correct(in, order)
	case Revise:
		t.reviseRecord(in, order)
	case LetStand:
		t.letStand(in, order)
	case Claim:
		t.claimByOrder(in, order)
	case PassPressed:
		t.passByOrder(in, order)
	case Look:
		t.obey(in)
	default:
		t.refuse(BadPayload, "the command has no order that the referee knows")
	}
}

func (t *turn) refuse(code RefusalCode, text string) {
	t.out = append(t.out, Refuse{Code: code, Text: text})
}

// obey puts the audit of an order on record.
func (t *turn) obey(in Command) { t.announce(Commanded{in.Audit}) }

// running reports whether there is a game, be it paused.
func (s *State) running() bool { return s.Phase == Playing || s.Phase == Paused }

// mayRule reports whether there is a record to rule about: a game that runs, or one
// that an arbiter opens again.
func (s *State) mayRule(role string) bool {
	return s.running() || s.Phase == Over && s.Ended && role == arbiter
}

// arbiter is the role that may open a finished game again.
const arbiter = "arbiter"

func (t *turn) newGame(in Command, order NewGame) {
	s := t.s
	running := s.running()
	t.obey(in)
	if running {
		t.abort(in.At)
	}
	s.Match = order.Match
	s.Phase = Setup
	s.Objection = Objection{}
	s.memory.resumed = false
	if s.SensedOK {
		t.judge(in.At)
	}
}

func (t *turn) undo(in Command, order Undo) {
	s := t.s
	switch {
	case !s.mayRule(in.Audit.Role):
		t.refuse(NotAllowed, "there is no running game to take a move back in")
		return
	case order.Plies == 0:
		t.undoEnd(in)
		return
	case order.Plies < 0 || order.Plies > s.Ply():
		t.refuse(NotAllowed, "there are not so many moves to take back")
		return
	}
	e := s.Entries[s.entryOfPly(order.Plies)]
	t.obey(in)
	t.announce(Undone{Plies: order.Plies, ToPly: s.Ply() - order.Plies, By: e.By, Clock: e.Clock, At: in.At})
	t.again(in.At)
}

// undoEnd takes back a resignation or a declared result and no move: play goes on
// where it stopped.
func (t *turn) undoEnd(in Command) {
	s := t.s
	switch {
	case !s.Ended:
		t.refuse(NotAllowed, "the game is not over: plies is the number of moves to take back, 1 or more")
	case s.Game.Over():
		t.refuse(NotAllowed, "nobody has a move in this position: take back 1 move or more")
	case s.Result.Reason == FlagFell:
		t.refuse(NotAllowed, "a flag has fallen: give time with clock_set, and the game goes on")
	default:
		t.obey(in)
		t.announce(Undone{Plies: 0, ToPly: s.Ply(), By: s.Game.Turn, Clock: s.Clock.Times(in.At), At: in.At})
		t.again(in.At)
	}
}

func (t *turn) pauseGame(in Command, order Pause) {
	if t.s.Phase != Playing {
		t.refuse(NotAllowed, "there is no running game to stop")
		return
	}
	t.obey(in)
	t.announce(GamePaused{By: in.Audit.Role, Reason: order.Reason, Clock: t.s.Clock.Times(in.At), At: in.At})
	t.again(in.At)
}

func (t *turn) resumeGame(in Command, order Resume) {
	s := t.s
	if s.Phase != Paused && (s.Phase != Playing || !s.Halted) {
		t.refuse(NotAllowed, "no game is stopped")
		return
	}
	t.obey(in)
	t.announce(GameResumed{By: in.Audit.Role, Reason: order.Reason, Clock: s.Clock.Times(in.At), At: in.At})
	t.again(in.At)
}

func (t *turn) resign(in Command, order Resign) {
	s := t.s
	switch {
	case order.Color >= engine.None:
		t.refuse(BadPayload, "who resigns is black or white")
	case !s.running():
		t.refuse(NotAllowed, "there is no running game to give up")
	default:
		t.obey(in)
		t.end(awarded(&s.Game, order.Color.Opponent(), Resigned), in.At)
	}
}

func (t *turn) adjudicate(in Command, order Adjudicate) {
	s := t.s
	r := s.asTheyLie()
	r.Winner, r.Void, r.Black, r.White, r.Reason = order.Winner, order.Void, order.Black, order.White, Adjudicated
	r.Counts = CountsAwarded
	if r.Void {
		r.Winner, r.Black, r.White = engine.None, 0, 0
	}
	text := contradiction(r, s.Game.Rules.Goal)
	switch {
	case !s.mayRule(in.Audit.Role):
		t.refuse(NotAllowed, "there is no game to declare a result of")
	case text != "":
		t.refuse(BadPayload, text)
	default:
		t.obey(in)
		t.end(r, in.At)
	}
}

// contradiction says why a declared result cannot be, empty when it can.
func contradiction(r Result, goal engine.Goal) string {
	most := engine.None
	switch {
	case r.Black > r.White:
		most = engine.Black
	case r.White > r.Black:
		most = engine.White
	}
	if goal == engine.Fewest {
		most = most.Opponent()
	}
	switch {
	case r.Winner > engine.None:
		return "the winner is black, white or nobody"
	case r.Black < 0 || r.White < 0 || r.Black+r.White > engine.Squares:
		return "the scores are not negative and together at most 64"
	case !r.Void && most != r.Winner:
		return fmt.Sprintf("%d-%d is not what the winner %v has: correct one of them", r.Black, r.White, r.Winner)
	default:
		return ""
	}
}

// maxClock bounds the time that an arbiter can give.
const maxClock = 100 * time.Hour

func (t *turn) setClocks(in Command, order ClockSet) {
	s := t.s
	given := [2]time.Duration{order.Black, order.White}
	onTime := s.Phase == Over && s.Result.Reason == FlagFell && !s.Game.Over() && in.Audit.Role == arbiter
	switch {
	case !s.running() && !onTime:
		t.refuse(NotAllowed, "there is no running game whose clocks could be set")
		return
	case !s.Clock.On():
		t.refuse(NotAllowed, "this game has no clocks")
		return
	case max(order.Black, order.White) < 0 || max(order.Black, order.White) > maxClock:
		t.refuse(BadPayload, "say how much time Black or White is to have, at most 100 hours")
		return
	}
	after := s.Clock
	for c := range engine.None {
		if given[c] >= 0 {
			after.Set(c, given[c], in.At)
		}
	}
	t.obey(in)
	t.announce(ClockAdjusted{Clock: after.Times(in.At), Reason: order.Reason, At: in.At})
	t.again(in.At)
}

func (t *turn) correct(in Command, order CorrectSquare) {
	s := t.s
	if order.Black&order.White|order.Black&order.Empty|order.White&order.Empty != 0 || order.Turn > engine.None {
		t.refuse(BadPayload, "a square shows one thing: black, white or nothing")
		return
	}
	if s.Phase == Playing && s.Flags.TimeUp {
		t.countAsRuled(in, engine.Discs{Black: order.Black, White: order.White}, order.Black|order.White|order.Empty)
		return
	}
	d := s.Game.Discs
	d.Black = d.Black&^(order.White|order.Empty) | order.Black
	d.White = d.White&^(order.Black|order.Empty) | order.White
	turn := order.Turn
	if turn == engine.None {
		turn = s.Game.Turn
	}
	t.set(in, d, turn, order.Reason)
}

// set rules what lies on the board and who is to move.
func (t *turn) set(in Command, d engine.Discs, turn engine.Color, reason plaintext.Text) {
	s := t.s
	if !s.mayRule(in.Audit.Role) {
		t.refuse(NotAllowed, "there is no running game to rule about")
		return
	}
	if s.Len+2+2*d.Empty().Count() > MaxEntries {
		t.refuse(NotAllowed, "the record has no room for another ruling like this: take moves back, or begin a new game")
		return
	}
	t.obey(in)
	t.announce(PositionSet{Discs: d, Turn: turn, Reason: reason, Clock: s.Clock.Times(in.At), At: in.At})
	t.advance(in.At)
	t.again(in.At)
}

func (t *turn) reviseRecord(in Command, order Revise) {
	s := t.s
	ev := Revised{FromPly: order.FromPly, Reason: order.Reason, Clock: s.Clock.Times(in.At), At: in.At}
	switch {
	case !s.mayRule(in.Audit.Role):
		t.refuse(NotAllowed, "there is no running game to revise")
		return
	case order.FromPly < 1 || order.FromPly > s.Ply()+1:
		t.refuse(BadPayload, fmt.Sprintf("the record has the discs 1 to %d: revise it from one of them on", s.Ply()))
		return
	}
	if text := s.line(&ev, order.Moves); text != "" {
		t.refuse(BadPayload, text)
		return
	}
	t.obey(in)
	t.announce(ev)
	t.advance(in.At)
	t.again(in.At)
}

// line plays the moves of a revision from where it begins, with the passes
// between them, and says what is wrong with them, empty when nothing is.
func (s *State) line(ev *Revised, moves string) string {
	n := s.entryOfNumber(ev.FromPly)
	from, ply := s.Game, ev.FromPly
	if n < s.Len {
		from = s.Entries[n].Before
	}
	rules := from.Rules
	rules.Start = from.Position
	line, err := notation.ParseTranscript(rules, moves)
	if err != nil {
		if wrong, ok := errors.AsType[*notation.MoveError](err); ok {
			wrong.Ply += ev.FromPly - 1
		}
		return err.Error()
	}
	g := from
	for i, m := range line.Moves {
		p := Ply{By: g.Turn, Move: m, Clock: ev.Clock}
		if old := n + i + 1; old < s.Len {
			p.Clock = s.Entries[old].Clock
		}
		sq, ok := m.Square()
		if ok {
			if !g.Legal().Has(sq) {
				return fmt.Sprintf("%v is not legal for %v as disc %d", sq, g.Turn, ply)
			}
			p.Flipped = g.Flips(sq)
			g = g.Place(sq)
			ply++
		} else if g.MustPass() {
			g = g.Pass()
		} else {
			return fmt.Sprintf("%v cannot pass before disc %d", g.Turn, ply)
		}
		if i == len(ev.Line) || n+i+2 > MaxEntries {
			return "these are more moves than a game has"
		}
		if old := n + i; old < s.Len && s.Entries[old].Move == m {
			p.Think = s.Entries[old].Think
		}
		ev.Line[i], ev.Len = p, i+1
	}
	return ""
}

// letStand rules that what lies on the board counts: a move with wrong flips as
// it was made, anything else as the position.
func (t *turn) letStand(in Command, order LetStand) {
	s := t.s
	if s.Phase != Playing && s.Phase != Paused || !s.SensedOK || s.memory.resumed {
		t.refuse(NotAllowed, "there is no running game, or its board has not been read")
		return
	}
	if s.Lost != 0 {
		t.refuse(NotAllowed, "some cells cannot be read: rule about the squares one by one")
		return
	}
	if s.Phase == Playing && s.Flags.TimeUp {
		known := engine.Discs{Black: s.Sensed.Black&^s.Masked | s.Game.Black&s.Masked, White: s.Sensed.White&^s.Masked | s.Game.White&s.Masked}
		t.countAsRuled(in, known, ^engine.Bitboard(0))
		return
	}
	if s.Objection.Open {
		t.obey(in)
		t.stands(in.At)
		t.again(in.At)
		return
	}
	restoring := s.memory.restoring != restoringNothing || s.Phase == Paused
	v := s.judge()
	if made := v.kind == moving || v.kind == improper || v.kind == mistaken && v.reason == ExtraFlip; made &&
		!restoring && v.pending.Active && v.missing == 0 {
		t.obey(in)
		v.replied = true
		t.commit(v, in.At)
		t.again(in.At)
		return
	}
	d := s.Sensed
	d.Black = d.Black&^s.Masked | s.Game.Black&s.Masked
	d.White = d.White&^s.Masked | s.Game.White&s.Masked
	t.set(in, d, s.Game.Turn, order.Reason)
}

// stands closes what may be said against the last move. While it is being put
// right, the discs go back to what is on record.
func (t *turn) stands(at Time) {
	s := t.s
	e := s.Entries[s.Objection.Entry]
	t.announce(FlipError{
		Ply: s.plyOf(s.Objection.Entry), Missed: e.Missed, Extra: e.Extra, Status: FlipsLeft, Clock: s.Clock.Times(at), At: at,
	})
	s.memory.restoring = restoringSet
}

func (t *turn) claimByOrder(in Command, order Claim) {
	s := t.s
	switch {
	case !s.Objection.Open || s.Phase != Playing && s.Phase != Over:
		t.refuse(NotAllowed, "there is nothing to claim: the last move is right, or it is too late")
	case s.Objection.Claimed:
		t.refuse(NotAllowed, "it is being put right already")
	case order.By != engine.None && order.By != s.claimant():
		t.refuse(NotAllowed, "only the opponent of the player who moved may claim")
	default:
		t.obey(in)
		t.claim(in.At)
		t.again(in.At)
	}
}

// passByOrder takes a pass that a player asks for. A false one is refused in every
// profile: a pass is forced, never chosen, so that there is none that could count
// until it is claimed.
func (t *turn) passByOrder(in Command, order PassPressed) {
	s := t.s
	by := order.By
	if by == engine.None {
		by = s.Game.Turn
	}
	switch {
	case s.Phase != Playing || by != s.Game.Turn || s.Objection.Claimed || s.Flags.TimeUp:
		t.refuse(NotAllowed, "it is not this player's turn")
	case !s.passDue() || s.Pending.Active:
		t.announce(Illegal{By: by, Square: engine.Square(engine.PassMove), Reason: PassNotAllowed})
		t.refuse(NotAllowed, "there is a move: a pass is forced, never chosen")
	default:
		t.obey(in)
		t.closeObjection(in.At)
		t.pass(in.At)
		t.again(in.At)
	}
}
