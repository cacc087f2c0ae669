package sensing

import (
	"fmt"
	"time"

	"reversi-board/engine"
)

// All shares are percent of the full scale of the face that the reading leans
// to, see Levels.
const (
	// onPercent is where a face appears, offPercent where it goes. The worst that
	// the neighbours of an empty square do is 9 % (magnets of 8 x 2 mm at 10 mm,
	// squares of 30 mm), and a disc that lies 4 mm beside the sensor still makes
	// 53 % of what it makes above it (8 x 2 mm at 5 mm).
	onPercent  = 30
	offPercent = 20
	// firstPercent decides where there is no face before: at the first reading,
	// and after a fault.
	firstPercent = (onPercent + offPercent) / 2
	// emptyPercent is how far a reading may lie from the null to be surely empty.
	emptyPercent = 10
	// driftPercent bounds the tracked null, and so what tracking can take from a
	// disc or give to an empty square.
	driftPercent = 10
	// astrayPercent is how far from the calibrated null an empty square may come to
	// rest before its sensor has to be calibrated, and rightPercent where it is
	// well again. A face is still 10 % away then, or more.
	astrayPercent = 20
	rightPercent  = 15
	// slidPercent is how far the reading of a disc at rest may slide before its
	// sensor has to be calibrated, and backPercent where it is well again: the same
	// shares, as the disc and its place are the same. A disc that has become so weak
	// that less than weakPercent is left, after faintPercent at least, is told of
	// before it is lost at onPercent. One that reads within backPercent of a
	// calibrated disc is well however it came there.
	slidPercent  = astrayPercent
	backPercent  = rightPercent
	weakPercent  = onPercent + 10
	faintPercent = 5
	// faultPercent is how far beyond a calibrated full scale no disc comes, and
	// uncalibratedFaultPercent the same for levels from a data sheet, which are
	// lower than many a disc. A disc that was calibrated 4 mm off the centre makes
	// 190 % in the centre. An input that is open lies near 0.7 V (SBAS444E, 7.3.2),
	// for a DRV5055A4 250 % of a disc of 8 x 2 mm at 5 mm.
	faultPercent             = 200
	uncalibratedFaultPercent = 250
	// stillPercent is how much a reading at rest may move.
	stillPercent = 2
)

const (
	// nullPercent bounds the tracked null as well, in percent of the calibrated
	// null: 1 % of the supply, which is what temperature does to a DRV5055.
	nullPercent = 2
	// driftRate is how fast the null is tracked, in fixed per second: a quarter of
	// a count, so that the whole way takes a quarter of an hour. Temperature is
	// slower; hands are faster.
	driftRate = fixed / 4
	// quietFor is how long a cell must have been surely empty before its null is
	// tracked.
	quietFor = 10 * time.Second
	// astrayFor is how long it must have been so.
	astrayFor = 10 * time.Second
	// stillFor is how long a reading must have been at rest before it says
	// something about margins: a hand that holds a disc over a square is not at
	// rest for so long.
	stillFor = 5 * time.Second
	// recentFor is how long a reading is a recent one: what moves by stillPercent
	// within it is moved by a hand.
	recentFor = time.Second
	// longestStep bounds the time between two readings that counts for tracking.
	longestStep = time.Second
	// fixed is one count, as nulls are computed with.
	fixed = 1 << 16
)

// Threshold turns the counts of a board with linear sensors into the outputs
// that the Pipeline wants, north and south for each cell. It is for one
// goroutine.
//
// # What it decides
//
// A face appears when the reading is 30 % of that face's full scale away from
// the null, and goes when it comes below 20 %. A reading that no disc makes (the
// sensor saturates, an input is open or at a rail) is a fault: both outputs at
// once, which the Pipeline masks.
//
// # Drift
//
// Temperature, age and the supply move the null. It is tracked while a cell is
// surely empty: for 10 s, within 10 % of full scale. The tracked null never
// leaves 10 % of the smaller full scale around the calibrated one, nor 2 % of the
// calibrated null; levels are never changed, and nothing is stored. From this
// follows, for all time and whatever happened before:
//
//	40 % of full scale away from the calibrated null    a face is seen
//	less than 20 %, and no face before                  none appears
//	less than 10 %                                      none is seen
//	more than 20 %, whoever lies there from the start   the null does not move
//
// Between these, hysteresis and drift decide. A cell that reads empty, whose null
// has gone as far as it may and whose reading rests 20 % or more away from the
// calibrated null, is astray (Astray): it is still read right, and has to be
// calibrated before it is not. So is a cell whose disc lies untouched while its
// reading slides by 20 %, or below 40 %: no null can be tracked under a disc. A hand
// moves a reading within seconds, drift does not. Levels from a data sheet say
// nothing of that.
//
// # What it cannot know
//
// A sensor that always shows its null looks like an empty square. Two cells with
// their wires exchanged look right. A calibration, which asks for a disc on each
// square, finds both.
type Threshold struct {
	now       time.Duration
	begun     bool
	low, high uint16
	cells     [engine.Squares]gauge
	astray    engine.Bitboard
}

