package app

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/engine/opponent"
	"reversi-board/engine/opponent/gtp"
	"reversi-board/engine/opponent/nboard"
	"reversi-board/engine/referee"
	"reversi-board/engine/search"
)

// moment is a turn of a game: two questions about the same one are one.
type moment struct {
	game     string
	entries  int
	position engine.Position
	who      referee.Opponent
}

// question is a moment with the game that led to it.
type question struct {
	moment
	opponent.Question
}

// verdict is the answer to the question about a moment.
type verdict struct {
	moment
	square engine.Square
	// rated are all moves with what they are worth, if the desk rates.
	rated []search.Rated
	err   error
}

// desk asks a player that is a program, on a goroutine of its own: the loop puts
// the newest question on it, or takes it away, and never waits.
type desk struct {
	config configs.Opponent
	log    *slog.Logger
	now    func() time.Duration
	// answers lead to the loop.
	answers chan verdict
	// asked is what the loop has asked last, zero for nothing.
	asked moment
	wake  chan struct{}

	mu   sync.Mutex
	next *question
	stop context.CancelCauseFunc // of the question under way

	// rates says that moves are rated besides.
	rates bool

	// The rest belongs to keep.
	rater  *search.Searcher
	player opponent.Player
	hired  referee.Opponent
	game   string
}

// errWithdrawn is why a question needs no answer any more.
var errWithdrawn = errors.New("the question was withdrawn")

func newDesk(c configs.Opponent, log *slog.Logger, now func() time.Duration) *desk {
	return &desk{config: c, log: log, now: now, answers: make(chan verdict, 1), wake: make(chan struct{}, 1)}
}

// ask puts a question on the desk in place of the one that lies there.
func (d *desk) ask(q question) {
	if q.moment == d.asked {
		return
	}
	d.put(&q)
	d.asked = q.moment
}

// withdraw takes the question away.
func (d *desk) withdraw() {
	if d.asked != (moment{}) {
		d.put(nil)
		d.asked = moment{}
	}
}

func (d *desk) put(q *question) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stop != nil {
		d.stop(errWithdrawn)
	}
	d.next = q
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// take returns the question on the desk, nil for none, and the context in which
// it is to be answered.
func (d *desk) take(ctx context.Context) (*question, context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	q := d.next
	d.next = nil
	if q == nil {
		return nil, ctx
	}
	ctx, d.stop = context.WithCancelCause(ctx)
	return q, ctx
}

// finish lets go of the context of a question.
func (d *desk) finish() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stop(nil)
	d.stop = nil
}

// keep answers questions until ctx ends, and ends the player.
func (d *desk) keep(ctx context.Context) {
	defer d.dismiss()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.wake:
		}
		q, asking := d.take(ctx)
		if q == nil {
			continue
		}
		v := d.answer(asking, q)
		withdrawn := asking.Err() != nil
		d.finish()
		if withdrawn {
			continue
		}
		select {
		case d.answers <- v:
		case <-ctx.Done():
			return
		}
	}
}

// answer asks the player of the question.
func (d *desk) answer(ctx context.Context, q *question) verdict {
	v := verdict{moment: q.moment}
	if v.err = d.hire(ctx, q); v.err != nil {
		return v
	}
	a, err := d.player.Move(ctx, q.Question)
	v.square, v.err = a.Square, err
	if err == nil && d.rates {
		v.rated = d.rate(ctx, q)
	}
	return v
}

// ratingDepth is how many moves ahead ratings look, ratingMemory what they may
// take, in bytes.
const (
	ratingDepth  = 6
	ratingMemory = 4 << 20
)

// rate says what the moves of a question are worth, nothing when that is not
// known.
func (d *desk) rate(ctx context.Context, q *question) []search.Rated {
	if d.rater == nil {
		d.rater = search.New(search.Options{Depth: ratingDepth, Memory: ratingMemory, Now: d.now})
	}
	rated, err := d.rater.Rate(ctx, q.position, q.Rules.Goal, ratingDepth)
	if err != nil {
		return nil // It was withdrawn.
	}
	return rated
}

// hire makes sure that the player is the one who is asked for, and knows when
// another game has begun.
func (d *desk) hire(ctx context.Context, q *question) error {
	who := q.who
	who.Side = engine.Black // the color makes no difference
	if d.player == nil || d.hired != who {
		d.dismiss()
		player, err := d.find(who)
		if err != nil {
			return err
		}
		d.player, d.hired = player, who
	} else if d.game == q.game {
		return nil
	}
	d.game = q.game
	return d.player.NewGame(ctx) //nolint:wrapcheck // the sentence for the user
}

// programTime is how much longer than the built-in player another program may
// take.
const programTime = 10 * time.Second

// find returns a player of that kind.
func (d *desk) find(who referee.Opponent) (opponent.Player, error) {
	if who.Kind == referee.Builtin {
		return opponent.NewBuiltin(opponent.BuiltinOptions{ //nolint:wrapcheck // the sentence for the user
			Level: who.Level, Time: d.config.Time, Now: d.now,
			Seed: rand.Uint64(), //nolint:gosec // which mistakes a weak level makes
		})
	}
	if who.Kind != d.config.Kind {
		return nil, &opponent.LostError{Engine: string(who.Kind), Reason: "the settings name another opponent"}
	}
	dial := gtp.Dial
	if who.Kind == referee.NBoard {
		dial = nboard.Dial(who.Level)
	}
	return opponent.New(opponent.Options{
		Command: d.config.Command, Dir: d.config.Dir, Logger: d.log,
		Limits: opponent.Limits{Move: d.config.Time + programTime},
	}, dial), nil
}

// dismiss ends the player.
func (d *desk) dismiss() {
	if d.player == nil {
		return
	}
	if err := d.player.Close(); err != nil {
		d.log.Warn("end the opponent", "error", err)
	}
	d.player = nil
}

// opponentName is what an opponent is called before it says so itself.
func opponentName(o referee.Opponent, c configs.Opponent) string {
	if o.Kind == referee.Builtin || len(c.Command) == 0 {
		return opponent.BuiltinName(o.Level)
	}
	return filepath.Base(c.Command[0])
}
