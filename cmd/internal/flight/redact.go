package flight

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// leastSecret is how many bytes a secret must have to be looked for in a recording,
// where numbers stand between the texts: a shorter one would be found in them.
const leastSecret = 4

// Redact returns a segment in which secrets that somebody has typed as a text, such
// as a token in the place of a name, are overwritten. Lengths stay as they are, so
// that the segment replays to the same, equally overwritten events. What follows a
// tear is left out: it cannot be searched.
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
	fill := filler(secrets)
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
