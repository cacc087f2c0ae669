package calibrate

import (
	"context"
	"fmt"
	"time"

	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/hardware"
)

// Board reads all cells, see app.Matrix.
type Board interface {
	Scan(ctx context.Context, now time.Duration, f *hardware.Frame) error
}

// Lights show a scene, see app.Lights.
type Lights interface {
	Show(scene *display.Scene, now time.Duration) (sent bool, again time.Duration, err error)
}

// Session is a walk on a board with lights. It is for one goroutine.
type Session struct {
	walk   *Walk
	board  Board
	lights Lights
	// accused returns the cells whose diode the driver suspects, nil if there are
	// no diodes.
	accused func() uint64
	frame   hardware.Frame
	view    View
}

// NewSession returns a walk on a board; lights may be nil, and accused is for
// boards with diodes only.
func NewSession(w *Walk, b Board, l Lights, accused func() uint64) *Session {
	return &Session{walk: w, board: b, lights: l, accused: accused, view: w.View()}
}

// Turn scans once, takes an answer, if there is one, and lights what there is to
// see. The view is valid until the next call; changed says that it is new. An
// error of the lights is one that can be lived with: everything is said as well.
func (s *Session) Turn(ctx context.Context, now time.Duration, a Answer) (v *View, changed bool, err error) {
	// What could not be read is lost in the frame.
	_ = s.board.Scan(ctx, now, &s.frame)
	if s.accused != nil {
		s.walk.Accuse(engine.Bitboard(s.accused()))
	}
	if changed = s.walk.Step(now, &s.frame, a); changed {
		s.view = s.walk.View()
	}
	if s.lights != nil {
		if _, _, err = s.lights.Show(&s.view.Scene, now); err != nil {
			err = fmt.Errorf("light the squares: %w", err)
		}
	}
	return &s.view, changed, err
}
