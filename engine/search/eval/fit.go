package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"reversi-board/engine"
)

// Sample is a position with what it is worth.
type Sample struct {
	// Own are the discs of the side to move, Opp those of the other side.
	Own, Opp engine.Bitboard
	// Score is the final score in discs for the side to move.
	Score float32
	// Held says that the sample is held back: it is not learned from but used
	// to measure the error.
	Held bool
}

// FitOptions are the settings of Fit.
type FitOptions struct {
	// Seed orders the samples.
	Seed uint64
	// Epochs is how often every sample is seen.
	Epochs int
	// Rate is how far the weights of one sample are moved at first towards its
	// score; it falls to a tenth.
	Rate float64
	// Overlap is how many discs before and after a stage samples are also
	// taken from, so that stages join smoothly.
	Overlap int
	// Report is told the errors of every stage.
	Report func(StageError)
}

// StageError is how well the weights of a stage foretell scores, in discs.
type StageError struct {
	// Stage is the number of the stage.
	Stage int
	// Learned and Held are the numbers of samples.
	Learned, Held int
	// RMS is the root of the mean squared error on the held samples, Mean the
	// mean absolute error, Spread the root mean square of the scores
	// themselves.
	RMS, Mean, Spread float64
}

// String returns the line for the log.
func (e StageError) String() string {
	return fmt.Sprintf("stage %2d: %7d learned, %6d held back, error rms %5.2f mean %5.2f (scores %5.2f)",
		e.Stage, e.Learned, e.Held, e.RMS, e.Mean, e.Spread)
}

// Fit learns weights from samples: stochastic gradient descent on the squared
// error, every stage by itself. The same samples and options give the same
// weights. It ends early with an error when ctx ends.
func Fit(ctx context.Context, samples []Sample, o FitOptions) (*Weights, error) {
	w := newWeights()
	names := newParameters()
	for n := range w.stages {
		f := fitter{names: names, stage: n, random: rand.New(rand.NewPCG(o.Seed, uint64(n)))} //nolint:gosec // Chance that must repeat.
		for i := range samples {
			s := &samples[i]
			empties := 64 - (s.Own | s.Opp).Count()
			if StageOf(empties) == n || StageOf(empties-o.Overlap) == n || StageOf(empties+o.Overlap) == n {
				f.add(s)
			}
		}
		if err := f.learn(ctx, o); err != nil {
			return nil, err
		}
		if o.Report != nil {
			o.Report(f.errors())
		}
		f.write(&w.stages[n])
	}
	w.mirror()
	return w, nil
}

// active is how many parameters a position has: one for every pattern in every
// place, two for the moves and one for the tempo.
const active = (words-1)*lanes + 2 + 3

// parameters numbers the weights of a stage; mirrored contents share a number.
type parameters struct {
	e       Extractor
	numbers [patterns][]int32
	// pattern is the pattern of every lane, in the order of Features.
	pattern         [words]int
	own, opp, tempo int32
	count           int
}

func newParameters() *parameters {
	p := &parameters{e: NewExtractor()}
	for n, s := range shapes() {
		for place := 0; place < len(s.places); place += lanes {
			p.pattern[s.word+place/lanes] = n
		}
		twins := s.twin()
		p.numbers[n] = make([]int32, len(twins))
		for index, twin := range twins {
			if index <= twin {
				p.numbers[n][index] = int32(p.count)
				p.count++
			}
		}
		for index, twin := range twins {
			p.numbers[n][index] = p.numbers[n][min(index, twin)]
		}
	}
	p.own = int32(p.count)
	p.opp = p.own + moves
	p.tempo = p.opp + moves
	p.count += 2*moves + stageLength
	return p
}

// of returns the parameters of a position.
func (p *parameters) of(own, opp engine.Bitboard) [active]int32 {
	var list [active]int32
	f := p.e.Of(own, opp)
	n := 0
	for w, word := range f {
		for lane := range lanes {
			if p.pattern[w] == diagonal8 && lane >= 2 {
				break
			}
			list[n] = p.numbers[p.pattern[w]][uint16(word>>(16*lane))]
			n++
		}
	}
	list[n] = p.own + int32(engine.LegalMoves(own, opp).Count()&(moves-1))
	list[n+1] = p.opp + int32(engine.LegalMoves(opp, own).Count()&(moves-1))
	list[n+2] = p.tempo + int32((64-(own|opp).Count())%stageLength)
	return list
}

// fitter learns one stage.
type fitter struct {
	names  *parameters
	stage  int
	random *rand.Rand
	lists  [][active]int32
	scores []float32
	held   []Sample
	weight []float32
}

func (f *fitter) add(s *Sample) {
	if s.Held {
		if StageOf(64-(s.Own|s.Opp).Count()) == f.stage {
			f.held = append(f.held, *s)
		}
		return
	}
	f.lists = append(f.lists, f.names.of(s.Own, s.Opp))
	f.scores = append(f.scores, s.Score)
}

func (f *fitter) learn(ctx context.Context, o FitOptions) error {
	f.weight = make([]float32, f.names.count)
	order := f.random.Perm(len(f.lists))
	for epoch := range o.Epochs {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("fit the weights: %w", err)
		}
		f.random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		fall := math.Pow(0.1, float64(epoch)/float64(max(o.Epochs-1, 1)))
		rate := float32(o.Rate * fall / active)
		for _, i := range order {
			list := &f.lists[i]
			step := (f.scores[i] - f.sum(list)) * rate
			for _, n := range list {
				f.weight[n] += step
			}
		}
	}
	return nil
}

func (f *fitter) sum(list *[active]int32) float32 {
	var sum float32
	for _, n := range list {
		sum += f.weight[n]
	}
	return sum
}

func (f *fitter) errors() StageError {
	e := StageError{Stage: f.stage, Learned: len(f.lists), Held: len(f.held)}
	for i := range f.held {
		s := &f.held[i]
		list := f.names.of(s.Own, s.Opp)
		d := float64(s.Score - max(-64, min(64, f.sum(&list))))
		e.RMS += d * d
		e.Mean += math.Abs(d)
		e.Spread += float64(s.Score) * float64(s.Score)
	}
	n := float64(max(len(f.held), 1))
	e.RMS, e.Mean, e.Spread = math.Sqrt(e.RMS/n), e.Mean/n, math.Sqrt(e.Spread/n)
	return e
}

// write rounds the weights into a stage.
func (f *fitter) write(s *stage) {
	round := func(n int32) int16 {
		return int16(max(-math.MaxInt16, min(math.MaxInt16, math.Round(float64(f.weight[n])*Unit))))
	}
	for p := range s.pattern {
		for index := range s.pattern[p] {
			s.pattern[p][index] = round(f.names.numbers[p][index])
		}
	}
	for n := range moves {
		s.own[n], s.opp[n] = round(f.names.own+int32(n)), round(f.names.opp+int32(n))
	}
	for n := range stageLength {
		s.tempo[n] = round(f.names.tempo + int32(n))
	}
}
