package sensing

import (
	"math"
	"time"

	"reversi-board/engine"
)

// Class is how a cell is, as the letter that is published.
type Class byte

// The classes. A cell has the first that applies, from the bottom up.
const (
	// ClassGood: nothing is wrong.
	ClassGood Class = '.'
	// ClassNoisy: believed, but it strays, or has little margin left.
	ClassNoisy Class = 'n'
	// ClassStuck: masked, both outputs were active, or it shows a disc for ever.
	ClassStuck Class = 's'
	// ClassGhost: the same on a board that knows presence only.
	ClassGhost Class = 'g'
	// ClassFlapping: masked, it changed more than hands do.
	ClassFlapping Class = 'f'
	// ClassMasked: masked for what it does not show: dead, as the rules or a
	// calibration tell.
	ClassMasked Class = 'm'
	// ClassNoData: its chip does not answer, or has just been initialized again.
	ClassNoData Class = '?'
)

// Believed reports whether what such a cell shows counts.
func (c Class) Believed() bool { return c == ClassGood || c == ClassNoisy }

// CellReport is how one cell is.
type CellReport struct {
	Class Class
	// Flaps is how often the outputs have changed a second, over the last ten
	// seconds or so.
	Flaps float32
	// Margin is what separates the cell from being misread, 0 to 100: see the
	// package comment. It is 0 for a cell that is not believed.
	Margin uint8
}

// Report is how all cells are.
type Report [engine.Squares]CellReport

// Classes returns the 64 letters, a1 first.
func (r *Report) Classes() string {
	var b [engine.Squares]byte
	for s := range r {
		b[s] = byte(r[s].Class)
	}
	return string(b[:])
}

const (
	// flapWindow and noiseWindow are the times over which flaps and strays are
	// counted.
	flapWindow  = 10 * time.Second
	noiseWindow = time.Minute
	// handsFor is how long before and after a real change strays are put down to
	// hands.
	handsFor = 2 * time.Second
	// noisyStrays or noisyChanges within noiseWindow make a cell noisy, and
	// calmStrays or fewer, with fewer changes, good again.
	noisyStrays, calmStrays = 5, 2
	noisyChanges            = 12
	// strayCosts is what a stray takes from the margin.
	strayCosts = 10
)

// unrest is what a cell has done besides showing values.
type unrest struct {
	flaps, strays, changes window
	// doubtful strays may still turn out to be a hand's; they began at since.
	doubtful uint16
	since    time.Duration
	// excused is since when strays may be a hand's, or follow from what has just
	// happened to the cell.
	excused time.Duration
	noisy   bool
}

// flapped notes that the outputs have changed.
func (u *unrest) flapped(now time.Duration) { u.flaps.add(now, flapWindow, 1) }

// changed notes a new value: what the outputs did just before it was a hand's.
func (u *unrest) changed(now time.Duration) {
	u.changes.add(now, noiseWindow, 1)
	u.excuse(now)
}

// excuse puts strays around now down to something else than the cell.
func (u *unrest) excuse(now time.Duration) { u.doubtful, u.excused = 0, now }

// strayed notes that the outputs have changed, and have gone back.
func (u *unrest) strayed(now time.Duration) {
	if now-u.excused < handsFor {
		return
	}
	u.confirm(now)
	if u.doubtful == 0 {
		u.since = now
	}
	u.doubtful++
}

// confirm counts strays that no hand has explained in time.
func (u *unrest) confirm(now time.Duration) {
	if u.doubtful > 0 && now-u.since >= handsFor {
		u.strays.add(now, noiseWindow, u.doubtful)
		u.doubtful = 0
	}
}

// look returns the strays of the last minute and whether they make noise.
func (u *unrest) look(now time.Duration) (strays float64, noisy bool) {
	u.confirm(now)
	strays = u.strays.count(now, noiseWindow)
	changes := u.changes.count(now, noiseWindow)
	switch {
	case strays >= noisyStrays || changes >= noisyChanges:
		u.noisy = true
	case strays <= calmStrays && changes < noisyChanges:
		u.noisy = false
	}
	return strays, u.noisy
}

// Report says how the cells are after the last frame. It allocates nothing.
func (p *Pipeline) Report(r *Report) {
	for s := range engine.Square(engine.Squares) {
		u := &p.cells[s].unrest
		strays, noisy := u.look(p.now)
		c := CellReport{Class: p.class(s, noisy), Flaps: float32(u.flaps.count(p.now, flapWindow) / flapWindow.Seconds())}
		if c.Class.Believed() {
			c.Margin = uint8(max(0, 100-math.Round(strays*strayCosts)))
		}
		r[s] = c
	}
}

// class returns the class of a cell that is noisy or not.
func (p *Pipeline) class(s engine.Square, noisy bool) Class {
	switch {
	case !p.started || (p.lost | p.reset).Has(s):
		return ClassNoData
	case (p.dead | p.cfg.Dead).Has(s):
		return ClassMasked
	case p.flapping.Has(s):
		return ClassFlapping
	case (p.stuck | p.jammed).Has(s) && p.cfg.Presence:
		return ClassGhost
	case (p.stuck | p.jammed).Has(s):
		return ClassStuck
	case noisy:
		return ClassNoisy
	default:
		return ClassGood
	}
}

// Measured adds what the readings of sensors that measure say: the margin of a
// cell is the smaller one, and a cell whose null has gone as far as it may, or
// that has been read where only its history decides, is noisy.
func (r *Report) Measured(t *Threshold) {
	for s := range engine.Square(engine.Squares) {
		c := &r[s]
		if !c.Class.Believed() {
			continue
		}
		h := t.Health(s)
		c.Margin = min(c.Margin, uint8(h.Spare()))
		if h.Drifted() || h.Weakest().Known && h.Weakest().Percent < 0 {
			c.Class = ClassNoisy
		}
	}
}

// Spare returns how much is left of the weakest margin that is known, in percent
// of what a disc that makes the full scale, or an undisturbed empty square, has:
// 0 to 100. It is 100 while nothing is known.
func (h *CellHealth) Spare() int {
	spare := 100
	for _, m := range [...]struct {
		Margin
		best int
	}{{h.North, 100 - onPercent}, {h.South, 100 - onPercent}, {h.Empty, offPercent}} {
		if m.Known {
			spare = min(spare, max(0, m.Percent)*100/m.best)
		}
	}
	return spare
}

// window counts what happens within a time that moves on, nearly: it knows the
// time in slots as long as the window, and takes what happened in the last one
// for spread evenly.
type window struct {
	slot      int64
	cur, prev uint16
}

// roll makes the slot of now the current one.
func (w *window) roll(now, length time.Duration) {
	slot := int64(now / length)
	switch slot - w.slot {
	case 0:
		return
	case 1:
		w.prev = w.cur
	default:
		w.prev = 0
	}
	w.slot, w.cur = slot, 0
}

func (w *window) add(now, length time.Duration, n uint16) {
	w.roll(now, length)
	w.cur = min(w.cur+n, math.MaxUint16/2)
}

func (w *window) count(now, length time.Duration) float64 {
	w.roll(now, length)
	gone := float64(now%length) / float64(length)
	return float64(w.prev)*(1-gone) + float64(w.cur)
}
