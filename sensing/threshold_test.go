package sensing_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/sensing"
)

// scale is one square, the others lost, with figures that are easy to compute
// with: 1000 counts are north, 2000 are south.
type scale struct {
	t   testing.TB
	th  *sensing.Threshold
	now time.Duration
}

func plain() sensing.Levels { return sensing.Levels{Null: 13000, North: 12000, South: 15000} }

func newScale(t testing.TB, l sensing.Levels) *scale {
	t.Helper()
	th, err := sensing.NewThreshold(sensing.AllLevels(l), sensing.DRV5055A4())
	if err != nil {
		t.Fatal(err)
	}
	return &scale{t: t, th: th}
}

// read shows what the square makes of a reading, 100 ms after the last one.
func (s *scale) read(count uint16) string {
	s.now += 100 * ms
	var counts [engine.Squares]uint16
	counts[0] = count
	return face2(s.th.Step(s.now, &counts, ^engine.Bitboard(1)))
}

func face2(n, so engine.Bitboard) string { return face(n, so, 0) }

// hold reads the same for a time.
func (s *scale) hold(count uint16, d time.Duration) (last string) {
	for end := s.now + d; s.now < end; {
		last = s.read(count)
	}
	return last
}

func (s *scale) drift() int {
	h := s.th.Health(0)
	return h.Drift
}

func TestThresholdsAndHysteresis(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		levels sensing.Levels
		steps  []struct {
			count uint16
			want  string
		}
	}{
		{"30 % on, 20 % off", plain(), []struct {
			count uint16
			want  string
		}{
			{13000, "empty"},
			{12701, "empty"}, // 29.9 % of 1000.
			{12700, "north"},
			{12800, "north"}, // 20 %.
			{12801, "empty"},
			{12701, "empty"},
			{13599, "empty"}, // 29.95 % of 2000.
			{13600, "south"},
			{13400, "south"},
			{13399, "empty"},
			{16000, "south"},
			{12000, "north"}, // Turned over between two readings.
			{13400, "empty"}, // What north leaves does not hold south.
			{15000, "south"},
			{12750, "empty"},
		}},
		{"25 % in the first reading: north", plain(), []struct {
			count uint16
			want  string
		}{{12750, "north"}}},
		{"25 % in the first reading: not yet", plain(), []struct {
			count uint16
			want  string
		}{{12751, "empty"}}},
		{"25 % in the first reading: south", plain(), []struct {
			count uint16
			want  string
		}{{13500, "south"}}},
		{"reversed", sensing.Levels{Null: 13000, North: 15000, South: 12000}, []struct {
			count uint16
			want  string
		}{{13000, "empty"}, {13600, "north"}, {13399, "empty"}, {12700, "south"}, {12801, "empty"}}},
	} {
		s := newScale(t, tc.levels)
		for i, step := range tc.steps {
			if got := s.read(step.count); got != step.want {
				t.Errorf("%s, step %d: %d counts are %s, want %s", tc.name, i, step.count, got, step.want)
			}
		}
	}
}

