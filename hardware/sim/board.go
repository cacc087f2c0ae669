package sim

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"periph.io/x/conn/v3/gpio"
	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/spi"

	"reversi-board/hardware/emu"
)

const (
	cells = 64
	rows  = 8
	// firstAddress is the expander of row 0; row r answers at firstAddress+r.
	firstAddress = 0x20
)

// Errors that hands return, wrapped with what was tried and where.
var (
	errNoDisc   = errors.New("no disc lies there")
	errOccupied = errors.New("a disc lies there already")
	errNoCell   = errors.New("there is no such cell; cells are 0 (a1) to 63 (h8)")
	errMoving   = errors.New("a hand is still at work there")
)

// Face is which pole a disc turns to the sensor below it.
type Face uint8

const (
	// NoDisc is an empty cell.
	NoDisc Face = iota
	// NorthUp makes the north output of the cell active.
	NorthUp
	// SouthUp makes the south output of the cell active.
	SouthUp
)

// String returns "no disc", "north" or "south".
func (f Face) String() string {
	switch f {
	case NoDisc:
		return "no disc"
	case NorthUp:
		return "north"
	case SouthUp:
		return "south"
	default:
		return fmt.Sprintf("Face(%d)", uint8(f))
	}
}

// sign returns the sign of the field at the sensor: north counts positive.
func (f Face) sign() float64 {
	switch f {
	case NorthUp:
		return 1
	case SouthUp:
		return -1
	case NoDisc:
		return 0
	default:
		return 0
	}
}

// turned returns the face after the disc is turned over.
func (f Face) turned() Face {
	switch f {
	case NorthUp:
		return SouthUp
	case SouthUp:
		return NorthUp
	case NoDisc:
		return NoDisc
	default:
		return f
	}
}

// Options describe a board; the zero value is the default board of the package
// comment.
type Options struct {
	// Seed draws the parts and the hands.
	Seed uint64
	// Noise is the standard deviation, in mT, of the field noise at every look
	// of a sensor. Keep it well below the hysteresis (0.7 mT).
	Noise float64
	// Bounce lets discs bounce when they are put down.
	Bounce bool
	// Magnet is the magnet in every disc; the zero value means 8 x 2 mm N35.
	Magnet Magnet
	// Gap is the distance in mm from the magnet's face to the sensor, 0 for 8.
	Gap float64
	// Pitch is the distance in mm from square to square, 0 for 40.
	Pitch float64
	// Hall is the sensor; the zero value means DRV5032DU.
	Hall HallSpec
	// Spread is how much of the parts' range they fill: 1 is all that the sheet
	// allows, 0 means 0.5, a negative value makes every part typical.
	Spread float64
	// Misplace is how far from the centre, in mm, hands put a disc at most; 0
	// means 3, a negative value makes them exact.
	Misplace float64
	// Wiring is how the board has been soldered; nil means Wired(HallDigital).
	Wiring *Wiring
	// Now is the time for chips that take theirs; nil means the last Advance.
	Now func() time.Duration
}

// orElse returns v, or, if v is zero, the default; a negative v means zero.
func orElse(v, byDefault float64) float64 {
	if v == 0 {
		return byDefault
	}
	return max(v, 0)
}

// disc is what lies on a cell.
type disc struct {
	face Face
	own  float64 // mT that it makes at the cell's sensor, sign aside
}

// planned is what will lie on a cell once every hand has done its work.
type planned struct {
	face Face
	aim  point
	free time.Duration // no hand is at work on the cell from then on
}

// plus returns the sum of two points.
func (p point) plus(q point) point { return point{x: p.x + q.x, y: p.y + q.y} }

// Board is the simulated board. Make it with [New].
type Board struct {
	mu sync.Mutex

	field    *field
	seed     uint64
	noise    float64
	bounce   bool
	misplace float64
	hands    random

	wiring *Wiring
	buses  [buses]*emu.Bus
	// adapters are behind the buses, portAdapter is behind the port of the LEDs.
	adapters    [buses]Adapter
	portAdapter Adapter
	sensors     sensors
	lights      lights
	oled        *emu.SSD1306
	buttons     map[string]*Button
	buzzer      Buzzer
	clock       func() time.Duration
	// advanced is the time of the last Advance.
	advanced atomic.Int64

	now     time.Duration
	started bool // Advance has been called
	// settled: from then on every sensor has looked since the last change.
	settled time.Duration

	lying    [cells]disc
	strength [cells]float64 // of the disc's magnet, 1 = as it should be
	still    [cells]float64 // mT of all lying discs at each sensor
	stale    bool           // still must be computed anew
	motions  []motion
	plan     [cells]planned

	period       time.Duration // between two looks of a sensor
	halls        [cells]hall
	look         [cells]time.Duration // next look of each sensor
	asleep       bool                 // look has not been kept up to date
	north, south uint64               // outputs as the sensors give them

	faults faults
}

