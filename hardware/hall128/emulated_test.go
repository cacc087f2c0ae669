package hall128_test

import (
	"context"
	"errors"
	"math/bits"
	"testing"
	"testing/synctest"
	"time"

	"periph.io/x/conn/v3/gpio"

	"reversi-board/hardware"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/hall128"
)

const tick = 20 * time.Millisecond // 50 scans a second.

// chip is the side of an emulated expander that looks at the board.
type chip interface {
	emu.Device
	SetPins(levels, undriven uint16)
	PowerCycle()
}

// rig is a board of emulated chips on virtual time, which only scans and what
// waits inside of them move on.
type rig struct {
	t      *testing.T
	config hall128.Config
	now    time.Duration
	wires  [hall128.MaxBuses]*emu.Bus
	chips  []chip
	int    *emu.InterruptLine
	board  *hall128.Board
	frame  hardware.Frame

	north, south uint64 // What lies on the board.
}

// kinds are the kinds of chips that tests run with.
func kinds() []hall128.Kind {
	return []hall128.Kind{hall128.TCA9555, hall128.PCA9555, hall128.MCP23017}
}

// withEach runs a test with a reference board of every kind.
func withEach(t *testing.T, f func(t *testing.T, r *rig)) {
	t.Helper()
	t.Parallel()
	for _, k := range kinds() {
		t.Run(k.String(), func(t *testing.T) {
			t.Parallel()
			f(t, newRig(t, hall128.Reference(k)))
		})
	}
}

func newRig(t *testing.T, c hall128.Config) *rig {
	t.Helper()
	return newRigWith(t, c, func(*rig, int, *hardware.BusOptions) {})
}

// newRigWith is newRig with a say in the options of the buses.
func newRigWith(t *testing.T, c hall128.Config, options func(r *rig, bus int, o *hardware.BusOptions)) *rig {
	t.Helper()
	r := &rig{t: t, config: c}
	for i := range r.wires {
		r.wires[i] = emu.NewBus()
		// What periph's Linux bus does; the texts alone must be enough.
		r.wires[i].HideErrno(true)
	}
	var lines []func() gpio.Level
	for _, k := range c.Chips {
		x, line := newChip(k)
		r.wires[k.Bus].Attach(x)
		r.chips = append(r.chips, x)
		lines = append(lines, line)
	}
	r.int = emu.NewInterruptLine(lines...)
	r.lay(0, 0)
	var buses []*hardware.Bus
	for i := range c.Buses() {
		o := hardware.BusOptions{
			Inline: true,
			Now:    func() time.Duration { return r.now },
			Sleep: func(context.Context, time.Duration) error {
				t.Error("a scan slept")
				return nil
			},
		}
		options(r, i, &o)
		bus := hardware.NewBus(r.wires[i], o)
		t.Cleanup(func() {
			if err := bus.Close(); err != nil {
				t.Error(err)
			}
		})
		buses = append(buses, bus)
	}
	board, err := hall128.New(c, buses...)
	if err != nil {
		t.Fatal(err)
	}
	r.board = board
	return r
}

func newChip(k hall128.Chip) (x chip, line func() gpio.Level) {
	if k.Kind == hall128.MCP23017 {
		m := emu.NewMCP23017(k.Addr)
		return m, m.INTA
	}
	p := emu.NewTCA9555(k.Addr, emu.TCAOptions{PCA9555: k.Kind == hall128.PCA9555})
	return p, p.INT
}

// lay puts discs on the board: cells with a north or a south pole below.
func (r *rig) lay(north, south uint64) {
	r.north, r.south = north, south
	for i := range r.chips {
		r.drive(i)
	}
}

// drive puts the sensors' levels on the pins of a chip; those that carry
// nothing are open.
func (r *rig) drive(i int) {
	levels, open := uint16(0xFFFF), uint16(0xFFFF)
	for c, w := range r.config.Cells {
		if w.Chip != i {
			continue
		}
		levels &^= uint16(r.north>>c&1)<<w.NorthPin | uint16(r.south>>c&1)<<w.SouthPin
		open &^= 1<<w.NorthPin | 1<<w.SouthPin
	}
	r.chips[i].SetPins(levels, open)
}

