package sensing

import (
	"time"

	"reversi-board/engine"
)

const (
	// manySteps within manyWindow mask a cell whatever its values were. It is
	// also how many steps a cell remembers.
	manySteps  = 24
	manyWindow = 15 * time.Second
	// stuckBack is how long a cell must have been sane after its first
	// both-outputs fault.
	stuckBack = time.Second
	// A bank that is lost again within bankMemory of its return waits twice as
	// long the next time, up to maxBankHold.
	bankMemory  = 10 * time.Second
	maxBankHold = 5 * time.Second
)

// Pipeline holds what must be remembered from frame to frame. It is for one
// goroutine.
type Pipeline struct {
	cfg     Config
	started bool
	now     time.Duration

	// What the outputs were in the last frame, and the believed values. A
	// square is never in both of stableNorth and stableSouth.
	rawNorth, rawSouth       engine.Bitboard
	stableNorth, stableSouth engine.Bitboard
	// pending cells have changed and have not been judged since.
	pending engine.Bitboard
	// restless cells have gone on changing for too long.
	restless engine.Bitboard

	// absent cells were lost in the last frame. lost cells are those and the
	// ones that have been back for less than bankHold.
	absent, lost engine.Bitboard
	bankHold     time.Duration
	bankBack     time.Duration
	// reset cells have not settled since their chip was initialized again.
	reset      engine.Bitboard
	resetQuiet time.Duration
	// stuck and flapping cells are masked. The sets are disjoint.
	stuck, flapping engine.Bitboard

	cells [engine.Squares]cell
	// changed is when a believed cell changed last.
	changed time.Duration

	told bool
	last Reading
}

// cell is the history of one sensor.
type cell struct {
	// since is when the outputs changed last, freshAt when the bank returned.
	since, freshAt time.Duration
	// unquiet is when the present run of changes without a quiet settle time
	// began.
	unquiet time.Duration
	// steps are the times of the last changes of the debounced value, a ring
	// of which next is the following place and count how many are filled.
	steps       [manySteps]time.Duration
	next, count uint8
	// toAndFro is how many steps in a row went between the same two values;
	// before is the value before the present one.
	toAndFro uint8
	before   value
	// stuckTimes is how often both outputs were active.
	stuckTimes uint8
}

// value is what one cell shows.
type value uint8

const (
	empty value = iota
	north
	south
	both
)

// New returns a pipeline that has seen nothing yet.
func New(c Config) *Pipeline {
	c = c.withDefaults()
	return &Pipeline{cfg: c, bankHold: c.Debounce}
}

// Step takes the next frame, read at monotonic time now, and says what it has
// brought about. A time before that of the last frame counts as equal to it.
func (p *Pipeline) Step(now time.Duration, f Frame) Output {
	var out Output
	now = max(now, p.now)
	p.now = now
	if !p.started {
		p.start(now, f)
	}
	before := p.believed()
	p.lose(now, f, &out)
	p.track(now, f)
	p.findBack(now, &out)
	p.unmask(now, &out)
	p.judge(now, &out)
	if p.believed() != before {
		p.recount()
	}
	p.settle(now, &out)
	return out
}

// believed returns the cells whose values count.
func (p *Pipeline) believed() engine.Bitboard { return ^(p.lost | p.reset | p.stuck | p.flapping) }

// start takes the first frame as a change of every cell.
func (p *Pipeline) start(now time.Duration, f Frame) {
	p.started = true
	p.rawNorth, p.rawSouth = f.North, f.South
	p.pending = ^engine.Bitboard(0)
	p.changed = now
	for i := range p.cells {
		p.cells[i].since, p.cells[i].unquiet, p.cells[i].freshAt = now, now, now
	}
}

// lose notes banks that do not answer and chips that were reset.
func (p *Pipeline) lose(now time.Duration, f Frame, out *Output) {
	if gone := f.Lost &^ p.lost; gone != 0 {
		out.Failed.add(BankLost, gone)
		p.lost |= gone
		if p.bankBack > 0 && now-p.bankBack < bankMemory {
			p.bankHold = min(2*p.bankHold, max(maxBankHold, p.cfg.Debounce))
		} else {
			p.bankHold = p.cfg.Debounce
		}
		for s := range gone.All() {
			p.cells[s].forget()
		}
	}
	if f.Reset == 0 {
		return
	}
	// A chip that returns after a power cut is both lost and reset: the fault
	// that is already open covers it, it only has to wait anew.
	for s := range (f.Reset & p.lost).All() {
		p.cells[s].freshAt = now
	}
	wiped := f.Reset &^ p.lost
	out.Failed.add(Reset, wiped&^p.reset)
	if wiped != 0 {
		p.reset |= wiped
		p.resetQuiet = now
	}
}

// track notes which outputs have changed.
func (p *Pipeline) track(now time.Duration, f Frame) {
	present := ^f.Lost
	returned := p.absent & present
	p.absent = f.Lost
	changed := ((f.North^p.rawNorth)|(f.South^p.rawSouth))&present | returned
	if p.reset&(f.Lost|changed)&^p.stuck&^p.flapping != 0 {
		p.resetQuiet = now
	}
	if changed == 0 {
		return
	}
	p.rawNorth = f.North&present | p.rawNorth&f.Lost
	p.rawSouth = f.South&present | p.rawSouth&f.Lost
	p.pending |= changed
	for s := range changed.All() {
		c := &p.cells[s]
		if now-c.since >= p.cfg.Settle || returned.Has(s) {
			c.unquiet = now
		}
		c.since = now
		if now-c.unquiet >= p.cfg.Restless {
			p.restless |= s.Bit()
		}
	}
	for s := range returned.All() {
		p.cells[s].freshAt = now
	}
	if changed&p.believed() != 0 {
		p.changed = now
	}
}

