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

	mu sync.Mutex
	// next is what was asked for last, nil for nothing yet.
	next *engine.Position
}

func newPainter(log *slog.Logger) *painter {
	return &painter{log: log, wake: make(chan struct{}, 1)}
}

// show asks for a picture of a position, unless it is the one asked for last.
func (p *painter) show(at engine.Position) {
	if p.out == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == nil || *p.next != at {
		next := at
		p.next = &next
		nudge(p.wake)
	}
}

// keep draws until ctx ends.
func (p *painter) keep(ctx context.Context) {
	if p.out == nil {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		p.mu.Lock()
		at := *p.next
		p.mu.Unlock()
		var picture bytes.Buffer
		if err := notation.PositionDiagram(at).PNG(&picture, pictureSize); err != nil {
			p.log.Error("draw the board", "error", err)
			continue
		}
		p.out.Show(mqtt.Image, picture.Bytes())
	}
}