// Readings that no disc makes. The ends of the sensor's range are 0.2 V and 3.1
// V; 200 % of full scale is 11000 and 17000, for levels from a data sheet 250 %,
// 10500 and 18000.
func TestFaults(t *testing.T) {
	t.Parallel()
	far := plain()
	far.Uncalibrated = true
	wide := sensing.Levels{Null: 13000, North: 3000, South: 23000}
	for _, tc := range []struct {
		levels sensing.Levels
		count  uint16
		want   string
		fault  sensing.CountFault
	}{
		{plain(), 11000, "north", sensing.CountGood},
		{plain(), 10999, "fault", sensing.CountTooFar},
		{plain(), 17000, "south", sensing.CountGood},
		{plain(), 17001, "fault", sensing.CountTooFar},
		{far, 10500, "north", sensing.CountGood},
		{far, 10499, "fault", sensing.CountTooFar},
		{far, 18000, "south", sensing.CountGood},
		{far, 18001, "fault", sensing.CountTooFar},
		{plain(), 5600, "fault", sensing.CountTooFar}, // An open input, 0.7 V.
		{wide, 1601, "north", sensing.CountGood},
		{wide, 1600, "fault", sensing.CountLow},
		{wide, 0, "fault", sensing.CountLow},
		{wide, 24799, "south", sensing.CountGood},
		{wide, 24800, "fault", sensing.CountHigh},
		{wide, 32767, "fault", sensing.CountHigh},
	} {
		s := newScale(t, tc.levels)
		s.read(tc.levels.Null)
		if got := s.read(tc.count); got != tc.want {
			t.Errorf("%d counts are %s, want %s", tc.count, got, tc.want)
		}
		h := s.th.Health(0)
		if h.Fault != tc.fault || h.Count != tc.count {
			t.Errorf("%d counts: fault %q of reading %d, want %q", tc.count, h.Fault, h.Count, tc.fault)
		}
		// What was there before is forgotten: 25 % decide.
		if got := s.read(tc.levels.Null); got != "empty" {
			t.Errorf("%s after %d counts", got, tc.count)
		}
	}
	s := newScale(t, plain())
	s.read(12000)
	s.read(0)
	if got := s.read(12751); got != "empty" {
		t.Errorf("24.9 %% after a fault are %s", got)
	}
	s.read(0)
	if got := s.read(12750); got != "north" {
		t.Errorf("25 %% after a fault are %s", got)
	}
	// What no disc makes is counted from the calibrated null.
	s = newScale(t, plain())
	s.hold(13060, 10*time.Minute)
	if s.drift() != 60 || s.read(17001) != "fault" || s.read(17000) != "south" {
		t.Error("the limit moved with the null")
	}
}

// A fault reaches the reading as a masked cell, and ends.
func TestFaultMasksTheCell(t *testing.T) {
	t.Parallel()
	s := newScale(t, plain())
	p := sensing.New(sensing.Config{Debounce: 250 * ms, Settle: 400 * ms, NorthIsBlack: true})
	var reading sensing.Reading
	show := func(count uint16, d time.Duration) (kinds []sensing.Kind) {
		for end := s.now + d; s.now < end; {
			s.now += 100 * ms
			counts := [engine.Squares]uint16{count}
			for i := range counts[1:] {
				counts[i+1] = 13000
			}
			var f sensing.Frame
			f.North, f.South = s.th.Step(s.now, &counts, 0)
			out := p.Step(s.now, f)
			if out.Settled {
				reading = out.Reading
			}
			for _, x := range append(append([]sensing.Fault(nil), out.Failed.List()...), out.Back.List()...) {
				kinds = append(kinds, x.Kind)
			}
		}
		return kinds
	}
	show(12000, time.Second)
	if reading.Discs.Black != 1 || reading.Masked != 0 {
		t.Fatalf("%+v", reading)
	}
	if kinds := show(0, time.Second); len(kinds) != 1 || kinds[0] != sensing.Stuck {
		t.Errorf("faults %v, want one stuck", kinds)
	}
	if reading.Masked != 1 || reading.Discs.Black != 1 {
		t.Errorf("masked cell: %+v", reading)
	}
	if kinds := show(13000, 3*time.Second); len(kinds) != 1 || reading.Masked != 0 || reading.Discs.Black != 0 {
		t.Errorf("back: %v, %+v", kinds, reading)
	}
}

func TestLostCellsKeepWhatTheyShowed(t *testing.T) {
	t.Parallel()
	s := newScale(t, plain())
	s.read(12000)
	counts := [engine.Squares]uint16{15000}
	for range 10 {
		s.now += 100 * ms
		if got := face2(s.th.Step(s.now, &counts, ^engine.Bitboard(0))); got != "north" {
			t.Fatalf("a lost cell became %s", got)
		}
	}
	if got := s.read(15000); got != "south" {
		t.Errorf("after its return it shows %s", got)
	}
}

