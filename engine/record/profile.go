package record

import (
	"errors"
	"fmt"

	"reversi-board/engine/referee"
)

// officiatingJSON is a whole profile: the file that it came from may have
// changed when the journal is read. Hints stand beside it, where receivers look
// for them.
type officiatingJSON struct {
	Source            string       `json:"source"`
	Commit            string       `json:"commit"`
	Flips             string       `json:"flips"`
	FlipsByMover      bool         `json:"flips_corrected_by_mover"`
	ClaimAfterEnd     bool         `json:"claim_after_end"`
	Illegal           string       `json:"illegal"`
	Takeback          string       `json:"takeback"`
	FlipLights        string       `json:"flip_lights"`
	FlipLightsAfterMS int64        `json:"flip_lights_after_ms"`
	Pass              string       `json:"pass"`
	Clock             settingsJSON `json:"clock"`
	Flag              string       `json:"flag"`
	Empties           string       `json:"empties"`
	MissingAfterMS    int64        `json:"missing_after_ms"`
	// The exact times, when they are not whole milliseconds.
	FlipLightsAfterNS *int64 `json:"flip_lights_after_ns,omitempty"`
	MissingAfterNS    *int64 `json:"missing_after_ns,omitempty"`
}

// maxSource is the number of characters of the source of a profile.
const maxSource = 200

// encodeProfile writes p.
func encodeProfile(p referee.Profile) (*officiatingJSON, error) {
	w := &officiatingJSON{
		Source: cut(p.Source, maxSource), Commit: p.Commit.String(), Flips: p.Flips.String(),
		FlipsByMover: p.FlipsCorrectedByMover, ClaimAfterEnd: p.ClaimAfterEnd,
		Illegal: p.Improper.String(), Takeback: p.Takeback.String(), FlipLights: p.FlipLights.String(),
		FlipLightsAfterMS: p.FlipLightsAfter.Milliseconds(), Pass: p.Pass.String(), Clock: encodeSettings(p.Clock),
		Flag: p.Flag.String(), Empties: p.Empties.String(), MissingAfterMS: p.MissingAfter.Milliseconds(),
	}
	w.FlipLightsAfterNS = exact(p.FlipLightsAfter, wholeMS(w.FlipLightsAfterMS))
	w.MissingAfterNS = exact(p.MissingAfter, wholeMS(w.MissingAfterMS))
	for member, word := range map[string]string{
		"commit": w.Commit, "flips": w.Flips, "illegal": w.Illegal, "takeback": w.Takeback,
		"flip_lights": w.FlipLights, "pass": w.Pass, "flag": w.Flag, "empties": w.Empties,
	} {
		if word == "" {
			return nil, fmt.Errorf("write %s: there is no such rule", member)
		}
	}
	return w, nil
}

// profile reads what encodeProfile wrote into p.
func (w *officiatingJSON) profile(p *referee.Profile) error {
	p.Source, p.FlipsCorrectedByMover, p.ClaimAfterEnd = w.Source, w.FlipsByMover, w.ClaimAfterEnd
	lights, errLights := milliseconds("flip_lights_after_ms", w.FlipLightsAfterMS)
	missing, errMissing := milliseconds("missing_after_ms", w.MissingAfterMS)
	p.FlipLightsAfter, p.MissingAfter = unless(w.FlipLightsAfterNS, lights), unless(w.MissingAfterNS, missing)
	var errClock error
	p.Clock, errClock = w.Clock.settings()
	return errors.Join(
		errLights, errMissing, errClock, shorter("source", w.Source, maxSource),
		rule("commit", w.Commit, &p.Commit), rule("flips", w.Flips, &p.Flips), rule("illegal", w.Illegal, &p.Improper),
		rule("takeback", w.Takeback, &p.Takeback), rule("flip_lights", w.FlipLights, &p.FlipLights),
		rule("pass", w.Pass, &p.Pass), rule("flag", w.Flag, &p.Flag), rule("empties", w.Empties, &p.Empties),
	)
}

// ruleType is one of the rules of a profile; a number that is none has no word.
type ruleType interface {
	~uint8
	String() string
}

// rule reads the word of a rule.
func rule[T ruleType](member, word string, to *T) error {
	for v := T(0); v.String() != ""; v++ {
		if v.String() == word {
			*to = v
			return nil
		}
	}
	return fmt.Errorf("read %s: %.24q is no rule that this program knows", member, word)
}
