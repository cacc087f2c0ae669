package engine_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine"
)

// perftRow is one count of testdata/perft.tsv.
type perftRow struct {
	start, convention string
	depth             int
	count             uint64
}

// perftTable reads the start positions and the counts.
func perftTable(t *testing.T) (starts map[string]string, rows []perftRow) {
	t.Helper()
	starts = make(map[string]string)
	for _, fields := range readTable(t, "testdata/perft.tsv") {
		switch {
		case fields[0] == "#start" && len(fields) == 3:
			starts[fields[1]] = fields[2]
		case fields[0] == "#start":
		default:
			depth, err := strconv.Atoi(fields[2])
			if err != nil {
				t.Fatal(err)
			}
			count, err := strconv.ParseUint(fields[3], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, perftRow{fields[0], fields[1], depth, count})
		}
	}
	if len(starts) != 10 || len(rows) != 323 {
		t.Fatalf("testdata/perft.tsv: %d starts, %d counts: want 10 and 323", len(starts), len(rows))
	}
	return starts, rows
}

// checkPerft counts the rows of testdata/perft.tsv up to some leaves, of which
// there are so many: by visiting everything, and with a table of some bytes that
// sees all conventions and starts one after the other.
func checkPerft(t *testing.T, most uint64, rows, memory int) {
	t.Helper()
	starts, rest := perftTable(t)
	table := engine.NewPerftTable(memory)
	checked := 0
	for _, row := range rest {
		if row.count > most {
			continue
		}
		checked++
		c, err := engine.ParseConvention(row.convention)
		if err != nil {
			t.Fatal(err)
		}
		p := position(t, starts[row.start])
		if got := c.Perft(p, row.depth); got != row.count {
			t.Errorf("%s, convention %v, depth %d: %d, want %d", row.start, c, row.depth, got, row.count)
		}
		if got := table.Perft(c, p, row.depth); got != row.count {
			t.Errorf("%s, convention %v, depth %d, with a table: %d, want %d", row.start, c, row.depth, got, row.count)
		}
	}
	if checked != rows {
		t.Errorf("%d counts checked, want %d", checked, rows)
	}
}

func TestPerftMatchesTheCountsOfOthers(t *testing.T) {
	// A table that hardly holds anything has to be exact, too.
	checkPerft(t, 4_000_000, 272, 0)
}

func TestPerftWithoutAConventionIsA(t *testing.T) {
	// The lines that end first: 228 games are over after nine discs.
	for depth, want := range map[int]uint64{9: 3005288, 10: 24571284} {
		if got := engine.Perft(engine.Start(), depth); got != want {
			t.Errorf("perft(start, %d) = %d, want %d", depth, got, want)
		}
	}
}

func TestPerftOfDepthZeroIsThePositionItself(t *testing.T) {
	starts, _ := perftTable(t)
	for c := engine.ConventionA; c <= engine.ConventionD; c++ {
		for name, start := range starts {
			if got := c.Perft(position(t, start), 0); got != 1 {
				t.Errorf("%s, convention %v, depth 0: %d, want 1", name, c, got)
			}
		}
	}
}

func TestConventionsByLetter(t *testing.T) {
	for _, test := range []struct {
		text  string
		want  engine.Convention
		pass  int
		ended uint64
	}{
		{"A", engine.ConventionA, 1, 1},
		{"b", engine.ConventionB, 1, 0},
		{"C", engine.ConventionC, 0, 1},
		{"d", engine.ConventionD, 0, 0},
	} {
		got, err := engine.ParseConvention(test.text)
		if err != nil || got != test.want || got.Pass() != test.pass || got.Ended() != test.ended {
			t.Errorf("%s: %v, a pass is %d plies, an ended game %d leaves, %v", test.text, got, got.Pass(), got.Ended(), err)
		}
		if got.String() != strings.ToUpper(test.text) {
			t.Errorf("%s is written %v", test.text, got)
		}
	}
	for _, text := range []string{"", "E", "AB", "ABCD", "@", "ä"} {
		if c, err := engine.ParseConvention(text); err == nil {
			t.Errorf("%q is read as %v", text, c)
		}
	}
}

// The second opinion has to be right itself before it may judge.
func TestReferenceMatchesThePublishedCounts(t *testing.T) {
	starts, rows := perftTable(t)
	for _, row := range rows {
		if row.convention != "A" || row.count > 10000 {
			continue
		}
		b := readBoard(starts[row.start])
		if got := b.perft(row.depth); got != row.count {
			t.Errorf("reference perft(%s, %d) = %d, want %d", row.start, row.depth, got, row.count)
		}
	}
}

// count walks the tree by the methods that the referee uses (Legal, MustPass,
// Over, Place, Pass) in any of the four conventions, which differ only in how
// passes and ends are counted.
func count(g engine.Game, depth int, passIsPly, endIsLeaf bool) uint64 {
	if g.Over() {
		if endIsLeaf || depth == 0 {
			return 1
		}
		return 0
	}
	if depth == 0 {
		return 1
	}
	if g.MustPass() {
		if passIsPly {
			return count(g.Pass(), depth-1, passIsPly, endIsLeaf)
		}
		return count(g.Pass(), depth, passIsPly, endIsLeaf)
	}
	var leaves uint64
	for s := range g.Legal().All() {
		leaves += count(g.Place(s), depth-1, passIsPly, endIsLeaf)
	}
	return leaves
}

