package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"periph.io/x/conn/v3/gpio"
	"periph.io/x/conn/v3/i2c"

	"reversi-board/configs"
	"reversi-board/hardware"
)

const (
	// firstAddr and lastAddr bound the addresses that chips can have (NXP UM10204,
	// section 3.1.12: the others are reserved).
	firstAddr, lastAddr = 0x08, 0x77
	// freeTries is how often a bus that is held is tried again: the third failure
	// calls for its recovery, and a chip is asked again 0.1 s later.
	freeTries = 6
	freeWait  = 250 * time.Millisecond
	// speedTries is how often the speed is measured; the fastest counts, since
	// other programs only ever make it slower.
	speedTries = 9
	// tolerance is how far the measured speed may be below the configured one, in
	// percent, before it is worth a word.
	tolerance = 25
	// railOff and railOn are how long the supply is off, and how long chips take
	// to start (package hardware, Taps).
	railOff, railOn = 500 * time.Millisecond, 50 * time.Millisecond
)

// busFacts is what is known of a bus before anything was written to it.
type busFacts struct {
	// levels says that scl and sda are known: true for high.
	levels   bool
	scl, sda bool
	// present are the addresses that answer.
	present []uint16
	// held says that the bus was held at first, freed that it was free in the end.
	held, freed bool
	err         error
}

func (b *busFacts) has(addr uint16) bool { return slices.Contains(b.present, addr) }

// chipWanted is a chip that the settings name.
type chipWanted struct {
	bus  int
	addr uint16
	chip string
	// cells says that it reads cells; the others have checks of their own.
	cells bool
}

// expected lists the chips on the buses.
func (d *doctor) expected() (all []chipWanted) {
	switch d.h.Kind {
	case configs.Hall128:
		for i := range d.h.Expanders.Count() {
			bus, addr := chipAt(d.h, i)
			all = append(all, chipWanted{bus, addr, d.h.Expanders.Chip, true})
		}
	case configs.HallAnalog:
		for _, addr := range d.h.Analog.ADCs {
			all = append(all, chipWanted{0, addr, ads1115, true})
		}
	}
	if d.h.LEDs.Driver == configs.HT16K33 {
		all = append(all, chipWanted{0, d.h.LEDs.Address, configs.HT16K33, false})
	}
	if d.h.OLED.Driver != configs.NoOLED {
		all = append(all, chipWanted{0, d.h.OLED.Address, d.h.OLED.Driver, false})
	}
	return all
}

// family are the addresses that a kind of chip can have.
func family(chip string) (first, last uint16) {
	switch chip {
	case ads1115:
		return 0x48, 0x4B
	case configs.HT16K33:
		return 0x70, 0x77
	case configs.SSD1306, configs.SH1106:
		return 0x3C, 0x3D
	default:
		return 0x20, 0x27
	}
}

// survey looks at the lines of the buses and at who answers, with reads of one
// byte only.
func (d *doctor) survey(ctx context.Context) {
	d.buses = make([]busFacts, len(d.rig.Buses))
	for i := range d.buses {
		b := &d.buses[i]
		if i == 0 {
			d.levels(ctx, b)
		}
		for try := range freeTries {
			if b.err = d.ask(ctx, i, b); b.err == nil {
				b.freed = b.held
				break
			}
			b.held = true
			if try == freeTries-1 || !d.pause(ctx, freeWait) {
				break
			}
		}
	}
}

// levels reads the taps. They belong to the owner of the bus.
func (d *doctor) levels(ctx context.Context, b *busFacts) {
	taps := d.rig.Taps()
	if taps == nil || taps.SCL == nil || taps.SDA == nil {
		return
	}
	err := d.on(ctx, 0, func(i2c.Bus) error {
		b.scl, b.sda = taps.SCL.Read() == gpio.High, taps.SDA.Read() == gpio.High
		return nil
	})
	b.levels = err == nil
}

// ask finds out who is on a bus. An error says that the bus itself fails.
func (d *doctor) ask(ctx context.Context, bus int, b *busFacts) error {
	b.present = nil
	return d.on(ctx, bus, func(tx i2c.Bus) error {
		var r [1]byte
		for addr := uint16(firstAddr); addr <= lastAddr; addr++ {
			err := tx.Tx(addr, nil, r[:])
			switch {
			case err == nil:
				b.present = append(b.present, addr)
			case hardware.Classify(err) != hardware.NACK:
				return err
			}
		}
		return nil
	})
}

