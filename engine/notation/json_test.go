package notation_test

import (
	"reflect"
	"strings"
	"testing"

	"reversi-board/engine"
	"reversi-board/engine/notation"
)

func TestJSONForm(t *testing.T) {
	g := one(t, notation.FormatGGF, strings.Replace(nineGGF, "B[f5]W[d6]", "B[f5/2.5/1.25]CO[hm]W[d6]", 1))
	want := `{"v":1,"black":{"name":"A","clock":"25:00"},"white":{"name":"B","clock":"25:00"},"place":"test","date":"2001-01-01 00:00:00 GMT",` +
		`"rules":{"name":"classic","board":"---------------------------WB------BW---------------------------","turn":"black","goal":"most"},` +
		`"moves":[{"move":"f5","time":"1.25","eval":"2.5","comment":"hm"},"d6","c5","f6","e7","f4","g5","e6","e3"],` +
		`"recorded":{"text":"+64.000","winner":"black","margin":64},"result":{"winner":"black","black":64,"white":0,"margin":64,"discs":{"black":13,"white":0},"with_empties":{"black":64,"white":0}}}` + "\n"
	if got, lost := write(t, notation.FormatJSON, g); got != want || len(lost) > 0 {
		t.Errorf("written as\n%s, lost %q", got, lost)
	}
	again := one(t, notation.FormatJSON, want)
	if !reflect.DeepEqual(again, g) {
		t.Errorf("read as\n%+v, want\n%+v", again, g)
	}
}

// historic is the game in which the first four discs are placed.
func historic() engine.Rules {
	squares := engine.Start().Occupied()
	return engine.Rules{Name: "historic", Start: engine.Position{Turn: engine.Black}, Opening: squares, Stock: 32}
}

func TestPlacedOpenings(t *testing.T) {
	g := &notation.Game{Rules: historic()}
	for name := range strings.FieldsSeq("e4 d4 d5 e5 f5 d6 c3") {
		s, err := engine.ParseSquare(name)
		if err != nil {
			t.Fatal(err)
		}
		g.Plays = append(g.Plays, notation.Play{Move: engine.At(s)})
	}
	again := one(t, notation.FormatJSON, mustWrite(t, notation.FormatJSON, g))
	if again.Rules != g.Rules || wordsOf(again) != wordsOf(g) {
		t.Errorf("%+v", again)
	}
	// Other formats begin with the position in which moves begin.
	text, lost := write(t, notation.FormatTranscript, g)
	if text != "f5d6c3\n" || len(lost) != 1 || !strings.Contains(string(lost[0]), "first four discs") {
		t.Errorf("%s, %q", text, lost)
	}
	g.Plays = g.Plays[:3]
	if _, _, err := notation.Append(nil, notation.FormatGGF, g); err == nil {
		t.Error("a game without a start position was written")
	}
	if _, err := g.Result(); err != notation.ErrUnfinished { //nolint:errorlint // it is returned as it is
		t.Errorf("%v", err)
	}
}

func TestIllegalGamesAreNotWritten(t *testing.T) {
	for _, words := range []string{"e6 e3", "f5 pass", "f5 e6", "f5 d6 f5"} {
		g := &notation.Game{}
		g.Rules, _ = engine.Variant("classic")
		for w := range strings.FieldsSeq(words) {
			m := engine.PassMove
			if s, err := engine.ParseSquare(w); err == nil {
				m = engine.At(s)
			}
			g.Plays = append(g.Plays, notation.Play{Move: m})
		}
		for _, f := range notation.Formats() {
			if b, _, err := notation.Append(nil, f, g); err == nil || b != nil {
				t.Errorf("%v: %s was written", f, words)
			}
		}
		if _, err := notation.GameDiagram(g); err == nil {
			t.Errorf("%s was drawn", words)
		}
	}
	// A pass that is due is written by us, never implied.
	g := one(t, notation.FormatTranscript, line(t, "saio-5").text)
	g.Plays = append(g.Plays[:59], g.Plays[60:]...)
	if _, _, err := notation.Append(nil, notation.FormatGGF, g); err == nil {
		t.Error("a game without its pass was written")
	}
}

func TestJSONRefuses(t *testing.T) {
	good := mustWrite(t, notation.FormatJSON, one(t, notation.FormatGGF, nineGGF))
	for _, c := range [][3]string{
		{`"v":1`, `"v":2`, "version 1"},
		{`"turn":"black"`, `"turn":"none"`, "turn"},
		{`"goal":"most"`, `"goal":"x"`, "goal"},
		{`"goal":"most"`, `"goal":"most","stock":65`, "stock"},
		{`"goal":"most"`, `"goal":"most","opening":["i1"]`, "square"},
		{`"d6"`, `"e6"`, "ply 2"},
		{`"d6"`, `null`, "null"},
		{`"d6"`, `7`, "not a game"},
		{`"d6"`, `{"move":"d6","left_on_board":{"black":["a1"],"white":["a1"]}}`, "two colors"},
		{`"winner":"black"`, `"winner":"x"`, "winner"},
		{`"margin":64}`, `"margin":640}`, "margin"},
		{`"text":`, `"end":"x","text":`, "end"},
		{`"rules"`, `"theory":{"empties":0,"black":1},"rules"`, "theory"},
		{`"rules"`, `"scores":[{"move":"a1","score":"1"}],"rules"`, "no legal move"},
		{`{"v"`, `["v"`, "not a game"},
	} {
		text := strings.Replace(good, c[0], c[1], 1)
		if text == good {
			t.Fatalf("%s is not in the text", c[0])
		}
		if games, errs := readText(notation.FormatJSON, text); len(games) > 0 || len(errs) != 1 || !strings.Contains(errs[0].Error(), c[2]) {
			t.Errorf("%s: %v, want %q", c[1], errs, c[2])
		}
	}
}

// What is no move by the rules: a disc that counts although it turned nothing, and
// a ruling about the board.
func TestJSONOfWhatIsNoMove(t *testing.T) {
	const head = `{"v":1,"black":{},"white":{},"rules":{"name":"classic",` +
		`"board":"---------------------------WB------BW---------------------------","turn":"black","goal":"most"},"moves":[`
	text := head + `{"move":"a1","improper":true},{"move":"d3","left_on_board":{"black":["h8"]},"improper":true},` +
		`{"move":"pass","left_on_board":{"white":["b2"],"empty":["h8"]},"ruled_to_move":"white"},"c5"]}` + "\n"
	g := one(t, notation.FormatJSON, text)
	if got := mustWrite(t, notation.FormatJSON, g); got != text {
		t.Errorf("written as\n%s, want\n%s", got, text)
	}
	final, err := g.Final()
	if err != nil || final.String() != "B--------W---------W-------WB-----WWW---------------------------" || final.Turn != engine.Black || g.Plies() != 3 {
		t.Errorf("%v, %v to move after %d discs, %v", final.Discs, final.Turn, g.Plies(), err)
	}
	for _, moves := range []string{
		`{"move":"d4","improper":true}`, `{"move":"pass","improper":true}`, `{"move":"a1","ruled_to_move":"black"}`,
		`{"move":"pass","ruled_to_move":"red"}`, `{"move":"pass","ruled_to_move":"none"}`, `"a1"`,
	} {
		for _, err := range notation.Read(strings.NewReader(head+moves+"]}"), notation.FormatJSON, notation.ReadOptions{}) {
			if err == nil {
				t.Errorf("%s is a game", moves)
			}
		}
	}
}
