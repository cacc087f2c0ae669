package reed64_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/hardware"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/reed64"
)

// matrix is a board of emulated contacts and diodes.
type matrix struct {
	*emu.ReedMatrix
	t     rapid.TB
	board *reed64.Board
	clock time.Duration
	now   time.Duration
	frame hardware.Frame
}

func newMatrix(t rapid.TB, wait time.Duration) *matrix {
	t.Helper()
	m := &matrix{t: t}
	m.ReedMatrix = emu.NewReedMatrix(emu.ReedOptions{
		Now: func() time.Duration { return m.clock }, Rise: 45 * time.Microsecond,
	})
	c := reed64.Reference()
	c.Wait = func(d time.Duration) { m.clock += min(d, wait) }
	board, err := reed64.New(m.Rows(), m.Columns(), c)
	if err != nil {
		t.Fatal(err)
	}
	m.board = board
	return m
}

// scan scans n times.
func (m *matrix) scan(n int) {
	m.t.Helper()
	for range n {
		m.now += 10 * time.Millisecond
		m.clock = max(m.clock, m.now)
		if err := m.board.Scan(context.Background(), m.now, &m.frame); err != nil {
			m.t.Fatal(err)
		}
	}
}

// lay makes discs lie, and scans.
func (m *matrix) lay(discs uint64) {
	m.t.Helper()
	m.SetDiscs(discs)
	m.scan(3)
}

// believed returns the cells that are believed to hold a disc.
func (m *matrix) believed() uint64 { return m.frame.North &^ m.frame.South }

func at(name string) uint64 { return 1 << (8*(name[1]-'1') + name[0] - 'a') }

func TestEmulatedBoardIsReadAsItLies(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m := newMatrix(rt, time.Second)
		for range 10 {
			discs := rapid.Uint64().Draw(rt, "discs")
			m.SetDiscs(discs)
			m.scan(1)
			// What two discs that come at once may look like is another test.
			if m.frame.North != discs || m.frame.Lost != 0 {
				rt.Fatalf("%016x lie, read %+v", discs, m.frame)
			}
		}
	})
}

// The wait is needed: a driver that did not wait would see the discs of one row
// on the next one too.
func TestTheWaitIsNeeded(t *testing.T) {
	t.Parallel()
	d3, d4 := at("d3"), at("d4")
	m := newMatrix(t, 10*time.Microsecond)
	m.SetDiscs(d3)
	m.scan(1)
	if m.frame.North&d4 == 0 {
		t.Error("the emulated columns rise at once: this test shows nothing")
	}
	m = newMatrix(t, time.Second)
	m.SetDiscs(d3)
	m.scan(1)
	if m.frame != (hardware.Frame{North: d3}) {
		t.Errorf("%+v", m.frame)
	}
}

func TestSixteenCallsAScan(t *testing.T) {
	t.Parallel()
	m := newMatrix(t, time.Second)
	m.scan(1)
	before := m.Stats()
	m.scan(63)
	after := m.Stats()
	if outs, reads := after.Outs-before.Outs, after.Reads-before.Reads; outs != 8*63 || reads != 8*63 {
		t.Errorf("%d writes and %d reads in 63 scans, want 8 and 8 in each", outs, reads)
	}
}

// Scenario 9: a matrix without diodes, discs on b2, b7 and g2. g7 is never a disc.
func TestThreeCornersFakeTheFourth(t *testing.T) {
	t.Parallel()
	b2, b7, g2, g7 := at("b2"), at("b7"), at("g2"), at("g7")
	for _, order := range [][]uint64{{b2, b7, g2}, {b2, g2, b7}, {b7, g2, b2}, {g2, b2, b7}} {
		m := newMatrix(t, time.Second)
		for cell := range 64 {
			m.FailDiode(cell, emu.DiodeShorted)
		}
		m.lay(0)
		var lie uint64
		for _, disc := range order {
			lie |= disc
			m.SetDiscs(lie)
			for range 5 {
				m.scan(1)
				if m.believed()&g7 != 0 {
					t.Fatalf("discs on %016x: g7 is a disc", lie)
				}
			}
		}
		if m.frame.North&m.frame.South&g7 == 0 {
			t.Errorf("g7 is not refused: %+v", m.frame)
		}
		if s := m.board.Stats(); s.Refused&g7 == 0 || s.Shorted&b2 == 0 {
			t.Errorf("refused %016x, shorted %016x", s.Refused, s.Shorted)
		}
	}
}

// One shorted diode: whatever is put down and lifted, one disc at a time, its
// ghosts are refused from the scan on in which they come. A disc that is lifted
// while three others fake it seems to stay, and nothing could tell.
func TestGhostsOfOneDiodeNeverComeAsDiscs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m := newMatrix(rt, time.Second)
		short := rapid.IntRange(0, 63).Draw(rt, "shorted")
		m.FailDiode(short, emu.DiodeShorted)
		m.lay(0)
		var discs, stay uint64
		for range rapid.IntRange(1, 150).Draw(rt, "changes") {
			before := discs
			discs ^= 1 << rapid.IntRange(0, 63).Draw(rt, "cell")
			stay |= before &^ discs
			m.SetDiscs(discs)
			for range rapid.IntRange(1, 4).Draw(rt, "scans") {
				m.scan(1)
				stay &= m.frame.North
				if ghosts := m.believed() &^ discs &^ stay; ghosts != 0 {
					rt.Fatalf("discs %016x, short at %d: ghosts %016x believed", discs, short, ghosts)
				}
				if m.frame.North&discs != discs {
					rt.Fatalf("discs %016x, seen %016x", discs, m.frame.North)
				}
			}
		}
	})
}

