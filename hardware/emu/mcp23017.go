package emu

import (
	"fmt"
	"sync"

	"periph.io/x/conn/v3/gpio"
)

// The registers of one port in the order of their addresses with IOCON.BANK
// set (DS20001952C table 3-4).
const (
	mcpIODIR = iota
	mcpIPOL
	mcpGPINTEN
	mcpDEFVAL
	mcpINTCON
	mcpIOCON
	mcpGPPU
	mcpINTF
	mcpINTCAP
	mcpGPIO
	mcpOLAT

	mcpPerPort = 11
	// mcpNone stands for an address without a register.
	mcpNone = 0xFF
)

// Bits of IOCON (DS20001952C register 3-6). DISSLW and HAEN have no effect
// here: the slope of SDA is not emulated, and the I²C chip always looks at its
// address pins.
const (
	mcpBANK   = 1 << 7
	mcpMIRROR = 1 << 6
	mcpSEQOP  = 1 << 5
	mcpODR    = 1 << 2
	mcpINTPOL = 1 << 1
	// mcpIOCONBits are the bits that can be set; bit 0 reads 0.
	mcpIOCONBits = 0xFE
)

const (
	mcpFirstAddress = 0x20
	mcpLastAddress  = 0x27
	// The last registers: the pointer rolls over after them.
	mcpLastPaired = 0x15
	mcpLastBanked = 0x1A
)

// MCP23017 is a 16-bit I/O expander after Microchip DS20001952C. Pin n of port
// A is bit n, pin n of port B is bit 8+n of every 16-bit value here; a 1 is a
// high level.
//
// An input that nobody drives reads 1 if its pull-up is on. Without it the pin
// floats and reads whatever SetPins says of its level.
//
// # Interrupts
//
// A port's first event sets INTF and freezes the levels in INTCAP; both stay,
// whatever the pins do, until INTCAP or GPIO of that port is read (section
// 3.6.4). Then a pin that is compared with DEFVAL and still differs raises the
// interrupt again at once, and one that is compared with its last level starts
// from its present level: what happened in between is lost.
//
// # What the sheet leaves open
//
// The levels in INTCAP are those of the pins, whatever IPOL says (register
// 3-9). The level that a pin is compared with follows the pin while its
// interrupt is off, so that enabling it raises nothing. Addresses without a
// register read 0; the pointer goes on over them.
type MCP23017 struct {
	mu   sync.Mutex
	addr uint16

	pointer byte
	iocon   byte
	ports   [2]mcpPort

	levels   uint16 // what the circuit around drives, or a floating pin shows
	undriven uint16
	frozen   bool
	held     uint16 // what inputs read while frozen
	disturb  int    // reads whose pin 7 still moves
}

// mcpPort is one port of eight pins.
type mcpPort struct {
	iodir, ipol, gpinten, defval, intcon, gppu, olat byte
	intf, intcap                                     byte
	last                                             byte // levels that a change is measured from
}

// NewMCP23017 returns a chip that has just been powered up, with open pins. It
// panics when the address is not one of 0x20 to 0x27, which are all that the
// chip's three address pins can select.
func NewMCP23017(addr uint16) *MCP23017 {
	if addr < mcpFirstAddress || addr > mcpLastAddress {
		panic(fmt.Sprintf("emu: an MCP23017 cannot have address %#02x", addr))
	}
	m := &MCP23017{addr: addr, undriven: 0xFFFF}
	m.reset()
	return m
}

// Address implements [Device].
func (m *MCP23017) Address() uint16 { return m.addr }

// PowerCycle takes the supply away and gives it back, or pulls the RESET pin:
// every register has its power-on value again (table 3-5). The circuit around
// the pins stays, and so does a fault.
func (m *MCP23017) PowerCycle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reset()
}

func (m *MCP23017) reset() {
	m.pointer, m.iocon = 0, 0
	m.ports = [2]mcpPort{{iodir: 0xFF}, {iodir: 0xFF}}
	m.sense()
}

// SetPins sets what the circuit around the chip drives: the levels, and a mask
// of pins that are left open. An open pin reads 1 with its pull-up; without, it
// floats, and reads what levels says.
func (m *MCP23017) SetPins(levels, undriven uint16) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.levels, m.undriven = levels, undriven
	m.sense()
}

// Freeze makes the inputs keep the levels that they have, whatever happens at
// the pins, without any error; Freeze(false) ends that.
func (m *MCP23017) Freeze(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if on && !m.frozen {
		m.held = m.pins()
	}
	m.frozen = on
	m.sense()
}

// DisturbReads makes pin 7 move while it is shifted out in the next n reads of
// a GPIO register with pin 7 as an input; with pin 7 as an output nothing
// happens and n stays. In chips made since 2022 the move gets through to SDA
// (which is why the sheet calls GPA7 and GPB7 outputs only): the chip takes it
// for a START or STOP and lets go of the bus, so the other seven bits and
// whatever follows in the transfer read 1. No one sees an error.
func (m *MCP23017) DisturbReads(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.disturb = max(n, 0)
}

// Pins returns the levels on the 16 pins.
func (m *MCP23017) Pins() uint16 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pins()
}

func (m *MCP23017) pins() uint16 {
	pull := uint16(m.ports[0].gppu) | uint16(m.ports[1].gppu)<<8
	latch := uint16(m.ports[0].olat) | uint16(m.ports[1].olat)<<8
	in := uint16(m.ports[0].iodir) | uint16(m.ports[1].iodir)<<8
	outside := m.levels | m.undriven&pull
	if m.frozen {
		outside = m.held
	}
	return latch&^in | outside&in
}

