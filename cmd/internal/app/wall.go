package app

import (
	"sync"
	"time"

	"reversi-board/engine/referee"
)

// wallStep is by how much the wall clock has to jump to have been set. What is
// less is a correction, or the time between two looks at it.
const wallStep = time.Second

// WallWatch notices that the wall clock was set, by looking at it beside the
// monotonic one. The program never uses the wall clock for anything but stamps;
// that it was set is for whoever reads them later. It may be used from any
// goroutine.
type WallWatch struct {
	// Look reads both clocks at the same moment. The monotonic one is that of
	// the referee's inputs.
	Look func() (wall time.Time, mono time.Duration)

	mu      sync.Mutex
	looked  bool
	began   time.Time // the wall clock when the monotonic one was zero
	stepped time.Duration
	zero    time.Time // the wall clock of Now when the monotonic one was zero
}

// wallJitter is by how much the difference of the two clocks may change without the
// wall clock having been set: the time between the two readings.
const wallJitter = 2 * time.Millisecond

// Now reads both clocks for a stamp. As long as the wall clock is not set they keep
// their difference, a whole number of milliseconds: so a moment of the monotonic clock
// has one name on the wall clock, whenever it is asked for.
func (w *WallWatch) Now() (wall time.Time, mono time.Duration) {
	wall, mono = w.Look()
	w.mu.Lock()
	defer w.mu.Unlock()
	if zero := wall.Add(-mono); zero.Sub(w.zero).Abs() >= wallJitter {
		w.zero = zero.Round(time.Millisecond)
	}
	return w.zero.Add(mono), mono
}

// Notice looks at the clocks and reports whether the wall clock was set since
// Step was called last. A clock that is being slewed towards the right time,
// 0.5 ms a second at most, is followed.
func (w *WallWatch) Notice() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	wall, mono := w.Look()
	by := wall.Add(-mono).Sub(w.began)
	if w.looked && by.Abs() >= wallStep {
		// This thread may have been stopped between the readings of the two
		// clocks: then it will hardly be so again.
		wall, mono = w.Look()
		by = wall.Add(-mono).Sub(w.began)
	}
	if w.looked && by.Abs() >= wallStep {
		w.stepped += by
	}
	w.looked, w.began = true, wall.Add(-mono)
	return w.stepped != 0
}

// Step returns by how much the wall clock was set, once; ok is false when it was
// not.
func (w *WallWatch) Step() (by time.Duration, ok bool) {
	if !w.Notice() {
		return 0, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	by, w.stepped = w.stepped, 0
	return by, true
}

// clocks reads the wall clock and the monotonic one, which counts from the start
// of the program, at the same moment.
func (a *App) clocks() (wall time.Time, mono time.Duration) {
	now := time.Now()
	return now.Round(0).UTC(), now.Sub(a.start)
}

// wallStepped puts on record that the wall clock was set, before the first event
// that has a stamp of the new time.
func (a *App) wallStepped() {
	if by, ok := a.wall.Step(); ok {
		a.log.Info("the wall clock was set; the game takes no notice", "by", by)
		a.clockTold = false // what was told names moments of the old time
		a.feed(referee.WallStepped{At: a.now(), By: by})
	}
}
