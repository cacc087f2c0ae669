package engine_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine"
)

// anyDiscs draws a board that need not be reachable: hands can lay anything.
func anyDiscs(t *rapid.T) engine.Discs {
	black := rapid.Uint64().Draw(t, "black")
	white := rapid.Uint64().Draw(t, "white")
	// Thinned out at random, so that crowded and nearly empty boards both occur.
	if rapid.Bool().Draw(t, "sparse") {
		black &= rapid.Uint64().Draw(t, "thin black")
		white &= rapid.Uint64().Draw(t, "thin white")
	}
	return engine.Discs{Black: engine.Bitboard(black &^ white), White: engine.Bitboard(white)}
}

// anyPosition draws a board with a side to move.
func anyPosition(t *rapid.T) engine.Position {
	turn := rapid.SampledFrom([]engine.Color{engine.Black, engine.White}).Draw(t, "turn")
	return engine.Position{Discs: anyDiscs(t), Turn: turn}
}

// same compares everything the engine says about p with the array reference.
func same(t *rapid.T, p engine.Position) {
	ref := readBoard(obf(p))
	legal := set(ref.moves())
	if got := p.Legal(); got != legal {
		t.Fatalf("%s: legal %v, want %v", obf(p), got, legal)
	}
	for s := range engine.Square(engine.Squares) {
		flips := set(ref.turned(s.Rank(), s.File()))
		if got := p.Flips(s); got != flips {
			t.Fatalf("%s: %v flips %v, want %v", obf(p), s, got, flips)
		}
		if flips == 0 {
			continue
		}
		after := ref.placed(s.Rank(), s.File())
		if got := obf(p.After(s, p.Flips(s))); got != after.String() {
			t.Fatalf("%s: after %v\n%s, want\n%s", obf(p), s, got, after.String())
		}
	}
	passed := ref.passed()
	over := legal == 0 && len(passed.moves()) == 0
	if got := p.Over(); got != over {
		t.Fatalf("%s: over %v, want %v", obf(p), got, over)
	}
}

func TestMovesAgreeWithTheReferenceOnAnyBoard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { same(t, anyPosition(t)) })
}

func TestMovesAgreeWithTheReferenceInGames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := engine.NewGame(engine.Rules{Start: engine.Start()})
		for !g.Over() {
			same(t, g.Position)
			if g.MustPass() {
				g = g.Pass()
				continue
			}
			before := g.Occupied().Count()
			g = g.Place(rapid.SampledFrom(list(g.Legal())).Draw(t, "square"))
			if g.Occupied().Count() != before+1 || g.Black&g.White != 0 {
				t.Fatalf("%s: a move adds one disc and no square shows both colors", obf(g.Position))
			}
			if g.Ply() != g.Occupied().Count()-4 {
				t.Fatalf("ply %d with %d discs", g.Ply(), g.Occupied().Count())
			}
		}
		same(t, g.Position)
	})
}

// list returns the squares of a set.
func list(b engine.Bitboard) []engine.Square {
	var all []engine.Square
	for s := range b.All() {
		all = append(all, s)
	}
	return all
}

func TestFlipsByTheRuleText(t *testing.T) {
	for _, c := range []struct{ name, board, square, flips string }{
		{
			"no cascade: b1 turns, and b2 between the new b1 and b3 does not",
			"-OX-----" + "-O------" + "-X------" + strings.Repeat("--------", 5), "a1", "b1",
		},
		{
			"a gap stops a row",
			"-O-X----" + strings.Repeat("--------", 7), "a1", "",
		},
		{
			"the border stops a row",
			"-OOOOOOO" + strings.Repeat("--------", 7), "a1", "",
		},
		{
			"a row does not go on at the other side of the board",
			"--------" + "-------O" + "X-------" + strings.Repeat("--------", 5), "g2", "",
		},
		{
			"all eight directions at once, each to its first own disc",
			"--------" + "-X-X-X--" + "--OOO---" + "-XO-OX--" + "--OOO---" + "-X-X-X--" + "--------" + "--------",
			"d4", "c3 d3 e3 c4 e4 c5 d5 e5",
		},
		{
			"six discs in a row, from border to border",
			"-OOOOOOX" + strings.Repeat("--------", 7), "a1", "b1 c1 d1 e1 f1 g1",
		},
		{
			"an occupied square",
			"OOX-----" + strings.Repeat("--------", 7), "a1", "",
		},
		{
			"the discs behind the first own disc stay",
			"-OXOX---" + strings.Repeat("--------", 7), "a1", "b1",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := engine.ParseSquare(c.square)
			if err != nil {
				t.Fatal(err)
			}
			if got := position(t, c.board+" X").Flips(s).String(); got != c.flips {
				t.Errorf("%s flips %q, want %q", c.square, got, c.flips)
			}
		})
	}
}

