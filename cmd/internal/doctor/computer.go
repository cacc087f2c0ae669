package doctor

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"reversi-board/configs"
	"reversi-board/hardware/pi"
)

// checkPi looks at the computer: what it is, and what its kernel is known for.
func checkPi(_ context.Context, d *doctor, c *Check) {
	if d.h.Simulation.Enabled {
		c.skip("The board is simulated: any computer will do.")
		return
	}
	model, ok := d.o.System.Model()
	if !ok {
		c.foundf("This computer is not a Raspberry Pi, and the settings are those of a real board.")
		c.blame(Problem{
			Part: "pi", Where: "this computer", Cause: "other_computer", Found: "This computer is not a Raspberry Pi.",
			Next: "Run this on the Raspberry Pi of the board; to try the settings here add --simulate.",
		})
		return
	}
	kernel, err := d.o.System.Kernel()
	if err != nil {
		c.foundf("%s; its kernel does not say its version.", model)
		c.worsen(Warn)
		c.Next = "Update Raspberry Pi OS."
		return
	}
	c.foundf("%s, kernel %s.", model, kernel.Text)
	if kernel.ShakyI2C(model) {
		c.blame(Problem{
			Part: "pi", Where: "kernel", Cause: "old_kernel", Status: Warn,
			Found: "Kernel " + kernel.Text + " is known to lose I2C transfers on this model.",
			Next:  "Update Raspberry Pi OS to a kernel of 6.6.31 or later.",
		})
	}
	if d.o.System.Root() {
		c.blame(Problem{
			Part: "pi", Where: "user", Cause: "root", Status: Warn,
			Found: "The program runs as root, which it must not.",
			Next:  "Run it as an ordinary user in the groups " + list(neededGroups(d.h)) + ".",
		})
	}
}

// deviceFile is a device file that a real board needs, and why it cannot be used.
type deviceFile struct {
	name string
	err  error
}

// neededDevices tries the device files that a real board needs.
func (d *doctor) neededDevices() (files []deviceFile) {
	try := func(name string) { files = append(files, deviceFile{name, d.o.System.Device(name)}) }
	h := d.h
	if onI2C(h) {
		try(h.I2C.Bus)
	}
	if h.I2C.Second != "" && h.Kind == configs.Hall128 {
		try(h.I2C.Second)
	}
	if onSPI(h) {
		try(spiDevice(h.LEDs.Port))
	}
	if onPins(h) {
		files = append(files, d.header())
	}
	return files
}

// header finds the chip of the header's pins as the board does, by its label.
func (d *doctor) header() deviceFile {
	name, err := d.o.System.Header()
	if name != "" {
		return deviceFile{name, d.o.System.Device(name)}
	}
	name = "/dev/gpiochip*"
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		name = at.Path
	}
	return deviceFile{name, err}
}

// onPins reports whether the board has anything on single pins.
func onPins(h *configs.Hardware) bool {
	return h.Kind != configs.Hall128 || h.Interrupt != "" || h.Recovery != (configs.Recovery{}) ||
		len(buttonPins(h)) > 0 || h.Buzzer != ""
}

// neededGroups lists the groups that may use what the board needs.
func neededGroups(h *configs.Hardware) (groups []string) {
	if onPins(h) {
		groups = append(groups, "gpio")
	}
	if onI2C(h) {
		groups = append(groups, "i2c")
	}
	if onSPI(h) {
		groups = append(groups, "spi")
	}
	return groups
}

