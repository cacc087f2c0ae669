package gtp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/opponent"
)

// Client is the dialect of programs that speak GTP. It is used by one
// goroutine.
type Client struct {
	// commands are those that the program knows.
	commands []string
	// known are the discs that the program has, in order; ready says that it
	// has a board at all.
	known []placed
	ready bool
	clock opponent.Clock
	// owed is the number of answers that are still to come.
	owed int
}

// placed is a disc of the game.
type placed struct {
	by engine.Color
	on engine.Square
}

// Dial returns the dialect for a program that has just been started.
func Dial() opponent.Dialect { return &Client{} }

// maxText bounds the text of an answer.
const maxText = 64 << 10

// Greet asks for the program's name and for what it can do.
func (c *Client) Greet(ctx context.Context, w *opponent.Wire) (string, error) {
	name, err := c.must(ctx, w, "name")
	if err != nil {
		return "", err
	}
	list, err := c.must(ctx, w, "list_commands")
	if err != nil {
		return "", err
	}
	c.commands = strings.Fields(list)
	if !c.can("genmove") || !c.can("play") {
		return "", &opponent.FaultError{Text: "it lists no commands play and genmove"}
	}
	version, _, err := c.exchange(ctx, w, "version")
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(oneLine(name) + " " + oneLine(version)), nil
}

// can reports whether the program knows a command.
func (c *Client) can(command string) bool { return slices.Contains(c.commands, command) }

// Ask sends the discs that the program does not know yet and asks for a move.
func (c *Client) Ask(ctx context.Context, w *opponent.Wire, q *opponent.Question) (opponent.Reply, error) {
	if err := supported(&q.Rules); err != nil {
		return opponent.Reply{}, err
	}
	if err := c.settle(ctx, w); err != nil {
		return opponent.Reply{}, err
	}
	discs, turn := discsOf(q)
	if err := c.bring(ctx, w, discs, q.Clock); err != nil {
		return opponent.Reply{}, err
	}
	if err := c.tellTime(ctx, w, turn, q.Clock); err != nil {
		return opponent.Reply{}, err
	}
	thinking, cancel := w.Thinking(ctx, q.Clock, int(turn))
	defer cancel()
	word, ok, err := c.exchange(thinking, w, "genmove "+turn.String())
	switch {
	case err != nil:
		return opponent.Reply{}, err
	case !ok:
		return opponent.Reply{}, refusal("genmove", word)
	}
	// The program has played its move by itself. If another one is played in
	// the end, or this was no move, the next question starts from the beginning.
	word = oneLine(word)
	if s, err := engine.ParseSquare(word); err == nil {
		c.known = append(c.known, placed{turn, s})
	} else {
		c.ready = false
	}
	return opponent.Reply{Move: word}, nil
}

// Cancelled does nothing: GTP cannot interrupt. The answer is waited for when
// the next question comes.
func (c *Client) Cancelled(context.Context, *opponent.Wire) {}

// Goodbye asks the program to end.
func (c *Client) Goodbye(ctx context.Context, w *opponent.Wire) {
	if c.owed == 0 {
		_ = w.Send(ctx, "quit") // who does not hear it is killed
	}
}

// supported refuses what the protocol cannot say: there is one start position,
// and most discs win.
func supported(r *engine.Rules) error {
	switch {
	case r.Start != engine.Start() || r.Opening != 0 || r.Stock != 0:
		return &opponent.UnsupportedError{Reason: "GTP knows only the standard start position"}
	case r.Goal != engine.Most:
		return &opponent.UnsupportedError{Reason: "it plays for most discs"}
	}
	return nil
}

// discsOf returns the discs placed, and the side to move.
func discsOf(q *opponent.Question) ([]placed, engine.Color) {
	turn := q.Rules.Start.Turn
	discs := make([]placed, 0, len(q.Moves))
	for _, m := range q.Moves {
		if s, disc := m.Square(); disc {
			discs = append(discs, placed{turn, s})
		}
		turn = turn.Opponent()
	}
	return discs, turn
}

// bring makes the program's board that of the question.
func (c *Client) bring(ctx context.Context, w *opponent.Wire, discs []placed, clock opponent.Clock) error {
	if !c.ready || len(c.known) > len(discs) || !slices.Equal(c.known, discs[:len(c.known)]) {
		if err := c.clear(ctx, w, clock); err != nil {
			return err
		}
	}
	for _, d := range discs[len(c.known):] {
		command := fmt.Sprintf("play %v %v", d.by, d.on)
		text, ok, err := c.exchange(ctx, w, command)
		switch {
		case err != nil:
			return err
		case !ok:
			c.ready = false
			return refusal(command, text)
		}
		c.known = append(c.known, d)
	}
	return nil
}

