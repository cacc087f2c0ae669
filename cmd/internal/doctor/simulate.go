package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"periph.io/x/conn/v3/physic"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/calibrate"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/sim"
)

// Fault is a mistake of a builder, or a fault, for a simulated board. Its text
// form is Kind:What, such as dead:h8.
type Fault struct {
	Kind string
	// Square and Other are for cells and lights, Addr and Moved for chips, Name
	// for buttons.
	Square, Other engine.Square
	Addr, Moved   uint16
	Name          string
}

// FaultKinds lists what can be broken, with an example of each.
func FaultKinds() []string {
	return []string{
		"led:b3", "leds", "dead:h8", "reversed:c3", "stuck:a1", "both:e4", "flapping:g2", "weak:d4", "exchanged:c3-d3",
		"closed:b2", "shorted:b2", "diode:b2", "missing:0x23", "frozen:0x23", "moved:0x23-0x26", "noise:0x23",
		"sda", "scl", "slow", "button:hint", "display",
	}
}

// ParseFaults reads faults, separated by commas.
func ParseFaults(text string) (faults []Fault, err error) {
	for one := range strings.SplitSeq(text, ",") {
		f, err := parseFault(strings.TrimSpace(one))
		if err != nil {
			return nil, err
		}
		faults = append(faults, f)
	}
	return faults, nil
}

func parseFault(text string) (f Fault, err error) {
	kind, what, _ := strings.Cut(text, ":")
	i := slices.IndexFunc(FaultKinds(), func(k string) bool {
		name, _, _ := strings.Cut(k, ":")
		return name == kind
	})
	if i < 0 {
		return f, fmt.Errorf("%.32q cannot be broken: want some of %s", text, strings.Join(FaultKinds(), ", "))
	}
	f.Kind = kind
	first, second, two := strings.Cut(what, "-")
	_, example, needs := strings.Cut(FaultKinds()[i], ":")
	switch {
	case !needs && what == "":
		return f, nil
	case kind == "button":
		f.Name = what
		if what == "" {
			err = errors.New("no button is named")
		}
	case strings.HasPrefix(example, "0x"):
		if f.Addr, err = parseAddr(first); err == nil && two {
			f.Moved, err = parseAddr(second)
		}
	case needs:
		if f.Square, err = engine.ParseSquare(first); err == nil && two {
			f.Other, err = engine.ParseSquare(second)
		}
	default:
		err = errors.New("nothing may follow")
	}
	if err == nil && two != strings.Contains(example, "-") {
		err = errors.New("want it as in " + FaultKinds()[i])
	}
	if err != nil {
		return f, fmt.Errorf("break %.32q: %w", text, err)
	}
	return f, nil
}

func parseAddr(text string) (uint16, error) {
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 7)
	if err != nil || !strings.HasPrefix(text, "0x") {
		return 0, fmt.Errorf("%.16q is no address, such as 0x23", text)
	}
	return uint16(n), nil
}

// Bench is a simulated board with a simulated person at it, on a virtual clock:
// what takes a person minutes takes seconds. It is used by one goroutine, but
// anybody may ask for the time.
type Bench struct {
	// Sim is the board.
	Sim *sim.Board
	// now is the time in nanoseconds, moved when the board has moved on last.
	now   atomic.Int64
	moved time.Duration
	// Person is at the board.
	Person Hands
	person *person
}

// Simulate builds the board that the settings describe, as if a builder had made
// these mistakes.
func Simulate(h *configs.Hardware, faults []Fault) (*Bench, error) {
	b := &Bench{}
	w := app.Soldered(h)
	for i := range faults {
		if err := faults[i].solder(h, w); err != nil {
			return nil, err
		}
	}
	s := h.Simulation
	b.Sim = sim.New(sim.Options{Seed: s.Seed, Noise: s.Noise, Bounce: s.Bounce, Wiring: w, Now: b.Now})
	for _, bus := range []*emu.Bus{b.Sim.Bus(), b.Sim.SecondBus()} {
		if err := bus.SetSpeed(physic.Frequency(h.I2C.Hertz) * physic.Hertz); err != nil {
			return nil, err
		}
		bus.SetTiming(emu.Timing{Spend: func(d time.Duration) { b.now.Add(int64(d)) }, Wire: true, Timeout: 50 * time.Millisecond})
	}
	for i := range faults {
		if err := faults[i].plant(h, b.Sim); err != nil {
			return nil, err
		}
	}
	b.person = newPerson(b.Sim, h)
	b.Person = b.person
	b.Sim.Advance(0)
	return b, nil
}

// Now returns the virtual time.
func (b *Bench) Now() time.Duration { return time.Duration(b.now.Load()) }

// Hurry makes the person much quicker than people are.
func (b *Bench) Hurry() { b.person.hand.Hurry() }

