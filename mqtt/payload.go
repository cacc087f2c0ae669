package mqtt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Stamp is the time of a message, as in every payload: wall clock, whether the
// wall clock is synchronised, counter of program starts, and monotonic time
// since this start.
type Stamp struct {
	TS   time.Time
	TSOK bool
	Boot int
	Mono time.Duration
}

// Caps says what a board can do; part of meta.
type Caps struct {
	ColorSensing bool `json:"color_sensing"`
	LEDs         bool `json:"leds"`
	Clock        bool `json:"clock"`
	Speech       bool `json:"speech"`
	Hints        bool `json:"hints"`
}

// availability is the payload of the topic of that name.
type availability struct {
	V       int     `json:"v"`
	State   string  `json:"state"`
	Session string  `json:"session"`
	Boot    int     `json:"boot"`
	Reason  *string `json:"reason"`
}

// meta is the payload of the topic of that name.
type meta struct {
	V          int                 `json:"v"`
	Board      string              `json:"board"`
	Name       string              `json:"name"`
	SW         string              `json:"sw"`
	HW         string              `json:"hw"`
	Schema     string              `json:"schema"`
	JID        string              `json:"jid"`
	FirstSeq   uint64              `json:"first_seq"`
	LastSeq    uint64              `json:"last_seq"`
	Commands   map[string][]string `json:"commands"`
	Caps       Caps                `json:"caps"`
	HeartbeatS int                 `json:"heartbeat_s"`
}

// answer is the payload of resp/<client>.
type answer struct {
	V      int     `json:"v"`
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Status string  `json:"status"`
	Code   *Code   `json:"code"`
	Error  *string `json:"error"`
	Seq    uint64  `json:"seq"`
	Dup    bool    `json:"dup"`
}

// alert is the payload of alert/<code>.
type alert struct {
	V        int      `json:"v"`
	TS       string   `json:"ts"`
	TSOK     bool     `json:"ts_ok"`
	Boot     int      `json:"boot"`
	MonoMS   int64    `json:"mono_ms"`
	Code     string   `json:"code"`
	Severity string   `json:"severity"`
	Text     string   `json:"text"`
	Squares  []string `json:"squares"`
	Since    string   `json:"since"`
}

// EncodeAlert returns the payload of alert/<code>. Severity is info, warn or
// error; squares are names such as "e6".
func EncodeAlert(at Stamp, code, severity, text string, squares []string, since time.Time) []byte {
	if squares == nil {
		squares = []string{}
	}
	return encode(alert{
		V: 1, TS: timestamp(at.TS), TSOK: at.TSOK, Boot: at.Boot, MonoMS: at.Mono.Milliseconds(),
		Code: code, Severity: severity, Text: text, Squares: squares, Since: timestamp(since),
	})
}

// timestamp is RFC 3339 in UTC with milliseconds.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

// encode cannot fail for the structs of this file: they hold nothing but
// strings, numbers and maps of strings.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("mqtt: encode %T: %v", v, err))
	}
	return b
}

// AlertCodes lists the codes of alert/<code>.
func AlertCodes() []string {
	return []string{
		"sensor_fault", "bank_lost", "storage", "power", "illegal_position", "flips_pending",
		"out_of_turn", "orientation", alertRetained, alertDuplicate, "time_unset", "led",
		"device_lost", "engine_lost",
	}
}

// The alerts that the adapter raises by itself.
const (
	alertRetained  = "retained_command"
	alertDuplicate = "duplicate_id"
)

var errNoObject = errors.New("not a JSON object")

// markReplay returns a copy of a stored event whose member "replay" is true.
func markReplay(event []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(event))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errNoObject
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("read event: %w", err)
		}
		begin := dec.InputOffset()
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("read event: %w", err)
		}
		if key == "replay" {
			return bytes.Join([][]byte{event[:begin], []byte(":true"), event[dec.InputOffset():]}, nil), nil
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("read event: %w", err)
	}
	open := bytes.IndexByte(event, '{') + 1
	sep := []byte(`"replay":true`)
	if rest := bytes.TrimSpace(event[open:]); rest[0] != '}' {
		sep = append(sep, ',')
	}
	return bytes.Join([][]byte{event[:open], sep, event[open:]}, nil), nil
}
