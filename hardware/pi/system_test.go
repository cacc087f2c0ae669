package pi

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
)

// files are the files of a computer by name, with their content.
func files(content map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range content {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestSystemModel(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		content map[string]string
		want    string
	}{
		{map[string]string{"proc/device-tree/model": "Raspberry Pi 5 Model B Rev 1.0\x00"}, "Raspberry Pi 5 Model B Rev 1.0"},
		{map[string]string{"sys/firmware/devicetree/base/model": "Raspberry Pi Zero 2 W Rev 1.0\x00"}, "Raspberry Pi Zero 2 W Rev 1.0"},
		{map[string]string{"proc/device-tree/model": "Pine64 ROCK64\x00"}, ""},
		{nil, ""},
	} {
		got, ok := System{FS: files(tc.content)}.Model()
		if got != tc.want || ok != (tc.want != "") {
			t.Errorf("%v: %q, %v; want %q", tc.content, got, ok, tc.want)
		}
	}
}

func TestKernelVersions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Kernel{
		"6.6.31+rpt-rpi-2712\n": {"6.6.31+rpt-rpi-2712", 6, 6, 31},
		"6.12.25+rpt-rpi-v8":    {"6.12.25+rpt-rpi-v8", 6, 12, 25},
		"5.15.0-1034-raspi":     {"5.15.0-1034-raspi", 5, 15, 0},
		"6.1-rc3":               {"6.1-rc3", 6, 1, 0},
		"6.1.0.5":               {"6.1.0.5", 6, 1, 0},
	} {
		got, err := System{FS: files(map[string]string{"proc/sys/kernel/osrelease": text})}.Kernel()
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "unknown", "6", "v6.6", "6.", "6..1"} {
		if k, err := (System{FS: files(map[string]string{"proc/sys/kernel/osrelease": text})}).Kernel(); err == nil {
			t.Errorf("%q was taken for %+v", text, k)
		}
	}
	if _, err := (System{FS: files(nil)}).Kernel(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without the file: %v", err)
	}
}

// What is taken for a version begins with its numbers.
func FuzzKernel(f *testing.F) {
	for _, text := range []string{"6.6.31+rpt-rpi-2712", "6.1-rc3", "5.15.0-1034-raspi", "6", "", "6..1", "99999999999999999999.1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := parseKernel(text)
		if err != nil {
			return
		}
		if k.Text != text || k.Major < 0 || k.Minor < 0 || k.Patch < 0 || text == "" || text[0] < '0' || text[0] > '9' {
			t.Errorf("%q: %+v", text, k)
		}
		if k.Before(k.Major, k.Minor, k.Patch) || !k.Before(k.Major+1, 0, 0) && k.Major+1 > k.Major {
			t.Errorf("%q is older than itself, or not older than the next", text)
		}
	})
}

// The controller of the Pi 5 is the only one with that trouble, and 6.6.31 the
// first kernel without.
func TestShakyI2C(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		model, kernel string
		want          bool
	}{
		{"Raspberry Pi 5 Model B Rev 1.0", "6.6.30+rpt", true},
		{"Raspberry Pi 5 Model B Rev 1.0", "6.6.31+rpt", false},
		{"Raspberry Pi 5 Model B Rev 1.0", "6.12.1", false},
		{"Raspberry Pi 5 Model B Rev 1.0", "6.1.63", true},
		{"Raspberry Pi 500 Rev 1.0", "6.6.20", true},
		{"Raspberry Pi Compute Module 5 Rev 1.0", "6.6.20", true},
		{"Raspberry Pi 4 Model B Rev 1.5", "6.1.21", false},
		{"", "5.10.0", false},
	} {
		k, err := parseKernel(tc.kernel)
		if err != nil {
			t.Fatal(err)
		}
		if got := k.ShakyI2C(tc.model); got != tc.want {
			t.Errorf("%s with %s: %v, want %v", tc.model, tc.kernel, got, tc.want)
		}
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	s := System{
		FS: files(map[string]string{"etc/group": "root:x:0:\nspi:x:994:pi\ni2c:x:995:pi\ngpio:x:993:pi\nbroken\npi:x:1000:\n"}),
		User: func() (int, []int, error) {
			return 1000, []int{993, 995, 4711, 1000, 1000}, nil
		},
	}
	got, err := s.Groups()
	if want := []string{"i2c", "gpio", "pi"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if s.Root() {
		t.Error("user 1000 is taken for root")
	}
	s.User = func() (int, []int, error) { return 0, nil, nil }
	if !s.Root() {
		t.Error("user 0 is not taken for root")
	}
	s.User = func() (int, []int, error) { return -1, nil, syscall.EINVAL }
	if _, err := s.Groups(); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("the kernel's error is lost: %v", err)
	}
}

