package web

import (
	"bytes"
	"net/http"
	"sync/atomic"
	"time"
)

// sight counts the open streams of a view: of the game, the health of the board, a
// calibration, a tournament. Those of visitors who are logged in are counted apart,
// so that guests cannot take their place.
type sight struct{ guests, members atomic.Int32 }

// maxMembers bounds the open streams of a view of visitors who are logged in, all
// together.
const maxMembers = 256

// enter counts a stream of a visitor, of whose kind there are most if it is a guest.
// It returns nil if there are too many, or else what takes it off again.
func (v *sight) enter(who visitor, most int) (leave func()) {
	open := &v.guests
	if who.loggedIn() {
		open, most = &v.members, maxMembers
	}
	leave = func() { open.Add(-1) }
	if int(open.Add(1)) > most {
		leave()
		return nil
	}
	return leave
}

// stream sends one snapshot after the other, whenever there is something new, until
// the reader goes, his login or the server ends. At most this many are open; what
// names the view for who comes too late. No silence is longer than beat.
//
// next returns a snapshot, and what is closed when there is another one; where that
// is nil it is asked again at every beat. A reader that does not keep up is cut off
// by the deadline of a write.
func (v *sight) stream(s *Server, w http.ResponseWriter, r *http.Request, what string, most int, beat time.Duration,
	next func() (text []byte, news <-chan struct{}),
) {
	leave := v.enter(who(r), most)
	if leave == nil {
		w.Header().Set("Retry-After", "10")
		http.Error(w, "too many open "+what+" views, please close some", http.StatusServiceUnavailable)
		return
	}
	defer leave()
	stretch(w)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	p := pipe{w: w, c: http.NewResponseController(w)}
	p.buf.WriteString("retry: 1000\n\n")
	ticks := time.NewTicker(beat)
	defer ticks.Stop()
	var loggedOut <-chan struct{}
	if session := who(r).session; session != nil {
		loggedOut = session.ended
	}
	text, news := next()
	p.buf.Write(message("snapshot", "", text))
	for p.flush() == nil {
		again := true
		select {
		case <-r.Context().Done():
			return
		case <-s.stop:
			return
		case <-loggedOut:
			return
		case <-news:
		case <-ticks.C:
			again = news == nil
		}
		last := text
		if again {
			text, news = next()
		}
		if bytes.Equal(text, last) {
			p.buf.WriteString(": same\n\n")
		} else {
			p.buf.Write(message("snapshot", "", text))
		}
	}
}