// cells returns the cells on a chip.
func (r *rig) cells(chip int) uint64 {
	var m uint64
	for c, w := range r.config.Cells {
		if w.Chip == chip {
			m |= 1 << c
		}
	}
	return m
}

// onBus returns the cells on a bus.
func (r *rig) onBus(bus int) uint64 {
	var m uint64
	for i, k := range r.config.Chips {
		if k.Bus == bus {
			m |= r.cells(i)
		}
	}
	return m
}

func (r *rig) wire(chip int) *emu.Bus { return r.wires[r.config.Chips[chip].Bus] }

func (r *rig) addr(chip int) uint16 { return r.config.Chips[chip].Addr }

func (r *rig) bits() uint64 { return r.wires[0].Stats().Bits + r.wires[1].Stats().Bits }

func (r *rig) resetStats() {
	for _, w := range r.wires {
		w.ResetStats()
	}
}

// scan scans once; the time is 20 ms later afterwards.
func (r *rig) scan() error {
	r.now += tick
	return r.board.Scan(r.t.Context(), r.now, &r.frame)
}

func (r *rig) mustScan() hardware.Frame {
	r.t.Helper()
	if err := r.scan(); err != nil {
		r.t.Fatalf("at %v: %v", r.now, err)
	}
	return r.frame
}

// settle scans until everything must be live.
func (r *rig) settle() {
	r.t.Helper()
	for range 3 {
		r.mustScan()
	}
	r.wantTruth("a healthy board")
}

// wantTruth checks that the last frame shows what lies on the board, and that
// nothing is lost.
func (r *rig) wantTruth(when string) {
	r.t.Helper()
	f := r.frame
	f.Reset, f.Stale = 0, 0
	if want := (hardware.Frame{North: r.north, South: r.south}); f != want {
		r.t.Fatalf("%s: north %x south %x lost %x, want %x %x and none", when, f.North, f.South, f.Lost, r.north, r.south)
	}
}

// untilBack scans until no cell is lost, and returns how many scans it took.
func (r *rig) untilBack(limit time.Duration) (scans int) {
	r.t.Helper()
	for start := r.now; r.frame.Lost != 0; scans++ {
		if r.now-start > limit {
			r.t.Fatalf("cells %x never came back", r.frame.Lost)
		}
		_ = r.scan() // The frame says what matters.
	}
	return scans
}

// until scans until the frame is as wanted, and returns how many scans it took.
func (r *rig) until(what string, limit int, is func(f hardware.Frame) bool) (scans int) {
	r.t.Helper()
	for scans = 1; scans <= limit; scans++ {
		_ = r.scan() // The frame says what matters.
		if is(r.frame) {
			return scans
		}
	}
	r.t.Fatalf("%s: not within %d scans", what, limit)
	return scans
}

func lostIs(cells uint64) func(f hardware.Frame) bool {
	return func(f hardware.Frame) bool { return f.Lost == cells }
}

// The clocks of a scan are those of the documentation: 48 for each chip, the
// least that does not trust a pointer, 20 for each PCA9555 that is parked, and
// one check of 48 for each bus.
func TestBitsOnTheWire(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		kind  hall128.Kind
		floor uint64 // Inputs alone.
		plain uint64 // A scan.
		most  uint64 // A scan with pulses.
	}{
		{kind: hall128.TCA9555, floor: 384, plain: 384 + 48, most: 384 + 48},
		{kind: hall128.PCA9555, floor: 384, plain: 544 - 20 + 48, most: 544 - 20 + 48},
		{kind: hall128.MCP23017, floor: 480, plain: 480 + 2*48, most: 480 + 2*124},
	} {
		r := newRig(t, hall128.Reference(tc.kind))
		r.settle()
		seen, total := map[uint64]int{}, uint64(0)
		const scans = 140
		for range scans {
			r.resetStats()
			r.mustScan()
			seen[r.bits()]++
			total += r.bits()
		}
		if seen[tc.plain]+seen[tc.most] < scans || seen[tc.plain] < 9*scans/10 {
			t.Errorf("%v: scans by clocks on the wire %v, want %d, and now and then %d", tc.kind, seen, tc.plain, tc.most)
		}
		mean := float64(total) / scans
		t.Logf("%v: %.0f clocks a scan, %.2f of the floor of %d; %.2f ms at 400 kHz, %.1f %% of a bus at 50 scans a second",
			tc.kind, mean, mean/float64(tc.floor), tc.floor, mean/400, mean*50/4000/float64(r.config.Buses()))
	}
}

