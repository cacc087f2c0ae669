package notation

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

// AppendTo writes the file of games. Reading it again gives the same games, and
// writing those the same bytes. Games with an Err, from another start, or with
// indices that do not fit are refused.
func (f *WTB) AppendTo(dst []byte) ([]byte, error) {
	if len(f.Games) > maxRecords {
		return dst, fmt.Errorf("write the games: %d are more than %d", len(f.Games), maxRecords)
	}
	out, err := appendHeader(dst, header{made: f.Made, games: uint32(len(f.Games)), year: f.Year, depth: f.Depth})
	if err != nil {
		return dst, fmt.Errorf("write the games: %w", err)
	}
	for i := range f.Games {
		if out, err = f.Games[i].appendTo(out); err != nil {
			return dst, fmt.Errorf("write game %d: %w", i+1, err)
		}
	}
	return out, nil
}

// appendHeader writes the 16 bytes. A file of games names the size of the
// board, the tables of names leave it 0.
func appendHeader(dst []byte, h header) ([]byte, error) {
	d := h.made
	if d.Year < 0 || d.Year > 25599 || d.Month < 0 || d.Month > 255 || d.Day < 0 || d.Day > 255 ||
		h.year < 0 || h.year > 65535 || h.depth < 0 || h.depth > 60 {
		return dst, fmt.Errorf("made %v, year %d, depth %d: too large for the header", d, h.year, h.depth)
	}
	dst = append(dst, byte(d.Year/100), byte(d.Year%100), byte(d.Month), byte(d.Day))
	dst = binary.LittleEndian.AppendUint32(dst, h.games)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(h.names))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(h.year))
	size := byte(8)
	if h.depth == 0 {
		size = 0
	}
	return append(dst, size, 0, byte(h.depth), 0), nil
}

// appendTo writes one record.
func (g *WTBGame) appendTo(dst []byte) ([]byte, error) {
	if g.Err != nil {
		return dst, fmt.Errorf("it was not read: %w", g.Err)
	}
	for _, index := range []int{g.Tournament, g.Black, g.White} {
		if index < 0 || index > 65535 {
			return dst, fmt.Errorf("index %d does not fit", index)
		}
		dst = binary.LittleEndian.AppendUint16(dst, uint16(index))
	}
	if min(g.BlackScore, g.Theoretical) < 0 || max(g.BlackScore, g.Theoretical) > engine.Squares {
		return dst, fmt.Errorf("scores %d and %d: want 0 to 64", g.BlackScore, g.Theoretical)
	}
	dst = append(dst, byte(g.BlackScore), byte(g.Theoretical))
	n := 0
	for _, m := range g.Line.Moves {
		if s, isDisc := m.Square(); isDisc {
			dst = append(dst, byte(10*(s.Rank()+1)+s.File()+1))
			n++
		}
	}
	if n > wthorMoves {
		return dst, fmt.Errorf("%d plies: a record holds %d", n, wthorMoves)
	}
	return append(dst, make([]byte, wthorMoves-n)...), nil
}

// AppendTo writes a table of players (.JOU) or tournaments (.TRN).
func (n Names) AppendTo(dst []byte, kind NameKind, made Date) ([]byte, error) {
	size := kind.size()
	if size == 0 || len(n) > 65535 {
		return dst, fmt.Errorf("write %d names of kind %d: no table can hold that", len(n), kind)
	}
	out, err := appendHeader(dst, header{made: made, names: uint32(len(n))})
	if err != nil {
		return dst, fmt.Errorf("write the names: %w", err)
	}
	for i, name := range n {
		field, clean := latin1Field(name, size)
		if !clean {
			return dst, fmt.Errorf("write name %d: %.30q is not Latin-1, or longer than %d characters", i, name, size-1)
		}
		out = append(out, field...)
	}
	return out, nil
}

// latin1Field returns name in size bytes, at least one of them 0. Characters
// that do not exist there become question marks, long names are cut; clean
// reports that nothing of that happened.
func latin1Field(name string, size int) (field []byte, clean bool) {
	field = make([]byte, size)
	n, clean := 0, true
	for _, r := range name {
		if n == size-1 {
			return field, false
		}
		if r > 255 || r == 0 {
			r, clean = '?', false
		}
		field[n] = byte(r)
		n++
	}
	return field, clean
}

// WTHOR collects games for a file of games and its two tables of names. Make
// one with NewWTHOR.
type WTHOR struct {
	file    WTB
	names   [2]Names
	indices [2]map[string]int
	years   int
}