// New returns a board with no discs on it. Nothing has been measured before the
// first Advance.
func New(o Options) *Board {
	if o.Magnet == (Magnet{}) {
		o.Magnet = Magnet{Diameter: 8, Thickness: 2, Remanence: 1170}
	}
	if o.Hall == (HallSpec{}) {
		o.Hall = DRV5032DU()
	}
	if o.Wiring == nil {
		o.Wiring = Wired(HallDigital)
	}
	parts := random{state: mix(o.Seed)}
	b := &Board{
		field: newField(o.Magnet, orElse(o.Gap, 8), orElse(o.Pitch, 40)),
		seed:  o.Seed, noise: max(o.Noise, 0), bounce: o.Bounce,
		misplace: orElse(o.Misplace, 3),
		hands:    random{state: mix(^o.Seed)},
		wiring:   o.Wiring, clock: o.Now,
		period:  samplePeriod,
		motions: make([]motion, 0, cells),
		stale:   true,
	}
	if b.clock == nil {
		b.clock = b.lastAdvance
	}
	if o.Wiring.Kind == Reed {
		b.period = reedPeriod
	}
	for c := range b.halls {
		b.halls[c] = newHall(o.Hall, min(orElse(o.Spread, 0.5), 1), &parts)
		b.halls[c].phase %= b.period
		b.strength[c] = 1
	}
	for i := range b.buses {
		b.buses[i] = emu.NewBus()
	}
	b.plugIn()
	switch o.Wiring.Kind {
	case HallDigital:
		b.sensors = newExpanders(o.Wiring, &b.buses)
	case Reed:
		b.sensors = &contacts{wiring: o.Wiring, matrix: emu.NewReedMatrix(emu.ReedOptions{})}
	case HallAnalog:
		b.sensors = newLinear(b, min(orElse(o.Spread, 0.5), 1), &parts)
	}
	b.lights = newLights(o.Wiring, b.buses[0])
	if o.Wiring.OLED != 0 {
		b.oled = emu.NewSSD1306(emu.OLEDOptions{Addr: o.Wiring.OLED, SH1106: o.Wiring.SH1106})
		b.buses[0].Attach(b.oled)
	}
	return b
}

// lastAdvance is the clock of chips when the caller has none for them. They ask
// during transfers and when they fail, with or without the board's lock held.
func (b *Board) lastAdvance() time.Duration { return time.Duration(b.advanced.Load()) }

// I2C opens the first bus. It is the same every time; opening it once more makes
// a closed one usable again.
func (b *Board) I2C() i2c.BusCloser { return b.open(0) }

// SecondI2C opens the second bus, on which nothing stands unless the wiring says
// so.
func (b *Board) SecondI2C() i2c.BusCloser { return b.open(1) }

func (b *Board) open(bus int) i2c.BusCloser {
	b.buses[bus].Reopen()
	return b.buses[bus]
}

// SPI opens the port with the LEDs, anew like [Board.I2C]; it is nil when they
// are not on SPI.
func (b *Board) SPI() spi.PortCloser { return b.lights.port() }

// Select switches the multiplexers of a HallAnalog board; nil on another one.
func (b *Board) Select() *emu.MuxBank {
	if l, ok := b.sensors.(*linear); ok {
		return l.mux
	}
	return nil
}

// Matrix returns the contacts of a Reed board, nil on another one.
func (b *Board) Matrix() *emu.ReedMatrix {
	if r, ok := b.sensors.(*contacts); ok {
		return r.matrix
	}
	return nil
}

// Bus returns the first emulated bus, for its counters, its recorder and its
// faults.
func (b *Board) Bus() *emu.Bus { return b.buses[0] }

// SecondBus returns the second emulated bus.
func (b *Board) SecondBus() *emu.Bus { return b.buses[1] }

// Chip returns an expander of a HallDigital board, by its number in
// Wiring.Chips; nil if it is no TCA9555 or PCA9555.
func (b *Board) Chip(number int) *emu.TCA9555 {
	if e, ok := b.sensors.(*expanders); ok {
		chip, _ := e.chips[number].(*emu.TCA9555)
		return chip
	}
	return nil
}

// ADC returns a converter of a HallAnalog board, by its number in Wiring.ADCs;
// nil on another one.
func (b *Board) ADC(number int) *emu.ADS1115 {
	if l, ok := b.sensors.(*linear); ok {
		return l.adcs[number]
	}
	return nil
}

