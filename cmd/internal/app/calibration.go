package app

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"reversi-board/cmd/internal/calibrate"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/sensing"
)

// CalibrationFile is where the calibration is, in the data folder. That of a
// simulated board is another file: trying things out must not cost a real one its
// calibration.
const (
	CalibrationFile          = "calibration.json"
	simulatedCalibrationFile = "calibration-simulated.json"
	// simulatedKind begins the kind of a simulated board.
	simulatedKind = "simulated "
)

// CalibrationPath returns where the calibration of a board is.
func CalibrationPath(dir string, c *configs.Hardware) string {
	return calibrationPath(dir, c.Simulation.Enabled)
}

func calibrationPath(dir string, simulated bool) string {
	if simulated {
		return filepath.Join(dir, simulatedCalibrationFile)
	}
	return filepath.Join(dir, CalibrationFile)
}

// WiringOf returns the kind of board and a fingerprint of everything in the
// settings that a calibration depends on. A simulated board is another board
// than a real one, and so is one with other parts.
func WiringOf(c *configs.Hardware) (kind, fingerprint string) {
	kind = c.Kind
	h := sha256.New()
	// Writing to a hash cannot fail.
	put := func(what string, values ...any) { _, _ = fmt.Fprintln(h, append([]any{what}, values...)...) }
	put("kind", c.Kind)
	put("north is black", c.NorthIsBlack)
	switch c.Kind {
	case configs.Reed64:
		put("matrix", c.Matrix.Rows, c.Matrix.Columns, c.Crossings)
	case configs.HallAnalog:
		put("analog", c.Analog.Sensor, c.Analog.ADCs, c.Analog.Select, c.Taps)
	default:
		put("expanders", c.Expanders.Chip, c.Expanders.Addresses, c.Expanders.Second, c.Cells)
	}
	if c.Simulation.Enabled {
		kind = simulatedKind + kind
		put("simulated", c.Simulation.Seed)
	}
	return kind, hex.EncodeToString(h.Sum(nil)[:8])
}

// LoadCalibration returns the calibration in the data folder, nil if there is
// none. An error says in one sentence why there is one that cannot be used; its
// text is for people.
func LoadCalibration(dir string, c *configs.Hardware) (*sensing.Calibration, error) {
	path := CalibrationPath(dir, c)
	cal, err := readCalibration(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // a board that has not been calibrated is no mistake
	}
	if err == nil {
		err = cal.For(WiringOf(c))
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used: %w", path, err)
	}
	return &cal, nil
}

func readCalibration(path string) (c sensing.Calibration, err error) {
	f, err := os.Open(path) //nolint:gosec // a fixed name in the data folder
	if err != nil {
		return c, err
	}
	text, err := io.ReadAll(io.LimitReader(f, sensing.MaxCalibration+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return c, err
	}
	return sensing.DecodeCalibration(text)
}

// SaveCalibration stores a calibration in the data folder: after a power cut the
// old one or the new one is there, and the new one once this has returned
// without an error.
func SaveCalibration(dir string, c *sensing.Calibration) error {
	text, err := c.Encode()
	if err != nil {
		return err
	}
	path := calibrationPath(dir, strings.HasPrefix(c.Kind, simulatedKind))
	if err := replaceFile(dir, path, text); err != nil {
		return fmt.Errorf("store the calibration in %s: %w%s", path, err, adviceOn(err))
	}
	return nil
}

// replaceFile writes a file whole and durably.
func replaceFile(dir, path string, text []byte) (err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	sweepUp(path+".*"+unfinished, writing)
	temp, err := os.CreateTemp(dir, filepath.Base(path)+".*"+unfinished)
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	folder, err := os.Open(dir) //nolint:gosec // the data folder
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// unfinished ends the names of files that are being written.
const unfinished = ".new"

// TrialFile is the pattern of the files with which the doctor tries how fast the
// disk of a data folder is.
const TrialFile = "doctor-*.tmp"

// writing is for how long a file may be in the making.
const writing = time.Minute

// SweepUp removes from a data folder, which no board runs with, what was left of
// files by programs that were killed while they wrote them.
func SweepUp(dir string) {
	sweepUp(filepath.Join(dir, "*"+unfinished), writing)
	sweepUp(filepath.Join(dir, TrialFile), writing)
}

// sweepUp removes what programs have left that were killed while they wrote. One
// that has written within the time alone is not touched; what cannot be removed
// harms nobody.
func sweepUp(pattern string, alone time.Duration) {
	left, _ := filepath.Glob(pattern)
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) >= alone {
			_ = os.Remove(path)
		}
	}
}

