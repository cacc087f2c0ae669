package doctor

import (
	"context"
	"sync"
	"sync/atomic"

	"periph.io/x/conn/v3/gpio"

	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/hardware/sim"
)

// fewest is how many cells must have seen a disc for the interrupt line to have
// had something to tell.
const fewest = 8

// ear listens to the interrupt line while discs are put down. What it hears is
// counted; nothing depends on it.
type ear struct {
	falls atomic.Int64
	// sim is the board whose line is looked at, nil for one that reports edges.
	sim    *sim.Board
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// listen starts to listen, if there is a line.
func (d *doctor) listen(ctx context.Context) *ear {
	e := &ear{cancel: func() {}}
	if d.h.Kind != configs.Hall128 || d.h.Interrupt == "" {
		return e
	}
	if d.rig.Sim != nil {
		e.sim = d.rig.Sim
		return e
	}
	wait := d.rig.Interrupt
	if wait == nil {
		return e
	}
	ctx, e.cancel = context.WithCancel(ctx)
	e.done.Go(func() {
		for wait(ctx) == nil {
			e.falls.Add(1)
		}
	})
	return e
}

// look is called before every scan: reading the inputs ends the interrupt.
func (e *ear) look() {
	if e.sim != nil && e.sim.INT() == gpio.Low {
		e.falls.Add(1)
	}
}

// stop ends the listening, and waits for its end.
func (e *ear) stop() {
	e.cancel()
	e.done.Wait()
}

// heard says whether the line told of the discs that the cells have seen.
func (d *doctor) heard(e *ear, c *Check) {
	if d.h.Kind != configs.Hall128 || d.h.Interrupt == "" {
		return
	}
	if d.without("interrupt", c) {
		return
	}
	seen := 0
	for s := range engine.Squares {
		if q := &d.squares[s]; q.Black == Fine && q.White == Fine {
			seen++
		}
	}
	if seen < fewest || e.falls.Load() > 0 {
		return
	}
	c.blame(Problem{
		Part: "wire", Where: d.h.Interrupt, Cause: "silent", Status: Warn,
		Found: "The interrupt line never told of a disc, although the cells saw them.",
		Next:  "Look at the wire from INT of the expanders to " + d.h.Interrupt + ", and at its pull-up of 10k; the board plays without it.",
	})
}
