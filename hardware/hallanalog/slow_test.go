package hallanalog_test

import (
	"errors"
	"testing"
	"time"

	"reversi-board/hardware/hallanalog"
)

// A computer that stood still for a second has not lost the board because the
// select lines fail in one scan after that; three in a row do.
func TestScanThatFailsAfterAPauseIsNoLoss(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Single())
	r.settle()
	r.selects = func(int) error { return errors.New("no such line") }
	for scan := range 2 {
		r.now += time.Second
		if err := r.scan(); err == nil {
			t.Fatal("no error")
		}
		if r.frame.Lost != 0 {
			t.Fatalf("scan %d: cells %x are lost", scan, r.frame.Lost)
		}
	}
	if err := r.scan(); err == nil || r.frame.Lost != ^uint64(0) {
		t.Errorf("the third: lost %x, error %v, want all and an error", r.frame.Lost, err)
	}
}

// A cell that proves itself is read, so it is not lost, however slow the scans
// are: four converters that were reset while hands move, four scans a second.
func TestCellThatProvesItselfIsNotLost(t *testing.T) {
	t.Parallel()
	r := newRig(t, hallanalog.Quad())
	r.settle()
	for _, a := range r.adcs {
		a.PowerCycle()
	}
	found := false
	for scan := range 8 {
		r.now += 250 * time.Millisecond
		r.volts[20] = []float64{0.6, 2.6}[scan%2]
		r.mustScan()
		found = found || r.frame.Reset != 0
		if r.frame.Lost != 0 {
			t.Fatalf("scan %d: cells %x are lost", scan, r.frame.Lost)
		}
	}
	if !found {
		t.Error("no reset was found: this shows nothing")
	}
	r.mustScan()
	r.check(^uint64(0))
}
