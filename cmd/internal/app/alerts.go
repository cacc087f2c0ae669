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
	// aside keeps it off the page of the game: the sentence there says it already,
	// or it is of no concern to players.
	aside bool
}

// alertBook holds the open problems by code.
type alertBook struct {
	open map[string]alert
}

// list returns the open problems in a fixed order: all, or those for players.
func (b *alertBook) list(all bool) []web.Alert {
	var out []web.Alert
	for _, code := range slices.Sorted(maps.Keys(b.open)) {
		al := b.open[code]
		if al.aside && !all {
			continue
		}
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
	a.lamps.dim(a.nurse.facts().low)
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
	now, _ := a.wall.Look()
	open := append(a.boardProblems(), a.computerProblems()...)
	for i := range open {
		open[i].since = now
	}
	return open
}

// boardProblems lists what the referee sees on the board and in the cells.
func (a *App) boardProblems() (open []alert) {
	s := a.core.Shown()
	facts := a.nurse.facts()
	if p := s.Problem; p.Active() && p.Code != storageTrouble && p.Code != referee.BankLost && p.Code != referee.SensorFault {
		text := display.Sentence(s)
		if p.Code == referee.Power && facts.low {
			text += " " + lowSupply // it has the same code
		}
		open = append(open, alert{code: string(p.Code), severity: severityOf(p.Code), text: text, squares: p.Squares})
	}
	// A mistake on the board hides a sick cell as the problem, but not as an
	// alert.
	if s.Lost != 0 {
		open = append(open, alert{
			code: string(referee.BankLost), severity: severityOf(referee.BankLost), text: lostText(s.Lost, &facts),
			squares: s.Lost, aside: s.Problem.Code == referee.BankLost && s.Phase == referee.Playing,
		})
	}
	if sick := s.Masked | a.ills.drift; sick != 0 {
		open = append(open, alert{
			code: string(referee.SensorFault), severity: severityOf(referee.SensorFault), text: a.ills.text(),
			squares: sick, aside: s.Problem.Code == referee.SensorFault && s.Phase == referee.Playing,
		})
	}
	return open
}

// computerProblems lists what is wrong with everything else.
func (a *App) computerProblems() (open []alert) {
	add := func(code, severity, text string) {
		open = append(open, alert{code: code, severity: severity, text: text})
	}
	s := &a.core.State
	facts := a.nurse.facts()
	switch {
	case s.OpponentLost && s.Phase == referee.Playing:
		add("engine_lost", "warn", a.lostAlert())
	case a.opponentMissing != "":
		add("engine_lost", "warn", a.missingAlert())
	}
	if severity, text := a.storageProblems(); text != "" {
		add(storageTrouble, severity, text)
	}
	if facts.low && s.Problem.Code != referee.Power {
		add(string(referee.Power), "error", lowSupply)
	}
	if facts.unset {
		open = append(open, alert{
			code: "time_unset", severity: "info", aside: true,
			text: "The computer's clock has not been set from the network: the times in the record may be wrong.",
		})
	}
	if a.ledTrouble.Load() {
		add("led", "warn", "The LEDs do not answer: follow the page.")
	}
	if text := a.lostDevices(); text != "" {
		add("device_lost", "warn", text)
	}
	return open
}

// lowSupply is what to say of it.
const lowSupply = "The computer's supply is too low: the LEDs are dimmed. Use a stronger supply or a shorter cable."

// lostDevices says which of the things around the board do not work.
func (a *App) lostDevices() string {
	var lost []string
	facts := a.nurse.facts()
	gone := facts.gone
	if gone != "" {
		lost = append(lost, goneText(gone))
	}
	if facts.line != lineSound {
		lost = append(lost, facts.line.text(a.config.Hardware.Interrupt))
	}
	if a.panelTrouble.Load() && !strings.Contains(gone, a.config.Hardware.I2C.Bus) {
		lost = append(lost, "The small display does not answer: look at its plug.")
	}
	for _, name := range slices.Sorted(maps.Keys(a.stuck)) {
		lost = append(lost, "The button "+name+" does not come up again.")
	}
	return strings.Join(lost, " ")
}

// goneText says that devices have gone, and where to look.
func goneText(names string) string {
	if strings.Contains(names, ", ") {
		names += " have"
	} else {
		names += " has"
	}
	return names + " gone. Look at the adapter's plug, or the overlay in /boot/firmware/config.txt: the game goes on when it is back."
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
