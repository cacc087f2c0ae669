package configs_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"reversi-board/configs"
	"reversi-board/engine/clock"
	"reversi-board/engine/referee"
)

// here returns the absolute form of a path.
func here(t *testing.T, path string) string {
	t.Helper()
	full, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return full
}

// The built-in profiles, field by field as the rules of the events say.
func TestBuiltInEvents(t *testing.T) {
	thirty := clock.Same(clock.Control{Main: 30 * time.Minute})
	for name, want := range map[string]referee.Profile{
		"home": {Empties: referee.EmptiesAsTheyLie},
		"club": {
			Commit: referee.CommitPressIfClock, Flips: referee.FlipsStand, ClaimAfterEnd: true,
			Takeback: referee.TakebackUntilReply, FlipLights: referee.LightsAfter, FlipLightsAfter: 10 * time.Second,
			Hints: referee.HintsOff, Flag: referee.FlagLoss,
		},
		"woc": {
			Commit: referee.CommitPress, Flips: referee.FlipsStand, ClaimAfterEnd: true, Improper: referee.ImproperClaimed,
			Takeback: referee.TakebackNever, FlipLights: referee.LightsOff, Hints: referee.HintsLocked,
			Clock: thirty, Flag: referee.FlagGrace,
		},
		"jof": {
			Commit: referee.CommitPress, Flips: referee.FlipsStand, FlipsCorrectedByMover: true, ClaimAfterEnd: true,
			Improper: referee.ImproperClaimed, Takeback: referee.TakebackNever, FlipLights: referee.LightsOff,
			Hints: referee.HintsLocked, Pass: referee.PassByPress, Clock: thirty, Flag: referee.FlagJof,
		},
		"festival": {
			Takeback: referee.TakebackUntilReply,
			Clock:    clock.Settings{Sides: [2]clock.Control{{Main: 20 * time.Minute}}, Shared: true},
			Flag:     referee.FlagCount, Empties: referee.EmptiesAsTheyLie,
		},
	} {
		want.Name, want.MissingAfter = name, 3*time.Second
		got, err := configs.Event(name)
		if err != nil || got.Source == "" {
			t.Errorf("%s: %v, its source is %q", name, err, got.Source)
		}
		got.Source = ""
		if got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
		}
		if name == referee.HomeName && got != referee.Home() {
			t.Error("the referee's own home is another one")
		}
	}
	if _, err := configs.Event("casino"); err == nil || !strings.Contains(err.Error(), "want home, club, woc, jof or festival") {
		t.Errorf("an unknown profile: %v", err)
	}
}

// A key without a comment above it is one that a user has to guess; one that is
// left out is one that he does not know.
func TestBuiltInEventsNameEveryKey(t *testing.T) {
	files, err := filepath.Glob("events/*.yaml")
	if err != nil || len(files) != len(configs.EventNames()) {
		t.Fatalf("%v, %v; the names are %v", files, err, configs.EventNames())
	}
	var all []string
	for _, name := range configs.EventNames() {
		text, err := configs.EventText(name)
		if err != nil {
			t.Fatal(err)
		}
		var doc yaml.Node
		if err := yaml.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		var keys []string
		for i, n := range doc.Content[0].Content {
			if i%2 != 0 {
				continue
			}
			keys = append(keys, n.Value)
			if n.HeadComment == "" {
				t.Errorf("%s: %s has no comment above it", name, n.Value)
			}
		}
		if all == nil {
			all = keys
		}
		if !slices.Equal(keys, all) {
			t.Errorf("%s has the keys %v, want %v", name, keys, all)
		}
	}
	if len(all) != 15 {
		t.Errorf("there are %d keys: %v", len(all), all)
	}
}

