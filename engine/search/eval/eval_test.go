package eval_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/search/eval"
)

// drawPosition plays random moves.
func drawPosition(t *rapid.T) engine.Position {
	p := engine.Start()
	for range rapid.IntRange(0, 60).Draw(t, "plies") {
		legal := p.Legal()
		if legal == 0 {
			if p.Over() {
				break
			}
			p = p.Pass()
			continue
		}
		for range rapid.IntRange(0, legal.Count()-1).Draw(t, "move") {
			legal &= legal - 1
		}
		p = p.After(legal.First(), p.Flips(legal.First()))
	}
	return p
}

// sides returns the discs of the side to move and of the other.
func sides(p engine.Position) (own, opp engine.Bitboard) {
	return p.Of(p.Turn), p.Of(p.Turn.Opponent())
}

func TestFeaturesFollowMovesAndPasses(t *testing.T) {
	e := eval.NewExtractor()
	rapid.Check(t, func(t *rapid.T) {
		p := drawPosition(t)
		own, opp := sides(p)
		f := e.Of(own, opp)
		var next eval.Features
		e.Pass(&next, &f)
		if next != e.Of(opp, own) {
			t.Fatalf("pass: %v", p)
		}
		for s := range p.Legal().All() {
			flips := p.Flips(s)
			e.Move(&next, &f, s, flips)
			if next != e.Of(opp&^flips, own|flips|s.Bit()) {
				t.Fatalf("%v: %v", s, p)
			}
		}
	})
}

// mirrored returns the squares seen in a mirror: 0 files, 1 ranks, 2 the
// diagonal from a1 to h8.
func mirrored(b engine.Bitboard, mirror int) engine.Bitboard {
	var all engine.Bitboard
	for s := range b.All() {
		file, rank := s.File(), s.Rank()
		switch mirror {
		case 0:
			file = 7 - file
		case 1:
			rank = 7 - rank
		default:
			file, rank = rank, file
		}
		all |= engine.SquareAt(file, rank).Bit()
	}
	return all
}

func TestReflectionsAreWorthTheSame(t *testing.T) {
	e := eval.NewExtractor()
	for _, goal := range []engine.Goal{engine.Most, engine.Fewest} {
		w := eval.Default(goal)
		rapid.Check(t, func(t *rapid.T) {
			own, opp := sides(drawPosition(t))
			f := e.Of(own, opp)
			want := w.Score(&f, own, opp)
			for mirror := range 3 {
				a, b := mirrored(own, mirror), mirrored(opp, mirror)
				f := e.Of(a, b)
				if got := w.Score(&f, a, b); got != want {
					t.Fatalf("mirror %d: %d, want %d", mirror, got, want)
				}
			}
		})
	}
}

func TestScoresAreBounded(t *testing.T) {
	e := eval.NewExtractor()
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // Chance that must repeat.
	w := eval.Default(engine.Most)
	for range 10000 {
		// Positions that no game reaches have to be survived too.
		own := engine.Bitboard(r.Uint64())
		opp := engine.Bitboard(r.Uint64()) &^ own
		f := e.Of(own, opp)
		if got := w.Score(&f, own, opp); got < -eval.Limit || got > eval.Limit {
			t.Fatalf("score %d", got)
		}
	}
}

// What everybody knows about the game, as a check of signs and orientation.
func TestWhatEverybodyKnows(t *testing.T) {
	score := func(goal engine.Goal, text string) int {
		d, err := engine.ParseDiscs(text)
		if err != nil {
			t.Fatal(err)
		}
		f := eval.NewExtractor().Of(d.Black, d.White)
		return eval.Default(goal).Score(&f, d.Black, d.White)
	}
	const (
		corner = "X-------" + "-X------" + "--XOO---" + "--OXXO--" + "--OXXO--" + "---OO---" + "--------" + "--------"
		xOnly  = "--------" + "-X------" + "--XOO---" + "--OXXO--" + "--OXXO--" + "---OO---" + "--------" + "--------"
	)
	if with, without := score(engine.Most, corner), score(engine.Most, xOnly); with < without+5*eval.Unit {
		t.Errorf("with the corner %d, with the X square alone %d", with, without)
	}
	if with, without := score(engine.Fewest, corner), score(engine.Fewest, xOnly); with > without {
		t.Errorf("fewest discs win: with the corner %d, with the X square alone %d", with, without)
	}
}

