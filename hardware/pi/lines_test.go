package pi

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"periph.io/x/conn/v3/gpio"
)

// kernelSet is what the kernel keeps of a set of lines.
type kernelSet struct {
	levels gpio.GPIOValue
	err    error
	closed bool
}

func (s *kernelSet) Out(bits, mask gpio.GPIOValue) error {
	if s.err == nil {
		s.levels = s.levels&^mask | bits&mask
	}
	return s.err
}

func (s *kernelSet) Read(mask gpio.GPIOValue) (gpio.GPIOValue, error) {
	// The kernel leaves bits outside of the mask undefined.
	return s.levels | ^mask, s.err
}

func (s *kernelSet) Close() error {
	s.closed = true
	return nil
}

func TestLinesOfAMatrix(t *testing.T) {
	t.Parallel()
	set := &kernelSet{}
	l := newLines([]string{"GPIO5", "GPIO6", "GPIO12"}, set)
	if err := l.Out(0b1101, ^uint64(0)); err != nil || set.levels != 0b101 {
		t.Errorf("levels are %b, %v: want only those of the three pins", set.levels, err)
	}
	if err := l.Out(0, 0b100); err != nil || set.levels != 0b001 {
		t.Errorf("levels are %b, %v: want the third pin low, the others as before", set.levels, err)
	}
	if v, err := l.Read(0b11); err != nil || v != 0b01 {
		t.Errorf("read %b, %v: want the levels of the first two pins and nothing else", v, err)
	}
	set.err = syscall.EIO
	if _, err := l.Read(1); !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), "GPIO5, GPIO6, GPIO12") {
		t.Errorf("an error reads %v", err)
	}
	if err := l.Out(1, 1); !errors.Is(err, syscall.EIO) {
		t.Errorf("an error reads %v", err)
	}
	if err := l.Close(); err != nil || !set.closed {
		t.Errorf("the lines were not given back: %v", err)
	}
}

// A line without a name cannot be found by LineSet: on old kernels GPIO4 is
// called GPIO_GCLK, and some lines nothing at all.
func TestLineNames(t *testing.T) {
	t.Parallel()
	if name, err := kernelName(named("GPIO_GCLK"), "GPIO4"); err != nil || name != "GPIO_GCLK" {
		t.Errorf("got %q, %v", name, err)
	}
	if _, err := kernelName(named(""), "GPIO4"); err == nil || !strings.Contains(err.Error(), "GPIO4") {
		t.Errorf("a line without a name gives %v", err)
	}
}

type named string

func (n named) Name() string { return string(n) }

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
