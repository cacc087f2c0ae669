package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fakeCalibrator shows what it is given and notes what it is asked for.
type fakeCalibrator struct {
	mu   sync.Mutex
	view CalibrationView
	news chan struct{}
	acts []CalibrationAct
	err  error
}

func (f *fakeCalibrator) View() (CalibrationView, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.news == nil {
		f.news = make(chan struct{})
	}
	return f.view, f.news
}

func (f *fakeCalibrator) show(v CalibrationView) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.view = v
	if f.news != nil {
		close(f.news)
	}
	f.news = make(chan struct{})
}

func (f *fakeCalibrator) Do(_ context.Context, a CalibrationAct) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.acts = append(f.acts, a)
	return f.err
}

func calibrating(t *testing.T, f *fakeCalibrator) *Server {
	t.Helper()
	return plain(t, func(o *Options) { o.Calibrate = f })
}

// Without a calibrator there is no such view, and no link to it.
func TestNoCalibration(t *testing.T) {
	s := plain(t, nil)
	for _, path := range []string{"/calibrate", "/api/v1/calibration", "/api/v1/calibration/stream"} {
		if w := ask(s, http.MethodGet, path, "", nil); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
	if w := ask(s, http.MethodGet, "/", "", nil); strings.Contains(w.Body.String(), "/calibrate") {
		t.Error("the page links to what is not there")
	}
}

func TestCalibrationIsShown(t *testing.T) {
	f := &fakeCalibrator{}
	s := calibrating(t, f)
	f.show(CalibrationView{
		Stage: "walking", Text: "Put the disc on e4.", Done: 3, All: 128, Ask: "place", Face: "black",
		Squares: []string{"e4"}, Missing: []string{"e4"}, Seen: strings.Repeat("-", 64),
	})
	if w := ask(s, http.MethodGet, "/calibrate", "", nil); w.Code != 200 || !strings.Contains(w.Body.String(), "Calibrate Test board") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	if w := ask(s, http.MethodGet, "/", "", nil); !strings.Contains(w.Body.String(), `href="/calibrate"`) {
		t.Error("the page has no link to it")
	}
	w := ask(s, http.MethodGet, "/api/v1/calibration", "", nil)
	var got map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
		t.Fatalf("status %d: %v", w.Code, err)
	}
	for key, want := range map[string]any{"stage": "walking", "text": "Put the disc on e4.", "done": 3.0, "all": 128.0, "ask": "place", "face": "black", "report": nil} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
}

// Acts arrive as they were meant; whatever else is refused and never arrives.
func TestCalibrationActs(t *testing.T) { synctest.Test(t, testCalibrationActs) }

func testCalibrationActs(t *testing.T) {
	f := &fakeCalibrator{}
	s := calibrating(t, f)
	post := func(body string) (int, reply) {
		t.Helper()
		w := ask(s, http.MethodPost, "/api/v1/calibration", body, nil)
		return w.Code, answerOf(t, w)
	}
	for body, want := range map[string]CalibrationAct{
		`{"do":"start","quick":true,"discs":32}`: {Do: "start", Quick: true, Discs: 32},
		`{"do":"start","discs":64}`:              {Do: "start", Discs: 64},
		`{"do":"next"}`:                          {Do: "next"},
		`{"do":"store"}`:                         {Do: "store"},
	} {
		f.acts = nil
		if code, r := post(body); code != 200 || r.Status != "ok" || len(f.acts) != 1 || f.acts[0] != want {
			t.Errorf("%s: %d %+v, arrived %+v", body, code, r, f.acts)
		}
	}
	f.acts, f.err = nil, errors.New("a game is running")
	if code, r := post(`{"do":"abort"}`); code != 200 || r.Status != "error" || r.Error != "a game is running" {
		t.Errorf("%d %+v", code, r)
	}
	f.acts, f.err = nil, nil
	time.Sleep(time.Second) // Not more than the rate allows.
	for _, body := range []string{
		``, `{}`, `[]`, `{"do":"explode"}`, `{"do":"start"}`, `{"do":"start","discs":7}`, `{"do":"start","discs":65}`,
	} {
		if code, r := post(body); code != http.StatusBadRequest || r.Code != "bad_payload" || len(f.acts) != 0 {
			t.Errorf("%s: %d %+v", body, code, r)
		}
	}
	time.Sleep(time.Second)
	for _, body := range []string{`{"do":"next","quick":true}`, `{"do":"next","discs":8}`, `{"do":"next","more":1}`, `{"do":"next"}{}`} {
		if code, _ := post(body); code != http.StatusBadRequest || len(f.acts) != 0 {
			t.Errorf("%s: %d", body, code)
		}
	}
	w := ask(s, http.MethodPost, "/api/v1/calibration", `{"do":"next"}`, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })
	if w.Code != http.StatusForbidden || len(f.acts) != 0 {
		t.Errorf("another site: %d", w.Code)
	}
}

// An open view is told of everything new at once.
func TestCalibrationStream(t *testing.T) {
	f := &fakeCalibrator{}
	f.show(CalibrationView{Stage: "idle"})
	server := httptest.NewServer(calibrating(t, f))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/api/v1/calibration/stream", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // the test is over
	lines := bufio.NewScanner(res.Body)
	next := func() (v CalibrationView) {
		t.Helper()
		for lines.Scan() {
			if data, found := strings.CutPrefix(lines.Text(), "data: "); found {
				if err := json.Unmarshal([]byte(data), &v); err != nil {
					t.Fatal(err)
				}
				return v
			}
		}
		t.Fatal("the stream has ended")
		return v
	}
	if v := next(); v.Stage != "idle" {
		t.Errorf("%+v", v)
	}
	for _, stage := range []string{"clearing", "measuring", "walking", "deciding"} {
		f.show(CalibrationView{Stage: stage})
		if v := next(); v.Stage != stage {
			t.Errorf("%q, want %q", v.Stage, stage)
		}
	}
}

func FuzzDecodeCalibration(f *testing.F) {
	f.Add([]byte(`{"do":"start","quick":true,"discs":32}`))
	f.Add([]byte(`{"do":"next"}`))
	f.Add([]byte(`{"do":"store","discs":0}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := decodeCalibration(body)
		if err != nil {
			return
		}
		if a.Do == CalibrationStart && (a.Discs < 8 || a.Discs > 64) || a.Do != CalibrationStart && a != (CalibrationAct{Do: a.Do}) {
			t.Fatalf("%q was read as %+v", body, a)
		}
	})
}
