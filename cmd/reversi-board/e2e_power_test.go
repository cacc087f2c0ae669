package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
)

// robot plays on from whatever it finds: it does what the guide asks for, and
// when that is nothing it makes a legal move.
type robot struct {
	p   *process
	w   *watch
	rng *rand.Rand
	// clumsy hands think, make mistakes, and leave the flips of many moves to
	// the guide.
	clumsy bool
	// touched says when a hand was last sent to a square: a disc in the air is
	// not to be sent for again.
	touched map[string]time.Time
	// from is the table on which the robot has last made a move, and when: until
	// the disc has arrived the table looks as if nothing had been done.
	from string
	at   time.Time
}

// again is how long a hand is given before the robot believes that it has to do
// something once more: longer than a turn and its settling take.
const again = 700 * time.Millisecond

func newRobot(p *process, w *watch, seed uint64) *robot {
	return &robot{p: p, w: w, clumsy: true, rng: rand.New(rand.NewPCG(seed, 1)), touched: make(map[string]time.Time)} //nolint:gosec // picks moves
}

// do performs an act unless it was done a moment ago; the program may die under
// it.
func (r *robot) do(a act) error {
	if time.Since(r.touched[a.Square]) < again {
		return nil
	}
	r.touched[a.Square] = time.Now()
	_, err := r.p.post("/api/v1/hands", a)
	return err
}

// at returns what a board of 64 characters holds on a square.
func at(board, square string) byte { return board[int(square[0]-'a')+8*int(square[1]-'1')] }

// colorOf returns the word for a character of a board.
func colorOf(c byte) string {
	switch c {
	case 'B':
		return "black"
	case 'W':
		return "white"
	default:
		return ""
	}
}

// step does what is to be done now.
func (r *robot) step(v view) error {
	s := v.State
	switch {
	case s.Phase == "over":
		return r.do(act{Op: "sweep"})
	case s.Phase == "setup" && !strings.ContainsAny(v.Table, "BW"), s.Phase == "idle":
		return r.do(act{Op: "reset"})
	case s.Phase != "playing":
		return nil
	}
	if acts := guided(v); len(acts) > 0 {
		for _, a := range acts {
			if err := r.do(a); err != nil {
				return err
			}
		}
		return nil
	}
	// A move only on a table that is as the record says, and seen so.
	if s.Step != "to_move" || v.Table != s.Board || s.Sensed != s.Board || len(s.Legal) == 0 {
		return nil
	}
	if v.Table == r.from && time.Since(r.at) < 2*again {
		return nil
	}
	r.from, r.at = v.Table, time.Now()
	return r.move(s)
}

// guided returns what the guide asks for and no hand has done yet.
func guided(v view) (acts []act) {
	s := v.State
	for _, q := range s.Guide.Flip {
		switch {
		case at(v.Table, q) != at(s.Sensed, q): // done, or in a hand
		case at(v.Table, q) != '-':
			acts = append(acts, act{Op: "turn", Square: q})
		case s.Step == "in_progress" && at(s.Board, q) != s.Turn[0]-'a'+'A':
			// The power went while the disc was in the air: it has not come back.
			acts = append(acts, act{Op: "place", Square: q, Color: s.Turn})
		default:
			acts = append(acts, act{Op: "place", Square: q, Color: colorOf(at(s.Board, q))})
		}
	}
	for _, q := range s.Guide.Remove {
		if at(v.Table, q) != '-' {
			acts = append(acts, act{Op: "lift", Square: q})
		}
	}
	for _, q := range s.Guide.Place {
		if at(v.Table, q) == '-' && colorOf(at(s.Board, q)) != "" {
			acts = append(acts, act{Op: "place", Square: q, Color: colorOf(at(s.Board, q))})
		}
	}
	return acts
}

// move places a disc on a legal square and turns what it outflanks, unless the
// hands are clumsy.
func (r *robot) move(s state) error {
	clear(r.touched)
	q := s.Legal[r.rng.IntN(len(s.Legal))]
	whim := 7 // a whole move
	if r.clumsy {
		whim = r.rng.IntN(8)
	}
	switch whim {
	case 0: // thinks
		return nil
	case 1: // puts a disc where it must not be
		q = stray(s)
		return r.do(act{Op: "place", Square: q, Color: s.Turn})
	}
	if err := r.do(act{Op: "place", Square: q, Color: s.Turn}); err != nil || whim < 5 {
		return err // the guide asks for the flips
	}
	discs, err := engine.ParseDiscs(s.Board)
	if err != nil {
		return err
	}
	square, err := engine.ParseSquare(q)
	if err != nil {
		return err
	}
	own, opp := discs.Black, discs.White
	if s.Turn == "white" {
		own, opp = opp, own
	}
	for _, f := range engine.Flips(own, opp, square).Names() {
		if err := r.do(act{Op: "turn", Square: f}); err != nil {
			return err
		}
	}
	return nil
}

