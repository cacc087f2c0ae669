package app

import (
	"time"

	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// The answers to a player who wants to take moves back.
const (
	agreeCommand   = "agree"
	declineCommand = "decline"
)

// takebackTime is how long the other player has to agree.
const takebackTime = 30 * time.Second

// takeback is a player's wish to take moves back. It changes nothing until the other
// one agrees, or an arbiter.
type takeback struct {
	asked bool
	// by is the seat of who asks, None when that is not known.
	by engine.Color
	// from is who asks, onPage that it was on the page.
	from    string
	onPage  bool
	command web.Command
	// reply tells who asks over MQTT what came of it, nil for nobody.
	reply func(code, text string)
	plies int
	// seq is what the record was: anything new makes the wish void.
	seq   uint64
	until time.Duration
}

// askTakeback puts a player's wish to the other one.
func (a *App) askTakeback(o order) (code, text string) {
	refuse := func(text string) (string, string) { return string(referee.NotAllowed), text }
	s := &a.core.State
	what, err := orderOf("undo", o.command.Args, a.match)
	if err != nil {
		return string(referee.BadPayload), err.Error()
	}
	undo, ok := what.(referee.Undo)
	if o.command.IfSeq != nil && *o.command.IfSeq != a.core.Seq() {
		return "stale_seq", staleText
	}
	if text := rulingRefused(o.role, what, s.Match.Profile); text != "" {
		return refuse(text)
	}
	switch {
	case !ok || s.Phase != referee.Playing && s.Phase != referee.Paused:
		return refuse("there is no running game to take a move back in")
	case undo.Plies < 1:
		return refuse("plies is the number of moves to take back, 1 or more")
	case undo.Plies > s.Ply():
		return refuse("there are not so many moves to take back")
	case s.Match.Profile.Takeback == referee.TakebackUntilReply && undo.Plies > 1:
		return refuse("only the last move may be taken back")
	case a.takebackView() != nil:
		return refuse("the other player has not answered yet")
	}
	by := engine.None
	if c, err := colorNamed("seat", o.command.Seat, true); err == nil {
		by = c
	}
	a.wish = takeback{
		asked: true, by: by, from: o.from, onPage: o.command.Role != "", command: o.command, plies: undo.Plies, seq: a.core.Seq(), until: o.at + takebackTime,
	}
	time.AfterFunc(takebackTime, func() { nudge(a.touched) })
	return "", ""
}

// answerTakeback takes the answer of the other player.
func (a *App) answerTakeback(o order) (code, text string) {
	if a.takebackView() == nil {
		return string(referee.NotAllowed), "nobody asks to take a move back, or it is too late"
	}
	w := a.wish
	if o.command.Name == declineCommand {
		a.endTakeback(string(referee.NotAllowed), "the other player does not agree")
		return "", ""
	}
	if w.asksHimself(o) {
		return string(referee.NotAllowed), "the other player has to agree"
	}
	w.command.IfSeq = &w.seq
	code, text = a.carryOut(string(web.Player), w.from, w.command)
	a.endTakeback(code, text)
	return code, text
}

// asksHimself reports whether it is who asks that answers. One page may stand for
// both players; over MQTT they have a client each.
func (w *takeback) asksHimself(o order) bool {
	switch {
	case o.role != string(web.Player):
		return false
	case w.onPage:
		return w.by != engine.None && o.command.Seat == w.by.String()
	default:
		return o.command.Role == "" && o.from == w.from
	}
}

// endTakeback forgets the wish and says what came of it.
func (a *App) endTakeback(code, text string) {
	reply := a.wish.reply
	a.wish = takeback{}
	if reply != nil {
		reply(code, text)
	}
}

// takebackView returns the wish that waits for an answer, nil for none.
func (a *App) takebackView() *web.Takeback {
	w := &a.wish
	switch {
	case !w.asked:
		return nil
	case w.seq != a.core.Seq() || a.now() >= w.until:
		a.endTakeback(string(referee.NotAllowed), "the other player has not agreed in time")
		return nil
	}
	by := ""
	if w.by != engine.None {
		by = w.by.String()
	}
	return &web.Takeback{By: by, Plies: w.plies}
}
