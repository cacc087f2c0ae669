package hall128_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/hardware"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/hall128"
)

const tick = 20 * time.Millisecond // 50 scans a second.

// rig is a board of emulated chips on virtual time.
type rig struct {
	t     *testing.T
	now   time.Duration
	wire  *emu.Bus
	chips [hall128.Chips]*emu.TCA9555
	bus   *hardware.Bus
	board *hall128.Board
	frame hardware.Frame
}

func newRig(t *testing.T, c hall128.Config) *rig {
	t.Helper()
	r := &rig{t: t, wire: emu.NewBus()}
	for i, addr := range c.Addrs {
		r.chips[i] = emu.NewTCA9555(addr, emu.TCAOptions{PCA9555: c.Park})
		r.chips[i].SetPins(0xFFFF, 0)
		r.wire.Attach(r.chips[i])
	}
	// What periph's Linux bus does; the texts alone must be enough.
	r.wire.HideErrno(true)
	r.bus = hardware.NewBus(r.wire, hardware.BusOptions{
		Inline: true,
		Now:    func() time.Duration { return r.now },
		Sleep: func(context.Context, time.Duration) error {
			t.Error("a scan slept")
			return nil
		},
	})
	t.Cleanup(func() {
		if err := r.bus.Close(); err != nil {
			t.Error(err)
		}
	})
	board, err := hall128.New(r.bus, c)
	if err != nil {
		t.Fatal(err)
	}
	r.board = board
	return r
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
	if r.frame.Lost != 0 {
		r.t.Fatalf("cells %x are lost on a healthy board", r.frame.Lost)
	}
}

func rank(r int) uint64 { return 0xFF << (8 * r) }

func TestBitsOnTheWire(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		park              bool
		plain, withACheck uint64
	}{
		{park: true, plain: 544, withACheck: 544 - 20 + 48},
		{park: false, plain: 384, withACheck: 384 + 48},
	} {
		c := hall128.Reference()
		c.Park = tc.park
		r := newRig(t, c)
		r.settle()
		seen := map[uint64]int{}
		for range 64 {
			r.wire.ResetStats()
			r.mustScan()
			seen[r.wire.Stats().Bits]++
		}
		if len(seen) != 2 || seen[tc.plain] != 32 || seen[tc.withACheck] != 32 {
			t.Errorf("park %v: scans by clocks on the wire %v, want 32 of %d and 32 of %d", tc.park, seen, tc.plain, tc.withACheck)
		}
	}
}

func TestEverySensorIsSeenInItsPlace(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference())
	r.settle()
	for cell := range hall128.Cells {
		chip, file := r.chips[cell/8], cell%8
		chip.SetPins(^(uint16(1) << file), 0)
		if f := r.mustScan(); f != (hardware.Frame{North: 1 << cell}) {
			t.Fatalf("north at cell %d: %+v", cell, f)
		}
		chip.SetPins(^(uint16(1) << (8 + file)), 0)
		if f := r.mustScan(); f != (hardware.Frame{South: 1 << cell}) {
			t.Fatalf("south at cell %d: %+v", cell, f)
		}
		chip.SetPins(0xFFFF, 0)
	}
}

func TestSilentResetIsFoundWithinASecond(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference())
	for i := range r.chips {
		r.chips[i].SetPins(0xFF00|uint16(i), 0)
	}
	r.settle()
	want := r.frame
	rng := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // Repeatable on purpose.
	for range 60 {
		for range rng.IntN(70) {
			r.mustScan()
		}
		victim := rng.IntN(hall128.Chips)
		r.chips[victim].PowerCycle()
		since, found := r.now, 0
		for r.now < since+2*time.Second {
			f := r.mustScan()
			if f.Reset != 0 {
				found++
				r.checkReset(victim, r.now-since)
			}
			if f.North != want.North || f.South != want.South || f.Lost != 0 {
				t.Fatalf("a reset changed what the board shows: %+v", f)
			}
		}
		if found != 1 {
			t.Fatalf("the reset of rank %d was reported %d times", victim, found)
		}
	}
}

