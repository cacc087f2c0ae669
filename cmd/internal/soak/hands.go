package soak

import (
	"context"
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

const (
	// patience is how long after the last disc has come to rest the hands wait
	// for the move to be committed.
	patience = 10 * time.Second
	// lightsPatience is how long a player waits for the LEDs.
	lightsPatience = time.Second
	// quiet is how long nothing may happen after a game.
	quiet = time.Second
)

// fact is an event as the board announced it.
type fact struct {
	seq     uint64
	event   referee.Event
	payload []byte
}

// act is what the hands do for one move. Tests spoil it.
type act struct {
	// face is the side that the mover's discs show.
	face sim.Face
	at   engine.Square
	// turn are the discs to turn over, in any order.
	turn []engine.Square
	// lying are the discs that lie on the board before the move.
	lying engine.Discs
}

// player plays one game with two hands.
type player struct {
	t   *virtual.Table
	rnd *rand.Rand
	// spoil, if not nil, changes what the hands do for the disc with that
	// number: the tests' way to make mistakes.
	spoil func(number int, a *act)

	seen []fact
	// moved and over count what was announced.
	moved, overs, started int
	// latency is the worst time from a disc at rest to its lights.
	latency time.Duration
	// measured counts the moves at which it was taken.
	measured int
	// early is when the disc of the next move comes to rest that was placed
	// before the last move was committed; zero otherwise.
	early time.Duration
	// blind says that the board sees no colors. Hands then turn discs by lifting
	// them for a moment, put down one disc at a time, and wait for a move to be
	// seen before the next one: what such a board asks of its players.
	blind bool
	// brief says that fidgeting hands put discs back soon.
	brief bool
	// storm breaks the board meanwhile, nil on a sound one.
	storm *storm
	// board is the record at the end of the game, lying what then lies on the
	// table.
	board, lying engine.Discs
}

// hear takes in an event.
func (p *player) hear(f app.Fact, _ time.Duration) {
	p.seen = append(p.seen, fact{seq: f.Seq, event: f.Event, payload: f.Payload})
	switch f.Event.(type) {
	case referee.GameStarted:
		p.started++
	case referee.Moved:
		p.moved++
	case referee.GameOver:
		p.overs++
	case referee.Passed, referee.Undone, referee.Illegal, referee.Faulted, referee.Restored,
		referee.PowerRestored, referee.EngineLost, referee.Commanded, referee.FlipError, referee.Revised, referee.PositionSet, referee.ClockFlag, referee.ClockAdjusted,
		referee.GamePaused, referee.GameResumed, referee.TimeStepped:
	}
}

// between draws a time.
func (p *player) between(low, high time.Duration) time.Duration {
	return low + time.Duration(p.rnd.Int64N(int64(high-low)))
}

// often is true in so many of a hundred cases.
func (p *player) often(percent int) bool { return p.rnd.IntN(100) < percent }

// until lets time pass, scan by scan, until done or the deadline.
func (p *player) until(deadline time.Duration, done func() bool) (bool, error) {
	for !done() {
		if p.t.Now() >= deadline {
			return false, nil
		}
		if err := p.scan(); err != nil {
			return false, err
		}
	}
	return true, nil
}

// scan lets one scan pass.
func (p *player) scan() error {
	if p.storm != nil {
		if err := p.storm.step(); err != nil {
			return err
		}
	}
	return p.t.Run(1)
}

// wait lets time pass.
func (p *player) wait(d time.Duration) error {
	if p.storm == nil {
		return p.t.Run(d)
	}
	_, err := p.until(p.t.Now()+d, func() bool { return false })
	return err
}

// ending says how far the hands have come.
type ending struct {
	// plies is how many lines of the script were played.
	plies int
	// stuck says that the last one of them was never committed; astray that
	// after it the record was another than it should be.
	stuck, astray bool
	// again says that the start position was laid out for the next game.
	again bool
	// firstDisc is what began the next game where the start is the empty board,
	// nil elsewhere.
	firstDisc *ply
}

// play plays the game on a table whose start position has been laid out, and
// then lays out the next one.
func (p *player) play(ctx context.Context, sc *script) (ending, error) {
	e, err := p.playMoves(ctx, sc)
	if err != nil {
		return e, err
	}
	if err := p.calm(); err != nil {
		return e, err
	}
	// A hand may still be holding a disc that it has fidgeted with.
	if err := p.wait(p.t.Sim.RestAt() - p.t.Now() + quiet); err != nil {
		return e, err
	}
	p.board, p.lying = p.t.Core.State.Game.Discs, engine.Discs{}
	for s, face := range p.t.Sim.Faces() {
		p.lying = p.lying.With(engine.Square(s), colorOf(face))
	}
	if e.stuck || e.astray || p.overs == 0 {
		return e, nil
	}
	e.again = true
	if sc.start == bareBoard() {
		e.firstDisc, err = p.beginAgain(sc)
		return e, err
	}
	return e, p.layOut(sc)
}

// playMoves plays until the script ends or the board does not follow.
func (p *player) playMoves(ctx context.Context, sc *script) (ending, error) {
	var e ending
	begun, err := p.until(p.t.Now()+p.patience(), func() bool { return p.started > 0 })
	if err != nil || !begun {
		e.stuck = true
		return e, err
	}
	lying := sc.start
	for i := range sc.plies {
		line := &sc.plies[i]
		e.plies = i + 1
		if !line.pass {
			if err := ctx.Err(); err != nil {
				return e, fmt.Errorf("play disc %d: %w", line.number, err)
			}
			// In the opening, discs that are off the board for long have been
			// taken back.
			p.brief = sc.start == bareBoard() && line.number <= 5
			done, err := p.move(line, &lying, next(sc, i))
			if err != nil {
				return e, fmt.Errorf("play disc %d: %w", line.number, err)
			}
			e.stuck, e.astray = !done, p.t.Core.State.Game.Discs != line.after.discs()
			if e.stuck || e.astray {
				return e, nil
			}
		}
		lying = line.after
	}
	return e, nil
}

// next returns the line after i that places a disc, nil if there is none.
func next(sc *script, i int) *ply {
	for i++; i < len(sc.plies); i++ {
		if !sc.plies[i].pass {
			return &sc.plies[i]
		}
	}
	return nil
}

// layOut sweeps the discs off the table and lays out the start of the next
// game: at once, or disc by disc.
func (p *player) layOut(sc *script) error {
	if err := p.sweep(); err != nil {
		return err
	}
	discs := sc.start.discs()
	if p.often(50) {
		p.t.Lay(discs)
	} else {
		var squares []engine.Square
		for s := range discs.Occupied().All() {
			squares = append(squares, s)
		}
		now := p.t.Now()
		for _, i := range p.rnd.Perm(len(squares)) {
			s := squares[i]
			rest, err := p.t.Sim.Place(now, int(s), virtual.Face(discs.At(s)))
			if err != nil {
				return err
			}
			now = rest + p.between(0, 500*time.Millisecond)
		}
	}
	before := p.started
	_, err := p.until(p.t.Sim.RestAt()+patience, func() bool { return p.started > before })
	if err != nil {
		return err
	}
	return p.wait(quiet / 2)
}

// sweep takes all discs off the table.
func (p *player) sweep() error {
	p.t.Sim.Set([engine.Squares]sim.Face{})
	return p.wait(p.between(200*time.Millisecond, time.Second))
}

// beginAgain sweeps the discs off the table, which begins nothing, and places
// the first disc of the next game on the empty board.
func (p *player) beginAgain(sc *script) (*ply, error) {
	if err := p.sweep(); err != nil {
		return nil, err
	}
	if err := p.wait(quiet); err != nil {
		return nil, err
	}
	first := ply{by: sc.first, at: centre()[p.rnd.IntN(4)], after: sc.start}
	first.after[first.at.row][first.at.col] = sc.first
	before := p.moved
	rest, err := p.t.Sim.Place(p.t.Now(), int(first.at.square()), virtual.Face(sc.first.color()))
	if err != nil {
		return nil, err
	}
	if _, err := p.until(rest+patience, func() bool { return p.moved > before }); err != nil {
		return nil, err
	}
	return &first, p.wait(quiet / 2)
}

// move makes one move. It reports whether it was committed in time.
func (p *player) move(line *ply, lying *board, reply *ply) (bool, error) {
	if err := p.waitToSee(); err != nil {
		return false, err
	}
	a := act{face: virtual.Face(line.by.color()), at: line.at.square(), lying: lying.discs()}
	for _, f := range line.flipped {
		a.turn = append(a.turn, f.square())
	}
	if p.spoil != nil {
		p.spoil(line.number, &a)
	}
	began, placed, err := p.place(&a)
	if err != nil {
		return false, err
	}
	from, err := p.pause(&a, line.flips(), began, placed)
	if err != nil {
		return false, err
	}
	rest, err := p.flip(&a, from)
	if err != nil {
		return false, err
	}
	rest = max(rest, placed)
	// A quick opponent does not wait for the move to be seen.
	if reply != nil && p.spoil == nil && p.often(8) && !p.blind && p.storm == nil {
		p.early, err = p.t.Sim.Place(rest+p.between(20*time.Millisecond, 150*time.Millisecond),
			int(reply.at.square()), virtual.Face(reply.by.color()))
		if err != nil {
			return false, err
		}
		rest = p.early
	}
	if p.storm != nil {
		return p.seeThrough(line, rest)
	}
	return p.until(rest+patience, func() bool { return p.moved >= line.number })
}

// place thinks, fidgets and places the disc. It returns when the hand sets out
// and when the disc comes to rest.
func (p *player) place(a *act) (began, rest time.Duration, err error) {
	if p.early > 0 {
		rest, p.early = p.early, 0
		return rest, rest, nil
	}
	began = max(p.t.Now(), p.t.Sim.RestAt()) + p.think()
	if p.often(5) && p.mayFidget() {
		among := a.lying.Occupied()
		if p.blind {
			// Lifted together with the placing, a disc counts as turned.
			for _, s := range a.turn {
				among &^= s.Bit()
			}
		}
		if began, err = p.fidget(began, among, a.lying); err != nil {
			return 0, 0, err
		}
	}
	rest, err = p.t.Sim.Place(began, int(a.at), a.face)
	return began, rest, err
}

// mayFidget reports whether a disc that is lifted and put back says nothing. On a
// board that sees no colors it does while there is a cell that is not believed.
func (p *player) mayFidget() bool { return !p.blind || p.t.Core.State.Masked == 0 }

// think draws a time for thinking. Most of it is short: what matters are
// hands.
func (p *player) think() time.Duration {
	switch n := p.rnd.IntN(20); {
	case n < 12:
		return p.between(50*time.Millisecond, 500*time.Millisecond)
	case n < 19:
		return p.between(500*time.Millisecond, 1500*time.Millisecond)
	default:
		return p.between(1500*time.Millisecond, 6*time.Second)
	}
}

// fidget lifts a disc and puts it back unchanged. It returns when the hand is
// free for something else.
func (p *player) fidget(from time.Duration, among engine.Bitboard, lying engine.Discs) (time.Duration, error) {
	if among == 0 {
		return from, nil
	}
	squares := make([]engine.Square, 0, engine.Squares)
	for s := range among.All() {
		squares = append(squares, s)
	}
	s := squares[p.rnd.IntN(len(squares))]
	up, err := p.t.Sim.Lift(from, int(s))
	if err != nil {
		return 0, err
	}
	hold := p.between(0, 800*time.Millisecond)
	// Off for long, a disc whose flips lie on cells that are not believed has been
	// taken back as well.
	if p.often(15) && !p.brief && p.t.Core.State.Masked == 0 {
		hold = p.between(3*time.Second, 4*time.Second) // the board asks for it by then
	}
	down, err := p.t.Sim.Place(up+hold, int(s), virtual.Face(lying.At(s)))
	if err != nil {
		return 0, err
	}
	return down + p.between(0, 400*time.Millisecond), nil
}

// pause returns when the hands begin to turn discs: before the placed disc has
// come to rest, soon after, or when the lights have told which.
func (p *player) pause(a *act, lights engine.Bitboard, began, rest time.Duration) (time.Duration, error) {
	switch n := p.rnd.IntN(100); {
	case n < 20 && rest > began:
		return began + p.between(0, rest-began), nil
	case n < 65:
		return rest + p.between(0, 400*time.Millisecond), nil
	default:
		if err := p.watch(lights, rest); err != nil {
			return 0, err
		}
		from := max(p.t.Now(), rest) + p.between(0, 300*time.Millisecond)
		if !p.often(5) {
			return from, nil
		}
		// Adjusting the disc just placed.
		return p.fidget(from, a.at.Bit(), a.lying.With(a.at, colorOf(a.face)))
	}
}

func colorOf(f sim.Face) engine.Color {
	switch f {
	case sim.NorthUp:
		return engine.Black
	case sim.SouthUp:
		return engine.White
	case sim.NoDisc:
		return engine.None
	default:
		return engine.None
	}
}

// watch waits for the lights of the discs to turn, and measures how long they
// take from the placed disc's rest.
func (p *player) watch(want engine.Bitboard, rest time.Duration) error {
	sound := true
	_, err := p.until(rest+lightsPatience, func() bool {
		// What fails while the hand is on its way may cost time at the end.
		sound = sound && p.sound()
		return p.lit(want)
	})
	if sound {
		p.latency = max(p.latency, p.t.Now()-rest)
		p.measured++
	}
	return err
}

// lit reports whether exactly these discs are shown as to be turned, and the
// LEDs have been sent light for them, and for nothing that the scene leaves
// dark.
func (p *player) lit(want engine.Bitboard) bool {
	scene, now := p.t.Scene(), p.t.Now()
	var meant, dark engine.Bitboard
	for s := range engine.Square(engine.Squares) {
		switch scene.At(s, now) {
		case display.Flip:
			meant |= s.Bit()
		case display.Off:
			dark |= s.Bit()
		case display.Wrong, display.PlaceBlack, display.PlaceWhite, display.OK, display.Pass,
			display.Fault, display.Hint, display.HintBest, display.Identify, display.Ask:
		}
	}
	if meant != want {
		return false
	}
	for s, l := range p.t.Sim.Seen() {
		on := l != sim.Light{}
		if want.Has(engine.Square(s)) && !on || dark.Has(engine.Square(s)) && on {
			return false
		}
	}
	return true
}

// flip turns the discs with one hand or with both at once, in any order. It
// returns when everything lies at rest.
func (p *player) flip(a *act, from time.Duration) (rest time.Duration, err error) {
	p.rnd.Shuffle(len(a.turn), func(i, j int) { a.turn[i], a.turn[j] = a.turn[j], a.turn[i] })
	hands := [][]engine.Square{a.turn}
	if len(a.turn) > 1 && p.often(40) && !p.blind {
		half := (len(a.turn) + 1) / 2
		hands = [][]engine.Square{a.turn[:half], a.turn[half:]}
	}
	liftFirst := p.often(12)
	rest = from
	for _, discs := range hands {
		free := from + p.between(0, 200*time.Millisecond)
		if liftFirst {
			free, err = p.liftThenPlace(discs, a.face, free)
		} else {
			free, err = p.turn(discs, free)
		}
		if err != nil {
			return 0, err
		}
		rest = max(rest, free)
	}
	if p.often(3) && !p.blind {
		others := a.lying.Occupied() &^ a.at.Bit()
		for _, s := range a.turn {
			others &^= s.Bit()
		}
		free, err := p.fidget(from+p.between(0, time.Second), others, a.lying)
		if err != nil {
			return 0, err
		}
		rest = max(rest, free)
	}
	return rest, nil
}

// turn turns discs one after the other.
func (p *player) turn(discs []engine.Square, free time.Duration) (time.Duration, error) {
	var err error
	for _, s := range discs {
		style, takes := sim.TurnInPlace, time.Duration(0)
		if p.often(45) || p.blind {
			style = sim.TurnThroughEmpty
		}
		if p.blind {
			takes = p.between(500*time.Millisecond, 900*time.Millisecond)
		}
		if free, err = p.t.Sim.Turn(free+p.gap(), int(s), style, takes); err != nil {
			return 0, err
		}
	}
	return free, nil
}

// liftThenPlace picks all discs up before it puts the first one back.
func (p *player) liftThenPlace(discs []engine.Square, face sim.Face, free time.Duration) (time.Duration, error) {
	var err error
	for _, s := range discs {
		if free, err = p.t.Sim.Lift(free+p.gap(), int(s)); err != nil {
			return 0, err
		}
	}
	for _, s := range discs {
		if free, err = p.t.Sim.Place(free+p.gap(), int(s), face); err != nil {
			return 0, err
		}
	}
	return free, nil
}

// gap draws the time between two discs of one hand.
func (p *player) gap() time.Duration {
	if p.often(4) {
		return p.between(300*time.Millisecond, 2*time.Second)
	}
	return p.between(0, 250*time.Millisecond)
}