// clear begins a game on the program's board.
func (c *Client) clear(ctx context.Context, w *opponent.Wire, clock opponent.Clock) error {
	c.ready, c.known, c.clock = false, nil, opponent.Clock{}
	for _, command := range []string{"boardsize 8", "clear_board"} {
		if name, _, _ := strings.Cut(command, " "); !c.can(name) {
			continue
		}
		if _, err := c.must(ctx, w, command); err != nil {
			return err
		}
	}
	c.ready = true
	if !clock.Running() || !c.can("time_settings") {
		return nil
	}
	// The Canadian overtime of GTP is no increment; the time that is left is
	// told before every move instead.
	_, _, err := c.exchange(ctx, w, fmt.Sprintf("time_settings %d 0 0", seconds(clock.Main)))
	return err
}

// tellTime says what is left on the mover's clock. Programs that take no time
// play as strong as they were started.
func (c *Client) tellTime(ctx context.Context, w *opponent.Wire, turn engine.Color, clock opponent.Clock) error {
	if !clock.Running() || !c.can("time_left") {
		return nil
	}
	_, _, err := c.exchange(ctx, w, fmt.Sprintf("time_left %v %d 0", turn, seconds(clock.Left[turn])))
	return err
}

// seconds rounds down, so that no program believes in time that is not there.
func seconds(d time.Duration) int { return int(math.Floor(max(0, d.Seconds()))) }

// refusal is the fault of a program that answers with a failure.
func refusal(command, text string) error {
	return &opponent.FaultError{Text: "it answered " + opponent.Quote("? "+oneLine(text)) + " to " + opponent.Quote(command)}
}

// must is exchange for a command that must not fail.
func (c *Client) must(ctx context.Context, w *opponent.Wire, command string) (string, error) {
	text, ok, err := c.exchange(ctx, w, command)
	if err == nil && !ok {
		err = refusal(command, text)
	}
	return text, err
}

// exchange sends a command and returns the text of its answer; ok is false for
// a failure.
func (c *Client) exchange(ctx context.Context, w *opponent.Wire, command string) (text string, ok bool, err error) {
	ctx, cancel := c.bound(ctx, w, command)
	defer cancel()
	// Nothing is due before the command: a line that is there is noise.
	if err := w.Skip(ctx); err != nil {
		return "", false, err //nolint:wrapcheck // a fault of the program
	}
	if err := w.Send(ctx, command); err != nil {
		return "", false, err //nolint:wrapcheck // a fault of the program
	}
	c.owed++
	return c.answer(ctx, w)
}

// bound gives every command but genmove a short deadline.
func (c *Client) bound(ctx context.Context, w *opponent.Wire, command string) (context.Context, context.CancelFunc) {
	if strings.HasPrefix(command, "genmove") {
		return context.WithCancel(ctx)
	}
	return w.Quick(ctx)
}

// answer reads the next answer.
func (c *Client) answer(ctx context.Context, w *opponent.Wire) (text string, ok bool, err error) {
	head := ""
	for head == "" {
		line, err := w.Line(ctx)
		if err != nil {
			return "", false, err //nolint:wrapcheck // a fault of the program
		}
		// Whatever else is written between two answers belongs to nobody.
		if strings.HasPrefix(line, "=") || strings.HasPrefix(line, "?") {
			head = line
		}
	}
	lines := []string{strings.TrimSpace(head[1:])}
	for size := len(head); ; {
		line, err := w.Line(ctx)
		if err != nil {
			return "", false, err //nolint:wrapcheck // a fault of the program
		}
		if strings.TrimSpace(line) == "" {
			break
		}
		if size += len(line); size > maxText {
			return "", false, &opponent.FaultError{Text: "it writes an answer without end"}
		}
		lines = append(lines, line)
	}
	c.owed--
	return strings.Join(lines, "\n"), head[0] == '=', nil
}

// settle waits for the answers to questions that were withdrawn.
func (c *Client) settle(ctx context.Context, w *opponent.Wire) error {
	if c.owed == 0 {
		return nil
	}
	quick, cancel := w.Quick(ctx)
	defer cancel()
	// It has moved on a board that is not ours any more.
	c.ready = false
	for c.owed > 0 {
		if _, _, err := c.answer(quick, w); err != nil {
			if ctx.Err() != nil {
				return errors.Join(context.Cause(ctx), err)
			}
			return opponent.StaleError{}
		}
	}
	return nil
}

// oneLine returns the first line that is not empty, without blanks around it.
func oneLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
