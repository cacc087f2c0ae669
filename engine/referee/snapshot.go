package referee

import (
	"bytes"
	"errors"
	"fmt"

	"reversi-board/engine"
)

// SnapshotVersion is the form of what AppendSnapshot writes. It is raised with
// every change of State or of its memory.
const SnapshotVersion = 7

// OldestSnapshot is the oldest form that RestoreSnapshot still reads. What it does
// not have is as at a table at which it has never happened.
const OldestSnapshot = 5

// AppendSnapshot appends all of s to b: what everybody can see of it and what
// only Step remembers. Step does exactly the same with the State that
// RestoreSnapshot makes of it. It is not the record: that is made of events,
// which every later version of the program can read (see Apply), and a snapshot
// only the version that wrote it.
func AppendSnapshot(b []byte, s *State) []byte {
	return appendSnapshot(b, s, SnapshotVersion)
}

// appendSnapshot writes a form.
func appendSnapshot(b []byte, s *State, version uint8) []byte {
	c := coder{b: append(b, version), version: version}
	// The coder only reads from what it writes.
	c.state(s)
	return c.b
}

// RestoreSnapshot reads what AppendSnapshot wrote. It refuses everything else:
// other versions, values that no State can have, bytes that are missing or too
// many.
func RestoreSnapshot(b []byte) (State, error) {
	var s State
	if len(b) == 0 {
		return s, fmt.Errorf("read the referee's state: %w", errShort)
	}
	if b[0] < OldestSnapshot || b[0] > SnapshotVersion {
		return s, fmt.Errorf("read the referee's state: it has version %d, this program reads version %d", b[0], SnapshotVersion)
	}
	c := coder{b: b[1:], reading: true, version: b[0]}
	c.state(&s)
	if c.err == nil && len(c.b) > 0 {
		c.err = errors.New("something follows it")
	}
	if c.err == nil {
		c.err = s.possible()
	}
	if c.err == nil && !bytes.Equal(appendSnapshot(nil, &s, b[0]), b) {
		c.err = errors.New("it is not written as it should be")
	}
	if c.err != nil {
		return State{}, fmt.Errorf("read the referee's state: %w", c.err)
	}
	return s, nil
}

// possible refuses a State that Step could not work with.
func (s *State) possible() error {
	if o := s.Objection; (o.Open || o.Claimed) && o.Entry >= s.Len {
		return fmt.Errorf("an objection to entry %d of %d", o.Entry, s.Len)
	}
	return nil
}

func (c *coder) state(s *State) {
	small(c, &s.Phase, Over)
	small(c, &s.Step, Correcting)
	c.yes(&s.Presence)
	c.time(&s.Lag)
	c.match(&s.Match)
	c.game(&s.Game)
	c.entries(s)
	c.discs(&s.Sensed)
	c.yes(&s.SensedOK)
	c.set(&s.Lost)
	c.set(&s.Masked)
	c.pending(&s.Pending)
	c.guide(&s.Guide)
	c.set(&s.Dark)
	c.problem(&s.Problem)
	c.clock(&s.Clock)
	c.yes(&s.Halted)
	c.flags(&s.Flags)
	c.yes(&s.Objection.Open)
	c.yes(&s.Objection.Claimed)
	c.count(&s.Objection.Entry, MaxEntries-1)
	c.result(&s.Result)
	c.yes(&s.Ended)
	c.time(&s.TurnSince)
	c.yes(&s.Wish.Active)
	c.square(&s.Wish.Square)
	c.yes(&s.OpponentLost)
	c.yes(&s.Restart.Active)
	c.time(&s.Restart.At)
	c.memory(&s.memory)
}

// entries codes the record, and what has been taken back of it and still stands
// behind its end.
func (c *coder) entries(s *State) {
	c.count(&s.Len, MaxEntries)
	kept := MaxEntries
	for !c.reading && kept > 0 && s.Entries[kept-1] == (Entry{}) {
		kept--
	}
	c.count(&kept, MaxEntries)
	for i := range kept {
		c.entry(&s.Entries[i])
	}
}

