package hallanalog_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"periph.io/x/conn/v3/physic"
	"pgregory.net/rapid"

	"reversi-board/hardware"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/hallanalog"
)

// timeout is how long a transfer on a dead bus takes.
const timeout = 50 * time.Millisecond

// rig is a board of emulated chips on virtual time: transfers take the time of
// their bits, conversions theirs, and waiting passes.
type rig struct {
	t     testing.TB
	now   time.Duration
	volts [hallanalog.Cells]float64
	wire  *emu.Bus
	adcs  []*emu.ADS1115
	muxes []*emu.CD74HC4067
	// selects is called before a channel is selected, if it is not nil.
	selects func(channel int) error
	// sleeps is called after the board has waited, if it is not nil.
	sleeps func(d time.Duration)
	bus    *hardware.Bus
	board  *hallanalog.Board
	frame  hardware.Frame
}

func newRig(t testing.TB, c hallanalog.Config) *rig {
	t.Helper()
	r := &rig{t: t, wire: emu.NewBus()}
	clock := func() time.Duration { return r.now }
	spend := func(d time.Duration) { r.now += d }
	c.Sleep = func(d time.Duration) {
		spend(d)
		if r.sleeps != nil {
			r.sleeps(d)
		}
	}
	for i := range r.volts {
		r.volts[i] = volts(i)
	}
	for i, addr := range c.Addrs {
		r.adcs = append(r.adcs, emu.NewADS1115(addr, emu.ADS1115Options{Now: clock}))
		for input := range hallanalog.Inputs {
			mux := emu.NewCD74HC4067(emu.MuxOptions{
				Now: clock, Gap: 10 * time.Nanosecond, Settle: 2 * time.Microsecond,
			})
			r.muxes = append(r.muxes, mux)
			r.adcs[i].SetInput(input, mux.Common)
		}
		r.wire.Attach(r.adcs[i])
	}
	for i, cell := range c.Cells {
		r.muxes[cell.ADC*hallanalog.Inputs+cell.AIN].SetChannel(cell.Channel, func(time.Duration) float64 { return r.volts[i] })
	}
	// What periph's Linux bus does; the texts alone must be enough.
	r.wire.HideErrno(true)
	r.wire.SetTiming(emu.Timing{Spend: spend, Wire: true, Timeout: timeout})
	r.bus = hardware.NewBus(r.wire, hardware.BusOptions{
		Inline: true,
		Now:    clock,
		Sleep: func(context.Context, time.Duration) error {
			t.Error("a scan slept for a chip that did not answer")
			return nil
		},
	})
	t.Cleanup(func() {
		if err := r.bus.Close(); err != nil {
			t.Error(err)
		}
	})
	board, err := hallanalog.New(r.bus, r, c)
	if err != nil {
		t.Fatal(err)
	}
	r.board = board
	return r
}

// Select implements hallanalog.Selector.
func (r *rig) Select(channel int) error {
	if r.selects != nil {
		if err := r.selects(channel); err != nil {
			return err
		}
	}
	for _, m := range r.muxes {
		m.SetLines(uint8(channel))
	}
	return nil
}

// volts is a voltage that belongs to one cell only: 0.25 V to 3 V.
func volts(cell int) float64 { return 0.25 + float64(cell)*2.75/63 }

// counts is what it must be read as: 125 µV a count.
func counts(v float64) uint16 { return uint16(math.Round(v / 125e-6)) }

func near(a, b uint16) bool { return max(a, b)-min(a, b) <= 1 }

func (r *rig) scan() error { return r.board.Scan(r.t.Context(), r.now, &r.frame) }

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
	for range 2 {
		r.mustScan()
	}
	if r.frame.Lost != 0 {
		r.t.Fatalf("cells %x are lost on a healthy board", r.frame.Lost)
	}
	r.check(^uint64(0))
}

// check compares the counts of cells with the voltages.
func (r *rig) check(cells uint64) {
	r.t.Helper()
	for i, got := range r.frame.Counts {
		if cells>>i&1 != 0 && !near(got, counts(r.volts[i])) {
			r.t.Fatalf("at %v: cell %d shows %d counts, want %d", r.now, i, got, counts(r.volts[i]))
		}
	}
}

