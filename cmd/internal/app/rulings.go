package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
	"reversi-board/mqtt"
)

// reason is why somebody rules as he does. It is kept for ever, so that an
// arbiter has to give one.
type reason string

// text returns the reason, or why it cannot be taken.
func (r reason) text(needed bool) (plaintext.Text, error) {
	text, err := plaintext.Parse("reason", string(r), plaintext.MaxReason)
	if err == nil && needed && text.IsZero() {
		err = errors.New("reason: missing, it is kept with the ruling")
	}
	return text, err
}

// rulingOf reads the arguments of the commands with which a game is officiated;
// ok is false if name is none of them.
func rulingOf(name string, args json.RawMessage) (order referee.Order, ok bool, err error) {
	read, ok := map[string]func(json.RawMessage) (referee.Order, error){
		"pause": func(a json.RawMessage) (referee.Order, error) {
			why, err := reasonOf(a)
			return referee.Pause{Reason: why}, err
		},
		"resume": func(a json.RawMessage) (referee.Order, error) {
			why, err := reasonOf(a)
			return referee.Resume{Reason: why}, err
		},
		"resign":         resignOrder,
		"adjudicate":     adjudicateOrder,
		"clock_set":      clockSetOrder,
		"players_set":    playersSetOrder,
		"correct_square": correctSquareOrder,
		"revise":         reviseOrder,
		"let_stand":      letStandOrder,
		"claim": func(a json.RawMessage) (referee.Order, error) {
			by, why, err := claimOf(a)
			return referee.Claim{By: by, Reason: why}, err
		},
		"pass": func(a json.RawMessage) (referee.Order, error) {
			by, err := byOf(a)
			return referee.PassPressed{By: by}, err
		},
	}[name]
	if !ok {
		return nil, false, nil
	}
	order, err = read(args)
	return order, true, err
}

// reasonOf reads a command that has nothing but a reason, and may leave it out.
func reasonOf(args json.RawMessage) (plaintext.Text, error) {
	var want struct {
		Reason reason `json:"reason"`
	}
	if err := decodeArgs(args, &want); err != nil {
		return plaintext.Text{}, err
	}
	return want.Reason.text(false)
}

// byOf reads who passes; nobody named is None.
func byOf(args json.RawMessage) (engine.Color, error) {
	var want struct {
		By string `json:"by"`
	}
	if err := decodeArgs(args, &want); err != nil {
		return engine.None, err
	}
	return colorNamed("by", want.By, true)
}

// claimOf reads who claims, and why.
func claimOf(args json.RawMessage) (by engine.Color, why plaintext.Text, err error) {
	var want struct {
		By     string `json:"by"`
		Reason reason `json:"reason"`
	}
	if err := decodeArgs(args, &want); err != nil {
		return engine.None, plaintext.Text{}, err
	}
	by, err = colorNamed("by", want.By, true)
	why, wrong := want.Reason.text(false)
	return by, why, errors.Join(err, wrong)
}

// colorNamed returns the color with a name, None for an empty one if that is
// allowed.
func colorNamed(key, name string, none bool) (engine.Color, error) {
	switch {
	case name == "black":
		return engine.Black, nil
	case name == "white":
		return engine.White, nil
	case name == "" && none:
		return engine.None, nil
	}
	return engine.None, fmt.Errorf("%s: %.16q is neither black nor white", key, name)
}

func resignOrder(args json.RawMessage) (referee.Order, error) {
	var want struct {
		Color  string `json:"color"`
		Reason reason `json:"reason"`
	}
	if err := decodeArgs(args, &want); err != nil {
		return nil, err
	}
	c, err := colorNamed("color", want.Color, false)
	why, wrong := want.Reason.text(false)
	return referee.Resign{Color: c, Reason: why}, errors.Join(err, wrong)
}

func adjudicateOrder(args json.RawMessage) (referee.Order, error) {
	var want struct {
		Result string `json:"result"`
		Black  int    `json:"black"`
		White  int    `json:"white"`
		Reason reason `json:"reason"`
	}
	if err := decodeArgs(args, &want); err != nil {
		return nil, err
	}
	why, err := want.Reason.text(true)
	o := referee.Adjudicate{Winner: engine.None, Black: want.Black, White: want.White, Reason: why}
	switch want.Result {
	case "black":
		o.Winner = engine.Black
	case "white":
		o.Winner = engine.White
	case "draw":
	case "none":
		o.Void = true
	default:
		return nil, fmt.Errorf("result: %.16q, want black, white, draw or none", want.Result)
	}
	if o.Black < 0 || o.White < 0 || o.Black+o.White > engine.Squares {
		return nil, fmt.Errorf("black, white: %d and %d discs, want at most %d together", o.Black, o.White, engine.Squares)
	}
	return o, err
}

// maxClock bounds the time that can be given.
const maxClock = 24 * time.Hour