// checkBus says how the buses are and who is on them.
func checkBus(ctx context.Context, d *doctor, c *Check) {
	if !onI2C(d.h) {
		c.skip("This board has nothing on an I2C bus.")
		return
	}
	if err := d.parts["recovery"]; err != nil {
		d.without("recovery", c)
		c.Found = ""
	}
	var said []string
	for i := range d.buses {
		said = append(said, d.sayBus(ctx, i, c))
	}
	c.Found = strings.TrimSpace(strings.Join(said, " "))
	if d.o.CycleRail {
		d.cycleRail(ctx, c)
	}
}

// sayBus reports on one bus.
func (d *doctor) sayBus(ctx context.Context, i int, c *Check) string {
	b, name := &d.buses[i], busName(d.h, i)
	if b.held {
		c.blame(d.heldBus(b, name))
		if !b.freed {
			return name + " is dead."
		}
	}
	lines := ""
	if b.levels && b.scl && b.sda {
		lines = ", both lines are free"
	}
	supply := ""
	if i == 0 && d.rig.Supply() != nil {
		supply = ", the supply is on"
		if len(b.present) == 0 {
			supply = ", the supply should be on"
		}
	}
	answers := "nobody answers"
	switch len(b.present) {
	case 0:
	case 1:
		answers = "there is " + addresses(b.present)
	default:
		answers = "there are " + addresses(b.present)
	}
	speed := d.measure(ctx, i, c)
	d.missing(ctx, i, c)
	return fmt.Sprintf("%s: %s%s%s%s.", name, answers, lines, supply, speed)
}

// deadBus ends a check that needs a bus which cannot be used, and reports whether
// it did. The check of the buses says why, if it is made.
func (d *doctor) deadBus(bus int, c *Check) bool {
	if bus >= len(d.buses) {
		return false
	}
	if len(d.buses[bus].present) == 0 && d.blamed("bus") {
		c.skip("Nobody answers on %s.", busName(d.h, bus))
		return true
	}
	if !d.buses[bus].held || d.buses[bus].freed {
		return false
	}
	c.skip("%s is dead.", upper(busName(d.h, bus)))
	if !d.blamed("bus") {
		c.blame(d.heldBus(&d.buses[bus], busName(d.h, bus)))
	}
	return true
}

// addresses lists addresses, runs of them shortened.
func addresses(all []uint16) string {
	var parts []string
	for i := 0; i < len(all); {
		j := i
		for j+1 < len(all) && all[j+1] == all[j]+1 {
			j++
		}
		switch j {
		case i:
			parts = append(parts, fmt.Sprintf("0x%02x", all[i]))
		case i + 1:
			parts = append(parts, fmt.Sprintf("0x%02x", all[i]), fmt.Sprintf("0x%02x", all[j]))
		default:
			parts = append(parts, fmt.Sprintf("0x%02x to 0x%02x", all[i], all[j]))
		}
		i = j + 1
	}
	return list(parts)
}

// heldBus says which line is held, as far as that can be known.
func (d *doctor) heldBus(b *busFacts, name string) Problem {
	p := Problem{
		Part: "bus", Where: name, Cause: "held",
		Found: "A line of " + name + " is held low.",
		Next: "Switch the board off and on; if that does not help take the chips off the bus one after the other, " +
			"and look for a short between SDA, SCL and ground.",
	}
	switch {
	case b.levels && !b.scl:
		p.Cause, p.Found = "scl_held", "SCL of "+name+" is held low: nothing can be sent."
	case b.levels && !b.sda:
		p.Cause, p.Found = "sda_held", "SDA of "+name+" is held low: nobody can answer."
	case hardware.Classify(b.err) == hardware.Vanished:
		p.Cause, p.Found = "adapter_gone", "The adapter of "+name+" has gone: "+brief(b.err)+"."
		p.Next = "Put a USB adapter back in, or look at the overlay of the bus in /boot/firmware/config.txt and restart."
	case hardware.Classify(b.err) == hardware.IO || hardware.Classify(b.err) == hardware.Unsupported:
		p.Cause, p.Found = "adapter", "The controller of "+name+" gives up: "+brief(b.err)+"."
		p.Next = "Look at cable length, pull-ups (1.8k to 2.2k to 3.3 V) and speed."
	}
	if b.freed {
		p.Status = Warn
		p.Found += " It could be freed."
		p.Next = "Nothing now; if it happens again shorten the wires, and put 100 nF at every chip."
	}
	return p
}

