package ads1115

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"periph.io/x/conn/v3/i2c/i2ctest"
	"periph.io/x/conn/v3/physic"
	"pgregory.net/rapid"
)

// Transfers written down from the data sheet's register tables. The
// configuration is, from the highest bit: OS, MUX 1xx (input against ground),
// PGA 001 (4.096 V), MODE 1 (single), DR 111 (860 a second), comparator 000, QUE
// 00. So 1100 0011 1110 0000 starts AIN0 and reads back when it has finished,
// with a leading 0 while it has not.

func writes(reg, high, low byte) i2ctest.IO {
	return i2ctest.IO{Addr: 0x48, W: []byte{reg, high, low}}
}

func reads(reg, high, low byte) i2ctest.IO {
	return i2ctest.IO{Addr: 0x48, W: []byte{reg}, R: []byte{high, low}}
}

func initialisation() []i2ctest.IO {
	return []i2ctest.IO{
		writes(2, 0x5A, 0xA5), // Lo_thresh: highest bit 0.
		writes(3, 0xA5, 0x5A), // Hi_thresh: highest bit 1.
		writes(1, 0x43, 0xE0), // AIN0, no start.
		reads(2, 0x5A, 0xA5),
		reads(3, 0xA5, 0x5A),
		reads(1, 0xC3, 0xE0),
	}
}

// play returns a chip behind a bus that expects exactly these transfers.
func play(t *testing.T, ops ...i2ctest.IO) *Dev {
	t.Helper()
	bus := &i2ctest.Playback{Ops: ops, DontPanic: true}
	t.Cleanup(func() {
		if err := bus.Close(); err != nil {
			t.Error(err) // Some were not made.
		}
	})
	return New(bus, 0x48)
}

func TestInit(t *testing.T) {
	t.Parallel()
	if err := play(t, initialisation()...).Init(); err != nil {
		t.Fatal(err)
	}
}

// After a failed initialisation nothing is known: the next start looks first.
func TestFailedInit(t *testing.T) {
	t.Parallel()
	c := &chip{answers: 40}
	d := New(c, 0x48)
	if err := d.Init(); err != nil {
		t.Fatal(err)
	}
	if err := c.Tx(0x48, []byte{1, 0xE3, 0xE0}, nil); err != nil { // Somebody else starts AIN2.
		t.Fatal(err)
	}
	c.failAt = 1
	if err := d.Init(); !errors.Is(err, syscall.EREMOTEIO) {
		t.Fatal(err)
	}
	if err := d.Start(1); !errors.Is(err, ErrSlow) {
		t.Errorf("a conversion was started while one was under way: %v", err)
	}
}

func TestEveryInput(t *testing.T) {
	t.Parallel()
	for input, high := range []byte{0xC3, 0xD3, 0xE3, 0xF3} {
		d := play(t,
			reads(1, 0xC3, 0xE0), // What a chip not initialised by us is doing is not known.
			writes(1, high, 0xE0),
			reads(1, high, 0xE0),
			reads(0, 0x33, 0x90),
		)
		d.running = true
		if err := d.Start(input); err != nil {
			t.Fatal(err)
		}
		v, err := d.Result()
		if err != nil || v != 13200 { // 1.65 V.
			t.Errorf("AIN%d: %d, %v", input, v, err)
		}
	}
}

// SBAS444E, 7.5.4, table of ideal codes: full scale is 7FFFh, a count below
// ground FFFFh.
func TestCodes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		high, low byte
		want      int16
	}{
		{0x7F, 0xFF, 32767}, {0x00, 0x01, 1}, {0x00, 0x00, 0}, {0xFF, 0xFF, -1}, {0x80, 0x00, -32768},
	} {
		d := play(t, writes(1, 0xC3, 0xE0), reads(1, 0xC3, 0xE0), reads(0, tc.high, tc.low))
		if err := d.Start(0); err != nil {
			t.Fatal(err)
		}
		if v, err := d.Result(); err != nil || v != tc.want {
			t.Errorf("%02X%02Xh is %d, %v, want %d", tc.high, tc.low, v, err, tc.want)
		}
	}
}

