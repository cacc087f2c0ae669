package pi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// System is the computer that the board is connected to, as its files describe
// it: what a doctor asks before it looks at the first chip. The zero value is
// the computer that the program runs on.
//
// It only reads, and opens device files without using them; it needs no Init
// and disturbs no other program.
type System struct {
	// FS holds the computer's files, without the leading slash; nil is all that
	// there is.
	FS fs.FS
	// Open opens a device file for reading and writing and closes it again; nil
	// does so.
	Open func(path string) error
	// Chips lists the GPIO chips; nil asks the kernel.
	Chips func() []Chip
	// User returns the user's id and those of its groups; nil asks the kernel.
	User func() (uid int, groups []int, err error)
}

func (s System) files() fs.FS {
	if s.FS == nil {
		return os.DirFS("/")
	}
	return s.FS
}

// line returns the first line of a small file.
func (s System) line(name string) (string, error) {
	b, err := fs.ReadFile(s.files(), name)
	if err != nil {
		return "", err
	}
	text, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(text), nil
}

// Model is like the function Model.
func (s System) Model() (name string, ok bool) {
	for _, file := range [...]string{"proc/device-tree/model", "sys/firmware/devicetree/base/model"} {
		if b, err := fs.ReadFile(s.files(), file); err == nil {
			name = raspberry(string(b))
			return name, name != ""
		}
	}
	return "", false
}

// Kernel is the version of the Linux kernel.
type Kernel struct {
	// Text is all of it, such as "6.6.31+rpt-rpi-v8".
	Text                string
	Major, Minor, Patch int
}

// Before reports whether this version is older than another one.
func (k Kernel) Before(major, minor, patch int) bool {
	return slices.Compare([]int{k.Major, k.Minor, k.Patch}, []int{major, minor, patch}) < 0
}

// Kernel returns the version of the kernel that runs.
func (s System) Kernel() (Kernel, error) {
	text, err := s.line("proc/sys/kernel/osrelease")
	if err != nil {
		return Kernel{}, fmt.Errorf("read the kernel's version: %w", err)
	}
	return parseKernel(text)
}

// parseKernel reads "6.6.31+rpt-rpi-v8", "6.12-rc1" or "5.15.0-1034-raspi".
func parseKernel(text string) (Kernel, error) {
	k := Kernel{Text: text}
	rest := text
	for i, part := range [...]*int{&k.Major, &k.Minor, &k.Patch} {
		end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		if end < 0 {
			end = len(rest)
		}
		n, err := strconv.Atoi(rest[:end])
		if err != nil {
			return Kernel{Text: text}, fmt.Errorf("read the kernel's version: %.40q does not begin with numbers", text)
		}
		*part = n
		more := end < len(rest) && rest[end] == '.'
		if !more && i == 0 {
			return Kernel{Text: text}, fmt.Errorf("read the kernel's version: %.40q has one number only", text)
		}
		if !more {
			break
		}
		rest = rest[end+1:]
	}
	return k, nil
}

// ShakyI2C reports whether this kernel is known to lose transfers on the I²C
// buses of this model: on a Pi 5 and its relatives the controller's driver ran
// into timeouts and lost arbitrations before 6.6.31 (raspberrypi/linux#6043,
// #5784).
func (k Kernel) ShakyI2C(model string) bool {
	for _, relative := range [...]string{"Raspberry Pi 5", "Raspberry Pi Compute Module 5"} {
		if strings.HasPrefix(model, relative) {
			return k.Before(6, 6, 31)
		}
	}
	return false
}

func (s System) user() (uid int, groups []int, err error) {
	if s.User != nil {
		return s.User()
	}
	groups, err = os.Getgroups()
	return os.Getuid(), append(groups, os.Getgid()), err
}

// Root reports whether the program has all rights, which it must not have.
func (s System) Root() bool {
	uid, _, err := s.user()
	return err == nil && uid == 0
}

// Groups returns the names of the user's groups. A group that was given to the
// user after the login is not among them.
func (s System) Groups() ([]string, error) {
	_, ids, err := s.user()
	if err != nil {
		return nil, fmt.Errorf("read the user's groups: %w", err)
	}
	text, err := fs.ReadFile(s.files(), "etc/group")
	if err != nil {
		return nil, fmt.Errorf("read the names of groups: %w", err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		// group(5): name:password:id:members.
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) < 3 {
			continue
		}
		if id, err := strconv.Atoi(fields[2]); err == nil && slices.Contains(ids, id) && !slices.Contains(names, fields[0]) {
			names = append(names, fields[0])
		}
	}
	return names, nil
}

