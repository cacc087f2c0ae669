package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/notation"
	"reversi-board/engine/opponent"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

// playerNames reads the names of Black and White.
func playerNames(black, white string) (names [2]plaintext.Text, err error) {
	var errs [2]error
	names[engine.Black], errs[0] = plaintext.Parse("the name of black", black, plaintext.MaxName)
	names[engine.White], errs[1] = plaintext.Parse("the name of white", white, plaintext.MaxName)
	return names, errors.Join(errs[:]...)
}

// orderOf reads the arguments of a command. What a new game leaves out is taken
// from match.
func orderOf(name string, args json.RawMessage, match referee.Match) (referee.Order, error) {
	if ruling, ok, err := rulingOf(name, args); ok {
		return ruling, err
	}
	switch name {
	case "new":
		return newGameOrder(args, match)
	case "undo":
		undo := struct {
			Plies  int    `json:"plies"`
			Reason reason `json:"reason"`
		}{Plies: 1}
		if err := decodeArgs(args, &undo); err != nil {
			return nil, err
		}
		why, err := undo.Reason.text(false)
		return referee.Undo{Plies: undo.Plies, Reason: why}, err
	case "identify", "snapshot", hintCommand:
		if err := decodeArgs(args, &struct{}{}); err != nil {
			return nil, err
		}
		return referee.Look{}, nil
	case evaluateCommand:
		_, err := switchOf(args)
		return referee.Look{}, err
	case confirmCommand:
		_, err := confirmed(args)
		return referee.Look{}, err
	case maskCommand:
		_, err := maskedBy(args)
		return referee.Look{}, err
	case "replay", diagCommand:
		// The link has checked the arguments and does it itself.
		return referee.Look{}, nil
	default:
		return nil, fmt.Errorf("there is no command %.32q", name)
	}
}

func newGameOrder(args json.RawMessage, match referee.Match) (referee.Order, error) {
	var want struct {
		Variant  *string       `json:"variant"`
		Start    *string       `json:"start"`
		First    *string       `json:"first"`
		Profile  *string       `json:"profile"`
		Clock    *string       `json:"clock"`
		Opponent *opponentArgs `json:"opponent"`
		Players  *struct {
			Black string `json:"black"`
			White string `json:"white"`
		} `json:"players"`
	}
	if err := decodeArgs(args, &want); err != nil {
		return nil, err
	}
	var err error
	if match.Rules, err = rulesOf(match.Rules, want.Variant, want.Start, want.First); err != nil {
		return nil, err
	}
	if match, err = officiated(match, want.Profile, want.Clock); err != nil {
		return nil, err
	}
	if want.Players != nil {
		names, err := playerNames(want.Players.Black, want.Players.White)
		if err != nil {
			return nil, err
		}
		for i, name := range names {
			if !name.IsZero() {
				match.Players[i] = name
			}
		}
	}
	if want.Opponent != nil {
		if match.Opponent, err = want.Opponent.opponent(match.Opponent); err != nil {
			return nil, err
		}
	}
	if text := playable(match); text != "" {
		return nil, errors.New(text)
	}
	return referee.NewGame{Match: match}, nil
}

// officiated returns the match under another profile or with other clocks. A
// profile brings its own clocks, unless others are asked for; the one of the
// settings is known by its name, also if it is a file of the user's.
func officiated(match referee.Match, profile, timed *string) (referee.Match, error) {
	var err error
	if profile != nil && *profile != match.Profile.Name {
		if match.Profile, err = configs.Event(*profile); err != nil {
			return match, fmt.Errorf("take profile: %w", err)
		}
		match.Clock = match.Profile.Clock
	}
	if timed != nil {
		if match.Clock, err = clock.Parse(*timed); err != nil {
			return match, fmt.Errorf("take clock: %w", err)
		}
	}
	return match, nil
}

// hintCommand asks for a move to be suggested.
const hintCommand = "hint"

// evaluateCommand asks for the game to be evaluated while it is played, or not
// any more.
const evaluateCommand = "evaluate"

// switchOf reads the argument of a command that turns something on or off.
func switchOf(args json.RawMessage) (on bool, err error) {
	var turn struct {
		On *bool `json:"on"`
	}
	if err := decodeArgs(args, &turn); err != nil {
		return false, err
	}
	if turn.On == nil {
		return false, errors.New("on: missing, want true or false")
	}
	return *turn.On, nil
}

// opponentArgs choose the opponent of a new game.
type opponentArgs struct {
	// Kind is none or builtin: what is run on this computer is chosen in the
	// settings, and by nobody on the network.
	Kind  string `json:"kind"`
	Level *int   `json:"level"`
	Side  string `json:"side"`
}

// opponent returns the opponent that is meant; what is left out is as set.
func (w *opponentArgs) opponent(set referee.Opponent) (referee.Opponent, error) {
	if w.Kind == "none" {
		return referee.Opponent{}, nil
	}
	if w.Kind != string(referee.Builtin) {
		return referee.Opponent{}, fmt.Errorf("opponent.kind: %.16q cannot be asked for, want none or builtin "+
			"(other programs are named in the settings)", w.Kind)
	}
	o := referee.Opponent{Kind: referee.Builtin, Level: set.Level, Side: set.Side}
	if set.Kind == referee.NoOpponent {
		o.Level, o.Side = defaultLevel, engine.White
	}
	switch w.Side {
	case "":
	case "black":
		o.Side = engine.Black
	case "white":
		o.Side = engine.White
	default:
		return referee.Opponent{}, fmt.Errorf("opponent.side: %.16q is neither black nor white", w.Side)
	}
	if w.Level != nil {
		o.Level = *w.Level
	}
	if o.Level < 1 || o.Level > opponent.MaxLevel {
		return referee.Opponent{}, fmt.Errorf("opponent.level: %d, want 1 to %d", o.Level, opponent.MaxLevel)
	}
	return o, nil
}

// defaultLevel is the strength of an opponent of whom nothing else is said.
const defaultLevel = 4

// rulesOf returns the rules that a new game asks for. A variant or a start that
// is named begins from scratch: what was set for another game does not go with
// it. Who begins can be changed alone.
func rulesOf(rules engine.Rules, variant, start, first *string) (engine.Rules, error) {
	var from, who string
	if start != nil {
		from = configs.Drawn(*start)
	}
	if first != nil {
		who = *first
	}
	if variant == nil && start == nil {
		return withFirst(rules, who)
	}
	name := rules.Name
	if variant != nil {
		name = *variant
	}
	rules, err := notation.ParseRules(name, from, who)
	switch {
	case errors.Is(err, notation.ErrNoStart):
		return rules, fmt.Errorf("begin the game: %w; or %s for one by lot", err, configs.ByLot)
	case err != nil:
		return rules, fmt.Errorf("begin the game: %w", err)
	}
	return rules, nil
}

// withFirst lets the named color begin, as set for auto and an empty name.
func withFirst(rules engine.Rules, who string) (engine.Rules, error) {
	probe, err := notation.ParseRules(rules.Name, "", who)
	if err != nil {
		return rules, fmt.Errorf("begin the game: %w", err)
	}
	if who == "" || who == notation.AutoFirst {
		return rules, nil
	}
	return rules.WithFirst(probe.Start.Turn), nil
}

// decodeArgs reads one JSON object strictly; missing or null arguments leave v
// as it is.
func decodeArgs(args json.RawMessage, v any) error {
	if len(args) == 0 || bytes.Equal(bytes.TrimSpace(args), []byte("null")) {
		return nil
	}
	if !utf8.Valid(args) {
		return errors.New("read the arguments: not UTF-8 text")
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
