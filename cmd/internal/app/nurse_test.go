package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"reversi-board/configs"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/record/schematest"
	"reversi-board/hardware/sim"
	"reversi-board/mqtt"
)

// told is what has been published.
type told struct {
	topic   mqtt.Topic
	at      time.Duration
	payload []byte
}

// crier writes down what is published.
type crier struct {
	app *App

	mu  sync.Mutex
	all []told
}

func (c *crier) Show(t mqtt.Topic, payload []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, told{t, c.app.now(), payload})
}

func (c *crier) Status() mqtt.Status {
	return mqtt.Status{Connected: true, Online: true, Connections: 3, Drops: 2, Outbox: 1, RTT: 1500 * time.Microsecond}
}

// on returns what was published on a topic, each as its schema says.
func (c *crier) on(t *testing.T, topic mqtt.Topic) (list []told) {
	t.Helper()
	synctest.Wait()
	schema := "../../../mqtt/schema/" + strings.ReplaceAll(string(topic), "/", "-") + ".json"
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.all {
		if m.topic != topic {
			continue
		}
		if err := schematest.Check(schema, m.payload); err != nil {
			t.Fatalf("%s: %v\n%s", topic, err, m.payload)
		}
		list = append(list, m)
	}
	return list
}

// field returns a member of a payload.
func (m told) field(t *testing.T, name string) any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(m.payload, &v); err != nil {
		t.Fatal(err)
	}
	return v[name]
}

// ward is a running program that publishes to a crier, on a computer whose files
// can be changed.
type ward struct {
	*board
	crier   *crier
	files   atomic.Pointer[fstest.MapFS]
	free    atomic.Int64
	synced  atomic.Bool
	flushed atomic.Int64
}

// Open implements fs.FS.
func (w *ward) Open(name string) (fs.File, error) { return w.files.Load().Open(name) }

// set makes the computer one with these files.
func (w *ward) set(files map[string]string) {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	w.files.Store(&m)
}

// admit starts a program in a bubble.
func admit(t *testing.T, change func(c *configs.Config)) *ward {
	t.Helper()
	w := &ward{}
	w.set(nil)
	w.free.Store(5 << 30)
	w.synced.Store(true)
	w.board, _ = runPrepared(t, t.TempDir(), nil, change, func(a *App) {
		w.crier = &crier{app: a}
		a.synced = w.synced.Load
		a.nurse.out, a.nurse.files = w.crier, w
		a.nurse.free = func(string) (int64, bool) { return w.free.Load(), true }
		a.nurse.flush = func() { w.flushed.Add(1) }
	})
	return w
}

// alertsNow returns the texts of all open alerts by code, and of those that
// players see.
func (w *ward) alertsNow() (all, seen map[string]string) {
	w.t.Helper()
	seen = codesOf(w.page().Alerts)
	return codesOf(w.app.alerts.list(true)), seen
}

// sensor/health comes once the board has been read, again when something is
// otherwise, and never twice within a minute.
func TestHealthIsPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := admit(t, func(*configs.Config) {})
		time.Sleep(2 * time.Second)
		said := w.crier.on(t, mqtt.Health)
		if len(said) != 1 || said[0].field(t, "cells") != strings.Repeat(".", 64) || said[0].field(t, "cal_at") != nil {
			t.Fatalf("at the start: %d messages, %+v", len(said), said)
		}
		time.Sleep(5 * time.Minute)
		if said = w.crier.on(t, mqtt.Health); len(said) != 1 {
			t.Fatalf("nothing has changed, %d messages", len(said))
		}
		const g2 = 14
		begin := w.app.now()
		for range 5 {
			w.break1(g2, sim.CellFault{Kind: sim.Flapping, Hz: 10})
			time.Sleep(20 * time.Second)
			w.break1(g2, sim.CellFault{})
			w.break1(20, sim.CellFault{Kind: sim.BothActive})
			time.Sleep(70 * time.Second)
			w.break1(20, sim.CellFault{})
			time.Sleep(20 * time.Second)
		}
		said = w.crier.on(t, mqtt.Health)[1:]
		if first := said[0]; first.at-begin > 6*time.Second || first.field(t, "cells") != strings.Repeat(".", g2)+"f"+strings.Repeat(".", 64-g2-1) {
			t.Errorf("a cell flaps: %v later %s", first.at-begin, first.payload)
		}
		for i := 1; i < len(said); i++ {
			if d := said[i].at - said[i-1].at; d < time.Minute {
				t.Errorf("two messages within %v", d)
			}
		}
		if len(said) < 7 {
			t.Errorf("%d messages in nine minutes of trouble", len(said))
		}
		flaps, _ := said[0].field(t, "flaps").([]any)
		margin, _ := said[0].field(t, "margin").([]any)
		if flaps[g2].(float64) < 5 || margin[g2] != 0.0 || margin[0] != 100.0 || flaps[0] != 0.0 { //nolint:forcetypeassert // it is a number by the schema
			t.Errorf("flaps %v, margins %v", flaps[g2], margin[g2])
		}
	})
}

