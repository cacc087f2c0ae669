package engine_test

import (
	"strconv"
	"testing"

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

func TestPerftMatchesThePublishedCounts(t *testing.T) {
	// As deep as takes about a second: the leaves of the last ply are counted
	// without being visited.
	limit := func(start string) int {
		switch start {
		case "standard":
			return 10
		case "parallel":
			return 9
		default:
			return 7
		}
	}
	starts, rows := perftTable(t)
	checked := 0
	for _, row := range rows {
		if row.convention != "A" || row.depth > limit(row.start) {
			continue
		}
		checked++
		if got := engine.Perft(position(t, starts[row.start]), row.depth); got != row.count {
			t.Errorf("perft(%s, %d) = %d, want %d", row.start, row.depth, got, row.count)
		}
	}
	if checked < 65 {
		t.Errorf("only %d counts checked", checked)
	}
}

func TestPerftOfDepthZeroIsThePositionItself(t *testing.T) {
	if got := engine.Perft(engine.Start(), 0); got != 1 {
		t.Errorf("perft(start, 0) = %d, want 1", got)
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

// BenchmarkPerft counts the standard start to depth 7 with the bitboards and
// with the array reference; "x-reference" is how many times as fast the
// bitboards are.
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
}
