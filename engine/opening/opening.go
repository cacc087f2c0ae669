// Package opening holds openings that leave both sides about even, in the manner
// of XOT (https://berg.earthlingz.de/xot/aboutxot.php): eight plies that are
// played before the players begin, so that none of them can have learned what
// follows. It is a list: how an opening is read is in engine/notation, and who
// draws one brings the chance.
package opening

import (
	_ "embed"
	"strings"
)

//go:embed openings.txt
var file string

// Lines returns the openings as transcripts of eight moves from the standard
// start, "f5d6c4d3c2b3b4b5". The first 22 are XOT's own, the rest are made by its
// rule with engine/search/openings.
func Lines() []string {
	var lines []string
	for line := range strings.Lines(file) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// Draw returns one of Lines by lot; intn returns a number from 0 to below n, as
// rand.IntN does.
func Draw(intn func(n int) int) string {
	lines := Lines()
	return lines[intn(len(lines))]
}
