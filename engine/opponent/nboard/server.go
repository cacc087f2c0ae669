package nboard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/opponent"
	"reversi-board/engine/search"
)

// Mind is what a server thinks with; *search.Searcher is one. It is used by one
// goroutine at a time.
type Mind interface {
	Best(ctx context.Context, g engine.Game, c search.Clock) (search.Result, error)
	Rate(ctx context.Context, p engine.Position, goal engine.Goal, depth int) ([]search.Rated, error)
}

// ServerOptions are what a server is made of.
type ServerOptions struct {
	// Name is what the server calls itself; the depth is added to it.
	Name string
	// Depth is the depth until another one is set.
	Depth int
	// Fixed says that the depth is not to be set: the strength was chosen by
	// whoever started the server, and is part of the name.
	Fixed bool
	// Mind returns what thinks at a depth.
	Mind func(depth int) Mind
}

const (
	// lineSize is how much of a line is read: a game of 60 discs with times
	// and values is a tenth of it.
	lineSize = 64 << 10
	// maxHintDepth bounds the search behind hints, which rates all moves.
	maxHintDepth = 10
	// learnDepth is the depth of an analysis of a whole game.
	learnDepth = 4
	// maxPlays bounds a game: 64 discs with passes between them.
	maxPlays = 130
)

// Serve answers commands until quit, the end of r or the end of ctx. When r ends
// a search that is under way is finished first. It reads from r on a goroutine
// that ends with r.
func Serve(ctx context.Context, r io.Reader, w io.Writer, o ServerOptions) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &server{o: o, out: w, depth: o.Depth}
	s.game = notation.Game{Rules: engine.Rules{Name: engine.Classic, Start: engine.Start()}}
	s.at = engine.NewGame(s.game.Rules)
	s.mind = o.Mind(o.Depth)
	ch := make(chan string)
	var readErr error
	go func() {
		defer close(ch)
		readErr = readLines(ctx, r, ch)
	}()
	for {
		select {
		case line, ok := <-ch:
			if !ok {
				s.task.Wait()
				return errors.Join(readErr, s.failed())
			}
			if s.one(ctx, line) {
				s.interrupt()
				return s.failed()
			}
		case <-ctx.Done():
			s.interrupt()
			return fmt.Errorf("wait for a command: %w", context.Cause(ctx))
		}
	}
}

// readLines sends the lines of r to ch.
func readLines(ctx context.Context, r io.Reader, ch chan<- string) error {
	for in := bufio.NewReaderSize(r, lineSize); ; {
		line, err := opponent.ReadLine(in)
		select {
		case ch <- line:
		case <-ctx.Done():
			return nil
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err //nolint:wrapcheck // says what it did
		}
	}
}

// server is one conversation.
type server struct {
	o     ServerOptions
	depth int
	mind  Mind
	game  notation.Game
	at    engine.Game

	// task is the search under way, if any; stop ends it.
	task sync.WaitGroup
	stop context.CancelFunc

	mu  sync.Mutex
	out io.Writer
	err error
}

// say writes a line. After the first failure nobody listens any more.
func (s *server) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		if _, err := fmt.Fprintf(s.out, format+"\n", args...); err != nil {
			s.err = fmt.Errorf("answer: %w", err)
		}
	}
}

func (s *server) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// interrupt ends the search under way; it has said its last word when this
// returns.
func (s *server) interrupt() {
	if s.stop != nil {
		s.stop()
		s.stop = nil
	}
	s.task.Wait()
}

// begin starts a search in place of the one under way.
func (s *server) begin(ctx context.Context, what func(context.Context)) {
	s.interrupt()
	ctx, s.stop = context.WithCancel(ctx)
	s.task.Go(func() { what(ctx) })
}

// one obeys one line; quit says that it was the last one. What is not known is
// ignored, as the protocol wants.
func (s *server) one(ctx context.Context, line string) (quit bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "quit":
		return true
	case "set":
		s.interrupt()
		s.set(rest)
	case "move":
		s.interrupt()
		s.move(rest)
	case "ping":
		s.interrupt()
		s.say("pong %s", rest)
	case "go":
		s.begin(ctx, s.think)
	case "hint":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 {
			n = 1
		}
		s.begin(ctx, func(ctx context.Context) { s.hint(ctx, n) })
	case "analyze":
		s.begin(ctx, s.analyze)
	case "learn":
		s.interrupt()
		s.say("learned")
	}
	return false
}

