package sensing_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/sensing"
)

// report returns how a square is.
func (tb *table) report(t testing.TB, square string) sensing.CellReport {
	t.Helper()
	s, err := engine.ParseSquare(square)
	if err != nil {
		t.Fatal(err)
	}
	var r sensing.Report
	tb.p.Report(&r)
	return r[s]
}

// unasked leaves the expectations out of a script.
func unasked(script string) string {
	var b strings.Builder
	for l := range strings.Lines(script) {
		if !strings.HasPrefix(strings.TrimSpace(l), ">") {
			b.WriteString(l)
		}
	}
	return b.String()
}

// Every class has its letter, and nothing else is touched by what happens to one
// cell.
func TestClasses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		presence     bool
		want         string // squares with other letters than "."
	}{
		{"nothing has been read", ``, false, "?????"},
		{"all is well", start, false, ""},
		{"stuck", start + "show c3 both\nwait 100ms", false, "s c3"},
		{"stuck, and sane for a moment", start + "show c3 both\nwait 100ms\nshow c3 empty\nwait 900ms", false, "s c3"},
		{"stuck, and back", start + "show c3 both\nwait 100ms\nshow c3 empty\nwait 2s", false, ""},
		{"ghost", start + "show c3 both\nwait 100ms", true, "g c3"},
		{"flapping", start + "flap g2 white 10Hz\nwait 5s", false, "f g2"},
		{"dead", start + "doubt g2\nwait 20ms", false, "m g2"},
		{"dead since the calibration", start, false, "m h8"},
		{"lost", start + "lose a1 b1\nwait 20ms", false, "? a1 b1"},
		{"lost and stuck", start + "show a1 both\nwait 100ms\nlose a1 b1\nwait 20ms", false, "? a1 b1"},
		{"reset", start + "reset a1 b1\nwait 20ms", false, "? a1 b1"},
		{"reset, and settled", start + "reset a1 b1\nwait 300ms", false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conf := sensing.DefaultConfig()
			conf.Presence = c.presence
			if strings.HasSuffix(c.want, "h8") {
				conf.Dead = 1 << 63
			}
			tb := newTable(conf)
			tb.play(t, unasked(c.script))
			var r sensing.Report
			tb.p.Report(&r)
			want := letters(t, c.want)
			if got := r.Classes(); got != want {
				t.Errorf("classes\n got  %s\n want %s", got, want)
			}
			for s, cell := range r {
				if good := want[s] == '.'; good != (cell.Margin == 100) || !good && cell.Margin != 0 {
					t.Errorf("%v is %c with a margin of %d", engine.Square(s), cell.Class, cell.Margin)
				}
			}
		})
	}
}

// letters writes "s a1 b1" as 64 letters, the others "."; "?????" is all of them.
func letters(t *testing.T, text string) string {
	t.Helper()
	letter, names, _ := strings.Cut(text, " ")
	if letter == "?????" {
		return strings.Repeat("?", engine.Squares)
	}
	set, err := engine.ParseSquares(names)
	if err != nil {
		t.Fatal(err)
	}
	b := []byte(strings.Repeat(".", engine.Squares))
	for s := range set.All() {
		b[s] = letter[0]
	}
	return string(b)
}

// A cell that strays at rest loses margin, is noisy from five strays a minute
// on, and good again when they have become rare.
func TestStrays(t *testing.T) {
	t.Parallel()
	tb := newTable(sensing.DefaultConfig())
	tb.play(t, start)
	// Into the first half of a minute in which nothing has happened.
	tb.wait(t, 65*time.Second)
	stray := func(n int) {
		for range n {
			tb.show(1, "black")
			tb.wait(t, 40*ms)
			tb.show(1, "empty")
			tb.wait(t, 960*ms)
		}
		tb.wait(t, 3*time.Second)
	}
	stray(3)
	if r := tb.report(t, "a1"); r.Class != sensing.ClassGood || r.Margin != 70 {
		t.Errorf("after 3 strays: %c, margin %d", r.Class, r.Margin)
	}
	stray(2)
	if r := tb.report(t, "a1"); r.Class != sensing.ClassNoisy || r.Margin != 50 {
		t.Errorf("after 5 strays: %c, margin %d", r.Class, r.Margin)
	}
	if r := tb.report(t, "b1"); r.Class != sensing.ClassGood || r.Margin != 100 {
		t.Errorf("its neighbor: %c, margin %d", r.Class, r.Margin)
	}
	tb.wait(t, 2*time.Minute)
	if r := tb.report(t, "a1"); r.Class != sensing.ClassGood || r.Margin != 100 {
		t.Errorf("after two quiet minutes: %c, margin %d", r.Class, r.Margin)
	}
	stray(30)
	if r := tb.report(t, "a1"); r.Class != sensing.ClassNoisy || r.Margin != 0 {
		t.Errorf("after 30 strays: %c, margin %d", r.Class, r.Margin)
	}
}

