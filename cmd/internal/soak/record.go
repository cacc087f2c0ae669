package soak

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/flight"
	"reversi-board/cmd/internal/virtual"
	"reversi-board/configs"
)

// Recording says that games are recorded as a running board records them, to be
// replayed.
type Recording struct {
	// Dir is the folder of the recordings, one file a game; it is made if need be.
	// Without one nothing is recorded.
	Dir string
	// Failed keeps the recordings of failed games only.
	Failed bool
}

// FileOf returns the name of the recording of a game.
func (r Recording) FileOf(index int) string {
	return filepath.Join(r.Dir, fmt.Sprintf("game-%06d.rec", index))
}

// check finds out whether recordings can be written: it is asked before the first
// of many games. The folder is there afterwards only if it was there before, or its
// parents had to be made.
func (r Recording) check() error {
	if r.Dir == "" {
		return nil
	}
	_, missing := os.Stat(r.Dir)
	if err := os.MkdirAll(r.Dir, 0o750); err != nil {
		return fmt.Errorf("make the folder of the recordings: %w", err)
	}
	f, err := os.CreateTemp(r.Dir, "game-*.new")
	if err != nil {
		return fmt.Errorf("the recordings cannot be written: %w", err)
	}
	err = errors.Join(f.Close(), os.Remove(f.Name()))
	if missing != nil {
		err = errors.Join(err, os.Remove(r.Dir))
	}
	return err
}

// record begins to record a game, before anything has been scanned. What it
// returns saves the recording when the game has been judged.
func (r *runner) record(t *virtual.Table, c *configs.Config, index int) (save func(o *Outcome) error) {
	if r.Record.Dir == "" {
		return func(*Outcome) error { return nil }
	}
	epoch := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	tape := flight.NewTape(flight.TapeOptions{
		About: app.AboutFlight(c, "soak"), Boot: 1, Whole: true,
		Wall: func() time.Time { return epoch.Add(t.Now()) },
	})
	t.Record(tape)
	return func(o *Outcome) error {
		if r.Record.Failed && !o.Failed() {
			return nil
		}
		if err := os.MkdirAll(r.Record.Dir, 0o750); err != nil {
			return fmt.Errorf("make the folder of the recordings: %w", err)
		}
		f, err := os.OpenFile(r.Record.FileOf(index), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return fmt.Errorf("save the recording of game %d: %w", index, err)
		}
		return errors.Join(flight.Save(tape, f), f.Close())
	}
}
