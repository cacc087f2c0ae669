package hall128_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/hardware"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/hall128"
)

// How expanders and their buses fail, one test for each way: what happens, in
// how many scans it is found, and what the frame says meanwhile. A scan is 20
// ms. "Frozen" means that cells stay as they were and are not Lost.

const all = ^uint64(0)

// SDA held low: found in the first scan, which is ended by the first timeout.
// The cells of the bus are frozen, and Lost with the third failure in a row,
// when the bus is given up. The other bus plays on.
func TestFailureSDAHeldLow(t *testing.T) {
	for _, controller := range []emu.Controller{emu.BCM2835, emu.DesignWare, emu.TinyUSB} {
		heldLine(t, controller, func(w *emu.Bus) { w.HoldSDA(0x21, -1) })
	}
}

// SCL held low looks the same; only the supply can end it.
func TestFailureSCLHeldLow(t *testing.T) {
	for _, controller := range []emu.Controller{emu.BCM2835, emu.DesignWare, emu.TinyUSB} {
		heldLine(t, controller, func(w *emu.Bus) { w.HoldSCL(0x21, true) })
	}
}

func heldLine(t *testing.T, controller emu.Controller, hold func(w *emu.Bus)) {
	t.Helper()
	for _, k := range kinds() {
		r := newRig(t, hall128.Reference(k))
		for _, w := range r.wires {
			w.SetController(controller)
		}
		r.lay(1|1<<60, 1<<3)
		r.settle()
		hold(r.wires[0])
		gone := r.onBus(0)
		for scan := 1; scan <= 60; scan++ {
			r.resetStats()
			// The bus is dead; it is an error if there is no other.
			if err := r.scan(); (err == nil) != (gone != all) {
				t.Fatalf("%v, scan %d: %v", k, scan, err)
			}
			// A retry of lost arbitration costs nothing, a timeout a second.
			if n := r.wires[0].Stats().Transactions; n > 4 || controller != emu.DesignWare && n > 1 {
				t.Fatalf("%v, scan %d waited for %d timeouts", k, scan, n)
			}
			want := hardware.Frame{North: r.north, South: r.south, Stale: gone}
			if scan >= 3 {
				want.Lost, want.Stale = gone, 0
			}
			if r.frame != want {
				t.Fatalf("%v, scan %d: lost %x north %x, want lost %x north %x", k, scan, r.frame.Lost, r.frame.North, want.Lost, want.North)
			}
		}
		r.wires[0].Heal()
		r.lay(2, 0)
		r.untilBack(2*time.Second + 3*tick)
		r.wantTruth("freed")
	}
}

// recovering returns a rig whose buses free themselves, and time that goes by
// with every timeout.
func recovering(t *testing.T, k hall128.Kind) *rig {
	t.Helper()
	return newRigWith(t, hall128.Reference(k), func(r *rig, bus int, o *hardware.BusOptions) {
		w := r.wires[bus]
		pass := func(_ context.Context, d time.Duration) error { r.now += d; return nil }
		w.SetTiming(emu.Timing{Spend: func(d time.Duration) { r.now += d }, Timeout: 50 * time.Millisecond})
		scl, sda := w.Taps()
		taps := &hardware.Taps{
			SCL: scl, SDA: sda, Sleep: pass,
			Rail: w.Rail(emu.RailOptions{Now: func() time.Duration { return r.now }, Discharge: 400 * time.Millisecond}),
		}
		o.Sleep, o.Recover = pass, taps.Recover
	})
}

// A chip that lost count of the clocks holds SDA: pulses free it in the scan in
// which the bus is given up, the third. The bus is asked again 100 ms later;
// all chips must be initialised and prove themselves.
func TestFailureSDAHeldAndClockedFree(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		r := recovering(t, k)
		r.lay(1, 1<<3)
		r.settle()
		r.wires[0].HoldSDA(0x21, 5)
		r.until("given up", 3, lostIs(r.onBus(0)))
		if s := r.wires[0].TapStats(); s.Clocks < 5 || s.DrivenHigh != 0 {
			t.Errorf("%v: taps %+v", k, s)
		}
		r.lay(2, 1<<3)
		if n := r.untilBack(time.Second); n > 12 {
			t.Errorf("%v: back after %d scans", k, n)
		}
		r.wantTruth("freed by pulses")
	}
}

