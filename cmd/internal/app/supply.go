package app

import "reversi-board/hardware"

// Taps returns the second pins on the lines of the first bus, nil when there are
// none. Only what runs as a request of that bus may touch them.
func (r *Rig) Taps() *hardware.Taps { return r.wires.taps }

// Supply returns the switch of the chips' supply, nil when there is none. Who
// switches it off initializes all chips anew.
func (r *Rig) Supply() func(on bool) error { return r.wires.rail }
