package calibrate_test

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"reversi-board/cmd/internal/calibrate"
	"reversi-board/engine"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/sim"
	"reversi-board/sensing"
)

// planting is a board with random defects, and what must be said about it.
type planting struct {
	setup
	turned int
	// faults are by square, circuits what is wrong in a matrix of contacts.
	faults map[engine.Square]sim.CellFault
	reeds  map[engine.Square]emu.ReedFault
	diodes map[engine.Square]emu.DiodeFault
	welded []bool
	swaps  [][2]engine.Square
	want   []string
}

// expect notes what must be said.
func (p *planting) expect(kind string, squares ...engine.Square) {
	var set engine.Bitboard
	for _, s := range squares {
		set |= s.Bit()
	}
	p.want = append(p.want, kind+" "+set.String())
}

// defect is something that can be wrong with one cell.
type defect struct {
	kind  string
	fault sim.CellFault
	reed  emu.ReedFault
	diode emu.DiodeFault
}

func defectsOf(profile string) []defect {
	switch profile {
	case "reed-64":
		return []defect{
			{kind: "dead", reed: emu.ReedDead},
			{kind: "stuck", reed: emu.ReedWelded},
			{kind: "dead", diode: emu.DiodeMissing},
			{kind: "dead", diode: emu.DiodeReversed},
			{kind: "diode", diode: emu.DiodeShorted},
		}
	case "hall-analog":
		return []defect{
			{kind: "stuck", fault: sim.CellFault{Kind: sim.Dead}},
			{kind: "stuck", fault: sim.CellFault{Kind: sim.StuckNorth}},
			{kind: "stuck", fault: sim.CellFault{Kind: sim.StuckSouth}},
			{kind: "reversed", fault: sim.CellFault{Kind: sim.Reversed}},
			{kind: "weak_cell", fault: sim.CellFault{Kind: sim.WeakMagnet, Scale: 0.35}},
			{kind: "dead", fault: sim.CellFault{Kind: sim.WeakMagnet}},
		}
	}
	return []defect{
		{kind: "dead", fault: sim.CellFault{Kind: sim.Dead}},
		{kind: "dead", fault: sim.CellFault{Kind: sim.WeakMagnet, Scale: 0.02}},
		{kind: "stuck", fault: sim.CellFault{Kind: sim.StuckNorth}},
		{kind: "stuck", fault: sim.CellFault{Kind: sim.StuckSouth}},
		{kind: "stuck", fault: sim.CellFault{Kind: sim.BothActive}},
		{kind: "reversed", fault: sim.CellFault{Kind: sim.Reversed}},
		{kind: "flapping", fault: sim.CellFault{Kind: sim.Flapping, Hz: 3}},
	}
}

func drawPlanting(t *rapid.T) *planting {
	p := &planting{
		faults: map[engine.Square]sim.CellFault{}, reeds: map[engine.Square]emu.ReedFault{}, diodes: map[engine.Square]emu.DiodeFault{},
	}
	p.profile = rapid.SampledFrom([]string{"default", "hall-128-mcp23017", "hall-analog", "reed-64"}).Draw(t, "board")
	p.seed = rapid.Uint64Range(0, 1<<32-1).Draw(t, "seed")
	p.quick = rapid.Bool().Draw(t, "quick")
	p.discs = rapid.SampledFrom([]int{64, 64, 32, 24, 8}).Draw(t, "discs")
	if p.turned = rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3}).Draw(t, "turned"); p.turned != 0 {
		p.want = append(p.want, "turned")
	}
	order := rapid.Permutation(allSquares()).Draw(t, "squares")
	for _, d := range rapid.SliceOfN(rapid.SampledFrom(defectsOf(p.profile)), 0, 4).Draw(t, "defects") {
		s := order[0]
		if d.reed == emu.ReedWelded && slices.Contains(p.welded, true) {
			// Two of them, a disc and its diode may make a rectangle.
			continue
		}
		p.welded = append(p.welded, d.reed == emu.ReedWelded)
		order = order[1:]
		p.faults[s], p.reeds[s], p.diodes[s] = d.fault, d.reed, d.diode
		if d.kind != "diode" || !p.quick && p.discs == 64 {
			p.expect(d.kind, s)
		}
	}
	for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "exchanged") {
		p.swaps = append(p.swaps, [2]engine.Square{order[0], order[1]})
		p.expect("exchanged", order[:2]...)
		order = order[2:]
	}
	p.build(t)
	slices.Sort(p.want)
	return p
}

