package pixel

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/hardware"
)

func mixer(t rapid.TB, c Config) *Mixer {
	t.Helper()
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Three bytes a light, in the order of the strip.
func TestOrder(t *testing.T) {
	t.Parallel()
	px := [Cells]hardware.RGB{0: {R: 1, G: 2, B: 3}, 8: {G: 200}, 63: {B: 9}}
	for _, c := range []struct {
		order [Cells]int
		a2    int // light of the ninth cell
		h8    int
	}{{RowByRow(), 8, 63}, {Serpentine(), 15, 56}} {
		want := make([]byte, 3*Cells)
		want[0], want[1], want[2] = 1, 2, 3
		want[3*c.a2+1], want[3*c.h8+2] = 200, 9
		if got := mixer(t, Config{LEDs: c.order, Brightness: 255}).Mix(&px); !bytes.Equal(got, want) {
			t.Errorf("got % X", got)
		}
	}
	// a1..h1, then back h2..a2, then a3...
	order := Serpentine()
	for cell, want := range map[int]int{0: 0, 7: 7, 15: 8, 8: 15, 16: 16, 63: 56, 56: 63} {
		if order[cell] != want {
			t.Errorf("serpentine: cell %s on light %d, want %d", name(cell), order[cell], want)
		}
	}
}

// Brightness scales linearly and rounds up, so that a dim light stays lit.
func TestBrightness(t *testing.T) {
	t.Parallel()
	m := mixer(t, Config{LEDs: RowByRow(), Brightness: 51}) // A fifth.
	px := [Cells]hardware.RGB{{R: 255, G: 100, B: 1}}
	for _, c := range []struct {
		set  func()
		want [3]byte
	}{
		{func() {}, [3]byte{51, 20, 1}},
		{func() { m.SetBrightness(0) }, [3]byte{}},
		{func() { m.SetBrightness(255) }, [3]byte{255, 100, 1}},
	} {
		c.set()
		if got := m.Mix(&px); [3]byte(got) != c.want {
			t.Errorf("light 0 is % X, want %v", got[:3], c.want)
		}
	}
}

// milliamps is the current of a frame.
func milliamps(frame []byte) float64 {
	sum := 0
	for _, v := range frame {
		sum += int(v)
	}
	return float64(sum) / 255 * 20
}

func TestCurrentIsCapped(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 4000).Draw(t, "mA")
		bright := rapid.Byte().Draw(t, "brightness")
		var px [Cells]hardware.RGB
		channels := rapid.SliceOfN(rapid.Byte(), 3*Cells, 3*Cells).Draw(t, "channels")
		for i := range px {
			px[i] = hardware.RGB{R: channels[3*i], G: channels[3*i+1], B: channels[3*i+2]}
		}
		capped := mixer(t, Config{LEDs: RowByRow(), Brightness: bright, MaxMilliamps: limit}).Mix(&px)
		free := mixer(t, Config{LEDs: RowByRow(), Brightness: bright, MaxMilliamps: 1 << 30}).Mix(&px)
		got, wanted := milliamps(capped), milliamps(free)
		if got > float64(limit) {
			t.Fatalf("%.1f mA with a cap of %d", got, limit)
		}
		if wanted <= float64(limit) && !bytes.Equal(capped, free) {
			t.Fatalf("a frame of %.1f mA was changed by a cap of %d", wanted, limit)
		}
		// Rounding down costs at most one step per channel, 15.1 mA in all.
		if wanted > float64(limit) && got < float64(limit)-15.2 {
			t.Fatalf("only %.1f of %d mA used", got, limit)
		}
	})
}

func TestMistakesAreNamed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		spoil func(c *Config)
		want  []string
	}{
		{func(c *Config) { c.LEDs = [Cells]int{} }, []string{"a1", "b1", "light 0"}},
		{func(c *Config) { c.LEDs[63] = 64 }, []string{"h8", "64"}},
		{func(c *Config) { c.LEDs[9] = -1 }, []string{"b2", "-1"}},
		{func(c *Config) { c.MaxMilliamps = -5 }, []string{"-5 mA"}},
	} {
		c := Config{LEDs: RowByRow()}
		tc.spoil(&c)
		_, err := New(c)
		if err == nil {
			t.Errorf("accepted, want an error with %q", tc.want)
			continue
		}
		for _, want := range tc.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not mention %q", err, want)
			}
		}
	}
}

func TestMixAllocatesNothing(t *testing.T) {
	m := mixer(t, Config{LEDs: Serpentine(), Brightness: 128, MaxMilliamps: 100})
	px := [Cells]hardware.RGB{{R: 255}, {G: 255}, {B: 255}}
	if n := testing.AllocsPerRun(200, func() { _ = m.Mix(&px) }); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}