// NewWTHOR begins a file. The tables begin with the names given, or with those
// that every database begins with when there are none.
func NewWTHOR(players, tournaments Names) *WTHOR {
	if len(players) == 0 {
		players = Names{"???"}
	}
	if len(tournaments) == 0 {
		tournaments = Names{"Diverses parties", "World Championship"}
	}
	w := &WTHOR{}
	for kind, table := range []Names{Players: players, Tournaments: tournaments} {
		w.names[kind] = append(w.names[kind], table...)
		w.indices[kind] = make(map[string]int, len(table))
		for i, name := range table {
			if _, known := w.indices[kind][name]; !known {
				w.indices[kind][name] = i
			}
		}
	}
	return w
}

// index returns the number of a name and adds it to the table when it is new.
func (w *WTHOR) index(kind NameKind, name string) (index int, clean bool, err error) {
	if name == "" {
		return 0, true, nil
	}
	field, clean := latin1Field(name, kind.size())
	written, _ := latin1(field)
	if i, known := w.indices[kind][written]; known {
		return i, clean, nil
	}
	if len(w.names[kind]) == 65535 {
		return 0, false, errors.New("the table of names is full")
	}
	w.names[kind] = append(w.names[kind], written)
	w.indices[kind][written] = len(w.names[kind]) - 1
	return len(w.names[kind]) - 1, clean, nil
}

// Add takes a game into the file, turned so that it begins with f5, and says
// what the file cannot hold. The error is a *WriteError; the file is then as
// before.
func (w *WTHOR) Add(g *Game) ([]Loss, error) {
	lost, err := w.add(g)
	if err != nil {
		return nil, &WriteError{Format: FormatWTHOR, Err: err}
	}
	return lost.list(), nil
}

func (w *WTHOR) add(g *Game) (loss, error) {
	p := &writer{}
	if err := p.prepare(FormatWTHOR, g); err != nil {
		return 0, err
	}
	if !p.game.standard() || p.game.Rules.Goal != engine.Most {
		return 0, errors.New("the database holds only games from the standard start in which most discs win")
	}
	if len(w.file.Games) == maxRecords {
		return 0, fmt.Errorf("a file holds %d games", maxRecords)
	}
	r := WTBGame{Line: Line{Moves: turnedToF5(p.game.Moves())}}
	var err error
	if r.BlackScore, err = wthorScore(g, p.final); err != nil {
		return 0, err
	}
	r.Theoretical = r.BlackScore
	if g.Theory.Empties > 0 {
		if err := w.depth(g.Theory.Empties); err != nil {
			return 0, err
		}
		r.Theoretical = g.Theory.Black
	}
	for _, n := range []struct {
		to   *int
		kind NameKind
		name plaintext.Text
	}{
		{&r.Tournament, Tournaments, g.Event},
		{&r.Black, Players, g.Players[engine.Black].Name},
		{&r.White, Players, g.Players[engine.White].Name},
	} {
		index, clean, err := w.index(n.kind, n.name.String())
		if err != nil {
			return 0, err
		}
		if *n.to = index; !clean {
			p.lost |= lossText
		}
	}
	p.lost |= w.year(g.Date)
	w.file.Games = append(w.file.Games, r)
	return p.lost, nil
}

// depth remembers from how many empty squares the theoretical scores are.
func (w *WTHOR) depth(empties int) error {
	if w.file.Depth != 0 && w.file.Depth != empties {
		return fmt.Errorf("its theory is from %d empty squares, that of the games before from %d, and a file has one number", empties, w.file.Depth)
	}
	w.file.Depth = empties
	return nil
}

// year takes the year of a game: a file has one, 0 where games differ.
func (w *WTHOR) year(d DateTime) loss {
	switch {
	case w.years == 0:
		w.file.Year = d.Year
	case w.file.Year != d.Year:
		w.file.Year = 0
	}
	w.years++
	switch {
	case d == DateTime{Date: Date{Year: d.Year}}:
		return 0
	case d.Year == 0:
		return lossDate
	}
	return lossDay
}

