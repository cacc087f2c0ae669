package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/engine/referee"
	"reversi-board/hardware/sim"
)

// crash copies the data folder as it is at this moment, as a power cut leaves it.
func crash(t *testing.T, dir string) (image string) {
	t.Helper()
	synctest.Wait()
	image = t.TempDir()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		// The archive and recordings are no part of the record.
		if f.IsDir() || strings.HasPrefix(f.Name(), "games.db") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(image, f.Name()), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return image
}

// moveDiscs changes what lies on the simulated table of a data folder.
func moveDiscs(t *testing.T, dir string, change func(d engine.Discs) engine.Discs) {
	t.Helper()
	name := filepath.Join(dir, tableFile)
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := engine.ParseDiscs(string(b))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(change(d).String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// powered is a game in which the power fails; what the second program has is
// compared with what the first one had.
type powered struct {
	*board
	dir    string
	change func(c *configs.Config)
}

// cut starts a second program from what the first one leaves at this moment, with
// the discs as change says, and lets it look at the board.
func (p *powered) cut(change func(d engine.Discs) engine.Discs, look func(again *board, image string)) {
	p.t.Helper()
	image := crash(p.t, p.dir)
	was := p.state()
	transcript, exact := was.Transcript(), was.Clock.Times(p.app.now())
	if change != nil {
		moveDiscs(p.t, image, change)
	}
	again, stop := runPrepared(p.t, image, nil, p.change, func(*App) {})
	is := again.state()
	if is.Transcript() != transcript || is.Clock.Running != engine.None {
		p.t.Errorf("after %s: the game is %s, the clock of %v runs", transcript, is.Transcript(), is.Clock.Running)
	}
	for i := range 2 {
		got := is.Clock.Times(again.app.now()).Left
		for c := range engine.None {
			if d := got[c] - exact.Left[c]; d < 0 || d > clockTick {
				p.t.Errorf("after %s, look %d: %v has %v, it was %v", transcript, i, c, got[c], exact.Left[c])
			}
		}
		time.Sleep(20 * time.Second)
		is = again.state()
	}
	look(again, image)
	if err := stop(); err != nil {
		p.t.Fatal(err)
	}
}

// changedIn returns the squares that power_restored names in a journal.
func changedIn(t *testing.T, dir string) (squares string) {
	t.Helper()
	found := 0
	for _, e := range journalOf(t, dir) {
		if e.Type == "power_restored" {
			squares, found = strings.Join(e.Data.Changed, " "), found+1
		}
	}
	if found != 1 {
		t.Errorf("power_restored is there %d times", found)
	}
	return squares
}

// Scenario 38 in the whole program, with its files: at any moment of a game with
// clocks the power fails. They stand within a second of what they were, changed
// cells are named and lit, and the game goes on.
func TestPowerCutsOfTheProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		change := func(c *configs.Config) { c.Game.Clock = "20:00/5" }
		b, stop := runPrepared(t, dir, nil, change, func(*App) {})
		p := &powered{board: b, dir: dir, change: change}
		for i, sq := range movesOf(t, "f5d6c3d3c4f4") {
			time.Sleep(time.Duration(700+370*i) * time.Millisecond)
			p.cut(nil, func(again *board, _ string) {
				if lit := litCells(again.app.rig.Sim); lit != 0 || again.page().State.Problem.Active {
					t.Errorf("nothing has changed, and %v is lit: %q", lit, again.page().Sentence)
				}
				again.game = b.game
				again.play([]engine.Square{sq}) // and it goes on
			})
			turned := b.game.Occupied().First()
			p.cut(func(d engine.Discs) engine.Discs {
				return d.With(turned, d.At(turned).Opponent())
			}, func(again *board, _ string) {
				s := again.page()
				if lit := blinking(again.app.rig.Sim); lit != turned.Bit() || !strings.Contains(s.Sentence, "The power was off, and "+turned.String()) {
					t.Errorf("%v was turned, and %v is lit: %q", turned, lit, s.Sentence)
				}
				if _, err := again.app.rig.Sim.Turn(again.app.now(), int(turned), sim.TurnInPlace, 200*time.Millisecond); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
				again.game = b.game
				again.play([]engine.Square{sq})
			})
			p.midFlip(sq)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	})
}