func TestNoFlipsOffTheBoard(t *testing.T) {
	if got := engine.Start().Flips(engine.Squares); got != 0 {
		t.Errorf("a square that does not exist flips %v", got)
	}
}

func TestStart(t *testing.T) {
	const want = "---------------------------OX------XO--------------------------- X"
	if got := obf(engine.Start()); got != want {
		t.Errorf("start %s, want %s", got, want)
	}
	if got := engine.Start().Legal().String(); got != "d3 c4 f5 e6" {
		t.Errorf("first moves %q, want d3 c4 f5 e6", got)
	}
}

// reported is one line of a game, or a board, that was reported as handled
// wrongly by some program, with the facts about its last position.
type reported struct {
	id, kind, text, expect, plies, passes, toMove string
	black, white, empties                         string
	legalBlack, legalWhite, board                 string
}

func reportedLines(t *testing.T) []reported {
	t.Helper()
	var lines []reported
	for _, f := range readTable(t, "testdata/bug-lines.tsv") {
		if strings.HasPrefix(f[0], "#") || strings.HasPrefix(f[3], "reject") {
			continue
		}
		lines = append(lines, reported{f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10], f[11], f[12]})
	}
	if len(lines) != 17 {
		t.Fatalf("%d lines that can be played, want 17", len(lines))
	}
	return lines
}

// tokens splits a game text into squares; everything else in the texts that
// can be played (signs, marks of passes) is implied.
func tokens(t *testing.T, text string) []engine.Square {
	t.Helper()
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefgh12345678", r) {
			return r
		}
		return -1
	}, strings.ToLower(text))
	var all []engine.Square
	for ; text != ""; text = text[2:] {
		s, err := engine.ParseSquare(text[:2])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// play places the squares in turn and inserts the forced passes.
func play(t *testing.T, all []engine.Square) (g engine.Game, passes string) {
	t.Helper()
	g = engine.NewGame(engine.Rules{Start: engine.Start()})
	var passed []string
	for _, s := range all {
		if g.MustPass() {
			passed = append(passed, itoa(g.Ply()+1)+":"+letter(g.Turn))
			g = g.Pass()
		}
		if !g.Legal().Has(s) {
			t.Fatalf("ply %d: %v cannot play %v", g.Ply()+1, g.Turn, s)
		}
		g = g.Place(s)
	}
	if len(passed) == 0 {
		return g, "-"
	}
	return g, strings.Join(passed, ",")
}

func TestReportedLines(t *testing.T) {
	for _, line := range reportedLines(t) {
		t.Run(line.id, func(t *testing.T) {
			var g engine.Game
			if line.kind == "moves" {
				var passes string
				g, passes = play(t, tokens(t, line.text))
				if got := itoa(g.Ply()); got != line.plies || passes != line.passes {
					t.Errorf("%s plies, passes %s: want %s and %s", got, passes, line.plies, line.passes)
				}
			} else {
				g.Position = position(t, line.text)
			}
			facts(t, g, line)
		})
	}
}

// facts compares the position that a reported line ends with.
func facts(t *testing.T, g engine.Game, want reported) {
	t.Helper()
	if got := g.Text('X', 'O', '-'); got != want.board {
		t.Errorf("board %s, want %s", got, want.board)
	}
	for _, c := range []struct{ what, got, want string }{
		{"black discs", itoa(g.Black.Count()), want.black},
		{"white discs", itoa(g.White.Count()), want.white},
		{"empty squares", itoa(g.Empty().Count()), want.empties},
		{"black may play", dash(engine.LegalMoves(g.Black, g.White).String()), want.legalBlack},
		{"white may play", dash(engine.LegalMoves(g.White, g.Black).String()), want.legalWhite},
		{"state", stateOf(g), want.expect},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.what, c.got, c.want)
		}
	}
	if want.toMove != "-" && letter(g.Turn) != want.toMove {
		t.Errorf("%s is to move, want %s", letter(g.Turn), want.toMove)
	}
}

// stateOf names the state in the words of the table.
func stateOf(g engine.Game) string {
	switch {
	case g.Over():
		return "over"
	case g.MustPass():
		return "pass"
	default:
		return "open"
	}
}

func TestLastMoveOfReportedLineFlipsExactly(t *testing.T) {
	// Reported line zol-5: g2 turns e4 and f3 and nothing else.
	for _, line := range reportedLines(t) {
		if line.id != "zol-5" {
			continue
		}
		all := tokens(t, line.text)
		g, _ := play(t, all[:len(all)-1])
		if got := g.Flips(all[len(all)-1]).String(); got != "f3 e4" {
			t.Errorf("g2 flips %q, want f3 e4", got)
		}
	}
}
