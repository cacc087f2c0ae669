//go:build !race

package virtual_test

import "testing"

// Scenario 38: a hundred games of real people, some twelve thousand power cuts.
// Under the race detector this would take some minutes.
func TestPowerCutsInAHundredGames(t *testing.T) { cutGames(t, 100, 1) }
