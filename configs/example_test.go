package configs_test

import (
	"fmt"

	"reversi-board/configs"
)

// A file holds only what differs from the built-in settings.
func ExampleParse() {
	c, err := configs.Parse("my-board.yaml", []byte(`
board: {id: table-7}
sensing:
  settle: 400ms
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Board.ID, c.Hardware.Kind, c.Sensing.ScanHz, c.Sensing.Settle)
	// Output: table-7 hall-128 50 400ms
}

// All mistakes are reported at once, each with its place.
func ExampleParse_mistakes() {
	_, err := configs.Parse("my-board.yaml", []byte(`
sensing:
  scan-hz: 50
  settle: 400
hardware:
  cells:
    e6: {chip: 5, north: P0.3, south: P1.4}
`))
	fmt.Println(err)
	// Output:
	// my-board.yaml:3: sensing.scan-hz: unknown key: did you mean scan_hz? (known here: scan_hz, debounce, settle)
	// my-board.yaml:4: sensing.settle: 400 has no unit: write it as 400ms or 400s; want a time from 100ms to 5s
	// my-board.yaml:7: hardware.cells.e6.north: pin P0.3 of chip 5 is wired to d6 north (default wiring) and to e6 north: every pin can have one output only
}
