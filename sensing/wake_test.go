package sensing_test

import (
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/sensing"
)

// Expanders are written to before they can be read, so the first frames after
// power-on know nothing. That is no fault.
func TestPowerOnIsNoFault(t *testing.T) {
	p := sensing.New(sensing.DefaultConfig())
	all := ^engine.Bitboard(0)
	for now := time.Duration(0); now < time.Second; now += 20 * time.Millisecond {
		f := sensing.Frame{North: 1 << 28}
		if now < 100*time.Millisecond {
			f = sensing.Frame{Lost: all}
		}
		out := p.Step(now, f)
		if n := len(out.Failed.List()) + len(out.Back.List()); n != 0 {
			t.Fatalf("at %v: %d faults", now, n)
		}
		if out.Settled && (now < 300*time.Millisecond || out.Reading.Discs.Black != 1<<28) {
			t.Fatalf("at %v: reading %+v", now, out.Reading)
		}
	}
}

// A slow computer whose first scans are seconds apart has chips that prove
// themselves, not lost ones; one that has not answered in five scans is lost.
func TestPowerOnOfASlowComputerIsNoFault(t *testing.T) {
	for scans, want := range map[int]bool{3: false, 5: false, 6: true} {
		p := sensing.New(sensing.DefaultConfig())
		failed := false
		for i := range 12 {
			f := sensing.Frame{North: 1 << 28}
			if i < scans {
				f.Lost = 0xFF << 16
			}
			out := p.Step(time.Duration(i)*1500*time.Millisecond, f)
			failed = failed || len(out.Failed.List()) > 0
		}
		if failed != want {
			t.Errorf("%d scans without an answer, 1.5 s apart: a fault %v, want %v", scans, failed, want)
		}
	}
}

func TestBankThatNeverAnswersIsLostAfterASecond(t *testing.T) {
	p := sensing.New(sensing.DefaultConfig())
	rank3 := engine.Bitboard(0xFF) << 16
	var lostAt time.Duration
	settled := false
	for now := time.Duration(0); now < 3*time.Second; now += 20 * time.Millisecond {
		out := p.Step(now, sensing.Frame{Lost: rank3})
		for _, f := range out.Failed.List() {
			if f.Kind != sensing.BankLost || f.Squares != rank3 || lostAt != 0 {
				t.Fatalf("at %v: fault %+v", now, f)
			}
			lostAt = now
		}
		if out.Settled {
			settled = true
			if out.Reading.Lost != rank3 {
				t.Fatalf("at %v: reading %+v", now, out.Reading)
			}
		}
	}
	if lostAt != time.Second || !settled {
		t.Fatalf("lost at %v (want 1s), settled %v", lostAt, settled)
	}
}
