package soak

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"reversi-board/cmd/internal/virtual"
	"reversi-board/configs"
	"reversi-board/engine/archive"
	"reversi-board/engine/record"
)

const (
	// maxFailures is how many failed games are described.
	maxFailures = 50
	// maxRecords is how long a journal becomes before a new one is begun.
	maxRecords = 50_000
	// noise is the field noise at the sensors in mT, standard deviation.
	noise = 0.05
)

// Budget is the longest time that a player may have to wait for the lights after
// the disc has come to rest: until the board is quiet, and what sensors and scans
// add to that. With the built-in settings it is 300 ms.
func Budget(c *configs.Config) time.Duration {
	const fast = 100 * time.Millisecond
	// A slow scan may just have passed the square; the next one ends, and one
	// more begins when the board has been quiet for long enough.
	if c.Sensing.Period() <= fast/4 {
		return c.Sensing.Settle + fast
	}
	return c.Sensing.Settle + 3*c.Sensing.Period()
}

// Options say what is played.
type Options struct {
	// Config are the settings of the board, nil for the built-in ones. The board
	// is simulated whatever they say.
	Config *configs.Config
	// Games are the games to play. If there are none, Random games are made up.
	Games  []Game
	Random int
	// Variant is the name of the rules of made-up games; those of files are
	// classic. Start is where they begin, a name of Starts; empty is standard.
	Variant, Start string
	// Seed is where all chance comes from.
	Seed uint64
	// Indices, if not nil, are the only games that are played.
	Indices []int
	// Workers is how many games are played at once, 0 for one a processor.
	Workers int
	// Faults are the kinds of faults that parts of the board have while games are
	// played, of those that FaultsOf lists; none is a sound board.
	Faults []string
	// Clumsy, if not nil, has the games made up by people who make mistakes;
	// Games, Variant, Start and Faults are then not used.
	Clumsy *Clumsy
	// Record says whether games are recorded.
	Record Recording
	// Done, if not nil, is told about every game that has ended, one at a time.
	Done func(o *Outcome)

	// spoil changes what the hands do, settings the board, worsen the faults: the
	// ways in which tests make games fail.
	spoil    func(number int, a *act)
	settings func(c *configs.Config)
	worsen   func(f *fault)
}

// Starts lists the starts from which made-up games can begin.
func Starts() []string { return startNames() }

// Count returns how many games there are, played or not.
func (o *Options) Count() int {
	if len(o.Games) > 0 {
		return len(o.Games)
	}
	return o.Random
}

// Report is the sum of all games.
type Report struct {
	Games    int `json:"games"`
	Moves    int `json:"moves"`
	Flips    int `json:"flips"`
	Passes   int `json:"passes"`
	Spurious int `json:"spurious"`
	Missing  int `json:"missing"`
	// WrongRecords and Stuck count games.
	WrongRecords int `json:"wrong_records"`
	Stuck        int `json:"stuck"`
	// WorstLatency is the longest of Measured times from a disc at rest to its
	// lights, in ms.
	WorstLatency int64 `json:"worst_latency_ms"`
	Measured     int   `json:"latencies_measured"`
	// Budget is what WorstLatency may be, in ms.
	Budget int64 `json:"latency_budget_ms"`
	// VirtualSeconds is how long all games took at the table, together.
	VirtualSeconds float64 `json:"virtual_seconds"`
	GamesPerSecond float64 `json:"games_per_second"`
	// Faults counts those that were made, by kind; Unreported are those of them
	// that the board did not tell of. Complaints are moves that it called illegal
	// because of a cell that showed what did not lie there.
	Faults     map[string]int `json:"faults,omitempty"`
	Unreported int            `json:"unreported_faults"`
	Complaints int            `json:"complaints"`
	// Tally counts the mistakes of clumsy hands, by kind; Meetings the games by
	// what they were played by.
	Tally    *Tally         `json:"tally,omitempty"`
	Meetings map[string]int `json:"meetings,omitempty"`
	// Failures describe the first games that failed, by index.
	Failures []Failure `json:"failures"`
}

// Failure is a game that failed.
type Failure struct {
	Game       int    `json:"game"`
	Source     string `json:"source"`
	Seed       uint64 `json:"seed"`
	Latency    int64  `json:"latency_ms"`
	Difference string `json:"difference"`
	// Story is what clumsy hands did and the board said; only of a game that is
	// played alone.
	Story []string `json:"story,omitempty"`
}

