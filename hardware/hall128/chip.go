package hall128

import (
	"errors"

	"periph.io/x/conn/v3/i2c"

	"reversi-board/hardware/mcp23017"
	"reversi-board/hardware/tca9555"
)

// expander is a chip as the board needs it. All methods are transfers on its
// bus; their errors name chip, address and register.
type expander interface {
	// Init writes all registers, whatever the chip held, reads them back, and
	// makes the chip show that it is alive as far as it can.
	Init() error
	// ReadInputs returns the levels of the pins, bit n for pin n.
	ReadInputs() (uint16, error)
	// Check looks whether part n of the chip is as Init left it: 0 is the
	// canary, which tells of a reset, the others tell of all else.
	Check(n int) (intact bool, err error)
	// Checks is the number of parts.
	Checks() int
	// Leave is called when the last transfer of a visit was ReadInputs.
	Leave() error
}

// newExpander returns the driver of a chip.
func newExpander(bus i2c.Bus, c Chip) expander {
	if c.Kind == MCP23017 {
		return &mcp{mcp23017.New(bus, c.Addr)}
	}
	return &tca{Dev: tca9555.New(bus, c.Addr), park: c.Kind == PCA9555}
}

// tca is a TCA9555 or PCA9555.
type tca struct {
	*tca9555.Dev
	park bool
}

const tcaChecks = 3

func (t *tca) ReadInputs() (uint16, error) { return t.Dev.ReadInputs(false) }

func (t *tca) Checks() int { return tcaChecks }

func (t *tca) Check(n int) (bool, error) {
	switch n {
	case 0:
		return t.Canary()
	case 1:
		return t.Configuration()
	}
	return t.Polarity()
}

// Leave moves the pointer away from 00h if the chip has the erratum. A check
// does so by itself.
func (t *tca) Leave() error {
	if !t.park {
		return nil
	}
	return t.Park()
}

// mcp is an MCP23017.
type mcp struct {
	*mcp23017.Dev
}

// The checks of an MCP23017: the canary, the registers beside it, the pulse.
const (
	mcpPulse  = mcp23017.Checks
	mcpChecks = mcpPulse + 1
)

func (m *mcp) Checks() int { return mcpChecks }

// Check has the canary in front, where the driver has it in the order of the
// addresses.
func (m *mcp) Check(n int) (bool, error) {
	switch {
	case n == mcpPulse:
		return m.Pulse()
	case n == 0:
		return m.Canary()
	case n <= mcp23017.CanaryPair:
		return m.Intact(n - 1)
	}
	return m.Intact(n)
}

func (m *mcp) Leave() error { return nil }

// hopeless reports whether an Init failed although the chip answered, so that
// trying again at once would only take time from the others.
func hopeless(err error) bool {
	return errors.Is(err, tca9555.ErrRegister) || errors.Is(err, mcp23017.ErrRegister) || errors.Is(err, mcp23017.ErrPattern)
}

// implausible reports whether a read failed because what came cannot be.
func implausible(err error) bool { return errors.Is(err, mcp23017.ErrPattern) }
