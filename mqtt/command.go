package mqtt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"reversi-board/engine/plaintext"
)

// Code is the machine-readable part of an answer; empty when all is well.
type Code string

// The codes.
const (
	CodeOK          Code = ""
	CodeStaleSeq    Code = "stale_seq"
	CodeNotAllowed  Code = "not_allowed"
	CodeBadPayload  Code = "bad_payload"
	CodeRateLimited Code = "rate_limited"
	CodeBusy        Code = "busy"
	CodeExpired     Code = "expired"
	CodeGone        Code = "gone"
	CodeUnknown     Code = "unknown"
)

// Request is a command that has passed all checks of this package. The
// application executes or refuses it, and answers with Reply.
type Request struct {
	Role Role
	// Name is a name of Options.Commands. ID is unique per sender; From is who
	// wants an answer, empty for nobody.
	Name, ID, From string
	// All says that the command was sent to every board.
	All bool
	// IfSeq, unless nil, is the seq of the state that the sender has seen. It
	// has been compared with the last state given to the adapter; the
	// application compares it again when it executes the command.
	IfSeq *uint64
	// Args of the command with the name; the others are zero.
	New    NewArgs
	Undo   UndoArgs
	Replay ReplayArgs
	Diag   DiagArgs
	// RawArgs is the object "args", nil if there was none.
	RawArgs json.RawMessage

	reply func(Response)
}

// NewArgs are the arguments of "new"; empty means as configured.
type NewArgs struct {
	Variant, Profile string
	// Black and White are the names of the players, at most 64 characters.
	Black, White plaintext.Text
	// Clock is the clock's settings as sent, nil for none.
	Clock json.RawMessage
}

// UndoArgs are the arguments of "undo": how many discs to take back, 1 to 64.
type UndoArgs struct{ Plies int }

// ReplayArgs are the arguments of "replay": the first and the last event wanted.
type ReplayArgs struct{ From, To uint64 }

// DiagArgs are the arguments of "diag": whether sensor/raw is to be published,
// and for how long from now on, at most MaxRaw. Without arguments diag is
// published once more, and sensor/raw goes on as it was.
type DiagArgs struct {
	// Set says that raw was among the arguments.
	Set, Raw bool
	For      time.Duration
}

// MaxRaw is how long sensor/raw may be published after a command.
const MaxRaw = 10 * time.Minute

// Response is the application's answer. Seq is the seq after execution.
type Response struct {
	Code Code
	Text string
	Seq  uint64
}

// Reply answers the request. It never blocks; only the first answer counts.
func (r Request) Reply(p Response) {
	if r.reply != nil {
		r.reply(p)
	}
}

// Limits of a command's payload.
const (
	maxCommand = 8 << 10
	maxDepth   = 8
	maxID      = 64
	maxReplay  = 500
)

// payload is a command's payload after decoding.
type payload struct {
	id, from string
	args     json.RawMessage
	ifSeq    *uint64
	ts       time.Time
	ttl      time.Duration
	hasTTL   bool
}

var (
	errTooLarge = fmt.Errorf("more than %d bytes", maxCommand)
	errText     = errors.New("not UTF-8, or a NUL in it")
	errDepth    = fmt.Errorf("nested deeper than %d", maxDepth)
)

