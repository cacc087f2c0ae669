package app

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/configs"
	"reversi-board/display/web"
	"reversi-board/engine/referee"
)

// rot lets a byte of each of the records of the journal in a folder rot whose text
// holds one of the words, and returns the numbers of these records.
func rot(t *testing.T, dir string, words ...string) (numbers []int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "journal-*.log"))
	if err != nil || len(names) != 1 {
		t.Fatalf("files %v: %v", names, err)
	}
	b, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	for at, n := 0, 1; at < len(b); n++ {
		end := at + 8 + int(binary.LittleEndian.Uint32(b[at:]))
		text := string(b[at:end])
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) }) {
			b[at+20] ^= 1
			numbers = append(numbers, n)
		}
		at = end
	}
	if err := os.WriteFile(names[0], b, 0o600); err != nil {
		t.Fatal(err)
	}
	return numbers
}

// lossOfTwoMoves plays five moves, ends the program, and loses the second and the third
// of them, so that nothing tells what the position is.
func lossOfTwoMoves(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	b, stop := run(t, dir, nil)
	b.play(movesOf(t, "f5d6c3d3c4"))
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if numbers := rot(t, dir, `"move":"d6"`, `"move":"c3"`); !slices.Equal(numbers, []int{3, 4}) {
		t.Fatalf("records %v are lost", numbers)
	}
	return dir
}

// restarted starts a program whose game need not be playing.
func restarted(t *testing.T, dir string) (b *board, stop func() error) {
	t.Helper()
	return runPrepared(t, dir, nil, func(*configs.Config) {}, func(*App) {})
}

// order gives an order of the arbiter's.
func (b *board) order(name, args string) {
	b.t.Helper()
	seq := b.page().State.Seq
	r := b.app.pageCommand(b.t.Context(), web.Command{Name: name, ID: name, Args: json.RawMessage(args), IfSeq: &seq})
	if r.Status != "ok" {
		b.t.Errorf("%s %s: %+v", name, args, r)
	}
	time.Sleep(time.Second)
}

// Records of the running game are lost and what the cells said last is not known: the
// game is held, and page and state say so, also after another start, until somebody
// rules what the position is.
func TestGameWithLostRecordsIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := lossOfTwoMoves(t)
		if err := os.Remove(filepath.Join(dir, seenFile)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			b, stop := restarted(t, dir)
			seen := b.page()
			if seen.State.Phase != "paused" || !seen.State.Problem.Active || seen.State.Problem.Code != "storage" ||
				len(seen.Alerts) != 1 || seen.Alerts[0].Severity != "error" || !strings.Contains(seen.Alerts[0].Text, "3 to 4") ||
				strings.Contains(seen.Alerts[0].Text, seen.Sentence) || !strings.Contains(seen.Sentence, "position is not known") ||
				litCells(b.app.rig.Sim) != 0 {
				t.Fatalf("%+v", seen)
			}
			if err := stop(); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(dir, seenFile)); err != nil {
				t.Fatal(err)
			}
		}
		b, _ := restarted(t, dir)
		b.order("let_stand", `{"reason":"as it lies"}`)
		b.order("correct_square", `{"turn":"white","reason":"as it lies"}`)
		b.order("resume", `{}`)
		seen := b.page()
		if seen.State.Phase != "playing" || seen.State.Problem.Active || seen.Alerts[0].Severity != "warn" {
			t.Errorf("ruled: %+v", seen)
		}
		s := b.state()
		if want := b.app.hands.table(); s.Game.String() != want {
			t.Errorf("ruled is %v, there lies %s", s.Game.Discs, want)
		}
	})
}

// The cells have last shown the position that the last record was written in: it is
// ruled, and nobody has to do anything but go on.
func TestLostRecordsAndCellsThatKnow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := lossOfTwoMoves(t)
		b, stop := restarted(t, dir)
		seen := b.page()
		if seen.State.Phase != "playing" || seen.State.Board != b.app.hands.table() || len(seen.Alerts) != 1 ||
			seen.Alerts[0].Severity != "warn" || !strings.Contains(seen.Alerts[0].Text, "3 to 4") {
			t.Errorf("%+v", seen)
		}
		if s := b.state(); s.Game.Turn.String() != "white" || s.Phase != referee.Playing {
			t.Errorf("%v to move, %v", s.Game.Turn, s.Phase)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if all := eventsOf(t, dir); !slices.ContainsFunc(all, func(e string) bool { return strings.HasPrefix(e, "position_set") }) {
			t.Errorf("on record are %q", all)
		}
	})
}