// Strip returns the emulated APA102 chain, for its counters and its faults; nil
// if the LEDs are others.
func (b *Board) Strip() *emu.APA102 { return b.lights.strip }

// Chain returns the emulated WS2812 strip, nil if the LEDs are others.
func (b *Board) Chain() *emu.WS2812 { return b.lights.chain }

// Digits returns the emulated MAX7219, nil if the LEDs are others.
func (b *Board) Digits() *emu.MAX7219 { return b.lights.digits }

// Module returns the emulated HT16K33, nil if the LEDs are others.
func (b *Board) Module() *emu.HT16K33 { return b.lights.matrix }

// OLED returns the emulated display, nil if the wiring has none.
func (b *Board) OLED() *emu.SSD1306 { return b.oled }

// LEDs returns what the APA102 LEDs show, one for each cell; all are dark if the
// LEDs are others.
func (b *Board) LEDs() (out [cells]emu.LED) {
	if b.lights.strip == nil {
		return out
	}
	var l [cells]emu.LED
	b.lights.strip.CopyLEDs(l[:])
	for c := range out {
		if b.lights.broken>>c&1 == 0 {
			out[c] = l[b.wiring.LED[c]]
		}
	}
	return out
}

// Seen returns what an eye sees at the cells at the chips' time, whatever the
// LEDs are.
func (b *Board) Seen() [cells]Light { return b.lights.seen(b.clock()) }

// BreakLED lets the LED of a cell stay dark, or mends it.
func (b *Board) BreakLED(cell int, broken bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lights.broken &^= 1 << cell
	if broken {
		b.lights.broken |= 1 << cell
	}
}

// INT returns the level of the common interrupt line: low while any expander
// that has not been taken off the board pulls it.
func (b *Board) INT() gpio.Level {
	b.mu.Lock()
	defer b.mu.Unlock()
	return gpio.Level(b.faults.lostINT || !b.sensors.low())
}

// Set puts discs on the board, exactly centred and in no time, and takes all
// others and all hands away. The sensors see it at their next looks, within
// 50 ms.
func (b *Board) Set(faces [cells]Face) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.motions = b.motions[:0]
	for c, f := range faces {
		if f > SouthUp {
			f = NoDisc
		}
		b.lying[c] = disc{face: f, own: b.field.kernel[0][0]}
		b.plan[c] = planned{face: f}
	}
	b.changed()
}

// Faces returns the truth: the discs that lie on cells at the last Advance. A
// disc in somebody's hand lies nowhere.
func (b *Board) Faces() [cells]Face {
	b.mu.Lock()
	defer b.mu.Unlock()
	var f [cells]Face
	for c := range b.lying {
		f[c] = b.lying[c].face
	}
	return f
}

// Intended returns the discs that will lie on cells once all hands are at rest.
func (b *Board) Intended() [cells]Face {
	b.mu.Lock()
	defer b.mu.Unlock()
	var f [cells]Face
	for c := range b.plan {
		f[c] = b.plan[c].face
	}
	return f
}

// AtRest tells whether every hand that has been given something to do has
// finished by the time now; the sensors may need 50 ms more to see it.
func (b *Board) AtRest(now time.Duration) bool { return now >= b.RestAt() }

// Busy tells whether a hand is at work, or will be, at the last Advance.
func (b *Board) Busy() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.motions) > 0
}

// RestAt returns when the last hand finishes, the time of the last Advance if
// none is at work.
func (b *Board) RestAt() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.now
	for i := range b.motions {
		t = max(t, b.motions[i].rest)
	}
	return t
}

// Field returns the field in mT at a cell's sensor at the last Advance, without
// noise; north is positive.
func (b *Board) Field(cell int) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refresh()
	return b.at(cell, b.now)
}

// Advance moves time on: hands move, sensors look, pins follow. What the bus
// shows afterwards is the board at time now. Going back in time does nothing.
func (b *Board) Advance(now time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.started {
		// One whole period before the first instant: every sensor has looked.
		b.started = true
		b.now = now - b.period
		b.settled = now
		b.asleep = true
		for i := range b.motions {
			b.now = min(b.now, b.motions[i].start)
		}
	}
	for b.now < now {
		b.handOver()
		until := b.until(now)
		b.sense(until)
		b.now = until
	}
	b.handOver()
	b.advanced.Store(int64(b.now))
	b.drive()
}

// until returns the next time at which a disc leaves its square or comes to
// rest, at most now.
func (b *Board) until(now time.Duration) time.Duration {
	for i := range b.motions {
		m := &b.motions[i]
		next := m.start
		if m.active {
			next = m.rest
		}
		now = min(now, next)
	}
	return now
}

