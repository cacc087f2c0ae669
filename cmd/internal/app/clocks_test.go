package app

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/configs"
	"reversi-board/display/oled"
	"reversi-board/engine"
	"reversi-board/engine/archive"
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
	keep := &slots{fs: archive.OS(), path: filepath.Join(dir, clockFile)}
	if err := keep.write(text); err != nil {
		t.Fatal(err)
	}
	keep.close()
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
	whole, err := os.ReadFile(filepath.Join(dir, clockFile))
	if err != nil {
		t.Fatal(err)
	}
	slot := string(whole[slotStep : slotStep+slotSize])
	line := slot[:strings.IndexByte(slot, 0)]
	bad := []string{"", "1 J 7 ", sealed("1 J 7 {"), sealed("1 J 7 null x"), sealed(`1 J 7 {"left_ns":[-1,0]}`), sealed("1 J 7"), sealed("J 7 {}")}
	for _, line := range append(bad, tornOrRotten(line)...) {
		write(string(whole[:slotStep]) + line + strings.Repeat("\x00", slotsSize-slotStep-len(line)))
		if got, ok := readClock(dir, "J", 7); ok {
			t.Errorf("%q gives %+v", line, got)
		}
	}
}

// Whatever a power cut leaves of the clocks that were being written, those written
// before are there, and so they are after another start.
func TestClocksSurviveACutWhileTheyAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, clockFile)
	for n := 1; n <= 4; n++ {
		keep := &slots{fs: archive.OS(), path: path}
		if err := keep.write(fmt.Sprintf("text %d", n)); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(path)
		if err != nil || len(before) != slotsSize {
			t.Fatal(len(before), err)
		}
		if err := keep.write("text that is cut"); err != nil {
			t.Fatal(err)
		}
		keep.close()
		after, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		survivesEveryCut(t, before, after, fmt.Sprintf("text %d", n))
		if text, _, ok := newest(after); !ok || text != "text that is cut" {
			t.Errorf("written: %q", text)
		}
	}
}

// survivesEveryCut wants a text in whatever a cut leaves of a file that was being
// overwritten.
func survivesEveryCut(t *testing.T, before, after []byte, want string) {
	t.Helper()
	for cut := range slotsSize {
		if before[cut] == after[cut] {
			continue
		}
		torn := append(slices.Clone(after[:cut]), before[cut:]...)
		if text, _, ok := newest(torn); !ok || text != want {
			t.Fatalf("cut at %d: %q", cut, text)
		}
	}
}

// countingDisk counts what is done to the disk of the operating system.
type countingDisk struct {
	archive.FS
	mu                          sync.Mutex
	bytes, made, renamed, syncs int
}

func (d *countingDisk) OpenFile(name string, flag int, perm fs.FileMode) (archive.File, error) {
	f, err := d.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if flag&os.O_CREATE != 0 {
		d.made++
	}
	return countedFile{f, d}, nil
}

func (d *countingDisk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.renamed++
	return d.FS.Rename(from, to)
}

// counts returns what has been counted since the last time.
func (d *countingDisk) counts() (bytes, made, renamed, syncs int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	bytes, made, renamed, syncs = d.bytes, d.made, d.renamed, d.syncs
	d.bytes, d.made, d.renamed, d.syncs = 0, 0, 0, 0
	return bytes, made, renamed, syncs
}

type countedFile struct {
	archive.File
	disk *countingDisk
}

func (f countedFile) WriteAt(b []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	f.disk.bytes += len(b)
	f.disk.mu.Unlock()
	return f.File.WriteAt(b, at)
}

func (f countedFile) Sync() error {
	f.disk.mu.Lock()
	f.disk.syncs++
	f.disk.mu.Unlock()
	return f.File.Sync()
}

// What keeping the clocks costs the disk: one sector a second while one runs, in a file
// that is there, and nothing when nothing changes, also after the flag fell.
func TestClocksCostTheDiskLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := &countingDisk{FS: archive.OS()}
		b, _ := runWith(t, t.TempDir(), disk, func(c *configs.Config) { c.Game.Clock = "5:00" })
		time.Sleep(10 * time.Second)
		disk.counts()
		time.Sleep(4 * time.Minute)
		synctest.Wait()
		if bytes, made, renamed, syncs := disk.counts(); bytes > 241*slotSize || bytes < 239*slotSize || made != 0 || renamed != 0 || syncs > 241 {
			t.Errorf("four minutes with a running clock cost %d bytes, %d files, %d renames, %d syncs", bytes, made, renamed, syncs)
		}
		time.Sleep(2 * time.Minute)
		if s := b.state(); !s.Clock.Flagged(engine.Black) {
			t.Fatal("the flag has not fallen")
		}
		disk.counts()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if bytes, made, renamed, syncs := disk.counts(); bytes+made+renamed+syncs != 0 {
			t.Errorf("ten minutes with a fallen flag cost %d bytes, %d files, %d renames, %d syncs", bytes, made, renamed, syncs)
		}
	})
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
