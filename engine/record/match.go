package record

import (
	"errors"
	"fmt"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

// playersJSON names the players.
type playersJSON struct {
	Black string `json:"black"`
	White string `json:"white"`
}

// matchJSON is what is agreed before a game. Goal, opening and stock are written
// only where the rules differ from the named variant.
type matchJSON struct {
	Variant  string       `json:"variant"`
	Profile  string       `json:"profile"`
	Hints    string       `json:"hints"`
	Players  playersJSON  `json:"players"`
	Clock    settingsJSON `json:"clock"`
	Board    string       `json:"board"`
	Turn     string       `json:"turn"`
	Opponent *rivalJSON   `json:"opponent,omitempty"`
	Pairing  string       `json:"pairing,omitempty"`
	Goal     string       `json:"goal,omitempty"`
	Opening  *squares     `json:"opening,omitempty"`
	Stock    *int         `json:"stock,omitempty"`
	// Officiating is the whole profile. The two members after it are what
	// journals have instead that were begun before it was written.
	Officiating    *officiatingJSON `json:"officiating,omitempty"`
	Takeback       string           `json:"takeback,omitempty"`
	MissingAfterMS *int64           `json:"missing_after_ms,omitempty"`
	AtNS           *int64           `json:"at_ns,omitempty"`
}

// rivalJSON says which player is a program.
type rivalJSON struct {
	Kind  string `json:"kind"`
	Level int    `json:"level"`
	Side  string `json:"side"`
}

// maxLevel bounds the level of an opponent.
const maxLevel = 10

// encodeOpponent writes o, nil for nobody.
func encodeOpponent(o referee.Opponent) (*rivalJSON, error) {
	if o.Kind == referee.NoOpponent {
		return nil, nil //nolint:nilnil // absent is how nobody is written
	}
	side, err := playerWord("opponent.side", o.Side)
	return &rivalJSON{Kind: string(o.Kind), Level: o.Level, Side: side},
		errors.Join(err, checkOpponent(o.Kind), inRange("opponent.level", o.Level, maxLevel))
}

// opponent reads what encodeOpponent wrote.
func (w *rivalJSON) opponent() (referee.Opponent, error) {
	if w == nil {
		return referee.Opponent{}, nil
	}
	o := referee.Opponent{Kind: referee.OpponentKind(w.Kind), Level: w.Level}
	var err error
	o.Side, err = player("opponent.side", w.Side)
	return o, errors.Join(err, checkOpponent(o.Kind), inRange("opponent.level", o.Level, maxLevel))
}

// checkOpponent refuses a kind of program that receivers do not know.
func checkOpponent(k referee.OpponentKind) error {
	switch k {
	case referee.Builtin, referee.GTP, referee.NBoard:
		return nil
	case referee.NoOpponent:
	}
	return fmt.Errorf("there is no opponent of the kind %.16q", string(k))
}

// namedRules returns the preset, or nothing but the name when there is none.
func namedRules(name string) engine.Rules {
	r, err := engine.Variant(name)
	if err != nil {
		return engine.Rules{Name: name}
	}
	return r
}

// namedProfile returns the profile, or nothing but the name when there is none.
func namedProfile(name string) referee.Profile {
	p, err := referee.ProfileNamed(name)
	if err != nil {
		return referee.Profile{Name: name}
	}
	return p
}

// encodeMatch writes m.
func encodeMatch(m referee.Match) (matchJSON, error) {
	start := m.Rules.Start
	if start.Black&start.White != 0 {
		return matchJSON{}, fmt.Errorf("write board: %v cannot be black and white", start.Black&start.White)
	}
	if start.Turn > engine.None {
		return matchJSON{}, fmt.Errorf("write turn: there is no color %d", start.Turn)
	}
	hints, err := hintsWord(m.Profile.Hints)
	if err != nil {
		return matchJSON{}, err
	}
	rival, err := encodeOpponent(m.Opponent)
	if err != nil {
		return matchJSON{}, err
	}
	officiating, err := encodeProfile(m.Profile)
	if err != nil {
		return matchJSON{}, err
	}
	w := matchJSON{
		Variant: clean(m.Rules.Name), Profile: clean(m.Profile.Name), Hints: hints,
		Players: encodePlayers(m.Players), Clock: encodeSettings(m.Clock),
		Board: start.String(), Turn: start.Turn.String(), Opponent: rival, Officiating: officiating,
		Pairing: clean(m.Pairing),
	}
	return w, errors.Join(w.writeRules(m.Rules), inRange("stock", m.Rules.Stock, engine.Squares))
}

// writeRules adds what differs from the named variant.
func (w *matchJSON) writeRules(r engine.Rules) error {
	_, err := engine.Variant(w.Variant)
	custom, preset := err != nil, namedRules(w.Variant)
	if custom || r.Goal != preset.Goal {
		word, err := goalWord(r.Goal)
		if err != nil {
			return err
		}
		w.Goal = word
	}
	if custom || r.Opening != preset.Opening {
		w.Opening = (*squares)(&r.Opening)
	}
	if custom || r.Stock != preset.Stock {
		w.Stock = &r.Stock
	}
	return nil
}

// match reads what encodeMatch wrote.
func (w *matchJSON) match() (referee.Match, error) {
	m := referee.Match{
		Rules: namedRules(word(w.Variant)), Profile: namedProfile(word(w.Profile)),
		Players: names(w.Players),
		Pairing: word(w.Pairing),
	}
	err := errors.Join(
		short("variant", w.Variant), short("profile", w.Profile),
		short("players.black", w.Players.Black), short("players.white", w.Players.White),
		short("pairing", w.Pairing),
	)
	if err != nil {
		return referee.Match{}, err
	}
	if m.Opponent, err = w.Opponent.opponent(); err != nil {
		return referee.Match{}, err
	}
	if m.Clock, err = w.Clock.settings(); err != nil {
		return referee.Match{}, err
	}
	if err := w.readRules(&m.Rules); err != nil {
		return referee.Match{}, err
	}
	return m, w.readProfile(&m.Profile)
}

// readRules sets the start and what differs from the named variant.
func (w *matchJSON) readRules(r *engine.Rules) error {
	var err error
	if r.Start.Discs, err = board(w.Board); err != nil {
		return err
	}
	if r.Start.Turn, err = color("turn", w.Turn); err != nil {
		return err
	}
	switch w.Goal {
	case "":
	case "most":
		r.Goal = engine.Most
	case "fewest":
		r.Goal = engine.Fewest
	default:
		return fmt.Errorf("read goal: %.16q is not most or fewest", w.Goal)
	}
	if w.Opening != nil {
		r.Opening = engine.Bitboard(*w.Opening)
	}
	if w.Stock != nil {
		r.Stock = *w.Stock
	}
	return inRange("stock", r.Stock, engine.Squares)
}

// readProfile sets hints and how the game is officiated.
func (w *matchJSON) readProfile(p *referee.Profile) error {
	var err error
	if p.Hints, err = parseHints(w.Hints); err != nil {
		return err
	}
	if w.Officiating != nil {
		return w.Officiating.profile(p)
	}
	if w.Takeback != "" {
		if err := rule("takeback", w.Takeback, &p.Takeback); err != nil {
			return err
		}
	}
	if w.MissingAfterMS != nil {
		p.MissingAfter, err = milliseconds("missing_after_ms", *w.MissingAfterMS)
	}
	return err
}

// encodePlayers writes the names.
func encodePlayers(names [2]plaintext.Text) playersJSON {
	return playersJSON{Black: clean(names[engine.Black].String()), White: clean(names[engine.White].String())}
}

// names reads them.
func names(w playersJSON) [2]plaintext.Text {
	return [2]plaintext.Text{plaintext.Clean(w.Black, MaxName), plaintext.Clean(w.White, MaxName)}
}

// hintsWord writes on, off or locked.
func hintsWord(h referee.Hints) (string, error) {
	if h.String() == "" {
		return "", fmt.Errorf("write hints: there is no rule %d", h)
	}
	return h.String(), nil
}

// parseHints reads on, off or locked.
func parseHints(word string) (referee.Hints, error) {
	var h referee.Hints
	return h, rule("hints", word, &h)
}

// goalWord writes most or fewest.
func goalWord(g engine.Goal) (string, error) {
	switch g {
	case engine.Most:
		return "most", nil
	case engine.Fewest:
		return "fewest", nil
	default:
		return "", fmt.Errorf("write goal: there is no goal %d", g)
	}
}

// exact returns the nanoseconds of d when whole has lost some of them.
func exact(d, whole time.Duration) *int64 {
	if d == whole {
		return nil
	}
	ns := d.Nanoseconds()
	return &ns
}

// wholeMS returns the duration of so many milliseconds.
func wholeMS(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

// unless returns the exact duration ns when there is one.
func unless(ns *int64, whole time.Duration) time.Duration {
	if ns != nil {
		return time.Duration(*ns)
	}
	return whole
}