// The two bugs that made this driver: a part whose clock is slow, and a fixed
// wait.
func TestSlowPartIsWaitedFor(t *testing.T) {
	t.Parallel()
	d := play(
		t,
		writes(1, 0xD3, 0xE0),
		reads(1, 0x53, 0xE0), // Busy.
		reads(1, 0x53, 0xE0),
		reads(1, 0xD3, 0xE0),
		reads(0, 0x12, 0x34),
	)
	if err := d.Start(1); err != nil {
		t.Fatal(err)
	}
	if v, err := d.Result(); err != nil || v != 0x1234 {
		t.Errorf("%04X, %v", v, err)
	}
}

// A conversion that does not end is given up after 2/DR, counted in what the
// questions take at least on the wire: 2.326 ms less the 1.188 ms waited before,
// in steps of 48 clocks at 400 kHz. Whatever the register holds is not returned.
func TestConversionThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	ops := []i2ctest.IO{writes(1, 0xC3, 0xE0)}
	for range 1 + 10 { // At 0, 0.12, ... 1.2 ms: the last is the first beyond 1.138 ms.
		ops = append(ops, reads(1, 0x43, 0xE0))
	}
	// The next start finds the chip still busy, for as long again, and does not
	// write.
	for range 1 + 20 { // 0 to 2.4 ms.
		ops = append(ops, reads(1, 0x43, 0xE0))
	}
	// Then it is idle: the old conversion has ended, and is not looked at.
	ops = append(ops, reads(1, 0x43, 0xE0), reads(1, 0xC3, 0xE0), writes(1, 0xE3, 0xE0), reads(1, 0xE3, 0xE0), reads(0, 0x00, 0x07))
	d := play(t, ops...)
	if err := d.Start(0); err != nil {
		t.Fatal(err)
	}
	_, err := d.Result()
	if !errors.Is(err, ErrSlow) || !strings.Contains(err.Error(), "ads1115 at 0x48: finish register 01h") {
		t.Errorf("%v", err)
	}
	if err := d.Start(2); !errors.Is(err, ErrSlow) || !strings.Contains(err.Error(), "0x48") {
		t.Errorf("a conversion was started while one was under way: %v", err)
	}
	if err := d.Start(2); err != nil {
		t.Fatal(err)
	}
	if v, err := d.Result(); err != nil || v != 7 {
		t.Errorf("%d, %v", v, err)
	}
}

// 860 a second and 10 % of tolerance: the slowest part must be well within the
// deadline, the typical one done after the first wait.
func TestTimes(t *testing.T) {
	t.Parallel()
	slowest := 10*time.Second/(860*9) + 25*time.Microsecond
	if Deadline < slowest+900*time.Microsecond {
		t.Errorf("deadline %v, the slowest part takes %v", Deadline, slowest)
	}
	if want := time.Second/860 + 25*time.Microsecond; Conversion != want {
		t.Errorf("a typical conversion takes %v, want %v", Conversion, want)
	}
}

// A chip that loses its registers between start and result reads back the
// power-on configuration, in which it is idle.
func TestResetDuringAConversion(t *testing.T) {
	t.Parallel()
	d := play(t, writes(1, 0xC3, 0xE0), reads(1, 0x85, 0x83), reads(1, 0x85, 0x83), reads(1, 0x85, 0x83))
	if err := d.Start(0); err != nil {
		t.Fatal(err)
	}
	v, err := d.Result()
	if !errors.Is(err, ErrRegister) || v != 0 {
		t.Errorf("%d, %v", v, err)
	}
	for _, want := range []string{"0x48", "01h", "holds 0583h", "want 43E0h"} {
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%q does not mention %q", err, want)
		}
	}
}

// A look that was disturbed on its way says nothing: the next one counts.
func TestDisturbedLook(t *testing.T) {
	t.Parallel()
	d := play(t, writes(1, 0xC3, 0xE0), reads(1, 0xC3, 0xA0), reads(1, 0xC2, 0xE0), reads(1, 0xC3, 0xE0), reads(0, 0x33, 0x90))
	if err := d.Start(0); err != nil {
		t.Fatal(err)
	}
	if v, err := d.Result(); v != 0x3390 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
	d = play(t, reads(3, 0xA5, 0x4A), reads(2, 0x5A, 0xA5), reads(3, 0xA5, 0x5A), reads(2, 0x5A, 0xA5))
	if intact, err := d.Canary(); !intact || err != nil {
		t.Errorf("the canary: %v, %v", intact, err)
	}
	d = play(t, reads(0, 0x33, 0x91))
	if v, err := d.Again(); v != 0x3391 || err != nil {
		t.Errorf("again: %d, %v", v, err)
	}
}