// checkReset checks that the scan just made reports the right chip in time and
// has repaired it.
func (r *rig) checkReset(victim int, after time.Duration) {
	r.t.Helper()
	if r.frame.Reset != rank(victim) || after > time.Second {
		r.t.Fatalf("reset of rank %d: cells %x reported after %v", victim, r.frame.Reset, after)
	}
	if regs := r.chips[victim].Registers(); regs[2] != 0x5A || regs[3] != 0xA5 || regs[6] != 0xFF || regs[7] != 0xFF {
		r.t.Fatalf("the chip was not initialised again: % X", regs)
	}
}

// A disturbed configuration makes outputs of pins that sensors drive: it must
// not last.
func TestDisturbedRegistersAreRewritten(t *testing.T) {
	t.Parallel()
	for _, reg := range []byte{2, 4, 6} {
		r := newRig(t, hall128.Reference())
		r.settle()
		if err := r.wire.Tx(0x26, []byte{reg, 0x0F}, nil); err != nil {
			t.Fatal(err)
		}
		since := r.now
		for r.mustScan().Reset == 0 {
			if r.now-since > 1500*time.Millisecond {
				t.Fatalf("register %02Xh was never checked", reg)
			}
		}
		if got, want := r.chips[6].Registers(), [...]byte{2: 0x5A, 0xA5, 0x00, 0x00, 0xFF, 0xFF}; [6]byte(got[2:]) != [6]byte(want[2:]) {
			t.Errorf("registers are % X, want % X", got, want)
		}
	}
}

func TestABankThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference())
	r.chips[2].SetPins(0xFF7F, 0) // h3, north.
	r.settle()
	want := r.frame
	r.wire.Fail(0x22, syscall.EREMOTEIO)
	start := r.now
	var lostAfter time.Duration
	for r.now < start+5*time.Second {
		// The others go on changing and are seen in the same scan.
		level := uint16(r.now / tick & 1)
		r.chips[5].SetPins(0xFFFE|level, 0)
		f := r.mustScan()
		if f.North>>40&1 != uint64(1-level) {
			t.Fatal("another bank is not read in every scan")
		}
		if f.North&rank(2) != want.North&rank(2) || f.Reset != 0 {
			t.Fatalf("a bank without answer must be frozen, not changed: %+v", f)
		}
		switch {
		case f.Lost == rank(2):
			if lostAfter == 0 {
				lostAfter = r.now - start
			}
		case f.Lost != 0 || lostAfter != 0:
			t.Fatalf("lost cells %x", f.Lost)
		}
	}
	if lostAfter == 0 || lostAfter > 260*time.Millisecond {
		t.Errorf("rank 3 was lost after %v", lostAfter)
	}
	if n := r.board.Stats()[2].Failed; n > 300 {
		t.Errorf("%d failures counted in 250 scans", n)
	}
	// It returns without its registers, and with the disc gone.
	r.chips[2].PowerCycle()
	r.chips[2].SetPins(0xFFFF, 0)
	r.wire.Heal()
	r.untilBack(5 * time.Second)
	if r.frame.North&rank(2) != 0 {
		t.Error("the bank is back with what it showed before")
	}
	if regs := r.chips[2].Registers(); regs[2] != 0x5A {
		t.Errorf("a chip that returned was believed without initialisation: % X", regs)
	}
}

// untilBack scans until no cell is lost.
func (r *rig) untilBack(limit time.Duration) {
	r.t.Helper()
	for start := r.now; r.frame.Lost != 0; {
		if r.now-start > limit {
			r.t.Fatalf("cells %x never came back", r.frame.Lost)
		}
		_ = r.scan() // The frame says what matters.
	}
}

func TestShortDropOutCostsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference())
	r.settle()
	for _, times := range []int{1, 2, 3} {
		r.wire.FailTimes(0x24, times, syscall.EREMOTEIO)
		for range 5 {
			if f := r.mustScan(); f.Lost != 0 || f.Reset != 0 {
				t.Fatalf("%d failed transfers: %+v", times, f)
			}
		}
	}
}

// One failed transfer is repeated when the other chips are done.
func TestRetryIsInTheSameScan(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference())
	r.settle()
	r.wire.FailTimes(0x24, 1, syscall.EREMOTEIO)
	r.chips[4].SetPins(0xFFFE, 0)
	if f := r.mustScan(); f.North != 1<<32 {
		t.Errorf("the change is not in the scan in which one transfer failed: %+v", f)
	}
}