// The null of an empty square is followed, a quarter of a count a second, after
// it has been surely empty for 10 s.
func TestDriftIsFollowed(t *testing.T) {
	t.Parallel()
	s := newScale(t, plain())
	s.hold(13060, 10*time.Second)
	if d := s.drift(); d != 0 {
		t.Errorf("the null moved by %d before the square had been empty for long", d)
	}
	s.hold(13060, 100*time.Second)
	if d := s.drift(); d < 24 || d > 26 {
		t.Errorf("the null moved by %d in 100 s, want 25", d)
	}
	s.hold(13060, 400*time.Second)
	if d := s.drift(); d != 60 {
		t.Errorf("the null is off by %d, want 60", d)
	}
	h := s.th.Health(0)
	if h.Drifted() || h.DriftLimit != 100 || h.Levels != plain() {
		t.Errorf("%+v", h)
	}
	// Now 30 % are counted from 13060.
	if s.read(12761) != "empty" || s.read(12760) != "north" {
		t.Error("the thresholds did not move with the null")
	}
}

// 10 % of the smaller full scale, here 100 counts, in either direction; 2 % of
// the null where that is less.
func TestDriftIsBounded(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		levels sensing.Levels
		count  uint16
		want   int
	}{
		{plain(), 13099, 99},
		{plain(), 12901, -99},
		{plain(), 13150, 100}, // 7.5 % of the side that it leans to.
		{sensing.Levels{Null: 13000, North: 6000, South: 20000}, 13400, 260},
		{sensing.Levels{Null: 13000, North: 6000, South: 20000}, 12600, -260},
	} {
		s := newScale(t, tc.levels)
		s.hold(tc.count, time.Hour)
		h := s.th.Health(0)
		if h.Drift != tc.want || h.Drifted() != (tc.want == h.DriftLimit || tc.want == -h.DriftLimit) {
			t.Errorf("%d counts: drift %d, limit %d, drifted %v, want %d", tc.count, h.Drift, h.DriftLimit, h.Drifted(), tc.want)
		}
	}
}

// Whoever lies there from the start is not eaten: neither a disc, nor one that
// is too weak or too far off to be seen.
func TestDriftNeverEatsADisc(t *testing.T) {
	t.Parallel()
	for _, count := range []uint16{12000, 12700, 12750, 12760, 12799, 12899, 13201, 13399, 13500, 15000, 17001, 0} {
		s := newScale(t, plain())
		before := s.read(count)
		if got := s.hold(count, 40*time.Minute); got != before || s.drift() != 0 {
			t.Errorf("%d counts were %s, and after 40 minutes %s with the null moved by %d", count, before, got, s.drift())
		}
	}
}

// A day of play and of temperature going up and down changes no level and never
// leads further than the limit.
func TestADayOfDrift(t *testing.T) {
	t.Parallel()
	s := newScale(t, plain())
	rng := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // Repeatable on purpose.
	null := 13000.0
	for hour := range 24 {
		slope := float64(rng.IntN(120)-60) / 36000 // Counts per reading, 60 an hour.
		for range 36000 {
			null = min(max(null+slope, 12920), 13080)
			if got := s.read(uint16(null) + uint16(rng.IntN(5)) - 2); got != "empty" {
				t.Fatalf("hour %d: an empty square shows %s", hour, got)
			}
		}
		if off := s.drift() - int(null-13000); off < -5 || off > 5 {
			t.Fatalf("hour %d: the tracked null is %d counts off", hour, off)
		}
		h := s.th.Health(0)
		if h.Levels != plain() || h.Drift > h.DriftLimit || h.Drift < -h.DriftLimit {
			t.Fatalf("%+v", h)
		}
	}
}

// Clocks that stand still, jump and run backwards move the null no faster.
func TestTimeThatJumps(t *testing.T) {
	t.Parallel()
	s := newScale(t, plain())
	s.hold(13050, 11*time.Second)
	before := s.drift()
	for _, jump := range []time.Duration{0, -time.Hour, 24 * time.Hour, -time.Second, 48 * time.Hour} {
		counts := [engine.Squares]uint16{13050}
		s.th.Step(s.now+jump, &counts, ^engine.Bitboard(1))
	}
	if d := s.drift() - before; d < 0 || d > 1 {
		t.Errorf("five readings moved the null by %d", d)
	}
}

