package emu_test

import (
	"strconv"
	"testing"

	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"
	"periph.io/x/devices/v3/max7219"
	"pgregory.net/rapid"

	"reversi-board/hardware/emu"
)

// digits returns a chain of drivers and its connection.
func digits(t testing.TB, units int) (*emu.MAX7219, spi.Conn) {
	t.Helper()
	m := emu.NewMAX7219(units)
	c, err := m.Connect(10*physic.MegaHertz, spi.Mode0, 8)
	if err != nil {
		t.Fatal(err)
	}
	return m, c
}

// TestDigitsPower: Maxim 19-4452, "Initial Power-Up".
func TestDigitsPower(t *testing.T) {
	m, c := digits(t, 1)
	dark := [8]byte{}
	send(t, c, 0x01, 0xFF)
	if m.Lit(0) != dark {
		t.Error("lit in shutdown")
	}
	send(t, c, 0x0C, 0x01)
	send(t, c, 0x02, 0xFF)
	if got := m.Lit(0); got != [8]byte{0xFF} {
		t.Errorf("lit %x: only digit 0 is scanned, raw", got)
	}
	if m.Duty(0) != 1 {
		t.Errorf("duty %d/32, want 1/32", m.Duty(0))
	}
	m.PowerCycle()
	if m.Registers(0) != [16]byte{} || m.Lit(0) != dark {
		t.Error("registers survived a power cycle")
	}
}

func TestDigitsRegisters(t *testing.T) {
	m, c := digits(t, 1)
	send(t, c, 0x0C, 0x01)
	for limit := range byte(8) {
		send(t, c, 0x0B, 0xF8|limit) // Table 8: only D2 to D0 count.
		var want [8]byte
		for d := range byte(8) {
			send(t, c, 0xF0|(1+d), 0x80|d) // D15 to D12 do not count.
			if d <= limit {
				want[d] = 0x80 | d
			}
		}
		if got := m.Lit(0); got != want {
			t.Errorf("scan limit %d: %x, want %x", limit, got, want)
		}
	}
	for n := range byte(16) {
		send(t, c, 0x0A, n)
		if got := m.Duty(0); got != int(2*n+1) { // Table 7: 1/32, 3/32 .. 31/32.
			t.Errorf("intensity %X: %d/32", n, got)
		}
	}
	send(t, c, 0x0A, 0x00)
	send(t, c, 0x00, 0xFF) // No-op.
	send(t, c, 0x0D, 0xFF) // Not in the table.
	if got := m.Lit(0); got[7] != 0x87 {
		t.Errorf("a no-op changed digit 7 to %x", got[7])
	}
	send(t, c, 0x0C, 0xFE) // Only D0 counts.
	if m.Lit(0) != [8]byte{} {
		t.Error("lit in shutdown")
	}
	send(t, c, 0x0F, 0x01)
	if got := m.Lit(0); got != [8]byte{255, 255, 255, 255, 255, 255, 255, 255} || m.Duty(0) != 31 {
		t.Errorf("display test overrides shutdown: lit %x at %d/32", got, m.Duty(0))
	}
	send(t, c, 0x0F, 0x00)
	send(t, c, 0x0C, 0x01)
	if got := m.Lit(0); got[7] != 0x87 || m.Duty(0) != 1 {
		t.Errorf("after test and shutdown: digit 7 %x, duty %d", got[7], m.Duty(0))
	}
}

// TestDigitsDisturbed: interference sets display test or shutdown; the next
// refresh of the registers ends it.
func TestDigitsDisturbed(t *testing.T) {
	m, c := digits(t, 1)
	send(t, c, 0x0C, 0x01)
	send(t, c, 0x0B, 0x07)
	m.Disturb(0, 0x0F, 1)
	if m.Lit(0)[5] != 0xFF {
		t.Error("display test does not show")
	}
	send(t, c, 0x0F, 0x00)
	m.Disturb(0, 0x0C, 0)
	send(t, c, 0x01, 0x55)
	if m.Lit(0)[0] != 0 {
		t.Error("lit although interference has shut it down")
	}
	send(t, c, 0x0C, 0x01)
	if m.Lit(0)[0] != 0x55 {
		t.Error("the refresh did not help")
	}
	m.Corrupt(1, 0x04)
	send(t, c, 0x01, 0x00) // Arrives as 05 04.
	if got := m.Lit(0); got[0] != 0x55 || got[4] != 0x04 {
		t.Errorf("a corrupt frame gave %x", got)
	}
}

