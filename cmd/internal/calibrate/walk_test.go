package calibrate_test

import (
	"strings"
	"testing"
	"time"

	"reversi-board/cmd/internal/calibrate"
	"reversi-board/engine"
	"reversi-board/hardware"
	"reversi-board/hardware/sim"
	"reversi-board/sensing"
)

// A board without a mistake is good, whatever it is made of and however it is
// walked, and its calibration changes nothing but levels.
func TestGoodBoards(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"default", "hall-128", "hall-128-mcp23017", "hall-analog", "reed-64"} {
		for _, s := range []setup{{}, {quick: true}, {quick: true, discs: 24}, {discs: 20}} {
			if s.profile, s.seed = profile, 11; racing && (!s.quick || s.discs != 0) {
				continue // All of it is one goroutine.
			}
			b := newBench(t, s)
			v, c := b.run(t)
			if !v.Report.Well || told(v.Report) != "" {
				t.Errorf("%s", v.Report.Text())
			}
			want := sensing.Identity(c.Kind, c.Wiring)
			want.Made, want.Levels, want.Measured = c.Made, c.Levels, c.Measured
			if c != want {
				t.Errorf("%+v", c)
			}
		}
	}
}

// eye looks at the lights of a board while it is walked.
type eye struct {
	t     *testing.T
	board *sim.Board
	// text is what is asked for, since when; lit has been seen since then.
	text  string
	since time.Duration
	lit   engine.Bitboard
	asks  int
}

func (e *eye) watch(now time.Duration, v *calibrate.View) {
	if v.Stage != calibrate.Walking || v.Taking {
		e.text = ""
		return
	}
	if v.Text != e.text {
		e.asks++
		e.text, e.lit, e.since = v.Text, 0, now
		return
	}
	for s, l := range e.board.Seen() {
		if l != (sim.Light{}) {
			e.lit |= engine.Square(s).Bit()
		}
	}
	if now < e.since+40*time.Millisecond {
		e.lit = 0 // What was there before has just gone out.
	}
	if e.lit&^v.Ask.Squares != 0 || now > e.since+1200*time.Millisecond && e.lit != v.Ask.Squares {
		e.t.Fatalf("%v: %q, lit is %v", now, v.Text, e.lit)
	}
}

// The lights lead: while something is asked for, just the squares that the text
// names are lit, on the wire; and an eye sees all of them within a second.
func TestLightsLead(t *testing.T) {
	t.Parallel()
	for quick, want := range map[bool]int{false: 128, true: 16} {
		b := newBench(t, setup{profile: "default", seed: 3, quick: quick})
		e := &eye{t: t, board: b.sim}
		b.watch = e.watch
		b.run(t)
		if e.asks != want {
			t.Errorf("%d asks, want %d", e.asks, want)
		}
	}
}

// clumsy lays discs at once, as the asks say, but for what change does to them: n
// is the number of the ask, after how long it has been asked for.
func (b *bench) clumsy(change func(n int, after time.Duration, a calibrate.Ask, faces *[engine.Squares]sim.Face)) {
	n, asked := -1, time.Duration(0)
	var current, shown [engine.Squares]sim.Face
	text := ""
	b.instead = func(v *calibrate.View) (calibrate.Answer, error) {
		switch v.Stage {
		case calibrate.Clearing, calibrate.Tidying:
			current = [engine.Squares]sim.Face{}
			b.sim.Set(current)
			return calibrate.Next, nil
		case calibrate.Deciding:
			return calibrate.Store, nil
		case calibrate.Measuring, calibrate.Agreed, calibrate.Aborted:
			return calibrate.Silence, nil
		case calibrate.Walking, calibrate.Checking, calibrate.Filling:
		}
		if key := v.Stage.String() + v.Text; key != text {
			text, asked = key, b.now
			n++
			b.obey(v, &current)
		}
		faces := current
		change(n, b.now-asked, v.Ask, &faces)
		if faces != shown {
			shown = faces
			b.sim.Set(faces)
		}
		if strings.Contains(v.Note, "If it is done, go on.") {
			return calibrate.Next, nil
		}
		return calibrate.Silence, nil
	}
}