// adviceOn says what to do about an error of a disk.
func adviceOn(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return " (free some space)"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return " (make the folder writable, or choose another one with --data)"
	}
	return ""
}

// SensorOf returns the linear sensor of the settings.
func SensorOf(c *configs.Hardware) sensing.Sensor {
	if c.Analog.Sensor == configs.SS49E {
		return sensing.SS49E()
	}
	return sensing.DRV5055A4()
}

// CalibratedEyes returns eyes for this board that have not seen anything yet.
// Without a calibration the board is taken to be as the settings say.
func (r *Rig) CalibratedEyes(c *configs.Config, cal *sensing.Calibration) (*Eyes, error) {
	s := SensingOf(c)
	if cal == nil {
		plain := sensing.Identity(WiringOf(&c.Hardware))
		plain.Measured = r.Analog != nil
		if plain.Measured {
			plain.Levels = sensing.AllLevels(SensorOf(&c.Hardware).DefaultLevels())
		}
		cal = &plain
	}
	s.Dead = cal.Masked
	var threshold *sensing.Threshold
	if r.Analog != nil {
		var err error
		if threshold, err = cal.Threshold(SensorOf(&c.Hardware)); err != nil {
			return nil, fmt.Errorf("measure the cells: %w", err)
		}
	}
	eyes := NewEyes(r.Matrix, s, threshold)
	eyes.lens, eyes.calibrated = cal.Lens(), cal.Made
	return eyes, nil
}

// WalkOptions returns the board of the settings for a calibration.
func WalkOptions(c *configs.Config) calibrate.Options {
	h := &c.Hardware
	o := calibrate.Options{NorthIsBlack: h.NorthIsBlack, Sensor: SensorOf(h)}
	o.Kind, o.Wiring = WiringOf(h)
	switch h.Kind {
	case configs.Reed64:
		o.Senses = calibrate.Presence
		for i := range h.Matrix.Rows {
			o.Banks = append(o.Banks,
				bank(fmt.Sprintf("row %d (%s)", i, h.Matrix.Rows[i]), func(s int) bool { return h.Crossings[s].Row == i }),
				bank(fmt.Sprintf("column %d (%s)", i, h.Matrix.Columns[i]), func(s int) bool { return h.Crossings[s].Column == i }))
		}
	case configs.HallAnalog:
		o.Senses = calibrate.Field
		for i, addr := range h.Analog.ADCs {
			o.Banks = append(o.Banks, bank(fmt.Sprintf("the converter at 0x%02x", addr), func(s int) bool { return h.Taps[s].ADC == i }))
			for in := range 4 {
				o.Banks = append(o.Banks, bank(fmt.Sprintf("the multiplexer at input %d of the converter at 0x%02x", in, addr),
					func(s int) bool { return h.Taps[s].ADC == i && h.Taps[s].Input == in }))
			}
		}
	default:
		for bus, addresses := range [][]uint16{h.Expanders.Addresses, h.Expanders.Second} {
			for _, addr := range addresses {
				n := len(o.Banks)
				name := fmt.Sprintf("the expander at 0x%02x", addr)
				if bus > 0 {
					name += " of the second bus"
				}
				o.Banks = append(o.Banks, bank(name, func(s int) bool { return h.Cells[s].Chip == n }))
			}
		}
	}
	return o
}

// bank is a part of the board with the cells that it reads.
func bank(name string, has func(cell int) bool) calibrate.Bank {
	b := calibrate.Bank{Name: name}
	for s := range engine.Squares {
		if has(s) {
			b.Cells |= engine.Square(s).Bit()
		}
	}
	return b
}
