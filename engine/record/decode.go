package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

// ErrUnknownType is returned for an event of a type that this program does not
// know, written by a later one.
var ErrUnknownType = errors.New("unknown type of event")

// DecodeEvent reads what EncodeEvent wrote and gives back exactly that event.
// It ignores members that it does not know, and refuses words, squares and
// numbers that this package never writes, and more than MaxEvent bytes.
func DecodeEvent(b []byte) (Envelope, referee.Event, error) {
	if len(b) > MaxEvent {
		return Envelope{}, nil, fmt.Errorf("decode event: %d bytes, at most %d", len(b), MaxEvent)
	}
	var w eventJSON
	if err := json.Unmarshal(b, &w); err != nil {
		return Envelope{}, nil, fmt.Errorf("decode event: %w", err)
	}
	env, err := w.envelope()
	if err != nil {
		return Envelope{}, nil, fmt.Errorf("decode event: %w", err)
	}
	env.Ply, env.FP, env.Replay = w.Ply, w.BoardFP, w.Replay
	if err := errors.Join(inRange("ply", w.Ply, referee.MaxEntries), checkFingerprint(w.BoardFP)); err != nil {
		return Envelope{}, nil, fmt.Errorf("decode event: %w", err)
	}
	ev, err := decodeData(env.Mono, w.Type, w.Data)
	if err != nil {
		return Envelope{}, nil, fmt.Errorf("decode %.32s event %d: %w", w.Type, w.Seq, err)
	}
	return env, ev, nil
}

// TypeOf returns the type of an encoded event without decoding all of it, and
// an empty text when b is no event. It is how a reader of the journal finds the
// game_started that it wants to begin with.
func TypeOf(b []byte) string {
	var w struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(b, &w) != nil {
		return ""
	}
	return w.Type
}

// decodeData reads the data of an event of type kind.
func decodeData(mono time.Duration, kind string, data json.RawMessage) (referee.Event, error) {
	switch kind {
	case "game_started":
		return decodeStart(mono, data)
	case "move":
		return decodeMove(mono, data)
	case "pass":
		return decodePass(mono, data)
	case "flip_error":
		return decodeFlipError(mono, data)
	case "undo":
		return decodeUndo(mono, data)
	case "revise":
		return decodeRevised(mono, data)
	case "position_set":
		return decodePosition(mono, data)
	case "illegal_move":
		return decodeIllegal(data)
	case "game_over":
		return decodeOver(mono, data)
	case "clock_flag", "clock_adjusted", "paused", "resumed", "time_stepped":
		return decodeTiming(mono, kind, data)
	case "sensor_fault":
		w, err := decodeSensor(data)
		return referee.Faulted{Squares: engine.Bitboard(w.Squares), Kind: referee.FaultKind(w.Kind)}, err
	case "sensor_restored":
		w, err := decodeSensor(data)
		return referee.Restored{Squares: engine.Bitboard(w.Squares), Kind: referee.FaultKind(w.Kind)}, err
	case "power_restored":
		return decodePower(mono, data)
	case "engine_lost":
		return decodeEngineLost(data)
	case "command":
		return decodeCommand(data)
	default:
		return nil, ErrUnknownType
	}
}

// read fills a T from data, which must be an object.
func read[T any](data json.RawMessage) (T, error) {
	var w T
	if len(data) == 0 || data[0] != '{' {
		return w, errors.New("read data: want an object")
	}
	if err := json.Unmarshal(data, &w); err != nil {
		return w, fmt.Errorf("read data: %w", err)
	}
	return w, nil
}

func decodeStart(mono time.Duration, data json.RawMessage) (referee.Event, error) {
	w, err := read[matchJSON](data)
	if err != nil {
		return nil, err
	}
	m, err := w.match()
	return referee.GameStarted{Match: m, At: unless(w.AtNS, mono)}, err
}

func decodeMove(mono time.Duration, data json.RawMessage) (referee.Event, error) {
	w, err := read[moveJSON](data)
	if err != nil {
		return nil, err
	}
	by, errBy := player("by", w.By)
	at, errMove := square(w.Move)
	think, errThink := milliseconds("think_ms", w.ThinkMS)
	times, errClock := w.Clock.times()
	improper, errImproper := reason(w.Improper, true)
	return referee.Moved{
		By: by, Square: at, Flipped: engine.Bitboard(w.Flipped), Missed: engine.Bitboard(w.Missed), Extra: engine.Bitboard(w.Extra),
		Improper: improper, Clock: times, Think: unless(w.ThinkNS, think), At: unless(w.AtNS, mono),
	}, errors.Join(errBy, errMove, errThink, errClock, errImproper)
}

