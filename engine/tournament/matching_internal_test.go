package tournament

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// firstPairing is the oracle: it tries all pairings in order.
func firstPairing(left []int, fits func(i, j int) bool) ([][2]int, bool) {
	if len(left) == 0 {
		return nil, true
	}
	for k, j := range left[1:] {
		if !fits(left[0], j) {
			continue
		}
		rest := slices.Delete(slices.Clone(left[1:]), k, k+1)
		if pairs, ok := firstPairing(rest, fits); ok {
			return append([][2]int{{left[0], j}}, pairs...), true
		}
	}
	return nil, false
}

// The pairing is the first one from the top of all that there are, and there is
// none only when trying all finds none.
func TestMatchFromTop(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := 2 * rapid.IntRange(1, 5).Draw(t, "pairs")
		may := rapid.SliceOfN(rapid.IntRange(0, 9), n*n, n*n).Draw(t, "edges")
		often := rapid.IntRange(1, 9).Draw(t, "often")
		fits := func(i, j int) bool { return may[min(i, j)*n+max(i, j)] < often }
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		want, possible := firstPairing(all, fits)
		got, ok := matchFromTop(n, fits)
		if ok != possible || ok && !slices.Equal(got, want) {
			t.Fatalf("%v %v, want %v %v", got, ok, want, possible)
		}
	})
}

// All graphs of six players: 32768.
func TestMatchAllSmall(t *testing.T) {
	t.Parallel()
	const n = 6
	for graph := range 1 << (n * (n - 1) / 2) {
		fits := func(i, j int) bool {
			i, j = min(i, j), max(i, j)
			return graph>>(i*n-i*(i+1)/2+j-i-1)&1 != 0
		}
		want, possible := firstPairing([]int{0, 1, 2, 3, 4, 5}, fits)
		got, ok := matchFromTop(n, fits)
		if ok != possible || ok && !slices.Equal(got, want) {
			t.Fatalf("graph %b: %v %v, want %v %v", graph, got, ok, want, possible)
		}
	}
}

// Two triangles joined by one edge are no bipartite graph: only blossoms show
// that the edge between them has to be used.
func TestMatchOddCycles(t *testing.T) {
	t.Parallel()
	edges := map[[2]int]bool{{0, 1}: true, {1, 2}: true, {0, 2}: true, {3, 4}: true, {4, 5}: true, {3, 5}: true, {2, 3}: true}
	got, ok := matchFromTop(6, func(i, j int) bool { return edges[[2]int{min(i, j), max(i, j)}] })
	if want := [][2]int{{0, 1}, {2, 3}, {4, 5}}; !ok || !slices.Equal(got, want) {
		t.Errorf("%v %v, want %v", got, ok, want)
	}
}
