package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"
)

// Tournaments are the tournaments that are played at this board. Its methods may
// be called from any goroutine and may wait for the disk until ctx ends.
type Tournaments interface {
	// View returns what there is to see of a tournament, a JSON object, and a
	// channel that is closed when there is something new. An empty id is the
	// latest one; one that is not known is said in the view.
	View(ctx context.Context, id string) (view json.RawMessage, news <-chan struct{})
	// Do does what an arbiter asks for, or says in a sentence why not.
	Do(ctx context.Context, by string, a TournamentAct) error
	// Export returns players, results or standings as CSV.
	Export(ctx context.Context, id, what string) ([]byte, error)
}

// What can be asked of tournaments.
const (
	TournamentCreate   = "create"   // a tournament
	TournamentPlayers  = "players"  // add the players of Text, CSV
	TournamentLots     = "lots"     // draw lots, with Seed if it is given
	TournamentPair     = "pair"     // the next round
	TournamentAgain    = "again"    // pair the next round with rematches, with Reason
	TournamentMatch    = "match"    // Black against White, by hand; White 0 is a bye
	TournamentUnpair   = "unpair"   // take the last round back
	TournamentColors   = "colors"   // Black has black, by By
	TournamentStart    = "start"    // the game of a pairing at this board
	TournamentResult   = "result"   // enter one
	TournamentCorrect  = "correct"  // one, with Reason
	TournamentReopen   = "reopen"   // take one back, with Reason
	TournamentWithdraw = "withdraw" // Player
	TournamentReturn   = "return"   // Player
	TournamentBye      = "bye"      // for Player in the next round
	TournamentNoBye    = "no_bye"   // take it back
	TournamentRounds   = "rounds"   // play so many Rounds, with Reason once one has been paired
	TournamentEnd      = "end"      // the tournament after the last round that was paired, with Reason
	TournamentContinue = "continue" // a tournament that was ended, with Reason
	TournamentEdit     = "edit"     // Player is Name of Club, with Rating and Lot
	TournamentRemove   = "remove"   // Player, who has not been paired yet
)

// TournamentAct is one thing that an arbiter asks for.
type TournamentAct struct {
	Do string `json:"do"`
	// ID is the tournament; Round and Table a pairing of it.
	ID    string `json:"id,omitempty"`
	Round int    `json:"round,omitempty"`
	Table int    `json:"table,omitempty"`
	// Player, Black and White are numbers of players.
	Player int    `json:"player,omitempty"`
	Black  int    `json:"black,omitempty"`
	White  int    `json:"white,omitempty"`
	Next   bool   `json:"next,omitempty"`
	By     string `json:"by,omitempty"`
	Seed   string `json:"seed,omitempty"`
	Text   string `json:"text,omitempty"`
	// Namesakes says that players of Text may be called as others are.
	Namesakes bool `json:"namesakes,omitempty"`
	// The result: discs as they lie, how it ended, and if it was not decided by
	// the discs (Declared) who wins and what counts.
	BlackDiscs int    `json:"black_discs,omitempty"`
	WhiteDiscs int    `json:"white_discs,omitempty"`
	Ending     string `json:"ending,omitempty"`
	Declared   bool   `json:"declared,omitempty"`
	Winner     string `json:"winner,omitempty"`
	BlackScore int    `json:"black_score,omitempty"`
	WhiteScore int    `json:"white_score,omitempty"`
	Reason     string `json:"reason,omitempty"`
	// A tournament to create, or a player to change.
	Club    string `json:"club,omitempty"`
	Rating  int    `json:"rating,omitempty"`
	Lot     int    `json:"lot,omitempty"`
	Name    string `json:"name,omitempty"`
	Day     string `json:"day,omitempty"`
	Place   string `json:"place,omitempty"`
	System  string `json:"system,omitempty"`
	Rounds  int    `json:"rounds,omitempty"`
	Variant string `json:"variant,omitempty"`
	Profile string `json:"profile,omitempty"`
	Clock   string `json:"clock,omitempty"`
}

const (
	// maxTournamentViews bounds the open tournament views.
	maxTournamentViews = 128
	// tournamentBeat is the longest silence of a stream.
	tournamentBeat = 10 * time.Second
	// maxActText bounds the texts of an act but Text.
	maxActText = 300
)

// tournamentRoutes adds what there is of tournaments: everybody may look, and
// whoever mayOfficiate may do something.
func (s *Server) tournamentRoutes(mux *http.ServeMux) {
	if s.o.Tournaments == nil {
		return
	}
	mux.HandleFunc("GET /tournament", s.files.show(tournamentPage))
	mux.HandleFunc("GET /api/v1/tournament", s.whoever(s.tournament))
	mux.HandleFunc("GET /api/v1/tournament/stream", s.whoever(s.tournamentStream))
	mux.HandleFunc("GET /api/v1/tournament/{id}/{file}", s.whoever(s.tournamentFile))
	mux.HandleFunc("POST /api/v1/tournament", s.whoever(s.officiate))
}

