package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"reversi-board/display/web"
	"reversi-board/engine"
)

// The commands about cells, and the one about readings.
const (
	// confirmCommand says that a disc lies where none is seen.
	confirmCommand = "confirm"
	// maskCommand says that what cells show is wrong.
	maskCommand = "mask"
	// diagCommand asks for diag and sensor/raw; the link carries it out.
	diagCommand = "diag"
)

// maxMaskedAtOnce bounds how many cells a command may mask.
const maxMaskedAtOnce = 8

// confirmed reads the argument of confirm.
func confirmed(args json.RawMessage) (engine.Square, error) {
	var want struct {
		Square *string `json:"square"`
	}
	if err := decodeArgs(args, &want); err != nil {
		return 0, err
	}
	if want.Square == nil {
		return 0, errors.New("square: missing, want one such as e6")
	}
	sq, err := engine.ParseSquare(*want.Square)
	if err != nil {
		return 0, fmt.Errorf("square: %w", err)
	}
	return sq, nil
}

// maskedBy reads the argument of mask.
func maskedBy(args json.RawMessage) (set engine.Bitboard, err error) {
	var want struct {
		Squares []string `json:"squares"`
	}
	if err := decodeArgs(args, &want); err != nil {
		return 0, err
	}
	for _, name := range want.Squares {
		sq, err := engine.ParseSquare(name)
		if err != nil {
			return 0, fmt.Errorf("squares: %w", err)
		}
		set |= sq.Bit()
	}
	if n := set.Count(); n < 1 || n > maxMaskedAtOnce {
		return 0, fmt.Errorf("squares: %d of them, want 1 to %d", n, maxMaskedAtOnce)
	}
	return set, nil
}

// confirmRefused returns why nobody needs to say where a disc lies, empty when
// people have been asked.
func (a *App) confirmRefused(args json.RawMessage) string {
	if sq, err := confirmed(args); err != nil || !a.doubted.Ask.Has(sq) {
		return "nobody has asked whether a disc lies there"
	}
	return ""
}

// believe tells the referee that a disc lies where none is seen.
func (a *App) believe(args json.RawMessage) {
	sq, err := confirmed(args)
	if err != nil {
		return // It has been read before.
	}
	for _, in := range Confirmed(&a.core.State, sq, a.now()) {
		a.step(in)
	}
	a.eyes.Doubt(sq.Bit())
}

// openQuestion asks people where a disc lies that is not seen, nil when nobody needs
// to know.
func (a *App) openQuestion() *web.Question {
	squares := a.doubted.Ask
	if squares == 0 {
		return nil
	}
	q := &web.Question{Squares: squares.Names(), Text: "No new disc is seen that turns these. Has one been placed on " + either(squares) + "?"}
	if squares&^a.core.State.Masked == 0 {
		q.Text = "The cells cannot tell where the disc was placed: on " + either(squares) + "?"
	}
	return q
}

// either lists squares with "or".
func either(squares engine.Bitboard) string {
	names := squares.Names()
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
