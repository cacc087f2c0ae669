//go:build !race

package flight_test

import (
	"bytes"
	"slices"
	"testing"
	"time"
)

// A game of an hour on every board, with noise and bouncing discs, is recorded in
// at most 2 MB, and every recording replays to the events that were announced.
func TestHourOnEveryBoard(t *testing.T) {
	for _, board := range []string{"hall-128.yaml", "hall-128-mcp23017.yaml", "hall-analog.yaml", "reed-64.yaml"} {
		t.Run(board, func(t *testing.T) {
			t.Parallel()
			e := newEvening(t, profile(t, board, 7), 7, false)
			dir := t.TempDir()
			e.sit(dir, time.Hour, time.Minute)
			size := sizeOf(t, dir)
			payloads, records := replayed(t, dir)
			t.Logf("%s: %d bytes an hour, %d records, %d events", board, size, records, len(payloads))
			if size > 2<<20 {
				t.Errorf("the recording of an hour has %d bytes, want at most 2 MB", size)
			}
			if len(payloads) < 40 {
				t.Errorf("only %d events: the hour was not played", len(payloads))
			}
			if !slices.EqualFunc(payloads, e.payloads, bytes.Equal) {
				t.Errorf("%d events are recorded, %d were announced", len(payloads), len(e.payloads))
			}
			if got := sensed(t, dir); got.Again != got.Readings || len(got.New) > 0 {
				t.Errorf("sensing comes to other readings: %+v", got)
			}
			if n := e.tape.Lost(); n != 0 {
				t.Errorf("%d records were lost", n)
			}
		})
	}
}
