package web

import (
	"context"
	"sync"
	"testing"
	"time"

	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// court is a referee with clocks behind a page. Its time is the real one and what
// is skipped, so that a page can come late, or sleep.
type court struct {
	t *testing.T

	mu       sync.Mutex
	server   *Server
	state    referee.State
	seq      uint64
	begun    time.Time
	skipped  time.Duration
	boot     int
	at       string
	commands []Command
	// obey turns a command into an order; nil accepts all of them and does nothing.
	obey func(c Command) referee.Order
	// refuse answers every command with this code, if it is not empty.
	refuse string
	// change adds to every view.
	change func(v *View)
}

// strict is how a championship is officiated.
func strict() referee.Profile {
	p := referee.Home()
	p.Name, p.Commit, p.Flips, p.Improper = "woc", referee.CommitPress, referee.FlipsStand, referee.ImproperClaimed
	p.Takeback, p.FlipLights, p.Hints, p.Flag = referee.TakebackNever, referee.LightsOff, referee.HintsLocked, referee.FlagGrace
	p.ClaimAfterEnd = true
	return p
}

// atClub is how an evening at a club is officiated, with the lights always on.
func atClub() referee.Profile {
	p := referee.Home()
	p.Name, p.Commit, p.Flips = "club", referee.CommitPressIfClock, referee.FlipsStand
	p.Takeback, p.Hints, p.Flag, p.ClaimAfterEnd = referee.TakebackUntilReply, referee.HintsOff, referee.FlagLoss, true
	return p
}

// newCourt begins a game.
func newCourt(t *testing.T, p referee.Profile, timed string, change func(o *Options)) *court {
	t.Helper()
	rules, err := engine.Variant("classic")
	if err != nil {
		t.Fatal(err)
	}
	settings, err := clock.Parse(timed)
	if err != nil {
		t.Fatal(err)
	}
	c := &court{t: t, begun: time.Now(), boot: 1}
	c.state = referee.New(referee.Match{Rules: rules, Profile: p, Clock: settings, Players: [2]plaintext.Text{plaintext.Const("Aigerim"), plaintext.Const("Baurzhan")}})
	c.host(change)
	c.see(rules.Start.Discs)
	if c.state.Phase != referee.Playing {
		t.Fatalf("phase %v on the start position", c.state.Phase)
	}
	return c
}

// host makes a server for the court, as a program that has been started does.
func (c *court) host(change func(o *Options)) {
	c.t.Helper()
	o := Options{
		Board: "rv-test", Name: "Table 7", Command: c.command, Now: c.now,
		Profiles: []string{"home", "club", "woc", "jof", "festival"}, Variants: engine.VariantNames(),
		Clocks: map[string]string{"home": "none", "club": "none", "woc": "30:00", "jof": "30:00", "festival": "game 20:00"},
	}
	if change != nil {
		change(&o)
	}
	server, err := New(o)
	if err != nil {
		c.t.Fatal(err)
	}
	c.server = server
}

// url serves the page until the test ends, and says where.
func (c *court) url() string {
	c.t.Helper()
	if c.at == "" {
		c.at = serve(c.t, c.server)
	}
	return c.at
}

// now is the board's clock.
func (c *court) now() time.Duration { return time.Second + time.Since(c.begun) + c.skipped }

// skip lets time pass.
func (c *court) skip(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.skipped += d
}

// left is what the board's own clock says.
func (c *court) left(side engine.Color) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Clock.Remaining(side, c.now())
}

