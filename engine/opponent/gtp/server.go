package gtp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/opponent"
)

// ServerOptions are what a server is made of.
type ServerOptions struct {
	// Name and Version are what the server says about itself.
	Name, Version string
	// Level is the strength to begin with, 1 to opponent.MaxLevel.
	Level int
	// Hire returns the player of a level; the server closes it.
	Hire func(level int) (opponent.Player, error)
	// Now is a monotonic clock, which counts down between two time_left
	// commands.
	Now func() time.Duration
}

// levelCommand sets the strength. Commands outside of the protocol have the name
// of their program in front.
const levelCommand = "reversi-set_level"

// lineSize is how much of a command line is read.
const lineSize = 4096

// errQuit ends the conversation.
var errQuit = errors.New("quit")

// Serve answers commands until quit, the end of r or the end of ctx. It reads
// from r on a goroutine that ends with r.
func Serve(ctx context.Context, r io.Reader, w io.Writer, o ServerOptions) error {
	player, err := o.Hire(o.Level)
	if err != nil {
		return fmt.Errorf("hire the player: %w", err)
	}
	s := &server{o: o, player: player}
	s.clear()
	defer func() { _ = s.player.Close() }() // the conversation is over
	for line, err := range lines(ctx, r) {
		if err != nil {
			return err
		}
		answer, end := s.one(ctx, line)
		if _, err := io.WriteString(w, answer); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
		if end {
			return nil
		}
	}
	return nil
}

// read is a line of input, or why there is none.
type read struct {
	line string
	err  error
}