// untilBack scans until no cell is lost.
func (r *rig) untilBack(limit time.Duration) {
	r.t.Helper()
	for start := r.now; r.frame.Lost != 0; {
		if r.now-start > limit {
			r.t.Fatalf("cells %x never came back", r.frame.Lost)
		}
		r.badScan()
	}
}

// badScan scans; the frame says what matters.
func (r *rig) badScan() {
	before := r.now
	_ = r.scan()
	if r.now == before {
		r.now += 20 * time.Millisecond // Nothing was asked.
	}
}

// ranks are the cells of multiplexer k on the reference boards.
func ranks(k int) uint64 { return 0xFFFF << (16 * k) }

func boards() map[string]func() hallanalog.Config {
	return map[string]func() hallanalog.Config{"single": hallanalog.Single, "quad": hallanalog.Quad}
}

func TestEveryCellIsSeenInItsPlace(t *testing.T) {
	t.Parallel()
	for name, c := range boards() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c())
			r.settle()
			for cell := range hallanalog.Cells {
				before := r.frame.Counts
				r.volts[cell] = 3.2
				f := r.mustScan()
				before[cell] = f.Counts[cell]
				if !near(f.Counts[cell], 25600) || f.Counts != before || f.Lost|f.Stale|f.North|f.South|f.Reset != 0 || !f.Analog {
					t.Fatalf("3.2 V at cell %d: %+v", cell, f)
				}
				r.volts[cell] = volts(cell)
				r.mustScan()
			}
		})
	}
}

func TestAnyWiring(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := hallanalog.Config{Addrs: []uint16{0x4B, 0x48, 0x4A, 0x49}}
		places := make([]int, 4*4*16)
		for i := range places {
			places[i] = i
		}
		places = rapid.Permutation(places).Draw(rt, "places")
		for i := range c.Cells {
			c.Cells[i] = hallanalog.Cell{ADC: places[i] / 64, AIN: places[i] / 16 % 4, Channel: places[i] % 16}
		}
		if c.Validate() != nil {
			rt.Skip() // A converter without cells; one case in a hundred thousand.
		}
		newRig(t, c).settle()
	})
}

// The arithmetic: 64 conversions of three transfers (38, 48 and 48 clocks) and
// one canary of two (96 clocks); a channel settles in 50 µs; a conversion takes
// 1/860 s + 25 µs, and 10 % more at the slowest rate. One converter makes them
// one after the other, four make them in 16 rounds.
func TestScanTimeAndBits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		config hallanalog.Config
		rounds int
		speed  physic.Frequency
		pace   float64
		// about is the time in ms by the arithmetic above, with the wait that is
		// never shorter than a typical conversion, without settling and canary.
		about float64
	}{
		{"1 converter, 400 kHz, slowest", hallanalog.Single(), 64, 400 * physic.KiloHertz, 1.1, 105},
		{"1 converter, 400 kHz, typical", hallanalog.Single(), 64, 400 * physic.KiloHertz, 1, 98},
		{"1 converter, 400 kHz, fastest", hallanalog.Single(), 64, 400 * physic.KiloHertz, 0.9, 98},
		{"1 converter, 100 kHz, slowest", hallanalog.Single(), 64, 100 * physic.KiloHertz, 1.1, 169},
		{"4 converters, 400 kHz, slowest", hallanalog.Quad(), 16, 400 * physic.KiloHertz, 1.1, 42},
		{"4 converters, 400 kHz, typical", hallanalog.Quad(), 16, 400 * physic.KiloHertz, 1, 40},
		{"4 converters, 100 kHz, slowest", hallanalog.Quad(), 16, 100 * physic.KiloHertz, 1.1, 106},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tc.config)
			if err := r.wire.SetSpeed(tc.speed); err != nil {
				t.Fatal(err)
			}
			for _, a := range r.adcs {
				a.SetPace(tc.pace)
			}
			took, bits := r.measure(20)
			// The slowest part is asked a second time at most, others never.
			spare := 0.0
			if tc.pace > 1 {
				spare = 64 * 48
			}
			if least := 64*(38+48+48) + 96.0; bits < least || bits > least+spare {
				t.Errorf("%.0f clocks, want %.0f to %.0f", bits, least, least+spare)
			}
			wait := float64(tc.rounds) * (1000.0/860*tc.pace + 0.025)
			wire := bits * 1e6 / float64(tc.speed/physic.MilliHertz)
			// While the first of four is asked, the others go on.
			if most := wire + max(wait, float64(tc.rounds)*1.1878) + 16*0.05; took > most+0.01 {
				t.Errorf("%.2f ms, want at most %.2f", took, most)
			}
			if took > tc.about*1.02+1.1 {
				t.Errorf("%.1f ms, want about %.0f", took, tc.about)
			}
		})
	}
}

