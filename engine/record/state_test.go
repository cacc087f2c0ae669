package record_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

func fp(t testing.TB, board string, turn engine.Color) string {
	t.Helper()
	d, err := engine.ParseDiscs(board)
	if err != nil {
		t.Fatal(err)
	}
	return record.Fingerprint(d, turn)
}

func checkState(t *testing.T, env record.Envelope, s referee.State, want string) {
	t.Helper()
	got, err := record.EncodeState(env, &s)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	loadSchema(t, "state").check(t, got)
}

const noClock = `"clock":{"mode":"none","black_ms":null,"white_ms":null,"running":"none","at":null,"flag_at":null,"flagged":"none"}`

// Nothing has been read from the board yet.
func TestStateIdle(t *testing.T) {
	checkState(t, envelope(), referee.New(homeMatch(t, "classic")),
		`{`+stampText+`,"seq":12,"game":null,"variant":"classic","profile":"home","hints":"on","empties":"as_they_lie","phase":"idle","step":null,`+
			`"turn":"none","ply":0,"board":"`+startBoard+`","sensed":"`+strings.Repeat("?", 64)+`","board_fp":"`+fp(t, startBoard, engine.None)+`",`+
			`"irregular":false,"start":{"board":"`+startBoard+`","turn":"black"},"legal":[],"score":{"black":2,"white":2,"empty":60},"last":null,"pending":null,`+
			`"guide":{"flip":[],"place":[],"remove":[]},"transcript":"","players":{"black":"Ann <b>","white":"Ørn & 李"},`+
			`"hand":null,"result":null,`+noClock+`,"problem":{"active":false,"code":null,"squares":[],"since":null},"halted":false,"objection":null,"counting":null,"record":null}`)
}

// White has placed c5 after d3 and has d4 still to turn; a1 holds a disc that
// does not belong there, e5 was turned, h8 cannot be read.
func TestStatePlaying(t *testing.T) {
	s := referee.New(homeMatch(t, "classic"))
	referee.Apply(&s, referee.GameStarted{Match: s.Match})
	referee.Apply(&s, referee.Moved{By: engine.Black, Square: set(t, "d3").First(), Flipped: set(t, "d4")})
	s.Step = referee.Correcting
	s.Sensed = engine.Discs{Black: set(t, "a1 d3 d4 d5 e4 e5 h8"), White: set(t, "c5")}
	s.SensedOK, s.Masked = true, set(t, "h8")
	s.Pending = referee.Pending{
		Active: true, Square: set(t, "c5").First(), By: engine.White, Flips: set(t, "d4 d5"), Done: set(t, "d5"),
		Extra: set(t, "e5"), Lifted: set(t, "d4"), Since: 60 * time.Second,
	}
	s.Guide = referee.Guide{Flip: set(t, "d4"), Turn: set(t, "e5"), Remove: set(t, "a1"), PlaceBlack: set(t, "b2"), PlaceWhite: set(t, "c2")}
	s.Problem = referee.Problem{Code: referee.IllegalPosition, Reason: referee.SecondDisc, Squares: set(t, "a1 e5"), Since: 61 * time.Second}
	env := envelope()
	env.Game = game
	env.Ply = 33                // the state knows better
	env.FP = "ffffffffffffffff" // the same
	checkState(t, env, s,
		`{`+stampText+`,"seq":12,"game":"`+game+`","variant":"classic","profile":"home","hints":"on","empties":"as_they_lie","phase":"playing","step":"correcting",`+
			`"turn":"white","ply":1,"board":"`+afterD3+`",`+
			`"sensed":"B------------------B-------BB-----WBB--------------------------?","board_fp":"`+fp(t, afterD3, engine.White)+`",`+
			`"irregular":false,"start":{"board":"`+startBoard+`","turn":"black"},"legal":["c3","e3","c5"],"score":{"black":4,"white":1,"empty":59},`+
			`"last":{"move":"d3","by":"black","flipped":["d4"]},`+
			`"pending":{"move":"c5","by":"white","to_flip":["d4","d5"],"done":["d5"],"extra":["e5"],"lifted":["d4"],"since_ms":60000},`+
			`"guide":{"flip":["d4","e5"],"place":["b2","c2"],"remove":["a1"]},"transcript":"d3","players":{"black":"Ann <b>","white":"Ørn & 李"},`+
			`"hand":null,"result":null,`+noClock+
			`,"problem":{"active":true,"code":"illegal_position","squares":["a1","e5"],"since":"2026-03-01T18:04:05.428Z"},"halted":false,"objection":null,"counting":null,"record":null}`)
}

// A finished game with a stock of discs each.
func TestStateOver(t *testing.T) {
	m := homeMatch(t, "classic")
	m.Rules.Name, m.Rules.Stock = "historic", 32
	s := referee.New(m)
	referee.Apply(&s, referee.GameStarted{Match: m})
	referee.Apply(&s, referee.Moved{By: engine.Black, Square: set(t, "d3").First(), Flipped: set(t, "d4")})
	referee.Apply(&s, referee.GameOver{Result: referee.Result{Winner: engine.Black, Black: 63, White: 1, Counts: referee.CountsWithEmpties, DiscsBlack: 4, DiscsWhite: 1, Reason: referee.NoMoves}})
	b, err := record.EncodeState(envelope(), &s)
	if err != nil {
		t.Fatal(err)
	}
	loadSchema(t, "state").check(t, b)
	for _, want := range []string{
		`"phase":"over","step":null,"turn":"none"`, `"legal":[]`, `"hand":{"black":31,"white":32}`,
		`"result":{"result":"black","black":63,"white":1,"counts":"with_empties","discs":{"black":4,"white":1},"with_empties":{"black":63,"white":1},"empties":59,"reason":"no_moves"}`,
		`"board_fp":"` + fp(t, afterD3, engine.None) + `"`,
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("no %s in\n%s", want, b)
		}
	}
}