// A chip that hangs, or holds SCL: the supply is cycled, and every chip is
// found without its registers and initialised before it is believed.
func TestFailureHangingChipAndSupplyCycled(t *testing.T) {
	t.Parallel()
	for _, hold := range []func(w *emu.Bus){
		func(w *emu.Bus) { w.HoldSDA(0x21, -1) },
		func(w *emu.Bus) { w.HoldSCL(0x21, true) },
	} {
		for _, k := range kinds() {
			r := recovering(t, k)
			r.lay(1, 1<<3)
			r.settle()
			hold(r.wires[0])
			r.until("given up", 3, lostIs(r.onBus(0)))
			r.lay(2, 1<<3)
			if n := r.untilBack(2 * time.Second); n > 12 {
				t.Errorf("%v: back after %d scans", k, n)
			}
			r.wantTruth("freed by the supply")
			for i, b := range r.board.Stats().Banks {
				if r.config.Chips[i].Bus == 0 && b.Inits != 2 {
					t.Errorf("%v: chip %d was initialised %d times, want once more", k, i, b.Inits)
				}
			}
		}
	}
}

// While a dead bus takes its time to say so, a second for each try if the
// timeout could not be set, the other one is read first: none of its cells is
// ever Lost, and all are as old as the frame says.
func TestFailureDeadBusDoesNotCostTheOther(t *testing.T) {
	t.Parallel()
	for dead := range 2 {
		r := newRig(t, hall128.Reference(hall128.MCP23017))
		r.settle()
		pass := func(d time.Duration) { r.now += d }
		var began, late time.Duration
		r.wires[dead].SetTiming(emu.Timing{Spend: pass, Timeout: time.Second})
		r.wires[1-dead].SetTiming(emu.Timing{Wire: true, Spend: func(d time.Duration) {
			late = max(late, r.now-began)
			pass(d)
		}})
		r.wires[dead].Short(false, true)
		lost := uint64(0)
		for i := range 200 {
			r.lay(1<<(i%64), 0)
			began = r.now + tick
			r.mustScan()
			lost |= r.frame.Lost
			if alive := r.onBus(1 - dead); r.frame.North&alive != r.north&alive {
				t.Fatalf("bus %d is dead: scan %d shows %x of the other, want %x", dead, i, r.frame.North&alive, r.north&alive)
			}
			if i > 0 && late > 2*time.Millisecond {
				t.Fatalf("bus %d is dead: scan %d read the other one %v late", dead, i, late)
			}
			late = 0
		}
		if lost != r.onBus(dead) {
			t.Errorf("bus %d is dead: lost cells %x, want %x", dead, lost, r.onBus(dead))
		}
	}
}

// A chip that hangs the bus whenever it is addressed must not starve the rest:
// its cells are Lost, no others.
func TestFailureChipThatHangsWhenAddressed(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		r.settle()
		r.wire(0).Fail(r.addr(0), syscall.ETIMEDOUT)
		lost := uint64(0)
		for range 500 {
			_ = r.scan() // A scan that begins with the hanging chip may fail as a whole.
			lost |= r.frame.Lost &^ r.cells(0)
		}
		if lost != 0 || r.frame.Lost != r.cells(0) {
			t.Errorf("lost over 10 s: %x beside chip 0, now %x", lost, r.frame.Lost)
		}
	})
}

// A chip stretches the clock for longer than the controller waits: as a held
// line, but for one transfer. The rest of that scan is frozen.
func TestFailureClockStretched(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		r.lay(1, 2)
		r.settle()
		r.wires[0].Stretch(r.addr(1), 1)
		_ = r.scan() // With one bus it is an error if chip 1 is the first to be asked.
		r.wantTruth("stretched")
		r.lay(4, 8)
		r.mustScan()
		r.wantTruth("the scan after it")
		if resets := r.board.Stats().Banks[1].Resets; resets != 0 {
			t.Errorf("%d resets were seen", resets)
		}
	})
}