// measure compares the speed of a bus with that of the settings, and returns what
// to say of it.
func (d *doctor) measure(ctx context.Context, i int, c *Check) string {
	b := &d.buses[i]
	if len(b.present) == 0 {
		return ""
	}
	hertz := d.speed(ctx, i, b.present[0])
	if hertz == 0 {
		return ""
	}
	name, want := busName(d.h, i), d.h.I2C.Hertz
	text := ", " + kilohertz(hertz)
	off := 100 * (hertz - want) / want
	if off >= -tolerance && off <= tolerance {
		return text
	}
	p := Problem{
		Part: "bus", Where: name, Cause: "slow", Status: Warn,
		Found: fmt.Sprintf("%s runs at %s instead of %s.", name, kilohertz(hertz), kilohertz(want)),
		Next:  "Set dtparam=i2c_arm_baudrate in /boot/firmware/config.txt as hardware.i2c.speed says, and restart.",
	}
	if off > 0 {
		p.Cause = "fast"
	}
	if set, ok := d.o.System.BusSpeed(name); ok && !d.h.Simulation.Enabled && set >= want {
		p.Found += fmt.Sprintf(" The system has been told %s.", kilohertz(set))
		if off < 0 {
			p.Next = "Fix the core's clock, which the bus follows while the processor idles: core_freq=250 in /boot/firmware/config.txt."
		}
	}
	c.blame(p)
	return text
}

// kilohertz writes a speed, rounded to what a measurement can tell.
func kilohertz(hertz int) string {
	switch {
	case hertz >= 100_000:
		return fmt.Sprintf("%d kHz", (hertz+5_000)/10_000*10)
	default:
		return fmt.Sprintf("%d kHz", (hertz+500)/1_000)
	}
}

// speed measures the clock of a bus: how much longer a long read takes than a
// short one, so that what the kernel takes for each does not count. It is 0 if
// that could not be measured.
func (d *doctor) speed(ctx context.Context, bus int, addr uint16) int {
	const bits = 9 // Each byte has an acknowledge.
	// Short enough for the controller's timeout of 50 ms at a quarter of the
	// configured speed.
	long := min(64, max(4, d.h.I2C.Hertz/4*40/1000/bits))
	best := [2]time.Duration{time.Hour, time.Hour}
	err := d.on(ctx, bus, func(tx i2c.Bus) error {
		if d.hasInputs(bus, addr) {
			if err := settle(tx, addr); err != nil {
				return err
			}
		}
		for range speedTries {
			for k, n := range [...]int{2, long} {
				began := d.clock.Now()
				if err := tx.Tx(addr, nil, make([]byte, n)); err != nil {
					return err
				}
				best[k] = min(best[k], d.clock.Now()-began)
			}
		}
		return nil
	})
	more := best[1] - best[0]
	if err != nil || more <= 0 {
		return 0
	}
	return int(int64(bits*(long-2)) * int64(time.Second) / int64(more))
}

// hasInputs reports whether a chip is an MCP23017 of the board, whose registers
// were kept: a long read comes past its inputs.
func (d *doctor) hasInputs(bus int, addr uint16) bool {
	return slices.ContainsFunc(d.saved, func(s saved) bool {
		return s.bus == bus && s.addr == addr && s.chip == configs.MCP23017
	})
}

// missing compares who is there with who should be.
func (d *doctor) missing(ctx context.Context, bus int, c *Check) {
	b := &d.buses[bus]
	strangers := slices.Clone(b.present)
	var gone []chipWanted
	for _, e := range d.expected() {
		if e.bus != bus {
			continue
		}
		if at := slices.Index(strangers, e.addr); at >= 0 {
			strangers = slices.Delete(strangers, at, at+1)
		} else {
			gone = append(gone, e)
		}
	}
	all := len(gone) > 1 && !slices.ContainsFunc(d.expected(), func(e chipWanted) bool { return e.bus == bus && b.has(e.addr) })
	if all && len(strangers) == 0 {
		c.blame(Problem{
			Part: "bus", Where: busName(d.h, bus), Cause: "empty", Found: "No chip answers on " + busName(d.h, bus) + ".",
			Next: "Look at the chips' supply (3.3 V) and ground, and whether SDA and SCL are exchanged.",
		})
		return
	}
	for _, e := range gone {
		other := d.stray(ctx, e, strangers)
		if other != 0 {
			strangers = slices.DeleteFunc(strangers, func(a uint16) bool { return a == other })
		}
		if e.cells { // The others have checks of their own.
			c.blame(d.missingChip(e, other))
		}
	}
	for _, addr := range strangers {
		place := placeName(d.h, bus, addr)
		c.blame(Problem{
			Part: "chip", Where: place, Cause: "unexpected", Status: Warn,
			Found: "A chip answers at " + place + " that the settings do not name.",
			Next:  "Add it to the settings, or ignore this if it is none of the board's.",
		})
	}
}

