package sensing_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/sensing"
)

const wiring = "0123456789abcdef"

// drawCalibration is any calibration that can be.
func drawCalibration(t *rapid.T) sensing.Calibration {
	c := sensing.Identity(rapid.StringMatching(`[a-z][a-z0-9 -]{0,31}`).Draw(t, "kind"), rapid.StringMatching(`[0-9a-f]{16}`).Draw(t, "wiring"))
	c.Made = time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "made"), 0).UTC()
	c.Turned = rapid.IntRange(0, 3).Draw(t, "turned")
	copy(c.Cells[:], rapid.Permutation(c.Cells[:]).Draw(t, "cells"))
	c.Masked = engine.Bitboard(rapid.Uint64().Draw(t, "masked"))
	if c.Measured = rapid.Bool().Draw(t, "measured"); !c.Measured {
		c.Reversed = engine.Bitboard(rapid.Uint64().Draw(t, "reversed"))
		return c
	}
	for s := range c.Levels {
		null := rapid.Uint16Range(2000, 24000).Draw(t, "null")
		swing := rapid.Uint16Range(sensing.MinFullScale, 2000).Draw(t, "swing")
		c.Levels[s] = sensing.Levels{Null: null, North: null - swing, South: null + swing, Uncalibrated: rapid.Bool().Draw(t, "rough")}
		if rapid.Bool().Draw(t, "turned sensor") {
			c.Levels[s].North, c.Levels[s].South = c.Levels[s].South, c.Levels[s].North
		}
		if c.Masked.Has(engine.Square(s)) && rapid.Bool().Draw(t, "no levels") {
			c.Levels[s] = sensing.Levels{}
		}
	}
	return c
}

// What is stored is what is read, and the same again stored are the same bytes.
func TestCalibrationIsStoredWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := drawCalibration(rt)
		b, err := c.Encode()
		if err != nil {
			rt.Fatal(err)
		}
		if len(b) > sensing.MaxCalibration {
			rt.Fatalf("%d bytes", len(b))
		}
		got, err := sensing.DecodeCalibration(b)
		if err != nil || got != c {
			rt.Fatalf("%v\n%+v\nwant\n%+v", err, got, c)
		}
		if again, err := got.Encode(); err != nil || string(again) != string(b) {
			rt.Fatalf("%v %s", err, again)
		}
	})
}

// The stored form, as it is documented.
const stored = `{
  "v": 1,
  "made": "2026-12-01T12:00:00Z",
  "board": {
    "kind": "hall-128",
    "wiring": "0123456789abcdef"
  },
  "turned": 90,
  "cells": {
    "d3": "e3",
    "e3": "d3"
  },
  "reversed": [
    "c3"
  ],
  "masked": [
    "a1",
    "h8"
  ]
}
`

func TestStoredForm(t *testing.T) {
	t.Parallel()
	c := sensing.Identity("hall-128", wiring)
	c.Made = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	c.Turned = 1
	d3, e3 := engine.SquareAt(3, 2), engine.SquareAt(4, 2)
	c.Cells[d3], c.Cells[e3] = e3, d3
	c.Reversed = engine.SquareAt(2, 2).Bit()
	c.Masked = engine.SquareAt(0, 0).Bit() | engine.SquareAt(7, 7).Bit()
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(stored)); err != nil {
		t.Fatal(err)
	}
	sum := fmt.Sprintf("%08x", crc32.Checksum(compact.Bytes(), crc32.MakeTable(crc32.Castagnoli)))
	want := strings.TrimSuffix(stored, "\n}\n") + ",\n  \"sum\": \"" + sum + "\"\n}\n"
	b, err := c.Encode()
	if err != nil || string(b) != want {
		t.Errorf("%v\n%s", err, b)
	}
	// No bit of it can change without being noticed.
	for at := range b {
		for bit := range 8 {
			rotten := bytes.Clone(b)
			rotten[at] ^= 1 << bit
			if got, err := sensing.DecodeCalibration(rotten); err == nil && got != c {
				t.Errorf("bit %d of byte %d turned over gives %+v", bit, at, got)
			}
		}
	}
	if got, err := sensing.DecodeCalibration([]byte(stored)); err != nil || got != c {
		t.Errorf("%v %+v", err, got)
	}
	if got, err := sensing.DecodeCalibration([]byte(strings.Join(strings.Fields(stored), ""))); err != nil || got != c {
		t.Errorf("without white space: %v %+v", err, got)
	}
}

