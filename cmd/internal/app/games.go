package app

import (
	"context"
	"errors"
	"strings"
	"time"

	"reversi-board/engine/archive"
	"reversi-board/engine/referee"
)

// retryArchive is the time between two attempts to open the archive.
const retryArchive = 2 * time.Second

// keepGames copies finished games from the journal into the archive. The game
// never waits for it, and nothing is in the archive that the journal does not
// say: it can be deleted and made anew.
func (a *App) keepGames(ctx context.Context) {
	a.keepOpen(ctx, "finished games are not copied into the archive now; the journal has them", a.followGames)
}

// keepOpen runs what works with the archive of games and mends or opens that again,
// as long as it ends with an error.
func (a *App) keepOpen(ctx context.Context, trouble string, work func(ctx context.Context) error) {
	said := ""
	for ctx.Err() == nil {
		a.mendArchive(ctx)
		err := work(ctx)
		if err == nil {
			return
		}
		if text := err.Error(); text != said && ctx.Err() == nil {
			said = text
			a.log.Warn(trouble, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryArchive):
		}
	}
}

// mendArchive makes an archive anew that is damaged, and lets people know.
func (a *App) mendArchive(ctx context.Context) {
	a.mending.Lock()
	defer a.mending.Unlock()
	text, err := archive.Mend(ctx, a.dir)
	if err != nil && ctx.Err() == nil {
		a.log.Warn("mend the archive of games", "error", err)
	}
	if text != "" {
		a.log.Warn(text)
		a.mended.Store(&text)
		nudge(a.touched)
	}
}

// followGames keeps the archive up to date until ctx ends, or until it has to be opened
// again.
func (a *App) followGames(ctx context.Context) (err error) {
	games, err := archive.OpenGames(ctx, a.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, games.Close()) }()
	if err := games.NameBoard(ctx, a.journal.JID(), a.config.Board.ID); err != nil && ctx.Err() == nil {
		a.log.Warn("results will not say that they are from this board", "error", err)
	}
	said := ""
	return games.Follow(ctx, a.journal, a.ended, func(r archive.SyncReport, err error) {
		nudge(a.hall.changed)
		broken := strings.Join(r.Broken, "; ")
		switch {
		case err != nil && ctx.Err() == nil:
			a.log.Warn("copy finished games into the archive", "error", err)
		case broken != "" && broken != said:
			a.log.Warn("records of games are missing; what the archive has of them stays as it is", "games", r.Broken)
		}
		said = broken
	})
}

// endsGame reports whether an event may have ended a game, or begun one again.
func endsGame(ev referee.Event) bool {
	switch ev := ev.(type) {
	case referee.GameOver, referee.Undone, referee.Revised, referee.PositionSet, referee.FlipError:
		return true
	case referee.GameStarted:
		// The table shows where a pairing is being played.
		return ev.Match.Pairing != ""
	case referee.Commanded:
		_, seats := ev.Audit.Order.(referee.PlayersSet)
		return seats
	case referee.Moved, referee.Passed, referee.Illegal, referee.ClockFlag, referee.ClockAdjusted,
		referee.GamePaused, referee.GameResumed, referee.Faulted, referee.Restored, referee.PowerRestored,
		referee.TimeStepped, referee.EngineLost:
	}
	return false
}
