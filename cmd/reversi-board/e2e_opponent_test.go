package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/opponent/enginetest"
)

// noBroker is a bench without MQTT.
const noBroker = "{embedded: {enabled: false}}"

// rivalProgram is the configuration of an opponent that is a program.
func rivalProgram(command []string, more string) string {
	words := make([]string, len(command))
	for i, w := range command {
		words[i] = strconv.Quote(w)
	}
	return quick + fmt.Sprintf("opponent: {kind: gtp, command: [%s], time: 500ms%s}\n", strings.Join(words, ", "), more)
}

// switchOn switches a help of the simulated hands on.
func (p *process) switchOn(op string) {
	p.t.Helper()
	reply, err := p.post("/api/v1/hands", map[string]any{"op": op, "on": true})
	if err != nil || reply.Status != "ok" {
		p.t.Fatalf("%s: %+v %v", op, reply, err)
	}
}

// order gives a command as the page does.
func (p *process) order(name string, args any) answer {
	p.t.Helper()
	for {
		var now struct {
			State struct {
				Seq uint64 `json:"seq"`
			} `json:"state"`
		}
		p.fetch("/api/v1/state", &now)
		reply, err := p.post("/api/v1/command", map[string]any{
			"name": name, "args": args, "id": fmt.Sprint(time.Now().UnixNano()), "if_seq": now.State.Seq,
		})
		if err != nil {
			p.t.Fatal(err)
		}
		if reply.Code != "stale_seq" { // something happened in between
			return reply
		}
	}
}

// says waits for a sentence.
func (w *watch) says(text string) {
	w.t.Helper()
	w.until(patience, "the sentence "+text, func(w *watch) bool { return strings.Contains(w.view.Sentence, text) })
}

// kinds returns the types of events so far, the orders left out.
func (w *watch) kinds() []string {
	var all []string
	for _, e := range w.announced() {
		if e.Type != "command" {
			all = append(all, e.Type)
		}
	}
	return all
}

// A visitor plays a whole game against the computer; a robot makes its moves on
// the simulated board.
func TestGameAgainstTheComputer(t *testing.T) {
	t.Parallel()
	b := newBench(t, noBroker, quick)
	p := b.start()
	w := p.watch()
	w.phase("playing")
	if r := p.order("new", map[string]any{"opponent": map[string]any{"kind": "builtin", "level": 2, "side": "white"}}); r.Status != "ok" {
		t.Fatalf("%+v", r)
	}
	w.until(patience, "the computer at the table", func(w *watch) bool {
		return w.view.State.Players.White == "reversi-board level 2" && w.view.State.Phase == "playing"
	})
	p.switchOn("autoflip")
	p.switchOn("robot")
	for over := false; !over; {
		w.until(patience, "Black's turn", func(w *watch) bool {
			s := w.view.State
			over = s.Phase == "over"
			return over || s.Turn == "black" && s.Step == "to_move" && len(s.Legal) > 0
		})
		if over {
			break
		}
		s := w.look().State
		p.hand(act{Op: "place", Square: s.Legal[0], Color: "black"})
		w.until(patience, "a move after "+s.Transcript, func(w *watch) bool { return len(w.view.State.Transcript) > len(s.Transcript) })
	}
	for _, e := range w.announced() {
		if !slices.Contains([]string{"command", "game_started", "game_over", "move", "pass"}, e.Type) {
			t.Errorf("an event that did not happen: %s", e.raw)
		}
	}
	if code, _ := p.signal(syscall.SIGTERM); code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// The computer's disc is placed by hand; on another square it is a mistake. A
// move is suggested to people only.
func TestComputerMovedByHand(t *testing.T) {
	t.Parallel()
	b := newBench(t, noBroker, quick+"opponent: {kind: builtin, level: 2, side: white}\n")
	p := b.start()
	w := p.watch()
	w.phase("playing")
	if r := p.order("hint", map[string]any{}); r.Status != "ok" {
		t.Errorf("a hint: %+v", r)
	}
	w.says("Black to move. Try ")
	moves := pliesOf(t, "f5")
	p.play(w, moves[0])
	w.says("White plays ")
	if r := p.order("hint", map[string]any{}); r.Code != "not_allowed" {
		t.Errorf("a hint for the computer: %+v", r)
	}
	wish := w.look().State.Guide.Place
	if len(wish) != 1 {
		t.Fatalf("the guide asks for discs on %v, want one", wish)
	}
	other := map[string]string{"d6": "f6", "f6": "d6", "f4": "d6"}[wish[0]]
	p.hand(act{Op: "place", Square: other, Color: "white"})
	w.until(patience, "the mistake", func(w *watch) bool { return w.view.State.Problem.Code == "illegal_position" })
	w.says("White plays " + wish[0] + ": take " + other + " off")
	p.hand(act{Op: "lift", Square: other})
	w.says("White plays " + wish[0] + ": put a white disc there.")
	all := pliesOf(t, "f5"+wish[0])
	p.play(w, all[1])
	if got, want := w.kinds(), []string{"game_started", "move", "illegal_move", "move"}; !slices.Equal(got[len(got)-len(want):], want) {
		t.Errorf("events %v, want %v", got, want)
	}
	// Two moves back by order; then the computer may begin.
	if r := p.order("new", map[string]any{"opponent": map[string]any{"kind": "builtin", "level": 1, "side": "black"}}); r.Status != "ok" {
		t.Fatalf("%+v", r)
	}
	p.hand(act{Op: "reset"})
	w.says("Black plays ")
}

// An opponent that is a program plays by hand like the built-in one, survives a
// power cut of the board, and ends with it.
func TestProgramAsOpponent(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "heard")
	b := newBench(t, noBroker, rivalProgram(enginetest.Command(enginetest.Edax, "log="+log), ""))
	p := b.start()
	w := p.watch()
	w.phase("playing")
	p.play(w, pliesOf(t, "f5")[0])
	// The fake plays the first legal square.
	line := "f5" + legalAfter(t, "f5")
	w.says("White plays " + line[2:])
	p.kill()
	p = b.start()
	w = p.watch()
	w.says("White plays " + line[2:])
	p.play(w, pliesOf(t, line)[1])
	line += legalAfter(t, line)
	p.play(w, pliesOf(t, line)[2])
	w.says("White plays " + legalAfter(t, line))
	if code, _ := p.signal(syscall.SIGTERM); code != 0 {
		t.Errorf("exit status %d", code)
	}
	heard, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(heard), "clear_board"); n != 2 {
		t.Errorf("the program was told of %d games, want 2:\n%s", n, heard)
	}
	if !strings.HasSuffix(strings.TrimSpace(string(heard)), "quit") {
		t.Errorf("the program was not asked to end:\n%s", heard)
	}
}

