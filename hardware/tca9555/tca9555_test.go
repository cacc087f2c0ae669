package tca9555

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"periph.io/x/conn/v3/i2c/i2ctest"
	"pgregory.net/rapid"
)

// The transfers below are written down from the tables "Write to output port
// registers", "Write to configuration registers" and "Read from register" of
// the data sheets, not from the driver.

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

func rd(reg byte, p0, p1 byte) i2ctest.IO {
	return i2ctest.IO{Addr: 0x25, W: []byte{reg}, R: []byte{p0, p1}}
}

func TestInitWritesEverythingAndReadsItBack(t *testing.T) {
	t.Parallel()
	bus := playback(
		t,
		wr(0x02, 0x5A, 0xA5), wr(0x04, 0x00, 0x00), wr(0x06, 0xFF, 0xFF),
		rd(0x06, 0xFF, 0xFF), rd(0x04, 0x00, 0x00), rd(0x02, 0x5A, 0xA5),
		// A second time all the same: no write is suppressed.
		wr(0x02, 0x5A, 0xA5), wr(0x04, 0x00, 0x00), wr(0x06, 0xFF, 0xFF),
		rd(0x06, 0xFF, 0xFF), rd(0x04, 0x00, 0x00), rd(0x02, 0x5A, 0xA5),
	)
	d := New(bus, 0x25)
	for range 2 {
		if err := d.Init(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestInitNamesTheRegisterThatDiffers(t *testing.T) {
	t.Parallel()
	bus := playback(
		t,
		wr(0x02, 0x5A, 0xA5), wr(0x04, 0x00, 0x00), wr(0x06, 0xFF, 0xFF),
		rd(0x06, 0xFF, 0xFF), rd(0x04, 0x00, 0x10),
	)
	err := New(bus, 0x25).Init()
	if !errors.Is(err, ErrRegister) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"0x25", "04h", "holds 00 10, want 00 00"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not mention %q", err, want)
		}
	}
}

func TestReadInputs(t *testing.T) {
	t.Parallel()
	bus := playback(
		t,
		rd(0x00, 0xFE, 0x7F),
		rd(0x00, 0x01, 0x80), wr(0x02),
	)
	d := New(bus, 0x25)
	if v, err := d.ReadInputs(false); err != nil || v != 0x7FFE {
		t.Errorf("P0.0 and P1.7 low: %04X, %v; want 7FFE", v, err)
	}
	if v, err := d.ReadInputs(true); err != nil || v != 0x8001 {
		t.Errorf("P0.0 and P1.7 high: %04X, %v; want 8001", v, err)
	}
}

func TestChecks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		op     i2ctest.IO
		check  func(*Dev) (bool, error)
		intact bool
	}{
		{"canary intact", rd(0x02, 0x5A, 0xA5), (*Dev).Canary, true},
		{"power-on reset", rd(0x02, 0xFF, 0xFF), (*Dev).Canary, false},
		{"half a canary", rd(0x02, 0x5A, 0xFF), (*Dev).Canary, false},
		{"ports swapped", rd(0x02, 0xA5, 0x5A), (*Dev).Canary, false},
		{"all inputs", rd(0x06, 0xFF, 0xFF), (*Dev).Configuration, true},
		{"a pin became an output", rd(0x06, 0xFF, 0xF7), (*Dev).Configuration, false},
		{"not inverted", rd(0x04, 0x00, 0x00), (*Dev).Polarity, true},
		{"a pin is inverted", rd(0x04, 0x01, 0x00), (*Dev).Polarity, false},
	} {
		got, err := tc.check(New(playback(t, tc.op), 0x25))
		if err != nil || got != tc.intact {
			t.Errorf("%s: intact %v, %v", tc.name, got, err)
		}
	}
}

func TestErrorsNameChipAndRegister(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   func(*Dev) error
		reg  byte
		op   string
	}{
		{"init", (*Dev).Init, 0x02, "write"},
		{"read", func(d *Dev) error { _, err := d.ReadInputs(true); return err }, 0x00, "read"},
		{"park", (*Dev).Park, 0x02, "write"},
		{"canary", func(d *Dev) error { _, err := d.Canary(); return err }, 0x02, "read"},
		{"verify", (*Dev).Verify, 0x06, "read"},
	} {
		err := tc.do(New(&broken{}, 0x21))
		var e *Error
		if !errors.As(err, &e) || e.Addr != 0x21 || e.Register != tc.reg || e.Op != tc.op || !errors.Is(err, syscall.EREMOTEIO) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// broken is a bus on which nobody answers.
type broken struct {
	i2ctest.Record
}

func (*broken) Tx(uint16, []byte, []byte) error { return syscall.EREMOTEIO }

// Whatever 16 levels the chip reports, P0.n is bit n and P1.n is bit 8+n.
func TestPinOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p0, p1 := rapid.Byte().Draw(t, "p0"), rapid.Byte().Draw(t, "p1")
		bus := &i2ctest.Playback{Ops: []i2ctest.IO{rd(0x00, p0, p1)}, DontPanic: true}
		v, err := New(bus, 0x25).ReadInputs(false)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 8 {
			if v>>n&1 != uint16(p0>>n&1) || v>>(8+n)&1 != uint16(p1>>n&1) {
				t.Fatalf("ports %08b %08b were read as %016b", p0, p1, v)
			}
		}
	})
}