// Spare returns how much of a face's full scale is left, in percent rounded down,
// before something is misread although the reading is off by so many counts: a
// disc for no disc, or an empty square for a disc. Below 0 it can be.
func Spare(full, off int) int {
	if full <= 0 {
		return 0
	}
	share := (off*100 + full - 1) / full
	return min(100-onPercent, offPercent) - share
}

// NewThreshold returns a threshold with these levels, or an error that names the
// first square whose levels are of no use. The sensor says where readings end to
// mean something.
func NewThreshold(levels [engine.Squares]Levels, s Sensor) (*Threshold, error) {
	t := &Threshold{low: toCounts(s.Low), high: toCounts(s.High)}
	for i, l := range levels {
		if err := l.Validate(); err != nil {
			return nil, fmt.Errorf("levels of square %s: %w", engine.Square(i), err)
		}
		t.cells[i] = newGauge(l)
	}
	return t, nil
}

// Step takes the counts of all cells, read at monotonic time now, and returns
// the cells whose north and whose south output is active. Counts of lost cells
// say nothing; their outputs stay as they were. A time before that of the last
// step counts as equal to it.
func (t *Threshold) Step(now time.Duration, counts *[engine.Squares]uint16, lost engine.Bitboard) (norths, souths engine.Bitboard) {
	if !t.begun {
		t.begun, t.now = true, now
		for i := range t.cells {
			t.cells[i].disturb(now)
		}
	}
	passed := min(max(now-t.now, 0), longestStep)
	t.now = max(t.now, now)
	for i := range t.cells {
		g, bit := &t.cells[i], engine.Square(i).Bit()
		if lost&bit != 0 {
			g.disturb(t.now)
		} else {
			g.take(t.now, passed, counts[i], t.low, t.high)
		}
		if g.isAstray(t.now) {
			t.astray |= bit
		} else {
			t.astray &^= bit
		}
		if g.face == north || g.face == both {
			norths |= bit
		}
		if g.face == south || g.face == both {
			souths |= bit
		}
	}
	return norths, souths
}

// Astray returns the cells that have drifted so far that they have to be
// calibrated.
func (t *Threshold) Astray() engine.Bitboard { return t.astray }

// gauge is one cell.
type gauge struct {
	levels Levels
	// above is the face whose readings are higher than the null. fullAbove and
	// fullBelow are the full scales of the two sides; beyond fullest percent of
	// them a reading is a fault.
	above                value
	fullAbove, fullBelow int64
	fullest              int64
	// null is the tracked null, at most bound from the calibrated one; both in
	// fixed.
	null, bound int64

	// face is what the cell shows. known means that it was decided from a reading
	// that was no fault.
	face  value
	known bool
	fault CountFault
	count uint16
	// quiet is when the cell began to be surely empty. still is when the reading
	// came to rest, at anchor.
	quiet, still time.Duration
	anchor       uint16
	// share is how far the reading is from the tracked null, in thousandths of the
	// full scale. first is what it was when the disc on the cell came to rest, 0 if
	// that is not known.
	share, first int
	// recent is a reading of a moment ago, at recentAt.
	recent   uint16
	recentAt time.Duration
	// astray says that it has drifted too far, slid that a disc told; otherwise is
	// since when its reading has said anything else.
	astray, slid bool
	otherwise    time.Duration
	// margins are the worst ones seen at rest, by empty, north and south.
	margins [both]Margin
}

func newGauge(l Levels) gauge {
	g := gauge{levels: l, above: south, fullest: faultPercent, null: int64(l.Null) * fixed}
	up, down := int64(l.South)-int64(l.Null), int64(l.Null)-int64(l.North)
	if l.Reversed() {
		g.above, up, down = north, -down, -up
	}
	g.fullAbove, g.fullBelow = up, down
	if l.Uncalibrated {
		g.fullest = uncalibratedFaultPercent
	}
	g.bound = min(min(up, down)*fixed*driftPercent/100, g.null*nullPercent/100)
	return g
}

// side returns the face that a deviation leans to and the full scale there.
func (g *gauge) side(deviation int64) (face value, full int64) {
	switch {
	case deviation >= 0:
		return g.above, g.fullAbove
	case g.above == north:
		return south, g.fullBelow
	default:
		return north, g.fullBelow
	}
}

// disturb starts all waiting over.
func (g *gauge) disturb(now time.Duration) { g.quiet, g.still, g.first = now, now, 0 }

// take takes a reading; passed is the time since the last one.
func (g *gauge) take(now, passed time.Duration, count, low, high uint16) {
	g.count = count
	g.fault = g.check(count, low, high)
	if g.fault != CountGood {
		g.face, g.known = both, false
		g.disturb(now)
		return
	}
	deviation := int64(count)*fixed - g.null
	face, full := g.side(deviation)
	away := abs(deviation)
	before := g.face
	if g.decide(face, away, full); g.face != before {
		g.first = 0 // Another disc.
	}
	g.track(now, passed, deviation, beyond(away, full, emptyPercent))
	g.watch(now, int(away*1000/(full*fixed)))
}