// measure scans and returns what a scan takes, in ms and in clocks.
func (r *rig) measure(scans int) (took, bits float64) {
	r.t.Helper()
	r.settle()
	r.wire.ResetStats()
	start := r.now
	for range scans {
		r.mustScan()
		r.check(^uint64(0))
	}
	s, n := r.wire.Stats(), float64(scans)
	took = (r.now - start).Seconds() * 1000 / n
	bits = float64(s.Bits) / n
	r.t.Logf("%.1f ms, %.1f scans a second, %.0f clocks and %.0f transfers a scan", took, 1000/took, bits, float64(s.Transactions)/n)
	return took, bits
}

// Chips with clocks anywhere within the data sheet's tolerance, and far beyond
// it: a cell shows its own voltage or what it showed before, never another's.
// The voltages change between scans, so that an old conversion of the same cell
// would show as well.
func TestNeverAnotherCellsVoltage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := hallanalog.Single()
		if rapid.Bool().Draw(rt, "quad") {
			c = hallanalog.Quad()
		}
		r := newRig(t, c)
		for _, a := range r.adcs {
			a.SetPace(rapid.Float64Range(0.9, 1.1).Draw(rt, "pace"))
		}
		r.settle()
		seed := rapid.Uint64().Draw(rt, "seed")
		rng := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // Repeatable on purpose.
		r.selects = func(int) error { return r.trouble(rng, c.Addrs) }
		shown := r.frame.Counts
		for range 40 {
			for i := range r.volts {
				r.volts[i] = 0.25 + 0.01*float64(rng.IntN(290))
			}
			_ = r.scan() // Anything may fail here.
			if i := r.foreign(shown); i >= 0 {
				rt.Fatalf("cell %d shows %d counts, its voltage is %d and it showed %d", i, r.frame.Counts[i], counts(r.volts[i]), shown[i])
			}
			shown = r.frame.Counts
		}
		// Then nothing is wrong any more.
		r.selects = nil
		r.wire.Heal()
		for _, a := range r.adcs {
			a.Stall(false)
			a.SetPace(1.1)
		}
		for start := r.now; r.now < start+6*time.Second; { // The longest pause is 5 s.
			r.badScan()
		}
		r.mustScan()
		r.check(^r.frame.Lost)
		if r.frame.Lost != 0 {
			rt.Fatalf("cells %x never came back", r.frame.Lost)
		}
	})
}

// trouble does something to a converter, or nothing.
func (r *rig) trouble(rng *rand.Rand, addrs []uint16) error {
	adc := rng.IntN(len(r.adcs))
	switch rng.IntN(40) {
	case 0:
		r.adcs[adc].SetPace(0.9 + 5*rng.Float64()*rng.Float64())
	case 1:
		r.adcs[adc].Stall(true)
	case 2, 3, 4:
		r.adcs[adc].Stall(false)
	case 5, 6, 7:
		r.adcs[adc].SetPace(0.9 + 0.2*rng.Float64())
	case 8:
		r.wire.FailTimes(addrs[adc], 1+rng.IntN(3), syscall.EREMOTEIO)
	case 9:
		r.adcs[adc].PowerCycle()
	case 10:
		return syscall.EBUSY
	}
	return nil
}

// foreign returns a cell that has changed to something that is not its own
// voltage, or -1.
func (r *rig) foreign(before [hallanalog.Cells]uint16) int {
	for i, got := range r.frame.Counts {
		if got != before[i] && !near(got, counts(r.volts[i])) {
			return i
		}
	}
	return -1
}

