package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

// The arguments of commands, as in the contract.
type (
	undoArgsJSON struct {
		Plies  int    `json:"plies"`
		Reason string `json:"reason,omitempty"`
	}
	reasonArgsJSON struct {
		Reason string `json:"reason"`
	}
	colorArgsJSON struct {
		Color  string `json:"color"`
		Reason string `json:"reason,omitempty"`
	}
	byArgsJSON struct {
		By     string `json:"by"`
		Reason string `json:"reason,omitempty"`
	}
	playersArgsJSON struct {
		playersJSON
		Reason string `json:"reason,omitempty"`
	}
	adjudicateArgsJSON struct {
		Result string `json:"result"`
		Black  int    `json:"black"`
		White  int    `json:"white"`
		Reason string `json:"reason"`
	}
	// A clock that is left alone is null.
	clockArgsJSON struct {
		BlackMS *int64 `json:"black_ms"`
		WhiteMS *int64 `json:"white_ms"`
		Reason  string `json:"reason"`
		BlackNS *int64 `json:"black_ns,omitempty"`
		WhiteNS *int64 `json:"white_ns,omitempty"`
	}
	correctArgsJSON struct {
		Squares squareFaces `json:"squares"`
		Turn    string      `json:"turn"`
		Reason  string      `json:"reason"`
	}
	reviseArgsJSON struct {
		FromPly int    `json:"from_ply"`
		Moves   string `json:"moves"`
		Reason  string `json:"reason"`
	}
)

// squareFaces says what squares show: B, W or -.
type squareFaces struct{ black, white, empty engine.Bitboard }

// MarshalJSON implements json.Marshaler.
func (f squareFaces) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for q := range (f.black | f.white | f.empty).All() {
		face := byte('-')
		switch {
		case f.black.Has(q):
			face = 'B'
		case f.white.Has(q):
			face = 'W'
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, q.String()...)
		b = append(b, '"', ':', '"', face, '"')
	}
	return append(b, '}'), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *squareFaces) UnmarshalJSON(b []byte) error {
	var faces map[string]string
	if err := json.Unmarshal(b, &faces); err != nil {
		return fmt.Errorf("read squares: %w", err)
	}
	*f = squareFaces{}
	for name, face := range faces {
		q, err := square(name)
		if err != nil {
			return err
		}
		switch face {
		case "B":
			f.black |= q.Bit()
		case "W":
			f.white |= q.Bit()
		case "-":
			f.empty |= q.Bit()
		default:
			return fmt.Errorf("read squares: %.16q on %s is not B, W or -", face, name)
		}
	}
	return nil
}

// The names of commands whose arguments alone do not tell what they order.
const (
	pauseName, resumeName, letStandName = "pause", "resume", "let_stand"
	claimName, passName                 = "claim", "pass"
)

// nameOf returns the name that a command must have so that its order can be read
// again, empty when the arguments say enough.
func nameOf(o referee.Order) string {
	switch o.(type) {
	case referee.Pause:
		return pauseName
	case referee.Resume:
		return resumeName
	case referee.LetStand:
		return letStandName
	case referee.Claim:
		return claimName
	case referee.PassPressed:
		return passName
	case referee.NewGame, referee.Undo, referee.Resign, referee.Adjudicate, referee.ClockSet, referee.PlayersSet,
		referee.CorrectSquare, referee.Revise, referee.Look:
	}
	return ""
}