// beyond reports whether a deviation is at least a share of the full scale.
func beyond(away, full, percent int64) bool { return away*100 >= full*fixed*percent }

// check says whether a reading can come from a sensor and a disc.
func (g *gauge) check(count, low, high uint16) CountFault {
	deviation := int64(count) - int64(g.levels.Null)
	_, full := g.side(deviation)
	switch {
	case count <= low:
		return CountLow
	case count >= high:
		return CountHigh
	case abs(deviation)*100 > full*g.fullest:
		return CountTooFar
	}
	return CountGood
}

// decide says what the cell shows.
func (g *gauge) decide(face value, away, full int64) {
	need := int64(onPercent)
	switch {
	case !g.known:
		need = firstPercent
	case g.face == face:
		need = offPercent
	}
	g.known = true
	g.face = empty
	if beyond(away, full, need) {
		g.face = face
	}
}

// track lets the null follow a cell that is surely empty. It shows no face then:
// emptyPercent is less than offPercent.
func (g *gauge) track(now, passed time.Duration, deviation int64, unsure bool) {
	if unsure {
		g.quiet = now
		return
	}
	if now-g.quiet < quietFor {
		return
	}
	step := driftRate * int64(passed) / int64(time.Second)
	calibrated := int64(g.levels.Null) * fixed
	g.null += min(max(deviation, -step), step)
	g.null = min(max(g.null, calibrated-g.bound), calibrated+g.bound)
}

// isAstray reports whether the cell has drifted too far: its reading must have
// said so for a while, and for as long that it has not.
func (g *gauge) isAstray(now time.Duration) bool {
	far, known := g.strayed(now)
	switch {
	case g.levels.Uncalibrated:
		return false
	case far == g.astray || !known:
		g.otherwise = now
	case now-g.otherwise >= astrayFor:
		g.astray, g.slid = far, far && g.face != empty
	}
	return g.astray
}

// strayed says whether the reading is that of a cell that has drifted too far, if
// it says anything about that.
func (g *gauge) strayed(now time.Duration) (far, known bool) {
	switch g.face {
	case empty:
		return g.emptyStrayed(), true
	case north, south:
		return g.discStrayed(now)
	case both:
	}
	return false, false
}

func (g *gauge) emptyStrayed() bool {
	calibrated := int64(g.levels.Null)
	away, need := abs(int64(g.count)-calibrated), int64(astrayPercent)
	if g.astray {
		need = rightPercent
	}
	bound := g.slid || abs(g.null-calibrated*fixed) >= g.bound
	return bound && away*100 >= need*min(g.fullAbove, g.fullBelow)
}

// discStrayed looks at a disc that is at rest.
func (g *gauge) discStrayed(now time.Duration) (far, known bool) {
	if now-g.still < stillFor || g.astray && !g.slid {
		// It moves, or does not say how the empty square reads.
		return false, false
	}
	if g.first == 0 && !g.astray {
		g.first = g.share
	}
	slid := abs(int64(g.share - g.first))
	if !g.astray {
		return slid >= 10*slidPercent || g.share < 10*weakPercent && g.first-g.share >= 10*faintPercent, true
	}
	back := g.first != 0 && slid < 10*backPercent && g.share >= 10*(weakPercent+faintPercent)
	return !back && abs(int64(g.share-1000)) >= 10*backPercent, true
}

// watchHand notices that a hand has moved the disc: its reading has moved faster
// than drift does.
func (g *gauge) watchHand(now time.Duration) {
	moved := abs(int64(g.count) - int64(g.recent))
	passed := now - g.recentAt
	if passed < stillFor && moved*100 > min(g.fullAbove, g.fullBelow)*stillPercent {
		g.first, g.still = 0, now
		g.recent, g.recentAt = g.count, now
	}
	if passed >= recentFor {
		g.recent, g.recentAt = g.count, now
	}
}

// watch notes margins; share is the reading's deviation in thousandths of the
// full scale.
func (g *gauge) watch(now time.Duration, share int) {
	g.share = share
	moved := abs(int64(g.count) - int64(g.anchor))
	if moved*100 > min(g.fullAbove, g.fullBelow)*stillPercent {
		g.anchor, g.still = g.count, now
	}
	g.watchHand(now)
	if now-g.still < stillFor {
		return
	}
	spare := share - 10*onPercent
	if g.face == empty {
		spare = 10*offPercent - share
	}
	if spare < 0 {
		spare -= 9 // Percent are rounded down.
	}
	m := &g.margins[g.face]
	if !m.Known || spare/10 < m.Percent {
		*m = Margin{Percent: spare / 10, Known: true}
	}
}
