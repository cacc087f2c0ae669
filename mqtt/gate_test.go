package mqtt

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"reversi-board/engine/plaintext"
)

// ask runs a command through a gate.
func ask(g *gate, now time.Time, topic, payload string, v view) verdict {
	o, ok := parseOrder(board, base+"cmd/"+topic)
	if !ok {
		panic(topic)
	}
	return g.check(now, incoming{order: o, payload: []byte(payload)}, v)
}

// code returns the code of an answer, "request" for an accepted command and
// "silence" for neither.
func (v verdict) code() string {
	switch {
	case v.clear:
		return "clear"
	case v.request != nil:
		return "request"
	case v.answer == nil:
		return "silence"
	case v.answer.Code == nil:
		return "ok"
	}
	return string(*v.answer.Code)
}

func TestCommandChecks(t *testing.T) {
	t0 := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	playing := view{seq: 41, phase: "playing", first: 10, last: 41, stamp: Stamp{TS: t0, TSOK: true}}
	idle := view{seq: 41, phase: "idle", first: 10, last: 41, stamp: Stamp{TS: t0, TSOK: true}}
	unsynced := playing
	unsynced.stamp.TSOK = false
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, tt := range []struct {
		topic, payload string
		view           view
		want           string
	}{
		// Form.
		{"ops/identify", `{"id":"1"}`, playing, "request"},
		{"ops/identify", `{"id":"1","from":"desk-1","args":{},"v":1,"more":[1]}`, playing, "request"},
		{"ops/identify", `{"id":"1","from":null,"args":null,"if_seq":null,"ttl_ms":null,"ts":null}`, playing, "request"},
		{"ops/identify", ``, playing, "bad_payload"},
		{"ops/identify", `null`, playing, "bad_payload"},
		{"ops/identify", `[]`, playing, "bad_payload"},
		{"ops/identify", `{"id":"1"} {"id":"2"}`, playing, "bad_payload"},
		{"ops/identify", `{"id":"1"`, playing, "bad_payload"},
		{"ops/identify", `{}`, playing, "bad_payload"},
		{"ops/identify", `{"ID":"1"}`, playing, "bad_payload"},
		{"ops/identify", `{"id":1}`, playing, "bad_payload"},
		{"ops/identify", `{"id":""}`, playing, "bad_payload"},
		{"ops/identify", `{"id":"` + strings.Repeat("é", 64) + `"}`, playing, "request"},
		{"ops/identify", `{"id":"` + strings.Repeat("é", 65) + `"}`, playing, "bad_payload"},
		{"ops/identify", `{"id":"1","from":"Desk 1"}`, playing, "bad_payload"},
		{"ops/identify", `{"id":"1","from":"a/b"}`, playing, "bad_payload"},
		{"ops/identify", `{"id":"1","from":"+"}`, playing, "bad_payload"},
		{"ops/identify", `{"id":"1","v":2}`, playing, "bad_payload"},
		{"ops/identify", `{"id":"1","args":[]}`, playing, "bad_payload"},
		{"ops/identify", "{\"id\":\"\x00\"}", playing, "bad_payload"},
		{"ops/identify", `{"id":"1","x":"\u0000"}`, playing, "bad_payload"},
		{"ops/identify", `{"id":"1","x":"\\u0000"}`, playing, "request"},
		{"ops/identify", "{\"id\":\"1\",\"x\":\"\xff\"}", playing, "bad_payload"},
		{"ops/identify", `{"id":"1","x":` + nested(7) + `}`, playing, "request"},
		{"ops/identify", `{"id":"1","x":` + nested(8) + `}`, playing, "bad_payload"},
		{"ops/identify", `{"id":"1","x":"` + strings.Repeat("x", 8192-17) + `"}`, playing, "request"},
		{"ops/identify", `{"id":"1","x":"` + strings.Repeat("x", 8193-17) + `"}`, playing, "bad_payload"},
		// Roles.
		{"arbiter/fly", `{"id":"1"}`, playing, "unknown"},
		{"player/identify", `{"id":"1"}`, playing, "not_allowed"},
		{"player/new", `{"id":"1"}`, idle, "not_allowed"},
		{"ops/new", `{"id":"1"}`, idle, "not_allowed"},
		{"arbiter/replay", `{"id":"1","args":{"from":10,"to":11}}`, idle, "not_allowed"},
		{"ha/new", `{"id":"1"}`, idle, "request"},
		{"ha/new", `{"id":"1","if_seq":41}`, playing, "not_allowed"},
		{"ha/identify", `{"id":"1"}`, playing, "request"},
		{"hub/snapshot", `{"id":"1"}`, playing, "request"},
		{"arbiter/hint", `{"id":"1"}`, playing, "request"},
		{"player/hint", `{"id":"1"}`, playing, "request"},
		{"ops/hint", `{"id":"1"}`, playing, "not_allowed"},
		{"ha/hint", `{"id":"1"}`, playing, "not_allowed"},
		{"hub/hint", `{"id":"1"}`, playing, "not_allowed"},
		// if_seq.
		{"arbiter/new", `{"id":"1"}`, idle, "request"},
		{"arbiter/new", `{"id":"1"}`, playing, "bad_payload"},
		{"arbiter/new", `{"id":"1","if_seq":41}`, playing, "request"},
		{"arbiter/new", `{"id":"1","if_seq":40}`, playing, "stale_seq"},
		{"arbiter/new", `{"id":"1","if_seq":40}`, idle, "stale_seq"},
		{"arbiter/new", `{"id":"1","if_seq":41.5}`, playing, "bad_payload"},
		{"arbiter/new", `{"id":"1","if_seq":-1}`, playing, "bad_payload"},
		{"player/undo", `{"id":"1","if_seq":41}`, playing, "request"},
		{"player/undo", `{"id":"1"}`, playing, "bad_payload"},
		{"ha/undo", `{"id":"1"}`, playing, "request"},
		{"player/hint", `{"id":"1","if_seq":41}`, playing, "request"},
		{"player/hint", `{"id":"1","if_seq":40}`, playing, "stale_seq"},
		// Arguments.
		{"player/undo", `{"id":"1","if_seq":41,"args":{"plies":3}}`, playing, "request"},
		{"player/undo", `{"id":"1","if_seq":41,"args":{"plies":-1}}`, playing, "bad_payload"},
		{"player/undo", `{"id":"1","if_seq":41,"args":{"plies":65}}`, playing, "bad_payload"},
		{"player/undo", `{"id":"1","if_seq":41,"args":{"plies":"3"}}`, playing, "bad_payload"},
		{"arbiter/new", `{"id":"1","args":{"variant":"classic","profile":"home","players":{"black":"A","white":"B"}}}`, idle, "request"},
		{"arbiter/new", `{"id":"1","args":{"players":{"black":"` + strings.Repeat("x", 65) + `"}}}`, idle, "bad_payload"},
		{"arbiter/new", `{"id":"1","args":{"variant":3}}`, idle, "bad_payload"},
		{"hub/replay", `{"id":"1","args":{"from":10,"to":41}}`, playing, "request"},
		{"hub/replay", `{"id":"1","args":{"from":9,"to":41}}`, playing, "gone"},
		{"hub/replay", `{"id":"1","args":{"from":42,"to":43}}`, playing, "bad_payload"},
		{"hub/replay", `{"id":"1","args":{"from":10,"to":509}}`, playing, "request"},
		{"hub/replay", `{"id":"1","args":{"from":10,"to":510}}`, playing, "bad_payload"},
		{"hub/replay", `{"id":"1","args":{"from":12,"to":11}}`, playing, "bad_payload"},
		{"hub/replay", `{"id":"1"}`, playing, "bad_payload"},
		// Age: only with ts and a clock of our own.
		{"ops/identify", `{"id":"1","ts":"2024-05-01T11:59:59.000Z","ttl_ms":1500}`, playing, "request"},
		{"ops/identify", `{"id":"1","ts":"2024-05-01T11:59:58.000Z","ttl_ms":1500}`, playing, "expired"},
		{"ops/identify", `{"id":"1","ts":"2024-05-01T11:59:58.000Z","ttl_ms":1500}`, unsynced, "request"},
		{"ops/identify", `{"id":"1","ttl_ms":1500}`, playing, "request"},
		{"ops/identify", `{"id":"1","ts":"2024-05-01T11:59:58.000Z"}`, playing, "request"},
		{"ops/identify", `{"id":"1","ts":"2024-05-01T11:59:58.000Z","ttl_ms":18446744073709551615}`, playing, "request"},
		{"ops/identify", `{"id":"1","ts":"yesterday","ttl_ms":1}`, playing, "bad_payload"},
		{"ops/identify", `{"id":"1","ttl_ms":-1}`, playing, "bad_payload"},
	} {
		if got := ask(newGate(board, DefaultCommands()), t0, tt.topic, tt.payload, tt.view).code(); got != tt.want {
			t.Errorf("%s %.90s in phase %s: %s, want %s", tt.topic, tt.payload, tt.view.phase, got, tt.want)
		}
	}
}

