//go:build !race

package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/engine/plaintext"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// fourGames are the events of three games that were given up after three moves and of
// one that is running.
func fourGames(t *testing.T) [][]byte {
	t.Helper()
	match := clubMatch(t)
	match.Profile = referee.Home()
	w := &writer{t: t, discs: match.Rules.Start.Discs, after: func(*writer) {}}
	games := 0
	w.core = NewCore(CoreOptions{
		Match: match, JID: journalID,
		Stamp: func() record.Stamp {
			return record.Stamp{TS: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).Add(w.now), TSOK: true, Boot: 3, Mono: w.now}
		},
		NewGame: func() string { games++; return "01J0000000000000000000000" + string(rune('0'+games)) },
	})
	for n := range 4 {
		w.discs = match.Rules.Start.Discs
		w.see('-')
		w.see('b', "f5", "e5")
		w.see('w', "d6", "d5")
		w.see('b', "c3", "d4")
		if n < 3 {
			w.step(func(at time.Duration) referee.Input {
				return referee.Command{At: at, Audit: referee.Audit{Role: "player", Name: "resign", ID: plaintext.Clean(fmt.Sprint(n), plaintext.MaxName), Order: referee.Resign{}}}
			})
			continue
		}
		w.see('w', "d3", "d4")
		w.see('b', "c4", "d4")
	}
	return w.all
}

// Every byte of a journal with three finished games and one running rots in turn. No
// intact record is lost, the running game is the one that goes on, in the position
// that the intact records lead to, and the loss is told with its numbers.
func TestRunningGameGoesOnWhateverByteOfTheJournalRots(t *testing.T) {
	t.Parallel()
	events, dir := fourGames(t), t.TempDir()
	whole, name, ends := storedOn(t, dir, events)
	content := whole.Content(name)
	intact, endless := startedWith(t, events), startedWith(t, events[:len(events)-1])
	if len(events) != 3*6+6 || intact.game != "01J00000000000000000000004" || intact.State.Transcript() != "f5d6c3d3c4" {
		t.Fatalf("%d events, the game is %s %s", len(events), intact.game, intact.State.Transcript())
	}
	for at := range content {
		rotten := whole.Clone()
		b := slices.Clone(content)
		b[at] ^= 1 << (at % 8)
		rotten.Put(name, b)
		lost := slices.IndexFunc(ends, func(end int) bool { return end > at })
		a, _ := start(t, dir, rotten)
		read := 0
		err := a.journal.Read(0, 0, func(seq uint64, payload []byte) error {
			if string(payload) != string(events[seq-1]) {
				t.Errorf("byte %d: record %d is %s", at, seq, payload)
			}
			read++
			return nil
		})
		if err != nil || read != len(events)-1 || a.core.Seq() < uint64(len(events)) {
			t.Fatalf("byte %d of record %d: %d records are left, the next is %d: %v", at, lost+1, read, a.core.Seq()+1, err)
		}
		want := intact
		if lost == len(events)-1 {
			want = endless
		}
		if s := &a.core.State; s.Game != want.State.Game || s.Phase != referee.Playing || a.core.Unsure() || a.core.game != want.game {
			t.Fatalf("byte %d of record %d: the game is %s %v %s, want %s %s", at, lost+1,
				a.core.game, s.Phase, s.Transcript(), want.game, want.State.Transcript())
		}
		if severity, text := a.storageProblems(); severity != "warn" || !strings.Contains(text, fmt.Sprintf("records %d", lost+1)) {
			t.Fatalf("byte %d of record %d: told is %q %q", at, lost+1, severity, text)
		}
		if err := a.closeJournal(); err != nil {
			t.Fatal(err)
		}
	}
}
