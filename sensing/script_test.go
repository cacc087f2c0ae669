package sensing_test

import (
	"testing"

	"reversi-board/sensing"
)

// start lays the start position and waits for its reading.
const start = `
	show d4 e5 white
	show d5 e4 black
	wait 220ms
	> settled black e4 d5 white d4 e5
`

func TestScripts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, script string }{
		{"the first reading comes after the settle time, then silence", `
			show d4 e5 white
			show d5 e4 black
			wait 200ms
			>
			wait 20ms
			> settled black e4 d5 white d4 e5
			wait 10s
			>`},
		{"an empty board is a reading too", `
			wait 220ms
			> settled`},
		{"a disc at rest is read one settle time later", start + `
			show f5 black
			wait 200ms
			>
			wait 20ms
			> settled black e4 d5 f5 white d4 e5`},
		{"a disc that bounces is read one settle time after the last bounce", start + `
			show f5 black
			wait 40ms
			show f5 empty
			wait 20ms
			show f5 black
			wait 40ms
			show f5 empty
			wait 20ms
			show f5 black
			wait 200ms
			>
			wait 20ms
			> settled black e4 d5 f5 white d4 e5`},
		{"the shadow of a hand is nothing", start + `
			show a1 b1 c1 white
			wait 40ms
			show a1 b1 c1 empty
			wait 2s
			>`},
		{"a disc sliding over squares leaves no trace of them", start + `
			show d3 black
			wait 150ms
			show d3 empty
			wait 60ms
			show c3 black
			wait 100ms
			show c3 empty
			wait 40ms
			show c4 black
			wait 220ms
			> settled black c4 e4 d5 white d4 e5`},
		{"discs lifted and put back within the settle time are nothing", start + `
			show d4 e4 empty
			wait 120ms
			show d4 white
			wait 60ms
			show e4 black
			wait 1s
			>`},
		{"a disc turned through empty is seen in both steps when the hand is slow", start + `
			show d4 empty
			wait 300ms
			> settled black e4 d5 white e5
			show d4 black
			wait 300ms
			> settled black d4 e4 d5 white e5`},
		{"a disc turned within one scan", start + `
			show d4 black
			wait 220ms
			> settled black d4 e4 d5 white e5`},
		{"two hands at once: nothing until both are at rest", start + `
			show d4 empty
			wait 100ms
			show e5 empty
			wait 100ms
			show d4 black
			wait 180ms
			show e5 black
			wait 200ms
			>
			wait 20ms
			> settled black d4 e4 d5 e5`},
		{"both outputs on for one or two scans are noise", start + `
			show c3 both
			wait 40ms
			show c3 empty
			wait 1s
			>`},
		{"both outputs on: masked after the debounce, back when sane for a second", start + `
			show c3 both
			wait 60ms
			>
			wait 20ms
			> failed stuck c3; settled black e4 d5 white d4 e5 masked c3
			show f5 black
			wait 220ms
			> settled black e4 d5 f5 white d4 e5 masked c3
			show c3 empty
			wait 1s
			>
			wait 20ms
			> back stuck c3; settled black e4 d5 f5 white d4 e5`},
		{"a stuck cell that comes back with a disc brings it", start + `
			show d4 both
			wait 1s
			> failed stuck d4; settled black e4 d5 white d4 e5 masked d4
			show d4 black
			wait 1100ms
			> back stuck d4; settled black d4 e4 d5 white e5`},
		{"a bad joint is called less and less often", start + `
			show c3 both
			wait 100ms
			> failed stuck c3; settled black e4 d5 white d4 e5 masked c3
			show c3 empty
			wait 1020ms
			> back stuck c3; settled black e4 d5 white d4 e5
			show c3 both
			wait 100ms
			> failed stuck c3; settled black e4 d5 white d4 e5 masked c3
			show c3 empty
			wait 2s
			>
			wait 20ms
			> back stuck c3; settled black e4 d5 white d4 e5`},
		{"a bank is unsure at once, frozen, and back after the debounce and the settle time", start + `
			lose a4 b4 c4 d4 e4 f4 g4 h4
			wait 20ms
			> failed bank_lost a4 b4 c4 d4 e4 f4 g4 h4; settled black e4 d5 white d4 e5 lost a4 b4 c4 d4 e4 f4 g4 h4
			show d4 e4 empty
			show f5 black
			wait 220ms
			> settled black e4 d5 f5 white d4 e5 lost a4 b4 c4 d4 e4 f4 g4 h4
			wait 5s
			>
			show d4 e4 black
			return a4 b4 c4 d4 e4 f4 g4 h4
			wait 60ms
			>
			wait 20ms
			> back bank_lost a4 b4 c4 d4 e4 f4 g4 h4
			wait 120ms
			>
			wait 20ms
			> settled black d4 e4 d5 f5 white e5`},
		{"a bank lost in the middle of a bounce freezes at what was believed", start + `
			show d4 empty
			wait 40ms
			lose d4
			wait 20ms
			> failed bank_lost d4; settled black e4 d5 white d4 e5 lost d4`},
		{"a bank lost while a hand is at work: told at once, read when the hand rests", start + `
			show f5 black
			wait 100ms
			lose a1
			wait 20ms
			> failed bank_lost a1
			wait 100ms
			> settled black e4 d5 f5 white d4 e5 lost a1`},
		{"a bank that was away only while a hand was at work is read again although nothing differs", start + `
			show a8 black
			wait 60ms
			lose a1
			wait 60ms
			return a1
			wait 100ms
			show a8 empty
			wait 220ms
			> failed bank_lost a1; back bank_lost a1; settled black e4 d5 white d4 e5`},
		{"a bank that comes and goes waits longer each time", start + `
			lose a1
			wait 100ms
			return a1
			wait 220ms
			> failed bank_lost a1; settled black e4 d5 white d4 e5 lost a1; back bank_lost a1; settled black e4 d5 white d4 e5
			lose a1
			wait 100ms
			return a1
			wait 120ms
			> failed bank_lost a1; settled black e4 d5 white d4 e5 lost a1
			wait 20ms
			> back bank_lost a1`},
		{"a chip that was reset: lost until its cells have settled", start + `
			reset a5 b5 c5 d5 e5 f5 g5 h5
			wait 20ms
			> failed reset a5 b5 c5 d5 e5 f5 g5 h5; settled black e4 d5 white d4 e5 lost a5 b5 c5 d5 e5 f5 g5 h5
			wait 100ms
			show f5 black
			wait 200ms
			>
			wait 20ms
			> back reset a5 b5 c5 d5 e5 f5 g5 h5; settled black e4 d5 f5 white d4 e5`},
		{"a chip that was reset and has a cell that flaps: the others are believed again", start + `
			flap g2 white 10Hz
			wait 1s
			reset a2 b2 c2 d2 e2 f2 g2 h2
			wait 300ms
			> failed reset a2 b2 c2 d2 e2 f2 g2 h2; settled black e4 d5 white d4 e5 lost a2 b2 c2 d2 e2 f2 g2 h2
			wait 4s
			> failed flapping g2; settled black e4 d5 white d4 e5 lost a2 b2 c2 d2 e2 f2 h2 masked g2; back reset a2 b2 c2 d2 e2 f2 g2 h2; settled black e4 d5 white d4 e5 masked g2`},
		{"a bank that returns with its chip reset has one fault, not two", start + `
			lose a1 b1
			wait 1s
			return a1 b1
			reset a1 b1
			wait 220ms
			> failed bank_lost a1 b1; settled black e4 d5 white d4 e5 lost a1 b1; back bank_lost a1 b1; settled black e4 d5 white d4 e5`},
		{"a masked cell in a lost bank stays masked", start + `
			show a1 both
			wait 100ms
			> failed stuck a1; settled black e4 d5 white d4 e5 masked a1
			lose a1 b1
			wait 20ms
			> failed bank_lost a1 b1; settled black e4 d5 white d4 e5 lost b1 masked a1
			return a1 b1
			wait 300ms
			> back bank_lost a1 b1; settled black e4 d5 white d4 e5 masked a1`},
		{"a disc held over a square by an unsteady hand for three seconds is nothing", start + `
			flap g2 white 5Hz
			wait 3s
			steady g2 empty
			wait 1s
			> `},
		{"a cell that had been flapping fast is believed again for good", start + `
			flap g2 white 10Hz
			wait 5s
			> failed flapping g2; settled black e4 d5 white d4 e5 masked g2
			wait 90s
			steady g2 white
			wait 61s
			> back flapping g2; settled black e4 d5 white g2 d4 e5
			show g2 empty
			wait 300ms
			> settled black e4 d5 white d4 e5`},
		{"a doubted cell is masked at once, called once, and back when it shows a disc", start + `
			doubt g2
			wait 20ms
			> failed dead g2; settled black e4 d5 white d4 e5 masked g2
			doubt g2
			wait 2m
			>
			show g2 white
			wait 200ms
			>
			wait 20ms
			> back dead g2; settled black e4 d5 white g2 d4 e5`},
		{"a shadow over a dead cell is no disc", start + `
			doubt g2
			wait 20ms
			> failed dead g2; settled black e4 d5 white d4 e5 masked g2
			show g2 white
			wait 160ms
			show g2 empty
			wait 2s
			>`},
		{"a dead cell that comes back with both outputs is stuck when it is sane, not before", start + `
			doubt g2
			wait 20ms
			> failed dead g2; settled black e4 d5 white d4 e5 masked g2
			show g2 both
			wait 5s
			>`},
		{"a doubted cell that shows a disc is stuck until it shows none", start + `
			show g2 black
			wait 300ms
			> settled black g2 e4 d5 white d4 e5
			doubt g2
			wait 20ms
			> failed stuck g2; settled black g2 e4 d5 white d4 e5 masked g2
			show g2 white
			wait 2m
			show g2 both
			wait 2m
			>
			show g2 empty
			wait 200ms
			>
			wait 20ms
			> back stuck g2; settled black e4 d5 white d4 e5`},
		{"a cell that is masked already is not masked twice", start + `
			show c3 both
			wait 100ms
			> failed stuck c3; settled black e4 d5 white d4 e5 masked c3
			doubt c3
			wait 5s
			>`},
		{"a doubt before the first frame counts from the first reading on", `
			doubt g2
			show d4 e5 white
			show d5 e4 black
			wait 220ms
			> failed dead g2; settled black e4 d5 white d4 e5 masked g2`},
		{"a bank whose chip is found reset after its return waits anew", start + `
			lose a1
			wait 100ms
			return a1
			wait 40ms
			reset a1
			wait 60ms
			> failed bank_lost a1; settled black e4 d5 white d4 e5 lost a1
			wait 20ms
			> back bank_lost a1`},
		{"a flapping cell is called once, the game goes on around it, and it comes back after a minute", start + `
			flap g2 white 2Hz
			wait 300ms
			> settled black e4 d5 white g2 d4 e5
			wait 240ms
			> settled black e4 d5 white d4 e5
			wait 1400ms
			> settled black e4 d5 white g2 d4 e5; settled black e4 d5 white d4 e5; settled black e4 d5 white g2 d4 e5; settled black e4 d5 white d4 e5; settled black e4 d5 white g2 d4 e5
			wait 280ms
			> settled black e4 d5 white d4 e5; failed flapping g2; settled black e4 d5 white g2 d4 e5 masked g2
			wait 10s
			>
			show f5 black
			wait 220ms
			> settled black e4 d5 f5 white g2 d4 e5 masked g2
			steady g2 empty
			wait 59s
			>
			wait 2s
			> back flapping g2; settled black e4 d5 f5 white d4 e5`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			newTable(sensing.DefaultConfig()).play(t, c.script)
		})
	}
}

// With the magnets the other way round the same outputs mean the other colors.
func TestMagnetsReversed(t *testing.T) {
	t.Parallel()
	c := sensing.DefaultConfig()
	c.NorthIsBlack = false
	newTable(c).play(t, `
		show d4 e5 white
		show d5 e4 black
		wait 220ms
		> settled black d4 e5 white e4 d5`)
}

// A settle time shorter than the debounce would give readings of values that
// are not believed yet.
func TestSettleIsAtLeastTheDebounce(t *testing.T) {
	t.Parallel()
	newTable(sensing.Config{NorthIsBlack: true, Debounce: 100 * ms, Settle: 20 * ms}).play(t, `
		show d4 white
		wait 100ms
		>
		wait 20ms
		> settled white d4
		show d4 both
		wait 120ms
		> failed stuck d4; settled white d4 masked d4`)
}
