package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/tournament"
)

// AddPlayers adds players, all of them or none. Where everybody meets everybody,
// nobody can be added once a round has been paired. When somebody of the same name
// takes part already the error wraps ErrNamesake, and nobody is added.
func (s *Store) AddPlayers(ctx context.Context, id string, list []tournament.Player, act Act) error {
	return s.addPlayers(ctx, id, list, act, false)
}

// AddNamesakes adds players of whom some may be called as others are.
func (s *Store) AddNamesakes(ctx context.Context, id string, list []tournament.Player, act Act) error {
	return s.addPlayers(ctx, id, list, act, true)
}

// ErrNamesake means that there would be two players of the same name.
var ErrNamesake = errors.New("somebody of the same name takes part already")

// namesakes returns the names in a list that are those of others, in the list or
// in the tournament; capitals and small letters are the same.
func (t *Table) namesakes(list []tournament.Player) (twice []string) {
	known := map[string]bool{}
	key := func(p tournament.Player) string {
		return strings.Join(strings.Fields(strings.ToLower(p.Name.String())), " ")
	}
	for _, p := range t.Players {
		known[key(p)] = true
	}
	for _, p := range list {
		if known[key(p)] {
			twice = append(twice, p.Name.String())
		}
		known[key(p)] = true
	}
	return twice
}

// maxTold bounds the names that are told.
const maxTold = 5

func (s *Store) addPlayers(ctx context.Context, id string, list []tournament.Player, act Act, namesakes bool) error {
	return s.change(ctx, "add players", id, func(tx *sql.Tx, t *Table) error {
		if t.System == tournament.RoundRobin && t.LastRound() > 0 {
			return fmt.Errorf("%w: everybody meets everybody, and round 1 has been paired", ErrRefused)
		}
		if err := t.goesOn(); err != nil {
			return err
		}
		if !namesakes {
			if err := t.refuseNamesakes(list); err != nil {
				return err
			}
		}
		known := t.NextNumbers()
		names := make([]string, 0, len(list))
		for _, p := range list {
			if err := addPlayer(ctx, tx, id, p, known); err != nil {
				return err
			}
			names = append(names, fmt.Sprintf("%d %s", p.Number, p.Name))
		}
		return note(ctx, tx, id, Change{What: "players", New: textf("%s", strings.Join(names, ", "))}, act)
	})
}

// addPlayer adds a player whose number is not known yet, and then is.
func addPlayer(ctx context.Context, tx *sql.Tx, id string, p tournament.Player, known map[int]bool) error {
	if err := p.Check(); err != nil {
		return err
	}
	if known[p.Number] {
		return fmt.Errorf("the number %d is given to two players", p.Number)
	}
	known[p.Number] = true
	_, err := tx.ExecContext(ctx,
		"INSERT INTO tournament_players (tournament, number, name, club, rating, lot, withdrawn) VALUES (?,?,?,?,?,?,0)",
		id, p.Number, p.Name, p.Club, p.Rating, p.Lot)
	return err
}

// refuseNamesakes returns an error that tells which of the players have a name that
// is in the table already.
func (t *Table) refuseNamesakes(list []tournament.Player) error {
	twice := t.namesakes(list)
	if len(twice) == 0 {
		return nil
	}
	more := ""
	if n := len(twice) - maxTold; n > 0 {
		twice, more = twice[:maxTold], fmt.Sprintf(" and %d others", n)
	}
	return fmt.Errorf("%w: %s%s", ErrNamesake, strings.Join(twice, ", "), more)
}

// NextNumbers returns which numbers of a tournament are taken.
func (t *Table) NextNumbers() map[int]bool {
	taken := map[int]bool{}
	for _, p := range t.Players {
		taken[p.Number] = true
	}
	return taken
}

// EditPlayer changes name, club, rating and lot of the player with p's number.
func (s *Store) EditPlayer(ctx context.Context, id string, p tournament.Player, act Act) error {
	return s.change(ctx, "change a player", id, func(tx *sql.Tx, t *Table) error {
		old, err := t.player(p.Number)
		if err != nil {
			return err
		}
		if err := p.Check(); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx,
			"UPDATE tournament_players SET name = ?, club = ?, rating = ?, lot = ? WHERE tournament = ? AND number = ?",
			p.Name, p.Club, p.Rating, p.Lot, id, p.Number)
		if err != nil {
			return err
		}
		return note(ctx, tx, id, Change{What: "player", Old: textf("%s", described(old)), New: textf("%s", described(p))}, act)
	})
}