// decodePayload reads the payload of a command. With an error, id and from are
// still set if they could be read, so that the sender can be told.
func decodePayload(b []byte) (p payload, err error) {
	if err := CheckForm(b); err != nil {
		return p, err
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(b, &m); err != nil || m == nil {
		return p, errNoObject
	}
	f := fields(m)
	var v uint64
	var ts string
	var ttl *uint64
	// The address first: it is needed to answer about the rest.
	err = errors.Join(
		f.read("from", &p.from), f.read("id", &p.id), f.read("v", &v), f.read("if_seq", &p.ifSeq),
		f.read("ts", &ts), f.read("ttl_ms", &ttl), f.read("args", &p.args),
	)
	if p.from != "" && !ValidName(p.from) {
		p.from = ""
		return p, errors.New("from: not a client name, want a-z, 0-9 and -, at most 23 characters")
	}
	if strings.ContainsFunc(p.id, plaintext.Hidden) {
		p.id = ""
		return p, errors.Join(err, errors.New("id: holds characters that cannot be shown"))
	}
	if n := utf8.RuneCountInString(p.id); n < 1 || n > maxID {
		p.id = ""
		return p, errors.Join(err, fmt.Errorf("id: want 1 to %d characters", maxID))
	}
	if err != nil {
		return p, err
	}
	if v > 1 {
		return p, fmt.Errorf("v: %d is not known here", v)
	}
	if p.args != nil && p.args[0] != '{' {
		return p, errors.New("args: not an object")
	}
	if ts != "" {
		if p.ts, err = time.Parse(time.RFC3339, ts); err != nil {
			return p, errors.New("ts: not a time as in RFC 3339")
		}
	}
	if ttl != nil {
		p.hasTTL, p.ttl = true, time.Duration(min(*ttl, math.MaxInt64/uint64(time.Millisecond)))*time.Millisecond
	}
	return p, nil
}

// fields reads members by their exact names; encoding/json alone would also
// take them in other cases. A missing member and null leave the target alone.
type fields map[string]json.RawMessage

func (f fields) read(name string, into any) error {
	raw, ok := f[name]
	if !ok || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	if target, ok := into.(*json.RawMessage); ok {
		*target = raw
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s: wrong type or out of range", name)
	}
	return nil
}

// CheckForm refuses a command that is, from MQTT or from the page: what is too large, not UTF-8, holds a NUL, plain or
// escaped, is nested too deep or is not one JSON value.
func CheckForm(b []byte) error {
	if len(b) > maxCommand {
		return errTooLarge
	}
	if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		return errText
	}
	if !json.Valid(b) {
		return errNoObject
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	for depth := 0; ; {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return errNoObject
		}
		if s, ok := t.(string); ok && strings.IndexByte(s, 0) >= 0 {
			return errText
		}
		if depth += nesting(t); depth > maxDepth {
			return errDepth
		}
	}
}

// nesting returns how a token changes the depth.
func nesting(t json.Token) int {
	switch t {
	case json.Delim('{'), json.Delim('['):
		return 1
	case json.Delim('}'), json.Delim(']'):
		return -1
	}
	return 0
}

// decodeArgs reads the arguments of the commands known here into r.
func decodeArgs(r *Request) error {
	m := fields{}
	if r.RawArgs != nil {
		if err := json.Unmarshal(r.RawArgs, &m); err != nil {
			return errNoObject
		}
	}
	switch r.Name {
	case "new":
		return decodeNew(m, &r.New)
	case "undo":
		r.Undo.Plies = 1
		if err := m.read("plies", &r.Undo.Plies); err != nil {
			return err
		}
		if r.Undo.Plies < 0 || r.Undo.Plies > 64 {
			return errors.New("plies: want 1 to 64, or 0 to take back a declared end of the game alone")
		}
	case "diag":
		return decodeDiag(m, &r.Diag)
	case "replay":
		a := &r.Replay
		if err := errors.Join(m.read("from", &a.From), m.read("to", &a.To)); err != nil {
			return err
		}
		if a.From < 1 || a.To < a.From || a.To-a.From >= maxReplay {
			return fmt.Errorf("from, to: want a range of at most %d events", maxReplay)
		}
	}
	return nil
}

func decodeDiag(m fields, a *DiagArgs) error {
	var raw *bool
	seconds := int(MaxRaw / time.Second)
	if err := errors.Join(m.read("raw", &raw), m.read("seconds", &seconds)); err != nil {
		return err
	}
	if most := int(MaxRaw / time.Second); seconds < 1 || seconds > most {
		return fmt.Errorf("seconds: want 1 to %d", most)
	}
	if raw != nil {
		*a = DiagArgs{Set: true, Raw: *raw, For: time.Duration(seconds) * time.Second}
	}
	return nil
}

func decodeNew(m fields, a *NewArgs) error {
	var names map[string]json.RawMessage
	err := errors.Join(m.read("variant", &a.Variant), m.read("profile", &a.Profile),
		m.read("clock", &a.Clock), m.read("players", &names))
	if err != nil {
		return err
	}
	for color, to := range map[string]*plaintext.Text{"black": &a.Black, "white": &a.White} {
		var name string
		if err := fields(names).read(color, &name); err != nil {
			return err
		}
		if *to, err = plaintext.Parse("players: the name of "+color, name, plaintext.MaxName); err != nil {
			return err //nolint:wrapcheck // it names the player
		}
	}
	if max(len(a.Variant), len(a.Profile)) > 32 {
		return errors.New("variant, profile: no such name")
	}
	return nil
}
