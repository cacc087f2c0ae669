package tournament_test

import (
	"fmt"
	"os"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/tournament"
)

func Example() {
	e := &tournament.Event{
		Name: plaintext.Const("Club evening"), System: tournament.Swiss, Rounds: 2, Colors: tournament.Balanced,
		Breaks: []tournament.Break{tournament.Brightwell}, Factor: tournament.DefaultFactor,
		Players: []tournament.Player{
			{Number: 1, Name: plaintext.Const("Ana")}, {Number: 2, Name: plaintext.Const("Ben")}, {Number: 3, Name: plaintext.Const("Cem")}, {Number: 4, Name: plaintext.Const("=Dora")},
		},
	}
	games, err := e.Pair()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, g := range games {
		g.State, g.Winner, g.BlackDiscs, g.WhiteDiscs = tournament.Played, engine.Black, 40, 24
		e.Games = append(e.Games, g)
	}
	if err := e.WriteStandings(os.Stdout); err != nil {
		fmt.Println(err)
	}
	if err := e.WriteGames(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// place,number,name,club,games,wins,draws,losses,byes,points,discs,against,difference,brightwell
	// 1,1,Ana,,1,1,0,0,0,1,40,24,16,40
	// 1,4,'=Dora,,1,1,0,0,0,1,40,24,16,40
	// 3,2,Ben,,1,0,0,1,0,0,24,40,-16,30
	// 3,3,Cem,,1,0,0,1,0,0,24,40,-16,30
	// round,table,black,black_name,white,white_name,state,black_discs,white_discs,winner
	// 1,1,1,Ana,3,Cem,played,40,24,black
	// 1,2,4,'=Dora,2,Ben,played,40,24,black
}