// described writes a player for Changes.
func described(p tournament.Player) string {
	text := fmt.Sprintf("%d %s", p.Number, p.Name)
	if !p.Club.IsZero() {
		text += ", " + p.Club.String()
	}
	if p.Rating != 0 {
		text += fmt.Sprintf(", rating %d", p.Rating)
	}
	if p.Lot != 0 {
		text += fmt.Sprintf(", lot %d", p.Lot)
	}
	return text
}

// RemovePlayer removes a player who has not been paired yet; later players can
// only be withdrawn, and also where everybody meets everybody.
func (s *Store) RemovePlayer(ctx context.Context, id string, number int, act Act) error {
	return s.change(ctx, "remove a player", id, func(tx *sql.Tx, t *Table) error {
		p, err := t.player(number)
		if err != nil {
			return err
		}
		paired := t.System == tournament.RoundRobin && t.LastRound() > 0
		for i := range t.Pairings {
			paired = paired || t.Pairings[i].Black == number || t.Pairings[i].White == number
		}
		if paired {
			return fmt.Errorf("%w: %s has been paired: withdraw the player instead", ErrRefused, p.Name)
		}
		if err := t.goesOn(); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM tournament_players WHERE tournament = ? AND number = ?", id, number); err != nil {
			return err
		}
		return note(ctx, tx, id, Change{What: "removed", Old: textf("%d %s", number, p.Name)}, act)
	})
}

// player returns the player with a number.
func (t *Table) player(number int) (tournament.Player, error) {
	for _, p := range t.Players {
		if p.Number == number {
			return p, nil
		}
	}
	return tournament.Player{}, fmt.Errorf("%w: %s has no player %d", ErrNone, t.Name, number)
}

// DrawLots gives all players lots; the seed is kept, so that it can be done
// again by everybody. Lots cannot be drawn anew once they have decided something.
func (s *Store) DrawLots(ctx context.Context, id, seed string, act Act) error {
	return s.change(ctx, "draw lots", id, func(tx *sql.Tx, t *Table) error {
		if _, err := tournament.ParseName("the seed", seed); err != nil {
			return err
		}
		if seed == "" {
			return errors.New("there is no seed to draw with")
		}
		for i := range t.Pairings {
			if t.Pairings[i].ColorsBy == tournament.ByLot {
				return fmt.Errorf("%w: a round has been paired with the lots that there are", ErrRefused)
			}
		}
		drawn := tournament.DrawLots(t.Players, seed)
		text := make([]string, 0, len(drawn))
		for _, p := range drawn {
			_, err := tx.ExecContext(ctx, "UPDATE tournament_players SET lot = ? WHERE tournament = ? AND number = ?", p.Lot, id, p.Number)
			if err != nil {
				return err
			}
			text = append(text, fmt.Sprintf("%s %d", p.Name, p.Lot))
		}
		return note(ctx, tx, id, Change{What: "lots", Old: textf("seed %s", seed), New: textf("%s", strings.Join(text, ", "))}, act)
	})
}

// needReason refuses an act without a reason.
func needReason(act Act) error {
	if act.Reason.IsZero() {
		return errors.New("a reason is missing: it is kept with the change")
	}
	return checkNote("the reason", act.Reason)
}

// SetColors says who has the black discs of a pairing, and by what that was
// decided: an agreement, the choice of the lower lot, or a draw. A draw without a
// player is drawn with the seed.
func (s *Store) SetColors(ctx context.Context, id string, round, table, black int, by tournament.ColorsBy, seed string, act Act) error {
	return s.change(ctx, "decide the colors", id, func(tx *sql.Tx, t *Table) error {
		p, err := t.Find(round, table)
		if err != nil {
			return err
		}
		if !p.Open() || p.Playing != "" {
			return fmt.Errorf("%w: the game has begun or has a result", ErrRefused)
		}
		detail := ""
		switch by {
		case tournament.ByDraw:
			if _, err := tournament.ParseName("the seed", seed); err != nil || seed == "" {
				return errors.Join(err, errors.New("a draw needs a seed"))
			}
			black, detail = tournament.Drawn(seed, p.Round, min(p.Black, p.White), max(p.Black, p.White)), ", seed "+seed
		case tournament.ByAgreement, tournament.ByLot, tournament.ByHand:
		case tournament.ByBalance:
			return fmt.Errorf("colors by %s are decided when the round is paired", by)
		default:
			return fmt.Errorf("unknown way to decide colors %.16q", by)
		}
		if black != p.Black && black != p.White {
			return fmt.Errorf("player %d is not at table %d: want %d or %d", black, p.Table, p.Black, p.White)
		}
		white := p.Black + p.White - black
		_, err = tx.ExecContext(ctx, "UPDATE pairings SET black = ?, white = ?, colors_by = ? WHERE id = ?", black, white, by, p.ID)
		if err != nil {
			return err
		}
		return note(ctx, tx, id, Change{
			Round: p.Round, Table: p.Table, What: "colors", Old: textf("%s has black, by %s", t.PlayerName(p.Black), p.ColorsBy),
			New: textf("%s has black, by %s%s", t.PlayerName(black), by, detail),
		}, act)
	})
}