// Everything that is not exactly a calibration is refused.
func TestStoredFormIsStrict(t *testing.T) {
	t.Parallel()
	replaced := func(from, to string) string {
		if !strings.Contains(stored, from) {
			t.Fatalf("there is no %s", from)
		}
		return strings.Replace(stored, from, to, 1)
	}
	for _, text := range []string{
		"", "null", "{}", "[]", "x",
		stored + "x", stored + stored,
		replaced(`"v": 1`, `"v": 2`),
		replaced(`"v": 1`, `"V": 1`),
		replaced(`"v": 1`, `"v": 1, "v": 1`),
		replaced(`"v": 1`, `"v": 1.0`),
		replaced(`"turned": 90`, `"turned": 45`),
		replaced(`"turned": 90`, `"turned": 360`),
		replaced(`"turned": 90`, `"turned": -90`),
		replaced(`"turned": 90,`, `"turned": 90, "more": 1,`),
		replaced(`"turned": 90,`, ``),
		replaced(`"kind": "hall-128",`, ``),
		replaced(`hall-128`, strings.Repeat("x", 33)),
		replaced(wiring, "0123456789ABCDEF"),
		replaced(wiring, "0123"),
		replaced(`"e3": "d3"`, `"e3": "e3"`),
		replaced(`"e3": "d3"`, `"e3": "f3"`),
		replaced(`"e3": "d3"`, `"i9": "d3"`),
		replaced(`"e3": "d3"`, `"E3": "d3"`),
		replaced(`"c3"`, `"c9"`),
		replaced(`"c3"`, `"C3"`),
		replaced(`"c3"`, `"c3", "c3"`),
		replaced(`"c3"`, `"c3", "b3"`),
		replaced(`"h8"`, `"h9"`),
		replaced("2026-12-01T12:00:00Z", "2026-12-01T13:00:00+01:00"),
		replaced("2026-12-01T12:00:00Z", "2026-12-01T12:00:00.5Z"),
		replaced("2026-12-01T12:00:00Z", "yesterday"),
		replaced(`"masked"`, `"levels": {"a1": {"null": 13200, "north": 10800, "south": 15600}}, "masked"`),
		stored + strings.Repeat(" ", sensing.MaxCalibration),
	} {
		if c, err := sensing.DecodeCalibration([]byte(text)); err == nil {
			t.Errorf("%.200s: accepted as %+v", text, c)
		} else if !strings.HasPrefix(err.Error(), "read the calibration: ") {
			t.Errorf("%v", err)
		}
	}
}

// Levels that cannot tell the faces apart are no calibration, on any square that
// is played on.
func TestCalibrationWithoutLevels(t *testing.T) {
	t.Parallel()
	c := sensing.Identity("hall-analog", wiring)
	c.Measured, c.Levels = true, sensing.AllLevels(sensing.DRV5055A4().DefaultLevels())
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	c.Levels[9] = sensing.Levels{}
	if err := c.Validate(); !errors.Is(err, sensing.ErrLevels) || !strings.Contains(err.Error(), "b2") {
		t.Errorf("b2 without levels: %v", err)
	}
	c.Masked = 1 << 9
	if err := c.Validate(); err != nil {
		t.Errorf("b2 masked: %v", err)
	}
	th, err := c.Threshold(sensing.DRV5055A4())
	if err != nil {
		t.Fatal(err)
	}
	if got := th.Health(9).Levels; got != sensing.DRV5055A4().DefaultLevels() {
		t.Errorf("the levels of b2 are %+v", got)
	}
	c.Reversed = 1
	if err := c.Validate(); err == nil {
		t.Error("levels and reversed squares")
	}
}

func TestCalibrationOfAnotherBoard(t *testing.T) {
	t.Parallel()
	c := sensing.Identity("hall-128", wiring)
	if err := c.For("hall-128", wiring); err != nil {
		t.Error(err)
	}
	if err := c.For("hall-analog", wiring); !errors.Is(err, sensing.ErrOtherBoard) || !strings.Contains(err.Error(), "hall-128") || !strings.Contains(err.Error(), "hall-analog") {
		t.Error(err)
	}
	if err := c.For("hall-128", "fedcba9876543210"); !errors.Is(err, sensing.ErrOtherBoard) || !strings.Contains(err.Error(), "hardware.cells") {
		t.Error(err)
	}
}