// findBack believes lost cells again that have been fresh for long enough, and
// the cells of a chip that was reset when all of them have settled.
func (p *Pipeline) findBack(now time.Duration, out *Output) {
	for s := range (p.lost &^ p.absent).All() {
		if now-p.cells[s].freshAt >= p.bankHold {
			p.lost &^= s.Bit()
			p.bankBack = now
			out.Back.add(BankLost, s.Bit())
		}
	}
	if p.reset != 0 && now-p.resetQuiet >= p.cfg.Settle {
		out.Back.add(Reset, p.reset)
		p.reset = 0
	}
}

// unmask believes masked cells again that have been steady for long enough.
func (p *Pipeline) unmask(now time.Duration, out *Output) {
	for s := range ((p.stuck | p.flapping) &^ p.lost &^ p.reset).All() {
		c := &p.cells[s]
		steady := now - c.since
		switch {
		case p.raw(s) == both:
		case p.flapping.Has(s) && steady >= p.cfg.UnmaskAfter:
			p.flapping &^= s.Bit()
			out.Back.add(Flapping, s.Bit())
			c.forget()
		case p.stuck.Has(s) && steady >= p.stuckHold(c):
			p.stuck &^= s.Bit()
			out.Back.add(Stuck, s.Bit())
			c.forget()
		}
	}
}

// stuckHold doubles with every time the cell has failed in that way.
func (p *Pipeline) stuckHold(c *cell) time.Duration {
	return min(stuckBack<<(min(c.stuckTimes, 7)-1), max(stuckBack, p.cfg.UnmaskAfter))
}

// judge debounces the cells that have changed, and masks those that misbehave.
func (p *Pipeline) judge(now time.Duration, out *Output) {
	believed := p.believed()
	if bad := p.restless & believed; bad != 0 {
		p.mask(Flapping, bad, out)
	}
	p.restless = 0
	for s := range (p.pending & believed &^ p.flapping).All() {
		c := &p.cells[s]
		if now-c.since < p.cfg.Debounce {
			continue
		}
		p.pending &^= s.Bit()
		v, old := p.raw(s), p.stable(s)
		switch {
		case v == both:
			c.stuckTimes = min(c.stuckTimes+1, 7)
			p.mask(Stuck, s.Bit(), out)
		case v != old:
			p.setStable(s, v)
			if c.step(now, old, v, p.cfg) {
				p.mask(Flapping, s.Bit(), out)
			}
		}
	}
}

// mask stops believing cells.
func (p *Pipeline) mask(kind Kind, squares engine.Bitboard, out *Output) {
	if kind == Stuck {
		p.stuck |= squares
	} else {
		p.flapping |= squares
	}
	p.pending |= squares
	out.Failed.add(kind, squares)
}

// recount finds the last change anew after the set of believed cells has
// changed: a masked cell no longer holds up the others, a cell that is
// believed again brings its own last change.
func (p *Pipeline) recount() {
	believed := p.believed()
	if believed == 0 {
		return
	}
	p.changed = 0
	for s := range believed.All() {
		p.changed = max(p.changed, p.cells[s].since)
	}
}

// settle gives a reading when the board is at rest and has something new.
func (p *Pipeline) settle(now time.Duration, out *Output) {
	if now-p.changed < p.cfg.Settle {
		return
	}
	r := Reading{
		Discs:     engine.Discs{Black: p.stableNorth, White: p.stableSouth},
		Masked:    p.stuck | p.flapping,
		ChangedAt: p.changed,
	}
	r.Lost = (p.lost | p.reset) &^ r.Masked
	if !p.cfg.NorthIsBlack {
		r.Discs.Black, r.Discs.White = r.Discs.White, r.Discs.Black
	}
	if p.told && r.Discs == p.last.Discs && r.Lost == p.last.Lost && r.Masked == p.last.Masked {
		return
	}
	p.told, p.last = true, r
	out.Settled, out.Reading = true, r
}

// raw returns what the cell showed in the last frame.
func (p *Pipeline) raw(s engine.Square) value {
	return value(p.rawNorth>>s&1) | value(p.rawSouth>>s&1)<<1
}

// stable returns the debounced value of the cell.
func (p *Pipeline) stable(s engine.Square) value {
	return value(p.stableNorth>>s&1) | value(p.stableSouth>>s&1)<<1
}

func (p *Pipeline) setStable(s engine.Square, v value) {
	p.stableNorth &^= s.Bit()
	p.stableSouth &^= s.Bit()
	switch v {
	case north:
		p.stableNorth |= s.Bit()
	case south:
		p.stableSouth |= s.Bit()
	case empty, both:
	}
}

// step notes a change of the debounced value from old to v, and reports
// whether the cell flaps (see the package comment).
func (c *cell) step(now time.Duration, old, v value, cfg Config) bool {
	if c.count > 0 && v == c.before {
		c.toAndFro = min(c.toAndFro+1, manySteps)
	} else {
		c.toAndFro = 1
	}
	c.before = old
	c.steps[c.next] = now
	c.next = (c.next + 1) % manySteps
	c.count = min(c.count+1, manySteps)
	slow := int(c.toAndFro) >= cfg.FlapSteps && now-c.ago(cfg.FlapSteps) <= cfg.FlapWindow
	return slow || c.count == manySteps && now-c.ago(manySteps) <= manyWindow
}

// ago returns the time of the n-th last step; the last one is the first.
func (c *cell) ago(n int) time.Duration {
	return c.steps[(int(c.next)+manySteps-n)%manySteps]
}

// forget clears the memory of steps, not that of earlier faults.
func (c *cell) forget() { c.next, c.count, c.toAndFro = 0, 0, 0 }
