package app

import (
	"maps"
	"slices"
	"strings"
	"time"

	"reversi-board/display"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/referee"
	"reversi-board/mqtt"
)

// alert is an open problem.
type alert struct {
	code, severity, text string
	squares              engine.Bitboard
	since                time.Time
}

// alertBook holds the open problems by code.
type alertBook struct {
	open map[string]alert
}

// list returns the open problems in a fixed order.
func (b *alertBook) list() []web.Alert {
	var out []web.Alert
	for _, code := range slices.Sorted(maps.Keys(b.open)) {
		al := b.open[code]
		out = append(out, web.Alert{
			Code: al.code, Severity: al.severity, Text: al.text, Squares: al.squares.Names(),
		})
	}
	return out
}

// set replaces the open problems and returns the codes that changed.
func (b *alertBook) set(now []alert) (changed []string) {
	next := make(map[string]alert, len(now))
	for _, al := range now {
		old, known := b.open[al.code]
		if known {
			al.since = old.since
		}
		if !known || old != al {
			changed = append(changed, al.code)
		}
		next[al.code] = al
	}
	for code := range b.open {
		if _, still := next[code]; !still {
			changed = append(changed, code)
		}
	}
	b.open = next
	slices.Sort(changed)
	return changed
}

// raiseAlerts compares the open problems with those of the last time and tells
// MQTT about the difference.
func (a *App) raiseAlerts() {
	changed := a.alerts.set(a.problems())
	if a.link.adapter == nil {
		return
	}
	for _, code := range changed {
		var payload []byte
		if al, open := a.alerts.open[code]; open {
			s := a.stamp()
			payload = mqtt.EncodeAlert(mqtt.Stamp{TS: s.TS, TSOK: s.TSOK, Boot: s.Boot, Mono: s.Mono},
				al.code, al.severity, al.text, al.squares.Names(), al.since)
		}
		a.link.adapter.Alert(code, payload)
	}
}

// problems lists what is wrong now.
func (a *App) problems() []alert {
	now := time.Now().UTC()
	var open []alert
	add := func(code, severity, text string, squares engine.Bitboard) {
		open = append(open, alert{code: code, severity: severity, text: text, squares: squares, since: now})
	}
	s := &a.core.State
	if p := s.Problem; p.Active() {
		add(string(p.Code), severityOf(p.Code), display.Sentence(s), p.Squares)
	}
	// A mistake on the board hides a sick cell as the problem, but not as an
	// alert.
	if s.Lost != 0 && s.Problem.Code != referee.BankLost {
		add(string(referee.BankLost), severityOf(referee.BankLost), "Some cells cannot be read.", s.Lost)
	}
	if s.Masked != 0 && s.Problem.Code != referee.SensorFault {
		add(string(referee.SensorFault), severityOf(referee.SensorFault), "Some cells are not to be believed.", s.Masked)
	}
	if s.OpponentLost && s.Phase == referee.Playing {
		add("engine_lost", "warn", a.lostAlert(), 0)
	}
	if a.trouble != nil {
		add(storageTrouble, "error", "The journal cannot be written: the game goes on in memory only. Check the disk.", 0)
	}
	if a.ledTrouble.Load() {
		add("led", "warn", "The LEDs do not answer: follow the page.", 0)
	}
	if text := a.lostDevices(); text != "" {
		add("device_lost", "warn", text, 0)
	}
	return open
}

// lostDevices says which of the things around the board do not work.
func (a *App) lostDevices() string {
	var lost []string
	if a.panelTrouble.Load() {
		lost = append(lost, "The small display does not answer: look at its plug.")
	}
	for _, name := range slices.Sorted(maps.Keys(a.stuck)) {
		lost = append(lost, "The button "+name+" does not come up again.")
	}
	return strings.Join(lost, " ")
}

func severityOf(c referee.Code) string {
	switch c {
	case referee.BankLost, referee.Power:
		return "error"
	case referee.SensorFault, referee.Orientation, referee.IllegalPosition, referee.FlipsNotDone, referee.TurnWrong:
		return "warn"
	case referee.NoProblem:
		return "info"
	default:
		return "warn"
	}
}
