package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"reversi-board/engine"
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
	if err := errors.Join(inRange("ply", w.Ply, engine.Squares), checkFingerprint(w.BoardFP)); err != nil {
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
	case "undo":
		return decodeUndo(mono, data)
	case "illegal_move":
		return decodeIllegal(data)
	case "game_over":
		return decodeOver(data)
	case "sensor_fault":
		w, err := decodeSensor(data)
		return referee.Faulted{Squares: engine.Bitboard(w.Squares), Kind: referee.FaultKind(w.Kind)}, err
	case "sensor_restored":
		w, err := decodeSensor(data)
		return referee.Restored{Squares: engine.Bitboard(w.Squares), Kind: referee.FaultKind(w.Kind)}, err
	case "power_restored":
		return decodePower(data)
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
	return referee.Moved{
		By: by, Square: at, Flipped: engine.Bitboard(w.Flipped),
		Think: unless(w.ThinkNS, think), At: unless(w.AtNS, mono),
	}, errors.Join(errBy, errMove, errThink)
}

func decodePass(mono time.Duration, data json.RawMessage) (referee.Event, error) {
	w, err := read[passJSON](data)
	if err != nil {
		return nil, err
	}
	by, err := player("by", w.By)
	return referee.Passed{By: by, At: unless(w.AtNS, mono)}, err
}

func decodeUndo(mono time.Duration, data json.RawMessage) (referee.Event, error) {
	w, err := read[undoJSON](data)
	if err != nil {
		return nil, err
	}
	by, err := player("by", w.By)
	err = errors.Join(err, inRange("plies", w.Plies, engine.Squares), inRange("to_ply", w.ToPly, engine.Squares))
	return referee.Undone{Plies: w.Plies, ToPly: w.ToPly, By: by, At: unless(w.AtNS, mono)}, err
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
	for r := referee.Occupied; r <= referee.OtherSquare; r++ {
		if r.String() == w.Reason {
			return referee.Illegal{By: by, Square: at, Reason: r}, err
		}
	}
	return nil, fmt.Errorf("read reason: there is no reason %.24q", w.Reason)
}

func decodeOver(data json.RawMessage) (referee.Event, error) {
	w, err := read[resultJSON](data)
	if err != nil {
		return nil, err
	}
	r, err := w.result()
	return referee.GameOver{Result: r}, err
}

// result reads what encodeResult wrote.
func (w resultJSON) result() (referee.Result, error) {
	r := referee.Result{DiscsBlack: w.Discs.Black, DiscsWhite: w.Discs.White, Reason: referee.EndReason(w.Reason)}
	err := checkEnd(r.Reason)
	switch w.Result {
	case "none":
		r.Winner, r.Void = engine.None, true
		return r, errors.Join(err, checkScore(r))
	case "draw":
		r.Winner = engine.None
	default:
		var errWinner error
		r.Winner, errWinner = player("result", w.Result)
		err = errors.Join(err, errWinner)
	}
	if w.Black == nil || w.White == nil {
		return r, errors.Join(err, errors.New("read score: a result needs black and white"))
	}
	r.Black, r.White = *w.Black, *w.White
	return r, errors.Join(err, checkScore(r))
}

func decodeSensor(data json.RawMessage) (sensorJSON, error) {
	w, err := read[sensorJSON](data)
	if err != nil {
		return w, err
	}
	return w, checkKind(referee.FaultKind(w.Kind))
}

func decodePower(data json.RawMessage) (referee.Event, error) {
	w, err := read[powerJSON](data)
	if err != nil {
		return nil, err
	}
	ev := referee.PowerRestored{Changed: engine.Bitboard(w.Changed), Gap: -1}
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
	if utf8.RuneCountInString(w.Reason) > maxReason {
		return nil, fmt.Errorf("read reason: longer than %d characters", maxReason)
	}
	return referee.EngineLost{Engine: w.Engine, Reason: w.Reason}, short("engine", w.Engine)
}

func decodeCommand(data json.RawMessage) (referee.Event, error) {
	w, err := read[commandJSON](data)
	if err != nil {
		return nil, err
	}
	a := referee.Audit{Role: w.Role, Name: w.Name, ID: orEmpty(w.ID), From: orEmpty(w.From)}
	err = errors.Join(short("role", a.Role), short("name", a.Name), short("id", a.ID), short("from", a.From))
	if err != nil {
		return nil, err
	}
	a.Order, err = decodeOrder(w.Args)
	return referee.Commanded{Audit: a}, err
}

// decodeOrder reads the arguments of a command. Their members say which order
// it was, so that the name of the command is free: several commands only look.
func decodeOrder(args json.RawMessage) (referee.Order, error) {
	members, err := read[map[string]json.RawMessage](args)
	if err != nil {
		return nil, err
	}
	if _, ok := members["variant"]; ok {
		w, err := read[matchJSON](args)
		if err != nil {
			return nil, err
		}
		m, err := w.match()
		return referee.NewGame{Match: m}, err
	}
	if _, ok := members["plies"]; ok {
		w, err := read[undoArgsJSON](args)
		return referee.Undo{Plies: w.Plies}, err
	}
	return referee.Look{}, nil
}

// inRange refuses a number that is negative or above limit.
func inRange(member string, n, limit int) error {
	if n < 0 || n > limit {
		return fmt.Errorf("%s: %d is not within 0–%d", member, n, limit)
	}
	return nil
}
