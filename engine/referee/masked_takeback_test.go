package referee_test

import (
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// White plays b6, a cell that is not believed, and turns discs of Black's last
// move, whose own disc is in the hand to be turned as well: the board looks as
// if that move had been taken back. It has when the disc stays off the board, not
// before; and a cell that cannot be read may hide White's disc likewise.
func TestTakebackThatMayBeAHiddenMove(t *testing.T) {
	t.Parallel()
	const transcript = "f5f6d3c3b3g5g7f7e7f8g6h7e8d6e6c5h8h6f4g8b5c4h4g4g3a2c6"
	half := func(t *testing.T, lost, masked string) *table {
		t.Helper()
		tb := newTable(t)
		tb.play(transcript)
		tb.said = nil
		for _, s := range []struct {
			name string
			set  *engine.Bitboard
		}{{lost, &tb.lost}, {masked, &tb.mask}} {
			if s.name != "" {
				*s.set = tb.sq(s.name).Bit()
			}
		}
		tb.put("w e6 f6")
		tb.put("w d6")
		tb.expect()
		tb.put("- c6")
		return tb
	}
	t.Run("masked", func(t *testing.T) {
		t.Parallel()
		tb := half(t, "", "b6")
		tb.expect()
		tb.put("w c6")
		tb.put("w c5")
		tb.expect("white b6: c5 c6 d6 e6 f6")
	})
	t.Run("lost", func(t *testing.T) {
		t.Parallel()
		tb := half(t, "b6", "")
		tb.expect()
		tb.put("w c6 c5")
		tb.expect()
		tb.lost = 0
		tb.put("w b6")
		tb.expect("white b6: c5 c6 d6 e6 f6")
	})
	t.Run("the disc stays off", func(t *testing.T) {
		t.Parallel()
		tb := half(t, "", "b6")
		tb.put("b f6") // which a takeback of c6 does not turn
		tb.expect()
		tb.now += tb.state.Match.Profile.MissingAfter
		tb.step(referee.Tick{At: tb.now})
		tb.expect("undo 1 to ply 26, black to move")
	})
	t.Run("every cell is sound", func(t *testing.T) {
		t.Parallel()
		tb := newTable(t)
		tb.play(transcript)
		tb.said = nil
		tb.lay("w d6 e6")
		tb.put("- c6")
		tb.expect("undo 1 to ply 26, black to move")
	})
}
