package hardware_test

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/i2c/i2ctest"
	"periph.io/x/conn/v3/physic"

	"reversi-board/hardware"
)

// A driver that keeps its bus can use it inside of a request only.
func TestWindow(t *testing.T) {
	t.Parallel()
	raw := &i2ctest.Playback{Ops: []i2ctest.IO{{Addr: 0x48, W: []byte{0}, R: []byte{0x33, 0x90}}}, DontPanic: true}
	bus := hardware.NewBus(raw, hardware.BusOptions{Inline: true})
	w := hardware.NewWindow(bus)
	read := func() (v [2]byte, err error) {
		err = w.Tx(0x48, []byte{0}, v[:])
		return v, err
	}
	if _, err := read(); !errors.Is(err, hardware.ErrOutside) {
		t.Errorf("a window that was never opened: %v", err)
	}
	err := bus.Do(t.Context(), hardware.PrioScan, func(tx i2c.Bus) error {
		w.Open(tx)
		defer w.Close()
		v, err := read()
		if v != [2]byte{0x33, 0x90} {
			t.Errorf("read % X", v)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := read(); !errors.Is(err, hardware.ErrOutside) {
		t.Errorf("a window that was closed: %v", err)
	}
	if err := w.SetSpeed(physic.KiloHertz); err == nil {
		t.Error("a chip's driver set the speed of the bus")
	}
	if w.String() != bus.String() {
		t.Errorf("it calls itself %q, the bus is %q", w, bus)
	}
	if err := bus.Close(); err != nil {
		t.Error(err)
	}
}

func TestWholeBus(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{
		syscall.ETIMEDOUT:                   true,
		syscall.EAGAIN:                      true,
		syscall.EIO:                         true,
		fs.ErrClosed:                        true,
		syscall.EREMOTEIO:                   false,
		syscall.ENXIO:                       false,
		syscall.EOPNOTSUPP:                  false,
		errors.New("something else failed"): false,
	} {
		if got := hardware.WholeBus(err); got != want {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
	if hardware.WholeBus(nil) {
		t.Error("no error concerns the whole bus")
	}
}
