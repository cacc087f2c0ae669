package referee_test

import (
	"testing"

	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

// A pairing of a tournament is one game. What is played next at the board does
// not belong to it, and nobody sits there yet.
func TestPairingIsOneGame(t *testing.T) {
	t.Parallel()
	tb := newTable(t)
	match := tb.state.Match
	match.Pairing, match.Players = "01JZ0000000000000000000000", [2]plaintext.Text{plaintext.Const("Ana"), plaintext.Const("Ben")}
	tb.order(referee.NewGame{Match: match})
	tb.look()
	if m := tb.state.Match; tb.state.Phase != referee.Playing || m.Pairing != match.Pairing || m.Players != match.Players {
		t.Fatalf("phase %v, pairing %q of %q", tb.state.Phase, m.Pairing, m.Players)
	}
	tb.play("f5d6c5f6e7f4g5e6e3") // nine moves, and white has no disc left
	if m := tb.state.Match; tb.state.Phase != referee.Over || m.Pairing != match.Pairing {
		t.Fatalf("phase %v, pairing %q: a game that is over may be opened again", tb.state.Phase, m.Pairing)
	}
	tb.discs = match.Rules.Start.Discs
	tb.look()
	if m := tb.state.Match; tb.state.Phase != referee.Playing || m.Pairing != "" || m.Players != [2]plaintext.Text{} {
		t.Errorf("phase %v: the next game has the pairing %q of %q", tb.state.Phase, m.Pairing, m.Players)
	}
}