// obey does at once what is asked for.
func (b *bench) obey(v *calibrate.View, faces *[engine.Squares]sim.Face) {
	side := sim.NorthUp
	if v.Ask.Face == engine.White {
		side = sim.SouthUp
	}
	if v.Ask.Do == calibrate.Place && v.Ask.Squares.Count() == 1 {
		*faces = [engine.Squares]sim.Face{}
	}
	for s := range v.Ask.Squares.All() {
		if faces[s] = side; v.Ask.Do == calibrate.Take {
			faces[s] = sim.NoDisc
		}
	}
}

// Mistakes that people make and put right are no defects of the board.
func TestMistakesArePutRight(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(n int, after time.Duration, a calibrate.Ask, faces *[engine.Squares]sim.Face){
		"on the wrong square first": func(n int, after time.Duration, a calibrate.Ask, faces *[engine.Squares]sim.Face) {
			if n == 4 && after < 900*time.Millisecond {
				s := a.Squares.First()
				faces[s], faces[s+8] = sim.NoDisc, faces[s]
			}
		},
		"taken away too soon": func(n int, after time.Duration, a calibrate.Ask, faces *[engine.Squares]sim.Face) {
			if n == 6 && after > 350*time.Millisecond && after < 800*time.Millisecond {
				faces[a.Squares.First()] = sim.NoDisc
			}
		},
		"a hand that trembles": func(n int, after time.Duration, a calibrate.Ask, faces *[engine.Squares]sim.Face) {
			if n == 7 && after < 1500*time.Millisecond && after%(200*time.Millisecond) < 100*time.Millisecond {
				faces[a.Squares.First()] = sim.NoDisc
			}
		},
		"nothing for a while": func(n int, after time.Duration, a calibrate.Ask, faces *[engine.Squares]sim.Face) {
			if n == 9 && after < 2*time.Second {
				faces[a.Squares.First()] = sim.NoDisc
			}
		},
	} {
		for _, profile := range []string{"default", "hall-analog"} {
			b := newBench(t, setup{profile: profile, seed: 8})
			b.clumsy(change)
			if v, _ := b.run(t); told(v.Report) != "" {
				t.Errorf("%s, %s: %s", name, profile, v.Report.Text())
			}
		}
	}
}

// A disc that is laid wrong side up and never noticed, a square that is forgotten,
// one that is skipped: the check clears the board of suspicion.
func TestMistakesAreNotBelieved(t *testing.T) {
	t.Parallel()
	other := map[sim.Face]sim.Face{sim.NoDisc: sim.NoDisc, sim.NorthUp: sim.SouthUp, sim.SouthUp: sim.NorthUp}
	for _, c := range []struct {
		name   string
		quick  bool
		change func(n int, after time.Duration, a calibrate.Ask, faces *[engine.Squares]sim.Face)
		want   string
	}{
		{"wrong side up all the time", true, func(n int, _ time.Duration, _ calibrate.Ask, faces *[engine.Squares]sim.Face) {
			if n < 16 {
				faces[18] = other[faces[18]]
			}
		}, "odd_disc c3"},
		{"wrong side up on one square", false, func(n int, _ time.Duration, _ calibrate.Ask, faces *[engine.Squares]sim.Face) {
			if n == 10 || n == 11 {
				faces[5] = other[faces[5]]
			}
		}, ""},
		{"on the wrong square", false, func(n int, _ time.Duration, _ calibrate.Ask, faces *[engine.Squares]sim.Face) {
			if n == 10 || n == 11 {
				faces[5], faces[13] = sim.NoDisc, faces[5]
			}
		}, ""},
		{"no disc at all", false, func(n int, _ time.Duration, _ calibrate.Ask, faces *[engine.Squares]sim.Face) {
			if n == 10 {
				faces[5] = sim.NoDisc
			}
		}, ""},
		{"two discs laid in the wrong order", true, func(n int, _ time.Duration, _ calibrate.Ask, faces *[engine.Squares]sim.Face) {
			if n == 2 { // One of rank 3 lies on rank 4 already.
				faces[18], faces[26] = sim.NoDisc, faces[18]
			}
		}, ""},
	} {
		for _, profile := range []string{"default", "hall-analog"} {
			b := newBench(t, setup{profile: profile, seed: 8, quick: c.quick})
			b.clumsy(c.change)
			if v, _ := b.run(t); told(v.Report) != c.want || !v.Report.Well {
				t.Errorf("%s, %s: want %q\n%s", c.name, profile, c.want, v.Report.Text())
			}
		}
	}
}

