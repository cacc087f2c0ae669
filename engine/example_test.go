package engine_test

import (
	"fmt"

	"reversi-board/engine"
)

func ExamplePosition_Flips() {
	p := engine.Start()
	e6, err := engine.ParseSquare("e6")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Turn, "may play", p.Legal())
	fmt.Println("e6 turns", p.Flips(e6))
	// Output:
	// black may play d3 c4 f5 e6
	// e6 turns e5
}

// The shortest wipe-out: White has no disc left after nine plies.
func ExampleGame() {
	rules, err := engine.Variant("classic")
	if err != nil {
		fmt.Println(err)
		return
	}
	g := engine.NewGame(rules)
	for _, name := range []string{"f5", "d6", "c5", "f6", "e7", "f4", "g5", "e6", "e3"} {
		s, err := engine.ParseSquare(name)
		if err != nil || !g.Legal().Has(s) {
			fmt.Println("cannot play", name)
			return
		}
		g = g.Place(s)
	}
	black, white := g.Score()
	fmt.Printf("over: %v after %d plies, %d discs to %d, score %d–%d, %v wins\n",
		g.Over(), g.Ply(), g.Black.Count(), g.White.Count(), black, white, rules.Winner(g.Discs))
	// Output:
	// over: true after 9 plies, 13 discs to 0, score 64–0, black wins
}

func ExampleParseDiscs() {
	d, err := engine.ParseDiscs("---------------------------OX------XO---------------------------")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Black, "are black,", d.White, "are white")
	// Output:
	// e4 d5 are black, d4 e5 are white
}

func ExamplePerft() {
	fmt.Println(engine.Perft(engine.Start(), 8))
	// Output:
	// 390216
}
