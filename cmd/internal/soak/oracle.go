package soak

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"reversi-board/engine"
)

// side is a colour in the oracle's own notation, the letters of the tables.
type side byte

const (
	dark  side = 'X'
	light side = 'O'
	bare  side = '-'
)

// other returns the opponent.
func (s side) other() side {
	if s == dark {
		return light
	}
	return dark
}

// color returns the word of the rest of the program.
func (s side) color() engine.Color {
	switch s {
	case dark:
		return engine.Black
	case light:
		return engine.White
	case bare:
		return engine.None
	default:
		return engine.None
	}
}

// point is a square: column 0 is file a, row 0 is rank 1.
type point struct{ col, row int }

func (p point) square() engine.Square { return engine.Square(8*p.row + p.col) }

func pointOf(s engine.Square) point { return point{int(s) % 8, int(s) / 8} }

// board is the discs, row by row from rank 1.
type board [8][8]side

// startBoard is "d4 e5 white, d5 e4 black".
func startBoard() board {
	b := bareBoard()
	b[3][3], b[4][4] = light, light
	b[4][3], b[3][4] = dark, dark
	return b
}

// bareBoard is the empty board.
func bareBoard() board {
	var b board
	for row := range 8 {
		for col := range 8 {
			b[row][col] = bare
		}
	}
	return b
}

// startNames lists the starts that the oracle knows.
func startNames() []string {
	return []string{"standard", "parallel", "inverted", "handicap-1", "handicap-2", "handicap-3", "handicap-4"}
}

// boardNamed returns a start and who begins: "d4 e4 black, d5 e5 white" is
// parallel, "d4 e5 black, d5 e4 white" inverted; a handicap puts black discs on
// a1, then h8, h1 and a8 as well, and White begins.
func boardNamed(name string) (b board, first side, err error) {
	b = startBoard()
	switch name {
	case "", "standard":
	case "parallel":
		b[3][3], b[3][4], b[4][3], b[4][4] = dark, dark, light, light
	case "inverted":
		b[3][3], b[3][4], b[4][3], b[4][4] = dark, light, light, dark
	case "handicap-1", "handicap-2", "handicap-3", "handicap-4":
		corners := [4]point{{0, 0}, {7, 7}, {7, 0}, {0, 7}}
		for _, p := range corners[:name[len(name)-1]-'0'] {
			b[p.row][p.col] = dark
		}
		return b, light, nil
	default:
		return b, bare, fmt.Errorf("the oracle does not know the start %.32q: want one of %s", name, strings.Join(startNames(), ", "))
	}
	return b, dark, nil
}

// centre are the squares of the first four discs of the historic game.
func centre() [4]point { return [4]point{{3, 3}, {4, 3}, {3, 4}, {4, 4}} }

// each is how many discs a player of the historic game owns.
const each = 32

// at returns what lies on p; outside of the board nothing does.
func (b *board) at(p point) side {
	if p.col < 0 || p.col > 7 || p.row < 0 || p.row > 7 {
		return bare
	}
	return b[p.row][p.col]
}

// outflanked lists the discs that turn when s places a disc on p: in each of
// the eight directions the unbroken row of opposing discs between p and another
// disc of s. A gap and the border stop a row. It is empty when p is taken.
func (b *board) outflanked(p point, s side) []point {
	if b.at(p) != bare {
		return nil
	}
	var all []point
	for down := -1; down <= 1; down++ {
		for right := -1; right <= 1; right++ {
			if down == 0 && right == 0 {
				continue
			}
			all = append(all, b.row(p, right, down, s)...)
		}
	}
	return all
}

// row lists the discs outflanked in one direction.
func (b *board) row(p point, right, down int, s side) []point {
	var between []point
	for {
		p.col += right
		p.row += down
		lies := b.at(p)
		if lies == bare {
			return nil
		}
		if lies == s {
			return between
		}
		between = append(between, p)
	}
}

// moves lists the squares on which s may place a disc, from a1 on.
func (b *board) moves(s side) []point {
	var list []point
	for row := range 8 {
		for col := range 8 {
			p := point{col, row}
			if len(b.outflanked(p, s)) > 0 {
				list = append(list, p)
			}
		}
	}
	return list
}

// count returns how many discs s has.
func (b *board) count(s side) int {
	n := 0
	for row := range b {
		for _, c := range b[row] {
			if c == s {
				n++
			}
		}
	}
	return n
}

// text writes the board as the tables do: a1, b1 … h8.
func (b *board) text() string {
	text := make([]byte, 0, 64)
	for row := range b {
		for _, c := range b[row] {
			text = append(text, byte(c))
		}
	}
	return string(text)
}

// discs returns the board in the words of the rest of the program.
func (b *board) discs() engine.Discs {
	var d engine.Discs
	for row := range 8 {
		for col := range 8 {
			d = d.With(point{col, row}.square(), b[row][col].color())
		}
	}
	return d
}

// ply is one line of the record as it must be: a disc placed, or a pass.
type ply struct {
	by      side
	pass    bool
	at      point
	flipped []point
	// number is how many discs have been placed, this one included.
	number int
	// after is the board after it, next the side that is then to move, whether
	// it can or not.
	after board
	next  side
}

