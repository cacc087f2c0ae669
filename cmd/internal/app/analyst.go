package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/referee"
	"reversi-board/engine/search"
)

// The bounds of looking at one position. The depth makes the end of a game
// exact, and ends a search also where the clock stands still.
const (
	evaluationTime   = 150 * time.Millisecond
	evaluationDepth  = 16
	evaluationMemory = 8 << 20
)

// finding is what a position is worth.
type finding struct {
	of engine.Game
	// margin is the difference in discs, Black's minus White's, that the game
	// is expected to end with; known is false when it could not be found.
	margin int
	known  bool
}

// analyst tells what the positions of a game are worth, one at a time, on a
// goroutine of its own: the loop asks about a position, or takes the question
// back, and never waits. What it finds goes to the page only; neither the
// referee nor the opponent hears of it.
type analyst struct {
	// urgent keeps the usual priority: on a full machine a low one may wait for
	// very long.
	urgent bool
	log    *slog.Logger
	// now is nil where only the depth is to end a search.
	now   func() time.Duration
	depth int
	// answers lead to the loop.
	answers chan finding
	wake    chan struct{}

	// These belong to the loop: the game on record, what is known of its
	// positions, the question under way, and the game for which a visitor has
	// asked for evaluations while it is played.
	game   string
	found  map[engine.Game]finding
	asked  engine.Game
	asking bool
	wanted string

	mu   sync.Mutex
	next *engine.Game
	stop context.CancelCauseFunc // of the question under way

	// mind belongs to keep.
	mind *search.Searcher
}

func newAnalyst(log *slog.Logger, now func() time.Duration) *analyst {
	return &analyst{
		log: log, now: now, depth: evaluationDepth, found: make(map[engine.Game]finding),
		answers: make(chan finding, 1), wake: make(chan struct{}, 1),
	}
}

// ask puts a position in place of the one that is looked at.
func (n *analyst) ask(g engine.Game) {
	if !n.asking || n.asked != g {
		n.asked, n.asking = g, true
		n.put(&g)
	}
}

// withdraw takes the question back.
func (n *analyst) withdraw() {
	if n.asking {
		n.asking = false
		n.put(nil)
	}
}

func (n *analyst) put(g *engine.Game) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stop != nil {
		n.stop(errWithdrawn)
	}
	n.next = g
	nudge(n.wake)
}

// take returns the position that is asked about, nil for none, and the context
// in which it is to be looked at.
func (n *analyst) take(ctx context.Context) (*engine.Game, context.Context) {
	n.mu.Lock()
	defer n.mu.Unlock()
	g := n.next
	n.next = nil
	if g == nil {
		return nil, ctx
	}
	ctx, n.stop = context.WithCancelCause(ctx)
	return g, ctx
}

// finish lets go of the context of a question.
func (n *analyst) finish() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stop(nil)
	n.stop = nil
}

// keep looks at positions until ctx ends.
func (n *analyst) keep(ctx context.Context) {
	politely := sync.OnceFunc(func() {
		if !n.urgent {
			yieldToOthers(n.log)
		}
	})
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.wake:
		}
		g, looking := n.take(ctx)
		if g == nil {
			continue
		}
		politely()
		f := n.look(looking, *g)
		withdrawn := looking.Err() != nil
		n.finish()
		if withdrawn {
			continue
		}
		select {
		case n.answers <- f:
		case <-ctx.Done():
			return
		}
	}
}

