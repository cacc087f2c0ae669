package configs_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/engine/referee"
)

func TestOpponent(t *testing.T) {
	c, err := configs.Parse("my.yaml", []byte("opponent:\n  kind: gtp\n  side: black\n  level: 7\n"+
		"  command: [/usr/games/gtp-rhino, -l, \"3\"]\n  dir: /opt/x\n  time: 5s\n  when_lost: builtin\n"))
	if err != nil {
		t.Fatal(err)
	}
	o := c.Opponent
	if o.Player() != (referee.Opponent{Kind: referee.GTP, Level: 7, Side: engine.Black}) ||
		!slices.Equal(o.Command, []string{"/usr/games/gtp-rhino", "-l", "3"}) || o.Dir != "/opt/x" ||
		o.Time != 5*time.Second || o.WhenLost != configs.Builtin {
		t.Errorf("%+v", o)
	}
	if o := configs.Default().Opponent; o.Player() != (referee.Opponent{}) || o.Level != 4 || o.Side != engine.White {
		t.Errorf("by default there is the opponent %+v", o)
	}
}

func TestOpponentMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"kind: uci":                            `my.yaml:2: opponent.kind: "uci": want none, builtin, gtp or nboard`,
		"level: 11":                            "my.yaml:2: opponent.level: 11 is out of range",
		"side: red":                            `my.yaml:2: opponent.side: "red": want black or white`,
		"kind: gtp":                            "opponent needs the program that plays",
		"command: gtp-rhino":                   "my.yaml:2: opponent.command: ",
		"command: [\"\", a]":                   "cannot be started",
		"time: 3":                              "has no unit",
		"when_lost: cry":                       "want people or builtin",
		"{kind: gtp, command: [a], colour: x}": "unknown key",
	} {
		_, err := configs.Parse("my.yaml", []byte("opponent:\n  "+text+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for game, able := range map[string]string{
		"variant: reverse": "", "variant: historic": "", "variant: white-first": "nboard", "start: parallel": "nboard",
		"variant: festival": "gtp nboard", "first: black": "gtp nboard",
	} {
		for _, kind := range []string{"gtp", "nboard"} {
			_, err := configs.Parse("my.yaml", []byte("game: {"+game+"}\nopponent: {kind: "+kind+", command: [x]}\n"))
			if (err == nil) != strings.Contains(able, kind) {
				t.Errorf("%s with %s: %v", game, kind, err)
			}
		}
	}
}