// A supply that dips makes a chip miss a transfer and forget its registers:
// whoever did not answer has to show the canary first.
func TestFailureMakesSuspicious(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference())
	r.settle()
	r.mustScan() // The next checks are not due on this chip.
	r.wire.FailTimes(0x26, 1, syscall.EREMOTEIO)
	r.chips[6].PowerCycle()
	if f := r.mustScan(); f.Reset != rank(6) || f.Lost != 0 {
		t.Errorf("the reset was not found at once: %+v", f)
	}
}

// A chip that answers every transfer, but with wrong bytes, is found by the
// checks, given up, and asked now and then.
func TestAChipThatAnswersNonsense(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference())
	r.settle()
	r.wire.Corrupt(0x25, 1<<30, 0x40)
	for start := r.now; r.frame.Lost == 0; {
		if r.now-start > 640*time.Millisecond+hall128.Stale+2*tick {
			t.Fatal("nonsense is still believed")
		}
		r.mustScan()
	}
	if r.frame.Lost != rank(5) {
		t.Fatalf("lost cells %x, want rank 6", r.frame.Lost)
	}
	r.wire.ResetStats()
	for range 500 {
		r.mustScan()
	}
	// Seven chips and half a check a scan; a try of 258 clocks, at most eight
	// in 10 s.
	if limit := uint64(500*(7*68+28) + 8*258); r.wire.Stats().Bits > limit {
		t.Errorf("%d clocks in 10 s, want at most %d: a hopeless chip takes the others' time", r.wire.Stats().Bits, limit)
	}
	r.wire.Heal()
	r.untilBack(5 * time.Second)
	if r.frame != (hardware.Frame{}) {
		t.Errorf("healed: %+v", r.frame)
	}
}

// The first read after a return may be anything; two equal ones count.
func TestReturnNeedsTwoEqualReads(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference())
	r.settle()
	r.wire.Fail(0x20, syscall.EREMOTEIO)
	for range 6 {
		r.mustScan()
	}
	r.wire.Heal()
	inits := r.board.Stats()[0].Inits
	for i := 0; r.board.Stats()[0].Inits == inits; i++ {
		if i > 100 {
			t.Fatal("a bank that was lost came back without initialisation")
		}
		r.mustScan()
	}
	for i := range 20 {
		r.chips[0].SetPins(0xFFFE<<(i%2), 0)
		if f := r.mustScan(); f.Lost != rank(0) || f.North != 0 {
			t.Fatalf("reads that differ were believed: %+v", f)
		}
	}
	if f := r.mustScan(); f.Lost != 0 || f.North == 0 {
		t.Errorf("after two equal reads: %+v", f)
	}
}

func TestDeadBusIsAnErrorAndHeals(t *testing.T) {
	t.Parallel()
	for no, perScan := range map[syscall.Errno]uint64{
		syscall.ETIMEDOUT: 1,
		syscall.EIO:       1,
		syscall.EAGAIN:    4, // Arbitration is tried again at once.
	} {
		r := newRig(t, hall128.Reference())
		r.chips[0].SetPins(0xFFFE, 0)
		r.settle()
		r.wire.FailAll(no)
		for i := range 60 {
			r.wire.ResetStats()
			err := r.scan()
			if err == nil {
				t.Fatalf("%v: a scan of a dead bus succeeded", no)
			}
			if n := r.wire.Stats().Transactions; n > perScan {
				t.Fatalf("%v: scan %d waited for %d timeouts", no, i, n)
			}
			if r.frame.North != 1 {
				t.Fatalf("%v: a dead bus must freeze the board: %+v", no, r.frame)
			}
		}
		if r.frame.Lost != ^uint64(0) {
			t.Fatalf("%v: lost cells %x after 1.2 s", no, r.frame.Lost)
		}
		r.wire.Heal()
		r.untilBack(4 * time.Second)
		if r.frame.North != 1 {
			t.Errorf("%v: %+v", no, r.frame)
		}
	}
}

