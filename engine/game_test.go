package engine_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine"
)

// filled returns a board with so many black discs, then so many white ones.
func filled(t *testing.T, black, white int) engine.Discs {
	t.Helper()
	cells := strings.Repeat("X", black) + strings.Repeat("O", white) + strings.Repeat("-", 64-black-white)
	d, err := engine.ParseDiscs(cells)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestScoreAndWinner(t *testing.T) {
	most, fewest := engine.Rules{Goal: engine.Most}, engine.Rules{Goal: engine.Fewest}
	for _, c := range []struct {
		black, white           int // as they lie
		scoreBlack, scoreWhite int
		most, fewest           engine.Color
	}{
		{34, 30, 34, 30, engine.Black, engine.White},
		{32, 32, 32, 32, engine.None, engine.None},
		// One empty square goes to the holder of the majority: +44, and in the
		// reverse game the same 54–10 is a win for White by 44.
		{53, 10, 54, 10, engine.Black, engine.White},
		{10, 53, 10, 54, engine.White, engine.Black},
		{17, 45, 17, 47, engine.White, engine.Black},
		{31, 31, 32, 32, engine.None, engine.None},
		{64, 0, 64, 0, engine.Black, engine.White},
		{13, 0, 64, 0, engine.Black, engine.White},
		{0, 17, 0, 64, engine.White, engine.Black},
		{33, 31, 33, 31, engine.Black, engine.White},
	} {
		d := filled(t, c.black, c.white)
		if black, white := d.Score(); black != c.scoreBlack || white != c.scoreWhite {
			t.Errorf("%d–%d scores %d–%d, want %d–%d", c.black, c.white, black, white, c.scoreBlack, c.scoreWhite)
		}
		if got := most.Winner(d); got != c.most {
			t.Errorf("%d–%d, most discs win: %v, want %v", c.black, c.white, got, c.most)
		}
		if got := fewest.Winner(d); got != c.fewest {
			t.Errorf("%d–%d, fewest discs win: %v, want %v", c.black, c.white, got, c.fewest)
		}
	}
}

func TestScoreAlwaysAddsUpTo64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := anyDiscs(t)
		black, white := d.Score()
		if black+white != 64 {
			t.Fatalf("%v scores %d–%d", d, black, white)
		}
		swapped := engine.Discs{Black: d.White, White: d.Black}
		if b, w := swapped.Score(); b != white || w != black {
			t.Fatalf("%v: the colors are not treated alike", d)
		}
	})
}

// The three ends: full, wiped out, and blocked with squares empty.
func TestThreeWaysToEnd(t *testing.T) {
	for _, c := range []struct {
		name, board string
		over, pass  bool
	}{
		{"full", strings.Repeat("XO", 32) + " X", true, false},
		{"no white disc left", "--------------------X------XXX----XXXXX----XXX------X----------- O", true, false},
		{"no disc at all", strings.Repeat("-", 64) + " X", true, false},
		// Final boards of recorded games, one and two squares empty.
		{"blocked, one empty", "OOOOOOO-OXOXXOXOOXXOOXXOOXOXXXXOOXOXXOXOOXXOXXXOOXOOOXXOXXXXXXXO X", true, false},
		{"blocked, two empty", "XOOXXOOOXXXXXXOOXOXOXOOOXOOXOXOOXOXOXOXOXOOOOXXOXOOOOXXO-XXXXXX- O", true, false},
		{"only Black blocked", "OOOXXXXOOOOOOOOOOOOOOXOXOOOOXOXXOOOOXX-XOOOOOXX-OOXXXOXXOOOOOOOO X", false, true},
		{"the start", "---------------------------OX------XO--------------------------- X", false, false},
	} {
		g := engine.Game{Position: position(t, c.board)}
		if g.Over() != c.over || g.Position.Over() != c.over || g.MustPass() != c.pass {
			t.Errorf("%s: over %v, must pass %v: want %v, %v", c.name, g.Over(), g.MustPass(), c.over, c.pass)
		}
	}
}

