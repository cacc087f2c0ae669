package sensing_test

import (
	"fmt"
	"time"

	"reversi-board/engine"
	"reversi-board/sensing"
)

// A board that was never calibrated, ten readings a second: a disc comes down on
// d3 with its north pole to the sensor, and is turned over later.
func ExampleThreshold() {
	sensor := sensing.DRV5055A4()
	th, err := sensing.NewThreshold(sensing.AllLevels(sensor.DefaultLevels()), sensor)
	if err != nil {
		fmt.Println(err)
		return
	}
	d3 := engine.SquareAt(3, 2)
	var counts [engine.Squares]uint16
	for s := range counts {
		counts[s] = sensor.Counts(0)
	}
	for i, field := range []float64{0, -8, -51, -51, 51, 3} { // Millitesla, south positive.
		counts[d3] = sensor.Counts(field)
		north, south := th.Step(time.Duration(i)*100*time.Millisecond, &counts, 0)
		fmt.Printf("%5d counts: north %q south %q\n", counts[d3], north, south)
	}
	// Output:
	// 13200 counts: north "" south ""
	// 12720 counts: north "" south ""
	// 10140 counts: north "d3" south ""
	// 10140 counts: north "d3" south ""
	// 16260 counts: north "" south "d3"
	// 13380 counts: north "" south ""
}
