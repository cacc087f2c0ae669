package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"

	"reversi-board/configs"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/engine/clock"
	"reversi-board/engine/referee"
	"reversi-board/mqtt"
)

// tokenFile is where the arbiter's token is kept that was made because the
// settings name none.
const tokenFile = "arbiter-token"

// entrance is how one comes to the page.
type entrance struct {
	access *web.Access
	// file holds the token that was made, empty if the settings name one; fresh is
	// the token itself if it is as new as this start.
	file, fresh string
}

// entrance returns how one comes to the page. On loopback everybody may do
// everything unless the settings say otherwise; on the network nobody may give
// orders without a token.
func (a *App) entrance() (e entrance, err error) {
	c := a.config.Web
	arbiter, player, err := c.Tokens()
	if err != nil {
		return e, fmt.Errorf("open the page: %w", err)
	}
	if arbiter == "" {
		if c.Loopback() {
			return e, nil
		}
		e.file = filepath.Join(a.dir, tokenFile)
		if arbiter, e.fresh, err = keptToken(e.file); err != nil {
			return e, fmt.Errorf("open the page: %w", err)
		}
	}
	e.access = &web.Access{Arbiter: arbiter, Player: player}
	return e, nil
}

// keptToken returns the token of a file; the first time it makes one.
func keptToken(file string) (token, fresh string, err error) {
	token, err = configs.ReadToken(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, "", err //nolint:wrapcheck // it names the file
	}
	token = rand.Text()
	if err := writeSynced(archive.OS(), file, token+"\n"); err != nil {
		return "", "", fmt.Errorf("keep the arbiter's token: %w", err)
	}
	return token, token, nil
}

// pageOptions returns what the page needs to know; host is where it listens.
func (a *App) pageOptions(version, host string) (web.Options, error) {
	c := a.config.Web
	e, err := a.entrance()
	if err != nil {
		return web.Options{}, err
	}
	a.entered = e
	o := web.Options{
		Board: a.config.Board.ID, Name: a.config.Board.Name, Version: version,
		Hosts: append([]string{host}, c.Hosts...), Proxies: c.Proxies,
		Simulated: a.rig.Sim != nil, Command: a.pageCommand, Commands: pageCommands(), Access: e.access, Delay: a.config.Web.Delay, Now: a.now, Logger: a.log,
		Variants: engine.VariantNames(), Profiles: a.profiles(), Clocks: a.clocksOf(),
		Opponent: a.program(),
		Health:   a.healthView, Calibrate: a.calibrator, Tournaments: a.hall, Report: a.saveReport,
	}
	if !c.Loopback() {
		// A name could be made to mean this board by others, a number could not.
		at, err := netip.ParseAddr(host)
		o.AnyAddress = err == nil && at.IsUnspecified()
		if name, err := os.Hostname(); err == nil {
			o.Hosts = append(o.Hosts, name, name+".local")
		}
	}
	if a.hands != nil {
		o.Hands = a.hands
	}
	return o, nil
}

// pageCommands are the commands of the page by role: those of MQTT, and what only
// somebody who looks at the page can want.
func pageCommands() map[web.Role][]string {
	table := mqtt.DefaultCommands()
	return map[web.Role][]string{
		web.Player:  table[string(mqtt.Player)],
		web.Arbiter: append(table[string(mqtt.Arbiter)], evaluateCommand),
	}
}

// profiles lists the profiles that a new game can have, the one of the settings
// first if it is a file of the user's.
func (a *App) profiles() []string {
	names := configs.EventNames()
	if own := a.match.Profile.Name; !slices.Contains(names, own) {
		names = append([]string{own}, names...)
	}
	return names
}

// clocksOf says how games are timed under each profile.
func (a *App) clocksOf() map[string]string {
	of := make(map[string]string)
	for _, name := range a.profiles() {
		if p, err := configs.Event(name); err == nil {
			of[name] = p.Clock.String()
		}
	}
	of[a.match.Profile.Name] = a.match.Clock.String()
	return of
}

