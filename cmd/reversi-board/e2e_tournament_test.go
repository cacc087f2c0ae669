package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	hall "reversi-board/engine/archive/tables"
)

// event is a tournament at a board of its own.
type contest struct {
	t *testing.T
	b *bench
	p *process
	w *watch
	// id names the tournament.
	id string
}

// runTournament runs reversi-board tournament on a data folder.
func runTournament(t *testing.T, dir, stdin string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args = append([]string{"tournament"}, args...)
	if dir != "" {
		args = append(args, "--data", dir)
	}
	code := dispatch(t.Context(), commands(), args, strings.NewReader(stdin), &stdout, &stderr)
	return outcome{stdout.String(), stderr.String(), code}
}

// cli gives a command that must be carried out, and returns what it prints.
func (c *contest) cli(args ...string) string {
	c.t.Helper()
	got := runTournament(c.t, c.b.dir, "", args...)
	if got.code != exitOK {
		c.t.Fatalf("tournament %v: %+v", args, got)
	}
	return got.stdout
}

// sheet returns the tournament.
func (c *contest) sheet() *hall.Sheet {
	c.t.Helper()
	s := decode[hall.Sheet](c.t, []byte(c.cli("standings", c.id, "--json")))
	return &s
}

// seat returns a pairing.
func (c *contest) seat(round, table int) hall.Seat {
	c.t.Helper()
	for _, r := range c.sheet().Rounds {
		for _, s := range r.Seats {
			if r.Round == round && s.Table == table {
				return s
			}
		}
	}
	c.t.Fatalf("there is no table %d in round %d", table, round)
	return hall.Seat{}
}

// begins starts the game of a pairing and lays out the discs.
func (c *contest) begins(round, table int, black, white string) {
	c.t.Helper()
	c.cli("start", c.id, strconv.Itoa(table), "--round", strconv.Itoa(round), "--page", c.p.url)
	c.sitDown(black, white)
}

// sitDown lays out the discs, and waits until the game of two players begins.
func (c *contest) sitDown(black, white string) {
	c.t.Helper()
	c.p.hand(act{Op: "reset"})
	c.w.until(patience, "the players sit down", func(w *watch) bool {
		s := w.view.State
		return s.Phase == "playing" && s.Ply == 0 && s.Players.Black == black && s.Players.White == white
	})
}

// plays makes moves with simulated hands.
func (c *contest) plays(moves string, from int) {
	c.t.Helper()
	for _, m := range pliesOf(c.t, moves)[from:] {
		c.p.play(c.w, m)
	}
}

// gets waits until a result has entered by itself.
func (c *contest) gets(round, table int, result string) {
	c.t.Helper()
	var got string
	until(c.t, patience, fmt.Sprintf("round %d, table %d: %s", round, table, result), func() bool {
		s := c.seat(round, table)
		got = s.State()
		return got == result
	})
}

// order gives an order that must be obeyed, by somebody who sees the newest
// state.
func (c *contest) order(name string, args any) {
	c.t.Helper()
	until(c.t, patience, name, func() bool {
		a, err := c.p.post("/api/v1/command", map[string]any{
			"name": name, "args": args, "id": rand.Text(), "if_seq": c.w.look().State.Seq,
		})
		if err != nil || a.Status != "ok" && a.Code != "stale_seq" {
			c.t.Fatalf("%s: %+v, %v", name, a, err)
		}
		return a.Status == "ok"
	})
}

// cut is a power cut.
func (c *contest) cut() {
	c.t.Helper()
	c.p.kill()
	c.p = c.b.start()
	c.w = c.p.watch()
}