// wthorScore returns Black's score: the board's, or the recorded one of a game
// that stopped early.
func wthorScore(g *Game, final engine.Game) (int, error) {
	if g.decided(final) && !g.Overruled(final) {
		return g.toWinner(final).Black, nil
	}
	if final.Over() {
		black, _ := final.Score()
		return black, nil
	}
	if !g.Recorded.Counted {
		return 0, fmt.Errorf("%w and no score is recorded", ErrUnfinished)
	}
	if g.Recorded.Margin%2 != 0 {
		return 0, fmt.Errorf("%w and the recorded margin %+d is no score out of 64", ErrUnfinished, g.Recorded.Margin)
	}
	return (engine.Squares + g.Recorded.Margin) / 2, nil
}

// Games returns the number of games in the file.
func (w *WTHOR) Games() int { return len(w.file.Games) }

// Files returns the file of games and its tables of players and tournaments,
// made on a day.
func (w *WTHOR) Files(made Date) (wtb, jou, trn []byte, err error) {
	w.file.Made = made
	file := w.file
	if file.Depth == 0 {
		file.Depth = currentDepth
	}
	wtb, err = file.AppendTo(nil)
	if err == nil {
		jou, err = w.names[Players].AppendTo(nil, Players, made)
	}
	if err == nil {
		trn, err = w.names[Tournaments].AppendTo(nil, Tournaments, made)
	}
	return wtb, jou, trn, err
}

// currentDepth is what the files of today say.
const currentDepth = 24

// turnedToF5 turns the board of a game from the standard start so that it
// begins with f5. All four first moves are one move seen from four sides.
func turnedToF5(moves []engine.Move) []engine.Move {
	if len(moves) == 0 {
		return nil
	}
	turn := func(file, rank int) (int, int) { return file, rank }
	switch moves[0].String() {
	case "e6":
		turn = func(file, rank int) (int, int) { return rank, file }
	case "c4":
		turn = func(file, rank int) (int, int) { return 7 - file, 7 - rank }
	case "d3":
		turn = func(file, rank int) (int, int) { return 7 - rank, 7 - file }
	}
	turned := make([]engine.Move, len(moves))
	for i, m := range moves {
		turned[i] = m
		if s, isDisc := m.Square(); isDisc {
			turned[i] = engine.At(engine.SquareAt(turn(s.File(), s.Rank())))
		}
	}
	return turned
}

// looksLikeWTB reports whether b begins like a file of games: a day of our
// time, a board of 8×8, a reserved byte.
func looksLikeWTB(b []byte) bool {
	return len(b) >= wthorHeader && (b[0] == 19 || b[0] == 20) && b[1] < 100 && b[2] <= 12 && b[3] <= 31 &&
		(b[12] == 0 || b[12] == 8 || b[12] == 10) && b[13] <= 1 && b[14] <= 60 && b[15] == 0
}

// wthor yields the games of a WTHOR file.
func (s *source) wthor(yield func(*Game, error) bool) {
	file, err := ReadWTB(s.in)
	if err != nil {
		yield(nil, err)
		return
	}
	if len(file.Games) == 0 {
		yield(nil, ErrNoGames)
		return
	}
	for i := range file.Games {
		g, err := file.game(i, s.options)
		if err != nil {
			g, err = nil, &GameError{Game: i + 1, Err: err}
		}
		if !yield(g, err) {
			return
		}
	}
}

// game returns a record as a Game. Without tables its names are numbers.
func (f *WTB) game(i int, o ReadOptions) (*Game, error) {
	r := &f.Games[i]
	if r.Err != nil {
		return nil, r.Err
	}
	g := &Game{Rules: rulesOf(engine.Start(), engine.Most)}
	g.Theory = Theory{Empties: f.Depth, Black: r.Theoretical}
	if f.Year != 0 {
		g.Date.Year = f.Year
	}
	for _, n := range []struct {
		to    *plaintext.Text
		table Names
		index int
		what  string
	}{
		{&g.Event, o.Tournaments, r.Tournament, "tournament"},
		{&g.Players[engine.Black].Name, o.Players, r.Black, "player"},
		{&g.Players[engine.White].Name, o.Players, r.White, "player"},
	} {
		if len(n.table) == 0 {
			*n.to, _ = oneLine(n.what + " " + strconv.Itoa(n.index))
			continue
		}
		name, err := n.table.At(n.index)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.what, err)
		}
		*n.to, _ = oneLine(strings.ToValidUTF8(name, "?"))
	}
	for _, m := range r.Line.Moves {
		g.Plays = append(g.Plays, Play{Move: m})
	}
	g.Recorded = counted(plaintext.Text{}, whole*(2*r.BlackScore-engine.Squares))
	for _, w := range r.Line.Warnings {
		g.warn("%s", w)
	}
	return g, nil
}
