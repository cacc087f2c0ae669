package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

// Version is the value of the member v of every payload.
const Version = 1

// MaxEvent is the size in bytes of the longest event that DecodeEvent reads;
// EncodeEvent stays far below it.
const MaxEvent = 64 << 10

// MaxName is the number of characters that names of players, and the texts of
// the audit of a command, may have. Longer ones are cut when they are written.
const MaxName = plaintext.MaxName

// fingerprintLen is the number of hexadecimal digits of board_fp.
const fingerprintLen = 16

// timeLayout is RFC 3339 in UTC with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Stamp says when a payload was made. Order by seq only: a board without a
// clock chip boots in the past.
type Stamp struct {
	// TS is the wall clock; written with milliseconds.
	TS time.Time
	// TSOK is true once the wall clock has been set from the network.
	TSOK bool
	// Boot counts the starts of the program.
	Boot int
	// Mono is the time since that start; written with milliseconds.
	Mono time.Duration
}

// Envelope is what surrounds every event and state.
type Envelope struct {
	Stamp
	// JID names the journal (a ULID), Seq is the place of the event in it; in
	// a state the last event included.
	JID string
	Seq uint64
	// Game names the game (a ULID), empty outside of one.
	Game string
	// Ply is the number of discs placed since the start, the event included.
	// EncodeState takes it from the state.
	Ply int
	// FP is the Fingerprint after the event. EncodeState takes it from the
	// state.
	FP string
	// Replay is true only in a copy that is sent again on request.
	Replay bool
}

// Fingerprint returns board_fp: the first 16 hexadecimal digits of the SHA-256
// of the 64 characters of the board (-BW, a1, b1 … h8) followed by b, w or -
// for the side to move.
func Fingerprint(d engine.Discs, turn engine.Color) string {
	var text [engine.Squares + 1]byte
	copy(text[:], d.String())
	switch turn {
	case engine.Black:
		text[engine.Squares] = 'b'
	case engine.White:
		text[engine.Squares] = 'w'
	case engine.None:
		text[engine.Squares] = '-'
	}
	sum := sha256.Sum256(text[:])
	return hex.EncodeToString(sum[:fingerprintLen/2])
}

// stampJSON is the part that every payload begins with.
type stampJSON struct {
	V      int     `json:"v"`
	TS     string  `json:"ts"`
	TSOK   bool    `json:"ts_ok"`
	Boot   int     `json:"boot"`
	MonoMS int64   `json:"mono_ms"`
	JID    string  `json:"jid"`
	Seq    uint64  `json:"seq"`
	Game   *string `json:"game"`
}

// head returns the beginning of a payload.
func (e Envelope) head() stampJSON {
	return stampJSON{
		V: Version, TS: formatTime(e.TS), TSOK: e.TSOK, Boot: e.Boot, MonoMS: e.Mono.Milliseconds(),
		JID: clean(e.JID), Seq: e.Seq, Game: orNull(clean(e.Game)),
	}
}

// SameButTime reports whether two payloads that begin with a stamp differ in nothing
// but the readings of the clocks in it, ts and mono_ms.
func SameButTime(a, b []byte) bool {
	bootA, restA := undated(a)
	bootB, restB := undated(b)
	return bytes.Equal(bootA, bootB) && bytes.Equal(restA, restB)
}

// undated returns what stands between and behind the readings of the clocks.
func undated(payload []byte) (between, behind []byte) {
	_, behind, _ = bytes.Cut(payload, []byte(`,"ts_ok":`))
	between, behind, _ = bytes.Cut(behind, []byte(`,"mono_ms":`))
	return between, bytes.TrimLeft(behind, "-0123456789")
}

