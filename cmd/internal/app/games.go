package app

import (
	"context"

	"reversi-board/engine/archive"
	"reversi-board/engine/referee"
)

// keepGames copies finished games from the journal into the archive. The game
// never waits for it, and nothing is in the archive that the journal does not
// say: it can be deleted and made anew.
func (a *App) keepGames(ctx context.Context) {
	games, err := archive.OpenGames(ctx, a.dir)
	if err != nil {
		a.log.Warn("finished games are not copied into the archive; the journal has them", "error", err)
		return
	}
	defer func() {
		if err := games.Close(); err != nil {
			a.log.Warn("close the archive", "error", err)
		}
	}()
	if err := games.NameBoard(ctx, a.journal.JID(), a.config.Board.ID); err != nil && ctx.Err() == nil {
		a.log.Warn("results will not say that they are from this board", "error", err)
	}
	games.Follow(ctx, a.journal, a.ended, func(r archive.SyncReport, err error) {
		nudge(a.hall.changed)
		switch {
		case err != nil && ctx.Err() == nil:
			a.log.Warn("copy finished games into the archive", "error", err)
		case len(r.Broken) > 0:
			a.log.Warn("games with missing records stay out of the archive", "games", r.Broken)
		}
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
