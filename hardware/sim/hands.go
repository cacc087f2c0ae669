package sim

import (
	"fmt"
	"math"
	"time"
)

// TurnStyle says how a hand turns a disc over.
type TurnStyle uint8

const (
	// TurnInPlace tips the disc over on its square. A quick hand is done
	// between two looks of the sensor, which then goes from one pole to the
	// other; a slow one shows an empty square in between.
	TurnInPlace TurnStyle = iota
	// TurnThroughEmpty picks the disc up, turns it in the air and puts it back.
	TurnThroughEmpty
)

// Times of ordinary hands, and sizes in millimetres.
const (
	reach = 60.0 // lifted so high a disc is out of the board's sight

	placeFastest, placeSlowest = 120 * time.Millisecond, 220 * time.Millisecond
	liftFastest, liftSlowest   = 120 * time.Millisecond, 200 * time.Millisecond
	tipFastest, tipSlowest     = 150 * time.Millisecond, 350 * time.Millisecond
	turnFastest, turnSlowest   = 450 * time.Millisecond, 900 * time.Millisecond

	slideSpeed = 250.0 // mm/s
	discRadius = 16.0  // a disc on its edge has its centre so high

	// The first bounce of a disc that is let fall. From about 12 mm on a typical
	// sensor loses sight of it.
	hopLowest, hopHighest = 1.0, 15.0

	hopLeft = 0.25   // height kept from one bounce to the next
	hopEnd  = 0.3    // lower ones are no bounces
	gravity = 9810.0 // mm/s²
	maxHops = 4
)

// SlideOptions say how a hand pushes a disc across the board.
type SlideOptions struct {
	// Speed is in mm/s; 0 means 250.
	Speed float64
	// Via are cells whose centres the disc passes on its way, in order.
	Via []int
}

// kind tells the motions apart.
type kind uint8

const (
	placing kind = iota
	lifting
	tipping
	turning
	sliding
)

// point is a place on the board in mm from the centre of a1.
type point struct {
	x, y float64
}

// hop is one bounce.
type hop struct {
	height float64 // mm
	takes  time.Duration
}

// motion is a disc in somebody's hand, from start to rest.
type motion struct {
	kind       kind
	active     bool // the disc has left its square
	face, ends Face // as it starts and as it comes to rest
	from, to   int  // -1: none
	strength   float64
	// start: the hand moves. land: the disc has arrived (or, lifted, has gone).
	// rest: it has stopped bouncing.
	start, land, rest time.Duration
	hops              [maxHops]hop
	home              point   // where it is picked up, turned or put down
	path              []point // of a slide
	aim               point   // where it comes to lie, from the centre of its square
}

// pose is where a disc in motion is.
type pose struct {
	at   point
	lift float64 // mm above the board
	// up is the share of the field that points as at the start: the cosine of
	// the angle turned so far, negative beyond a quarter turn.
	up float64
}

// pose returns where the disc is at time t, which lies between start and rest.
func (m *motion) pose(t time.Duration) pose {
	s := 1.0
	if t < m.land {
		s = float64(t-m.start) / float64(m.land-m.start)
	}
	p := pose{at: m.home, up: 1}
	switch m.kind {
	case placing:
		p.lift = reach * (1 - s) * (1 - s)
	case lifting:
		p.lift = reach * s * s
	case tipping:
		sin, cos := math.Sincos(math.Pi * s)
		p.lift, p.up = discRadius*sin, cos
	case turning:
		p.lift, p.up = inTheAir(s)
	case sliding:
		p.at = along(m.path, s)
	}
	if t >= m.land && m.kind != lifting {
		p.lift = m.bounce(t - m.land)
	}
	return p
}

// inTheAir is the way of a disc that is picked up, turned over and put back: a
// good third up, a third in the air, a good third down.
func inTheAir(s float64) (lift, up float64) {
	const leg = 0.35
	switch {
	case s < leg:
		return reach * (s / leg) * (s / leg), 1
	case s > 1-leg:
		return reach * ((1 - s) / leg) * ((1 - s) / leg), -1
	default:
		return reach, math.Cos(math.Pi * (s - leg) / (1 - 2*leg))
	}
}