// Clock returns the virtual clock.
func (b *Bench) Clock() Clock { return Clock{Now: b.Now, Sleep: b.sleep, Wait: b.wait, Virtual: true} }

// fine is how much time may pass in small pieces before the board moves on:
// drivers wait for microseconds, and discs do not move in them.
const fine = 5 * time.Millisecond

func (b *Bench) sleep(ctx context.Context, d time.Duration) error {
	b.now.Add(int64(d))
	if b.Now()-b.moved >= fine {
		b.move()
	}
	return ctx.Err()
}

func (b *Bench) wait(ctx context.Context, d time.Duration) error {
	b.now.Add(int64(d))
	b.move()
	return ctx.Err()
}

func (b *Bench) move() {
	b.moved = b.Now()
	b.Sim.Advance(b.moved)
}

// solder makes the mistakes that are made before a board is switched on.
func (f *Fault) solder(h *configs.Hardware, w *sim.Wiring) error {
	switch f.Kind {
	case "exchanged":
		calibrate.Exchange(w, f.Square, f.Other)
	case "display":
		w.OLED = 0
	case "moved":
		return f.move(h, w)
	}
	return nil
}

// move gives a chip another address.
func (f *Fault) move(h *configs.Hardware, w *sim.Wiring) error {
	wrong := fmt.Errorf("break: no chip can move from 0x%02x to 0x%02x", f.Addr, f.Moved)
	switch h.Kind {
	case configs.Hall128:
		i := slices.IndexFunc(w.Chips, func(c sim.Chip) bool { return c.Addr == f.Addr })
		taken := slices.ContainsFunc(w.Chips, func(c sim.Chip) bool { return i >= 0 && c.Addr == f.Moved && c.Bus == w.Chips[i].Bus })
		if i < 0 || taken || f.Moved < 0x20 || f.Moved > 0x27 {
			return wrong
		}
		w.Chips[i].Addr = f.Moved
	case configs.HallAnalog:
		w.ADCs = slices.Clone(w.ADCs)
		i := slices.Index(w.ADCs, f.Addr)
		if i < 0 || slices.Contains(w.ADCs, f.Moved) || f.Moved < 0x48 || f.Moved > 0x4B {
			return wrong
		}
		w.ADCs[i] = f.Moved
	default:
		return wrong
	}
	return nil
}

// plant makes the faults of a board that is switched on.
func (f *Fault) plant(h *configs.Hardware, b *sim.Board) error {
	switch f.Kind {
	case "led":
		b.BreakLED(int(f.Square), true)
	case "leds":
		for s := range engine.Squares {
			b.BreakLED(s, true)
		}
	case "dead", "reversed", "stuck", "both", "flapping", "weak":
		return f.plantCell(h, b)
	case "closed", "shorted", "diode":
		return f.plantContact(b)
	case "missing", "frozen", "noise":
		return f.plantChip(h, b)
	case "sda":
		b.Bus().Short(false, true)
	case "scl":
		b.Bus().Short(true, false)
	case "slow":
		return errors.Join(b.Bus().SetSpeed(100*physic.KiloHertz), b.SecondBus().SetSpeed(100*physic.KiloHertz))
	case "button":
		b.Button(f.Name).Press(true)
	}
	return nil
}

func (f *Fault) plantCell(h *configs.Hardware, b *sim.Board) error {
	if h.Kind == configs.Reed64 && f.Kind == "dead" {
		b.Matrix().FailReed(int(f.Square), emu.ReedDead)
		return nil
	}
	if h.Kind == configs.Reed64 {
		return fmt.Errorf("break: a contact cannot be %s", f.Kind)
	}
	fault, err := calibrate.Break(nil, f.Square, f.Kind, f.Square)
	if err != nil {
		return err
	}
	return b.FailCell(int(f.Square), fault)
}

func (f *Fault) plantContact(b *sim.Board) error {
	m := b.Matrix()
	switch {
	case m == nil:
		return fmt.Errorf("break: %s is for boards with contacts", f.Kind)
	case f.Kind == "closed":
		m.FailReed(int(f.Square), emu.ReedWelded)
	case f.Kind == "shorted":
		m.FailDiode(int(f.Square), emu.DiodeShorted)
	default:
		m.FailDiode(int(f.Square), emu.DiodeMissing)
	}
	return nil
}

func (f *Fault) plantChip(h *configs.Hardware, b *sim.Board) error {
	if f.Kind == "noise" {
		b.Bus().SetNoise(f.Addr, emu.Noise{Flips: 0.004})
		return nil
	}
	how := sim.BankNack
	if f.Kind == "frozen" {
		how = sim.BankFrozen
	}
	chips := slices.Concat(h.Expanders.Addresses, h.Expanders.Second)
	if h.Kind == configs.HallAnalog {
		chips = h.Analog.ADCs
	}
	i := slices.Index(chips, f.Addr)
	if i < 0 || h.Kind == configs.Reed64 {
		return fmt.Errorf("break: there is no chip at 0x%02x", f.Addr)
	}
	return b.FailBank(i, how)
}

