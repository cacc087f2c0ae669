package virtual_test

import (
	"slices"
	"testing"
	"time"

	"reversi-board/configs"
)

// The adapter of a bus goes in the middle of a move, for some seconds, and comes
// back: a driver that was unbound, a USB adapter that was pulled. Its file is
// closed at once, as the kernel cannot bring the adapter back before; what has
// gone is named, and nothing is put on record that did not happen. Then the
// bus is opened again, the chips are set up, and the move goes on where it was.
func TestFailureAdapterGoesAndComesBack(t *testing.T) {
	for _, name := range []string{"hall-128", "hall-128-mcp23017", "hall-analog"} {
		for bus := range 2 {
			if bus == 1 && name != "hall-128-mcp23017" {
				continue
			}
			for _, away := range []time.Duration{150 * time.Millisecond, 400 * time.Millisecond, 7 * time.Second} {
				t.Run(name+", bus "+string('1'+rune(bus))+", "+away.String(), func(t *testing.T) {
					t.Parallel()
					testAdapterGoes(t, name, bus, away)
				})
			}
		}
	}
}

func testAdapterGoes(t *testing.T, name string, bus int, away time.Duration) {
	t.Helper()
	b := rack(t, name, uint64(bus+1))
	b.half(t)
	device := []string{b.config.Hardware.I2C.Bus, b.config.Hardware.I2C.Second}[bus]
	adapter := b.sim.I2CAdapter(bus)
	before, _ := adapter.Files()
	adapter.Unplug()
	must(t, b.pass(away))
	h := b.table.Health()
	if !slices.Equal(h.Gone, []string{device}) || !h.Buses[bus].Gone {
		t.Errorf("gone are %q, bus %+v; want %s", h.Gone, h.Buses[bus], device)
	}
	if h.Buses[bus].Recoveries != 0 {
		t.Errorf("the supply was cycled for an adapter: %+v", h.Buses[bus])
	}
	b.turnOver(t, "d3") // Nobody may see it now.
	must(t, adapter.Plug())
	must(t, b.pass(3*time.Second))
	tr := b.trouble(t)
	if len(tr.others) > 0 || tr.back["bank_lost"] != tr.failed["bank_lost"] {
		t.Errorf("failed %v, back %v, other events %q", tr.failed, tr.back, tr.others)
	}
	if h = b.table.Health(); len(h.Gone) > 0 || h.Buses[bus].Dead || h.Scans.Lost != 0 {
		t.Errorf("it is back: %+v", h)
	}
	opens, closes := adapter.Files()
	if opens != before+1 || opens-closes != 1 {
		t.Errorf("files: %d opened, %d closed; want one more opened, and one open", opens, closes)
	}
	must(t, b.expectLights("FLIP d2"))
	b.whole(t, "d2")
	b.recordIsTrue(t)
	must(t, b.table.Close())
	if opens, closes = adapter.Files(); opens != closes {
		t.Errorf("at the end %d of %d files are open", opens-closes, opens)
	}
}

// The same for the port of the LEDs: the game goes on meanwhile, and the LEDs
// show what they must when it is back.
func TestFailureLightsPortGoesAndComesBack(t *testing.T) {
	for _, driver := range []string{configs.APA102, configs.WS2812, configs.MAX7219} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			b := rack(t, "hall-128", 1, func(b *bench) {
				b.config.Hardware.LEDs.Driver = driver
				b.shadow = nil // It does not know that they are gone.
			})
			port := b.sim.SPIAdapter()
			for round := range 3 {
				port.Unplug()
				must(t, b.pass(time.Duration(round)*3*time.Second))
				b.playOn(t, 1)
				b.wantLEDs(t, true)
				if h := b.table.Health(); !slices.Equal(h.Gone, []string{"/dev/spidev0.0"}) {
					t.Errorf("gone are %q", h.Gone)
				}
				must(t, port.Plug())
				must(t, b.pass(6*time.Second))
				b.wantLEDs(t, false)
				b.wantSeen(t)
			}
			if opens, closes := port.Files(); opens != 4 || closes != 3 {
				t.Errorf("%d files were opened and %d closed, want 4 and 3", opens, closes)
			}
			b.recordIsTrue(t)
		})
	}
}

// The display and the LEDs may be alone on a bus: what is on it is set up again.
func TestFailureDisplayBusGoesAndComesBack(t *testing.T) {
	t.Parallel()
	b := rack(t, "reed-64", 1, func(b *bench) {
		b.config.Hardware.OLED.Driver, b.config.Hardware.OLED.Address = configs.SSD1306, 0x3C
		b.config.Hardware.LEDs.Driver, b.config.Hardware.LEDs.Address = configs.HT16K33, 0x70
		b.shadow = nil
	})
	adapter := b.sim.I2CAdapter(0)
	inits := b.table.Health().OLED.Frames
	for range 2 {
		adapter.Unplug()
		b.sim.OLED().PowerCycle()
		b.sim.Module().PowerCycle()
		b.playOn(t, 2)
		must(t, b.pass(6*time.Second))
		if h := b.table.Health(); !h.OLED.Failing || !h.LEDs.Failing || !slices.Equal(h.Gone, []string{"/dev/i2c-1"}) {
			t.Errorf("display %+v, LEDs %+v, gone %q", h.OLED, h.LEDs, h.Gone)
		}
		must(t, adapter.Plug())
		must(t, b.pass(8*time.Second))
		h := b.table.Health()
		if h.OLED.Failing || h.LEDs.Failing || len(h.Gone) > 0 || h.OLED.Frames == inits {
			t.Errorf("back: display %+v, LEDs %+v, gone %q", h.OLED, h.LEDs, h.Gone)
		}
		inits = h.OLED.Frames
		b.wantSeen(t)
	}
	if opens, closes := adapter.Files(); opens != 3 || closes != 2 {
		t.Errorf("%d files were opened and %d closed, want 3 and 2", opens, closes)
	}
	b.recordIsTrue(t)
}
