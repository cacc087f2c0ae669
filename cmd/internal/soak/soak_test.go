package soak

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/engine/notation"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
	"reversi-board/hardware/sim"
)

// playAll plays and returns the outcomes by index, too.
func playAll(t *testing.T, o Options) (Report, []Outcome) {
	t.Helper()
	outcomes := make([]Outcome, o.Count())
	o.Done = func(out *Outcome) { outcomes[out.Index] = *out }
	report, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return report, outcomes
}

func TestGamesOfEveryVariant(t *testing.T) {
	for _, variant := range engine.VariantNames() {
		report, outcomes := playAll(t, Options{Random: 4, Variant: variant, Seed: 20})
		if report.Failed() || report.Games != 4 || report.Measured == 0 {
			t.Errorf("%s: %+v", variant, report)
		}
		for _, o := range outcomes {
			// A game at a table takes a minute and more, and nearly always all
			// 60 discs.
			if o.Moves < 40 || o.Flips < o.Moves || o.Virtual < time.Minute || o.Latency <= 0 {
				t.Errorf("%s: game %d is no game: %+v", variant, o.Index, o)
			}
		}
	}
}

// TestSameSeedSameGames: neither the number of workers nor the company of other
// games changes what happens in a game.
func TestSameSeedSameGames(t *testing.T) {
	_, together := playAll(t, Options{Random: 5, Seed: 7, Workers: 4})
	_, again := playAll(t, Options{Random: 5, Seed: 7, Workers: 1})
	if !reflect.DeepEqual(together, again) {
		t.Errorf("4 workers: %+v\n1 worker: %+v", together, again)
	}
	_, alone := playAll(t, Options{Random: 5, Seed: 7, Indices: []int{3}})
	if !reflect.DeepEqual(alone[3], together[3]) {
		t.Errorf("alone: %+v\ntogether: %+v", alone[3], together[3])
	}
	_, other := playAll(t, Options{Random: 5, Seed: 8, Indices: []int{3}})
	if other[3].Virtual == together[3].Virtual || other[3].Board == together[3].Board {
		t.Errorf("another seed plays the same: %+v", other[3])
	}
}

// TestMistakesOfTheHandsAreNoticed: a script that does something else at the
// eighth disc than it says. The board is right then not to follow; what is
// tested is that the counts show it.
func TestMistakesOfTheHandsAreNoticed(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(a *act)
		// spurious, missing and stuck are the counts of one game.
		spurious, missing, stuck int
		says                     string
	}{
		{
			"a flip is forgotten",
			func(a *act) { a.turn = a.turn[1:] },
			0, 1, 1, "got nothing",
		},
		{
			"a disc too many is turned",
			func(a *act) { a.turn = append(a.turn, another(a)) },
			1, 1, 1, "got illegal_move (extra_flip",
		},
		{
			"a wrong disc is turned instead",
			func(a *act) { a.turn[0] = another(a) },
			1, 1, 1, "got illegal_move (extra_flip",
		},
		{
			"the disc shows the wrong color",
			func(a *act) {
				if a.face == sim.NorthUp {
					a.face = sim.SouthUp
				} else {
					a.face = sim.NorthUp
				}
				a.turn = nil
			},
			1, 1, 1, "got illegal_move (wrong_color",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			report, _ := playAll(t, Options{Random: 1, Seed: 3, spoil: func(number int, a *act) {
				if number == 8 {
					c.spoil(a)
				}
			}})
			if report.Spurious != c.spurious || report.Missing != c.missing || report.Stuck != c.stuck ||
				report.WrongRecords != 1 || !report.Failed() || report.Moves != 7 {
				t.Errorf("%+v", report)
			}
			if len(report.Failures) != 1 || !strings.Contains(report.Failures[0].Difference, c.says) {
				t.Errorf("failures %+v, want %q", report.Failures, c.says)
			}
		})
	}
}

// another returns a disc of the opponent that the move does not turn, or else
// any disc that it does not turn.
func another(a *act) engine.Square {
	own := a.lying.Black
	if a.face == sim.NorthUp {
		own = a.lying.White
	}
	for _, set := range []engine.Bitboard{own, a.lying.Occupied()} {
		for s := range set.All() {
			if !slices.Contains(a.turn, s) {
				return s
			}
		}
	}
	panic("there is no other disc")
}

