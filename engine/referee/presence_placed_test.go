package referee_test

import (
	"testing"

	"reversi-board/engine/referee"
)

// A disc that has just been placed was not put back: it is no sign of a move on a
// cell that is not believed.
func TestPresencePlacedDiscsAreNotPutBack(t *testing.T) {
	t.Parallel()
	t.Run("by the move before", func(t *testing.T) {
		t.Parallel()
		b := classicBlind(t)
		b.play("d3")
		b.said = nil
		b.mask = b.sq("f2").Bit() // Black's f2 would turn e3.
		b.hands("white e3, turn e4")
		b.expect("white e3: e4")
		// Lifted and put back, it is one.
		b.hands("turn e3")
		b.expect("black f2: e3")
	})
	t.Run("while the game was set up", func(t *testing.T) {
		t.Parallel()
		b := emptyBlindTable(t, variant(t, "classic"))
		b.mask = b.sq("c4").Bit() // Black's c4 would turn d4.
		for _, disc := range []string{"black e4", "black d5", "white e5", "white d4"} {
			b.hands(disc)
		}
		if b.state.Phase != referee.Playing || b.state.Ply() != 0 {
			t.Errorf("%v at ply %d: %q", b.state.Phase, b.state.Ply(), b.said)
		}
	})
}
