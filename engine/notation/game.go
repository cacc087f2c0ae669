package notation

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

// Game is one game with everything that any of the formats says about it. It is
// what readers return and writers take; the JSON format keeps all of it, every
// other format a part.
//
// Texts are UTF-8 and come from strangers; readers cap their length.
type Game struct {
	// Players are those of Black and White.
	Players [2]Player
	// Event and Round say what the game belongs to, Place where it was played.
	Event, Round, Place plaintext.Text
	// Date is when it was played, as far as that is known.
	Date DateTime
	// Clocks are the clock strings of Black and White, see ParseClock; empty
	// when unknown.
	Clocks [2]plaintext.Text
	// Rules are the start position, the side that begins and the goal.
	Rules engine.Rules
	// Plays are the moves in order, with the forced passes between them. A pass
	// that is due after the last disc may or may not be there.
	Plays []Play
	// Recorded is the result as somebody wrote it down. Result is what counts.
	Recorded Outcome
	// AsTheyLie says that empty squares count for nobody; otherwise they count for
	// whoever holds more discs.
	AsTheyLie bool
	// Lay are the discs as they lay when the time of the game was up, if a move lay
	// there unfinished: they were counted then.
	Lay engine.Discs
	// Comment is about the game as a whole.
	Comment plaintext.Comment
	// Scores are known values of moves in the start position, best first.
	Scores []Score
	// Theory is the result under best play, where it was computed.
	Theory Theory
	// ClockChanges are where an arbiter has set the clocks, in order.
	ClockChanges []ClockChange
	// Tags are the tags that have no field here, in file order.
	Tags []Tag
	// Warnings is what a reader noticed, one sentence each. It is not part of
	// the game: writers leave it out.
	Warnings []string
}

// Player is who plays one side.
type Player struct {
	Name plaintext.Text
	// Rating is opaque: scales differ.
	Rating plaintext.Text
}

// Play is a move with what was noted beside it.
type Play struct {
	Move engine.Move
	// Time is how long the mover thought, Left what was on the mover's clock
	// afterwards, both in seconds.
	Time, Left Number
	// Eval is the value of the move for the mover, in discs, as written.
	Eval string
	// Comment is about this move.
	Comment plaintext.Comment
	// Edit is how the board after this move differs from what the rules say.
	Edit Edit
	// Improper says that the disc was no move by the rules and counted all the
	// same, because nobody objected in time. It turns nothing; what else there is
	// to say of it, such as the face that it shows, is in Edit.
	Improper bool
	// Ruled says that this is nobody's move: an arbiter has ruled that the board
	// is as Edit says, and that Turn is to move. Move is PassMove then.
	Ruled bool
	Turn  engine.Color
}

// ClockChange says that an arbiter has set the clocks.
type ClockChange struct {
	// After is the number of Plays before it.
	After int
	// Left is what Black and White had from then on, in seconds; empty without a clock.
	Left   [2]Number
	Reason plaintext.Text
}

// String writes it for a comment.
func (c ClockChange) String() string {
	text := "clocks set:"
	for color, left := range c.Left {
		if left != "" {
			text += fmt.Sprintf(" %v %s s,", engine.Color(color), left)
		}
	}
	text = strings.TrimSuffix(text, ",")
	if !c.Reason.IsZero() {
		text += " (" + c.Reason.String() + ")"
	}
	return text
}

// Edit is a set of squares that show something else than the rules say: a
// mistake at the board that was left standing. The sets are disjoint.
type Edit struct{ Black, White, Empty engine.Bitboard }

// None reports whether nothing is edited.
func (e Edit) None() bool { return e == Edit{} }

// apply changes d.
func (e Edit) apply(d engine.Discs) engine.Discs {
	d.Black = d.Black&^(e.White|e.Empty) | e.Black
	d.White = d.White&^(e.Black|e.Empty) | e.White
	return d
}

// Score is the value of a move: the final difference of discs for the mover
// under best play.
type Score struct {
	Move engine.Move
	// Text is as written, such as "+18".
	Text string
}