// Withdraw takes a player out of the rounds that are paired from now on, or back
// in.
func (s *Store) Withdraw(ctx context.Context, id string, number int, back bool, act Act) error {
	return s.change(ctx, "withdraw a player", id, func(tx *sql.Tx, t *Table) error {
		p, err := t.player(number)
		if err != nil {
			return err
		}
		from, what := t.LastRound()+1, "withdrawn"
		switch {
		case back && p.Withdrawn == 0:
			return fmt.Errorf("%w: %s has not been withdrawn", ErrRefused, p.Name)
		case !back && p.Withdrawn != 0:
			return fmt.Errorf("%w: %s was withdrawn before round %d", ErrRefused, p.Name, p.Withdrawn)
		case back:
			from, what = 0, "returned"
		}
		if err := t.goesOn(); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE tournament_players SET withdrawn = ? WHERE tournament = ? AND number = ?", from, id, number)
		if err != nil {
			return err
		}
		return note(ctx, tx, id, Change{Round: t.LastRound() + 1, What: what, New: p.Name}, act)
	})
}

// Bye gives a player a bye in the round that is paired next.
func (s *Store) Bye(ctx context.Context, id string, number int, act Act) (round int, err error) {
	err = s.change(ctx, "give a bye", id, func(tx *sql.Tx, t *Table) error {
		p, err := t.player(number)
		if err != nil {
			return err
		}
		round = t.LastRound() + 1
		if err := t.mayHaveBye(p); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO tournament_byes (tournament, round, player) VALUES (?,?,?)", id, round, number)
		if err != nil {
			return err
		}
		return note(ctx, tx, id, Change{Round: round, What: "bye", New: p.Name}, act)
	})
	return round, err
}

// mayHaveBye reports why a player cannot have a bye in the next round.
func (t *Table) mayHaveBye(p tournament.Player) error {
	if t.System != tournament.Swiss && t.System != tournament.Festival {
		return fmt.Errorf("%w: byes can be asked for where rounds are paired by the table", ErrRefused)
	}
	if err := t.goesOn(); err != nil {
		return err
	}
	switch {
	case p.Withdrawn != 0:
		return fmt.Errorf("%w: %s has left before round %d", ErrRefused, p.Name, p.Withdrawn)
	case slices.Contains(t.Byes, p.Number):
		return fmt.Errorf("%w: %s has a bye in round %d already", ErrRefused, p.Name, t.LastRound()+1)
	}
	for i := range t.Pairings {
		if q := &t.Pairings[i]; q.Bye() && q.Black == p.Number {
			return fmt.Errorf("%w: %s has had a bye in round %d", ErrRefused, p.Name, q.Round)
		}
	}
	return nil
}