// look finds what a position is worth.
func (n *analyst) look(ctx context.Context, g engine.Game) finding {
	f := finding{of: g, known: true}
	if g.Over() {
		black, white := g.Score()
		f.margin = black - white
		return f
	}
	if g.MustPass() {
		g = g.Pass()
	}
	if n.mind == nil {
		n.mind = search.New(search.Options{
			Time: evaluationTime, Depth: n.depth, Memory: evaluationMemory, Now: n.now,
		})
	}
	r, err := n.mind.Best(ctx, g, search.Clock{})
	if err != nil {
		if ctx.Err() == nil {
			n.log.Warn("a position could not be evaluated", "ply", g.Ply(), "error", err)
		}
		f.known = false
		return f
	}
	// The score is good for the mover when it is high, whatever wins.
	score := r.Score
	if g.Rules.Goal == engine.Fewest {
		score = -score
	}
	if g.Turn == engine.White {
		score = -score
	}
	f.margin = int(math.Round(score))
	return f
}

// evaluates reports whether evaluations may be shown: of a game that is over
// always, and while it is played only when suggestions are on and somebody has
// asked for them.
func (a *App) evaluates() bool { return a.core.State.Ended || a.evaluating() }

// evaluating reports whether the game that is played is evaluated, because a
// visitor has asked for it and may.
func (a *App) evaluating() bool {
	s := &a.core.State
	running := s.Phase == referee.Playing || s.Phase == referee.Paused
	return running && !s.Ended && s.Match.Profile.Hints == referee.HintsOn &&
		a.analyst.wanted != "" && a.analyst.wanted == a.core.game
}

// evaluateRefused returns why evaluations cannot be turned on now, empty when
// they can. They can always be turned off.
func (a *App) evaluateRefused(args json.RawMessage) string {
	s := &a.core.State
	on, err := switchOf(args)
	switch {
	case err == nil && !on:
	case s.Match.Profile.Hints == referee.HintsLocked:
		return "evaluations are locked for this event until the game is over"
	case s.Match.Profile.Hints != referee.HintsOn:
		return "evaluations are off until the game is over"
	case s.Phase != referee.Playing && s.Phase != referee.Paused:
		return "no game is running"
	}
	return ""
}

// setEvaluating turns evaluations of the game that is played on or off. Another
// game begins without them.
func (a *App) setEvaluating(args json.RawMessage) {
	a.analyst.wanted = ""
	if on, err := switchOf(args); err == nil && on {
		a.analyst.wanted = a.core.game
	}
}

// analyze asks about the newest position of which nothing is known: what is on
// the board comes first, and what is known of the end helps to judge what led
// to it. It rests while another search thinks for somebody who waits.
func (a *App) analyze() {
	n := a.analyst
	if n.game != a.core.game {
		n.game = a.core.game
		clear(n.found)
	}
	if !a.evaluates() || a.thinking() {
		n.withdraw()
		return
	}
	positions := a.positions()
	for _, g := range slices.Backward(positions) {
		if _, known := n.found[g]; !known {
			n.ask(g)
			return
		}
	}
	n.withdraw()
}

// thinking reports whether the opponent or the adviser is searching.
func (a *App) thinking() bool {
	_, onTurn := a.onTurn()
	return onTurn && !a.core.State.Wish.Active || a.adviser.asked != moment{}
}

// positions returns the game as it was after every disc, that with none first.
func (a *App) positions() []engine.Game {
	s := &a.core.State
	list := make([]engine.Game, 0, s.Game.Ply()+1)
	for _, e := range s.Record() {
		if e.Before.Ply() == len(list) {
			list = append(list, e.Before)
		}
	}
	if s.Game.Ply() == len(list) {
		list = append(list, s.Game)
	}
	return list
}

// analystSays keeps a finding. One that comes late is as true as ever.
func (a *App) analystSays(f finding) {
	a.analyst.found[f.of] = f
	if f.of == a.analyst.asked {
		a.analyst.asking = false
	}
}

// evaluations returns the expected difference in discs after every ply, for
// the page; nil when it may not be shown.
func (a *App) evaluations() []*int {
	if !a.evaluates() {
		return nil
	}
	positions := a.positions()
	list := make([]*int, len(positions))
	for i, g := range positions {
		if f := a.analyst.found[g]; f.known {
			list[i] = &f.margin
		}
	}
	return list
}