func (c *coder) entry(e *Entry) {
	c.color(&e.By)
	small(c, &e.Move, engine.PassMove)
	c.set(&e.Flipped)
	c.set(&e.Missed)
	c.set(&e.Extra)
	small(c, &e.Improper, lastReason)
	c.yes(&e.Set)
	c.game(&e.Before)
	c.time(&e.Think)
	c.times(&e.Clock)
	c.flags(&e.Flags)
	c.time(&e.Earned)
}

func (c *coder) pending(p *Pending) {
	c.yes(&p.Active)
	c.square(&p.Square)
	c.color(&p.By)
	c.set(&p.Flips)
	c.set(&p.Done)
	c.set(&p.Lifted)
	c.set(&p.Extra)
	c.time(&p.Since)
}

func (c *coder) guide(g *Guide) {
	c.set(&g.Flip)
	c.set(&g.Turn)
	c.set(&g.Remove)
	c.set(&g.PlaceBlack)
	c.set(&g.PlaceWhite)
}

func (c *coder) problem(p *Problem) {
	text(c, &p.Code)
	small(c, &p.Reason, lastReason)
	c.set(&p.Squares)
	c.time(&p.Since)
}

func (c *coder) flags(f *Flags) {
	for side := range f.Graced {
		c.yes(&f.Graced[side])
	}
	c.yes(&f.PlayOn)
	c.color(&f.Fallen)
	if c.version >= 7 {
		c.yes(&f.TimeUp)
	}
}

func (c *coder) result(r *Result) {
	c.color(&r.Winner)
	c.yes(&r.Void)
	c.int(&r.Black)
	c.int(&r.White)
	c.int(&r.DiscsBlack)
	c.int(&r.DiscsWhite)
	text(c, &r.Reason)
	if c.version < 7 {
		return
	}
	small(c, &r.Counts, CountsWithEmpties)
	small(c, &r.Stop.By, CountedRecord)
	c.discs(&r.Stop.Lay)
	c.set(&r.Stop.Differ)
	c.int(&r.Stop.RecordBlack)
	c.int(&r.Stop.RecordWhite)
}

func (c *coder) memory(m *memory) {
	c.time(&m.seenAt)
	c.time(&m.changed)
	c.yes(&m.missing)
	c.yes(&m.waiting)
	c.time(&m.wake)
	c.yes(&m.press.active)
	c.color(&m.press.by)
	c.time(&m.press.at)
	c.time(&m.press.until)
	c.yes(&m.press.moving)
	c.yes(&m.untouched)
	c.times(&m.turnClock)
	c.flags(&m.turnFlags)
	c.time(&m.thought)
	c.set(&m.turned)
	c.set(&m.withdrawn)
	c.set(&m.reported)
	small(c, &m.reason, lastReason)
	small(c, &m.restoring, restoringPower)
	c.yes(&m.ordered)
	c.set(&m.undone)
	c.yes(&m.resumed)
	c.discs(&m.before)
	c.time(&m.gap)
	c.discs(&m.faces)
	c.set(&m.back)
	c.set(&m.used)
	c.set(&m.spent)
	c.set(&m.fresh)
	c.set(&m.handled)
	c.yes(&m.swept)
	if c.version >= 6 {
		c.yes(&m.inherited)
		c.yes(&m.usual)
	}
	c.set(&m.off)
	c.yes(&m.cleared)
	c.match(&m.next)
	c.yes(&m.prepared)
	if c.version >= 7 {
		c.counting(&m.count)
	}
}

func (c *coder) counting(n *counting) {
	c.yes(&n.begun)
	c.yes(&n.open)
	c.time(&n.at)
	c.time(&n.next)
	c.discs(&n.lay)
	c.discs(&n.kept)
	c.yes(&n.seen)
	c.set(&n.asked)
}
