package search

import (
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine"
)

// drawPlace plays random moves from the start until that many squares are
// empty, or the game is over.
func drawPlace(t *rapid.T, empties int) place {
	p := placeOf(engine.Start())
	for p.n > empties {
		legal := engine.LegalMoves(p.own, p.opp)
		if legal == 0 {
			if engine.LegalMoves(p.opp, p.own) == 0 {
				break
			}
			p = p.passed()
			continue
		}
		for range rapid.IntRange(0, legal.Count()-1).Draw(t, "move") {
			legal &= legal - 1
		}
		s := legal.First()
		p = p.after(s, engine.Flips(p.own, p.opp, s))
	}
	return p
}

// turned follows every line of play for some plies and returns the discs of the
// side to move (now) that were turned in one of them.
func turned(p place, own engine.Bitboard, mine bool, plies int) engine.Bitboard {
	var all engine.Bitboard
	if plies == 0 {
		return 0
	}
	legal := engine.LegalMoves(p.own, p.opp)
	if legal == 0 {
		if engine.LegalMoves(p.opp, p.own) == 0 {
			return 0
		}
		return turned(p.passed(), own, !mine, plies-1)
	}
	for s := range legal.All() {
		f := engine.Flips(p.own, p.opp, s)
		if !mine {
			all |= f & own
		}
		all |= turned(p.after(s, f), own, !mine, plies-1)
	}
	return all
}

func TestStableDiscsAreNeverTurned(t *testing.T) {
	some := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlace(t, rapid.IntRange(3, 30).Draw(t, "empties"))
		safe := stable(p.own, p.opp)
		some += safe.Count()
		if safe&^p.own != 0 {
			t.Fatalf("not own: %v", safe)
		}
		if bad := turned(p, p.own, true, 4) & safe; bad != 0 {
			t.Fatalf("%v can be turned: own %v, opp %v", bad, p.own, p.opp)
		}
	})
	if some == 0 {
		t.Error("no disc was ever stable")
	}
}

// fullLine walks the line through s in steps of some files and ranks.
func fullLine(all engine.Bitboard, s engine.Square, files, ranks int) bool {
	for step := -7; step <= 7; step++ {
		file, rank := s.File()+step*files, s.Rank()+step*ranks
		if 0 <= file && file < 8 && 0 <= rank && rank < 8 && !all.Has(engine.SquareAt(file, rank)) {
			return false
		}
	}
	return true
}

func TestFullLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := engine.Bitboard(rapid.Uint64().Draw(t, "a") | rapid.Uint64().Draw(t, "b") | rapid.Uint64().Draw(t, "c"))
		for _, axis := range []struct {
			name       string
			file, rank int
			got        engine.Bitboard
		}{
			{"ranks", 1, 0, fullRanks(all)},
			{"files", 0, 1, fullFiles(all)},
			{"falling to the left", -1, 1, fullDiagonals(all, 7)},
			{"falling to the right", 1, 1, fullDiagonals(all, 9)},
		} {
			var want engine.Bitboard
			for s := range engine.Square(engine.Squares) {
				if fullLine(all, s, axis.file, axis.rank) {
					want |= s.Bit()
				}
			}
			if axis.got != want {
				t.Fatalf("%s: %v, want %v", axis.name, axis.got, want)
			}
		}
	})
}

// Every size of window must give the score, or a bound on the right side.
func TestSolverWindows(t *testing.T) {
	for _, sign := range []int{1, -1} {
		x := &solver{t: newTables(), hash: newHashTable(1 << 16), near: newHashTable(1 << 14), stop: new(atomic.Bool), sign: sign}
		rapid.Check(t, func(t *rapid.T) {
			p := drawPlace(t, rapid.IntRange(1, 9).Draw(t, "empties"))
			x.forget()
			want := x.solve(p.own, p.opp, -64, 64, p.n)
			low := rapid.IntRange(-64, 63).Draw(t, "low")
			high := rapid.IntRange(low+1, 64).Draw(t, "high")
			if rapid.Bool().Draw(t, "forget") {
				x.forget()
			}
			got := x.solve(p.own, p.opp, low, high, p.n)
			switch {
			case got <= low && want > got, got >= high && want < got, got > low && got < high && got != want:
				t.Fatalf("window %d to %d: %d, the score is %d", low, high, got, want)
			}
		})
	}
}

func TestHashTableKeepsTheDeeperAndTheLater(t *testing.T) {
	h := newHashTable(0)
	// Three places of one bucket.
	var keys []engine.Bitboard
	for own := engine.Bitboard(1); len(keys) < 3; own++ {
		if h.bucket(own, 0) == h.bucket(1, 0) {
			keys = append(keys, own)
		}
	}
	store := func(own engine.Bitboard, depth int) {
		h.store(own, 0, &result{alpha: -100, beta: 100, score: depth, depth: depth, sel: exactSel, move: 5})
	}
	store(keys[0], 9)
	store(keys[1], 4)
	store(keys[2], 5)
	if e := h.find(keys[0], 0); e == nil || e.depth != 9 || e.lower != 9 || e.upper != 9 || e.move != 5 {
		t.Errorf("the deeper one is gone: %+v", e)
	}
	if h.find(keys[1], 0) != nil || h.find(keys[2], 0) == nil {
		t.Error("the later one has not replaced the other shallow one")
	}
	h.next()
	store(keys[1], 2)
	if h.find(keys[1], 0) == nil || h.find(keys[0], 0) == nil {
		t.Error("a new search has pushed an old deep one out altogether")
	}
	h.clear()
	if h.find(keys[0], 0) != nil {
		t.Error("still there after clear")
	}
}

func TestHashTableNarrowsBounds(t *testing.T) {
	h := newHashTable(0)
	h.store(1, 2, &result{alpha: 10, beta: 11, score: 20, depth: 6, sel: exactSel, move: 3})
	h.store(1, 2, &result{alpha: 40, beta: 41, score: 30, depth: 6, sel: exactSel, move: 4})
	e := h.find(1, 2)
	if e.lower != 20 || e.upper != 30 || e.move != 3 {
		t.Errorf("%+v, want 20 to 30 and the move that failed high", e)
	}
	h.store(1, 2, &result{alpha: 0, beta: 1, score: 0, depth: 7, sel: sel73, move: 4})
	if e.lower != -infinity || e.upper != 0 || e.depth != 7 {
		t.Errorf("%+v, want only the deeper search", e)
	}
	h.store(1, 2, &result{alpha: 0, beta: 1, score: 50, depth: 3, sel: exactSel, move: 4})
	if e.upper != 0 || e.depth != 7 {
		t.Errorf("%+v, want the deeper search kept", e)
	}
}

func TestFloorDisc(t *testing.T) {
	for _, test := range []struct{ units, discs int }{{0, 0}, {31, 0}, {32, 1}, {-1, -1}, {-32, -1}, {-33, -2}} {
		if got := floorDisc(test.units); got != test.discs {
			t.Errorf("%d units: %d, want %d", test.units, got, test.discs)
		}
	}
}