func TestRetainedComesBeforeEverything(t *testing.T) {
	g := newGate(board, DefaultCommands())
	for range 100 {
		o, _ := parseOrder(board, base+"cmd/arbiter/new")
		if v := g.check(time.Now(), incoming{order: o, payload: []byte("\xff"), retained: true}, view{}); !v.clear || v.answer != nil || v.request != nil {
			t.Fatalf("a retained command: %+v", v)
		}
	}
}

// Ten at once and five per second, for each role on its own.
func TestRateLimit(t *testing.T) {
	g := newGate(board, DefaultCommands())
	now := time.Now()
	n := 0
	count := func(role string, tries int) (taken int) {
		for range tries {
			n++
			switch c := ask(g, now, role+"/identify", fmt.Sprintf(`{"id":"%d"}`, n), view{}).code(); c {
			case "request":
				taken++
			case "rate_limited":
			default:
				t.Fatal(c)
			}
		}
		return taken
	}
	if got := count("ops", 50); got != 10 {
		t.Errorf("burst: %d, want 10", got)
	}
	if got := count("hub", 50); got != 10 {
		t.Errorf("burst of another role: %d, want 10", got)
	}
	now = now.Add(time.Second)
	if got := count("ops", 50); got != 5 {
		t.Errorf("after a second: %d, want 5", got)
	}
	now = now.Add(time.Hour)
	if got := count("ops", 50); got != 10 {
		t.Errorf("after an hour: %d, want 10", got)
	}
	now = now.Add(-time.Hour)
	if got := count("ops", 50); got != 0 {
		t.Errorf("after time ran backwards: %d, want 0", got)
	}
}