func decodePass(mono time.Duration, data json.RawMessage) (referee.Event, error) {
	w, err := read[passJSON](data)
	if err != nil {
		return nil, err
	}
	by, err := player("by", w.By)
	times, errClock := w.Clock.times()
	return referee.Passed{By: by, Clock: times, At: unless(w.AtNS, mono)}, errors.Join(err, errClock)
}

func decodeUndo(mono time.Duration, data json.RawMessage) (referee.Event, error) {
	w, err := read[undoJSON](data)
	if err != nil {
		return nil, err
	}
	by, err := player("by", w.By)
	times, errClock := w.Clock.times()
	err = errors.Join(err, errClock, inRange("plies", w.Plies, referee.MaxEntries), inRange("to_ply", w.ToPly, referee.MaxEntries))
	return referee.Undone{
		Plies: w.Plies, ToPly: w.ToPly, By: by, Claimed: w.Claimed, Clock: times, At: unless(w.AtNS, mono),
	}, err
}

func decodeFlipError(mono time.Duration, data json.RawMessage) (referee.Event, error) {
	w, err := read[flipErrorJSON](data)
	if err != nil {
		return nil, err
	}
	ev := referee.FlipError{
		Ply: w.Ply, Missed: engine.Bitboard(w.Missed), Extra: engine.Bitboard(w.Extra), Claimed: w.Claimed, At: unless(w.AtNS, mono),
	}
	ev.Clock, err = w.Clock.times()
	return ev, errors.Join(err, rule("status", w.Status, &ev.Status), inRange("ply", w.Ply, referee.MaxEntries))
}

func decodeRevised(mono time.Duration, data json.RawMessage) (referee.Event, error) {
	w, err := read[reviseJSON](data)
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		inRange("from_ply", w.FromPly, referee.MaxEntries), inRange("plies", len(w.Plies), referee.MaxRevised),
		shorter("reason", w.Reason, maxReason),
	)
	if err != nil {
		return nil, err
	}
	ev := referee.Revised{FromPly: w.FromPly, Len: len(w.Plies), Reason: plaintext.Clean(w.Reason, maxReason), At: unless(w.AtNS, mono)}
	ev.Clock, err = w.Clock.times()
	for i, p := range w.Plies {
		var wrong error
		ev.Line[i], wrong = p.ply()
		err = errors.Join(err, wrong)
	}
	return ev, err
}

// ply reads a move or a pass of a revision.
func (w plyJSON) ply() (referee.Ply, error) {
	p := referee.Ply{Move: engine.PassMove, Flipped: engine.Bitboard(w.Flipped)}
	var errBy, errMove, errThink, errClock error
	p.By, errBy = player("by", w.By)
	if w.Move != engine.PassMove.String() {
		var at engine.Square
		at, errMove = square(w.Move)
		p.Move = engine.At(at)
	}
	var think time.Duration
	think, errThink = milliseconds("think_ms", w.ThinkMS)
	p.Think = unless(w.ThinkNS, think)
	p.Clock, errClock = w.Clock.times()
	return p, errors.Join(errBy, errMove, errThink, errClock)
}

func decodePosition(mono time.Duration, data json.RawMessage) (referee.Event, error) {
	w, err := read[positionJSON](data)
	if err != nil {
		return nil, err
	}
	ev := referee.PositionSet{Reason: plaintext.Clean(w.Reason, maxReason), At: unless(w.AtNS, mono)}
	var errBoard, errTurn, errClock error
	ev.Discs, errBoard = board(w.Board)
	ev.Turn, errTurn = player("turn", w.Turn)
	ev.Clock, errClock = w.Clock.times()
	return ev, errors.Join(errBoard, errTurn, errClock, shorter("reason", w.Reason, maxReason))
}