// break1 gives a cell a fault.
func (w *ward) break1(cell int, f sim.CellFault) {
	w.t.Helper()
	if err := w.app.rig.Sim.FailCell(cell, f); err != nil {
		w.t.Fatal(err)
	}
}

// diag comes every minute and says what the computer, the connection and the
// board say: an interrupt that got lost is counted in it.
func TestDiagIsPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := admit(t, func(c *configs.Config) { c.Hardware.Interrupt = "GPIO17" })
		w.set(map[string]string{
			"sys/class/thermal/thermal_zone0/type": "cpu-thermal\n", "sys/class/thermal/thermal_zone0/temp": "48312\n",
			"proc/uptime": "5025.21 9000.00\n",
		})
		table := w.app.rig.Sim
		table.LoseInterrupts(true)
		time.Sleep(time.Second)
		if _, err := table.Place(w.app.now(), 37, sim.NorthUp); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3*time.Minute - w.app.now() + 5*time.Second)
		said := w.crier.on(t, mqtt.Diag)
		if len(said) != 4 {
			t.Fatalf("%d messages in three minutes", len(said))
		}
		d := said[3]
		for name, want := range map[string]any{
			"cpu_c": 48.3, "throttled": nil, "undervoltage": nil, "disk_free_mb": 5120.0, "outbox": 1.0, "reconnects": 2.0,
			"drops": 2.0, "rtt_ms": 1.5, "clock_synced": true, "uptime_s": 5025.0, "rss_mb": nil,
		} {
			if got := d.field(t, name); got != want {
				t.Errorf("%s is %v, want %v", name, got, want)
			}
		}
		if lost, _ := d.field(t, "lost_interrupts").(float64); lost < 1 {
			t.Errorf("lost interrupts: %v", lost)
		}
		if d.field(t, "fsync_p99_ms") == nil {
			t.Error("nothing is known of the disk")
		}
		scans, _ := d.field(t, "scans").(map[string]any)
		if rate, _ := scans["per_second"].(float64); rate < 48 || rate > 52 {
			t.Errorf("%v scans a second", rate)
		}
		// Eight expanders, each with a pointer and two bytes, and one canary: 48 bits
		// each.
		if bits, _ := scans["bits"].(float64); bits != 9*48 {
			t.Errorf("%v bits a scan, want %d", bits, 9*48)
		}
		buses, _ := d.field(t, "buses").([]any)
		if len(buses) != 1 {
			t.Errorf("buses %v", buses)
		}
	})
}

// sensor/raw comes after the order only, five times a second at most, and ends
// by itself or by another order; each order brings diag.
func TestRawIsPublishedOnOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := admit(t, func(*configs.Config) {})
		time.Sleep(10 * time.Second)
		diags := len(w.crier.on(t, mqtt.Diag))
		w.wantReadings(0, 0)
		w.app.nurse.order(mqtt.DiagArgs{Set: true, Raw: true, For: 10 * time.Second})
		time.Sleep(20 * time.Second)
		w.wantReadings(40, 51)
		// d4 and e5 white, e4 and d5 black; white has its south pole at the sensor.
		w.wantRead(map[int]any{0: 0.0, 27: 2.0, 28: 1.0, 35: 1.0, 36: 2.0})
		if n := len(w.crier.on(t, mqtt.Diag)); n != diags+1 {
			t.Errorf("%d messages on diag, there were %d", n, diags)
		}
		if err := w.app.rig.Sim.FailBank(0, sim.BankNack); err != nil {
			t.Fatal(err)
		}
		w.crier.forget()
		w.app.nurse.order(mqtt.DiagArgs{Set: true, Raw: true, For: mqtt.MaxRaw})
		time.Sleep(5 * time.Second)
		w.app.nurse.order(mqtt.DiagArgs{}) // diag once more; raw goes on
		time.Sleep(5 * time.Second)
		w.app.nurse.order(mqtt.DiagArgs{Set: true})
		time.Sleep(time.Second)
		w.wantReadings(40, 53)
		w.wantRead(map[int]any{0: nil, 7: nil, 8: 0.0}) // rank 1 is lost
		w.crier.forget()
		time.Sleep(time.Minute)
		w.wantReadings(0, 0)
	})
}