// TakeBye takes the bye back that a player was given in the round that is paired
// next.
func (s *Store) TakeBye(ctx context.Context, id string, number int, act Act) (round int, err error) {
	err = s.change(ctx, "take a bye back", id, func(tx *sql.Tx, t *Table) error {
		p, err := t.player(number)
		if err != nil {
			return err
		}
		round = t.LastRound() + 1
		if !slices.Contains(t.Byes, number) {
			return fmt.Errorf("%w: %s has no bye in round %d; byes of a round that has been paired are taken back with the round", ErrRefused, p.Name, round)
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM tournament_byes WHERE tournament = ? AND round = ? AND player = ?", id, round, number)
		if err != nil {
			return err
		}
		return note(ctx, tx, id, Change{Round: round, What: "no bye", New: p.Name}, act)
	})
	return round, err
}

// Entry is a result that is entered by hand.
type Entry struct {
	// Round and Table say which pairing; round 0 is the last one.
	Round, Table int
	// BlackDiscs and WhiteDiscs are the discs as they lie.
	BlackDiscs, WhiteDiscs int
	// Reason is how the game ended, no_moves if it is empty.
	Reason string
	// Winner, BlackScore and WhiteScore are for games that were not decided by the
	// discs; Declared says that they are given. Otherwise they are computed.
	Declared               bool
	Winner                 string
	BlackScore, WhiteScore int
}

// result returns the result that is entered.
func (e Entry) result(t *Table, act Act) (*Result, error) {
	rules, err := t.rules()
	if err != nil {
		return nil, err
	}
	winner, black, white, err := tournament.Score(rules.Goal, t.AsTheyLie, e.BlackDiscs, e.WhiteDiscs)
	if err != nil {
		return nil, err
	}
	r := &Result{
		BlackDiscs: e.BlackDiscs, WhiteDiscs: e.WhiteDiscs, BlackScore: black, WhiteScore: white,
		Winner: winnerWord(winner), Reason: e.Reason, Note: act.Reason, Entered: ByHand, At: stamp(act.At),
	}
	if r.Reason == "" {
		r.Reason = "no_moves"
	}
	if e.Declared {
		r.Winner, r.BlackScore, r.WhiteScore = e.Winner, e.BlackScore, e.WhiteScore
	}
	if r.Winner == NoResult {
		r.BlackScore, r.WhiteScore = 0, 0
	} else if by := winnerWord(tournament.WinnerOf(rules.Goal, r.BlackScore, r.WhiteScore)); by != r.Winner {
		return nil, fmt.Errorf("%d–%d is not what the winner %s has: correct one of them", r.BlackScore, r.WhiteScore, r.Winner)
	}
	return r, r.check()
}

func winnerWord(c engine.Color) string {
	if c == engine.None {
		return "draw"
	}
	return c.String()
}

// Declare enters the result of a pairing that has none.
func (s *Store) Declare(ctx context.Context, id string, e Entry, act Act) (Pairing, error) {
	return s.enter(ctx, "enter a result", id, e, act, false)
}

// Correct changes a result. It needs a reason, and the old result is kept.
func (s *Store) Correct(ctx context.Context, id string, e Entry, act Act) (Pairing, error) {
	return s.enter(ctx, "correct a result", id, e, act, true)
}

func (s *Store) enter(ctx context.Context, what, id string, e Entry, act Act, correct bool) (Pairing, error) {
	var entered Pairing
	err := s.change(ctx, what, id, func(tx *sql.Tx, t *Table) error {
		p, err := t.Find(e.Round, e.Table)
		if err != nil {
			return err
		}
		r, err := e.result(t, act)
		switch {
		case err != nil:
			return err
		case !correct && p.Result != nil:
			return fmt.Errorf("%w: table %d of round %d has the result %v already: correct it, with a reason", ErrRefused, p.Table, p.Round, p.Result)
		case correct && p.Result == nil:
			return fmt.Errorf("%w: table %d of round %d has no result yet: enter it", ErrRefused, p.Table, p.Round)
		case correct:
			if err := needReason(act); err != nil {
				return err
			}
			r.Game, r.Board = p.Result.Game, p.Result.Board
			err = note(ctx, tx, id, Change{
				Round: p.Round, Table: p.Table, What: "corrected", Old: p.Result.text(), New: r.text(),
			}, act)
			if err != nil {
				return err
			}
		}
		entered = *p
		entered.Result = r
		return put(ctx, tx, p.ID, r)
	})
	return entered, err
}

// Reopen takes the result of a game of the last round back. It needs a reason, and
// the result is kept among the changes.
func (s *Store) Reopen(ctx context.Context, id string, round, table int, act Act) (Pairing, error) {
	var opened Pairing
	err := s.change(ctx, "take a result back", id, func(tx *sql.Tx, t *Table) error {
		p, err := t.Find(round, table)
		if err != nil {
			return err
		}
		if err := needReason(act); err != nil {
			return err
		}
		switch {
		case p.Result == nil:
			return fmt.Errorf("%w: table %d of round %d has no result", ErrRefused, p.Table, p.Round)
		case p.Round != t.LastRound():
			return fmt.Errorf("%w: round %d was paired with this result: correct it", ErrRefused, p.Round+1)
		case t.Ended != 0:
			return t.goesOn()
		}
		opened = *p
		opened.Result = nil
		err = note(ctx, tx, id, Change{Round: p.Round, Table: p.Table, What: "reopened", Old: p.Result.text()}, act)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM results WHERE pairing = ?", p.ID)
		return err
	})
	return opened, err
}

// put stores the result of a pairing.
func put(ctx context.Context, tx *sql.Tx, pairing string, r *Result) error {
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO results
		(pairing, winner, black_discs, white_discs, black_score, white_score, reason, note, game, board, entered, at)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?)`,
		pairing, r.Winner, r.BlackDiscs, r.WhiteDiscs, r.BlackScore, r.WhiteScore, r.Reason, r.Note, r.Game, r.Board, r.Entered, r.At)
	return err
}
