package pi

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Chip is a GPIO chip of the computer, or a device file of one that cannot be
// asked.
type Chip struct {
	// Device is its device file, such as /dev/gpiochip0.
	Device string
	// Label names the driver. That of the header's chip begins with pinctrl-.
	Label string
	// Lines is how many lines it has.
	Lines int
	// Err is why it cannot be asked, nil if it can.
	Err error
}

// headerLabel begins the label of the chip that has the header's pins: the driver
// is pinctrl-bcm2835, pinctrl-bcm2711 or pinctrl-rp1.
const headerLabel = "pinctrl-"

// headerChip returns the device file of the chip that has the header's pins, of
// which number is one. A pin's number is the line's offset in the chip. The number
// of the chip differs between models and kernels (raspberrypi/linux#6144), so its
// label decides.
func headerChip(chips []Chip, number int, model string) (device string, err error) {
	chips = slices.SortedStableFunc(slices.Values(chips), func(a, b Chip) int { return cmp.Compare(a.Label, b.Label) })
	var others []string
	for _, c := range chips {
		switch {
		case c.Err != nil && (err == nil || errors.Is(c.Err, fs.ErrPermission)):
			err = explain(kindGPIO(), c.Device, model, c.Err)
		case c.Err != nil:
		case strings.HasPrefix(c.Label, headerLabel) && number < c.Lines:
			return c.Device, nil
		default:
			others = append(others, fmt.Sprintf("%s (%s)", c.Device, c.Label))
		}
	}
	switch {
	case err != nil:
		return "", err
	case model == "" || len(others) == 0:
		return "", explain(kindGPIO(), "/dev/gpiochip*", model, fs.ErrNotExist)
	}
	return "", fmt.Errorf("open the pins: none of the GPIO chips %s is that of the header; update Raspberry Pi OS: %w",
		strings.Join(others, ", "), fs.ErrNotExist)
}

// Header returns the device file of the chip that has the header's pins. The
// error says what to do; errors.Is finds the cause: fs.ErrNotExist,
// fs.ErrPermission.
func (s System) Header() (device string, err error) {
	chips := s.Chips
	if chips == nil {
		chips = kernelChips
	}
	name, _ := s.Model()
	return headerChip(chips(), maxHeaderPin, name)
}
