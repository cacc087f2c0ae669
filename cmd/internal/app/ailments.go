package app

import (
	"fmt"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// ailments are how cells fail now, in the order in which they are told.
type ailments struct {
	stuck, flapping, ghost, dead, drift engine.Bitboard
}

// note takes note of what the eyes say. A reading names all cells that are not to
// be believed: eyes that begin anew do not say what has become of the others. What
// has drifted is believed.
func (a *ailments) note(in referee.Input) {
	switch in := in.(type) {
	case referee.CellsFailed:
		if set := a.of(in.Kind); set != nil {
			*set |= in.Squares
		}
	case referee.CellsBack:
		if set := a.of(in.Kind); set != nil {
			*set &^= in.Squares
		}
	case referee.Seen:
		a.only(in.Masked)
	case referee.Felt:
		a.only(in.Masked)
	case referee.PowerOn, referee.Tick, referee.Pressed, referee.WallStepped, referee.Suggested, referee.EngineGone, referee.Command:
	}
}

// only forgets what is wrong with other cells.
func (a *ailments) only(masked engine.Bitboard) {
	for _, set := range []*engine.Bitboard{&a.stuck, &a.flapping, &a.ghost, &a.dead} {
		*set &= masked
	}
}

// of returns the cells that fail in a way, nil for those that are only lost.
func (a *ailments) of(kind referee.FaultKind) *engine.Bitboard {
	switch kind {
	case referee.Stuck:
		return &a.stuck
	case referee.Flapping:
		return &a.flapping
	case referee.Ghost:
		return &a.ghost
	case referee.Dead:
		return &a.dead
	case referee.Drift:
		return &a.drift
	case referee.LostBank, referee.Reset:
	}
	return nil
}

// text says what is wrong with the cells and where to look.
func (a *ailments) text() string {
	var parts []string
	for _, p := range [...]struct {
		cells engine.Bitboard
		one   string
	}{
		{a.stuck, "shows what no disc can show: look for a short at its sensor"},
		{a.flapping, "changes to and fro: look for a loose joint or a weak magnet"},
		{a.ghost, "may only seem to hold a disc: look for a shorted diode"},
		{a.dead, "shows no disc where one must lie: look at the supply and the wires of its sensor"},
	} {
		if p.cells != 0 {
			parts = append(parts, fmt.Sprintf("The cell of %s %s.", p.cells, p.one))
		}
	}
	if len(parts) > 0 {
		parts = append(parts, "What lies there follows from the rules.")
	}
	if a.drift != 0 {
		parts = append(parts, fmt.Sprintf("The cell of %s has drifted far and is still read: calibrate the board.", a.drift))
	}
	if len(parts) == 0 {
		return "Some cells are not to be believed."
	}
	return strings.Join(parts, " ")
}

// lostText says why cells cannot be read.
func lostText(lost engine.Bitboard, f *facts) string {
	text := fmt.Sprintf("%s cannot be read", lost)
	if lost == ^engine.Bitboard(0) {
		text = "No cell can be read"
	}
	if f.silent != "" {
		text += ": " + f.silent
	}
	return text + ". Look at the plugs and the supply of the board."
}