// stray returns the address at which a missing chip seems to be, 0 for none.
func (d *doctor) stray(ctx context.Context, e chipWanted, strangers []uint16) uint16 {
	first, last := family(e.chip)
	for _, addr := range strangers {
		if addr >= first && addr <= last {
			there := e
			there.addr = addr
			if !e.cells || d.actualChip(ctx, there) != "" {
				return addr
			}
		}
	}
	return 0
}

// missingChip says that a chip does not answer, or answers elsewhere.
func (d *doctor) missingChip(e chipWanted, other uint16) Problem {
	place := placeName(d.h, e.bus, e.addr)
	p := Problem{
		Part: "chip", Where: place, Cause: "missing",
		Found: fmt.Sprintf("The %s at %s does not answer%s.", chipText(e.chip), place, d.affected(e)),
		Next:  "Look at its supply, ground, SDA and SCL, and at the joints of its address pins.",
	}
	if other != 0 {
		p.Cause = "misplaced"
		p.Found = fmt.Sprintf("The %s at %s does not answer%s, but one does at 0x%02x, where none should be.",
			chipText(e.chip), place, d.affected(e), other)
		p.Next = fmt.Sprintf("Connect its address pins for %s, or put 0x%02x into the settings.", addressPins(e.chip, e.addr), other)
	}
	return p
}

// chipText is the name of a chip as on its case.
func chipText(chip string) string { return strings.ToUpper(chip) }

// affected names the squares that a chip reads.
func (d *doctor) affected(e chipWanted) string {
	set := d.cellsOf(e)
	switch set.Count() {
	case 0:
		return ""
	case 64:
		return ", and so no square can be read"
	}
	first := set.First()
	if set == 0xFF<<(8*first.Rank()) {
		return fmt.Sprintf(", so rank %d cannot be read", first.Rank()+1)
	}
	return ", so " + names(set) + " cannot be read"
}

// addressPins says how a chip's address pins must be connected.
func addressPins(chip string, addr uint16) string {
	if chip == ads1115 {
		return fmt.Sprintf("0x%02x (ADDR to %s)", addr, [...]string{"GND", "VDD", "SDA", "SCL"}[addr&3])
	}
	level := func(bit uint16) string {
		if addr>>bit&1 == 0 {
			return "GND"
		}
		return "3.3 V"
	}
	return fmt.Sprintf("0x%02x (A2 to %s, A1 to %s, A0 to %s)", addr, level(2), level(1), level(0))
}

// errStillThere says that a chip answers without supply.
var errStillThere = errors.New("a chip answers although its supply is switched off")

// cycleRail switches the supply off and on again, and looks whether the chips
// notice.
func (d *doctor) cycleRail(ctx context.Context, c *Check) {
	supply := d.rig.Supply()
	if supply == nil {
		c.Found += " There is no switch of the supply to try."
		return
	}
	var known uint16
	if len(d.buses[0].present) > 0 {
		known = d.buses[0].present[0]
	}
	err := d.on(ctx, 0, func(tx i2c.Bus) error {
		err := supply(false)
		if err == nil {
			err = d.clock.Sleep(ctx, railOff)
		}
		var r [1]byte
		if err == nil && known != 0 && tx.Tx(known, nil, r[:]) == nil {
			err = errStillThere
		}
		err = errors.Join(err, supply(true))
		return errors.Join(err, d.clock.Sleep(ctx, railOn))
	})
	before := slices.Clone(d.buses[0].present)
	if err == nil {
		err = d.ask(ctx, 0, &d.buses[0])
	}
	p := Problem{
		Part: "bus", Where: "hardware.recovery.rail", Cause: "rail", Found: "The switch of the supply fails.",
		Next: "Look at the two transistors of the switch, and at " + d.h.Recovery.Rail + ".",
	}
	switch {
	case errors.Is(err, errStillThere):
		p.Found = "The chips answer although their supply is switched off."
		p.Next += " Chips can also draw current through the pull-ups of SDA and SCL: connect those to the switched supply."
	case err != nil:
		p.Found = "The switch of the supply fails: " + brief(err) + "."
	case !slices.Equal(before, d.buses[0].present):
		p.Found = "Not all chips came back when their supply was switched on again: before there were " +
			addresses(before) + ", now " + addresses(d.buses[0].present) + "."
	default:
		c.Found += " The supply was switched off and on again: all chips lost it and came back."
		return
	}
	c.blame(p)
}
