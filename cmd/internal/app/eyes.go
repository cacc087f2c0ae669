package app

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"reversi-board/cmd/internal/flight"
	"reversi-board/engine"
	"reversi-board/engine/referee"
	"reversi-board/hardware"
	"reversi-board/sensing"
)

// Matrix reads all 64 cells of a board at a moment of monotonic time. It fills
// the frame whatever happens; the error only says that nothing could be read.
type Matrix interface {
	Scan(ctx context.Context, now time.Duration, f *hardware.Frame) error
}

// Eyes turn the scans of a board into the referee's inputs. They are used by
// one goroutine, the one that scans, but for Checkup, Calibrated, Moving and Doubt.
type Eyes struct {
	matrix   Matrix
	pipeline *sensing.Pipeline
	// threshold is for boards that measure, nil otherwise.
	threshold *sensing.Threshold
	// lens brings scans of cells to squares. The board was calibrated at
	// calibrated, zero for never.
	lens       sensing.Lens
	calibrated time.Time
	// config are the settings of the pipeline. tape, if not nil, keeps what goes
	// into it; renewed says that it has begun anew since the last scan.
	config  sensing.Config
	tape    *flight.Tape
	renewed bool

	presence bool
	// astray are cells that have been told to have drifted too far.
	astray engine.Bitboard
	frame  hardware.Frame
	inputs []referee.Input
	// doubts are cells to be doubted with the next frame.
	doubts atomic.Uint64
	// settles is when the board will have been quiet for long enough, as far as is
	// known now.
	settles atomic.Int64
	// mu guards checkup, which others may look at.
	mu      sync.Mutex
	checkup Checkup
}

// NewEyes returns eyes that have not seen anything yet. A board that measures
// needs a threshold; it is nil for others.
func NewEyes(m Matrix, c sensing.Config, threshold *sensing.Threshold) *Eyes {
	plain := sensing.Identity("", "")
	return &Eyes{
		lens: plain.Lens(), matrix: m, pipeline: sensing.New(c), threshold: threshold, presence: c.Presence,
		config: c,
		inputs: make([]referee.Input, 0, 8),
	}
}

// adopt goes on as other eyes would that have not seen anything yet: after a
// calibration. The scanner calls it.
func (e *Eyes) adopt(fresh *Eyes) {
	e.pipeline, e.threshold, e.lens = fresh.pipeline, fresh.threshold, fresh.lens
	e.config, e.renewed = fresh.config, true
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calibrated = fresh.calibrated
}

// Calibrated returns when the board was calibrated, zero for never.
func (e *Eyes) Calibrated() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.calibrated
}

// Look scans once and returns what follows from it, valid until the next call.
// An error (nothing could be read) comes together with the inputs that tell so.
func (e *Eyes) Look(ctx context.Context, now time.Duration) ([]referee.Input, error) {
	err := e.matrix.Scan(ctx, now, &e.frame)
	f := sensing.Frame{
		North: engine.Bitboard(e.frame.North), South: engine.Bitboard(e.frame.South),
		Lost: engine.Bitboard(e.frame.Lost), Reset: engine.Bitboard(e.frame.Reset),
	}
	e.lens.Apply(&f, &e.frame.Counts)
	if e.frame.Analog && e.threshold != nil {
		f.North, f.South = e.threshold.Step(now, &e.frame.Counts, f.Lost)
	}
	squares := engine.Bitboard(e.doubts.Swap(0))
	if squares != 0 {
		e.pipeline.Doubt(squares)
	}
	unread := e.lens.Squares(engine.Bitboard(e.frame.Stale))
	e.pipeline.Unread(unread)
	if e.tape != nil {
		e.tell(now, &f, unread, squares)
	}
	out := e.pipeline.Step(now, f)
	e.settles.Store(int64(e.pipeline.SettlesAt()))
	e.note(now, &f)
	e.inputs = e.inputs[:0]
	for _, f := range out.Failed.List() {
		e.inputs = append(e.inputs, referee.CellsFailed{At: now, Squares: f.Squares, Kind: faultKind(f.Kind)})
	}
	for _, f := range out.Back.List() {
		e.inputs = append(e.inputs, referee.CellsBack{At: now, Squares: f.Squares, Kind: faultKind(f.Kind)})
	}
	e.stray(now)
	if r := out.Reading; out.Settled && e.presence {
		e.inputs = append(e.inputs, referee.Felt{
			At: now, Changed: r.ChangedAt, Began: r.BeganAt, Squares: r.Occupied, Lifted: r.Lifted, Lost: r.Lost, Masked: r.Masked,
		})
	} else if out.Settled {
		e.inputs = append(e.inputs, referee.Seen{At: now, Changed: r.ChangedAt, Began: r.BeganAt, Discs: r.Discs, Lost: r.Lost, Masked: r.Masked})
	}
	return e.inputs, err
}

// Moving reports whether at a moment, not long ago, the board was not quiet: what lay
// there then is told by a reading still on its way. Anybody may ask.
func (e *Eyes) Moving(at time.Duration) bool { return time.Duration(e.settles.Load()) > at }

// tell tells the flight recorder what the pipeline is told.
func (e *Eyes) tell(now time.Duration, f *sensing.Frame, unread, doubted engine.Bitboard) {
	if e.renewed {
		e.renewed = false
		e.tape.Renewed(now, &e.config)
	}
	if doubted != 0 {
		e.tape.Doubted(now, doubted)
	}
	e.tape.Frame(now, &flight.Frame{North: f.North, South: f.South, Lost: f.Lost, Reset: f.Reset, Unread: unread})
}

// stray tells of cells that have drifted too far, and of those that have come
// back: after a calibration, or in a room of another temperature.
func (e *Eyes) stray(now time.Duration) {
	var astray engine.Bitboard
	if e.threshold != nil {
		astray = e.threshold.Astray()
	}
	if gone := astray &^ e.astray; gone != 0 {
		e.inputs = append(e.inputs, referee.CellsFailed{At: now, Squares: gone, Kind: referee.Drift})
	}
	if back := e.astray &^ astray; back != 0 {
		e.inputs = append(e.inputs, referee.CellsBack{At: now, Squares: back, Kind: referee.Drift})
	}
	e.astray = astray
}

func faultKind(k sensing.Kind) referee.FaultKind {
	switch k {
	case sensing.Stuck:
		return referee.Stuck
	case sensing.Ghost:
		return referee.Ghost
	case sensing.Flapping:
		return referee.Flapping
	case sensing.BankLost:
		return referee.LostBank
	case sensing.Reset:
		return referee.Reset
	case sensing.Dead:
		return referee.Dead
	default:
		return referee.FaultKind(k)
	}
}
