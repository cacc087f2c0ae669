package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Reporter writes a bug report, a zip file; state is what an arbiter's page shows,
// as JSON. It may be called from any goroutine.
type Reporter func(ctx context.Context, to io.Writer, state []byte) error

// reportTime is how long a reader may take to fetch a bug report.
const reportTime = 5 * time.Minute

// saveReport answers GET /api/v1/report: a bug report to be saved. Making one takes a
// while on a small computer, so there is one at a time.
func (s *Server) saveReport(w http.ResponseWriter, r *http.Request) {
	if !s.reporting.TryLock() {
		answer(w, http.StatusServiceUnavailable, reply{Status: "error", Code: "busy", Error: "a bug report is being made: try again in a minute"})
		return
	}
	defer s.reporting.Unlock()
	stretch(w)
	ctx, cancel := context.WithTimeout(r.Context(), reportTime)
	defer cancel()
	if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(reportTime)); err != nil {
		s.o.Logger.Debug("web page: a slow reader of a bug report cannot be sent away", "error", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="reversi-board-%s.zip"`, s.o.Board))
	state, _ := s.hub.newest().json(true)
	if err := s.o.Report(ctx, w, state); err != nil {
		s.o.Logger.Warn("web page: the bug report could not be written", "error", err)
		// The file is not whole; the connection must not end as if it were.
		panic(http.ErrAbortHandler)
	}
}
