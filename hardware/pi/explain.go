package pi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// kind is a kind of device file, with what a user needs to get at it.
type kind struct {
	name    string // As in a sentence.
	group   string // The Unix group that may open it.
	overlay string // The line of config.txt that creates it.
}

func kindI2C() kind {
	return kind{name: "I²C", group: "i2c", overlay: "dtparam=i2c_arm=on,i2c_arm_baudrate=400000"}
}

func kindSPI() kind {
	return kind{name: "SPI", group: "spi", overlay: "dtparam=spi=on"}
}

func kindGPIO() kind { return kind{name: "GPIO", group: "gpio"} }

// model returns the name of the Raspberry Pi this runs on, or "" on any other
// computer.
func model() string {
	b, err := os.ReadFile("/proc/device-tree/model")
	if err != nil {
		return ""
	}
	return raspberry(string(b))
}

func raspberry(deviceTree string) string {
	s := strings.TrimRight(deviceTree, "\x00\n")
	if !strings.HasPrefix(s, "Raspberry Pi") {
		return ""
	}
	return s
}

// Model returns the name of the Raspberry Pi this runs on, like "Raspberry Pi
// 5 Model B Rev 1.0"; ok is false on any other computer.
func Model() (name string, ok bool) {
	name = model()
	return name, name != ""
}

// explain says what to do about a device file that could not be opened.
func explain(k kind, path, model string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("open %s: no permission; add the user to group %s with "+
			"\"sudo usermod -aG %s $USER\" and log in again, do not run as root: %w", path, k.group, k.group, err)
	case errors.Is(err, fs.ErrNotExist) && model == "":
		return fmt.Errorf("open %s: this computer is not a Raspberry Pi; use the simulated board here: %w", path, err)
	case errors.Is(err, fs.ErrNotExist) && k.overlay == "":
		return fmt.Errorf("open %s: this %s has no GPIO character device; update Raspberry Pi OS: %w", path, model, err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("open %s: %s is not enabled on this %s; add the line %q to "+
			"/boot/firmware/config.txt and restart it: %w", path, k.name, model, k.overlay, err)
	}
	return fmt.Errorf("open %s: %w", path, err)
}
