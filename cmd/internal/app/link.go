package app

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"reversi-board/configs"
	"reversi-board/display/web"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
	"reversi-board/mqtt"
	"reversi-board/mqtt/broker"
)

// link is what connects the board to MQTT: an adapter, and the embedded broker
// if that is used.
type link struct {
	adapter *mqtt.Adapter
	broker  *broker.Broker
	// told is the adapter, for the goroutines of the broker.
	told atomic.Pointer[mqtt.Adapter]
	// down says why there is no MQTT at all; it is empty when there is.
	down string
}

// dial is how the adapter reaches the embedded broker, nil when there is none.
func (l *link) dial() func() (net.Conn, error) {
	if l.broker == nil {
		return nil
	}
	return l.broker.Dial
}

// retainedCommand tells the adapter what the embedded broker has refused. The broker
// runs before the adapter does.
func (l *link) retainedCommand(topic string) {
	if adapter := l.told.Load(); adapter != nil {
		adapter.RetainedCommand(topic)
	}
}

// leaveTime bounds the goodbye to the broker.
const leaveTime = 3 * time.Second

// openLink starts the embedded broker, if there is one, and the adapter. The
// game does not depend on MQTT: a broker that cannot start is said, not fatal.
func (a *App) openLink(ctx context.Context, version string) error {
	url, user, password, err := a.brokerAddress(ctx)
	if err != nil || url == "" {
		return err
	}
	security, err := a.config.MQTT.TLS()
	if err != nil {
		return err //nolint:wrapcheck // it names the setting
	}
	a.link.adapter, err = mqtt.Start(ctx, mqtt.Options{
		URL: url, Board: a.config.Board.ID, Name: a.config.Board.Name,
		Username: user, Password: password, TLS: security, Boot: a.boot, Dial: a.link.dial(),
		SW: version, HW: a.config.Hardware.Kind,
		Caps: mqtt.Caps{
			ColorSensing: a.config.Hardware.Kind != configs.Reed64, LEDs: a.rig.Lights != nil, Clock: true, Hints: true,
		},
		Journal: a.journal, Cursor: a.journal,
		Discovery: a.discovery(version), Withdraw: a.introduced(),
		Stamp: func() mqtt.Stamp {
			s := a.stamp()
			return mqtt.Stamp{TS: s.TS, TSOK: s.TSOK, Boot: s.Boot, Mono: s.Mono}
		},
		Logger: a.log,
	})
	if err != nil {
		a.closeBroker()
		return fmt.Errorf("start MQTT: %w", err)
	}
	a.link.told.Store(a.link.adapter)
	if !a.config.MQTT.Image {
		a.link.adapter.Show(mqtt.Image, nil) // an earlier run may have left one behind
	}
	return nil
}

// brokerAddress returns where to connect, empty for nowhere.
func (a *App) brokerAddress(ctx context.Context) (url, user, password string, err error) {
	c := a.config.MQTT
	if password, err = c.Password(); err != nil {
		return "", "", "", fmt.Errorf("read mqtt.password_file: %w", err)
	}
	if !c.Embedded.Enabled {
		if c.Broker == "" {
			a.link.down = "off"
		}
		return c.Broker, c.Username, password, nil
	}
	own := broker.NewPassword()
	users := []broker.User{broker.BoardUser(a.config.Board.ID, own)}
	if password != "" {
		users = append(users, client(c.Username, password))
	}
	a.link.broker, err = broker.Start(ctx, broker.Options{
		Listen: c.Embedded.Listen, Users: users, Guests: password == "", Logger: a.log,
		OnRetainedCommand: a.link.retainedCommand,
	})
	if err != nil {
		a.link.down = "not started"
		a.log.Error("the embedded broker cannot start, the game goes on without MQTT: "+
			"set mqtt.embedded.listen, or mqtt.broker to use one that runs already", "error", err)
		return "", "", "", nil
	}
	return "mqtt://" + a.link.broker.Addr(), a.config.Board.ID, own, nil
}

// client is who may connect to the embedded broker with the configured
// password: everything a guest on this computer may do without one.
func client(name, password string) broker.User {
	if name == "" {
		name = "client"
	}
	u := broker.User{Name: name, Password: password, Read: []string{"reversi/v1/#"}}
	for _, role := range []mqtt.Role{mqtt.Arbiter, mqtt.Player, mqtt.Ops, mqtt.Hub} {
		u.Write = append(u.Write, "reversi/v1/+/cmd/"+string(role)+"/#")
	}
	return u
}

func (a *App) closeBroker() {
	if a.link.broker != nil {
		a.link.broker.Close()
	}
}

// closeLink says goodbye: availability goes offline before the broker does.
func (a *App) closeLink(ctx context.Context) {
	defer a.closeBroker()
	if a.link.adapter == nil {
		return
	}
	connected := a.link.adapter.Status().Connected
	ctx, cancel := context.WithTimeout(ctx, leaveTime)
	defer cancel()
	if err := a.link.adapter.Close(ctx, "shutdown"); err != nil {
		// Nothing is lost: the broker publishes the will, and the events wait
		// in the journal.
		a.log.Warn("leave MQTT", "error", err)
		return
	}
	// A connection begins with what Home Assistant is told, and has ended well.
	if connected && a.introduced() {
		a.withdrawn()
	}
}

// requests and changes are nil, and so never ready, when there is no MQTT.
func (l *link) requests() <-chan mqtt.Request {
	if l.adapter == nil {
		return nil
	}
	return l.adapter.Commands()
}

