package sensing_test

import (
	"fmt"
	"time"

	"reversi-board/engine"
	"reversi-board/sensing"
)

// A disc slides over d3, stays there for 140 ms, and comes to rest on c4.
func Example() {
	p := sensing.New(sensing.DefaultConfig())
	d3, c4 := engine.SquareAt(3, 2).Bit(), engine.SquareAt(2, 3).Bit()
	for now := time.Duration(0); now < time.Second; now += 20 * time.Millisecond {
		var f sensing.Frame
		switch {
		case now >= 500*time.Millisecond:
			f.North = c4
		case now >= 300*time.Millisecond && now < 440*time.Millisecond:
			f.North = d3
		}
		if out := p.Step(now, f); out.Settled {
			fmt.Printf("%v: black %q, changed at %v\n", now, out.Reading.Discs.Black, out.Reading.ChangedAt)
		}
	}
	// Output:
	// 200ms: black "", changed at 0s
	// 700ms: black "c4", changed at 500ms
}