// stray returns an empty square that is no move.
func stray(s state) string {
	for i := range s.Board {
		q := engine.Square(i).String()
		if s.Board[i] == '-' && !slices.Contains(s.Legal, q) {
			return q
		}
	}
	return s.Legal[0]
}

// run plays until done says so or the program has died.
func (r *robot) run(done func(v view) bool) {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		r.w.mu.Lock()
		v, ended, news := r.w.view, r.w.ended, r.w.news
		r.w.mu.Unlock()
		if ended || done(v) || r.step(v) != nil {
			return
		}
		select {
		case <-news:
		case <-look.C: // a hand may have to be sent again
		case <-r.p.ended:
			return
		}
	}
}

// witness has heard what the program announced, over all its lives.
type witness struct {
	t     *testing.T
	heard map[uint64][]byte
}

// hear remembers events; two contents for one number are what must never be.
func (h *witness) hear(events []event) {
	h.t.Helper()
	for _, e := range events {
		if old, known := h.heard[e.Seq]; known && !bytes.Equal(old, e.raw) {
			h.t.Errorf("event %d was announced with two contents:\n%s\n%s", e.Seq, old, e.raw)
		}
		h.heard[e.Seq] = e.raw
	}
}

// check fails the test unless all that was announced is on the disk.
func (h *witness) check(onDisk []event) {
	h.t.Helper()
	checkNumbers(h.t, onDisk)
	for seq, raw := range h.heard {
		if seq > uint64(len(onDisk)) {
			h.t.Fatalf("event %d was announced and is not in the journal, which ends with %d: %s", seq, len(onDisk), raw)
		}
		if !bytes.Equal(onDisk[seq-1].raw, raw) {
			h.t.Fatalf("event %d was announced as\n%s and is in the journal as\n%s", seq, raw, onDisk[seq-1].raw)
		}
	}
}

// The power goes at 50 moments of a game that is being played: nothing that was
// announced is lost or changed, and every time the game goes on.
func TestPowerCuts(t *testing.T) {
	t.Parallel()
	const cuts = 50
	b := newBench(t, external, quick)
	newMosquitto(t, b.broker)
	sub := subscribe(t, b.broker, "consumer")
	heard := witness{t: t, heard: make(map[uint64][]byte)}
	rng := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // picks moments
	states := make(map[string]int)
	begin := time.Now()
	for i := range cuts {
		p := b.start()
		w := p.watch()
		checkResumed(t, w.look(), recordsOnDisk(t, b.dir))
		// The moments of the cut are spread over everything a move consists of.
		cut := time.AfterFunc(time.Duration(rng.Int64N(int64(1500*time.Millisecond))), p.kill)
		newRobot(p, w, uint64(i)).run(func(view) bool { return false })
		<-p.ended
		cut.Stop()
		v := w.look()
		states[strings.TrimSpace(v.State.Phase+" "+v.State.Step)]++
		heard.hear(w.announced())
		heard.hear(sub.events())
		heard.check(recordsOnDisk(t, b.dir))
	}
	played := fold(t, recordsOnDisk(t, b.dir)).ply()
	t.Logf("%d cuts in %v, found the game %v, at ply %d", cuts, time.Since(begin).Round(time.Second), states, played)
	if played < cuts/5 {
		t.Errorf("the game has come to ply %d only", played)
	}
	begin = time.Now()
	p := b.start()
	w := p.watch()
	w.until(patience, "power_restored after the last cut", func(w *watch) bool {
		return slices.ContainsFunc(w.events, func(e event) bool { return e.Type == "power_restored" }) || w.view.State.Phase != "playing"
	})
	r := newRobot(p, w, cuts)
	r.clumsy = false
	r.run(func(v view) bool { return v.State.Phase == "over" })
	w.phase("over")
	t.Logf("the game was played on to its end in %v", time.Since(begin).Round(time.Second))
	heard.hear(w.announced())
	last := w.look().State.Seq
	sub.wait(0, patience, "the end of the game", func(m message) bool {
		return strings.HasSuffix(m.topic, "/event") && decode[event](t, m.payload).Seq == last
	})
	all := recordsOnDisk(t, b.dir)
	heard.hear(sub.events())
	heard.check(all)
	if n := len(sub.events()); n != len(all) {
		t.Errorf("MQTT told %d events, the journal holds %d", n, len(all))
	}
	checkBoots(t, all, cuts/2)
	// What had not been written when the power went is lost: five seconds at most.
	checkReplay(t, b.dir, cuts, 1)
}

