package pi

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"periph.io/x/conn/v3/gpio"
)

// gpioChip is a GPIO chip of the kernel, whose driver can be unbound. Files that
// were open then answer ENODEV (gpiolib-cdev.c), and opening finds nothing.
type gpioChip struct {
	mu     sync.Mutex
	away   bool
	level  uint64
	opens  int
	closes int
	asked  []request
	// deaf chips do not end a wait when they go, as older kernels.
	deaf bool
	gone chan struct{}
	edge chan struct{}
	// failing waits fail at once.
	failing bool
	waits   int
}

func newChip() *gpioChip { return &gpioChip{gone: make(chan struct{}), edge: make(chan struct{})} }

func (c *gpioChip) open(r request) (lineFile, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.away {
		return nil, &fs.PathError{Op: "open", Path: "/dev/gpiochip0", Err: syscall.ENOENT}
	}
	c.opens++
	c.asked = append(c.asked, r)
	if r.output {
		c.level = r.levels
	}
	return &chipLines{chip: c, gone: c.gone}, nil
}

func (c *gpioChip) unplug() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.away, c.level = true, 0
	if !c.deaf {
		close(c.gone)
	}
}

func (c *gpioChip) plug() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.away, c.gone = false, make(chan struct{})
}

// files wants as many files closed as opened, but for those still in use.
func (c *gpioChip) files(t *testing.T, opens, inUse int) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opens != opens || c.opens-c.closes != inUse {
		t.Errorf("%d files were opened and %d closed, want %d opened and %d in use", c.opens, c.closes, opens, inUse)
	}
}

type chipLines struct {
	chip   *gpioChip
	gone   chan struct{}
	stale  bool
	closed bool
}

func (l *chipLines) use() error {
	switch {
	case l.closed:
		return fs.ErrClosed
	case l.chip.away || l.stale:
		l.stale = true
		return syscall.ENODEV
	}
	return nil
}

func (l *chipLines) values(mask uint64) (uint64, error) {
	l.chip.mu.Lock()
	defer l.chip.mu.Unlock()
	return l.chip.level & mask, l.use()
}

func (l *chipLines) drive(bits, mask uint64) error {
	l.chip.mu.Lock()
	defer l.chip.mu.Unlock()
	err := l.use()
	if err == nil {
		l.chip.level = l.chip.level&^mask | bits&mask
	}
	return err
}

func (l *chipLines) configure(r request) error {
	l.chip.mu.Lock()
	defer l.chip.mu.Unlock()
	l.chip.asked = append(l.chip.asked, r)
	return l.use()
}

func (l *chipLines) edge(ctx context.Context, most time.Duration) error {
	l.chip.mu.Lock()
	l.chip.waits++
	failing, edge := l.chip.failing, l.chip.edge
	l.chip.mu.Unlock()
	if failing {
		return syscall.EIO
	}
	select {
	case <-edge:
		return nil
	case <-l.gone:
		return &fs.PathError{Op: "read", Path: "/dev/gpiochip0", Err: syscall.ENODEV}
	case <-time.After(most):
	case <-ctx.Done():
	}
	return os.ErrDeadlineExceeded
}

func (l *chipLines) Close() error {
	l.chip.mu.Lock()
	defer l.chip.mu.Unlock()
	if !l.closed {
		l.chip.closes++
	}
	l.closed = true
	return nil
}

func TestWaitReturnsWithTheEdge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newChip()
		in, err := openInput(c.open, "GPIO17", gpio.PullUp, gpio.FallingEdge)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		go func() {
			time.Sleep(3500 * time.Millisecond)
			c.edge <- struct{}{}
		}()
		if err := in.Wait(t.Context()); err != nil || time.Since(start) != 3500*time.Millisecond {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if c.asked[0].lines[0] != 17 || c.asked[0].pull != gpio.PullUp || c.asked[0].edge != gpio.FallingEdge {
			t.Errorf("asked for %+v", c.asked[0])
		}
	})
}

// The program ends as soon as it is told to: no wait outlives its context, and a
// wait that fails at once is not repeated without a pause.
func TestWaitEndsWithItsContextAtOnce(t *testing.T) {
	t.Parallel()
	for _, failing := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			c := newChip()
			c.failing = failing
			in, err := openInput(c.open, "GPIO17", gpio.PullUp, gpio.FallingEdge)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10300*time.Millisecond)
			defer cancel()
			start := time.Now()
			if err = in.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 10300*time.Millisecond {
				t.Errorf("failing %v: after %v: %v", failing, time.Since(start), err)
			}
			if c.waits > 12 {
				t.Errorf("failing %v: the pin was asked %d times in 10 s", failing, c.waits)
			}
		})
	}
}

