package mqtt

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// Limits of the commands taken from one role.
const (
	rate   = 5 // per second
	burst  = 10
	recall = 256 // answers remembered
)

// gate decides what becomes of a command. Time comes in as data.
type gate struct {
	board    string
	commands map[string][]string

	mu      sync.Mutex
	buckets map[Role]bucket
	seen    memory
}

// bucket is a token bucket.
type bucket struct {
	tokens float64
	at     time.Time
}

// incoming is a message on a command topic.
type incoming struct {
	order
	payload  []byte
	retained bool
}

// view is what the gate must know about the board.
type view struct {
	// seq and phase of the last state.
	seq   uint64
	phase string
	// first and last seq that the journal can replay.
	first, last uint64
	stamp       Stamp
}

// verdict is what to do with a command: at most one of the three.
type verdict struct {
	// clear: the topic holds a retained command that must go.
	clear bool
	// request to execute; its answer goes to memo.
	request *Request
	// answer at once, if there is somebody to tell.
	answer *answer
	from   string
	memo   *memo
}

// key identifies a command.
type key struct {
	role     Role
	from, id string
}

// memo is a command that has been decided, or is being executed.
type memo struct {
	key
	name string
	done bool
	answer
	// waiting is how many duplicates came before the answer.
	waiting int
}

// memory holds the last commands in the order of their arrival.
type memory struct {
	byKey map[key]*memo
	ring  []*memo
}

func (m *memory) add(e *memo) {
	if m.byKey == nil {
		m.byKey = make(map[key]*memo, recall)
	}
	if len(m.ring) == recall {
		old := m.ring[0]
		m.ring = slices.Delete(m.ring, 0, 1)
		delete(m.byKey, old.key)
	}
	m.byKey[e.key] = e
	m.ring = append(m.ring, e)
}

func (m *memory) forget(e *memo) {
	if m.byKey[e.key] != e {
		return
	}
	delete(m.byKey, e.key)
	m.ring = slices.DeleteFunc(m.ring, func(x *memo) bool { return x == e })
}

func newGate(board string, commands map[string][]string) *gate {
	return &gate{board: board, commands: commands, buckets: make(map[Role]bucket)}
}

