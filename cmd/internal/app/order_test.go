package app

import (
	"encoding/json"
	"strings"
	"testing"

	"reversi-board/configs"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

const standardBoard = "---------------------------WB------BW---------------------------"

func TestNewGameOrder(t *testing.T) {
	tests := []struct{ settings, args, variant, board, turn string }{
		{"", `{}`, "classic", standardBoard, "black"},
		{"", `{"variant":"historic"}`, "historic", strings.Repeat("-", 64), "black"},
		{"", `{"variant":"historic","first":"white"}`, "historic", strings.Repeat("-", 64), "white"},
		{"", `{"start":"handicap-1"}`, "classic", "B" + standardBoard[1:], "white"},
		{"", `{"variant":"custom","start":"handicap-1","first":"black"}`, "custom", "B" + standardBoard[1:], "black"},
		{"", `{"variant":null,"start":null,"first":null}`, "classic", standardBoard, "black"},
		// What is left out is as set, unless it was set for another game.
		{"handicap-1", `{}`, "custom", "B" + standardBoard[1:], "white"},
		{"handicap-1", `{"first":"black"}`, "custom", "B" + standardBoard[1:], "black"},
		{"handicap-1", `{"first":"auto"}`, "custom", "B" + standardBoard[1:], "white"},
		{"handicap-1", `{"variant":"historic"}`, "historic", strings.Repeat("-", 64), "black"},
		{"handicap-1", `{"start":"standard"}`, "custom", standardBoard, "black"},
	}
	for _, tc := range tests {
		order, err := orderOf("new", json.RawMessage(tc.args), matchOf(t, tc.settings))
		if err != nil {
			t.Errorf("%s: %v", tc.args, err)
			continue
		}
		rules := order.(referee.NewGame).Match.Rules //nolint:forcetypeassert // what new is
		if rules.Name != tc.variant || rules.Start.String() != tc.board || rules.Start.Turn.String() != tc.turn {
			t.Errorf("%q, %s: %s from %v, %v begins; want %s from %s, %s", tc.settings, tc.args,
				rules.Name, rules.Start.Discs, rules.Start.Turn, tc.variant, tc.board, tc.turn)
		}
	}
}

// TestOrderByLot: a game that is asked for with the start xot begins behind eight
// plies of another opening each time.
func TestOrderByLot(t *testing.T) {
	drawn := map[string]bool{}
	for range 40 {
		order, err := orderOf("new", json.RawMessage(`{"start":"xot","variant":"reverse"}`), matchOf(t, ""))
		if err != nil {
			t.Fatal(err)
		}
		rules := order.(referee.NewGame).Match.Rules //nolint:forcetypeassert // what new is
		if rules.Name != "reverse" || rules.Start.Occupied().Count() != 12 || rules.Start.Turn.String() != "black" {
			t.Fatalf("%s from %v, %v begins", rules.Name, rules.Start.Discs, rules.Start.Turn)
		}
		drawn[rules.Start.String()] = true
	}
	if len(drawn) < 10 {
		t.Errorf("%d openings in 40 games", len(drawn))
	}
}

// TestNextByLot: where the settings say xot, every game that names no start has
// another opening; where it names one, it has that.
func TestNextByLot(t *testing.T) {
	c := configs.Default()
	c.Game.Start = "xot"
	match, err := c.Game.Match()
	if err != nil {
		t.Fatal(err)
	}
	a := &App{config: c, match: match}
	drawn := map[string]bool{}
	for range 40 {
		match, args, err := a.paired("arbiter", "new", json.RawMessage(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		order, err := orderOf("new", args, match)
		if err != nil {
			t.Fatal(err)
		}
		drawn[order.(referee.NewGame).Match.Rules.Start.String()] = true //nolint:forcetypeassert // what new is
	}
	if len(drawn) < 10 {
		t.Errorf("%d openings in 40 games", len(drawn))
	}
	order, err := orderOf("new", json.RawMessage(`{"start":"standard"}`), a.next())
	if err != nil || order.(referee.NewGame).Match.Rules.Start.String() != standardBoard { //nolint:forcetypeassert // what new is
		t.Errorf("%+v, %v, want the standard start", order, err)
	}
}

func TestNewGameThatCannotBe(t *testing.T) {
	for args, says := range map[string]string{
		`{"variant":"chess"}`:                                "unknown variant",
		`{"start":"sideways"}`:                               "or xot for one by lot",
		`{"variant":"historic","start":"parallel"}`:          "takes no other start",
		`{"variant":"historic","start":"xot"}`:               "takes no other start",
		`{"start":"` + strings.Repeat("X", 64) + ` X"}`:      "nobody can move",
		`{"first":"red"}`:                                    "cannot begin",
		`{"start":7}`:                                        "start",
		`{"opening":"f5"}`:                                   "opening",
		`{"variant":"classic","start":"f5d6","first":"red"}`: "cannot begin",
	} {
		if _, err := orderOf("new", json.RawMessage(args), matchOf(t, "")); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want one that speaks of %q", args, err, says)
		}
	}
}

// Players whom nobody names are called as the settings say.
func TestNamesOfPlayers(t *testing.T) {
	for args, want := range map[string][2]string{
		`{}`:                                    {"Black", "White"},
		`{"players":null}`:                      {"Black", "White"},
		`{"players":{"black":"","white":""}}`:   {"Black", "White"},
		`{"players":{"white":"Baurzhan"}}`:      {"Black", "Baurzhan"},
		`{"players":{"black":"A","white":"B"}}`: {"A", "B"},
	} {
		order, err := orderOf("new", json.RawMessage(args), matchOf(t, ""))
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		if got := order.(referee.NewGame).Match.Players; got[0].String() != want[0] || got[1].String() != want[1] { //nolint:forcetypeassert // what new is
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

func matchOf(t *testing.T, start string) referee.Match {
	t.Helper()
	c := configs.Default()
	if start != "" {
		c.Game.Variant, c.Game.Start = "custom", start
	}
	match, err := c.Game.Match()
	if err != nil {
		t.Fatal(err)
	}
	return match
}

// Names and reasons that would do something to a terminal are refused at the door,
// whatever the command.
func TestHostileNamesAndReasonsAreRefused(t *testing.T) {
	for _, hostile := range []string{`\u001b[2J`, `a\nb`, `a\r`, `\u007f`, `\u009b1m`, `\u202e`, `\u2066`, `\u200f`, `\u061c`, `\u2028`, `\u0000`} {
		text := `"Eve` + hostile + `x"`
		for name, args := range map[string]string{
			"new":            `{"players":{"black":` + text + `}}`,
			"players_set":    `{"black":"Ana","white":` + text + `}`,
			"undo":           `{"plies":1,"reason":` + text + `}`,
			"pause":          `{"reason":` + text + `}`,
			"resume":         `{"reason":` + text + `}`,
			"resign":         `{"color":"black","reason":` + text + `}`,
			"adjudicate":     `{"result":"draw","black":32,"white":32,"reason":` + text + `}`,
			"clock_set":      `{"black_ms":1000,"reason":` + text + `}`,
			"correct_square": `{"squares":{"e6":"B"},"reason":` + text + `}`,
			"revise":         `{"from_ply":1,"moves":"f5","reason":` + text + `}`,
			"let_stand":      `{"reason":` + text + `}`,
			"claim":          `{"by":"black","reason":` + text + `}`,
		} {
			_, err := orderOf(name, json.RawMessage(args), matchOf(t, ""))
			if err == nil || !strings.Contains(err.Error(), "cannot be shown") || strings.ContainsFunc(err.Error(), plaintext.Hidden) {
				t.Errorf("%s %s: %v, want it refused without repeating the character", name, args, err)
			}
		}
	}
	if _, err := orderOf("pause", json.RawMessage("{\"reason\":\"\xff\"}"), matchOf(t, "")); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("a reason that is not UTF-8: %v", err)
	}
}