// The bus fails for two scans, too short to be given up, and the supply was the
// cause: in the first scan after it every chip must show its canary, and all are
// found.
func TestFailureShortLossOfBusAndSupply(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		r.lay(1, 1<<3)
		r.settle()
		r.wires[0].FailAll(syscall.ETIMEDOUT)
		_, _ = r.scan(), r.scan()
		r.wantTruth("frozen")
		r.wires[0].FailAll(nil)
		for i := range r.chips {
			floating(r.chips[i])
		}
		r.wires[0].BrownOut()
		if f := r.mustScan(); f.Reset != r.onBus(0) {
			t.Errorf("reset cells %x, want %x", f.Reset, r.onBus(0))
		}
		r.wantTruth("after it")
	})
}

// One chip does not answer: it is asked again in the same scan, and given up
// after four times, in the second. Its cells are frozen until then and Lost from
// then on; the others are read in every scan.
func TestFailureOneChipDoesNotAnswer(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		r.lay(r.cells(2)&-r.cells(2), 0)
		r.settle()
		frozen := r.north
		r.wire(2).Fail(r.addr(2), emu.NoAck())
		for scan := 1; scan <= 250; scan++ {
			other := r.cells(5) & -r.cells(5) // The first cell of another chip flickers.
			r.lay(frozen|other*uint64(scan%2), 0)
			f := r.mustScan()
			want := hardware.Frame{North: r.north, Stale: r.cells(2)}
			if scan >= 2 {
				want.Lost, want.Stale = r.cells(2), 0
			}
			if f != want {
				t.Fatalf("scan %d: %+v, want %+v", scan, f, want)
			}
		}
		if n := r.board.Stats().Banks[2].Failed; n > 300 {
			t.Errorf("%d failures counted in 250 scans", n)
		}
		// It returns without its registers, and with the disc gone.
		r.wire(2).BrownOut(r.addr(2))
		r.lay(0, 0)
		r.wire(2).Heal()
		r.untilBack(5*time.Second + 3*tick)
		r.wantTruth("back")
		if b := r.board.Stats().Banks[2]; b.Inits != 2 {
			t.Errorf("a chip that returned was initialised %d times, want once more", b.Inits)
		}
	})
}

// A brown-out nobody notices: the chip reads on as before, so the frame stays
// true; its canary is looked at within 11 scans on a bus of eight chips, 7 on
// one of five, and then its cells are Reset, once. An MCP23017 mostly gives
// itself away in the next scan, by its two outputs.
func TestFailureBrownOut(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		limit := 11
		if r.config.Chips[0].Kind == hall128.MCP23017 {
			limit = 7
		}
		r.lay(1|1<<20, 1<<63)
		r.settle()
		rng := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // Repeatable on purpose.
		worst := 0
		for round := range uint64(60) {
			for range rng.IntN(70) {
				r.mustScan()
			}
			victim := rng.IntN(len(r.chips))
			floating(r.chips[victim])
			r.wire(victim).BrownOut(r.addr(victim))
			worst = max(worst, r.resetFoundOnce(victim, limit))
			r.drive(victim)
			wantInitialised(t, r.chips[victim], round)
		}
		t.Logf("found within %d scans", worst)
	})
}

// resetFoundOnce scans for two seconds in which the reset of a chip must be
// reported once, within a number of scans, and returns in which.
func (r *rig) resetFoundOnce(victim, limit int) (at int) {
	r.t.Helper()
	for scan := 1; scan <= 100; scan++ {
		f := r.mustScan()
		r.wantTruth("after a reset")
		if f.Reset == 0 {
			continue
		}
		if at != 0 || f.Reset != r.cells(victim) || scan > limit {
			r.t.Fatalf("reset of chip %d: cells %x reported in scan %d, before in %d", victim, f.Reset, scan, at)
		}
		at = scan
	}
	if at == 0 {
		r.t.Fatalf("the reset of chip %d was not found", victim)
	}
	return at
}