func TestEncodeStateRefuses(t *testing.T) {
	for name, change := range map[string]func(s *referee.State){
		"phase":  func(s *referee.State) { s.Phase = 9 },
		"step":   func(s *referee.State) { s.Step = 9 },
		"hints":  func(s *referee.State) { s.Match.Profile.Hints = 9 },
		"result": func(s *referee.State) { s.Ended, s.Result.Reason = true, "" },
	} {
		s := referee.New(homeMatch(t, "classic"))
		change(&s)
		if b, err := record.EncodeState(envelope(), &s); err == nil {
			t.Errorf("%s: %s", name, b)
		}
	}
}

// table plays at two tables: at one the events are live, at the other they have
// been written and read again.
type table struct {
	t            *rapid.T
	live, folded referee.State
}

func (w *table) announce(ev referee.Event) {
	w.t.Helper()
	referee.Apply(&w.live, ev)
	b, err := record.EncodeEvent(envelope(), ev)
	if err != nil {
		w.t.Fatal(err)
	}
	_, back, err := record.DecodeEvent(b)
	if err != nil {
		w.t.Fatal(err)
	}
	referee.Apply(&w.folded, back)
}

// play makes one move, pass, takeback, or ends the game.
func (w *table) play() {
	g := w.live.Game
	switch {
	case g.Over():
		w.announce(referee.GameOver{Result: referee.Result{
			Winner: g.Rules.Winner(g.Discs), DiscsBlack: g.Black.Count(), DiscsWhite: g.White.Count(), Reason: referee.NoMoves,
		}})
	case g.MustPass():
		w.announce(referee.Passed{By: g.Turn, At: 7})
	case w.live.Ply() > 2 && rapid.IntRange(0, 9).Draw(w.t, "undo") == 0:
		w.announce(referee.Undone{Plies: 1, ToPly: w.live.Ply() - 1, By: w.live.Entries[w.live.Len-1].By, At: 9})
	default:
		q := rapid.SampledFrom(slices.Collect(g.Legal().All())).Draw(w.t, "square")
		w.announce(referee.Moved{By: g.Turn, Square: q, Flipped: g.Flips(q), Think: 1234567, At: 11})
	}
}

// Folding what was written gives the state that was live, whatever was played
// and taken back.
func TestReplayGivesTheSameState(t *testing.T) {
	schema := loadSchema(t, "state")
	rapid.Check(t, func(r *rapid.T) {
		m := homeMatch(t, rapid.SampledFrom(engine.VariantNames()).Draw(r, "variant"))
		w := &table{t: r, live: referee.New(m), folded: referee.New(homeMatch(t, "classic"))}
		w.announce(referee.GameStarted{Match: m, At: 5})
		for moves := rapid.IntRange(0, 70).Draw(r, "moves"); moves > 0 && !w.live.Ended; moves-- {
			w.play()
		}
		want, err := record.EncodeState(envelope(), &w.live)
		if err != nil {
			r.Fatal(err)
		}
		got, err := record.EncodeState(envelope(), &w.folded)
		if err != nil || string(got) != string(want) {
			r.Fatalf("%v\n got %s\nwant %s", err, got, want)
		}
		if err := schema.validateText(got); err != nil {
			r.Fatalf("%v\n%s", err, got)
		}
	})
}

// The last disc is one that lies there: a ruling about the position, which may have
// taken it away, comes after it, and the next disc after that.
func TestLastDiscIsOnTheBoard(t *testing.T) {
	s := referee.New(homeMatch(t, "classic"))
	last := func() string {
		t.Helper()
		text, err := record.EncodeState(envelope(), &s)
		if err != nil {
			t.Fatal(err)
		}
		var w struct {
			Last *struct {
				Move string `json:"move"`
				By   string `json:"by"`
			} `json:"last"`
		}
		if err := json.Unmarshal(text, &w); err != nil {
			t.Fatal(err)
		}
		if w.Last == nil {
			return ""
		}
		return w.Last.By + " " + w.Last.Move
	}
	referee.Apply(&s, referee.GameStarted{Match: s.Match})
	referee.Apply(&s, referee.Moved{By: engine.Black, Square: set(t, "f5").First(), Flipped: set(t, "e5")})
	if got := last(); got != "black f5" {
		t.Errorf("after f5 the last disc is %q", got)
	}
	referee.Apply(&s, referee.PositionSet{Discs: engine.Start().Discs, Turn: engine.Black, Reason: plaintext.Const("the wrong game")})
	if got := last(); got != "" {
		t.Errorf("after the start was set the last disc is %q", got)
	}
	referee.Apply(&s, referee.Moved{By: engine.Black, Square: set(t, "d3").First(), Flipped: set(t, "d4")})
	if got := last(); got != "black d3" {
		t.Errorf("after d3 the last disc is %q", got)
	}
}