// greet prints where the page is, the address alone on the first line, and how one
// becomes its arbiter.
func (a *App) greet(out io.Writer, ln net.Listener) error {
	text := a.config.Web.URL(reachable(ln.Addr().String())) + "\n"
	if file := a.entered.file; file != "" {
		text += "Everybody on the network may look. Arbiters log in with the token in " + file + "\n"
	}
	// What a service prints is kept in the system's log, where no secret belongs.
	if fresh := a.entered.fresh; fresh != "" && os.Getenv("JOURNAL_STREAM") == "" {
		text += "The token, shown this once: " + fresh + "\n"
	}
	_, err := io.WriteString(out, text)
	return err //nolint:wrapcheck // the caller says what failed
}

// reachable returns an address under which a page that listens everywhere can be
// found.
func reachable(listen string) string {
	at, err := netip.ParseAddrPort(listen)
	if err != nil || !at.Addr().IsUnspecified() {
		return listen
	}
	found := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return netip.AddrPortFrom(found, at.Port()).String()
	}
	for _, one := range addresses {
		p, err := netip.ParsePrefix(one.String())
		if err == nil && p.Addr().Is4() && !p.Addr().IsLoopback() && !p.Addr().IsLinkLocalUnicast() {
			return netip.AddrPortFrom(p.Addr(), at.Port()).String()
		}
	}
	return netip.AddrPortFrom(found, at.Port()).String()
}

// pageCommand is called by the page's requests, on their goroutines.
func (a *App) pageCommand(ctx context.Context, c web.Command) web.Response {
	if c.Role == "" {
		c.Role, c.From = web.Arbiter, "page"
	}
	return a.give(ctx, order{role: string(c.Role), from: c.From, command: c})
}

// give gives an order to the loop and waits for its answer.
func (a *App) give(ctx context.Context, o order) web.Response {
	o.at, o.answer = a.now(), make(chan web.Response, 1)
	busy := web.Response{Status: "error", Code: "busy", Error: "the board is shutting down or busy: try again"}
	select {
	case a.orders <- o:
	case <-ctx.Done():
		return busy
	}
	select {
	case r := <-o.answer:
		return r
	case <-ctx.Done():
		return busy
	}
}

// pageOrder carries out a command from the page.
func (a *App) pageOrder(o order) web.Response {
	key := o.role + "\n" + o.from + "\n" + o.command.ID
	if r, done := a.answered.get(key); done {
		return r
	}
	code, text := a.obeyPage(o)
	r := web.Response{Status: "ok", Code: code, Error: text, Seq: a.core.Seq()}
	if code != "" {
		r.Status = "error"
	}
	a.answered.put(key, r)
	return r
}

// obeyPage does what the page asks for and returns why not, empty if it has.
func (a *App) obeyPage(o order) (code, text string) {
	c := o.command
	player := o.role == string(web.Player)
	if code, text := a.checkPage(o); code != "" {
		return code, text
	}
	switch {
	case c.Name == pressCommand:
		return a.pressByCommand(o)
	case c.Name == agreeCommand || c.Name == declineCommand:
		return a.answerTakeback(o)
	case player && c.Name == "undo":
		return a.askTakeback(o)
	case player && c.Seat != "":
		if what, err := orderOf(c.Name, c.Args, a.match); err == nil && ofOther(what, c.Seat) {
			return string(referee.NotAllowed), "you have logged in as " + c.Seat + "'s player"
		}
	}
	return a.carryOut(o.role, o.from, c)
}

