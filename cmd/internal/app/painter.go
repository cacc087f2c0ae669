package app

import (
	"bytes"
	"context"
	"log/slog"
	"sync"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/mqtt"
)

// pictureSize is the side of the picture on MQTT in pixels. At this size no
// position takes more than the 16 KB that the contract allows.
const pictureSize = 320

// painter draws the position on record for the topic image, on a goroutine of its
// own: drawing takes a Raspberry Pi longer than the loop may wait. The loop says
// what there is to draw, and the latest wins. Without out it does nothing.
type painter struct {
	log *slog.Logger
	out interface {
		Show(t mqtt.Topic, payload []byte)
	}
	wake chan struct{}

	// shown belongs to the loop: what was asked for last.
	shown engine.Position
	any   bool

	mu   sync.Mutex
	next engine.Position
}

func newPainter(log *slog.Logger) *painter {
	return &painter{log: log, wake: make(chan struct{}, 1)}
}

// show asks for a picture of a position, unless it is the one asked for last.
func (p *painter) show(at engine.Position) {
	if p.out == nil || p.any && p.shown == at {
		return
	}
	p.shown, p.any = at, true
	p.mu.Lock()
	p.next = at
	p.mu.Unlock()
	nudge(p.wake)
}

// keep draws until ctx ends.
func (p *painter) keep(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		p.mu.Lock()
		at := p.next
		p.mu.Unlock()
		var picture bytes.Buffer
		if err := notation.PositionDiagram(at).PNG(&picture, pictureSize); err != nil {
			p.log.Error("draw the board", "error", err)
			continue
		}
		p.out.Show(mqtt.Image, picture.Bytes())
	}
}
