package sim_test

import (
	"math"
	"math/bits"
	"sync"
	"syscall"
	"testing"
	"time"

	"periph.io/x/conn/v3/gpio"
	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/physic"
	"periph.io/x/devices/v3/apa102"
	"pgregory.net/rapid"

	"reversi-board/hardware/emu"
	"reversi-board/hardware/sim"
)

const (
	ms = time.Millisecond
	e6 = 44 // rank 6, file e
	f6 = 45
	d4 = 27

	// look is the longest time between two looks of a sensor: 20 Hz.
	look = 50 * ms
)

// exact is a board without chance: typical parts, exact hands.
func exact() sim.Options { return sim.Options{Spread: -1, Misplace: -1} }

// scan reads all eight chips the plain way, command 00h and two bytes, and
// returns the cells whose north and south outputs are active.
func scan(t testing.TB, bus i2c.Bus) (north, south uint64) {
	t.Helper()
	var r [2]byte
	for row := range 8 {
		if err := bus.Tx(uint16(0x20+row), []byte{0}, r[:]); err != nil {
			t.Fatal(err)
		}
		north |= uint64(^r[0]) << (8 * row)
		south |= uint64(^r[1]) << (8 * row)
	}
	return north, south
}

// masks returns the cells of each face.
func masks(faces [64]sim.Face) (north, south uint64) {
	for c, f := range faces {
		switch f {
		case sim.NorthUp:
			north |= 1 << c
		case sim.SouthUp:
			south |= 1 << c
		case sim.NoDisc:
		}
	}
	return north, south
}

// expect compares what the bus shows with the given faces.
func expect(t testing.TB, what string, b *sim.Board, faces [64]sim.Face) {
	t.Helper()
	north, south := scan(t, b.I2C())
	if n, s := masks(faces); north != n || south != s {
		t.Errorf("%s: north %#x, south %#x, want %#x, %#x", what, north, south, n, s)
	}
}

// must unwraps what a hand returns.
func must(t testing.TB) func(rest time.Duration, err error) time.Duration {
	return func(rest time.Duration, err error) time.Duration {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return rest
	}
}

func full(f sim.Face) [64]sim.Face {
	var faces [64]sim.Face
	for c := range faces {
		faces[c] = f
	}
	return faces
}

// TestWiring writes down the bytes of a disc on e6: row 5, so chip 0x25; file e,
// so bit 4; active low; north on port 0, south on port 1.
func TestWiring(t *testing.T) {
	for _, c := range []struct {
		face         sim.Face
		port0, port1 byte
	}{
		{sim.NorthUp, 0xEF, 0xFF},
		{sim.SouthUp, 0xFF, 0xEF},
		{sim.NoDisc, 0xFF, 0xFF},
	} {
		b := sim.New(sim.Options{})
		var faces [64]sim.Face
		faces[e6] = c.face
		b.Set(faces)
		b.Advance(0)
		for addr := uint16(0x20); addr <= 0x27; addr++ {
			want := [2]byte{0xFF, 0xFF}
			if addr == 0x25 {
				want = [2]byte{c.port0, c.port1}
			}
			var r [2]byte
			if err := b.I2C().Tx(addr, []byte{0}, r[:]); err != nil || r != want {
				t.Errorf("%s on e6, chip %#x: % x, %v, want % x", c.face, addr, r, err, want)
			}
		}
	}
	if got := sim.New(sim.Options{}).Chip(5).Address(); got != 0x25 {
		t.Errorf("chip of row 5 at %#x", got)
	}
}

// TestDocumentedFields checks the figures in the package comment.
func TestDocumentedFields(t *testing.T) {
	b := sim.New(exact())
	near := func(what string, got, want, step float64) {
		t.Helper()
		if math.Abs(got-want) > step/2 {
			t.Errorf("%s: %.3f mT, want %g", what, got, want)
		}
	}
	var faces [64]sim.Face
	faces[d4] = sim.NorthUp
	b.Set(faces)
	near("own", b.Field(d4), 19.9, 0.1)
	near("orthogonal", b.Field(d4+1), -0.12, 0.01)
	near("diagonal", b.Field(d4+9), -0.05, 0.01)
	for _, d := range []int{-9, -8, -7, -1, 1, 7, 8, 9} {
		faces[d4+d] = sim.NorthUp
	}
	faces[d4] = sim.NoDisc
	b.Set(faces)
	near("8 neighbours", b.Field(d4), -0.65, 0.01)
	faces = full(sim.NorthUp)
	faces[d4] = sim.NoDisc
	b.Set(faces)
	near("63 others", b.Field(d4), -0.96, 0.01)

	faces = [64]sim.Face{}
	faces[d4] = sim.NorthUp
	b.Set(faces)
	b.Advance(0)
	must(t)(b.Slide(0, d4, d4+1, sim.SlideOptions{Speed: 40}))
	for _, c := range []struct{ offset, want float64 }{{4, 13.4}, {8, 4.1}, {12, 0.4}, {18, -0.4}} {
		b.Advance(time.Duration(c.offset / 40 * float64(time.Second)))
		near("off centre", b.Field(d4), c.want, 0.1)
	}
}