// build says how the board is soldered and what is broken on it.
func (p *planting) build(t fataler) {
	p.solder = func(w *sim.Wiring) {
		turn(w, p.turned)
		for _, s := range p.swaps {
			calibrate.Exchange(w, s[0], s[1])
		}
	}
	p.plant = func(b *sim.Board) {
		for s, f := range p.faults {
			must(t, b.FailCell(int(s), f))
		}
		for s := range p.reeds {
			if m := b.Matrix(); m != nil {
				// The matrix knows crossings, which are turned and exchanged.
				at := p.crossing(s)
				m.FailReed(at, p.reeds[s])
				m.FailDiode(at, p.diodes[s])
			}
		}
	}
}

// crossing returns where in the matrix the contact of a square is.
func (p *planting) crossing(s engine.Square) int {
	w := sim.Wired(sim.Reed)
	p.solder(w)
	return 8*w.Crossings[s].Row + w.Crossings[s].Column
}

func allSquares() (all []engine.Square) {
	for s := range engine.Square(engine.Squares) {
		all = append(all, s)
	}
	return all
}

// turn mounts the whole board of cells turned.
func turn(w *sim.Wiring, quarters int) {
	was := *w
	for s := range engine.Square(engine.Squares) {
		at := sensing.Turn(s, quarters)
		w.Outputs[at], w.Crossings[at], w.Taps[at] = was.Outputs[s], was.Crossings[s], was.Taps[s]
	}
}

// heard is what was said, in the same form.
func heard(r *calibrate.Report) []string {
	var list []string
	for _, f := range r.Findings {
		if f.Kind == calibrate.Turned {
			list = append(list, "turned")
		} else if f.Kind != calibrate.Untested {
			list = append(list, fmt.Sprintf("%s %s", f.Kind, f.Squares))
		}
	}
	slices.Sort(list)
	return list
}

// readsRight lays random discs on a board that has just been calibrated, and
// compares what is read with what lies there.
func (p *planting) readsRight(rt *rapid.T, b *bench, c *sensing.Calibration) {
	eyes, err := b.rig.CalibratedEyes(b.config, c)
	must(rt, err)
	for _, d := range p.diodes {
		if d == emu.DiodeShorted || d == emu.DiodeReversed {
			return // Where discs make rectangles with it, the matrix sees ghosts.
		}
	}
	for range 3 {
		var faces [engine.Squares]sim.Face
		some, black := engine.Bitboard(rapid.Uint64().Draw(rt, "discs")), engine.Bitboard(rapid.Uint64().Draw(rt, "black"))
		lie := engine.Discs{Black: some & black, White: some &^ black}
		b.sim.Set(faces)
		for s := range some.All() {
			faces[s] = map[bool]sim.Face{true: sim.NorthUp, false: sim.SouthUp}[black.Has(s)]
			if p.profile == "reed-64" {
				// One by one: when discs fill a rectangle at once it may be a ghost.
				b.sim.Set(faces)
				b.settled(rt, eyes, 100*time.Millisecond)
			}
		}
		b.sim.Set(faces)
		read, masked := b.settled(rt, eyes, 5*time.Second)
		if p.profile == "reed-64" {
			lie = engine.Discs{Black: lie.Occupied()}
		}
		if differ := read.Diff(lie) &^ masked; differ != 0 || c.Masked&^masked != 0 {
			rt.Fatalf("%s quick %v turned %d: read\n%v\nlies\n%v\nmasked %v, of these by calibration %v", p.profile, p.quick, p.turned, read, lie, masked, c.Masked)
		}
		if extra := masked &^ c.Masked; extra != 0 {
			rt.Fatalf("%v are masked although they are well", extra)
		}
	}
}
