package calibrate

import (
	"errors"
	"fmt"
	"time"

	"reversi-board/engine"
	"reversi-board/hardware"
	"reversi-board/sensing"
)

// Stage is how far a walk has come.
type Stage uint8

// The stages, in order.
const (
	// Clearing: the board is to be emptied, and Next to be answered.
	Clearing Stage = iota
	// Measuring: the empty board is measured; nothing is to be done.
	Measuring
	// Walking: discs are asked for.
	Walking
	// Tidying: the board is to be emptied once more, which is seen.
	Tidying
	// Checking: single discs are asked for, on squares that looked odd.
	Checking
	// Filling: the board is filled, disc by disc, on a board that sees no colors.
	Filling
	// Deciding: there is a report, and Store, StorePlain or Abort to be answered.
	Deciding
	// Agreed: the calibration is to be stored.
	Agreed
	// Aborted: nothing is to be stored.
	Aborted
)

// String returns the stage's name in small letters, as the page knows it.
func (s Stage) String() string {
	if s > Aborted {
		return fmt.Sprintf("Stage(%d)", uint8(s))
	}
	return [...]string{
		"clearing", "measuring", "walking", "tidying", "checking", "filling", "deciding", "agreed", "aborted",
	}[s]
}

// Answer is what a person says.
type Answer uint8

// The answers.
const (
	// Silence is no answer.
	Silence Answer = iota
	// Next: it is done, go on, whatever the cells say.
	Next
	// Again: start from the beginning.
	Again
	// Store: store the calibration with all corrections; StorePlain: without them.
	Store
	StorePlain
	// Abort: end, and store nothing.
	Abort
)

// Bank is a set of cells that share a part of the board, such as a chip.
type Bank struct {
	// Name is what it is called in sentences: "the expander at 0x23".
	Name  string
	Cells engine.Bitboard
}

// Options say what board is walked, and how.
type Options struct {
	// Kind and Wiring are those of the calibration, see sensing.Calibration.
	Kind, Wiring string
	Senses       Senses
	// NorthIsBlack says that the north pole is at the sensor when black is up.
	NorthIsBlack bool
	// Sensor is the one of a board that measures.
	Sensor sensing.Sensor
	// Banks are the parts that cells share.
	Banks []Bank
	// Quick asks for many discs at once. Discs is how many there are, 8 to 64, 0
	// for 64; such a walk uses multiples of eight. A board that sees no colors is
	// always walked with one disc, and filled in the end to test its diodes, but
	// for a quick walk or one without 64 discs.
	Quick bool
	Discs int
}

// fills reports whether the board is filled in the end.
func (o *Options) fills() bool {
	return o.Senses == Presence && !o.Quick && o.Discs == engine.Squares
}

// validate completes the options.
func (o *Options) validate() error {
	if o.Discs == 0 {
		o.Discs = engine.Squares
	}
	if o.Discs < lines || o.Discs > engine.Squares {
		return fmt.Errorf("%d discs: want %d to %d", o.Discs, lines, engine.Squares)
	}
	if o.Senses == Field && o.Sensor.Sensitivity <= 0 {
		return errors.New("a board that measures has a sensor: name it")
	}
	return nil
}

const (
	// emptyTime and emptyScans are how long the empty board is measured: flapping
	// of 1 Hz and noise show in it.
	emptyTime  = 2500 * time.Millisecond
	emptyScans = 2 * sensing.MinSamples
	// calmTime is how long the empty board may take to come to rest before.
	calmTime = 2 * time.Second
	// restTime and restScans are how long the board must be still before what a
	// disc shows is taken; slowRest the same where something else was seen than
	// was asked for, so that a person can put it right.
	restTime, restScans = 250 * time.Millisecond, 3
	slowRest            = 1200 * time.Millisecond
	// sampleTime and sampleScans are how long it is taken.
	sampleTime  = 250 * time.Millisecond
	sampleScans = sensing.MinSamples
	// restless is how long something that never comes to rest is waited for.
	restless = 6 * time.Second
	// tidyTime is how long a board is empty that was tidied.
	tidyTime = time.Second
	// puzzled is how long nothing happens before missing discs are mentioned.
	puzzled = 3 * time.Second
)

