package reed64

import "math/bits"

// Sets of crossings are uint64 here: bit Lines*row + column.

const (
	// The doubt in a diode: proven to block, nothing known yet, taken for
	// shorted. A coincidence leads from one to the next, proof to the first.
	proven   = 0
	unproven = 1
	shorted  = 2
)

// ghosts watches the contacts for diodes that do not block, see the package
// comment.
type ghosts struct {
	doubt [Cells]uint8
	// bad are the crossings whose diode is taken for shorted.
	bad uint64
	// before and older are the contacts closed in the last two scans, valid if
	// known.
	before, older uint64
	known         bool
	// learnt says that the present pattern has been taken as evidence.
	learnt bool
	// refused are the crossings refused last, in a pattern of contacts then.
	refused, then uint64
}

func newGhosts() ghosts {
	var g ghosts
	for i := range g.doubt {
		g.doubt[i] = unproven
	}
	return g
}

// forget says that the next look does not follow the last one.
func (g *ghosts) forget() { g.known = false }

// look takes the contacts that seem closed in a scan and returns those of them
// that cannot be believed.
func (g *ghosts) look(closed uint64) (refused uint64) {
	switch {
	case !g.known:
		g.known, g.learnt, g.before = true, false, closed
	case closed != g.before:
		g.learnt = false
		if closed&^g.before != 0 {
			g.accuse(closed, closed&^(g.before&g.older))
		}
	case !g.learnt:
		// Twice the same: no contact has closed after its row was read and
		// before that of its ghost, which would look like a proof.
		g.learnt = true
		g.tellApart(closed)
		g.acquit(closed)
	}
	g.before, g.older = closed, g.before
	if refused = faked(closed, g.bad); refused != 0 {
		g.refused, g.then = refused, closed
	}
	return refused
}

// accuse doubts the diodes of rectangles that have just been filled by more than
// one contact.
func (g *ghosts) accuse(closed, fresh uint64) {
	if bits.OnesCount64(fresh) < 2 {
		return
	}
	var accused uint64
	rectangles(closed, func(corners [4]uint64) {
		var opposite uint64
		for i, c := range corners {
			if fresh&c != 0 {
				opposite |= corners[3-i]
			}
		}
		if bits.OnesCount64(opposite) >= 2 {
			accused |= opposite
		}
	})
	for ; accused != 0; accused &= accused - 1 {
		at := bits.TrailingZeros64(accused)
		g.set(at, min(g.doubt[at]+1, shorted))
	}
}

// acquit proves diodes: three closed corners, the fourth open. A contact that
// may itself be a ghost proves nothing.
func (g *ghosts) acquit(closed uint64) {
	sure := closed &^ faked(closed, g.bad)
	for r := range Lines {
		for q := range Lines {
			if q == r || row(closed, r)&^row(closed, q) == 0 {
				continue
			}
			// The contacts that row r has alone are open on row q: the diodes
			// on row r, in the columns that both have, block the way there.
			for good := row(sure, r) & row(closed, q); good != 0; good &= good - 1 {
				g.set(Lines*r+bits.TrailingZeros64(good), proven)
			}
		}
	}
}

// tellApart takes the charge back against a diode whose ghost has stayed when
// another corner of the rectangle opened: it was a disc.
func (g *ghosts) tellApart(closed uint64) {
	if g.refused == 0 || closed&g.then == g.then {
		return
	}
	discs := g.refused & closed &^ faked(closed, g.bad)
	rectangles(g.then, func(corners [4]uint64) {
		var present uint64
		for _, c := range corners {
			present |= c & closed
		}
		for i, c := range corners {
			if discs&c != 0 && bits.OnesCount64(present) < 4 && g.bad&corners[3-i] != 0 {
				g.set(bits.TrailingZeros64(corners[3-i]), unproven)
			}
		}
	})
	g.refused = 0
}

// faked returns the contacts that the shorted diodes may fake.
func faked(closed, shorted uint64) (fakes uint64) {
	if shorted&closed == 0 {
		return 0
	}
	rectangles(closed, func(corners [4]uint64) {
		for i, c := range corners {
			if shorted&c != 0 {
				fakes |= corners[3-i]
			}
		}
	})
	return fakes
}

func (g *ghosts) set(at int, doubt uint8) {
	g.doubt[at] = doubt
	g.bad &^= 1 << at
	if doubt == shorted {
		g.bad |= 1 << at
	}
}

// rectangles calls f with the four corners of every rectangle whose contacts are
// all closed. Corners i and 3-i are opposite to each other.
func rectangles(closed uint64, f func(corners [4]uint64)) {
	for r := range Lines {
		for q := range r {
			both := row(closed, r) & row(closed, q)
			for left := both; left != 0; left &= left - 1 {
				c := bits.TrailingZeros64(left)
				for right := left & (left - 1); right != 0; right &= right - 1 {
					d := bits.TrailingZeros64(right)
					f([4]uint64{1 << (Lines*q + c), 1 << (Lines*q + d), 1 << (Lines*r + c), 1 << (Lines*r + d)})
				}
			}
		}
	}
}

// row returns the contacts of one row, bit k for column k.
func row(closed uint64, r int) uint64 { return closed >> (Lines * r) & all }