// checkAccess tries every device file that the board needs.
func checkAccess(_ context.Context, d *doctor, c *Check) {
	if d.h.Simulation.Enabled {
		c.skip("The board is simulated: it needs no device files.")
		return
	}
	if _, ok := d.o.System.Model(); !ok {
		c.skip("This is not a Raspberry Pi.")
		return
	}
	files, broken := d.neededDevices(), 0
	var devices []string
	for _, file := range files {
		device, err := file.name, file.err
		devices = append(devices, device)
		if err == nil {
			continue
		}
		broken++
		p := Problem{Part: "device", Where: device, Cause: "unusable", Found: sentence(err.Error()), Next: "Restart the Raspberry Pi."}
		switch {
		case errors.Is(err, fs.ErrPermission):
			p.Cause, p.Found = "no_permission", "This user may not use "+device+"."
			p.Next = "Add the user to the group " + pi.KindOf(device).Group() + ": sudo usermod -aG " + pi.KindOf(device).Group() + " $USER, and log in again."
		case errors.Is(err, fs.ErrNotExist):
			p.Cause, p.Found = "not_enabled", device+" is not there."
			p.Next = enable(d.h, device)
		}
		c.blame(p)
	}
	groups, err := d.o.System.Groups()
	missing := slices.DeleteFunc(neededGroups(d.h), func(g string) bool { return slices.Contains(groups, g) })
	switch {
	case broken > 0:
		c.foundf("%d of %s cannot be used.", broken, counted(len(devices), "device file", "device files"))
	case err == nil && len(missing) > 0 && !d.o.System.Root():
		c.foundf("%s can be used, although the user is not in %s.", upper(list(devices)), groupsText(missing))
	default:
		c.foundf("%s can be used.", upper(list(devices)))
	}
}

func groupsText(groups []string) string {
	if len(groups) == 1 {
		return "the group " + groups[0]
	}
	return "the groups " + list(groups)
}

// enable says how a device file comes to be.
func enable(h *configs.Hardware, device string) string {
	const boot = " to /boot/firmware/config.txt and restart the Raspberry Pi."
	switch {
	case device == h.I2C.Bus:
		return "Enable I2C: add dtparam=i2c_arm=on,i2c_arm_baudrate=400000" + boot
	case device == h.I2C.Second:
		return "Enable the second I2C bus: add its dtoverlay (i2c3, or i2c-gpio)" + boot
	case device == spiDevice(h.LEDs.Port):
		return "Enable SPI: add dtparam=spi=on" + boot
	default:
		return "Update Raspberry Pi OS: it has no GPIO character device of the header (a chip with the label pinctrl-...)."
	}
}

// checkPower asks the firmware about supply and heat.
func checkPower(_ context.Context, d *doctor, c *Check) {
	p, err := d.o.System.Power()
	switch {
	case err != nil:
		c.foundf("The supply could not be asked for: %s.", brief(err))
		c.worsen(Warn)
		c.Next = "Look at it with vcgencmd get_throttled."
		return
	case !p.Known:
		c.skip("This computer does not say how its supply is.")
		return
	}
	c.foundf("The supply is above 4.63 V, and the processor runs at full speed.")
	const supply = "Take a supply of 5 V with 3 A or more and a short, thick cable, and give the lights one of their own."
	switch {
	case p.Low:
		c.foundf("The supply of the Raspberry Pi is below 4.63 V now.")
		c.blame(Problem{Part: "power", Where: "supply", Cause: "low", Found: c.Found, Next: supply})
	case p.WasLow:
		c.foundf("The supply of the Raspberry Pi was below 4.63 V since it was started.")
		c.blame(Problem{Part: "power", Where: "supply", Cause: "was_low", Status: Warn, Found: c.Found, Next: supply})
	case p.Throttled, p.WasThrottled:
		c.foundf("The processor is, or was, slowed down because it is too hot.")
		c.blame(Problem{
			Part: "power", Where: "processor", Cause: "throttled", Status: Warn, Found: c.Found,
			Next: "Let air to the Raspberry Pi, or give it a heat sink.",
		})
	}
}

// checkClock asks whether somebody keeps the clock right.
func checkClock(_ context.Context, d *doctor, c *Check) {
	if d.o.Synced() {
		c.foundf("The clock is kept right by the network.")
		return
	}
	c.foundf("The clock is not kept right by the network: times in the record will be marked as uncertain.")
	c.worsen(Warn)
	c.Next = "Connect the network and switch the time service on: sudo timedatectl set-ntp true."
}