func (s *server) set(rest string) {
	word, rest, _ := strings.Cut(rest, " ")
	switch word {
	case "depth":
		if n, err := strconv.Atoi(strings.TrimSpace(rest)); err == nil && !s.o.Fixed {
			s.depth = min(max(n, 1), MaxDepth)
			s.mind = s.o.Mind(s.depth)
		}
		s.say("set myname %s", s.name())
	case "game":
		if err := s.setGame(rest); err != nil {
			s.say("status The game is not understood: %v", oneLine(err))
		}
	case "contempt":
		// There is no book, so there are no book draws.
	}
}

func (s *server) name() string {
	if s.o.Fixed {
		return s.o.Name
	}
	return s.o.Name + strconv.Itoa(s.depth)
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", " ") }

// setGame replaces the game, the passes at its end included.
func (s *server) setGame(text string) error {
	for g, err := range notation.Read(strings.NewReader(text), notation.FormatGGF, notation.ReadOptions{}) {
		if err != nil {
			return err //nolint:wrapcheck // the sentence for the user
		}
		at, err := g.Final()
		if err != nil {
			return err //nolint:wrapcheck // the sentence for the user
		}
		s.game, s.at = *g, at
		break // one game in a line
	}
	return nil
}

// move plays "F5/eval/time", or a pass.
func (s *server) move(rest string) {
	word, _, _ := strings.Cut(rest, "/")
	word = strings.TrimSpace(word)
	m := engine.PassMove
	if sq, err := engine.ParseSquare(word); err == nil {
		m = engine.At(sq)
	} else if !strings.HasPrefix(strings.ToLower(word), "pa") {
		s.say("status %s is no move", opponent.Quote(word))
		return
	}
	at := s.at
	switch sq, disc := m.Square(); {
	case disc && at.Legal().Has(sq):
		at = at.Place(sq)
	case !disc && at.MustPass():
		at = at.Pass()
	default:
		s.say("status %v is illegal for %v", m, at.Turn)
		return
	}
	if len(s.game.Plays) < maxPlays {
		s.game.Plays = append(s.game.Plays, notation.Play{Move: m})
		s.at = at
	}
}

// think answers go. It does not play the move.
func (s *server) think(ctx context.Context) {
	g := s.at
	if g.Legal() == 0 {
		// A pass is the only answer there is, at the end of the game too.
		s.say("=== PA")
		return
	}
	s.say("status %s is thinking", s.name())
	r, err := s.mind.Best(ctx, g, search.Clock{})
	if ctx.Err() != nil {
		s.say("status")
		return
	}
	if err != nil {
		s.say("status %s", oneLine(err))
		return
	}
	s.say("nodestats %d %.2f", r.Nodes, r.Time.Seconds())
	s.say("=== %s/%.2f/%.2f", strings.ToUpper(r.Move.String()), r.Score, r.Time.Seconds())
	s.say("status")
}

// hint rates the best n moves, deeper and deeper.
func (s *server) hint(ctx context.Context, n int) {
	g := s.at
	if g.Legal() == 0 {
		return
	}
	s.say("status %s is thinking", s.name())
	last := min(s.depth, maxHintDepth, g.Empty().Count())
	for depth := 1; depth <= last; depth++ {
		rated, err := s.mind.Rate(ctx, g.Position, g.Rules.Goal, depth)
		if ctx.Err() != nil || err != nil {
			break
		}
		text := strconv.Itoa(depth)
		if depth == g.Empty().Count() {
			text = "100%"
		}
		for _, r := range rated[:min(n, len(rated))] {
			s.say("search %s %.2f 0 %s", strings.ToUpper(r.Move.String()), r.Score, text)
		}
	}
	s.say("status")
}

// analyze says what every position of the game is worth for the side to move.
// Passes count as moves.
func (s *server) analyze(ctx context.Context) {
	g := engine.NewGame(s.game.Rules)
	for i := 0; ; i++ {
		value, ok := s.value(ctx, g)
		if !ok {
			return
		}
		s.say("analysis %d %.2f", i, value)
		if i == len(s.game.Plays) {
			return
		}
		if sq, disc := s.game.Plays[i].Move.Square(); disc {
			g = g.Place(sq)
		} else {
			g = g.Pass()
		}
	}
}

// value is what a position is worth for the side to move; ok is false when the
// search was interrupted.
func (s *server) value(ctx context.Context, g engine.Game) (float64, bool) {
	switch {
	case g.Over():
		black, white := g.Score()
		if g.Turn == engine.White {
			black, white = white, black
		}
		return float64(black - white), true
	case g.Legal() == 0:
		v, ok := s.value(ctx, g.Pass())
		return -v, ok
	}
	rated, err := s.mind.Rate(ctx, g.Position, g.Rules.Goal, min(s.depth, learnDepth))
	if err != nil || len(rated) == 0 {
		return 0, false
	}
	return rated[0].Score, true
}
