package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"reversi-board/display/oled"
	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/record"
	"reversi-board/mqtt"
)

// clockFile holds what the clocks showed last, so that a power cut gives nobody
// the time back since the last move. It names the event after which that was so:
// with another last event in the journal it says nothing. It is a file of slots, for it
// is written every second.
const clockFile = "last-clock.txt"

// clockTick is how often the clocks are kept while one runs: what a power cut may
// give back to a player.
const clockTick = time.Second

// keptClock is what clockFile says of the clocks, Black's and White's.
type keptClock struct {
	Timed   [2]bool          `json:"timed"`
	Left    [2]time.Duration `json:"left_ns"`
	Periods [2]int           `json:"periods"`
}

// clockText is the content of clockFile.
func clockText(jid string, seq uint64, t clock.Times) (string, error) {
	times, err := json.Marshal(keptClock(t))
	if err != nil {
		return "", fmt.Errorf("write the clocks: %w", err)
	}
	return fmt.Sprintf("%s %d %s", jid, seq, times), nil
}

// readClock returns what the clocks showed last; ok is false when that is not
// known.
func readClock(dir, jid string, seq uint64) (t clock.Times, ok bool) {
	b, err := os.ReadFile(filepath.Join(dir, clockFile)) //nolint:gosec // a fixed name in the data folder
	if err != nil {
		return t, false
	}
	text, _, whole := newest(b)
	times, ours := strings.CutPrefix(text, fmt.Sprintf("%s %d ", jid, seq))
	var kept keptClock
	if !whole || !ours || json.Unmarshal([]byte(times), &kept) != nil {
		return clock.Times{}, false
	}
	for side := range kept.Left {
		if kept.Left[side] < 0 || kept.Periods[side] < 0 {
			return clock.Times{}, false
		}
	}
	return clock.Times(kept), true
}

// clockFace is what others must be told when it changes: they count for
// themselves in between.
type clockFace struct {
	settings clock.Settings
	running  engine.Color
	down     [2]bool
	// flagAt is when the running clock's flag will fall, left what a clock that
	// stands shows.
	flagAt time.Duration
	left   [2]time.Duration
}

// faceOf returns what there is to be told of the clocks.
func faceOf(c *clock.Clock, now time.Duration) clockFace {
	f := clockFace{settings: c.Settings, running: c.Running, down: c.Down}
	f.flagAt, _ = c.FlagAt()
	for _, side := range []engine.Color{engine.Black, engine.White} {
		if c.Running == engine.None || side != c.Running && !c.Settings.Shared {
			f.left[side] = c.Remaining(side, now)
		}
	}
	return f
}

// tellClocks publishes the clocks when they were started, stopped or set, and
// asks for the next tick while one runs.
func (a *App) tellClocks() {
	now := a.now()
	a.askForClockTick(now)
	face := faceOf(&a.core.State.Clock, now)
	if a.link.adapter == nil || a.clockTold && face == a.clockFace {
		return
	}
	payload, err := record.EncodeClock(a.core.Envelope(), &a.core.State)
	if err != nil {
		a.log.Error("write the clocks", "error", err)
		return
	}
	a.clockFace, a.clockTold = face, true
	a.link.adapter.Show(mqtt.Clock, payload)
}

// askForClockTick asks to look at the running clock again when it must be kept,
// or the small display has to show another time.
func (a *App) askForClockTick(now time.Duration) {
	c := &a.core.State.Clock
	if !c.On() || c.Running == engine.None {
		return
	}
	d := a.clockKept + clockTick - now
	if a.rig.OLED != nil {
		for _, shown := range oled.Clocks(&a.core.State, now) {
			if next, changes := shown.Next(); changes {
				d = min(d, next)
			}
		}
	}
	a.clockWake.Reset(max(d, time.Millisecond))
}

// clockTicks moves the clocks on the small display, and once a second keeps them
// for the case of a power cut; it reports whether it did.
func (a *App) clockTicks() (kept bool) {
	now := a.now()
	if now < a.clockKept+clockTick {
		a.panel.show(oled.Compose(a.panelInput()))
		a.askForClockTick(now)
		return false
	}
	a.clockKept = now
	if text, err := clockText(a.journal.JID(), a.core.Seq(), a.core.State.Clock.Times(now)); err == nil {
		a.scribe.put(clockFile, text)
	}
	return true
}

// panelInput is what the small display has to show.
func (a *App) panelInput() oled.Input {
	return oled.Input{State: a.core.Shown(), Clocks: oled.Clocks(&a.core.State, a.now()), Note: a.told().short}
}