// encodeOrder returns the arguments of a command.
func encodeOrder(o referee.Order) (any, error) {
	switch o := o.(type) {
	case referee.NewGame:
		return encodeMatch(o.Match)
	case referee.Undo:
		return undoArgsJSON{o.Plies, cut(o.Reason.String(), maxReason)}, nil
	case referee.Pause:
		return reasonArgsJSON{cut(o.Reason.String(), maxReason)}, nil
	case referee.Resume:
		return reasonArgsJSON{cut(o.Reason.String(), maxReason)}, nil
	case referee.LetStand:
		return reasonArgsJSON{cut(o.Reason.String(), maxReason)}, nil
	case referee.Resign:
		color, err := playerWord("color", o.Color)
		return colorArgsJSON{color, cut(o.Reason.String(), maxReason)}, err
	case referee.Adjudicate:
		return encodeAdjudicate(o)
	case referee.ClockSet:
		return encodeClockSet(o), nil
	case referee.PlayersSet:
		return playersArgsJSON{encodePlayers(o.Players), cut(o.Reason.String(), maxReason)}, nil
	case referee.CorrectSquare:
		return encodeCorrect(o)
	case referee.Revise:
		return reviseArgsJSON{o.FromPly, o.Moves, cut(o.Reason.String(), maxReason)}, errors.Join(
			inRange("from_ply", o.FromPly, referee.MaxEntries), shorter("moves", o.Moves, maxMoves))
	case referee.Claim:
		return encodeBy(o.By, o.Reason)
	case referee.PassPressed:
		return encodeBy(o.By, plaintext.Text{})
	case referee.Look:
		return struct{}{}, nil
	default:
		return nil, fmt.Errorf("there is no form for the order %T", o)
	}
}

// maxMoves is the length of the longest transcript of an order.
const maxMoves = 4 * engine.Squares

func encodeBy(c engine.Color, reason plaintext.Text) (any, error) {
	if c > engine.None {
		return nil, fmt.Errorf("write by: there is no color %d", c)
	}
	return byArgsJSON{c.String(), cut(reason.String(), maxReason)}, nil
}

func encodeAdjudicate(o referee.Adjudicate) (any, error) {
	w := adjudicateArgsJSON{Result: resultWord(o.Winner, o.Void), Black: o.Black, White: o.White, Reason: cut(o.Reason.String(), maxReason)}
	if w.Result == "" {
		return nil, fmt.Errorf("write result: there is no color %d", o.Winner)
	}
	return w, errors.Join(inRange("black", o.Black, engine.Squares), inRange("white", o.White, engine.Squares))
}

func encodeClockSet(o referee.ClockSet) any {
	w := clockArgsJSON{Reason: cut(o.Reason.String(), maxReason)}
	w.BlackMS, w.BlackNS = whole(o.Black)
	w.WhiteMS, w.WhiteNS = whole(o.White)
	return w
}

// whole writes a time that is not negative.
func whole(d time.Duration) (ms, ns *int64) {
	if d < 0 {
		return nil, nil
	}
	n := d.Milliseconds()
	return &n, exact(d, wholeMS(n))
}

func encodeCorrect(o referee.CorrectSquare) (any, error) {
	if o.Turn > engine.None {
		return nil, fmt.Errorf("write turn: there is no color %d", o.Turn)
	}
	if twice := o.Black&o.White | o.Black&o.Empty | o.White&o.Empty; twice != 0 {
		return nil, fmt.Errorf("write squares: %v cannot show two things", twice)
	}
	return correctArgsJSON{squareFaces{o.Black, o.White, o.Empty}, o.Turn.String(), cut(o.Reason.String(), maxReason)}, nil
}

// decodeOrder reads the arguments of a command. Most of them say by their
// members which order it was, so that the name of the command is free: several
// commands only look.
func decodeOrder(name string, args json.RawMessage) (referee.Order, error) {
	members, err := read[map[string]json.RawMessage](args)
	if err != nil {
		return nil, err
	}
	has := func(member string) bool { _, ok := members[member]; return ok }
	switch {
	case has("variant"):
		w, err := read[matchJSON](args)
		if err != nil {
			return nil, err
		}
		m, err := w.match()
		return referee.NewGame{Match: m}, err
	case has("plies"):
		w, err := read[undoArgsJSON](args)
		return referee.Undo{Plies: w.Plies, Reason: plaintext.Clean(w.Reason, maxReason)}, errors.Join(err, shorter("reason", w.Reason, maxReason))
	case has("from_ply"):
		w, err := read[reviseArgsJSON](args)
		return referee.Revise{FromPly: w.FromPly, Moves: w.Moves, Reason: plaintext.Clean(w.Reason, maxReason)}, errors.Join(
			err, inRange("from_ply", w.FromPly, referee.MaxEntries), shorter("moves", w.Moves, maxMoves), shorter("reason", w.Reason, maxReason))
	case has("squares"):
		return decodeCorrect(args)
	case has("result"):
		return decodeAdjudicate(args)
	case has("black_ms"):
		return decodeClockSet(args)
	case has("color"):
		w, err := read[colorArgsJSON](args)
		color, errColor := player("color", w.Color)
		return referee.Resign{Color: color, Reason: plaintext.Clean(w.Reason, maxReason)}, errors.Join(err, errColor, shorter("reason", w.Reason, maxReason))
	case has("black"):
		w, err := read[playersArgsJSON](args)
		return referee.PlayersSet{Players: names(w.playersJSON), Reason: plaintext.Clean(w.Reason, maxReason)}, errors.Join(
			err, short("black", w.Black), short("white", w.White), shorter("reason", w.Reason, maxReason))
	}
	return decodeNamed(name, args)
}

