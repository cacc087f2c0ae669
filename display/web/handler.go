package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// policy lets the page load its own files and talk to its own server, and
// nothing else: no inline code, no other origin, no frame around it. With
// trusted types the browser itself refuses to turn text into markup.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// routes builds the handler with all its guards, the outermost last.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.files.show(indexPage))
	mux.HandleFunc("GET /assets/{hash}/{name}", s.files.asset)
	mux.HandleFunc("GET /api/v1/stream", s.whoever(s.stream))
	mux.HandleFunc("GET /api/v1/state", s.whoever(s.state))
	mux.HandleFunc("GET /api/v1/time", s.whoever(s.time))
	mux.HandleFunc("POST /api/v1/command", s.only(s.command, Player, Arbiter))
	if s.o.Access != nil {
		mux.HandleFunc("POST /api/v1/login", s.login)
		mux.HandleFunc("POST /api/v1/logout", s.logout)
	}
	if s.o.Hands != nil {
		mux.HandleFunc("POST /api/v1/hands", s.only(s.act, Player, Arbiter))
	}
	if s.o.Health != nil {
		mux.HandleFunc("GET /health", s.only(s.files.show(healthPage), Arbiter))
		mux.HandleFunc("GET /api/v1/health", s.only(s.health, Arbiter))
		mux.HandleFunc("GET /api/v1/health/stream", s.only(s.healthStream, Arbiter))
	}
	if s.o.Report != nil {
		mux.HandleFunc("GET /api/v1/report", s.only(s.saveReport, Arbiter))
	}
	if s.o.Calibrate != nil {
		mux.HandleFunc("GET /calibrate", s.only(s.files.show(calibratePage), Arbiter))
		mux.HandleFunc("GET /api/v1/calibration", s.only(s.calibration, Arbiter))
		mux.HandleFunc("GET /api/v1/calibration/stream", s.only(s.calibrationStream, Arbiter))
		mux.HandleFunc("POST /api/v1/calibration", s.only(s.calibrate, Arbiter))
	}
	s.tournamentRoutes(mux)
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusForbidden, reply{Status: "error", Code: "not_allowed", Error: "this request came from another site"})
	}))
	return s.secure(guard.Handler(mux))
}

// secure refuses foreign names, so that no other site can point its own name
// at the board (DNS rebinding), and sets the headers every answer has.
func (s *Server) secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if host := hostname(r.Host); !s.hosts[host] && (!s.o.AnyAddress || !isAddress(host)) {
			http.Error(w, fmt.Sprintf("This board does not answer to the name %.64q. "+
				"Open it by the address it printed at its start, or add the name to the allowed hosts in its configuration.",
				hostname(r.Host)), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// state answers GET /api/v1/state.
func (s *Server) state(w http.ResponseWriter, r *http.Request) {
	v := who(r)
	text, etag := s.hubOf(v).newest().json(v.full)
	h := w.Header()
	h.Set("Vary", "Cookie, Authorization")
	h.Set("ETag", etag)
	h.Set("Cache-Control", "no-cache")
	if matches(r.Header.Get("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", "application/json")
	// The reader may have gone; there is nobody to tell.
	_, _ = w.Write(text)
}

// time answers GET /api/v1/time: what the board's clock says, for a page that has
// slept; what it said then, for who sees everything later.
func (s *Server) time(w http.ResponseWriter, r *http.Request) {
	from := s.hubOf(who(r))
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Cookie, Authorization")
	// The reader may have gone; there is nobody to tell.
	_, _ = w.Write(mustJSON(struct {
		Epoch string `json:"epoch"`
		Now   int64  `json:"now_ms"`
	}{from.epoch, from.now().Milliseconds()}))
}

func matches(header, etag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		part = strings.TrimPrefix(strings.TrimSpace(part), "W/")
		if part == etag || part == "*" {
			return true
		}
	}
	return false
}

// reply is the body of every answer to a POST.
type reply struct {
	ID     string `json:"id,omitempty"`
	Name   string `json:"name,omitempty"`
	Status string `json:"status"`
	Code   string `json:"code,omitempty"`
	Error  string `json:"error,omitempty"`
	Seq    uint64 `json:"seq,omitempty"`
}

// command answers POST /api/v1/command. A command that was understood and
// refused by the board is a successful request with status "error" in it.
func (s *Server) command(w http.ResponseWriter, r *http.Request) {
	body, ok := s.body(w, r, &s.limitsOf(who(r)).commands)
	if !ok {
		return
	}
	c, err := decodeCommand(body)
	if err != nil {
		answer(w, http.StatusBadRequest, reply{Status: "error", Code: "bad_payload", Error: err.Error()})
		return
	}
	v := who(r)
	switch allowed, known := s.may(v.role, c.Name); {
	case !known:
		answer(w, http.StatusBadRequest, reply{
			ID: c.ID, Status: "error", Code: "unknown", Error: fmt.Sprintf("there is no command %.32q", c.Name),
		})
		return
	case !allowed:
		answer(w, http.StatusForbidden, reply{
			ID: c.ID, Name: c.Name, Status: "error", Code: "not_allowed", Error: "only an arbiter may do that",
		})
		return
	}
	c.Role, c.From, c.Seat = v.role, v.name, v.seat
	ctx, cancel := context.WithTimeout(r.Context(), askTimeout)
	defer cancel()
	res := s.o.Command(ctx, c)
	answer(w, http.StatusOK, reply{ID: c.ID, Name: c.Name, Status: res.Status, Code: res.Code, Error: res.Error, Seq: res.Seq})
}

// act answers POST /api/v1/hands.
func (s *Server) act(w http.ResponseWriter, r *http.Request) {
	body, ok := s.body(w, r, &s.limitsOf(who(r)).hands)
	if !ok {
		return
	}
	a, err := decodeAct(body)
	if err != nil {
		answer(w, http.StatusBadRequest, reply{Status: "error", Code: "bad_payload", Error: err.Error()})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), askTimeout)
	defer cancel()
	if err := s.o.Hands.Do(ctx, a); err != nil {
		answer(w, http.StatusOK, reply{Name: a.Op, Status: "error", Code: "not_allowed", Error: err.Error()})
		return
	}
	answer(w, http.StatusOK, reply{Name: a.Op, Status: "ok"})
}

// body reads the body of a POST within its limits, or answers why not; limit may
// be nil. The
// content type is checked because a form of another site cannot send JSON
// without asking first.
func (s *Server) body(w http.ResponseWriter, r *http.Request, limit *bucket) ([]byte, bool) {
	refuse := func(status int, code, text string) ([]byte, bool) {
		answer(w, status, reply{Status: "error", Code: code, Error: text})
		return nil, false
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, "bad_payload", "the request is not application/json")
	}
	if limit != nil && !limit.allow(time.Now()) {
		w.Header().Set("Retry-After", "1")
		return refuse(http.StatusTooManyRequests, "rate_limited", "too many requests, wait a second")
	}
	// A test's recorder has no deadlines; a server always has.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(askTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return refuse(http.StatusRequestEntityTooLarge, "bad_payload", "the request is larger than 8 KB")
	case err != nil:
		return refuse(http.StatusBadRequest, "bad_payload", "the request did not arrive whole")
	}
	return body, true
}

// answer writes r as JSON.
func answer(w http.ResponseWriter, status int, r reply) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// The visitor may have gone; there is nobody to tell.
	_, _ = w.Write(mustJSON(r))
}
