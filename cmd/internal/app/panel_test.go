package app

import (
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/configs"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/sim"
)

// furnished is a simulated board with everything around it.
func furnished(c *configs.Config) {
	c.Hardware.Buttons = configs.Buttons{NewGame: "GPIO13", Hint: "GPIO19"}
	c.Hardware.Buzzer = "GPIO26"
	c.Hardware.OLED.Driver = configs.SSD1306
}

// pixels counts those of the emulated display that are lit.
func pixels(s emu.Screen) (n int) {
	for _, row := range s {
		for _, on := range row {
			if on {
				n++
			}
		}
	}
	return n
}

// press presses a button for d and lets the board take notice.
func press(b *sim.Board, name string, d time.Duration) {
	b.Button(name).Press(true)
	time.Sleep(d)
	b.Button(name).Press(false)
	time.Sleep(time.Second)
	synctest.Wait()
}

// The hint button lights a move; the new-game button gives a game up only when
// it is held; what cannot be done sounds. Everything is dark and silent in the
// end.
func TestButtonsAtTheBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := runWith(t, t.TempDir(), nil, furnished)
		table := b.app.rig.Sim
		if n, _ := table.Buzzer().Sounds(); n == 0 {
			t.Error("the beginning of a game makes no sound")
		}
		if pixels(table.OLED().Lit()) == 0 {
			t.Error("the small display is dark during a game")
		}
		press(table, Hint, 150*time.Millisecond)
		if litCells(table) == 0 {
			t.Error("the hint button lights no square")
		}
		game := b.page().State.Game
		press(table, NewGame, 150*time.Millisecond)
		if got := b.page().State; got.Game != game || got.Phase != "playing" {
			t.Errorf("a short press has given the game up: %+v", got)
		}
		press(table, NewGame, 1500*time.Millisecond)
		if got := b.page().State; got.Game == game || got.Phase != "playing" {
			t.Errorf("a long press has not begun another game: %+v", got)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if n := pixels(table.OLED().Lit()); n != 0 {
			t.Errorf("%d pixels of the small display are lit after the end", n)
		}
		if _, on := table.Buzzer().Sounds(); on {
			t.Error("the buzzer sounds after the end")
		}
	})
}

// A display that is unplugged is an alert, not a problem of the game; plugged in
// again it shows the game without a restart. A button that does not come up is
// another.
func TestDevicesComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := runWith(t, t.TempDir(), nil, furnished)
		table := b.app.rig.Sim
		alert := func() string {
			for _, a := range b.page().Alerts {
				if a.Code == "device_lost" {
					return a.Text
				}
			}
			return ""
		}
		if got := alert(); got != "" {
			t.Fatalf("a sound board says %q", got)
		}
		table.Bus().Fail(0x3C, syscall.EREMOTEIO)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := alert(); got != "The small display does not answer: look at its plug." {
			t.Errorf("a display that is unplugged says %q", got)
		}
		if got := b.page(); got.State.Phase != "playing" {
			t.Errorf("the game does not go on: %+v", got)
		}
		table.Bus().Heal()
		table.OLED().PowerCycle()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := alert(); got != "" || pixels(table.OLED().Lit()) == 0 {
			t.Errorf("a display that is plugged in again says %q, %d pixels lit", got, pixels(table.OLED().Lit()))
		}
		table.Button(Hint).Press(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := alert(); got != "The button hint does not come up again." {
			t.Errorf("a stuck button says %q", got)
		}
		table.Button(Hint).Press(false)
		time.Sleep(time.Second)
		synctest.Wait()
		if got := alert(); got != "" {
			t.Errorf("a button that came up again says %q", got)
		}
	})
}

// A rail without taps, and taps without a rail, are both of use.
func TestRecoveryWithPartsOfItsWires(t *testing.T) {
	for _, c := range []struct {
		name string
		with configs.Recovery
		hold func(b *emu.Bus)
	}{
		{"taps", configs.Recovery{SCL: "GPIO23", SDA: "GPIO24"}, func(b *emu.Bus) { b.HoldSDA(0x22, 9) }},
		{"rail", configs.Recovery{Rail: "GPIO22"}, func(b *emu.Bus) { b.HoldSDA(0x22, -1) }},
		{"both", configs.Recovery{SCL: "GPIO23", SDA: "GPIO24", Rail: "GPIO22"}, func(b *emu.Bus) { b.HoldSCL(0x22, true) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, _ := runWith(t, t.TempDir(), nil, func(s *configs.Config) { s.Hardware.Recovery = c.with })
				c.hold(b.app.rig.Sim.Bus())
				time.Sleep(10 * time.Second)
				synctest.Wait()
				if got := b.page(); len(got.Alerts) != 0 || got.State.Phase != "playing" {
					t.Errorf("the bus was not freed: %+v", got)
				}
				err := b.app.rig.Sim.I2C().Tx(0x20, []byte{0}, make([]byte, 2))
				if errors.Is(err, syscall.ETIMEDOUT) {
					t.Errorf("the bus is held still: %v", err)
				}
			})
		})
	}
}
