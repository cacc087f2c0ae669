package flight

import (
	"slices"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/referee"
	"reversi-board/sensing"
)

// Senser runs the frames of a recording through sensing again. Frames are recorded
// when they change; in between they stay as they are, and are scanned at the rate of
// the settings. The real scans came a little earlier or later, so readings come
// within a few scans of the recorded ones; a disc that rested for hardly longer or
// shorter than the settle time may make one more or one less.
//
// Readings that did not come from sensing (people said where a disc lies) are
// recorded as well, and are not found again.
type Senser struct {
	pipeline *sensing.Pipeline
	config   sensing.Config
	period   time.Duration
	// frame is what the cells say, next when they are scanned again.
	frame Frame
	next  time.Duration
	// blind says that the pipeline did not see the beginning: its first reading is
	// none of the recorded ones.
	blind bool

	recorded, again []Reading
}

// Reading is a settled reading and when it came.
type Reading struct {
	At time.Duration
	// Discs are what lies there; on a board that sees no faces Black are the discs,
	// and White those that have been lifted.
	Discs        engine.Discs
	Lost, Masked engine.Bitboard
}

// tolerance is how many scans a reading may come earlier or later.
const tolerance = 4

// Sensed says how well the readings agree.
type Sensed struct {
	// Readings are those that were recorded, Again those of them that came again.
	Readings, Again int
	// Lost were recorded and did not come again; New came and were not recorded.
	Lost, New []Reading
}

// Sense adds a segment; segments come in their order.
func (x *Senser) Sense(s *Segment) {
	h := &s.Header
	if x.pipeline == nil || !h.Continues {
		x.period = time.Second / time.Duration(max(h.About.ScanHz, 1))
		x.begin(sensing.Config(h.About.Sensing), h.Reason != Started)
		x.next = h.At
		x.frame = Frame{}
	}
	if h.Frame != nil {
		x.frame = *h.Frame
	}
	// Before the first scan there is nothing to be scanned.
	seen := h.Frame != nil
	for i := 0; i < len(s.Records); i++ {
		r := &s.Records[i]
		if r.Step != nil {
			x.note(r.Step.Input)
			continue
		}
		if seen {
			x.until(r.At)
		}
		seen = true
		x.tell(r)
		// What one scan has told stands together.
		if next := i + 1; next < len(s.Records) && s.Records[next].Step == nil && s.Records[next].At == r.At {
			continue
		}
		x.scan(r.At)
	}
	if n := len(s.Records); n > 0 && seen {
		x.until(s.Records[n-1].At + x.period) // the last reading came with a scan
	}
}

func (x *Senser) begin(c sensing.Config, blind bool) {
	x.config, x.pipeline, x.blind = c, sensing.New(c), blind
}

// tell takes a record of the scanner in.
func (x *Senser) tell(r *Record) {
	switch {
	case r.Renewed != nil:
		x.begin(*r.Renewed, false)
	case r.Doubt != nil:
		x.pipeline.Doubt(*r.Doubt)
	case r.Frame != nil:
		x.frame = *r.Frame
	}
}

// until scans what has not changed up to a moment, which itself is left out.
func (x *Senser) until(at time.Duration) {
	for x.next <= at-x.period/2 {
		x.scan(x.next)
	}
}

func (x *Senser) scan(at time.Duration) {
	x.pipeline.Unread(x.frame.Unread)
	out := x.pipeline.Step(at, sensing.Frame{North: x.frame.North, South: x.frame.South, Lost: x.frame.Lost, Reset: x.frame.Reset})
	x.frame.Reset = 0
	x.next = at + x.period
	if !out.Settled {
		return
	}
	if x.blind {
		x.blind = false
		return
	}
	r := Reading{At: at, Discs: out.Reading.Discs, Lost: out.Reading.Lost, Masked: out.Reading.Masked}
	if x.config.Presence {
		r.Discs = engine.Discs{Black: out.Reading.Occupied, White: out.Reading.Lifted}
	}
	x.again = append(x.again, r)
}

// note keeps a reading that was recorded.
func (x *Senser) note(in referee.Input) {
	switch in := in.(type) {
	case referee.Seen:
		x.recorded = append(x.recorded, Reading{At: in.At, Discs: in.Discs, Lost: in.Lost, Masked: in.Masked})
	case referee.Felt:
		x.recorded = append(x.recorded, Reading{
			At: in.At, Discs: engine.Discs{Black: in.Squares, White: in.Lifted}, Lost: in.Lost, Masked: in.Masked,
		})
	case referee.CellsFailed, referee.CellsBack, referee.PowerOn, referee.Tick, referee.Pressed, referee.WallStepped,
		referee.Suggested, referee.EngineGone, referee.Command:
	}
}

// same reports whether two readings say the same where they say anything.
func (r *Reading) same(o *Reading) bool {
	known := ^(r.Lost | r.Masked)
	return r.Lost == o.Lost && r.Masked == o.Masked && (r.Discs.Black^o.Discs.Black)&known == 0 && (r.Discs.White^o.Discs.White)&known == 0
}

// Result compares the readings.
func (x *Senser) Result() Sensed {
	res := Sensed{Readings: len(x.recorded)}
	left := slices.Clone(x.again)
	for i := range x.recorded {
		r := &x.recorded[i]
		n := slices.IndexFunc(left, func(o Reading) bool {
			d := o.At - r.At
			return d.Abs() <= tolerance*x.period && r.same(&o)
		})
		if n < 0 {
			res.Lost = append(res.Lost, *r)
			continue
		}
		res.Again++
		left = slices.Delete(left, n, n+1)
	}
	res.New = left
	return res
}
