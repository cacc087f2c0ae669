package app

import (
	"context"
	"time"
)

const (
	// hintBurst is how many scans in a row the interrupt line may ask for: a hand
	// that puts a disc down makes a few edges. Beyond that it gets one for each
	// scan that the clock asks for, whatever the line does.
	hintBurst = 8

	// lineWindow is the time over which the interrupt line is judged. It chatters
	// from chatter scans asked for in vain within it, and does so no more at quiet
	// or fewer; a sound one asks for none.
	lineWindow     = 5 * time.Second
	chatter, quiet = 50, 10
	// silentChanges is how many changes in a row a line must not have told of to
	// be taken for dead. A disc that is turned makes two or three.
	silentChanges = 20
)

// hintThrottle bounds how often the interrupt line may ask for a scan.
type hintThrottle struct {
	period time.Duration
	left   int
	at     time.Duration
}

// after takes note of an edge at now and returns how long no other one is to be
// waited for.
func (h *hintThrottle) after(now time.Duration) time.Duration {
	if gained := int((now - h.at) / h.period); gained > 0 {
		h.left = min(h.left+gained, hintBurst)
		h.at = now
	}
	if h.left--; h.left > 0 {
		return 0
	}
	h.left = 0
	return h.period
}

// listen turns the edges of the interrupt line into hints. A line that cannot
// be waited for costs nothing but the hints, and one whose edges never end no more
// than twice the scans.
func (a *App) listen(ctx context.Context) {
	if a.rig.Interrupt == nil {
		return
	}
	throttle := hintThrottle{period: a.config.Sensing.Period()}
	pause := stoppedTimer()
	defer pause.Stop()
	for {
		if err := a.rig.Interrupt(ctx); err != nil {
			if ctx.Err() == nil {
				a.log.Warn("the interrupt line is of no help, the board is scanned all the same", "error", err)
			}
			return
		}
		a.rig.Interrupted()
		nudge(a.hint)
		rest := throttle.after(a.now())
		if rest == 0 {
			continue
		}
		pause.Reset(rest)
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
	}
}

// lineState is how the interrupt line is.
type lineState uint8

const (
	lineSound lineState = iota
	// lineChatters: it reports changes that there are not, all the time.
	lineChatters
	// lineSilent: it does not tell of changes.
	lineSilent
)

// lineWatch judges the interrupt line by its counters.
type lineWatch struct {
	state lineState
	// The window began at began with needless.
	began    time.Duration
	needless uint64
	// told is how many changes the line has told of, and changes how many there
	// had been when it did so last.
	told, changes uint64
}

// judge looks at the counters, which are nil for a board without such a line.
func (w *lineWatch) judge(now time.Duration, h *InterruptHealth) lineState {
	if h == nil {
		return lineSound
	}
	if now-w.began >= lineWindow {
		n := h.Needless - w.needless
		switch {
		case n >= chatter:
			w.state = lineChatters
		case n <= quiet && w.state == lineChatters:
			w.state = lineSound
		}
		w.began, w.needless = now, h.Needless
	}
	switch told := h.Changes - h.Missed; {
	case told != w.told:
		w.told, w.changes = told, h.Changes
		if w.state == lineSilent {
			w.state = lineSound
		}
	case h.Changes-w.changes >= silentChanges && w.state == lineSound:
		w.state = lineSilent
	}
	return w.state
}

// text says what is wrong with the line at a pin, and where to look.
func (s lineState) text(pin string) string {
	switch s {
	case lineChatters:
		return "The interrupt line " + pin + " reports changes all the time: look at its wire and its pull-up of 10k. The board is scanned all the same."
	case lineSilent:
		return "The interrupt line " + pin + " does not tell of changes: look at its wire and its pull-up of 10k. The board is scanned all the same."
	case lineSound:
	}
	return ""
}
