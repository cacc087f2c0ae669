package pi

import (
	"errors"
	"strings"

	"periph.io/x/conn/v3/gpio"
)

// Lines are up to 64 pins that the kernel drives or reads in one call. Bit k of
// a mask is the k-th pin that was named. They are opened again, at the levels that
// were last set, after their chip has gone.
type Lines struct {
	*pins
	all uint64
}

// OpenOutputs makes the pins, like "GPIO5", outputs, all high.
func OpenOutputs(names []string) (*Lines, error) {
	return openLines(requestLines, names, request{output: true, levels: ^uint64(0)})
}

// OpenInputs makes the pins inputs with a pull-up.
func OpenInputs(names []string) (*Lines, error) {
	return openLines(requestLines, names, request{pull: gpio.PullUp})
}

func openLines(open opener, names []string, r request) (*Lines, error) {
	if len(names) == 0 {
		return nil, errors.New("open pins: none is named")
	}
	all := uint64(1)<<len(names) - 1
	r.levels &= all
	p, err := openPins(open, strings.Join(names, ", "), r, names...)
	if err != nil {
		return nil, err
	}
	return &Lines{pins: p, all: all}, nil
}

// Out drives the pins in mask to the levels in bits.
func (l *Lines) Out(bits, mask uint64) error { return l.set(bits&l.all, mask&l.all) }

// Read returns the levels of the pins in mask.
func (l *Lines) Read(mask uint64) (uint64, error) { return l.read(mask & l.all) }