func TestDuplicatesReturnTheFirstAnswer(t *testing.T) {
	g := newGate(board, DefaultCommands())
	now := time.Now()
	next := func() time.Time { now = now.Add(time.Second); return now }
	first := ask(g, next(), "arbiter/identify", `{"id":"1","from":"desk-1"}`, view{seq: 4})
	// Twice more before the answer: nothing is said and nothing done.
	for range 2 {
		if c := ask(g, next(), "arbiter/identify", `{"id":"1","from":"desk-1"}`, view{seq: 4}).code(); c != "silence" {
			t.Fatalf("duplicate before the answer: %s", c)
		}
	}
	a, repeats, ok := g.finish(first.memo, Response{Seq: 5})
	if !ok || repeats != 2 || a.Dup || a.Seq != 5 || a.Status != "ok" {
		t.Fatalf("first answer %+v, %d repeats", a, repeats)
	}
	if _, _, ok := g.finish(first.memo, Response{Code: CodeBusy}); ok {
		t.Error("a second answer counts")
	}
	again := ask(g, next(), "arbiter/undo", `{"id":"1","from":"desk-1","if_seq":0}`, view{seq: 9})
	if again.answer == nil || !again.answer.Dup || again.answer.Seq != 5 || again.answer.Name != "identify" {
		t.Errorf("duplicate after the answer: %+v", again.answer)
	}
	// Another sender or another role is another command.
	for _, other := range []string{`{"id":"1","from":"desk-2"}`, `{"id":"1"}`, `{"id":"2","from":"desk-1"}`} {
		if c := ask(g, next(), "arbiter/identify", other, view{}).code(); c != "request" {
			t.Errorf("%s: %s", other, c)
		}
	}
	if c := ask(g, next(), "ops/identify", `{"id":"1","from":"desk-1"}`, view{}).code(); c != "request" {
		t.Errorf("same id in another role: %s", c)
	}
	// A refusal is remembered, being busy is not.
	stale := `{"id":"3","from":"desk-1","if_seq":1}`
	if c := ask(g, next(), "arbiter/undo", stale, view{seq: 2}).code(); c != "stale_seq" {
		t.Fatal(c)
	}
	if v := ask(g, next(), "arbiter/undo", stale, view{seq: 1}); v.code() != "stale_seq" || !v.answer.Dup {
		t.Errorf("a refused command sent again: %s", v.code())
	}
	busy := `{"id":"4","from":"desk-1"}`
	v := ask(g, next(), "arbiter/identify", busy, view{})
	g.finish(v.memo, Response{Code: CodeBusy})
	if c := ask(g, next(), "arbiter/identify", busy, view{}).code(); c != "request" {
		t.Errorf("sent again after busy: %s", c)
	}
}

