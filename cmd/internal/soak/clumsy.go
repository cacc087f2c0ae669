package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/virtual"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/hardware/sim"
)

// Clumsy says how games with mistakes are played.
type Clumsy struct {
	// Profile is how they are officiated, Variant the rules: a name, or All.
	Profile, Variant string
}

// All is the name of every profile, or of all rules.
const All = "all"

// Profiles lists the events at which clumsy hands play.
func Profiles() []string { return lawNames() }

// Variants lists the rules by which clumsy hands play.
func Variants() []string { return engine.VariantNames() }

// meeting is what one game with mistakes is played by.
type meeting struct {
	profile, variant, start string
	timing                  timing
}

// String is the name of a meeting.
func (m meeting) String() string {
	return strings.Join([]string{m.profile, m.variant, m.start, m.timing.text}, ", ")
}

// meet draws what a game is played by.
func (c *Clumsy) meet(index int, rnd *rand.Rand) (meeting, error) {
	m := meeting{profile: c.Profile, variant: c.Variant, start: "standard"}
	if c.Profile == All {
		m.profile = lawNames()[index%len(lawNames())]
	}
	if c.Variant == All {
		m.variant = Variants()[index/len(lawNames())%len(Variants())]
	}
	if m.variant == engine.Custom {
		m.start = startNames()[rnd.IntN(len(startNames()))]
	}
	l, err := lawOf(m.profile)
	if err != nil {
		return m, err
	}
	ways := timings()
	m.timing = ways[rnd.IntN(len(ways))]
	if l.timing != "" && rnd.IntN(100) < 40 {
		for _, t := range ways {
			if t.text == l.timing {
				m.timing = t
			}
		}
	}
	return m, nil
}