func TestGameMatchesAllFourConventions(t *testing.T) {
	starts, rows := perftTable(t)
	checked := 0
	for _, row := range rows {
		if row.count > 20000 {
			continue
		}
		checked++
		g := engine.NewGame(engine.Rules{Start: position(t, starts[row.start])})
		passIsPly := row.convention == "A" || row.convention == "B"
		endIsLeaf := row.convention == "A" || row.convention == "C"
		if got := count(g, row.depth, passIsPly, endIsLeaf); got != row.count {
			t.Errorf("%s, convention %s, depth %d: %d, want %d", row.start, row.convention, row.depth, got, row.count)
		}
	}
	if checked < 150 {
		t.Errorf("only %d counts checked", checked)
	}
}

// drawPosition plays random moves from the start, up to the end of a game.
func drawPosition(t *rapid.T) engine.Position {
	p := engine.Start()
	for range rapid.IntRange(0, 60).Draw(t, "discs") {
		if p.Legal() == 0 {
			p = p.Pass()
		}
		legal := p.Legal().Names()
		if len(legal) == 0 {
			break
		}
		s, err := engine.ParseSquare(rapid.SampledFrom(legal).Draw(t, "move"))
		if err != nil {
			t.Fatal(err)
		}
		p = p.After(s, p.Flips(s))
	}
	return p
}

// image returns what a position looks like from another side of the board, or
// in a mirror (bit 0 exchanges the files, bit 1 the ranks, bit 2 both).
func image(p engine.Position, way int) engine.Position {
	turned := engine.Position{Turn: p.Turn}
	for s := range engine.Square(engine.Squares) {
		file, rank := s.File(), s.Rank()
		if way&1 != 0 {
			file = 7 - file
		}
		if way&2 != 0 {
			rank = 7 - rank
		}
		if way&4 != 0 {
			file, rank = rank, file
		}
		turned.Discs = turned.With(engine.SquareAt(file, rank), p.At(s))
	}
	return turned
}

// Whatever a table has seen before, it must not change a count: other
// conventions, other depths, images, the same discs with the other side to move.
func TestPerftTableNeverChangesACount(t *testing.T) {
	table := engine.NewPerftTable(1 << 16)
	rapid.Check(t, func(t *rapid.T) {
		p := drawPosition(t)
		depth := rapid.IntRange(0, 4).Draw(t, "depth")
		for c := engine.ConventionA; c <= engine.ConventionD; c++ {
			for _, p := range []engine.Position{p, p.Pass()} {
				want := count(engine.NewGame(engine.Rules{Start: p}), depth, c.Pass() == 1, c.Ended() == 1)
				if got := c.Perft(p, depth); got != want {
					t.Fatalf("convention %v, depth %d: %d, want %d", c, depth, got, want)
				}
				for way := range 8 {
					if got := table.Perft(c, image(p, way), depth); got != want {
						t.Fatalf("convention %v, depth %d, image %d, with the table: %d, want %d", c, depth, way, got, want)
					}
				}
			}
		}
	})
}

func TestCanonicalStandsForAllImages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPosition(t)
		want, found := p.Canonical(), false
		for way := range 8 {
			at := image(p, way)
			found = found || at == want
			if got := at.Canonical(); got != want {
				t.Fatalf("image %d: %v, want %v", way, got, want)
			}
		}
		if !found {
			t.Fatalf("%v is no image of %v", want, p)
		}
	})
}

func TestPerftTableServesSeveralAtATime(t *testing.T) {
	table := engine.NewPerftTable(1 << 14)
	var all sync.WaitGroup
	for c := engine.ConventionA; c <= engine.ConventionD; c++ {
		all.Go(func() {
			for range 2 {
				if got := table.Perft(c, engine.Start(), 8); got != 390216 {
					t.Errorf("convention %v: %d, want 390216", c, got)
				}
				table.Clear()
			}
		})
	}
	all.Wait()
}

// BenchmarkPerft counts the standard start to depth 7 with the bitboards and
// with the array reference; "x-reference" is how many times as fast the
// bitboards are. The table, empty at first, has to go deeper to be worth its
// while.
func BenchmarkPerft(b *testing.B) {
	const depth, leaves = 7, 55092
	var perOp float64
	b.Run("bitboards", func(b *testing.B) {
		for b.Loop() {
			if engine.Perft(engine.Start(), depth) != leaves {
				b.Fatal("wrong count")
			}
		}
		perOp = float64(b.Elapsed()) / float64(b.N)
		b.ReportMetric(leaves*1e3/perOp, "Mleaves/s")
	})
	b.Run("reference", func(b *testing.B) {
		start := readBoard(obf(engine.Start()))
		for b.Loop() {
			if start.perft(depth) != leaves {
				b.Fatal("wrong count")
			}
		}
		b.ReportMetric(float64(b.Elapsed())/float64(b.N)/perOp, "x-reference")
	})
	b.Run("table", func(b *testing.B) {
		table := engine.NewPerftTable(16 << 20)
		for b.Loop() {
			table.Clear()
			if table.Perft(engine.ConventionA, engine.Start(), 11) != 212258800 {
				b.Fatal("wrong count")
			}
		}
		b.ReportMetric(212258800*1e3/(float64(b.Elapsed())/float64(b.N)), "Mleaves/s")
	})
}