func TestTheLast256AreRemembered(t *testing.T) {
	g := newGate(board, DefaultCommands())
	now := time.Now()
	for i := range 257 {
		now = now.Add(time.Second)
		v := ask(g, now, "ops/identify", fmt.Sprintf(`{"id":"%d"}`, i), view{})
		g.finish(v.memo, Response{})
	}
	for id, want := range map[int]string{0: "request", 256: "ok", 2: "ok"} {
		now = now.Add(time.Second)
		if c := ask(g, now, "ops/identify", fmt.Sprintf(`{"id":"%d"}`, id), view{}).code(); c != want {
			t.Errorf("command %d: %s, want %s", id, c, want)
		}
	}
}

func TestCommandsOfEarlierRunsAreRemembered(t *testing.T) {
	g := newGate(board, DefaultCommands())
	g.seed([]byte(`{"v":1,"seq":7,"type":"command","data":{"role":"arbiter","name":"new","id":"1","from":"desk-1","args":{}}}`), false)
	g.seed([]byte(`{"v":1,"seq":8,"type":"command","data":{"role":"ops","name":"identify","id":"2","from":null}}`), false)
	g.seed([]byte(`{"v":1,"seq":9,"type":"move","data":{"role":"ops","name":"command","id":"3"}}`), false)
	g.seed([]byte(`"command`), false)
	now := time.Now()
	v := ask(g, now, "arbiter/new", `{"id":"1","from":"desk-1"}`, view{})
	if v.answer == nil || !v.answer.Dup || v.answer.Seq != 7 || v.answer.Status != "ok" {
		t.Errorf("command of an earlier run: %s %+v", v.code(), v.answer)
	}
	if v := ask(g, now, "ops/identify", `{"id":"2"}`, view{}); v.code() != "ok" {
		t.Errorf("command without a sender: %s", v.code())
	}
	if v := ask(g, now, "ops/identify", `{"id":"3"}`, view{}); v.code() != "request" {
		t.Errorf("a move was taken for a command: %s", v.code())
	}
}

