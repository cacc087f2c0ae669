package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

// decode reads one JSON object into v and refuses everything that is not
// exactly that.
func decode(body []byte, v any) error {
	if !utf8.Valid(body) {
		return errors.New("the request is not UTF-8 text")
	}
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return errors.New("the request is not a JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON object")
	}
	return nil
}

// decodeCommand reads the body of POST /api/v1/command.
func decodeCommand(body []byte) (Command, error) {
	var in struct {
		Name  string          `json:"name"`
		Args  json.RawMessage `json:"args"`
		ID    string          `json:"id"`
		IfSeq *uint64         `json:"if_seq"`
	}
	if err := decode(body, &in); err != nil {
		return Command{}, err
	}
	if in.Name == "" {
		return Command{}, errors.New("name: missing")
	}
	if n := utf8.RuneCountInString(in.ID); n < 1 || n > 64 || strings.ContainsFunc(in.ID, plaintext.Hidden) {
		return Command{}, errors.New("id: want 1 to 64 characters that can be shown")
	}
	if string(in.Args) == "null" {
		in.Args = nil
	}
	if len(in.Args) > 0 && in.Args[0] != '{' {
		return Command{}, errors.New("args: want a JSON object")
	}
	return Command{Name: in.Name, Args: in.Args, ID: in.ID, IfSeq: in.IfSeq}, nil
}

// wireAct is the body of POST /api/v1/hands.
type wireAct struct {
	Op      string   `json:"op"`
	Square  *string  `json:"square,omitempty"`
	To      *string  `json:"to,omitempty"`
	Squares []string `json:"squares,omitempty"`
	Color   string   `json:"color,omitempty"`
	Fault   string   `json:"fault,omitempty"`
	On      *bool    `json:"on,omitempty"`
}

// needs says which members an act must have; it has no others.
type needs struct{ square, to, color, fault, on bool }

func needsOf(op string) (n needs, known bool) {
	switch op {
	case OpPlace:
		return needs{square: true, color: true}, true
	case OpTurn, OpLift:
		return needs{square: true}, true
	case OpSlide:
		return needs{square: true, to: true}, true
	case OpFail:
		return needs{square: true, fault: true}, true
	case OpAutoFlip, OpRobot:
		return needs{on: true}, true
	case OpHeal, OpSleeve, OpReset, OpSweep:
		return needs{}, true
	default:
		return needs{}, false
	}
}

// decodeAct reads the body of POST /api/v1/hands.
func decodeAct(body []byte) (Act, error) {
	var in wireAct
	if err := decode(body, &in); err != nil {
		return Act{}, err
	}
	need, known := needsOf(in.Op)
	if !known {
		return Act{}, fmt.Errorf("unknown act %.32q", in.Op)
	}
	if err := in.complete(need); err != nil {
		return Act{}, err
	}
	a := Act{Op: in.Op, Color: engine.None, Fault: in.Fault, HasSquare: in.Square != nil}
	var err error
	if a.Square, err = squareOf(in.Square); err != nil {
		return Act{}, fmt.Errorf("square: %w", err)
	}
	if a.To, err = squareOf(in.To); err != nil {
		return Act{}, fmt.Errorf("to: %w", err)
	}
	if a.Squares, err = squaresOf(in.Squares); err != nil {
		return Act{}, fmt.Errorf("squares: %w", err)
	}
	switch in.Color {
	case "":
	case "black":
		a.Color = engine.Black
	case "white":
		a.Color = engine.White
	default:
		return Act{}, fmt.Errorf("color: %.16q is neither black nor white", in.Color)
	}
	if in.On != nil {
		a.On = *in.On
	}
	return a, nil
}

// complete checks that the act has the members it needs and no others.
func (in *wireAct) complete(need needs) error {
	for _, m := range []struct {
		name         string
		has, want    bool
		mayBeLeftOut bool
	}{
		{"square", in.Square != nil, need.square || in.Op == OpHeal, in.Op == OpHeal},
		{"to", in.To != nil, need.to, false},
		{"squares", len(in.Squares) > 0, in.Op == OpSleeve, true},
		{"color", in.Color != "", need.color, false},
		{"fault", in.Fault != "", need.fault, false},
		{"on", in.On != nil, need.on, false},
	} {
		if m.want && !m.has && !m.mayBeLeftOut {
			return fmt.Errorf("%s: missing for %s", m.name, in.Op)
		}
		if m.has && !m.want {
			return fmt.Errorf("%s: has no meaning for %s", m.name, in.Op)
		}
	}
	if need.fault && !slices.Contains([]string{"dead", "stuck", "flapping", "bank"}, in.Fault) {
		return fmt.Errorf("fault: unknown %.16q, want dead, stuck, flapping or bank", in.Fault)
	}
	return nil
}

// squareOf reads the name of a square; nil is none.
func squareOf(name *string) (engine.Square, error) {
	if name == nil {
		return 0, nil
	}
	return engine.ParseSquare(*name)
}

// squaresOf reads the names of squares.
func squaresOf(names []string) (set engine.Bitboard, err error) {
	for _, name := range names {
		s, err := engine.ParseSquare(name)
		if err != nil {
			return 0, err
		}
		set |= s.Bit()
	}
	return set, nil
}
