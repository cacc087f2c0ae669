package notation_test

import (
	"errors"
	"fmt"
	"os"

	"reversi-board/engine"
	"reversi-board/engine/notation"
)

func ExampleParseTranscript() {
	rules, err := engine.Variant("classic")
	if err != nil {
		fmt.Println(err)
		return
	}
	line, err := notation.ParseTranscript(rules, "1. F5 d6 2. c5 f6 3. e7 f4 4. g5 e6 5. e3")
	if err != nil {
		fmt.Println(err)
		return
	}
	black, white := line.Final.Score()
	fmt.Println(notation.Transcript(line.Moves), "ends", black, "to", white)

	_, err = notation.ParseTranscript(rules, "f5e6")
	if fault, ok := errors.AsType[*notation.MoveError](err); ok {
		fmt.Println(fault.Square, "is refused at ply", fault.Ply)
	}
	fmt.Println(err)
	// Output:
	// f5d6c5f6e7f4g5e6e3 ends 64 to 0
	// e6 is refused at ply 2
	// ply 2: white turns no disc on e6
}

func ExampleReadWTB() {
	f, err := os.Open("testdata/WTH_1978.wtb")
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := notation.ReadWTB(f)
	if err := errors.Join(err, f.Close()); err != nil {
		fmt.Println(err)
		return
	}
	g := file.Games[4]
	fmt.Println(file.Year, "has", len(file.Games), "games; game 4 was won", g.BlackScore, "to", 64-g.BlackScore)
	fmt.Println(notation.Transcript(g.Line.Moves))
	// Output:
	// 1978 has 8 games; game 4 was won 64 to 0
	// f5f6e6f4e3c5c4d3f3e2f2d2c3d6d1b5c1c2b3e1f1a3a6b4a4b6a2g3a5b2h3h2h1g1g2b1h4g4a1h5g5b7a7a8b8c8c6h6g6c7d7d8g7f7f8g8e7e8h8
}
