package pi

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	// DefaultI2C is the bus on pins 3 and 5 of the header.
	DefaultI2C = "/dev/i2c-1"
	// DefaultSPI is SPI0 with chip select 0, on pins 19 and 23.
	DefaultSPI = "/dev/spidev0.0"
	// maxHeaderPin is the highest GPIO number on the 40-pin header.
	maxHeaderPin = 27
)

// parseI2C returns the bus number in "/dev/i2c-1".
func parseI2C(path string) (int, error) {
	if rest, ok := strings.CutPrefix(path, "/dev/i2c-"); ok {
		if n, ok := number(rest, 255); ok {
			return n, nil
		}
	}
	return 0, fmt.Errorf("open I²C bus %q: this is not a bus, write it like %s", path, DefaultI2C)
}

// parseSPI returns bus and chip select in "/dev/spidev0.1".
func parseSPI(path string) (bus, cs int, err error) {
	if rest, ok := strings.CutPrefix(path, "/dev/spidev"); ok {
		if first, second, ok := strings.Cut(rest, "."); ok {
			b, okBus := number(first, 255)
			c, okCS := number(second, 255)
			if okBus && okCS {
				return b, c, nil
			}
		}
	}
	return 0, 0, fmt.Errorf("open SPI port %q: this is not a port, write it like %s", path, DefaultSPI)
}

// parsePin returns the number in "GPIO17".
func parsePin(name string) (int, error) {
	if rest, ok := strings.CutPrefix(name, "GPIO"); ok {
		if n, ok := number(rest, maxHeaderPin); ok {
			return n, nil
		}
	}
	return 0, fmt.Errorf("open pin %q: this is not a pin of the header, write GPIO0 to GPIO%d", name, maxHeaderPin)
}

// number reads a plain decimal number from 0 to limit: no sign, no leading
// zeros.
func number(s string, limit int) (int, bool) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > limit || strconv.Itoa(n) != s {
		return 0, false
	}
	return n, true
}
