package emu_test

import (
	"strings"
	"testing"
	"time"

	"reversi-board/hardware/emu"
)

// mcpNames lists the registers by address, as DS20001952C tables 3-4 and 3-5
// print them; "" is an address without one.
func mcpNames(banked bool) (names [256]string) {
	table := strings.Fields("IODIR IPOL GPINTEN DEFVAL INTCON IOCON GPPU INTF INTCAP GPIO OLAT")
	for i, n := range table {
		a, b := 2*i, 2*i+1
		if banked {
			a, b = i, 0x10+i
		}
		names[a], names[b] = n+"A", n+"B"
	}
	return names
}

// mcpModel is what a list of writes leaves in the registers: a second, naive
// reading of the sheet, without interrupts.
type mcpModel struct {
	names   [2][256]string // by BANK
	regs    map[string]byte
	pointer int
}

func (m *mcpModel) transfer(w []byte) {
	for i, v := range w {
		if i == 0 {
			m.pointer = int(v)
			continue
		}
		m.write(m.names[m.regs["IOCON"]>>7][m.pointer], v)
		m.advance()
	}
}

func (m *mcpModel) write(name string, v byte) {
	switch {
	case name == "" || strings.HasPrefix(name, "INTF") || strings.HasPrefix(name, "INTCAP"):
	case strings.HasPrefix(name, "IOCON"):
		m.regs["IOCON"] = v &^ 1
	case strings.HasPrefix(name, "GPIO"):
		m.regs["OLAT"+name[4:]] = v
	default:
		m.regs[name] = v
	}
}

func (m *mcpModel) advance() {
	banked, bytewise := m.regs["IOCON"]&0x80 != 0, m.regs["IOCON"]&0x20 != 0
	last := 0x15
	if banked {
		last = 0x1A
	}
	switch {
	case bytewise && banked:
	case bytewise:
		m.pointer += 1 - 2*(m.pointer%2)
	case m.pointer == last:
		m.pointer = 0
	default:
		m.pointer = (m.pointer + 1) % 256
	}
}

// FuzzMCP23017: each byte string is transfers, the first byte of each its
// length. Whatever they are, the registers hold what the sheet says.
func FuzzMCP23017(f *testing.F) {
	f.Add([]byte{3, 0x00, 0x7F, 0x7F, 2, 0x0A, 0x80, 3, 0x05, 0x00, 0xFF})
	f.Add([]byte{2, 0x0A, 0x20, 6, 0x14, 1, 2, 3, 4, 5})
	f.Add([]byte{4, 0x15, 1, 2, 3, 2, 0x1A, 9, 8, 0xFF, 1, 2, 3, 4, 5, 6, 7})
	f.Add([]byte{8, 0x04, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0x44})
	names := [2][256]string{mcpNames(false), mcpNames(true)}
	f.Fuzz(func(t *testing.T, program []byte) {
		chip := emu.NewMCP23017(0x20)
		bus := emu.NewBus(chip)
		m := &mcpModel{names: names, regs: map[string]byte{"IODIRA": 0xFF, "IODIRB": 0xFF}}
		for len(program) > 0 {
			n := min(int(program[0]), len(program)-1)
			w := program[1 : 1+n]
			program = program[1+n:]
			if err := bus.Tx(0x20, w, nil); err != nil {
				t.Fatal(err)
			}
			m.transfer(w)
			if int(chip.Pointer()) != m.pointer {
				t.Fatalf("after % x: pointer %02x, want %02x", w, chip.Pointer(), m.pointer)
			}
		}
		m.compare(t, chip.Registers())
	})
}

// compare leaves out what happens at the pins: that is tried elsewhere.
func (m *mcpModel) compare(t *testing.T, got [22]byte) {
	t.Helper()
	for i, v := range got {
		name := m.names[0][i]
		switch name[:len(name)-1] {
		case "INTF", "INTCAP", "GPIO":
			continue
		case "IOCON":
			name = "IOCON"
		}
		if v != m.regs[name] {
			t.Fatalf("%s is %02x, want %02x", name, v, m.regs[name])
		}
	}
}

// FuzzADS1115: each byte string is transfers and waits. Whatever they are, the
// thresholds and the configuration hold what was written last, and a chip that
// is left alone in single-shot mode is done after the slowest conversion.
func FuzzADS1115(f *testing.F) {
	f.Add([]byte{3, 1, 0xC3, 0xE3, 200, 1, 0, 250})
	f.Add([]byte{3, 1, 0x42, 0x00, 220, 3, 1, 0xD3, 0xE0, 199, 3, 2, 1, 2, 3, 3, 0x80, 0})
	f.Add([]byte{2, 1, 0xFF, 4, 3, 9, 8, 7, 255, 255, 1, 1})
	f.Fuzz(func(t *testing.T, program []byte) {
		now := time.Duration(0)
		chip := emu.NewADS1115(0x48, emu.ADS1115Options{
			Now: func() time.Duration { return now }, Inputs: [4]emu.Voltage{steady(1), steady(2), steady(-1)},
		})
		bus := emu.NewBus(chip)
		want := [4]uint16{0, 0x8583, 0x8000, 0x7FFF}
		for len(program) > 0 {
			op := int(program[0])
			program = program[1:]
			if op >= 128 { // wait, up to 13 ms
				now += time.Duration(op-128) * 100 * time.Microsecond
				continue
			}
			n := min(op%8, len(program))
			w := program[:n]
			program = program[n:]
			var r [2]byte
			if err := bus.Tx(0x48, w, r[:op%3]); err != nil {
				t.Fatal(err)
			}
			if n >= 3 && w[0]&3 != 0 {
				want[w[0]&3] = uint16(w[1])<<8 | uint16(w[2])
			}
		}
		if want[1]&0x100 == 0 {
			return // Continuous: never idle.
		}
		now += 2*time.Second/8 + time.Millisecond // One that ran, one that it may have delayed.
		got := chip.Registers()
		if got[1] != want[1]|0x8000 || got[2] != want[2] || got[3] != want[3] {
			t.Fatalf("registers %04x, want %04x", got[1:], want[1:])
		}
	})
}