// TestDigitsFrames: what counts is what the 16 bits hold when the chip select
// rises.
func TestDigitsFrames(t *testing.T) {
	m, c := digits(t, 1)
	send(t, c, 0x0C, 0x01)
	send(t, c, 0x01, 0x11, 0x01, 0x22) // The first frame is pushed out.
	if got := m.Lit(0)[0]; got != 0x22 {
		t.Errorf("two frames in one transfer: %x", got)
	}
	send(t, c, 0x0C) // Half a frame: 22 0C, which is digit 1 and not shutdown.
	if r := m.Registers(0); r[2] != 0x0C {
		t.Errorf("half a frame: registers %x", r)
	}
	if err := c.TxPackets([]spi.Packet{{W: []byte{0x01}, KeepCS: true}, {W: []byte{0x33}}}); err != nil {
		t.Fatal(err)
	}
	if got := m.Lit(0)[0]; got != 0x33 {
		t.Errorf("one frame in two packets: %x", got)
	}
	if err := c.TxPackets([]spi.Packet{{W: []byte{0x01, 0x44}}, {W: []byte{0x0A, 0x03}}}); err != nil {
		t.Fatal(err)
	}
	if m.Lit(0)[0] != 0x44 || m.Duty(0) != 7 {
		t.Error("two packets are two frames")
	}
	m.Unplug(true)
	send(t, c, 0x01, 0x55)
	m.Unplug(false)
	if got := m.Lit(0)[0]; got != 0x44 {
		t.Errorf("an unplugged chip took %x", got)
	}
}

// TestDigitsChain: the first frame travels farthest (page "No-Op Register").
func TestDigitsChain(t *testing.T) {
	m, c := digits(t, 4)
	on := []byte{0x0C, 1}
	send(t, c, append(append(append(append([]byte{}, on...), on...), on...), on...)...)
	send(t, c, 0x01, 0x77, 0, 0, 0, 0, 0, 0) // To the fourth, three no-ops.
	for unit, want := range []byte{0, 0, 0, 0x77} {
		if got := m.Lit(unit)[0]; got != want {
			t.Errorf("unit %d shows %x, want %x", unit, got, want)
		}
	}
	if m.Units() != 4 {
		t.Errorf("%d units", m.Units())
	}
	mustPanic(t, "a chain of nothing", func() { emu.NewMAX7219(0) })
}

// TestDigitsAgainstPeriph writes numbers with periph's driver; the segments of
// the characters are those of the sheet's table 5, by hand.
func TestDigitsAgainstPeriph(t *testing.T) {
	seven := map[rune]byte{
		'0': 0b1111110, '1': 0b0110000, '2': 0b1101101, '3': 0b1111001, '4': 0b0110011,
		'5': 0b1011011, '6': 0b1011111, '7': 0b1110000, '8': 0b1111111, '9': 0b1111011,
		'-': 0b0000001, ' ': 0,
	}
	m := emu.NewMAX7219(1)
	dev, err := max7219.NewSPI(m, 1, 8)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(-9_999_999, 99_999_999).Draw(rt, "number")
		if err := dev.WriteInt(n); err != nil {
			rt.Fatal(err)
		}
		lit := m.Lit(0)
		text := strconv.Itoa(n)
		for len(text) < 8 {
			text = " " + text
		}
		for i, r := range text { // The first character is digit 7.
			if lit[7-i] != seven[r] {
				rt.Fatalf("%q: digit %d shows %07b, want %07b", text, 7-i, lit[7-i], seven[r])
			}
		}
	})
}

func TestMatrixChainAgainstPeriph(t *testing.T) {
	m := emu.NewMAX7219(3)
	dev, err := max7219.NewSPI(m, 3, 8)
	if err != nil {
		t.Fatal(err)
	}
	if err := dev.SetIntensity(4); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		unit := rapid.IntRange(0, 2).Draw(rt, "unit")
		raster := rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(rt, "raster")
		before := [3][8]byte{m.Lit(0), m.Lit(1), m.Lit(2)}
		if err := dev.WriteCascadedUnit(unit, raster); err != nil {
			rt.Fatal(err)
		}
		for i := range raster {
			before[unit][i] = raster[7-i] // periph counts rows from the other end.
		}
		if after := [3][8]byte{m.Lit(0), m.Lit(1), m.Lit(2)}; after != before {
			rt.Fatalf("%x, want %x", after, before)
		}
	})
	if m.Duty(0) != 9 || m.Duty(2) != 9 {
		t.Errorf("duty %d and %d, want 9/32", m.Duty(0), m.Duty(2))
	}
}

// FuzzMAX7219 sends anything: nothing breaks, and a chip whose registers are
// written afterwards shows what it is sent.
func FuzzMAX7219(f *testing.F) {
	f.Add([]byte{0x0F, 0x01}, []byte{0x09})
	f.Add([]byte{0x0C, 0x01, 0x0B}, []byte{})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		m := emu.NewMAX7219(2)
		c, err := m.Connect(physic.MegaHertz, spi.Mode0, 8)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range [][]byte{a[:min(len(a), 4096)], b[:min(len(b), 4096)]} {
			send(t, c, w...)
			m.Lit(0)
		}
		for _, reg := range []byte{0x0F, 0x09, 0x0A, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08} {
			send(t, c, reg, 0, reg, 0)
		}
		send(t, c, 0x0B, 7, 0x0B, 7)
		send(t, c, 0x0C, 1, 0x0C, 1)
		send(t, c, 0x08, 0x18, 0x01, 0x81)
		if first, second := m.Lit(0), m.Lit(1); first != [8]byte{0x81} || second != [8]byte{7: 0x18} || m.Duty(0) != 1 {
			t.Fatalf("lit %x and %x at %d/32", first, second, m.Duty(0))
		}
	})
}
