package sim

import (
	"time"

	"periph.io/x/conn/v3/spi"

	"reversi-board/hardware/emu"
)

// Light is what an eye sees of the LED at a cell: color and brightness
// together, 0 to 255 each.
type Light struct {
	R, G, B uint8
}

// lights are the LEDs of a board, one of four kinds.
type lights struct {
	wiring *Wiring
	strip  *emu.APA102
	chain  *emu.WS2812
	matrix *emu.HT16K33
	digits *emu.MAX7219
	// broken has a bit for each cell whose LED stays dark.
	broken uint64
}

// newLights solders the LEDs.
func newLights(w *Wiring, bus *emu.Bus) lights {
	l := lights{wiring: w}
	switch w.Lights {
	case APA102:
		l.strip = emu.NewAPA102(cells)
	case WS2812:
		l.chain = emu.NewWS2812(cells, emu.WSOptions{})
	case HT16K33:
		l.matrix = emu.NewHT16K33(w.LightAddr, emu.HTOptions{})
		bus.Attach(l.matrix)
	case MAX7219:
		l.digits = emu.NewMAX7219(1)
	case Dark:
	}
	return l
}

// port opens the SPI port of the LEDs, nil if they have none.
func (l *lights) port() spi.PortCloser {
	switch {
	case l.strip != nil:
		l.strip.Reopen()
		return l.strip
	case l.chain != nil:
		l.chain.Reopen()
		return l.chain
	case l.digits != nil:
		l.digits.Reopen()
		return l.digits
	}
	return nil
}

// seen returns what the LEDs show at time t.
func (l *lights) seen(t time.Duration) (out [cells]Light) {
	var raw [cells]Light
	switch {
	case l.strip != nil:
		var leds [cells]emu.LED
		l.strip.CopyLEDs(leds[:])
		for i, x := range leds {
			part := func(v uint8) uint8 { return uint8(int(v) * int(x.Bright) / 31) }
			raw[i] = Light{part(x.R), part(x.G), part(x.B)}
		}
	case l.chain != nil:
		var leds [cells]emu.RGB
		l.chain.CopyLEDs(leds[:])
		for i, x := range leds {
			raw[i] = Light(x)
		}
	case l.matrix != nil:
		raw = bicolor(l.matrix.Lit(t), l.matrix.Duty())
	case l.digits != nil:
		lit, duty := l.digits.Lit(0), l.digits.Duty(0)
		for i := range raw {
			// Digit r, with column 0 on DP (D7) and column 7 on G (D0).
			if lit[i/8]>>(7-i%8)&1 != 0 {
				raw[i].R = level(duty, 32)
			}
		}
	}
	for c := range out {
		if l.broken>>c&1 == 0 {
			out[c] = raw[l.wiring.LED[c]]
		}
	}
	return out
}

// bicolor decodes a module with the green LEDs of row r on ROW0 to ROW7 of COM r
// and the red ones on ROW8 to ROW15.
func bicolor(lit [rows]uint16, duty int) (raw [cells]Light) {
	for i := range raw {
		if lit[i/8]>>(i%8)&1 != 0 {
			raw[i].G = level(duty, 16)
		}
		if lit[i/8]>>(8+i%8)&1 != 0 {
			raw[i].R = level(duty, 16)
		}
	}
	return raw
}

func level(duty, full int) uint8 { return uint8(min(255, 255*duty/full)) }
