package web

import (
	"encoding/json"
	"sync"
	"time"
)

// The bounds of what is held back.
const (
	// viewStep is how often there is another view for those who get everything
	// later: they lose nothing, since events come one by one.
	viewStep = time.Second
	// maxViews bounds the views that wait; when there are more, the oldest go.
	maxViews = 4096
)

// release holds back what there is to see, and gives it to a hub of its own when
// it is as old as those who are not logged in must wait. It counts monotonic time,
// and begins anew with each start of the program.
//
// What it lets through is what is on record: no lights, no discs in hands, and no
// squares of a problem. A view never comes before the events it is the result of.
type release struct {
	delay time.Duration
	out   *hub
	now   func() time.Time
	wake  chan struct{}

	mu    sync.Mutex
	queue []held
	views int
}

// held is an event, or a view if there is one.
type held struct {
	// due is when it may go. A view that was replaced by a newer one since first
	// goes when the newer one may.
	due, first time.Time
	view       *View
	seq        uint64
	public     []byte
}

func newRelease(delay time.Duration, out *hub) *release {
	return &release{delay: delay, out: out, now: time.Now, wake: make(chan struct{}, 1)}
}

// event holds back an event; public is nil for one that is not for everybody, of
// which only the number is kept. It never waits.
func (r *release) event(seq uint64, public []byte) {
	r.add(held{seq: seq, public: public})
}

// view holds back a view. It never waits.
func (r *release) view(v View) { r.add(held{view: &v}) }

func (r *release) add(h held) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h.first = r.now()
	h.due = h.first.Add(r.delay)
	if h.view != nil {
		if n := len(r.queue) - 1; n >= 0 && r.queue[n].view != nil && h.first.Sub(r.queue[n].first) < viewStep {
			r.queue[n].view, r.queue[n].due = h.view, h.due
			return
		}
		if r.views++; r.views > maxViews {
			r.forget()
		}
	}
	r.queue = append(r.queue, h)
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// forget drops the oldest view; the caller holds the lock.
func (r *release) forget() {
	for i := range r.queue {
		if r.queue[i].view != nil {
			r.queue = append(r.queue[:i], r.queue[i+1:]...)
			r.views--
			return
		}
	}
}

// take removes the oldest that is due, or says when it will be; zero for never.
func (r *release) take(now time.Time) (h held, ok bool, next time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case len(r.queue) == 0:
		return held{}, false, time.Time{}
	case now.Before(r.queue[0].due):
		return held{}, false, r.queue[0].due
	}
	h = r.queue[0]
	r.queue[0] = held{}
	r.queue = r.queue[1:]
	if h.view != nil {
		r.views--
	}
	return h, true, time.Time{}
}

// keep gives out what is due until stop is closed.
func (r *release) keep(stop <-chan struct{}) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-stop:
			return
		case <-r.wake:
		case <-timer.C:
		}
		for {
			h, ok, next := r.take(r.now())
			if !ok {
				if !next.IsZero() {
					timer.Reset(next.Sub(r.now()))
				}
				break
			}
			if h.view != nil {
				r.out.publish(r.plain(h.view))
			} else {
				r.out.event(h.seq, h.public, h.public)
			}
		}
	}
}

// plain returns a view as it is on record, without what the hands are doing.
func (r *release) plain(v *View) View {
	state, board := onRecord(v.State, r.delay)
	out := View{
		State: state, Table: board, Start: v.Start, First: v.First, Sentence: v.Sentence,
		Timing: v.Timing, Opponent: v.Opponent, Evals: v.Evals, Connections: v.Connections,
	}
	for _, a := range v.Alerts {
		a.Squares = nil
		out.Alerts = append(out.Alerts, a)
	}
	return out
}

// onRecord takes out of a state what is not on record, and says how late it is. It
// returns the discs of the state as well.
func onRecord(state []byte, delay time.Duration) (late []byte, board string) {
	var m map[string]json.RawMessage
	if json.Unmarshal(state, &m) != nil || json.Unmarshal(m["board"], &board) != nil {
		return nil, ""
	}
	m["sensed"], m["pending"] = m["board"], json.RawMessage("null")
	m["guide"] = json.RawMessage(`{"flip":[],"place":[],"remove":[]}`)
	m["delayed_s"] = mustJSON(int(delay / time.Second))
	var problem map[string]json.RawMessage
	if json.Unmarshal(m["problem"], &problem) == nil && problem != nil {
		problem["squares"] = json.RawMessage("[]")
		m["problem"] = mustJSON(problem)
	}
	return mustJSON(m), board
}
