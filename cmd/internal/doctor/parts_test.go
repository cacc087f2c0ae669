package doctor_test

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/doctor"
	"reversi-board/configs"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/pi"
	"reversi-board/hardware/sim"
)

// onPi examines a board of which the program believes that it is soldered to a
// Raspberry Pi. refuse says which of its parts cannot be had, and why.
func onPi(t *testing.T, profile, only string, system pi.System, refuse func(h *configs.Hardware) error) *doctor.Report {
	t.Helper()
	c := soldered(t, profile)
	simulated := settings(t, profile)
	b, err := doctor.Simulate(&simulated.Hardware, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Hurry()
	o := doctor.Options{
		Config: c, Source: profile, DataDir: t.TempDir(), Sim: b.Sim, Clock: b.Clock(), Hands: b.Person, System: system,
		Open: func(h *configs.Hardware, o app.RigOptions) (*app.Rig, error) {
			if err := refuse(h); err != nil {
				return nil, err
			}
			here := *h
			here.Simulation.Enabled = true
			return app.OpenRig(&here, o)
		},
	}
	if o.Only, err = doctor.ParseOnly(only); err != nil {
		t.Fatal(err)
	}
	r, err := doctor.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	explained(t, r)
	return r
}

// Where a part of the wires cannot be had all others are looked at, and that part
// alone is named.
func TestPartsThatCannotBeHad(t *testing.T) {
	t.Parallel()
	busy := &pi.System{}
	*busy = computer(pi5(nil), nil)
	taken := func(what string) error {
		return fmt.Errorf("open %s, is another program using it? %w", what, syscall.EBUSY)
	}
	for _, tc := range []struct {
		name    string
		refuse  func(h *configs.Hardware) error
		want    string
		skipped string
	}{
		{"nothing", func(*configs.Hardware) error { return nil }, "", ""},
		{"lights", func(h *configs.Hardware) error {
			if h.LEDs.Driver != configs.NoLEDs {
				return errors.New("open the LEDs' port: SPI is not enabled")
			}
			return nil
		}, "wires leds unusable", ""},
		{"a button", func(h *configs.Hardware) error {
			if h.Buttons.Hint != "" {
				return taken("hardware.buttons.hint")
			}
			return nil
		}, "wires buttons busy", ""},
		{"buzzer and recovery", func(h *configs.Hardware) error {
			if h.Buzzer != "" || h.Recovery != (configs.Recovery{}) {
				return taken("a pin")
			}
			return nil
		}, want("wires buzzer busy", "wires recovery busy"), ""},
		{"interrupt", func(h *configs.Hardware) error {
			if h.Interrupt != "" {
				return taken("hardware.interrupt")
			}
			return nil
		}, "wires interrupt busy", ""},
		{"the bus", func(*configs.Hardware) error { return taken("the bus") }, "wires the board busy", "cells"},
	} {
		r := onPi(t, "hall-128", boardOnly+",pi,access,buzzer", *busy, tc.refuse)
		if told(r) != tc.want || r.OK != (tc.want == "") {
			t.Errorf("%s: ok %v, %s, want %s", tc.name, r.OK, told(r), tc.want)
		}
		if c := check(t, r, "cells"); (c.Status == doctor.Skip) != (tc.skipped == "cells") {
			t.Errorf("%s: %+v", tc.name, c)
		}
	}
}

// What the check of the device files has said is not said again.
func TestDeviceIsBlamedOnce(t *testing.T) {
	t.Parallel()
	s := computer(pi5(nil), map[string]error{"/dev/i2c-1": syscall.EACCES})
	r := onPi(t, "hall-128", "access,bus,cells", s, func(*configs.Hardware) error { return errors.New("open /dev/i2c-1: no permission") })
	if told(r) != "device /dev/i2c-1 no_permission" {
		t.Errorf("%s", told(r))
	}
}

// The system's own word on the speed helps to find out who is to blame.
func TestSlowBusOnPi(t *testing.T) {
	t.Parallel()
	for set, next := range map[string]string{"\x00\x06\x1A\x80": "core_freq", "\x00\x01\x86\xA0": "i2c_arm_baudrate"} {
		c := soldered(t, "hall-128")
		simulated := settings(t, "hall-128")
		faults, err := doctor.ParseFaults("slow")
		if err != nil {
			t.Fatal(err)
		}
		b, err := doctor.Simulate(&simulated.Hardware, faults)
		if err != nil {
			t.Fatal(err)
		}
		r, err := doctor.Run(t.Context(), doctor.Options{
			Config: c, DataDir: t.TempDir(), Sim: b.Sim, Clock: b.Clock(), Only: []string{"bus"},
			System: computer(pi5(map[string]string{"sys/class/i2c-adapter/i2c-1/of_node/clock-frequency": set}), nil),
			Open: func(h *configs.Hardware, o app.RigOptions) (*app.Rig, error) {
				here := *h
				here.Simulation.Enabled = true
				return app.OpenRig(&here, o)
			},
		})
		if err != nil || told(r) != "bus /dev/i2c-1 slow" || !strings.Contains(r.Problems()[0].Next, next) {
			t.Errorf("%v: %s: %+v", err, told(r), r.Problems())
		}
	}
}

// replaced puts another chip in the place of one of the board.
func replaced(addr uint16, by emu.Device) func(b *sim.Board) {
	return func(b *sim.Board) {
		b.Bus().Detach(addr)
		b.Bus().Attach(by)
	}
}

// memory is a chip with a few bytes of memory, such as other chips at the same
// addresses have.
type memory struct {
	addr  uint16
	bytes [8]byte
	at    byte
}

func (m *memory) Address() uint16 { return m.addr }

func (m *memory) Transfer(w, r []byte) error {
	if len(w) > 0 {
		m.at = w[0]
		for _, v := range w[1:] {
			m.bytes[m.at%8] = v
			m.at++
		}
	}
	for i := range r {
		r[i] = m.bytes[m.at%8]
		m.at++
	}
	return nil
}

// A chip that is none of those that belong there is named, and not written to.
func TestForeignChips(t *testing.T) {
	t.Parallel()
	for profile, addr := range map[string]uint16{"hall-128": 0x24, "hall-128-mcp23017": 0x22, "hall-analog": 0x48} {
		m := &memory{addr: addr, bytes: [8]byte{0x5A, 1, 1, 1, 1, 4, 0x33, 0xFF}}
		before := m.bytes
		x := examine(t, setup{profile: profile, only: "bus,chips", plant: replaced(addr, m), alone: true})
		where := fmt.Sprintf("0x%02x", addr)
		if profile == "hall-128-mcp23017" {
			where += " on /dev/i2c-1"
		}
		if told(x.report) != "chip "+where+" wrong_kind" || m.bytes != before {
			t.Errorf("%s: %s, % x", profile, told(x.report), m.bytes)
		}
	}
}

// An output that does not reach its pin of an MCP23017 is found without anybody
// at the board: the chip's pull-up is all that holds the pin.
func TestOpenPins(t *testing.T) {
	t.Parallel()
	for open, want := range map[uint16]string{
		0: "", 1 << 2: "cell c1 open", 1<<2 | 1<<10: "cell c1 open", 1 << 14: "cell g1 open", 1 << 7: "",
	} {
		chip := emu.NewMCP23017(0x20)
		chip.SetPins(^open, open)
		x := examine(t, setup{profile: "hall-128-mcp23017", only: "chips", plant: replaced(0x20, chip), alone: true})
		if told(x.report) != want {
			t.Errorf("open %04x: %s, want %s", open, told(x.report), want)
		}
		explained(t, x.report)
		if open == 1<<2 {
			if p := x.report.Problems()[0]; !strings.Contains(p.Found, "GPA2 of 0x20") || strings.Contains(p.Found, "GPB") {
				t.Errorf("%q", p.Found)
			}
			if got := states(x.report, func(q *doctor.Square) doctor.State { return q.Black }); !strings.Contains(got, "c1 open") {
				t.Errorf("%q", got)
			}
		}
	}
}

// A bus without anybody on it is one mistake.
func TestEmptyBus(t *testing.T) {
	t.Parallel()
	x := examine(t, setup{profile: "hall-128", alone: true, plant: func(b *sim.Board) {
		for addr := range uint16(0x80) {
			b.Bus().Detach(addr)
		}
	}})
	if told(x.report) != "bus /dev/i2c-1 empty" {
		t.Errorf("%s", told(x.report))
	}
	x = examine(t, setup{profile: "hall-128", alone: true, only: "bus,cells", plant: func(b *sim.Board) { b.Bus().FailAll(syscall.EIO) }})
	if told(x.report) != "bus /dev/i2c-1 adapter" {
		t.Errorf("%s", told(x.report))
	}
	// Asked for alone, each check says for itself what is wrong.
	for only, want := range map[string]string{"cells": "board cells unreadable", "display": "bus /dev/i2c-1 sda_held"} {
		x := examine(t, setup{profile: "hall-128", alone: true, only: only, broken: "sda"})
		if told(x.report) != want || x.report.OK {
			t.Errorf("%s: %s", only, told(x.report))
		}
	}
}
