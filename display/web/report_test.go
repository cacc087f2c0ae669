package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// A bug report is for arbiters, and is saved rather than shown. There is one at a
// time.
func TestReport(t *testing.T) {
	var s *Server
	again := 0
	s = plain(t, func(o *Options) {
		guarded(o)
		o.Report = func(_ context.Context, to io.Writer, state []byte) error {
			if again++; again == 1 {
				// Somebody else asks meanwhile.
				w := ask(s, http.MethodGet, "/api/v1/report", "", bearing(forArbiter))
				if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "busy") {
					t.Errorf("a second report at the same time: %d %s", w.Code, w.Body)
				}
			}
			if len(state) == 0 {
				t.Errorf("the state is %q", state)
			}
			_, err := io.WriteString(to, "PK...")
			return err
		}
	})
	for who, as := range map[string]func(*http.Request){"a viewer": nil, "a player": bearing(forPlayer)} {
		if w := ask(s, http.MethodGet, "/api/v1/report", "", as); w.Code == http.StatusOK || again != 0 {
			t.Errorf("%s gets a report: %d", who, w.Code)
		}
	}
	w := ask(s, http.MethodGet, "/api/v1/report", "", bearing(forArbiter))
	if w.Code != http.StatusOK || w.Body.String() != "PK..." || w.Header().Get("Content-Type") != "application/zip" ||
		w.Header().Get("Content-Disposition") != `attachment; filename="reversi-board-rv-test.zip"` || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%d %q %v", w.Code, w.Body, w.Header())
	}
	if w := ask(s, http.MethodPost, "/api/v1/report", "{}", bearing(forArbiter)); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
	if page := ask(s, http.MethodGet, "/", "", nil).Body.String(); !strings.Contains(page, `href="/api/v1/report" download>Save a bug report</a>`) {
		t.Error("the page does not offer it")
	}
}

// A report that fails half way does not look like a whole one, and the next one can
// be made.
func TestReportThatFails(t *testing.T) {
	s := plain(t, func(o *Options) {
		o.Report = func(_ context.Context, to io.Writer, _ []byte) error {
			_, err := io.WriteString(to, "PK")
			return errors.Join(err, errors.New("the disk hangs"))
		}
	})
	for range 2 {
		func() {
			defer func() {
				if wrong, ok := recover().(error); !ok || !errors.Is(wrong, http.ErrAbortHandler) {
					t.Errorf("the connection is not broken off: %v", wrong)
				}
			}()
			ask(s, http.MethodGet, "/api/v1/report", "", nil)
		}()
	}
}

// Without a reporter there is neither.
func TestNoReport(t *testing.T) {
	s := plain(t, nil)
	if w := ask(s, http.MethodGet, "/api/v1/report", "", nil); w.Code != http.StatusNotFound {
		t.Errorf("%d", w.Code)
	}
	if page := ask(s, http.MethodGet, "/", "", nil).Body.String(); strings.Contains(page, "bug report") {
		t.Error("the page offers it")
	}
}