// floating leaves the unconnected pins 7 of an MCP23017, by bad luck, at the
// levels at which its outputs drive them: its reads give nothing away.
func floating(x chip) {
	if m, ok := x.(*emu.MCP23017); ok {
		m.SetPins(m.Pins(), 0x8080)
	}
}

func wantInitialised(t *testing.T, x chip, round uint64) {
	t.Helper()
	switch x := x.(type) {
	case *emu.TCA9555:
		if r := x.Registers(); [6]byte(r[2:]) != [6]byte{0x5A, 0xA5, 0, 0, 0xFF, 0xFF} {
			t.Fatalf("round %d: registers % X", round, r)
		}
	case *emu.MCP23017:
		if r := x.Registers(); [14]byte(r[:]) != [14]byte{0x7F, 0x7F, 0, 0, 0x7F, 0x7F, 0x5A, 0xA5, 0, 0, 0x44, 0x44, 0x7F, 0x7F} {
			t.Fatalf("round %d: registers % X", round, r)
		}
	}
}

// The supply of the whole board dips: all chips are found within as many scans.
func TestFailureBrownOutOfAll(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		r.lay(1|1<<20, 1<<63)
		r.settle()
		for i := range r.chips {
			floating(r.chips[i])
			r.wire(i).BrownOut(r.addr(i))
		}
		reset := uint64(0)
		n := r.until("all found", 11, func(f hardware.Frame) bool {
			reset |= f.Reset
			return reset == all
		})
		r.wantTruth("after a dip")
		t.Logf("found within %d scans", n)
	})
}

// A register other than the canary is disturbed. A configuration would make
// outputs of pins that sensors drive: it must not last. Found within 64 scans on
// a bus of eight TCA9555, 140 on one of five MCP23017.
func TestFailureDisturbedRegister(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		regs, limit := []byte{4, 6}, 64
		if k == hall128.MCP23017 {
			regs, limit = []byte{0, 1, 2, 4, 8, 0x0A, 0x0C}, 140
		}
		for _, reg := range regs {
			r := newRig(t, hall128.Reference(k))
			r.settle()
			i := len(r.chips) - 2
			if err := r.wire(i).Tx(r.addr(i), []byte{reg, 0x0F}, nil); err != nil {
				t.Fatal(err)
			}
			n := r.until("disturbed register", limit, func(f hardware.Frame) bool { return f.Reset == r.cells(i) })
			wantInitialised(t, r.chips[i], uint64(reg))
			r.mustScan()
			r.mustScan()
			r.wantTruth("repaired")
			if b := r.board.Stats().Banks[i]; b.Resets != 1 || b.Canaries != 0 {
				t.Errorf("%v, register %02Xh: %d resets, %d canaries", k, reg, b.Resets, b.Canaries)
			}
			t.Logf("%v, register %02Xh: found in scan %d", k, reg, n)
		}
	}
}

// One read arrives wrong and nobody sees an error: the frame shows nothing of
// it, because a change has to be read twice alike.
func TestFailureOneCorruptRead(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		r.lay(0x00FF00FF00FF00FF, 0)
		r.settle()
		for mask := range byte(255) {
			i := int(mask) % len(r.chips)
			r.wire(i).Corrupt(r.addr(i), 1, mask+1)
			for range 3 {
				if f := r.mustScan(); f.Reset != 0 {
					t.Fatalf("mask %02X was taken for a reset", mask+1)
				}
				r.wantTruth("a corrupt read")
			}
		}
		var unequal uint64
		for _, b := range r.board.Stats().Banks {
			unequal += b.Unequal + b.Implausible
		}
		if unequal < 255 {
			t.Errorf("%d of 255 corrupt reads were counted", unequal)
		}
	})
}