func TestSilentResetIsFoundWithinAScanOfEveryConverter(t *testing.T) {
	t.Parallel()
	for name, c := range boards() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c())
			r.settle()
			rng := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // Repeatable on purpose.
			for range 20 {
				victim := rng.IntN(len(r.adcs))
				r.adcs[victim].PowerCycle()
				if scans := r.untilReset(r.board.Stats()[victim].Cells); scans > len(r.adcs) {
					t.Fatalf("the reset was found by scan %d", scans)
				}
				if regs := r.adcs[victim].Registers(); regs[2] != 0x5AA5 || regs[3] != 0xA55A {
					t.Fatalf("the chip was not initialised again: %04X", regs)
				}
			}
			if n := r.board.Stats()[0].Resets; n == 0 {
				t.Error("no reset was counted")
			}
		})
	}
}

// untilReset scans ten times and returns which scan reported a reset of the
// cells; exactly one must.
func (r *rig) untilReset(cells uint64) (scan int) {
	r.t.Helper()
	found := 0
	for i := range 10 {
		f := r.mustScan()
		r.check(^uint64(0))
		if f.Lost != 0 || f.Reset&^cells != 0 {
			r.t.Fatalf("lost cells %x, reset %x", f.Lost, f.Reset)
		}
		if f.Reset == cells {
			found, scan = found+1, i+1
		}
	}
	if found != 1 {
		r.t.Fatalf("the reset was reported %d times", found)
	}
	return scan
}

// A reset between start and result is found at once, and the conversion made
// again.
func TestResetDuringAConversion(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Single())
	r.settle()
	conversions := 0
	r.sleeps = func(d time.Duration) {
		if d > time.Millisecond {
			if conversions++; conversions == 30 {
				r.adcs[0].PowerCycle()
			}
		}
	}
	for i := range r.volts {
		r.volts[i] = volts(63 - i)
	}
	f := r.mustScan()
	if f.Reset != ^uint64(0) || f.Lost != 0 || conversions != 65 {
		t.Errorf("reset %x lost %x, %d conversions", f.Reset, f.Lost, conversions)
	}
	if f = r.mustScan(); f.Reset != 0 || f.Lost != 0 {
		t.Errorf("reset %x lost %x in the scan after it", f.Reset, f.Lost)
	}
	r.check(^uint64(0))
}

func TestAConverterThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Quad())
	r.settle()
	want := r.frame.Counts
	r.wire.Fail(0x4A, syscall.EREMOTEIO)
	start := r.now
	var lostAfter time.Duration
	for r.now < start+5*time.Second {
		// The others go on changing and are seen in the same scan.
		for _, cell := range []int{0, 17, 63} {
			r.volts[cell] = 1 + math.Mod(r.now.Seconds(), 1)
		}
		f := r.mustScan()
		r.check(^ranks(2))
		if !slices.Equal(f.Counts[32:48], want[32:48]) {
			t.Fatalf("cells of the converter that does not answer changed from %d to %d", want[32:48], f.Counts[32:48])
		}
		switch {
		case f.Lost == ranks(2):
			if lostAfter == 0 {
				lostAfter = r.now - start
			}
		case f.Lost != 0 || lostAfter != 0:
			t.Fatalf("lost cells %x", f.Lost)
		}
	}
	// Two failures in the first scan, one at its end, one in the second.
	if lostAfter < 45*time.Millisecond || lostAfter > 100*time.Millisecond {
		t.Errorf("the cells were lost after %v, want the end of the second scan", lostAfter)
	}
	stats := r.board.Stats()[2]
	if stats.State != hallanalog.Absent || stats.Err == nil || stats.Cells != ranks(2) || stats.Addr != 0x4A {
		t.Errorf("%+v", stats)
	}
	// It returns without its registers, and with other voltages.
	r.adcs[2].PowerCycle()
	for i := 32; i < 48; i++ {
		r.volts[i] = 2
	}
	r.wire.Heal()
	r.untilBack(6 * time.Second)
	r.check(^uint64(0))
	if regs := r.adcs[2].Registers(); regs[2] != 0x5AA5 || regs[3] != 0xA55A {
		t.Errorf("a chip that returned was believed without initialisation: %04X", regs)
	}
	if s := r.board.Stats()[2].State; s != hallanalog.Live {
		t.Errorf("it is %v", s)
	}
}

