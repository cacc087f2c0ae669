package hardware

import "time"

const (
	// staleAge and staleScans are how long ago, and how many scans ago, a part of
	// the board must have answered last for what it said to be believed no more.
	// The time alone would be too strict on a computer that scans ten times a
	// second and stands still for a moment now and then; the scans alone would be
	// too strict at fifty.
	staleAge   = 250 * time.Millisecond
	staleScans = failLimit
	// unsureScans is the same for a part that answers, but says something else
	// each time: a hand moves over it while it proves itself. No hand does so for
	// two seconds, but a chip that never comes to rest must not stay frozen for ever.
	unsureScans = 20
)

// Freshness says whether what a part of the board (a chip, a cell, a row) said
// last is still believed. The zero value is of a part that was read at time 0.
// Each scan calls Read, Unsure or Missed once.
type Freshness struct {
	at             time.Duration
	unsure, missed uint8
}

// Read notes a read that counts, in the scan at now.
func (f *Freshness) Read(now time.Duration) { *f = Freshness{at: now} }

// Unsure notes a scan in which the part answered, and what it said does not
// count yet: it proves itself, or was contradicted.
func (f *Freshness) Unsure() {
	if f.unsure < unsureScans {
		f.unsure++
	}
	f.missed = 0
}

// Missed notes a scan in which the part did not answer, or was not asked.
func (f *Freshness) Missed() {
	if f.missed < staleScans {
		f.missed++
	}
}

// At returns the time of the last read that counts.
func (f *Freshness) At() time.Duration { return f.at }

// Stale reports whether that read is too old to be believed at now.
func (f *Freshness) Stale(now time.Duration) bool {
	return now-f.at > staleAge && (f.missed >= staleScans || f.unsure >= unsureScans)
}
