package doctor

import (
	"fmt"
	"slices"
	"strings"

	"reversi-board/engine"
)

// Version is that of the report's JSON form. Keys may be added to it; none is
// renamed or removed, and no word gets another meaning, without another version.
const Version = 1

// Status says how a check ended.
type Status string

// The statuses.
const (
	// OK: it was looked at, and it is as it should be.
	OK Status = "ok"
	// Warn: the board works, but this is worth a look.
	Warn Status = "warn"
	// Fail: something is wrong.
	Fail Status = "fail"
	// Skip: it was not looked at, and why is said.
	Skip Status = "skip"
)

// weight orders statuses by how bad they are.
func (s Status) weight() int { return slices.Index([]Status{Skip, OK, Warn, Fail}, s) }

// Problem is one thing that is wrong, as small as it can be named.
type Problem struct {
	// Part is what kind of thing it is: cell, led, chip, bus, display, button,
	// buzzer, pi, device, power, clock, storage, broker, page, opponent, calibration,
	// wires or board, where it concerns the whole board.
	Part string `json:"part"`
	// Where names it: a square, an address such as 0x23, a bus, a device, a button.
	Where string `json:"where"`
	// Cause is what is wrong with it, as one word for programs.
	Cause string `json:"cause"`
	// Status is Warn or Fail.
	Status Status `json:"status"`
	// Found says what was seen, Next what to do about it; a sentence each.
	Found string `json:"found"`
	Next  string `json:"next"`
}

// Check is the outcome of one check.
type Check struct {
	// Name is what --only calls it.
	Name   string `json:"name"`
	Status Status `json:"status"`
	// Found says what was found, Next what to do, both for people; Next is empty
	// when there is nothing to do or when the problems say it.
	Found string `json:"found"`
	Next  string `json:"next,omitempty"`
	// Problems are in the order in which they should be seen to.
	Problems []Problem `json:"problems,omitempty"`
	// Took is how long it took, in milliseconds of the board's clock: that of a
	// simulated board runs faster.
	Took int64 `json:"took_ms"`
}

// blame adds a problem; the check is then at least as bad.
func (c *Check) blame(p Problem) {
	if p.Status == "" {
		p.Status = Fail
	}
	c.Problems = append(c.Problems, p)
	c.worsen(p.Status)
}

// worsen makes the check at least so bad.
func (c *Check) worsen(s Status) {
	if s.weight() > c.Status.weight() {
		c.Status = s
	}
}

// foundf sets what was found.
func (c *Check) foundf(format string, args ...any) { c.Found = fmt.Sprintf(format, args...) }

// State says what is known of one side of a cell, or of a light.
type State string

// The states.
const (
	// Untested: nothing is known.
	Untested State = "untested"
	// Fine: it was tried, and it works.
	Fine State = "ok"
	// Quiet: the cell shows nothing that a sound one would not; nobody put a disc
	// on it.
	Quiet State = "quiet"
	// Occupied: the cell reports a disc; nobody said whether one lies there.
	Occupied State = "occupied"
	// Lost: the chip that reads the cell does not answer.
	Lost State = "lost"
	// Dead: a disc is not seen; a light stays dark.
	Dead State = "dead"
	// Reversed: the other face is seen.
	Reversed State = "reversed"
	// Elsewhere: another square reports the disc; the light is that of another
	// square.
	Elsewhere State = "elsewhere"
	// Stuck: the output is always active; the light never goes out.
	Stuck State = "stuck"
	// Both: both outputs at once, which no disc does.
	Both State = "both"
	// Flapping: it comes and goes by itself.
	Flapping State = "flapping"
	// Weak: the disc is seen, but hardly.
	Weak State = "weak"
	// Noisy: the reading strays.
	Noisy State = "noisy"
	// Implausible: the reading is none that a sensor gives.
	Implausible State = "implausible"
	// Open: the pin is connected to nothing.
	Open State = "open"
	// Shorted: the diode does not block.
	Shorted State = "shorted"
	// Suspect: something is wrong that could not be pinned down.
	Suspect State = "suspect"
)

// letter is the state in the maps of the report for people.
func (s State) letter() byte {
	switch s {
	case Fine, Quiet:
		return '.'
	case Untested:
		return '-'
	case Occupied:
		return 'o'
	case Lost:
		return '?'
	case Dead:
		return 'X'
	case Reversed:
		return 'R'
	case Elsewhere:
		return 'E'
	case Stuck:
		return 'S'
	case Both:
		return 'B'
	case Flapping:
		return 'F'
	case Weak:
		return 'W'
	case Noisy:
		return 'N'
	case Implausible:
		return 'I'
	case Open:
		return 'O'
	case Shorted:
		return 'D'
	case Suspect:
		return '!'
	}
	return ' '
}