// TestNoMisreads: no position at all, put down by clumsy hands, is misread.
func TestNoMisreads(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := sim.New(sim.Options{
			Seed:  rapid.Uint64().Draw(rt, "seed"),
			Noise: rapid.SampledFrom([]float64{0, 0.05}).Draw(rt, "noise"), Bounce: true,
			Spread: 1,
		})
		var faces [64]sim.Face
		b.Advance(0)
		var rest time.Duration
		for c := range faces {
			faces[c] = rapid.SampledFrom([]sim.Face{sim.NorthUp, sim.SouthUp, sim.NoDisc}).Draw(rt, "face")
			if faces[c] != sim.NoDisc {
				rest = max(rest, must(t)(b.Place(0, c, faces[c])))
			}
		}
		if b.Intended() != faces {
			rt.Fatal("the hands intend another position")
		}
		b.Advance(rest)
		if b.Faces() != faces {
			rt.Fatal("at rest, other discs lie on the board")
		}
		b.Advance(rest + look)
		north, south := scan(t, b.I2C())
		if n, s := masks(faces); north != n || south != s {
			rt.Fatalf("north %#x, south %#x, want %#x, %#x", north, south, n, s)
		}
	})
}

// TestNoGhosts: on a board of one colour any disc can be lifted, and its cell
// then reads empty although 63 neighbours leave the other sign there.
func TestNoGhosts(t *testing.T) {
	for _, face := range []sim.Face{sim.NorthUp, sim.SouthUp} {
		for seed := range uint64(3) {
			b := sim.New(sim.Options{Seed: seed})
			faces := full(face)
			b.Set(faces)
			b.Advance(0)
			for c := range 64 {
				rest := must(t)(b.Lift(b.RestAt(), c))
				b.Advance(rest + look)
				faces[c] = sim.NoDisc
				expect(t, "a disc lifted", b, faces)
				rest = must(t)(b.Place(b.RestAt(), c, face))
				b.Advance(rest + look)
				faces[c] = face
				expect(t, "and put back", b, faces)
			}
		}
	}
}

// TestGhost: with a stronger magnet and a part that releases late, a disc that
// slides off under the others leaves a ghost of the other colour behind.
func TestGhost(t *testing.T) {
	o := exact()
	o.Gap = 5
	o.Hall = sim.HallSpec{
		Operate:    sim.Range{Min: 1.5, Typ: 1.5, Max: 1.5},
		Hysteresis: sim.Range{Min: 0.8, Typ: 0.8, Max: 0.8},
	}
	b := sim.New(o)
	faces := full(sim.NorthUp)
	faces[d4+1] = sim.NoDisc
	b.Set(faces)
	b.Advance(0)
	rest := must(t)(b.Slide(0, d4, d4+1, sim.SlideOptions{Speed: 100}))
	for now := time.Duration(0); now < rest+time.Second; now += ms {
		b.Advance(now)
	}
	if b.Faces()[d4] != sim.NoDisc {
		t.Fatal("the disc did not leave d4")
	}
	if _, south := scan(t, b.I2C()); south != 1<<d4 {
		t.Errorf("south %#x, want a ghost on d4 alone", south)
	}
}

