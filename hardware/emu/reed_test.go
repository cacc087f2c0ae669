package emu_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/hardware/emu"
)

// scanReeds reads the matrix as a controller would: one row low at a time; a low
// column is a disc.
func scanReeds(t rapid.TB, m *emu.ReedMatrix) uint64 {
	t.Helper()
	rows, columns := m.Rows(), m.Columns()
	var discs uint64
	for r := range 8 {
		if err := rows.Out(0xFF&^(1<<r), 0xFF); err != nil {
			t.Fatal(err)
		}
		levels, err := columns.Read(0xFF)
		if err != nil {
			t.Fatal(err)
		}
		discs |= (^levels & 0xFF) << (8 * r)
	}
	return discs
}

// cell returns the mask of a cell.
func cell(r, c int) uint64 { return 1 << (8*r + c) }

// With all diodes in place every pattern of discs is read as it lies.
func TestReedsReadWhatLies(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := emu.NewReedMatrix(emu.ReedOptions{})
		discs := rapid.Uint64().Draw(rt, "discs")
		m.SetDiscs(discs)
		if got := scanReeds(rt, m); got != discs {
			rt.Fatalf("%016x lie, %016x are read", discs, got)
		}
	})
}

// What single faults do to the reading, worked out on paper from the wiring
// (the diode's cathode is at the row).
func TestReedFaults(t *testing.T) {
	corners := cell(2, 3) | cell(2, 6) | cell(5, 3) // of a rectangle whose fourth is (5,6)
	for _, c := range []struct {
		name  string
		discs uint64
		fault func(m *emu.ReedMatrix)
		want  uint64
	}{
		{"no fault", corners, func(*emu.ReedMatrix) {}, corners},
		{"shorted at the corner opposite the ghost: column 6 - row 2 - column 3 - row 5", corners, func(m *emu.ReedMatrix) {
			m.FailDiode(8*2+3, emu.DiodeShorted)
		}, corners | cell(5, 6)},
		{"shorted at another corner: the way stays blocked", corners, func(m *emu.ReedMatrix) {
			m.FailDiode(8*2+6, emu.DiodeShorted)
			m.FailDiode(8*5+3, emu.DiodeShorted)
		}, corners},
		{"shorted, but no disc there", cell(2, 6) | cell(5, 3), func(m *emu.ReedMatrix) {
			m.FailDiode(8*2+3, emu.DiodeShorted)
		}, cell(2, 6) | cell(5, 3)},
		{"two shorted ones make a longer way", cell(0, 0) | cell(1, 0) | cell(1, 1) | cell(2, 1) | cell(2, 2), func(m *emu.ReedMatrix) {
			m.FailDiode(8*1+0, emu.DiodeShorted)
			m.FailDiode(8*2+1, emu.DiodeShorted)
		}, cell(0, 0) | cell(1, 0) | cell(1, 1) | cell(2, 1) | cell(2, 2) |
			cell(0, 1) | // column 1 - row 1 - column 0 - row 0
			cell(0, 2) | // column 2 - row 2 - column 1 - row 1 - column 0 - row 0
			cell(1, 2)}, // column 2 - row 2 - column 1 - row 1
		{"missing", corners, func(m *emu.ReedMatrix) { m.FailDiode(8*2+3, emu.DiodeMissing) }, corners &^ cell(2, 3)},
		{"reversed", corners, func(m *emu.ReedMatrix) { m.FailDiode(8*2+3, emu.DiodeReversed) }, corners&^cell(2, 3) | cell(5, 6)},
		{"welded", corners, func(m *emu.ReedMatrix) { m.FailReed(0, emu.ReedWelded) }, corners | 1},
		{"welded without a diode", corners, func(m *emu.ReedMatrix) {
			m.FailReed(0, emu.ReedWelded)
			m.FailDiode(0, emu.DiodeMissing)
		}, corners},
		{"dead", corners, func(m *emu.ReedMatrix) { m.FailReed(8*5+3, emu.ReedDead) }, corners &^ cell(5, 3)},
		{"a row is cut", corners, func(m *emu.ReedMatrix) { m.BreakRows(1 << 2) }, cell(5, 3)},
		{"a column is cut", corners, func(m *emu.ReedMatrix) { m.BreakColumns(1 << 3) }, cell(2, 6)},
		{"the ghost needs no wire of its detour", corners, func(m *emu.ReedMatrix) {
			m.FailDiode(8*2+3, emu.DiodeShorted)
			m.BreakRows(1 << 2)
			m.BreakColumns(1 << 3)
		}, cell(5, 6)},
		{"repaired", corners, func(m *emu.ReedMatrix) {
			m.FailDiode(8*2+3, emu.DiodeShorted)
			m.FailReed(0, emu.ReedWelded)
			m.BreakRows(0xFF)
			m.BreakColumns(0xFF)
			m.Heal()
		}, corners},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := emu.NewReedMatrix(emu.ReedOptions{})
			m.SetDiscs(c.discs)
			c.fault(m)
			if got := scanReeds(t, m); got != c.want {
				t.Errorf("read %016x, want %016x", got, c.want)
			}
		})
	}
}

