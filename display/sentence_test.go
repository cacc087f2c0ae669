package display_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/referee"
)

func squares(t testing.TB, names string) engine.Bitboard {
	t.Helper()
	set, err := engine.ParseSquares(names)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func square(t testing.TB, name string) engine.Square {
	t.Helper()
	return squares(t, name).First()
}

// started returns a classic game with Black to move and the board as it should
// be.
func started(t testing.TB) referee.State {
	t.Helper()
	rules, err := engine.Variant("classic")
	if err != nil {
		t.Fatal(err)
	}
	profile, err := referee.ProfileNamed("home")
	if err != nil {
		t.Fatal(err)
	}
	s := referee.New(referee.Match{Rules: rules, Profile: profile})
	s.Phase, s.Step, s.SensedOK = referee.Playing, referee.ToMove, true
	s.Sensed = s.Game.Discs
	return s
}

// historic returns a historic game after some squares of the centre have been
// taken in turn.
func historic(t testing.TB, taken string) referee.State {
	t.Helper()
	s := started(t)
	rules, err := engine.Variant("historic")
	if err != nil {
		t.Fatal(err)
	}
	s.Match.Rules = rules
	referee.Apply(&s, referee.GameStarted{Match: s.Match})
	for name := range strings.FieldsSeq(taken) {
		referee.Apply(&s, referee.Moved{By: s.Game.Turn, Square: square(t, name)})
	}
	s.Sensed = s.Game.Discs
	return s
}

func TestSentencesOfTheHistoricGame(t *testing.T) {
	t.Parallel()
	say := func(s referee.State, want string) {
		t.Helper()
		if got := display.Sentence(&s); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	s := historic(t, "")
	s.Guide.PlaceBlack = squares(t, "d4 e4 d5 e5")
	say(s, "Black puts one of the first four discs on d4, e4, d5 or e5.")
	s = historic(t, "d4 e4 d5")
	s.Guide.PlaceWhite = squares(t, "e5")
	say(s, "White puts the last of the first four discs on e5.")
	say(historic(t, "d4 e4 d5 e5"), "Black to move.")

	s = historic(t, "d4")
	s.Sensed = s.Sensed.With(square(t, "a1"), engine.White)
	s.Step, s.Guide = referee.Correcting, referee.Guide{Remove: squares(t, "a1")}
	s.Problem = referee.Problem{Code: referee.IllegalPosition, Reason: referee.OffCenter, Squares: squares(t, "a1")}
	say(s, "The first four discs go on d4, e4, d5 and e5: take a1 off.")

	s = historic(t, "d4 e4 d5 e5")
	s.Game.Placed = [2]uint8{30, 32}
	s.Game.Turn = engine.White
	referee.Apply(&s, referee.Passed{By: engine.White})
	say(s, "White has no disc left: Black goes on.")

	s = historic(t, "")
	s.Phase, s.Step = referee.Setup, referee.NoStep
	s.Guide = referee.Guide{PlaceBlack: squares(t, "d4 e4 d5 e5")}
	say(s, "The next game begins when Black puts a disc on d4, e4, d5 or e5.")
	s.Guide = referee.Guide{Remove: squares(t, "a1")}
	say(s, "Take a1 off.")
}

func TestSentence(t *testing.T) {
	t.Parallel()
	set := func(names string) engine.Bitboard { return squares(t, names) }
	sq := func(name string) engine.Square { return square(t, name) }
	rank3 := engine.Bitboard(0xFF << 16)
	mistake := func(s *referee.State, code referee.Code, reason referee.Reason, where string, g referee.Guide) {
		s.Step, s.Guide = referee.Correcting, g
		s.Problem = referee.Problem{Code: code, Reason: reason, Squares: set(where)}
	}
	for _, c := range []struct {
		name, want string
		change     func(s *referee.State)
	}{
		{"nothing read", "The board has not been read yet.", func(s *referee.State) {
			s.Phase, s.SensedOK = referee.Idle, false
		}},
		{"set-up of an empty board", "Put black discs on d5 and e4, white on d4 and e5.", func(s *referee.State) {
			s.Phase = referee.Setup
			s.Guide = referee.Guide{PlaceBlack: set("e4 d5"), PlaceWhite: set("d4 e5")}
		}},
		{"set-up, one of each", "Take a1 off, turn d4, then put a black disc on d5.", func(s *referee.State) {
			s.Phase = referee.Setup
			s.Guide = referee.Guide{PlaceBlack: set("d5"), Remove: set("a1"), Turn: set("d4")}
		}},
		{"set-up after a full game", "Take 60 discs off.", func(s *referee.State) {
			s.Phase = referee.Setup
			s.Guide = referee.Guide{Remove: ^set("d4 e4 d5 e5")}
		}},
		{"set-up of many discs", "Set up the start position: the lights show what is missing.", func(s *referee.State) {
			s.Phase = referee.Setup
			s.Guide = referee.Guide{Remove: set("a1"), PlaceBlack: set("c3 d3 e3 f3 c4"), PlaceWhite: set("d4 e4 f4 c5")}
		}},
		{"swapped colors of many discs", "All colors are swapped: turn the discs over, or, if the magnets are reversed, " +
			"set north_is the other way in the configuration.", func(s *referee.State) {
			s.Phase = referee.Setup
			s.Match.Rules.Start.Black |= set("a1")
			s.Problem.Code = referee.Orientation
		}},
		{"start position", "The discs lie ready: the game can begin.", func(s *referee.State) { s.Phase = referee.Setup }},
		{"start position under a lost bank", "Rank 3 cannot be read; the game cannot begin before that.", func(s *referee.State) {
			s.Phase, s.Lost = referee.Setup, rank3
		}},
		{
			"swapped colors", "The colors in the middle are swapped: turn the board a quarter turn if it lies sideways, " +
				"turn the four discs over if they lie wrong, or, if the magnets are reversed, set north_is the other way in the configuration.",
			func(s *referee.State) {
				s.Phase, s.Guide.Turn = referee.Setup, set("d4 e4 d5 e5")
				s.Problem = referee.Problem{Code: referee.Orientation, Squares: s.Guide.Turn}
			},
		},

		{"to move", "Black to move.", func(*referee.State) {}},
		{"white to move", "White to move.", func(s *referee.State) { s.Game.Turn = engine.White }},
		{"a disc in the hand", "Black to move.", func(s *referee.State) { s.Sensed = s.Sensed.With(sq("d4"), engine.None) }},
		{"flips to do", "White placed e6: turn d5 and f6.", func(s *referee.State) {
			s.Step = referee.InProgress
			s.Pending = referee.Pending{Active: true, Square: sq("e6"), By: engine.White, Flips: set("d5 f6 e5"), Done: set("e5")}
			s.Guide.Flip = set("d5 f6")
		}},
		{"a flip and a missing disc", "White placed e6: turn f6, then put a black disc on a1.", func(s *referee.State) {
			s.Step = referee.InProgress
			s.Pending = referee.Pending{Active: true, Square: sq("e6"), By: engine.White, Flips: set("f6")}
			s.Guide = referee.Guide{Flip: set("f6"), PlaceBlack: set("a1")}
		}},
		{"flips done, another disc lifted", "White placed e6: put the disc of a1 back.", func(s *referee.State) {
			s.Step = referee.InProgress
			s.Pending = referee.Pending{Active: true, Square: sq("e6"), By: engine.White, Flips: set("e5"), Done: set("e5"), Extra: set("a1")}
		}},
		{"flips done", "White placed e6; its discs are turned.", func(s *referee.State) {
			s.Step = referee.InProgress
			s.Pending = referee.Pending{Active: true, Square: sq("e6"), By: engine.White, Flips: set("e5"), Done: set("e5")}
		}},
		{"withdrawn", "Black took the disc back: turn d4.", func(s *referee.State) {
			s.Step, s.Guide.Flip = referee.InProgress, set("d4")
		}},
		{"takeback", "White's move d6 is being taken back: turn d5.", func(s *referee.State) {
			play(s, "f5d6")
			s.Step, s.Guide.Flip = referee.InProgress, set("d5")
			s.Sensed = s.Game.With(sq("d6"), engine.None)
		}},
		{"takeback of two", "2 moves are being taken back: turn d5 and e5.", func(s *referee.State) {
			play(s, "f5d6")
			s.Step, s.Guide.Flip = referee.InProgress, set("d5 e5")
			s.Sensed = s.Game.With(sq("d6"), engine.None).With(sq("f5"), engine.None)
		}},
		{"undo by command", "To go on, take d6 off, then turn d5.", func(s *referee.State) {
			play(s, "f5")
			s.Step, s.Guide = referee.InProgress, referee.Guide{Flip: set("d5"), Remove: set("d6")}
		}},
		{"missing disc", "A disc is missing: put a black disc on d5.", func(s *referee.State) {
			mistake(s, referee.IllegalPosition, referee.NoReason, "d5", referee.Guide{PlaceBlack: set("d5")})
		}},
		{"missing discs", "Discs are missing: put black discs on d5 and e4, white on e5.", func(s *referee.State) {
			mistake(s, referee.IllegalPosition, referee.NoReason, "d5 e4 e5", referee.Guide{PlaceBlack: set("d5 e4"), PlaceWhite: set("e5")})
		}},
		{"pass", "White must pass: Black moves again.", func(s *referee.State) {
			s.Entries[0] = referee.Entry{By: engine.White, Move: engine.PassMove}
			s.Len = 1
		}},

		{"outflanks nothing", "White's disc on a1 outflanks nothing: take it back.", func(s *referee.State) {
			s.Sensed = s.Sensed.With(sq("a1"), engine.White)
			mistake(s, referee.IllegalPosition, referee.NoFlip, "a1", referee.Guide{Remove: set("a1")})
		}},
		{"outflanks nothing, and a disc was turned", "Black's disc on a1 outflanks nothing: take it back, then turn d4.", func(s *referee.State) {
			s.Sensed = s.Sensed.With(sq("a1"), engine.Black)
			mistake(s, referee.IllegalPosition, referee.NoFlip, "a1", referee.Guide{Remove: set("a1"), Turn: set("d4")})
		}},
		{"wrong color", "e6 shows white, but it is Black's turn: turn it over.", func(s *referee.State) {
			s.Sensed = s.Sensed.With(sq("e6"), engine.White)
			mistake(s, referee.IllegalPosition, referee.WrongColor, "e6", referee.Guide{Turn: set("e6")})
		}},
		{"wrong color on no square of anybody's", "a1 shows white, but it is Black's turn: take it back.", func(s *referee.State) {
			s.Sensed = s.Sensed.With(sq("a1"), engine.White)
			mistake(s, referee.IllegalPosition, referee.WrongColor, "a1", referee.Guide{Remove: set("a1")})
		}},
		{"out of turn", "White's disc on c5 is out of turn, it is Black's turn: take it back.", func(s *referee.State) {
			s.Sensed = s.Sensed.With(sq("c5"), engine.White)
			mistake(s, referee.TurnWrong, referee.OutOfTurn, "c5", referee.Guide{Remove: set("c5")})
		}},
		{"too early", "White's disc on c3 comes too early, Black's move is not done: take it back, then turn d5 and f6.", func(s *referee.State) {
			s.Sensed = s.Sensed.With(sq("c3"), engine.White)
			mistake(s, referee.FlipsNotDone, referee.FlipsPending, "c3", referee.Guide{Remove: set("c3"), Flip: set("d5 f6")})
		}},
		{"two discs", "Only one disc is placed in a move: take c4 and d3 off.", func(s *referee.State) {
			mistake(s, referee.IllegalPosition, referee.SecondDisc, "c4 d3", referee.Guide{Remove: set("c4 d3")})
		}},
		{"extra flip", "f4 must be turned back: it was not outflanked.", func(s *referee.State) {
			mistake(s, referee.IllegalPosition, referee.ExtraFlip, "f4", referee.Guide{Turn: set("f4")})
		}},
		{"extra flips in a move", "c3, f4 and g4 must be turned back: they were not outflanked; then turn d5.", func(s *referee.State) {
			s.Pending = referee.Pending{Active: true, Square: sq("e6"), By: engine.Black, Flips: set("d5")}
			mistake(s, referee.IllegalPosition, referee.ExtraFlip, "f4 g4 c3", referee.Guide{Turn: set("f4 g4 c3"), Flip: set("d5")})
		}},
		{"power", "The power was off, and c3 and d4 do not fit the game: turn d4, then put a white disc on c3. For a new game set up the start position instead.", func(s *referee.State) {
			s.Len = 1
			mistake(s, referee.Power, referee.NoReason, "c3 d4", referee.Guide{Turn: set("d4"), PlaceWhite: set("c3")})
		}},
		{"power at an event", "The power was off, and d4 does not fit the game: turn d4.", func(s *referee.State) {
			s.Match.Profile.Takeback = referee.TakebackNever
			mistake(s, referee.Power, referee.NoReason, "d4", referee.Guide{Turn: set("d4")})
		}},
		{"start in mid-game", "A new game? Leave the discs alone for five seconds, or press a clock. " +
			"To go on with this game, put its discs back.", func(s *referee.State) {
			s.Step, s.Restart = referee.Correcting, referee.Restart{Active: true, At: time.Minute}
		}},
		{"start without power", "A new game? Lift one of the discs and put it back, or press a clock. " +
			"To go on with the game, put its discs back.", func(s *referee.State) {
			s.Step, s.Restart = referee.Correcting, referee.Restart{Active: true}
		}},

		{"lost bank", "Black to move; rank 3 cannot be read, and moves there must wait.", func(s *referee.State) {
			s.Lost, s.Problem = rank3, referee.Problem{Code: referee.BankLost, Squares: rank3}
		}},
		{"lost bank in a move on it", "Rank 3 cannot be read; the game waits for it.", func(s *referee.State) {
			s.Step, s.Lost = referee.InProgress, rank3
			s.Pending = referee.Pending{Active: true, Square: sq("d3"), By: engine.Black, Flips: set("d4"), Done: set("d4")}
			s.Problem = referee.Problem{Code: referee.BankLost, Squares: rank3}
		}},
		{"lost bank and flips to do", "Black placed d3: turn d4; rank 3 cannot be read, and moves there must wait.", func(s *referee.State) {
			s.Step, s.Lost = referee.InProgress, rank3
			s.Pending = referee.Pending{Active: true, Square: sq("d3"), By: engine.Black, Flips: set("d4")}
			s.Guide.Flip = set("d4")
		}},
		{"paused for two banks", "Ranks 3 and 5 cannot be read; the game waits for them.", func(s *referee.State) {
			s.Phase, s.Lost = referee.Paused, rank3|0xFF<<32
		}},
		{"paused for the whole bus", "The board cannot be read; the game waits for it.", func(s *referee.State) {
			s.Phase, s.Lost = referee.Paused, ^engine.Bitboard(0)
		}},
		{"paused for a part of a bank", "a1 and b1 cannot be read; the game waits for them.", func(s *referee.State) {
			s.Phase, s.Lost = referee.Paused, set("a1 b1")
		}},
		{"paused", "The game is paused.", func(s *referee.State) { s.Phase = referee.Paused }},
		{"masked cell", "Black to move; g2 cannot be read, and its disc follows from the rules.", func(s *referee.State) {
			s.Masked, s.Problem = set("g2"), referee.Problem{Code: referee.SensorFault, Squares: set("g2")}
		}},
		{"masked cells", "Black to move; a8 and g2 cannot be read, and their discs follow from the rules.", func(s *referee.State) {
			s.Masked = set("g2 a8")
		}},

		{"black wins", "The game is over. Black 34, White 30: Black wins.", over(34, 30, 34, 30, engine.Black)},
		{"at home empty squares do not count", "The game is over. Black 3, White 4: White wins. Empty squares do not count under home rules; with them it would be 3 to 61.", func(s *referee.State) {
			over(3, 4, 3, 4, engine.White)(s)
			s.Result.Counts = referee.CountsDiscs
		}},
		{"at a club empty squares count", "The game is over. Black 3, White 61: White wins. Empty squares count under club rules; without them it would be 3 to 4.", func(s *referee.State) {
			over(3, 61, 3, 4, engine.White)(s)
			s.Result.Counts = referee.CountsWithEmpties
			s.Match.Profile.Name, s.Match.Profile.Empties = "club", referee.EmptiesToWinner
		}},
		{"in the historic game they never do", "The game is over. Black 3, White 4: White wins. Empty squares do not count in the historic game; with them it would be 3 to 61.", func(s *referee.State) {
			over(3, 4, 3, 4, engine.White)(s)
			s.Result.Counts, s.Match.Profile.Empties, s.Match.Rules.Opening = referee.CountsDiscs, referee.EmptiesToWinner, 1
		}},
		{"the time is up", "The time is up and the discs are counted. Black 4, White 4: it is a draw. They count as they lay; the record is different on f5 and g5 and has Black 5, White 2. An arbiter may rule otherwise.", func(s *referee.State) {
			over(4, 4, 4, 4, engine.None)(s)
			s.Result.Reason, s.Result.Counts = referee.FlagFell, referee.CountsDiscs
			s.Result.Stop = referee.Stop{By: referee.CountedBoard, Differ: set("f5 g5"), RecordBlack: 5, RecordWhite: 2}
		}},
		{"the time is up, and colors are not seen", "The time is up and the discs are counted. Black 5, White 2: Black wins. This board does not see colors, so that the record was counted: if other discs lie there, an arbiter declares the result.", func(s *referee.State) {
			over(5, 2, 5, 2, engine.Black)(s)
			s.Result.Reason, s.Result.Counts = referee.FlagFell, referee.CountsDiscs
			s.Result.Stop = referee.Stop{By: referee.CountedRecord, Differ: set("g5"), RecordBlack: 5, RecordWhite: 2}
		}},
		{"the discs are being counted", "The time is up: hands off the board. The discs are being counted.", func(s *referee.State) { s.Flags.TimeUp = true }},
		{"a disc is missing when they are counted", "The time is up. Before the discs are counted, put a black disc on e5.", func(s *referee.State) {
			s.Flags.TimeUp, s.Guide = true, referee.Guide{PlaceBlack: set("e5")}
		}},
		{"one clock for the game", "Black to move. The time is up.", func(s *referee.State) {
			s.Clock = clock.New(clock.Settings{Sides: [2]clock.Control{{Main: time.Second}}, Shared: true})
			s.Clock.Set(engine.Black, 0, 0)
		}},
		{"draw", "The game is over. Black 32, White 32: it is a draw.", over(32, 32, 32, 32, engine.None)},
		{"wipe-out", "The game is over. Black 64, White 0: Black wins, no other disc is left.", over(64, 0, 13, 0, engine.Black)},
		{"reverse", "The game is over. Black 20, White 44: Black wins with fewer discs.", func(s *referee.State) {
			over(20, 44, 20, 44, engine.Black)(s)
			s.Game.Rules.Goal = engine.Fewest
		}},
		{"stopped", "The game was stopped and has no result.", func(s *referee.State) {
			s.Phase, s.Ended, s.Result = referee.Over, true, referee.Result{Void: true, Reason: referee.Aborted}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := started(t)
			c.change(&s)
			if got := display.Sentence(&s); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// over ends a game with an official score, discs as they lie, and a winner.
func over(black, white, discsBlack, discsWhite int, winner engine.Color) func(*referee.State) {
	return func(s *referee.State) {
		s.Phase, s.Step, s.Ended = referee.Over, referee.NoStep, true
		s.Result = referee.Result{
			Winner: winner, Black: black, White: white,
			DiscsBlack: discsBlack, DiscsWhite: discsWhite, Reason: referee.NoMoves,
		}
	}
}

// play puts the moves of a transcript on record.
func play(s *referee.State, transcript string) {
	for i := 0; i+2 <= len(transcript); i += 2 {
		sq, err := engine.ParseSquare(transcript[i : i+2])
		if err != nil {
			panic(err)
		}
		referee.Apply(s, referee.Moved{By: s.Game.Turn, Square: sq, Flipped: s.Game.Flips(sq)})
	}
}

// The whole way from a reading to the sentence, once: the referee's words and
// ours must fit together.
func TestSentenceOfARealGame(t *testing.T) {
	t.Parallel()
	s := started(t)
	s = referee.New(s.Match)
	var out []referee.Effect
	now := referee.Time(0)
	see := func(d engine.Discs, want string) {
		t.Helper()
		now += 1e9
		out = referee.Step(&s, referee.Seen{At: now, Discs: d}, out[:0])
		if got := display.Sentence(&s); got != want {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
	}
	d := engine.Start().Discs
	see(engine.Discs{}, "Put black discs on d5 and e4, white on d4 and e5.")
	see(d, "Black to move.")
	see(d.With(square(t, "a1"), engine.Black), "Black's disc on a1 outflanks nothing: take it back.")
	see(d.With(square(t, "f5"), engine.White), "f5 shows white, but it is Black's turn: turn it over.")
	d = d.With(square(t, "f5"), engine.Black)
	see(d, "Black placed f5: turn e5.")
	see(d.With(square(t, "d4"), engine.Black), "d4 must be turned back: it was not outflanked; then turn e5.")
	see(d.With(square(t, "f4"), engine.White), "White's disc on f4 comes too early, Black's move is not done: take it back, then turn e5.")
	d = d.With(square(t, "e5"), engine.Black)
	see(d.With(square(t, "f5"), engine.None), "Black took the disc back: turn e5.")
	see(d, "White to move.")
	d = d.With(square(t, "d6"), engine.White).With(square(t, "d5"), engine.White)
	see(d, "Black to move.")
	d = d.With(square(t, "d6"), engine.None)
	see(d, "White's move d6 is being taken back: turn d5.")
	see(d.With(square(t, "d5"), engine.Black), "White to move.")
}

// A board that sees no colors says so while a game is set up and before its first
// move, and not again.
func TestSentencesOfABoardWithoutColors(t *testing.T) {
	t.Parallel()
	s := started(t)
	s = referee.NewPresence(s.Match)
	var out []referee.Effect
	now := referee.Time(0)
	feel := func(lie, lifted, want string) {
		t.Helper()
		now += 1e9
		out = referee.Step(&s, referee.Felt{At: now, Squares: squares(t, lie), Lifted: squares(t, lifted)}, out[:0])
		if got := display.Sentence(&s); got != want {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
	}
	const note = " This board does not see colors: it takes a disc that is lifted and put back for turned, " +
		"and does not notice a wrong one."
	if got, want := display.Sentence(&s), "The board has not been read yet."; got != want {
		t.Fatalf("got  %q\nwant %q", got, want)
	}
	feel("", "", "Put black discs on d5 and e4, white on d4 and e5."+
		" This board does not see colors: check that every disc shows the right one.")
	feel("d4 e4 d5 e5 a1", "", "Take a1 off. This board does not see colors: check that every disc shows the right one.")
	feel("d4 e4 d5 e5", "", "Black to move."+note)
	feel("d4 e4 d5", "", "Black to move."+note)
	feel("d4 e4 d5 e5 a1", "", "Black's disc on a1 outflanks nothing: take it back.")
	feel("d4 e4 d5 e5 f5", "", "Black placed f5: turn e5.")
	feel("d4 e4 d5 e5 f5", "e5", "White to move.")
	feel("d4 e4 d5 e5 f5 d6", "", "White placed d6: turn d5.")
	feel("d4 e4 d5 e5 f5 d6 c5", "", "Black's disc on c5 comes too early, White's move is not done: take it back, then turn d5.")
	feel("d4 e4 d5 e5 f5 d6", "d5", "Black to move.")
	feel("d4 e4 d5 e5 f5", "", "White's move d6 is being taken back: turn d5.")
	feel("d4 e4 d5 e5 f5 f6", "", "White's move d6 is being taken back: turn d5.")
	feel("d4 e4 d5 e5 f5 f6", "d5", "White placed f6: turn e5.")
	feel("d4 e4 d5 e5 f5", "", "White to move.")
	feel("d4 e4 d5 e5", "", "Black's move f5 is being taken back: turn e5.")
	feel("d4 e4 d5 e5", "e5", "Black to move."+note)
}

func anyColor(rt *rapid.T, name string) engine.Color {
	return engine.Color(rapid.IntRange(0, 3).Draw(rt, name))
}

func anySet(rt *rapid.T, name string) engine.Bitboard {
	return engine.Bitboard(rapid.SampledFrom([]uint64{0, 0, 1, 1 << 63, 0xFF << 16, ^uint64(0)}).Draw(rt, name)) ^
		engine.Bitboard(rapid.SampledFrom([]uint64{0, 0, 1 << 9, 0x1234567890ABCDEF}).Draw(rt, name+" too"))
}

// anyState draws states of all sorts, most of which no referee would produce.
func anyState(rt *rapid.T) *referee.State {
	s := &referee.State{
		Phase:    referee.Phase(rapid.IntRange(0, 5).Draw(rt, "phase")),
		Step:     referee.Stage(rapid.IntRange(0, 4).Draw(rt, "step")),
		Sensed:   engine.Discs{Black: anySet(rt, "black"), White: anySet(rt, "white")},
		SensedOK: rapid.Bool().Draw(rt, "sensed"),
		Presence: rapid.Bool().Draw(rt, "presence"),
		Lost:     anySet(rt, "lost"), Masked: anySet(rt, "masked"),
		Len:       rapid.IntRange(0, 3).Draw(rt, "len"),
		Ended:     rapid.Bool().Draw(rt, "ended"),
		Halted:    rapid.Bool().Draw(rt, "halted"),
		Objection: referee.Objection{Open: true, Claimed: rapid.Bool().Draw(rt, "claimed"), Entry: rapid.IntRange(0, 3).Draw(rt, "entry")},
		Flags:     referee.Flags{PlayOn: rapid.Bool().Draw(rt, "play on"), Fallen: anyColor(rt, "fallen")},
		Dark:      anySet(rt, "dark"),
	}
	s.Match.Profile = referee.Profile{
		Commit: referee.Commit(rapid.IntRange(0, 2).Draw(rt, "commit")), Pass: referee.Passing(rapid.IntRange(0, 1).Draw(rt, "pass")),
		FlipLights: referee.FlipLights(rapid.IntRange(0, 4).Draw(rt, "lights")),
	}
	s.Game.Turn = anyColor(rt, "turn")
	for i := range s.Len {
		s.Entries[i] = referee.Entry{
			By:   anyColor(rt, "by"),
			Move: engine.Move(rapid.SampledFrom([]int{0, 9, 63, 64, 255}).Draw(rt, "move")),
		}
	}
	s.Pending = referee.Pending{
		Active: rapid.Bool().Draw(rt, "pending"),
		Square: engine.Square(rapid.SampledFrom([]int{0, 63, 64, 255}).Draw(rt, "square")),
		By:     anyColor(rt, "pending by"),
		Flips:  anySet(rt, "flips"), Done: anySet(rt, "done"), Lifted: anySet(rt, "lifted"), Extra: anySet(rt, "extra"),
	}
	s.Guide = referee.Guide{
		Flip: anySet(rt, "flip"), Turn: anySet(rt, "guide turn"), Remove: anySet(rt, "remove"),
		PlaceBlack: anySet(rt, "place black"), PlaceWhite: anySet(rt, "place white"),
	}
	s.Problem = referee.Problem{
		Code: rapid.SampledFrom([]referee.Code{
			"", "", "sensor_fault", "bank_lost", "power", "illegal_position", "flips_pending", "out_of_turn", "orientation", "new",
		}).Draw(rt, "code"),
		Reason:  referee.Reason(rapid.IntRange(0, 12).Draw(rt, "reason")),
		Squares: anySet(rt, "problem"),
	}
	s.Result = referee.Result{
		Winner: anyColor(rt, "winner"), Void: rapid.Bool().Draw(rt, "void"),
		DiscsBlack: rapid.IntRange(0, 64).Draw(rt, "discs"), Black: rapid.IntRange(0, 64).Draw(rt, "score"),
		Reason: rapid.SampledFrom([]referee.EndReason{
			referee.NoMoves, referee.Resigned, referee.FlagFell, referee.Adjudicated, "new",
		}).Draw(rt, "end"),
	}
	return s
}

// Whatever the state, there is something to say, in whole sentences.
func TestSentenceIsNeverEmpty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := display.Sentence(anyState(rt))
		if !strings.HasSuffix(text, ".") || len(text) < 5 {
			rt.Fatalf("not a sentence: %q", text)
		}
		for _, slip := range []string{"  ", ": .", ", .", "on .", "..", "; .", " , ", ": ;"} {
			if strings.Contains(text, slip) {
				rt.Fatalf("%q in %q", slip, text)
			}
		}
	})
}

// A board that was swept while the power was off: the sentence says from the first
// reading on which discs to put back, whatever the rules about takebacks.
func TestEmptyBoardAfterPowerCutSaysWhatToPutBack(t *testing.T) {
	t.Parallel()
	for takeback, more := range map[referee.Takeback]string{
		referee.TakebackFree: " For a new game set up the start position instead.", referee.TakebackNever: "",
	} {
		s := started(t)
		s.Match.Profile.Takeback = takeback
		referee.Apply(&s, referee.GameStarted{Match: s.Match})
		referee.Apply(&s, referee.Moved{By: engine.Black, Square: square(t, "f5"), Flipped: squares(t, "e5")})
		referee.Step(&s, referee.PowerOn{At: time.Second}, nil)
		want := "The power was off, and d4, d5, e4, e5 and f5 do not fit the game: " +
			"put black discs on d5, e4, e5 and f5, white on d4." + more
		for at := 2 * time.Second; at < time.Minute; at += time.Second {
			referee.Step(&s, referee.Seen{At: at}, nil)
			referee.Step(&s, referee.Tick{At: at}, nil)
			if got := display.Sentence(&s); got != want {
				t.Fatalf("after %v: got  %q\nwant %q", at, got, want)
			}
		}
	}
}
