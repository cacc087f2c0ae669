package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// delayed is guarded, with a minute's delay.
func delayed(o *Options) {
	guarded(o)
	o.Delay = time.Minute
}

const liveState = `{"seq":1,"board":"BW","sensed":"B-","pending":{"move":"d3"},"guide":{"flip":["d4"],"place":[],"remove":[]},` +
	`"problem":{"active":true,"code":"flips_pending","squares":["d4"],"since":null},"transcript":"f5"}`

// TestViewersSeeItLater: nothing that is for everybody leaves before its time: not
// on the stream, not as the newest state, not after a lost connection. Who is logged
// in sees it at once.
func TestViewersSeeItLater(t *testing.T) {
	bubble(t, delayed, func(t *testing.T, s *Server, w *wire) {
		c := entered(t, s, forArbiter, "Ana", "")
		arbiter := dialWith(t, w, "/api/v1/stream", "Cookie: "+c.Name+"="+c.Value+"\r\n", "")
		defer arbiter.close()
		viewer := dial(t, w, "")
		arbiter.want("snapshot")
		if m := viewer.want("snapshot"); !strings.Contains(m.data, `"delay_s":60`) {
			t.Errorf("a viewer gets %s", m.data)
		}
		begin := time.Now()
		s.LEDs([64]RGB{0: {255, 0, 0}})
		s.Event(1, fact(t, 1))
		s.Publish(View{State: []byte(liveState), Sentence: "Turn d4.", Alerts: []Alert{{Code: "led", Squares: []string{"a1"}}}})
		arbiter.want("event")
		if m := arbiter.want("view"); time.Since(begin) > time.Second || !strings.Contains(m.data, `"sensed":"B-"`) {
			t.Errorf("after %v the arbiter gets %s", time.Since(begin), m.data)
		}
		newest := func() string { return ask(s, http.MethodGet, "/api/v1/state", "", nil).Body.String() }
		time.Sleep(30 * time.Second)
		if got := newest(); strings.Contains(got, "f5") {
			t.Errorf("half a minute later everybody may ask for %s", got)
		}
		// The connection is lost, and comes back.
		last := viewer.last
		viewer.close()
		viewer = dial(t, w, last)
		defer viewer.close()
		m := viewer.want("event")
		if late := time.Since(begin); late < time.Minute || late > time.Minute+time.Second || seqOf(t, m) != 1 {
			t.Errorf("after %v a viewer gets %s", late, m.data)
		}
		m = viewer.want("view")
		if late := time.Since(begin); late < time.Minute || late > time.Minute+time.Second {
			t.Errorf("after %v a viewer gets %s", late, m.data)
		}
		checkOnRecord(t, m.data)
		if got := newest(); !strings.Contains(got, `"transcript":"f5"`) {
			t.Errorf("a minute later everybody may ask for %s", got)
		}
		if got := dial(t, w, "").want("snapshot").data; strings.Contains(got, `"leds":"/wAA`) {
			t.Errorf("the lights are shown: %s", got)
		}
	})
}

