//go:build !race

package app

import "testing"

// Scenario 39 and J3: the journal of a game with clocks, mistakes and rulings, with
// every type of event in it, is cut at every byte. Under the race detector this
// would take some minutes.
func TestEventfulJournalCutAtEveryByte(t *testing.T) {
	t.Parallel()
	cutEventful(t, 1)
}
