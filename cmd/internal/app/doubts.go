package app

import (
	"time"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

const (
	// hiddenDoubt is how long the flips of a move must have been done before the
	// players are asked where its disc lies, if none is seen.
	hiddenDoubt = 4 * time.Second
	// neverDoubt is how long a disc must have been missing, with nothing else
	// wrong, on a cell that has shown none since the start, before the cell is
	// taken for dead; goneDoubt on one that has. People put back what they have
	// dropped within that time; whoever is slower loses nothing, for a cell that
	// shows a disc is believed again.
	neverDoubt = 20 * time.Second
	goneDoubt  = time.Minute
	// maxDoubts bounds how many cells are doubted at a time: a board with more
	// discs missing is being cleared. maxAsked bounds how many squares people are
	// asked about.
	maxDoubts = 2
	maxAsked  = 4
	// maxMasked bounds how many cells may be masked in all: with more the rules
	// tell too little.
	maxMasked = 6
)

// Doubts finds dead cells: those that show no disc where the rules say that one
// must lie. It looks for cells without which the settled board would be right;
// the referee itself is asked what it would say, on a copy of its state.
//
// A disc that is on record and has been missing for long is taken for one whose
// cell has died: nothing that is not seen gets on record by that. A disc that
// has just been placed is another matter. Discs that were turned by mistake look
// like the flips of a move whose disc is not seen, so there the players are
// asked, and the record waits for their answer.
//
// What is never doubted is the board after a power cut, where hands have to look
// at every disc, a disc that has been taken up to be turned, and a takeback, in
// which the last disc is off the board on purpose. On a board that sees no faces
// a move whose disc is not seen leaves too little to ask about.
type Doubts struct {
	// The board that is looked at, since when, and whether it has been judged.
	sensed engine.Discs
	unsure engine.Bitboard
	game   engine.Game
	phase  referee.Phase
	since  time.Duration
	judged bool
	// The verdict: suspects are to be doubted at due, asked are to be asked about.
	suspects, asked engine.Bitboard
	due             time.Duration
	// shown are the cells that have shown a disc since the record changed, ever
	// those that have since the start.
	shown, ever engine.Bitboard
	// before are the squares whose disc was missing before the move on its way
	// began: it was not taken up for that move.
	before engine.Bitboard

	probe referee.State
	out   []referee.Effect
}

// Doubted is what Doubts say.
type Doubted struct {
	// Dead cells are to be masked, see Eyes.Doubt.
	Dead engine.Bitboard
	// Ask is where a disc may lie that is not seen: people know.
	Ask engine.Bitboard
	// Again is when to look again, 0 for not before something changes.
	Again time.Duration
}

// Look looks at the referee's state as it is now.
func (d *Doubts) Look(s *referee.State, now time.Duration) (found Doubted) {
	if d.changed(s) {
		d.follow(s, now)
	}
	switch {
	case !doubtful(s):
		return found
	case !d.judged && now-d.since < hiddenDoubt:
		found.Again = d.since + hiddenDoubt
		return found
	case !d.judged:
		d.judged = true
		d.suspect(s, now)
	}
	found.Ask = d.asked
	switch {
	case d.suspects == 0:
	case now < d.due:
		found.Again = d.due
	default:
		found.Dead, d.suspects = d.suspects, 0
	}
	return found
}

// changed reports whether the board is another one than that looked at last.
func (d *Doubts) changed(s *referee.State) bool {
	return s.Sensed != d.sensed || s.Unsure() != d.unsure || s.Phase != d.phase || s.Game != d.game
}

// follow takes note of another board.
func (d *Doubts) follow(s *referee.State, now time.Duration) {
	if s.Game != d.game || s.Phase != d.phase {
		d.shown = 0
	}
	d.sensed, d.unsure, d.game, d.phase = s.Sensed, s.Unsure(), s.Game, s.Phase
	d.since, d.judged, d.suspects, d.asked = now, false, 0, 0
	seen := s.Sensed.Occupied() &^ s.Unsure()
	d.shown |= seen
	d.ever |= seen
	if !s.Pending.Active {
		d.before = ^engine.Bitboard(0)
	}
	d.before &= s.Game.Occupied() &^ s.Sensed.Occupied()
}

// doubtful reports whether it can be that a cell is in the way.
func doubtful(s *referee.State) bool {
	return s.SensedOK && s.Lost == 0 && s.Problem.Code != referee.Power &&
		(s.Phase == referee.Setup || s.Phase == referee.Playing)
}

// suspect finds the cells that are in the way of the game.
func (d *Doubts) suspect(s *referee.State, now time.Duration) {
	want := s.Game.Occupied()
	if s.Phase == referee.Setup {
		want = s.Match.Rules.Start.Occupied()
	}
	gone := want &^ s.Sensed.Occupied() &^ s.Masked
	switch {
	case gone.Count() > maxDoubts || (gone|s.Masked).Count() > maxMasked:
	case gone&s.Pending.Flips&^d.before != 0:
	case gone == 0:
		if s.Phase == referee.Playing && !s.Presence {
			d.asked = d.hidden(s, now)
		}
	case d.moves(s, now, gone) || gone&^s.Guide.Place() == 0 && d.rests(s, now, gone):
		d.suspects, d.due = gone, d.since+goneDoubt
		if gone&d.ever == 0 {
			d.due = d.since + neverDoubt
		}
	}
}

// hidden returns the squares on which a disc that is not seen would explain the
// discs that were turned, nothing when these are too many to ask about.
func (d *Doubts) hidden(s *referee.State, now time.Duration) (cells engine.Bitboard) {
	known := ^s.Masked
	turned := known & (s.Game.Black&s.Sensed.White | s.Game.White&s.Sensed.Black)
	placed := known & s.Sensed.Occupied() &^ s.Game.Occupied()
	if turned == 0 || placed != 0 {
		return 0
	}
	for sq := range (s.Game.Legal() &^ (d.shown & known)).All() {
		if s.Game.Flips(sq)&turned == turned && d.confirms(s, now, sq) {
			cells |= sq.Bit()
		}
	}
	if cells.Count() > maxAsked {
		return 0
	}
	return cells
}

// confirms reports whether the referee would put the move on record if its disc
// were seen on sq.
func (d *Doubts) confirms(s *referee.State, now time.Duration, sq engine.Square) bool {
	d.probe = *s
	d.out = referee.Step(&d.probe, Confirmed(s, sq, now)[0], d.out[:0])
	return d.moved()
}

// Confirmed returns what to tell the referee when people say that a disc of the
// player to move lies on a square whose cell is not to be believed: a reading in
// which it is seen, and then one with what is known of the cells.
func Confirmed(s *referee.State, sq engine.Square, at time.Duration) [2]referee.Input {
	discs, masked := s.Sensed.With(sq, s.Game.Turn), s.Masked
	return [2]referee.Input{
		referee.Seen{At: at, Discs: discs, Lost: s.Lost, Masked: masked &^ sq.Bit()},
		referee.Seen{At: at, Discs: discs, Lost: s.Lost, Masked: masked | sq.Bit()},
	}
}

// moves reports whether the referee would put a move on record if these cells
// were not believed.
func (d *Doubts) moves(s *referee.State, now time.Duration, cells engine.Bitboard) bool {
	d.ask(s, now, cells)
	return d.moved()
}

// moved reports whether the referee has put a move on record.
func (d *Doubts) moved() bool {
	for _, eff := range d.out {
		if a, ok := eff.(referee.Announce); ok {
			if _, moved := a.Event.(referee.Moved); moved {
				return true
			}
		}
	}
	return false
}

// rests reports whether nothing would be wrong if these cells were not believed.
func (d *Doubts) rests(s *referee.State, now time.Duration, cells engine.Bitboard) bool {
	d.ask(s, now, cells)
	p := d.probe.Problem.Code
	return d.probe.Phase == referee.Playing && d.probe.Step == referee.ToMove && (p == referee.NoProblem || p == referee.SensorFault)
}

// ask lets the referee look at the board as if these cells were not believed.
func (d *Doubts) ask(s *referee.State, now time.Duration, cells engine.Bitboard) {
	d.probe = *s
	masked := s.Masked | cells
	var in referee.Input = referee.Seen{At: now, Discs: s.Sensed, Masked: masked}
	if s.Presence {
		in = referee.Felt{At: now, Squares: s.Sensed.Occupied(), Masked: masked}
	}
	d.out = referee.Step(&d.probe, in, d.out[:0])
}

// doubt tells the eyes which cells must be dead by now.
func (a *App) doubt() {
	a.doubted = a.doubts.Look(&a.core.State, a.now())
	if dead := a.doubted.Dead; dead != 0 {
		a.log.Warn("cells show no disc although one must lie there, and are left out", "squares", dead.String())
		a.eyes.Doubt(dead)
	}
	if again := a.doubted.Again; again > 0 {
		a.doubtAgain.Reset(again - a.now())
	} else {
		a.doubtAgain.Stop()
	}
}
