package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
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
		By      string  `json:"by"`
		Move    string  `json:"move"`
		Flipped squares `json:"flipped"`
		Missed  squares `json:"missed"`
		Extra   squares `json:"extra"`
		// Improper is why a move that counts is none by the rules.
		Improper string        `json:"improper,omitempty"`
		Clock    remainingJSON `json:"clock"`
		ThinkMS  int64         `json:"think_ms"`
		ThinkNS  *int64        `json:"think_ns,omitempty"`
		AtNS     *int64        `json:"at_ns,omitempty"`
	}
	passJSON struct {
		By    string        `json:"by"`
		Clock remainingJSON `json:"clock"`
		AtNS  *int64        `json:"at_ns,omitempty"`
	}
	undoJSON struct {
		Plies int    `json:"plies"`
		ToPly int    `json:"to_ply"`
		By    string `json:"by"`
		// Claimed says that it was an improper move to which the opponent
		// objected.
		Claimed bool          `json:"claimed,omitempty"`
		Clock   remainingJSON `json:"clock"`
		AtNS    *int64        `json:"at_ns,omitempty"`
	}
	flipErrorJSON struct {
		Ply    int     `json:"ply"`
		Missed squares `json:"missed"`
		Extra  squares `json:"extra"`
		Status string  `json:"status"`
		// Claimed says that the opponent has objected; it is open until the
		// discs are right.
		Claimed bool          `json:"claimed,omitempty"`
		Clock   remainingJSON `json:"clock"`
		AtNS    *int64        `json:"at_ns,omitempty"`
	}
	reviseJSON struct {
		FromPly int           `json:"from_ply"`
		Plies   []plyJSON     `json:"plies"`
		Reason  string        `json:"reason"`
		Clock   remainingJSON `json:"clock"`
		AtNS    *int64        `json:"at_ns,omitempty"`
	}
	// plyJSON is a move or a pass of a revision, with the members of those.
	plyJSON struct {
		By      string        `json:"by"`
		Move    string        `json:"move"`
		Flipped squares       `json:"flipped"`
		Missed  squares       `json:"missed"`
		Extra   squares       `json:"extra"`
		Clock   remainingJSON `json:"clock"`
		ThinkMS int64         `json:"think_ms"`
		ThinkNS *int64        `json:"think_ns,omitempty"`
	}
	positionJSON struct {
		Board  string        `json:"board"`
		Turn   string        `json:"turn"`
		Reason string        `json:"reason"`
		Clock  remainingJSON `json:"clock"`
		AtNS   *int64        `json:"at_ns,omitempty"`
	}
	// flagJSON has the color none where one clock runs for the whole game: its flag is
	// nobody's. Journals that were begun before name who was on turn.
	flagJSON struct {
		Color  string        `json:"color"`
		Clock  remainingJSON `json:"clock"`
		Effect string        `json:"effect"`
		AtNS   *int64        `json:"at_ns,omitempty"`
	}
	adjustedJSON struct {
		Clock  remainingJSON `json:"clock"`
		Reason string        `json:"reason"`
		AtNS   *int64        `json:"at_ns,omitempty"`
	}
	pauseJSON struct {
		By     string        `json:"by"`
		Reason string        `json:"reason"`
		Clock  remainingJSON `json:"clock"`
		AtNS   *int64        `json:"at_ns,omitempty"`
	}
	steppedJSON struct {
		ByMS int64  `json:"by_ms"`
		ByNS *int64 `json:"by_ns,omitempty"`
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
	// Black and White are the score that counts. Counts says which one it is:
	// "discs", "with_empties", or "awarded" when it is neither; null where there is
	// no result. Journals that were begun before it was written do not have it.
	resultJSON struct {
		Result      string     `json:"result"`
		Black       *int       `json:"black"`
		White       *int       `json:"white"`
		Counts      *string    `json:"counts"`
		Discs       countJSON  `json:"discs"`
		WithEmpties *countJSON `json:"with_empties"`
		Empties     int        `json:"empties"`
		Reason      string     `json:"reason"`
		// TimeUp is how the discs were counted, of a game that the time has stopped.
		TimeUp *timeUpJSON `json:"time_up,omitempty"`
	}
	// timeUpJSON says what was counted ("board", or "record" where the board sees no
	// colors), what lay on the board then, where the record has something else, and
	// what the record would give.
	timeUpJSON struct {
		By     string    `json:"by"`
		Board  string    `json:"board"`
		Differ squares   `json:"differ"`
		Record countJSON `json:"record"`
	}
	// overJSON is a result with the clocks at the end.
	overJSON struct {
		resultJSON
		Clock *remainingJSON `json:"clock,omitempty"`
		AtNS  *int64         `json:"at_ns,omitempty"`
	}
	sensorJSON struct {
		Squares squares `json:"squares"`
		Kind    string  `json:"kind"`
	}
	powerJSON struct {
		Changed squares `json:"changed"`
		GapS    *int64  `json:"gap_s"`
		GapNS   *int64  `json:"gap_ns,omitempty"`
		// Clock is what both players have left, in games with clocks.
		Clock *remainingJSON `json:"clock,omitempty"`
		AtNS  *int64         `json:"at_ns,omitempty"`
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
	return encodeEvent(env, kind, data)
}

// EncodeEventFor writes an event as players under a profile may know it: payload
// where they may know all of it. One that is kept from them is written as a note
// without data, so that no number seems to be missing.
func EncodeEventFor(env Envelope, ev referee.Event, p *referee.Profile, payload []byte) ([]byte, error) {
	switch public, whole := p.Redact(ev); {
	case whole:
		return payload, nil
	case public == nil:
		return encodeEvent(env, "note", nil)
	default:
		return EncodeEvent(env, public)
	}
}

func encodeEvent(env Envelope, kind string, data any) ([]byte, error) {
	if err := errors.Join(checkFingerprint(env.FP), inRange("ply", env.Ply, referee.MaxEntries), inRange("boot", env.Boot, math.MaxInt)); err != nil {
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
		return "pass", passJSON{By: by, Clock: encodeTimes(ev.Clock), AtNS: exact(ev.At, mono)}, err
	case referee.FlipError:
		data, err = encodeFlipError(ev, mono)
		return "flip_error", data, err
	case referee.Undone:
		by, err := playerWord("by", ev.By)
		err = errors.Join(err, inRange("plies", ev.Plies, referee.MaxEntries), inRange("to_ply", ev.ToPly, referee.MaxEntries))
		return "undo", undoJSON{
			Plies: ev.Plies, ToPly: ev.ToPly, By: by, Claimed: ev.Claimed, Clock: encodeTimes(ev.Clock), AtNS: exact(ev.At, mono),
		}, err
	case referee.Revised:
		data, err = encodeRevised(ev, mono)
		return "revise", data, err
	case referee.PositionSet:
		data, err = encodePosition(ev, mono)
		return "position_set", data, err
	case referee.Illegal:
		data, err = encodeIllegal(ev)
		return "illegal_move", data, err
	case referee.ClockFlag, referee.ClockAdjusted, referee.GamePaused, referee.GameResumed, referee.TimeStepped:
		return encodeTiming(ev, mono)
	case referee.GameOver:
		data, err = encodeOver(ev, mono)
		return "game_over", data, err
	case referee.Faulted:
		return "sensor_fault", sensorJSON{squares(ev.Squares), string(ev.Kind)}, checkKind(ev.Kind)
	case referee.Restored:
		return "sensor_restored", sensorJSON{squares(ev.Squares), string(ev.Kind)}, checkKind(ev.Kind)
	case referee.PowerRestored:
		return "power_restored", encodePower(ev, mono), nil
	case referee.EngineLost:
		return "engine_lost", lostJSON{clean(ev.Engine.String()), cut(ev.Reason.String(), maxReason)}, nil
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
	if err = errors.Join(err, checkReason(ev.Improper, true)); err != nil {
		return moveJSON{}, err
	}
	return moveJSON{
		By: by, Move: ev.Square.String(), Flipped: squares(ev.Flipped), Missed: squares(ev.Missed), Extra: squares(ev.Extra),
		Improper: ev.Improper.String(), Clock: encodeTimes(ev.Clock),
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
	if err := checkReason(ev.Reason, false); err != nil {
		return illegalJSON{}, err
	}
	return illegalJSON{By: ev.By.String(), Move: move.String(), Reason: ev.Reason.String()}, nil
}

// checkReason refuses a reason that does not exist.
func checkReason(r referee.Reason, mayBeNone bool) error {
	if r > referee.DiscMissing || r == referee.NoReason && !mayBeNone {
		return fmt.Errorf("write reason: there is no reason %d", r)
	}
	return nil
}

func encodeFlipError(ev referee.FlipError, mono time.Duration) (flipErrorJSON, error) {
	if ev.Status.String() == "" {
		return flipErrorJSON{}, fmt.Errorf("write status: there is no status %d", ev.Status)
	}
	return flipErrorJSON{
		Ply: ev.Ply, Missed: squares(ev.Missed), Extra: squares(ev.Extra), Status: ev.Status.String(), Claimed: ev.Claimed,
		Clock: encodeTimes(ev.Clock), AtNS: exact(ev.At, mono),
	}, inRange("ply", ev.Ply, referee.MaxEntries)
}

func encodeRevised(ev referee.Revised, mono time.Duration) (reviseJSON, error) {
	w := reviseJSON{
		FromPly: ev.FromPly, Plies: []plyJSON{}, Reason: cut(ev.Reason.String(), maxReason),
		Clock: encodeTimes(ev.Clock), AtNS: exact(ev.At, mono),
	}
	err := errors.Join(inRange("from_ply", ev.FromPly, referee.MaxEntries), inRange("plies", ev.Len, referee.MaxRevised))
	if err != nil {
		return w, err
	}
	for _, p := range ev.Line[:ev.Len] {
		by, errBy := playerWord("by", p.By)
		if p.Move > engine.PassMove {
			errBy = errors.Join(errBy, fmt.Errorf("write move: there is no move %d", p.Move))
		}
		err = errors.Join(err, errBy)
		w.Plies = append(w.Plies, plyJSON{
			By: by, Move: p.Move.String(), Flipped: squares(p.Flipped), Clock: encodeTimes(p.Clock),
			ThinkMS: p.Think.Milliseconds(), ThinkNS: exact(p.Think, p.Think.Truncate(time.Millisecond)),
		})
	}
	return w, err
}

func encodePosition(ev referee.PositionSet, mono time.Duration) (positionJSON, error) {
	turn, err := playerWord("turn", ev.Turn)
	if twice := ev.Discs.Black & ev.Discs.White; twice != 0 {
		err = errors.Join(err, fmt.Errorf("write board: %v cannot be black and white", twice))
	}
	return positionJSON{
		Board: ev.Discs.String(), Turn: turn, Reason: cut(ev.Reason.String(), maxReason), Clock: encodeTimes(ev.Clock), AtNS: exact(ev.At, mono),
	}, err
}

// encodeTiming writes the events about clocks.
func encodeTiming(ev referee.Event, mono time.Duration) (kind string, data any, err error) {
	switch ev := ev.(type) {
	case referee.ClockFlag:
		var err error
		if ev.Color > engine.None {
			err = fmt.Errorf("write color: there is no color %d", ev.Color)
		}
		if ev.Effect.String() == "" {
			err = errors.Join(err, fmt.Errorf("write effect: there is no rule %d", ev.Effect))
		}
		return "clock_flag", flagJSON{
			Color: ev.Color.String(), Clock: encodeTimes(ev.Clock), Effect: ev.Effect.String(), AtNS: exact(ev.At, mono),
		}, err
	case referee.ClockAdjusted:
		return "clock_adjusted", adjustedJSON{encodeTimes(ev.Clock), cut(ev.Reason.String(), maxReason), exact(ev.At, mono)}, nil
	case referee.GamePaused:
		return "paused", pauseJSON{clean(ev.By), cut(ev.Reason.String(), maxReason), encodeTimes(ev.Clock), exact(ev.At, mono)}, nil
	case referee.GameResumed:
		return "resumed", pauseJSON{clean(ev.By), cut(ev.Reason.String(), maxReason), encodeTimes(ev.Clock), exact(ev.At, mono)}, nil
	case referee.TimeStepped:
		return "time_stepped", steppedJSON{ev.By.Milliseconds(), exact(ev.By, ev.By.Truncate(time.Millisecond))}, nil
	case referee.GameStarted, referee.Moved, referee.Passed, referee.FlipError, referee.Undone, referee.Revised,
		referee.PositionSet, referee.Illegal, referee.GameOver, referee.Faulted, referee.Restored, referee.PowerRestored,
		referee.EngineLost, referee.Commanded:
	}
	return "", nil, fmt.Errorf("%T is not about clocks", ev)
}

// encodeOver writes the result, and the clocks if there are any.
func encodeOver(ev referee.GameOver, mono time.Duration) (overJSON, error) {
	r, err := encodeResult(ev.Result)
	w := overJSON{resultJSON: r, AtNS: exact(ev.At, mono)}
	w.Clock = ifTimed(ev.Clock)
	return w, err
}

// ifTimed writes t, nil when nobody has a clock.
func ifTimed(t clock.Times) *remainingJSON {
	if t == (clock.Times{}) {
		return nil
	}
	w := encodeTimes(t)
	return &w
}

func encodeResult(r referee.Result) (resultJSON, error) {
	w := resultJSON{
		Result:      resultWord(r.Winner, r.Void),
		Discs:       countJSON{r.DiscsBlack, r.DiscsWhite},
		WithEmpties: &countJSON{}, Empties: r.Empties(), Reason: string(r.Reason),
	}
	w.WithEmpties.Black, w.WithEmpties.White = r.WithEmpties()
	if w.Result == "" {
		return w, fmt.Errorf("write result: there is no color %d", r.Winner)
	}
	if !r.Void {
		w.Black, w.White, w.Counts = &r.Black, &r.White, orNull(r.Counts.String())
		if w.Counts == nil {
			return w, fmt.Errorf("write counts: there is no kind of score %d", r.Counts)
		}
	}
	var err error
	w.TimeUp, err = encodeStop(r.Stop)
	return w, errors.Join(err, checkEnd(r.Reason), checkScore(r))
}

// encodeStop writes how the discs were counted, nil if the time has not stopped the
// game.
func encodeStop(s referee.Stop) (*timeUpJSON, error) {
	if s.By == referee.NotStopped {
		return nil, nil //nolint:nilnil // absent is how nothing is written
	}
	w := &timeUpJSON{
		By: s.By.String(), Board: s.Lay.String(), Differ: squares(s.Differ), Record: countJSON{s.RecordBlack, s.RecordWhite},
	}
	var err error
	if w.By == "" {
		err = fmt.Errorf("write time_up.by: there is no way to count %d", s.By)
	}
	if twice := s.Lay.Black & s.Lay.White; twice != 0 {
		err = errors.Join(err, fmt.Errorf("write time_up.board: %v cannot be black and white", twice))
	}
	return w, errors.Join(err,
		inRange("time_up.record.black", s.RecordBlack, engine.Squares), inRange("time_up.record.white", s.RecordWhite, engine.Squares))
}

// resultWord writes black, white, draw or none; empty for a color that does not
// exist.
func resultWord(winner engine.Color, void bool) string {
	switch {
	case winner > engine.None:
		return ""
	case void:
		return "none"
	case winner == engine.None:
		return "draw"
	default:
		return winner.String()
	}
}

func encodePower(ev referee.PowerRestored, mono time.Duration) powerJSON {
	w := powerJSON{Changed: squares(ev.Changed), Clock: ifTimed(ev.Clock), AtNS: exact(ev.At, mono)}
	if ev.Gap >= 0 {
		s := int64(ev.Gap / time.Second)
		w.GapS, w.GapNS = &s, exact(ev.Gap, ev.Gap.Truncate(time.Second))
	}
	return w
}

func encodeAudit(a referee.Audit) (commandJSON, error) {
	if name := nameOf(a.Order); name != "" && name != a.Name {
		return commandJSON{}, fmt.Errorf("write command: %T is called %s, not %.24q", a.Order, name, a.Name)
	}
	args, err := encodeOrder(a.Order)
	if err != nil {
		return commandJSON{}, err
	}
	raw, err := marshal(args)
	return commandJSON{
		Role: clean(a.Role), Name: clean(a.Name), ID: orNull(clean(a.ID.String())), From: orNull(clean(a.From.String())), Args: raw,
	}, err
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
	case referee.NoMoves, referee.Wipeout, referee.Resigned, referee.FlagFell, referee.Adjudicated, referee.Aborted:
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
