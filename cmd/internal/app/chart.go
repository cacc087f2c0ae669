package app

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"reversi-board/configs"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/sensing"
)

// The states of a row of the health view.
const (
	good = "good"
	warn = "warn"
	bad  = "bad"
)

// healthView is what the health view of the page shows. It is called by requests,
// on their goroutines, and looks only at what the nurse and the eyes have noted.
func (a *App) healthView() web.Health {
	c, seen := a.eyes.Checkup(), a.nurse.look()
	h := &seen.health
	v := web.Health{Cells: c.Cells.Classes()}
	if c.At == 0 {
		v.Cells = strings.Repeat(string(rune(sensing.ClassNoData)), engine.Squares)
	}
	for i, cell := range c.Cells {
		v.Margins[i], v.Flaps[i] = int(cell.Margin), cell.Flaps
	}
	for _, t := range []web.HealthTable{
		scanTable(&seen, a.config.Sensing.Period()), chipTable(h), contactTable(h), busTable(h),
		a.partTable(h), a.computerTable(&seen), a.linkTable(),
	} {
		if len(t.Rows) > 0 {
			v.Tables = append(v.Tables, t)
		}
	}
	v.State, v.Summary = summary(&c, v.Tables)
	return v
}

// summary says in a sentence how the board is: as bad as the worst of it.
func summary(c *Checkup, tables []web.HealthTable) (state, text string) {
	state = good
	var parts, wrong []string
	n := counts(&c.Cells)
	sick, noisy := engine.Squares-n[sensing.ClassGood]-n[sensing.ClassNoisy], n[sensing.ClassNoisy]
	switch {
	case c.At == 0:
		parts = append(parts, "no cell has been read yet")
	case sick == 0 && noisy == 0:
		parts = append(parts, "all 64 cells are good")
	default:
		if sick > 0 {
			state = bad
			parts = append(parts, plural(sick, "cell is", "cells are")+" not believed")
		}
		if noisy > 0 {
			state = worst(state, warn)
			parts = append(parts, plural(noisy, "cell is", "cells are")+" noisy")
		}
	}
	for _, t := range tables {
		for _, r := range t.Rows {
			state = worst(state, r.State)
			// An address that does not answer is a chip or a part of another table.
			if (r.State == warn || r.State == bad) && !strings.HasPrefix(r.Cells[0], "0x") {
				wrong = append(wrong, r.Cells[0])
			}
		}
	}
	text = strings.Join(parts, ", ")
	if len(wrong) > 0 {
		text += "; look at " + strings.Join(wrong, ", ")
	}
	return state, strings.ToUpper(text[:1]) + text[1:] + "."
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// pair is a row of a table of two columns.
func pair(state, name, value string) web.HealthRow {
	return web.HealthRow{State: state, Cells: []string{name, value}}
}

// pairs makes a table of two columns.
func pairs(title string, rows ...web.HealthRow) web.HealthTable {
	return web.HealthTable{Title: title, Columns: []string{"What", "Value"}, Rows: rows}
}

// judge returns one of two states.
func judge(wrong bool, state string) string {
	if wrong {
		return state
	}
	return good
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }

func ms(x float64) string {
	digits := 1
	if x < 1 {
		digits = 2
	}
	return strconv.FormatFloat(x, 'f', digits, 64) + " ms"
}

func scanTable(seen *observed, period time.Duration) web.HealthTable {
	s := &seen.health.Scans
	want := float64(time.Second) / float64(period)
	rows := []web.HealthRow{
		pair(judge(seen.rate < 0.8*want, warn), "scans a second", fmt.Sprintf("%.1f of %.0f", seen.rate, want)),
		pair("", "last, longest", ms(s.Last)+", "+ms(s.Longest)),
	}
	if s.Bits > 0 {
		rows = append(rows, pair("", "bits on the bus a scan", number(s.Bits)))
	}
	failed := pair("", "failed", fmt.Sprintf("%d of %d", s.Failed, s.Scans))
	failed.Note = s.Error
	rows = append(rows, failed)
	if i := seen.health.Interrupts; i != nil {
		line := seen.facts.line
		rows = append(rows, pair(judge(line == lineSilent, warn), "changes the interrupt line missed", fmt.Sprintf("%d of %d", i.Missed, i.Changes)),
			pair(judge(line == lineChatters, warn), "needless interrupts", number(i.Needless)))
	}
	return pairs("Scanning", rows...)
}

func chipTable(h *Health) web.HealthTable {
	t := web.HealthTable{Title: "Chips", Columns: []string{"Chip", "Cells", "State", "Reads", "Failed", "Set up", "Resets", "Wrong"}}
	for _, c := range h.Chips {
		state := map[string]string{"live": good, "proving": warn}[c.State]
		if state == "" {
			state = bad
		}
		name := fmt.Sprintf("%s 0x%02X", c.Kind, c.Addr)
		if len(h.Buses) > 1 {
			name += fmt.Sprintf(" bus %d", c.Bus+1)
		}
		t.Rows = append(t.Rows, web.HealthRow{
			State: state, Note: c.Error,
			Cells: []string{
				name, number(uint64(bits.OnesCount64(c.Cells))), c.State, number(c.Good), number(c.Failed), number(c.Inits),
				number(c.Resets), number(c.Corrupt + c.Slow),
			},
		})
	}
	return t
}

func contactTable(h *Health) web.HealthTable {
	c := h.Contacts
	if c == nil {
		return web.HealthTable{}
	}
	set := func(cells uint64) string {
		if cells == 0 {
			return "none"
		}
		return engine.Bitboard(cells).String()
	}
	failed := pair(judge(c.Error != "", warn), "scans with a line that failed", number(c.Failed))
	failed.Note = c.Error
	return pairs("Contacts", failed,
		pair(judge(c.Refused != 0, warn), "seem to hold a disc", set(c.Refused)),
		pair(judge(c.Shorted != 0, bad), "diodes that seem shorted", set(c.Shorted)),
		pair(judge(c.Held != 0, bad), "on columns that are held low", set(c.Held)))
}

func busTable(h *Health) web.HealthTable {
	t := web.HealthTable{Title: "Buses", Columns: []string{"Address", "Good", "Not answered", "Timeouts", "Other", "Tried again", "Not tried"}}
	for _, b := range h.Buses {
		if len(b.Devices) == 0 && !b.Dead {
			continue // There is nothing on it.
		}
		row := web.HealthRow{State: judge(b.Dead, bad), Note: b.Error, Cells: []string{b.Name, "", "", "", "", "", ""}}
		if b.Deaths > 0 {
			row.Note = strings.TrimSpace(fmt.Sprintf("Died %d times, %d attempts to free it, %d without success. %s",
				b.Deaths, b.Recoveries, b.Unfreed, b.Error))
		}
		t.Rows = append(t.Rows, row)
		for _, d := range b.Devices {
			t.Rows = append(t.Rows, web.HealthRow{
				State: judge(d.Silent, bad), Note: d.Error,
				Cells: []string{
					fmt.Sprintf("0x%02X", d.Addr), number(d.OK), number(d.NACK), number(d.Timeout),
					number(d.Arbitration + d.IO + d.Other), number(d.Retries), number(d.Refused),
				},
			})
		}
	}
	return t
}

// partTable is about what is on the board besides the cells.
func (a *App) partTable(h *Health) web.HealthTable {
	t := web.HealthTable{Title: "Lights and buttons", Columns: []string{"Part", "State", "Sent", "Failed", "Resets"}}
	part := func(name string, p *PartHealth) {
		if p == nil {
			return
		}
		state, says := good, "works"
		switch {
		case p.Failing:
			state, says = bad, "does not answer"
		case p.Frames == 0:
			state, says = "", "not used yet"
		}
		t.Rows = append(t.Rows, web.HealthRow{
			State: state, Note: p.Error, Cells: []string{name, says, number(p.Frames), number(p.Failed), number(p.Resets)},
		})
	}
	c := &a.config.Hardware
	if c.LEDs.Driver != configs.NoLEDs {
		part("LEDs "+c.LEDs.Driver, h.LEDs)
	}
	part("display "+c.OLED.Driver, h.OLED)
	for _, name := range h.Gone {
		t.Rows = append(t.Rows, web.HealthRow{
			State: bad, Note: "Look at the adapter's plug, or the overlay in /boot/firmware/config.txt.",
			Cells: []string{name, "has gone", "", "", ""},
		})
	}
	for _, b := range buttonsOf(c) {
		state, says := good, "works"
		if a.nurse.stuck(b.name) {
			state, says = bad, "does not come up"
		}
		t.Rows = append(t.Rows, web.HealthRow{State: state, Cells: []string{"button " + b.name, says, "", "", ""}})
	}
	return t
}

func (a *App) computerTable(seen *observed) web.HealthTable {
	v := &seen.vitals
	var rows []web.HealthRow
	if v.celsius != nil {
		rows = append(rows, pair(judge(*v.celsius >= 80, warn), "processor", fmt.Sprintf("%.0f °C", *v.celsius)))
	}
	if v.low != nil {
		says := "right"
		if *v.low {
			says = "too low"
		}
		rows = append(rows, pair(judge(*v.low, bad), "supply", says))
	}
	if v.slowed != nil {
		says := "full speed"
		if *v.slowed {
			says = "slowed down"
		}
		rows = append(rows, pair(judge(*v.slowed, warn), "processor speed", says))
	}
	clock, says := a.synced(), "not set from the network"
	if clock {
		says = "set from the network"
	}
	rows = append(rows, pair(judge(!clock, warn), "clock", says))
	if v.freeMB != nil {
		rows = append(rows, pair(judge(*v.freeMB < fullMB, bad), "free on the disk", fmt.Sprintf("%d MB", *v.freeMB)))
	}
	if p99, ok := a.disks.p99(); ok {
		rows = append(rows, pair(judge(p99 > time.Second, warn), "99 % of writes within", ms(*milliseconds(p99))))
	}
	if v.residentMB != nil {
		rows = append(rows, pair("", "memory of this program", fmt.Sprintf("%.0f MB", *v.residentMB)))
	}
	if v.uptime != nil {
		rows = append(rows, pair("", "computer is on for", (time.Duration(*v.uptime)*time.Second).String()))
	}
	rows = append(rows, pair("", "program runs for", a.now().Truncate(time.Second).String()))
	return pairs("Computer", rows...)
}

func (a *App) linkTable() web.HealthTable {
	if a.link.adapter == nil {
		return pairs("MQTT", pair("", "broker", a.link.down))
	}
	s := a.link.adapter.Status()
	rows := []web.HealthRow{
		pair(judge(!s.Online, warn), "broker", s.Broker+", "+a.link.status()),
		pair("", "events that wait", number(s.Outbox)),
		pair("", "connections made anew", fmt.Sprint(max(0, s.Connections-1))),
		pair(judge(s.Drops > 0, warn), "messages thrown away", fmt.Sprint(s.Drops)),
	}
	if s.RTT > 0 {
		rows = append(rows, pair("", "last acknowledgement took", ms(*milliseconds(s.RTT))))
	}
	return pairs("MQTT", rows...)
}

// stuck reports whether a button does not come up again. It may be called from
// any goroutine.
func (n *nurse) stuck(button string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.jammed[button]
}

// buttons tells the nurse which buttons do not come up again.
func (n *nurse) buttons(stuck map[string]bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.jammed = maps.Clone(stuck)
}

// worst returns the worse of two states.
func worst(a, b string) string {
	order := []string{"", good, warn, bad}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}