// Walk is the procedure. It is for one goroutine.
type Walk struct {
	o     Options
	stage Stage
	sight sight
	now   time.Duration
	// since is when the stage, or within it the ask, began.
	since time.Duration

	empty tally
	// shaky are the cells that were not steady on the empty board.
	shaky engine.Bitboard

	asks []Ask
	at   int
	// north and south are what the cells showed when the ask was made, ever the
	// cells that have responded since, whole when enough of them did.
	north, south engine.Bitboard
	ever         engine.Bitboard
	whole        time.Duration
	// sampling says that what the cells in got show is being taken.
	sampling bool
	got      engine.Bitboard
	begun    time.Duration
	tally    tally
	// unseen are squares that were skipped because nothing was seen there.
	unseen engine.Bitboard
	// sticky are cells that showed a disc after it was taken, claimed says that
	// the board was said to be empty again.
	sticky  engine.Bitboard
	claimed bool
	// accused are the cells whose diode the driver suspects, laid those on which
	// discs lie in a filling, diodes those that are shorted.
	accused, laid, diodes engine.Bitboard
	// suspect is the one that is being tried, of among, faked what seems closed
	// because of it.
	suspect, among, faked engine.Bitboard
	suspects              int
	// riddles are cells that have seemed closed for reasons that were not found
	// then.
	riddles []riddle
	// before are the cells that seemed closed when the ask was made, closed is
	// when the one that it is about closed.
	before engine.Bitboard
	closed time.Duration
	filled bool

	walked, checked []result
	// tries is how often the checks were begun.
	tries int
	// mood is how it was at the end of the last step.
	mood mood
	// reference says that the first of the checks is about the disc.
	reference bool
	fix       bool
	// first is what was found before the checks, found in the end.
	first, found *findings
}

// tally is what cells have shown over some scans, by cell.
type tally struct {
	scans        int
	north, south [engine.Squares]int // scans with that pole alone
	both         [engine.Squares]int
	counts       sensing.Samples
}

// add takes a scan.
func (t *tally) add(s *sight) {
	t.scans++
	north, south := s.rawNorth, s.rawSouth
	for c := range (north &^ south).All() {
		t.north[c]++
	}
	for c := range (south &^ north).All() {
		t.south[c]++
	}
	for c := range (north & south).All() {
		t.both[c]++
	}
	if s.senses == Field {
		t.counts.Add(^s.lost, &s.counts)
	}
}

// result is what became of an ask.
type result struct {
	ask Ask
	// cells have responded, lying show a disc.
	cells, lying engine.Bitboard
	north, south engine.Bitboard
	tally        tally
}

// New returns a walk that has not begun.
func New(o Options) (*Walk, error) {
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	w := &Walk{o: o}
	w.begin()
	return w, nil
}

// begin starts from the beginning.
func (w *Walk) begin() {
	fresh := Walk{o: w.o, now: w.now, since: w.now, asks: plan(&w.o)}
	fresh.sight = sight{senses: w.o.Senses, sensor: w.o.Sensor, changed: w.now}
	for c := range fresh.sight.null {
		fresh.sight.null[c] = int(w.o.Sensor.Counts(0))
		fresh.sight.spread[c] = int(w.o.Sensor.NullError*sensing.CountsPerVolt) / loud
	}
	*w = fresh
}

// Step takes a scan, an answer, or both; f may be nil. Times do not go back. It
// reports whether the View may have changed.
func (w *Walk) Step(now time.Duration, f *hardware.Frame, a Answer) bool {
	w.now = max(w.now, now)
	if w.stage >= Agreed {
		return false
	}
	if a != Silence {
		w.answer(a)
	}
	if f != nil && w.stage < Agreed {
		w.scan(f)
	}
	before := w.mood
	w.mood = w.state()
	return a != Silence || w.mood != before
}

// mood is everything that shows in a View besides the report.
type mood struct {
	stage            Stage
	at               int
	sampling, late   bool
	north, south     engine.Bitboard
	got, lost, blind engine.Bitboard
}

func (w *Walk) state() mood {
	return mood{w.stage, w.at, w.sampling, w.late(), w.sight.north, w.sight.south, w.got, w.sight.lost, w.sight.blind}
}

// Accuse says, before a scan, which cells of a board that sees no colors the
// driver suspects of a shorted diode.
func (w *Walk) Accuse(cells engine.Bitboard) { w.accused = cells }

// answer takes an answer that is of use now.
func (w *Walk) answer(a Answer) {
	switch {
	case a == Abort:
		w.enter(Aborted)
	case a == Again:
		w.begin()
	case w.stage == Deciding && (a == Store || a == StorePlain):
		w.fix = a == Store
		w.enter(Agreed)
	case a != Next:
	case w.stage == Clearing:
		w.enter(Measuring)
	case w.asking():
		w.skip()
	case w.stage == Tidying && !w.claimed:
		// Who says it again and again does not wait any longer for it.
		w.claimed, w.begun = true, w.now
	}
}

