package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"reversi-board/cmd/internal/calibrate"
	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/hardware"
	"reversi-board/hardware/sim"
	"reversi-board/sensing"
)

// CalibrateSimulated returns the calibration of the simulated board of the
// settings, if it is one that measures: as if somebody had calibrated it before.
// It is read through the real driver from a second board with the same parts, on
// a virtual clock. Boards that do not measure need none: nil.
func CalibrateSimulated(c *configs.Config) (cal *sensing.Calibration, err error) {
	if c.Hardware.Kind != configs.HallAnalog {
		return nil, nil //nolint:nilnil // no calibration, and no mistake
	}
	var now time.Duration
	clock := func() time.Duration { return now }
	s := c.Hardware.Simulation
	board := sim.New(sim.Options{Seed: s.Seed, Noise: s.Noise, Bounce: s.Bounce, Wiring: Soldered(&c.Hardware), Now: clock})
	rig, err := OpenRig(&c.Hardware, RigOptions{
		Sim: board, Now: clock, Inline: true,
		Sleep: func(ctx context.Context, d time.Duration) error {
			now += d
			board.Advance(now)
			return ctx.Err()
		},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rig.Close()) }()
	scan := func() (f hardware.Frame) {
		now += c.Sensing.Period()
		board.Advance(now)
		// What could not be read is lost, and waited for.
		_ = rig.Matrix.Scan(context.Background(), now, &f)
		return f
	}
	faces := [...]sim.Face{calibrate.Nothing: sim.NoDisc, calibrate.NorthDown: sim.NorthUp, calibrate.SouthDown: sim.SouthUp}
	levels, err := calibrate.Whole(func(l calibrate.Lying) {
		var all [engine.Squares]sim.Face
		for i := range all {
			all[i] = faces[l]
		}
		board.Set(all)
		// The scan that runs has begun before.
		scan()
	}, scan)
	if err != nil {
		return nil, fmt.Errorf("calibrate the simulated board: %w", err)
	}
	plain := sensing.Identity(WiringOf(&c.Hardware))
	plain.Measured, plain.Levels = true, levels
	return &plain, nil
}