// TestSlideTurnsSign: pushed off its square, a disc shows the other sign to the
// sensor it leaves: +2.5 mT at 8 mm, -1.3 mT at 12 mm for an 8x2 mm N35 magnet
// at 5 mm, so that a sensitive part takes it for the other colour.
func TestSlideTurnsSign(t *testing.T) {
	o := exact()
	o.Gap = 5
	o.Hall = sim.HallSpec{Operate: sim.Range{Min: 1, Typ: 1, Max: 1}, Hysteresis: sim.Range{Min: 0.1, Typ: 0.1, Max: 0.1}}
	b := sim.New(o)
	b.Advance(0)
	rest := must(t)(b.Place(0, e6, sim.NorthUp))
	b.Advance(rest + look)
	start := rest + look
	const speed = 20 // mm/s, so that a look is 1 mm
	must(t)(b.Slide(start, e6, f6, sim.SlideOptions{Speed: speed}))
	at := func(mm float64) time.Duration { return start + time.Duration(mm/speed*float64(time.Second)) }

	b.Advance(at(8))
	if got := b.Field(e6); math.Abs(got-2.5) > 0.05 {
		t.Errorf("8 mm off: %.2f mT, want 2.5", got)
	}
	if n, s := scan(t, b.I2C()); n != 1<<e6 || s != 0 {
		t.Errorf("8 mm off: north %#x, south %#x, want north on e6", n, s)
	}
	b.Advance(at(12))
	if got := b.Field(e6); math.Abs(got+1.3) > 0.05 {
		t.Errorf("12 mm off: %.2f mT, want -1.3", got)
	}
	b.Advance(at(13)) // every sensor has looked since
	if n, s := scan(t, b.I2C()); n != 0 || s != 1<<e6 {
		t.Errorf("13 mm off: north %#x, south %#x, want south on e6", n, s)
	}
	b.Advance(b.RestAt() + look)
	if n, s := scan(t, b.I2C()); n != 1<<f6 || s != 0 {
		t.Errorf("arrived: north %#x, south %#x, want north on f6", n, s)
	}
}

// TestHysteresis walks the field of a typical part (2.5 mT on, 1.8 mT off) up
// and down by weakening the magnet of 19.92 mT.
func TestHysteresis(t *testing.T) {
	b := sim.New(exact())
	var faces [64]sim.Face
	faces[e6] = sim.SouthUp
	b.Set(faces)
	var now time.Duration
	for _, c := range []struct {
		scale  float64
		active bool
	}{
		{0.10, false}, // 1.99 mT
		{0.12, false}, // 2.39
		{0.13, true},  // 2.59
		{0.12, true},  // 2.39
		{0.092, true}, // 1.83
		{0.088, false},
		{0.12, false},
		{1, true},
		{0, false},
	} {
		if err := b.FailCell(e6, sim.CellFault{Kind: sim.WeakMagnet, Scale: c.scale}); err != nil {
			t.Fatal(err)
		}
		now += look
		b.Advance(now)
		if n, s := scan(t, b.I2C()); (s == 1<<e6) != c.active || n != 0 {
			t.Errorf("at %.2f mT: north %#x, south %#x, want active %t", 19.92*c.scale, n, s, c.active)
		}
	}
}

// TestSamplingLatency: a change shows after at most 50 ms, and sensors look at
// different times.
func TestSamplingLatency(t *testing.T) {
	b := sim.New(sim.Options{})
	b.Advance(time.Second)
	b.Set(full(sim.NorthUp))
	var seen [64]time.Duration
	for d := ms; d <= look; d += ms {
		b.Advance(time.Second + d)
		north, _ := scan(t, b.I2C())
		for c := range seen {
			if seen[c] == 0 && north>>c&1 == 1 {
				seen[c] = d
			}
		}
	}
	earliest, latest := look, time.Duration(0)
	for c, d := range seen {
		if d == 0 {
			t.Errorf("cell %d not seen within %s", c, look)
		}
		earliest, latest = min(earliest, d), max(latest, d)
	}
	if earliest > 10*ms || latest < 40*ms {
		t.Errorf("seen after %s to %s, want phases all over 50 ms", earliest, latest)
	}
}

// TestNoiseBelowHysteresis: noise alone makes no output flap.
func TestNoiseBelowHysteresis(t *testing.T) {
	b := sim.New(sim.Options{Noise: 0.1})
	faces := full(sim.NorthUp)
	for c := range 64 {
		faces[c] = sim.Face(c % 3)
	}
	b.Set(faces)
	for now := time.Duration(0); now < 20*time.Second; now += 20 * ms {
		b.Advance(now)
		if expect(t, "noise", b, faces); t.Failed() {
			return
		}
	}
}