func TestVerifyNamesTheRegister(t *testing.T) {
	t.Parallel()
	for i, tc := range []struct{ want string }{
		{"check register 02h: holds 8000h, want 5AA5h"},
		{"check register 03h: holds 7FFFh, want A55Ah"},
		{"check register 01h: holds 0583h, want 43E0h"},
	} {
		ops := initialisation()[:3+i+1]
		power := [][]byte{{0x80, 0x00}, {0x7F, 0xFF}, {0x85, 0x83}}[i]
		ops[3+i].R = power
		if i == 2 {
			// The configuration is looked at three times.
			ops = append(ops, ops[3+i], ops[3+i])
		}
		err := play(t, ops...).Init()
		if !errors.Is(err, ErrRegister) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, want %q", err, tc.want)
		}
	}
}

func TestCanary(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		high, low [2]byte
		want      bool
	}{
		{[2]byte{0xA5, 0x5A}, [2]byte{0x5A, 0xA5}, true},
		{[2]byte{0x7F, 0xFF}, [2]byte{0x80, 0x00}, false},
		{[2]byte{0xA5, 0x5A}, [2]byte{0x80, 0x00}, false},
		{[2]byte{0x7F, 0xFF}, [2]byte{0x5A, 0xA5}, false},
	} {
		look := []i2ctest.IO{reads(3, tc.high[0], tc.high[1]), reads(2, tc.low[0], tc.low[1])}
		if !tc.want { // It is looked at three times.
			look = slices.Repeat(look, 3)
		}
		d := play(t, look...)
		if got, err := d.Canary(); err != nil || got != tc.want {
			t.Errorf("%X %X: intact %v, %v", tc.high, tc.low, got, err)
		}
	}
	if highCanary&0x8000 == 0 || lowCanary&0x8000 != 0 {
		t.Error("the thresholds do not make ALERT/RDY a conversion-ready pin")
	}
}

// line is a bus whose transfers fail when told to, and that remembers what was
// written.
type line struct {
	n       int
	fail    func(n int) error
	written [][]byte
	answer  func(reg byte) [2]byte
}

func (l *line) String() string                  { return "line" }
func (l *line) SetSpeed(physic.Frequency) error { return nil }
func (l *line) Tx(_ uint16, w, r []byte) error {
	l.n++
	if err := l.fail(l.n); err != nil {
		return err
	}
	l.written = append(l.written, bytes.Clone(w))
	if len(r) == 2 {
		v := l.answer(w[0])
		copy(r, v[:])
	}
	return nil
}

// Each transfer of each operation may fail; the error says which chip, which
// register and what was tried, and carries its cause.
func TestErrors(t *testing.T) {
	t.Parallel()
	registers := func(reg byte) [2]byte { return [4][2]byte{{0, 9}, {0xC3, 0xE0}, {0x5A, 0xA5}, {0xA5, 0x5A}}[reg] }
	operations := map[string]func(d *Dev) error{
		"init":   func(d *Dev) error { return d.Init() },
		"canary": func(d *Dev) error { _, err := d.Canary(); return err },
		"convert": func(d *Dev) error {
			if err := d.Start(0); err != nil {
				return err
			}
			_, err := d.Result()
			return err
		},
	}
	for name, do := range operations {
		count := &line{fail: func(int) error { return nil }, answer: registers}
		if err := do(New(count, 0x4A)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for bad := 1; bad <= count.n; bad++ {
			l := &line{answer: registers, fail: func(n int) error {
				if n == bad {
					return syscall.EREMOTEIO
				}
				return nil
			}}
			err := do(New(l, 0x4A))
			own, ok := errors.AsType[*Error](err)
			if !ok || !errors.Is(err, syscall.EREMOTEIO) || own.Addr != 0x4A || !strings.Contains(err.Error(), "0x4A") {
				t.Errorf("%s, transfer %d: %v", name, bad, err)
			}
			if l.n != bad {
				t.Errorf("%s went on after transfer %d failed", name, bad)
			}
		}
	}
}

// Whatever fails between two conversions, a value that is returned belongs to
// the input asked for. The chip here follows the data sheet: a start while busy
// is ignored, but the input that it names is taken over and reads back.
func TestNeverTheConversionBefore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := &chip{}
		d := New(c, 0x48)
		c.answers = 1
		if err := d.Init(); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 60).Draw(t, "conversions") {
			input := rapid.IntRange(0, 3).Draw(t, "input")
			c.answers = rapid.IntRange(1, 80).Draw(t, "questions until finished")
			c.failAt = rapid.IntRange(-6, 6).Draw(t, "failing transfer")
			c.takes = rapid.Bool().Draw(t, "failed writes arrive")
			if err := d.Start(input); err != nil {
				continue
			}
			v, err := d.Result()
			if err == nil && int(v) != c.serial*4+input {
				t.Fatalf("AIN%d is conversion %d of AIN%d, the last one is %d", input, v/4, v%4, c.serial)
			}
			if err != nil && v != 0 {
				t.Fatalf("an error and the value %d", v)
			}
		}
	})
}

