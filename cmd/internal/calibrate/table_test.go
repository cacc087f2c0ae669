package calibrate_test

import (
	"context"
	"strings"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/calibrate"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/engine/referee"
	"reversi-board/hardware"
	"reversi-board/hardware/sim"
	"reversi-board/sensing"
)

// bench is a simulated board of any kind with a person at it, on a virtual
// clock.
type bench struct {
	config *configs.Config
	sim    *sim.Board
	rig    *app.Rig
	walk   *calibrate.Walk
	hand   *calibrate.Hand
	now    time.Duration
	// read is the last reading, but for what is masked.
	read   engine.Discs
	masked engine.Bitboard
	// plain stores without corrections.
	plain bool
	// instead, if not nil, acts in place of the person.
	instead func(v *calibrate.View) (calibrate.Answer, error)
	// watch, if not nil, sees every view.
	watch func(now time.Duration, v *calibrate.View)
}

// fataler is what a test and a property test have in common.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// setup says what board it is and how it is walked.
type setup struct {
	profile string
	seed    uint64
	quick   bool
	discs   int
	// solder makes a builder's mistakes before, plant faults after the board is
	// built.
	solder func(w *sim.Wiring)
	plant  func(b *sim.Board)
	// options changes the simulated board.
	options func(o *sim.Options)
}

func newBench(t fataler, s setup) *bench {
	t.Helper()
	text, err := configs.Profile(s.profile + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := configs.Parse(s.profile, text)
	if err != nil {
		t.Fatal(err)
	}
	c.Hardware.Simulation = configs.Simulation{Enabled: true, Seed: s.seed, Noise: 0.05, Bounce: true}
	b := &bench{config: c}
	w := app.Soldered(&c.Hardware)
	if s.solder != nil {
		s.solder(w)
	}
	o := sim.Options{Seed: s.seed, Noise: 0.05, Bounce: true, Wiring: w, Now: b.clock}
	if s.options != nil {
		s.options(&o)
	}
	b.sim = sim.New(o)
	b.rig, err = app.OpenRig(&c.Hardware, app.RigOptions{Sim: b.sim, Now: b.clock, Sleep: b.sleep, Inline: true})
	if err != nil {
		t.Fatal(err)
	}
	if s.plant != nil {
		s.plant(b.sim)
	}
	options := app.WalkOptions(c)
	options.Quick, options.Discs = s.quick, s.discs
	if b.walk, err = calibrate.New(options); err != nil {
		t.Fatal(err)
	}
	b.hand = calibrate.NewHand(b.sim, c.Hardware.NorthIsBlack, !s.quick || options.Senses == calibrate.Presence)
	return b
}

func (b *bench) clock() time.Duration { return b.now }

func (b *bench) sleep(ctx context.Context, d time.Duration) error {
	b.now += d
	b.sim.Advance(b.now)
	return ctx.Err()
}

// limit is when a person has lost patience.
const limit = 2 * time.Hour

// run walks until the walk is over.
func (b *bench) run(t fataler) (calibrate.View, sensing.Calibration) {
	t.Helper()
	var f hardware.Frame
	v := b.walk.View()
	for next := b.now; v.Stage < calibrate.Agreed; {
		if b.now > limit {
			t.Fatalf("after %v: %v %q %q, missing %v", b.now, v.Stage, v.Text, v.Note, v.Missing)
		}
		next = max(next+b.config.Sensing.Period(), b.now)
		b.now = next
		b.sim.Advance(b.now)
		_ = b.rig.Matrix.Scan(context.Background(), b.now, &f)
		if b.rig.Reed != nil {
			b.walk.Accuse(engine.Bitboard(b.rig.Reed.Stats().Shorted))
		}
		b.walk.Step(b.now, &f, calibrate.Silence)
		v = b.walk.View()
		if _, _, err := b.rig.Lights.Show(&v.Scene, b.now); err != nil {
			t.Fatal(err)
		}
		a, err := b.act(&v)
		if err != nil {
			t.Fatal(err)
		}
		if a == calibrate.Store && b.plain {
			a = calibrate.StorePlain
		}
		if a != calibrate.Silence {
			b.walk.Step(b.now, nil, a)
			v = b.walk.View()
		}
		if b.watch != nil {
			b.watch(b.now, &v)
		}
	}
	c, err := b.walk.Calibration(time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return v, c
}

// settled looks at the board for a while and returns the last reading.
func (b *bench) settled(t fataler, eyes *app.Eyes, d time.Duration) (engine.Discs, engine.Bitboard) {
	t.Helper()
	for until := b.now + d; b.now < until; {
		b.now += b.config.Sensing.Period()
		b.sim.Advance(b.now)
		inputs, err := eyes.Look(context.Background(), b.now)
		must(t, err)
		for _, in := range inputs {
			if in, ok := in.(referee.Seen); ok {
				b.read, b.masked = in.Discs, in.Masked|in.Lost
			}
			if in, ok := in.(referee.Felt); ok {
				b.read, b.masked = engine.Discs{Black: in.Squares}, in.Masked|in.Lost
			}
		}
	}
	return b.read, b.masked
}

// act lets the person, or whoever is in its place, do something.
func (b *bench) act(v *calibrate.View) (calibrate.Answer, error) {
	if b.instead != nil {
		return b.instead(v)
	}
	return b.hand.Look(b.now, v)
}

// told lists the findings as "kind squares", in order.
func told(r *calibrate.Report) string {
	var lines []string
	for _, f := range r.Findings {
		if f.Kind == calibrate.Untested {
			continue
		}
		lines = append(lines, string(f.Kind)+" "+f.Squares.String())
	}
	return strings.Join(lines, "; ")
}
