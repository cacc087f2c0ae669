package web

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// bubble runs f with a server that serves on a wire, in virtual time. When f
// has returned the server is shut down; a goroutine that then still waits for
// anything fails the test.
func bubble(t *testing.T, change func(o *Options), f func(t *testing.T, s *Server, w *wire)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, w := plain(t, change), newWire()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Serve(ctx, w) }()
		f(t, s, w)
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the server ended with: %v", err)
		}
	})
}

func TestStreamBeginsWithEverything(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server, w *wire) {
		s.Publish(View{State: []byte(`{"phase":"setup"}`), Sentence: "Set up the board.", Table: strings.Repeat("-", 64)})
		var px [64]RGB
		px[0], px[63] = RGB{0x56, 0xB4, 0xE9}, RGB{1, 2, 3}
		s.LEDs(px)
		l := dial(t, w, "")
		defer l.close()
		m := l.want("snapshot")
		var snapshot struct {
			Epoch string `json:"epoch"`
			Card  card   `json:"card"`
			View  struct {
				State struct {
					Phase string `json:"phase"`
				} `json:"state"`
				Sentence string `json:"sentence"`
			} `json:"view"`
			LEDs []byte `json:"leds"`
		}
		if err := json.Unmarshal([]byte(m.data), &snapshot); err != nil {
			t.Fatal(err)
		}
		if snapshot.Card.Name != "Test board" || snapshot.Card.Hands || snapshot.View.State.Phase != "setup" || snapshot.View.Sentence != "Set up the board." {
			t.Errorf("snapshot is %s", m.data)
		}
		if n := len(snapshot.LEDs); n != 192 || snapshot.LEDs[0] != 0x56 || snapshot.LEDs[2] != 0xE9 || snapshot.LEDs[191] != 3 {
			t.Errorf("LEDs: %d bytes, %v", n, snapshot.LEDs)
		}
		if want := snapshot.Epoch + "-0"; m.id != want {
			t.Errorf("id is %q, want %q", m.id, want)
		}
	})
}

// Scenario 61: a reader that comes back gets exactly what it missed, or one
// snapshot.
func TestStreamResumes(t *testing.T) {
	const before, missed = 20, 30
	for _, c := range []struct {
		name   string
		missed int
		id     func(epoch string) string
		want   string
	}{
		{"in the ring", missed, func(e string) string { return fmt.Sprintf("%s-%d", e, before) }, "the missed"},
		{"nothing missed", 0, func(e string) string { return fmt.Sprintf("%s-%d", e, before) }, "the missed"},
		{"just in the ring", ringSize, func(e string) string { return fmt.Sprintf("%s-%d", e, before) }, "the missed"},
		{"too old", ringSize + 1, func(e string) string { return fmt.Sprintf("%s-%d", e, before) }, "a snapshot"},
		{"before a restart", missed, func(string) string { return fmt.Sprintf("0123456789ab-%d", before) }, "a snapshot"},
		{"from the future", missed, func(e string) string { return e + "-99999" }, "a snapshot"},
		{"no number", missed, func(e string) string { return e + "-x" }, "a snapshot"},
		{"nonsense", missed, func(string) string { return "nonsense" }, "a snapshot"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, s *Server, w *wire) {
				tell(t, s, 1, before)
				first := dial(t, w, "")
				epoch, _, _ := strings.Cut(first.want("snapshot").id, "-")
				first.close()
				tell(t, s, before+1, before+c.missed)
				s.Publish(View{Sentence: "The newest."})
				l := dial(t, w, c.id(epoch))
				defer l.close()
				if c.want == "a snapshot" {
					l.wantSnapshot(fmt.Sprintf("%s-%d", epoch, before+c.missed))
				} else {
					l.wantEvents(epoch, before+1, before+c.missed)
					l.wantView("The newest.")
				}
				// What comes next is news, and nothing twice.
				next := before + c.missed + 1
				tell(t, s, next, next)
				if m := l.want("event"); seqOf(t, m) != uint64(next) {
					t.Errorf("then got %s, want event %d", m.data, next)
				}
			})
		})
	}
}