// checkOnRecord looks at what is left of liveState.
func checkOnRecord(t *testing.T, text string) {
	t.Helper()
	var v struct {
		State struct {
			Board      string          `json:"board"`
			Sensed     string          `json:"sensed"`
			Pending    json.RawMessage `json:"pending"`
			Transcript string          `json:"transcript"`
			Delayed    int             `json:"delayed_s"`
			Guide      struct {
				Flip []string `json:"flip"`
			} `json:"guide"`
			Problem struct {
				Code    string   `json:"code"`
				Squares []string `json:"squares"`
			} `json:"problem"`
		} `json:"state"`
		Table  string  `json:"table"`
		Alerts []Alert `json:"alerts"`
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	s := v.State
	if s.Board != "BW" || s.Sensed != "BW" || v.Table != "BW" || string(s.Pending) != "null" || s.Transcript != "f5" || s.Delayed != 60 ||
		len(s.Guide.Flip) != 0 || s.Problem.Code != "flips_pending" || len(s.Problem.Squares) != 0 ||
		len(v.Alerts) != 1 || v.Alerts[0].Code != "led" || v.Alerts[0].Squares != nil {
		t.Errorf("what is not on record is shown: %s", text)
	}
}

// TestClockOfViewers: the clock of the board is as late as all the rest, so that the
// clocks of the game are counted on rightly.
func TestClockOfViewers(t *testing.T) {
	bubble(t, delayed, func(t *testing.T, s *Server, w *wire) {
		time.Sleep(5 * time.Minute)
		type clock struct {
			Epoch string `json:"epoch"`
			Now   int64  `json:"now_ms"`
		}
		at := func(change func(r *http.Request)) (v clock) {
			if err := json.Unmarshal(ask(s, http.MethodGet, "/api/v1/time", "", change).Body.Bytes(), &v); err != nil {
				t.Fatal(err)
			}
			return v
		}
		live, late := at(bearing(forArbiter)), at(nil)
		if live.Now-late.Now != 60000 || live.Epoch == late.Epoch {
			t.Errorf("the board's clock says %+v, for viewers %+v", live, late)
		}
		if id := dial(t, w, "").want("snapshot").id; !strings.HasPrefix(id, late.Epoch) {
			t.Errorf("the stream of a viewer has id %s, the clock epoch %s", id, late.Epoch)
		}
	})
}

// TestDelayWithoutLogins: where everybody is an arbiter nobody can be made to wait.
func TestDelayWithoutLogins(t *testing.T) {
	for _, change := range []func(o *Options){
		func(o *Options) { o.Delay = time.Minute },
		func(o *Options) { guarded(o); o.Delay = -time.Second },
	} {
		o := Options{Board: "b", Command: plain(t, nil).o.Command}
		change(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%v is accepted", o.Delay)
		}
	}
}

// waiting is a release on a clock of its own, and what has been told to it and come
// out of it, by name.
type waiting struct {
	*release
	t           *rapid.T
	now         time.Time
	told        map[string]time.Time
	order, came []string
}

const (
	waitingDelay = 10 * time.Second
	waitingStep  = 10 * time.Millisecond
)

func newWaiting(t *rapid.T) *waiting {
	w := &waiting{release: newRelease(waitingDelay, nil), t: t, now: time.Unix(0, 0), told: map[string]time.Time{}}
	w.release.now = func() time.Time { return w.now }
	return w
}

// tell tells of an event, or of a view.
func (w *waiting) tell(n int, view bool) {
	name := fmt.Sprint("event ", n)
	if view {
		name = fmt.Sprint("view ", n)
		w.view(View{Sentence: name})
	} else {
		w.event(uint64(n), []byte("{}"))
	}
	w.told[name] = w.now
	w.order = append(w.order, name)
}

// pass lets time pass; nothing may come too early, nor too late.
func (w *waiting) pass(d time.Duration) {
	for end := w.now.Add(d); w.now.Before(end); {
		w.now = w.now.Add(waitingStep)
		for {
			h, ok, _ := w.take(w.now)
			if !ok {
				break
			}
			name, most := fmt.Sprint("event ", h.seq), waitingDelay+waitingStep
			if h.view != nil {
				name, most = h.view.Sentence, waitingDelay+viewStep
			}
			w.came = append(w.came, name)
			if waited := w.now.Sub(w.told[name]); waited < waitingDelay || waited > most {
				w.t.Fatalf("%s came after %v", name, waited)
			}
		}
	}
}

// complete fails the test unless everything came in its order, but for views that
// a newer one has replaced.
func (w *waiting) complete() {
	rest := w.order
	for _, name := range w.came {
		for len(rest) > 0 && rest[0] != name {
			if strings.HasPrefix(rest[0], "event") {
				w.t.Fatalf("%s is missing or late: %v of %v", rest[0], w.came, w.order)
			}
			rest = rest[1:]
		}
		if len(rest) == 0 {
			w.t.Fatalf("%s came twice, or out of order: %v of %v", name, w.came, w.order)
		}
		rest = rest[1:]
	}
	if len(rest) > 0 || w.views != 0 {
		w.t.Fatalf("%v did not come: %v of %v; %d views wait", rest, w.came, w.order, w.views)
	}
}

// TestRelease: whatever happens when, everything comes in its order and not before
// its time; events come just then, and of views the last one always.
func TestRelease(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWaiting(t)
		for n := range rapid.IntRange(1, 30).Draw(t, "n") {
			w.pass(time.Duration(rapid.IntRange(0, 1500).Draw(t, "ms")) * time.Millisecond)
			w.tell(n, rapid.Bool().Draw(t, "view"))
		}
		w.pass(waitingDelay + 2*viewStep)
		w.complete()
	})
}

// TestReleaseIsBounded: views that wait are not more than so many, and no event is
// lost for it.
func TestReleaseIsBounded(t *testing.T) {
	r := newRelease(time.Hour, nil)
	const n = 2 * maxViews
	for i := range n {
		r.view(View{Sentence: fmt.Sprint(i)})
		r.event(uint64(i), nil)
	}
	if r.views != maxViews {
		t.Errorf("%d views wait", r.views)
	}
	events, last := 0, ""
	for later := time.Now().Add(time.Hour); ; {
		h, ok, _ := r.take(later)
		if !ok {
			break
		}
		if h.view != nil {
			last = h.view.Sentence
		} else {
			events++
		}
	}
	if events != n || last != fmt.Sprint(n-1) {
		t.Errorf("%d events of %d, the last view is %s", events, n, last)
	}
}

// TestPageOfViewers: the page says that it is late and shows what happens later; who
// logs in sees it at once, and who logs out does not any more.
func TestPageOfViewers(t *testing.T) {
	b := browser(t)
	tb := newTable(t, func(o *Options) {
		guarded(o)
		o.Delay = 2 * time.Second
	})
	p := b.open(t, serve(t, tb.server), phone())
	p.until(`document.getElementById("link-text").textContent === "Delayed 2 s"`)
	tb.play("")
	p.until(`document.getElementById("sentence").textContent.startsWith("Black to move")`)
	if eval[bool](p, `document.getElementById("evaluate").checkVisibility()`) {
		t.Error("a viewer is offered the arbiter's evaluation")
	}
	p.fits()
	p.shoot("delayed")
	begin := time.Now()
	tb.play("f5")
	p.until(`document.getElementById("transcript").textContent === "f5"`)
	if late := time.Since(begin); late < 2*time.Second {
		t.Errorf("a viewer sees the move after %v", late)
	}
	p.logIn(forArbiter, "Ana", "")
	p.until(`document.getElementById("link-text").textContent === "Live" && document.body.dataset.role === "arbiter"`)
	if !eval[bool](p, `document.getElementById("evaluate").checkVisibility()`) {
		t.Error("an arbiter is not offered the evaluation")
	}
	begin = time.Now()
	tb.play("d6")
	p.until(`document.getElementById("transcript").textContent === "f5d6"`)
	t.Logf("an arbiter sees a move after %v", time.Since(begin).Round(time.Millisecond))
	p.quiet()
}
