package virtual

import (
	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/flight"
)

// Record puts what happens from now on on a tape; nothing may have been scanned
// before. Continue numbers the events first, if they are to go on from a journal.
func (t *Table) Record(tape *flight.Tape) { app.Record(tape, t.Core, t.eyes, t.now) }