// lines yields the lines of r until its end, which is no error, or that of ctx,
// which is.
func lines(ctx context.Context, r io.Reader) func(yield func(string, error) bool) {
	return func(yield func(string, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		ch := make(chan read)
		go readLines(ctx, r, ch)
		for {
			select {
			case got := <-ch:
				if got.err != nil && !errors.Is(got.err, io.EOF) {
					yield("", got.err)
					return
				}
				if !yield(got.line, nil) || got.err != nil {
					return
				}
			case <-ctx.Done():
				yield("", fmt.Errorf("wait for a command: %w", context.Cause(ctx)))
				return
			}
		}
	}
}

// readLines sends the lines of r to ch, the last one with an error.
func readLines(ctx context.Context, r io.Reader, ch chan<- read) {
	for in := bufio.NewReaderSize(r, lineSize); ; {
		line, err := opponent.ReadLine(in)
		select {
		case ch <- read{line, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// server is one conversation.
type server struct {
	o      ServerOptions
	player opponent.Player
	// line is the game so far.
	rules engine.Rules
	game  engine.Game
	moves []engine.Move
	// steps[i] is the number of moves before the i-th command that changed the
	// game: undo takes back commands, with the passes that they implied.
	steps []int
	clock clock
}

// clock is what time_settings and time_left have said.
type clock struct {
	set bool
	// main is for the game, then byo for every stones moves.
	main, byo time.Duration
	stones    int
	left      [2]time.Duration
	// inByo says that left is for so many moves, 0 for the main time.
	inByo [2]int
}

// command is one of the protocol.
type command struct {
	name string
	// args is the number of its arguments; more are ignored.
	args int
	run  func(ctx context.Context, args []string) (string, error)
}

// commands lists the commands in the order of list_commands.
func (s *server) commands() []command {
	constant := func(text string) func(context.Context, []string) (string, error) {
		return func(context.Context, []string) (string, error) { return text, nil }
	}
	return []command{
		{"protocol_version", 0, constant("2")},
		{"name", 0, constant(s.o.Name)},
		{"version", 0, constant(s.o.Version)},
		{"known_command", 1, s.knownCommand},
		{"list_commands", 0, s.listCommands},
		{"quit", 0, func(context.Context, []string) (string, error) { return "", errQuit }},
		{"boardsize", 1, s.boardsize},
		{"clear_board", 0, s.clearBoard},
		{"komi", 1, s.komi},
		{"play", 2, s.play},
		{"genmove", 1, s.genmove},
		{"reg_genmove", 1, s.regGenmove},
		{"undo", 0, s.undo},
		{"time_settings", 3, s.timeSettings},
		{"time_left", 3, s.timeLeft},
		{"final_score", 0, s.finalScore},
		{"showboard", 0, s.showboard},
		{levelCommand, 1, s.setLevel},
	}
}

// one answers one line; end says that it was quit.
func (s *server) one(ctx context.Context, line string) (answer string, end bool) {
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(line)
	if len(words) == 0 {
		return "", false
	}
	id := ""
	if _, err := strconv.ParseUint(words[0], 10, 64); err == nil {
		id, words = words[0], words[1:]
	}
	if len(words) == 0 {
		return reply("?", id, "unknown command"), false
	}
	text, err := s.execute(ctx, words[0], words[1:])
	switch {
	case errors.Is(err, errQuit):
		return reply("=", id, ""), true
	case err != nil:
		return reply("?", id, err.Error()), false
	}
	return reply("=", id, text), false
}

// reply writes an answer. An empty line would end it.
func reply(sign, id, text string) string {
	head := sign + id
	if text != "" {
		head += " "
	}
	return head + text + "\n\n"
}

// refuse is an answer with a question mark.
func refuse(text string) error { return errors.New(text) }

func (s *server) execute(ctx context.Context, name string, args []string) (string, error) {
	for _, c := range s.commands() {
		switch {
		case c.name != name:
		case len(args) < c.args:
			return "", refuse("syntax error")
		default:
			return c.run(ctx, args)
		}
	}
	return "", refuse("unknown command")
}

func (s *server) knownCommand(_ context.Context, args []string) (string, error) {
	known := slices.ContainsFunc(s.commands(), func(c command) bool { return c.name == args[0] })
	return strconv.FormatBool(known), nil
}

func (s *server) listCommands(context.Context, []string) (string, error) {
	var names []string
	for _, c := range s.commands() {
		names = append(names, c.name)
	}
	return strings.Join(names, "\n"), nil
}

func (s *server) boardsize(_ context.Context, args []string) (string, error) {
	if n, err := strconv.Atoi(args[0]); err != nil {
		return "", refuse("boardsize not an integer")
	} else if n != 8 {
		return "", refuse("unacceptable size")
	}
	s.clear()
	return "", nil
}

// clear goes back to the start. The variant is the standard one: the protocol
// has no word for others.
func (s *server) clear() {
	s.rules = engine.Rules{Name: engine.Classic, Start: engine.Start()}
	s.game, s.moves, s.steps = engine.NewGame(s.rules), nil, nil
	s.clock.left, s.clock.inByo = [2]time.Duration{s.clock.main, s.clock.main}, [2]int{}
	if s.clock.main == 0 {
		s.clock.left = [2]time.Duration{s.clock.byo, s.clock.byo}
		s.clock.inByo = [2]int{s.clock.stones, s.clock.stones}
	}
}

func (s *server) clearBoard(ctx context.Context, _ []string) (string, error) {
	s.clear()
	if err := s.player.NewGame(ctx); err != nil {
		return "", refuse(err.Error())
	}
	return "", nil
}

func (s *server) komi(_ context.Context, args []string) (string, error) {
	if _, err := strconv.ParseFloat(args[0], 64); err != nil {
		return "", refuse("komi not a float")
	}
	// There is none in this game; who sends it only follows the protocol.
	return "", nil
}

// side reads a color.
func side(word string) (engine.Color, error) {
	switch strings.ToLower(word) {
	case "b", "black":
		return engine.Black, nil
	case "w", "white":
		return engine.White, nil
	}
	return engine.None, refuse("invalid color")
}

// turnTo makes it the turn of c if it is, or if the other side has to pass.
func (s *server) turnTo(c engine.Color) error {
	switch {
	case s.game.Over():
		return refuse("illegal move: the game is over")
	case s.game.Turn == c:
		return nil
	case s.game.MustPass():
		s.pass()
		return nil
	}
	return refuse("illegal move: it is the turn of " + s.game.Turn.String())
}

func (s *server) pass() {
	s.game = s.game.Pass()
	s.moves = append(s.moves, engine.PassMove)
}

func (s *server) place(sq engine.Square) {
	s.game = s.game.Place(sq)
	s.moves = append(s.moves, engine.At(sq))
}

func (s *server) play(_ context.Context, args []string) (string, error) {
	c, err := side(args[0])
	if err != nil {
		return "", err
	}
	before := len(s.moves)
	if strings.EqualFold(args[1], "pass") {
		if c != s.game.Turn || !s.game.MustPass() {
			return "", refuse("illegal move: there is no pass for " + c.String())
		}
		s.pass()
		s.steps = append(s.steps, before)
		return "", nil
	}
	sq, err := engine.ParseSquare(args[1])
	if err != nil {
		return "", refuse("invalid coordinate")
	}
	if err := s.turnTo(c); err != nil {
		return "", err
	}
	if !s.game.Legal().Has(sq) {
		s.back(before)
		return "", refuse("illegal move")
	}
	s.place(sq)
	s.steps = append(s.steps, before)
	return "", nil
}

// back takes moves back until n are left.
func (s *server) back(n int) {
	s.moves = s.moves[:n]
	q := opponent.Question{Rules: s.rules, Moves: s.moves}
	// They were legal when they were made.
	s.game, _ = q.Game()
}

func (s *server) genmove(ctx context.Context, args []string) (string, error) {
	c, err := side(args[0])
	if err != nil {
		return "", err
	}
	before := len(s.moves)
	// A side that cannot move passes; when the game is over that is all that
	// anybody can do, and it changes nothing.
	if s.game.Over() {
		return "pass", nil
	}
	if c == s.game.Turn && s.game.MustPass() {
		s.pass()
		s.steps = append(s.steps, before)
		return "pass", nil
	}
	if err := s.turnTo(c); err != nil {
		return "", err
	}
	began := s.now()
	sq, err := s.think(ctx)
	s.clock.spend(c, s.now()-began)
	if err != nil {
		s.back(before)
		return "", err
	}
	s.place(sq)
	s.steps = append(s.steps, before)
	return sq.String(), nil
}

func (s *server) now() time.Duration {
	if s.o.Now == nil {
		return 0
	}
	return s.o.Now()
}

// think asks the player.
func (s *server) think(ctx context.Context) (engine.Square, error) {
	a, err := s.player.Move(ctx, opponent.Question{
		Rules: s.rules, Moves: s.moves, Clock: s.clock.question(s.game.Turn),
	})
	if err != nil {
		return 0, refuse(strings.ReplaceAll(err.Error(), "\n", " "))
	}
	return a.Square, nil
}

func (s *server) regGenmove(ctx context.Context, args []string) (string, error) {
	before := len(s.moves)
	defer s.back(before)
	c, err := side(args[0])
	switch {
	case err != nil:
		return "", err
	case s.game.Over(), c == s.game.Turn && s.game.MustPass():
		return "pass", nil
	}
	if err := s.turnTo(c); err != nil {
		return "", err
	}
	sq, err := s.think(ctx)
	if err != nil {
		return "", err
	}
	return sq.String(), nil
}

func (s *server) undo(context.Context, []string) (string, error) {
	if len(s.steps) == 0 {
		return "", refuse("cannot undo")
	}
	s.back(s.steps[len(s.steps)-1])
	s.steps = s.steps[:len(s.steps)-1]
	return "", nil
}

func (s *server) finalScore(context.Context, []string) (string, error) {
	if !s.game.Over() {
		return "", refuse("cannot score")
	}
	black, white := s.game.Score()
	switch {
	case black > white:
		return fmt.Sprintf("B+%d", black-white), nil
	case white > black:
		return fmt.Sprintf("W+%d", white-black), nil
	}
	return "0", nil
}

func (s *server) showboard(context.Context, []string) (string, error) {
	return "\n" + strings.TrimRight(notation.Board(s.game.Position), "\n"), nil
}

func (s *server) setLevel(_ context.Context, args []string) (string, error) {
	level, err := strconv.Atoi(args[0])
	if err != nil {
		return "", refuse("level not an integer")
	}
	player, err := s.o.Hire(level)
	if err != nil {
		return "", refuse(err.Error())
	}
	old := s.player
	s.player = player
	if err := old.Close(); err != nil {
		return "", refuse(err.Error())
	}
	return "", nil
}

// maxSeconds bounds a time in the protocol, so that durations do not overflow.
const maxSeconds = 1_000_000

// numbers reads whole numbers from 0 to maxSeconds.
func numbers(args []string) ([]int, error) {
	var all []int
	for _, a := range args {
		n, err := strconv.Atoi(a)
		if err != nil || n < 0 || n > maxSeconds {
			return nil, refuse("syntax error")
		}
		all = append(all, n)
	}
	return all, nil
}

// timeSettings takes main time, byo yomi time and byo yomi stones. No stones but
// byo yomi time is the protocol's way to say that there is no limit.
func (s *server) timeSettings(_ context.Context, args []string) (string, error) {
	n, err := numbers(args[:3])
	if err != nil {
		return "", err
	}
	main, byo := time.Duration(n[0])*time.Second, time.Duration(n[1])*time.Second
	s.clock = clock{}
	if n[2] > 0 || byo == 0 {
		s.clock = clock{set: true, main: main, byo: byo, stones: n[2]}
	}
	s.clock.left = [2]time.Duration{main, main}
	if main == 0 {
		s.clock.left = [2]time.Duration{byo, byo}
		s.clock.inByo = [2]int{n[2], n[2]}
	}
	return "", nil
}

func (s *server) timeLeft(_ context.Context, args []string) (string, error) {
	c, err := side(args[0])
	if err != nil {
		return "", err
	}
	n, err := numbers(args[1:3])
	if err != nil {
		return "", err
	}
	s.clock.set = true
	s.clock.left[c], s.clock.inByo[c] = time.Duration(n[0])*time.Second, n[1]
	return "", nil
}

// question returns the clock for a player.
func (c *clock) question(turn engine.Color) opponent.Clock {
	if !c.set {
		return opponent.Clock{}
	}
	left := c.left[turn]
	if n := c.inByo[turn]; n > 0 {
		return opponent.Clock{Limit: max(left/time.Duration(n), time.Millisecond)}
	}
	q := opponent.Clock{Main: max(c.main, time.Millisecond), Left: c.left}
	if c.stones > 0 {
		// What comes after the main time can be counted on.
		q.Increment = c.byo / time.Duration(c.stones)
	}
	return q
}

// spend counts down after a move.
func (c *clock) spend(turn engine.Color, used time.Duration) {
	if !c.set {
		return
	}
	c.left[turn] -= used
	switch {
	case c.inByo[turn] > 1:
		c.inByo[turn]--
	case c.inByo[turn] == 1, c.left[turn] <= 0 && c.stones > 0:
		c.left[turn], c.inByo[turn] = c.byo, c.stones
	}
	c.left[turn] = max(c.left[turn], 0)
}
