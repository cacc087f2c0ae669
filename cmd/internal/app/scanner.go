package app

import (
	"context"
	"time"
)

// scan owns the sensors in a running board: it looks at a fixed rate, and at
// once when the interrupt line says that something has changed.
func (a *App) scan(ctx context.Context, eyes *Eyes) {
	ticks := time.NewTicker(a.config.Sensing.Period())
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		case <-a.hint:
		}
		now := a.now()
		if a.wall.Notice() {
			nudge(a.touched)
		}
		if a.hands != nil && a.hands.advance(now) {
			nudge(a.touched)
		}
		if a.calibrator.scan(ctx, now) {
			a.nurse.visit(now)
			continue
		}
		a.calibrator.renew(eyes)
		a.rig.listen()
		// The cells of a bus that cannot be read come as lost cells; the bus
		// itself logs the cause once.
		inputs, _ := eyes.Look(ctx, now)
		a.nurse.visit(now)
		for _, in := range inputs {
			select {
			case a.inputs <- in:
			case <-ctx.Done():
				return
			}
		}
	}
}