// Theory is a result under best play of both sides.
type Theory struct {
	// Empties is the number of empty squares from which it holds, 0 when there
	// is no theory.
	Empties int
	// Black is Black's score, 0–64; White's is 64 minus it.
	Black int
}

// Tag is a name and a value.
type Tag struct {
	Name  string
	Value plaintext.Text
}

// End says how a game ended before its last move.
type End uint8

// The early ends. The player who resigned or whose flag fell is the one who did
// not win.
const (
	EndNone        End = iota // by moves, or nobody says
	EndResigned               // a player gave up
	EndTime                   // a flag fell
	EndAgreed                 // both players agreed on the result
	EndAdjourned              // to be continued
	EndAdjudicated            // an arbiter decided
	EndAborted                // given up without a result
	EndTimeUp                 // the time of the game was up and the discs were counted
)

// String returns the word of the JSON form, empty for EndNone.
func (e End) String() string {
	switch e {
	case EndNone:
		return ""
	case EndResigned:
		return "resigned"
	case EndTime:
		return "time"
	case EndAgreed:
		return "agreed"
	case EndAdjourned:
		return "adjourned"
	case EndAdjudicated:
		return "adjudicated"
	case EndAborted:
		return "aborted"
	case EndTimeUp:
		return "time_up"
	}
	return "unknown"
}

// Outcome is a result as recorded.
type Outcome struct {
	// Text is as it was written, empty when it did not come from a text.
	Text plaintext.Text
	// Known says that there is a winner or a draw.
	Known bool
	// Winner is None for a draw.
	Winner engine.Color
	// Margin is black minus white, valid when Counted: some formats name only
	// the winner.
	Margin  int
	Counted bool
	// Black and White are the scores, valid when Scored.
	Black, White int
	Scored       bool
	// Fraction is what a komi adds to Margin, in thousandths of a disc and with its
	// sign: +8.5 is 8 and 500, -0.5 is 0 and -500.
	Fraction int
	// End is why the game stopped early.
	End End
}

// Result is how a game ended, computed from its board.
type Result struct {
	// Winner is None for a draw.
	Winner engine.Color
	// Black and White are the official score. Empty squares count for the winner,
	// unless the game says that they do not.
	Black, White int
	// Margin is black minus white, negated where fewest discs win.
	Margin int
}

// ErrUnfinished means that a side can still move, so that nothing follows from
// the board.
var ErrUnfinished = errors.New("the game is not finished")

// resultOf returns the result of a game that is over: empty squares count for the
// winner.
func resultOf(final engine.Game) Result {
	r := Result{Winner: final.Rules.Winner(final.Discs)}
	r.Black, r.White = final.Score()
	return r.withMargin(final.Rules.Goal)
}

// withMargin returns the result with the margin of its score.
func (r Result) withMargin(goal engine.Goal) Result {
	r.Margin = r.Black - r.White
	if goal == engine.Fewest {
		r.Margin = -r.Margin
	}
	return r
}

// decided reports whether the discs have decided a game: it is over, or its time was
// up and they were counted.
func (g *Game) decided(final engine.Game) bool { return final.Over() || g.Recorded.End == EndTimeUp }

// counted returns the last position with the discs that count.
func (g *Game) counted(final engine.Game) engine.Game {
	if g.Recorded.End == EndTimeUp && g.Lay != (engine.Discs{}) {
		final.Discs = g.Lay
	}
	return final
}

// official returns the result of a game that the discs have decided.
func (g *Game) official(final engine.Game) Result {
	if o := g.Recorded; !final.Over() && o.End == EndTimeUp && o.Scored && g.Lay == (engine.Discs{}) {
		return Result{Winner: o.Winner, Black: o.Black, White: o.White}.withMargin(g.Rules.Goal)
	}
	at := g.counted(final)
	r := resultOf(at)
	if g.AsTheyLie || g.Recorded.End == EndTimeUp {
		r.Black, r.White = at.Black.Count(), at.White.Count()
		r = r.withMargin(g.Rules.Goal)
	}
	return r
}

