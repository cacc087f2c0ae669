package app

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"reversi-board/display"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/hardware/sim"
)

// lampKeeper owns the LEDs in a running board: it shows the latest scene, keeps
// it moving, and tries again after an error. An error never reaches the game.
type lampKeeper struct {
	app   *App
	lamps Lights
	fresh chan struct{}
	// dimmed says that the supply is too low for bright LEDs; level is how bright they
	// are, which belongs to keep.
	dimmed atomic.Bool
	level  uint8

	mu    sync.Mutex
	scene display.Scene
}

func newLampKeeper(a *App) *lampKeeper {
	return &lampKeeper{app: a, lamps: a.rig.Lights, fresh: make(chan struct{}, 1), level: a.config.Hardware.LEDs.Brightness}
}

// dim makes the LEDs darker, or as bright as the settings say; it never waits
// for them.
func (k *lampKeeper) dim(on bool) {
	if k.dimmed.Swap(on) != on {
		nudge(k.fresh)
	}
}

// adjust sets the brightness.
func (k *lampKeeper) adjust() {
	want := k.app.config.Hardware.LEDs.Brightness
	if k.dimmed.Load() {
		want = max(1, want/dimming)
	}
	if want != k.level {
		k.level = want
		k.lamps.SetBrightness(want)
	}
}

// dimming is what is left of the brightness, as a divisor, when the supply is
// too low.
const dimming = 4

// show replaces the scene; it never waits for the LEDs.
func (k *lampKeeper) show(scene *display.Scene) {
	k.mu.Lock()
	k.scene = *scene
	k.mu.Unlock()
	nudge(k.fresh)
}

// nudge says that there is news, without waiting for whoever looks at it.
func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// keep runs until ctx ends and leaves the LEDs dark.
func (k *lampKeeper) keep(ctx context.Context) {
	if k.lamps == nil {
		return
	}
	next := time.NewTimer(time.Hour)
	defer next.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			if err := k.lamps.Dark(); err != nil {
				k.app.log.Warn("leave the LEDs dark", "error", err)
			}
			k.tell()
			return
		case <-k.fresh:
		case <-next.C:
		}
		k.mu.Lock()
		scene := k.scene
		k.mu.Unlock()
		k.adjust()
		sent, again, err := k.lamps.Show(&scene, k.app.now())
		if err != nil != failing {
			failing = err != nil
			k.app.log.Warn("LEDs", "error", err)
			k.app.ledTrouble.Store(failing)
			nudge(k.app.touched)
		}
		if sent {
			k.tell()
		}
		switch {
		case failing:
			next.Reset(time.Second)
		case again > 0:
			next.Reset(again)
		}
	}
}

// tell shows the page what is on the wire: on the simulated board what the
// emulated LEDs decoded, on a real one what was sent. The brightness that was
// set for the room is taken out again, for a screen has its own.
func (k *lampKeeper) tell() {
	if k.app.page == nil {
		return
	}
	var px [engine.Squares]web.RGB
	if k.app.rig.Sim != nil {
		full := int(k.level)
		for i, l := range k.app.rig.Sim.Seen() {
			px[i] = bright(l, full)
		}
	} else {
		for i, c := range k.lamps.Shown() {
			px[i] = web.RGB{R: c.R, G: c.G, B: c.B}
		}
	}
	k.app.page.LEDs(px)
}

// bright returns the light of an emulated LED as part of full brightness.
func bright(l sim.Light, full int) web.RGB {
	part := func(v uint8) uint8 { return uint8(min(255, int(v)*255/full)) }
	return web.RGB{R: part(l.R), G: part(l.G), B: part(l.B)}
}