// asking reports whether something is asked for.
func (w *Walk) asking() bool { return w.stage == Walking || w.stage == Checking || w.stage == Filling }

func (w *Walk) enter(s Stage) { w.stage, w.since = s, w.now }

// scan takes a scan.
func (w *Walk) scan(f *hardware.Frame) {
	w.sight.look(w.now, f)
	switch w.stage {
	case Clearing, Deciding, Agreed, Aborted:
	case Measuring:
		// A hand may still be at the board, and sensors may not have looked since it
		// took the last disc.
		if t := w.now - w.since; w.empty.scans == 0 && (t < restTime || t < calmTime && !w.sight.still(w.now, restTime)) {
			return
		}
		if w.empty.scans == 0 {
			w.begun = w.now
		}
		w.empty.add(&w.sight)
		if w.empty.scans >= emptyScans && w.now-w.begun >= emptyTime {
			w.measured()
		}
	case Walking, Checking, Filling:
		switch {
		case w.stage == Filling && w.findDiode():
		case w.sampling:
			w.sample()
		default:
			w.wait()
		}
	case Tidying:
		w.tidy()
	}
}

// measured ends the measuring of the empty board.
func (w *Walk) measured() {
	s, e := &w.sight, &w.empty
	for c := range engine.Square(engine.Squares) {
		if w.o.Senses == Field {
			w.zero(c)
			continue
		}
		n, so := e.north[c]+e.both[c], e.south[c]+e.both[c]
		if n == e.scans {
			s.stuckNorth |= c.Bit()
		}
		if so == e.scans {
			s.stuckSouth |= c.Bit()
		}
		if n%e.scans != 0 || so%e.scans != 0 {
			w.shaky |= c.Bit()
			s.blind |= c.Bit()
		}
	}
	s.north, s.south = 0, 0
	if s.lost == ^engine.Bitboard(0) {
		// There is nothing to be learnt from discs.
		w.decide()
		return
	}
	w.enter(Walking)
	w.ask()
}

// zero takes the null of a cell, or finds that it says nothing.
func (w *Walk) zero(c engine.Square) {
	s, e := &w.sight, &w.empty
	if e.counts.Count(c) == 0 {
		return
	}
	s.null[c], s.spread[c] = int(e.counts.Mean(c)), e.counts.Spread(c)
	low, high := w.o.Sensor.Range()
	switch {
	case e.counts.Mean(c) <= low:
		s.stuckNorth |= c.Bit()
		s.blind |= c.Bit()
	case e.counts.Mean(c) >= high:
		s.stuckSouth |= c.Bit()
		s.blind |= c.Bit()
	case s.spread[c] > sensing.MaxSpread:
		w.shaky |= c.Bit()
		s.blind |= c.Bit()
	}
}

// ask makes the ask at w.at, or ends the list.
func (w *Walk) ask() {
	if w.at >= len(w.asks) {
		w.listDone()
		return
	}
	w.retry()
	w.north, w.south, w.since = w.sight.north, w.sight.south, w.now
	w.ever, w.whole, w.sampling, w.got = 0, 0, false, 0
	w.closed = 0
	if w.faked == 0 {
		w.before = w.sight.rawNorth
	}
}

// listDone goes on when everything was asked for.
func (w *Walk) listDone() {
	switch {
	case w.stage == Walking && w.o.many(), w.stage == Filling:
		w.enter(Tidying)
	case w.stage == Walking:
		w.check()
	case w.stage == Checking && w.more():
		w.ask()
	case w.stage == Checking && w.o.fills():
		w.fill()
	default:
		w.decide()
	}
}

// responded returns the cells that have done what the ask makes them do.
func (w *Walk) responded() engine.Bitboard {
	if w.stage == Filling {
		return w.inPlace()
	}
	n, s := w.sight.north, w.sight.south
	was := w.north | w.south
	if w.o.Senses == Presence {
		// Cells that cannot be believed show both.
		n, was = n&^s, w.north&^w.south
	}
	if w.asks[w.at].Do == Take {
		return was &^ (n | s)
	}
	return (n | s) & ((n ^ w.north) | (s ^ w.south))
}

