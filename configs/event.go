package configs

import (
	"embed"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"reversi-board/engine/clock"
	"reversi-board/engine/referee"
)

// events are the built-in profiles of events: how games are officiated. They are
// files so that a federation that changes its rules changes no program.
//
//go:embed events/*.yaml
var events embed.FS

// EventNames lists the built-in profiles of events, the default first.
func EventNames() []string { return []string{"home", "club", "woc", "jof", "festival"} }

// EventText returns a built-in profile with its comments, so that a user can
// copy it.
func EventText(name string) ([]byte, error) {
	if !slices.Contains(EventNames(), name) {
		return nil, fmt.Errorf("unknown profile %.32q: want %s", name, oneOf(EventNames()))
	}
	text, err := events.ReadFile("events/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("read the built-in profile: %w", err)
	}
	return text, nil
}

// Event returns a built-in profile.
func Event(name string) (referee.Profile, error) {
	text, err := EventText(name)
	if err != nil {
		return referee.Profile{}, err
	}
	return ParseEvent("events/"+name+".yaml (built in)", text)
}

// LoadEvent reads a profile from a file of at most 1 MB. The error is an *Error
// when the file could be read but is not right.
func LoadEvent(path string) (referee.Profile, error) {
	f, err := os.Open(path) //nolint:gosec // The user names the file.
	if err != nil {
		return referee.Profile{}, fmt.Errorf("open the profile: %w", err)
	}
	defer f.Close() //nolint:errcheck // Nothing was written.
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return referee.Profile{}, fmt.Errorf("read the profile: %w", err)
	}
	return ParseEvent(path, text)
}

// ParseEvent reads a profile from text; file is its name for messages. What the
// text leaves out is as in home, except for the name, which it must give.
func ParseEvent(file string, text []byte) (referee.Profile, error) {
	l := loader{at: map[string]place{}}
	p := referee.Home()
	p.Name = ""
	if len(text) > maxSize {
		l.file = file
		l.add(1, "", "the file is larger than 1 MB")
	} else {
		l.readInto(file, text, eventFields(&l, &p))
	}
	if len(l.problems) == 0 {
		if err := p.Check(); err != nil {
			for line := range strings.Lines(err.Error()) {
				l.add(1, "", strings.TrimSpace(line))
			}
		}
	}
	if len(l.problems) > 0 {
		return referee.Profile{}, l.report()
	}
	return p, nil
}

// eventFields are the keys of a profile.
func eventFields(l *loader, p *referee.Profile) []field {
	return []field{
		l.name("name", &p.Name),
		text(l, "source", "1 to 200 printable characters", &p.Source, accept(func(s string) bool { return printed(s, maxSource) })),
		rule(l, "commit", &p.Commit),
		rule(l, "flips", &p.Flips),
		l.yes("flips_corrected_by_mover", &p.FlipsCorrectedByMover),
		l.yes("claim_after_end", &p.ClaimAfterEnd),
		rule(l, "illegal", &p.Improper),
		rule(l, "takeback", &p.Takeback),
		l.flipLights("flip_lights", p),
		rule(l, "hints", &p.Hints),
		rule(l, "pass", &p.Pass),
		l.clock("clock", &p.Clock),
		rule(l, "flag", &p.Flag),
		rule(l, "empties", &p.Empties),
		l.duration("missing_after", &p.MissingAfter, 500*time.Millisecond, maxLightsAfter),
	}
}

// maxSource bounds the source of a profile in characters, maxLightsAfter its
// times.
const (
	maxSource      = 200
	maxLightsAfter = 10 * time.Minute
)

// ruleType is a rule of a profile; a number that is none has no word.
type ruleType interface {
	~uint8
	String() string
}

// rule reads the word of a rule.
func rule[T ruleType](l *loader, key string, dst *T) field {
	var words []string
	for v := T(0); v.String() != ""; v++ {
		words = append(words, v.String())
	}
	return text(l, key, oneOf(words), dst, func(s string) (T, bool) {
		i := slices.Index(words, s)
		return T(max(i, 0)), i >= 0
	})
}

// flipLights reads always, errors_only, off, or after and a time.
func (l *loader) flipLights(key string, p *referee.Profile) field {
	const want = "always, errors_only, off, or after and a time, such as after 10s"
	type lights struct {
		rule  referee.FlipLights
		after time.Duration
	}
	var read lights
	f := text(l, key, want, &read, func(s string) (lights, bool) {
		if d, ok := strings.CutPrefix(s, "after "); ok {
			after, err := time.ParseDuration(d)
			return lights{referee.LightsAfter, after}, err == nil && after > 0 && after <= maxLightsAfter
		}
		for _, r := range []referee.FlipLights{referee.LightsAlways, referee.LightsErrorsOnly, referee.LightsOff} {
			if r.String() == s {
				return lights{rule: r}, true
			}
		}
		return lights{}, false
	})
	return field{key, func(path string, n *yaml.Node) {
		f.read(path, n)
		p.FlipLights, p.FlipLightsAfter = read.rule, read.after
	}}
}

// clock reads how games are timed.
func (l *loader) clock(key string, dst *clock.Settings) field {
	return text(l, key, wantClock, dst, func(s string) (clock.Settings, bool) {
		c, err := clock.Parse(s)
		return c, err == nil
	})
}

const wantClock = "none, 5:00, 5:00/3 (seconds more for every move), 10:00+3x0:30 (periods), " +
	"\"black 5:00, white 30:00/10\", or game 20:00 (one clock)"

// AsProfile is the value of Game.Clock that leaves it to the profile.
const AsProfile = "auto"

// gameClock reads the clock of a game, which may be left to the profile.
func (l *loader) gameClock(key string, dst *string) field {
	return text(l, key, AsProfile+" (as the profile says), "+wantClock, dst, accept(func(s string) bool {
		_, err := clock.Parse(s)
		return err == nil || s == AsProfile
	}))
}

// event reads the profile of the event: the name of a built-in one, or the path
// of a file.
func (l *loader) event(key string, name *string, dst *referee.Profile) field {
	want := oneOf(append(EventNames(), "the path of a profile of your own (a .yaml file)"))
	var value string
	f := text(l, key, want, &value, accept(func(s string) bool {
		return slices.Contains(EventNames(), s) || strings.HasSuffix(s, ".yaml")
	}))
	return field{key, func(path string, n *yaml.Node) {
		value = ""
		if f.read(path, n); value == "" {
			return
		}
		p, err := l.eventOf(path, n, value)
		if err == nil {
			*name, *dst = value, p
		}
	}}
}

// eventOf finds a profile; what is wrong with a file is added to what is wrong
// with the settings.
func (l *loader) eventOf(path string, n *yaml.Node, value string) (p referee.Profile, err error) {
	if slices.Contains(EventNames(), value) {
		p, err = Event(value)
	} else {
		full, ok := l.absolute(value)
		if !ok {
			full = value
		}
		p, err = LoadEvent(full)
	}
	if err != nil {
		l.add(n.Line, path, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return p, err
}
