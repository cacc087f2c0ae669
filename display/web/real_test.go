package web

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// judged is a referee that looks at discs and shows what it thinks on a page,
// in the form that journal and MQTT use.
type judged struct {
	t      *testing.T
	server *Server
	state  referee.State
	seq    uint64
	at     referee.Time
}

// see lets the referee look at a settled table.
func (j *judged) see(discs engine.Discs) {
	j.t.Helper()
	j.at += time.Second
	env := record.Envelope{Stamp: record.Stamp{TS: time.Unix(1790000000, 0), TSOK: true, Boot: 1, Mono: j.at}, JID: "01JD7Q4E9W0000000000000001"}
	for _, effect := range referee.Step(&j.state, referee.Seen{At: j.at, Discs: discs}, nil) {
		say, ok := effect.(referee.Announce)
		if !ok {
			continue
		}
		j.seq++
		env.Seq, env.Ply, env.FP = j.seq, j.state.Ply(), record.Fingerprint(j.state.Game.Discs, j.state.Turn())
		text, err := record.EncodeEvent(env, say.Event)
		if err != nil {
			j.t.Fatal(err)
		}
		j.server.Event(j.seq, text)
	}
	env.Seq = j.seq
	text, err := record.EncodeState(env, &j.state)
	if err != nil {
		j.t.Fatal(err)
	}
	start := j.state.Match.Rules.Start
	j.server.Publish(View{
		State: text, Sentence: display.Sentence(&j.state), Table: discs.String(),
		Start: start.String(), First: start.Turn.String(),
	})
}

// The page understands what the referee really says.
func showsTheReferee(t *testing.T, b chromium) {
	rules, err := engine.Variant("classic")
	if err != nil {
		t.Fatal(err)
	}
	profile, err := referee.ProfileNamed("home")
	if err != nil {
		t.Fatal(err)
	}
	server := plain(t, nil)
	j := &judged{t: t, server: server, state: referee.New(referee.Match{Rules: rules, Profile: profile, Players: [2]plaintext.Text{plaintext.Const("Aigerim"), plaintext.Const("Baurzhan")}})}
	j.see(engine.Discs{})
	p := b.open(t, serve(t, server), screen{Width: 1280, Height: 800})
	p.reads("d4", "d4, empty, light: put a disc here")
	start := rules.Start.Discs
	j.see(start)
	p.until(said("A new game begins. Black to move."))
	f5, e5, a1 := square(t, "f5"), square(t, "e5"), square(t, "a1")
	j.see(start.With(f5, engine.Black))
	p.until(`document.querySelector('[data-square="e5"]').dataset.mark === "flip"`)
	p.reads("e5", "e5, white disc, light: turn this disc")
	moved := start.With(f5, engine.Black).With(e5, engine.Black)
	j.see(moved)
	p.until(said("Black f5, 1 flipped, 4 to 1."))
	p.until(`document.querySelectorAll(".move").length === 1`)
	j.see(moved.With(a1, engine.White))
	p.until(said("A1 is not possible: it would turn nothing."))
	p.reads("a1", "a1, white disc, light: this disc is wrong")
	j.see(moved)
	j.see(moved.With(square(t, "f4"), engine.Black))
	p.reads("f4", "f4, black disc, light: wrong side up, turn this disc")
	j.see(moved)
	j.see(start) // the disc is taken back, and its flip
	p.until(said("One move taken back."))
	p.until(`document.querySelectorAll(".move").length === 0`)
	p.run(chromedp.ScrollIntoView(chromedp.ID("board")))
	p.quiet()
}