// Result replays the game and returns its result. The error is ErrUnfinished
// when somebody can still move, whatever was recorded, unless the time was up and the
// discs were counted; or a *MoveError.
func (g *Game) Result() (Result, error) {
	final, err := g.Final()
	if err != nil {
		return Result{}, err
	}
	if !g.decided(final) {
		return Result{}, ErrUnfinished
	}
	return g.official(final), nil
}

// Final replays the game and returns its last position. The error is a
// *MoveError.
func (g *Game) Final() (engine.Game, error) {
	final := engine.NewGame(g.Rules)
	for after, err := range g.replay() {
		if err != nil {
			return engine.Game{}, err
		}
		final = after
	}
	return final, nil
}

// replay yields the game after each play. An error is the last thing it yields.
func (g *Game) replay() func(yield func(engine.Game, error) bool) {
	return func(yield func(engine.Game, error) bool) {
		b := builder{game: &Game{Rules: g.Rules}, strict: true}
		b.line.Final = engine.NewGame(g.Rules)
		for _, p := range g.Plays {
			if err := b.add(p); err != nil {
				yield(engine.Game{}, err)
				return
			}
			if !yield(b.line.Final, nil) {
				return
			}
		}
	}
}

// Plies returns the number of discs placed.
func (g *Game) Plies() int {
	n := 0
	for _, p := range g.Plays {
		if p.Move != engine.PassMove {
			n++
		}
	}
	return n
}

// Moves returns the moves without their notes.
func (g *Game) Moves() []engine.Move {
	moves := make([]engine.Move, len(g.Plays))
	for i, p := range g.Plays {
		moves[i] = p.Move
	}
	return moves
}

// edited reports whether mistakes were left standing on the board, ruled whether
// there is anything that is no move at all.
func (g *Game) edited() (edited, ruled bool) {
	for _, p := range g.Plays {
		ruled = ruled || p.Ruled || p.Improper
		edited = edited || ruled || !p.Edit.None()
	}
	return edited, ruled
}

// warn adds a warning, each only once.
func (g *Game) warn(format string, args ...any) {
	text := plaintext.Clean(fmt.Sprintf(format, args...), maxTag).String()
	if len(g.Warnings) < maxWarnings && !slices.Contains(g.Warnings, text) {
		g.Warnings = append(g.Warnings, text)
	}
}

// maxWarnings bounds the warnings of one game.
const maxWarnings = 20

// judge compares what was recorded with the board, which is right.
func (g *Game) judge(final engine.Game) {
	if !final.Over() || !g.Recorded.Known {
		return
	}
	r := resultOf(final)
	asTheyLie := final.Black.Count() - final.White.Count()
	if g.Rules.Goal == engine.Fewest {
		asTheyLie = -asTheyLie
	}
	komi := g.komi()
	switch o := g.Recorded; {
	case o.Counted && o.thousandths() == whole*asTheyLie-komi:
	case o.Counted && !g.agrees(o, r) && komi != 0:
		g.warn("the recorded result %s is not the board's %+d with a komi of %s", o.decimal(), r.Margin, decimal(komi))
	case o.Counted && !g.agrees(o, r) && o.thousandths() != whole*asTheyLie:
		g.warn("the recorded result %s is not the board's %+d", strings.TrimSuffix(o.decimal(), ".000"), r.Margin)
	case !o.Counted && o.Winner != r.Winner && o.End == EndNone:
		g.warn("the recorded winner %v is not the board's %v", o.Winner, r.Winner)
	}
}

// outcome is what writers state: the board's result of a finished game, unless
// something else has decided it, and what was recorded of another.
func (g *Game) outcome(final engine.Game) Outcome {
	if g.decided(final) && !g.Overruled(final) {
		r := g.official(final)
		return g.withKomi(Outcome{
			Known: true, Winner: r.Winner, Margin: r.Margin, Counted: true, Black: r.Black, White: r.White, Scored: true, End: g.Recorded.End,
		})
	}
	return g.Recorded
}

