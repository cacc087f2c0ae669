// Package reed64 reads the cheap board: 64 reed contacts in a matrix of eight
// rows and eight columns, each contact in series with a diode whose cathode is
// at the row. A contact closes while a disc lies on its cell, whichever side is
// up: the board sees discs and no colors.
//
// It is NOT sensing: it debounces nothing. It does not know which pins its lines
// are either: Rows and Columns are handed to it, and bit k is line k.
//
// # A scan
//
// The rows are outputs, the columns inputs with pull-ups. All rows are high but
// one; the columns are given RiseTime to charge through their pull-ups; those
// that are low then have a closed contact on that row. Eight writes and eight
// reads make a scan, each one call of the kernel, and the eight waits most of
// its time: below a millisecond on a Raspberry Pi. The row that was last stays
// low until the next scan: a closed contact then costs its pull-up's 70 µA, and
// a ninth write would cost more.
//
// The first scan, the first one after an error and then every 64th one also
// reads the columns with all rows high. Nothing may be low then: a column that
// is has a short to ground, or a contact to a row that cannot rise, and says
// nothing about its cells.
//
// # Why diodes, and how a bad one shows
//
// Without its diode a closed contact is a wire between its row and its column,
// and current takes detours:
//
//	             column 3      column 6
//	row 2  ───────── X ─────────── b       X has a shorted diode, b and c are
//	                 │             │       closed. While row 5 is low, current
//	row 5  ───────── c ─────────── ?       flows from column 6 over b, row 2, X,
//	                                       column 3 and c: ? seems closed.
//
// Three closed corners of a rectangle fake the fourth, opposite to the shorted
// diode. No pattern of rows tells such a ghost from a disc, and discs fill
// rectangles all the time (the start of the game is one). What gives it away is
// that it comes the moment the third corner closes: a hand puts down one disc
// at a time. So:
//
//   - Two corners of a rectangle that close within two scans, and thereby fill
//     it, cannot be told apart: each may be the ghost of the other, if the
//     diode opposite to it is shorted. Both diodes are taken for shorted then,
//     and whatever one of them may fake is refused while it may: North and
//     South bits both set, which no disc does.
//   - Three closed corners with the fourth open prove that the diode opposite
//     to the fourth blocks. It takes two coincidences to doubt it again. On a
//     board without faults almost every diode is proven after a few moves, and
//     hands that put down two discs at the same moment are believed.
//   - A refused contact that stays closed when another corner opens was a
//     disc, and the diode opposite to it is no more doubted than others. So a
//     refused disc is believed again, on a board without faults, when it has
//     been lifted and put back.
//
// With one shorted diode no ghost ever comes as a disc, but for one that is there
// when the first scan is made: it is known when it comes for the second time. A
// disc that is lifted while three others fake it seems to stay, and nothing tells.
// With several shorted diodes ghosts fake the corners of other ghosts, and one
// in some thousands is believed for a while. A shorted diode makes all cells
// unsure that lie on the crossings of the closed contacts in its row and in its
// column: mend it.
package reed64
