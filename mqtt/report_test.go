package mqtt

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine/record/schematest"
)

// valid fails the test unless a payload is as its schema says.
func valid(t testing.TB, schema string, payload []byte) {
	t.Helper()
	if err := schematest.Check("schema/"+schema+".json", payload); err != nil {
		t.Fatalf("%s: %v\n%s", schema, err, payload)
	}
	if !strings.HasPrefix(string(payload), `{"v":1,`) {
		t.Fatalf("%s does not begin with its version: %s", schema, payload)
	}
}

// The members and their meaning are those of the contract.
func TestHealthPayload(t *testing.T) {
	t.Parallel()
	at := Stamp{TS: time.Date(2026, 11, 29, 23, 1, 2, 345e6, time.FixedZone("x", 3600)), TSOK: true, Boot: 4, Mono: 1500 * time.Millisecond}
	h := CellHealth{Classes: ".nsfgm?" + strings.Repeat(".", 57), CalibratedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	h.Margin[0], h.Flaps[3] = 100, 19.96
	b := EncodeHealth(at, &h)
	valid(t, "sensor-health", b)
	var got struct {
		TS     string    `json:"ts"`
		Boot   int       `json:"boot"`
		MonoMS int       `json:"mono_ms"`
		Cells  string    `json:"cells"`
		Margin []float64 `json:"margin"`
		Flaps  []float64 `json:"flaps"`
		CalAt  string    `json:"cal_at"`
	}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if got.TS != "2026-11-29T22:01:02.345Z" || got.Boot != 4 || got.MonoMS != 1500 || got.Cells != h.Classes ||
		got.Margin[0] != 100 || got.Margin[1] != 0 || got.Flaps[3] != 20 || got.CalAt != "2026-01-02T03:04:05.000Z" {
		t.Errorf("%s", b)
	}
	h.CalibratedAt = time.Time{}
	if b := EncodeHealth(at, &h); !strings.Contains(string(b), `"cal_at":null`) {
		t.Errorf("never calibrated: %s", b)
	}
}

func TestRawPayload(t *testing.T) {
	t.Parallel()
	var counts [Cells]*uint16
	n := uint16(13200)
	counts[0] = &n
	b := EncodeRaw(Stamp{Boot: 4, Mono: time.Second}, &counts)
	valid(t, "sensor-raw", b)
	want := `{"v":1,"boot":4,"mono_ms":1000,"counts":[13200` + strings.Repeat(",null", 63) + `]}`
	if string(b) != want {
		t.Errorf("%s", b)
	}
}

func TestHintPayload(t *testing.T) {
	t.Parallel()
	b := EncodeHint(41, []HintMove{{"f5", 2.04}, {"d6", -1}})
	valid(t, "hint", b)
	if string(b) != `{"v":1,"seq":41,"moves":[{"move":"f5","score":2},{"move":"d6","score":-1}]}` {
		t.Errorf("%s", b)
	}
	valid(t, "hint", EncodeHint(0, nil))
	valid(t, "hint", EncodeHint(0, []HintMove{{"a1", math.Inf(1)}}))
}

// Whatever is known or not, diag is as its schema says.
func TestDiagPayload(t *testing.T) {
	t.Parallel()
	b := EncodeDiag(Stamp{TS: time.Unix(0, 0)}, &Diagnosis{})
	valid(t, "diag", b)
	for _, unknown := range []string{"cpu_c", "throttled", "undervoltage", "disk_free_mb", "rtt_ms", "fsync_p99_ms", "uptime_s", "rss_mb", "lost_interrupts"} {
		if !strings.Contains(string(b), `"`+unknown+`":null`) {
			t.Errorf("%s is not null: %s", unknown, b)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		number := func(name string) *float64 { return rapid.Ptr(rapid.Float64(), true).Draw(rt, name) }
		d := Diagnosis{
			CPUC: number("cpu"), RTTMS: number("rtt"), FsyncP99MS: number("fsync"), RSSMB: number("rss"),
			Throttled:      rapid.Ptr(rapid.Bool(), true).Draw(rt, "throttled"),
			DiskFreeMB:     rapid.Ptr(rapid.Int64Min(0), true).Draw(rt, "disk"),
			LostInterrupts: rapid.Ptr(rapid.Uint64Max(1<<50), true).Draw(rt, "lost"),
			Scans:          DiagScans{Total: rapid.Uint64Max(1<<50).Draw(rt, "scans"), PerSecond: rapid.Float64Min(0).Draw(rt, "rate")},
		}
		for range rapid.IntRange(0, 2).Draw(rt, "buses") {
			d.Buses = append(d.Buses, DiagBus{
				Name: rapid.String().Draw(rt, "bus"), Silent: rapid.SliceOf(rapid.Uint16Max(127)).Draw(rt, "silent"),
			})
		}
		valid(t, "diag", EncodeDiag(Stamp{TS: time.Unix(0, 0)}, &d))
	})
}

// What this package writes by itself is as the schemas say, too.
func TestOwnPayloads(t *testing.T) {
	t.Parallel()
	brokers(t, func(t *testing.T, s server) {
		w := watch(t, s.address(), "reversi/v1/#")
		j := newJournal(0)
		a := start(t, secret(options(s.address(), j)))
		go func() {
			for r := range a.Commands() {
				r.Reply(Response{Seq: j.LastSeq()})
			}
		}()
		for _, code := range AlertCodes() {
			a.Alert(code, EncodeAlert(a.o.Stamp(), code, "warn", "Look at it.", []string{"e6"}, time.Now()))
		}
		online(t, a)
		publish(t, s.address(), base+"cmd/ops/identify", `{"id":"1","from":"desk-1"}`, false)
		publish(t, s.address(), base+"cmd/ops/fly", `{"id":"2","from":"desk-1"}`, false)
		eventually(t, "both are answered", func() bool { return len(w.on(base+"resp/desk-1")) == 2 })
		if err := a.Close(t.Context(), "shutdown"); err != nil {
			t.Fatal(err)
		}
		eventually(t, "offline arrives", func() bool { return w.last(base+"availability").field("state") == "offline" })
		seen := map[string]int{}
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, r := range w.all {
			name := strings.TrimPrefix(r.topic, base)
			name, _, _ = strings.Cut(name, "/")
			// An alert of an earlier run is cleared with an empty payload.
			if r.payload != "" && (name == "availability" || name == "meta" || name == "alert" || name == "resp") {
				valid(t, name, []byte(r.payload))
				seen[name]++
			}
		}
		if seen["availability"] < 2 || seen["meta"] == 0 || seen["alert"] < len(AlertCodes()) || seen["resp"] != 2 {
			t.Errorf("seen %v", seen)
		}
	})
}

// Topics about the moment are not retained, the latest wins, and what was said
// without a connection is not said later. The others come again with every
// connection, and sensor/health with a snapshot.
func TestTopicsAboutTheMoment(t *testing.T) {
	t.Parallel()
	brokers(t, func(t *testing.T, s server) {
		w := watch(t, s.address(), "reversi/v1/#")
		p := newProxy(t, s.address())
		p.set(func(p *proxy) { p.refuse = true })
		j := newJournal(0)
		a := start(t, secret(options(p.addr, j)))
		go func() {
			for r := range a.Commands() {
				r.Reply(Response{Seq: j.LastSeq()})
			}
		}()
		a.Show(Raw, []byte(`{"n":0}`))
		a.Show(Hint, []byte(`{"n":0}`))
		a.Show(Health, []byte(`{"n":1}`))
		a.Show(Diag, []byte(`{"n":1}`))
		eventually(t, "an attempt has failed", func() bool { return p.connections() > 1 })
		p.set(func(p *proxy) { p.refuse = false })
		online(t, a)
		a.Show(Raw, []byte(`{"n":2}`))
		a.Show(Hint, []byte(`{"n":2}`))
		eventually(t, "both arrive", func() bool {
			return w.last(base+"sensor/raw").field("n") == 2.0 && w.last(base+"hint").field("n") == 2.0
		})
		publish(t, s.address(), base+"cmd/ops/snapshot", `{"id":"1"}`, false)
		eventually(t, "health comes again", func() bool { return len(w.on(base+"sensor/health")) == 2 })
		before := a.Status().Connections
		p.cutAll()
		eventually(t, "connected anew", func() bool { return a.Status().Connections > before })
		online(t, a)
		eventually(t, "health and diag come again", func() bool {
			return len(w.on(base+"sensor/health")) == 3 && len(w.on(base+"diag")) == 2
		})
		for topic, want := range map[string]string{"sensor/raw": "", "hint": "", "sensor/health": `{"n":1}`, "diag": `{"n":1}`} {
			if got := retained(t, s.address(), base+topic); got.payload != want {
				t.Errorf("a fresh subscriber finds %q on %s, want %q", got.payload, topic, want)
			}
		}
		if raw, hint := w.on(base+"sensor/raw"), w.on(base+"hint"); len(raw) != 1 || len(hint) != 1 {
			t.Errorf("raw %v, hint %v", raw, hint)
		}
	})
}

// Only ops may ask for readings, for ten minutes at most.
func TestDiagCommand(t *testing.T) {
	t.Parallel()
	now := view{seq: 41, phase: "playing", first: 1, last: 41}
	for _, c := range []struct {
		topic, args, code string
		want              DiagArgs
	}{
		{"ops/diag", `{}`, "request", DiagArgs{}},
		{"ops/diag", `{"raw":true}`, "request", DiagArgs{true, true, 10 * time.Minute}},
		{"ops/diag", `{"raw":true,"seconds":30}`, "request", DiagArgs{true, true, 30 * time.Second}},
		{"ops/diag", `{"raw":false}`, "request", DiagArgs{true, false, 10 * time.Minute}},
		{"ops/diag", `{"seconds":30}`, "request", DiagArgs{}},
		{"ops/diag", `{"raw":true,"seconds":601}`, "bad_payload", DiagArgs{}},
		{"ops/diag", `{"raw":true,"seconds":0}`, "bad_payload", DiagArgs{}},
		{"ops/diag", `{"raw":true,"seconds":1.5}`, "bad_payload", DiagArgs{}},
		{"ops/diag", `{"raw":1}`, "bad_payload", DiagArgs{}},
		{"arbiter/diag", `{}`, "not_allowed", DiagArgs{}},
		{"ha/diag", `{}`, "not_allowed", DiagArgs{}},
		{"arbiter/confirm", `{"square":"e6"}`, "bad_payload", DiagArgs{}}, // if_seq is missing
		{"player/confirm", `{"square":"e6"}`, "not_allowed", DiagArgs{}},
		{"ops/mask", `{"squares":["e6"]}`, "request", DiagArgs{}},
		{"ha/mask", `{"squares":["e6"]}`, "not_allowed", DiagArgs{}},
	} {
		g := newGate(board, DefaultCommands())
		v := ask(g, time.Unix(0, 0), c.topic, fmt.Sprintf(`{"id":"1","args":%s}`, c.args), now)
		if v.code() != c.code {
			t.Errorf("%s %s: %s, want %s", c.topic, c.args, v.code(), c.code)
		}
		if v.request != nil && v.request.Diag != c.want {
			t.Errorf("%s %s: %+v, want %+v", c.topic, c.args, v.request.Diag, c.want)
		}
	}
}