// needed returns how many cells must respond.
func (w *Walk) needed() int {
	a := &w.asks[w.at]
	return (a.Squares &^ w.unseen).Count()
}

// wait waits until what was asked for is done and at rest.
func (w *Walk) wait() {
	a := &w.asks[w.at]
	if a.Do == Place {
		// A disc that is taken away and put back has been put there.
		w.north &= w.sight.occupied()
		w.south &= w.sight.occupied()
	}
	got := w.responded()
	w.ever |= got
	if got.Count() < w.needed() && w.whole == 0 {
		return
	}
	if w.whole == 0 {
		w.whole = w.now
	}
	rest, expected := restTime, a.Squares
	if w.stage == Filling {
		expected = w.first.cellsOf(a.Squares)
	}
	if got&expected != expected {
		rest = slowRest
	}
	switch {
	case got.Count() >= w.needed() && got != 0 && w.sight.still(w.now, rest):
		w.take(got)
	case w.now-w.whole >= restless && w.ever != 0:
		w.take(w.ever)
	case w.needed() == 0:
		// Nothing can respond, and nobody needs to do anything.
		w.take(got)
	}
}

// take begins to take what cells show.
func (w *Walk) take(cells engine.Bitboard) {
	w.sampling, w.got, w.begun = true, cells, w.now
	w.tally = tally{}
}

// sample takes what the cells show.
func (w *Walk) sample() {
	if got := w.responded(); got != w.got && w.now-w.whole < restless && w.whole != 0 {
		// It was not at rest after all.
		w.sampling, w.got = false, 0
		return
	}
	w.tally.add(&w.sight)
	if w.tally.scans < sampleScans || w.now-w.begun < sampleTime {
		return
	}
	w.sight.unstick()
	w.record()
}

// record notes what became of the ask, and makes the next one.
func (w *Walk) record() {
	r := result{
		ask: w.asks[w.at], cells: w.got, lying: w.sight.occupied(), tally: w.tally,
		north: w.sight.north, south: w.sight.south,
	}
	if w.stage != Filling && r.ask.Squares.Count() == 1 && r.ask.Do == Place {
		// A disc has come from somewhere else.
		w.sticky |= r.lying &^ r.cells & (w.north | w.south)
	}
	switch w.stage {
	case Checking:
		w.checked = append(w.checked, r)
	case Filling:
		w.layDown(&r)
	case Walking, Clearing, Measuring, Tidying, Deciding, Agreed, Aborted:
		w.walked = append(w.walked, r)
	}
	w.at++
	w.ask()
}

// skip goes on although not everything has been seen.
func (w *Walk) skip() {
	a := w.asks[w.at]
	if w.sampling {
		return
	}
	got := w.responded()
	if w.stage == Walking && got&^a.Squares == 0 && a.Do == Place {
		w.unseen |= a.Squares &^ got
	}
	if got != 0 {
		w.whole = 0
		w.take(got)
		return
	}
	w.tally = tally{}
	w.got = 0
	w.record()
	// Where no disc is seen, little can be seen of its other side. If there is
	// something, the check will find it.
	for a.Do == Place && w.stage == Walking && w.at < len(w.asks) && w.asks[w.at].Squares == a.Squares {
		w.at++
		w.ask()
	}
}

// tidy waits until the board is empty, or is said to be and has come to rest.
func (w *Walk) tidy() {
	if w.now-w.since < tidyTime || !w.sight.still(w.now, tidyTime) {
		return
	}
	left := w.sight.occupied()
	if left != 0 && (!w.claimed || w.now-w.begun < tidyTime) {
		return
	}
	w.sticky |= left
	w.claimed = false
	w.tidied()
}

// tidied goes on when the board has been emptied after many discs were laid.
func (w *Walk) tidied() {
	if w.filled {
		w.decide()
		return
	}
	w.check()
}

// check looks once more at what was odd.
func (w *Walk) check() {
	w.first = w.judge()
	w.enter(Checking)
	w.at, w.asks, w.unseen = 0, w.checks(w.first), 0
	w.ask()
}

// decide makes the report.
func (w *Walk) decide() {
	w.found = w.judge()
	w.asks, w.at = nil, 0
	w.enter(Deciding)
}

// late reports that what was asked for has not been seen for a while.
func (w *Walk) late() bool {
	return w.asking() && !w.sampling && w.now-w.since >= puzzled &&
		w.sight.still(w.now, puzzled)
}

// Stage returns how far the walk has come.
func (w *Walk) Stage() Stage { return w.stage }
