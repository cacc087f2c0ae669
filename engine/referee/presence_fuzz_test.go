package referee_test

import (
	"encoding/binary"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// Whatever a board that sees no faces says, in whatever order: the record holds
// moves of the game and nothing else, it is what its events make of it, and what
// is believed to lie is where discs are felt.
func FuzzFelt(f *testing.F) {
	start := uint64(engine.Start().Occupied())
	seed := func(words ...uint64) {
		var b []byte
		for _, w := range words {
			b = append(b, 0)
			b = binary.LittleEndian.AppendUint64(b, w)
		}
		f.Add(uint8(0), b)
	}
	f5, e5, f6 := uint64(1)<<37, uint64(1)<<36, uint64(1)<<45
	seed(start, start|f5, start|f5&^e5, start|f5, start|f5|f6)
	f.Add(uint8(2), []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 0, 7, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		names := engine.VariantNames()
		rules, err := engine.Variant(names[int(which)%len(names)])
		if err != nil {
			t.Fatal(err)
		}
		profile, err := referee.ProfileNamed("home")
		if err != nil {
			t.Fatal(err)
		}
		match := referee.Match{Rules: rules, Profile: profile}
		w := &folded{t: t, state: referee.NewPresence(match), record: referee.NewPresence(match)}
		in := referee.Felt{Squares: rules.Start.Occupied()}
		w.step(in)
		for len(data) >= 9 {
			op, word := data[0], engine.Bitboard(binary.LittleEndian.Uint64(data[1:]))
			data = data[9:]
			in.At += time.Second
			w.do(&in, op, word)
		}
	})
}

// folded is a referee and, beside it, the fold of the events that it announced.
type folded struct {
	t             *testing.T
	state, record referee.State
}

// do makes one change to the board, or gives an order, by chance.
func (w *folded) do(in *referee.Felt, op byte, word engine.Bitboard) {
	in.Lifted = 0
	switch op % 8 {
	case 0:
		in.Squares = word
	case 1:
		in.Squares ^= word & -word
	case 2:
		in.Lifted = word
	case 3:
		in.Lost = word
	case 4:
		in.Masked = word
	case 5:
		w.step(referee.Tick{At: in.At})
		return
	case 6:
		w.step(referee.Command{At: in.At, Audit: referee.Audit{Role: "arbiter", Order: referee.Undo{Plies: int(word % 4)}}})
		return
	case 7:
		// The player to move does as it should.
		if g := w.state.Game; g.Legal() != 0 {
			sq := g.Legal().First()
			in.Squares = g.Occupied() | sq.Bit()
			in.Lifted = g.Flips(sq)
			in.Lost, in.Masked = 0, 0
		}
	}
	w.step(*in)
}

func (w *folded) step(in referee.Input) {
	w.t.Helper()
	for _, eff := range stepTwice(w.t, &w.state, in) {
		if a, ok := eff.(referee.Announce); ok {
			if m, ok := a.Event.(referee.Moved); ok {
				g := w.record.Game
				if m.By != g.Turn || !g.Legal().Has(m.Square) || m.Flipped != g.Flips(m.Square) {
					w.t.Fatalf("%v plays %v, flips %v, in\n%v %v", m.By, m.Square, m.Flipped, g.Discs, g.Turn)
				}
			}
			referee.Apply(&w.record, a.Event)
		}
	}
	if w.state.Game != w.record.Game || w.state.Len != w.record.Len || w.state.Result != w.record.Result {
		w.t.Fatalf("the record is\n%v\nits events make it\n%v", w.state.Game, w.record.Game)
	}
	if f, ok := in.(referee.Felt); ok {
		s := &w.state
		if s.Sensed.Black&s.Sensed.White != 0 || (s.Sensed.Occupied()^f.Squares)&^f.Lost != 0 {
			w.t.Fatalf("felt %v, lost %v, believed %v", f.Squares, f.Lost, s.Sensed)
		}
	}
	w.disjoint()
}

// disjoint checks that the guide asks for one thing on each square.
func (w *folded) disjoint() {
	w.t.Helper()
	g := w.state.Guide
	var all engine.Bitboard
	for _, set := range []engine.Bitboard{g.Flip, g.Turn, g.Remove, g.PlaceBlack, g.PlaceWhite} {
		if all&set != 0 {
			w.t.Fatalf("the guide asks for two things: %+v", g)
		}
		all |= set
	}
}