func TestShortDropOutCostsNothing(t *testing.T) {
	t.Parallel()
	for name, c := range boards() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c())
			r.settle()
			for times := 1; times <= 3; times++ {
				at := 0
				r.selects = func(channel int) error {
					if channel == 5+times && at == 0 {
						at++
						r.wire.FailTimes(0x48, times, syscall.EREMOTEIO)
					}
					return nil
				}
				for range 4 {
					if f := r.mustScan(); f.Lost != 0 || f.Reset != 0 {
						t.Fatalf("%d failed transfers: lost %x reset %x", times, f.Lost, f.Reset)
					}
				}
			}
		})
	}
}

// A single failure is made good in the same scan.
func TestRetryIsInTheSameScan(t *testing.T) {
	t.Parallel()
	for name, c := range boards() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c())
			r.settle()
			for i := range r.volts {
				r.volts[i] = volts(63 - i)
			}
			r.selects = func(channel int) error {
				if channel == 9 {
					r.wire.FailTimes(0x48, 1, syscall.EREMOTEIO)
				}
				return nil
			}
			r.mustScan()
			r.check(^uint64(0))
		})
	}
}

// A wire that flips three bits in ten thousand changes no cell by much and takes no
// converter for reset: what differs from before is read again, and a register
// that is not as it was left is looked at three times.
func TestNoisyWire(t *testing.T) {
	t.Parallel()
	for name, c := range boards() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testNoisyWire(t, c())
		})
	}
}

func testNoisyWire(t *testing.T, c hallanalog.Config) {
	t.Helper()
	r := newRig(t, c)
	r.settle()
	r.wire.Seed(3)
	r.wire.SetNoise(emu.AnyAddress, emu.Noise{Flips: 3e-4})
	for scan := range 200 {
		r.volts[scan%64] = volts(63 - scan%64)
		if f := r.mustScan(); f.Lost != 0 || f.Reset != 0 {
			t.Fatalf("scan %d: lost %x reset %x", scan, f.Lost, f.Reset)
		}
		for i, got := range r.frame.Counts {
			if want := counts(r.volts[i]); max(got, want)-min(got, want) > 256 {
				t.Fatalf("scan %d: cell %d shows %d counts, want %d", scan, i, got, want)
			}
		}
	}
	var unequal uint64
	for _, s := range r.board.Stats() {
		unequal += s.Unequal
	}
	if unequal < 10 {
		t.Errorf("%d corrupt results were noticed", unequal)
	}
}

// A supply that dips makes a chip miss a transfer and forget its registers.
func TestFailureMakesSuspicious(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Quad())
	r.settle()
	for range 4 {
		r.selects = func(channel int) error {
			if channel == 3 {
				r.wire.FailTimes(0x49, 1, syscall.EREMOTEIO)
				r.adcs[1].PowerCycle()
			}
			return nil
		}
		if f := r.mustScan(); f.Reset != ranks(1) || f.Lost != 0 {
			t.Fatalf("the reset was not found at once: reset %x lost %x", f.Reset, f.Lost)
		}
		r.selects = nil
		for range 3 {
			r.mustScan()
		}
	}
}

// A converter whose conversions never end costs the others little and comes
// back when it works again.
func TestAConverterThatNeverFinishes(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Quad())
	r.settle()
	r.adcs[3].Stall(true)
	start, scans := r.now, 0
	for r.now < start+5*time.Second {
		f := r.mustScan()
		r.check(^uint64(0))
		if f.Lost&^ranks(3) != 0 {
			t.Fatalf("lost cells %x", f.Lost)
		}
		scans++
	}
	if r.frame.Lost != ranks(3) {
		t.Fatalf("lost cells %x, want %x", r.frame.Lost, ranks(3))
	}
	if scans < 110 { // 24 a second if nothing was wrong.
		t.Errorf("only %d scans in 5 s", scans)
	}
	stats := r.board.Stats()[3]
	if stats.Slow == 0 || stats.Slow > 40 || !strings.Contains(stats.Err.Error(), "0x4B") {
		t.Errorf("%+v", stats)
	}
	r.adcs[3].Stall(false)
	r.untilBack(6 * time.Second)
	r.check(^uint64(0))
	// That it works again is remembered: the next pause is short.
	r.adcs[3].Stall(true)
	for range 4 {
		r.mustScan()
	}
	r.adcs[3].Stall(false)
	for end := r.now + 400*time.Millisecond; r.now < end; {
		r.mustScan()
	}
	if f := r.mustScan(); f.Lost != 0 || r.board.Stats()[3].State != hallanalog.Live {
		t.Errorf("lost cells %x", f.Lost)
	}
}