// withKomi takes the komi off a margin that the board has decided. One that was
// recorded without it stays so.
func (g *Game) withKomi(o Outcome) Outcome {
	komi := g.komi()
	if komi == 0 || g.Recorded.Counted && g.Recorded.thousandths() == whole*o.Margin {
		return o
	}
	k := counted(plaintext.Text{}, whole*o.Margin-komi)
	o.Margin, o.Fraction, o.Winner = k.Margin, k.Fraction, k.Winner
	return o
}

// toWinner is outcome for formats by which the empty squares always count for the
// winner.
func (g *Game) toWinner(final engine.Game) Outcome {
	o := g.outcome(final)
	if !g.decided(final) || g.Overruled(final) {
		return o
	}
	r := Result{Winner: o.Winner, Black: o.Black, White: o.White}
	switch {
	case r.Black > r.White:
		r.Black = engine.Squares - r.White
	case r.White > r.Black:
		r.White = engine.Squares - r.Black
	default:
		r.Black, r.White = engine.Squares/2, engine.Squares/2
	}
	o.Black, o.White, o.Margin, o.Fraction = r.Black, r.White, r.withMargin(g.Rules.Goal).Margin, 0
	return g.withKomi(o)
}

// The sentences that say in a comment how the discs were counted, where a format has
// no other place for it.
const (
	timeUpWords    = "The time of the game was up and the discs were counted as they lay: Black %d, White %d"
	asTheyLieWords = "Empty squares count for nobody: Black %d, White %d"
)

// countWords says how the discs of a game were counted, nothing where empty squares
// count for the winner or there are none.
func (g *Game) countWords(final engine.Game) string {
	o := g.outcome(final)
	switch {
	case !g.decided(final) || g.Overruled(final):
		return ""
	case o.End == EndTimeUp:
		return fmt.Sprintf(timeUpWords, o.Black, o.White)
	case g.AsTheyLie && o.Black+o.White < engine.Squares:
		return fmt.Sprintf(asTheyLieWords, o.Black, o.White)
	}
	return ""
}

// readCountWords takes in what countWords says; ok is false for any other text.
func (g *Game) readCountWords(text string) (ok bool) {
	var black, white int
	for _, words := range []string{timeUpWords, asTheyLieWords} {
		if _, err := fmt.Sscanf(text, words, &black, &white); err != nil || fmt.Sprintf(words, black, white) != text ||
			black < 0 || white < 0 || black+white > engine.Squares {
			continue
		}
		g.AsTheyLie = true
		if words == timeUpWords {
			o := &g.Recorded
			o.End, o.Known, o.Black, o.White, o.Scored = EndTimeUp, true, black, white, true
			o.Winner = g.Rules.Winner(engine.Discs{Black: 1<<black - 1, White: 1<<white - 1})
		}
		return true
	}
	return false
}

// whole is a disc in the thousandths in which margins are counted.
const whole = 1000

// komi returns what is subtracted from Black's margin, in thousandths of a disc: the
// tag KM of GGF.
func (g *Game) komi() int {
	for _, t := range g.Tags {
		if n, ok := thousandths(t.Value.String()); t.Name == "KM" && ok {
			return n
		}
	}
	return 0
}

// agrees reports whether a recorded margin is that of the board, with the komi or
// without it.
func (g *Game) agrees(o Outcome, r Result) bool {
	n := o.thousandths()
	return n == whole*r.Margin || n == whole*r.Margin-g.komi()
}

// thousandths returns the margin in thousandths of a disc.
func (o Outcome) thousandths() int { return whole*o.Margin + o.Fraction }

// decimal writes the margin as GGF does: +8.500.
func (o Outcome) decimal() string { return decimal(o.thousandths()) }

func decimal(n int) string {
	sign := "+"
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%03d", sign, n/whole, n%whole)
}

