package soak

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/virtual"
	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/referee"
	"reversi-board/hardware/sim"
)

// What ends a game with mistakes before its script does.
var (
	errDone  = errors.New("the game is over")
	errWrong = errors.New("the record is wrong")
	errStuck = errors.New("the game does not go on")
)

// fumbler is two people at a board who make mistakes. They know the rules, what
// they have done and what the lights show; the umpire is told everything.
type fumbler struct {
	t    *virtual.Table
	rnd  *rand.Rand
	u    *umpire
	seen []fact
	// free is when the hands have time for something else.
	free time.Duration
	// rested is when the last disc has come to rest.
	rested time.Duration
	// settle is how long a board needs to say what lies on it, wait how long a
	// press waits for a reading.
	settle, wait time.Duration
	// early is a disc of the next move that lies there already.
	early *point
	// hurried says that early was put down before the board had been quiet.
	hurried bool
	// blind boards see no faces.
	blind bool
	// heard says that a flag ended the game, or a player has given up.
	story []string
	tell  bool
}

// note keeps what the hands do, for people who want to know.
func (f *fumbler) note(format string, args ...any) {
	if f.tell {
		f.story = append(f.story, fmt.Sprintf("%9.3fs %s", f.t.Now().Seconds(), fmt.Sprintf(format, args...)))
	}
}

// hear takes in an event.
func (f *fumbler) hear(a app.Fact, _ time.Duration) {
	f.seen = append(f.seen, fact{seq: a.Seq, event: a.Event, payload: a.Payload})
	h, err := hearsay(a.Event, a.Payload)
	if err != nil {
		f.u.fault("event %d: %v", a.Seq, err)
		return
	}
	f.note("  board says: %v", h.said)
	f.u.hears(h)
}

func (f *fumbler) between(low, high time.Duration) time.Duration {
	return low + time.Duration(f.rnd.Int64N(int64(high-low)))
}

func (f *fumbler) often(percent int) bool { return f.rnd.IntN(100) < percent }

// run lets time pass; it ends early when the record goes wrong or the game ends.
func (f *fumbler) run(until time.Duration) error {
	for f.t.Now() < until {
		if err := f.t.Run(1); err != nil {
			return err
		}
		if err := f.state(); err != nil {
			return err
		}
	}
	return nil
}

func (f *fumbler) state() error {
	switch {
	case f.u.wrongs != "":
		return errWrong
	case f.u.ended:
		return errDone
	}
	if falls, ok := f.u.watch.falls(); ok && f.t.Now() > falls+time.Second {
		f.u.fault("the flag should have fallen at %v", falls)
		return errWrong
	}
	return nil
}

// pause lets the hands rest for a while without anything being judged.
func (f *fumbler) pause(low, high time.Duration) {
	f.free = max(f.free, f.t.Now()) + f.between(low, high)
}

// ready is when the next motion can begin.
func (f *fumbler) ready() time.Duration { return max(f.free, f.t.Now()) }

// put puts a disc of s on an empty square.
func (f *fumbler) put(p point, s side) error {
	f.note("%v disc on %v", s.color(), p.square())
	rest, err := f.t.Sim.Place(f.ready(), int(p.square()), virtual.Face(s.color()))
	if err != nil {
		return err
	}
	f.free = rest
	f.u.set(p, s)
	f.moved()
	return nil
}

// lift takes a disc off.
func (f *fumbler) lift(p point) error {
	f.note("lift %v", p.square())
	rest, err := f.t.Sim.Lift(f.ready(), int(p.square()))
	if err != nil {
		return err
	}
	f.free = rest
	f.u.set(p, bare)
	f.moved()
	return nil
}

// turn turns a disc over.
func (f *fumbler) turn(p point) error {
	f.note("turn %v", p.square())
	style, takes := sim.TurnInPlace, time.Duration(0)
	if f.often(45) || f.blind {
		style = sim.TurnThroughEmpty
	}
	if f.blind {
		takes = f.between(500*time.Millisecond, 900*time.Millisecond)
	}
	rest, err := f.t.Sim.Turn(f.ready(), int(p.square()), style, takes)
	if err != nil {
		return err
	}
	s := f.u.table.at(p)
	if style == sim.TurnThroughEmpty {
		f.u.set(p, bare)
		f.moved()
	}
	f.free = rest
	f.u.set(p, s.other())
	f.moved()
	return nil
}

// moved tells the umpire of a motion. Another one may follow before the board has
// been quiet: what lies there now need not be seen.
func (f *fumbler) moved() {
	f.rested = f.free
	f.u.perhaps = true
	f.u.rests(f.rested)
	f.u.perhaps = false
}

// turnAll turns discs over one after the other.
func (f *fumbler) turnAll(set engine.Bitboard) error {
	for _, p := range f.shuffled(set) {
		if err := f.turn(p); err != nil {
			return err
		}
		f.pause(0, 120*time.Millisecond)
	}
	return nil
}

