package app

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

func TestRulings(t *testing.T) {
	t.Parallel()
	d3, e4 := engine.SquareAt(3, 2).Bit(), engine.SquareAt(4, 3).Bit()
	for _, c := range []struct {
		name, args string
		want       referee.Order
	}{
		{"pause", ``, referee.Pause{}},
		{"pause", `{"reason":"tea"}`, referee.Pause{Reason: plaintext.Const("tea")}},
		{"resume", `{}`, referee.Resume{}},
		{"resign", `{"color":"white"}`, referee.Resign{Color: engine.White}},
		{
			"adjudicate", `{"result":"black","black":40,"white":24,"reason":"agreed"}`,
			referee.Adjudicate{Winner: engine.Black, Black: 40, White: 24, Reason: plaintext.Const("agreed")},
		},
		{"adjudicate", `{"result":"draw","black":32,"white":32,"reason":"x"}`, referee.Adjudicate{Winner: engine.None, Black: 32, White: 32, Reason: plaintext.Const("x")}},
		{"adjudicate", `{"result":"none","reason":"fire"}`, referee.Adjudicate{Winner: engine.None, Void: true, Reason: plaintext.Const("fire")}},
		{"clock_set", `{"white_ms":61000,"reason":"late"}`, referee.ClockSet{Black: -1, White: 61 * time.Second, Reason: plaintext.Const("late")}},
		{"players_set", `{"black":"Ana","white":"<img src=x>"}`, referee.PlayersSet{Players: [2]plaintext.Text{plaintext.Const("Ana"), plaintext.Const("<img src=x>")}}},
		{
			"correct_square", `{"squares":{"d3":"B","e4":"-"},"turn":"white","reason":"sleeve"}`,
			referee.CorrectSquare{Black: d3, Empty: e4, Turn: engine.White, Reason: plaintext.Const("sleeve")},
		},
		{"correct_square", `{"turn":"black","reason":"x"}`, referee.CorrectSquare{Turn: engine.Black, Reason: plaintext.Const("x")}},
		{"revise", `{"from_ply":20,"moves":"f5d6","reason":"x"}`, referee.Revise{FromPly: 20, Moves: "f5d6", Reason: plaintext.Const("x")}},
		{"let_stand", `{"reason":"x"}`, referee.LetStand{Reason: plaintext.Const("x")}},
		{"claim", `{"by":"black"}`, referee.Claim{By: engine.Black}},
		{"claim", ``, referee.Claim{By: engine.None}},
		{"pass", `{"by":"white"}`, referee.PassPressed{By: engine.White}},
	} {
		got, ok, err := rulingOf(c.name, json.RawMessage(c.args))
		if err != nil || !ok || got != c.want {
			t.Errorf("%s %s is %+v, %t, %v; want %+v", c.name, c.args, got, ok, err, c.want)
		}
	}
	if _, ok, err := rulingOf("new", nil); ok || err != nil {
		t.Errorf("new is a ruling: %t, %v", ok, err)
	}
}

func TestRulingsThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, args, want string }{
		{"pause", `{"why":"tea"}`, "unknown field"},
		{"pause", `{"reason":"` + strings.Repeat("x", 201) + `"}`, "at most 200 characters"},
		{"resign", `{}`, `color: ""`},
		{"resign", `{"color":"red"}`, "neither black nor white"},
		{"adjudicate", `{"result":"win","reason":"x"}`, "want black, white, draw or none"},
		{"adjudicate", `{"result":"black","black":60,"white":5,"reason":"x"}`, "at most 64 together"},
		{"adjudicate", `{"result":"black","black":-1,"white":5,"reason":"x"}`, "at most 64 together"},
		{"adjudicate", `{"result":"black","black":40,"white":24}`, "reason: missing"},
		{"clock_set", `{"reason":"x"}`, "want at least one"},
		{"clock_set", `{"black_ms":-1,"reason":"x"}`, "want 0 to 86400000"},
		{"clock_set", `{"black_ms":1}`, "reason: missing"},
		{"clock_set", `{"black_ms":1e30,"reason":"x"}`, "read the arguments"},
		{"players_set", `{"black":"` + strings.Repeat("x", 65) + `"}`, "at most 64 characters"},
		{"correct_square", `{"squares":{"i9":"B"},"reason":"x"}`, "is no square"},
		{"correct_square", `{"squares":{"a1":"X"},"reason":"x"}`, "want B, W or -"},
		{"correct_square", `{"squares":{"a1":"B","A1":"W"},"reason":"x"}`, "squares:"},
		{"correct_square", `{"squares":{"a1":"B"},"turn":"nobody","reason":"x"}`, "neither black nor white"},
		{"correct_square", `{"squares":{"a1":"B"}}`, "reason: missing"},
		{"revise", `{"from_ply":0,"reason":"x"}`, "want 1 to 64"},
		{"revise", `{"from_ply":1,"moves":"` + strings.Repeat("f5", 65) + `","reason":"x"}`, "at most 64"},
		{"let_stand", `{}`, "reason: missing"},
		{"claim", `{"by":"me"}`, "neither black nor white"},
	} {
		_, ok, err := rulingOf(c.name, json.RawMessage(c.args))
		if !ok || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s gives %t, %v; want an error with %q", c.name, c.args, ok, err, c.want)
		}
	}
}

// FuzzRulings: whatever the arguments, they are taken or refused, and what is
// taken is within its bounds.
func FuzzRulings(f *testing.F) {
	f.Add("clock_set", `{"black_ms":1,"reason":"x"}`)
	f.Add("correct_square", `{"squares":{"d3":"B"},"turn":"white","reason":"x"}`)
	f.Add("revise", `{"from_ply":20,"moves":"f5d6","reason":"x"}`)
	f.Fuzz(func(t *testing.T, name, args string) {
		order, ok, err := rulingOf(name, json.RawMessage(args))
		if !ok || err != nil {
			return
		}
		if o, ok := order.(referee.ClockSet); ok && (max(o.Black, o.White) > maxClock || min(o.Black, o.White) < -1) {
			t.Fatalf("clocks are set to %v, %v", o.Black, o.White)
		}
		if o, ok := order.(referee.CorrectSquare); ok && (o.Black&o.White != 0 || o.Reason == (plaintext.Text{})) {
			t.Fatalf("corrected is %+v", o)
		}
	})
}

// Who may stop the clocks and take moves back depends on the event.
func TestRulingsByRole(t *testing.T) {
	t.Parallel()
	home := referee.Home()
	strict := home
	strict.Name, strict.Takeback = "woc", referee.TakebackNever
	for _, c := range []struct {
		role    string
		order   referee.Order
		profile referee.Profile
		may     bool
	}{
		{"ha", referee.Pause{}, home, true},
		{"ha", referee.Resume{}, strict, false},
		{"ops", referee.Pause{}, strict, true},
		{"ha", referee.Undo{Plies: 1}, home, true},
		{"ha", referee.Undo{Plies: 1}, strict, false},
		{"player", referee.Undo{Plies: 1}, home, true},
		{"player", referee.Undo{Plies: 1}, strict, false},
		{"arbiter", referee.Undo{Plies: 1}, strict, true},
		{"player", referee.Claim{}, strict, true},
	} {
		if refused := rulingRefused(c.role, c.order, c.profile); (refused == "") != c.may {
			t.Errorf("%s, %T under %s: refused %q", c.role, c.order, c.profile.Name, refused)
		}
	}
}
