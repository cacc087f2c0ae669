package app

import (
	"context"
	"sync"
	"time"

	"reversi-board/display/oled"
	hardwareoled "reversi-board/hardware/oled"
)

const (
	// slicePeriod is the time between two parts of a picture: a scan of the
	// cells fits in between.
	slicePeriod = 20 * time.Millisecond
	// panelPeriod is how often a display with nothing to show is looked after.
	panelPeriod = 500 * time.Millisecond
)

// panelKeeper owns the small display in a running board. Nothing waits for it,
// and a display that is unplugged is tried again for ever.
type panelKeeper struct {
	app   *App
	panel *hardwareoled.Panel
	fresh chan struct{}

	mu   sync.Mutex
	view oled.View
}

func newPanelKeeper(a *App) *panelKeeper {
	return &panelKeeper{app: a, panel: a.rig.OLED, fresh: make(chan struct{}, 1)}
}

// show replaces what the display says; it never waits for it.
func (k *panelKeeper) show(v oled.View) {
	if k.panel == nil {
		return
	}
	k.mu.Lock()
	changed := k.view != v
	k.view = v
	k.mu.Unlock()
	if changed {
		nudge(k.fresh)
	}
}

// keep runs until ctx ends and leaves the display dark.
func (k *panelKeeper) keep(ctx context.Context) {
	if k.panel == nil {
		return
	}
	painter, err := oled.New()
	if err != nil {
		k.app.log.Error("the display stays dark", "error", err)
		return
	}
	next := time.NewTimer(0)
	defer next.Stop()
	var image oled.Image
	failing := false
	for {
		select {
		case <-ctx.Done():
			off, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			if err := k.panel.Off(off); err != nil && !failing {
				k.app.log.Warn("leave the display dark", "error", err)
			}
			return
		case <-k.fresh:
			k.mu.Lock()
			view := k.view
			k.mu.Unlock()
			painter.Render(&view, &image)
			k.panel.Show((*[oled.Width]uint64)(&image))
		case <-next.C:
		}
		more, err := k.panel.Step(ctx, k.app.now())
		if ctx.Err() == nil && (err != nil || k.panel.Stats().Present) && (err != nil) != failing {
			failing = err != nil
			k.app.log.Warn("display", "error", err)
			k.app.panelTrouble.Store(failing)
			nudge(k.app.touched)
		}
		next.Reset(map[bool]time.Duration{true: slicePeriod, false: panelPeriod}[more])
	}
}
