package doctor_test

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"reversi-board/cmd/internal/calibrate"
	"reversi-board/cmd/internal/doctor"
	"reversi-board/engine"
)

// screen is what was written to a terminal.
type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// terminal returns a console and where to type.
func terminal(t *testing.T) (c *doctor.Console, keyboard *os.File, out *screen) {
	t.Helper()
	in, keyboard, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out = &screen{}
	c = doctor.NewConsole(in, out)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		_ = in.Close()
		_ = keyboard.Close()
	})
	return c, keyboard, out
}

func typeLine(t *testing.T, keyboard *os.File, line string) {
	t.Helper()
	if _, err := keyboard.WriteString(line + "\n"); err != nil {
		t.Fatal(err)
	}
}

// answer asks until there is an answer.
func answer(t *testing.T, ask func() doctor.Reply) doctor.Reply {
	t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for {
		if r := ask(); r.Said != doctor.Nothing {
			return r
		}
		select {
		case <-deadline.C:
			t.Fatal("no answer")
		case <-again.C:
		}
	}
}

// What is typed is what is said; what makes no sense is asked for again.
func TestConsoleAnswers(t *testing.T) {
	t.Parallel()
	shine := &doctor.Question{Topic: doctor.Shine, Text: "Do all 64 lights shine?", Lit: 1}
	push := &doctor.Question{Topic: doctor.Push, Text: "Push the button hint.", Button: "hint"}
	for _, tc := range []struct {
		q     *doctor.Question
		typed []string
		want  doctor.Reply
	}{
		{shine, []string{""}, doctor.Reply{Said: doctor.Yes}},
		{shine, []string{"y"}, doctor.Reply{Said: doctor.Yes}},
		{shine, []string{"N"}, doctor.Reply{Said: doctor.No}},
		{shine, []string{"s"}, doctor.Reply{Said: doctor.Leave}},
		{shine, []string{"q"}, doctor.Reply{Said: doctor.Enough}},
		{shine, []string{"b3 C4, h8"}, doctor.Reply{Said: doctor.These, Squares: 1<<17 | 1<<26 | 1<<63}},
		{shine, []string{"what?", "b9", "b3"}, doctor.Reply{Said: doctor.These, Squares: 1 << 17}},
		{push, []string{"b3", ""}, doctor.Reply{Said: doctor.Yes}},
	} {
		c, keyboard, out := terminal(t)
		if r := c.Answer(0, tc.q); r.Said != doctor.Nothing {
			t.Fatalf("%q: %+v before anything was typed", tc.typed, r)
		}
		for _, line := range tc.typed {
			typeLine(t, keyboard, line)
		}
		got := answer(t, func() doctor.Reply { return c.Answer(0, tc.q) })
		if got != tc.want {
			t.Errorf("%q: %+v, want %+v", tc.typed, got, tc.want)
		}
		if !strings.Contains(out.text(), tc.q.Text) {
			t.Errorf("%q was not asked: %q", tc.q.Text, out.text())
		}
		if n := strings.Count(out.text(), "ask nothing more"); n != len(tc.typed) {
			t.Errorf("%q: it was said %d times how to answer: %q", tc.typed, n, out.text())
		}
	}
}

// A walk is followed in words: what to do, how far it is, and what else there is to
// know, each said once.
func TestConsoleFollows(t *testing.T) {
	t.Parallel()
	c, keyboard, out := terminal(t)
	view := &calibrate.View{Stage: calibrate.Clearing, Text: "Take all discs off the board."}
	for range 5 {
		if r := c.Follow(0, view); r.Said != doctor.Nothing {
			t.Fatalf("%+v", r)
		}
	}
	typeLine(t, keyboard, "")
	if r := answer(t, func() doctor.Reply { return c.Follow(0, view) }); r.Said != doctor.Yes {
		t.Fatalf("%+v", r)
	}
	view = &calibrate.View{
		Stage: calibrate.Walking, Text: "Put the disc on e6.", Done: 11, All: 128,
		Ask: calibrate.Ask{Squares: engine.Bitboard(1) << 44},
	}
	c.Follow(0, view)
	view.Note = "Seen."
	for range 3 {
		c.Follow(0, view)
	}
	for typed, want := range map[string]doctor.Said{"s": doctor.Leave, "q": doctor.Enough} {
		typeLine(t, keyboard, "b3")
		typeLine(t, keyboard, typed)
		if r := answer(t, func() doctor.Reply { return c.Follow(0, view) }); r.Said != want {
			t.Errorf("%s: %+v", typed, r)
		}
	}
	for text, want := range map[string]int{
		"Take all discs off the board. Then press Enter.\n": 1, "12 of 128  Put the disc on e6.\n": 1, "    Seen.\n": 1, "Enter, s or q?": 2,
	} {
		if n := strings.Count(out.text(), text); n != want {
			t.Errorf("%q was said %d times, want %d: %q", text, n, want, out.text())
		}
	}
}

// A terminal that goes away asks nothing more.
func TestConsoleGone(t *testing.T) {
	t.Parallel()
	c, keyboard, _ := terminal(t)
	if err := keyboard.Close(); err != nil {
		t.Fatal(err)
	}
	q := &doctor.Question{Text: "Is anybody there?"}
	if r := answer(t, func() doctor.Reply { return c.Answer(0, q) }); r.Said != doctor.Enough {
		t.Errorf("%+v", r)
	}
}
