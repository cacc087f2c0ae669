package sensing

import (
	"time"

	"reversi-board/engine"
)

const (
	// manySteps changes of the debounced value within manyWindow mask a cell
	// whatever its values were. It is also how many changes a cell remembers.
	manySteps  = 60
	manyWindow = 30 * time.Second
	// wakeFrames is how many frames chips may take besides Config.Wake until they
	// answer: on a slow computer the first ones, which write all registers, may be
	// seconds apart.
	wakeFrames = 5
	// manySwings changes of the debounced value to and fro between the same two
	// values, swingGap apart at most, mask a cell after Config.Restless, rests or
	// none: around 2.5 Hz a cell rests for just about the settle time, and not
	// every time.
	manySwings = 12
	swingGap   = 600 * time.Millisecond
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
	// now is when this frame came, before when the last one did.
	now, before time.Duration
	// firstAt is when the first frame came, if there were any, and woken how many.
	firstAt time.Duration
	woken   int

	// What the outputs were in the last frame, and the believed values. A
	// square is never in both of stableNorth and stableSouth.
	rawNorth, rawSouth       engine.Bitboard
	stableNorth, stableSouth engine.Bitboard
	// pending cells have changed and have not been debounced since; moving
	// cells have changed and have not rested for the settle time since.
	pending, moving engine.Bitboard
	// restless cells have gone on changing for too long.
	restless engine.Bitboard

	// absent cells were lost in the last frame. lost cells are those and the
	// ones that have been back for less than bankHold.
	absent, lost engine.Bitboard
	bankHold     time.Duration
	bankBack     time.Duration
	// emptied cells have lost their disc, debounced, since the last reading.
	emptied engine.Bitboard

	// reset cells have not settled since their chip was initialized again.
	reset      engine.Bitboard
	resetQuiet time.Duration
	// stuck, flapping, dead and jammed cells are masked, besides those of
	// Config.Dead. The sets are disjoint. doubted cells will be dead or jammed with
	// the next frame.
	stuck, flapping, dead, jammed engine.Bitboard
	doubted                       engine.Bitboard
	// unread cells are those of which the next frame knows nothing new, blind those
	// of which the last one knew nothing.
	unread, blind engine.Bitboard

	cells [engine.Squares]cell
	// changed is when a believed cell changed last, quiet since when all of them
	// have been seen to be quiet: what was not seen is left out.
	changed, quiet time.Duration
	// stirred says that one has changed since the board was last at rest, began when
	// the first one did.
	stirred bool
	began   time.Duration

	told bool
	last Reading
}

// cell is the history of one sensor.
type cell struct {
	// since is when the outputs changed last, freshAt when the bank returned.
	// hidden is for how long they have not been read since, gap for how long now.
	since, freshAt, hidden, gap time.Duration
	// unquiet is when the present run of changes without a quiet settle time
	// began.
	unquiet time.Duration
	// changes are the times at which the debounced value changed.
	changes ring
	// rest is the value at which the cell rested last, restBefore the one
	// before it, rests the times at which it came to rest at another value, and
	// toAndFro how many of these in a row went between the same two values.
	rest, restBefore value
	rests            ring
	toAndFro         int
	// swungFrom is the value before the debounced one, swings how many changes in
	// a row went between these two, from swungSince to swungAt.
	swungFrom           value
	swings              int
	swungSince, swungAt time.Duration
	// stuckTimes is how often both outputs were active.
	stuckTimes uint8
	unrest     unrest
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
	p.before, p.now = p.now, now
	if p.cfg.Presence {
		f.North, f.South = f.North|f.South, f.North&f.South
	}
	if !p.started {
		if p.waking(now, f) {
			return out
		}
		p.start(now, f)
		out.Failed.add(Dead, p.cfg.Dead)
	}
	before := p.believed()
	p.lose(now, f, &out)
	p.hide(f)
	p.track(now, f)
	p.distrust(&out)
	p.findBack(now, &out)
	p.unmask(now, &out)
	p.judge(now, &out)
	if p.believed() != before {
		p.recount()
	}
	if out.Back.n > 0 {
		// Whoever was told that cells failed waits for a reading that has them,
		// even if it equals the last one: they may have come back before the
		// board had settled without them.
		p.told = false
	}
	p.settle(now, &out)
	return out
}

