package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Calibrator lets visitors calibrate the board. Its methods may be called from
// any goroutine.
type Calibrator interface {
	// View returns what there is to see, and a channel that is closed when there
	// is something new.
	View() (CalibrationView, <-chan struct{})
	// Do does what a visitor asks for, or says in a sentence why not.
	Do(ctx context.Context, a CalibrationAct) error
}

// What can be asked of a calibrator.
const (
	CalibrationStart  = "start"  // begin, with Quick and Discs
	CalibrationNext   = "next"   // it is done, go on, whatever the cells say
	CalibrationAgain  = "again"  // from the beginning
	CalibrationStore  = "store"  // store it with all corrections
	CalibrationPlain  = "plain"  // store it without corrections
	CalibrationAbort  = "abort"  // end, and store nothing
	CalibrationForget = "forget" // put the result away
)

// CalibrationAct is one thing that a visitor asks for.
type CalibrationAct struct {
	Do string `json:"do"`
	// Quick and Discs are about a start: many discs at once, and how many there
	// are, 8 to 64.
	Quick bool `json:"quick,omitempty"`
	Discs int  `json:"discs,omitempty"`
}

// CalibrationView is all there is to see of a calibration. The page shows it as
// it is: the words are those of the publisher.
type CalibrationView struct {
	// Stage is idle, clearing, measuring, walking, tidying, checking, filling,
	// deciding, storing, agreed or aborted.
	Stage string `json:"stage"`
	// Refusal says why it cannot be started now, empty if it can.
	Refusal string `json:"refusal"`
	// Stored says what calibration is in use, a sentence.
	Stored string `json:"stored"`
	// Colors says that the board sees colors, Quick that many discs are used.
	Colors bool `json:"colors"`
	Quick  bool `json:"quick"`
	// Text says what to do, Note what else is to be known.
	Text string `json:"text"`
	Note string `json:"note"`
	Done int    `json:"done"`
	All  int    `json:"all"`
	// Ask is place, turn or take, Face black, white or none, and Squares where;
	// Missing are those where it has not been seen. Taken says that it has.
	Ask     string   `json:"ask"`
	Face    string   `json:"face"`
	Squares []string `json:"squares"`
	Missing []string `json:"missing"`
	Taken   bool     `json:"taken"`
	// Seen is what the cells show, 64 of -BW?, a1 to h8; Table what lies on a
	// simulated table, empty on a real one.
	Seen  string `json:"seen"`
	Table string `json:"table"`
	// Report is there when all has been measured.
	Report *CalibrationReport `json:"report"`
}

// CalibrationReport is what was found.
type CalibrationReport struct {
	Well        bool                 `json:"well"`
	Summary     string               `json:"summary"`
	Corrections int                  `json:"corrections"`
	Findings    []CalibrationFinding `json:"findings"`
	// Verdicts are a word for each square, "good" or what is wrong, Severities
	// are empty, note, corrected or bad, and Numbers what was measured.
	Verdicts   []string `json:"verdicts"`
	Severities []string `json:"severities"`
	Numbers    []string `json:"numbers"`
	// Picture is the report as an SVG.
	Picture string `json:"picture"`
}

// CalibrationFinding is one thing that was found.
type CalibrationFinding struct {
	Severity string   `json:"severity"`
	Squares  []string `json:"squares"`
	Text     string   `json:"text"`
}

const (
	// maxCalibrations bounds the open calibration views.
	maxCalibrations = 16
	// calibrationBeat is the longest silence of a stream.
	calibrationBeat = 5 * time.Second
)

// calibration answers GET /api/v1/calibration.
func (s *Server) calibration(w http.ResponseWriter, _ *http.Request) {
	v, _ := s.o.Calibrate.View()
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/json")
	// The reader may have gone; there is nobody to tell.
	_, _ = w.Write(mustJSON(v))
}

// calibrationStream answers GET /api/v1/calibration/stream.
func (s *Server) calibrationStream(w http.ResponseWriter, r *http.Request) {
	s.calibrating.stream(s, w, r, "calibration", maxCalibrations, calibrationBeat, func() ([]byte, <-chan struct{}) {
		v, news := s.o.Calibrate.View()
		return mustJSON(v), news
	})
}

// calibrate answers POST /api/v1/calibration.
func (s *Server) calibrate(w http.ResponseWriter, r *http.Request) {
	body, ok := s.body(w, r, &s.limitsOf(who(r)).commands)
	if !ok {
		return
	}
	a, err := decodeCalibration(body)
	if err != nil {
		answer(w, http.StatusBadRequest, reply{Status: "error", Code: "bad_payload", Error: err.Error()})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), askTimeout)
	defer cancel()
	if err := s.o.Calibrate.Do(ctx, a); err != nil {
		answer(w, http.StatusOK, reply{Name: a.Do, Status: "error", Code: "not_allowed", Error: err.Error()})
		return
	}
	answer(w, http.StatusOK, reply{Name: a.Do, Status: "ok"})
}

// decodeCalibration reads the body of POST /api/v1/calibration.
func decodeCalibration(body []byte) (CalibrationAct, error) {
	var a CalibrationAct
	if err := decode(body, &a); err != nil {
		return a, err
	}
	known := []string{
		CalibrationStart, CalibrationNext, CalibrationAgain, CalibrationStore, CalibrationPlain, CalibrationAbort, CalibrationForget,
	}
	switch {
	case !slices.Contains(known, a.Do):
		return a, fmt.Errorf("unknown act %.32q", a.Do)
	case a.Do == CalibrationStart && (a.Discs < 8 || a.Discs > 64):
		return a, errors.New("discs: want 8 to 64")
	case a.Do != CalibrationStart && (a.Quick || a.Discs != 0):
		return a, errors.New("quick and discs are about a start")
	}
	return a, nil
}