// checkPage checks a command from the page as the MQTT adapter checks those from there:
// its form, and whether it is about the newest state. It returns why it is refused, empty
// if it is not.
func (a *App) checkPage(o order) (code, text string) {
	c := o.command
	if len(c.Args) > 0 {
		// The arguments are one level deep, as they came.
		if err := mqtt.CheckForm(fmt.Appendf(nil, `{"args":%s}`, c.Args)); err != nil {
			return string(referee.BadPayload), err.Error()
		}
	}
	p := a.core.State.Phase
	switch {
	case c.IfSeq != nil && *c.IfSeq != a.core.Seq():
		return "stale_seq", staleText
	case c.IfSeq == nil && !o.asked && mqtt.NeedsSeq(c.Name, mqtt.Role(o.role), p == referee.Playing || p == referee.Paused):
		return string(referee.BadPayload), mqtt.NoSeq
	}
	return "", ""
}

// ofOther reports whether an order is one for the other player to give.
func ofOther(what referee.Order, seat string) bool {
	by := engine.None
	switch what := what.(type) {
	case referee.Resign:
		by = what.Color
	case referee.Claim:
		by = what.By
	case referee.PassPressed:
		by = what.By
	case referee.NewGame, referee.Undo, referee.Pause, referee.Resume, referee.Adjudicate, referee.ClockSet,
		referee.PlayersSet, referee.CorrectSquare, referee.Revise, referee.LetStand, referee.Look:
	}
	return by != engine.None && by.String() != seat
}

// pressCommand presses the clock of a color.
const pressCommand = "press"

// pressByCommand takes a press of a clock on the page or over MQTT. It is no more on
// record than a press of a button at the board: what it leads to is.
func (a *App) pressByCommand(o order) (code, text string) {
	var args struct {
		Color string `json:"color"`
	}
	if err := decodeArgs(o.command.Args, &args); err != nil {
		return string(referee.BadPayload), err.Error()
	}
	by, err := colorNamed("color", args.Color, false)
	switch {
	case err != nil:
		return string(referee.BadPayload), err.Error()
	case o.command.Seat != "" && o.command.Seat != args.Color:
		return string(referee.NotAllowed), "this is the clock of the other player"
	case !a.pressable():
		return string(referee.NotAllowed), "no move is ended with a press now"
	}
	a.clockPressed(by, o.at)
	return "", ""
}

// pressable reports whether a press of a clock means anything now.
func (a *App) pressable() bool {
	s := &a.core.State
	return s.Pressing() || s.PassDue() || s.Restart.Active || s.Flags.PlayOn && s.Phase == referee.Playing ||
		s.Phase == referee.Over && s.Objection.Open
}

// timing says how a game is timed, nil for one without clocks.
func timing(s clock.Settings) *web.Timing {
	if !s.On() {
		return nil
	}
	return &web.Timing{
		Text: s.String(), Shared: s.Shared,
		Black: control(s.Sides[engine.Black]), White: control(s.Sides[engine.White]),
	}
}

func control(c clock.Control) web.Control {
	return web.Control{
		Main: c.Main.Milliseconds(), Increment: c.Increment.Milliseconds(), Periods: c.Periods, Period: c.Period.Milliseconds(),
	}
}

// claims reports whether there are mistakes that players may claim.
func claims(s *referee.State) bool {
	p := &s.Match.Profile
	return (p.Flips == referee.FlipsStand || p.Improper == referee.ImproperClaimed) &&
		(s.Phase == referee.Playing || s.Phase == referee.Over && p.ClaimAfterEnd)
}

// officiate adds to a view what players and arbiters need, and takes out what
// players may not know.
func (a *App) officiate(v *web.View, state []byte) {
	s := &a.core.State
	v.Timing, v.Press, v.Claims = timing(s.Clock.Settings), a.pressable(), claims(s)
	v.Takeback = a.takebackView()
	public, err := a.core.Public(a.now())
	switch {
	case err != nil:
		// Nobody is told more than they may know because something failed.
		a.log.Error("write the state as players may know it", "error", err)
		v.State, v.Full = []byte("null"), state
	case public != nil:
		v.State, v.Full = public, state
	}
}