func clockSetOrder(args json.RawMessage) (referee.Order, error) {
	var want struct {
		Black  *int64 `json:"black_ms"`
		White  *int64 `json:"white_ms"`
		Reason reason `json:"reason"`
	}
	if err := decodeArgs(args, &want); err != nil {
		return nil, err
	}
	if want.Black == nil && want.White == nil {
		return nil, errors.New("black_ms, white_ms: want at least one of them")
	}
	why, err := want.Reason.text(true)
	o := referee.ClockSet{Black: -1, White: -1, Reason: why}
	for _, side := range []struct {
		key string
		ms  *int64
		to  *time.Duration
	}{{"black_ms", want.Black, &o.Black}, {"white_ms", want.White, &o.White}} {
		if side.ms == nil {
			continue
		}
		if *side.ms < 0 || *side.ms > maxClock.Milliseconds() {
			return nil, fmt.Errorf("%s: %d, want 0 to %d", side.key, *side.ms, maxClock.Milliseconds())
		}
		*side.to = time.Duration(*side.ms) * time.Millisecond
	}
	return o, err
}

func playersSetOrder(args json.RawMessage) (referee.Order, error) {
	var want struct {
		Black  string `json:"black"`
		White  string `json:"white"`
		Reason reason `json:"reason"`
	}
	if err := decodeArgs(args, &want); err != nil {
		return nil, err
	}
	names, err := playerNames(want.Black, want.White)
	why, wrong := want.Reason.text(false)
	return referee.PlayersSet{Players: names, Reason: why}, errors.Join(err, wrong)
}

func correctSquareOrder(args json.RawMessage) (referee.Order, error) {
	var want struct {
		Squares map[string]string `json:"squares"`
		Turn    string            `json:"turn"`
		Reason  reason            `json:"reason"`
	}
	if err := decodeArgs(args, &want); err != nil {
		return nil, err
	}
	why, wrong := want.Reason.text(true)
	o := referee.CorrectSquare{Reason: why}
	for name, what := range want.Squares {
		s, err := engine.ParseSquare(name)
		if err != nil {
			return nil, fmt.Errorf("squares: %.8q is no square", name)
		}
		set := map[string]*engine.Bitboard{"B": &o.Black, "W": &o.White, "-": &o.Empty}[what]
		if set == nil {
			return nil, fmt.Errorf("squares: %s shows %.8q, want B, W or -", name, what)
		}
		*set |= s.Bit()
	}
	if o.Black&o.White|o.Black&o.Empty|o.White&o.Empty != 0 {
		return nil, errors.New("squares: a square is named twice")
	}
	var err error
	if o.Turn, err = colorNamed("turn", want.Turn, true); err != nil {
		return nil, err
	}
	return o, wrong
}

func reviseOrder(args json.RawMessage) (referee.Order, error) {
	var want struct {
		FromPly int    `json:"from_ply"`
		Moves   string `json:"moves"`
		Reason  reason `json:"reason"`
	}
	if err := decodeArgs(args, &want); err != nil {
		return nil, err
	}
	if want.FromPly < 1 || want.FromPly > engine.Squares {
		return nil, fmt.Errorf("from_ply: %d, want 1 to %d", want.FromPly, engine.Squares)
	}
	if len(want.Moves) > 2*engine.Squares {
		return nil, fmt.Errorf("moves: want at most %d", engine.Squares)
	}
	why, err := want.Reason.text(true)
	return referee.Revise{FromPly: want.FromPly, Moves: want.Moves, Reason: why}, err
}

func letStandOrder(args json.RawMessage) (referee.Order, error) {
	var want struct {
		Reason reason `json:"reason"`
	}
	if err := decodeArgs(args, &want); err != nil {
		return nil, err
	}
	why, err := want.Reason.text(true)
	return referee.LetStand{Reason: why}, err
}

// rulingRefused returns why a role may not rule like that under a profile, empty
// when it may: in a game for fun whatever the house does is welcome, elsewhere the
// arbiter rules.
func rulingRefused(role string, what referee.Order, p referee.Profile) string {
	switch what.(type) {
	case referee.Pause, referee.Resume:
		if role == string(mqtt.HA) && p.Name != referee.HomeName {
			return "the rules of this event let only an arbiter stop the game"
		}
	case referee.Undo:
		if role == string(mqtt.HA) && p.Takeback != referee.TakebackFree ||
			role == string(mqtt.Player) && p.Takeback == referee.TakebackNever {
			return "the rules of this event let only an arbiter take a move back"
		}
	case referee.NewGame, referee.Resign, referee.Adjudicate, referee.ClockSet, referee.PlayersSet, referee.CorrectSquare,
		referee.Revise, referee.LetStand, referee.Claim, referee.PassPressed, referee.Look:
	}
	return ""
}
