package app

import (
	"encoding/json"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/configs"
	"reversi-board/engine/archive"
	"reversi-board/hardware/sim"
)

// A wall clock that is set is noticed once, with the amount; one that is slewed,
// or that seems to have moved because this thread was stopped between the two
// readings, was not set.
func TestWallWatch(t *testing.T) {
	t.Parallel()
	wall, mono := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), 10*time.Second
	var late []time.Duration // of the next readings
	w := WallWatch{Look: func() (time.Time, time.Duration) {
		m := mono
		if len(late) > 0 {
			m, late = mono-late[0], late[1:]
		}
		return wall, m
	}}
	pass := func(d time.Duration) { wall, mono = wall.Add(d), mono+d }
	quiet := func(what string) {
		t.Helper()
		if by, ok := w.Step(); ok || w.Notice() {
			t.Errorf("%s: the clock was set by %v", what, by)
		}
	}
	quiet("the first look")
	for range 10000 { // Ten hours of 0.5 ms a second, looked at every 4 s.
		pass(4 * time.Second)
		wall = wall.Add(2 * time.Millisecond)
		quiet("slewed")
	}
	late = []time.Duration{3 * time.Second}
	quiet("a stopped thread")
	for _, by := range []time.Duration{24 * time.Hour, -24 * time.Hour, time.Second, -56 * 365 * 24 * time.Hour} {
		wall = wall.Add(by)
		for range 2 {
			if !w.Notice() {
				t.Errorf("set by %v: not noticed", by)
			}
		}
		pass(time.Second)
		if got, ok := w.Step(); !ok || got != by {
			t.Errorf("set by %v: noticed %v, %t", by, got, ok)
		}
		quiet("told already")
	}
}

// settable is a wall clock that can be set, and may have been set from the
// network.
type settable struct {
	off    atomic.Int64
	synced atomic.Bool
}

// install makes it the wall clock of an app.
func (s *settable) install(a *App) {
	right := a.wall.Look
	a.wall.Look = func() (time.Time, time.Duration) {
		wall, mono := right()
		return wall.Add(time.Duration(s.off.Load())), mono
	}
	a.synced = s.synced.Load
}

// stored is an event as it is in the journal.
type stored struct {
	Seq  uint64    `json:"seq"`
	Type string    `json:"type"`
	TS   time.Time `json:"ts"`
	OK   bool      `json:"ts_ok"`
	Mono int64     `json:"mono_ms"`
	Data struct {
		ByMS    int64    `json:"by_ms"`
		Reason  string   `json:"reason"`
		Role    string   `json:"role"`
		Name    string   `json:"name"`
		From    string   `json:"from"`
		Changed []string `json:"changed"`
		Move    string   `json:"move"`
		Clock   struct {
			Black int64 `json:"black_ms"`
			White int64 `json:"white_ms"`
		} `json:"clock"`
	} `json:"data"`
}

// journalOf reads the whole journal of a folder.
func journalOf(t *testing.T, dir string) (all []stored) {
	t.Helper()
	j, _, err := archive.Open(archive.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	err = j.Replay(func(_ uint64, p []byte) error {
		var s stored
		if err := json.Unmarshal(p, &s); err != nil {
			return err
		}
		all = append(all, s)
		return nil
	})
	if err != nil || j.Close() != nil {
		t.Fatal(err)
	}
	return all
}

// Scenario 24: the wall clock is set by a day in either direction, to 2019 and to
// 1970, between two moves, before a disc has settled, and while a disc is turned.
// The game takes no notice: its clocks show to the millisecond what they show in
// the same game with a wall clock that is left alone. And the record says when it
// was set.
func TestWallClockIsSetInAGame(t *testing.T) {
	steps := []struct {
		name string
		// to returns what the clock is set to.
		to func(now time.Time) time.Time
	}{
		{"a day on", func(now time.Time) time.Time { return now.AddDate(0, 0, 1) }},
		{"a day back", func(now time.Time) time.Time { return now.AddDate(0, 0, -1) }},
		{"to 2019", func(time.Time) time.Time { return time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC) }},
		{"to 1970", func(time.Time) time.Time { return time.Unix(0, 0) }},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			var alone [][2]int64
			synctest.Test(t, func(t *testing.T) { alone = testWallClockIsSet(t, nil, nil) })
			synctest.Test(t, func(t *testing.T) { testWallClockIsSet(t, step.to, alone) })
		})
	}
}

