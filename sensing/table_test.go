package sensing_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/sensing"
)

const (
	ms   = time.Millisecond
	scan = 20 * ms
)

// table is a board in the hands of a test: what each cell shows, scanned 50
// times a second in virtual time.
type table struct {
	now   time.Duration
	frame sensing.Frame
	flaps map[engine.Square]flap
	p     *sensing.Pipeline
	// said is what the pipeline has said since the last look, failed the cells
	// that are down now.
	said        []string
	last        sensing.Reading
	faults      int
	settledLast bool
}

// flap makes a cell show a face for the first half of each period.
type flap struct {
	face   string
	period time.Duration
	from   time.Duration
}

func newTable(c sensing.Config) *table {
	return &table{p: sensing.New(c), flaps: map[engine.Square]flap{}}
}

// show makes cells show black, white, empty or both.
func (tb *table) show(squares engine.Bitboard, face string) {
	tb.frame.North &^= squares
	tb.frame.South &^= squares
	switch face {
	case "black":
		tb.frame.North |= squares
	case "white":
		tb.frame.South |= squares
	case "both":
		tb.frame.North |= squares
		tb.frame.South |= squares
	case "empty":
	default:
		panic("no such face: " + face)
	}
}

// scan reads one frame and moves the time on.
func (tb *table) scan(t testing.TB) {
	for s, f := range tb.flaps {
		if (tb.now-f.from)%f.period < f.period/2 {
			tb.show(s.Bit(), f.face)
		} else {
			tb.show(s.Bit(), "empty")
		}
	}
	out := tb.p.Step(tb.now, tb.frame)
	tb.frame.Reset = 0
	tb.now += scan
	for _, f := range out.Failed.List() {
		tb.said = append(tb.said, fmt.Sprintf("failed %s %v", f.Kind, f.Squares))
		tb.faults++
	}
	for _, f := range out.Back.List() {
		tb.said = append(tb.said, fmt.Sprintf("back %s %v", f.Kind, f.Squares))
	}
	tb.settledLast = out.Settled
	if out.Settled {
		if out.Reading.Discs.Black&out.Reading.Discs.White != 0 || out.Reading.Lost&out.Reading.Masked != 0 {
			t.Fatalf("%v: sets overlap in %+v", tb.now, out.Reading)
		}
		tb.said = append(tb.said, tell(out.Reading))
		tb.last = out.Reading
	}
}

// wait scans for d.
func (tb *table) wait(t testing.TB, d time.Duration) {
	for end := tb.now + d; tb.now < end; {
		tb.scan(t)
	}
}

// tell writes a reading as "black d5 e4 white d4 e5 lost a3".
func tell(r sensing.Reading) string {
	parts := []string{"settled"}
	for _, set := range []struct {
		name    string
		squares engine.Bitboard
	}{
		{"black", r.Discs.Black},
		{"white", r.Discs.White},
		{"occupied", r.Occupied &^ r.Discs.Occupied()},
		{"lost", r.Lost},
		{"masked", r.Masked},
		{"lifted", r.Lifted},
	} {
		if set.squares != 0 {
			parts = append(parts, set.name, set.squares.String())
		}
	}
	return strings.Join(parts, " ")
}

// play runs a script: one action or expectation a line.
//
//	show e6 g2 black    the cells show that face from now on (or white, empty, both)
//	flap g2 black 1Hz   the cell shows the face and nothing in turn
//	steady g2 black     it stops
//	lose a3 b3          their bank does not answer; return a3 b3: it does again
//	reset a3 b3         their chip was found at its defaults
//	doubt a3 b3         somebody says that discs lie there
//	wait 200ms          scans go on for that long
//	> ...               what the pipeline has said since the last expectation, in
//	                    order, divided by semicolons; nothing after ">" = nothing
func (tb *table) play(t *testing.T, script string) {
	t.Helper()
	for n, line := range strings.Split(script, "\n") {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		if word == "" {
			continue
		}
		if word == ">" {
			if got := strings.Join(tb.said, "; "); got != strings.TrimSpace(rest) {
				t.Fatalf("line %d, at %v:\n got  %q\n want %q", n, tb.now, got, strings.TrimSpace(rest))
			}
			tb.said = nil
			continue
		}
		if err := tb.do(t, word, strings.Fields(rest)); err != nil {
			t.Fatalf("line %d %q: %v", n, line, err)
		}
	}
}

func (tb *table) do(t *testing.T, word string, args []string) error {
	if word == "wait" {
		d, err := time.ParseDuration(args[0])
		tb.wait(t, d)
		return err
	}
	names, last := args, args[len(args)-1]
	switch word {
	case "show", "steady":
		names = args[:len(args)-1]
	case "flap":
		names = args[:1]
	}
	squares, err := engine.ParseSquares(strings.Join(names, " "))
	if err != nil {
		return err
	}
	switch word {
	case "show":
		tb.show(squares, last)
	case "steady":
		delete(tb.flaps, squares.First())
		tb.show(squares, last)
	case "flap":
		hz, err := strconv.Atoi(strings.TrimSuffix(last, "Hz"))
		if err != nil {
			return err
		}
		tb.flaps[squares.First()] = flap{face: args[1], period: time.Second / time.Duration(hz), from: tb.now}
	case "lose":
		tb.frame.Lost |= squares
	case "return":
		tb.frame.Lost &^= squares
	case "reset":
		tb.frame.Reset |= squares
	case "doubt":
		tb.p.Doubt(squares)
	default:
		return fmt.Errorf("no such action")
	}
	return nil
}
