package app

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"
	"sync"
	"testing"

	paho "github.com/eclipse/paho.mqtt.golang"

	"reversi-board/configs"
)

// discsIn reads a picture of the board: 64 letters as in a state. The squares are
// 1 wide, 0.75 from the left and the top of a picture that is 8.95 wide.
func discsIn(picture image.Image) string {
	var board strings.Builder
	scale := float64(picture.Bounds().Dx()) / 8.95
	for rank := range 8 {
		for file := range 8 {
			at := func(n int) int { return int((0.75 + float64(n) + 0.5) * scale) }
			c := color.NRGBAModel.Convert(picture.At(at(file), at(rank))).(color.NRGBA) //nolint:forcetypeassert // what the model makes
			switch {
			case c.R < 64:
				board.WriteByte('B')
			case c.R > 240:
				board.WriteByte('W')
			default:
				board.WriteByte('-')
			}
		}
	}
	return board.String()
}

// TestPictureOverMQTT: with mqtt.image the picture shows what is on record, is
// kept by the broker, and is small.
func TestPictureOverMQTT(t *testing.T) {
	a, _, _ := launch(t, nil, func(c *configs.Config) { c.MQTT.Image = true })
	var newest latest
	guest(t, a.link.broker.Addr(), "reversi/v1/reversi-1/image", newest.take)
	playOpening(t, a)
	want := shown(t, a).State.Board
	eventually(t, "the picture shows "+want, func() bool {
		picture, err := png.Decode(bytes.NewReader(newest.payload()))
		return err == nil && discsIn(picture) == want && len(newest.payload()) <= 16<<10
	})
	var kept latest
	guest(t, a.link.broker.Addr(), "reversi/v1/reversi-1/image", kept.take)
	eventually(t, "the broker has kept the picture", func() bool {
		kept.mu.Lock()
		defer kept.mu.Unlock()
		return kept.message != nil && kept.message.Retained()
	})
}

// TestNoPictureUnasked: what nobody wants is not published.
func TestNoPictureUnasked(t *testing.T) {
	a, _, _ := launch(t, nil, func(*configs.Config) {})
	var picture latest
	var seen consumer
	guest(t, a.link.broker.Addr(), "reversi/v1/reversi-1/+", func(m paho.Message) {
		if strings.HasSuffix(m.Topic(), "/image") {
			picture.take(m)
		}
		seen.take(m)
	})
	playOpening(t, a)
	want := shown(t, a).State.Board
	eventually(t, "the last state", func() bool { return seen.state().Board == want })
	if picture.payload() != nil {
		t.Errorf("a picture of %d bytes", len(picture.payload()))
	}
}

// latest keeps the newest message.
type latest struct {
	mu      sync.Mutex
	message paho.Message
}

func (l *latest) take(m paho.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.message = m
}

// payload is nil without a message.
func (l *latest) payload() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.message == nil {
		return nil
	}
	return l.message.Payload()
}
