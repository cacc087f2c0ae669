package sensing_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/sensing"
)

// Whatever happened before, once the outputs are still the reading is what
// they show, one settle time after the last change and not earlier.
func TestReadingEqualsTheLastStillFrame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tb := newTable(sensing.DefaultConfig())
		touched := engine.Bitboard(rapid.Uint64().Draw(rt, "touched"))
		var faces [engine.Squares]byte
		lastChange := time.Duration(0)
		for range rapid.IntRange(0, 60).Draw(rt, "scans of unrest") {
			s := engine.Square(rapid.IntRange(0, 63).Draw(rt, "square"))
			face := byte(rapid.IntRange(0, 2).Draw(rt, "face"))
			if rapid.Bool().Draw(rt, "change") && touched.Has(s) && faces[s] != face {
				faces[s] = face
				tb.show(s.Bit(), [...]string{"empty", "black", "white"}[face])
				lastChange = tb.now
			}
			tb.scan(t)
			if tb.settledLast && tb.now-scan-lastChange < 200*ms {
				rt.Fatalf("settled %v after a change", tb.now-scan-lastChange)
			}
		}
		tb.wait(t, 220*ms)
		var want engine.Discs
		for s := range engine.Square(engine.Squares) {
			want = want.With(s, [...]engine.Color{engine.None, engine.Black, engine.White}[faces[s]])
		}
		if tb.last.Discs != want || tb.last.Lost|tb.last.Masked != 0 || tb.faults != 0 {
			rt.Fatalf("read %v\nwant %v\nsaid %q", tb.last.Discs, want, tb.said)
		}
		if tb.settledLast && tb.last.ChangedAt != lastChange {
			rt.Fatalf("changed at %v, want %v", tb.last.ChangedAt, lastChange)
		}
	})
}

// While one believed cell goes on changing, the board does not settle.
func TestNeverSettlesWhileACellIsRestless(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tb := newTable(sensing.DefaultConfig())
		s := engine.Square(rapid.IntRange(0, 63).Draw(rt, "square"))
		for tb.now < 3500*ms && tb.faults == 0 {
			face := rapid.SampledFrom([]string{"black", "white", "empty"}).Draw(rt, "face")
			before := tb.frame
			tb.show(s.Bit(), face)
			if before == tb.frame {
				tb.show(s.Bit(), map[string]string{"black": "empty", "white": "black", "empty": "white"}[face])
			}
			tb.wait(t, time.Duration(rapid.IntRange(1, 9).Draw(rt, "scans"))*scan)
			if len(tb.said) > 0 && tb.faults == 0 {
				rt.Fatalf("at %v: %q", tb.now, tb.said)
			}
		}
	})
}

// A cell that flaps at 1 to 20 Hz is masked within 5 s, is called once however
// long it goes on, and the board settles around it.
func TestFlappingIsMaskedWithinFiveSeconds(t *testing.T) {
	t.Parallel()
	for _, hz := range []int{1, 2, 3, 4, 5, 7, 10, 13, 20} {
		t.Run(fmt.Sprint(hz, " Hz"), func(t *testing.T) {
			t.Parallel()
			for phase := range 10 {
				tb := newTable(sensing.DefaultConfig())
				tb.wait(t, time.Second)
				g2 := engine.SquareAt(6, 1)
				period := time.Second / time.Duration(hz)
				tb.flaps[g2] = flap{face: "white", period: period, from: tb.now - period*time.Duration(phase)/10}
				tb.wait(t, 5*time.Second)
				if tb.faults != 1 {
					t.Fatalf("phase %d: %d faults after 5 s: %q", phase, tb.faults, tb.said)
				}
				if tb.last.Masked != g2.Bit() {
					t.Fatalf("phase %d: masked %v", phase, tb.last.Masked)
				}
				tb.said = nil
				tb.wait(t, 10*time.Minute)
				if len(tb.said) != 0 {
					t.Fatalf("phase %d: later said %q", phase, tb.said)
				}
			}
		})
	}
}

// There is no pace between slow and fast that nobody minds: around 2.5 Hz a cell
// rests for just about the settle time.
func TestFlappingOfAnyPaceIsMasked(t *testing.T) {
	t.Parallel()
	for tenths := 10; tenths <= 200; tenths++ {
		for phase := range 7 {
			tb := newTable(sensing.DefaultConfig())
			tb.wait(t, time.Second)
			period := 10 * time.Second / time.Duration(tenths)
			tb.flaps[engine.SquareAt(6, 1)] = flap{face: "white", period: period, from: tb.now - period*time.Duration(phase)/7}
			tb.wait(t, 5*time.Second)
			if tb.faults != 1 {
				t.Errorf("%d.%d Hz, phase %d: %d faults after 5 s: %q", tenths/10, tenths%10, phase, tb.faults, tb.said)
			}
		}
	}
}