// A bad wire inverts one bit in a thousand. Of 5,000 scans some 600 would show
// a disc that is not there; two of three reads leave at most a handful, each for
// one scan, and no reset is seen that was none.
func TestFailureNoisyWire(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		r.lay(0x00FF00FF00FF00FF, 0xFF000000FF000000)
		r.settle()
		for _, w := range r.wires {
			w.Seed(7)
			w.SetNoise(emu.AnyAddress, emu.Noise{Flips: 0.001})
		}
		var wrong, resets, lost int
		for range 5000 {
			_ = r.scan()
			wrong += count(r.frame.North != r.north || r.frame.South != r.south)
			resets += count(r.frame.Reset != 0)
			lost += count(r.frame.Lost != 0)
		}
		var unequal, implausible uint64
		for _, b := range r.board.Stats().Banks {
			unequal += b.Unequal
			implausible += b.Implausible
		}
		t.Logf("5000 scans: %d wrong, %d resets, %d with lost cells; %d reads unequal, %d implausible", wrong, resets, lost, unequal, implausible)
		if wrong > 5 || resets > 0 || lost > 0 {
			t.Errorf("%d scans wrong, %d resets, %d scans with lost cells", wrong, resets, lost)
		}
		if unequal+implausible < 400 {
			t.Errorf("only %d reads were found corrupt", unequal+implausible)
		}
	})
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// A chip answers every transfer with wrong bytes: what it says counts for a
// while, as long as it changes few pins; its canary is wrong, it cannot be
// initialised, and 250 ms later its cells are Lost. It is asked now and then.
func TestFailureChipThatAnswersNonsense(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		r.settle()
		const victim = 3
		r.wire(victim).Corrupt(r.addr(victim), 1<<30, 0x40)
		n := r.until("nonsense", 11+13+1, lostIs(r.cells(victim)))
		t.Logf("found within %d scans", n)
		r.resetStats()
		for range 500 {
			r.mustScan()
		}
		// A try of at most 579 clocks, at most eight in 10 s.
		per, chips := uint64(48), uint64(len(r.chips)-1)
		if r.config.Chips[0].Kind == hall128.PCA9555 {
			per = 68
		}
		checks := uint64(r.config.Buses()) * (3*48 + 124) / 4
		if limit := 500*(chips*per+checks) + 8*579; r.bits() > limit {
			t.Errorf("%d clocks in 10 s, want at most %d: a hopeless chip takes the others' time", r.bits(), limit)
		}
		r.wire(victim).Heal()
		r.untilBack(5*time.Second + 3*tick)
		r.wantTruth("healed")
	})
}

// Many pins of a chip change at once, as no hand does it: the chip shows its
// canary before that counts. Here it is a reset that left the outputs on.
func TestFailureManyCellsJump(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference(hall128.TCA9555))
	r.lay(0, 0)
	r.settle()
	r.mustScan() // The canary of chip 6 is not due for a while.
	// The polarity is gone together with the canary.
	for _, w := range [][]byte{{2, 0xFF, 0xFF}, {4, 0xFF, 0xFF}} {
		if err := r.wires[0].Tx(0x26, w, nil); err != nil {
			t.Fatal(err)
		}
	}
	if f := r.mustScan(); f.Reset != r.cells(6) {
		t.Errorf("not found at once: %+v", f)
	}
	r.wantTruth("all pins jumped")
}

// Interrupts get lost: a poll finds the change in the next scan all the same,
// and it is counted as unannounced; one that is told of in time is not.
func TestFailureLostInterrupt(t *testing.T) {
	withEach(t, func(t *testing.T, r *rig) {
		r.settle()
		unannounced := func() uint64 {
			s := r.board.Stats()
			if s.Changes == 0 && s.Unannounced > 0 {
				t.Error("more unannounced changes than changes")
			}
			return s.Unannounced
		}
		listen := func() {
			if !r.int.Level() {
				r.board.Interrupted()
			}
		}
		listen()
		for i := range 10 { // The line works.
			r.lay(1<<i, 0)
			listen()
			r.mustScan()
			r.wantTruth("announced")
			if !r.int.Level() {
				t.Fatal("the line is low although everything was read")
			}
			r.mustScan()
		}
		if n := unannounced(); n != 0 {
			t.Errorf("%d of 10 announced changes count as unannounced", n)
		}
		r.int.Lose(true)
		for i := range 10 {
			r.lay(1<<i<<20, 0)
			listen()
			r.mustScan()
			r.wantTruth("unannounced")
			r.mustScan()
		}
		if n := unannounced(); n != 10 {
			t.Errorf("%d of 10 unannounced changes are counted", n)
		}
		// The word may come just after the scan.
		r.lay(0, 0)
		r.mustScan()
		r.board.Interrupted()
		r.mustScan()
		if n := unannounced(); n != 10 {
			t.Error("a change that was told of a little late counts as unannounced")
		}
		interruptForNothing(t, r)
	})
}

