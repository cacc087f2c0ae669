package soak

import (
	"time"

	"reversi-board/cmd/internal/virtual"
	"reversi-board/engine"
	"reversi-board/hardware/sim"
)

// What hands do at a board whose parts fail: they look at it.

const (
	// stormPatience is how long the hands wait for a move to be committed, in all.
	stormPatience = 3 * time.Minute
	// hesitation is how long the board must have been readable, and must still
	// ask for something, before the hands do what it asks: it asks for missing
	// discs after three seconds.
	hesitation = 5 * time.Second
	// recovered is how long after a fault a board is as quick as ever.
	recovered = 3 * time.Second
)

// patience is how long the hands wait for a game to begin.
func (p *player) patience() time.Duration {
	if p.storm != nil {
		return stormPatience
	}
	return patience
}

// waitToSee waits until the board can be read, as it says that it cannot.
func (p *player) waitToSee() error {
	if p.storm == nil {
		return nil
	}
	_, err := p.until(p.t.Now()+stormPatience, func() bool { return p.t.Core.State.Lost == 0 })
	return err
}

// calm lets no more faults begin, and waits until all have ended and had the time
// to be reported.
func (p *player) calm() error {
	if p.storm == nil {
		return nil
	}
	p.storm.ended = true
	_, err := p.until(p.t.Now()+stormPatience, func() bool { return p.storm.over() && p.t.Core.State.Lost == 0 })
	return err
}

// seeThrough waits for a move to be committed, and puts right what the board
// asks for. It reports whether it was.
func (p *player) seeThrough(line *ply, rest time.Duration) (bool, error) {
	deadline := rest + stormPatience
	blindSince := rest
	for p.moved < line.number {
		now := p.t.Now()
		switch {
		case now >= deadline:
			return false, nil
		case now < p.t.Sim.RestAt() || p.t.Core.State.Lost != 0:
			blindSince = max(now, rest)
		case now-blindSince >= hesitation:
			asked := p.t.Core.State.Guide
			squares := asked.Flip | asked.Turn | asked.Remove | asked.Place()
			if squares == 0 && p.blind {
				// The board has not noticed the move: its disc lies on a cell that is
				// not believed. So its discs are turned for it once more.
				squares = line.flips()
			}
			if err := p.putRight(squares, line.after.discs()); err != nil {
				return false, err
			}
			blindSince = p.t.Sim.RestAt()
		}
		if err := p.scan(); err != nil {
			return false, err
		}
	}
	return true, nil
}

// putRight does what is asked for on some squares. Where the disc lies already
// that must lie there, it is lifted and put back: so people answer a board that
// has not seen something.
func (p *player) putRight(squares engine.Bitboard, want engine.Discs) error {
	faces := p.t.Sim.Faces()
	from := p.t.Now()
	for s := range squares.All() {
		lies, should := faces[s], virtual.Face(want.At(s))
		var err error
		if lies != sim.NoDisc {
			if from, err = p.t.Sim.Lift(from+p.gap(), int(s)); err != nil {
				return err
			}
			from += p.between(500*time.Millisecond, 900*time.Millisecond)
		}
		if should != sim.NoDisc {
			if from, err = p.t.Sim.Place(from, int(s), should); err != nil {
				return err
			}
		}
	}
	return nil
}

// sound reports whether nothing has been wrong with the board lately.
func (p *player) sound() bool {
	s := p.storm
	return s == nil || s.raging() == 0 && p.t.Now()-s.lastEnd > recovered && p.t.Core.State.Unsure() == 0
}
