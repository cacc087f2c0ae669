package pi

import (
	"fmt"
	"strings"

	"periph.io/x/conn/v3/gpio"
	"periph.io/x/host/v3/gpioioctl"
)

// Lines are up to 64 pins that the kernel drives or reads in one call. Bit k of
// a mask is the k-th pin that was named.
type Lines struct {
	names string
	set   lineSet
	all   uint64
}

// lineSet is what Lines need of gpioioctl.
type lineSet interface {
	Out(bits, mask gpio.GPIOValue) error
	Read(mask gpio.GPIOValue) (gpio.GPIOValue, error)
	Close() error
}

// OpenOutputs makes the pins, like "GPIO5", outputs, all high. They are low for
// some microseconds before, as every output of gpioioctl: wire them so that low
// is safe.
func OpenOutputs(names []string) (*Lines, error) {
	l, err := openLines(names, gpioioctl.LineOutput, gpio.PullNoChange)
	if err != nil {
		return nil, err
	}
	if err := l.Out(l.all, l.all); err != nil {
		_ = l.Close() // The error of interest is the first one.
		return nil, err
	}
	return l, nil
}

// OpenInputs makes the pins inputs with a pull-up.
func OpenInputs(names []string) (*Lines, error) {
	return openLines(names, gpioioctl.LineInput, gpio.PullUp)
}

func openLines(names []string, dir gpioioctl.LineDir, pull gpio.Pull) (*Lines, error) {
	var chip *gpioioctl.GPIOChip
	kernel := make([]string, len(names))
	for i, name := range names {
		n, err := parsePin(name)
		if err != nil {
			return nil, err
		}
		if chip == nil {
			if chip = chipWith(n); chip == nil {
				return nil, explain(kindGPIO(), name, model(), noChip())
			}
		}
		if kernel[i], err = kernelName(chip.ByNumber(n), name); err != nil {
			return nil, err
		}
	}
	if chip == nil {
		return nil, fmt.Errorf("open pins: none is named")
	}
	set, err := chip.LineSet(dir, gpio.NoEdge, pull, kernel...)
	if err != nil {
		return nil, fmt.Errorf("open the pins %s, is another program using one of them? %w", strings.Join(names, ", "), err)
	}
	return newLines(names, set), nil
}

func newLines(names []string, set lineSet) *Lines {
	return &Lines{names: strings.Join(names, ", "), set: set, all: 1<<len(names) - 1}
}

// chipWith returns the chip of the header, or nil; n is a number it must have.
func chipWith(n int) *gpioioctl.GPIOChip {
	for _, chip := range gpioioctl.Chips {
		if strings.HasPrefix(chip.Label(), "pinctrl-") && n < chip.LineCount() {
			return chip
		}
	}
	return nil
}

// kernelName returns the name under which LineSet finds a line. Kernels before
// 2024 leave some without one.
func kernelName(l interface{ Name() string }, pin string) (string, error) {
	if name := l.Name(); name != "" {
		return name, nil
	}
	return "", fmt.Errorf("open pin %s: this kernel gives the line no name; update Raspberry Pi OS", pin)
}

// Out drives the pins in mask to the levels in bits.
func (l *Lines) Out(bits, mask uint64) error {
	if err := l.set.Out(gpio.GPIOValue(bits&l.all), gpio.GPIOValue(mask&l.all)); err != nil {
		return fmt.Errorf("drive the pins %s: %w", l.names, err)
	}
	return nil
}

// Read returns the levels of the pins in mask.
func (l *Lines) Read(mask uint64) (uint64, error) {
	v, err := l.set.Read(gpio.GPIOValue(mask & l.all))
	if err != nil {
		return 0, fmt.Errorf("read the pins %s: %w", l.names, err)
	}
	return uint64(v) & mask & l.all, nil
}

// Close gives the pins back.
func (l *Lines) Close() error { return l.set.Close() }