// thousandths reads a decimal number exactly; ok is false when it has more digits, or
// is no margin of 64 squares with a komi.
func thousandths(text string) (n int, ok bool) {
	text = strings.TrimSpace(text)
	digits, negative := strings.CutPrefix(text, "-")
	if !negative {
		digits = strings.TrimPrefix(digits, "+")
	}
	before, after, _ := strings.Cut(digits, ".")
	after = strings.TrimRight(after, "0")
	if len(after) > 3 || before == "" && after == "" {
		return 0, false
	}
	u, err := strconv.ParseUint(before+(after + "000")[:3], 10, 32)
	if err != nil || u > 2*engine.Squares*whole {
		return 0, false
	}
	if n = int(u); negative {
		n = -n
	}
	return n, true
}

// Overruled reports whether a finished game was won by somebody else than its
// board says, or by another score: on time, by resignation, or by a decision.
func (g *Game) Overruled(final engine.Game) bool {
	switch g.Recorded.End {
	case EndResigned, EndTime, EndAdjudicated:
		r, o := g.official(final), g.Recorded
		return o.Known && final.Over() && (o.Winner != r.Winner || o.Scored && (o.Black != r.Black || o.White != r.White))
	case EndNone, EndAgreed, EndAdjourned, EndAborted, EndTimeUp:
	}
	return false
}

// counted returns the outcome of a margin in thousandths of a disc.
func counted(text plaintext.Text, n int) Outcome {
	o := Outcome{Text: text, Known: true, Winner: engine.None, Margin: n / whole, Fraction: n % whole, Counted: true}
	switch {
	case n > 0:
		o.Winner = engine.Black
	case n < 0:
		o.Winner = engine.White
	}
	return o
}

// won returns the outcome of a winner without a count.
func won(text plaintext.Text, winner engine.Color, end End) Outcome {
	return Outcome{Text: text, Known: true, Winner: winner, End: end}
}

// rulesOf returns the preset with that start and goal, or a custom one.
func rulesOf(start engine.Position, goal engine.Goal) engine.Rules {
	for _, name := range engine.VariantNames() {
		r, err := engine.Variant(name)
		if err == nil && r == (engine.Rules{Name: name, Start: start, Goal: goal}) {
			return r
		}
	}
	return engine.Rules{Name: "custom", Start: start, Goal: goal}
}

// standard reports whether the game starts as every Othello game does.
func (g *Game) standard() bool {
	return g.Rules.Start == engine.Start() && g.Rules.Opening == 0 && g.Rules.Stock == 0
}

// plain returns the game under rules that every program knows: where the first
// discs are placed freely, they become the start position. The game itself is
// returned when nothing has to change.
func (g *Game) plain() (*Game, error) {
	if g.Rules.Opening == 0 && g.Rules.Stock == 0 {
		return g, nil
	}
	p := *g
	at := engine.NewGame(g.Rules)
	n := 0
	for after, err := range g.replay() {
		if err != nil {
			return nil, err
		}
		if g.Rules.Opening&at.Empty() == 0 {
			break
		}
		at = after
		n++
	}
	if g.Rules.Opening&at.Empty() != 0 {
		return nil, errors.New("the game ended while the first discs were being placed: only JSON can hold it")
	}
	p.Rules = rulesOf(at.Position, g.Rules.Goal)
	p.Plays = g.Plays[n:]
	p.ClockChanges = slices.Clone(g.ClockChanges)
	for i := range p.ClockChanges {
		p.ClockChanges[i].After = max(0, p.ClockChanges[i].After-n)
	}
	if _, err := p.Final(); err != nil {
		return nil, fmt.Errorf("only JSON can hold a game with %d discs for each player: %w", g.Rules.Stock, err)
	}
	return &p, nil
}

// title names the game for messages and diagrams.
func (g *Game) title() string {
	name := func(c engine.Color) string {
		if n := g.Players[c].Name; !n.IsZero() {
			return n.String()
		}
		return c.String()
	}
	return strings.TrimSpace(name(engine.Black) + " – " + name(engine.White))
}
