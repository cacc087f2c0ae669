package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// eventJSON is the published form of an event.
type eventJSON struct {
	stampJSON
	Ply     int             `json:"ply"`
	Type    string          `json:"type"`
	Data    json.RawMessage `json:"data"`
	BoardFP string          `json:"board_fp"`
	Replay  bool            `json:"replay"`
}

// The data of the events, by type. Members with omitempty are those that the
// journal adds, see the package comment.
type (
	moveJSON struct {
		By      string        `json:"by"`
		Move    string        `json:"move"`
		Flipped squares       `json:"flipped"`
		Missed  squares       `json:"missed"`
		Extra   squares       `json:"extra"`
		Clock   remainingJSON `json:"clock"`
		ThinkMS int64         `json:"think_ms"`
		ThinkNS *int64        `json:"think_ns,omitempty"`
		AtNS    *int64        `json:"at_ns,omitempty"`
	}
	passJSON struct {
		By    string        `json:"by"`
		Clock remainingJSON `json:"clock"`
		AtNS  *int64        `json:"at_ns,omitempty"`
	}
	undoJSON struct {
		Plies int           `json:"plies"`
		ToPly int           `json:"to_ply"`
		By    string        `json:"by"`
		Clock remainingJSON `json:"clock"`
		AtNS  *int64        `json:"at_ns,omitempty"`
	}
	illegalJSON struct {
		By     string `json:"by"`
		Move   string `json:"move"`
		Reason string `json:"reason"`
	}
	countJSON struct {
		Black int `json:"black"`
		White int `json:"white"`
	}
	resultJSON struct {
		Result  string    `json:"result"`
		Black   *int      `json:"black"`
		White   *int      `json:"white"`
		Discs   countJSON `json:"discs"`
		Empties int       `json:"empties"`
		Reason  string    `json:"reason"`
	}
	sensorJSON struct {
		Squares squares `json:"squares"`
		Kind    string  `json:"kind"`
	}
	powerJSON struct {
		Changed squares `json:"changed"`
		GapS    *int64  `json:"gap_s"`
		GapNS   *int64  `json:"gap_ns,omitempty"`
	}
	commandJSON struct {
		Role string          `json:"role"`
		Name string          `json:"name"`
		ID   *string         `json:"id"`
		From *string         `json:"from"`
		Args json.RawMessage `json:"args"`
	}
	lostJSON struct {
		Engine string `json:"engine"`
		Reason string `json:"reason"`
	}
	undoArgsJSON struct {
		Plies int `json:"plies"`
	}
)

// EncodeEvent writes the published form of ev. The times of the event keep
// their nanoseconds; those of env are cut to milliseconds. It fails only for a
// value that is no event: a color, reason or kind that does not exist. Names
// that are too long or no UTF-8 are mended, not refused.
func EncodeEvent(env Envelope, ev referee.Event) ([]byte, error) {
	kind, data, err := encodeData(env, ev)
	if err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	if err := errors.Join(checkFingerprint(env.FP), inRange("ply", env.Ply, engine.Squares), inRange("boot", env.Boot, math.MaxInt)); err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	raw, err := marshal(data)
	if err != nil {
		return nil, fmt.Errorf("encode %s event: %w", kind, err)
	}
	return marshal(eventJSON{stampJSON: env.head(), Ply: env.Ply, Type: kind, Data: raw, BoardFP: env.FP, Replay: env.Replay})
}

// encodeData returns the type and the data of ev.
func encodeData(env Envelope, ev referee.Event) (kind string, data any, err error) {
	mono := env.Mono.Truncate(time.Millisecond)
	switch ev := ev.(type) {
	case referee.GameStarted:
		m, err := encodeMatch(ev.Match)
		m.AtNS = exact(ev.At, mono)
		return "game_started", m, err
	case referee.Moved:
		data, err = encodeMove(ev, mono)
		return "move", data, err
	case referee.Passed:
		by, err := playerWord("by", ev.By)
		return "pass", passJSON{By: by, AtNS: exact(ev.At, mono)}, err
	case referee.Undone:
		by, err := playerWord("by", ev.By)
		err = errors.Join(err, inRange("plies", ev.Plies, engine.Squares), inRange("to_ply", ev.ToPly, engine.Squares))
		return "undo", undoJSON{Plies: ev.Plies, ToPly: ev.ToPly, By: by, AtNS: exact(ev.At, mono)}, err
	case referee.Illegal:
		data, err = encodeIllegal(ev)
		return "illegal_move", data, err
	case referee.GameOver:
		data, err = encodeResult(ev.Result)
		return "game_over", data, err
	case referee.Faulted:
		return "sensor_fault", sensorJSON{squares(ev.Squares), string(ev.Kind)}, checkKind(ev.Kind)
	case referee.Restored:
		return "sensor_restored", sensorJSON{squares(ev.Squares), string(ev.Kind)}, checkKind(ev.Kind)
	case referee.PowerRestored:
		return "power_restored", encodePower(ev), nil
	case referee.EngineLost:
		return "engine_lost", lostJSON{clean(ev.Engine), cut(ev.Reason, maxReason)}, nil
	case referee.Commanded:
		data, err = encodeAudit(ev.Audit)
		return "command", data, err
	default:
		return "", nil, fmt.Errorf("there is no form for %T", ev)
	}
}

