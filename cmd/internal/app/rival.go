package app

import (
	"errors"
	"fmt"

	"reversi-board/configs"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/opponent"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
	"reversi-board/engine/search"
	"reversi-board/mqtt"
)

// adviserLevel is the strength of who suggests moves to people.
const adviserLevel = 8

// seated gives the opponent's side its name.
func (a *App) seated(m referee.Match) referee.Match {
	if m.Opponent.Kind != referee.NoOpponent {
		m.Players[m.Opponent.Side] = plaintext.Clean(opponentName(m.Opponent, a.config.Opponent), plaintext.MaxName)
	}
	return m
}

// program returns the name of the program that the settings name as opponent,
// empty when they name none.
func (a *App) program() string {
	if c := a.config.Opponent; c.Kind == referee.GTP || c.Kind == referee.NBoard {
		return opponentName(c.Player(), c)
	}
	return ""
}

// playable returns why the opponent cannot play a match, empty when it can.
func playable(m referee.Match) string {
	kind := m.Opponent.Kind
	if kind != referee.GTP && kind != referee.NBoard {
		return ""
	}
	r := m.Rules
	if r.Goal != engine.Most || r.Opening != 0 || kind == referee.GTP && r.Start != engine.Start() {
		return "the opponent that is set cannot play this game: choose the built-in one, or none"
	}
	return ""
}

// onTurn returns the program that is to move, ok when there is one.
func (a *App) onTurn() (who referee.Opponent, ok bool) {
	s := &a.core.State
	who = s.Match.Opponent
	if s.Phase != referee.Playing || !who.Plays(s.Game.Turn) || s.Game.Legal() == 0 {
		return who, false
	}
	if s.OpponentLost {
		if a.config.Opponent.WhenLost != configs.Builtin {
			return who, false
		}
		who.Kind, who.Level = referee.Builtin, a.config.Opponent.Level
	}
	return who, true
}

// question returns what is asked about the position on record.
func (a *App) question(who referee.Opponent) question {
	s := &a.core.State
	q := question{moment: moment{a.core.game, s.Len, s.Game.Position, who}}
	q.Rules = s.Game.Rules
	if s.Irregular() {
		// The moves do not lead here by the rules: the question begins with what
		// lies on the board.
		q.Rules.Start, q.Rules.Opening = s.Game.Position, 0
		return q
	}
	for _, e := range s.Record() {
		q.Moves = append(q.Moves, e.Move)
	}
	return q
}

// askOpponent asks the opponent when it has come on turn, and takes the question
// back when the game has gone on otherwise.
func (a *App) askOpponent() {
	who, ok := a.onTurn()
	switch {
	case !ok:
		a.rival.withdraw()
	case !a.core.State.Wish.Active:
		q := a.question(who)
		s := &a.core.State
		q.Clock = thinkingTime(&s.Clock, s.Game.Turn, s.Game.Empty().Count(), a.limitOf(who), a.now())
		a.rival.ask(q)
	}
	if a.adviser.asked != (moment{}) && a.adviser.asked != a.question(adviser()).moment {
		a.adviser.withdraw()
	}
}

func adviser() referee.Opponent { return referee.Opponent{Kind: referee.Builtin, Level: adviserLevel} }

// opponentSays hands the opponent's answer to the referee.
func (a *App) opponentSays(v verdict) {
	if v.moment != a.rival.asked {
		return // the game has gone on
	}
	if v.err == nil {
		if v.who.Kind == a.config.Opponent.Kind {
			a.opponentMissing = "" // it has been installed since
		}
		a.step(referee.Suggested{At: a.now(), Square: v.square})
		return
	}
	a.rival.asked = moment{}
	name, reason := opponentName(v.who, a.config.Opponent), v.err.Error()
	var lost *opponent.LostError
	var unsupported *opponent.UnsupportedError
	switch {
	case errors.As(v.err, &lost):
		name, reason = lost.Engine, lost.Reason
	case errors.As(v.err, &unsupported):
		name, reason = unsupported.Engine, unsupported.Reason
	}
	a.log.Error("the opponent is lost; the game goes on", "engine", name, "reason", reason)
	a.lostText = fmt.Sprintf("The opponent %s is gone: %s.", name, reason)
	a.step(referee.EngineGone{At: a.now(), Engine: plaintext.Clean(name, plaintext.MaxName), Reason: plaintext.Clean(reason, plaintext.MaxReason)})
}

