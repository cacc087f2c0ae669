package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/hardware"
	"reversi-board/sensing"
)

const (
	// warmUp is how long chips take to be believed.
	warmUp = 500 * time.Millisecond
	// watchTime is how long the cells are watched: flapping of 1 Hz shows.
	watchTime = 3 * time.Second
	// flaps is how often a cell that nobody touches may change meanwhile.
	flaps = 2
)

// face is a side of a disc.
type face uint8

const (
	blackFace face = iota
	whiteFace
)

func (f face) String() string { return [...]string{"black", "white"}[f] }

// faceOf returns the face that an output reports.
func (d *doctor) faceOf(o output) face {
	if (o == northOutput) == d.h.NorthIsBlack {
		return blackFace
	}
	return whiteFace
}

// outputOf returns the output that reports a face.
func (d *doctor) outputOf(f face) output {
	if d.faceOf(northOutput) == f {
		return northOutput
	}
	return southOutput
}

// mark notes the state of a cell for a face. A board that sees no colors has one
// state for both.
func (d *doctor) mark(s engine.Square, f face, state State) {
	d.seen = true
	q := &d.squares[s]
	switch {
	case d.h.Kind == configs.Reed64:
		q.Disc = state
	case f == blackFace:
		q.Black = state
	default:
		q.White = state
	}
}

func (d *doctor) markBoth(s engine.Square, state State) {
	d.mark(s, blackFace, state)
	d.mark(s, whiteFace, state)
}

// cellsOf returns the squares that a chip reads.
func (d *doctor) cellsOf(e chipWanted) (set engine.Bitboard) {
	if !e.cells {
		return 0
	}
	for s := range engine.Square(engine.Squares) {
		chip := d.h.Cells[s].Chip
		if d.h.Kind == configs.HallAnalog {
			chip = d.h.Taps[s].ADC
		}
		if bus, addr := chipAt(d.h, chip); bus == e.bus && addr == e.addr {
			set |= s.Bit()
		}
	}
	return set
}

// watched is what cells did while nobody touched them, by square.
type watched struct {
	scans int
	// black, white and both count scans, changes how often something changed.
	black, white, both, changes [engine.Squares]int
	// lost are cells that could not be read in the last scan.
	lost engine.Bitboard
	// counts are the readings of a board that measures.
	counts sensing.Samples
	// took is how long all scans took together.
	took time.Duration
	err  error
}

// checkCells looks at the cells: first at what shows by itself, then, if somebody
// is there, at what a disc does.
func checkCells(ctx context.Context, d *doctor, c *Check) {
	for s := range engine.Square(engine.Squares) {
		for _, f := range [...]face{blackFace, whiteFace} {
			d.mark(s, f, d.stateOr(s, f, Untested))
		}
	}
	w := d.watch(ctx)
	if ctx.Err() != nil {
		return
	}
	if w.scans == 0 || w.lost == ^engine.Bitboard(0) {
		d.unreadable(&w, c)
		return
	}
	if d.hands != nil {
		d.byHand(ctx, &w, c)
	} else {
		d.concludeQuiet(&w, d.electrically(&w, c), c)
	}
	d.pace(&w, c)
}

// pace says how long a scan takes, and whether that is too long.
func (d *doctor) pace(w *watched, c *Check) {
	scan, period := w.took/time.Duration(w.scans), d.look()
	c.Found += fmt.Sprintf(" A scan takes %s.", short(scan))
	if scan <= period {
		return
	}
	c.blame(Problem{
		Part: "board", Where: "sensing.scan_hz", Cause: "slow_scan", Status: Warn,
		Found: fmt.Sprintf("A scan takes %s, and there should be one every %s.", short(scan), short(period)),
		Next:  fmt.Sprintf("Make the bus faster, or set sensing.scan_hz to %d.", max(1, int(time.Second/scan))),
	})
}

// unreadable ends the check of cells of which none can be read.
func (d *doctor) unreadable(w *watched, c *Check) {
	for s := range engine.Square(engine.Squares) {
		d.markBoth(s, Lost)
	}
	c.skip("No square can be read%s.", because(w.err))
	if !d.blamed("bus", "chip", "board") {
		c.blame(Problem{Part: "board", Where: "cells", Cause: "unreadable", Found: c.Found, Next: "Ask for the checks bus and chips."})
	}
}

