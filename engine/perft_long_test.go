//go:build !race

package engine_test

import "testing"

// All counts of the table but those that take minutes: two and a half thousand
// million leaves. Under the race detector, which has nothing to find in it, it
// would take ten times as long.
func TestPerftToDepth11(t *testing.T) {
	checkPerft(t, 250_000_000, 308, 16<<20)
}