// What hands do is no noise: discs that bounce, are turned, or brush past.
func TestHandsMakeNoNoise(t *testing.T) {
	t.Parallel()
	tb := newTable(sensing.DefaultConfig())
	tb.play(t, start)
	for range 4 {
		for _, face := range []string{"black", "empty", "white", "empty"} {
			for range 5 { // bounces
				tb.show(1<<10, face)
				tb.wait(t, 40*ms)
				tb.show(1<<10, "empty")
				tb.wait(t, 80*ms)
			}
			tb.show(1<<10, face)
			tb.wait(t, 15*time.Second)
		}
		tb.show(1<<11, "black") // a disc brushes past
		tb.wait(t, 40*ms)
		tb.show(1<<11, "empty")
		tb.wait(t, 10*time.Second)
		for _, square := range []string{"c2", "d2"} {
			if r := tb.report(t, square); r.Class != sensing.ClassGood || r.Margin < 80 {
				t.Fatalf("%s: %c, margin %d", square, r.Class, r.Margin)
			}
		}
	}
}

// A cell that goes on showing other values at rest is noisy, though slow enough
// not to be masked.
func TestRestlessValuesAreNoise(t *testing.T) {
	t.Parallel()
	tb := newTable(sensing.DefaultConfig())
	tb.play(t, start)
	for range 10 {
		tb.show(1, "black")
		tb.wait(t, 1500*ms)
		tb.show(1, "empty")
		tb.wait(t, 1500*ms)
	}
	if r := tb.report(t, "a1"); r.Class != sensing.ClassNoisy {
		t.Errorf("after 20 changes in half a minute: %c", r.Class)
	}
}

// Banks that come and go, chips that are reset and cells that are believed again
// leave no strays behind.
func TestReturnsAreNoNoise(t *testing.T) {
	t.Parallel()
	tb := newTable(sensing.DefaultConfig())
	tb.play(t, start)
	for range 8 {
		tb.play(t, strings.ReplaceAll(`
			lose a1 b1
			wait 3s
			return a1 b1
			wait 6s
			reset c1
			wait 3s`, "\t", ""))
	}
	for _, square := range []string{"a1", "b1", "c1"} {
		if r := tb.report(t, square); r.Class != sensing.ClassGood || r.Margin != 100 {
			t.Errorf("%s: %c, margin %d", square, r.Class, r.Margin)
		}
	}
}

// The flap rate is that of the outputs, two changes a period, whether the cell
// is masked or not.
func TestFlapRate(t *testing.T) {
	t.Parallel()
	for _, hz := range []int{1, 2, 5, 10} {
		t.Run(fmt.Sprint(hz, " Hz"), func(t *testing.T) {
			t.Parallel()
			tb := newTable(sensing.DefaultConfig())
			tb.play(t, start)
			g2 := engine.SquareAt(6, 1)
			tb.flaps[g2] = flap{face: "white", period: time.Second / time.Duration(hz), from: tb.now}
			tb.wait(t, 30*time.Second)
			if got, want := float64(tb.report(t, "g2").Flaps), float64(2*hz); got < 0.9*want || got > 1.1*want {
				t.Errorf("%.2f changes a second, want %v", got, want)
			}
			delete(tb.flaps, g2)
			tb.wait(t, 25*time.Second)
			if got := tb.report(t, "g2").Flaps; got != 0 {
				t.Errorf("%.2f changes a second of a cell at rest", got)
			}
		})
	}
}

