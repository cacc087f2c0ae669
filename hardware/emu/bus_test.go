package emu_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"periph.io/x/conn/v3/physic"

	"reversi-board/hardware/emu"
)

// echo is a chip of another kind: it acknowledges everything.
type echo struct {
	addr uint16
	err  error
}

func (e *echo) Address() uint16 { return e.addr }

func (e *echo) Transfer(_, r []byte) error {
	for i := range r {
		r[i] = 0xA5
	}
	return e.err
}

// mustPanic fails the test when f returns.
func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s did not panic", what)
		}
	}()
	f()
}

// TestWireBits compares the counters with the bit arithmetic of I²C: 9 clocks
// per byte, one each for START, repeated START and STOP. The totals are those
// of the usual ways to read 128 inputs and to fill two common displays.
func TestWireBits(t *testing.T) {
	type tx struct{ w, r int }
	for _, c := range []struct {
		name  string
		tx    []tx
		times int
		bits  uint64
	}{
		{"pin by pin", []tx{{1, 1}}, 128, 4992},
		{"port by port", []tx{{1, 1}}, 16, 624},
		{"w1+r2 per chip", []tx{{1, 2}}, 8, 384},
		{"bare r2 per chip", []tx{{0, 2}}, 8, 232},
		{"w1+r2 and parking", []tx{{1, 2}, {1, 0}}, 8, 544},
		{"w1+r2 and canary read", []tx{{1, 2}, {1, 2}}, 8, 768},
		{"17-byte display frame", []tx{{17, 0}}, 1, 164},
		{"display page", []tx{{4, 0}, {129, 0}}, 1, 1219},
	} {
		bus := emu.NewBus(&echo{addr: 0x3C})
		for range c.times {
			for _, x := range c.tx {
				if err := bus.Tx(0x3C, make([]byte, x.w), make([]byte, x.r)); err != nil {
					t.Fatal(err)
				}
			}
		}
		got := bus.Stats()
		if want := uint64(c.times * len(c.tx)); got.Bits != c.bits || got.Transactions != want || got.Failed != 0 {
			t.Errorf("%s: %+v, want %d bits in %d transactions", c.name, got, c.bits, want)
		}
	}
}