// INTA returns the level of the INTA pin; a pull-up is assumed for when it is
// an open drain.
func (m *MCP23017) INTA() gpio.Level { return m.interrupt(0) }

// INTB returns the level of the INTB pin, like INTA.
func (m *MCP23017) INTB() gpio.Level { return m.interrupt(1) }

func (m *MCP23017) interrupt(port int) gpio.Level {
	m.mu.Lock()
	defer m.mu.Unlock()
	active := m.ports[port].intf != 0 || m.iocon&mcpMIRROR != 0 && m.ports[1-port].intf != 0
	// An open drain is low when active; INTPOL then has no effect.
	high := m.iocon&mcpINTPOL != 0 && m.iocon&mcpODR == 0
	return gpio.Level(active == high)
}

// Registers returns what a reader would get from the 22 registers, in the
// order of their addresses with IOCON.BANK clear, whatever BANK is, and without
// the effects of reading.
func (m *MCP23017) Registers() [22]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	var r [2 * mcpPerPort]byte
	for i := range r {
		r[i] = m.peek(i&1, byte(i/2))
	}
	return r
}

// Pointer returns the address that a bare read would start at.
func (m *MCP23017) Pointer() byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pointer
}

// Transfer implements [Device]. The chip acknowledges everything.
func (m *MCP23017) Transfer(w, r []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(w) > 0 {
		m.pointer = w[0]
		for _, v := range w[1:] {
			port, reg := m.locate()
			m.write(port, reg, v)
			m.next()
		}
	}
	gone := false // the chip has let go of the bus
	for i := range r {
		if gone {
			r[i] = 0xFF
			continue
		}
		port, reg := m.locate()
		r[i] = m.peek(port, reg)
		if reg == mcpGPIO && m.disturb > 0 && m.ports[port].iodir&0x80 != 0 {
			m.disturb--
			gone = true
			r[i] |= 0x7F
			continue
		}
		m.noteRead(port, reg)
		m.next()
	}
	return nil
}

// locate returns the port and the register that the pointer selects.
func (m *MCP23017) locate() (port int, reg byte) {
	switch p := m.pointer; {
	case m.iocon&mcpBANK == 0 && p <= mcpLastPaired:
		return int(p & 1), p / 2
	case m.iocon&mcpBANK == 0 || p > mcpLastBanked || p&0x0F >= mcpPerPort:
		return 0, mcpNone
	default:
		return int(p >> 4), p & 0x0F
	}
}

// next moves the pointer after a byte (section 3.2.1).
func (m *MCP23017) next() {
	banked := m.iocon&mcpBANK != 0
	last := byte(mcpLastPaired)
	if banked {
		last = mcpLastBanked
	}
	switch {
	case m.iocon&mcpSEQOP != 0 && banked:
	case m.iocon&mcpSEQOP != 0:
		m.pointer ^= 1
	case m.pointer == last:
		m.pointer = 0
	default:
		m.pointer++
	}
}

// peek returns the value of a register.
func (m *MCP23017) peek(port int, reg byte) byte {
	p := &m.ports[port]
	switch reg {
	case mcpIODIR:
		return p.iodir
	case mcpIPOL:
		return p.ipol
	case mcpGPINTEN:
		return p.gpinten
	case mcpDEFVAL:
		return p.defval
	case mcpINTCON:
		return p.intcon
	case mcpIOCON:
		return m.iocon
	case mcpGPPU:
		return p.gppu
	case mcpINTF:
		return p.intf
	case mcpINTCAP:
		return p.intcap
	case mcpGPIO:
		return m.port(port) ^ p.ipol
	case mcpOLAT:
		return p.olat
	default:
		return 0
	}
}

// port returns the levels on the pins of a port.
func (m *MCP23017) port(port int) byte { return byte(m.pins() >> (8 * port)) }

// write sets a register; INTF and INTCAP ignore it.
func (m *MCP23017) write(port int, reg, v byte) {
	p := &m.ports[port]
	switch reg {
	case mcpIODIR:
		p.iodir = v
	case mcpIPOL:
		p.ipol = v
	case mcpGPINTEN:
		p.gpinten = v
	case mcpDEFVAL:
		p.defval = v
	case mcpINTCON:
		p.intcon = v
	case mcpIOCON:
		m.iocon = v & mcpIOCONBits
	case mcpGPPU:
		p.gppu = v
	case mcpGPIO, mcpOLAT:
		p.olat = v
	}
	m.sense()
}

// noteRead clears the interrupt of a port whose INTCAP or GPIO has been read.
func (m *MCP23017) noteRead(port int, reg byte) {
	if reg != mcpINTCAP && reg != mcpGPIO {
		return
	}
	m.ports[port].intf = 0
	m.ports[port].last = m.port(port)
	m.sense()
}

// sense looks for interrupt events at both ports, as the chip does all the
// time.
func (m *MCP23017) sense() {
	for i := range m.ports {
		p := &m.ports[i]
		now := m.port(i)
		enabled := p.gpinten & p.iodir
		p.last = p.last&enabled | now&^enabled
		if p.intf != 0 {
			continue // frozen until it is read
		}
		reference := p.last&^p.intcon | p.defval&p.intcon
		if event := (now ^ reference) & enabled; event != 0 {
			p.intf, p.intcap = event, now
		}
	}
}

var _ Device = (*MCP23017)(nil)
