package record

import (
	"errors"
	"fmt"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// playersJSON names the players.
type playersJSON struct {
	Black string `json:"black"`
	White string `json:"white"`
}

// settingsJSON is how a game is timed.
type settingsJSON struct {
	Mode string `json:"mode"`
}

// remainingJSON is the time both players have left, null without a clock.
type remainingJSON struct {
	BlackMS *int64 `json:"black_ms"`
	WhiteMS *int64 `json:"white_ms"`
}

// matchJSON is what is agreed before a game. The members after turn are written
// only where the rules differ from the named variant, or the officiating from
// the named profile.
type matchJSON struct {
	Variant        string       `json:"variant"`
	Profile        string       `json:"profile"`
	Hints          string       `json:"hints"`
	Players        playersJSON  `json:"players"`
	Clock          settingsJSON `json:"clock"`
	Board          string       `json:"board"`
	Turn           string       `json:"turn"`
	Opponent       *rivalJSON   `json:"opponent,omitempty"`
	Goal           string       `json:"goal,omitempty"`
	Opening        *squares     `json:"opening,omitempty"`
	Stock          *int         `json:"stock,omitempty"`
	Takeback       string       `json:"takeback,omitempty"`
	MissingAfterMS *int64       `json:"missing_after_ms,omitempty"`
	AtNS           *int64       `json:"at_ns,omitempty"`
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
	w := matchJSON{
		Variant: clean(m.Rules.Name), Profile: clean(m.Profile.Name), Hints: hints,
		Players: encodePlayers(m.Players), Clock: settingsJSON{Mode: "none"},
		Board: start.String(), Turn: start.Turn.String(), Opponent: rival,
	}
	return w, errors.Join(w.writeRules(m.Rules), w.writeProfile(m.Profile), inRange("stock", m.Rules.Stock, engine.Squares))
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

// writeProfile adds what differs from the named profile.
func (w *matchJSON) writeProfile(p referee.Profile) error {
	named := namedProfile(w.Profile)
	if p.Takeback != named.Takeback {
		word, err := takebackWord(p.Takeback)
		if err != nil {
			return err
		}
		w.Takeback = word
	}
	if p.MissingAfter != named.MissingAfter {
		ms := p.MissingAfter.Milliseconds()
		w.MissingAfterMS = &ms
	}
	return nil
}

// match reads what encodeMatch wrote.
func (w *matchJSON) match() (referee.Match, error) {
	m := referee.Match{
		Rules: namedRules(w.Variant), Profile: namedProfile(w.Profile),
		Players: [2]string{w.Players.Black, w.Players.White},
	}
	err := errors.Join(
		short("variant", w.Variant), short("profile", w.Profile),
		short("players.black", w.Players.Black), short("players.white", w.Players.White),
	)
	if err != nil {
		return referee.Match{}, err
	}
	if m.Opponent, err = w.Opponent.opponent(); err != nil {
		return referee.Match{}, err
	}
	if w.Clock.Mode != "none" {
		return referee.Match{}, fmt.Errorf("read clock: this program knows no mode %.16q", w.Clock.Mode)
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

// readProfile sets hints and what differs from the named profile.
func (w *matchJSON) readProfile(p *referee.Profile) error {
	var err error
	if p.Hints, err = parseHints(w.Hints); err != nil {
		return err
	}
	switch w.Takeback {
	case "":
	case "free":
		p.Takeback = referee.TakebackFree
	case "never":
		p.Takeback = referee.TakebackNever
	default:
		return fmt.Errorf("read takeback: %.16q is not free or never", w.Takeback)
	}
	if w.MissingAfterMS != nil {
		p.MissingAfter, err = milliseconds("missing_after_ms", *w.MissingAfterMS)
	}
	return err
}

// encodePlayers writes the names.
func encodePlayers(names [2]string) playersJSON {
	return playersJSON{Black: clean(names[engine.Black]), White: clean(names[engine.White])}
}

// hintsWord writes on, off or locked.
func hintsWord(h referee.Hints) (string, error) {
	if h > referee.HintsLocked {
		return "", fmt.Errorf("write hints: there is no rule %d", h)
	}
	return h.String(), nil
}

// parseHints reads on, off or locked.
func parseHints(word string) (referee.Hints, error) {
	for h := range referee.HintsLocked + 1 {
		if h.String() == word {
			return h, nil
		}
	}
	return 0, fmt.Errorf("read hints: %.16q is not on, off or locked", word)
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

// takebackWord writes free or never.
func takebackWord(t referee.Takeback) (string, error) {
	switch t {
	case referee.TakebackFree:
		return "free", nil
	case referee.TakebackNever:
		return "never", nil
	default:
		return "", fmt.Errorf("write takeback: there is no rule %d", t)
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

// unless returns the exact duration ns when there is one.
func unless(ns *int64, whole time.Duration) time.Duration {
	if ns != nil {
		return time.Duration(*ns)
	}
	return whole
}