// SettlesAt returns when the board will have been quiet for long enough, if
// nothing changes until then. A reading of what lies there now may come until then.
func (p *Pipeline) SettlesAt() time.Duration { return p.quiet + p.cfg.Settle }

// Unread says that these cells were not read for the next frame, where they show
// what they showed before. That they have not changed was not seen then, and does
// not count as rest; what had not rested for long enough before rests anew if half of
// the settle time goes by unread.
func (p *Pipeline) Unread(squares engine.Bitboard) { p.unread = squares }

// hide leaves the time out in which cells were not read.
func (p *Pipeline) hide(f Frame) {
	squares := p.unread &^ f.Lost
	p.unread = 0
	for s := range (p.blind &^ squares).All() {
		p.cells[s].gap = 0
	}
	p.blind = squares
	gap := p.now - p.before
	if squares == 0 || gap == 0 {
		return
	}
	for s := range squares.All() {
		c := &p.cells[s]
		c.hidden += gap
		c.freshAt += gap
		// Two states that last less than the settle time each look like one rest if
		// another one lies between them, unseen. It is as long as they are, so that
		// it takes half of the settle time at least.
		if c.gap += gap; c.gap >= p.cfg.Settle/2 && p.rested(c) < p.cfg.Settle {
			c.hidden = p.now - c.since
		}
	}
	if p.reset&squares != 0 {
		p.resetQuiet += gap
	}
	p.recount()
}

// rested returns for how long a cell has been seen not to change.
func (p *Pipeline) rested(c *cell) time.Duration { return p.now - c.since - c.hidden }

// believed returns the cells whose values count.
func (p *Pipeline) believed() engine.Bitboard { return ^(p.lost | p.reset | p.masked()) }

// masked returns the cells that are not to be believed.
func (p *Pipeline) masked() engine.Bitboard {
	return p.stuck | p.flapping | p.dead | p.jammed | p.cfg.Dead
}

// waking reports that the chips are still being initialized: nothing has failed
// before everything has had the time to begin.
func (p *Pipeline) waking(now time.Duration, f Frame) bool {
	if p.woken == 0 {
		p.firstAt = now
	}
	p.woken++
	return f.Lost != 0 && (now-p.firstAt < p.cfg.Wake || p.woken <= wakeFrames)
}

// Awake reports whether the chips have begun, or have had the time to: what is said
// of the cells before is not about them.
func (p *Pipeline) Awake() bool { return p.started }