func TestMargins(t *testing.T) {
	t.Parallel()
	s := newScale(t, plain())
	if m := s.th.Health(0); m.Empty.Known || m.North.Known || m.South.Known || m.Weakest() != (sensing.Margin{}) {
		t.Errorf("margins without a reading: %+v", m)
	}
	s.hold(13000, 6*time.Second)  // 20 % below the threshold at which a disc goes.
	s.hold(12470, 6*time.Second)  // 53 %: 23 above 30.
	s.hold(12600, 4*time.Second)  // 40 %, but a hand takes it away.
	s.hold(12953, 6*time.Second)  // 4.7 %: 15.3 below 20, rounded down.
	s.hold(15000, 6*time.Second)  // 100 %.
	s.hold(15500, 6*time.Second)  // 125 %.
	s.hold(13000, 60*time.Second) // The weakest counts.
	h := s.th.Health(0)
	for _, tc := range []struct {
		name string
		got  sensing.Margin
		want int
	}{{"north", h.North, 23}, {"south", h.South, 70}, {"empty", h.Empty, 15}, {"weakest", h.Weakest(), 15}} {
		if !tc.got.Known || tc.got.Percent != tc.want {
			t.Errorf("%s: %+v, want %d %%", tc.name, tc.got, tc.want)
		}
	}
	s.th.ResetMargins()
	if m := s.th.Health(0); m.Weakest().Known {
		t.Errorf("margins after they were forgotten: %+v", m)
	}
	// A disc that is held by the hysteresis only would not be seen again.
	s.read(12600)
	s.hold(12785, 6*time.Second) // 21.5 %: 8.5 below 30.
	if m := s.th.Health(0).North; !m.Known || m.Percent != -9 {
		t.Errorf("north: %+v, want -9 %%", m)
	}
}

// The promises of the documentation, for any levels and any readings whatever:
// each is computed here from the calibrated levels alone.
func TestPromises(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		l := anyLevels(rt)
		s := newScale(t, l)
		o := newOracle(l)
		for range rapid.IntRange(1, 30).Draw(rt, "phases") {
			count := rapid.IntRange(0, 32767).Draw(rt, "count")
			if rapid.Bool().Draw(rt, "near") {
				count = int(l.Null) + rapid.IntRange(-o.smallest/2, o.smallest/2).Draw(rt, "offset")
			}
			noise := rapid.IntRange(0, 8).Draw(rt, "noise")
			creep := rapid.IntRange(-2, 2).Draw(rt, "creep")
			for i := range rapid.SampledFrom([]int{1, 3, 50, 300, 3000}).Draw(rt, "readings") {
				c := min(max(count+creep*i/40+i*7919%(2*noise+1)-noise, 0), 32767)
				got := s.read(uint16(c))
				if err := o.judge(c, got, s.th.Health(0)); err != nil {
					rt.Fatalf("%+v: %v", l, err)
				}
			}
		}
	})
}

func anyLevels(rt *rapid.T) sensing.Levels {
	null := rapid.IntRange(9000, 17000).Draw(rt, "null")
	north, south := rapid.IntRange(200, 6000).Draw(rt, "north"), rapid.IntRange(200, 6000).Draw(rt, "south")
	if rapid.Bool().Draw(rt, "reversed") {
		north, south = -north, -south
	}
	return sensing.Levels{Null: uint16(null), North: uint16(null - north), South: uint16(null + south)}
}

// oracle knows the calibrated levels only.
type oracle struct {
	l        sensing.Levels
	smallest int
	before   string
	// away says that every reading so far was more than 20 % away.
	away bool
}

func newOracle(l sensing.Levels) *oracle {
	size := func(n uint16) int { return max(int(n)-int(l.Null), int(l.Null)-int(n)) }
	return &oracle{l: l, smallest: min(size(l.North), size(l.South)), before: "fault", away: true}
}