// wantSnapshot reads a snapshot with the given id.
func (l *ear) wantSnapshot(id string) {
	l.t.Helper()
	if m, err := l.next(); err != nil || m.kind != "snapshot" || m.id != id {
		l.t.Errorf("got %q with id %q (%v), want a snapshot with %s", m.kind, m.id, err, id)
	}
}

// wantView reads a view with the given text; a view has no id.
func (l *ear) wantView(text string) {
	l.t.Helper()
	if m, err := l.next(); err != nil || m.kind != "view" || !strings.Contains(m.data, text) || m.id != "" {
		l.t.Errorf("got %q %q (%v), want a view without an id that says %q", m.kind, m.id, err, text)
	}
}

// tell passes the events from first to last on.
func tell(t *testing.T, s *Server, first, last int) {
	t.Helper()
	for n := first; n <= last; n++ {
		s.Event(uint64(n), fact(t, uint64(n)))
	}
}

// wantEvents reads exactly the events from first to last.
func (l *ear) wantEvents(epoch string, first, last int) {
	l.t.Helper()
	for n := first; n <= last; n++ {
		m, err := l.next()
		if err != nil || m.kind != "event" || seqOf(l.t, m) != uint64(n) || m.id != fmt.Sprintf("%s-%d", epoch, n) {
			l.t.Fatalf("got %q %q %s (%v), want event %d", m.kind, m.id, m.data, err, n)
		}
	}
}

func TestEventIsPassedOnOnceAndInOneLine(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server, w *wire) {
		l := dial(t, w, "")
		defer l.close()
		l.want("snapshot")
		s.Event(5, []byte("{\n \"seq\": 5,\r\n \"text\": \"a\\nb\"\n}"))
		s.Event(5, fact(t, 5))
		s.Event(4, fact(t, 4))
		s.Event(6, []byte("not\nJSON"))
		s.Event(7, fact(t, 7))
		if m := l.want("event"); m.data != `{"seq":5,"text":"a\nb"}` {
			t.Errorf("got %q", m.data)
		}
		if m := l.want("event"); seqOf(t, m) != 7 {
			t.Errorf("got %q, want event 7", m.data)
		}
	})
}

func TestStreamKeepsTheNewestViewOnly(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server, w *wire) {
		l := dial(t, w, "")
		defer l.close()
		l.want("snapshot")
		// Nobody reads meanwhile: the first may have been taken already.
		for n := range 1000 {
			s.Publish(View{Sentence: fmt.Sprintf("view %d.", n)})
		}
		seen := 0
		for {
			seen++
			if m := l.want("view"); strings.Contains(m.data, "view 999.") {
				break
			}
		}
		if seen > 2 {
			t.Errorf("%d views were queued for a reader that was not there", seen)
		}
	})
}

func TestPicturesComeAtMost25TimesASecond(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server, w *wire) {
		l := dial(t, w, "")
		defer l.close()
		l.want("snapshot")
		var px [64]RGB
		frames := make(chan int, 1)
		go func() {
			all := l.drain()
			frames <- len(all)
			for _, m := range all {
				if raw, err := base64.StdEncoding.DecodeString(m.data); m.kind != "leds" || err != nil || len(raw) != 192 {
					t.Errorf("a %s of %d bytes, %v", m.kind, len(raw), err)
				}
			}
		}()
		for n := range 100 { // a second at 100 pictures a second
			px[3].G = uint8(n + 1)
			s.LEDs(px)
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second) // the last one arrives, nothing more
		l.close()
		if n := <-frames; n < 20 || n > 27 {
			t.Errorf("%d pictures in a second, want about 25", n)
		}
	})
}

