package engine

// Goal says who wins when the game is over.
type Goal uint8

// The two goals.
const (
	Most   Goal = iota // most discs wins
	Fewest             // fewest discs wins (reverse)
)

// Rules is what a variant fixes: where the game starts, who begins, who wins.
// It is a comparable value; the zero value is not a playable game, take one
// from Variant.
type Rules struct {
	// Name is the preset's name as in the configuration and on MQTT.
	Name string
	// Start is the start position with the side that begins.
	Start Position
	// Goal says whether most or fewest discs win.
	Goal Goal
	// Opening holds the squares on which the first discs are placed in turn,
	// turning nothing, before ordinary moves begin. Empty in all variants but
	// the historic game.
	Opening Bitboard
	// Stock is the number of discs each player owns; 0 means that both take
	// from one store of 64.
	Stock int
}

// Game is a game at one moment: the rules, the position, and how many discs
// each player has placed. It is a value; its methods return the next one.
type Game struct {
	Rules Rules
	Position
	// Placed counts the discs placed by Black and by White since the start,
	// those of the opening included.
	Placed [2]uint8
}

// NewGame returns the game at its start.
func NewGame(r Rules) Game { return Game{Rules: r, Position: r.Start} }

// Ply returns the number of discs placed since the start; a pass adds none.
func (g Game) Ply() int { return int(g.Placed[Black]) + int(g.Placed[White]) }

// Hand returns how many discs c has left, or -1 when the store is shared.
func (g Game) Hand(c Color) int {
	if g.Rules.Stock == 0 || c == None {
		return -1
	}
	return g.Rules.Stock - int(g.Placed[c])
}

// Opening returns the squares that are still free in an opening that is not
// finished; it is empty in all other positions.
func (g Game) Opening() Bitboard { return g.Rules.Opening & g.Empty() }

// Legal returns the squares on which the side to move may place a disc.
func (g Game) Legal() Bitboard {
	switch {
	case g.Hand(g.Turn) == 0:
		return 0
	case g.Opening() != 0:
		return g.Opening()
	default:
		return g.Position.Legal()
	}
}

// Flips returns the discs that turn when the side to move places a disc on s:
// none in the opening, and none when the move is illegal.
func (g Game) Flips(s Square) Bitboard {
	if g.Opening() != 0 || g.Hand(g.Turn) == 0 {
		return 0
	}
	return g.Position.Flips(s)
}

// Place returns the game after the side to move has placed a disc on s, with
// the other side to move. The caller has made sure that the move is legal.
func (g Game) Place(s Square) Game {
	// A player's last disc turns discs like any other: flips before counting.
	next := g.After(s, g.Flips(s))
	g.Placed[g.Turn]++
	g.Position = next
	return g
}

// Pass returns the game with the other side to move.
func (g Game) Pass() Game {
	g.Position = g.Position.Pass()
	return g
}

// MustPass reports whether the side to move has no legal move while the other
// side has one: passing is forced, never chosen.
func (g Game) MustPass() bool { return g.Legal() == 0 && g.Pass().Legal() != 0 }

// Over reports whether neither side can move.
func (g Game) Over() bool { return g.Legal() == 0 && g.Pass().Legal() == 0 }

// Winner returns who wins with d on the board at the end, None for a draw.
func (r Rules) Winner(d Discs) Color {
	black, white := d.Black.Count(), d.White.Count()
	if r.Goal == Fewest {
		black, white = white, black
	}
	switch {
	case black > white:
		return Black
	case white > black:
		return White
	default:
		return None
	}
}

// Score returns the official count at the end: the discs as they lie, with the
// empty squares given to whoever holds the majority of the discs, 32–32 if
// equal. It is the same for both goals (the reverse margin is the normal one
// negated).
func (d Discs) Score() (black, white int) {
	black, white = d.Black.Count(), d.White.Count()
	switch {
	case black > white:
		black = Squares - white
	case white > black:
		white = Squares - black
	default:
		black, white = Squares/2, Squares/2
	}
	return black, white
}

// Move is a disc placed on a square, or a pass.
type Move uint8

// PassMove is the forced pass.
const PassMove Move = 64

// At returns the move that places a disc on s.
func At(s Square) Move { return Move(s) }

// Square returns the move's square; ok is false for a pass.
func (m Move) Square() (s Square, ok bool) { return Square(m), m < PassMove }

// String returns the square's name, or "pass".
func (m Move) String() string {
	if m == PassMove {
		return "pass"
	}
	return Square(m).String()
}