// Device reports why a device file (/dev/i2c-1, /dev/spidev0.0) cannot be used, in words that say what to do, or nil if it can. errors.Is
// finds the cause: fs.ErrNotExist, fs.ErrPermission, EBUSY.
func (s System) Device(device string) error {
	open := s.Open
	if open == nil {
		open = openDevice
	}
	err := open(device)
	if err == nil {
		return nil
	}
	name, _ := s.Model()
	k := kindGPIO()
	switch KindOf(device) {
	case I2CDevice:
		k = kindI2C()
	case SPIDevice:
		k = kindSPI()
	case PinDevice:
	}
	return explain(k, device, name, err)
}

func openDevice(device string) error {
	f, err := os.OpenFile(device, os.O_RDWR, 0) //nolint:gosec // The settings name the device, and nothing is written.
	if err != nil {
		return err
	}
	return f.Close()
}

// DeviceKind is a kind of device file.
type DeviceKind uint8

// The kinds of device files.
const (
	// PinDevice has pins.
	PinDevice DeviceKind = iota
	I2CDevice
	SPIDevice
)

// KindOf returns the kind of a device file by its name.
func KindOf(device string) DeviceKind {
	switch base := path.Base(device); {
	case strings.HasPrefix(base, "i2c-"):
		return I2CDevice
	case strings.HasPrefix(base, "spidev"):
		return SPIDevice
	default:
		return PinDevice
	}
}

// Group returns the group whose users may use such a device on Raspberry Pi OS.
func (k DeviceKind) Group() string {
	switch k {
	case I2CDevice:
		return kindI2C().group
	case SPIDevice:
		return kindSPI().group
	case PinDevice:
	}
	return kindGPIO().group
}

// BusSpeed returns the clock in hertz that the system has been told to use on an
// I²C bus such as /dev/i2c-1: what dtparam=i2c_arm_baudrate became in the device
// tree. ok is false if the system does not say.
//
// On models before the Pi 5 the real clock is lower while the processor idles,
// as it is derived from the core's.
func (s System) BusSpeed(device string) (hertz int, ok bool) {
	n, err := parseI2C(device)
	if err != nil {
		return 0, false
	}
	// A cell of the device tree: 32 bits, high byte first.
	b, err := fs.ReadFile(s.files(), fmt.Sprintf("sys/class/i2c-adapter/i2c-%d/of_node/clock-frequency", n))
	if err != nil || len(b) != 4 {
		return 0, false
	}
	return int(binary.BigEndian.Uint32(b)), true
}

// Power is what the firmware says of the supply and of the heat.
type Power struct {
	// Known says that there was somebody to ask.
	Known bool
	// Low says that the supply is below 4.63 V now, or was within the last
	// seconds; WasLow that it was so at some time since the start.
	Low, WasLow bool
	// Throttled says that the processor is slowed down now, for heat or for want
	// of power; WasThrottled that it was.
	Throttled, WasThrottled bool
}

// The bits of get_throttled (Raspberry Pi documentation, "vcgencmd
// get_throttled"); those of the past are 16 bits higher.
const (
	lowVoltage   = 1 << 0
	capped       = 1 << 1
	throttled    = 1 << 2
	softLimit    = 1 << 3
	anyThrottled = capped | throttled | softLimit
	sinceStart   = 16
)

// Power returns what the firmware says, as far as the kernel passes it on: the
// sensor rpi_volt (kernel documentation, raspberrypi-hwmon) and, on kernels of
// Raspberry Pi OS, the file get_throttled.
func (s System) Power() (Power, error) {
	var p Power
	err := errors.Join(s.voltSensor(&p), s.getThrottled(&p))
	if err != nil {
		return Power{}, fmt.Errorf("read the state of the supply: %w", err)
	}
	return p, nil
}

func (s System) voltSensor(p *Power) error {
	names, err := fs.Glob(s.files(), "sys/class/hwmon/hwmon*/name")
	if err != nil {
		return err
	}
	for _, name := range names {
		if text, err := s.line(name); err != nil || text != "rpi_volt" {
			continue // Another sensor, or one that has just gone.
		}
		alarm, err := s.line(path.Join(path.Dir(name), "in0_lcrit_alarm"))
		if err != nil {
			return err
		}
		p.Known = true
		p.Low = p.Low || alarm != "0"
	}
	return nil
}

func (s System) getThrottled(p *Power) error {
	// The folder in between depends on the model.
	names, err := fs.Glob(s.files(), "sys/devices/platform/*/*firmware/get_throttled")
	if err != nil || len(names) == 0 {
		return err
	}
	text, err := s.line(names[0])
	if err != nil {
		return err
	}
	bits, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 32)
	if err != nil {
		return fmt.Errorf("%s holds %.20q: %w", names[0], text, err)
	}
	p.Known = true
	p.Low = p.Low || bits&lowVoltage != 0
	p.WasLow = bits&(lowVoltage<<sinceStart) != 0
	p.Throttled = bits&anyThrottled != 0
	p.WasThrottled = bits&(anyThrottled<<sinceStart) != 0
	return nil
}