func TestVariants(t *testing.T) {
	for _, c := range []struct {
		name, start string
		goal        engine.Goal
	}{
		{"classic", "---------------------------OX------XO--------------------------- X", engine.Most},
		{"reverse", "---------------------------OX------XO--------------------------- X", engine.Fewest},
		{"white-first", "---------------------------OX------XO--------------------------- O", engine.Most},
	} {
		r, err := engine.Variant(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if r.Name != c.name || obf(r.Start) != c.start || r.Goal != c.goal {
			t.Errorf("%s: %q starts %s with goal %d", c.name, r.Name, obf(r.Start), r.Goal)
		}
		g := engine.NewGame(r)
		if g.Ply() != 0 || g.Hand(engine.Black) != -1 || g.Hand(engine.White) != -1 {
			t.Errorf("%s: ply %d, hands %d and %d: want 0 and one shared store",
				c.name, g.Ply(), g.Hand(engine.Black), g.Hand(engine.White))
		}
	}
}

func TestEveryListedVariantExists(t *testing.T) {
	names := engine.VariantNames()
	if len(names) == 0 || names[0] != "classic" {
		t.Fatalf("variants %v: want classic first", names)
	}
	for _, name := range names {
		if r, err := engine.Variant(name); err != nil || r.Name != name {
			t.Errorf("Variant(%q) = %q, %v", name, r.Name, err)
		}
	}
}

func TestUnknownVariantNamesTheChoices(t *testing.T) {
	_, err := engine.Variant("chess")
	if err == nil || !strings.Contains(err.Error(), "chess") || !strings.Contains(err.Error(), "white-first") {
		t.Errorf("error %v: want the name and the choices", err)
	}
}

func TestWhiteFirstIsTheSameGameWithColorsSwapped(t *testing.T) {
	r, err := engine.Variant("white-first")
	if err != nil {
		t.Fatal(err)
	}
	// The published counts of the standard start.
	for depth, want := range []uint64{1, 4, 12, 56, 244, 1396, 8200} {
		if got := engine.Perft(r.Start, depth); got != want {
			t.Errorf("depth %d: %d, want %d", depth, got, want)
		}
	}
}

// historic is the 19th-century game: empty board, the first four discs go on
// the centre squares in turn and turn nothing, 32 discs each.
func historic(t testing.TB) engine.Rules {
	t.Helper()
	return engine.Rules{
		Name:    "historic",
		Start:   engine.Position{Turn: engine.Black},
		Opening: squares(t, "d4 e4 d5 e5"),
		Stock:   32,
	}
}

// place plays the squares and checks that each is legal.
func place(t *testing.T, g engine.Game, names string) engine.Game {
	t.Helper()
	for name := range strings.FieldsSeq(names) {
		s, err := engine.ParseSquare(name)
		if err != nil {
			t.Fatal(err)
		}
		if !g.Legal().Has(s) {
			t.Fatalf("%v may not play %s: legal %v", g.Turn, name, g.Legal())
		}
		g = g.Place(s)
	}
	return g
}

func TestHistoricOpeningIsFree(t *testing.T) {
	g := engine.NewGame(historic(t))
	if g.Over() || g.MustPass() {
		t.Fatalf("empty board: over %v, must pass %v: want the first placement", g.Over(), g.MustPass())
	}
	free := "d4 e4 d5 e5"
	for i, name := range []string{"d4", "e4", "e5", "d5"} {
		if got := g.Legal(); got != squares(t, free) {
			t.Errorf("placement %d: legal %v, want %s", i+1, got, free)
		}
		s, err := engine.ParseSquare(name)
		if err != nil {
			t.Fatal(err)
		}
		if flips := g.Flips(s); flips != 0 {
			t.Errorf("placement %d turns %v", i+1, flips)
		}
		g = g.Place(s)
		free = strings.TrimSpace(strings.ReplaceAll(free, name, ""))
		if g.Ply() != i+1 {
			t.Errorf("ply %d after placement %d", g.Ply(), i+1)
		}
	}
	// After d4 and e4, f4 would outflank e4, but the opening is not over.
	early := place(t, engine.NewGame(historic(t)), "d4 e4")
	if flips := early.Flips(engine.SquareAt(5, 3)); flips != 0 {
		t.Errorf("f4 in the opening turns %v", flips)
	}
	if g.Turn != engine.Black || g.Hand(engine.Black) != 30 || g.Hand(engine.White) != 30 {
		t.Errorf("%v to move, hands %d and %d: want black, 30 and 30",
			g.Turn, g.Hand(engine.Black), g.Hand(engine.White))
	}
}

func TestHistoricOpeningReachesBothStarts(t *testing.T) {
	for _, c := range []struct{ order, want string }{
		// Black, White, Black, White.
		{"e4 d4 d5 e5", "---------------------------OX------XO--------------------------- X"},
		{"d4 d5 e4 e5", "---------------------------XX------OO--------------------------- X"},
		{"d4 d5 e5 e4", "---------------------------XO------OX--------------------------- X"},
	} {
		g := place(t, engine.NewGame(historic(t)), c.order)
		if got := obf(g.Position); got != c.want {
			t.Errorf("%s: %s, want %s", c.order, got, c.want)
		}
		if got, want := g.Legal(), position(t, c.want).Legal(); got != want || want == 0 {
			t.Errorf("%s: legal %v, want %v", c.order, got, want)
		}
		// After the opening discs turn.
		if s := g.Legal().First(); g.Flips(s).Count() != 1 || g.Place(s).Occupied().Count() != 5 {
			t.Errorf("%s: %v flips %v", c.order, s, g.Flips(s))
		}
	}
}

func TestWhoHasNoDiscLeftCannotMove(t *testing.T) {
	g := engine.Game{Rules: historic(t), Position: engine.Start()}
	g.Placed = [2]uint8{32, 20}
	if g.Hand(engine.Black) != 0 || g.Legal() != 0 || g.Flips(19 /* d3 */) != 0 {
		t.Errorf("black has %d discs, legal %v, d3 flips %v: want none",
			g.Hand(engine.Black), g.Legal(), g.Flips(19))
	}
	if !g.MustPass() || g.Over() {
		t.Errorf("must pass %v, over %v: the other goes on", g.MustPass(), g.Over())
	}
	g = g.Pass()
	if g.Turn != engine.White || g.Legal() != squares(t, "e3 f4 c5 d6") {
		t.Errorf("%v may play %v, want white e3 f4 c5 d6", g.Turn, g.Legal())
	}
	g = g.Place(g.Legal().First())
	if g.Hand(engine.White) != 11 || !g.MustPass() {
		t.Errorf("white has %d discs, black must pass %v: want 11 and true", g.Hand(engine.White), g.MustPass())
	}
	g.Placed = [2]uint8{32, 32}
	if !g.Over() || g.MustPass() {
		t.Errorf("nobody has a disc left: over %v, must pass %v", g.Over(), g.MustPass())
	}
}

func TestSharedStoreNeverRunsOut(t *testing.T) {
	g := engine.Game{Rules: engine.Rules{Start: engine.Start()}, Position: engine.Start(), Placed: [2]uint8{40, 10}}
	if g.Legal() != engine.Start().Legal() || g.MustPass() {
		t.Errorf("legal %v: a shared store sets no limit", g.Legal())
	}
}

// The last disc of a stock turns discs like any other.
func TestLastDiscOfTheStockTurnsDiscs(t *testing.T) {
	g := engine.Game{Rules: historic(t), Position: engine.Start(), Placed: [2]uint8{31, 31}}
	g = place(t, g, "f5")
	if got := g.At(squares(t, "e5").First()); got != engine.Black {
		t.Errorf("e5 shows %v after Black's last disc on f5, want black", got)
	}
	if g.Hand(engine.Black) != 0 {
		t.Errorf("Black has %d discs left, want 0", g.Hand(engine.Black))
	}
}

func TestHistoricGamesKeepTheStock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := engine.Rules{Stock: 32, Opening: 1<<27 | 1<<28 | 1<<35 | 1<<36}
		g := engine.NewGame(rules)
		var placed [2]int
		for !g.Over() {
			if g.MustPass() {
				g = g.Pass()
				continue
			}
			placed[g.Turn]++
			g = g.Place(rapid.SampledFrom(list(g.Legal())).Draw(t, "square"))
			for _, c := range []engine.Color{engine.Black, engine.White} {
				if placed[c] > 32 || g.Hand(c) != 32-placed[c] {
					t.Fatalf("%v has placed %d and has %d left", c, placed[c], g.Hand(c))
				}
			}
		}
		ended(t, g)
	})
}

