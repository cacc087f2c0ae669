package app

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/referee"
	"reversi-board/hardware/sim"
)

// tableFile keeps what lies on the simulated table, as discs stay on a real one
// while the program is not running. It is not part of the record.
const tableFile = "simulated-table.txt"

// turnTime is how long the visitor's hands take to turn a disc; liftTime is how
// long on a board that sees no colors, which has to see it gone for a moment.
const (
	turnTime = 250 * time.Millisecond
	liftTime = 700 * time.Millisecond
)

// hands move the discs of the simulated table for the page's visitor. They may
// be used from any goroutine.
type hands struct {
	board *sim.Board
	now   func() time.Duration
	// keep stores the picture of the table for the next start; tell wakes the
	// loop, since not everything that the hands are asked for moves a disc.
	keep func(table string)
	tell func()
	// blackUp is the face that shows black.
	blackUp sim.Face

	mu    sync.Mutex
	auto  bool
	robot bool
	held  map[engine.Square]engine.Color // by the sleeve
	ill   map[engine.Square]string
	shown string
	// start is what the game that is played, or is to be, begins with.
	start engine.Discs
	rng   *rand.Rand
}

// newHands lays the discs of file on the table, or those of start if there is
// no such file.
func newHands(board *sim.Board, file string, northIsBlack bool, start engine.Discs, now func() time.Duration,
	keep func(string), tell func(),
) (*hands, error) {
	h := &hands{
		board: board, now: now, keep: keep, tell: tell, blackUp: sim.NorthUp,
		held: make(map[engine.Square]engine.Color), ill: make(map[engine.Square]string),
		rng: rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano()))), //nolint:gosec // picks which discs a clumsy sleeve lifts
	}
	if !northIsBlack {
		h.blackUp = sim.SouthUp
	}
	text, err := os.ReadFile(file) //nolint:gosec // a fixed name in the data folder
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("read the simulated table: %w", err)
	default:
		if start, err = engine.ParseDiscs(string(text)); err != nil {
			return nil, fmt.Errorf("read the simulated table from %s: %w (delete the file to start anew)", file, err)
		}
	}
	h.lay(start)
	return h, nil
}

// lay puts exactly these discs on the table at once.
func (h *hands) lay(d engine.Discs) {
	var faces [engine.Squares]sim.Face
	for s := range engine.Square(engine.Squares) {
		faces[s] = h.face(d.At(s))
	}
	h.board.Set(faces)
}

func (h *hands) face(c engine.Color) sim.Face {
	other := sim.NorthUp + sim.SouthUp - h.blackUp
	switch c {
	case engine.Black:
		return h.blackUp
	case engine.White:
		return other
	case engine.None:
		return sim.NoDisc
	default:
		return sim.NoDisc
	}
}

func (h *hands) color(f sim.Face) engine.Color {
	if f == sim.NoDisc {
		return engine.None
	}
	if f == h.blackUp {
		return engine.Black
	}
	return engine.White
}

// discs returns what lies on the table.
func (h *hands) discs() engine.Discs {
	var d engine.Discs
	for s, f := range h.board.Faces() {
		d = d.With(engine.Square(s), h.color(f))
	}
	return d
}

// advance lets time pass on the table and reports whether discs have moved. The
// new picture is kept in the file.
func (h *hands) advance(now time.Duration) bool {
	h.board.Advance(now)
	text := h.discs().String()
	h.mu.Lock()
	moved := text != h.shown
	h.shown = text
	h.mu.Unlock()
	if moved {
		h.keep(text)
	}
	return moved
}

// table returns the 64 squares as -BW.
func (h *hands) table() string { return h.discs().String() }

// helping says whether the hands turn the visitor's discs, and whether they make
// the opponent's moves.
func (h *hands) helping() (auto, robot bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.auto, h.robot
}

// failed lists the squares whose sensors were made to fail.
func (h *hands) failed() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var set engine.Bitboard
	for s := range h.ill {
		set |= s.Bit()
	}
	return set.Names()
}

// Do performs one act of the visitor.
func (h *hands) Do(_ context.Context, a web.Act) error {
	err := h.act(a)
	h.tell()
	return err
}

func (h *hands) act(a web.Act) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	h.board.Advance(now)
	switch a.Op {
	case web.OpPlace:
		return h.place(now, a.Square, a.Color)
	case web.OpTurn:
		return h.turn(now, a.Square)
	case web.OpLift:
		return h.lift(now, a.Square)
	case web.OpSlide:
		_, err := h.board.Slide(now, int(a.Square), int(a.To), sim.SlideOptions{})
		return err
	case web.OpSleeve:
		return h.sleeve(now, a.Squares)
	case web.OpFail:
		return h.fail(a)
	case web.OpHeal:
		return h.heal(a)
	case web.OpAutoFlip:
		h.auto = a.On
	case web.OpRobot:
		h.robot = a.On
	case web.OpReset:
		clear(h.held)
		h.lay(h.start)
	case web.OpSweep:
		clear(h.held)
		h.lay(engine.Discs{})
	default:
		return fmt.Errorf("these hands cannot %q", a.Op)
	}
	return nil
}

