package app

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"reversi-board/hardware/pi"
)

// vitals are what the computer says of itself; what is nil is not known.
type vitals struct {
	// celsius is the temperature of the processor.
	celsius *float64
	// slowed says that the processor is slowed down, low that the supply is too
	// low.
	slowed, low *bool
	// freeMB is what is left of the disk with the data folder.
	freeMB *int64
	// uptime is how long the computer runs, in seconds.
	uptime *int64
	// residentMB is the memory of this program.
	residentMB *float64
}

// readVitals asks the computer whose files are given, without the leading slash;
// nil is this one.
func readVitals(files fs.FS) (v vitals) {
	system := pi.System{FS: files}
	if p, err := system.Power(); err == nil && p.Known {
		v.slowed, v.low = &p.Throttled, &p.Low
	}
	if files == nil {
		files = os.DirFS("/")
	}
	v.celsius = temperature(files)
	if text, ok := word(files, "proc/uptime", 0); ok {
		if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 {
			whole := int64(s)
			v.uptime = &whole
		}
	}
	if text, ok := word(files, "proc/self/statm", 1); ok {
		if pages, err := strconv.ParseInt(text, 10, 40); err == nil && pages >= 0 {
			mb := float64(pages) * float64(os.Getpagesize()) / (1 << 20)
			v.residentMB = &mb
		}
	}
	return v
}

// temperature returns that of the processor: of the zone that is named after it,
// else of the first one.
func temperature(files fs.FS) *float64 {
	zones, err := fs.Glob(files, "sys/class/thermal/thermal_zone*/type")
	if err != nil {
		return nil
	}
	var found *float64
	for _, zone := range zones {
		name, _ := word(files, zone, 0)
		processor := strings.HasPrefix(name, "cpu") || name == "x86_pkg_temp"
		if found != nil && !processor {
			continue
		}
		text, ok := word(files, path.Join(path.Dir(zone), "temp"), 0)
		milli, err := strconv.ParseInt(text, 10, 32)
		if !ok || err != nil {
			continue
		}
		c := float64(milli) / 1000
		found = &c
		if processor {
			break
		}
	}
	return found
}

// word returns the n-th word of a small file.
func word(files fs.FS, name string, n int) (string, bool) {
	b, err := fs.ReadFile(files, name)
	words := strings.Fields(string(b))
	if err != nil || n >= len(words) {
		return "", false
	}
	return words[n], true
}