// decodeTiming reads the events about clocks.
func decodeTiming(mono time.Duration, kind string, data json.RawMessage) (referee.Event, error) {
	switch kind {
	case "clock_flag":
		w, err := read[flagJSON](data)
		if err != nil {
			return nil, err
		}
		ev := referee.ClockFlag{At: unless(w.AtNS, mono)}
		var errColor, errClock error
		ev.Color, errColor = color("color", w.Color)
		ev.Clock, errClock = w.Clock.times()
		return ev, errors.Join(errColor, errClock, rule("effect", w.Effect, &ev.Effect))
	case "clock_adjusted":
		w, err := read[adjustedJSON](data)
		if err != nil {
			return nil, err
		}
		times, err := w.Clock.times()
		return referee.ClockAdjusted{Clock: times, Reason: plaintext.Clean(w.Reason, maxReason), At: unless(w.AtNS, mono)}, errors.Join(
			err, shorter("reason", w.Reason, maxReason))
	case "time_stepped":
		w, err := read[steppedJSON](data)
		if err != nil {
			return nil, err
		}
		by, err := milliseconds("by_ms", w.ByMS)
		return referee.TimeStepped{By: unless(w.ByNS, by)}, err
	default:
		return decodePause(mono, kind, data)
	}
}

func decodePause(mono time.Duration, kind string, data json.RawMessage) (referee.Event, error) {
	w, err := read[pauseJSON](data)
	if err != nil {
		return nil, err
	}
	times, errClock := w.Clock.times()
	err = errors.Join(errClock, short("by", w.By), shorter("reason", w.Reason, maxReason))
	at := unless(w.AtNS, mono)
	if kind == "paused" {
		return referee.GamePaused{By: word(w.By), Reason: plaintext.Clean(w.Reason, maxReason), Clock: times, At: at}, err
	}
	return referee.GameResumed{By: word(w.By), Reason: plaintext.Clean(w.Reason, maxReason), Clock: times, At: at}, err
}

func decodeIllegal(data json.RawMessage) (referee.Event, error) {
	w, err := read[illegalJSON](data)
	if err != nil {
		return nil, err
	}
	by, err := color("by", w.By)
	at := engine.Square(engine.PassMove)
	if w.Move != engine.PassMove.String() {
		var errMove error
		at, errMove = square(w.Move)
		err = errors.Join(err, errMove)
	}
	r, errReason := reason(w.Reason, false)
	return referee.Illegal{By: by, Square: at, Reason: r}, errors.Join(err, errReason)
}

// reason reads the word of a reason.
func reason(word string, mayBeNone bool) (referee.Reason, error) {
	for r := referee.NoReason; r <= referee.DiscMissing; r++ {
		if r.String() == word && (r != referee.NoReason || mayBeNone) {
			return r, nil
		}
	}
	return 0, fmt.Errorf("read reason: there is no reason %.24q", word)
}

func decodeOver(mono time.Duration, data json.RawMessage) (referee.Event, error) {
	w, err := read[overJSON](data)
	if err != nil {
		return nil, err
	}
	r, err := w.result()
	times, errClock := timesOrNone(w.Clock)
	return referee.GameOver{Result: r, Clock: times, At: unless(w.AtNS, mono)}, errors.Join(err, errClock)
}

// timesOrNone reads times that are left out when nobody has a clock.
func timesOrNone(w *remainingJSON) (clock.Times, error) {
	if w == nil {
		return clock.Times{}, nil
	}
	return w.times()
}

// result reads what encodeResult wrote.
func (w resultJSON) result() (referee.Result, error) {
	r := referee.Result{DiscsBlack: w.Discs.Black, DiscsWhite: w.Discs.White, Reason: referee.EndReason(w.Reason)}
	var err error
	r.Stop, err = w.TimeUp.stop()
	err = errors.Join(err, checkEnd(r.Reason))
	var errResult error
	r.Winner, r.Void, errResult = parseResult(w.Result)
	err = errors.Join(err, errResult)
	if r.Void {
		return r, errors.Join(err, checkScore(r))
	}
	if w.Black == nil || w.White == nil {
		return r, errors.Join(err, errors.New("read score: a result needs black and white"))
	}
	r.Black, r.White = *w.Black, *w.White
	if w.Counts == nil {
		r.Counts = countsOf(r)
		return r, errors.Join(err, checkScore(r))
	}
	return r, errors.Join(err, checkScore(r), rule("counts", *w.Counts, &r.Counts))
}