func because(err error) string {
	if err == nil {
		return ""
	}
	return ": " + brief(err)
}

// stateOr returns what is known of a cell already, or else.
func (d *doctor) stateOr(s engine.Square, f face, or State) State {
	q := &d.squares[s]
	for _, known := range [...]State{map[face]State{blackFace: q.Black, whiteFace: q.White}[f], q.Disc} {
		if known != "" {
			return known
		}
	}
	return or
}

// blamed reports whether an earlier check has found fault with one of these parts.
func (d *doctor) blamed(parts ...string) bool {
	return slices.ContainsFunc(d.report.Problems(), func(p Problem) bool {
		return p.Status == Fail && slices.Contains(parts, p.Part)
	})
}

// scan reads the cells once and returns black, white and lost squares. On a board
// that sees no colors black is all discs, and white those that cannot be believed.
func (d *doctor) scan(ctx context.Context, f *hardware.Frame, t *sensing.Threshold) (black, white engine.Bitboard, err error) {
	now := d.clock.Now()
	err = d.rig.Matrix.Scan(ctx, now, f)
	north, south := engine.Bitboard(f.North), engine.Bitboard(f.South)
	if f.Analog && t != nil {
		north, south = t.Step(now, &f.Counts, engine.Bitboard(f.Lost))
	}
	if !d.h.NorthIsBlack && d.h.Kind != configs.Reed64 {
		north, south = south, north
	}
	return north, south, err
}

// threshold returns levels as the data sheet says, nil on a board that does not
// measure.
func (d *doctor) threshold() *sensing.Threshold {
	if d.h.Kind != configs.HallAnalog {
		return nil
	}
	sensor := app.SensorOf(d.h)
	t, err := sensing.NewThreshold(sensing.AllLevels(sensor.DefaultLevels()), sensor)
	if err != nil {
		return nil // The levels of a data sheet are right.
	}
	return t
}

// watch lets the cells alone and notes what they do.
func (d *doctor) watch(ctx context.Context) (w watched) {
	var f hardware.Frame
	t := d.threshold()
	for until := d.clock.Now() + warmUp; d.clock.Now() < until && d.pause(ctx, d.look()); {
		_, _, w.err = d.scan(ctx, &f, t)
	}
	var black, white engine.Bitboard
	for until := d.clock.Now() + watchTime; d.clock.Now() < until && d.pause(ctx, d.look()); {
		began := d.clock.Now()
		b, wh, err := d.scan(ctx, &f, t)
		w.took += d.clock.Now() - began
		if err != nil {
			w.err = err
			continue
		}
		if w.scans > 0 {
			count(&w.changes, black^b|white^wh)
		}
		w.scans++
		black, white = b, wh
		count(&w.black, b&^wh)
		count(&w.white, wh&^b)
		count(&w.both, b&wh)
		w.lost = engine.Bitboard(f.Lost)
		if f.Analog {
			w.counts.Add(^w.lost, &f.Counts)
		}
	}
	return w
}

func count(to *[engine.Squares]int, set engine.Bitboard) {
	for s := range set.All() {
		to[s]++
	}
}

// electrically finds what no disc can be the cause of, and returns the cells of
// which nothing more can be found out.
func (d *doctor) electrically(w *watched, c *Check) (bad engine.Bitboard) {
	bad = w.lost
	for s := range w.lost.All() {
		d.markBoth(s, Lost)
	}
	if w.lost != 0 && !d.blamed("bus", "chip", "board") {
		c.blame(Problem{
			Part: "board", Where: names(w.lost), Cause: "unreadable",
			Found: names(w.lost) + " cannot be read.", Next: "Ask for the checks bus and chips.",
		})
	}
	for s := range (^w.lost).All() {
		state, p := d.judgeQuiet(s, w)
		if state == "" {
			continue
		}
		bad |= s.Bit()
		d.markBoth(s, state)
		c.blame(p)
	}
	return bad
}

