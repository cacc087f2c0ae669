package calibrate

import (
	"fmt"
	"time"

	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/hardware/sim"
)

// pace is how quick a person is.
type pace struct {
	// reaction is how long it takes to see a new light and find a disc, reach how
	// long from one disc to the next in a row of them, sweeping the same when the
	// board is cleared.
	reaction, reach, sweeping time.Duration
	// doubt is how long a light stays on after the disc was put there until the
	// person says that it is done.
	doubt time.Duration
}

// Hand is a person with discs at a simulated board, who follows the lights: a
// slow pulse wants a disc, a steady light wants it turned over, a fast blink wants
// it taken away. It knows nothing of what is asked for but the lights, and what it
// has done itself.
type Hand struct {
	board *sim.Board
	pace  pace
	// black is the face that shows black.
	black sim.Face
	// one says that there is one disc only.
	one bool
	// Weak are discs with little of a field, by the order in which they are taken
	// from the box: what is left of it, 0 to 1.
	Weak map[int]float64

	taken int // Discs taken from the box.
	lies  [engine.Squares]int
	// done are squares that have been dealt with since the lights changed.
	done   engine.Bitboard
	lights [engine.Squares]display.Pattern
	stage  Stage
	// next is when the hand is free again, asked when it began to wait.
	next, asked time.Duration
}

// NewHand returns a person at a board who has not done anything.
func NewHand(board *sim.Board, northIsBlack, one bool) *Hand {
	h := &Hand{board: board, black: sim.NorthUp, one: one, pace: pace{
		reaction: 700 * time.Millisecond, reach: 400 * time.Millisecond, sweeping: 150 * time.Millisecond, doubt: 4 * time.Second,
	}}
	if !northIsBlack {
		h.black = sim.SouthUp
	}
	for i := range h.lies {
		h.lies[i] = -1
	}
	return h
}

// Hurry makes the person much quicker than people are.
func (h *Hand) Hurry() {
	h.pace = pace{reaction: 60 * time.Millisecond, reach: 20 * time.Millisecond, sweeping: 10 * time.Millisecond, doubt: 2 * time.Second}
}

// Look lets the person look at the board, and do or say something.
func (h *Hand) Look(now time.Duration, v *View) (Answer, error) {
	if v.Scene.Lights != h.lights || v.Stage != h.stage {
		h.see(now, v)
	}
	if now < h.next || h.board.Busy() {
		return Silence, nil
	}
	switch v.Stage {
	case Clearing:
		if swept, err := h.sweep(now); !swept || err != nil {
			return Silence, err
		}
		h.next = now + h.pace.doubt
		return Next, nil
	case Tidying:
		_, err := h.sweep(now)
		return Silence, err
	case Walking, Checking, Filling:
		return h.follow(now)
	case Deciding:
		h.next = now + h.pace.doubt
		return Store, nil
	case Measuring, Agreed, Aborted:
	}
	return Silence, nil
}

// see takes in lights that have changed. Where a light has gone on the person
// begins anew; one that stays on after what it wanted was done is waited for.
func (h *Hand) see(now time.Duration, v *View) {
	for s := range engine.Square(engine.Squares) {
		if l := v.Scene.Lights[s]; l != h.lights[s] && l != display.Off {
			h.done &^= s.Bit()
			h.next = max(h.next, now+h.pace.reaction)
		}
	}
	if v.Stage != h.stage {
		h.next = max(h.next, now+h.pace.reaction)
	}
	h.lights, h.stage, h.asked = v.Scene.Lights, v.Stage, now
}

// follow does what the next light wants, or says that it is done.
func (h *Hand) follow(now time.Duration) (Answer, error) {
	lit := false
	for s, p := range h.lights {
		square := engine.Square(s)
		lit = lit || p != display.Off
		if p == display.Off || h.done.Has(square) {
			continue
		}
		h.done |= square.Bit()
		h.next, h.asked = now+h.pace.reach, now
		return Silence, h.obey(now, square, p)
	}
	if lit && now-h.asked >= h.pace.doubt {
		h.asked = now
		h.next = now + h.pace.reaction
		return Next, nil
	}
	return Silence, nil
}