// Conversions that do not finish now and then are no reason to leave a converter
// alone; three in a row are.
func TestAConversionNowAndThenThatDoesNotFinish(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Single())
	r.settle()
	inits := r.board.Stats()[0].Inits
	conversions := 0
	r.sleeps = func(d time.Duration) {
		if d > time.Millisecond {
			conversions++
			pace := 1.0
			if conversions%101 == 0 {
				pace = 2.5
			}
			r.adcs[0].SetPace(pace)
		}
	}
	for range 20 {
		if f := r.mustScan(); f.Lost != 0 {
			t.Fatalf("lost cells %x", f.Lost)
		}
	}
	if s := r.board.Stats()[0]; s.Slow < 5 || s.Inits != inits || s.State != hallanalog.Live {
		t.Errorf("%+v", s)
	}
}

// After a reset a cell keeps what it showed until two reads agree.
func TestResetNeedsTwoReadsThatAgree(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Single())
	r.settle()
	want := r.frame.Counts[7]
	scan := func(v float64, what string) {
		t.Helper()
		r.volts[7] = v
		if f := r.mustScan(); f.Counts[7] != want {
			t.Fatalf("%s: cell 7 shows %d, want %d", what, f.Counts[7], want)
		}
	}
	r.adcs[0].PowerCycle()
	scan(r.volts[7], "the scan that finds the reset")
	scan(2.5, "one read")
	r.adcs[0].PowerCycle()
	want = counts(2.5) // The reset is found behind the second read.
	scan(2.5, "two reads that agree")
	r.adcs[0].PowerCycle()
	scan(1.5, "one read, and a reset found behind it")
	scan(1.5, "one read after that reset")
	scan(1, "another one that differs")
	want = counts(1)
	scan(1, "one that agrees")
}

// A single converter that never finishes leaves nothing to read.
func TestTheOnlyConverterNeverFinishes(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Single())
	r.settle()
	r.adcs[0].Stall(true)
	err := r.scan()
	if err == nil || !strings.Contains(err.Error(), "conversion takes too long") || !strings.Contains(err.Error(), "0x48") {
		t.Errorf("%v", err)
	}
	for range 30 {
		r.now += 20 * time.Millisecond
		if err := r.scan(); err == nil {
			t.Error("nothing was read and nothing reported")
		}
	}
	if r.frame.Lost != ^uint64(0) {
		t.Errorf("lost cells %x", r.frame.Lost)
	}
	r.check(^uint64(0)) // Frozen.
	r.adcs[0].Stall(false)
	r.untilBack(6 * time.Second)
}

// A converter whose answers are spoilt on the wire is not believed.
func TestAConverterThatAnswersNonsense(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Quad())
	r.settle()
	r.wire.Corrupt(0x49, 1<<30, 0x40)
	start := r.now
	for r.now < start+5*time.Second {
		r.mustScan()
		r.check(^uint64(0))
	}
	if r.frame.Lost != ranks(1) {
		t.Fatalf("lost cells %x, want %x", r.frame.Lost, ranks(1))
	}
	r.wire.Heal()
	r.untilBack(6 * time.Second)
}

// The first read after a return may be anything; two that agree count.
func TestReturnNeedsTwoReadsThatAgree(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Single())
	r.settle()
	r.wire.Fail(0x48, syscall.EREMOTEIO)
	for range 10 {
		_ = r.scan()
		r.now += 50 * time.Millisecond
	}
	if r.frame.Lost != ^uint64(0) {
		t.Fatalf("lost cells %x", r.frame.Lost)
	}
	r.wire.Heal()
	for i := 0; r.frame.Lost == ^uint64(0); i++ {
		if i > 100 {
			t.Fatal("no cell ever came back")
		}
		// Cell 7 jumps by 32 mV and more, cell 8 by less.
		r.volts[7] = 1 + 0.0325*float64(i%2)
		r.volts[8] = 1 + 0.0315*float64(i%2)
		_ = r.scan()
		r.now += 50 * time.Millisecond
	}
	if r.frame.Lost != 1<<7 {
		t.Errorf("lost cells %x, want cell 7 only", r.frame.Lost)
	}
	r.mustScan()
	if r.frame.Lost != 0 {
		t.Errorf("two equal reads were not believed: %x", r.frame.Lost)
	}
}