// clumsyGame plays one game with mistakes and judges it.
func (r *runner) clumsyGame(ctx context.Context, index int, journal *archive.Journal) (*Outcome, error) {
	rnd := rand.New(rand.NewPCG(r.Seed, uint64(index))) //nolint:gosec // games that can be repeated, not a secret
	m, err := r.Clumsy.meet(index, rnd)
	if err != nil {
		return nil, err
	}
	config := r.board()
	config.Game.Variant, config.Game.Start, config.Game.Clock = m.variant, m.start, m.timing.text
	config.Game.Profile = m.profile
	if config.Game.Officials, err = configs.Event(m.profile); err != nil {
		return nil, err
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
	out := &Outcome{Index: index, Name: m.String(), Budget: Budget(r.Config), Tally: &Tally{}, Meeting: m.profile + " " + m.variant}
	u, err := newUmpire(m.variant, m.start, m.profile, m.timing, out.Tally)
	if err != nil {
		return nil, err
	}
	u.blind = config.Hardware.Kind == configs.Reed64
	f := fumbler{
		t: table, rnd: rnd, u: u, blind: u.blind,
		settle: Budget(r.Config), wait: app.Lag(config),
		tell: len(r.indices) == 1,
	}
	table.OnFact = f.hear
	err = f.play(ctx)
	out.Stuck = errors.Is(err, errStuck)
	if err != nil && !errors.Is(err, errWrong) && !out.Stuck {
		return nil, fmt.Errorf("game %d (%s, seed %d): %w\n%s", index, m, r.Seed, err, strings.Join(f.story, "\n"))
	}
	out.Virtual, out.Story = table.Now(), f.story
	for _, s := range f.seen {
		out.count(s.event)
	}
	if u.wrongs != "" {
		out.wrong("%s", u.wrongs)
	}
	err = out.reread(journal, from, f.seen)
	return out, errors.Join(err, save(out))
}

// play plays a game to its end, sweeps the board and sets up the next one.
func (f *fumbler) play(ctx context.Context) error {
	u, h := f.u, habitsAt(f.u.law.name)
	u.starts(0)
	u.wants[0].slack = patience
	if err := f.look(); err != nil {
		return err
	}
	resigns := -1
	if f.often(4) {
		resigns = f.rnd.IntN(50)
	}
	for round := 0; ; round++ {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("play: %w", err)
		}
		err := f.turnOf(h)
		if err == nil && u.number == resigns && !u.claimed && !u.restoring && round > resigns/2 {
			err = f.resign()
			resigns = -1
		}
		if round > everything {
			u.fault("stuck: there is no end to it")
			return errStuck
		}
		if errors.Is(err, errDone) {
			again, err := f.afterEnd()
			if err != nil || !again {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
	}
}

// afterEnd is what happens when a game is over: the last mistake is claimed, and the
// game goes on, or the board is tidied up.
func (f *fumbler) afterEnd() (again bool, err error) {
	u := f.u
	u.ended = false
	f.early = nil
	if err := f.run(max(f.t.Sim.RestAt(), f.t.Now()) + f.settle); err != nil {
		return false, err
	}
	if err := f.expected(f.t.Now()); err != nil {
		return false, err
	}
	if u.open != nil && f.often(60) {
		f.did(kindOverClaim)
		if err := f.press(u.open.by.other()); err != nil {
			return false, err
		}
		err := f.look()
		if err == nil {
			err = f.afterClaim()
		}
		if errors.Is(err, errDone) {
			return f.afterEnd()
		}
		return true, err
	}
	if u.open == nil && f.often(20) {
		// Too late, or nothing was wrong.
		f.did(kindNoClaim)
		if err := f.press(u.turn); err != nil {
			return false, err
		}
		if err := f.run(f.t.Now() + f.settle); err != nil {
			return false, err
		}
	}
	return false, f.tidyUp()
}

// tidyUp sweeps the board and lays out the next game by hand.
func (f *fumbler) tidyUp() error {
	u := f.u
	f.did(kindSweep)
	if f.often(10) {
		for _, p := range f.shuffled(f.lying()) {
			if err := f.lift(p); err != nil {
				return err
			}
			f.free -= 100 * time.Millisecond
		}
		if err := f.lookFor(0); err != nil {
			return err
		}
	} else if err := f.run(f.t.Sim.RestAt()); err != nil {
		return err
	}
	f.t.Sim.Set([engine.Squares]sim.Face{})
	u.table = bareBoard()
	if err := f.run(f.t.Now() + f.between(500*time.Millisecond, time.Second)); err != nil {
		return err
	}
	if u.historic {
		return nil // the empty board waits for its first disc
	}
	return f.setUp()
}

// setUp lays out the start, perhaps with discs that show the wrong side, or on
// wrong squares.
func (f *fumbler) setUp() error {
	u := f.u
	for _, p := range f.shuffled(occupied(&u.start)) {
		s := u.start.at(p)
		switch {
		case f.often(8) && !f.blind:
			f.did(kindSetUp)
			s = s.other()
		case f.often(5):
			f.did(kindSetUp)
			q, _ := f.pick(f.empties(func(q point) bool { return u.start.at(q) == bare }))
			if err := f.put(q, s); err != nil {
				return err
			}
			continue
		}
		if err := f.put(p, s); err != nil {
			return err
		}
		f.pause(0, 300*time.Millisecond)
	}
	if err := f.look(); err != nil {
		return err
	}
	if err := f.followLights(); err != nil {
		return err
	}
	calm := quiet
	if f.blind {
		calm += missingAfter // where no faces are seen a start must lie there for long
	}
	if err := f.lookFor(calm); err != nil {
		return err
	}
	if u.over {
		u.fault("stuck: the start lies there, and no game begins")
		return errStuck
	}
	return nil
}

// resign gives the game up.
func (f *fumbler) resign() error {
	f.did(kindResign)
	by := f.u.turn
	if f.often(20) {
		by = by.other()
	}
	if err := f.look(); err != nil {
		return err
	}
	return f.giveUp(by)
}