// TestAnotherMoveIsNoticed: the hands play another legal move, and play it well.
// The board commits it, and the record is not the one that was meant.
func TestAnotherMoveIsNoticed(t *testing.T) {
	report, _ := playAll(t, Options{Random: 1, Seed: 3, spoil: func(number int, a *act) {
		if number != 1 {
			return
		}
		others := map[engine.Square]engine.Square{19: 27, 26: 27, 37: 36, 44: 36} // d3 c4 f5 e6
		delete(others, a.at)
		for at, turns := range others {
			a.at, a.turn = at, []engine.Square{turns}
		}
	}})
	if report.Spurious != 1 || report.Missing != 1 || report.WrongRecords != 1 || report.Stuck != 0 || report.Moves != 1 {
		t.Errorf("%+v", report)
	}
}

// TestSlowLightsAreNoticed: a board that waits for longer than the player may
// have to.
func TestSlowLightsAreNoticed(t *testing.T) {
	report, _ := playAll(t, Options{Random: 1, Seed: 3, settings: func(c *configs.Config) {
		c.Sensing.Settle = 400 * time.Millisecond
	}})
	if !report.Failed() || report.WorstLatency <= 300 || report.WorstLatency > 500 || len(report.Failures) != 1 {
		t.Errorf("%+v", report)
	}
	if report.Spurious+report.Missing+report.WrongRecords+report.Stuck != 0 {
		t.Errorf("the records are right: %+v", report)
	}
}

// TestOtherRulesAreNoticed: the hands play the classic game on a board that is
// set to another one.
func TestOtherRulesAreNoticed(t *testing.T) {
	report, _ := playAll(t, Options{Random: 1, Seed: 3, settings: func(c *configs.Config) {
		c.Game.Variant = "white-first"
	}})
	if report.Stuck != 1 || report.Missing == 0 || report.Spurious == 0 {
		t.Errorf("%+v", report)
	}
}

