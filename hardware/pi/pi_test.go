package pi

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	i2c := func(s string) (string, error) { n, err := parseI2C(s); return strconv.Itoa(n), err }
	spi := func(s string) (string, error) { b, cs, err := parseSPI(s); return fmt.Sprint(b, ".", cs), err }
	pin := func(s string) (string, error) { n, err := parsePin(s); return strconv.Itoa(n), err }
	for _, tc := range []struct {
		parse   func(string) (string, error)
		example string
		good    map[string]string
		bad     []string
	}{
		{
			i2c, DefaultI2C,
			map[string]string{"/dev/i2c-1": "1", "/dev/i2c-0": "0", "/dev/i2c-20": "20"},
			[]string{"", "/dev/i2c-", "i2c-1", "/dev/i2c-01", "/dev/i2c--1", "/dev/i2c-1/../mem", "/dev/i2c-256", "1"},
		},
		{
			spi, DefaultSPI,
			map[string]string{"/dev/spidev0.0": "0.0", "/dev/spidev10.1": "10.1"},
			[]string{"", "/dev/spidev0", "/dev/spidev0.", "/dev/spidev.0", "/dev/spidev0.0.0", "/dev/spidev0.+1"},
		},
		{
			pin, "GPIO27",
			map[string]string{"GPIO17": "17", "GPIO0": "0", "GPIO27": "27"},
			[]string{"", "GPIO28", "gpio17", "17", "P1_11", "GPIO 5"},
		},
	} {
		for s, want := range tc.good {
			if got, err := tc.parse(s); err != nil || got != want {
				t.Errorf("%q: %s, %v; want %s", s, got, err, want)
			}
		}
		for _, s := range tc.bad {
			if got, err := tc.parse(s); err == nil || !strings.Contains(err.Error(), tc.example) {
				t.Errorf("%q: %s, %v; want an error with an example", s, got, err)
			}
		}
	}
}

// What is let through is exactly what the kernel names its device files.
func FuzzPaths(f *testing.F) {
	for _, s := range []string{"/dev/i2c-1", "/dev/spidev0.1", "GPIO17", "/dev/i2c-1\x00", "/dev/spidev0.0/..", "GPIO-0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := parseI2C(s); err == nil && s != fmt.Sprintf("/dev/i2c-%d", n) {
			t.Errorf("%q was taken for bus %d", s, n)
		}
		if b, cs, err := parseSPI(s); err == nil && s != fmt.Sprintf("/dev/spidev%d.%d", b, cs) {
			t.Errorf("%q was taken for port %d.%d", s, b, cs)
		}
		if n, err := parsePin(s); err == nil && s != fmt.Sprintf("GPIO%d", n) {
			t.Errorf("%q was taken for pin %d", s, n)
		}
	})
}

func TestExplanations(t *testing.T) {
	t.Parallel()
	const pi5 = "Raspberry Pi 5 Model B Rev 1.0"
	for _, tc := range []struct {
		name  string
		kind  kind
		model string
		err   error
		want  []string
	}{
		{"no permission", kindI2C(), pi5, syscall.EACCES, []string{"/dev/x", "group i2c", "usermod -aG i2c"}},
		{"no permission for SPI", kindSPI(), pi5, syscall.EPERM, []string{"group spi"}},
		{"not enabled", kindI2C(), pi5, syscall.ENOENT, []string{"I²C is not enabled", pi5, "dtparam=i2c_arm=on", "config.txt"}},
		{"SPI not enabled", kindSPI(), pi5, syscall.ENOENT, []string{"SPI is not enabled", "dtparam=spi=on"}},
		{"a laptop", kindI2C(), "", syscall.ENOENT, []string{"not a Raspberry Pi", "simulated board"}},
		{"something else", kindI2C(), pi5, syscall.EBUSY, []string{"/dev/x", "busy"}},
	} {
		err := explain(tc.kind, "/dev/x", tc.model, &fs.PathError{Op: "open", Path: "/dev/x", Err: tc.err})
		if !errors.Is(err, tc.err) {
			t.Errorf("%s: the cause is lost: %v", tc.name, err)
		}
		for _, want := range tc.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not mention %q", tc.name, err, want)
			}
		}
	}
}

func TestModelOfDeviceTree(t *testing.T) {
	t.Parallel()
	for tree, want := range map[string]string{
		"Raspberry Pi 4 Model B Rev 1.4\x00": "Raspberry Pi 4 Model B Rev 1.4",
		"Raspberry Pi Zero W Rev 1.1":        "Raspberry Pi Zero W Rev 1.1",
		"Pine64 ROCK64\x00":                  "",
		"":                                   "",
	} {
		if got := raspberry(tree); got != want {
			t.Errorf("device tree %q: %q, want %q", tree, got, want)
		}
	}
}

func TestOpeningWhatIsNotThere(t *testing.T) {
	t.Parallel()
	if _, _, err := OpenI2C("/dev/i2c-255"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("I²C: %v", err)
	}
	if _, err := OpenSPI("/dev/spidev255.255"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("SPI: %v", err)
	}
	if _, _, err := OpenI2C("/etc/passwd"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is no bus: %v", err)
	}
}