// A second opinion on detours: current is followed wire by wire from the
// column, for any discs and any faults.
func TestReedDetours(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := emu.NewReedMatrix(emu.ReedOptions{})
		discs := rapid.Uint64().Draw(rt, "discs") & rapid.Uint64().Draw(rt, "thinned")
		m.SetDiscs(discs)
		faults := rapid.SliceOfN(rapid.IntRange(0, 63), 0, 12).Draw(rt, "faulty diodes")
		diodes := [64]emu.DiodeFault{}
		for _, n := range faults {
			diodes[n] = emu.DiodeFault(rapid.IntRange(0, 3).Draw(rt, "fault"))
			m.FailDiode(n, diodes[n])
		}
		flow := func(n int, fromColumn bool) bool {
			if discs>>n&1 == 0 {
				return false
			}
			d := diodes[n]
			if fromColumn {
				return d == emu.DiodeGood || d == emu.DiodeShorted
			}
			return d == emu.DiodeReversed || d == emu.DiodeShorted
		}
		var want uint64
		for n := range 64 {
			if reaches(flow, 8+n%8, n/8, map[int]bool{}) {
				want |= 1 << n
			}
		}
		if got := scanReeds(rt, m); got != want {
			rt.Fatalf("read %016x, want %016x", got, want)
		}
	})
}

// reaches follows current from a wire (rows are 0 to 7, columns 8 to 15) to a
// row.
func reaches(flow func(n int, fromColumn bool) bool, from, row int, seen map[int]bool) bool {
	if from == row {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	for k := range 8 {
		n, next := 8*k+from-8, k
		if from < 8 {
			n, next = 8*from+k, 8+k
		}
		if flow(n, from >= 8) && reaches(flow, next, row, seen) {
			return true
		}
	}
	return false
}

// Rows are low until they are driven, and masks choose lines.
func TestReedLines(t *testing.T) {
	m := emu.NewReedMatrix(emu.ReedOptions{})
	m.SetDiscs(cell(1, 1) | cell(2, 2))
	read := func(mask uint64) uint64 {
		t.Helper()
		v, err := m.Columns().Read(mask)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if got := read(0xFF); got != 0xFF&^(1<<1|1<<2) {
		t.Errorf("rows as they were requested: columns %#02x", got)
	}
	if err := m.Rows().Out(0xFF, 0xFF); err != nil {
		t.Fatal(err)
	}
	if got := read(0xFF); got != 0xFF || m.RowLevels() != 0xFF {
		t.Errorf("all rows high: columns %#02x", got)
	}
	if err := m.Rows().Out(0, 1<<2); err != nil {
		t.Fatal(err)
	}
	if got := read(0xFF); got != 0xFF&^(1<<2) || m.RowLevels() != 0xFF&^(1<<2) {
		t.Errorf("row 2 low: columns %#02x", got)
	}
	if got := read(0x06); got != 0x02 {
		t.Errorf("columns 1 and 2 alone: %#02x", got)
	}
	if s := m.Stats(); s.Outs != 2 || s.Reads != 4 {
		t.Errorf("%+v, want 2 writes and 4 reads", s)
	}
	if err := m.Rows().Out(0, 1<<8); err == nil {
		t.Error("a ninth row was accepted")
	}
	if _, err := m.Columns().Read(1 << 8); err == nil {
		t.Error("a ninth column was accepted")
	}
	if got := m.Discs(); got != cell(1, 1)|cell(2, 2) {
		t.Errorf("discs %x", got)
	}
}

func TestReedErrors(t *testing.T) {
	m := emu.NewReedMatrix(emu.ReedOptions{})
	m.SetDiscs(1)
	cause := errors.New("line trouble")
	if err := m.Rows().Out(0xFE, 0xFF); err != nil {
		t.Fatal(err)
	}
	m.FailReads(2, cause)
	for i, want := range []error{cause, cause, nil} {
		v, err := m.Columns().Read(0xFF)
		if !errors.Is(err, want) || err == nil && v != 0xFE {
			t.Errorf("read %d: %#x, %v", i, v, err)
		}
	}
	m.FailOuts(-1, cause)
	for range 3 {
		if err := m.Rows().Out(0xFF, 0xFF); !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
	}
	if m.RowLevels() != 0xFE {
		t.Error("a write that failed moved the rows")
	}
	m.Heal()
	if err := m.Rows().Out(0xFF, 0xFF); err != nil || m.RowLevels() != 0xFF {
		t.Errorf("healed: %v", err)
	}
}

// A column rises late: who does not wait sees the row before.
func TestReedColumnsRiseSlowly(t *testing.T) {
	now := time.Duration(0)
	m := emu.NewReedMatrix(emu.ReedOptions{Now: func() time.Duration { return now }, Rise: 20 * time.Microsecond})
	m.SetDiscs(cell(0, 3))
	for _, step := range []struct {
		low  uint64
		wait time.Duration
		want uint64
	}{
		{1 << 0, 0, 0xFF &^ (1 << 3)}, // falls at once
		{1 << 1, 0, 0xFF &^ (1 << 3)}, // still charged by nobody
		{1 << 1, 19 * time.Microsecond, 0xFF &^ (1 << 3)},
		{1 << 1, time.Microsecond, 0xFF},
	} {
		if err := m.Rows().Out(0xFF&^step.low, 0xFF); err != nil {
			t.Fatal(err)
		}
		now += step.wait
		if got, err := m.Columns().Read(0xFF); err != nil || got != step.want {
			t.Errorf("%v after the row changed: columns %#02x, %v, want %#02x", step.wait, got, err, step.want)
		}
	}
}

func TestReedScanDoesNotAllocate(t *testing.T) {
	m := emu.NewReedMatrix(emu.ReedOptions{Now: func() time.Duration { return 0 }, Rise: time.Microsecond})
	m.SetDiscs(0x123456789ABCDEF0)
	rows, columns := m.Rows(), m.Columns()
	if n := testing.AllocsPerRun(50, func() {
		for r := range 8 {
			_ = rows.Out(0xFF&^(1<<r), 0xFF)
			_, _ = columns.Read(0xFF)
		}
	}); n != 0 {
		t.Errorf("a scan allocates %v times", n)
	}
}
