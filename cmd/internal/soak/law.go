package soak

import (
	"fmt"
	"time"
)

// law is how an event is officiated, as the text of the rules has it: one column
// of its table of profiles. It is written out here a second time, so that a
// mistake in the files of the program cannot hide behind itself.
type law struct {
	name string
	// press: a move ends with a press of the clock, pressIfTimed: if there is one.
	// Otherwise it ends when its flips are done and the board is quiet.
	press, pressIfTimed bool
	// stands: wrong flips stand unless they are claimed; otherwise they must be
	// put right. moverMends: after a claim the mover does that and presses again.
	stands, moverMends bool
	// afterEnd: the last move may be claimed when the game is over.
	afterEnd bool
	// improper: a disc that is no move counts once it is pressed, unless claimed.
	improper bool
	// backs is how many discs the hands may take back.
	backs int
	// shows is when the lights tell which discs are to be turned.
	shows showing
	// sayPass: who cannot move says so with a press.
	sayPass bool
	flag    flagLaw
	// lie: empty squares count for nobody; in the historic game they never do.
	lie bool
	// timing is how games of the event are timed when nothing else is said.
	timing string
}

// showing is when the lights tell which discs are to be turned.
type showing uint8

const (
	showsAlways showing = iota
	showsLate
	showsNever
)

// lightsLate is how long a disc must lie at a club before the lights help, and
// missingAfter how long one may be off the board before it is asked for.
const (
	lightsLate   = 10 * time.Second
	missingAfter = 3 * time.Second
)

// flagLaw is what a fallen flag means.
type flagLaw string

const (
	flagNone  flagLaw = "none"
	flagLoss  flagLaw = "loss"
	flagGrace flagLaw = "grace"
	flagJof   flagLaw = "jof"
	flagCount flagLaw = "count"
)

// everything is more moves than a game has.
const everything = 1000

// lawNames lists the events that the umpire knows.
func lawNames() []string { return []string{"home", "club", "woc", "jof", "festival"} }

// lawOf returns how an event is officiated.
func lawOf(name string) (law, error) {
	l := law{name: name, flag: flagNone}
	switch name {
	case "home":
		l.backs, l.lie = everything, true
	case "club":
		l.pressIfTimed, l.stands, l.afterEnd, l.backs = true, true, true, 1
		l.shows, l.flag = showsLate, flagLoss
	case "woc":
		l.press, l.stands, l.afterEnd, l.improper = true, true, true, true
		l.shows, l.flag, l.timing = showsNever, flagGrace, "30:00"
	case "jof":
		l.press, l.stands, l.afterEnd, l.improper = true, true, true, true
		l.moverMends, l.sayPass = true, true
		l.shows, l.flag, l.timing = showsNever, flagJof, "30:00"
	case "festival":
		l.backs, l.flag, l.lie, l.timing = 1, flagCount, true, "game 20:00"
	default:
		return l, fmt.Errorf("the umpire does not know the event %.32q", name)
	}
	return l, nil
}

// timing is how a game is timed: the text of the settings, and what it means.
type timing struct {
	text                    string
	main, increment, period time.Duration
	periods                 int
	shared                  bool
}

// timed reports whether there are clocks.
func (t timing) timed() bool { return t.main > 0 || t.periods > 0 }

// timings are the ways in which games are timed here. The short ones are for
// flags to fall.
func timings() []timing {
	const m, s = time.Minute, time.Second
	return []timing{
		{text: "none"},
		{text: "30:00", main: 30 * m},
		{text: "5:00", main: 5 * m},
		{text: "1:30", main: 90 * s},
		{text: "2:00/3", main: 2 * m, increment: 3 * s},
		{text: "0:40+3x0:10", main: 40 * s, periods: 3, period: 10 * s},
		{text: "0:00+2x0:15", periods: 2, period: 15 * s},
		{text: "game 20:00", main: 20 * m, shared: true},
		{text: "game 2:30", main: 150 * s, shared: true},
	}
}

// times are what both players have left until their flags fall, and the periods
// that are begun or whole; byo-yomi that was given away does not come back.
type times struct {
	left  [2]time.Duration
	spare [2]int
}

// watch is the two clocks of a game by the umpire's own arithmetic: the time
// until the flag falls, main time and periods in one.
type watch struct {
	timing
	times
	down [2]bool
	// runs is whose clock runs, bare when both stand; at is when left was true.
	runs side
	at   time.Duration
}

// index numbers the sides.
func (s side) index() int {
	if s == light {
		return 1
	}
	return 0
}

func newWatch(t timing) watch {
	all := t.main + time.Duration(t.periods)*t.period
	return watch{timing: t, times: times{left: [2]time.Duration{all, all}, spare: [2]int{t.periods, t.periods}}, runs: bare}
}

// of is the clock of a side: a shared one is that of both.
func (w *watch) of(s side) int {
	if w.shared {
		return 0
	}
	return s.index()
}

// advance counts the time until now.
func (w *watch) advance(now time.Duration) {
	if w.timed() && w.runs != bare && now > w.at {
		n := w.of(w.runs)
		w.left[n] = max(w.left[n]-(now-w.at), 0)
		w.count(n)
	}
	w.at = max(w.at, now)
}

// count says how many periods are begun or whole.
func (w *watch) count(n int) {
	if w.period > 0 {
		w.spare[n] = min(w.spare[n], int((w.left[n]+w.period-1)/w.period))
	}
}

// falls returns when the flag of the running clock falls.
func (w *watch) falls() (at time.Duration, ok bool) {
	if !w.timed() || w.runs == bare || w.down[w.of(w.runs)] {
		return 0, false
	}
	return w.at + w.left[w.of(w.runs)], true
}

// earn gives a side what a finished move earns, and returns how much that was: an
// increment, or in byo-yomi the period that was begun.
func (w *watch) earn(s side) time.Duration {
	n := w.of(s)
	if !w.timed() || w.down[n] {
		return 0
	}
	before := w.left[n]
	switch last := time.Duration(w.spare[n]) * w.period; {
	case w.increment > 0:
		w.left[n] += w.increment
	case w.period > 0 && before <= last:
		w.left[n] = before + (w.period-before%w.period)%w.period
	}
	return w.left[n] - before
}

// shown returns what both players have left, and how many periods of it are begun
// or whole.
func (w *watch) shown() (left [2]time.Duration, periods [2]int) {
	if !w.timed() {
		return left, periods
	}
	for _, s := range []side{dark, light} {
		left[s.index()], periods[s.index()] = w.left[w.of(s)], w.spare[w.of(s)]
	}
	return left, periods
}