// along returns the point that is the share s of a path's length from its
// start.
func along(path []point, s float64) point {
	left := s * length(path)
	for i := 1; i < len(path); i++ {
		a, b := path[i-1], path[i]
		d := math.Hypot(b.x-a.x, b.y-a.y)
		if left <= d && d > 0 {
			return point{x: a.x + (b.x-a.x)*left/d, y: a.y + (b.y-a.y)*left/d}
		}
		left -= d
	}
	return path[len(path)-1]
}

// length returns the length of a path in mm.
func length(path []point) float64 {
	var sum float64
	for i := 1; i < len(path); i++ {
		sum += math.Hypot(path[i].x-path[i-1].x, path[i].y-path[i-1].y)
	}
	return sum
}

// bounce returns the height of a disc that landed t ago.
func (m *motion) bounce(t time.Duration) float64 {
	for _, h := range m.hops {
		if h.takes == 0 {
			break
		}
		if t < h.takes {
			s := float64(t) / float64(h.takes)
			return 4 * h.height * s * (1 - s)
		}
		t -= h.takes
	}
	return 0
}

// letFall draws the bounces of a disc that comes down first mm high at most,
// and sets when it rests.
func (b *Board) letFall(m *motion, highest float64) {
	m.rest = m.land
	if !b.bounce {
		return
	}
	h := hopLowest + b.hands.float()*(highest-hopLowest)
	for i := range m.hops {
		if h < hopEnd {
			return
		}
		takes := time.Duration(2 * math.Sqrt(2*h/gravity) * float64(time.Second))
		m.hops[i] = hop{height: h, takes: takes}
		m.rest += takes
		h *= hopLeft
	}
}

// aim draws where on a square a hand puts a disc, in mm from the centre.
func (b *Board) aim() point {
	sin, cos := math.Sincos(2 * math.Pi * b.hands.float())
	r := b.misplace * math.Sqrt(b.hands.float())
	return point{x: r * cos, y: r * sin}
}

// Place brings a disc and puts it down on a cell, its face as given. It returns
// when the disc will be at rest. Like every hand it starts at now, or at the
// time of the last Advance if that is later; several hands may be at work.
func (b *Board) Place(now time.Duration, cell int, face Face) (time.Duration, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fail := func(err error) (time.Duration, error) {
		return 0, fmt.Errorf("place a disc on %s: %w", name(cell), err)
	}
	now = b.clamp(now)
	if face != NorthUp && face != SouthUp {
		return fail(fmt.Errorf("%s is no face to put up; use NorthUp or SouthUp", face))
	}
	if err := b.wantEmpty(now, cell); err != nil {
		return fail(err)
	}
	m := motion{kind: placing, face: face, ends: face, from: -1, to: cell, start: now, aim: b.aim()}
	m.home = b.centre(cell).plus(m.aim)
	m.land = now + b.hands.between(placeFastest, placeSlowest)
	b.letFall(&m, hopHighest)
	return b.begin(&m), nil
}

// Lift takes the disc on a cell off the board. It returns when the disc is out
// of the board's sight.
func (b *Board) Lift(now time.Duration, cell int) (time.Duration, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now = b.clamp(now)
	if err := b.wantDisc(now, cell); err != nil {
		return 0, fmt.Errorf("lift the disc from %s: %w", name(cell), err)
	}
	p := &b.plan[cell]
	m := motion{kind: lifting, face: p.face, from: cell, to: -1, start: now, home: b.centre(cell).plus(p.aim)}
	m.land = now + b.hands.between(liftFastest, liftSlowest)
	m.rest = m.land
	return b.begin(&m), nil
}