// The times of a simulated person.
const (
	// glance is how long it looks before it answers: a second shows all blinking.
	glance = 1200 * time.Millisecond
	// pushAt and pushFor are when and how long it pushes a button; patience is
	// when it says that nothing happens.
	pushAt   = 500 * time.Millisecond
	pushFor  = 200 * time.Millisecond
	patience = 3 * time.Second
)

// person is a simulated one: it follows the lights with its discs, and says what
// it sees and hears.
type person struct {
	board *sim.Board
	hand  *calibrate.Hand
	// asked is the question at hand, since when; seen are the brightest lights
	// since then.
	asked  *Question
	since  time.Duration
	seen   [engine.Squares]sim.Light
	sounds int
	// held is the button that is pushed.
	held *sim.Button
}

func newPerson(board *sim.Board, h *configs.Hardware) *person {
	return &person{board: board, hand: calibrate.NewHand(board, h.NorthIsBlack, true)}
}

// Follow implements Hands.
func (p *person) Follow(now time.Duration, v *calibrate.View) Reply {
	if v.Stage == calibrate.Clearing && p.board.Intended() == [engine.Squares]sim.Face{} {
		// An empty board is empty, whatever its lights say.
		return Reply{Said: Yes}
	}
	switch a, err := p.hand.Look(now, v); {
	case err != nil:
		return Reply{Said: Enough} // A hand that is told what cannot be done gives up.
	case a == calibrate.Next:
		return Reply{Said: Yes}
	}
	return Reply{}
}

// Answer implements Hands.
func (p *person) Answer(now time.Duration, q *Question) Reply {
	if q != p.asked {
		p.asked, p.since, p.seen = q, now, [engine.Squares]sim.Light{}
	}
	p.look()
	waited := now - p.since
	switch {
	case q.Topic == Push:
		return p.push(waited, q)
	case waited < glance:
		return Reply{}
	}
	switch q.Topic {
	case Shine:
		return told(p.lit() ^ q.Lit)
	case Color:
		return told(p.lit() &^ p.colored(q.Color))
	case Sound:
		begun, _ := p.board.Buzzer().Sounds()
		heard := begun - p.sounds
		p.sounds = begun
		return yesOrNo(heard == 2)
	case Frame:
		return yesOrNo(p.framed())
	case Push:
	}
	return Reply{Said: Leave}
}

func yesOrNo(yes bool) Reply {
	if yes {
		return Reply{Said: Yes}
	}
	return Reply{Said: No}
}

// told names the squares that are not as they should be.
func told(wrong engine.Bitboard) Reply {
	if wrong == 0 {
		return Reply{Said: Yes}
	}
	return Reply{Said: These, Squares: wrong}
}

// look takes in the lights.
func (p *person) look() {
	for s, l := range p.board.Seen() {
		was := &p.seen[s]
		was.R, was.G, was.B = max(was.R, l.R), max(was.G, l.G), max(was.B, l.B)
	}
}

// lit returns the squares whose light was seen.
func (p *person) lit() (set engine.Bitboard) {
	for s, l := range p.seen {
		if l != (sim.Light{}) {
			set |= engine.Square(s).Bit()
		}
	}
	return set
}

// colored returns the squares whose light was seen in a color.
func (p *person) colored(color string) (set engine.Bitboard) {
	for s, l := range p.seen {
		name, _, _ := strings.Cut(color, ",")
		is := map[string]bool{
			"sky blue": l.B > 0 && l.B >= l.G && l.G >= l.R,
			"green":    l.G > 0 && l.R == 0 && l.B == 0,
			"red":      l.R > 0 && l.G == 0 && l.B == 0,
		}[name]
		if is {
			set |= engine.Square(s).Bit()
		}
	}
	return set
}

// framed reports whether the display shows a frame and nothing else.
func (p *person) framed() bool {
	panel := p.board.OLED()
	if panel == nil {
		return false
	}
	shown, want := panel.Lit(), framePicture()
	for y := range shown {
		for x := range shown[y] {
			if shown[y][x] != (want[x]>>y&1 == 1) {
				return false
			}
		}
	}
	return true
}

// push pushes the button that is asked for, and complains when nothing comes of
// it.
func (p *person) push(waited time.Duration, q *Question) Reply {
	b := p.board.Button(q.Button)
	switch {
	case waited >= patience:
		return Reply{Said: Yes}
	case waited >= pushAt && waited < pushAt+pushFor && p.held == nil:
		p.held = b
		b.Press(true)
	case waited >= pushAt+pushFor && p.held != nil:
		p.held.Press(false)
		p.held = nil
	}
	return Reply{}
}
