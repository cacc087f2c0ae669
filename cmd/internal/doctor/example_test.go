package doctor_test

import (
	"context"
	"fmt"

	"reversi-board/cmd/internal/doctor"
	"reversi-board/configs"
)

// A board that was built with two mistakes, with a simulated person at it.
func Example() {
	config := configs.Default()
	faults, err := doctor.ParseFaults("dead:h8,led:b3")
	if err != nil {
		fmt.Println(err)
		return
	}
	bench, err := doctor.Simulate(&config.Hardware, faults)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := doctor.Run(context.Background(), doctor.Options{
		Config: config, Source: "built-in settings", DataDir: "/nowhere",
		Sim: bench.Sim, Clock: bench.Clock(), Hands: bench.Person, Only: []string{"cells", "leds"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range report.Problems() {
		fmt.Println(p.Found, p.Next)
	}
	fmt.Println(report.OK, report.Summary.Text)
	// Output:
	// h8 sees no disc. Look at the supply and the joints of its sensor, and at the wires to P0.7 and P1.7 of 0x27.
	// The light of b3 stays dark. Look at the joints of the light of b3 (number 17), then change it.
	// false 2 things are wrong.
}