func TestDeadBusIsAnErrorAndHeals(t *testing.T) {
	t.Parallel()
	for name, c := range boards() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c())
			r.settle()
			r.wire.FailAll(syscall.ETIMEDOUT)
			for i := range 40 {
				before := r.wire.Stats().Failed
				err := r.scan()
				if err == nil || hardware.Classify(err) != hardware.Timeout {
					t.Fatalf("scan %d of a dead bus: %v", i, err)
				}
				if n := r.wire.Stats().Failed - before; n > 1 {
					t.Fatalf("scan %d waited for %d timeouts", i, n)
				}
				r.now += 20 * time.Millisecond
			}
			if r.frame.Lost != ^uint64(0) {
				t.Errorf("lost cells %x", r.frame.Lost)
			}
			r.check(^uint64(0)) // Frozen.
			r.wire.Heal()
			r.untilBack(6 * time.Second)
			r.check(^uint64(0))
		})
	}
}

// One timeout ends a scan and costs no cell: what was read stays, the next scan
// begins behind it.
func TestOneTimeoutCostsNoCell(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Single())
	r.settle()
	var order []int
	r.selects = func(channel int) error {
		order = append(order, channel)
		if channel == 6 && len(order) == 7 {
			r.wire.FailTimes(0x48, 1, syscall.ETIMEDOUT)
		}
		return nil
	}
	r.mustScan()
	if len(order) != 7 {
		t.Errorf("channels %v were selected, want none after the timeout", order)
	}
	if f := r.mustScan(); f.Lost != 0 {
		t.Errorf("lost cells %x", f.Lost)
	}
	if len(order) != 23 || order[7] != 7 || order[22] != 6 {
		t.Errorf("channels %v, want 7 to 15 and 0 to 6 in the second scan", order[7:])
	}
}

// A converter that kills the bus whenever it is talked to must not keep the
// others from being read.
func TestAConverterThatKillsTheBus(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Quad())
	r.settle()
	r.wire.Fail(0x48, syscall.ETIMEDOUT)
	for start := r.now; r.now < start+5*time.Second; {
		_ = r.scan()
		if r.frame.Lost&^ranks(0) != 0 {
			t.Fatalf("at %v: lost cells %x", r.now-start, r.frame.Lost)
		}
	}
	if r.frame.Lost != ranks(0) {
		t.Errorf("lost cells %x, want %x", r.frame.Lost, ranks(0))
	}
	for i := range r.volts {
		r.volts[i] = volts(63 - i)
	}
	r.wire.Heal()
	r.untilBack(6 * time.Second)
	r.check(^uint64(0))
}

func TestSelectLinesThatFail(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Single())
	r.settle()
	busy := errors.New("the line is in use")
	r.selects = func(channel int) error {
		if channel == 11 {
			return busy
		}
		return nil
	}
	for range 5 {
		r.mustScan()
	}
	// Channel 11 is file d of the odd ranks.
	if want := uint64(1)<<11 | 1<<27 | 1<<43 | 1<<59; r.frame.Lost != want {
		t.Errorf("lost cells %x, want %x", r.frame.Lost, want)
	}
	r.selects = nil
	r.mustScan()
	if f := r.mustScan(); f.Lost != 0 {
		t.Errorf("lost cells %x after two good reads", f.Lost)
	}
	r.selects = func(int) error { return busy }
	for range 20 {
		err := r.scan()
		if !errors.Is(err, busy) || !strings.Contains(err.Error(), "select channel") {
			t.Fatalf("%v", err)
		}
		r.now += 50 * time.Millisecond
	}
	if r.frame.Lost != ^uint64(0) {
		t.Errorf("lost cells %x", r.frame.Lost)
	}
	r.selects = nil
	r.untilBack(time.Second)
	r.check(^uint64(0))
}