// Turn turns the disc on a cell over and returns when it will be at rest. The
// hand's movement takes the given time, or, with 0, what hands usually take;
// bouncing comes on top.
func (b *Board) Turn(now time.Duration, cell int, style TurnStyle, takes time.Duration) (time.Duration, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now = b.clamp(now)
	if err := b.wantDisc(now, cell); err != nil {
		return 0, fmt.Errorf("turn the disc on %s: %w", name(cell), err)
	}
	p := &b.plan[cell]
	m := motion{kind: tipping, face: p.face, ends: p.face.turned(), from: cell, to: cell, start: now, aim: p.aim}
	fastest, slowest, fall := tipFastest, tipSlowest, hopLowest
	if style == TurnThroughEmpty {
		m.kind, m.aim = turning, b.aim()
		fastest, slowest, fall = turnFastest, turnSlowest, hopHighest
	}
	m.home = b.centre(cell).plus(m.aim)
	if takes <= 0 {
		takes = b.hands.between(fastest, slowest)
	}
	m.land = now + takes
	b.letFall(&m, fall)
	return b.begin(&m), nil
}

// Slide pushes the disc on one cell over the board to another, in a straight
// line or by way of the cells in o.Via, and returns when it will be at rest.
// Discs on the way stay where they are.
func (b *Board) Slide(now time.Duration, from, to int, o SlideOptions) (time.Duration, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now = b.clamp(now)
	fail := func(err error) (time.Duration, error) {
		return 0, fmt.Errorf("slide the disc from %s to %s: %w", name(from), name(to), err)
	}
	if err := b.wantDisc(now, from); err != nil {
		return fail(err)
	}
	if from != to {
		if err := b.wantEmpty(now, to); err != nil {
			return fail(err)
		}
	}
	p := &b.plan[from]
	m := motion{kind: sliding, face: p.face, ends: p.face, from: from, to: to, start: now, aim: b.aim()}
	m.path = make([]point, 0, len(o.Via)+2)
	m.path = append(m.path, b.centre(from).plus(p.aim))
	for _, c := range o.Via {
		if c < 0 || c >= cells {
			return fail(fmt.Errorf("%s on its way is not on the board", name(c)))
		}
		m.path = append(m.path, b.centre(c))
	}
	m.path = append(m.path, b.centre(to).plus(m.aim))
	speed := o.Speed
	if speed <= 0 {
		speed = slideSpeed
	}
	takes := time.Duration(length(m.path) / speed * float64(time.Second))
	m.land = now + max(takes, time.Millisecond)
	m.rest = m.land
	return b.begin(&m), nil
}

// begin schedules a motion and returns when it is over.
func (b *Board) begin(m *motion) time.Duration {
	if m.from >= 0 {
		b.plan[m.from] = planned{free: m.rest}
	}
	if m.to >= 0 {
		b.plan[m.to] = planned{face: m.ends, aim: m.aim, free: m.rest}
	}
	b.motions = append(b.motions, *m)
	return m.rest
}

// clamp returns the time at which a hand can start: not in the past.
func (b *Board) clamp(now time.Duration) time.Duration {
	if b.started {
		return max(now, b.now)
	}
	return now
}

// wantDisc returns an error unless a disc lies still on the cell at time now.
func (b *Board) wantDisc(now time.Duration, cell int) error {
	if err := b.wantStill(now, cell); err != nil {
		return err
	}
	if b.plan[cell].face == NoDisc {
		return errNoDisc
	}
	return nil
}

// wantEmpty returns an error unless the cell is empty at time now.
func (b *Board) wantEmpty(now time.Duration, cell int) error {
	if err := b.wantStill(now, cell); err != nil {
		return err
	}
	if b.plan[cell].face != NoDisc {
		return errOccupied
	}
	return nil
}

// wantStill returns an error unless the cell exists and no hand is at work on
// it at time now.
func (b *Board) wantStill(now time.Duration, cell int) error {
	if cell < 0 || cell >= cells {
		return errNoCell
	}
	if free := b.plan[cell].free; now < free {
		return fmt.Errorf("%w until %s", errMoving, free)
	}
	return nil
}