func TestStages(t *testing.T) {
	for _, test := range []struct{ empties, stage int }{{60, 0}, {56, 0}, {55, 1}, {5, 11}, {0, 11}, {64, 0}} {
		if got := eval.StageOf(test.empties); got != test.stage {
			t.Errorf("%d empty squares: stage %d, want %d", test.empties, got, test.stage)
		}
	}
}

// learn fits the weights to scores that are a simple function of the position.
func learn(t *testing.T) (*eval.Weights, []eval.Sample) {
	t.Helper()
	// A few boards with all kinds of corners: 8 times 81 positions.
	r := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // Chance that must repeat.
	const corners engine.Bitboard = 0x8100000000000081
	var boards [8]engine.Bitboard
	var empty [8]engine.Bitboard
	for n := range boards {
		boards[n] = engine.Bitboard(r.Uint64())
		for empty[n].Count() < 16 {
			empty[n] |= engine.Square(r.IntN(64)).Bit() &^ corners
		}
	}
	var samples []eval.Sample
	for n := range 4000 {
		i := n % len(boards)
		own, gone := engine.Bitboard(r.Uint64())&corners, engine.Bitboard(r.Uint64())&corners
		opp := corners &^ own &^ gone
		score := 10*own.Count() - 10*opp.Count()
		own |= boards[i] &^ corners &^ empty[i]
		opp |= ^boards[i] &^ corners &^ empty[i]
		samples = append(samples, eval.Sample{Own: own, Opp: opp, Score: float32(score), Held: n%10 == 3})
	}
	var got eval.StageError
	w, err := eval.Fit(t.Context(), samples, eval.FitOptions{
		Seed: 1, Epochs: 10, Rate: 0.5,
		Report: func(e eval.StageError) {
			if e.Stage == eval.StageOf(18) {
				got = e
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Learned < 3000 || got.Held < 300 || got.RMS > got.Spread/3 {
		t.Errorf("the scores have not been learned: %v", got)
	}
	return w, samples
}

func TestFitLearnsAndWeightsAreWrittenAndRead(t *testing.T) {
	w, samples := learn(t)
	var b bytes.Buffer
	if err := w.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := eval.Read(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	e := eval.NewExtractor()
	for i := range samples {
		f := e.Of(samples[i].Own, samples[i].Opp)
		a, b := w.Score(&f, samples[i].Own, samples[i].Opp), again.Score(&f, samples[i].Own, samples[i].Opp)
		if a != b {
			t.Fatalf("sample %d: %d before, %d after", i, a, b)
		}
	}
	for _, test := range []struct {
		name string
		data []byte
	}{
		{"empty", nil},
		{"other version", append([]byte("reversi-board weights 9\n"), b.Bytes()[24:]...)},
		{"cut off", b.Bytes()[:b.Len()/2]},
	} {
		if _, err := eval.Read(bytes.NewReader(test.data)); err == nil {
			t.Errorf("%s: no error", test.name)
		}
	}
	if _, err := eval.Read(bytes.NewReader(nil)); !errors.Is(err, eval.ErrFormat) {
		t.Errorf("empty: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := eval.Zero().Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:100])
	f.Add([]byte("reversi-board weights 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := eval.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		e := eval.NewExtractor()
		p := engine.Start()
		features := e.Of(p.Black, p.White)
		if got := w.Score(&features, p.Black, p.White); got < -eval.Limit || got > eval.Limit {
			t.Errorf("score %d", got)
		}
	})
}

func BenchmarkScore(b *testing.B) {
	p := engine.Start()
	e, w := eval.NewExtractor(), eval.Default(engine.Most)
	f := e.Of(p.Black, p.White)
	for b.Loop() {
		w.Score(&f, p.Black, p.White)
	}
}