// start takes the first frame as a change of every cell.
func (p *Pipeline) start(now time.Duration, f Frame) {
	p.started = true
	p.rawNorth, p.rawSouth = f.North, f.South
	p.pending, p.moving = ^engine.Bitboard(0), ^engine.Bitboard(0)
	p.changed, p.quiet = now, now
	for i := range p.cells {
		p.cells[i].since, p.cells[i].unquiet, p.cells[i].freshAt = now, now, now
		p.cells[i].unrest.excuse(now)
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
	if p.reset&(f.Lost|changed)&^p.masked() != 0 {
		p.resetQuiet = now
	}
	if changed == 0 {
		return
	}
	p.rawNorth = f.North&present | p.rawNorth&f.Lost
	p.rawSouth = f.South&present | p.rawSouth&f.Lost
	p.pending |= changed
	p.moving |= changed
	for s := range changed.All() {
		c := &p.cells[s]
		// It was quiet for the settle time if a scan has seen that.
		if p.before-c.since-c.hidden >= p.cfg.Settle {
			c.unquiet = now
		}
		c.since, c.hidden = now, 0
		c.unrest.flapped(now)
		if now-c.unquiet >= p.cfg.Restless {
			p.restless |= s.Bit()
		}
	}
	for s := range returned.All() {
		p.cells[s].freshAt = now
	}
	if changed&p.believed() != 0 {
		if !p.stirred {
			p.stirred, p.began = true, now
		}
		p.changed, p.quiet = now, now
	}
}

// findBack believes lost cells again that have been fresh for long enough, and
// the cells of a chip that was reset when all of them have settled.
func (p *Pipeline) findBack(now time.Duration, out *Output) {
	for s := range (p.lost &^ p.absent).All() {
		if now-p.cells[s].freshAt >= p.bankHold {
			p.lost &^= s.Bit()
			p.bankBack = now
			p.cells[s].unrest.excuse(now)
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
	for s := range (p.masked() &^ p.lost &^ p.reset).All() {
		c := &p.cells[s]
		steady := p.rested(c)
		switch {
		case p.raw(s) == both:
		case p.flapping.Has(s) && steady >= p.cfg.UnmaskAfter:
			p.flapping &^= s.Bit()
			out.Back.add(Flapping, s.Bit())
		case p.stuck.Has(s) && steady >= p.stuckHold(c):
			p.stuck &^= s.Bit()
			out.Back.add(p.twofold(), s.Bit())
		case p.dead.Has(s) && p.raw(s) != empty && steady >= p.cfg.Settle:
			p.dead &^= s.Bit()
			out.Back.add(Dead, s.Bit())
		case p.jammed.Has(s) && p.raw(s) == empty && steady >= p.cfg.Settle:
			p.jammed &^= s.Bit()
			out.Back.add(p.twofold(), s.Bit())
		}
		if !p.masked().Has(s) {
			c.unrest.excuse(now)
		}
	}
}

// stuckHold doubles with every time the cell has failed in that way.
func (p *Pipeline) stuckHold(c *cell) time.Duration {
	return min(stuckBack<<(min(c.stuckTimes, 7)-1), max(stuckBack, p.cfg.UnmaskAfter))
}

// judge masks the cells that misbehave and debounces the others.
func (p *Pipeline) judge(now time.Duration, out *Output) {
	// Those of a chip that was reset are watched as well: one that never rests
	// would keep the others of its chip from being believed again.
	if bad := p.restless &^ (p.lost | p.masked()); bad != 0 {
		p.mask(Flapping, bad, out)
	}
	p.restless = 0
	for s := range (p.pending & p.believed()).All() {
		if p.rested(&p.cells[s]) >= p.cfg.Debounce {
			p.pending &^= s.Bit()
			p.debounce(now, s, out)
		}
	}
	for s := range (p.moving & p.believed()).All() {
		c := &p.cells[s]
		if p.rested(c) < p.cfg.Settle {
			continue
		}
		p.moving &^= s.Bit()
		if c.comeToRest(now, p.stable(s), p.cfg) {
			p.mask(Flapping, s.Bit(), out)
		}
	}
}

// debounce takes over what a cell has shown for the debounce time.
func (p *Pipeline) debounce(now time.Duration, s engine.Square, out *Output) {
	c := &p.cells[s]
	v := p.raw(s)
	switch {
	case v == both:
		c.stuckTimes = min(c.stuckTimes+1, 7)
		p.mask(p.twofold(), s.Bit(), out)
	case v != p.stable(s):
		c.swing(now, p.stable(s), v)
		p.setStable(s, v)
		c.changes.add(now)
		c.unrest.changed(now)
		if c.changes.within(manySteps, manyWindow) || c.swings >= manySwings && now-c.swungSince >= p.cfg.Restless {
			p.mask(Flapping, s.Bit(), out)
		}
	default:
		c.unrest.strayed(now)
	}
}

// twofold is what both outputs of a cell mean.
func (p *Pipeline) twofold() Kind {
	if p.cfg.Presence {
		return Ghost
	}
	return Stuck
}

// mask stops believing cells.
func (p *Pipeline) mask(kind Kind, squares engine.Bitboard, out *Output) {
	switch kind {
	case Flapping:
		p.flapping |= squares
	case Dead:
		p.dead |= squares
	case Stuck, Ghost, BankLost, Reset:
		p.stuck |= squares
	}
	p.hush(kind, squares, out)
}

// hush does what masking has to do besides keeping the set.
func (p *Pipeline) hush(kind Kind, squares engine.Bitboard, out *Output) {
	p.pending |= squares
	p.moving |= squares
	out.Failed.add(kind, squares)
}

// Doubt says that what these cells show is wrong, which somebody knows who knows
// the rules or sees the board. They are masked with the next frame, unless they
// are already: those that show no disc as dead until they show one, those that
// show a disc as stuck until they show none.
func (p *Pipeline) Doubt(squares engine.Bitboard) { p.doubted |= squares }

// distrust masks the cells that have been doubted.
func (p *Pipeline) distrust(out *Output) {
	squares := p.doubted &^ p.masked()
	p.doubted = 0
	shows := p.rawNorth | p.rawSouth
	if dead := squares &^ shows; dead != 0 {
		p.mask(Dead, dead, out)
	}
	if jammed := squares & shows; jammed != 0 {
		p.jammed |= jammed
		p.hush(p.twofold(), jammed, out)
	}
}

// recount finds the last change anew after the set of believed cells has
// changed: a masked cell no longer holds up the others, a cell that is
// believed again brings its own last change.
func (p *Pipeline) recount() {
	believed := p.believed()
	if believed == 0 {
		return
	}
	p.changed, p.quiet = 0, 0
	for s := range believed.All() {
		c := &p.cells[s]
		p.changed, p.quiet = max(p.changed, c.since), max(p.quiet, c.since+c.hidden)
	}
}

// settle gives a reading when the board is at rest and has something new.
func (p *Pipeline) settle(now time.Duration, out *Output) {
	if now-p.quiet < p.cfg.Settle {
		return
	}
	r := Reading{
		Occupied:  p.stableNorth | p.stableSouth,
		Masked:    p.masked(),
		ChangedAt: p.changed, BeganAt: p.changed,
	}
	if p.stirred {
		r.BeganAt, p.stirred = min(p.began, p.changed), false
	}
	r.Lost = (p.lost | p.reset) &^ r.Masked
	switch {
	case p.cfg.Presence:
		r.Lifted = p.emptied & p.last.Occupied & r.Occupied & p.believed()
	case p.cfg.NorthIsBlack:
		r.Discs = engine.Discs{Black: p.stableNorth, White: p.stableSouth}
	default:
		r.Discs = engine.Discs{Black: p.stableSouth, White: p.stableNorth}
	}
	if p.told && r.Lifted == 0 && r.Discs == p.last.Discs && r.Occupied == p.last.Occupied &&
		r.Lost == p.last.Lost && r.Masked == p.last.Masked {
		return
	}
	p.told, p.last, p.emptied = true, r, 0
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
	case empty:
		p.emptied |= s.Bit()
	case both:
	}
}

// swing notes that the debounced value goes from one to another.
func (c *cell) swing(now time.Duration, from, to value) {
	if to != c.swungFrom || now-c.swungAt > swingGap {
		c.swings, c.swungSince = 0, now
	}
	c.swings++
	c.swungFrom, c.swungAt = from, now
}

// comeToRest notes that the cell has shown v for the settle time, and reports
// whether it flaps between two values (see the package comment).
func (c *cell) comeToRest(now time.Duration, v value, cfg Config) bool {
	if v == c.rest {
		return false
	}
	if v == c.restBefore {
		c.toAndFro++
	} else {
		c.toAndFro = 1
	}
	c.rest, c.restBefore = v, c.rest
	c.rests.add(now)
	return c.toAndFro >= cfg.FlapSteps && c.rests.within(cfg.FlapSteps, cfg.FlapWindow)
}

// ring holds the last times at which something happened.
type ring struct {
	at          [manySteps]time.Duration
	next, count int
}

func (r *ring) add(now time.Duration) {
	r.at[r.next] = now
	r.next = (r.next + 1) % manySteps
	r.count = min(r.count+1, manySteps)
}

// within reports whether the last n times lie within d.
func (r *ring) within(n int, d time.Duration) bool {
	if r.count < n {
		return false
	}
	last := r.at[(r.next+manySteps-1)%manySteps]
	return last-r.at[(r.next+manySteps-n)%manySteps] <= d
}