// Where the corners go when the board of cells is mounted turned.
func TestTurn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from     string
		quarters int
		to       string
	}{
		{"a1", 0, "a1"},
		{"a1", 1, "h1"},
		{"a1", 2, "h8"},
		{"a1", 3, "a8"},
		{"h1", 1, "h8"},
		{"b1", 1, "h2"},
		{"e6", 1, "c5"},
		{"e6", 4, "e6"},
		{"d3", 2, "e6"},
	} {
		from, err := engine.ParseSquare(c.from)
		if err != nil {
			t.Fatal(err)
		}
		if got := sensing.Turn(from, c.quarters); got.String() != c.to {
			t.Errorf("%s by %d: %v, want %s", c.from, c.quarters, got, c.to)
		}
	}
}

// A scan of a board that was built in whatever way comes out as what lies on it:
// the scan is made here, cell by cell, from where every cell was soldered.
func TestLens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := drawCalibration(rt)
		lies := sensing.Frame{
			North: engine.Bitboard(rapid.Uint64().Draw(rt, "north")), South: engine.Bitboard(rapid.Uint64().Draw(rt, "south")),
			Lost: engine.Bitboard(rapid.Uint64().Draw(rt, "lost")), Reset: engine.Bitboard(rapid.Uint64().Draw(rt, "reset")),
		}
		var scan sensing.Frame
		var counts, want [engine.Squares]uint16
		for s := range engine.Square(engine.Squares) {
			// The cell of square Cells[s] lies under s, and that board was turned: what
			// the scan calls h1 lies under a1 after three quarters.
			cell := c.Cells[s]
			for range (4 - c.Turned) % 4 {
				cell = engine.SquareAt(7-cell.Rank(), cell.File())
			}
			north, south := lies.North.Has(s), lies.South.Has(s)
			if c.Reversed.Has(s) {
				north, south = south, north
			}
			set(&scan.North, cell, north)
			set(&scan.South, cell, south)
			set(&scan.Lost, cell, lies.Lost.Has(s))
			set(&scan.Reset, cell, lies.Reset.Has(s))
			counts[cell], want[s] = uint16(s)+100, uint16(s)+100
		}
		l := c.Lens()
		l.Apply(&scan, &counts)
		if scan != lies || counts != want {
			rt.Fatalf("%+v\nwant %+v\ncounts %v", scan, lies, counts)
		}
	})
}

func set(b *engine.Bitboard, s engine.Square, on bool) {
	if on {
		*b |= s.Bit()
	}
}

func TestLensAllocatesNothing(t *testing.T) {
	c := sensing.Identity("hall-128", wiring)
	c.Turned, c.Reversed = 1, 1
	l := c.Lens()
	f, counts := sensing.Frame{North: 5}, [engine.Squares]uint16{}
	if n := testing.AllocsPerRun(100, func() { l.Apply(&f, &counts) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzDecodeCalibration(f *testing.F) {
	f.Add([]byte(stored))
	f.Add([]byte(`{"v":1,"made":"2026-12-01T12:00:00Z","board":{"kind":"hall-analog","wiring":"0123456789abcdef"},"turned":0,"masked":["a1"],"levels":{}}`))
	f.Add([]byte(`{"v":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := sensing.DecodeCalibration(b)
		if err != nil {
			return
		}
		if err := c.Validate(); err != nil {
			t.Fatalf("accepted although %v", err)
		}
		again, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := sensing.DecodeCalibration(again); err != nil || got != c {
			t.Fatalf("%v %+v", err, got)
		}
	})
}

// Squares that a calibration has masked are called dead once, are part of every
// reading as masked, and hold nobody up.
func TestDeadSquares(t *testing.T) {
	t.Parallel()
	c := sensing.DefaultConfig()
	c.Dead = engine.SquareAt(0, 0).Bit() | engine.SquareAt(7, 7).Bit()
	newTable(c).play(t, `
		flap a1 black 5Hz
		show h8 both
		wait 220ms
		> failed dead a1 h8; settled masked a1 h8
		wait 2m
		>
		show e6 black
		wait 220ms
		> settled black e6 masked a1 h8
		lose h8 g8
		wait 20ms
		> failed bank_lost g8 h8; settled black e6 lost g8 masked a1 h8`)
}