// TestNoiseIsFelt: near the threshold, noise decides.
func TestNoiseIsFelt(t *testing.T) {
	o := exact()
	o.Noise = 0.5
	b := sim.New(o)
	var faces [64]sim.Face
	faces[e6] = sim.NorthUp
	b.Set(faces)
	if err := b.FailCell(e6, sim.CellFault{Kind: sim.WeakMagnet, Scale: 0.108}); err != nil { // 2.15 mT
		t.Fatal(err)
	}
	changes, last := 0, uint64(0)
	for now := time.Duration(0); now < 20*time.Second; now += look {
		b.Advance(now)
		n, _ := scan(t, b.I2C())
		changes += bits.OnesCount64((n ^ last) & (1 << e6))
		last = n
	}
	if changes < 10 {
		t.Errorf("%d changes in 20 s halfway between the thresholds, want many", changes)
	}
}

// TestInterrupt: the line falls with a change and rises when it has been read.
func TestInterrupt(t *testing.T) {
	b := sim.New(sim.Options{})
	b.Advance(0)
	scan(t, b.I2C())
	if b.INT() != gpio.High {
		t.Fatal("the line is low without a change")
	}
	rest := must(t)(b.Place(0, e6, sim.NorthUp))
	b.Advance(rest + look)
	if b.INT() != gpio.Low {
		t.Error("the line is high after a change")
	}
	b.LoseInterrupts(true)
	if b.INT() != gpio.High {
		t.Error("the line is low although it is cut")
	}
	b.LoseInterrupts(false)
	if b.INT() != gpio.Low {
		t.Error("the line is high although it is mended")
	}
	scan(t, b.I2C())
	if b.INT() != gpio.High {
		t.Error("the line is low after a scan")
	}
}

// TestInterruptErratum: on a board of PCA9555s a scan of the other chips loses
// the interrupt of a change that happens meanwhile.
func TestInterruptErratum(t *testing.T) {
	for _, c := range []struct {
		pca  bool
		want gpio.Level
	}{{true, gpio.High}, {false, gpio.Low}} {
		w := sim.Wired(sim.HallDigital)
		for i := range w.Chips {
			if c.pca {
				w.Chips[i].Kind = sim.PCA9555
			}
		}
		b := sim.New(sim.Options{Wiring: w})
		b.Advance(0)
		scan(t, b.I2C())
		rest := must(t)(b.Place(0, 0, sim.NorthUp)) // a1, chip 0x20
		b.Advance(rest + look)
		if err := b.I2C().Tx(0x21, []byte{0}, make([]byte, 2)); err != nil {
			t.Fatal(err)
		}
		if got := b.INT(); got != c.want {
			t.Errorf("PCA9555 %t: the line is %s, want %s", c.pca, got, c.want)
		}
	}
}

// TestLEDs lights the board with periph's driver.
func TestLEDs(t *testing.T) {
	b := sim.New(sim.Options{})
	port := b.SPI()
	if err := port.LimitSpeed(4 * physic.MegaHertz); err != nil {
		t.Fatal(err)
	}
	opts := apa102.PassThruOpts
	opts.NumPixels = 64
	dev, err := apa102.New(port, &opts)
	if err != nil {
		t.Fatal(err)
	}
	rgb := make([]byte, 3*64)
	rgb[3*e6], rgb[3*e6+1], rgb[3*e6+2] = 0x56, 0xB4, 0xE9
	if _, err := dev.Write(rgb); err != nil {
		t.Fatal(err)
	}
	want := [64]emu.LED{}
	for c := range want {
		want[c].Bright = 31
	}
	want[e6] = emu.LED{Bright: 31, R: 0x56, G: 0xB4, B: 0xE9}
	if got := b.LEDs(); got != want {
		t.Errorf("%+v", got)
	}
	if b.Strip().Frames() != 1 {
		t.Errorf("%d updates, want 1", b.Strip().Frames())
	}
	if err := port.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := apa102.New(b.SPI(), &opts); err != nil {
		t.Errorf("the port cannot be opened again: %v", err)
	}
}

func TestBusReopens(t *testing.T) {
	b := sim.New(sim.Options{})
	if err := b.I2C().Close(); err != nil {
		t.Fatal(err)
	}
	scan(t, b.I2C())
	if got := b.Bus().Stats(); got.Bits != 384 {
		t.Errorf("a scan took %d bits, want 384", got.Bits)
	}
	b.Bus().FailAll(syscall.ETIMEDOUT)
	if err := b.I2C().Tx(0x20, []byte{0}, nil); err == nil {
		t.Error("a dead bus answers")
	}
}

