package sensing_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/sensing"
)

// magnet is an axial magnet of neodymium, N35, in mm; the formulas are the usual
// ones for a cylinder's axis and for a dipole.
type magnet struct{ diameter, thickness float64 }

const remanence = 1170 // mT.

// onAxis returns the field in mT at a distance from the face.
func (m magnet) onAxis(z float64) float64 {
	r, far := m.diameter/2, z+m.thickness
	return remanence / 2 * (far/math.Hypot(r, far) - z/math.Hypot(r, z))
}

// beside returns the vertical field in mT of a magnet whose centre is h above
// and r beside the sensor.
func (m magnet) beside(r, h float64) float64 {
	volume := math.Pi * m.diameter * m.diameter / 4 * m.thickness
	d2 := r*r + h*h
	return remanence * volume / (4 * math.Pi) * (3*h*h/d2 - 1) / math.Pow(d2, 1.5)
}

// The same figures as in the table of a hardware reference that was computed
// elsewhere.
func TestMagnetOfTheseTests(t *testing.T) {
	t.Parallel()
	m := magnet{8, 2}
	for _, tc := range []struct{ got, want float64 }{
		{m.onAxis(5), 51.1},
		{m.onAxis(10), 11.8},
		{magnet{6, 2}.onAxis(8), 12.6},
		{m.beside(40, 6), -0.13},
		{m.beside(40*math.Sqrt2, 6), -0.05},
		{m.beside(30, 11), -0.19},
	} {
		if math.Abs(tc.got-tc.want) > 0.05*math.Abs(tc.want)+0.005 {
			t.Errorf("%.3f mT, want %.3f", tc.got, tc.want)
		}
	}
}

// Counts of 125 µV, computed by hand.
func TestSensorsInCounts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		sensor sensing.Sensor
		field  float64
		want   uint16
	}{
		{sensing.DRV5055A4(), 0, 13200},     // 1.65 V.
		{sensing.DRV5055A4(), 51.1, 16266},  // 1.65 V + 0.38325 V.
		{sensing.DRV5055A4(), -51.1, 10134}, // 1.65 V - 0.38325 V.
		{sensing.DRV5055A4(), 176, 23760},   // The end of the range is beyond it: 2.97 V.
		{sensing.DRV5055A4(), 300, 24800},   // 3.1 V.
		{sensing.DRV5055A4(), -300, 1600},   // 0.2 V.
		{sensing.SS49E(), 50, 16896},        // 1.65 V + 0.462 V.
	} {
		if got := tc.sensor.Counts(tc.field); got != tc.want {
			t.Errorf("%s in %v mT: %d counts, want %d", tc.sensor.Name, tc.field, got, tc.want)
		}
	}
}

func TestDefaultLevels(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		sensor sensing.Sensor
		want   sensing.Levels
		disc   float64
	}{
		// ±60 mV are 20 % of 300 mV; 150 mV are 20 mT.
		{sensing.DRV5055A4(), sensing.Levels{Null: 13200, North: 10800, South: 15600, Uncalibrated: true}, 20},
		// ±165 mV are 20 % of 825 mV; 412.5 mV are 44.6 mT.
		{sensing.SS49E(), sensing.Levels{Null: 13200, North: 6600, South: 19800, Uncalibrated: true}, 44.6},
	} {
		if got := tc.sensor.DefaultLevels(); got != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.sensor.Name, got, tc.want)
		}
		if got := tc.sensor.WeakestDisc(); math.Abs(got-tc.disc) > 0.1 {
			t.Errorf("%s needs %.1f mT, want %.1f", tc.sensor.Name, got, tc.disc)
		}
		if err := tc.want.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// What the documentation promises of an uncalibrated board: whatever the part,
// a disc that brings WeakestDisc is seen and an empty square is empty.
func TestUncalibratedBoard(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.SampledFrom([]sensing.Sensor{sensing.DRV5055A4(), sensing.SS49E()}).Draw(rt, "sensor")
		th, err := sensing.NewThreshold(sensing.AllLevels(s.DefaultLevels()), s)
		if err != nil {
			rt.Fatal(err)
		}
		part := s
		part.Null += rapid.Float64Range(-0.99, 0.99).Draw(rt, "null error") * s.NullError
		weakest := s.WeakestDisc()
		field := rapid.Float64Range(weakest, min(2*weakest, 100)).Draw(rt, "field")
		now := ms
		step := func(mT float64) string {
			counts := [engine.Squares]uint16{27: part.Counts(mT)}
			now += 100 * ms
			n, so := th.Step(now, &counts, ^engine.Bitboard(1<<27))
			return face(n, so, 27)
		}
		for range rapid.IntRange(1, 20).Draw(rt, "moves") {
			if got := step(0); got != "empty" {
				rt.Fatalf("an empty square shows %s", got)
			}
			if got := step(-field); got != "north" {
				rt.Fatalf("north with %.1f mT shows %s", field, got)
			}
			if got := step(field); got != "south" {
				rt.Fatalf("south with %.1f mT shows %s", field, got)
			}
		}
	})
}

