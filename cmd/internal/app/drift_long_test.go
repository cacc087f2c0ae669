//go:build !race

package app

import (
	"testing"
	"time"
)

// Scenario 10: a day in which the sensors drift to and fro. Under the race detector
// this would take half a minute.
func TestDayOfDrift(t *testing.T) {
	t.Parallel()
	drift(t, 24*time.Hour)
}