// ended checks that each side is out of discs or blocked on the board.
func ended(t *rapid.T, g engine.Game) {
	if g.Ply() != g.Occupied().Count() {
		t.Fatalf("ply %d with %d discs on the board", g.Ply(), g.Occupied().Count())
	}
	for _, c := range []engine.Color{engine.Black, engine.White} {
		ref := readBoard(obf(engine.Position{Discs: g.Discs, Turn: c}))
		if g.Hand(c) > 0 && len(ref.moves()) > 0 {
			t.Fatalf("%v still could play %v", c, set(ref.moves()))
		}
	}
}

func TestMove(t *testing.T) {
	e6, err := engine.ParseSquare("e6")
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := engine.At(e6).Square(); s != e6 || !ok || engine.At(e6).String() != "e6" {
		t.Errorf("e6 reads back as %v, %v, %q", s, ok, engine.At(e6).String())
	}
	if _, ok := engine.PassMove.Square(); ok || engine.PassMove.String() != "pass" {
		t.Errorf("a pass has square %v and is called %q", ok, engine.PassMove.String())
	}
}

func TestPlayingNeedsNoMemory(t *testing.T) {
	g := engine.NewGame(engine.Rules{Start: engine.Start()})
	if allocs := testing.AllocsPerRun(100, func() {
		for next := g; !next.Over(); {
			if next.MustPass() {
				next = next.Pass()
			} else {
				next = next.Place(next.Legal().First())
			}
		}
	}); allocs != 0 {
		t.Errorf("a game allocates %v times", allocs)
	}
}

