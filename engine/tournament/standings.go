package tournament

import (
	"cmp"
	"slices"

	"reversi-board/engine"
)

// Row is a player's line in the table.
type Row struct {
	Player
	// Place counts from 1; players whom nothing tells apart share one.
	Place                    int
	Games, Wins, Draws, Lost int
	Byes                     int
	// Halves are the points in halves: a win is 2.
	Halves int
	// Discs are own discs, Against the opponents', Difference the one minus the
	// other. A bye and a game without a result are 32 for both.
	Discs, Against, Difference int
	// Quotient is twice the Brightwell quotient, for half points.
	Quotient int
	// Between is twice the points of head-to-head, -1 where it does not count.
	Between int
	// Blacks are the games with the black discs.
	Blacks int
}

// Points returns the points.
func (r *Row) Points() float64 { return float64(r.Halves) / 2 }

// BrightwellQuotient returns own discs plus factor times the points of all
// opponents.
func (r *Row) BrightwellQuotient() float64 { return float64(r.Quotient) / 2 }

// Standings returns the table, the first player first.
func (e *Event) Standings() []Row {
	rows := e.count()
	e.quotients(rows)
	table := make([]Row, 0, len(rows))
	for _, p := range e.Players {
		table = append(table, *rows[p.Number])
	}
	slices.SortStableFunc(table, func(a, b Row) int {
		return cmp.Compare(a.Number, b.Number)
	})
	breaks := e.Breaks
	if !slices.Contains(breaks, Points) {
		breaks = append([]Break{Points}, breaks...)
	}
	e.sort(table, breaks, func(*Row, *Row) bool { return true })
	return table
}

// count adds up what each player has done.
func (e *Event) count() map[int]*Row {
	rows := make(map[int]*Row, len(e.Players))
	for _, p := range e.Players {
		rows[p.Number] = &Row{Player: p, Between: -1}
	}
	for _, g := range e.Games {
		if g.State == Open {
			continue
		}
		black := rows[g.Black]
		if g.bye() {
			black.Byes++
			black.Halves += 2
			black.Discs += byeDiscs
			black.Against += byeDiscs
			continue
		}
		white := rows[g.White]
		if g.State == Void {
			black.Discs += byeDiscs
			black.Against += byeDiscs
			white.Discs += byeDiscs
			white.Against += byeDiscs
			continue
		}
		black.Blacks++
		black.play(g.BlackDiscs, g.WhiteDiscs, g.Winner, engine.Black)
		white.play(g.WhiteDiscs, g.BlackDiscs, g.Winner, engine.White)
	}
	return rows
}

func (r *Row) play(own, other int, winner, side engine.Color) {
	r.Games++
	r.Discs += own
	r.Against += other
	r.Difference += own - other
	if winner == engine.None {
		r.Draws++
		r.Halves++
		return
	}
	if winner != side {
		r.Lost++
		return
	}
	r.Wins++
	r.Halves += 2
}

// quotients computes the Brightwell quotients: own discs and factor times the
// opponents' points; a bye, a game without a result and a game against a player
// who has withdrawn count 32 and factor times the player's own points instead
// (https://othello.dk/book/index.php/BQ).
func (e *Event) quotients(rows map[int]*Row) {
	total := e.TotalRounds()
	add := func(r *Row, own int, opponent *Row, g Game) {
		// Who leaves after the last round has played all.
		if opponent == nil || !opponent.plays(total) || g.State == Void {
			r.Quotient += 2*byeDiscs + e.Factor*r.Halves
			return
		}
		r.Quotient += 2*own + e.Factor*opponent.Halves
	}
	for _, g := range e.Games {
		if g.State == Open {
			continue
		}
		black := rows[g.Black]
		if g.bye() {
			add(black, 0, nil, g)
			continue
		}
		own, other := g.BlackDiscs, g.WhiteDiscs
		if e.Goal == engine.Fewest {
			own, other = other, own
		}
		add(black, own, rows[g.White], g)
		add(rows[g.White], other, black, g)
	}
}

// sort orders groups of equal players by the tie-breaks that are left, and gives
// places.
func (e *Event) sort(table []Row, breaks []Break, equal func(a, b *Row) bool) {
	for from := 0; from < len(table); {
		to := from + 1
		for to < len(table) && equal(&table[from], &table[to]) {
			to++
		}
		group := table[from:to]
		switch {
		case len(group) > 1 && len(breaks) > 0:
			value := e.measure(group, breaks[0])
			slices.SortStableFunc(group, func(a, b Row) int { return cmp.Compare(value(&b), value(&a)) })
			e.sort(group, breaks[1:], func(a, b *Row) bool { return value(a) == value(b) })
			for i := range group {
				group[i].Place += from
			}
		default:
			for i := range group {
				group[i].Place = from + 1
			}
		}
		from = to
	}
}

// measure returns what a tie-break compares.
func (e *Event) measure(group []Row, b Break) func(r *Row) int {
	sign := 1
	if e.Goal == engine.Fewest {
		sign = -1
	}
	switch b {
	case Points:
		return func(r *Row) int { return r.Halves }
	case Discs:
		return func(r *Row) int { return sign * r.Discs }
	case Difference:
		return func(r *Row) int { return sign * r.Difference }
	case Brightwell:
		return func(r *Row) int { return r.Quotient }
	case HeadToHead:
		e.between(group)
		return func(r *Row) int { return r.Between }
	}
	return func(*Row) int { return 0 }
}

// between computes the points of the games inside of a group, if all have met.
func (e *Event) between(group []Row) {
	at := make(map[int]int, len(group))
	for i := range group {
		at[group[i].Number] = i
		group[i].Between = 0
	}
	met := map[[2]int]bool{}
	for _, g := range e.Games {
		i, okBlack := at[g.Black]
		j, okWhite := at[g.White]
		if g.State != Played || !okBlack || !okWhite {
			continue
		}
		met[[2]int{min(i, j), max(i, j)}] = true
		switch g.Winner {
		case engine.Black:
			group[i].Between += 2
		case engine.White:
			group[j].Between += 2
		case engine.None:
			group[i].Between++
			group[j].Between++
		}
	}
	if len(met) < len(group)*(len(group)-1)/2 {
		for i := range group {
			group[i].Between = -1
		}
	}
}