// envelope reads the beginning of a payload.
func (h stampJSON) envelope() (Envelope, error) {
	if h.V != Version {
		return Envelope{}, fmt.Errorf("read v: got %d, this program reads %d", h.V, Version)
	}
	ts, err := time.Parse(timeLayout, h.TS)
	if err != nil {
		return Envelope{}, fmt.Errorf("read ts: %.40q is not a time in UTC with milliseconds", h.TS)
	}
	mono, err := milliseconds("mono_ms", h.MonoMS)
	if err != nil {
		return Envelope{}, err
	}
	e := Envelope{Stamp: Stamp{TS: ts, TSOK: h.TSOK, Boot: h.Boot, Mono: mono}, JID: word(h.JID), Seq: h.Seq}
	if h.Game != nil {
		e.Game = word(*h.Game)
	}
	if h.Boot < 0 {
		return Envelope{}, fmt.Errorf("read boot: %d is negative", h.Boot)
	}
	return e, errors.Join(short("jid", h.JID), short("game", orEmpty(h.Game)))
}

// formatTime writes t; a year that has not four digits comes from a clock that
// is not set, and must not keep an event from being stored.
func formatTime(t time.Time) string {
	t = t.UTC()
	if t.Year() < 0 || t.Year() > 9999 {
		t = time.Unix(0, 0).UTC()
	}
	return t.Format(timeLayout)
}

// milliseconds turns a member into a duration.
func milliseconds(member string, ms int64) (time.Duration, error) {
	const limit = int64(1<<63-1) / int64(time.Millisecond)
	if ms < -limit || ms > limit {
		return 0, fmt.Errorf("read %s: %d milliseconds are out of range", member, ms)
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// clean returns text as valid UTF-8 of at most MaxName characters. What is
// announced must never be lost because of a strange name.
func clean(text string) string { return cut(text, MaxName) }

// maxReason is the number of characters of a sentence that says why.
const maxReason = plaintext.MaxReason

// cut returns text as valid UTF-8 of at most limit characters.
func cut(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	n := 0
	for i := range text {
		if n == limit {
			return text[:i]
		}
		n++
	}
	return text
}

// short reports a text that clean would have cut.
func short(member, text string) error { return shorter(member, text, MaxName) }

// shorter reports a text that cut would have cut.
func shorter(member, text string, limit int) error {
	if utf8.RuneCountInString(text) > limit {
		return fmt.Errorf("read %s: longer than %d characters", member, limit)
	}
	return nil
}

// orNull returns nil for an empty text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// orEmpty returns the empty text for nil.
func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// marshal writes v without HTML escapes and without a final line feed.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// squares is a set of squares as an array of names in ascending order.
type squares engine.Bitboard

// MarshalJSON implements json.Marshaler.
func (s squares) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for q := range engine.Bitboard(s).All() {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, q.String()...)
		b = append(b, '"')
	}
	return append(b, ']'), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *squares) UnmarshalJSON(b []byte) error {
	var names []string
	if err := json.Unmarshal(b, &names); err != nil {
		return fmt.Errorf("read squares: %w", err)
	}
	*s = 0
	for _, name := range names {
		q, err := square(name)
		if err != nil {
			return err
		}
		*s |= squares(q.Bit())
	}
	return nil
}

// square reads the name of a square as this package writes it.
func square(name string) (engine.Square, error) {
	q, err := engine.ParseSquare(name)
	if err != nil || q.String() != name {
		return 0, fmt.Errorf("read square: %.16q is not a square, want a–h and 1–8, like e6", name)
	}
	return q, nil
}

// board reads 64 characters of -BW.
func board(text string) (engine.Discs, error) {
	d, err := engine.ParseDiscs(text)
	if err != nil || d.String() != text {
		return engine.Discs{}, fmt.Errorf("read board: %.80q is not 64 characters of -BW", text)
	}
	return d, nil
}

// color reads black, white or none.
func color(member, word string) (engine.Color, error) {
	for c := range engine.None + 1 {
		if c.String() == word {
			return c, nil
		}
	}
	return engine.None, fmt.Errorf("read %s: %.16q is not black, white or none", member, word)
}

// player reads black or white.
func player(member, word string) (engine.Color, error) {
	c, err := color(member, word)
	if err == nil && c == engine.None {
		err = fmt.Errorf("read %s: %q is no player", member, word)
	}
	return c, err
}

// playerWord writes black or white.
func playerWord(member string, c engine.Color) (string, error) {
	if c >= engine.None {
		return "", fmt.Errorf("write %s: color %d is no player", member, c)
	}
	return c.String(), nil
}