// midFlip makes a move and cuts the power in the middle of it.
func (p *powered) midFlip(sq engine.Square) {
	p.t.Helper()
	flips := p.game.Flips(sq)
	rest, err := p.app.rig.Sim.Place(p.app.now(), int(sq), p.app.hands.face(p.game.Turn))
	if err != nil {
		p.t.Fatal(err)
	}
	time.Sleep(rest - p.app.now() + 400*time.Millisecond)
	p.cut(nil, func(again *board, _ string) {
		if lit := litCells(again.app.rig.Sim); lit != flips {
			p.t.Errorf("%v lies, its flips are %v, and %v is lit", sq, flips, lit)
		}
		if s := again.page().Sentence; !strings.Contains(s, "The clocks stand until play goes on.") {
			p.t.Errorf("the page says %q", s)
		}
	})
	for s := range flips.All() {
		if rest, err = p.app.rig.Sim.Turn(p.app.now(), int(s), sim.TurnInPlace, 200*time.Millisecond); err != nil {
			p.t.Fatal(err)
		}
	}
	time.Sleep(rest - p.app.now() + time.Second)
	p.game = p.game.Place(sq)
}

// What power_restored names is exactly what has changed.
func TestPowerRestoredNamesWhatHasChanged(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(d engine.Discs) engine.Discs
	}{
		{"nothing", "", func(d engine.Discs) engine.Discs { return d }},
		{"a disc is gone", "d6", func(d engine.Discs) engine.Discs { return d.With(mustSquare("d6"), engine.None) }},
		{"a disc was pushed", "d6 a1", func(d engine.Discs) engine.Discs {
			return d.With(mustSquare("d6"), engine.None).With(mustSquare("a1"), engine.White)
		}},
		{"the board was cleared", "d4 e4 d5 e5 f5 d6", func(engine.Discs) engine.Discs { return engine.Discs{} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				b, stop := run(t, dir, nil)
				b.play(movesOf(t, "f5d6"))
				if err := stop(); err != nil {
					t.Fatal(err)
				}
				moveDiscs(t, dir, c.change)
				_, stop = run(t, dir, nil)
				if err := stop(); err != nil {
					t.Fatal(err)
				}
				got := strings.Fields(changedIn(t, dir))
				want := strings.Fields(c.want)
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("changed are %v, want %v", got, want)
				}
			})
		})
	}
}

func mustSquare(name string) engine.Square {
	sq, err := engine.ParseSquare(name)
	if err != nil {
		panic(err) // a name in a test
	}
	return sq
}

// What else stays over a power cut: the move that the program wants to have made is
// asked for again.
func TestPowerCutKeepsTheWish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		change := func(c *configs.Config) {
			c.Opponent.Kind, c.Opponent.Level, c.Opponent.Side = referee.Builtin, 1, engine.White
		}
		b, _ := runWith(t, dir, nil, change)
		b.play(movesOf(t, "f5"))
		time.Sleep(10 * time.Second)
		p := &powered{board: b, dir: dir, change: change}
		p.cut(nil, func(again *board, _ string) {
			w := again.state().Wish
			if s := again.page().Sentence; !w.Active || s != fmt.Sprintf("White plays %v: put a white disc there.", w.Square) {
				t.Errorf("the wish is %+v: %q", w, s)
			}
			if lit := blinking(again.app.rig.Sim); lit != w.Square.Bit() {
				t.Errorf("%v is lit", lit)
			}
		})
	})
}