// check runs a command through all checks, in the order of the contract.
func (g *gate) check(now time.Time, in incoming, v view) verdict {
	if in.retained {
		return verdict{clear: true}
	}
	p, err := decodePayload(in.payload)
	r := Request{
		Role: in.role, Name: in.name, All: in.all, ID: p.id, From: p.from, IfSeq: p.ifSeq, RawArgs: p.args,
	}
	if err == nil {
		err = decodeArgs(&r)
	}
	if err != nil {
		return r.refuse(CodeBadPayload, err.Error(), v.seq)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.take(now, in.role) {
		return r.refuse(CodeRateLimited, "more than 5 commands per second", v.seq)
	}
	k := key{in.role, p.from, p.id}
	if e, again := g.seen.byKey[k]; again {
		return e.repeat()
	}
	e := &memo{key: k, name: in.name}
	g.seen.add(e)
	if code, text := g.judge(&r, p, v); code != CodeOK {
		out := r.refuse(code, text, v.seq)
		e.done, e.answer = true, *out.answer
		return out
	}
	return verdict{request: &r, memo: e, from: r.From}
}

// judge is the part of the checks whose outcome is remembered.
func (g *gate) judge(r *Request, p payload, v view) (Code, string) {
	if code, text := g.role(r, v); code != CodeOK {
		return code, text
	}
	if r.IfSeq != nil && *r.IfSeq != v.seq {
		return CodeStaleSeq, "the board has moved on"
	}
	if r.IfSeq == nil && NeedsSeq(r.Name, r.Role, v.running()) {
		return CodeBadPayload, NoSeq
	}
	if p.hasTTL && !p.ts.IsZero() && v.stamp.TSOK && v.stamp.TS.After(p.ts.Add(p.ttl)) {
		return CodeExpired, "too old"
	}
	return CodeOK, ""
}

// role checks the role and, as far as it is known here, the phase.
func (g *gate) role(r *Request, v view) (Code, string) {
	switch {
	case !g.known(r.Name):
		return CodeUnknown, "no such command"
	case !slices.Contains(g.commands[string(r.Role)], r.Name) || r.All && !forAll(r.Name):
		return CodeNotAllowed, "not for this role"
	case r.Role == HA && r.Name == "new" && v.running():
		return CodeNotAllowed, "a game is running"
	case r.Name == "replay" && r.Replay.From < v.first:
		return CodeGone, "the journal begins later: take the state instead"
	case r.Name == "replay" && r.Replay.From > v.last:
		return CodeBadPayload, "there is no such event yet"
	}
	return CodeOK, ""
}

func (g *gate) known(name string) bool {
	for _, names := range g.commands {
		if slices.Contains(names, name) {
			return true
		}
	}
	return false
}

// forAll says which commands may be sent to every board at once.
func forAll(name string) bool { return name == "identify" || name == "pause" }

// NoSeq answers an order that must say which state it is about.
const NoSeq = "if_seq is missing: send the seq of the state you have seen"

// NeedsSeq reports whether an order must name the state that it is about, whoever
// takes it: over MQTT and on the page alike. Running says that a game is on.
func NeedsSeq(name string, role Role, running bool) bool {
	switch name {
	case "new":
		return running
	case "undo":
		return role != HA
	case "confirm":
		return true
	}
	return Rules(name)
}

// Rules reports whether a command rules on a game: on its moves, clocks or result.
// It must name the state that it is about, whoever sends it.
func Rules(name string) bool {
	switch name {
	case "resign", "adjudicate", "clock_set", "correct_square", "revise", "let_stand", "claim", "pass":
		return true
	}
	return false
}

func (v view) running() bool { return v.phase == "playing" || v.phase == "paused" }

// take spends a token of the role.
func (g *gate) take(now time.Time, r Role) bool {
	b, ok := g.buckets[r]
	if !ok {
		b = bucket{tokens: burst, at: now}
	}
	b.tokens = min(burst, b.tokens+rate*max(0, now.Sub(b.at).Seconds()))
	b.at = now
	ok = b.tokens >= 1
	if ok {
		b.tokens--
	}
	g.buckets[r] = b
	return ok
}

// refuse returns the verdict with the answer to r.
func (r Request) refuse(code Code, text string, seq uint64) verdict {
	return verdict{answer: newAnswer(r.ID, r.Name, Response{Code: code, Text: text, Seq: seq}), from: r.From}
}

func newAnswer(id, name string, p Response) *answer {
	a := &answer{V: 1, ID: id, Name: name, Status: "ok", Seq: p.Seq}
	if p.Code != CodeOK {
		a.Status, a.Code, a.Error = "error", &p.Code, &p.Text
	}
	return a
}

// repeat is the verdict on a duplicate; the caller holds the lock.
func (e *memo) repeat() verdict {
	if !e.done {
		e.waiting++
		return verdict{}
	}
	again := e.answer
	again.Dup = true
	return verdict{answer: &again, from: e.from}
}

// finish keeps the answer of e, if it is the first, and returns what to send:
// the answer itself and how often it is to be repeated for duplicates.
func (g *gate) finish(e *memo, p Response) (first answer, repeats int, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if e.done {
		return answer{}, 0, false
	}
	e.done, e.answer = true, *newAnswer(e.id, e.name, p)
	if p.Code == CodeBusy {
		g.seen.forget(e) // nothing has been decided: the sender may try again
	}
	return e.answer, e.waiting, true
}

// seed remembers a command of an earlier run from its event in the journal. An
// undo that is the newest event of all was cut off before it was carried out:
// nobody has been told that it was, and a repetition is a new command.
func (g *gate) seed(event []byte, newest bool) {
	var e struct {
		Type string `json:"type"`
		Seq  uint64 `json:"seq"`
		Data struct {
			Role Role    `json:"role"`
			Name string  `json:"name"`
			ID   string  `json:"id"`
			From *string `json:"from"`
		} `json:"data"`
	}
	if !bytes.Contains(event, []byte(`"command"`)) || json.Unmarshal(event, &e) != nil || e.Type != "command" || e.Data.ID == "" {
		return
	}
	if newest && e.Data.Name == "undo" {
		return
	}
	k := key{role: e.Data.Role, id: e.Data.ID}
	if e.Data.From != nil {
		k.from = *e.Data.From
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.seen.byKey[k]; known {
		return
	}
	g.seen.add(&memo{
		key: k, name: e.Data.Name, done: true, answer: *newAnswer(k.id, e.Data.Name, Response{Seq: e.Seq}),
	})
}