// Whatever its pace, a cell that flaps does not keep the others of its chip from
// being believed when the chip has been reset.
func TestFlappingDoesNotHoldUpAChipThatWasReset(t *testing.T) {
	t.Parallel()
	const rank2 = engine.Bitboard(0xFF << 8)
	for tenths := 10; tenths <= 200; tenths++ {
		for phase := range 7 {
			tb := newTable(sensing.DefaultConfig())
			tb.wait(t, time.Second)
			period := 10 * time.Second / time.Duration(tenths)
			tb.flaps[engine.SquareAt(6, 1)] = flap{face: "white", period: period, from: tb.now - period*time.Duration(phase)/7}
			tb.wait(t, time.Second)
			tb.frame.Reset = rank2
			tb.wait(t, 6*time.Second)
			if tb.last.Lost != 0 {
				t.Errorf("%d.%d Hz, phase %d: 6 s after the reset %v are lost: %q", tenths/10, tenths%10, phase, tb.last.Lost, tb.said)
			}
		}
	}
}

// A bad joint has no clock: its flaps come at random. And somebody plays on
// elsewhere meanwhile.
func TestIrregularFlappingIsMasked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tb := newTable(sensing.DefaultConfig())
		tb.wait(t, time.Second)
		g2 := engine.SquareAt(6, 1)
		hold := time.Duration(rapid.IntRange(20, 200).Draw(rt, "mean hold ms")) * ms
		on := false
		for tb.now < 32*time.Second {
			if rapid.IntRange(0, int(hold/scan)).Draw(rt, "toggle") == 0 {
				on = !on
				tb.show(g2.Bit(), map[bool]string{true: "black", false: "empty"}[on])
			}
			if tb.now%(700*ms) == 0 {
				tb.show(engine.Square(8+int(tb.now/(700*ms))%4).Bit(), []string{"black", "white"}[int(tb.now/(2800*ms))%2])
			}
			tb.scan(t)
		}
		if tb.faults != 1 {
			rt.Fatalf("%d faults after 31 s", tb.faults)
		}
	})
}

// A clock that runs backwards does not make a disc older than it is.
func TestTimeRunsBackwards(t *testing.T) {
	t.Parallel()
	p := sensing.New(sensing.DefaultConfig())
	p.Step(10*time.Second, sensing.Frame{})
	p.Step(5*time.Second, sensing.Frame{North: 1})
	if out := p.Step(10*time.Second+100*ms, sensing.Frame{North: 1}); out.Settled {
		t.Errorf("settled on %v 100 ms after the change", out.Reading.Discs)
	}
	if out := p.Step(10*time.Second+200*ms, sensing.Frame{North: 1}); !out.Settled || out.Reading.Discs.Black != 1 {
		t.Errorf("200 ms after the change: %+v", out)
	}
}

