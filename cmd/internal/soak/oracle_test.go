package soak

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/notation"
)

// games are the files of recorded games.
const games = "../../../engine/notation/testdata"

// boardOf reads a board of 64 letters.
func boardOf(t *testing.T, text string) board {
	t.Helper()
	if len(text) != 64 {
		t.Fatalf("%d squares in %q", len(text), text)
	}
	var b board
	for i := range 64 {
		b[i/8][i%8] = side(text[i])
	}
	return b
}

// names lists squares in the order of their names.
func names(points []point) string {
	var list []string
	for _, p := range points {
		list = append(list, p.square().String())
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func TestOracleKnowsTheStart(t *testing.T) {
	b := startBoard()
	for s, want := range map[side]string{dark: "c4 d3 e6 f5", light: "c5 d6 e3 f4"} {
		if got := names(b.moves(s)); got != want {
			t.Errorf("%c: %s, want %s", s, got, want)
		}
	}
	if got := names(b.outflanked(point{5, 4}, dark)); got != "e5" {
		t.Errorf("f5 turns %s, want e5", got)
	}
}

// TestOracleRules: one sentence of the rules each, on boards made for it.
func TestOracleRules(t *testing.T) {
	empty := strings.Repeat("-", 8)
	for _, c := range []struct {
		name  string
		ranks [8]string
		on    string
		turns string
	}{
		{
			"all eight directions at once",
			[8]string{"X--X--X-", "-O-O-O--", "--OOO---", "XOO-OOOX", "--OOO---", "-O-O-O--", "X--X--X-", empty},
			"d4", "b2 b4 b6 c3 c4 c5 d2 d3 d5 d6 e3 e4 e5 f2 f4 f6 g4",
		},
		{"a gap stops a row", [8]string{"-OO-OX--", empty, empty, empty, empty, empty, empty, empty}, "a1", ""},
		{"the border stops a row", [8]string{"---OOOOO", "X-------", empty, empty, empty, empty, empty, empty}, "c1", ""},
		{"a neighbour of the own color bounds nothing", [8]string{"-XO-----", empty, empty, empty, empty, empty, empty, empty}, "a1", ""},
		{
			"no cascade: d3, bounded by the disc that c2 turns, stays",
			[8]string{"-OX-----", "--------", "-X------", empty, empty, empty, empty, empty},
			"a1", "b1",
		},
		{"a taken square", [8]string{"OOX-----", empty, empty, empty, empty, empty, empty, empty}, "a1", ""},
	} {
		b := boardOf(t, strings.Join(c.ranks[:], ""))
		s, err := engine.ParseSquare(c.on)
		if err != nil {
			t.Fatal(err)
		}
		if got := names(b.outflanked(pointOf(s), dark)); got != c.turns {
			t.Errorf("%s: %s turns %q, want %q", c.name, c.on, got, c.turns)
		}
	}
}

// leaves counts lines of play; a pass is a ply.
func leaves(b board, s side, depth int) int {
	if depth == 0 {
		return 1
	}
	list := b.moves(s)
	if len(list) == 0 {
		if len(b.moves(s.other())) == 0 {
			return 1
		}
		return leaves(b, s.other(), depth-1)
	}
	n := 0
	for _, p := range list {
		o := oracle{turn: s}
		o.final = b
		if err := o.place(p); err != nil {
			panic(err)
		}
		n += leaves(o.final, s.other(), depth-1)
	}
	return n
}

// TestOracleCountsLikeOthers compares with the published table of
// http://www.aartbik.com/MISC/reversi.html.
func TestOracleCountsLikeOthers(t *testing.T) {
	for depth, want := range []int{1, 4, 12, 56, 244, 1396, 8200, 55092} {
		if got := leaves(startBoard(), dark, depth); got != want {
			t.Errorf("depth %d: %d leaves, want %d", depth, got, want)
		}
	}
}

// tableOf reads a table of games.
func tableOf(t *testing.T, name string) []notation.TableGame {
	t.Helper()
	f, err := os.Open(filepath.Join(games, name))
	if err != nil {
		t.Fatal(err)
	}
	table, err := notation.ReadGameTable(f)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return table
}

// TestOracleReplaysTheTables: passes, counts, score and board of real games, of
// which many end early, by a wipe-out or with both sides blocked.
func TestOracleReplaysTheTables(t *testing.T) {
	for _, name := range []string{"woc-games.tsv", "edge-games.tsv"} {
		list, err := Load(filepath.Join(games, name))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range tableOf(t, name) {
			sc, err := replay("classic", list[i].Discs)
			if err != nil {
				t.Fatalf("%s: %v", list[i].Name, err)
			}
			checkReplay(t, list[i].Name, sc, &want)
		}
	}
}

func checkReplay(t *testing.T, name string, sc *script, want *notation.TableGame) {
	t.Helper()
	var passes []notation.Pass
	discs := 0
	for _, p := range sc.plies {
		if p.pass {
			passes = append(passes, notation.Pass{Ply: p.number + 1, Side: p.by.color()})
		} else {
			discs++
		}
	}
	if !sc.over || discs != want.Plies || !slices.Equal(passes, want.Passes) || sc.final.discs() != want.Board {
		t.Errorf("%s: over %v, %d discs, passes %v, board\n%s\nwant %+v",
			name, sc.over, discs, passes, sc.final.text(), want)
	}
	v := sc.verdict
	if v.darkDiscs != want.BlackDiscs || v.lightDiscs != want.WhiteDiscs || v.dark != want.Score ||
		v.dark+v.light != 64 || v.wipeout != (want.BlackDiscs == 0 || want.WhiteDiscs == 0) {
		t.Errorf("%s: %+v, want %+v", name, v, want)
	}
}

// TestOracleScoresVariants: 53 to 10 with one empty square counts 54 to 10 in
// both games, and the fewer discs win the reverse one.
func TestOracleScoresVariants(t *testing.T) {
	b := boardOf(t, strings.Repeat("X", 53)+strings.Repeat("O", 10)+"-")
	want := verdict{winner: dark, dark: 54, light: 10, darkDiscs: 53, lightDiscs: 10}
	if got := judgeBoard(&b, false); got != want {
		t.Errorf("normal: %+v, want %+v", got, want)
	}
	want.winner = light
	if got := judgeBoard(&b, true); got != want {
		t.Errorf("reverse: %+v, want %+v", got, want)
	}
	draw := boardOf(t, strings.Repeat("X", 30)+strings.Repeat("O", 30)+"----")
	want = verdict{winner: bare, dark: 32, light: 32, darkDiscs: 30, lightDiscs: 30}
	for _, fewest := range []bool{false, true} {
		if got := judgeBoard(&draw, fewest); got != want {
			t.Errorf("draw: %+v, want %+v", got, want)
		}
	}
}

func TestOracleLetsWhiteBegin(t *testing.T) {
	for variant, want := range map[string]side{"classic": dark, "reverse": dark, "white-first": light} {
		sc, err := invent(variant, "", func(n int) int { return n / 2 })
		if err != nil {
			t.Fatal(err)
		}
		if sc.plies[0].by != want || !sc.over {
			t.Errorf("%s: %c begins, over %v", variant, sc.plies[0].by, sc.over)
		}
	}
	if _, err := newOracle("checkers", ""); err == nil {
		t.Error("checkers is no variant")
	}
}

func TestOracleRefusesIllegalMoves(t *testing.T) {
	for name, discs := range map[string][]engine.Square{
		"outflanks nothing": {0},
		"a taken square":    {27},
		"out of turn":       {37, 37},
	} {
		if _, err := replay("classic", discs); err == nil {
			t.Errorf("%s: played", name)
		}
	}
}

// TestOracleOpening: the first four discs go on the centre and turn nothing,
// from the fifth on the ordinary rules count.
func TestOracleOpening(t *testing.T) {
	o, err := newOracle("historic", "")
	if err != nil {
		t.Fatal(err)
	}
	free := "d4 d5 e4 e5"
	for _, name := range []string{"d4", "e4", "d5", "e5"} {
		if got := names(o.moves(o.turn)); got != free {
			t.Fatalf("before %s: %s, want %s", name, got, free)
		}
		s, err := engine.ParseSquare(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.place(pointOf(s)); err != nil {
			t.Fatal(err)
		}
		if last := o.plies[len(o.plies)-1]; len(last.flipped) != 0 {
			t.Errorf("%s turns %s", name, names(last.flipped))
		}
		free = strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(free, name, ""), "  ", " "))
	}
	// Black on the d file, White on the e file.
	if got, want := names(o.moves(dark)), "f3 f4 f5 f6"; got != want {
		t.Errorf("the fifth disc: %s, want %s", got, want)
	}
	if got, want := names(o.moves(light)), "c3 c4 c5 c6"; got != want {
		t.Errorf("White instead: %s, want %s", got, want)
	}
}

// TestOracleStock: nobody places more than 32 discs, and who has none left
// passes although a square would be there.
func TestOracleStock(t *testing.T) {
	wanting := 0
	for seed := range 300 {
		n := seed
		sc, err := invent("historic", "", func(of int) int { n = n*31 + 7; return (n >> 3 & 0xFFFF) % of })
		if err != nil {
			t.Fatal(err)
		}
		used := map[side]int{}
		for _, p := range sc.plies {
			if !p.pass {
				used[p.by]++
			} else if used[p.by] == 32 && len(p.after.moves(p.by)) > 0 {
				wanting++
			}
		}
		if used[dark] > 32 || used[light] > 32 {
			t.Fatalf("game %d: %d and %d discs placed", seed, used[dark], used[light])
		}
	}
	if wanting == 0 {
		t.Error("nobody ever passed for want of discs")
	}
}

func TestOracleStarts(t *testing.T) {
	for name, want := range map[string]string{
		"standard":   "d4 e5 / d5 e4 / X",
		"parallel":   "d5 e5 / d4 e4 / X",
		"inverted":   "d5 e4 / d4 e5 / X",
		"handicap-1": "d4 e5 / a1 d5 e4 / O",
		"handicap-4": "d4 e5 / a1 a8 d5 e4 h1 h8 / O",
	} {
		b, first, err := boardNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		lies := map[side][]point{}
		for i := range 64 {
			p := point{i % 8, i / 8}
			lies[b.at(p)] = append(lies[b.at(p)], p)
		}
		if got := names(lies[light]) + " / " + names(lies[dark]) + " / " + string(rune(first)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for _, wrong := range [][2]string{{"classic", "sideways"}, {"historic", "parallel"}} {
		if _, err := newOracle(wrong[0], wrong[1]); err == nil {
			t.Errorf("%s from %s: no error", wrong[0], wrong[1])
		}
	}
}
