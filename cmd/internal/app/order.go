package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// maxName bounds a player's name in characters.
const maxName = 64

// orderOf reads the arguments of a command. What a new game leaves out is taken
// from match.
func orderOf(name string, args json.RawMessage, match referee.Match) (referee.Order, error) {
	switch name {
	case "new":
		return newGameOrder(args, match)
	case "undo":
		undo := struct {
			Plies int `json:"plies"`
		}{Plies: 1}
		if err := decodeArgs(args, &undo); err != nil {
			return nil, err
		}
		return referee.Undo{Plies: undo.Plies}, nil
	case "identify", "snapshot":
		if err := decodeArgs(args, &struct{}{}); err != nil {
			return nil, err
		}
		return referee.Look{}, nil
	case "replay":
		// The link has checked the arguments and sends the events itself.
		return referee.Look{}, nil
	default:
		return nil, fmt.Errorf("there is no command %.32q", name)
	}
}

func newGameOrder(args json.RawMessage, match referee.Match) (referee.Order, error) {
	var want struct {
		Variant *string `json:"variant"`
		Profile *string `json:"profile"`
		Players *struct {
			Black string `json:"black"`
			White string `json:"white"`
		} `json:"players"`
	}
	if err := decodeArgs(args, &want); err != nil {
		return nil, err
	}
	var err error
	if want.Variant != nil {
		if match.Rules, err = engine.Variant(*want.Variant); err != nil {
			return nil, fmt.Errorf("take variant: %w", err)
		}
	}
	if want.Profile != nil {
		if match.Profile, err = referee.ProfileNamed(*want.Profile); err != nil {
			return nil, fmt.Errorf("take profile: %w", err)
		}
	}
	if want.Players != nil {
		match.Players = [2]string{want.Players.Black, want.Players.White}
		for _, p := range match.Players {
			if !utf8.ValidString(p) || utf8.RuneCountInString(p) > maxName {
				return nil, fmt.Errorf("a player's name has at most %d characters", maxName)
			}
		}
	}
	return referee.NewGame{Match: match}, nil
}

// decodeArgs reads one JSON object strictly; missing or null arguments leave v
// as it is.
func decodeArgs(args json.RawMessage, v any) error {
	if len(args) == 0 || bytes.Equal(bytes.TrimSpace(args), []byte("null")) {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("read the arguments: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("read the arguments: more than one JSON value")
	}
	return nil
}