func TestEverySensorIsSeenInItsPlace(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		r.settle()
		for cell := range hall128.Cells {
			r.lay(1<<cell, 0)
			if f := r.mustScan(); f != (hardware.Frame{North: 1 << cell}) {
				t.Fatalf("north at cell %d: %+v", cell, f)
			}
			r.lay(0, 1<<cell)
			if f := r.mustScan(); f != (hardware.Frame{South: 1 << cell}) {
				t.Fatalf("south at cell %d: %+v", cell, f)
			}
		}
	})
}

// Chips of all kinds on both buses, cells on any pins.
func TestAMixedBoard(t *testing.T) {
	t.Parallel()
	var c hall128.Config
	for i, k := range []hall128.Kind{
		hall128.MCP23017, hall128.TCA9555, hall128.PCA9555, hall128.TCA9555, hall128.MCP23017,
		hall128.TCA9555, hall128.MCP23017, hall128.PCA9555, hall128.TCA9555,
	} {
		c.Chips = append(c.Chips, hall128.Chip{Kind: k, Bus: i % 2, Addr: uint16(0x20 + i/2)})
	}
	for i := range c.Cells {
		n := i / len(c.Chips)
		c.Cells[i] = hall128.Cell{Chip: i % len(c.Chips), NorthPin: 14 - n, SouthPin: n}
	}
	c.Cells[63] = hall128.Cell{Chip: 1, NorthPin: 15, SouthPin: 7} // An eighth one.
	r := newRig(t, c)
	r.settle()
	for cell := range hall128.Cells {
		r.lay(^uint64(0)&^(3<<cell), 1<<cell)
		r.mustScan()
		r.wantTruth("a mixed board")
	}
}

func TestReturnNeedsTwoEqualReads(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		r.settle()
		r.wire(0).Fail(r.addr(0), emu.NoAck())
		for range 6 {
			r.mustScan()
		}
		r.wire(0).Heal()
		inits := r.board.Stats().Banks[0].Inits
		for i := 0; r.board.Stats().Banks[0].Inits == inits; i++ {
			if i > 100 {
				t.Fatal("a bank that was lost came back without initialisation")
			}
			r.mustScan()
		}
		for i := range 20 {
			r.lay(1<<(i%2), 0)
			if f := r.mustScan(); f.Lost != r.cells(0) || f.North != 0 {
				t.Fatalf("reads that differ were believed: %+v", f)
			}
		}
		r.mustScan()
		r.wantTruth("after two equal reads")
	})
}

func TestShortDropOutCostsNothing(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		r.settle()
		for _, times := range []int{1, 2, 3} {
			r.wire(4).FailTimes(r.addr(4), times, emu.NoAck())
			for range 5 {
				if f := r.mustScan(); f.Lost != 0 || f.Reset != 0 {
					t.Fatalf("%d failed transfers: %+v", times, f)
				}
			}
		}
	})
}

// One failed transfer is repeated when the other chips are done.
func TestRetryIsInTheSameScan(t *testing.T) {
	withEach(t, func(_ *testing.T, r *rig) {
		r.settle()
		r.wire(4).FailTimes(r.addr(4), 1, emu.NoAck())
		r.lay(1<<32, 0)
		r.mustScan()
		r.wantTruth("a change in the scan in which one transfer failed")
	})
}

// A supply that dips makes a chip miss a transfer and forget its registers:
// whoever did not answer has to show the canary first.
func TestFailureMakesSuspicious(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		r.settle()
		r.mustScan() // The next checks are not due on this chip.
		r.wire(6).FailTimes(r.addr(6), 1, emu.NoAck())
		r.wire(6).BrownOut(r.addr(6))
		if f := r.mustScan(); f.Reset != r.cells(6) || f.Lost != 0 {
			t.Errorf("the reset was not found at once: %+v", f)
		}
	})
}

func TestABoardWithAMissingChipWorks(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		last := len(r.chips) - 1
		r.wire(last).Detach(r.addr(last))
		for range 10 {
			r.mustScan()
		}
		if r.frame.Lost != r.cells(last) {
			t.Errorf("lost cells %x, want those of chip %d", r.frame.Lost, last)
		}
		r.wire(last).Attach(r.chips[last])
		r.untilBack(5*time.Second + 3*tick)
	})
}