// judgeQuiet says what is wrong with a cell that nobody touches, nothing if that
// cannot be told.
func (d *doctor) judgeQuiet(s engine.Square, w *watched) (State, Problem) {
	p := Problem{Part: "cell", Where: s.String()}
	switch {
	case d.h.Kind == configs.HallAnalog:
		return d.judgeCounts(s, w)
	case w.changes[s] > flaps:
		p.Cause = "flapping"
		p.Found = fmt.Sprintf("%v comes and goes by itself, %d times in %d s.", s, w.changes[s], int(watchTime.Seconds()))
		p.Next = "Resolder its sensor and look at the wire to " + wiredTo(d.h, s) + "."
		return Flapping, p
	case d.h.Kind == configs.Reed64 && w.both[s] > 0:
		return d.judgeGhost(s)
	case w.both[s] > w.scans/2:
		p.Cause = "both"
		p.Found = fmt.Sprintf("%v reports both faces at once, which no disc does.", s)
		p.Next = "Look for a short of its two outputs to each other or to ground, at the sensor and at " + wiredTo(d.h, s) + "."
		return Both, p
	}
	return "", p
}

// judgeGhost is about contacts that the board itself does not believe.
func (d *doctor) judgeGhost(s engine.Square) (State, Problem) {
	stats := d.rig.Reed.Stats()
	p := Problem{Part: "cell", Where: s.String(), Cause: "unbelievable", Status: Warn}
	if engine.Bitboard(stats.Held).Has(s) {
		p.Status, p.Cause = Fail, "column_held"
		p.Found = fmt.Sprintf("The column of %v is low although no row is.", s)
		p.Next = "Look for a short of " + d.h.Matrix.Columns[d.h.Crossings[s].Column] + " to ground."
		return Stuck, p
	}
	p.Found = fmt.Sprintf("%v may be the ghost of three other discs.", s)
	p.Next = "Take all discs off and ask again."
	return Suspect, p
}

// judgeCounts says what is wrong with a reading that nobody touches.
func (d *doctor) judgeCounts(s engine.Square, w *watched) (State, Problem) {
	sensor := app.SensorOf(d.h)
	low, high := sensor.Range()
	p := Problem{Part: "cell", Where: s.String(), Next: "Look at its supply, its ground, and the wire to " + wiredTo(d.h, s) + "."}
	mean, spread := w.counts.Mean(s), w.counts.Spread(s)
	volts := float64(mean) / sensing.CountsPerVolt
	switch {
	case w.counts.Count(s) == 0:
		return "", p
	case mean <= low:
		p.Cause = "low"
		p.Found = fmt.Sprintf("%v reads %.2f V, as low as a sensor never goes: it has no supply, or a short to ground.", s, volts)
		return Implausible, p
	case mean >= high:
		p.Cause = "high"
		p.Found = fmt.Sprintf("%v reads %.2f V, as high as a sensor never goes: a short to the supply.", s, volts)
		return Implausible, p
	case w.both[s] > w.scans/2:
		p.Cause = "too_far"
		p.Found = fmt.Sprintf("%v reads %.2f V, more than a disc makes: its output is connected to nothing.", s, volts)
		return Implausible, p
	case spread > sensing.MaxSpread:
		p.Cause = "noisy"
		p.Found = fmt.Sprintf("The reading of %v strays by %.0f mV while nobody touches it.", s, float64(spread)/sensing.CountsPerVolt*1000)
		p.Next = "Resolder its sensor, put 100 nF at it, and look at the wire to " + wiredTo(d.h, s) + "."
		return Noisy, p
	}
	return "", p
}

// concludeQuiet ends the check without hands.
func (d *doctor) concludeQuiet(w *watched, bad engine.Bitboard, c *Check) {
	var occupied engine.Bitboard
	for s := range (^bad).All() {
		for f, n := range [...]int{w.black[s], w.white[s]} {
			state := Quiet
			if n > w.scans/2 {
				occupied |= s.Bit()
				state = Occupied
			}
			if d.stateOr(s, face(f), Untested) == Untested {
				d.mark(s, face(f), state)
			}
		}
	}
	text := "no disc is seen"
	if occupied != 0 {
		text = "discs are seen on " + names(occupied)
	}
	c.foundf("%d of 64 squares can be read, %s.", engine.Squares-bad.Count(), text)
	start := engine.Start().Discs
	if occupied != 0 && occupied != start.Black|start.White && len(c.Problems) == 0 {
		c.worsen(Warn)
		c.Next = "If no discs lie there, these cells are stuck."
	}
	c.Found += " Without a person nothing can be said about faces, dead cells and exchanged ones."
}
