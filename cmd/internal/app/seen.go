package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"reversi-board/engine"
)

// seenFile holds what the cells said last, so that a restart can tell which of
// them changed while the program was not running. It names the event after
// which that was seen: with another last event in the journal it says nothing.
const seenFile = "last-seen.txt"

// seenText is the content of seenFile.
func seenText(jid string, seq uint64, d engine.Discs) string {
	return sealed(fmt.Sprintf("%s %d %s", jid, seq, d))
}

// readSeen returns what the cells said last; ok is false when that is not known.
func readSeen(dir, jid string, seq uint64) (d engine.Discs, ok bool) {
	line, err := os.ReadFile(filepath.Join(dir, seenFile)) //nolint:gosec // a fixed name in the data folder
	if err != nil {
		return d, false
	}
	text, whole := unsealed(line)
	board, ours := strings.CutPrefix(text, fmt.Sprintf("%s %d ", jid, seq))
	if !whole || !ours {
		return d, false
	}
	d, err = engine.ParseDiscs(board)
	return d, err == nil
}