// face says in words what a square shows.
func face(norths, souths engine.Bitboard, s engine.Square) string {
	switch n, so := norths.Has(s), souths.Has(s); {
	case n && so:
		return "fault"
	case n:
		return "north"
	case so:
		return "south"
	}
	return "empty"
}

func TestLevelsOfNoUse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		levels sensing.Levels
		want   string // Empty: they are fine.
	}{
		{sensing.Levels{Null: 13200, North: 10134, South: 16266}, ""},
		{sensing.Levels{Null: 13200, North: 16266, South: 10134}, ""},
		{sensing.Levels{Null: 13200, North: 13000, South: 13400}, ""},
		{sensing.Levels{Null: 13200, North: 13001, South: 16266}, "north at the sensor changes 199 counts"},
		{sensing.Levels{Null: 13200, North: 10134, South: 13399}, "south at the sensor changes 199 counts"},
		{sensing.Levels{Null: 13200, North: 10134, South: 10200}, "same direction"},
		{sensing.Levels{Null: 13200, North: 16000, South: 16266}, "same direction"},
		{sensing.Levels{Null: 13200, North: 10134, South: 40000}, "above 32767"},
		{sensing.Levels{}, "changes 0 counts"},
	} {
		err := tc.levels.Validate()
		if tc.want == "" {
			if err != nil {
				t.Errorf("%+v: %v", tc.levels, err)
			}
			continue
		}
		if !errors.Is(err, sensing.ErrLevels) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: %v, want %q", tc.levels, err, tc.want)
		}
		all := sensing.AllLevels(sensing.DRV5055A4().DefaultLevels())
		all[44] = tc.levels
		if _, err := sensing.NewThreshold(all, sensing.DRV5055A4()); !errors.Is(err, sensing.ErrLevels) || !strings.Contains(err.Error(), "e6") {
			t.Errorf("%+v at e6: %v", tc.levels, err)
		}
	}
	if l := (sensing.Levels{Null: 13200, North: 16266, South: 10134}); !l.Reversed() {
		t.Error("a sensor that north raises is reversed")
	}
}

// samples returns ten readings of every square, alternating around a level.
func samples(level, jitter uint16) *sensing.Samples {
	var s sensing.Samples
	for i := range 10 {
		var counts [engine.Squares]uint16
		for k := range counts {
			counts[k] = level + jitter*uint16(i%2)
		}
		s.Add(^engine.Bitboard(0), &counts)
	}
	return &s
}

func TestCalibrate(t *testing.T) {
	t.Parallel()
	got, err := sensing.Calibrate(0, samples(13200, 4), samples(10134, 0), samples(16266, 1))
	if err != nil || got != (sensing.Levels{Null: 13202, North: 10134, South: 16267}) { // Half counts go up.
		t.Errorf("%+v, %v", got, err)
	}
	few := samples(10134, 0)
	few.Forget(1)
	if n := few.Count(0); n != 0 {
		t.Errorf("%d readings after they were forgotten", n)
	}
	if n := few.Count(1); n != 10 {
		t.Errorf("%d readings of another square, want 10", n)
	}
	for _, tc := range []struct {
		name                string
		empty, north, south *sensing.Samples
		want                []string
	}{
		{"too few", samples(13200, 0), few, samples(16266, 0), []string{"a1", "0 readings", "north at the sensor", "10"}},
		{"moved", samples(13200, 0), samples(10134, 0), samples(16266, 65), []string{"a1", "65 counts apart", "south at the sensor"}},
		{"no disc", samples(13200, 0), samples(13180, 0), samples(16266, 0), []string{"a1", "20 counts only"}},
		{"not turned", samples(13200, 0), samples(16266, 0), samples(16266, 0), []string{"a1", "same direction"}},
	} {
		_, err := sensing.Calibrate(0, tc.empty, tc.north, tc.south)
		if !errors.Is(err, sensing.ErrLevels) {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		for _, want := range tc.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not mention %q", tc.name, err, want)
			}
		}
	}
}