func (h *hands) place(now time.Duration, s engine.Square, c engine.Color) error {
	_, err := h.board.Place(now, int(s), h.face(c))
	return err // it says what could not be done, and where
}

func (h *hands) turn(now time.Duration, s engine.Square) error {
	style, takes := sim.TurnInPlace, turnTime
	if h.board.Matrix() != nil {
		style, takes = sim.TurnThroughEmpty, liftTime
	}
	_, err := h.board.Turn(now, int(s), style, takes)
	return err
}

func (h *hands) lift(now time.Duration, s engine.Square) error {
	_, err := h.board.Lift(now, int(s))
	return err
}

// sleeve brushes over the board and lifts three discs, those of wish or three
// that lie together; the second time it puts them back as they were.
func (h *hands) sleeve(now time.Duration, wish engine.Bitboard) error {
	if len(h.held) > 0 {
		var errs []error
		for s, c := range h.held {
			errs = append(errs, h.place(now, s, c))
		}
		clear(h.held)
		return errors.Join(errs...)
	}
	d := h.discs()
	picked := wish & d.Occupied()
	for free := d.Occupied() &^ picked; picked.Count() < 3 && free != 0; free = d.Occupied() &^ picked {
		picked |= h.nearest(free, picked).Bit()
	}
	if picked == 0 {
		return errors.New("there are no discs on the table")
	}
	for s := range picked.All() {
		if err := h.lift(now, s); err != nil {
			return err
		}
		h.held[s] = d.At(s)
	}
	return nil
}

// nearest picks the square of free that is closest to those already picked, any
// one for the first.
func (h *hands) nearest(free, picked engine.Bitboard) engine.Square {
	if picked == 0 {
		for range h.rng.IntN(free.Count()) {
			free &= free - 1
		}
		return free.First()
	}
	from := picked.First()
	best, distance := free.First(), 1<<10
	for s := range free.All() {
		df, dr := s.File()-from.File(), s.Rank()-from.Rank()
		if d := df*df + dr*dr; d < distance {
			best, distance = s, d
		}
	}
	return best
}

// fail makes the sensor of a square fail, or the expander of its rank.
func (h *hands) fail(a web.Act) error {
	cell, rank := int(a.Square), a.Square.Rank()
	var err error
	switch a.Fault {
	case "dead":
		err = h.board.FailCell(cell, sim.CellFault{Kind: sim.Dead})
	case "stuck":
		err = h.board.FailCell(cell, sim.CellFault{Kind: sim.BothActive})
	case "flapping":
		err = h.board.FailCell(cell, sim.CellFault{Kind: sim.Flapping, Hz: 4})
	case "bank":
		err = h.board.FailBank(rank, sim.BankNack)
	default:
		return fmt.Errorf("no sensor fails as %q", a.Fault)
	}
	if err != nil {
		return fmt.Errorf("break the sensor of %v: %w", a.Square, err)
	}
	h.ill[a.Square] = a.Fault
	return nil
}

// heal mends one sensor, or all of them.
func (h *hands) heal(a web.Act) error {
	var errs []error
	for s, fault := range h.ill {
		switch {
		case a.HasSquare && s != a.Square:
			continue
		case fault == "bank":
			errs = append(errs, h.board.HealBank(s.Rank()))
		default:
			errs = append(errs, h.board.HealCell(int(s)))
		}
		delete(h.ill, s)
	}
	return errors.Join(errs...)
}

// makeWish places the disc of the opponent where it wants it, on a board that is
// as it should be.
func (h *hands) makeWish(s *referee.State, now time.Duration) bool {
	if !s.Wish.Active || s.Step != referee.ToMove || s.Problem.Active() || h.discs() != s.Game.Discs {
		return false
	}
	return h.place(now, s.Wish.Square, s.Game.Turn) == nil
}

// help notes which game it is, and turns the discs that the guide asks for, if
// the visitor wants only to move, or if they belong to the opponent's move and
// the robot makes it. A mistake is left to the visitor; a takeback by command is
// not one.
func (h *hands) help(s *referee.State) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.start = s.Match.Rules.Start.Discs
	robot := h.robot && s.Match.Opponent.Plays(s.Game.Turn)
	if !h.auto && !robot || s.Phase != referee.Playing || h.board.Busy() {
		return
	}
	now := h.now()
	if robot && h.makeWish(s, now) {
		return
	}
	// The guide speaks of the last settled reading. Discs that lie otherwise by
	// now have been turned already.
	same := ^h.discs().Diff(s.Sensed)
	for sq := range (s.Guide.Flip & same).All() {
		// Whoever was faster with that disc shows in the next reading.
		_ = h.turn(now, sq)
		now += turnTime / 2
	}
	if s.Problem.Active() {
		return
	}
	for sq := range (s.Guide.Remove & same).All() {
		_ = h.lift(now, sq)
	}
}