// The board is said to be empty at the moment at which the last disc is taken:
// sensors that look 20 times a second still show discs in the scans that follow.
// These are no part of the empty board.
func TestSaidToBeEmptyAtOnce(t *testing.T) {
	t.Parallel()
	for _, stale := range []time.Duration{0, 20 * time.Millisecond, 60 * time.Millisecond, 200 * time.Millisecond} {
		w, err := calibrate.New(calibrate.Options{Kind: "hall-128", Wiring: "0123456789abcdef", NorthIsBlack: true})
		if err != nil {
			t.Fatal(err)
		}
		now, full := time.Duration(0), hardware.Frame{North: 1<<28 | 1<<35, South: 1<<27 | 1<<36}
		scan := func(f hardware.Frame, d time.Duration) {
			for end := now + d; now < end; now += 20 * time.Millisecond {
				w.Step(now, &f, calibrate.Silence)
			}
		}
		scan(full, time.Minute)
		w.Step(now, nil, calibrate.Next)
		scan(full, stale)
		scan(hardware.Frame{}, 4*time.Second)
		if v := w.View(); v.Stage != calibrate.Walking || v.Doubtful != 0 {
			t.Errorf("discs seen for %v: %v, not believed are %v", stale, v.Stage, v.Doubtful)
		}
	}
}

// Nothing can be stored before the end was agreed to, and nothing after it was
// refused.
func TestNothingBeforeTheEnd(t *testing.T) {
	t.Parallel()
	o := calibrate.Options{Kind: "hall-128", Wiring: "0123456789abcdef", NorthIsBlack: true}
	w, err := calibrate.New(o)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Duration(0)
	scan := func(f hardware.Frame, d time.Duration) {
		for end := now + d; now < end; now += 20 * time.Millisecond {
			w.Step(now, &f, calibrate.Silence)
		}
	}
	refused := func(what string) {
		t.Helper()
		if c, err := w.Calibration(time.Now()); err == nil {
			t.Errorf("%s: %+v", what, c)
		}
		if w.Well() {
			t.Errorf("%s: all is well", what)
		}
	}
	refused("at the start")
	for _, a := range []calibrate.Answer{calibrate.Store, calibrate.StorePlain} {
		w.Step(now, nil, a)
		refused("answered out of turn")
	}
	w.Step(now, nil, calibrate.Next)
	scan(hardware.Frame{}, 4*time.Second)
	if w.Stage() != calibrate.Walking {
		t.Fatalf("it is %v", w.Stage())
	}
	w.Step(now, nil, calibrate.Store)
	refused("in the walk")
	w.Step(now, nil, calibrate.Again)
	if w.Stage() != calibrate.Clearing {
		t.Errorf("after starting again it is %v", w.Stage())
	}
	w.Step(now, nil, calibrate.Abort)
	refused("aborted")
	for _, a := range []calibrate.Answer{calibrate.Next, calibrate.Store, calibrate.Again} {
		if w.Step(now, nil, a); w.Stage() != calibrate.Aborted {
			t.Errorf("%v after the end", w.Stage())
		}
	}
}