// Margins of readings are shares of the best ones: an empty square has 20 % of
// full scale between its null and where a disc goes, a disc at full scale 70 %
// above where it appears.
func TestMarginsOfReadings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		count  uint16 // of a1; its null is 13000, its full scales 1000 north and 2000 south
		class  sensing.Class
		margin uint8
	}{
		{"empty at its null", 13000, sensing.ClassGood, 100},
		{"empty, half way to where a disc goes", 12900, sensing.ClassGood, 50},
		{"a disc at full scale", 12000, sensing.ClassGood, 100},
		{"a disc off the centre", 12350, sensing.ClassGood, 50},
		{"a white disc at full scale", 15000, sensing.ClassGood, 100},
		{"a white disc in the range that only history decides", 13500, sensing.ClassNoisy, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := measure(t, func(now time.Duration) (count uint16) {
				if c.class == sensing.ClassNoisy && now <= 300*ms {
					return 15000 // it was there before it was pushed aside
				}
				return c.count
			})
			if r[0].Class != c.class || r[0].Margin != c.margin {
				t.Errorf("%c, margin %d, want %c, %d", r[0].Class, r[0].Margin, c.class, c.margin)
			}
			if r[1].Class != sensing.ClassGood || r[1].Margin != 100 {
				t.Errorf("its neighbor: %c, margin %d", r[1].Class, r[1].Margin)
			}
		})
	}
}

// measure lets nine seconds pass in which a1 reads what it is told to, and the
// others their null.
func measure(t *testing.T, a1 func(now time.Duration) uint16) (r sensing.Report) {
	t.Helper()
	th, err := sensing.NewThreshold(sensing.AllLevels(plain()), sensing.DRV5055A4())
	if err != nil {
		t.Fatal(err)
	}
	p := sensing.New(sensing.DefaultConfig())
	var counts [engine.Squares]uint16
	for i := range counts {
		counts[i] = plain().Null
	}
	for now := time.Duration(0); now < 9*time.Second; now += 100 * ms {
		counts[0] = a1(now)
		var f sensing.Frame
		f.North, f.South = th.Step(now, &counts, 0)
		p.Step(now, f)
	}
	p.Report(&r)
	r.Measured(th)
	return r
}

// A null that has drifted as far as it may is noise; a saturated sensor is stuck
// and has no margin.
func TestReadingsThatFail(t *testing.T) {
	t.Parallel()
	th, err := sensing.NewThreshold(sensing.AllLevels(plain()), sensing.DRV5055A4())
	if err != nil {
		t.Fatal(err)
	}
	p := sensing.New(sensing.DefaultConfig())
	var counts [engine.Squares]uint16
	for i := range counts {
		counts[i] = plain().Null
	}
	counts[1] = 0 // shorted
	for now := time.Duration(0); now < time.Hour; now += 100 * ms {
		counts[0] = plain().Null + uint16(min(100, now/(6*time.Second)))
		var f sensing.Frame
		f.North, f.South = th.Step(now, &counts, 0)
		p.Step(now, f)
	}
	var r sensing.Report
	p.Report(&r)
	r.Measured(th)
	if r[0].Class != sensing.ClassNoisy {
		t.Errorf("drifted: %c, margin %d", r[0].Class, r[0].Margin)
	}
	if r[1].Class != sensing.ClassStuck || r[1].Margin != 0 {
		t.Errorf("shorted: %c, margin %d", r[1].Class, r[1].Margin)
	}
}

func TestReportAllocatesNothing(t *testing.T) {
	p := sensing.New(sensing.DefaultConfig())
	th, counts := noisyBoard(t)
	th.Step(0, &counts[0], 0)
	var r sensing.Report
	i := 0
	if n := testing.AllocsPerRun(2000, func() {
		p.Step(time.Duration(i)*scan, busy(i))
		p.Report(&r)
		r.Measured(th)
		i++
	}); n != 0 {
		t.Errorf("%v allocations a report", n)
	}
}

func BenchmarkReport(b *testing.B) {
	p := sensing.New(sensing.DefaultConfig())
	p.Step(0, sensing.Frame{})
	var r sensing.Report
	b.ReportAllocs()
	for b.Loop() {
		p.Report(&r)
	}
}
