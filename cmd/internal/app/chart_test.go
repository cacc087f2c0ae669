package app

import (
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"periph.io/x/conn/v3/i2c"

	"reversi-board/display"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/referee"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/sim"
	"reversi-board/sensing"
)

// find returns the row with a name.
func find(t *testing.T, table web.HealthTable, name string) web.HealthRow {
	t.Helper()
	for _, r := range table.Rows {
		if r.Cells[0] == name {
			return r
		}
		if len(r.Cells) != len(table.Columns) {
			t.Errorf("%s: %d cells in a table of %d columns", r.Cells[0], len(r.Cells), len(table.Columns))
		}
	}
	t.Fatalf("%s has no row %q: %+v", table.Title, name, table.Rows)
	return web.HealthRow{}
}

// What a board is made of has a row each, and nothing is wrong with a sound one.
func TestTablesOfSoundBoards(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string]struct{ chips, devices, contacts, scanning int }{
		"hall-128":          {8, 10, 0, 6}, // the bus and nine devices on it
		"hall-128-mcp23017": {10, 12, 0, 6},
		"hall-analog":       {1, 2, 0, 4},
		"reed-64":           {0, 0, 4, 3},
	} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			s := newStand(t, profile, nil)
			var scene display.Scene
			s.scan(50, &scene)
			h := s.rig.Health()
			seen := observed{health: h, rate: 50}
			tables := []web.HealthTable{scanTable(&seen, 20*time.Millisecond), chipTable(&h), contactTable(&h), busTable(&h)}
			if n := []int{len(tables[1].Rows), len(tables[3].Rows), len(tables[2].Rows), len(tables[0].Rows)}; !slices.Equal(n, []int{want.chips, want.devices, want.contacts, want.scanning}) {
				t.Errorf("rows %v, want %v", n, want)
			}
			var seenLast Checkup
			if state, text := summary(&seenLast, tables); state != good || text != "No cell has been read yet." {
				t.Errorf("at first %s: %s", state, text)
			}
			seenLast.At = time.Second
			for i := range seenLast.Cells {
				seenLast.Cells[i] = sensing.CellReport{Class: sensing.ClassGood, Margin: 100}
			}
			if state, text := summary(&seenLast, tables); state != good || text != "All 64 cells are good." {
				t.Errorf("%s: %s", state, text)
			}
		})
	}
}

// What is wrong has a row that says so, and the summary names it.
func TestTablesOfSickBoards(t *testing.T) {
	t.Parallel()
	s := newStand(t, "hall-128", nil)
	var scene display.Scene
	s.scan(50, &scene)
	if err := s.rig.Sim.FailBank(3, sim.BankNack); err != nil {
		t.Fatal(err)
	}
	s.scan(300, &scene)
	h := s.rig.Health()
	if r := find(t, chipTable(&h), "tca9555 0x23"); r.State != bad || r.Cells[2] != "absent" || r.Note == "" {
		t.Errorf("the expander: %+v", r)
	}
	if r := find(t, busTable(&h), "0x23"); r.State != bad || r.Cells[2] == "0" {
		t.Errorf("its address: %+v", r)
	}
	if r := find(t, busTable(&h), "0x22"); r.State != good {
		t.Errorf("another one: %+v", r)
	}
	slow := observed{health: h, rate: 12}
	scanning := scanTable(&slow, 20*time.Millisecond)
	if r := find(t, scanning, "scans a second"); r.State != warn || r.Cells[1] != "12.0 of 50" {
		t.Errorf("slow: %+v", r)
	}
	seenLast := Checkup{At: time.Second}
	cells := &seenLast.Cells
	for i := range cells {
		cells[i].Class = sensing.ClassGood
	}
	cells[3].Class, cells[4].Class, cells[5].Class = sensing.ClassFlapping, sensing.ClassNoData, sensing.ClassNoisy
	if state, text := summary(&seenLast, []web.HealthTable{scanning, chipTable(&h)}); state != bad ||
		text != "2 cells are not believed, 1 cell is noisy; look at scans a second, tca9555 0x23." {
		t.Errorf("%s: %s", state, text)
	}
	if got, want := silentParts(&h), "the tca9555 at 0x23 does not answer"; got != want {
		t.Errorf("silent: %q, want %q", got, want)
	}
	s.rig.Sim.Bus().Short(false, true)
	s.scan(50, &scene)
	h = s.rig.Health()
	if got, want := silentParts(&h), "nothing on the bus "+h.Buses[0].Name+" answers"; got != want {
		t.Errorf("silent: %q, want %q", got, want)
	}
	if r := find(t, busTable(&h), h.Buses[0].Name); r.State != bad || !strings.Contains(r.Note, "Died 1 times") {
		t.Errorf("the bus: %+v", r)
	}
}