// handOver puts down the discs that have come to rest, and then takes those
// whose time has come off their squares: in this order one hand can take at
// once what another has put down.
func (b *Board) handOver() {
	for i := 0; i < len(b.motions); {
		m := &b.motions[i]
		if !m.active || m.rest > b.now {
			i++
			continue
		}
		if m.to >= 0 {
			b.lying[m.to] = disc{face: m.ends, own: b.field.at(math.Hypot(m.aim.x, m.aim.y), 0)}
		}
		b.changed()
		last := len(b.motions) - 1
		b.motions[i] = b.motions[last]
		b.motions[last] = motion{}
		b.motions = b.motions[:last]
	}
	for i := range b.motions {
		m := &b.motions[i]
		if m.active || m.start > b.now {
			continue
		}
		m.active = true
		m.strength = b.strength[max(m.from, m.to)]
		if m.from >= 0 {
			m.strength = b.strength[m.from]
			b.lying[m.from] = disc{}
		}
		b.changed()
	}
}

// changed notes that the lying discs are others than before.
func (b *Board) changed() {
	b.stale = true
	b.settled = b.now + b.period
}

// moving tells whether a disc is in a hand.
func (b *Board) moving() bool {
	for i := range b.motions {
		if b.motions[i].active {
			return true
		}
	}
	return false
}

// sense lets the sensors look from now (exclusive) to until (inclusive); no disc
// leaves its square or comes to rest in between.
func (b *Board) sense(until time.Duration) {
	moving := b.moving()
	if !moving && b.noise == 0 && b.now >= b.settled {
		b.asleep = true // nothing that a look could change
		return
	}
	if b.asleep {
		b.wake()
	}
	b.refresh()
	for c := range b.look {
		for t := b.look[c]; t <= until; t += b.period {
			field := b.still[c]
			if moving {
				field = b.at(c, t)
			}
			b.sample(c, t, field)
			b.look[c] = t + b.period
		}
	}
}

// wake computes every sensor's first look after now.
func (b *Board) wake() {
	b.asleep = false
	for c := range b.look {
		since := (b.now - b.halls[c].phase) % b.period // since the last look
		if since < 0 {
			since += b.period
		}
		b.look[c] = b.now - since + b.period
	}
}

// sample is one look of one sensor.
func (b *Board) sample(c int, t time.Duration, field float64) {
	h := &b.halls[c]
	bit := uint64(1) << c
	north, south := b.north&bit != 0, b.south&bit != 0
	if b.noise > 0 {
		margin := min(math.Abs(field-h.north.edge(north)), math.Abs(-field-h.south.edge(south)))
		if margin <= maxSigmas*b.noise { // else no noise can matter
			field += b.noise * gauss(b.seed, uint64(c), uint64(t))
		}
	}
	b.north, b.south = b.north&^bit, b.south&^bit
	if h.north.next(north, field) {
		b.north |= bit
	}
	if h.south.next(south, -field) {
		b.south |= bit
	}
}

// refresh computes the field of the lying discs if they have changed.
func (b *Board) refresh() {
	if !b.stale {
		return
	}
	b.stale = false
	b.still = [cells]float64{}
	for d := range b.lying {
		face := b.lying[d].face
		if face == NoDisc {
			continue
		}
		strength := face.sign() * b.strength[d]
		for c := range b.still {
			b.still[c] += strength * b.field.kernel[abs(c>>3-d>>3)][abs(c&7-d&7)]
		}
		b.still[d] += strength * (b.lying[d].own - b.field.kernel[0][0])
	}
}

func abs(n int) int { return max(n, -n) }

// at returns the field at a sensor at time t, at which no disc changes between
// lying and moving.
func (b *Board) at(c int, t time.Duration) float64 {
	sum := b.still[c]
	here := b.centre(c)
	for i := range b.motions {
		m := &b.motions[i]
		if !m.active {
			continue
		}
		if p := m.pose(t); p.lift < reach {
			r := math.Hypot(p.at.x-here.x, p.at.y-here.y)
			sum += m.face.sign() * m.strength * p.up * b.field.at(r, p.lift)
		}
	}
	return sum
}

// centre returns where a cell is, in mm from a1. A number that is no cell gives
// some place.
func (b *Board) centre(cell int) point {
	return point{x: float64(cell&7) * b.field.pitch, y: float64(cell>>3) * b.field.pitch}
}

// drive puts the sensors' outputs, as the faults leave them, on the wires.
func (b *Board) drive() {
	b.sensors.drive(b.faults.outputs(b.north, b.south, b.now))
}

// name returns a cell as players call its square, or its number.
func name(cell int) string {
	if cell < 0 || cell >= cells {
		return fmt.Sprintf("cell %d", cell)
	}
	return string([]byte{"abcdefgh"[cell&7], "12345678"[cell>>3]})
}