// Four players meet each other at one board. The results enter by themselves,
// whatever happens to the program; the table at the end is the one that follows
// from the games by hand.
func TestTournamentAtTheBoard(t *testing.T) {
	t.Parallel()
	b := newBench(t, "{embedded: {enabled: false}}", quick)
	c := &contest{t: t, b: b, p: b.start(), id: "final"}
	c.w = c.p.watch()
	c.w.phase("playing")
	c.cli("create", "Final", "--system", "round-robin", "--profile", "home")
	for _, name := range []string{"Ana", "Ben", "Cem", "Dora"} {
		c.cli("players", c.id, "--add", name)
	}
	const (
		wipeout = "f5d6c5f6e7f4g5e6e3" // 13-0: at home the discs count as they lie
		opening = "f5d6"               // 3-3
	)
	// Round 1: Ana beats Dora 13-0. Cem gives up with three discs: 3-61.
	c.cli("pair", c.id)
	c.begins(1, 1, "Ana", "Dora")
	if s := c.seat(1, 1); s.State() != "being played on reversi-1" {
		until(t, patience, "the game is seen in the table", func() bool { return c.seat(1, 1).State() == "being played on reversi-1" })
	}
	c.plays(wipeout, 0)
	c.gets(1, 1, "13–0, black wins, by wipeout")
	c.begins(1, 2, "Cem", "Ben")
	c.plays(opening, 0)
	c.order("resign", map[string]string{"color": "black"})
	c.gets(1, 2, "3–61 (discs 3–3), white wins, by resign")

	// Round 2: the power fails in the middle of Dora's game; she goes on and beats
	// Ben 13-0. It fails again in the moment in which Ana and Cem agree on a draw.
	c.cli("pair", c.id)
	c.begins(2, 1, "Dora", "Ben")
	c.plays(wipeout[:6], 0)
	c.cut()
	// What the hands held is put back, as the board asks.
	r := newRobot(c.p, c.w, 1)
	r.clumsy = false
	r.run(func(v view) bool {
		return v.State.Step == "to_move" && v.Table == v.State.Board && v.State.Sensed == v.State.Board
	})
	if got := c.w.look().State.Transcript; got != wipeout[:6] {
		t.Fatalf("after the power cut the game is %s", got)
	}
	c.plays(wipeout, 3)
	c.gets(2, 1, "13–0, black wins, by wipeout")
	c.begins(2, 2, "Ana", "Cem")
	c.plays(opening, 0)
	c.order("adjudicate", map[string]any{"result": "draw", "black": 32, "white": 32, "reason": "both had a train to catch"})
	c.cut()
	c.gets(2, 2, "32–32 (discs 3–3), draw, by adjudicated")

	// Round 3: the power fails before Cem and Dora have laid out the discs. Their
	// first game is broken off and does not count; in the second one Dora gives up:
	// 63-1. Ben beats Ana 13-0, but that was a mistake
	// of the hands: it is opened again, and declared to be 40-24.
	c.cli("pair", c.id)
	c.cli("start", c.id, "1", "--page", c.p.url)
	c.cut()
	c.w.until(patience, "the board remembers who is to play", func(w *watch) bool {
		return w.view.State.Phase == "setup" && w.view.State.Players.Black == "Cem"
	})
	c.sitDown("Cem", "Dora")
	c.plays(opening, 0)
	c.begins(3, 1, "Cem", "Dora")
	c.plays(opening[:2], 0)
	c.order("resign", map[string]string{"color": "white"})
	c.gets(3, 1, "63–1 (discs 4–1), black wins, by resign")
	c.begins(3, 2, "Ben", "Ana")
	c.plays(wipeout, 0)
	c.gets(3, 2, "13–0, black wins, by wipeout")
	c.order("undo", map[string]int{"plies": 1})
	c.gets(3, 2, "being played on reversi-1")
	c.order("adjudicate", map[string]any{"result": "black", "black": 40, "white": 24, "reason": "the clock was broken"})
	c.gets(3, 2, "40–24 (discs 7–5), black wins, by adjudicated")
	c.checkEnd()

	// Ana's score is a draw and two games: 13 + 32 + 24 discs, and so on.
	want := "place,number,name,club,games,wins,draws,losses,byes,points,discs,against,difference,brightwell\n" +
		"1,2,Ben,,3,2,0,1,0,2,101,40,61,XBEN\n" +
		"2,3,Cem,,3,1,1,1,0,1.5,98,94,4,XCEM\n" +
		"3,1,Ana,,3,1,1,1,0,1.5,69,72,-3,XANA\n" +
		"4,4,Dora,,3,1,0,2,0,1,14,76,-62,XDORA\n"
	// Own discs and six times the points of all three opponents.
	want = strings.NewReplacer("XBEN", "125", "XANA", "96", "XCEM", "125", "XDORA", "44").Replace(want)
	if got := c.cli("export", c.id, "standings"); got != want {
		t.Errorf("the table is\n%swant\n%s", got, want)
	}
}

// checkEnd looks at what was changed, and that nothing changes any more.
func (c *contest) checkEnd() {
	c.t.Helper()
	var changed []string
	for _, ch := range c.sheet().Notable() {
		changed = append(changed, fmt.Sprintf("%s %s %s", ch.By, ch.What, ch.Old))
	}
	if want := []string{"board reversi-1 reopened 13–0, black wins, by wipeout"}; !slices.Equal(changed, want) {
		c.t.Errorf("changes: %q, want %q", changed, want)
	}
	if s := c.sheet(); s.Status != hall.Complete {
		c.t.Errorf("the tournament is %s", s.Status)
	}
	// A game without a pairing is none of the tournament's.
	before := c.cli("standings", c.id, "--json")
	c.p.hand(act{Op: "sweep"})
	c.w.phase("setup")
	c.p.hand(act{Op: "reset"})
	c.w.phase("playing")
	if s := c.w.look().State; s.Players.Black != "" {
		c.t.Errorf("%s plays again", s.Players.Black)
	}
	c.order("resign", map[string]string{"color": "black"})
	c.w.phase("over")
	c.cut()
	if after := c.cli("standings", c.id, "--json"); after != before {
		c.t.Errorf("the table has changed:\n%s\n%s", before, after)
	}
}