func TestOwnEvent(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("ours.yaml", "name: ours\nflips: stands\nflip_lights: errors_only\nclock: 5:00/3\nhints: off\n")
	settings := write("board.yaml", "game: {profile: ours.yaml}\n")
	c, err := configs.Load(settings)
	if err != nil {
		t.Fatal(err)
	}
	want := referee.Home()
	want.Name, want.Flips, want.FlipLights, want.Hints = "ours", referee.FlipsStand, referee.LightsErrorsOnly, referee.HintsOff
	want.Clock = clock.Same(clock.Control{Main: 5 * time.Minute, Increment: 3 * time.Second})
	m, err := c.Game.Match()
	if err != nil || m.Profile != want || m.Clock != want.Clock {
		t.Errorf("%v: %+v, clock %v", err, m.Profile, m.Clock)
	}
	write("wrong.yaml", "name: ours\ntakebak: free\nflips: maybe\n")
	_, err = configs.Load(write("board.yaml", "board: {id: b}\ngame:\n  profile: wrong.yaml\n"))
	for _, part := range []string{
		"board.yaml:3: game.profile: ",
		"wrong.yaml:2: takebak: unknown key: did you mean takeback?",
		`wrong.yaml:3: flips: "maybe": want must_correct or stands`,
	} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v: want %q", err, part)
		}
	}
}

func TestEventMistakesAreNamed(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no name", "flips: stands\n", "e.yaml:1: a profile needs a name"},
		{"no text", "", "e.yaml:1: a profile needs a name"},
		{"unknown field", "name: x\ntouch_move: true\n", "e.yaml:2: touch_move: unknown key: known here: name, source, commit, flips, " +
			"flips_corrected_by_mover, claim_after_end, illegal, takeback, flip_lights, hints, pass, clock, flag, empties, missing_after"},
		{"word", "name: x\ncommit: pres\n", `e.yaml:2: commit: "pres": want settle, press or press_if_clock`},
		{"lights", "name: x\nflip_lights: after\n", `e.yaml:2: flip_lights: "after": want always, errors_only, off, or after and a time, such as after 10s`},
		{"lights for long", "name: x\nflip_lights: after 11m\n", `e.yaml:2: flip_lights: "after 11m": want always, errors_only, off, or after and a time, such as after 10s`},
		{"clock", "name: x\nclock: soon\n", `e.yaml:2: clock: "soon": want none, 5:00, 5:00/3 (seconds more for every move), 10:00+3x0:30 (periods), "black 5:00, white 30:00/10", or game 20:00 (one clock)`},
		{"missing", "name: x\nmissing_after: 100ms\n", "e.yaml:2: missing_after: 100ms is out of range: want a time from 500ms to 10m0s"},
		{"claims without a press", "name: x\nillegal: claim\n", "e.yaml:1: illegal: claim needs commit: press, since only a press tells a move from a hand that rests"},
		{
			"claims of nothing", "name: x\nclaim_after_end: true\nflips_corrected_by_mover: true\n",
			"e.yaml:1: flips_corrected_by_mover is about claims: it needs flips: stands\n" +
				"e.yaml:1: claim_after_end needs flips: stands or illegal: claim",
		},
		{"large", strings.Repeat("#", 1<<20+1), "e.yaml:1: the file is larger than 1 MB"},
	} {
		_, err := configs.ParseEvent("e.yaml", []byte(c.text))
		var problems *configs.Error
		if !errors.As(err, &problems) || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
	if _, err := configs.LoadEvent("testdata/none.yaml"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// The clock of a game is that of its profile unless the settings say otherwise.
func TestGameClock(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "none"},
		{"game: {profile: woc}", "30:00"},
		{"game: {profile: festival}", "game 20:00"},
		{"game: {profile: club, clock: 5:00/3}", "5:00/3"},
		{"game: {profile: jof, clock: none}", "none"},
		{"game: {profile: jof, clock: auto}", "30:00"},
		{`game: {clock: "black 5:00, white 30:00/10"}`, "black 5:00, white 30:00/10"},
	} {
		m, err := mustParse(t, c.text).Game.Match()
		if err != nil || m.Clock.String() != c.want {
			t.Errorf("%s: %v, %v", c.text, m.Clock, err)
		}
	}
}

// Whatever a profile holds, reading it does not panic, and what is accepted goes
// together.
func FuzzParseEvent(f *testing.F) {
	for _, name := range configs.EventNames() {
		text, err := configs.EventText(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("name: x\nclock: black 5:00, white 30:00/10\nflip_lights: after 1s\n"))
	f.Add([]byte("name: [a]\nflips: {b: c}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := configs.ParseEvent("e.yaml", text)
		if err != nil {
			return
		}
		if err := p.Check(); err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
	})
}