// forget forgets what was published.
func (c *crier) forget() {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = nil
}

// wantReadings wants so many messages on sensor/raw.
func (w *ward) wantReadings(least, most int) {
	w.t.Helper()
	if n := len(w.crier.on(w.t, mqtt.Raw)); n < least || n > most {
		w.t.Errorf("%d messages on sensor/raw, want %d to %d", n, least, most)
	}
}

// wantRead compares cells of the last message on sensor/raw.
func (w *ward) wantRead(want map[int]any) {
	w.t.Helper()
	said := w.crier.on(w.t, mqtt.Raw)
	counts, _ := said[len(said)-1].field(w.t, "counts").([]any)
	for cell, n := range want {
		if counts[cell] != n {
			w.t.Errorf("cell %d reads %v, want %v", cell, counts[cell], n)
		}
	}
}

// The supply of a Raspberry Pi is too low: the alert is open until it has been
// right for half a minute, the LEDs are darker meanwhile, and the disk is
// written once.
func TestLowSupply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := admit(t, func(*configs.Config) {})
		volt := func(alarm string) {
			w.set(map[string]string{"sys/class/hwmon/hwmon1/name": "rpi_volt\n", "sys/class/hwmon/hwmon1/in0_lcrit_alarm": alarm})
		}
		volt("0\n")
		w.break1(63, sim.CellFault{Kind: sim.BothActive}) // its LED goes on blinking
		time.Sleep(10 * time.Second)
		if all, _ := w.alertsNow(); all["power"] != "" || w.flushed.Load() != 0 {
			t.Fatalf("the supply is right: %v, flushed %d times", all, w.flushed.Load())
		}
		bright := w.brightest()
		volt("1\n")
		time.Sleep(10 * time.Second)
		if all, seen := w.alertsNow(); !strings.Contains(seen["power"], "supply") || all["power"] == "" {
			t.Errorf("the supply is too low: %v", all)
		}
		if dim := w.brightest(); dim == 0 || dim > bright/3 || w.flushed.Load() != 1 {
			t.Errorf("LEDs at %d, at first %d; flushed %d times", dim, bright, w.flushed.Load())
		}
		if d := w.health("Computer", "supply"); d.State != "bad" || d.Cells[1] != "too low" {
			t.Errorf("health view: %+v", d)
		}
		for range 4 { // It comes and goes: one alert, one flush.
			volt("0\n")
			time.Sleep(10 * time.Second)
			volt("1\n")
			time.Sleep(10 * time.Second)
		}
		if all, _ := w.alertsNow(); all["power"] == "" || w.flushed.Load() != 1 {
			t.Errorf("it comes and goes: %v, flushed %d times", all, w.flushed.Load())
		}
		volt("0\n")
		time.Sleep(45 * time.Second)
		if all, _ := w.alertsNow(); all["power"] != "" || w.brightest() != bright {
			t.Errorf("the supply is right again: %v, LEDs at %d, at first %d", all, w.brightest(), bright)
		}
	})
}

// brightest returns how bright the brightest LED has been during a second.
func (w *ward) brightest() (most int) {
	for range 50 {
		for _, l := range w.app.rig.Sim.Seen() {
			most = max(most, int(l.R), int(l.G), int(l.B))
		}
		time.Sleep(20 * time.Millisecond)
	}
	return most
}

// health returns a row of the health view.
func (w *ward) health(table, row string) web.HealthRow {
	w.t.Helper()
	synctest.Wait()
	for _, t := range w.app.healthView().Tables {
		for _, r := range t.Rows {
			if t.Title == table && r.Cells[0] == row {
				return r
			}
		}
	}
	w.t.Fatalf("the health view has no %s in %s", row, table)
	return web.HealthRow{}
}