// checkResumed fails the test unless a program that has just started knows what
// the journal holds.
func checkResumed(t *testing.T, v view, onDisk []event) {
	t.Helper()
	// The journal may have grown since the view was made, the view is never
	// ahead of it.
	if v.State.Seq > uint64(len(onDisk)) {
		t.Fatalf("the page shows seq %d, the journal ends with %d", v.State.Seq, len(onDisk))
	}
	for _, e := range onDisk[v.State.Seq:] {
		if e.Boot < v.State.Boot {
			t.Fatalf("the page shows seq %d in life %d and leaves out %s", v.State.Seq, v.State.Boot, e.raw)
		}
	}
	if g := fold(t, onDisk[:v.State.Seq]); g.transcript != v.State.Transcript {
		t.Fatalf("after the start the game is %q, in the journal it is %q", v.State.Transcript, g.transcript)
	}
}

// checkBoots looks at how each life of the program begins: with power_restored
// when a game is on, and only then.
func checkBoots(t *testing.T, all []event, atLeast int) {
	t.Helper()
	restored := 0
	for i, e := range all {
		first := i > 0 && e.Boot != all[i-1].Boot
		running := fold(t, all[:i]).running
		switch {
		case first && running && e.Type != "power_restored":
			t.Errorf("the life %d of the program goes on with the game by %s", e.Boot, e.raw)
		case e.Type == "power_restored" && (!first || !running):
			t.Errorf("power_restored in the middle: %s", e.raw)
		case e.Type == "power_restored":
			restored++
		}
	}
	if restored < atLeast {
		t.Errorf("power_restored only %d times in %d events", restored, len(all))
	}
}

// The power goes while a move is being made, and a child plays with the discs
// before it is back: the board says what has changed and waits until it is put
// right.
func TestPowerCutNamesWhatChanged(t *testing.T) {
	t.Parallel()
	b := newBench(t, "{embedded: {enabled: false}}", quick)
	want := theFinal(t)
	plies := want.plies(t, 8)
	p := b.start()
	w := p.watch()
	w.phase("playing")
	for _, m := range plies[:6] {
		p.play(w, m)
	}
	record := w.look().State
	p.hand(act{Op: "place", Square: plies[6].square, Color: plies[6].by.String()})
	w.until(patience, "the lights of the move", func(w *watch) bool { return len(w.view.State.Guide.Flip) == len(plies[6].flips) })
	until(t, patience, "the board is remembered", func() bool {
		text, err := os.ReadFile(filepath.Join(b.dir, "last-seen.txt"))
		return err == nil && strings.Contains(string(text), w.look().State.Sensed)
	})
	p.kill()

	// Between the lives: a disc is gone, another one turned, the new disc stays.
	gone, turned := "d4", "f5"
	table := []byte(w.look().Table)
	square := func(name string) *byte { return &table[int(name[0]-'a')+8*int(name[1]-'1')] }
	if *square(gone) == '-' || *square(turned) == '-' {
		t.Fatalf("nothing lies on %s or %s: %s", gone, turned, table)
	}
	*square(gone) = '-'
	*square(turned) = 'B' + 'W' - *square(turned)
	layTable(t, b.dir, string(table))

	p = b.start()
	w = p.watch()
	w.until(patience, "power_restored", func(w *watch) bool { return len(w.events) > 0 })
	e := w.announced()[0]
	changed := decode[struct{ Changed []string }](t, e.Data).Changed
	// The disc of the move was seen before the cut: it has not changed since.
	differ := []string{gone, turned}
	if e.Type != "power_restored" || !slices.Equal(changed, differ) {
		t.Errorf("%s, want power_restored with %v", e.raw, differ)
	}
	w.until(patience, "the problem", func(w *watch) bool { return w.view.State.Problem.Code == "power" })
	v := w.look()
	for _, s := range differ {
		if !strings.Contains(strings.ToLower(v.Sentence), s) {
			t.Errorf("the page says %q without %s", v.Sentence, s)
		}
	}
	if !strings.Contains(v.Sentence, "power was off") {
		t.Errorf("the page says %q", v.Sentence)
	}
	if v.State.Transcript != record.Transcript || v.State.Board != record.Board {
		t.Errorf("the record has changed to %s", v.State.Transcript)
	}
	// The robot puts it right and goes on.
	newRobot(p, w, 1).run(func(v view) bool { return v.State.Ply > record.Ply })
	w.until(patience, "the next move", func(w *watch) bool { return w.view.State.Ply > record.Ply })
	g := fold(t, recordsOnDisk(t, b.dir))
	if !strings.HasPrefix(g.transcript, record.Transcript) || !g.running {
		t.Errorf("the game went on as %s", g.transcript)
	}
}