// mayOfficiate reports whether a visitor may change a tournament.
func mayOfficiate(r *http.Request) bool { return who(r).role == Arbiter }

// tournamentSnapshot is what the page gets.
type tournamentSnapshot struct {
	// May says that this visitor may change something, Login that one can log in.
	May   bool            `json:"may"`
	Login bool            `json:"login"`
	View  json.RawMessage `json:"view"`
}

func (s *Server) tournamentNow(r *http.Request) (text []byte, news <-chan struct{}) {
	ctx, cancel := context.WithTimeout(r.Context(), askTimeout)
	defer cancel()
	view, news := s.o.Tournaments.View(ctx, r.URL.Query().Get("id"))
	return mustJSON(tournamentSnapshot{May: mayOfficiate(r), Login: s.o.Access != nil, View: view}), news
}

// tournament answers GET /api/v1/tournament.
func (s *Server) tournament(w http.ResponseWriter, r *http.Request) {
	text, _ := s.tournamentNow(r)
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/json")
	// The reader may have gone; there is nobody to tell.
	_, _ = w.Write(text)
}

// tournamentStream answers GET /api/v1/tournament/stream.
func (s *Server) tournamentStream(w http.ResponseWriter, r *http.Request) {
	s.tournamentViews.stream(s, w, r, "tournament", maxTournamentViews, tournamentBeat, func() ([]byte, <-chan struct{}) {
		return s.tournamentNow(r)
	})
}

// tournamentFile answers GET /api/v1/tournament/{id}/players.csv, results.csv and
// standings.csv.
func (s *Server) tournamentFile(w http.ResponseWriter, r *http.Request) {
	what, ok := map[string]string{"players.csv": "players", "results.csv": "results", "standings.csv": "standings"}[r.PathValue("file")]
	if !ok {
		http.Error(w, "there are players.csv, results.csv and standings.csv", http.StatusNotFound)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), askTimeout)
	defer cancel()
	text, err := s.o.Tournaments.Export(ctx, r.PathValue("id"), what)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+what+`.csv"`)
	h.Set("Cache-Control", "no-store")
	// The reader may have gone; there is nobody to tell.
	_, _ = w.Write(text)
}

// officiate answers POST /api/v1/tournament.
func (s *Server) officiate(w http.ResponseWriter, r *http.Request) {
	if !mayOfficiate(r) {
		w.Header().Set("Vary", "Cookie, Authorization")
		answer(w, http.StatusForbidden, reply{Status: "error", Code: "not_allowed", Error: "log in as arbiter first"})
		return
	}
	body, ok := s.body(w, r, &s.limitsOf(who(r)).commands)
	if !ok {
		return
	}
	a, err := decodeTournament(body)
	if err != nil {
		answer(w, http.StatusBadRequest, reply{Status: "error", Code: "bad_payload", Error: err.Error()})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), askTimeout)
	defer cancel()
	if err := s.o.Tournaments.Do(ctx, who(r).name, a); err != nil {
		answer(w, http.StatusOK, reply{Name: a.Do, Status: "error", Code: "not_allowed", Error: err.Error()})
		return
	}
	answer(w, http.StatusOK, reply{Name: a.Do, Status: "ok"})
}

// decodeTournament reads the body of POST /api/v1/tournament.
func decodeTournament(body []byte) (TournamentAct, error) {
	var a TournamentAct
	if err := decode(body, &a); err != nil {
		return a, err
	}
	known := []string{
		TournamentCreate, TournamentPlayers, TournamentLots, TournamentPair, TournamentMatch, TournamentUnpair, TournamentColors,
		TournamentStart, TournamentResult, TournamentCorrect, TournamentWithdraw, TournamentReturn, TournamentBye, TournamentEdit, TournamentRemove,
		TournamentAgain, TournamentReopen, TournamentNoBye, TournamentRounds, TournamentEnd, TournamentContinue,
	}
	if !slices.Contains(known, a.Do) {
		return a, fmt.Errorf("unknown act %.32q", a.Do)
	}
	for _, text := range []string{a.ID, a.By, a.Seed, a.Ending, a.Winner, a.Reason, a.Club, a.Name, a.Day, a.Place, a.System, a.Variant, a.Profile, a.Clock} {
		if utf8.RuneCountInString(text) > maxActText {
			return a, fmt.Errorf("%.20q… is too long", text)
		}
	}
	if a.Do != TournamentCreate && a.ID == "" {
		return a, errors.New("id: missing, it names the tournament")
	}
	return a, nil
}