// Time stands still, jumps, or runs backwards: nothing breaks, and the calls
// of faults stay in balance.
func FuzzStep(f *testing.F) {
	quiet := make([]byte, 0, 300)
	for range 10 {
		quiet = append(quiet, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	f.Add(quiet)
	f.Add([]byte("\x14\x00abcdefgh\x14\x01abcdefgh\xff\x02AAAAAAAA\x00\x03BBBBBBBB\xf0\x04zzzzzzzz"))
	f.Fuzz(func(t *testing.T, data []byte) {
		colors, presence := newWitness(sensing.DefaultConfig()), newWitness(presence())
		var now time.Duration
		var frame sensing.Frame
		for len(data) >= 10 {
			jump, what, word := data[0], data[1], engine.Bitboard(binary.LittleEndian.Uint64(data[2:]))
			data = data[10:]
			switch {
			case jump < 200:
				now += time.Duration(jump) * ms
			case jump < 250:
				now += time.Duration(jump) * time.Minute
			default:
				now -= time.Hour
			}
			switch what % 5 {
			case 0:
				frame.North = word
			case 1:
				frame.South = word
			case 2:
				frame.North ^= word & -word
			case 3:
				frame.Lost = word
			case 4:
				frame.Reset = word
			}
			colors.step(t, now, frame)
			presence.step(t, now, frame)
			frame.Reset = 0
		}
	})
}

// witness is a pipeline with a ledger.
type witness struct {
	p *sensing.Pipeline
	l ledger
}

func newWitness(c sensing.Config) witness { return witness{sensing.New(c), newLedger()} }

func (w witness) step(t *testing.T, now time.Duration, f sensing.Frame) {
	t.Helper()
	w.l.enter(t, w.p.Step(now, f))
}

// ledger checks that what is told about cells adds up.
type ledger struct {
	open map[sensing.Kind]engine.Bitboard
}

func newLedger() ledger { return ledger{open: map[sensing.Kind]engine.Bitboard{}} }

func (l ledger) enter(t *testing.T, out sensing.Output) {
	t.Helper()
	for _, f := range out.Failed.List() {
		if f.Squares == 0 || l.open[f.Kind]&f.Squares != 0 {
			t.Fatalf("%s called again on %v, open %v", f.Kind, f.Squares, l.open[f.Kind])
		}
		l.open[f.Kind] |= f.Squares
	}
	for _, f := range out.Back.List() {
		if f.Squares == 0 || f.Squares&^l.open[f.Kind] != 0 {
			t.Fatalf("%s back on %v, open %v", f.Kind, f.Squares, l.open[f.Kind])
		}
		l.open[f.Kind] &^= f.Squares
	}
	if !out.Settled {
		if out.Reading != (sensing.Reading{}) {
			t.Fatalf("a reading without being settled: %+v", out.Reading)
		}
		return
	}
	r := out.Reading
	if r.Discs.Black&r.Discs.White != 0 || r.Lost&r.Masked != 0 {
		t.Fatalf("sets overlap: %+v", r)
	}
	if r.Lifted&^r.Occupied != 0 || r.Lifted&(r.Lost|r.Masked) != 0 {
		t.Fatalf("lifted without being back: %+v", r)
	}
	masked := l.open[sensing.Ghost] | l.open[sensing.Stuck] | l.open[sensing.Flapping]
	lost := (l.open[sensing.BankLost] | l.open[sensing.Reset]) &^ masked
	if r.Masked != masked || r.Lost != lost {
		t.Fatalf("reading says lost %v masked %v, the faults say %v and %v", r.Lost, r.Masked, lost, masked)
	}
}

// Random hands and faults for hours of virtual time keep the ledger straight.
func TestFaultsAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		colors, presence := newWitness(sensing.DefaultConfig()), newWitness(presence())
		var now time.Duration
		var frame sensing.Frame
		for range rapid.IntRange(1, 200).Draw(rt, "frames") {
			now += time.Duration(rapid.SampledFrom([]int{0, 20, 20, 20, 100, 300, 2000, 70000}).Draw(rt, "ms")) * ms
			bit := engine.Bitboard(1) << rapid.IntRange(0, 3).Draw(rt, "cell")
			switch rapid.IntRange(0, 5).Draw(rt, "what") {
			case 0:
				frame.North ^= bit
			case 1:
				frame.South ^= bit
			case 2:
				frame.Lost ^= bit | bit<<1
			case 3:
				frame.Reset = bit | bit<<1
			}
			colors.step(t, now, frame)
			presence.step(t, now, frame)
			frame.Reset = 0
		}
	})
}

// busy returns frames of a board on which a disc moves now and then.
func busy(i int) sensing.Frame {
	f := sensing.Frame{North: 1<<28 | 1<<35, South: 1<<27 | 1<<36}
	if i%40 < 20 {
		f.North |= 1 << 37
	}
	if i%4 == 0 {
		f.South |= 1 << 20
	}
	if i%500 < 100 {
		f.Lost = 0xFF00
	}
	return f
}

func TestStepAllocatesNothing(t *testing.T) {
	p := sensing.New(sensing.DefaultConfig())
	i := 0
	if n := testing.AllocsPerRun(5000, func() {
		out := p.Step(time.Duration(i)*scan, busy(i))
		for _, f := range out.Failed.List() {
			if f.Squares == 0 {
				t.Error("a fault on no square")
			}
		}
		i++
	}); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}

func BenchmarkStepQuiet(b *testing.B) {
	p := sensing.New(sensing.DefaultConfig())
	f := sensing.Frame{North: 1<<28 | 1<<35, South: 1<<27 | 1<<36}
	var now time.Duration
	for b.Loop() {
		now += scan
		p.Step(now, f)
	}
}

func BenchmarkStepBusy(b *testing.B) {
	p := sensing.New(sensing.DefaultConfig())
	i := 0
	for b.Loop() {
		p.Step(time.Duration(i)*scan, busy(i))
		i++
	}
}
