package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/tournament"
)

// goesOn refuses what is about rounds to come when there are none.
func (t *Table) goesOn() error {
	switch {
	case t.Ended != 0:
		return fmt.Errorf("%w: the tournament was ended after round %d: continue it first", ErrRefused, t.Ended)
	case t.LastRound() > 0 && t.LastRound() >= t.Event().TotalRounds():
		return fmt.Errorf("%w: all rounds have been paired", ErrRefused)
	}
	return nil
}

// Pair pairs the next round and returns it.
func (s *Store) Pair(ctx context.Context, id string, act Act) (round int, err error) {
	err = s.change(ctx, "pair the next round", id, func(tx *sql.Tx, t *Table) error {
		games, err := t.Event().Pair()
		if err != nil {
			return err
		}
		round = games[0].Round
		return s.addGames(ctx, tx, t, games, "paired", act)
	})
	return round, err
}

// PairAgain pairs the next round where that is not possible without a game of two
// who have met or a second bye, with as few of them as there can be. It needs a
// reason.
func (s *Store) PairAgain(ctx context.Context, id string, act Act) (round int, err error) {
	err = s.change(ctx, "pair the next round with rematches", id, func(tx *sql.Tx, t *Table) error {
		if err := needReason(act); err != nil {
			return err
		}
		games, err := t.Event().PairAgain()
		if err != nil {
			return err
		}
		round = games[0].Round
		return s.addGames(ctx, tx, t, games, "rematches", act)
	})
	return round, err
}

// PairByHand adds pairings to the last round, or begins the next one, where people
// say who plays whom: in a free event, and instead of Pair in a Swiss event or a
// festival. The first of each pair has black; who is paired with Bye has one. But
// for free events, players who have met and a second bye need a reason.
func (s *Store) PairByHand(ctx context.Context, id string, pairs [][2]int, next bool, act Act) (round int, err error) {
	err = s.change(ctx, "pair by hand", id, func(tx *sql.Tx, t *Table) error {
		if t.System == tournament.RoundRobin {
			return fmt.Errorf("%w: everybody meets everybody in an order that is fixed", ErrRefused)
		}
		if len(pairs) == 0 {
			return errors.New("nobody is named")
		}
		if round, err = t.roundByHand(next); err != nil {
			return err
		}
		for _, p := range pairs {
			if err := t.mayMeet(round, p, act); err != nil {
				return err
			}
		}
		return s.addGames(ctx, tx, t, t.gamesByHand(round, pairs), "by hand", act)
	})
	return round, err
}

// gamesByHand returns the games of a round that people have paired, at the tables
// behind those that it has.
func (t *Table) gamesByHand(round int, pairs [][2]int) (games []tournament.Game) {
	table := 0
	for i := range t.Pairings {
		if p := &t.Pairings[i]; p.Round == round {
			table = max(table, p.Table)
		}
	}
	for _, p := range pairs {
		if p[1] == tournament.Bye {
			games = append(games, tournament.ByeOf(round, p[0]))
			continue
		}
		table++
		games = append(games, tournament.Game{
			Round: round, Table: table, Black: p[0], White: p[1], State: tournament.Open, Winner: engine.None, ColorsBy: tournament.ByHand,
		})
	}
	return games
}

// roundByHand returns the round to which pairings are added by hand.
func (t *Table) roundByHand(next bool) (round int, err error) {
	if t.Ended != 0 {
		return 0, t.goesOn()
	}
	last := t.LastRound()
	if last > 0 && !next {
		return last, nil
	}
	if err := t.goesOn(); err != nil {
		return 0, err
	}
	if t.System == tournament.Free {
		return last + 1, nil
	}
	return t.Event().NextRound() //nolint:wrapcheck // it says why not
}

// mayMeet reports why two players, or one and Bye, cannot be paired by hand.
func (t *Table) mayMeet(round int, pair [2]int, act Act) error {
	for _, number := range pair {
		if number == tournament.Bye {
			continue
		}
		p, err := t.player(number)
		if err != nil {
			return err
		}
		if p.Withdrawn != 0 && round >= p.Withdrawn {
			return fmt.Errorf("%w: %s has left before round %d", ErrRefused, p.Name, p.Withdrawn)
		}
	}
	if t.System == tournament.Free || !act.Reason.IsZero() {
		return nil
	}
	for i := range t.Pairings {
		q := &t.Pairings[i]
		switch {
		case q.Black != pair[0] && q.Black != pair[1]:
		case q.Bye() && pair[1] == tournament.Bye && q.Black == pair[0]:
			return fmt.Errorf("%w: %s has had a bye in round %d: give a reason for another one", ErrRefused, t.PlayerName(q.Black), q.Round)
		case !q.Bye() && (q.White == pair[0] || q.White == pair[1]):
			return fmt.Errorf("%w: %s and %s have met in round %d: give a reason why they meet again",
				ErrRefused, t.PlayerName(q.Black), t.PlayerName(q.White), q.Round)
		}
	}
	return nil
}