// stop reads what encodeStop wrote.
func (w *timeUpJSON) stop() (referee.Stop, error) {
	if w == nil {
		return referee.Stop{}, nil
	}
	s := referee.Stop{Differ: engine.Bitboard(w.Differ), RecordBlack: w.Record.Black, RecordWhite: w.Record.White}
	var err error
	s.Lay, err = board(w.Board)
	switch w.By {
	case referee.CountedBoard.String():
		s.By = referee.CountedBoard
	case referee.CountedRecord.String():
		s.By = referee.CountedRecord
	default:
		err = errors.Join(err, fmt.Errorf("read time_up.by: %.16q is not board or record", w.By))
	}
	return s, errors.Join(err,
		inRange("time_up.record.black", s.RecordBlack, engine.Squares), inRange("time_up.record.white", s.RecordWhite, engine.Squares))
}

// countsOf returns what the score of a result is in a journal that does not say so.
func countsOf(r referee.Result) referee.Counts {
	black, white := r.WithEmpties()
	switch {
	case r.Reason == referee.Resigned || r.Reason == referee.Adjudicated || r.Reason == referee.Aborted:
		return referee.CountsAwarded
	case r.Black == black && r.White == white && r.Reason != referee.FlagFell:
		return referee.CountsWithEmpties
	case r.Black == r.DiscsBlack && r.White == r.DiscsWhite:
		return referee.CountsDiscs
	default:
		return referee.CountsAwarded
	}
}

// parseResult reads black, white, draw or none.
func parseResult(word string) (winner engine.Color, void bool, err error) {
	switch word {
	case "none":
		return engine.None, true, nil
	case "draw":
		return engine.None, false, nil
	default:
		winner, err = player("result", word)
		return winner, false, err
	}
}

func decodeSensor(data json.RawMessage) (sensorJSON, error) {
	w, err := read[sensorJSON](data)
	if err != nil {
		return w, err
	}
	return w, checkKind(referee.FaultKind(w.Kind))
}

func decodePower(mono time.Duration, data json.RawMessage) (referee.Event, error) {
	w, err := read[powerJSON](data)
	if err != nil {
		return nil, err
	}
	ev := referee.PowerRestored{Changed: engine.Bitboard(w.Changed), Gap: -1, At: unless(w.AtNS, mono)}
	if ev.Clock, err = timesOrNone(w.Clock); err != nil {
		return nil, err
	}
	if w.GapS == nil {
		return ev, nil
	}
	if *w.GapS < 0 || *w.GapS > int64((1<<63-1)/time.Second) {
		return nil, fmt.Errorf("read gap_s: %d is out of range", *w.GapS)
	}
	ev.Gap = unless(w.GapNS, time.Duration(*w.GapS)*time.Second)
	if ev.Gap < 0 {
		return nil, fmt.Errorf("read gap_ns: %d is negative", ev.Gap)
	}
	return ev, nil
}

func decodeEngineLost(data json.RawMessage) (referee.Event, error) {
	w, err := read[lostJSON](data)
	if err != nil {
		return nil, err
	}
	return referee.EngineLost{Engine: plaintext.Clean(w.Engine, MaxName), Reason: plaintext.Clean(w.Reason, maxReason)}, errors.Join(
		short("engine", w.Engine), shorter("reason", w.Reason, maxReason))
}

func decodeCommand(data json.RawMessage) (referee.Event, error) {
	w, err := read[commandJSON](data)
	if err != nil {
		return nil, err
	}
	id, from := orEmpty(w.ID), orEmpty(w.From)
	a := referee.Audit{Role: word(w.Role), Name: word(w.Name), ID: plaintext.Clean(id, MaxName), From: plaintext.Clean(from, MaxName)}
	err = errors.Join(short("role", w.Role), short("name", w.Name), short("id", id), short("from", from))
	if err != nil {
		return nil, err
	}
	a.Order, err = decodeOrder(a.Name, w.Args)
	return referee.Commanded{Audit: a}, err
}

// word returns a word of the contract that no list of this program knows.
func word(text string) string {
	if strings.ContainsFunc(text, plaintext.Hidden) {
		return plaintext.Clean(text, MaxName).String()
	}
	return text
}

// inRange refuses a number that is negative or above limit.
func inRange(member string, n, limit int) error {
	if n < 0 || n > limit {
		return fmt.Errorf("%s: %d is not within 0–%d", member, n, limit)
	}
	return nil
}
