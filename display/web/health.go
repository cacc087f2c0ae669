package web

import (
	"net/http"
	"sync"
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
	sight sight

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

// healthStream answers GET /api/v1/health/stream.
func (s *Server) healthStream(w http.ResponseWriter, r *http.Request) {
	s.ward.sight.stream(s, w, r, "health", maxHealth, healthPeriod, func() ([]byte, <-chan struct{}) { return s.report(), nil })
}
