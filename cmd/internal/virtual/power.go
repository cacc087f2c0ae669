package virtual

import (
	"fmt"

	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// History is what a journal kept. *archive.Journal is one.
type History interface {
	// Replay yields the records, oldest first.
	Replay(yield func(seq uint64, payload []byte) error) error
	// LastSeq is the last number that has been used.
	LastSeq() uint64
}

// Resume makes the last game of a journal true again, as a start after a power
// cut does; on says what is known of it, but for the time. Call it before the
// first Run of a table whose Options.Sim has been played on before.
func (t *Table) Resume(h History, on referee.PowerOn) error {
	var game [][]byte
	err := h.Replay(func(_ uint64, p []byte) error {
		if record.TypeOf(p) == "game_started" {
			t.games++
			game = game[:0]
		}
		game = append(game, p)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	for _, p := range game {
		if _, err := t.Core.Replay(p); err != nil {
			return err
		}
	}
	t.Core.Continue(h.LastSeq())
	t.eyes.Doubt(t.Core.Dead())
	if p := t.Core.State.Phase; p == referee.Playing || p == referee.Paused {
		on.At = t.now
		_, err = t.Do(on)
	}
	return err
}