func (o *oracle) judge(count int, got string, h sensing.CellHealth) error {
	deviation := count - int(o.l.Null)
	side, full := "south", int(o.l.South)-int(o.l.Null)
	if (deviation > 0) != (full > 0) {
		side, full = "north", int(o.l.North)-int(o.l.Null)
	}
	share := 100 * float64(deviation) / float64(full)
	before := o.before
	o.before = got
	o.away = o.away && share > 20
	switch {
	case count <= 1600 || count >= 24800 || share > 200:
		if got != "fault" {
			return fmt.Errorf("%d counts are %s, want a fault", count, got)
		}
	case got == "fault":
		return fmt.Errorf("%d counts, %.1f %% of %s, are a fault", count, share, side)
	case share >= 40 && got != side:
		return fmt.Errorf("%d counts, %.1f %% of %s, are %s", count, share, side, got)
	case share < 10 && got != "empty":
		return fmt.Errorf("%d counts, %.1f %% of %s, are %s", count, share, side, got)
	case share < 20 && got != "empty" && before == "empty":
		return fmt.Errorf("%s appeared with %d counts, %.1f %% of %s", got, count, share, side)
	case got != "empty" && got != side && share > 10:
		return fmt.Errorf("%d counts, %.1f %% of %s, are %s", count, share, side, got)
	}
	limit := min(float64(o.smallest)/10, float64(o.l.Null)/50)
	if d := float64(max(h.Drift, -h.Drift)); d > limit+0.5 {
		return fmt.Errorf("the null is off by %d, the limit is %.1f", h.Drift, limit)
	}
	if o.away && h.Drift != 0 {
		return fmt.Errorf("the null moved by %d although there was always something", h.Drift)
	}
	return nil
}

// Any bytes are readings.
func FuzzThreshold(f *testing.F) {
	f.Add([]byte{0x33, 0x90, 0x2F, 0x00, 0x00, 0x00, 0xFF, 0xFF})
	f.Add([]byte{0x32, 0xC8, 0x31, 0x9C, 0x31, 0x9D, 0x31, 0x38, 0x31, 0x39})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newScale(t, plain())
		o := newOracle(plain())
		for ; len(data) >= 2; data = data[2:] {
			count := int(data[0])<<8 | int(data[1])
			// The time between readings comes from them as well.
			s.now += time.Duration(data[0]^data[1]) * 200 * ms
			if err := o.judge(count, s.read(uint16(count)), s.th.Health(0)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestThresholdAllocatesNothing(t *testing.T) {
	th, counts := noisyBoard(t)
	now := time.Duration(0)
	i := 0
	if n := testing.AllocsPerRun(200, func() {
		now += 42 * ms
		i++
		th.Step(now, &counts[i%len(counts)], engine.Bitboard(i)<<20)
		_ = th.Health(7)
	}); n != 0 {
		t.Errorf("%v allocations per step", n)
	}
}

func BenchmarkThreshold(b *testing.B) {
	th, counts := noisyBoard(b)
	now := time.Duration(0)
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		now += 42 * ms
		i++
		th.Step(now, &counts[i%len(counts)], 0)
	}
}

// noisyBoard is a board with discs on half of it.
func noisyBoard(t testing.TB) (*sensing.Threshold, [16][engine.Squares]uint16) {
	th, err := sensing.NewThreshold(sensing.AllLevels(plain()), sensing.DRV5055A4())
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6)) //nolint:gosec // Repeatable on purpose.
	var counts [16][engine.Squares]uint16
	for i := range counts {
		for k := range counts[i] {
			counts[i][k] = []uint16{13000, 12000, 13000, 15000}[k%4] + uint16(rng.IntN(9)) - 4
		}
	}
	return th, counts
}