// A clock that nobody sets, and a disk that is nearly full: each alert closes
// when its cause is gone. Players are not bothered with the clock.
func TestClockAndDiskAlerts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := admit(t, func(*configs.Config) {})
		w.synced.Store(false)
		time.Sleep(time.Minute)
		if all, _ := w.alertsNow(); len(all) != 0 {
			t.Errorf("a clock may take two minutes: %v", all)
		}
		w.free.Store(60 << 20)
		time.Sleep(2 * time.Minute)
		all, seen := w.alertsNow()
		if all["time_unset"] == "" || seen["time_unset"] != "" || !strings.Contains(all["storage"], "60 MB") || seen["storage"] == "" || len(all) != 2 {
			t.Errorf("all %v, seen %v", all, seen)
		}
		w.synced.Store(true)
		w.free.Store(5 << 30)
		time.Sleep(10 * time.Second)
		if all, _ := w.alertsNow(); len(all) != 0 {
			t.Errorf("all is well again: %v", all)
		}
	})
}

// Cells and chips that fail: the alerts say how, where to look, and close again.
// During a game the sentence says it to players.
func TestCellAlerts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := admit(t, func(*configs.Config) {})
		w.break1(0, sim.CellFault{Kind: sim.BothActive})
		w.break1(14, sim.CellFault{Kind: sim.Flapping, Hz: 10})
		if err := w.app.rig.Sim.FailBank(7, sim.BankNack); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		all, seen := w.alertsNow()
		for code, parts := range map[string][]string{
			"sensor_fault": {"The cell of a1 shows what no disc can show", "The cell of g2 changes to and fro"},
			"bank_lost":    {"a8 b8 c8 d8 e8 f8 g8 h8 cannot be read", "the tca9555 at 0x27 does not answer"},
		} {
			for _, part := range parts {
				if !strings.Contains(all[code], part) {
					t.Errorf("%s says %q, want %q", code, all[code], part)
				}
			}
		}
		// The lost bank is the problem that the sentence speaks of.
		if seen["bank_lost"] != "" || seen["sensor_fault"] == "" {
			t.Errorf("players see %v", seen)
		}
		w.break1(0, sim.CellFault{})
		w.break1(14, sim.CellFault{})
		if err := w.app.rig.Sim.HealBank(7); err != nil {
			t.Fatal(err)
		}
		time.Sleep(70 * time.Second)
		if all, _ := w.alertsNow(); len(all) != 0 {
			t.Errorf("mended: %v", all)
		}
	})
}

// An adapter that goes is told as what it is, with where to look, and no more when
// it is back; the game has not ended.
func TestAdapterThatGoesIsAnAlert(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := admit(t, func(*configs.Config) {})
		table := w.app.rig.Sim
		time.Sleep(3 * time.Second)
		bus, port := table.I2CAdapter(0), table.SPIAdapter()
		bus.Unplug()
		port.Unplug()
		time.Sleep(7 * time.Second)
		all, seen := w.alertsNow()
		for code, parts := range map[string][]string{
			"device_lost": {"/dev/i2c-1, /dev/spidev0.0 have gone", "/boot/firmware/config.txt"},
			"bank_lost":   {"No cell can be read: the adapter of the bus", "has gone"},
			"led":         {"The LEDs do not answer"},
		} {
			for _, part := range parts {
				if !strings.Contains(all[code], part) {
					t.Errorf("%s says %q, want %q", code, all[code], part)
				}
			}
		}
		observed := w.app.nurse.look()
		if rows := fmt.Sprint(w.app.partTable(&observed.health).Rows); !strings.Contains(rows, "/dev/i2c-1 has gone") || !strings.Contains(rows, "/dev/spidev0.0 has gone") {
			t.Errorf("the health view says %s", rows)
		}
		if strings.Contains(all["device_lost"], "display") || seen["device_lost"] == "" {
			t.Errorf("all %v, players see %v", all, seen)
		}
		if err := errors.Join(bus.Plug(), port.Plug()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if all, _ := w.alertsNow(); len(all) != 0 {
			t.Errorf("back again: %v", all)
		}
	})
}