// obey does what one light wants.
func (h *Hand) obey(now time.Duration, s engine.Square, p display.Pattern) error {
	lying := h.board.Intended()[s]
	switch p {
	case display.PlaceBlack:
		return h.put(now, s, h.black)
	case display.PlaceWhite:
		return h.put(now, s, sim.NorthUp+sim.SouthUp-h.black)
	case display.Flip:
		if lying == sim.NoDisc {
			return nil
		}
		_, err := h.board.Turn(now, int(s), sim.TurnThroughEmpty, 0)
		return err
	case display.Wrong:
		if lying == sim.NoDisc {
			return nil
		}
		return h.lift(now, s)
	case display.Off, display.OK, display.Pass, display.Fault, display.Hint, display.HintBest, display.Identify,
		display.Ask:
	}
	return nil
}

// put puts a disc on a square: the only one, wherever it lies, or one from the
// box.
func (h *Hand) put(now time.Duration, s engine.Square, face sim.Face) error {
	faces := h.board.Intended()
	one := h.one && h.stage != Filling || h.stage == Checking
	if faces[s] == face && !one {
		return nil
	}
	// A disc that is asked for where it lies already is not wanted: take another.
	other := h.stage == Checking && !h.one && faces[s] != sim.NoDisc
	disc := h.taken
	for c, f := range faces {
		if f != sim.NoDisc && (one || c == int(s)) {
			if disc = h.lies[c]; other {
				disc = h.taken
			}
			if err := h.lift(now, engine.Square(c)); err != nil {
				return err
			}
			now = h.board.RestAt()
		}
	}
	if disc == h.taken {
		h.taken++
	}
	if scale, weak := h.Weak[disc]; weak {
		if err := h.board.FailCell(int(s), sim.CellFault{Kind: sim.WeakMagnet, Scale: scale}); err != nil {
			return err
		}
	}
	h.lies[s] = disc
	_, err := h.board.Place(now, int(s), face)
	return err
}

// lift takes a disc off a square.
func (h *Hand) lift(now time.Duration, s engine.Square) error {
	if _, weak := h.Weak[h.lies[s]]; weak {
		if err := h.board.HealCell(int(s)); err != nil {
			return err
		}
	}
	h.lies[s] = -1
	_, err := h.board.Lift(now, int(s))
	return err
}

// sweep takes the next disc off the board; it reports whether there was none.
func (h *Hand) sweep(now time.Duration) (swept bool, err error) {
	for c, f := range h.board.Intended() {
		if f != sim.NoDisc {
			h.next = now + h.pace.sweeping
			return false, h.lift(now, engine.Square(c))
		}
	}
	return true, nil
}

// Break makes a mistake of a builder, or a fault, on a simulated board: how is
// dead, reversed, stuck, both, flapping, weak, or, with a second square,
// exchanged.
func Break(w *sim.Wiring, s engine.Square, how string, other engine.Square) (fault sim.CellFault, err error) {
	switch how {
	case "dead":
		return sim.CellFault{Kind: sim.Dead}, nil
	case "reversed":
		return sim.CellFault{Kind: sim.Reversed}, nil
	case "stuck":
		return sim.CellFault{Kind: sim.StuckNorth}, nil
	case "both":
		return sim.CellFault{Kind: sim.BothActive}, nil
	case "flapping":
		return sim.CellFault{Kind: sim.Flapping, Hz: 3}, nil
	case "weak":
		return sim.CellFault{Kind: sim.WeakMagnet, Scale: 0.3}, nil
	case "exchanged":
		Exchange(w, s, other)
		return sim.CellFault{}, nil
	}
	return fault, fmt.Errorf("no cell fails as %.20q: want dead, reversed, stuck, both, flapping, weak or exchanged", how)
}

// Exchange solders each of two cells where the other belongs.
func Exchange(w *sim.Wiring, a, b engine.Square) {
	w.Outputs[a], w.Outputs[b] = w.Outputs[b], w.Outputs[a]
	w.Crossings[a], w.Crossings[b] = w.Crossings[b], w.Crossings[a]
	w.Taps[a], w.Taps[b] = w.Taps[b], w.Taps[a]
}
