package doctor_test

import (
	"context"
	"testing"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/calibrate"
	"reversi-board/cmd/internal/doctor"
	"reversi-board/configs"
	"reversi-board/hardware/sim"
)

// On the real clock, as at a real board: the buses have their owners, the buzzer
// and the interrupt line are listened to on goroutines, and nothing hangs.
func TestRealTime(t *testing.T) {
	t.Parallel()
	c := settings(t, "hall-128")
	began := time.Now()
	now := func() time.Duration { return time.Since(began) }
	board := sim.New(sim.Options{Seed: 3, Noise: 0.05, Wiring: app.Soldered(&c.Hardware), Now: now})
	wait := func(ctx context.Context, d time.Duration) error {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			board.Advance(now())
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := board.FailCell(20, sim.CellFault{Kind: sim.BothActive}); err != nil {
		t.Fatal(err)
	}
	board.Advance(0)
	c.Hardware.Simulation.Enabled = false
	listening := false
	r, err := doctor.Run(t.Context(), doctor.Options{
		Config: c, DataDir: t.TempDir(), Sim: board, Clock: doctor.Clock{Now: now, Sleep: wait, Wait: wait},
		Only: []string{"bus", "chips", "cells", "leds", "display", "buttons", "buzzer"}, System: computer(pi5(nil), nil),
		Hands: &impatient{},
		Open: func(h *configs.Hardware, o app.RigOptions) (*app.Rig, error) {
			here := *h
			here.Simulation.Enabled = true
			rig, err := app.OpenRig(&here, o)
			if err == nil {
				rig.Sim = nil // As on a real board.
				rig.Interrupt = func(ctx context.Context) error {
					listening = true
					<-ctx.Done()
					return ctx.Err()
				}
			}
			return rig, err
		},
	})
	// Chips that take no time are faster than any bus.
	if err != nil || told(r) != want("bus /dev/i2c-1 fast", "cell e3 both") && told(r) != "cell e3 both" {
		t.Errorf("%v: %s", err, told(r))
	}
	if !listening {
		t.Error("nobody listened to the interrupt line")
	}
	if begun, on := board.Buzzer().Sounds(); begun != 2 || on {
		t.Errorf("the buzzer sounded %d times, still on: %v", begun, on)
	}
	left(t, board, c.Hardware.Expanders.Chip, nil, r)
}

// impatient is a person who has had enough at once.
type impatient struct{}

func (impatient) Follow(_ time.Duration, v *calibrate.View) doctor.Reply {
	if v.Stage == calibrate.Clearing {
		return doctor.Reply{Said: doctor.Yes}
	}
	return doctor.Reply{Said: doctor.Enough}
}

func (impatient) Answer(time.Duration, *doctor.Question) doctor.Reply {
	return doctor.Reply{Said: doctor.Enough}
}
