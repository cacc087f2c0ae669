package soak

import (
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/configs"
	"reversi-board/engine"
)

// clumsy plays games of people who make mistakes, and wants all records to be what
// the umpire says.
func clumsy(t *testing.T, o Options) Report {
	t.Helper()
	report, _ := playAll(t, o)
	for _, x := range report.Failures {
		t.Errorf("seed %d, game %d (%s): %s", x.Seed, x.Game, x.Source, x.Difference)
	}
	if report.Failed() {
		t.Errorf("%d wrong records, %d stuck games", report.WrongRecords, report.Stuck)
	}
	return report
}

// TestClumsyHands: a game at every event.
func TestClumsyHands(t *testing.T) {
	report := clumsy(t, Options{Random: 5, Seed: 11, Clumsy: &Clumsy{Profile: All, Variant: "classic"}})
	for _, event := range Profiles() {
		if report.Meetings[event+" classic"] != 1 {
			t.Errorf("games %v, want one of each event", report.Meetings)
		}
	}
	for _, kind := range []string{kindForget, kindExtra, kindSquare, kindSlide, kindClaim} {
		if c := report.Tally.Counts[kind]; c == nil || c.Made == 0 {
			t.Errorf("nobody %s", kind)
		}
	}
}

// TestClumsyHandsOnABoardWithoutFaces: no mistake is made there that it cannot see.
func TestClumsyHandsOnABoardWithoutFaces(t *testing.T) {
	c := profile(t, "reed-64.yaml")
	report := clumsy(t, Options{Random: 1, Seed: 11, Config: c, Clumsy: &Clumsy{Profile: "home", Variant: "classic"}})
	for _, kind := range []string{kindForget, kindExtra, kindColor, kindKnock} {
		if report.Tally.Counts[kind] != nil {
			t.Errorf("somebody %s", kind)
		}
	}
}

// TestTheUmpireNotices: boards that are officiated or timed otherwise than the umpire
// has been told.
func TestTheUmpireNotices(t *testing.T) {
	for _, c := range []struct {
		name, profile string
		settings      func(c *configs.Config)
	}{
		{"another event", "home", func(c *configs.Config) { c.Game.Officials, _ = configs.Event("woc") }},
		{"another clock", "woc", func(c *configs.Config) { c.Game.Clock = "29:00" }},
		{"other rules", "festival", func(c *configs.Config) { c.Game.Start = "parallel" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			report, _ := playAll(t, Options{
				Random: 1, Seed: 3, Clumsy: &Clumsy{Profile: c.profile, Variant: "classic"}, settings: c.settings,
			})
			if report.WrongRecords != 1 || len(report.Failures) != 1 || report.Failures[0].Difference == "" {
				t.Errorf("%+v", report)
			}
		})
	}
}

// TestSameSeedSameMistakes: a game alone is the game in company.
func TestSameSeedSameMistakes(t *testing.T) {
	people := &Clumsy{Profile: All, Variant: All}
	_, together := playAll(t, Options{Random: 3, Seed: 5, Workers: 2, Clumsy: people})
	_, alone := playAll(t, Options{Random: 3, Seed: 5, Indices: []int{2}, Clumsy: people})
	if a, b := alone[2], together[2]; a.Virtual != b.Virtual || a.Moves != b.Moves || a.Tally.String() != b.Tally.String() {
		t.Errorf("alone:\n%v\ntogether:\n%v", a.Tally, b.Tally)
	}
	if len(alone[2].Story) == 0 || len(together[2].Story) != 0 {
		t.Error("only a game that is played alone tells its story")
	}
}

