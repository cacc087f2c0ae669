package app

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/configs"
	"reversi-board/display/oled"
	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/hardware/emu"
)

// What the clocks showed is known again after a restart, if the journal has not
// gone on since; anything else in the file is no clock.
func TestClocksAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := clock.New(clock.Same(clock.Control{Main: 5 * time.Minute}))
	c.Start(engine.Black, 0)
	want := c.Times(42 * time.Second)
	text, err := clockText("J", 7, want)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, clockFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := readClock(dir, "J", 7); ok {
		t.Error("clocks were read before they were kept")
	}
	write(text)
	if got, ok := readClock(dir, "J", 7); !ok || got != want || got.Left[engine.Black] != 4*time.Minute+18*time.Second {
		t.Errorf("read %+v, %t, want %+v", got, ok, want)
	}
	for _, other := range []struct {
		jid string
		seq uint64
	}{{"J", 8}, {"K", 7}, {"J", 77}} {
		if _, ok := readClock(dir, other.jid, other.seq); ok {
			t.Errorf("the clocks of event 7 are those of event %d of %s", other.seq, other.jid)
		}
	}
	bad := []string{"", "J 7 ", sealed("J 7 {"), sealed("J 7 null x"), sealed(`J 7 {"left_ns":[-1,0]}`), sealed("J 7")}
	for _, text := range append(bad, tornOrRotten(text)...) {
		write(text)
		if got, ok := readClock(dir, "J", 7); ok {
			t.Errorf("%q gives %+v", text, got)
		}
	}
}

// tornOrRotten is a text torn after every byte, and with every bit of it turned over.
func tornOrRotten(text string) (all []string) {
	for i := range text {
		all = append(all, text[:i])
		for bit := range 8 {
			b := []byte(text)
			b[i] ^= 1 << bit
			all = append(all, string(b))
		}
	}
	return all
}

// What the cells said last is known again after a restart, and a file that was torn
// or has rotted says nothing.
func TestWhatWasSeenIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, seenFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := seenText("J", 7, engine.Start().Discs)
	write(text)
	if d, ok := readSeen(dir, "J", 7); !ok || d != engine.Start().Discs {
		t.Errorf("read %v, %t", d, ok)
	}
	for _, other := range []uint64{6, 8, 70} {
		if _, ok := readSeen(dir, "J", other); ok {
			t.Errorf("what was seen at event 7 was seen at event %d", other)
		}
	}
	for _, bad := range append(tornOrRotten(text), "", sealed("J 7 "), sealed("J 7 -BW"), sealed("J 7")) {
		write(bad)
		if d, ok := readSeen(dir, "J", 7); ok {
			t.Errorf("%q gives %v", bad, d)
		}
	}
}

// Others are told of the clocks when something happens to them, and not while
// they just run.
func TestFaceOfClocks(t *testing.T) {
	t.Parallel()
	c := clock.New(clock.Same(clock.Control{Main: 5 * time.Minute, Increment: time.Second}))
	before := faceOf(&c, 0)
	c.Start(engine.Black, time.Second)
	running := faceOf(&c, time.Second)
	if running == before {
		t.Error("a clock that was started looks as before")
	}
	later := c
	later.Advance(30 * time.Second)
	if got := faceOf(&later, 31*time.Second); got != running {
		t.Errorf("a clock that runs looks different later: %+v, %+v", got, running)
	}
	c.Press(engine.Black, 40*time.Second)
	if faceOf(&c, 40*time.Second) == running {
		t.Error("a press changes nothing")
	}
	pressed := faceOf(&c, 40*time.Second)
	c.Set(engine.Black, time.Minute, 50*time.Second)
	if faceOf(&c, 50*time.Second) == pressed {
		t.Error("a clock that was set looks as before")
	}
	shared := clock.New(clock.Settings{Sides: [2]clock.Control{{Main: time.Minute}}, Shared: true})
	shared.Start(engine.Black, 0)
	first := faceOf(&shared, 0)
	if got := faceOf(&shared, 30*time.Second); got != first {
		t.Errorf("a shared clock that runs looks different later: %+v, %+v", got, first)
	}
}

// In the last ten seconds the small display counts tenths: what it shows is at
// most a tenth old, and is drawn again when another tenth begins and not sooner.
// Nothing is left only when the flag is on record.
func TestTenthsOnTheDisplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stop := runWith(t, t.TempDir(), nil, func(c *configs.Config) {
			furnished(c)
			c.Game.Clock = "0:13"
		})
		state := b.state()
		flag, _ := state.Clock.FlagAt()
		time.Sleep(flag - b.app.now() - 12*time.Second + 70*time.Millisecond) // of a second, and of a tenth
		painter, err := oled.New()
		if err != nil {
			t.Fatal(err)
		}
		pictures := map[bool]int{} // with tenths, and without
		var last emu.Screen
		for b.app.now() < flag {
			state = b.state()
			left := flag - b.app.now()
			view := oled.Compose(oled.Input{State: &state, Clocks: &[2]oled.Clock{{Left: left}, {Left: 13 * time.Second}}})
			var want oled.Image
			painter.Render(&view, &want)
			got := b.app.rig.Sim.OLED().Lit()
			if !samePicture(&got, &want) {
				t.Fatalf("%v left, and the display shows something else than %v", left, oled.Clock{Left: left})
			}
			if got != last {
				pictures[left < 9900*time.Millisecond]++
			}
			last = got
			time.Sleep(100 * time.Millisecond)
		}
		if pictures[true] != 99 || pictures[false] > 3 {
			t.Errorf("pictures with tenths: %d, before: %d, want 99 and one a second", pictures[true], pictures[false])
		}
		time.Sleep(time.Second)
		state = b.state()
		view := oled.Compose(oled.Input{
			State: &state, Clocks: &[2]oled.Clock{{Flag: true}, {Left: 13 * time.Second}},
		})
		var want oled.Image
		painter.Render(&view, &want)
		if got := b.app.rig.Sim.OLED().Lit(); !samePicture(&got, &want) || view.Clocks[engine.Black].String() != "0:00" {
			t.Error("with a flag on record the display shows something else than 0:00")
		}
		written := func() uint64 { _, _, n := b.app.rig.Sim.OLED().Counts(); return n }
		before := written()
		time.Sleep(3 * time.Second)
		if now := written(); now != before {
			t.Errorf("clocks that stand are drawn again: %d bytes", now-before)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	})
}

// samePicture reports whether the display is lit as an image says.
func samePicture(got *emu.Screen, want *oled.Image) bool {
	for y, row := range got {
		for x, on := range row {
			if on != (want[x]>>y&1 == 1) {
				return false
			}
		}
	}
	return true
}

// A small file is believed as it was written, or not at all.
func FuzzUnsealed(f *testing.F) {
	f.Add([]byte(sealed("J 7 text")))
	f.Add([]byte("J 7 text 00000000\n"))
	f.Add([]byte(" \n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if text, ok := unsealed(line); ok && sealed(text) != string(line) {
			t.Errorf("%q is taken for %q", line, text)
		}
		if text, ok := unsealed([]byte(sealed(string(line)))); !ok || text != string(line) {
			t.Errorf("%q comes back as %q, %t", line, text, ok)
		}
	})
}