func TestInputThatIsTaken(t *testing.T) {
	t.Parallel()
	busy := func(request) (lineFile, error) { return nil, syscall.EBUSY }
	_, err := openInput(busy, "GPIO17", gpio.PullUp, gpio.FallingEdge)
	if !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "GPIO17") {
		t.Errorf("got %v", err)
	}
}

// A chip goes for four seconds and comes back: an input says that it does not
// know its level, waits meanwhile, and works again; no old file is kept.
func TestInputWhoseChipGoesAndComesBack(t *testing.T) {
	t.Parallel()
	for _, deaf := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			c := newChip()
			c.level, c.deaf = 1, deaf
			in, err := openInput(c.open, "GPIO5", gpio.PullUp, gpio.BothEdges)
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(2500*time.Millisecond, c.unplug)
			time.AfterFunc(4500*time.Millisecond, func() {
				c.files(t, 1, 0)
				if _, err := in.Read(); err == nil || in.Gone() == nil || !strings.Contains(in.Gone().Error(), "GPIO5 has gone") {
					t.Errorf("deaf %v: the level of a pin that has gone: error %v, gone %v", deaf, err, in.Gone())
				}
			})
			time.AfterFunc(6500*time.Millisecond, func() { c.plug(); c.mu.Lock(); c.level = 1; c.mu.Unlock() })
			start := time.Now()
			if err := in.Wait(t.Context()); err != nil || time.Since(start) > 7600*time.Millisecond || time.Since(start) < 6500*time.Millisecond {
				t.Errorf("deaf %v: the wait ended after %v: %v", deaf, time.Since(start), err)
			}
			if l, err := in.Read(); err != nil || l != gpio.High || in.Gone() != nil {
				t.Errorf("deaf %v: back: %v, %v, gone %v", deaf, l, err, in.Gone())
			}
			c.files(t, 2, 1)
			if err := in.Close(); err != nil {
				t.Error(err)
			}
			c.files(t, 2, 0)
		})
	}
}

// An output comes back at the level that it had, whether or not anybody set it
// meanwhile: the supply of the chips is on again.
func TestOutputWhoseChipGoesAndComesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newChip()
		rail, err := openOutput(c.open, "GPIO22", gpio.High)
		if err != nil || rail.Level() != gpio.High || c.level != 1 {
			t.Fatalf("level %v, %v", rail.Level(), err)
		}
		c.unplug()
		rail.Check()
		if rail.Gone() == nil {
			t.Error("an idle output that has gone is not noticed")
		}
		c.files(t, 1, 0)
		if err := rail.Set(gpio.Low); err == nil || rail.Level() != gpio.High {
			t.Errorf("a level that could not be set is remembered: %v, %v", rail.Level(), err)
		}
		c.plug()
		time.Sleep(2 * time.Second)
		rail.Check()
		if c.level != 1 || rail.Gone() != nil {
			t.Errorf("back at level %d, %v", c.level, rail.Gone())
		}
		if err := rail.Set(gpio.Low); err != nil || rail.Level() != gpio.Low || c.level != 0 {
			t.Errorf("level %v, %v", rail.Level(), err)
		}
		c.files(t, 2, 1)
	})
}

// A tap comes back let go, even if it was to be pulled when its chip went.
func TestTapWhoseChipGoesAndComesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newChip()
		tap, err := openTap(c.open, "GPIO23")
		if err != nil {
			t.Fatal(err)
		}
		if err := tap.Out(gpio.Low); err != nil || !c.asked[1].output || c.asked[1].levels != 0 {
			t.Fatalf("pulled: %v, asked %+v", err, c.asked)
		}
		c.unplug()
		if err := tap.Out(gpio.Low); err == nil {
			t.Error("no error")
		}
		if tap.Read() != gpio.High {
			t.Error("a tap that cannot be read says that the line is held")
		}
		c.plug()
		time.Sleep(2 * time.Second)
		tap.Check()
		if last := c.asked[len(c.asked)-1]; last.output {
			t.Errorf("it came back as %+v", last)
		}
		c.files(t, 2, 1)
	})
}

