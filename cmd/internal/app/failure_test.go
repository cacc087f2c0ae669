package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/configs"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/sim"
)

// crowded is a board whose bus is shared by everything that can be on it.
func crowded(c *configs.Config) {
	furnished(c)
	c.Hardware.LEDs.Driver = configs.HT16K33
}

// slowly makes transfers take the time of their bits.
func slowly(wire *emu.Bus) {
	wire.SetTiming(emu.Timing{Spend: time.Sleep, Wire: true, Timeout: 50 * time.Millisecond})
}

// play makes moves by hand and wants each of them on record within a second
// after its last disc has come to rest.
func (b *board) play(moves []engine.Square) {
	b.t.Helper()
	table := b.app.rig.Sim
	for _, sq := range moves {
		rest, err := table.Place(b.app.now(), int(sq), b.app.hands.face(b.game.Turn))
		if err != nil {
			b.t.Fatal(err)
		}
		for s := range b.game.Flips(sq).All() {
			if rest, err = table.Turn(rest+100*time.Millisecond, int(s), sim.TurnInPlace, 200*time.Millisecond); err != nil {
				b.t.Fatal(err)
			}
		}
		time.Sleep(rest - b.app.now() + time.Second)
		b.game = b.game.Place(sq)
		if b.game.MustPass() {
			b.game = b.game.Pass()
		}
		if seen := b.page(); len(seen.State.Transcript) != 2*b.game.Ply() {
			b.t.Fatalf("%v is not on record: %+v", sq, seen)
		}
	}
}

// Scenario 32: LEDs and a display on the sensors' bus that are unplugged, or that hang it,
// cost a scan no more than what they cost it when they work: one part of a
// picture that is on its way, 5 ms at most. The game goes on, and people are
// told.
func TestScansDoNotWaitForLEDsOrDisplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := runWith(t, t.TempDir(), nil, crowded)
		wire := b.app.rig.Sim.Bus()
		slowly(wire)
		moves := movesOf(t, "f5d6c3d3c4f4f6f3e6e7d7g6g5f7e8h6d2c5c6c8")
		b.play(moves[:6])
		sound := b.app.rig.Health().Scans.Longest
		if sound < 1 || sound > 6 {
			t.Errorf("a scan takes %v ms at most, by the bus's arithmetic it is 1.1 and a part of a picture of 1.6", sound)
		}
		wire.Detach(0x70)
		wire.Detach(0x3C)
		b.play(moves[6:12])
		time.Sleep(10 * time.Second) // The display is asked every five.
		h := b.app.rig.Health()
		if h.Scans.Longest > sound+5 {
			t.Errorf("without LEDs and display a scan took %v ms, with them %v", h.Scans.Longest, sound)
		}
		if !h.LEDs.Failing || !h.OLED.Failing || h.Scans.Lost != 0 || h.Scans.Failed != 0 {
			t.Errorf("%+v", h)
		}
		if codes := codesOf(b.page().Alerts); codes["led"] == "" || codes["device_lost"] == "" {
			t.Errorf("alerts %v", codes)
		}
		wire.Attach(b.app.rig.Sim.Module())
		wire.Attach(b.app.rig.Sim.OLED())
		b.play(moves[12:])
		time.Sleep(10 * time.Second)
		if codes := codesOf(b.page().Alerts); len(codes) != 0 {
			t.Errorf("plugged in again: %v", codes)
		}
		h = b.app.rig.Health()
		if h.LEDs.Failing || h.OLED.Failing || h.Scans.Longest > sound+5 {
			t.Errorf("plugged in again: %+v", h)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	})
}

func codesOf(alerts []web.Alert) map[string]string {
	codes := make(map[string]string, len(alerts))
	for _, a := range alerts {
		codes[a.Code] = a.Text
	}
	return codes
}

// Scenario 31, a running board: a strip whose port is gone: scans, moves and clocks take no notice, the alert
// says so, and it shows the scene again when the port is back.
func TestStripWhosePortIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := run(t, t.TempDir(), nil)
		strip := b.app.rig.Sim.Strip()
		moves := movesOf(t, "f5d6c3d3c4f4f6f3")
		for _, sq := range moves[:2] {
			b.move(sq)
		}
		strip.Fail(errors.New("no such device"))
		b.play(moves[2:6])
		if codes := codesOf(b.page().Alerts); codes["led"] == "" || !strings.Contains(codes["device_lost"], "/dev/spidev0.0 has gone") || len(codes) != 2 {
			t.Errorf("alerts %v", codes)
		}
		strip.Fail(nil)
		time.Sleep(3 * time.Second)
		if codes := codesOf(b.page().Alerts); len(codes) != 0 {
			t.Errorf("the port is back: %v", codes)
		}
		for _, sq := range moves[6:] {
			b.move(sq) // which looks at the LEDs
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	})
}

// Scenario 33: with a calibration that cannot be read the board plays on as the settings say,
// and people are told.
func TestStartWithoutCalibration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, simulatedCalibrationFile), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		b, stop := run(t, dir, nil)
		b.play(movesOf(t, "f5d6c3d3"))
		if codes := codesOf(b.page().Alerts); !strings.Contains(codes["storage"], simulatedCalibrationFile) || len(codes) != 1 {
			t.Errorf("alerts %v", codes)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	})
}

// Scenario 33: on a disk that is read-only from the start the board plays in memory, says so,
// and stores everything when it can.
func TestStartWithoutStorage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, disk := t.TempDir(), &brittleDisk{}
		_, stop := run(t, dir, disk)
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		disk.fail(syscall.EROFS)
		b, stop := run(t, dir, disk)
		b.play(movesOf(t, "f5d6c3d3"))
		if seen := b.page(); !seen.sayStorage() {
			t.Errorf("%+v", seen)
		}
		disk.mend()
		time.Sleep(10 * time.Second)
		if seen := b.page(); !seen.well() || b.app.durable != seen.State.Seq {
			t.Errorf("the disk can be written again: %+v, stored are %d", seen, b.app.durable)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	})
}