// At 100 kHz a scan takes 0.17 s; one that fails still costs nothing.
func TestSlowBusForgivesOneScan(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Single())
	if err := r.wire.SetSpeed(100 * physic.KiloHertz); err != nil {
		t.Fatal(err)
	}
	r.settle()
	fail := true
	r.selects = func(channel int) error {
		if fail && channel == 4 {
			return syscall.EBUSY
		}
		return nil
	}
	if f := r.mustScan(); f.Lost != 0 {
		t.Errorf("lost cells %x in the scan that failed", f.Lost)
	}
	fail = false
	if f := r.mustScan(); f.Lost != 0 {
		t.Errorf("lost cells %x in the scan after it", f.Lost)
	}
}

// A sensor that is not connected shows the channel before it. Nothing here can
// know that; what matters is that its neighbours are right.
func TestOpenSensor(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Single())
	r.settle()
	r.muxes[1].SetChannel(5, nil) // f3, cell 21.
	r.mustScan()
	r.check(^uint64(1 << 21))
	if got, want := r.frame.Counts[21], counts(r.volts[20]); !near(got, want) {
		t.Errorf("an open sensor shows %d counts, the one before it %d", got, want)
	}
}

// Between two channels the bus is free: a display's transfer is served there.
// In one request for the whole scan it would wait for ever.
func TestOtherTrafficSlipsIn(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Single())
	r.settle()
	other := emu.NewTCA9555(0x20, emu.TCAOptions{})
	r.wire.Attach(other)
	served := 0
	r.selects = func(int) error {
		if err := r.bus.Tx(0x20, []byte{0x02, 0x5A, 0xA5}, nil); err != nil {
			return err
		}
		served++
		return nil
	}
	r.mustScan()
	r.check(^uint64(0))
	if served != 16 {
		t.Errorf("%d transfers in a scan, want 16", served)
	}
}

func TestContextEndsAScan(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Single())
	r.settle()
	ctx, cancel := context.WithCancel(t.Context())
	last := 0
	r.selects = func(channel int) error {
		if last = channel; channel == 2 {
			cancel()
		}
		return nil
	}
	if err := r.board.Scan(ctx, r.now, &r.frame); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if last != 2 || r.frame.Lost != 0 {
		t.Errorf("channel %d was selected last; lost cells %x", last, r.frame.Lost)
	}
	r.selects = nil
	r.mustScan()
	r.check(^uint64(0))
}

func TestClosedBus(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Quad())
	r.settle()
	if err := r.bus.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.scan(); !errors.Is(err, hardware.ErrClosed) {
		t.Errorf("%v", err)
	}
}

func TestScanAllocatesNothing(t *testing.T) {
	for name, c := range boards() {
		r := newRig(t, c())
		r.settle()
		ctx := t.Context()
		if n := testing.AllocsPerRun(20, func() {
			if err := r.board.Scan(ctx, r.now, &r.frame); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations per scan", name, n)
		}
	}
}

// Stats may be asked for from anywhere.
func TestStatsWhileScanning(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Quad())
	var group sync.WaitGroup
	group.Go(func() {
		for range 50 {
			for i, s := range r.board.Stats() {
				if s.Addr != 0x48+uint16(i) || s.Cells != ranks(i) {
					t.Errorf("%+v", s)
				}
			}
		}
	})
	for range 20 {
		r.mustScan()
	}
	group.Wait()
	for _, s := range r.board.Stats() {
		if s.State != hallanalog.Live || s.Good != 20*16 || s.Failed != 0 || s.Inits != 1 {
			t.Errorf("%+v", s)
		}
	}
}

// BenchmarkScan says what a scan costs the processor, and what it takes on the
// wire and by the clock of the chips.
func BenchmarkScan(b *testing.B) {
	for name, c := range boards() {
		b.Run(name, func(b *testing.B) {
			r := newRig(b, c())
			r.settle()
			r.wire.ResetStats()
			start, n := r.now, 0
			b.ReportAllocs()
			for b.Loop() {
				r.mustScan()
				n++
			}
			took := (r.now - start).Seconds() / float64(n)
			b.ReportMetric(took*1000, "virtual-ms/scan")
			b.ReportMetric(1/took, "scans/s")
			b.ReportMetric(float64(r.wire.Stats().Bits)/float64(n), "clocks/scan")
		})
	}
}