// What is wrong with a device is said with what to do about it.
func TestDevices(t *testing.T) {
	t.Parallel()
	pi := files(map[string]string{"proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\x00"})
	for _, tc := range []struct {
		device string
		fsys   fs.FS
		err    error
		want   []string
	}{
		{"/dev/i2c-1", pi, nil, nil},
		{"/dev/i2c-1", pi, syscall.EACCES, []string{"group i2c", "usermod"}},
		{"/dev/spidev0.0", pi, syscall.EACCES, []string{"group spi"}},
		{"/dev/gpiochip0", pi, syscall.EACCES, []string{"group gpio"}},
		{"/dev/i2c-1", pi, syscall.ENOENT, []string{"I²C is not enabled", "dtparam=i2c_arm=on"}},
		{"/dev/spidev0.0", pi, syscall.ENOENT, []string{"SPI is not enabled", "dtparam=spi=on"}},
		{"/dev/i2c-1", files(nil), syscall.ENOENT, []string{"not a Raspberry Pi"}},
	} {
		opened := ""
		s := System{FS: tc.fsys, Open: func(path string) error {
			opened = path
			if tc.err == nil {
				return nil
			}
			return &fs.PathError{Op: "open", Path: path, Err: tc.err}
		}}
		err := s.Device(tc.device)
		if opened != tc.device || !errors.Is(err, tc.err) {
			t.Errorf("%s: opened %q, %v", tc.device, opened, err)
		}
		for _, want := range tc.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v does not mention %q", tc.device, err, want)
			}
		}
	}
}

func TestDeviceOfThisComputer(t *testing.T) {
	t.Parallel()
	if err := (System{}).Device("/dev/null"); err != nil {
		t.Errorf("/dev/null: %v", err)
	}
	if err := (System{}).Device("/dev/i2c-254"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a bus that is not there: %v", err)
	}
}

// 400 kHz as it stands in a device tree: four bytes, high one first.
func TestBusSpeed(t *testing.T) {
	t.Parallel()
	s := System{FS: files(map[string]string{
		"sys/class/i2c-adapter/i2c-1/of_node/clock-frequency": "\x00\x06\x1A\x80",
		"sys/class/i2c-adapter/i2c-3/of_node/clock-frequency": "\x00\x01\x86",
	})}
	if got, ok := s.BusSpeed("/dev/i2c-1"); !ok || got != 400_000 {
		t.Errorf("i2c-1: %d, %v", got, ok)
	}
	for _, device := range []string{"/dev/i2c-2", "/dev/i2c-3", "/dev/spidev0.0"} {
		if got, ok := s.BusSpeed(device); ok {
			t.Errorf("%s: %d", device, got)
		}
	}
}

// The values of get_throttled are those of the documentation: 50005h is low
// voltage and throttled, now and before; 50000h is over.
func TestPower(t *testing.T) {
	t.Parallel()
	const volt, oven = "sys/class/hwmon/hwmon1/", "sys/class/hwmon/hwmon0/"
	const get = "sys/devices/platform/soc/soc:firmware/get_throttled"
	sensor := func(alarm string) map[string]string {
		return map[string]string{oven + "name": "cpu_thermal\n", volt + "name": "rpi_volt\n", volt + "in0_lcrit_alarm": alarm}
	}
	for _, tc := range []struct {
		name    string
		content map[string]string
		want    Power
	}{
		{"nobody to ask", map[string]string{oven + "name": "coretemp\n"}, Power{}},
		{"sensor at ease", sensor("0\n"), Power{Known: true}},
		{"sensor in alarm", sensor("1\n"), Power{Known: true, Low: true}},
		{"firmware at ease", map[string]string{get: "0\n"}, Power{Known: true}},
		{"firmware in alarm", map[string]string{get: "50005\n"}, Power{Known: true, Low: true, WasLow: true, Throttled: true, WasThrottled: true}},
		{"firmware, over", map[string]string{get: "0x50000\n"}, Power{Known: true, WasLow: true, WasThrottled: true}},
		{"hot", map[string]string{get: "80008\n"}, Power{Known: true, Throttled: true, WasThrottled: true}},
		{
			"firmware of a Pi 5",
			map[string]string{"sys/devices/platform/axi/axi:firmware/get_throttled": "1\n"},
			Power{Known: true, Low: true},
		},
	} {
		if got, err := (System{FS: files(tc.content)}).Power(); err != nil || got != tc.want {
			t.Errorf("%s: %+v, %v; want %+v", tc.name, got, err, tc.want)
		}
	}
	for _, content := range []map[string]string{
		{get: "low\n"}, {volt + "name": "rpi_volt\n"},
	} {
		if got, err := (System{FS: files(content)}).Power(); err == nil {
			t.Errorf("%v was taken for %+v", content, got)
		}
	}
}
