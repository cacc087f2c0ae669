package mcp23017

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"periph.io/x/conn/v3/i2c/i2ctest"
	"pgregory.net/rapid"
)

// The transfers below are written down from the tables of registers and the
// figures "I²C device protocol" of the data sheet, not from the driver.

func playback(t *testing.T, ops ...i2ctest.IO) *i2ctest.Playback {
	t.Helper()
	p := &i2ctest.Playback{Ops: ops, DontPanic: true}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func wr(b ...byte) i2ctest.IO { return i2ctest.IO{Addr: 0x25, W: b} }

func rd(reg byte, r ...byte) i2ctest.IO { return i2ctest.IO{Addr: 0x25, W: []byte{reg}, R: r} }

// start is an initialisation.
func start() []i2ctest.IO {
	return []i2ctest.IO{
		wr(0x05, 0x00),       // BANK off, if it was on.
		wr(0x0A, 0x44, 0x44), // IOCON: MIRROR, ODR; SEQOP off.
		wr(0x00,
			0x7F, 0x7F, // IODIR: GPA7 and GPB7 are outputs.
			0x00, 0x00, // IPOL.
			0x7F, 0x7F, // GPINTEN.
			0x5A, 0xA5, // DEFVAL: the canary.
			0x00, 0x00, // INTCON.
			0x44, 0x44, // IOCON.
			0x7F, 0x7F, // GPPU.
		),
		wr(0x14, 0x80, 0x00), // OLAT: GPA7 high, GPB7 low.
		rd(0x00, 0x7F, 0x7F, 0x00, 0x00, 0x7F, 0x7F, 0x5A, 0xA5, 0x00, 0x00, 0x44, 0x44, 0x7F, 0x7F),
		rd(0x14, 0x80, 0x00),
		wr(0x14, 0x00, 0x80), // The two outputs the other way, do they follow?
		rd(0x12, 0x7F, 0xFF),
		wr(0x14, 0x80, 0x00),
	}
}

func TestInitWritesEverythingAndReadsItBack(t *testing.T) {
	t.Parallel()
	// A second time all the same: no write is suppressed.
	d := New(playback(t, append(start(), start()...)...), 0x25)
	for range 2 {
		if err := d.Init(); err != nil {
			t.Fatal(err)
		}
	}
	if d.Addr() != 0x25 {
		t.Errorf("address %#x", d.Addr())
	}
}

func TestInitNamesTheRegisterThatDiffers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		spoil func(ops []i2ctest.IO)
		want  string
	}{
		{func(ops []i2ctest.IO) { ops[4].R[3] = 0x10 }, "02h: holds 00 10, want 00 00"},
		{func(ops []i2ctest.IO) { ops[4].R[12] = 0x00 }, "0Ch: holds 00 7F, want 7F 7F"},
		{func(ops []i2ctest.IO) { ops[5].R[0] = 0x00 }, "14h: holds 00 00, want 80 00"},
	} {
		ops := start()
		tc.spoil(ops)
		err := New(&i2ctest.Playback{Ops: ops, DontPanic: true}, 0x25).Init()
		if !errors.Is(err, ErrRegister) || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "0x25") {
			t.Errorf("got %v, want %s at 0x25", err, tc.want)
		}
	}
}

func TestInitOfAChipThatDoesNotFollow(t *testing.T) {
	t.Parallel()
	ops := start()
	ops[7].R = []byte{0xFF, 0x7F}
	if err := New(playback(t, ops...), 0x25).Init(); !errors.Is(err, ErrPattern) {
		t.Errorf("got %v", err)
	}
}

func TestReadInputs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		a, b byte
		want uint16
		bad  error
	}{
		{"GPA0 and GPB6 low", 0xFE, 0x3F, 0x3F7E, nil}, // GPA7 1 and GPB7 0 are the chip's own.
		{"all low", 0x80, 0x00, 0, nil},
		{"all high", 0xFF, 0x7F, 0x7F7F, nil},
		{"SDA is high for ever", 0xFF, 0xFF, 0, ErrPattern},
		{"SDA is low for ever", 0x00, 0x00, 0, ErrPattern},
		{"SDA is let go after the first bit", 0xFF, 0xFF, 0, ErrPattern},
		{"ports exchanged", 0x3F, 0xFE, 0, ErrPattern},
	} {
		v, err := New(playback(t, rd(0x12, tc.a, tc.b)), 0x25).ReadInputs()
		if v != tc.want || !errors.Is(err, tc.bad) {
			t.Errorf("%s: %04X, %v; want %04X, %v", tc.name, v, err, tc.want, tc.bad)
		}
	}
}