func TestLEDsThatStayTheSameCostNothing(t *testing.T) {
	s := plain(t, nil)
	var px [64]RGB
	px[9] = RGB{1, 2, 3}
	s.LEDs(px)
	if n := testing.AllocsPerRun(100, func() { s.LEDs(px) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestStreamHasAHeartbeat(t *testing.T) {
	bubble(t, nil, func(t *testing.T, _ *Server, w *wire) {
		l := dial(t, w, "")
		defer l.close()
		l.want("snapshot")
		began := time.Now()
		for range 3 {
			if m, err := l.next(); err != nil || m.comment != "beat" {
				t.Fatalf("got %+v, %v, want a comment", m, err)
			}
		}
		// 15 s is the contract: a page that hears nothing for 40 s gives up.
		if d := time.Since(began); d != 45*time.Second {
			t.Errorf("three heartbeats took %v, want 45s", d)
		}
	})
}

// Scenario 62: a reader that stands still is cut off after the deadline of one
// write and holds nobody up; the others miss nothing.
func TestSlowReaderHoldsNobodyUp(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server, w *wire) {
		var stuck []*ear
		for range 20 {
			l := dial(t, w, "")
			defer l.close()
			stuck = append(stuck, l) // and never reads on
		}
		live := dial(t, w, "")
		defer live.close()
		live.want("snapshot")
		const events = 3000 // three times what the ring holds
		began := time.Now()
		for n := 1; n < events; n += 100 {
			tell(t, s, n, n+99)
			s.Publish(View{Sentence: "On we go."})
			for i := range 100 {
				if m := live.want("event"); seqOf(t, m) != uint64(n+i) {
					t.Fatalf("got %s, want event %d", m.data, n+i)
				}
			}
		}
		if d := time.Since(began); d > time.Second {
			t.Errorf("the live reader waited %v for readers that stand still", d)
		}
		s.Publish(View{Sentence: "The end."})
		for m := live.want("view"); !strings.Contains(m.data, "The end."); {
			m = live.want("view")
		}
		time.Sleep(writeTimeout + time.Second)
		s.hub.mu.Lock()
		readers := len(s.hub.readers)
		s.hub.mu.Unlock()
		if readers != 1 {
			t.Errorf("%d readers are still served, want the one that reads", readers)
		}
		for _, l := range stuck {
			l.drain()
		}
	})
}

func TestReaderThatFallsBehindGetsASnapshot(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server, w *wire) {
		l := dial(t, w, "")
		defer l.close()
		l.want("snapshot")
		last := uint64(ringSize + 300)
		tell(t, s, 1, 1)
		synctest.Wait() // the first event is being written, nobody reads it
		tell(t, s, 2, int(last))
		s.Publish(View{Sentence: "The end."})
		m := l.want("snapshot")
		if !strings.HasSuffix(m.id, fmt.Sprintf("-%d", last)) {
			t.Errorf("the snapshot is %s, want the newest", m.id)
		}
		s.Event(last+1, fact(t, last+1))
		if m := l.want("event"); seqOf(t, m) != last+1 {
			t.Errorf("then got %s", m.data)
		}
	})
}

func TestShutdownEndsAllStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := plain(t, nil), newWire()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Serve(ctx, w) }()
		ended := make(chan struct{}, 10)
		for range 10 {
			l := dial(t, w, "")
			l.want("snapshot")
			go func() {
				l.drain()
				l.close()
				ended <- struct{}{}
			}()
		}
		silent := dial(t, w, "") // never reads: it must not hold the end up
		defer silent.close()
		began := time.Now()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the server ended with: %v", err)
		}
		for range 10 {
			<-ended
		}
		if d := time.Since(began); d > writeTimeout+drainTimeout {
			t.Errorf("shutdown took %v", d)
		}
		// Nothing waits for a reader after the end either.
		s.Publish(View{})
		s.Event(1, fact(t, 1))
		s.LEDs([64]RGB{{1, 1, 1}})
	})
}

func TestStreamsAreBounded(t *testing.T) {
	bubble(t, func(o *Options) { o.MaxStreams = 2 }, func(t *testing.T, s *Server, w *wire) {
		first, second := dial(t, w, ""), dial(t, w, "")
		defer first.close()
		first.want("snapshot")
		second.want("snapshot")
		if r := ask(s, http.MethodGet, "/api/v1/stream", "", nil); r.Code != http.StatusServiceUnavailable || r.Header().Get("Retry-After") == "" {
			t.Errorf("a third stream got %d", r.Code)
		}
		second.close()
		synctest.Wait()
		third := dial(t, w, "")
		defer third.close()
		third.want("snapshot")
	})
}

func BenchmarkPublishTo200Readers(b *testing.B) {
	h := newHub("e", card{}, nil, func() time.Duration { return 0 })
	for range 200 {
		h.join("", you{}, "")
	}
	for b.Loop() {
		h.publish(View{Sentence: "Black to move."})
	}
}
