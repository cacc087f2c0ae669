package app

import (
	"reversi-board/configs"
	"reversi-board/hardware/sim"
)

// Soldered returns the simulated board that a configuration describes: built
// without a mistake, exactly as the settings say.
func Soldered(c *configs.Hardware) *sim.Wiring {
	w := &sim.Wiring{
		Kind: map[string]sim.Kind{
			configs.Hall128: sim.HallDigital, configs.Reed64: sim.Reed, configs.HallAnalog: sim.HallAnalog,
		}[c.Kind],
		ADCs:      c.Analog.ADCs,
		LightAddr: c.LEDs.Address,
		Lights: map[string]sim.LightKind{
			configs.APA102: sim.APA102, configs.WS2812: sim.WS2812, configs.HT16K33: sim.HT16K33,
			configs.MAX7219: sim.MAX7219, configs.NoLEDs: sim.Dark,
		}[c.LEDs.Driver],
		LED: c.LEDs.Order,
	}
	chip := map[string]sim.ChipKind{
		configs.TCA9555: sim.TCA9555, configs.PCA9555: sim.PCA9555, configs.MCP23017: sim.MCP23017,
	}[c.Expanders.Chip]
	for bus, addresses := range [][]uint16{c.Expanders.Addresses, c.Expanders.Second} {
		for _, a := range addresses {
			w.Chips = append(w.Chips, sim.Chip{Kind: chip, Bus: bus, Addr: a})
		}
	}
	for i := range c.Cells {
		at := c.Cells[i]
		w.Outputs[i] = sim.Outputs{Chip: at.Chip, North: at.NorthPin, South: at.SouthPin}
		w.Crossings[i] = sim.Crossing(c.Crossings[i])
		w.Taps[i] = sim.Tap(c.Taps[i])
	}
	if c.OLED.Driver != configs.NoOLED {
		w.OLED, w.SH1106 = c.OLED.Address, c.OLED.Driver == configs.SH1106
	}
	return w
}