// A program that fails twice is lost: it is on record, an alert says so, and
// people go on; or the built-in player does.
func TestOpponentIsLost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ fault, reason string }{
		{"die@1", "it ended (exit status 3)"},
		{"illegal@1", "which is illegal for white"},
		{"pass@1", "it passed although it can move"},
	} {
		for _, next := range []string{"people", "builtin"} {
			t.Run(c.fault+" "+next, func(t *testing.T) {
				t.Parallel()
				opponentIsLost(t, c.fault, c.reason, next)
			})
		}
	}
}

func opponentIsLost(t *testing.T, fault, reason, next string) {
	t.Helper()
	b := newBench(t, noBroker, rivalProgram(enginetest.Command(enginetest.Rhino, fault, "name=Villain"), ", when_lost: "+next))
	p := b.start()
	w := p.watch()
	w.phase("playing")
	p.play(w, pliesOf(t, "f5")[0])
	w.until(patience, "the alert", func(w *watch) bool {
		for _, a := range w.view.Alerts {
			if a.Code == "engine_lost" && strings.Contains(a.Text, reason) && strings.Contains(a.Text, "Villain") {
				return true
			}
		}
		return false
	})
	var lost []string
	for _, e := range w.announced() {
		if e.Type == "engine_lost" {
			lost = append(lost, string(e.Data))
		}
	}
	if len(lost) != 1 || !strings.Contains(lost[0], `"engine":"Villain`) {
		t.Errorf("on record: %q", lost)
	}
	square := "d6"
	if next == "builtin" {
		w.says("White plays ")
		square = w.look().State.Guide.Place[0]
	} else {
		w.says("White to move.")
	}
	p.play(w, pliesOf(t, "f5"+square)[1])
	p.play(w, pliesOf(t, "f5"+square+legalAfter(t, "f5"+square))[2])
	// A restart knows that the program is lost.
	if next == "people" {
		p.kill()
		p = b.start()
		p.watch().says("White to move.")
	}
}

// legalAfter returns a legal move after others.
func legalAfter(t *testing.T, moves string) string {
	t.Helper()
	g := engine.NewGame(classic(t))
	for ; moves != ""; moves = moves[2:] {
		s, err := engine.ParseSquare(moves[:2])
		if err != nil {
			t.Fatal(err)
		}
		g = g.Place(s)
	}
	return g.Legal().First().String()
}

// A program that thinks for ever delays nobody: moves are taken back, new games
// begin, and the board ends at once.
func TestOpponentThinksForEver(t *testing.T) {
	t.Parallel()
	b := newBench(t, noBroker, strings.Replace(rivalProgram(enginetest.Command(enginetest.Edax, "silent@1"), ""), "500ms", "10m", 1))
	p := b.start()
	w := p.watch()
	w.phase("playing")
	p.play(w, pliesOf(t, "f5")[0])
	w.says("White is thinking.")
	if r := p.order("undo", map[string]any{}); r.Status != "ok" {
		t.Fatalf("%+v", r)
	}
	w.until(patience, "the takeback", func(w *watch) bool { return w.view.State.Transcript == "" })
	p.hand(act{Op: "lift", Square: "f5"})
	p.hand(act{Op: "turn", Square: "e5"})
	w.says("Black to move.")
	p.play(w, pliesOf(t, "d3")[0])
	w.says("White is thinking.")
	if code, took := p.signal(syscall.SIGTERM); code != 0 || took > 5*time.Second {
		t.Errorf("exit status %d after %v", code, took)
	}
}
