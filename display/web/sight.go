package web

import (
	"bytes"
	"net/http"
	"sync"
	"time"
)

// sight counts the open streams of a view: of the game, the health of the board, a
// calibration, a tournament. Each session has places of its own, and so has each role
// without one: neither viewers nor a player can take those of an arbiter.
type sight struct {
	mu   sync.Mutex
	open map[place]int
}

// place says whose streams are counted together; session is nil for those without.
type place struct {
	role    Role
	session *session
}

// maxOfSession bounds the open streams of a view of one session.
const maxOfSession = 16

// enter counts a stream of a visitor, of whose role there are most without a session.
// It returns nil if there are too many, or else what takes it off again.
func (v *sight) enter(who visitor, most int) (leave func()) {
	if who.session != nil {
		most = maxOfSession
	}
	whose := place{who.role, who.session}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.open[whose] >= most {
		return nil
	}
	if v.open == nil {
		v.open = make(map[place]int)
	}
	v.open[whose]++
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.open[whose]--; v.open[whose] == 0 {
			delete(v.open, whose)
		}
	}
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
