package reed64_test

import (
	"errors"
	"testing"
	"time"

	"reversi-board/hardware"
	"reversi-board/hardware/reed64"
)

// A computer that stood still for a second has not lost the board because one
// scan after that fails; three in a row do.
func TestScanThatFailsAfterAPauseIsNoLoss(t *testing.T) {
	t.Parallel()
	r := newRig(t, reed64.Reference())
	r.put([2]int{0, 0})
	r.mustScan()
	for range 2 {
		r.now += time.Second
		r.readErr = errors.New("noise")
		if _, err := r.scan(); err == nil {
			t.Fatal("no error")
		}
		if want := (hardware.Frame{North: 1, Stale: ^uint64(0)}); r.frame != want {
			t.Fatalf("%+v, want %+v", r.frame, want)
		}
	}
	if _, err := r.scan(); err == nil {
		t.Fatal("no error")
	}
	if want := (hardware.Frame{North: 1, Lost: ^uint64(0)}); r.frame != want {
		t.Errorf("the third: %+v, want %+v", r.frame, want)
	}
}
