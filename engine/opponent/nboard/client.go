package nboard

import (
	"context"
	"strconv"
	"strings"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/opponent"
	"reversi-board/engine/plaintext"
)

// Client is the dialect of programs that speak NBoard. It is used by one
// goroutine.
type Client struct {
	// depth is the depth of search that is asked for, 0 for the program's own.
	depth int
	name  string
	pings int
	// thinking says that a search has not been answered.
	thinking bool
}

// MaxDepth is the largest depth of search that can be asked for.
const MaxDepth = 60

// Dial returns what makes dialects that ask for a depth of search, 0 for the
// program's own.
func Dial(depth int) func() opponent.Dialect {
	return func() opponent.Dialect { return &Client{depth: min(max(depth, 0), MaxDepth)} }
}

// Greet begins the protocol.
func (c *Client) Greet(ctx context.Context, w *opponent.Wire) (string, error) {
	if err := w.Send(ctx, "nboard 2"); err != nil {
		return "", err //nolint:wrapcheck // a fault of the program
	}
	if c.depth > 0 {
		if err := w.Send(ctx, "set depth "+strconv.Itoa(c.depth)); err != nil {
			return "", err //nolint:wrapcheck // a fault of the program
		}
	}
	if err := c.sync(ctx, w); err != nil {
		return "", err
	}
	return c.name, nil
}

// Ask sends the game and asks for a move.
func (c *Client) Ask(ctx context.Context, w *opponent.Wire, q *opponent.Question) (opponent.Reply, error) {
	game, turn, err := gameText(q)
	if err != nil {
		return opponent.Reply{}, err
	}
	if err := c.position(ctx, w, game); err != nil {
		return opponent.Reply{}, err
	}
	thinking, cancel := w.Thinking(ctx, q.Clock, int(turn))
	defer cancel()
	if err := w.Send(thinking, "go"); err != nil {
		return opponent.Reply{}, err //nolint:wrapcheck // a fault of the program
	}
	c.thinking = true
	for {
		line, err := w.Line(thinking)
		if err != nil {
			return opponent.Reply{}, err //nolint:wrapcheck // a fault of the program
		}
		if reply, ok := c.take(line); ok {
			c.thinking = false
			return reply, nil
		}
	}
}

// position makes the program stop whatever it does and take the game.
func (c *Client) position(ctx context.Context, w *opponent.Wire, game string) error {
	stale := c.thinking
	quick, cancel := w.Quick(ctx)
	defer cancel()
	err := w.Send(quick, "set game "+game)
	if err == nil {
		err = c.sync(quick, w)
	}
	if err != nil && stale && ctx.Err() == nil {
		return opponent.StaleError{}
	}
	c.thinking = false
	return err //nolint:wrapcheck // a fault of the program
}

// sync waits until the program has heard everything; what it wrote before
// counts for nothing, a move neither.
func (c *Client) sync(ctx context.Context, w *opponent.Wire) error {
	c.pings++
	number := strconv.Itoa(c.pings)
	if err := w.Send(ctx, "ping "+number); err != nil {
		return err //nolint:wrapcheck // a fault of the program
	}
	for {
		line, err := w.Line(ctx)
		if err != nil {
			return err //nolint:wrapcheck // a fault of the program
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word == "pong" && strings.TrimSpace(rest) == number {
			return nil
		}
		c.take(line)
	}
}

// take reads one line of the program; ok says that it is a move.
func (c *Client) take(line string) (r opponent.Reply, ok bool) {
	line = strings.TrimSpace(line)
	if name, found := strings.CutPrefix(line, "set myname "); found {
		c.name = strings.TrimSpace(name)
		return r, false
	}
	rest, found := strings.CutPrefix(line, "===")
	if !found {
		return r, false
	}
	fields := strings.Fields(strings.ReplaceAll(rest, "/", " / "))
	if len(fields) == 0 {
		return opponent.Reply{Move: rest}, true
	}
	r.Move = fields[0]
	// What follows is the value, except when it was left out: "PA//0.00".
	switch {
	case len(fields) > 2 && fields[1] == "/" && fields[2] != "/":
		r.Eval = value(fields[2])
	case len(fields) > 1 && fields[1] != "/":
		r.Eval = value(fields[1])
	}
	return r, true
}

// value keeps a value that is a number; engines write pairs and NaN as well.
func value(text string) string {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != f || f > engine.Squares || f < -engine.Squares {
		return ""
	}
	return text
}

// Cancelled makes the program stop thinking. Its answer is thrown away when the
// next question comes.
func (c *Client) Cancelled(ctx context.Context, w *opponent.Wire) {
	c.pings++
	_ = w.Send(ctx, "ping "+strconv.Itoa(c.pings)) // a program that is gone is noticed at the next question
}

// Goodbye asks the program to end.
func (c *Client) Goodbye(ctx context.Context, w *opponent.Wire) {
	_ = w.Send(ctx, "quit") // who does not hear it is killed
}

// gameText writes the game as GGF in one line, the passes at its end included,
// and returns the side to move.
func gameText(q *opponent.Question) (string, engine.Color, error) {
	if q.Rules.Goal != engine.Most {
		return "", engine.None, &opponent.UnsupportedError{Reason: "it plays for most discs"}
	}
	turn := q.Rules.Start.Turn
	g := notation.Game{
		Rules: q.Rules, Place: plaintext.Const("reversi-board"),
		Players: [2]notation.Player{{Name: plaintext.Const("Black")}, {Name: plaintext.Const("White")}},
		Clocks:  clocks(q.Clock),
	}
	for _, m := range q.Moves {
		g.Plays = append(g.Plays, notation.Play{Move: m})
		turn = turn.Opponent()
	}
	text, _, err := notation.Append(nil, notation.FormatGGF, &g)
	if err != nil {
		return "", engine.None, &opponent.UnsupportedError{Reason: err.Error()}
	}
	// The protocol spells passes PA.
	return strings.ReplaceAll(strings.TrimSpace(string(text)), "[pass]", "[PA]"), turn, nil
}

// clocks writes what is left as GGF clock strings. Without a clock it is a
// quarter of an hour each: some engines do not think without any.
func clocks(c opponent.Clock) [2]plaintext.Text {
	var texts [2]plaintext.Text
	for i := range texts {
		left := 15 * time.Minute
		if c.Running() {
			left = c.Left[i].Truncate(time.Second)
		}
		k := notation.Clock{
			Main:      notation.Period{Time: left},
			Increment: notation.Period{Time: c.Increment, Moves: 1},
			Extension: notation.Period{Time: 0},
		}
		texts[i] = plaintext.Clean(k.String(), plaintext.MaxLine)
	}
	return texts
}