// interruptForNothing wants the interrupts so far not to have been for nothing,
// and one more that is.
func interruptForNothing(t *testing.T, r *rig) {
	t.Helper()
	before := r.board.Stats()
	r.board.Interrupted()
	r.mustScan()
	r.mustScan()
	after := r.board.Stats()
	if before.Needless != 0 || before.Announced < 11 || after.Announced != before.Announced+1 || after.Needless != 1 {
		t.Errorf("an interrupt for nothing: %+v, then %+v", before, after)
	}
}

// The interrupt erratum of the PCA9555: every chip is parked, so a change while
// others are read stays announced.
func TestFailureInterruptErratum(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference(hall128.PCA9555))
	r.settle()
	for range 40 {
		r.mustScan()
		r.lay(1^r.north, 0) // Chip 0 changes, then another is read.
		if err := r.wires[0].Tx(0x25, []byte{0}, make([]byte, 2)); err != nil {
			t.Fatal(err)
		}
		if err := r.wires[0].Tx(0x25, []byte{2}, nil); err != nil {
			t.Fatal(err)
		}
		if r.int.Level() {
			t.Fatal("the interrupt went away by itself")
		}
	}
}

// Pin 7 of an MCP23017 moves while it is shifted out, after a reset has made an
// input of it: what is read cannot be, the canary is asked, the chip is
// initialised. The frame shows nothing but the Reset, in the next scan.
func TestFailurePin7Disturbs(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference(hall128.MCP23017))
	r.lay(1<<35, 1<<40)
	r.settle()
	for i := range r.chips {
		m, ok := r.chips[i].(*emu.MCP23017)
		if !ok {
			t.Fatal("not an MCP23017")
		}
		floating(m)
		m.DisturbReads(100)
		m.PowerCycle()
		if f := r.mustScan(); f.Reset != r.cells(i) {
			t.Fatalf("chip %d: %+v", i, f)
		}
		r.wantTruth("disturbed")
		r.drive(i)
	}
}

// A disturbance makes an input of GPB7 and leaves the canary: the pin reads as it
// likes. Found in the next scan, and the frame is true all the time.
func TestFailurePin7BecomesAnInput(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference(hall128.MCP23017))
	r.lay(1<<35, 1<<40)
	r.settle()
	if err := r.wires[1].Tx(0x21, []byte{1, 0xFF}, nil); err != nil {
		t.Fatal(err)
	}
	if f := r.mustScan(); f.Reset != r.cells(6) {
		t.Errorf("not found at once: %+v", f)
	}
	r.wantTruth("an input")
	wantInitialised(t, r.chips[6], 0)
}

// A read in which GPA7 is wrong is not believed, and repeated in the same scan.
func TestFailureImplausibleReadIsRepeated(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference(hall128.MCP23017))
	r.settle()
	r.wires[1].Corrupt(0x21, 1, 0x80)
	r.lay(r.cells(6), 0)
	if f := r.mustScan(); f.Reset != 0 {
		t.Errorf("taken for a reset: %+v", f)
	}
	r.wantTruth("a change in the scan with a corrupt read")
}

// stale is a chip, or a wire to it, that has begun to give the same answer to
// every read of its pins, and goes on acknowledging everything.
type stale struct {
	chip
	last   []byte
	frozen bool
}

func (s *stale) Transfer(w, r []byte) error {
	err := s.chip.Transfer(w, r)
	if len(w) != 1 || w[0] != 0x12 && w[0] != 0x00 || len(r) != 2 {
		return err
	}
	if s.frozen && s.last != nil {
		copy(r, s.last)
		return err
	}
	s.last = append(s.last[:0], r...)
	return err
}