// Without corrections the calibration leaves the board as the settings say, with
// the levels of the cells as they are wired.
func TestWithoutCorrections(t *testing.T) {
	t.Parallel()
	b := newBench(t, setup{profile: "hall-analog", seed: 4, quick: true, solder: func(w *sim.Wiring) {
		turn(w, 1)
		calibrate.Exchange(w, 20, 40)
	}})
	b.hand.Hurry()
	b.plain = true
	_, c := b.run(t)
	want := sensing.Identity(c.Kind, c.Wiring)
	want.Made, want.Measured, want.Levels = c.Made, true, c.Levels
	if c != want {
		t.Errorf("%+v", c)
	}
	for s, l := range c.Levels {
		if l.Uncalibrated || l.Validate() != nil {
			t.Errorf("%v: %+v", engine.Square(s), l)
		}
	}
	if b.walk.Well() {
		t.Error("all is well on a board that reads other squares")
	}
}

func TestOptionsOfNoUse(t *testing.T) {
	t.Parallel()
	for _, o := range []calibrate.Options{{Discs: 7}, {Discs: 65}, {Discs: -1}, {Senses: calibrate.Field}} {
		if _, err := calibrate.New(o); err == nil || !strings.HasPrefix(err.Error(), "calibrate: ") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// What a person is asked for, in words.
func TestAsks(t *testing.T) {
	t.Parallel()
	e4 := engine.Bitboard(1) << 28
	for _, c := range []struct {
		ask  calibrate.Ask
		want string
	}{
		{calibrate.Ask{Do: calibrate.Place, Squares: e4, Face: engine.Black}, "Put the disc on e4, black side up."},
		{calibrate.Ask{Do: calibrate.TurnOver, Squares: e4, Face: engine.White}, "Turn the disc on e4 over: white side up."},
		{calibrate.Ask{Do: calibrate.Take, Squares: e4, Face: engine.None}, "Take the disc off e4."},
		{calibrate.Ask{Do: calibrate.Place, Squares: e4, Face: engine.None}, "Put the disc on e4."},
		{calibrate.Ask{Do: calibrate.Place, Squares: 0xFF00, Face: engine.White}, "Put discs on rank 2, white side up."},
		{calibrate.Ask{Do: calibrate.TurnOver, Squares: 0x8080808080808080, Face: engine.Black}, "Turn the discs on file h over: black side up."},
		{calibrate.Ask{Do: calibrate.TurnOver, Squares: 0x80808080, Face: engine.Black}, "Turn the discs on h1, h2, h3 and h4 over: black side up."},
		{calibrate.Ask{Do: calibrate.Take, Squares: ^engine.Bitboard(0), Face: engine.None}, "Take the discs off all squares."},
	} {
		if got := c.ask.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Levels of whole boards need a board that measures and answers.
func TestWholeBoards(t *testing.T) {
	t.Parallel()
	if _, err := calibrate.Whole(func(calibrate.Lying) {}, func() hardware.Frame { return hardware.Frame{} }); err == nil {
		t.Error("a board that does not measure has levels")
	}
	lost := hardware.Frame{Analog: true, Lost: 1}
	if _, err := calibrate.Whole(func(calibrate.Lying) {}, func() hardware.Frame { return lost }); err == nil || !strings.Contains(err.Error(), "converters") {
		t.Errorf("%v", err)
	}
	var lies calibrate.Lying
	levels, err := calibrate.Whole(func(l calibrate.Lying) { lies = l }, func() hardware.Frame {
		f := hardware.Frame{Analog: true}
		for s := range f.Counts {
			f.Counts[s] = [...]uint16{calibrate.Nothing: 13200, calibrate.NorthDown: 12000, calibrate.SouthDown: 14400}[lies] + uint16(s)
		}
		return f
	})
	if want := (sensing.Levels{Null: 13205, North: 12005, South: 14405}); err != nil || levels[5] != want {
		t.Errorf("%v %+v", err, levels[5])
	}
}