// BenchmarkLegal finds the legal moves of all positions of one game with the
// bitboards and with the array reference; "x-reference" is how many times as
// fast the bitboards are.
func BenchmarkLegal(b *testing.B) {
	var positions []engine.Position
	var boards []board
	for g := engine.NewGame(engine.Rules{Start: engine.Start()}); !g.Over(); {
		positions = append(positions, g.Position)
		boards = append(boards, readBoard(obf(g.Position)))
		if g.MustPass() {
			g = g.Pass()
		} else {
			g = g.Place(g.Legal().First())
		}
	}
	var perOp float64
	var moves, want int
	for i := range boards {
		want += len(boards[i].moves())
	}
	b.Run("bitboards", func(b *testing.B) {
		for b.Loop() {
			moves = 0
			for _, p := range positions {
				moves += p.Legal().Count()
			}
		}
		if moves != want {
			b.Fatalf("%d moves, want %d", moves, want)
		}
		perOp = float64(b.Elapsed()) / float64(b.N)
		b.ReportMetric(perOp/float64(len(positions)), "ns/position")
	})
	b.Run("reference", func(b *testing.B) {
		for b.Loop() {
			moves = 0
			for i := range boards {
				moves += len(boards[i].moves())
			}
		}
		b.ReportMetric(float64(b.Elapsed())/float64(b.N)/perOp, "x-reference")
	})
}
