package flight

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"reversi-board/engine/referee"
)

// leastSecret is how many bytes a secret must have to be looked for in a recording,
// where numbers stand between the texts: a shorter one would be found in them.
const leastSecret = 4

// Redact returns a segment in which secrets that somebody has typed as a text, such
// as a token in the place of a name, are overwritten. Lengths stay as they are, so
// that the segment replays to the same, equally overwritten events. Besides the secrets
// everything is that looks like a token (Tokens), as one of another board or one that
// holds no more does. What follows a tear is left out: it cannot be searched.
func Redact(b []byte, secrets []string) ([]byte, error) {
	rest, err := checkMagic(b)
	if err != nil {
		return nil, err
	}
	list, _ := blocks(rest)
	if len(list) == 0 {
		return nil, fmt.Errorf("%w in its header", ErrTorn)
	}
	stream, err := unpress(list[1:])
	if err != nil {
		return nil, err
	}
	fill := filler(append(typedTokens(b), secrets...))
	var p press
	out, err := p.begin([]byte(fill.Replace(string(list[0]))))
	if err != nil {
		return nil, err
	}
	for text := []byte(fill.Replace(string(stream))); len(text) > 0; {
		n := min(len(text), maxBlock/2)
		block, err := p.block(text[:n])
		if err != nil {
			return nil, err
		}
		out = append(out, block...)
		text = text[n:]
	}
	return out, nil
}

// typedTokens lists what looks like a token in the texts of a segment. They are read one
// by one: in the file a text stands behind its length, which may look like a letter.
func typedTokens(b []byte) (list []string) {
	s, err := ReadSegment("", b)
	if err != nil {
		return nil // of another version of the program: only what is known is found
	}
	add := func(text []byte) {
		for _, at := range Tokens(text) {
			list = append(list, string(text[at[0]:at[1]]))
		}
	}
	add(fmt.Appendf(nil, "%+v", s.State))
	for _, r := range s.Records {
		if r.Step == nil {
			continue
		}
		switch r.Step.Input.(type) {
		case referee.Command, referee.EngineGone:
			add(fmt.Appendf(nil, "%+v", r.Step.Input))
		case referee.Seen, referee.Felt, referee.CellsFailed, referee.CellsBack, referee.PowerOn, referee.Tick, referee.Pressed,
			referee.WallStepped, referee.Suggested: // they hold no text
		}
		for _, e := range r.Step.Events {
			add(e.Payload)
		}
	}
	return list
}

// tokenLen is the length of the tokens and passwords that the program makes
// (crypto/rand.Text), in characters of base32.
const tokenLen = 26

// Tokens returns where a text holds what looks like a token that the program has made:
// begin and end of each. Boards of B and W and rows of moves in capital letters do not,
// nor do the ids of journals and games, which begin with 01.
func Tokens(text []byte) (found [][2]int) {
	begin, odd := 0, 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && (text[i] >= 'A' && text[i] <= 'Z' || text[i] >= '2' && text[i] <= '7') {
			if text[i] > 'H' && text[i] != 'W' {
				odd++
			}
			continue
		}
		if i-begin >= tokenLen && odd >= 3 {
			found = append(found, [2]int{begin, i})
		}
		begin, odd = i+1, 0
	}
	return found
}

// filler overwrites secrets, as they are and as they stand in JSON, the longest
// first: one may be a part of another.
func filler(secrets []string) *strings.Replacer {
	secrets = slices.Clone(secrets)
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, s := range slices.Compact(secrets) {
		if len(s) < leastSecret {
			continue
		}
		over := overwritten(s)
		for _, forHTML := range []bool{true, false} {
			if was, is := inJSON(s, forHTML), inJSON(over, forHTML); was != s && len(was) == len(is) {
				pairs = append(pairs, was, is)
			}
		}
		pairs = append(pairs, s, over)
	}
	return strings.NewReplacer(pairs...)
}

// overwritten returns a text of the same length, also where it is quoted as JSON:
// letters and digits are gone, what JSON escapes stays.
func overwritten(s string) string {
	return strings.Map(func(r rune) rune {
		switch size := utf8.RuneLen(r); {
		case r < ' ' || strings.ContainsRune(`"\<>&`, r) || r == '\u2028' || r == '\u2029':
			return r
		case size == 2:
			return '·'
		case size == 3:
			return '…'
		case size == 4:
			return '𝅘'
		default:
			return 'x'
		}
	}, s)
}

// inJSON returns a text as it stands between the quotes of a JSON string, in which
// what means something in HTML may be escaped as well.
func inJSON(s string, forHTML bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(forHTML)
	if err := e.Encode(s); err != nil {
		return s
	}
	return strings.Trim(b.String(), "\n")[1 : b.Len()-2]
}