// TestTogether uses the board from several goroutines; the race detector looks
// on.
func TestTogether(t *testing.T) {
	b := sim.New(sim.Options{Noise: 0.05, Bounce: true})
	b.Advance(0)
	var wg sync.WaitGroup
	wg.Go(func() {
		for now := time.Duration(0); now < 3*time.Second; now += 5 * ms {
			b.Advance(now)
		}
	})
	wg.Go(func() {
		for c := range 64 {
			if _, err := b.Place(0, c, sim.NorthUp); err != nil {
				t.Error(err)
			}
			_ = b.FailCell(c, sim.CellFault{Kind: sim.Flapping, Hz: 5})
			_ = b.FailBank(c&7, sim.BankReset)
		}
	})
	wg.Go(func() {
		bus := b.I2C()
		for range 100 {
			scan(t, bus)
			_, _, _, _ = b.INT(), b.Faces(), b.LEDs(), b.Busy()
		}
	})
	wg.Wait()
	b.Advance(b.RestAt())
	if b.Faces() != full(sim.NorthUp) {
		t.Error("not all discs lie on the board")
	}
}

func TestAdvanceDoesNotAllocate(t *testing.T) {
	b := sim.New(sim.Options{Noise: 0.05, Bounce: true})
	b.Set(full(sim.NorthUp))
	b.Advance(0)
	for c := range 64 {
		must(t)(b.Turn(time.Duration(c)*20*ms, c, sim.TurnThroughEmpty, 0))
	}
	var now time.Duration
	if n := testing.AllocsPerRun(200, func() {
		now += 20 * ms
		b.Advance(now)
		_ = b.Faces()
		_ = b.INT()
	}); n != 0 {
		t.Errorf("Advance allocates %v times", n)
	}
	if b.Faces() != full(sim.SouthUp) {
		t.Error("the discs have not been turned")
	}
}

// playGame is 300 s of a game at 50 scans a second: every 5 s a disc is placed
// and four are turned.
func playGame(tb testing.TB, b *sim.Board, scans bool) {
	tb.Helper()
	bus := b.I2C()
	b.Set([64]sim.Face{27: sim.SouthUp, 28: sim.NorthUp, 35: sim.NorthUp, 36: sim.SouthUp})
	placed := 0
	for tick := range 300 * 50 {
		now := time.Duration(tick) * 20 * ms
		b.Advance(now)
		if scans {
			scan(tb, bus)
		}
		if tick%250 != 0 {
			continue
		}
		for placed < 64 && b.Intended()[placed] != sim.NoDisc {
			placed++
		}
		if placed < 64 {
			must(tb)(b.Place(now, placed, sim.NorthUp))
		}
		for i := range 4 {
			if c := (placed + 60 - i) % 64; b.Faces()[c] != sim.NoDisc {
				must(tb)(b.Turn(now+time.Duration(i+1)*400*ms, c, sim.TurnThroughEmpty, 0))
			}
		}
	}
}

func benchmarkGame(b *testing.B, o sim.Options, scans bool) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		playGame(b, sim.New(o), scans)
	}
	perGame := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(300/perGame, "virtual-s/s")
	b.ReportMetric(1000*perGame, "ms/game")
}

// BenchmarkGame is a game of 300 virtual seconds; the budget is 50 ms.
func BenchmarkGame(b *testing.B) {
	b.Run("quiet", func(b *testing.B) { benchmarkGame(b, sim.Options{}, false) })
	b.Run("noisy", func(b *testing.B) { benchmarkGame(b, sim.Options{Noise: 0.05, Bounce: true}, false) })
	b.Run("noisy, scanned", func(b *testing.B) { benchmarkGame(b, sim.Options{Noise: 0.05, Bounce: true}, true) })
}

// BenchmarkAdvance is one step of 20 ms of a board with a noise and no hands.
func BenchmarkAdvance(b *testing.B) {
	board := sim.New(sim.Options{Noise: 0.05})
	board.Set(full(sim.NorthUp))
	var now time.Duration
	b.ReportAllocs()
	for b.Loop() {
		now += 20 * ms
		board.Advance(now)
	}
}

// BenchmarkNew shows what a board costs to make.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		sim.New(sim.Options{})
	}
}