// A dead cell: the page asks, the answer puts the move on record, an answer that
// nobody has asked for is refused.
func TestPeopleAreAskedAboutADeadCell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := admit(t, func(*configs.Config) {})
		table, f5, e5 := w.app.rig.Sim, 37, 36
		w.break1(f5, sim.CellFault{Kind: sim.Dead})
		w.answers(`{"square":"f5"}`, "not_allowed") // nobody has asked
		if _, err := table.Place(w.app.now(), f5, sim.NorthUp); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if _, err := table.Turn(w.app.now(), e5, sim.TurnInPlace, 0); err != nil {
			t.Fatal(err)
		}
		time.Sleep(7 * time.Second)
		if q := w.page().Question; q == nil || !slices.Equal(q.Squares, []string{"f5", "e6"}) || !strings.Contains(q.Text, "f5 or e6") {
			t.Fatalf("the page asks %+v", q)
		}
		w.answers(`{"square":"d6"}`, "not_allowed")
		w.answers(`{"square":"f9"}`, "bad_payload")
		w.answers(`{"square":"f5"}`, "")
		time.Sleep(time.Second)
		if seen := w.page(); seen.State.Transcript != "f5" || seen.Question != nil {
			t.Errorf("after the answer: %+v", seen)
		}
		if all, _ := w.alertsNow(); !strings.Contains(all["sensor_fault"], "f5 shows no disc where one must lie") {
			t.Errorf("alerts %v", all)
		}
		if v := w.app.healthView(); v.Cells[f5] != 'm' || v.State != "bad" || !strings.Contains(v.Summary, "1 cell is not believed") {
			t.Errorf("health view %s %s %s", v.State, v.Summary, v.Cells)
		}
	})
}

// answers gives an answer to the question and wants that code for it.
func (w *ward) answers(args, code string) {
	w.t.Helper()
	if r := w.command("confirm", args); r.Code != code {
		w.t.Errorf("%s is answered by %+v, want %q", args, r, code)
	}
}

// command gives a command from the page.
func (w *ward) command(name, args string) web.Response {
	w.t.Helper()
	seq := w.page().State.Seq
	return w.app.pageCommand(w.t.Context(), web.Command{Name: name, ID: fmt.Sprint(name, args, w.app.now()), Args: json.RawMessage(args), IfSeq: &seq})
}

// A cell that shows a disc for ever is masked by hand.
func TestMaskedByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := admit(t, func(*configs.Config) {})
		w.break1(0, sim.CellFault{Kind: sim.StuckNorth})
		time.Sleep(2 * time.Second)
		if all, _ := w.alertsNow(); all["illegal_position"] == "" {
			t.Fatalf("a disc on a1 is a mistake: %v", all)
		}
		if r := w.command("mask", `{"squares":["a1"]}`); r.Status != "ok" {
			t.Fatalf("%+v", r)
		}
		time.Sleep(time.Second)
		w.move(engine.SquareAt(5, 4))
		if seen := w.page(); seen.State.Transcript != "f5" || seen.State.Problem.Code != "sensor_fault" {
			t.Errorf("%+v", seen)
		}
	})
}

// A move that is suggested is published with what the moves are worth, if the
// settings want it: the first moves of the start are all alike.
func TestHintIsPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := admit(t, func(c *configs.Config) { c.MQTT.Hints = true })
		said := w.hints()
		var v struct {
			Seq   uint64          `json:"seq"`
			Moves []mqtt.HintMove `json:"moves"`
		}
		if len(said) != 1 || json.Unmarshal(said[0].payload, &v) != nil {
			t.Fatalf("%d messages", len(said))
		}
		var names []string
		for _, m := range v.Moves {
			names = append(names, m.Move)
		}
		slices.Sort(names)
		if !slices.Equal(names, []string{"c4", "d3", "e6", "f5"}) || v.Moves[0].Score != v.Moves[3].Score || v.Seq != w.page().State.Seq {
			t.Errorf("%s", said[0].payload)
		}
	})
}

// Without the setting nothing is published.
func TestHintIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if said := admit(t, func(*configs.Config) {}).hints(); len(said) != 0 {
			t.Errorf("not wanted: %s", said[0].payload)
		}
	})
}

// hints asks for a move and returns what is published.
func (w *ward) hints() []told {
	w.t.Helper()
	if r := w.command("hint", `{}`); r.Status != "ok" {
		w.t.Fatalf("%+v", r)
	}
	time.Sleep(5 * time.Second)
	return w.crier.on(w.t, mqtt.Hint)
}