// Failed reports whether anything was not as it must be.
func (r *Report) Failed() bool {
	return r.Spurious+r.Missing+r.WrongRecords+r.Stuck+r.Unreported > 0 || r.WorstLatency > r.Budget
}

// add adds a game.
func (r *Report) add(o *Outcome, seed uint64) {
	r.Games++
	r.Moves += o.Moves
	r.Flips += o.Flips
	r.Passes += o.Passes
	r.Spurious += o.Spurious
	r.Missing += o.Missing
	if o.WrongRecord {
		r.WrongRecords++
	}
	if o.Stuck {
		r.Stuck++
	}
	// Rounded up, so that 300 is never more than 300 ms.
	latency := int64((o.Latency + time.Millisecond - 1) / time.Millisecond)
	r.WorstLatency = max(r.WorstLatency, latency)
	r.Measured += o.Measured
	r.VirtualSeconds += o.Virtual.Seconds()
	r.Unreported += o.Unreported
	r.Complaints += o.Complaints
	for kind, n := range o.Faults {
		if r.Faults == nil {
			r.Faults = map[string]int{}
		}
		r.Faults[kind] += n
	}
	if o.Tally != nil {
		r.mistakes(o)
	}
	if !o.Failed() {
		return
	}
	if o.Latency > o.Budget {
		o.note("the lights came after %d ms", latency)
	}
	r.Failures = append(r.Failures, Failure{
		Game: o.Index, Source: o.Name, Seed: seed, Latency: latency, Difference: o.Difference,
		Story: o.Story,
	})
}

// mistakes adds the mistakes of a game.
func (r *Report) mistakes(o *Outcome) {
	if r.Tally == nil {
		r.Tally, r.Meetings = &Tally{}, map[string]int{}
	}
	r.Tally.merge(o.Tally)
	r.Meetings[o.Meeting]++
}

// Run plays the games. It ends soon after ctx has ended, and then returns the
// report so far together with the error. An error of the machine (no room for
// journals) ends it as well; a game that fails does not.
func Run(ctx context.Context, o Options) (Report, error) {
	if err := o.Record.check(); err != nil {
		return Report{}, err
	}
	if o.Variant == "" {
		o.Variant = "classic"
	}
	if o.Config == nil {
		o.Config = configs.Default()
	}
	indices := o.Indices
	if indices == nil {
		for i := range o.Count() {
			indices = append(indices, i)
		}
	}
	if o.Workers == 0 {
		o.Workers = runtime.NumCPU()
	}
	run := runner{Options: o, indices: indices, report: Report{Failures: []Failure{}, Budget: Budget(o.Config).Milliseconds()}}
	return run.all(ctx)
}

// runner hands games out to workers and adds up what comes of them.
type runner struct {
	Options
	indices []int
	next    atomic.Int64

	mu     sync.Mutex
	report Report
	errs   []error
}

func (r *runner) all(ctx context.Context) (Report, error) {
	began := time.Now()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var workers sync.WaitGroup
	for range min(r.Workers, len(r.indices)) {
		workers.Go(func() {
			if err := r.work(ctx); err != nil {
				stop()
				r.mu.Lock()
				r.errs = append(r.errs, err)
				r.mu.Unlock()
			}
		})
	}
	workers.Wait()
	rep := r.report
	slices.SortFunc(rep.Failures, func(a, b Failure) int { return cmp.Compare(a.Game, b.Game) })
	rep.Failures = rep.Failures[:min(len(rep.Failures), maxFailures)]
	rep.GamesPerSecond = float64(rep.Games) / time.Since(began).Seconds()
	return rep, firstCause(r.errs)
}