// shuffled lists the squares of a set in any order.
func (f *fumbler) shuffled(set engine.Bitboard) []point {
	var list []point
	for s := range set.All() {
		list = append(list, pointOf(s))
	}
	f.rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// pick draws a point, ok is false when there is none.
func (f *fumbler) pick(list []point) (p point, ok bool) {
	if len(list) == 0 {
		return p, false
	}
	return list[f.rnd.IntN(len(list))], true
}

// subset draws some of a set, at least one, at most so many.
func (f *fumbler) subset(set engine.Bitboard, most int) engine.Bitboard {
	list := f.shuffled(set)
	if len(list) == 0 {
		return 0
	}
	return bits(list[:1+f.rnd.IntN(min(most, len(list)))])
}

// slide pushes a disc over the board.
func (f *fumbler) slide(from, to point) error {
	f.note("slide %v to %v", from.square(), to.square())
	s := f.u.table.at(from)
	rest, err := f.t.Sim.Slide(f.ready(), int(from.square()), int(to.square()), sim.SlideOptions{})
	if err != nil {
		return err
	}
	f.free = rest
	f.u.set(from, bare)
	f.u.set(to, s)
	f.moved()
	return nil
}

// look lets the board come to rest, so that it says what there is to say. What the
// umpire expects must come; nothing else may.
func (f *fumbler) look() error {
	return f.lookFor(f.between(20*time.Millisecond, 500*time.Millisecond))
}

func (f *fumbler) lookFor(d time.Duration) error {
	f.hurried = false
	rest := max(f.t.Sim.RestAt(), f.t.Now())
	f.u.rests(f.rested)
	if err := f.run(rest + f.settle + d); err != nil {
		return err
	}
	return f.expected(rest)
}

// expected waits for what is to come, and compares the lights.
func (f *fumbler) expected(rest time.Duration) error {
	for f.u.owes() != "" {
		if f.t.Now() > rest+patience {
			f.u.fault("stuck: nobody has said %v", f.u.owes())
			return errStuck
		}
		if g := f.t.Core.State.Lit(); f.u.counting() && g.Place()&^f.lying() != 0 {
			// The time is up, and a disc is still in a hand.
			if err := f.obey(&referee.Guide{PlaceBlack: g.PlaceBlack, PlaceWhite: g.PlaceWhite}); err != nil {
				return err
			}
			rest = f.rested
		}
		if err := f.run(f.t.Now() + 1); err != nil {
			return err
		}
	}
	f.u.quiet()
	return f.lights()
}

// press presses the clock on somebody's side.
func (f *fumbler) press(by side) error {
	if err := f.run(f.ready()); err != nil {
		return err
	}
	now := f.t.Now()
	f.note("%v presses", by.color())
	f.u.presses(by, now)
	if _, err := f.t.Do(referee.Pressed{At: now, By: by.color(), Wait: f.wait, Moving: f.t.Moving()}); err != nil {
		return err
	}
	return f.state()
}

// order gives an order at the page or with a button.
func (f *fumbler) order(name string, o referee.Order) (refused bool, err error) {
	f.note("order %s", name)
	r, err := f.t.Do(referee.Command{At: f.t.Now(), Audit: referee.Audit{Role: "arbiter", Name: name, Order: o}})
	if err != nil {
		return false, err
	}
	return r != nil, f.state()
}

// lights compares what the LEDs show with what the umpire knows that there is to
// do.
func (f *fumbler) lights() error {
	u := f.u
	d := differ(&u.final, &u.table)
	if u.over || d.gone != 0 || f.blind {
		return nil
	}
	var flips, wrong, place engine.Bitboard
	scene, now := f.t.Scene(), f.t.Now()
	for s := range engine.Square(engine.Squares) {
		switch scene.At(s, now) {
		case display.Flip:
			flips |= s.Bit()
		case display.Wrong:
			wrong |= s.Bit()
		case display.PlaceBlack, display.PlaceWhite:
			place |= s.Bit()
		case display.OK, display.Pass, display.Off, display.Fault, display.Hint, display.HintBest, display.Identify, display.Ask:
		}
	}
	return f.compareLights(d, flips, wrong, place)
}

func (f *fumbler) compareLights(d difference, flips, wrong, place engine.Bitboard) error {
	u := f.u
	free := bits(u.opening())
	switch {
	case u.claimed:
		right := u.mended()
		if todo := differ(&right, &u.table); todo.turned != flips|wrong {
			u.fault("to be put right are %v, the lights show %v and %v", todo.turned, flips, wrong)
		}
	case d.none() && (flips|wrong != 0 || place != free):
		u.fault("nothing is to be done, the lights show %v %v %v", flips, wrong, place)
	case u.told != "" && wrong == 0:
		u.fault("%s is wrong on %v, and no light says so", u.told, u.toldSet)
	case u.told == "" && u.meant != nil && u.law.shows == showsAlways && u.open == nil:
		if open := u.undone(u.given); flips != open || wrong != 0 {
			u.fault("to be turned are %v, the lights show %v and %v as wrong", open, flips, wrong)
		}
	}
	if u.wrongs != "" {
		return errWrong
	}
	return nil
}

// followLights does what the lights ask for until they ask for nothing more. They
// must lead to the right board in a few rounds.
func (f *fumbler) followLights() error {
	for range 6 {
		g := f.t.Core.State.Lit()
		if g.Flip|g.Turn|g.Remove == 0 && g.Place()&^bits(f.u.opening()) == 0 {
			return nil
		}
		f.note("the lights ask for %+v", g)
		if err := f.obey(&g); err != nil {
			return err
		}
		if err := f.look(); err != nil {
			return err
		}
	}
	f.u.fault("stuck: the lights still ask for %+v", f.t.Core.State.Lit())
	return errStuck
}

// obey does what a guide asks for.
func (f *fumbler) obey(g *referee.Guide) error {
	for _, p := range f.shuffled(g.Remove) {
		if err := f.lift(p); err != nil {
			return err
		}
	}
	todo := g.Flip | g.Turn
	inHand := todo &^ f.lying()
	if err := f.turnAll(todo &^ inHand); err != nil {
		return err
	}
	for _, p := range f.shuffled(inHand) {
		if err := f.put(p, f.u.final.at(p).other()); err != nil {
			return err
		}
	}
	free := bits(f.u.opening())
	for _, s := range []side{dark, light} {
		set := g.PlaceBlack
		if s == light {
			set = g.PlaceWhite
		}
		for _, p := range f.shuffled(set &^ free) {
			if err := f.put(p, s); err != nil {
				return err
			}
		}
	}
	return nil
}
