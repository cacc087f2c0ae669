package web

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"
)

// frameTime is the shortest time between two pictures, of the LEDs or of all
// there is to see, on one stream. A first change is never held back.
const frameTime = 40 * time.Millisecond

// stream answers GET /api/v1/stream.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("Last-Event-ID")
	if id == "" {
		id = r.URL.Query().Get("last") // for readers that cannot set headers
	}
	v := who(r)
	from := s.hubOf(v)
	leave := s.streams.enter(v, s.o.MaxStreams)
	if leave == nil {
		w.Header().Set("Retry-After", "10")
		http.Error(w, "too many open pages, please close some", http.StatusServiceUnavailable)
		return
	}
	defer leave()
	reader := from.join(id, s.you(v), v.kind())
	defer from.leave(reader)
	stretch(w)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Cookie, Authorization")
	h.Set("X-Accel-Buffering", "no") // a proxy must not collect messages
	p := pipe{w: w, c: http.NewResponseController(w)}
	// The retry line is for plain EventSource readers.
	p.buf.WriteString("retry: 1000\n\n")
	if p.flush() != nil {
		return
	}
	ctx := r.Context()
	if v.session != nil {
		// Who is logged out sees no more than others.
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, v.session.until)
		defer cancel()
		reader.ended = v.session.ended
	}
	s.pump(ctx, from, reader, &p)
}

// pump writes to p what r has not seen of a hub until either side has gone.
func (s *Server) pump(ctx context.Context, from *hub, r *reader, p *pipe) {
	beat := time.NewTimer(s.o.Heartbeat)
	defer beat.Stop()
	frame := time.NewTimer(0)
	defer frame.Stop()
	ready := false // the next picture may be sent
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.stop:
			return
		case <-r.ended:
			return
		case <-frame.C:
			ready = true
		case <-r.wake:
		case <-beat.C:
			p.buf.WriteString(": beat\n\n")
		}
		b := from.take(r, !ready)
		if !b.empty() {
			from.write(&p.buf, b, r)
		}
		if b.view != nil || b.leds != nil {
			ready = false
			frame.Reset(frameTime)
		}
		if p.buf.Len() == 0 {
			continue
		}
		if p.flush() != nil {
			// The reader has gone or stands still; it will come back with
			// the last id it has seen.
			return
		}
		beat.Reset(s.o.Heartbeat)
	}
}

// stretch takes the deadline of the request off a stream, whose every write has one
// of its own. A test's recorder has no deadlines; a server always has.
func stretch(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Time{})
}

// pipe writes to a stream with a deadline for every write.
type pipe struct {
	w   http.ResponseWriter
	c   *http.ResponseController
	buf bytes.Buffer
}

func (p *pipe) flush() error {
	defer p.buf.Reset()
	err := p.c.SetWriteDeadline(time.Now().Add(writeTimeout))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := p.w.Write(p.buf.Bytes()); err != nil {
		return err
	}
	return p.c.Flush()
}