// command remembers what the page asks for, and lets the referee do it.
func (c *court) command(_ context.Context, cmd Command) Response {
	c.mu.Lock()
	c.commands = append(c.commands, cmd)
	seq, refuse, obey := c.seq, c.refuse, c.obey
	c.mu.Unlock()
	switch {
	case refuse != "":
		return Response{Status: "error", Code: refuse, Error: "the court says no", Seq: seq}
	case cmd.IfSeq != nil && *cmd.IfSeq != seq:
		return Response{Status: "error", Code: "stale_seq", Error: "stale", Seq: seq}
	case obey == nil:
		return Response{Status: "ok", Seq: seq}
	}
	order := obey(cmd)
	if order == nil {
		return Response{Status: "ok", Seq: seq}
	}
	if text := c.order(string(cmd.Role), cmd.Name, order); text != "" {
		return Response{Status: "error", Code: "not_allowed", Error: text, Seq: seq}
	}
	return Response{Status: "ok", Seq: c.seq}
}

// asked returns the commands since the last call.
func (c *court) asked() []Command {
	c.mu.Lock()
	defer c.mu.Unlock()
	got := c.commands
	c.commands = nil
	return got
}

// wanted reports whether the page has asked for something.
func (c *court) wanted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.commands) > 0
}

// order gives an order and returns why it was refused.
func (c *court) order(role, name string, o referee.Order) string {
	return c.step(referee.Command{At: c.now(), Audit: referee.Audit{Role: role, Name: name, ID: plaintext.Const("1"), From: plaintext.Const("test"), Order: o}})
}

// see lets the referee look at a settled table.
func (c *court) see(d engine.Discs) {
	c.t.Helper()
	c.step(referee.Seen{At: c.now(), Discs: d})
}

// press presses a clock.
func (c *court) press(by engine.Color) { c.step(referee.Pressed{At: c.now(), By: by}) }

// play makes moves by the rules, each with a press if that is how they end.
func (c *court) play(transcript string) {
	c.t.Helper()
	for ; transcript != ""; transcript = transcript[2:] {
		by := c.state.Game.Turn
		c.see(c.state.Game.Place(square(c.t, transcript[:2])).Discs)
		if c.state.Match.Profile.Commit != referee.CommitSettle {
			c.press(by)
		}
	}
}

// step feeds the referee and shows what it says; it returns why an order was
// refused.
func (c *court) step(in referee.Input) (refused string) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	env := c.envelope()
	for _, effect := range referee.Step(&c.state, in, nil) {
		switch effect := effect.(type) {
		case referee.Announce:
			c.seq++
			env.Seq, env.Ply, env.FP = c.seq, effect.Ply, record.Fingerprint(effect.Position.Discs, effect.Position.Turn)
			text, err := record.EncodeEvent(env, effect.Event)
			if err != nil {
				c.t.Error(err)
				return ""
			}
			c.server.Event(c.seq, text)
		case referee.Refuse:
			refused = effect.Text
		case referee.Wake:
		}
	}
	c.publish()
	return refused
}

func (c *court) envelope() record.Envelope {
	now := c.now()
	return record.Envelope{
		Stamp: record.Stamp{TS: time.Unix(1790000000, 0).Add(now), TSOK: true, Boot: c.boot, Mono: now},
		JID:   "01JD7Q4E9W0000000000000001", Game: "01JD7Q4E9W0000000000000002", Seq: c.seq,
	}
}

// publish shows the state; the lock is held, or nobody else is there.
func (c *court) publish() {
	text, err := record.EncodeState(c.envelope(), &c.state)
	if err != nil {
		c.t.Error(err)
		return
	}
	s := &c.state
	v := View{
		State: text, Sentence: display.Sentence(s), Table: s.Sensed.String(),
		Start: s.Match.Rules.Start.String(), First: "black", Press: s.Pressing(), Claims: s.Match.Profile.Flips == referee.FlipsStand,
	}
	if set := s.Clock.Settings; set.On() {
		side := func(k clock.Control) Control {
			return Control{k.Main.Milliseconds(), k.Increment.Milliseconds(), k.Periods, k.Period.Milliseconds()}
		}
		v.Timing = &Timing{Text: set.String(), Shared: set.Shared, Black: side(set.Sides[0]), White: side(set.Sides[1])}
	}
	if c.change != nil {
		c.change(&v)
	}
	c.server.Publish(v)
}
