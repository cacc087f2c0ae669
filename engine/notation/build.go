package notation

import (
	"reversi-board/engine"
)

// builder plays the moves of one game as a reader finds them. Illegal ones are
// refused, implied passes are put in.
type builder struct {
	game *Game
	line Line
	// strict takes no implied passes and nothing after the end: the game comes
	// from this program, not from a file.
	strict bool
}

// begin starts to play the game, whose rules are now known.
func begin(g *Game) *builder {
	return &builder{game: g, line: Line{Final: engine.NewGame(g.Rules)}}
}

// add plays p, after the pass that it may imply. The error is a *MoveError.
func (b *builder) add(p Play) error { return b.addBy(engine.None, p) }

// addBy is add for a move of which the file says who made it; engine.None when
// it does not say.
func (b *builder) addBy(by engine.Color, p Play) error {
	if p.Ruled || p.Improper {
		return b.ruled(p)
	}
	s, isDisc := p.Move.Square()
	if !isDisc {
		s = engine.Squares
	}
	if reason := b.check(by, p); reason != 0 {
		return b.line.refusal(reason, s)
	}
	before := len(b.line.Moves)
	var reason Reason
	if isDisc {
		reason = b.line.place(s)
	} else {
		reason = b.line.pass()
	}
	if reason != 0 {
		return b.line.refusal(reason, s)
	}
	switch n := len(b.line.Moves) - before; n {
	case 0: // a pass after the end, left out
		return nil
	case 2:
		b.game.Plays = append(b.game.Plays, Play{Move: engine.PassMove})
	}
	b.game.Plays = append(b.game.Plays, p)
	b.line.Final.Discs = p.Edit.apply(b.line.Final.Discs)
	return nil
}

// ruled takes what is no move by the rules.
func (b *builder) ruled(p Play) error {
	g := &b.line.Final
	s, isDisc := p.Move.Square()
	switch {
	case p.Ruled == isDisc || p.Ruled && p.Turn >= engine.None:
		return b.line.refusal(ReasonTurn, s)
	case p.Ruled:
		g.Turn = p.Turn
	case !g.Empty().Has(s):
		return b.line.refusal(ReasonOccupied, s)
	default:
		g.Placed[g.Turn]++
		g.Position = g.After(s, 0)
	}
	g.Discs = p.Edit.apply(g.Discs)
	b.line.Moves = append(b.line.Moves, p.Move)
	b.game.Plays = append(b.game.Plays, p)
	return nil
}

// check finds what Line does not look at: the side that a file names, and what
// this program never writes itself.
func (b *builder) check(by engine.Color, p Play) Reason {
	final := b.line.Final
	_, isDisc := p.Move.Square()
	switch {
	case by == engine.None || final.Over():
	case by == final.Turn && isDisc && final.MustPass():
		// The square may be legal for the other side, but it is not its move.
		return ReasonIllegal
	case by != final.Turn && (!isDisc || !final.MustPass()):
		return ReasonTurn
	}
	if b.strict && final.Over() && !isDisc {
		return ReasonFalsePass
	}
	if b.strict && isDisc && final.MustPass() {
		return ReasonIllegal
	}
	return 0
}

// edit says that the board after the last move shows something else.
func (b *builder) edit(e Edit) {
	last := &b.game.Plays[len(b.game.Plays)-1]
	old := last.Edit
	last.Edit = Edit{
		Black: old.Black&^(e.White|e.Empty) | e.Black,
		White: old.White&^(e.Black|e.Empty) | e.White,
		Empty: old.Empty&^(e.Black|e.White) | e.Empty,
	}
	b.line.Final.Discs = e.apply(b.line.Final.Discs)
}

// finish hands over the game.
func (b *builder) finish() {
	for _, w := range b.line.Warnings {
		b.game.warn("%s", w)
	}
	b.game.judge(b.line.Final)
}
