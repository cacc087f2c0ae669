package hardware_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/physic"

	"reversi-board/hardware"
)

// node is a device file of an I²C adapter that comes and goes.
type node struct {
	t             *testing.T
	away          bool
	answer        error // Of a transfer while the adapter is there.
	opens, closes int
	refusal       error
}

func (n *node) open() (i2c.BusCloser, error) {
	n.opens++
	if n.away {
		n.closes++ // Nothing was opened.
		return nil, n.refusal
	}
	return &nodeFile{node: n}, nil
}

type nodeFile struct {
	node   *node
	closed bool
}

func (f *nodeFile) Tx(uint16, []byte, []byte) error {
	switch {
	case f.closed:
		f.node.t.Error("a file that was closed is used")
		return fs.ErrClosed
	case f.node.away:
		return errors.New("sysfs-i2c: no such device")
	}
	return f.node.answer
}

func (f *nodeFile) Close() error {
	if f.closed {
		f.node.t.Error("a file is closed twice")
	}
	f.closed = true
	f.node.closes++
	return nil
}

func (f *nodeFile) SetSpeed(physic.Frequency) error { return nil }

func (f *nodeFile) String() string { return "I2C1" }

// A bus whose adapter has gone is not asked for longer than it takes to fail once,
// keeps no file, is tried more and more rarely, once a second in the end, and works
// when the adapter is there again, whatever opening says meanwhile.
func TestPersistentBusIsOpenedAgain(t *testing.T) {
	t.Parallel()
	for _, refusal := range []error{syscall.ENOENT, syscall.ENODEV, syscall.ENXIO, syscall.EACCES} {
		goesAndComesBack(t, refusal)
	}
}

// goesAndComesBack takes an adapter away for ten seconds, in which opening it fails
// with refusal.
func goesAndComesBack(t *testing.T, refusal error) {
	t.Helper()
	now := time.Duration(0)
	n := &node{t: t, refusal: refusal}
	b, err := hardware.NewPersistentBus("/dev/i2c-1", func() time.Duration { return now }, n.open)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Tx(0x20, []byte{0}, nil); err != nil || b.Gone() != nil {
		t.Fatalf("%v, %v", err, b.Gone())
	}
	n.away = true
	for ; now < 10*time.Second; now += 10 * time.Millisecond {
		err := b.Tx(0x20, []byte{0}, nil)
		if hardware.Classify(err) != hardware.Vanished || !strings.Contains(err.Error(), "/dev/i2c-1 has gone") || !strings.Contains(err.Error(), "overlay") {
			t.Fatalf("at %v: %v", now, err)
		}
		if n.opens != n.closes {
			t.Fatalf("at %v a file is open", now)
		}
	}
	if n.opens < 9 || n.opens > 20 {
		t.Errorf("tried %d times in 10 s", n.opens)
	}
	n.away = false
	now += time.Second
	if err := b.Tx(0x20, []byte{0}, nil); err != nil || b.Gone() != nil || b.String() != "I2C1" {
		t.Errorf("%v: back: %v, %v, %s", refusal, err, b.Gone(), b)
	}
	if err := b.Close(); err != nil || n.opens != n.closes {
		t.Errorf("%d files opened, %d closed, %v", n.opens, n.closes, err)
	}
	if err := b.Tx(0x20, []byte{0}, nil); !errors.Is(err, fs.ErrClosed) || n.opens != n.closes {
		t.Errorf("closed for good: %v", err)
	}
}

// A USB adapter that was pulled reports what a controller that gives up does, EIO:
// after three in a row its file is closed and opened anew, which brings it back or
// shows that it has gone. What chips do, ENXIO among it, is no reason.
func TestPersistentBusOpensAnAdapterAnewThatGivesUp(t *testing.T) {
	t.Parallel()
	n := &node{t: t, answer: fmt.Errorf("tx: %w", syscall.ENXIO)}
	b, err := hardware.NewPersistentBus("/dev/i2c-11", func() time.Duration { return 0 }, n.open)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if err := b.Tx(0x20, []byte{0}, nil); hardware.Classify(err) != hardware.NACK {
			t.Fatal(err)
		}
	}
	if n.opens != 1 {
		t.Errorf("a chip that does not answer made it open the bus %d times", n.opens)
	}
	n.answer = syscall.EIO
	for range 4 {
		if err := b.Tx(0x20, []byte{0}, nil); hardware.Classify(err) != hardware.IO {
			t.Fatal(err)
		}
	}
	if n.opens != 2 || n.closes != 1 {
		t.Errorf("%d files opened and %d closed, want 2 and 1", n.opens, n.closes)
	}
}

// ENODEV names the overlay and the adapter, not pull-ups.
func TestAdviceForAnAdapterThatHasGone(t *testing.T) {
	t.Parallel()
	n := &node{t: t, refusal: syscall.ENOENT}
	p, err := hardware.NewPersistentBus("/dev/i2c-1", nil, n.open)
	if err != nil {
		t.Fatal(err)
	}
	bus := hardware.NewBus(p, hardware.BusOptions{Inline: true})
	n.away = true
	text := bus.Tx(0x23, []byte{0}, nil).Error()
	if strings.Contains(text, "pull-up") || !strings.Contains(text, "overlay") || !strings.Contains(text, "/dev/i2c-1") {
		t.Errorf("the advice is %q", text)
	}
	if err := bus.Close(); err != nil {
		t.Error(err)
	}
}

// A transfer over a bus that is opened again costs no memory: it is in every scan.
func TestPersistentBusDoesNotAllocate(t *testing.T) {
	n := &node{t: t}
	b, err := hardware.NewPersistentBus("/dev/i2c-1", nil, n.open)
	if err != nil {
		t.Fatal(err)
	}
	w, r := []byte{0}, make([]byte, 2)
	if allocs := testing.AllocsPerRun(1000, func() {
		if err := b.Tx(0x20, w, r); err != nil {
			t.Fatal(err)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations for a transfer", allocs)
	}
}