func TestWireTime(t *testing.T) {
	bus := emu.NewBus(&echo{addr: 0x3C})
	for range 8 {
		if err := bus.Tx(0x3C, []byte{0}, make([]byte, 2)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := bus.WireTime(), 960*time.Microsecond; got != want { // 384 bits at 400 kHz
		t.Errorf("at 400 kHz: %s, want %s", got, want)
	}
	if err := bus.SetSpeed(100 * physic.KiloHertz); err != nil {
		t.Fatal(err)
	}
	if got, want := bus.WireTime(), 3840*time.Microsecond; got != want {
		t.Errorf("at 100 kHz: %s, want %s", got, want)
	}
	if err := bus.SetSpeed(0); err == nil {
		t.Error("speed 0 was accepted")
	}
	bus.ResetStats()
	if got := bus.Stats(); got != (emu.Stats{}) {
		t.Errorf("after ResetStats: %+v", got)
	}
}

// TestNobodyAnswers checks what a driver sees of an address without a chip.
func TestNobodyAnswers(t *testing.T) {
	bus := emu.NewBus(emu.NewTCA9555(0x20, emu.TCAOptions{}))
	err := bus.Tx(0x21, []byte{0}, make([]byte, 2))
	if err == nil || !strings.HasSuffix(err.Error(), "remote I/O error") {
		t.Fatalf("got %v, want the text of Linux", err)
	}
	if !errors.Is(err, emu.NoAck()) {
		t.Errorf("%v does not wrap %v", err, emu.NoAck())
	}
	if got := bus.Stats(); got.Failed != 1 || got.Bits != 11 { // S, address, P
		t.Errorf("%+v, want 1 failed transaction of 11 bits", got)
	}

	bus.HideErrno(true)
	hidden := bus.Tx(0x21, []byte{0}, nil)
	if hidden == nil || hidden.Error() != err.Error() {
		t.Errorf("without errno: %v, want the same text as %v", hidden, err)
	}
	if errors.Is(hidden, emu.NoAck()) {
		t.Errorf("%v still wraps an errno", hidden)
	}
	bus.Fail(0x20, syscall.ETIMEDOUT)
	hidden = bus.Tx(0x20, []byte{0}, nil)
	if hidden == nil || !strings.HasSuffix(hidden.Error(), syscall.ETIMEDOUT.Error()) || errors.Is(hidden, syscall.ETIMEDOUT) {
		t.Errorf("without errno: %v, want only the text of ETIMEDOUT", hidden)
	}
}

// TestEmptyTransfer: Linux is not even asked for a transfer of nothing.
func TestEmptyTransfer(t *testing.T) {
	bus := emu.NewBus()
	if err := bus.Tx(0x20, nil, nil); err != nil {
		t.Errorf("got %v, want nil although no chip is there", err)
	}
	if got := bus.Stats(); got != (emu.Stats{}) {
		t.Errorf("%+v, want no traffic", got)
	}
}

func TestAddressTooBig(t *testing.T) {
	if err := emu.NewBus().Tx(0x80, []byte{0}, nil); err == nil {
		t.Error("address 0x80 was accepted")
	}
}

func TestAttach(t *testing.T) {
	bus := emu.NewBus(&echo{addr: 0x20})
	mustPanic(t, "a second chip at 0x20", func() { bus.Attach(&echo{addr: 0x20}) })
	mustPanic(t, "a chip at 0x80", func() { bus.Attach(&echo{addr: 0x80}) })
	bus.Detach(0x20)
	bus.Detach(0x80)
	if err := bus.Tx(0x20, []byte{0}, nil); !errors.Is(err, emu.NoAck()) {
		t.Errorf("a detached chip answers %v", err)
	}
	bus.Attach(&echo{addr: 0x20})
	if err := bus.Tx(0x20, []byte{0}, nil); err != nil {
		t.Errorf("an attached chip answers %v", err)
	}
}

func TestDeviceThatRefuses(t *testing.T) {
	bus := emu.NewBus(&echo{addr: 0x48, err: emu.NoAck()})
	if err := bus.Tx(0x48, []byte{9}, nil); !errors.Is(err, emu.NoAck()) {
		t.Errorf("got %v, want EREMOTEIO", err)
	}
}

func TestFaults(t *testing.T) {
	bus := emu.NewBus(&echo{addr: 0x20}, &echo{addr: 0x21})
	try := func(addr uint16) error { return bus.Tx(addr, []byte{0}, make([]byte, 1)) }

	bus.Fail(0x20, emu.NoAck())
	if err := try(0x20); !errors.Is(err, emu.NoAck()) {
		t.Errorf("failing chip: %v", err)
	}
	if err := try(0x21); err != nil {
		t.Errorf("its neighbour: %v", err)
	}
	bus.Fail(0x20, nil)
	if err := try(0x20); err != nil {
		t.Errorf("healed chip: %v", err)
	}

	bus.FailTimes(0x20, 2, syscall.EAGAIN)
	for i, want := range []error{syscall.EAGAIN, syscall.EAGAIN, nil} {
		if err := try(0x20); !errors.Is(err, want) {
			t.Errorf("transfer %d: %v, want %v", i, err, want)
		}
	}

	bus.FailAll(syscall.ETIMEDOUT)
	for _, a := range []uint16{0x20, 0x21, 0x33} {
		err := try(a)
		if !errors.Is(err, syscall.ETIMEDOUT) || !strings.HasSuffix(err.Error(), syscall.ETIMEDOUT.Error()) {
			t.Errorf("dead bus, %#x: %v", a, err)
		}
	}
	bus.Heal()
	if err := try(0x20); err != nil {
		t.Errorf("healed bus: %v", err)
	}

	bus.Corrupt(0x20, 1, 0x81)
	for i, want := range []byte{0xA5 ^ 0x81, 0xA5} {
		r := []byte{0}
		if err := bus.Tx(0x20, []byte{0}, r); err != nil || r[0] != want {
			t.Errorf("read %d: %#x, %v, want %#x", i, r[0], err, want)
		}
	}
	bus.Fail(0x80, syscall.EIO)       // no such address: no effect, no panic
	bus.Corrupt(0x80, 1, 0xFF)        // likewise
	bus.Corrupt(0x21, -1, 0xFF)       // no reads at all
	if err := try(0x21); err != nil { // still fine
		t.Error(err)
	}
}

func TestRecorder(t *testing.T) {
	bus := emu.NewBus(&echo{addr: 0x20})
	w := []byte{1, 2}
	bus.Record(true)
	if err := bus.Tx(0x20, w, nil); err != nil {
		t.Fatal(err)
	}
	w[0] = 99 // the recorder must hold a copy
	if err := bus.Tx(0x20, []byte{3}, make([]byte, 2)); err != nil {
		t.Fatal(err)
	}
	lost := bus.Tx(0x21, nil, make([]byte, 1))
	got := bus.Transfers()
	want := []emu.Transfer{
		{Addr: 0x20, W: []byte{1, 2}},
		{Addr: 0x20, W: []byte{3}, R: []byte{0xA5, 0xA5}},
		{Addr: 0x21, Err: lost},
	}
	if len(got) != len(want) {
		t.Fatalf("recorded %d transfers, want %d", len(got), len(want))
	}
	for i, g := range got {
		x := want[i]
		if g.Addr != x.Addr || !bytes.Equal(g.W, x.W) || !bytes.Equal(g.R, x.R) || !errors.Is(g.Err, x.Err) {
			t.Errorf("transfer %d: %+v, want %+v", i, g, x)
		}
	}
	bus.Record(false)
	if err := bus.Tx(0x20, w, nil); err != nil || len(bus.Transfers()) != 0 {
		t.Errorf("a stopped recorder holds %d transfers (%v)", len(bus.Transfers()), err)
	}
}

func TestClose(t *testing.T) {
	bus := emu.NewBus(&echo{addr: 0x20})
	if err := bus.Close(); err != nil {
		t.Fatal(err)
	}
	if err := bus.Tx(0x20, []byte{0}, nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("transfer on a closed bus: %v", err)
	}
	if err := bus.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
	bus.Reopen()
	if err := bus.Tx(0x20, []byte{0}, nil); err != nil {
		t.Errorf("transfer on a reopened bus: %v", err)
	}
	if bus.String() == "" {
		t.Error("the bus has no name")
	}
}

func TestBusTogether(t *testing.T) {
	chip := emu.NewTCA9555(0x20, emu.TCAOptions{PCA9555: true})
	bus := emu.NewBus(chip, emu.NewTCA9555(0x21, emu.TCAOptions{}))
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			r := make([]byte, 2)
			for range 200 {
				if err := bus.Tx(uint16(0x20+i&1), []byte{0}, r); err != nil {
					t.Error(err)
				}
				chip.SetPins(uint16(i), 0)
				_ = chip.INT()
			}
		})
	}
	wg.Wait()
	if got := bus.Stats().Transactions; got != 800 {
		t.Errorf("%d transactions, want 800", got)
	}
}

func TestTxDoesNotAllocate(t *testing.T) {
	bus := emu.NewBus(emu.NewTCA9555(0x20, emu.TCAOptions{}))
	w, r := []byte{0}, make([]byte, 2)
	if n := testing.AllocsPerRun(100, func() { _ = bus.Tx(0x20, w, r) }); n != 0 {
		t.Errorf("a scan of one chip allocates %v times", n)
	}
	if n := testing.AllocsPerRun(100, func() { _ = bus.Tx(0x21, w, r) }); n != 0 {
		t.Errorf("a transfer to no chip allocates %v times", n)
	}
}

// BenchmarkTx is the read of one chip: one byte written, two read.
func BenchmarkTx(b *testing.B) {
	bus := emu.NewBus(emu.NewTCA9555(0x20, emu.TCAOptions{}))
	w, r := []byte{0}, make([]byte, 2)
	b.ReportAllocs()
	for b.Loop() {
		if err := bus.Tx(0x20, w, r); err != nil {
			b.Fatal(err)
		}
	}
}