func (s *Store) addGames(ctx context.Context, tx *sql.Tx, t *Table, games []tournament.Game, what string, act Act) error {
	text := make([]string, 0, len(games))
	for _, g := range games {
		for _, number := range []int{g.Black, g.White} {
			if _, err := t.player(number); number != tournament.Bye && err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx,
			"INSERT INTO pairings (id, tournament, round, seat, black, white, colors_by) VALUES (?,?,?,?,?,?,?)",
			s.newID(), t.ID, g.Round, g.Table, g.Black, g.White, g.ColorsBy)
		if err != nil {
			switch {
			case strings.Contains(err.Error(), "CHECK constraint"):
				return errors.New("nobody plays against himself")
			case strings.Contains(err.Error(), "UNIQUE constraint"):
				return fmt.Errorf("%w: %s is paired in round %d already", ErrRefused, t.PlayerName(g.Black), g.Round)
			}
			return err
		}
		text = append(text, fmt.Sprintf("%s–%s", t.PlayerName(g.Black), t.PlayerName(g.White)))
	}
	return note(ctx, tx, t.ID, Change{Round: games[0].Round, What: what, New: textf("%s", strings.Join(text, ", "))}, act)
}

// Unpair takes the last round back, as long as no game of it has a result or is
// being played. Byes that were given in it or in the round after it are taken back
// as well, and who has left since it was paired is not in it when it is paired
// anew.
func (s *Store) Unpair(ctx context.Context, id string, act Act) (round int, err error) {
	err = s.change(ctx, "take the pairing back", id, func(tx *sql.Tx, t *Table) error {
		if round = t.LastRound(); round == 0 {
			return fmt.Errorf("%w: no round has been paired", ErrRefused)
		}
		if t.Ended != 0 {
			return t.goesOn()
		}
		if err := needReason(act); err != nil {
			return err
		}
		var text []string
		for i := range t.Pairings {
			p := &t.Pairings[i]
			if p.Round != round {
				continue
			}
			if p.Result != nil || p.Playing != "" {
				return fmt.Errorf("%w: table %d of round %d is being played or has a result", ErrRefused, p.Table, round)
			}
			text = append(text, fmt.Sprintf("%s–%s", t.PlayerName(p.Black), t.PlayerName(p.White)))
		}
		for _, do := range []struct {
			query string
			args  []any
		}{
			{"DELETE FROM pairings WHERE tournament = ? AND round = ?", []any{id, round}},
			{"DELETE FROM tournament_byes WHERE tournament = ? AND round >= ?", []any{id, round}},
			{"UPDATE tournament_players SET withdrawn = ? WHERE tournament = ? AND withdrawn = ?", []any{round, id, round + 1}},
		} {
			if _, err := tx.ExecContext(ctx, do.query, do.args...); err != nil {
				return err
			}
		}
		return note(ctx, tx, id, Change{Round: round, What: "unpaired", Old: textf("%s", strings.Join(text, ", "))}, act)
	})
	return round, err
}

// SetRounds changes how many rounds are planned. Once a round has been paired it
// needs a reason, and there can be no more than the players allow.
func (s *Store) SetRounds(ctx context.Context, id string, rounds int, act Act) error {
	return s.change(ctx, "change the number of rounds", id, func(tx *sql.Tx, t *Table) error {
		last := t.LastRound()
		switch {
		case t.System == tournament.RoundRobin:
			return fmt.Errorf("%w: where everybody meets everybody the players say how many rounds there are", ErrRefused)
		case t.Ended != 0:
			return t.goesOn()
		case rounds == t.Rounds:
			return fmt.Errorf("%w: %d rounds are planned already", ErrRefused, rounds)
		case rounds < max(last, 1) || rounds > tournament.MaxRounds:
			return fmt.Errorf("%w: %d rounds: want %d to %d", ErrRefused, rounds, max(last, 1), tournament.MaxRounds)
		}
		if last > 0 {
			if err := needReason(act); err != nil {
				return err
			}
			e := t.Event()
			e.Rounds = rounds
			if possible := e.Possible(); rounds > t.Rounds && possible < rounds {
				return fmt.Errorf("%w: %d rounds: these players can play %d in all", ErrRefused, rounds, possible)
			}
		}
		if _, err := tx.ExecContext(ctx, "UPDATE tournaments SET rounds = ? WHERE id = ?", rounds, id); err != nil {
			return err
		}
		return note(ctx, tx, id, Change{What: "rounds", Old: textf("%d", t.Rounds), New: textf("%d", rounds)}, act)
	})
}

// End ends a tournament after the last round that has been paired, whose games
// have to have results. It needs a reason.
func (s *Store) End(ctx context.Context, id string, act Act) (round int, err error) {
	err = s.change(ctx, "end the tournament", id, func(tx *sql.Tx, t *Table) error {
		if round = t.LastRound(); round == 0 {
			return fmt.Errorf("%w: no round has been paired: delete it instead", ErrRefused)
		}
		if err := t.goesOn(); err != nil {
			return err
		}
		if err := needReason(act); err != nil {
			return err
		}
		for i := range t.Pairings {
			if p := &t.Pairings[i]; p.Open() {
				return fmt.Errorf("%w: table %d of round %d has no result: enter one, or take the round back", ErrRefused, p.Table, p.Round)
			}
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO tournament_ends (tournament, round) VALUES (?,?)", id, round); err != nil {
			return err
		}
		return note(ctx, tx, id, Change{Round: round, What: "ended"}, act)
	})
	return round, err
}

// Continue lets a tournament go on that was ended. It needs a reason.
func (s *Store) Continue(ctx context.Context, id string, act Act) error {
	return s.change(ctx, "continue the tournament", id, func(tx *sql.Tx, t *Table) error {
		if t.Ended == 0 {
			return fmt.Errorf("%w: the tournament was not ended", ErrRefused)
		}
		if err := needReason(act); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM tournament_ends WHERE tournament = ?", id); err != nil {
			return err
		}
		return note(ctx, tx, id, Change{Round: t.Ended + 1, What: "continued"}, act)
	})
}
