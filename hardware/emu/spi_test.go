package emu_test

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"periph.io/x/conn/v3"
	"periph.io/x/conn/v3/physic"
	"periph.io/x/conn/v3/spi"

	"reversi-board/hardware/emu"
)

// TestPortsOfChips: what the ports of all chips behind SPI refuse.
func TestPortsOfChips(t *testing.T) {
	for name, p := range map[string]port{
		"MAX7219": emu.NewMAX7219(1),
		"WS2812":  emu.NewWS2812(1, emu.WSOptions{}),
	} {
		t.Run(name, func(t *testing.T) {
			c := connectStrictly(t, p)
			refusesTransfers(t, p, c)
			r := []byte{1, 2}
			if err := c.Tx(nil, r); err != nil || r[0] != 0 || r[1] != 0 {
				t.Errorf("a read gave % x, %v", r, err)
			}
			if c.Duplex() != conn.Full {
				t.Error("not full duplex")
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			if err := c.Tx([]byte{1, 2}, nil); !errors.Is(err, os.ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
			if err := p.Close(); !errors.Is(err, os.ErrClosed) {
				t.Errorf("second Close: %v", err)
			}
		})
	}
}

type port interface {
	spi.PortCloser
	conn.Limits
}

// connectStrictly connects after everything that must be refused.
func connectStrictly(t *testing.T, p port) spi.Conn {
	t.Helper()
	for _, tc := range []struct {
		f    physic.Frequency
		mode spi.Mode
		bits int
	}{{-1, spi.Mode0, 8}, {physic.MegaHertz, spi.Mode1, 8}, {physic.MegaHertz, spi.Mode0, 9}} {
		if _, err := p.Connect(tc.f, tc.mode, tc.bits); err == nil {
			t.Errorf("%+v was accepted", tc)
		}
	}
	if p.LimitSpeed(0) == nil {
		t.Error("a limit of 0 was accepted")
	}
	c, err := p.Connect(physic.MegaHertz, spi.Mode3, 8)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Connect(physic.MegaHertz, spi.Mode3, 8); err == nil {
		t.Error("connected twice")
	}
	return c
}

func refusesTransfers(t *testing.T, p port, c spi.Conn) {
	t.Helper()
	if c.Tx(make([]byte, p.MaxTxSize()+1), nil) == nil {
		t.Error("a transfer beyond MaxTxSize was accepted")
	}
	if c.Tx(make([]byte, 2), make([]byte, 3)) == nil {
		t.Error("unequal lengths were accepted")
	}
	if c.TxPackets([]spi.Packet{{W: []byte{1}, BitsPerWord: 16}}) == nil {
		t.Error("16 bits per word were accepted")
	}
}

func TestPortFaultsAndSpeed(t *testing.T) {
	m := emu.NewMAX7219(1)
	if _, err := m.Connect(0, spi.Mode0|spi.NoCS, 8); err == nil {
		t.Error("a MAX7219 without its chip select was accepted")
	}
	c, err := m.Connect(20*physic.MegaHertz, spi.Mode0, 8)
	if err != nil {
		t.Fatal(err)
	}
	if c.Tx([]byte{0x0C, 1}, nil) == nil {
		t.Error("a clock of 20 MHz is more than the chip can follow")
	}
	if err := m.LimitSpeed(10 * physic.MegaHertz); err != nil {
		t.Fatal(err)
	}
	if m.Speed() != 10*physic.MegaHertz {
		t.Errorf("speed %s", m.Speed())
	}
	send(t, c, 0x0C, 1)
	m.Fail(syscall.EIO)
	if err := c.Tx([]byte{0x0C, 0}, nil); !errors.Is(err, syscall.EIO) {
		t.Errorf("a failing port: %v", err)
	}
	m.Fail(nil)
	if m.Registers(0)[0xC] != 1 {
		t.Error("a failed transfer reached the chip")
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	m.Reopen()
	if _, err := m.Connect(physic.MegaHertz, spi.Mode0, 8); err != nil {
		t.Errorf("reopened: %v", err)
	}
	if m.Registers(0)[0xC] != 1 {
		t.Error("closing the port changed the chip")
	}
}