// What may be said against the last move may still be said, and suggestions stay
// locked.
func TestPowerCutKeepsTheClaimAndTheLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		b, _ := runWith(t, dir, nil, buttoned("woc"))
		table := b.app.rig.Sim
		black := b.game.Place(mustSquare("f5"))
		b.app.hands.lay(black.Discs)
		time.Sleep(time.Second)
		heldFor(table, ClockBlack, short)
		time.Sleep(time.Second)
		white := black.Place(mustSquare("d6"))
		b.app.hands.lay(white.With(mustSquare("d5"), engine.Black)) // which is forgotten
		time.Sleep(time.Second)
		heldFor(table, ClockWhite, short)
		time.Sleep(time.Second)
		p := &powered{board: b, dir: dir, change: buttoned("woc")}
		p.cut(nil, func(again *board, _ string) {
			if o := again.state().Objection; !o.Open || o.Claimed {
				t.Fatalf("what may be said against the last move: %+v", o)
			}
			if got := again.page().State.Hints; got != "locked" {
				t.Errorf("suggestions are %s", got)
			}
			heldFor(again.app.rig.Sim, ClockBlack, short)
			time.Sleep(time.Second)
			if s := again.page().Sentence; !strings.Contains(s, "Black objects to White's move d6: turn d5") {
				t.Errorf("claimed: %q", s)
			}
		})
	})
}

// A flag that has fallen has fallen.
func TestPowerCutKeepsAFallenFlag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		change := func(c *configs.Config) { c.Game.Clock = "0:20" }
		b, _ := runWith(t, dir, nil, change)
		time.Sleep(25 * time.Second)
		p := &powered{board: b, dir: dir, change: change}
		p.cut(nil, func(again *board, _ string) {
			if s := again.state(); !s.Clock.Flagged(engine.Black) || s.Clock.Flagged(engine.White) || !s.Halted {
				t.Errorf("flags %v, halted %t", s.Clock.Down, s.Halted)
			}
		})
	})
}

// After a power cut the game can be given up at the board: with the new-game
// button, or by setting up the start.
func TestDiscardAfterAPowerCut(t *testing.T) {
	for _, how := range []string{NewGame, "setting up"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testDiscard(t, how == NewGame) })
		})
	}
}

func testDiscard(t *testing.T, byButton bool) {
	dir := t.TempDir()
	b, stop := runWith(t, dir, nil, buttoned("home"))
	b.play(movesOf(t, "f5d6c3"))
	game := b.page().State.Game
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	moveDiscs(t, dir, func(d engine.Discs) engine.Discs { return d.With(mustSquare("d6"), engine.None) })
	again, stop := runWith(t, dir, nil, buttoned("home"))
	if s := again.page(); s.State.Game != game || !strings.HasSuffix(s.Sentence, "For a new game set up the start position instead.") {
		t.Fatalf("resumed: %+v %q", s.State, s.Sentence)
	}
	if byButton {
		heldFor(again.app.rig.Sim, NewGame, 1200*time.Millisecond)
		if s := again.page(); s.State.Phase != "setup" {
			t.Errorf("given up: %v %q", s.State.Phase, s.Sentence)
		}
	}
	again.app.hands.lay(engine.Start().Discs)
	time.Sleep(7 * time.Second)
	if s := again.page(); s.State.Game == game || s.State.Phase != "playing" || s.State.Transcript != "" {
		t.Errorf("%+v %q", s.State, s.Sentence)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	all := eventsOf(t, dir)
	if end := all[len(all)-2:]; !slices.Equal(end, []string{"game_over aborted", "game_started"}) {
		t.Errorf("on record are %q", all)
	}
}

// A calibration that was torn at any byte is not used, and says so.
func TestTornCalibration(t *testing.T) {
	t.Parallel()
	c := configs.Default()
	cal, dir := calibrationOf(c), t.TempDir()
	path := store(t, dir, &cal)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := LoadCalibration(dir, &c.Hardware)
	if err != nil || want == nil {
		t.Fatal(want, err)
	}
	for n := range whole {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := LoadCalibration(dir, &c.Hardware)
		// What is missing may be the end of the last line alone.
		if err == nil && (got == nil || *got != *want) || err != nil && !strings.Contains(err.Error(), path) {
			t.Fatalf("%d of %d bytes: %v, %v", n, len(whole), got, err)
		}
	}
}
