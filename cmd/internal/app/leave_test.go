package app

import (
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/configs"
	"reversi-board/hardware/sim"
)

// A program that is told to end does so within a tenth of a second, whatever is the
// matter with the board: with every button, LEDs and a display to darken, a bus
// that is held, or one whose adapter has gone.
func TestEndsAtOnce(t *testing.T) {
	for name, trouble := range map[string]func(s *sim.Board){
		"a sound board":        func(*sim.Board) {},
		"a line held low":      func(s *sim.Board) { s.Bus().Short(true, false) },
		"an adapter gone":      func(s *sim.Board) { s.I2CAdapter(0).Unplug() },
		"the lights' port too": func(s *sim.Board) { s.I2CAdapter(0).Unplug(); s.SPIAdapter().Unplug() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, stop := runPrepared(t, t.TempDir(), nil, func(c *configs.Config) {
					buttoned("home")(c)
					c.Hardware.OLED.Driver, c.Hardware.OLED.Address = configs.SSD1306, 0x3C
				}, func(*App) {})
				slowly(b.app.rig.Sim.Bus())
				trouble(b.app.rig.Sim)
				time.Sleep(3*time.Second + 30*time.Millisecond)
				start := time.Now()
				if err := stop(); err != nil {
					t.Error(err)
				}
				if took := time.Since(start); took > 100*time.Millisecond {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}
