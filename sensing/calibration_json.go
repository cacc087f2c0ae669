package sensing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"reversi-board/engine"
)

const (
	// calibrationVersion is that of the stored form.
	calibrationVersion = 1
	// MaxCalibration bounds the stored form in bytes; 64 squares with levels need
	// less than half of it.
	MaxCalibration = 16 << 10
	// maxKind bounds the name of a kind of board.
	maxKind = 32
)

// storedCalibration is the form in which a calibration is stored. What is as
// usual is left out: squares whose cell is their own, sets that are empty.
type storedCalibration struct {
	V        int                     `json:"v"`
	Made     time.Time               `json:"made"`
	Board    storedBoard             `json:"board"`
	Turned   int                     `json:"turned"` // degrees
	Cells    map[string]string       `json:"cells,omitempty"`
	Reversed []string                `json:"reversed,omitempty"`
	Masked   []string                `json:"masked,omitempty"`
	Levels   map[string]storedLevels `json:"levels,omitzero"` // nil on a board that does not measure
	// Sum is the CRC-32C of the rest without white space, in hexadecimal digits; a file
	// without it is believed.
	Sum string `json:"sum,omitempty"`
}

type storedBoard struct {
	Kind   string `json:"kind"`
	Wiring string `json:"wiring"`
}

type storedLevels struct {
	Null         uint16 `json:"null"`
	North        uint16 `json:"north"`
	South        uint16 `json:"south"`
	Uncalibrated bool   `json:"uncalibrated,omitempty"`
}

// Encode returns the form in which a calibration is stored: JSON, version 1, the
// same bytes for the same calibration.
func (c *Calibration) Encode() (text []byte, err error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("store the calibration: %w", err)
	}
	s := storedCalibration{
		V: calibrationVersion, Made: c.Made.UTC().Truncate(time.Second),
		Board: storedBoard{Kind: c.Kind, Wiring: c.Wiring}, Turned: 90 * c.Turned,
		Reversed: c.Reversed.Names(), Masked: c.Masked.Names(),
		Cells: map[string]string{},
	}
	if c.Measured {
		s.Levels = map[string]storedLevels{}
	}
	for i := range engine.Square(engine.Squares) {
		if c.Cells[i] != i {
			s.Cells[i.String()] = c.Cells[i].String()
		}
		if l := c.Levels[i]; l != (Levels{}) {
			s.Levels[i.String()] = storedLevels(l)
		}
	}
	if s.Sum, err = s.sum(); err != nil {
		return nil, fmt.Errorf("store the calibration: %w", err)
	}
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("store the calibration: %w", err)
	}
	return append(b, '\n'), nil
}

// sum returns the CRC-32C of everything else, without white space.
func (s *storedCalibration) sum() (string, error) {
	without := *s
	without.Sum = ""
	b, err := json.Marshal(&without)
	return fmt.Sprintf("%08x", crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))), err
}

// DecodeCalibration reads what Encode has written. It is strict: nothing may be
// missing, doubled, unknown or in another order.
func DecodeCalibration(b []byte) (Calibration, error) {
	c, err := decodeCalibration(b)
	if err != nil {
		return Calibration{}, fmt.Errorf("read the calibration: %w", err)
	}
	return c, nil
}

func decodeCalibration(b []byte) (Calibration, error) {
	if len(b) > MaxCalibration {
		return Calibration{}, fmt.Errorf("it has %d bytes: want at most %d", len(b), MaxCalibration)
	}
	var s storedCalibration
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Calibration{}, err
	}
	if s.V != calibrationVersion {
		return Calibration{}, fmt.Errorf("it has version %d, this program knows version %d", s.V, calibrationVersion)
	}
	if want, err := s.sum(); err != nil || s.Sum != "" && s.Sum != want {
		return Calibration{}, errors.Join(err, errors.New("a byte of it has changed: calibrate the board again, "+
			"or delete the member sum if you have changed the file yourself"))
	}
	c, err := s.calibration()
	if err != nil {
		return Calibration{}, err
	}
	// What the decoder lets pass (names in capital letters or twice, something
	// behind the end) does not come out as it went in.
	again, err := c.Encode()
	if err != nil {
		return Calibration{}, err
	}
	if s.Sum == "" { // of an earlier version, or changed by hand
		again, err = withoutSum(again)
	}
	if err != nil || !sameJSON(b, again) {
		return Calibration{}, errors.New("it is not in the form in which this program stores one")
	}
	return c, nil
}

// withoutSum returns a stored calibration without its checksum.
func withoutSum(text []byte) ([]byte, error) {
	var s storedCalibration
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	s.Sum = ""
	return json.Marshal(s)
}

// sameJSON compares two texts without their white space.
func sameJSON(a, b []byte) bool {
	var left, right bytes.Buffer
	return json.Compact(&left, a) == nil && json.Compact(&right, b) == nil && bytes.Equal(left.Bytes(), right.Bytes())
}

func (s *storedCalibration) calibration() (Calibration, error) {
	c := Identity(s.Board.Kind, s.Board.Wiring)
	c.Made, c.Turned, c.Measured = s.Made, s.Turned/90, s.Levels != nil
	var err error
	for at, cell := range s.Cells {
		square, errAt := engine.ParseSquare(at)
		from, errCell := engine.ParseSquare(cell)
		if errAt != nil || errCell != nil {
			return c, fmt.Errorf("cells: %w", errors.Join(errAt, errCell))
		}
		c.Cells[square] = from
	}
	if c.Reversed, err = parseSquares(s.Reversed); err != nil {
		return c, fmt.Errorf("reversed: %w", err)
	}
	if c.Masked, err = parseSquares(s.Masked); err != nil {
		return c, fmt.Errorf("masked: %w", err)
	}
	for at, l := range s.Levels {
		square, err := engine.ParseSquare(at)
		if err != nil {
			return c, fmt.Errorf("levels: %w", err)
		}
		c.Levels[square] = Levels(l)
	}
	return c, nil
}

func parseSquares(names []string) (set engine.Bitboard, err error) {
	for _, name := range names {
		s, err := engine.ParseSquare(name)
		if err != nil {
			return 0, err
		}
		set |= s.Bit()
	}
	return set, nil
}

// isFingerprint reports whether s is 16 hex digits in small letters.
func isFingerprint(s string) bool {
	for _, r := range s {
		if (r < '0' || r > '9') && (r < 'a' || r > 'f') {
			return false
		}
	}
	return len(s) == 16
}