// chip is the state machine of SBAS444E, 7.4.2.1, in which time is counted in
// questions.
type chip struct {
	reg     [4]uint16
	input   int // Of the conversion that runs.
	serial  int // Conversions begun.
	left    int // Questions until it has finished; 0 if idle.
	answers int // What left begins with.
	failAt  int
	takes   bool
}

func (c *chip) String() string                  { return "chip" }
func (c *chip) SetSpeed(physic.Frequency) error { return nil }

func (c *chip) Tx(_ uint16, w, r []byte) error {
	c.failAt--
	lost := c.failAt == 0
	if lost && !c.takes {
		return syscall.EREMOTEIO
	}
	if len(w) == 3 {
		c.write(w[0], uint16(w[1])<<8|uint16(w[2]))
	}
	if len(r) == 2 {
		v := c.read(w[0])
		r[0], r[1] = byte(v>>8), byte(v)
	}
	if lost {
		return syscall.EREMOTEIO
	}
	return nil
}

func (c *chip) write(reg byte, v uint16) {
	if reg == 0 {
		return
	}
	c.reg[reg] = v
	if reg == 1 && v>>15 == 1 && c.left == 0 {
		c.serial++
		c.input, c.left = int(v>>12&3), c.answers
	}
}

func (c *chip) read(reg byte) uint16 {
	if reg != 1 {
		return c.reg[reg]
	}
	v := c.reg[1] &^ 0x8000
	if c.left > 0 {
		c.left--
		if c.left == 0 {
			c.reg[0] = uint16(c.serial*4 + c.input)
		}
		return v
	}
	return v | 0x8000
}

// Whatever bytes the bus delivers, there is a value or an error, in bounded
// time.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte{0xC3, 0xE0, 0x33, 0x90})
	f.Add([]byte{0x43, 0xE0, 0x43, 0xE0, 0xC3, 0xE0, 0x00, 0x01})
	f.Add([]byte{0x85, 0x83})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		l := &line{fail: func(int) error { return nil }, answer: func(byte) [2]byte {
			var v [2]byte
			n := copy(v[:], data)
			data = data[n:]
			return v
		}}
		d := New(l, 0x48)
		for input := range 8 {
			if err := d.Start(input); err != nil {
				continue
			}
			if v, err := d.Result(); err != nil && v != 0 {
				t.Errorf("an error and the value %d", v)
			}
		}
		if l.n > 8*(21+1+11+1) {
			t.Errorf("%d transfers for eight conversions", l.n)
		}
		for _, w := range l.written {
			if len(w) == 3 && (w[0] != 1 || w[1]&0xCF != 0xC3 || w[2] != 0xE0) {
				t.Errorf("wrote % X", w)
			}
		}
	})
}

func TestNoAllocations(t *testing.T) {
	c := &chip{answers: 1}
	d := New(c, 0x48)
	if err := d.Init(); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		if err := d.Start(1); err != nil {
			t.Error(err)
		}
		if _, err := d.Result(); err != nil {
			t.Error(err)
		}
		if intact, err := d.Canary(); err != nil || !intact {
			t.Error("the canary is lost")
		}
	}); n != 0 {
		t.Errorf("%v allocations per conversion", n)
	}
}
