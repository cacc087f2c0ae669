package app

import (
	"sync/atomic"

	"periph.io/x/conn/v3/gpio"
	"periph.io/x/conn/v3/i2c"
)

// listen hears the interrupt line of a simulated board, which has no edges to
// wait for: it is looked at before each scan.
func (r *Rig) listen() {
	if r.interrupts && r.Interrupt == nil && r.Sim != nil && r.Sim.INT() == gpio.Low {
		r.Interrupted()
	}
}

// meter counts the bits of the transfers on an I2C bus, whether they succeed or
// not: 9 for a byte and one each for start, repeated start and stop (UM10204,
// 3.1). The bytes that a chip did not acknowledge any more are counted too.
type meter struct {
	i2c.BusCloser
	bits *atomic.Uint64
}

// Tx implements i2c.Bus.
func (m meter) Tx(addr uint16, w, r []byte) error {
	bits := 1
	if len(w) > 0 {
		bits += 1 + 9*(1+len(w))
	}
	if len(r) > 0 {
		bits += 1 + 9*(1+len(r))
	}
	if bits > 1 {
		m.bits.Add(uint64(bits))
	}
	return m.BusCloser.Tx(addr, w, r)
}