func TestNoChipAtAllIsAnError(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		for i := range r.chips {
			r.wire(i).Detach(r.addr(i))
		}
		for range 50 {
			if err := r.scan(); err == nil || r.frame.Lost != ^uint64(0) {
				t.Fatalf("without power: %v, lost %x", err, r.frame.Lost)
			}
		}
	})
}

func TestScanEndsWithItsContextAndBus(t *testing.T) {
	t.Parallel()
	wire := emu.NewBus(emu.NewTCA9555(0x20, emu.TCAOptions{}))
	bus := hardware.NewBus(wire, hardware.BusOptions{})
	board, err := hall128.New(hall128.Reference(hall128.TCA9555), bus)
	if err != nil {
		t.Fatal(err)
	}
	var f hardware.Frame
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := board.Scan(ctx, 0, &f); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
	if err := bus.Close(); err != nil {
		t.Fatal(err)
	}
	if err := board.Scan(t.Context(), 0, &f); !errors.Is(err, hardware.ErrClosed) {
		t.Errorf("closed bus: %v", err)
	}
}

// With the owners' goroutines and the buses' own clocks, in virtual time.
func TestScanThroughTheOwners(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		board, wires, done := healthy(t, hall128.MCP23017, false)
		start := time.Now()
		var f hardware.Frame
		scans := func(n int) {
			for range n {
				time.Sleep(tick)
				if err := board.Scan(t.Context(), time.Since(start), &f); err != nil {
					t.Fatal(err)
				}
			}
		}
		scans(50)
		if f != (hardware.Frame{North: 1}) {
			t.Errorf("healthy: %+v", f)
		}
		wires[1].FailAll(emu.NoAck())
		scans(50)
		if f.North != 1 || bits.OnesCount64(f.Lost) != 64-5*7 {
			t.Errorf("one bus without chips: %+v", f)
		}
		wires[1].Heal()
		scans(150)
		if f != (hardware.Frame{North: 1}) || time.Since(start) != 250*tick {
			t.Errorf("after %v: %+v", time.Since(start), f)
		}
		done()
	})
}

func TestScanAllocatesNothing(t *testing.T) {
	for _, k := range kinds() {
		for _, inline := range []bool{true, false} {
			board, _, done := healthy(t, k, inline)
			var f hardware.Frame
			ctx := t.Context()
			now := time.Duration(0)
			if n := testing.AllocsPerRun(500, func() {
				now += tick
				if err := board.Scan(ctx, now, &f); err != nil {
					t.Fatal(err)
				}
			}); n != 0 {
				t.Errorf("%v, inline %v: %v allocations per scan", k, inline, n)
			}
			done()
		}
	}
}

// healthy returns a reference board with nothing wrong, on real time, with one
// disc on a1.
func healthy(t testing.TB, k hall128.Kind, inline bool) (board *hall128.Board, wires []*emu.Bus, done func()) {
	t.Helper()
	c := hall128.Reference(k)
	var buses []*hardware.Bus
	for range c.Buses() {
		wire := emu.NewBus()
		wires = append(wires, wire)
		buses = append(buses, hardware.NewBus(wire, hardware.BusOptions{Inline: inline}))
	}
	for i, chip := range c.Chips {
		x, _ := newChip(chip)
		x.SetPins(0xFFFF, 0)
		if i == 0 {
			x.SetPins(0xFFFE, 0)
		}
		wires[chip.Bus].Attach(x)
	}
	board, err := hall128.New(c, buses...)
	if err != nil {
		t.Fatal(err)
	}
	return board, wires, func() {
		for _, bus := range buses {
			if err := bus.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func BenchmarkScan(b *testing.B) {
	for _, k := range kinds() {
		for name, inline := range map[string]bool{"inline": true, "owner": false} {
			b.Run(k.String()+"/"+name, func(b *testing.B) {
				board, _, done := healthy(b, k, inline)
				var f hardware.Frame
				now := time.Duration(0)
				ctx := b.Context()
				b.ReportAllocs()
				for b.Loop() {
					now += tick
					if err := board.Scan(ctx, now, &f); err != nil {
						b.Fatal(err)
					}
				}
				done()
			})
		}
	}
}