func encodeMove(ev referee.Moved, mono time.Duration) (moveJSON, error) {
	by, err := playerWord("by", ev.By)
	if ev.Square >= engine.Squares {
		err = errors.Join(err, fmt.Errorf("write move: there is no square %d", ev.Square))
	}
	return moveJSON{
		By: by, Move: ev.Square.String(), Flipped: squares(ev.Flipped),
		ThinkMS: ev.Think.Milliseconds(), ThinkNS: exact(ev.Think, ev.Think.Truncate(time.Millisecond)),
		AtNS: exact(ev.At, mono),
	}, err
}

func encodeIllegal(ev referee.Illegal) (illegalJSON, error) {
	if ev.By > engine.None {
		return illegalJSON{}, fmt.Errorf("write by: there is no color %d", ev.By)
	}
	move := engine.At(ev.Square)
	if move > engine.PassMove {
		return illegalJSON{}, fmt.Errorf("write move: there is no square %d", ev.Square)
	}
	if ev.Reason == referee.NoReason || ev.Reason > referee.OtherSquare {
		return illegalJSON{}, fmt.Errorf("write reason: there is no reason %d", ev.Reason)
	}
	return illegalJSON{By: ev.By.String(), Move: move.String(), Reason: ev.Reason.String()}, nil
}

func encodeResult(r referee.Result) (resultJSON, error) {
	w := resultJSON{
		Discs:   countJSON{r.DiscsBlack, r.DiscsWhite},
		Empties: r.Empties(), Reason: string(r.Reason),
	}
	switch {
	case r.Winner > engine.None:
		return w, fmt.Errorf("write result: there is no color %d", r.Winner)
	case r.Void:
		w.Result = "none"
	case r.Winner == engine.None:
		w.Result = "draw"
	default:
		w.Result = r.Winner.String()
	}
	if !r.Void {
		w.Black, w.White = &r.Black, &r.White
	}
	return w, errors.Join(checkEnd(r.Reason), checkScore(r))
}

func encodePower(ev referee.PowerRestored) powerJSON {
	w := powerJSON{Changed: squares(ev.Changed)}
	if ev.Gap >= 0 {
		s := int64(ev.Gap / time.Second)
		w.GapS, w.GapNS = &s, exact(ev.Gap, ev.Gap.Truncate(time.Second))
	}
	return w
}

func encodeAudit(a referee.Audit) (commandJSON, error) {
	args, err := encodeOrder(a.Order)
	if err != nil {
		return commandJSON{}, err
	}
	raw, err := marshal(args)
	return commandJSON{
		Role: clean(a.Role), Name: clean(a.Name), ID: orNull(clean(a.ID)), From: orNull(clean(a.From)), Args: raw,
	}, err
}

// encodeOrder returns the arguments of a command.
func encodeOrder(o referee.Order) (any, error) {
	switch o := o.(type) {
	case referee.NewGame:
		return encodeMatch(o.Match)
	case referee.Undo:
		return undoArgsJSON{Plies: o.Plies}, nil
	case referee.Look:
		return struct{}{}, nil
	default:
		return nil, fmt.Errorf("there is no form for the order %T", o)
	}
}

// checkKind refuses a kind of fault that receivers do not know.
func checkKind(k referee.FaultKind) error {
	switch k {
	case referee.Stuck, referee.Flapping, referee.Ghost, referee.Dead, referee.LostBank, referee.Reset, referee.Drift:
		return nil
	default:
		return fmt.Errorf("there is no kind of fault %.16q", string(k))
	}
}

// checkEnd refuses a reason that receivers do not know.
func checkEnd(r referee.EndReason) error {
	switch r {
	case referee.NoMoves, referee.Wipeout, referee.Aborted, "resign", "flag", "adjudicated":
		return nil
	default:
		return fmt.Errorf("there is no way to end a game by %.16q", string(r))
	}
}

// checkScore refuses counts that no board can show.
func checkScore(r referee.Result) error {
	return errors.Join(
		inRange("discs.black", r.DiscsBlack, engine.Squares), inRange("discs.white", r.DiscsWhite, engine.Squares),
		inRange("empties", r.Empties(), engine.Squares),
		inRange("black", r.Black, engine.Squares), inRange("white", r.White, engine.Squares),
	)
}

// checkFingerprint accepts what Fingerprint makes, and nothing at all.
func checkFingerprint(fp string) error {
	ok := fp == "" || len(fp) == fingerprintLen
	for _, c := range []byte(fp) {
		ok = ok && ('0' <= c && c <= '9' || 'a' <= c && c <= 'f')
	}
	if !ok {
		return fmt.Errorf("board_fp: %.40q is not %d hexadecimal digits", fp, fingerprintLen)
	}
	return nil
}