// TestFilesThatSayOtherwiseAreNoticed: what a file knows about its games is
// compared as well.
func TestFilesThatSayOtherwiseAreNoticed(t *testing.T) {
	list, err := Load(filepath.Join(games, "edge-games.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		says  string
		spoil func(f *facts)
	}{
		{"score", func(f *facts) { f.score-- }},
		{"passes", func(f *facts) { f.passes = append(f.passes, notation.Pass{Ply: 9, Side: engine.White}) }},
		{"board", func(f *facts) { f.board = f.board.With(0, engine.White) }},
	} {
		g := list[0]
		if report, _ := playAll(t, Options{Games: []Game{g}}); report.Failed() || report.Moves != 9 {
			t.Fatalf("%+v", report)
		}
		c.spoil(&g.facts)
		report, _ := playAll(t, Options{Games: []Game{g}})
		if report.WrongRecords != 1 || report.Spurious+report.Missing+report.Stuck != 0 ||
			!strings.Contains(report.Failures[0].Difference, c.says) {
			t.Errorf("%s: %+v", c.says, report)
		}
	}
}

// TestCompare counts events that only one side has.
func TestCompare(t *testing.T) {
	m := func(ply int) line { return line{what: "move", ply: ply} }
	p := line{what: "pass", ply: 2}
	for _, c := range []struct {
		name              string
		want, got         []line
		spurious, missing int
	}{
		{"the same", []line{m(1), p, m(2)}, []line{m(1), p, m(2)}, 0, 0},
		{"a pass is missing", []line{m(1), p, m(2)}, []line{m(1), m(2)}, 0, 1},
		{"a pass too many", []line{m(1), m(2)}, []line{m(1), p, m(2)}, 1, 0},
		{"twice", []line{m(1), m(2)}, []line{m(1), m(1), m(2)}, 1, 0},
		{"another one", []line{m(1), m(2), p}, []line{m(1), m(3), p}, 1, 1},
		{"the other way round", []line{m(1), m(2)}, []line{m(2), m(1)}, 1, 1},
		{"nothing", []line{m(1), m(2)}, nil, 0, 2},
	} {
		var o Outcome
		o.compare(c.want, c.got)
		bad := c.spurious+c.missing > 0
		if o.Spurious != c.spurious || o.Missing != c.missing || o.WrongRecord != bad || (o.Difference != "") != bad {
			t.Errorf("%s: %+v", c.name, o)
		}
	}
}

// TestJournalIsReread: a journal that holds something else than was announced.
func TestJournalIsReread(t *testing.T) {
	j, _, err := archive.Open(archive.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}()
	var told []fact
	for seq := range uint64(3) {
		f := fact{seq: seq + 1, event: referee.Passed{By: engine.White}}
		env := record.Envelope{JID: j.JID(), Seq: f.seq, FP: "0123456789abcdef"}
		if f.payload, err = record.EncodeEvent(env, f.event); err != nil {
			t.Fatal(err)
		}
		if err := j.Append(f.seq, f.payload); err != nil {
			t.Fatal(err)
		}
		told = append(told, f)
	}
	for _, c := range []struct {
		name string
		told []fact
		want string
	}{
		{"the same", told, ""},
		{"one was not announced", told[:2], "the journal holds event 3, which was not announced"},
		{"one is not there", append(slices.Clone(told), told[0]), "the journal holds 3 events of 4 announced"},
		{
			"another event",
			[]fact{told[0], {seq: 2, event: referee.Passed{By: engine.Black}, payload: told[1].payload}, told[2]},
			"the journal's event 2 is ",
		},
		{"another number", []fact{told[0], told[0], told[2]}, "the journal holds event 2 as number 2, announced was 1"},
	} {
		var o Outcome
		if err := o.reread(j, 0, c.told); err != nil {
			t.Fatal(err)
		}
		if o.WrongRecord != (c.want != "") || !strings.HasPrefix(o.Difference, c.want) {
			t.Errorf("%s: %q, want %q", c.name, o.Difference, c.want)
		}
	}
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"none.tsv":  "",
		"bad.tsv":   "1977\tx\n",
		"move.tsv":  "1977\te\tb\tw\t34\t34\t30\t0\t60\t-\tf5i9\t" + strings.Repeat("-", 64) + "\n",
		"short.wtb": "0123456789",
		"games.txt": "f5d6",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		list, err := Load(path)
		if name == "none.tsv" {
			if err != nil || len(list) != 0 {
				t.Errorf("no games: %v, %v", list, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Load(filepath.Join(dir, "missing.wtb")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// TestIllegalGameIsRefused: an illegal game cannot be played at all.
func TestIllegalGameIsRefused(t *testing.T) {
	_, err := Run(t.Context(), Options{Games: []Game{{Name: "mine #0", Discs: []engine.Square{37, 0}}}})
	if err == nil || !strings.Contains(err.Error(), "mine #0") {
		t.Errorf("%v", err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	report, err := Run(ctx, Options{Random: 1000, Done: func(*Outcome) { cancel() }})
	if !errors.Is(err, context.Canceled) || report.Games == 0 || report.Games > 100 {
		t.Errorf("%+v, %v", report, err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestNoRoomForJournals(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	if report, err := Run(t.Context(), Options{Random: 3}); err == nil || report.Games != 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

// Every board that can be built plays whole games on its own chips and wires, as
// its settings say.
func TestEveryBoardPlays(t *testing.T) {
	for name, count := range map[string]int{
		"hall-128.yaml": 2, "hall-128-mcp23017.yaml": 2, "reed-64.yaml": 2, "hall-analog.yaml": 1,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, variant := range []string{"classic", "historic"} {
				report, _ := playAll(t, Options{Config: profile(t, name), Random: count, Seed: 5, Variant: variant})
				if report.Failed() || report.Games != count {
					t.Errorf("%s: %+v", variant, report)
				}
			}
		})
	}
}

// profile returns the settings of a built-in profile.
func profile(t *testing.T, name string) *configs.Config {
	t.Helper()
	text, err := configs.Profile(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := configs.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