// firstCause prefers the error that made the others stop.
func firstCause(errs []error) error {
	for _, err := range errs {
		if !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(errs...)
}

// work plays games until there are no more.
func (r *runner) work(ctx context.Context) (err error) {
	var d diary
	defer func() { err = errors.Join(err, d.discard()) }()
	for {
		n := int(r.next.Add(1) - 1)
		if n >= len(r.indices) {
			return nil
		}
		if err := d.ready(); err != nil {
			return err
		}
		play := r.game
		if r.Clumsy != nil {
			play = r.clumsyGame
		}
		out, err := play(ctx, r.indices[n], d.journal)
		if err != nil {
			return err
		}
		r.mu.Lock()
		r.report.add(out, r.Seed)
		if r.Done != nil {
			r.Done(out)
		}
		r.mu.Unlock()
	}
}

// diary is a worker's journal. Games follow each other in it as on a real
// board, whose table is another every time.
type diary struct {
	dir     string
	journal *archive.Journal
}

// ready opens a journal, and begins a new one when the old one is long.
func (d *diary) ready() error {
	if d.journal != nil && d.journal.LastSeq() < maxRecords {
		return nil
	}
	if err := d.discard(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "reversi-board-soak-")
	if err != nil {
		return fmt.Errorf("make a folder for a journal: %w", err)
	}
	d.dir = dir
	d.journal, _, err = archive.Open(archive.Options{Dir: dir})
	return err
}

// discard closes the journal and deletes it.
func (d *diary) discard() error {
	if d.dir == "" {
		return nil
	}
	var err error
	if d.journal != nil {
		err = d.journal.Close()
	}
	err = errors.Join(err, os.RemoveAll(d.dir))
	*d = diary{}
	return err
}

// script returns the game with that index as it must be played.
func (r *runner) script(index int, rnd *rand.Rand) (name string, sc *script, err error) {
	if len(r.Games) == 0 {
		sc, err = invent(r.Variant, r.Start, rnd.IntN)
		return "random " + r.Variant, sc, err
	}
	g := &r.Games[index]
	sc, err = replay("classic", g.Discs)
	if err != nil {
		err = fmt.Errorf("%s: %w", g.Name, err)
	}
	return g.Name, sc, err
}

// board returns the settings of a board for one game.
func (r *runner) board() *configs.Config {
	c := *r.Config
	c.Hardware.Simulation = configs.Simulation{Enabled: true, Noise: noise, Bounce: true}
	return &c
}

// game plays one game and judges it.
func (r *runner) game(ctx context.Context, index int, journal *archive.Journal) (*Outcome, error) {
	rnd := rand.New(rand.NewPCG(r.Seed, uint64(index))) //nolint:gosec // games that can be repeated, not a secret
	name, sc, err := r.script(index, rnd)
	if err != nil {
		return nil, err
	}
	config := r.board()
	config.Game.Variant = sc.variant
	if sc.startName != "" {
		config.Game.Start = sc.startName
	}
	config.Hardware.Simulation.Seed = rnd.Uint64()
	if r.settings != nil {
		r.settings(config)
	}
	table, err := virtual.New(virtual.Options{Config: config, Journal: journal, JID: journal.JID()})
	if err != nil {
		return nil, err
	}
	defer table.Close() //nolint:errcheck // an emulated bus
	from := journal.LastSeq()
	table.Core.Continue(from)
	save := r.record(table, config, index)
	p := player{t: table, rnd: rnd, spoil: r.spoil, blind: config.Hardware.Kind == configs.Reed64}
	table.OnFact = p.hear
	if len(r.Faults) > 0 {
		p.storm = newStorm(r.worsen, table, config, r.Faults, rand.New(rand.NewPCG(^r.Seed, uint64(index)))) //nolint:gosec // likewise
	}

	out := &Outcome{Index: index, Name: name, Budget: Budget(r.Config)}
	e, err := p.play(ctx, sc)
	if err != nil {
		return nil, fmt.Errorf("game %d (%s, seed %d): %w", index, name, r.Seed, err)
	}
	out.Latency, out.Measured, out.Virtual = p.latency, p.measured, table.Now()
	out.weather(p.storm)
	out.Board = p.board
	out.judge(sc, e, p.seen)
	if p.lying != p.board {
		out.wrong("the record ends with %v, on the table lies %v", p.board, p.lying)
	}
	if len(r.Games) > 0 {
		out.confirm(&r.Games[index].facts, sc, p.seen)
	}
	err = out.reread(journal, from, p.seen)
	return out, errors.Join(err, save(out))
}

// reread compares the journal with what was announced.
func (o *Outcome) reread(journal *archive.Journal, from uint64, seen []fact) error {
	n := 0
	err := journal.Read(from+1, 0, func(seq uint64, payload []byte) error {
		if n >= len(seen) {
			o.wrong("the journal holds event %d, which was not announced", seq)
			return nil
		}
		f := seen[n]
		n++
		env, ev, err := record.DecodeEvent(payload)
		switch {
		case err != nil:
			o.wrong("the journal's event %d: %v", seq, err)
		case seq != f.seq || env.Seq != seq || env.JID != journal.JID():
			o.wrong("the journal holds event %d as number %d, announced was %d", env.Seq, seq, f.seq)
		case ev != f.event || !bytes.Equal(payload, f.payload):
			o.wrong("the journal's event %d is %+v, announced was %+v", seq, ev, f.event)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	if n < len(seen) {
		o.wrong("the journal holds %d events of %d announced", n, len(seen))
	}
	return nil
}