// Inputs that are frozen behind a chip that works: an MCP23017 is found by its
// own two outputs, which do not follow any more, within 140 scans; it cannot be
// initialised, and 250 ms later its cells are Lost, until it follows again.
func TestFailureFrozenInputs(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference(hall128.MCP23017))
	const victim = 6
	s := &stale{chip: r.chips[victim]}
	r.wire(victim).Detach(s.Address())
	r.wire(victim).Attach(s)
	r.lay(0, r.cells(victim))
	r.settle()
	s.frozen = true
	r.lay(r.cells(victim), 0) // The frame goes on showing what was.
	n := r.until("frozen inputs", 140+13+1, lostIs(r.cells(victim)))
	t.Logf("found within %d scans", n)
	if r.frame.South != r.cells(victim) || r.frame.Reset != 0 {
		t.Errorf("the frame: %+v", r.frame)
	}
	for range 500 {
		if f := r.mustScan(); f.Lost != r.cells(victim) {
			t.Fatalf("a frozen chip was believed: %+v", f)
		}
	}
	if err := r.board.Stats().Banks[victim].Err; err == nil || !strings.Contains(err.Error(), "0x21") {
		t.Errorf("the cause: %v", err)
	}
	s.frozen = false
	r.untilBack(5*time.Second + 3*tick)
	r.wantTruth("following again")
}

// What cannot be found: a TCA9555 has no pin of its own to tell a frozen input
// from a quiet board. The frame goes on showing what was.
func TestFailureFrozenInputsOfATCA9555(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference(hall128.TCA9555))
	s := &stale{chip: r.chips[6]}
	r.wires[0].Detach(s.Address())
	r.wires[0].Attach(s)
	r.settle()
	s.frozen = true
	r.lay(r.cells(6), 0)
	for range 500 {
		if f := r.mustScan(); f != (hardware.Frame{}) {
			t.Fatalf("found, say so in the documentation: %+v", f)
		}
	}
}

// Both outputs of a sensor active is physically impossible and reported as it
// is, in the next scan; a change that is one disc turned over is too.
func TestFailureBothOutputsActive(t *testing.T) {
	withEach(t, func(_ *testing.T, r *rig) {
		r.settle()
		for c := range 64 {
			r.lay(1<<c, 1<<c)
			r.mustScan()
			r.wantTruth("north and south at once")
		}
	})
}

// Whatever fails, in any order: the frame never shows what was not there, Lost
// or not, and shows the truth as soon as chips and buses have been sound for
// long enough to be probed.
func TestFailuresInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t, hall128.Reference(rapid.SampledFrom(kinds()).Draw(rt, "kind")))
		r.lay(rapid.Uint64().Draw(rt, "north"), rapid.Uint64().Draw(rt, "south"))
		r.settle()
		for range rapid.IntRange(1, 6).Draw(rt, "faults") {
			r.anyFault(rt)
			for range rapid.IntRange(0, 40).Draw(rt, "scans") {
				_ = r.scan() // The frame says what matters.
				if r.frame.North != r.north || r.frame.South != r.south {
					rt.Fatalf("north %x south %x, want %x %x", r.frame.North, r.frame.South, r.north, r.south)
				}
			}
		}
		for _, w := range r.wires {
			w.Heal()
		}
		for range 260 { // 5 s until the last probe.
			_ = r.scan()
		}
		r.wantTruth("healed")
	})
}

func (r *rig) anyFault(rt *rapid.T) {
	i := rapid.IntRange(0, len(r.chips)-1).Draw(rt, "chip")
	w, a := r.wire(i), r.addr(i)
	times := rapid.IntRange(1, 9).Draw(rt, "times")
	switch rapid.IntRange(0, 7).Draw(rt, "fault") {
	case 0:
		w.Fail(a, emu.NoAck())
	case 1:
		w.FailTimes(a, times, syscall.ETIMEDOUT)
	case 2:
		w.BrownOut(a)
	case 3:
		w.HoldSDA(a, -1)
	case 4:
		w.Corrupt(a, times, 0xFF)
	case 5:
		w.Stretch(a, times)
	case 6:
		w.SetNoise(a, emu.Noise{Nacks: 0.3})
	case 7:
		w.Corrupt(a, 1, 1<<(times-1))
	}
}