// decodeNamed reads the orders that have the same members as others.
func decodeNamed(name string, args json.RawMessage) (referee.Order, error) {
	switch name {
	case pauseName, resumeName, letStandName:
		w, err := read[reasonArgsJSON](args)
		err = errors.Join(err, shorter("reason", w.Reason, maxReason))
		switch name {
		case pauseName:
			return referee.Pause{Reason: plaintext.Clean(w.Reason, maxReason)}, err
		case resumeName:
			return referee.Resume{Reason: plaintext.Clean(w.Reason, maxReason)}, err
		default:
			return referee.LetStand{Reason: plaintext.Clean(w.Reason, maxReason)}, err
		}
	case claimName, passName:
		w, err := read[byArgsJSON](args)
		by, errBy := color("by", w.By)
		err = errors.Join(err, errBy, shorter("reason", w.Reason, maxReason))
		if name == claimName {
			return referee.Claim{By: by, Reason: plaintext.Clean(w.Reason, maxReason)}, err
		}
		return referee.PassPressed{By: by}, err
	}
	return referee.Look{}, nil
}

func decodeCorrect(args json.RawMessage) (referee.Order, error) {
	w, err := read[correctArgsJSON](args)
	turn, errTurn := color("turn", w.Turn)
	return referee.CorrectSquare{
		Black: w.Squares.black, White: w.Squares.white, Empty: w.Squares.empty, Turn: turn, Reason: plaintext.Clean(w.Reason, maxReason),
	}, errors.Join(err, errTurn, shorter("reason", w.Reason, maxReason))
}

func decodeAdjudicate(args json.RawMessage) (referee.Order, error) {
	w, err := read[adjudicateArgsJSON](args)
	winner, void, errResult := parseResult(w.Result)
	return referee.Adjudicate{Winner: winner, Void: void, Black: w.Black, White: w.White, Reason: plaintext.Clean(w.Reason, maxReason)}, errors.Join(
		err, errResult, inRange("black", w.Black, engine.Squares), inRange("white", w.White, engine.Squares),
		shorter("reason", w.Reason, maxReason))
}

func decodeClockSet(args json.RawMessage) (referee.Order, error) {
	w, err := read[clockArgsJSON](args)
	o := referee.ClockSet{Black: -1, White: -1, Reason: plaintext.Clean(w.Reason, maxReason)}
	for _, side := range []struct {
		member string
		ms, ns *int64
		to     *time.Duration
	}{{"black_ms", w.BlackMS, w.BlackNS, &o.Black}, {"white_ms", w.WhiteMS, w.WhiteNS, &o.White}} {
		if side.ms == nil {
			continue
		}
		d, wrong := milliseconds(side.member, *side.ms)
		if *side.to = unless(side.ns, d); *side.to < 0 {
			wrong = errors.Join(wrong, fmt.Errorf("read %s: %v is negative", side.member, *side.to))
		}
		err = errors.Join(err, wrong)
	}
	return o, errors.Join(err, shorter("reason", w.Reason, maxReason))
}
