package soak

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Tally counts what clumsy hands did and what became of it, by kind of mistake.
type Tally struct {
	Counts map[string]*Count `json:"counts"`
}

// Count is how often a mistake was made, refused (announced as illegal), stood in
// the end, and was put right.
type Count struct {
	Made    int `json:"made"`
	Refused int `json:"refused"`
	Stood   int `json:"stood"`
	Healed  int `json:"healed"`
}

// fate is what became of a mistake.
type fate uint8

const (
	made fate = iota
	refused
	stood
	healed
)

func (t *Tally) of(kind string) *Count {
	if t.Counts == nil {
		t.Counts = map[string]*Count{}
	}
	c := t.Counts[kind]
	if c == nil {
		c = &Count{}
		t.Counts[kind] = c
	}
	return c
}

// add counts a mistake.
func (t *Tally) add(kind string, f fate) {
	c := t.of(kind)
	switch f {
	case made:
		c.Made++
	case refused:
		c.Refused++
	case stood:
		c.Stood++
	case healed:
		c.Healed++
	}
}

// merge adds the counts of another game.
func (t *Tally) merge(o *Tally) {
	for kind, c := range o.Counts {
		sum := t.of(kind)
		sum.Made += c.Made
		sum.Refused += c.Refused
		sum.Stood += c.Stood
		sum.Healed += c.Healed
	}
}

// String is a table for people.
func (t *Tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %-34s %8s %8s %8s %8s\n", "what the hands did", "made", "refused", "stood", "healed")
	for _, kind := range slices.Sorted(maps.Keys(t.Counts)) {
		c := t.Counts[kind]
		fmt.Fprintf(&b, "  %-34s %8d %8d %8d %8d\n", kind, c.Made, c.Refused, c.Stood, c.Healed)
	}
	return b.String()
}
