package virtual

import (
	"context"
	"time"

	"reversi-board/display/oled"
	"reversi-board/engine/referee"
	panel "reversi-board/hardware/oled"
)

// screen is the small display, which is sent a part of a picture after every
// scan.
type screen struct {
	panel   *panel.Panel
	painter *oled.Painter
	view    oled.View
	image   oled.Image
	drawn   bool
}

func newScreen(p *panel.Panel) (*screen, error) {
	painter, err := oled.New()
	if err != nil {
		return nil, err
	}
	return &screen{panel: p, painter: painter}, nil
}

// step shows what there is to say. A display that fails is tried again for ever,
// and nothing waits for it.
func (s *screen) step(state *referee.State, now time.Duration) {
	if view := oled.Compose(oled.Input{State: state, Clocks: oled.Clocks(state, now)}); view != s.view || !s.drawn {
		s.view, s.drawn = view, true
		s.painter.Render(&s.view, &s.image)
		s.panel.Show((*[oled.Width]uint64)(&s.image))
	}
	_, _ = s.panel.Step(context.Background(), now)
}