// A shorted diode on a board of contacts.
func TestTableOfContacts(t *testing.T) {
	t.Parallel()
	s := newStand(t, "reed-64", nil)
	var scene display.Scene
	s.rig.Sim.Set([64]sim.Face{9: sim.NorthUp, 49: sim.NorthUp})
	s.rig.Sim.Matrix().FailDiode(9, emu.DiodeShorted)
	s.scan(50, &scene)
	faces := s.rig.Sim.Faces()
	faces[14] = sim.NorthUp
	s.rig.Sim.Set(faces)
	s.scan(50, &scene)
	h := s.rig.Health()
	if r := find(t, contactTable(&h), "diodes that seem shorted"); r.State != bad || !strings.Contains(r.Cells[1], "b2") {
		t.Errorf("%+v", r)
	}
}

// 48 bits for a pointer and two bytes (start, 2 bytes, start, 3 bytes, stop), and
// nothing for a transfer that is none.
func TestMeter(t *testing.T) {
	t.Parallel()
	var bits atomic.Uint64
	var raw i2c.BusCloser = emu.NewBus()
	m := meter{raw, &bits}
	for _, c := range []struct {
		w, r int
		bits uint64
	}{{1, 2, 48}, {0, 2, 29}, {17, 0, 164}, {4, 0, 47}, {129, 0, 1172}, {0, 0, 0}} {
		before := bits.Load()
		_ = m.Tx(0x20, make([]byte, c.w), make([]byte, c.r)) // nobody answers
		if got := bits.Load() - before; got != c.bits {
			t.Errorf("w%d r%d: %d bits, want %d", c.w, c.r, got, c.bits)
		}
	}
}

// The slowest one of a hundred does not count.
func TestStopwatch(t *testing.T) {
	t.Parallel()
	w := watchDisk(nil)
	if _, ok := w.p99(); ok {
		t.Error("nothing was synced")
	}
	for i := range 300 { // the first ones are forgotten
		d := time.Duration(i%4+1) * time.Millisecond
		if i < 30 || i == 100 || i == 200 {
			d = time.Hour
		}
		w.note(d)
	}
	if d, _ := w.p99(); d != 4*time.Millisecond {
		t.Errorf("p99 %v", d)
	}
	w.note(time.Minute)
	w.note(time.Minute)
	if d, _ := w.p99(); d != time.Minute {
		t.Errorf("p99 %v", d)
	}
}

// What files of the computer say; what they do not say is not known.
func TestVitals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"a computer that says nothing", nil, `{}`},
		{"a Raspberry Pi in trouble", map[string]string{
			"sys/class/thermal/thermal_zone0/type":                "cpu-thermal\n",
			"sys/class/thermal/thermal_zone0/temp":                "81250\n",
			"sys/class/hwmon/hwmon2/name":                         "rpi_volt\n",
			"sys/class/hwmon/hwmon2/in0_lcrit_alarm":              "1\n",
			"sys/devices/platform/soc/soc:firmware/get_throttled": "50005\n",
			"proc/uptime":     "35.87 100.12\n",
			"proc/self/statm": "2560 1280 3 0 0 0 0\n",
		}, `{"celsius":81.25,"slowed":true,"low":true,"uptime":35,"mb":5}`},
		{"a laptop: the zone that is named after the processor counts", map[string]string{
			"sys/class/thermal/thermal_zone0/type": "acpitz\n", "sys/class/thermal/thermal_zone0/temp": "27800\n",
			"sys/class/thermal/thermal_zone1/type": "x86_pkg_temp\n", "sys/class/thermal/thermal_zone1/temp": "61000\n",
			"sys/class/thermal/thermal_zone2/type": "iwlwifi_1\n", "sys/class/thermal/thermal_zone2/temp": "45000\n",
		}, `{"celsius":61}`},
		{"nonsense", map[string]string{
			"sys/class/thermal/thermal_zone0/type": "cpu-thermal\n", "sys/class/thermal/thermal_zone0/temp": "hot\n",
			"proc/uptime": "-1\n", "proc/self/statm": "12\n",
		}, `{}`},
	} {
		m := fstest.MapFS{}
		for name, text := range c.files {
			m[name] = &fstest.MapFile{Data: []byte(text)}
		}
		v := readVitals(m)
		got, err := json.Marshal(struct {
			Celsius *float64 `json:"celsius,omitempty"`
			Slowed  *bool    `json:"slowed,omitempty"`
			Low     *bool    `json:"low,omitempty"`
			Uptime  *int64   `json:"uptime,omitempty"`
			MB      *float64 `json:"mb,omitempty"`
		}{v.celsius, v.slowed, v.low, v.uptime, v.residentMB})
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.name, got, c.want, err)
		}
	}
	if free, ok := diskFree(t.TempDir()); !ok || free <= 0 {
		t.Errorf("%d bytes are free here, known: %v", free, ok)
	}
}