// A sensor that has drifted by 20 % of the full scale or more, here 200 counts, is
// told of before anything is misread: it still reads empty. It is well again at
// 15 %. A disc on it neither mends it nor makes it sick.
func TestDriftTooFar(t *testing.T) {
	t.Parallel()
	s := newScale(t, plain())
	astray := func(what string, want bool) {
		t.Helper()
		if got := s.th.Astray() == 1; got != want {
			t.Errorf("%s: astray %v", what, got)
		}
	}
	// As the sun comes round, no faster than the null can follow.
	for count := uint16(13000); count <= 13195; count += 15 {
		s.hold(count, 80*time.Second)
	}
	astray("195 counts", false)
	s.hold(13205, 9*time.Second)
	astray("205 counts, not for long", false)
	if got := s.hold(13205, 2*time.Second); got != "empty" {
		t.Errorf("it shows %s", got)
	}
	astray("205 counts", true)
	s.hold(13155, time.Minute)
	astray("155 counts", true)
	if got := s.hold(12000, time.Minute); got != "north" {
		t.Errorf("with a disc it shows %s", got)
	}
	astray("a disc lies there", true)
	s.hold(13145, 9*time.Second)
	astray("145 counts, not for long", true)
	s.hold(13145, 3*time.Second)
	astray("145 counts", false)
}

// A cell on which a disc lies all the time cannot be tracked. Its drift is told
// when the reading has slid by a fifth, long before the disc is lost at 30 %; it is
// well again when the disc reads as at first, or its empty square as calibrated.
func TestDriftUnderADisc(t *testing.T) {
	t.Parallel()
	for _, towards := range []int{1, -1} {
		s := newScale(t, plain())
		astray := func(what string, want bool) {
			t.Helper()
			if got := s.th.Astray() == 1; got != want {
				t.Errorf("%s, direction %d: astray %v", what, towards, got)
			}
		}
		count := func(slid int) uint16 { return uint16(12000 + towards*slid) } // Of 1000 counts for a north pole.
		s.hold(count(0), time.Minute)
		for slid := 0; slid < 200; slid += 5 {
			s.hold(count(slid), 20*time.Second)
		}
		astray("195 counts", false)
		if got := s.hold(count(205), 20*time.Second); got != "north" {
			t.Errorf("it shows %s", got)
		}
		astray("205 counts", true)
		s.hold(count(155), time.Minute)
		astray("155 counts", true)
		s.hold(count(140), 20*time.Second)
		astray("140 counts", false)
		s.hold(count(300), 8*time.Second)
		s.hold(count(305), time.Hour)
		astray("a hand moved it", false)
		for slid := 305; slid < 520; slid += 5 {
			s.hold(count(slid), 20*time.Second)
		}
		astray("215 counts more", true)
		s.hold(13000, 20*time.Second)
		astray("taken off, and the square is empty as calibrated", false)
	}
}

// A weak disc has less to lose: it is told of before its margin is gone.
func TestDriftUnderAWeakDisc(t *testing.T) {
	t.Parallel()
	s := newScale(t, plain())
	s.hold(12530, time.Minute) // 47 % of a disc.
	told := 0
	for count := uint16(12530); s.hold(count, 10*time.Second) == "north" && told == 0; count++ {
		if s.th.Astray() == 1 {
			told = 13000 - int(count)
		}
	}
	if told < 350 || told > 400 {
		t.Errorf("told of at %d counts of 1000, want below 400 and well before 300, where its margin is gone", told)
	}
}

// A disc that lies beside its sensor is none that has drifted, however long it
// lies there; and nothing is known of a sensor that has never been calibrated.
func TestNotAstray(t *testing.T) {
	t.Parallel()
	unknown := plain()
	unknown.Uncalibrated = true
	for name, levels := range map[string]sensing.Levels{"calibrated": plain(), "uncalibrated": unknown} {
		s := newScale(t, levels)
		s.hold(13000, time.Minute)
		s.hold(13250, 20*time.Minute)
		if s.th.Astray() != 0 {
			t.Errorf("%s: a disc at the edge of its square makes it sick", name)
		}
	}
	s := newScale(t, unknown)
	for count := uint16(13000); count <= 13240; count += 15 {
		s.hold(count, 80*time.Second)
	}
	if s.th.Astray() != 0 {
		t.Error("uncalibrated: astray")
	}
}