// flips returns the discs turned as a set.
func (p *ply) flips() engine.Bitboard {
	var set engine.Bitboard
	for _, q := range p.flipped {
		set |= q.square().Bit()
	}
	return set
}

// verdict is how a game ended.
type verdict struct {
	// winner is bare for a draw.
	winner side
	// dark and light are the official score, the empties given to whoever has
	// the majority, 32 each if there is none.
	dark, light int
	// darkDiscs and lightDiscs are counted on the board.
	darkDiscs, lightDiscs int
	wipeout               bool
}

// script is a game as it must be played and recorded.
type script struct {
	variant, startName string
	start              board
	first              side
	plies              []ply
	final              board
	// over says that nobody can move any more; verdict is valid then.
	over    bool
	verdict verdict
}

// oracle plays a game by the rules' text.
type oracle struct {
	script
	turn   side
	number int
	// historic says that the first four discs go on the centre and that the
	// players own 32 discs each; used counts those placed.
	historic bool
	used     map[side]int
}

// newOracle begins a game of a variant from a start, standard if it is empty.
func newOracle(variant, start string) (*oracle, error) {
	b, first, err := boardNamed(start)
	if err != nil {
		return nil, err
	}
	o := &oracle{used: make(map[side]int)}
	switch variant {
	case "classic", "reverse", "festival", "custom":
	case "white-first":
		first = light
	case "historic":
		if start != "" && start != "standard" {
			return nil, errors.New("the historic game has its own start")
		}
		b, o.historic = bareBoard(), true
	default:
		return nil, fmt.Errorf("the oracle does not know the variant %.32q", variant)
	}
	o.variant, o.startName, o.start, o.first = variant, start, b, first
	o.final, o.turn = b, first
	return o, nil
}

// opening lists the free squares of the centre while the first four discs are
// being placed. A disc that stands elsewhere by mistake is none of them.
func (o *oracle) opening() []point {
	if !o.historic {
		return nil
	}
	var free []point
	for _, p := range centre() {
		if o.final.at(p) == bare {
			free = append(free, p)
		}
	}
	return free
}

// moves lists the squares on which s may place a disc now: none when s has no
// disc left.
func (o *oracle) moves(s side) []point {
	if o.historic && o.used[s] == each {
		return nil
	}
	if free := o.opening(); len(free) > 0 {
		return free
	}
	return o.final.moves(s)
}

// settle lets a blocked player pass, and ends the game when both are blocked.
// It is called before every disc and after the last.
func (o *oracle) settle() {
	switch {
	case o.over || len(o.moves(o.turn)) > 0:
	case len(o.moves(o.turn.other())) > 0:
		o.plies = append(o.plies, ply{
			by: o.turn, pass: true, number: o.number, after: o.final, next: o.turn.other(),
		})
		o.turn = o.turn.other()
	default:
		o.over = true
		o.verdict = judgeBoard(&o.final, o.variant == "reverse")
	}
}

// place plays a disc of the side to move on p.
func (o *oracle) place(p point) error {
	var flipped []point
	if len(o.opening()) == 0 {
		flipped = o.final.outflanked(p, o.turn)
	}
	if o.over || !slices.Contains(o.moves(o.turn), p) {
		return fmt.Errorf("disc %d: %s on %v is against the rules", o.number+1, o.turn.color(), p.square())
	}
	o.number++
	if o.historic {
		o.used[o.turn]++
	}
	o.final[p.row][p.col] = o.turn
	for _, f := range flipped {
		o.final[f.row][f.col] = o.turn
	}
	o.plies = append(o.plies, ply{
		by: o.turn, at: p, flipped: flipped, number: o.number, after: o.final, next: o.turn.other(),
	})
	o.turn = o.turn.other()
	o.settle()
	return nil
}

// judgeBoard counts a board on which nobody can move.
func judgeBoard(b *board, fewestWins bool) verdict {
	v := verdict{darkDiscs: b.count(dark), lightDiscs: b.count(light), winner: bare}
	empties := b.count(bare)
	v.dark, v.light = v.darkDiscs, v.lightDiscs
	v.wipeout = v.dark == 0 || v.light == 0
	switch {
	case v.dark > v.light:
		v.dark += empties
		v.winner = dark
	case v.light > v.dark:
		v.light += empties
		v.winner = light
	default:
		v.dark, v.light = 32, 32
	}
	if fewestWins && v.winner != bare {
		v.winner = v.winner.other()
	}
	return v
}

// replay plays the discs in order, passes implied.
func replay(variant string, discs []engine.Square) (*script, error) {
	o, err := newOracle(variant, "")
	if err != nil {
		return nil, err
	}
	o.settle()
	for _, s := range discs {
		if err := o.place(pointOf(s)); err != nil {
			return nil, err
		}
	}
	return &o.script, nil
}

// invent plays a game to its end; pick chooses one of n legal moves.
func invent(variant, start string, pick func(n int) int) (*script, error) {
	o, err := newOracle(variant, start)
	if err != nil {
		return nil, err
	}
	for o.settle(); !o.over; {
		list := o.moves(o.turn)
		if err := o.place(list[pick(len(list))]); err != nil {
			return nil, err
		}
	}
	return &o.script, nil
}