// TestWatch: the umpire's arithmetic of time, worked out by hand.
func TestWatch(t *testing.T) {
	const s = time.Second
	byoyomi := newWatch(timing{main: 40 * s, periods: 3, period: 10 * s})
	byoyomi.runs = dark
	byoyomi.advance(45 * s) // five seconds into the first of three periods
	if left, periods := byoyomi.shown(); left[0] != 25*s || periods[0] != 3 {
		t.Errorf("%v and %d periods, want 25s and 3", left[0], periods[0])
	}
	if got := byoyomi.earn(dark); got != 5*s || byoyomi.left[0] != 30*s {
		t.Errorf("earned %v", got)
	}
	byoyomi.advance(58 * s) // 13 s: one period is gone
	if left, periods := byoyomi.shown(); left[0] != 17*s || periods[0] != 2 {
		t.Errorf("%v and %d periods, want 17s and 2", left[0], periods[0])
	}
	if at, ok := byoyomi.falls(); !ok || at != 75*s {
		t.Errorf("falls at %v", at)
	}
	fischer := newWatch(timing{main: 120 * s, increment: 3 * s})
	fischer.runs = light
	fischer.advance(20 * s)
	fischer.earn(light)
	if left, _ := fischer.shown(); left != [2]time.Duration{120 * s, 103 * s} {
		t.Errorf("%v", left)
	}
	shared := newWatch(timing{main: 100 * s, shared: true})
	shared.runs = light
	shared.advance(30 * s)
	if left, _ := shared.shown(); left != [2]time.Duration{70 * s, 70 * s} {
		t.Errorf("%v", left)
	}
}

// TestRulings: scores worked out by hand from the text of the rules.
func TestRulings(t *testing.T) {
	// Black has 3 discs, White 1.
	b := bareBoard()
	b[0][0], b[0][1], b[0][2], b[7][7] = dark, dark, dark, light
	for _, c := range []struct {
		event, variant string
		change         func(u *umpire)
		ruling         func(u *umpire) ruling
		want           ruling
	}{
		{"home", "classic", nil, (*umpire).counted, ruling{dark, 3, 1, 3, 1, "no_moves", true}},
		{"club", "classic", nil, (*umpire).counted, ruling{dark, 63, 1, 3, 1, "no_moves", true}},
		{"club", "historic", nil, (*umpire).counted, ruling{dark, 3, 1, 3, 1, "no_moves", true}},
		{"home", "reverse", nil, (*umpire).counted, ruling{light, 3, 1, 3, 1, "no_moves", true}},
		{"club", "reverse", nil, (*umpire).counted, ruling{light, 63, 1, 3, 1, "no_moves", true}},
		{"festival", "festival", nil, (*umpire).counted, ruling{dark, 3, 1, 3, 1, "no_moves", true}},
		{"club", "classic", nil, func(u *umpire) ruling { return u.counts64(light) }, ruling{light, 0, 64, 3, 1, "flag", false}},
		{"club", "reverse", nil, func(u *umpire) ruling { return u.counts64(light) }, ruling{light, 64, 0, 3, 1, "flag", false}},
		{"jof", "classic", nil, func(u *umpire) ruling { return u.narrow(light) }, ruling{light, 31, 33, 3, 1, "flag", false}},
		{"woc", "classic", func(u *umpire) { u.flags.graced[0] = true }, (*umpire).counted, ruling{light, 31, 33, 3, 1, "flag", true}},
		{"woc", "classic", func(u *umpire) { u.flags.graced[1] = true }, (*umpire).counted, ruling{dark, 63, 1, 3, 1, "no_moves", true}},
		{"jof", "classic", func(u *umpire) { u.flags = flags{playOn: true, fallen: dark} }, (*umpire).counted, ruling{light, 31, 33, 3, 1, "flag", true}},
		{"home", "classic", nil, func(u *umpire) ruling { return u.givenUp(light) }, ruling{light, 3, 61, 3, 1, "resign", false}},
		{"home", "reverse", nil, func(u *umpire) ruling { return u.givenUp(light) }, ruling{light, 63, 1, 3, 1, "resign", false}},
	} {
		u, err := newUmpire(c.variant, "", c.event, timing{}, &Tally{})
		if err != nil {
			t.Fatal(err)
		}
		u.final = b
		if c.change != nil {
			c.change(u)
		}
		if got := c.ruling(u); got != c.want {
			t.Errorf("%s, %s: %+v, want %+v", c.event, c.variant, got, c.want)
		}
	}
}

func TestUnknownEvents(t *testing.T) {
	if _, err := newUmpire("classic", "", "wimbledon", timing{}, &Tally{}); err == nil || !strings.Contains(err.Error(), "wimbledon") {
		t.Errorf("error %v", err)
	}
	if !slices.Equal(Profiles(), configs.EventNames()) || !slices.Equal(Variants(), engine.VariantNames()) {
		t.Errorf("the umpire knows %v and %v", Profiles(), Variants())
	}
}