func (l *link) changes() <-chan struct{} {
	if l.adapter == nil {
		return nil
	}
	return l.adapter.Changes()
}

// status says in one word or sentence how the connection is.
func (l *link) status() string {
	if l.adapter == nil {
		return l.down
	}
	switch s := l.adapter.Status(); {
	case s.Online:
		return "connected"
	case s.Connected:
		return "connecting"
	case s.Problem != "":
		return s.Problem
	default:
		return "connecting"
	}
}

// unreadable reports whether events cannot be published because the journal does not
// give them.
func (l *link) unreadable() bool { return l.adapter != nil && l.adapter.Status().Unreadable }

// mqttOrder carries out a command from MQTT, which the adapter has checked.
func (a *App) mqttOrder(req mqtt.Request) {
	reply := func(code, text string) {
		response := mqtt.Response{Code: mqtt.Code(code), Text: text, Seq: a.core.Seq()}
		a.replies = append(a.replies, func() { req.Reply(response) })
	}
	o := order{role: string(req.Role), from: req.From, at: a.now(), command: web.Command{
		Name: req.Name, ID: req.ID, Args: req.RawArgs, IfSeq: req.IfSeq,
	}}
	switch {
	case req.Name == pressCommand:
		reply(a.pressByCommand(o))
	case req.Name == agreeCommand || req.Name == declineCommand:
		reply(a.answerTakeback(o))
	case req.Name == "undo" && req.Role == mqtt.Player:
		// The answer is that of the other player.
		if code, text := a.askTakeback(o); code != "" {
			reply(code, text)
		} else {
			a.wish.reply = reply
		}
	default:
		code, text := a.carryOut(o.role, o.from, o.command)
		if code == "" && req.Name == diagCommand {
			a.nurse.order(req.Diag)
		}
		reply(code, text)
	}
}

// staleText answers who has not seen the newest state.
const staleText = "the game has moved on since: look again"

// next returns the match of the settings, with an opening drawn anew where they
// leave it to the lot.
func (a *App) next() referee.Match {
	match := a.match
	if configs.IsByLot(a.config.Game.Start) {
		if drawn, err := a.config.Game.Match(); err == nil {
			match.Rules = drawn.Rules
		}
	}
	return match
}

// carryOut hands a command to the referee and returns why it was refused, empty
// when it was not.
func (a *App) carryOut(role, from string, c web.Command) (code, text string) {
	if c.IfSeq != nil && *c.IfSeq != a.core.Seq() {
		return "stale_seq", staleText
	}
	match, args, err := a.paired(role, c.Name, c.Args)
	if err != nil {
		return string(referee.NotAllowed), err.Error()
	}
	what, err := orderOf(c.Name, args, match)
	if order, ok := what.(referee.NewGame); ok {
		order.Match = a.seated(order.Match)
		what = order
	}
	if err != nil {
		return string(referee.BadPayload), err.Error()
	}
	refusal := a.allowed(role, what)
	switch {
	case refusal != "":
	case c.Name == hintCommand:
		refusal = a.hintRefused()
	case c.Name == evaluateCommand:
		refusal = a.evaluateRefused(c.Args)
	case c.Name == confirmCommand:
		refusal = a.confirmRefused(c.Args)
	}
	if refusal != "" {
		return string(referee.NotAllowed), refusal
	}
	refused := a.step(referee.Command{At: a.now(), Audit: referee.Audit{
		Role: role, Name: c.Name, ID: plaintext.Clean(c.ID, plaintext.MaxName), From: plaintext.Clean(from, plaintext.MaxName), Order: what,
	}})
	if refused != nil {
		return string(refused.Code), refused.Text
	}
	a.follow(c)
	return "", ""
}

// follow does what follows from an accepted command besides what the referee
// does.
func (a *App) follow(c web.Command) {
	switch c.Name {
	case hintCommand:
		a.advise()
	case evaluateCommand:
		a.setEvaluating(c.Args)
	case confirmCommand:
		a.believe(c.Args)
	case maskCommand:
		if squares, err := maskedBy(c.Args); err == nil { // it has been read before
			a.eyes.Doubt(squares)
		}
	}
}

// allowed returns why a role may not give an order now, empty when it may.
func (a *App) allowed(role string, what referee.Order) string {
	switch what := what.(type) {
	case referee.NewGame:
		return a.newRefused(role, &what.Match.Profile)
	case referee.Pause, referee.Resume, referee.Undo:
		return rulingRefused(role, what, a.core.State.Match.Profile)
	case referee.Look, referee.Resign, referee.Adjudicate, referee.ClockSet,
		referee.PlayersSet, referee.CorrectSquare, referee.Revise, referee.LetStand, referee.Claim, referee.PassPressed:
	}
	return ""
}

// answers remembers the last answers by the id of the command, so that a button
// pressed once counts once.
type answers struct {
	ids   []string
	known map[string]web.Response
}

// maxAnswers is how many answers are remembered.
const maxAnswers = 256

func (m *answers) get(id string) (web.Response, bool) {
	r, ok := m.known[id]
	return r, ok
}

func (m *answers) put(id string, r web.Response) {
	if m.known == nil {
		m.known = make(map[string]web.Response)
	}
	if len(m.ids) == maxAnswers {
		delete(m.known, m.ids[0])
		m.ids = m.ids[1:]
	}
	m.ids = append(m.ids, id)
	m.known[id] = r
}
