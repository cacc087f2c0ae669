package app

import (
	"encoding/json"
	"fmt"
	"time"

	"reversi-board/engine/referee"
)

// members is a JSON object whose members can be taken out.
type members map[string]json.RawMessage

// veil returns a state as players may know it, nil if they may know all of it:
// what the lights keep to themselves the page does not tell either. Those are the
// discs that a move turns, what is wrong with the last move while it may be
// claimed, and legal squares where suggestions are off.
func veil(state []byte, s *referee.State, now time.Duration) ([]byte, error) {
	flips, errors := keepsFlips(s, now), keepsErrors(s)
	legal := s.Phase == referee.Playing && s.Match.Profile.Hints != referee.HintsOn
	if !flips && !errors && !legal && s.Dark == 0 {
		return nil, nil
	}
	var m members
	if err := json.Unmarshal(state, &m); err != nil {
		return text(nil), fmt.Errorf("read the state: %w", err)
	}
	if legal {
		m["legal"] = none()
	}
	if s.Dark != 0 {
		lit := s.Lit()
		m.within("guide", func(g members) { g["flip"] = text((lit.Flip | lit.Turn).Names()) })
	}
	if flips {
		m.within("pending", func(p members) { p["to_flip"], p["done"], p["extra"] = none(), none(), none() })
	}
	if errors {
		m["objection"] = text(nil)
		m.within("last", innocent)
		m.acquit(s)
	}
	out, err := json.Marshal(m)
	if err != nil {
		return text(nil), fmt.Errorf("write the state: %w", err)
	}
	return out, nil
}

// keepsFlips reports whether the lights leave it to the mover to find the flips.
func keepsFlips(s *referee.State, now time.Duration) bool {
	p := &s.Match.Profile
	if s.Phase != referee.Playing || !s.Pending.Active {
		return false
	}
	switch p.FlipLights {
	case referee.LightsAlways:
		return false
	case referee.LightsAfter:
		return now < s.Pending.Since+p.FlipLightsAfter
	case referee.LightsErrorsOnly, referee.LightsOff:
		return true
	}
	return true
}

// keepsErrors reports whether it is left to the opponent to find what is wrong
// with the last move.
func keepsErrors(s *referee.State) bool {
	return s.Objection.Open && !s.Objection.Claimed && s.Match.Profile.FlipLights != referee.LightsAlways
}

// within changes a member that is an object; null stays as it is.
func (m members) within(name string, change func(members)) {
	var inner members
	if json.Unmarshal(m[name], &inner) != nil || inner == nil {
		return
	}
	change(inner)
	m[name] = text(inner)
}

// innocent takes what is wrong with a move out of it.
func innocent(m members) {
	for _, name := range []string{"missed", "extra", "improper"} {
		delete(m, name)
	}
}

// acquit takes what is wrong with the last move out of the record. One in which
// nothing else is irregular is no irregular one then.
func (m members) acquit(s *referee.State) {
	others := false
	for i, e := range s.Record() {
		others = others || i != s.Objection.Entry && !e.Regular()
	}
	if !others {
		m["record"], m["irregular"] = text(nil), text(false)
		return
	}
	var record []members
	if json.Unmarshal(m["record"], &record) != nil || s.Objection.Entry >= len(record) {
		return
	}
	innocent(record[s.Objection.Entry])
	m["record"] = text(record)
}

// publicEvent returns an event as players may know it. One that they may not know
// leaves an empty one behind, so that nothing seems to be missing.
func publicEvent(payload []byte, ev referee.Event, p *referee.Profile) []byte {
	if p.FlipLights == referee.LightsAlways {
		return payload
	}
	switch ev := ev.(type) {
	case referee.FlipError:
		var m members
		if ev.Status == referee.FlipsOpen && !ev.Claimed && json.Unmarshal(payload, &m) == nil {
			m["type"], m["data"] = text("note"), text(nil)
			return text(m)
		}
	case referee.Moved:
		var m members
		if ev.Missed|ev.Extra == 0 && ev.Improper == referee.NoReason || json.Unmarshal(payload, &m) != nil {
			return payload
		}
		m.within("data", func(d members) {
			innocent(d)
			d["missed"], d["extra"] = none(), none()
		})
		return text(m)
	case referee.GameStarted, referee.Passed, referee.Undone, referee.Revised, referee.PositionSet, referee.Illegal,
		referee.ClockFlag, referee.ClockAdjusted, referee.GamePaused, referee.GameResumed, referee.GameOver,
		referee.Faulted, referee.Restored, referee.PowerRestored, referee.TimeStepped, referee.EngineLost, referee.Commanded:
	}
	return payload
}

// publicFact returns the payload of event number seq as players may know it.
func (a *App) publicFact(seq uint64, payload []byte) []byte {
	for _, f := range a.waiting {
		if f.Seq == seq {
			return publicEvent(payload, f.Event, &a.core.State.Match.Profile)
		}
	}
	return payload
}

// none is an empty list.
func none() json.RawMessage { return json.RawMessage("[]") }

// text writes a value of this file, which always can be written.
func text(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}
