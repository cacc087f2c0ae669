package web

import (
	"bytes"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"reversi-board/engine"
)

// Health is how the board is, for whoever builds or mends it. The page shows it
// as it is: the words are those of the publisher.
type Health struct {
	// State is good, warn or bad, Summary a sentence about it.
	State   string `json:"state"`
	Summary string `json:"summary"`
	// Cells are 64 letters, a1 to h8: "." good, n noisy, s stuck, f flapping, g
	// ghost, m masked, "?" no data. Margins are 0 to 100, Flaps changes a second.
	Cells   string                  `json:"cells"`
	Margins [engine.Squares]int     `json:"margins"`
	Flaps   [engine.Squares]float32 `json:"flaps"`
	Tables  []HealthTable           `json:"tables"`
}

// HealthTable is a table of the health view.
type HealthTable struct {
	Title   string      `json:"title"`
	Columns []string    `json:"columns"`
	Rows    []HealthRow `json:"rows"`
}

// HealthRow is a row of one; the first cell is its name.
type HealthRow struct {
	// State is good, warn, bad, or empty when the row judges nothing.
	State string   `json:"state"`
	Cells []string `json:"cells"`
	// Note explains the row, empty for nothing.
	Note string `json:"note,omitempty"`
}

const (
	// healthPeriod is how often an open health view is told how things are.
	healthPeriod = time.Second
	// maxHealth bounds the open health views.
	maxHealth = 32
)

// ward keeps what all health views show.
type ward struct {
	open atomic.Int32

	mu   sync.Mutex
	text []byte
	at   time.Time
}

// report returns how the board is as JSON, made anew at most once in a period
// for all who ask.
func (s *Server) report() []byte {
	s.ward.mu.Lock()
	defer s.ward.mu.Unlock()
	if s.ward.text == nil || time.Since(s.ward.at) >= healthPeriod*9/10 {
		s.ward.text, s.ward.at = mustJSON(s.o.Health()), time.Now()
	}
	return s.ward.text
}

// health answers GET /api/v1/health.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/json")
	// The reader may have gone; there is nobody to tell.
	_, _ = w.Write(s.report())
}

// healthStream answers GET /api/v1/health/stream: one snapshot after the other.
// A reader that does not keep up is cut off by the deadline of a write.
func (s *Server) healthStream(w http.ResponseWriter, r *http.Request) {
	defer s.ward.open.Add(-1)
	if s.ward.open.Add(1) > maxHealth {
		w.Header().Set("Retry-After", "10")
		http.Error(w, "too many open health views, please close some", http.StatusServiceUnavailable)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	p := pipe{w: w, c: http.NewResponseController(w)}
	p.buf.WriteString("retry: 1000\n\n")
	ticks := time.NewTicker(healthPeriod)
	defer ticks.Stop()
	var last []byte
	for {
		text := s.report()
		if bytes.Equal(text, last) {
			p.buf.WriteString(": same\n\n")
		} else {
			p.buf.Write(message("snapshot", "", text))
		}
		last = text
		if p.flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-s.stop:
			return
		case <-ticks.C:
		}
	}
}