// findOpponent looks for the program that the settings name as opponent, so that one
// that is not there is noticed at the start and not at its first move.
func (a *App) findOpponent() {
	c := a.config.Opponent
	if c.Kind != referee.GTP && c.Kind != referee.NBoard {
		return
	}
	if _, err := opponent.Find(c.Command, c.Dir); err != nil {
		a.opponentMissing = err.Error()
		a.log.Error("the opponent cannot play", "error", err)
	}
}

// missingAlert says that the opponent of the settings is not there.
func (a *App) missingAlert() string {
	return fmt.Sprintf("The opponent cannot play: %s. Install it, or name it with its whole path in opponent.command.", a.opponentMissing)
}

// lostAlert says what the loss of the opponent means for the table.
func (a *App) lostAlert() string {
	text := a.lostText
	if text == "" {
		text = "The opponent is gone."
	}
	if a.config.Opponent.WhenLost == configs.Builtin {
		return text + " The built-in player goes on."
	}
	return text + " Move its discs as you like, or begin another game."
}

// hintRefused returns why no move is suggested now, empty when one is.
func (a *App) hintRefused() string {
	s := &a.core.State
	switch {
	case s.Match.Profile.Hints == referee.HintsLocked:
		return "suggestions are locked for this event"
	case s.Match.Profile.Hints != referee.HintsOn:
		return "suggestions are off"
	case s.Phase != referee.Playing:
		return "no game is running"
	case s.Step != referee.ToMove:
		return "finish what lies on the board first"
	case s.Match.Opponent.Plays(s.Game.Turn) && !s.OpponentLost:
		return "it is the opponent's turn"
	}
	return ""
}

// advise asks for a move to suggest.
func (a *App) advise() { a.adviser.ask(a.question(adviser())) }

// adviserSays lights the suggested move.
func (a *App) adviserSays(v verdict) {
	if v.moment != a.adviser.asked {
		return
	}
	a.adviser.asked = moment{}
	if v.err != nil {
		a.log.Error("no move could be suggested", "error", v.err)
		return
	}
	a.cues.Hints, a.cues.Best = a.core.State.Game.Legal(), v.square.Bit()
	a.publishHint(v.rated)
}

// publishHint tells MQTT what the moves are worth, if the settings and the event
// allow it.
func (a *App) publishHint(rated []search.Rated) {
	if a.nurse.out == nil || len(rated) == 0 || a.core.State.Match.Profile.Hints != referee.HintsOn {
		return
	}
	moves := make([]mqtt.HintMove, 0, len(rated))
	for _, r := range rated {
		moves = append(moves, mqtt.HintMove{Move: r.Move.String(), Score: r.Score})
	}
	a.nurse.out.Show(mqtt.Hint, mqtt.EncodeHint(a.core.Seq(), moves))
}

// suggestion is the sentence about the move that is lit, empty when none is.
func (a *App) suggestion() string {
	if a.cues.Best == 0 || a.core.State.Step != referee.ToMove || a.core.State.Phase != referee.Playing {
		return ""
	}
	return " Try " + a.cues.Best.First().String() + "."
}

// opponentView is the opponent for the page.
func opponentView(o referee.Opponent) *web.Opponent {
	if o.Kind == referee.NoOpponent {
		return nil
	}
	return &web.Opponent{Kind: string(o.Kind), Level: o.Level, Side: o.Side.String()}
}