// With several shorted diodes hardly a ghost is believed.
func TestGhostsOfManyDiodes(t *testing.T) {
	t.Parallel()
	scans, believed := 0, 0
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // boards that can be built again, not a secret
		m := newMatrix(t, time.Second)
		for range 2 + rnd.IntN(5) {
			m.FailDiode(rnd.IntN(64), emu.DiodeShorted)
		}
		m.lay(0)
		var discs, stay uint64
		for range 100 {
			before := discs
			discs ^= 1 << rnd.IntN(64)
			stay |= before &^ discs
			m.SetDiscs(discs)
			for range 3 {
				m.scan(1)
				stay &= m.frame.North
				scans++
				if m.believed()&^discs&^stay != 0 {
					believed++
				}
			}
		}
	}
	t.Logf("a ghost is believed in %d of %d scans", believed, scans)
	if 1000*believed > scans {
		t.Errorf("a ghost is believed in %d of %d scans, more than one in a thousand", believed, scans)
	}
}

// On a board without faults nothing is ever refused while discs come and go one
// at a time.
func TestNoFalseGhosts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m := newMatrix(rt, time.Second)
		discs := rapid.Uint64().Draw(rt, "discs at the first scan")
		m.lay(discs)
		for range rapid.IntRange(1, 150).Draw(rt, "changes") {
			discs ^= 1 << rapid.IntRange(0, 63).Draw(rt, "cell")
			m.lay(discs)
			if m.frame != (hardware.Frame{North: discs}) {
				rt.Fatalf("%016x lie, read %+v", discs, m.frame)
			}
		}
	})
}

// Two discs put down in the same scan beside two others: on a board of which
// nothing is known they are refused, and one of them lifted and put back proves
// the diodes.
func TestTwoDiscsAtOnce(t *testing.T) {
	t.Parallel()
	d4, e4, d5, e5 := at("d4"), at("e4"), at("d5"), at("e5")
	m := newMatrix(t, time.Second)
	m.lay(0)
	m.lay(d4 | e4)
	m.lay(d4 | e4 | d5 | e5)
	if m.frame.North != d4|e4|d5|e5 || m.frame.South != d5|e5 {
		t.Fatalf("%+v, want d5 and e5 refused", m.frame)
	}
	m.lay(d4 | e4 | e5)
	if m.frame != (hardware.Frame{North: d4 | e4 | e5}) {
		t.Fatalf("d5 lifted: %+v", m.frame)
	}
	m.lay(d4 | e4 | d5 | e5)
	if m.frame != (hardware.Frame{North: d4 | e4 | d5 | e5}) {
		t.Fatalf("d5 back: %+v", m.frame)
	}

	// On a board that has been played on for some moves they are believed.
	m = newMatrix(t, time.Second)
	var discs uint64
	m.lay(0)
	for _, name := range []string{"d4", "e4", "d5", "e5", "f5", "d6", "c3", "d3", "c4", "f4", "f6"} {
		discs |= at(name)
		m.lay(discs)
	}
	m.lay(discs &^ (d4 | e4))
	m.lay(discs)
	if m.frame != (hardware.Frame{North: discs}) {
		t.Errorf("two discs turned at once: %+v, want %016x", m.frame, discs)
	}
}

// Ghosts that were there first come and go with their corners from then on.
func TestGhostAtTheFirstScan(t *testing.T) {
	t.Parallel()
	m := newMatrix(t, time.Second)
	m.FailDiode(8*1+1, emu.DiodeShorted) // b2
	discs := at("b2") | at("b7") | at("g2")
	m.lay(discs)
	m.lay(discs &^ at("b7"))
	m.lay(discs)
	if m.believed()&at("g7") != 0 {
		t.Errorf("g7 is a disc when it comes again: %+v", m.frame)
	}
}

func TestEmulatedLinesFail(t *testing.T) {
	t.Parallel()
	m := newMatrix(t, time.Second)
	m.lay(at("a1"))
	cause := errors.New("unplugged")
	m.FailReads(-1, cause)
	for range 30 {
		m.now += 10 * time.Millisecond
		if err := m.board.Scan(t.Context(), m.now, &m.frame); !errors.Is(err, cause) {
			t.Fatalf("error %v", err)
		}
	}
	if m.frame != (hardware.Frame{North: at("a1"), Lost: ^uint64(0)}) {
		t.Errorf("%+v", m.frame)
	}
	m.Heal()
	m.lay(at("h8"))
	if m.frame != (hardware.Frame{North: at("h8")}) {
		t.Errorf("healed: %+v", m.frame)
	}
}

// What single faults look like, cell by cell.
func TestFaultsOfSingleCells(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		fault func(m *matrix)
		want  uint64
	}{
		{"dead contact", func(m *matrix) { m.FailReed(27, emu.ReedDead) }, 0},
		{"missing diode", func(m *matrix) { m.FailDiode(27, emu.DiodeMissing) }, 0},
		{"row cut", func(m *matrix) { m.BreakRows(1 << 3) }, 0},
		{"column cut", func(m *matrix) { m.BreakColumns(1 << 3) }, 0},
		{"welded contact elsewhere", func(m *matrix) { m.FailReed(0, emu.ReedWelded) }, 1<<27 | 1},
	} {
		m := newMatrix(t, time.Second)
		tc.fault(m)
		m.lay(1 << 27)
		if m.frame != (hardware.Frame{North: tc.want}) {
			t.Errorf("%s: %+v, want %016x", tc.name, m.frame, tc.want)
		}
	}
}