// A chip that hangs the bus whenever it is addressed must not starve the rest.
func TestOneHangingChip(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference())
	r.settle()
	r.wire.Fail(0x20, syscall.ETIMEDOUT)
	lost := uint64(0)
	for range 500 {
		_ = r.scan() // A scan that begins with the hanging chip may fail as a whole.
		lost |= r.frame.Lost &^ rank(0)
	}
	if lost != 0 || r.frame.Lost != rank(0) {
		t.Errorf("lost over 10 s: %x beside rank 1, now %x", lost, r.frame.Lost)
	}
}

func TestABoardWithAMissingChipWorks(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference())
	r.wire.Detach(0x27)
	for range 10 {
		r.mustScan()
	}
	if r.frame.Lost != rank(7) {
		t.Errorf("lost cells %x, want rank 8", r.frame.Lost)
	}
	r.wire.Attach(r.chips[7])
	for range 500 {
		r.mustScan()
	}
	if r.frame.Lost != 0 {
		t.Errorf("a chip plugged in later was not found: %x", r.frame.Lost)
	}
}

func TestNoChipAtAllIsAnError(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference())
	for _, c := range r.chips {
		r.wire.Detach(c.Address())
	}
	for range 50 {
		if err := r.scan(); err == nil || r.frame.Lost != ^uint64(0) {
			t.Fatalf("without power: %v, lost %x", err, r.frame.Lost)
		}
	}
}

func TestScanEndsWithItsContextAndBus(t *testing.T) {
	t.Parallel()
	r := newRig(t, hall128.Reference())
	r.settle()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.board.Scan(ctx, r.now, &r.frame); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
	if err := r.bus.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.board.Scan(t.Context(), r.now, &r.frame); !errors.Is(err, hardware.ErrClosed) {
		t.Errorf("closed bus: %v", err)
	}
}

// With the owner's goroutine and the bus's own clock, in virtual time.
func TestScanThroughTheOwner(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wire := emu.NewBus()
		for a := uint16(0x20); a < 0x28; a++ {
			chip := emu.NewTCA9555(a, emu.TCAOptions{})
			chip.SetPins(0xFFFE, 0)
			wire.Attach(chip)
		}
		bus := hardware.NewBus(wire, hardware.BusOptions{})
		board, err := hall128.New(bus, hall128.Reference())
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		var f hardware.Frame
		every := time.NewTicker(tick)
		defer every.Stop()
		scans := func(n int) {
			for range n {
				<-every.C
				if err := board.Scan(t.Context(), time.Since(start), &f); err != nil {
					t.Fatal(err)
				}
			}
		}
		scans(10)
		wire.Fail(0x21, syscall.EREMOTEIO)
		scans(40)
		if f.Lost != rank(1) {
			t.Errorf("lost cells %x, want rank 2", f.Lost)
		}
		wire.Heal()
		scans(50)
		if f.Lost != 0 || f.North != 0x0101010101010101 || time.Since(start) != 100*tick {
			t.Errorf("after %v: %+v", time.Since(start), f)
		}
		if err := bus.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestScanAllocatesNothing(t *testing.T) {
	for _, inline := range []bool{true, false} {
		wire := emu.NewBus()
		for a := uint16(0x20); a < 0x28; a++ {
			wire.Attach(emu.NewTCA9555(a, emu.TCAOptions{}))
		}
		bus := hardware.NewBus(wire, hardware.BusOptions{Inline: inline})
		board, err := hall128.New(bus, hall128.Reference())
		if err != nil {
			t.Fatal(err)
		}
		var f hardware.Frame
		ctx := t.Context()
		now := time.Duration(0)
		if n := testing.AllocsPerRun(500, func() {
			now += tick
			if err := board.Scan(ctx, now, &f); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("inline %v: %v allocations per scan", inline, n)
		}
		if err := bus.Close(); err != nil {
			t.Error(err)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	for name, inline := range map[string]bool{"inline": true, "owner": false} {
		b.Run(name, func(b *testing.B) {
			wire := emu.NewBus()
			for a := uint16(0x20); a < 0x28; a++ {
				wire.Attach(emu.NewTCA9555(a, emu.TCAOptions{}))
			}
			bus := hardware.NewBus(wire, hardware.BusOptions{Inline: inline})
			board, err := hall128.New(bus, hall128.Reference())
			if err != nil {
				b.Fatal(err)
			}
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
			if err := bus.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