func TestLinesOfAMatrix(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newChip()
		l, err := openLines(c.open, []string{"GPIO5", "GPIO6", "GPIO12"}, request{output: true, levels: ^uint64(0)})
		if err != nil || c.level != 0b111 {
			t.Fatalf("levels %b, %v, want all high from the beginning", c.level, err)
		}
		if err := l.Out(0b1101, ^uint64(0)); err != nil || c.level != 0b101 {
			t.Errorf("levels are %b, %v: want only those of the three pins", c.level, err)
		}
		if err := l.Out(0, 0b100); err != nil || c.level != 0b001 {
			t.Errorf("levels are %b, %v: want the third pin low, the others as before", c.level, err)
		}
		if v, err := l.Read(0b11); err != nil || v != 0b01 {
			t.Errorf("read %b, %v: want the levels of the first two pins and nothing else", v, err)
		}
		c.unplug()
		if _, err := l.Read(1); !errors.Is(err, syscall.ENODEV) || !strings.Contains(err.Error(), "GPIO5, GPIO6, GPIO12") {
			t.Errorf("an error reads %v", err)
		}
		c.files(t, 1, 0)
		c.plug()
		time.Sleep(2 * time.Second)
		if v, err := l.Read(0b111); err != nil || v != 0b001 {
			t.Errorf("back: %b, %v, want the levels that were set last", v, err)
		}
		c.files(t, 2, 1)
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		c.files(t, 2, 0)
	})
}

// A pin that is none is refused before anything is opened.
func TestLinesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{nil, {"GPIO28"}, {"17"}} {
		if _, err := OpenOutputs(names); err == nil {
			t.Errorf("%v was opened", names)
		}
		if _, err := OpenInputs(names); err == nil {
			t.Errorf("%v was opened", names)
		}
	}
}

// The header's chip is found by its label, whatever its number; what is in the way
// is told as what it is.
func TestHeaderIsFoundByItsLabel(t *testing.T) {
	t.Parallel()
	const pi4 = "Raspberry Pi 4 Model B Rev 1.5"
	denied := &fs.PathError{Op: "open", Path: "/dev/gpiochip11", Err: syscall.EACCES}
	for _, tc := range []struct {
		name  string
		chips []Chip
		model string
		want  string
		cause error
		says  []string
	}{
		{"a Pi 4", []Chip{{Device: "/dev/gpiochip0", Label: "pinctrl-bcm2711", Lines: 58}, {Device: "/dev/gpiochip1", Label: "raspberrypi-exp-gpio", Lines: 8}}, pi4, "/dev/gpiochip0", nil, nil},
		{"another number", []Chip{{Device: "/dev/gpiochip10", Label: "raspberrypi-exp-gpio", Lines: 8}, {Device: "/dev/gpiochip11", Label: "pinctrl-bcm2711", Lines: 58}}, pi4, "/dev/gpiochip11", nil, nil},
		{"another chip may not be asked", []Chip{{Device: "/dev/gpiochip0", Err: denied}, {Device: "/dev/gpiochip4", Label: "pinctrl-rp1", Lines: 54}}, pi4, "/dev/gpiochip4", nil, nil},
		{"no permission", []Chip{{Device: "/dev/gpiochip11", Err: denied}}, pi4, "", fs.ErrPermission, []string{"/dev/gpiochip11", "group gpio", "usermod -aG gpio"}},
		{"no permission beside another chip", []Chip{{Device: "/dev/gpiochip0", Label: "raspberrypi-exp-gpio", Lines: 8}, {Device: "/dev/gpiochip11", Err: denied}}, pi4, "", fs.ErrPermission, []string{"group gpio"}},
		{"no chip", nil, pi4, "", fs.ErrNotExist, []string{pi4, "update Raspberry Pi OS"}},
		{"no chip on a laptop", nil, "", "", fs.ErrNotExist, []string{"not a Raspberry Pi"}},
		{"none of the header", []Chip{{Device: "/dev/gpiochip1", Label: "raspberrypi-exp-gpio", Lines: 8}}, pi4, "", fs.ErrNotExist, []string{"/dev/gpiochip1 (raspberrypi-exp-gpio)"}},
	} {
		got, err := headerChip(tc.chips, 22, tc.model)
		if got != tc.want || !errors.Is(err, tc.cause) {
			t.Errorf("%s: %q, %v; want %q", tc.name, got, err, tc.want)
		}
		for _, says := range tc.says {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v does not mention %q", tc.name, err, says)
			}
		}
	}
}

// Rows and columns of a matrix are driven and read in every scan.
func TestLinesDoNotAllocate(t *testing.T) {
	c := newChip()
	l, err := openLines(c.open, []string{"GPIO5", "GPIO6"}, request{output: true})
	if err != nil {
		t.Fatal(err)
	}
	if allocs := testing.AllocsPerRun(1000, func() {
		if err := l.Out(1, 3); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Read(3); err != nil {
			t.Fatal(err)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations for a row", allocs)
	}
}
