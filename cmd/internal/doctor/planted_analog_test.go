//go:build !race

package doctor_test

import "testing"

// A board that measures is walked at nine scans a second, of 64 conversions each:
// on a virtual clock there is nothing in it for the race detector.
func TestPlantedAnalogFaults(t *testing.T) {
	t.Parallel()
	const analog = "hall-analog"
	plantAll(t, []plantedCase{
		{analog, "reversed:c3", "cell c3 reversed"},
		{analog, "stuck:a1", "cell a1 low"},
		{analog, "both:e4", "cell e4 high"},
		{analog, "weak:d4", "cell d4 weak"},
		{analog, "exchanged:c3-g6", "cell c3 and g6 exchanged"},
	})
}
