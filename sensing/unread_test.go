package sensing_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/sensing"
)

// A disc was laid, and 100 ms later its cell cannot be read for a while: it shows
// what it showed, but nobody has seen it at rest. The reading comes when it has been
// seen for the settle time, and says truly when it was laid. After half of the settle
// time (100 ms) unread it may have been off and on again: that it has rested before
// does not count any more.
func TestUnreadTimeIsNoRest(t *testing.T) {
	t.Parallel()
	const e4, d4 = engine.Bitboard(1) << 28, engine.Bitboard(1) << 27
	for _, c := range []struct {
		name         string
		unread, lost engine.Bitboard
		until, want  time.Duration
	}{
		{"all are read", 0, 0, 1300 * ms, 1200 * ms},
		{"the cell is not read for a moment", e4, 0, 1180 * ms, 1280 * ms},
		{"no cell is read for a moment", ^engine.Bitboard(0), 0, 1180 * ms, 1280 * ms},
		{"the cell is not read", e4, 0, 1300 * ms, 1500 * ms},
		{"no cell is read", ^engine.Bitboard(0), 0, 1300 * ms, 1500 * ms},
		// What rests for long is not asked for more.
		{"another one is not read", d4, 0, 1300 * ms, 1200 * ms},
		// A cell that is lost holds up nobody.
		{"another one is lost", d4, d4, 1300 * ms, 1200 * ms},
	} {
		p := sensing.New(sensing.DefaultConfig())
		var settled time.Duration
		for now := time.Duration(0); now < 3*time.Second; now += 20 * ms {
			f := sensing.Frame{}
			if now >= time.Second {
				f.North = e4
			}
			if now > 1100*ms && now <= c.until {
				p.Unread(c.unread)
				f.Lost = c.lost
			}
			out := p.Step(now, f)
			if out.Settled && out.Reading.Discs.Black == e4 && settled == 0 {
				settled = now
				if out.Reading.ChangedAt != time.Second {
					t.Errorf("%s: it was laid at %v", c.name, out.Reading.ChangedAt)
				}
			}
		}
		if settled != c.want {
			t.Errorf("%s: the reading came at %v, want %v", c.name, settled, c.want)
		}
	}
}

// A cell that flaps is never settled by a board that cannot be read now and then,
// whenever that is: it shows the same before and after.
func TestFlappingIsNotSettledUnread(t *testing.T) {
	t.Parallel()
	// Once 60 ms before the gap and 190 ms after it were taken for one rest.
	flaps(t, 184*ms, 75*ms, 206*ms)
	rapid.Check(t, func(t *rapid.T) {
		flaps(
			t, time.Duration(rapid.IntRange(20, 190).Draw(t, "half a period in ms"))*ms,
			time.Duration(rapid.IntRange(0, 3000).Draw(t, "unread from, in ms"))*ms,
			time.Duration(rapid.IntRange(20, 250).Draw(t, "unread for, in ms"))*ms,
		)
	})
}

// flaps fails the test if a cell that flaps is settled while it is not masked.
func flaps(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, half, from, long time.Duration,
) {
	t.Helper()
	const g5 = engine.Bitboard(1) << 38
	p := sensing.New(sensing.Config{Presence: true, Settle: 250 * ms})
	shown := engine.Bitboard(0)
	for now := time.Duration(0); now < 8*time.Second; now += 10 * ms {
		if now >= time.Second+from && now < time.Second+from+long {
			p.Unread(^engine.Bitboard(0))
		} else if shown = 0; now > time.Second && now/half%2 == 1 {
			shown = g5
		}
		out := p.Step(now, sensing.Frame{North: shown})
		if out.Settled && out.Reading.Occupied != 0 && out.Reading.Masked == 0 {
			t.Fatalf("at %v a disc is said to lie there", now)
		}
	}
}

// Cells that are not read are numbered like all others.
func TestLensOfSets(t *testing.T) {
	t.Parallel()
	c := sensing.Identity("hall-128", "0123456789abcdef")
	c.Turned = 1
	c.Cells[0], c.Cells[9] = 9, 0
	l := c.Lens()
	for cell := range engine.Squares {
		f := sensing.Frame{Lost: engine.Bitboard(1) << cell}
		l.Apply(&f, nil)
		if got := l.Squares(engine.Bitboard(1) << cell); got != f.Lost || got.Count() != 1 {
			t.Errorf("cell %d: %v, want %v", cell, got, f.Lost)
		}
	}
}