// FuzzCellCommands feeds the arguments of confirm and mask: what is accepted
// names squares of the board, and not too many.
func FuzzCellCommands(f *testing.F) {
	for _, s := range []string{
		``, `null`, `{}`, `{"square":"e6"}`, `{"square":"E6"}`, `{"square":"i9"}`, `{"square":null}`, `{"square":"e6","x":1}`,
		`{"squares":["a1","a1","h8"]}`, `{"squares":[]}`, `{"squares":"a1"}`, `{"squares":["a1","b1","c1","d1","e1","f1","g1","h1","a2"]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		if sq, err := confirmed(args); err == nil {
			var v struct {
				Square string `json:"square"`
			}
			if json.Unmarshal(args, &v) != nil || !strings.EqualFold(v.Square, sq.String()) {
				t.Fatalf("%q: %v", args, sq)
			}
		}
		if set, err := maskedBy(args); err == nil {
			var v struct {
				Squares []string `json:"squares"`
			}
			if json.Unmarshal(args, &v) != nil || set.Count() < 1 || set.Count() > 8 || set.Count() > len(v.Squares) {
				t.Fatalf("%q: %v", args, set)
			}
		}
		for _, name := range []string{confirmCommand, maskCommand} {
			if _, err := orderOf(name, args, referee.Match{}); err != nil && err.Error() == "" {
				t.Fatal("refused without a reason")
			}
		}
	})
}

// Squares are listed as people do.
func TestEither(t *testing.T) {
	t.Parallel()
	for names, want := range map[string]string{"f5": "f5", "f5 e6": "f5 or e6", "c3 f5 e6": "c3, f5 or e6"} {
		set, err := engine.ParseSquares(names)
		if err != nil {
			t.Fatal(err)
		}
		if got := either(set); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The text follows what the eyes say, also when they begin anew.
func TestAilments(t *testing.T) {
	t.Parallel()
	var a ailments
	a1, b1 := engine.Bitboard(1), engine.Bitboard(2)
	a.note(referee.CellsFailed{Squares: a1, Kind: referee.Stuck})
	a.note(referee.CellsFailed{Squares: b1, Kind: referee.Ghost})
	a.note(referee.CellsFailed{Squares: 1 << 9, Kind: referee.LostBank})
	a.note(referee.Seen{Masked: a1 | b1})
	if got, want := a.text(), "The cell of a1 shows what no disc can show: look for a short at its sensor. "+
		"The cell of b1 may only seem to hold a disc: look for a shorted diode. What lies there follows from the rules."; got != want {
		t.Errorf("%q", got)
	}
	// A cell that has drifted is read, and drifts on.
	a.note(referee.CellsFailed{Squares: b1 << 1, Kind: referee.Drift})
	a.note(referee.CellsBack{Squares: b1, Kind: referee.Ghost})
	a.note(referee.Felt{})
	if got, want := a.text(), "The cell of c1 has drifted far and is still read: calibrate the board."; got != want {
		t.Errorf("%q", got)
	}
	a.note(referee.CellsBack{Squares: b1 << 1, Kind: referee.Drift})
	if a != (ailments{}) {
		t.Errorf("all is well: %+v", a)
	}
}