// Square is what is known of one square.
type Square struct {
	// Square is its name.
	Square string `json:"square"`
	// Black and White are what its cell does with that face up. On a board that
	// sees no colors Disc is what it does with a disc, and the two are empty.
	Black State `json:"black,omitempty"`
	White State `json:"white,omitempty"`
	Disc  State `json:"disc,omitempty"`
	// LED is its light, empty when the board has none.
	LED State `json:"led,omitempty"`
}

// Pin is a pin of the Raspberry Pi's header and what it is for.
type Pin struct {
	// Pin is its name, such as GPIO17, Header its number on the header.
	Pin    string `json:"pin"`
	Header int    `json:"header"`
	// Use says what it leads to, Key which setting says so.
	Use string `json:"use"`
	Key string `json:"key"`
}

// Summary counts checks by how they ended.
type Summary struct {
	OK   int `json:"ok"`
	Warn int `json:"warn"`
	Fail int `json:"fail"`
	Skip int `json:"skip"`
	// Text is the summary in one sentence.
	Text string `json:"text"`
}

// Report is everything that was found out.
type Report struct {
	V int `json:"v"`
	// Board is the board's id, Kind its kind, Config where its settings are from.
	Board  string `json:"board"`
	Kind   string `json:"kind"`
	Config string `json:"config"`
	// Simulated says that the board is not real, Hands that somebody was there to
	// put discs on it.
	Simulated bool `json:"simulated"`
	Hands     bool `json:"hands"`
	// OK says that nothing is wrong. Warnings are not wrong; what was skipped is
	// not known to be.
	OK      bool    `json:"ok"`
	Summary Summary `json:"summary"`
	// Pins is the map of the header, Wiring what is behind the buses.
	Pins   []Pin    `json:"pins"`
	Wiring []string `json:"wiring"`
	Checks []Check  `json:"checks"`
	// Squares are all 64, a1 first; they are there when cells or lights were
	// looked at.
	Squares []Square `json:"squares,omitempty"`
	// Left are registers that could not be put back as they were.
	Left []string `json:"left,omitempty"`
}

// Problems returns the problems of all checks.
func (r *Report) Problems() []Problem {
	var all []Problem
	for i := range r.Checks {
		all = append(all, r.Checks[i].Problems...)
	}
	return all
}

// conclude fills in what follows from the checks.
func (r *Report) conclude() {
	s := &r.Summary
	for i := range r.Checks {
		switch r.Checks[i].Status {
		case OK:
			s.OK++
		case Warn:
			s.Warn++
		case Fail:
			s.Fail++
		case Skip:
			s.Skip++
		}
	}
	wrong, look := 0, 0
	for i := range r.Checks {
		c := &r.Checks[i]
		for _, p := range c.Problems {
			if p.Status == Fail {
				wrong++
			} else {
				look++
			}
		}
		if len(c.Problems) == 0 && c.Status == Fail {
			wrong++
		}
		if len(c.Problems) == 0 && c.Status == Warn {
			look++
		}
	}
	r.OK = s.Fail == 0
	switch {
	case wrong > 0 && look > 0:
		s.Text = fmt.Sprintf("%s wrong, %s worth a look.", things(wrong), things(look))
	case wrong > 0:
		s.Text = things(wrong) + " wrong."
	case look > 0:
		s.Text = fmt.Sprintf("Nothing is wrong; %s worth a look.", things(look))
	case s.OK == 0:
		s.Text = "Nothing was looked at."
	default:
		s.Text = "All is well."
	}
	if s.Skip > 0 && s.OK > 0 {
		s.Text += fmt.Sprintf(" %s skipped.", counted(s.Skip, "check was", "checks were"))
	}
}

func things(n int) string { return counted(n, "thing is", "things are") }

// counted returns a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// span names squares, whole ranks and files by their ends.
func span(set engine.Bitboard) string {
	first, last := set.First(), set.First()
	for s := range set.All() {
		last = s
	}
	if set == 0xFF<<(8*first.Rank()) || set == 0x0101010101010101<<first.File() {
		return fmt.Sprintf("%v to %v", first, last)
	}
	return names(set)
}

// names lists squares as people do: a1, b1 and c1.
func names(set engine.Bitboard) string { return list(set.Names()) }

// list joins words as people do.
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