func testWallClockIsSet(t *testing.T, to func(now time.Time) time.Time, want [][2]int64) (left [][2]int64) {
	dir, wall := t.TempDir(), &settable{}
	wall.synced.Store(true)
	b, stop := runPrepared(t, dir, nil, func(c *configs.Config) { c.Game.Clock = "5:00" }, wall.install)
	var by []time.Duration
	set := func() {
		if to == nil {
			return
		}
		now, _ := b.app.wall.Look()
		d := to(now).Sub(now)
		wall.off.Add(int64(d))
		// Setting it by hand is what takes the trust in it away.
		wall.synced.Store(len(by)%2 == 0)
		by = append(by, d)
	}
	table, game := b.app.rig.Sim, b.game
	for i, sq := range movesOf(t, "f5d6c3d3c4f4f6f3") {
		time.Sleep(1700 * time.Millisecond)
		if i%4 == 1 {
			set() // between two moves
		}
		rest, err := table.Place(b.app.now(), int(sq), b.app.hands.face(game.Turn))
		if err != nil {
			t.Fatal(err)
		}
		if i%4 == 2 {
			time.Sleep(rest - b.app.now() + 60*time.Millisecond)
			set() // the disc has not settled
		}
		for s := range game.Flips(sq).All() {
			if rest, err = table.Turn(b.app.now(), int(s), sim.TurnThroughEmpty, 400*time.Millisecond); err != nil {
				t.Fatal(err)
			}
			if i%4 == 3 {
				time.Sleep(200 * time.Millisecond)
				set() // the disc is in the hand
			}
			time.Sleep(rest - b.app.now())
		}
		game = game.Place(sq)
	}
	time.Sleep(time.Second)
	if seen := b.page(); !seen.well() || seen.State.Transcript != "f5d6c3d3c4f4f6f3" {
		t.Errorf("the page says %+v", seen)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	return checkSteps(t, journalOf(t, dir), by, want)
}

// checkSteps wants the events of a game of eight moves in which the wall clock was
// set, with these times left after every move, if they are known. It returns them.
func checkSteps(t *testing.T, events []stored, by []time.Duration, want [][2]int64) (left [][2]int64) {
	t.Helper()
	kinds := map[string]int{}
	zero, steps := time.Time{}, 0
	for i, e := range events {
		kinds[e.Type]++
		began := e.TS.Add(-time.Duration(e.Mono) * time.Millisecond)
		if e.Type == "time_stepped" && steps < len(by) {
			if e.Data.ByMS != by[steps].Milliseconds() {
				t.Errorf("step %d is by %d ms, want %v", steps, e.Data.ByMS, by[steps])
			}
			zero, steps = zero.Add(by[steps]), steps+1
		}
		if i == 0 {
			zero = began
		}
		// Stamps are cut to the millisecond.
		if d := began.Sub(zero).Abs(); d > 2*time.Millisecond || e.OK != (steps%2 == 1 || steps == 0) || e.Seq != uint64(i+1) {
			t.Errorf("event %d (%s), seq %d, is stamped %v, %t: %v off, after %d steps", i, e.Type, e.Seq, e.TS, e.OK, d, steps)
		}
		if e.Type == "move" {
			left = append(left, [2]int64{e.Data.Clock.Black, e.Data.Clock.White})
		}
	}
	if kinds["time_stepped"] != len(by) || kinds["move"] != 8 || kinds["game_started"] != 1 || len(events) != 9+len(by) {
		t.Errorf("events %v, want %d steps, 8 moves and the start", kinds, len(by))
	}
	if want != nil && !slices.Equal(left, want) {
		t.Errorf("the clocks show %v, with the wall clock left alone %v", left, want)
	}
	return left
}

// What the clocks say on MQTT names moments of the wall clock: it is told anew
// when that was set.
func TestClocksAreToldAnewWhenTheWallClockIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wall := &settable{}
		b, stop := runPrepared(t, t.TempDir(), nil, func(c *configs.Config) { c.Game.Clock = "5:00" }, wall.install)
		synctest.Wait()
		b.app.clockTold = true
		b.state() // the loop knows it
		wall.off.Add(int64(time.Hour))
		time.Sleep(time.Second)
		synctest.Wait()
		if b.app.clockTold {
			t.Error("nobody would be told")
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	})
}
