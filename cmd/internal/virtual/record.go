package virtual

import (
	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/flight"
)

// Record tapes what happens from now on; nothing may have been scanned
// before. Continue numbers the events first, if they are to go on from a journal.
func (t *Table) Record(tape *flight.Tape) { app.Record(tape, t.Core, t.eyes, t.now) }