// The power went between the audit of an undo and the undo itself: whoever
// repeats the command must not be told that it was carried out.
func TestUndoThatWasCutOffIsNotRemembered(t *testing.T) {
	g := newGate(board, DefaultCommands())
	undo := `{"v":1,"seq":%d,"type":"command","data":{"role":"arbiter","name":"undo","id":"%d","from":"desk-1","args":{"plies":1}}}`
	g.seed(fmt.Appendf(nil, undo, 7, 1), false)
	g.seed(fmt.Appendf(nil, undo, 9, 2), true)
	now := time.Now()
	for id, want := range map[int]string{1: "ok", 2: "stale_seq"} {
		payload := fmt.Sprintf(`{"id":"%d","from":"desk-1","if_seq":8,"args":{"plies":1}}`, id)
		if v := ask(g, now, "arbiter/undo", payload, view{seq: 9, phase: "playing"}); v.code() != want {
			t.Errorf("undo %d again: %s, want %s", id, v.code(), want)
		}
	}
}

func TestArgumentsArrive(t *testing.T) {
	g := newGate(board, DefaultCommands())
	r := ask(g, time.Now(), "arbiter/new", `{"id":"1","from":"desk-1","args":{"variant":"classic","profile":"home","clock":{"mode":"none"},"players":{"black":"Ann","white":"Bob"}}}`, view{}).request
	if r == nil || r.New.Variant != "classic" || r.New.Profile != "home" || r.New.Black != plaintext.Const("Ann") || r.New.White != plaintext.Const("Bob") || string(r.New.Clock) != `{"mode":"none"}` {
		t.Fatalf("new: %+v", r)
	}
	if r.Role != Arbiter || r.Name != "new" || r.From != "desk-1" || r.ID != "1" || r.IfSeq != nil {
		t.Errorf("new: %+v", r)
	}
	if r := ask(g, time.Now(), "arbiter/undo", `{"id":"2","if_seq":0}`, view{}).request; r == nil || r.Undo.Plies != 1 || *r.IfSeq != 0 {
		t.Errorf("undo without plies: %+v", r)
	}
}

func TestTopics(t *testing.T) {
	for topic, want := range map[string]order{
		base + "cmd/arbiter/new":              {Arbiter, "new", false},
		base + "cmd/ha/correct_square":        {HA, "correct_square", false},
		"reversi/v1/_all/cmd/ops/identify":    {Ops, "identify", true},
		"reversi/v1/_all/cmd/arbiter/new":     {},
		base + "cmd/king/new":                 {},
		base + "cmd/arbiter":                  {},
		base + "cmd/arbiter/":                 {},
		base + "cmd/arbiter/new/x":            {},
		base + "cmd/arbiter/New":              {},
		base + "state":                        {},
		"reversi/v1/rv-b08/cmd/arbiter/new":   {},
		"reversi/v2/rv-b07/cmd/arbiter/new":   {},
		"/reversi/v1/rv-b07/cmd/arbiter/new":  {},
		"reversi/v1/rv-b07//cmd/arbiter/new":  {},
		"reversi/v1/rv-b07/cmd/arbiter/n ew":  {},
		"reversi/v1/rv-b07/cmd/arbiter/n\x00": {},
	} {
		got, ok := parseOrder(board, topic)
		if ok != (want != order{}) || ok && got != want {
			t.Errorf("%q: %+v, %t", topic, got, ok)
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"rv-b07": true, "a": true, "7": true, "a--b": true, strings.Repeat("a", 23): true,
		"": false, strings.Repeat("a", 24): false, "-a": false, "a-": false, "Board 7": false, "Rv": false,
		"a_b": false, "a.b": false, "a/b": false, "é": false, "#": false, "+": false, "$a": false,
	} {
		if ValidName(name) != want {
			t.Errorf("ValidName(%q) = %t", name, !want)
		}
	}
}