func TestPulse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b  byte
		alive bool
	}{{0x2A, 0x95, true}, {0xAA, 0x15, false}, {0x2A, 0x15, false}, {0xAA, 0x95, false}} {
		d := New(playback(t, wr(0x14, 0x00, 0x80), rd(0x12, tc.a, tc.b), wr(0x14, 0x80, 0x00)), 0x25)
		if alive, err := d.Pulse(); err != nil || alive != tc.alive {
			t.Errorf("read %02X %02X: alive %v, %v", tc.a, tc.b, alive, err)
		}
	}
}

func TestChecks(t *testing.T) {
	t.Parallel()
	intact := func(n int) func(*Dev) (bool, error) {
		return func(d *Dev) (bool, error) { return d.Intact(n) }
	}
	for _, tc := range []struct {
		name   string
		op     i2ctest.IO
		check  func(*Dev) (bool, error)
		intact bool
	}{
		{"canary intact", rd(0x06, 0x5A, 0xA5), (*Dev).Canary, true},
		{"power-on reset", rd(0x06, 0x00, 0x00), (*Dev).Canary, false},
		{"ports swapped", rd(0x06, 0xA5, 0x5A), (*Dev).Canary, false},
		{"inputs", rd(0x00, 0x7F, 0x7F), intact(0), true},
		{"pin 7 is an input", rd(0x00, 0xFF, 0x7F), intact(0), false},
		{"not inverted", rd(0x02, 0, 0), intact(1), true},
		{"inverted", rd(0x02, 0, 4), intact(1), false},
		{"interrupts", rd(0x04, 0x7F, 0x7F), intact(2), true},
		{"canary by number", rd(0x06, 0x5A, 0xA5), intact(3), true},
		{"compared with DEFVAL", rd(0x08, 1, 0), intact(4), false},
		{"IOCON", rd(0x0A, 0x44, 0x44), intact(5), true},
		{"pull-ups", rd(0x0C, 0x7F, 0x7F), intact(Checks - 1), true},
	} {
		got, err := tc.check(New(playback(t, tc.op), 0x25))
		if err != nil || got != tc.intact {
			t.Errorf("%s: intact %v, %v", tc.name, got, err)
		}
	}
}

// broken is a bus on which nobody answers.
type broken struct {
	i2ctest.Record
}

func (*broken) Tx(uint16, []byte, []byte) error { return syscall.EREMOTEIO }

func TestErrorsNameChipAndRegister(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   func(*Dev) error
		reg  byte
		op   string
	}{
		{"init", (*Dev).Init, 0x05, "write"},
		{"read", func(d *Dev) error { _, err := d.ReadInputs(); return err }, 0x12, "read"},
		{"pulse", func(d *Dev) error { _, err := d.Pulse(); return err }, 0x14, "write"},
		{"canary", func(d *Dev) error { _, err := d.Canary(); return err }, 0x06, "read"},
		{"verify", (*Dev).Verify, 0x00, "read"},
	} {
		err := tc.do(New(&broken{}, 0x21))
		var e *Error
		if !errors.As(err, &e) || e.Addr != 0x21 || e.Register != tc.reg || e.Op != tc.op || !errors.Is(err, syscall.EREMOTEIO) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// Whatever levels the chip reports, GPAn is bit n and GPBn is bit 8+n.
func TestPinOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Byte().Draw(t, "a")&0x7F, rapid.Byte().Draw(t, "b")&0x7F
		bus := &i2ctest.Playback{Ops: []i2ctest.IO{rd(0x12, a|0x80, b)}, DontPanic: true}
		v, err := New(bus, 0x25).ReadInputs()
		if err != nil {
			t.Fatal(err)
		}
		for n := range 7 {
			if v>>n&1 != uint16(a>>n&1) || v>>(8+n)&1 != uint16(b>>n&1) {
				t.Fatalf("ports %07b %07b were read as %016b", a, b, v)
			}
		}
		if v&^Inputs != 0 {
			t.Fatalf("a pin that is none: %04x", v)
		}
	})
}
