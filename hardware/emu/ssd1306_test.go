package emu_test

import (
	"errors"
	"image"
	"image/color"
	"slices"
	"testing"

	"periph.io/x/devices/v3/ssd1306"
	"periph.io/x/devices/v3/ssd1306/image1bit"
	"pgregory.net/rapid"

	"reversi-board/hardware/emu"
)

// panel returns a panel that is on, upright, empty, in page mode, with the
// pointer at the start.
func panel(t testing.TB) (*emu.SSD1306, *emu.Bus) {
	t.Helper()
	chip := emu.NewSSD1306(emu.OLEDOptions{})
	bus := emu.NewBus(chip)
	oledCommands(t, bus, 0xA1, 0xC8, 0x8D, 0x14, 0xAF)
	for page := range byte(8) {
		oledCommands(t, bus, 0xB0|page, 0x00, 0x10)
		oledData(t, bus, make([]byte, 132)...)
	}
	oledCommands(t, bus, 0xB0, 0x00, 0x10)
	return chip, bus
}

func oledCommands(t testing.TB, bus *emu.Bus, c ...byte) {
	t.Helper()
	if err := bus.Tx(0x3C, append([]byte{0x00}, c...), nil); err != nil {
		t.Fatal(err)
	}
}

func oledData(t testing.TB, bus *emu.Bus, d ...byte) {
	t.Helper()
	if err := bus.Tx(0x3C, append([]byte{0x40}, d...), nil); err != nil {
		t.Fatal(err)
	}
}

// dots returns the lit pixels, x before y, row by row.
func dots(s emu.Screen) []image.Point {
	var p []image.Point
	for y := range s {
		for x := range s[y] {
			if s[y][x] {
				p = append(p, image.Pt(x, y))
			}
		}
	}
	return p
}

func wantDots(t *testing.T, what string, chip *emu.SSD1306, want ...image.Point) {
	t.Helper()
	if got := dots(chip.Lit()); !slices.Equal(got, want) {
		t.Errorf("%s: lit %v, want %v", what, got[:min(len(got), 20)], want)
	}
}

// TestPanelPower: reset values of table 9-1, and what shows when the panel is
// switched on before its RAM is written.
func TestPanelPower(t *testing.T) {
	chip := emu.NewSSD1306(emu.OLEDOptions{})
	bus := emu.NewBus(chip)
	reset := emu.OLEDSetup{
		Mode: 2, Lines: 64, Contrast: 0x7F, ComPins: 0x12, Clock: 0x80, Precharge: 0x22, Vcomh: 0x20,
	}
	if chip.Setup() != reset {
		t.Errorf("%+v, want %+v", chip.Setup(), reset)
	}
	status := func() byte {
		r := make([]byte, 1)
		if err := bus.Tx(0x3C, nil, r); err != nil {
			t.Fatal(err)
		}
		return r[0]
	}
	if status() != 0x40 {
		t.Errorf("status %x", status())
	}
	oledCommands(t, bus, 0xAF)
	wantDots(t, "on, but without the charge pump", chip)
	oledCommands(t, bus, 0x8D, 0x14)
	if n := len(dots(chip.Lit())); n < 3000 || n > 5000 {
		t.Errorf("%d of 8192 pixels are lit: the RAM holds no noise", n)
	}
	if status() != 0 {
		t.Errorf("status %x", status())
	}
	before := dots(chip.Lit())
	chip.BrownOut()
	wantDots(t, "after a dip", chip)
	oledCommands(t, bus, 0x8D, 0x14, 0xAF)
	if !slices.Equal(dots(chip.Lit()), before) {
		t.Error("a dip changed the RAM")
	}
	chip.PowerCycle()
	oledCommands(t, bus, 0x8D, 0x14, 0xAF)
	if slices.Equal(dots(chip.Lit()), before) {
		t.Error("the RAM survived a power cycle")
	}
	mustPanic(t, "an address it cannot have", func() { emu.NewSSD1306(emu.OLEDOptions{Addr: 0x3E}) })
	if emu.NewSSD1306(emu.OLEDOptions{Addr: 0x3D}).Address() != 0x3D {
		t.Error("address 3Dh")
	}
}

// TestPanelControlBytes: 8.1.5.2.
func TestPanelControlBytes(t *testing.T) {
	chip, bus := panel(t)
	if err := bus.Tx(0x3C, []byte{0x80, 0xB1, 0x80, 0x05, 0xC0, 0x01, 0xC0, 0x01, 0x80, 0x00, 0x40, 0x80, 0x81}, nil); err != nil {
		t.Fatal(err)
	}
	wantDots(t, "mixed", chip, image.Pt(1, 8), image.Pt(5, 8), image.Pt(6, 8), image.Pt(0, 15), image.Pt(1, 15))
	// A command and its argument may come in transfers of their own.
	oledCommands(t, bus, 0x81)
	oledCommands(t, bus, 0x33)
	if c := chip.Setup().Contrast; c != 0x33 {
		t.Errorf("contrast %x", c)
	}
	if err := bus.Tx(0x3C, []byte{0x80}, nil); err != nil { // A control byte alone.
		t.Fatal(err)
	}
}

// TestPanelAddressing: 10.1.3, figures 10-1 to 10-4; each byte lights one
// pixel of its column's top.
func TestPanelAddressing(t *testing.T) {
	for _, tc := range []struct {
		name  string
		setup []byte
		n     int
		want  []image.Point // In the order of x within a row.
	}{
		{"horizontal, a window", []byte{0x20, 0x00, 0x21, 2, 4, 0x22, 1, 2}, 5, []image.Point{{2, 8}, {3, 8}, {4, 8}, {2, 16}, {3, 16}}},
		{"horizontal, from the window's end to its start", []byte{0x20, 0x00, 0x21, 126, 127, 0x22, 7, 7, 0xB7, 0x0F, 0x17}, 2, []image.Point{{126, 56}, {127, 56}}},
		{"vertical, a window", []byte{0x20, 0x01, 0x21, 2, 4, 0x22, 1, 2}, 5, []image.Point{{2, 8}, {3, 8}, {4, 8}, {2, 16}, {3, 16}}},
		{"vertical, three", []byte{0x20, 0x01, 0x21, 2, 4, 0x22, 1, 2}, 3, []image.Point{{2, 8}, {3, 8}, {2, 16}}},
		{"page mode stays in its page", []byte{0x20, 0x02, 0xB3, 0x0E, 0x17}, 4, []image.Point{{0, 24}, {1, 24}, {126, 24}, {127, 24}}},
		{"B3 00 10 in horizontal mode", []byte{0x20, 0x00, 0x21, 0, 127, 0x22, 0, 7, 0xB3, 0x05, 0x12}, 2, []image.Point{{37, 24}, {38, 24}}},
		{"B3 00 10 in vertical mode", []byte{0x20, 0x01, 0x21, 0, 127, 0x22, 0, 7, 0xB3, 0x05, 0x12}, 2, []image.Point{{37, 24}, {37, 32}}},
		{"mode 3 does not exist", []byte{0x20, 0x03, 0xB3, 0x0F, 0x17}, 2, []image.Point{{0, 24}, {127, 24}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			chip, bus := panel(t)
			oledCommands(t, bus, tc.setup...)
			oledData(t, bus, slices.Repeat([]byte{1}, tc.n)...)
			wantDots(t, "written", chip, tc.want...)
		})
	}
}

// TestPanelScan: display start line, offset and multiplex ratio as in tables
// 10-1 (C0h) and 10-2 (C8h). One dot lies in line 10 of the RAM.
func TestPanelScan(t *testing.T) {
	for _, tc := range []struct {
		name  string
		setup []byte
		want  []image.Point
	}{
		{"as it is", nil, []image.Point{{3, 10}}},
		{"start line 4", []byte{0x44}, []image.Point{{3, 6}}},
		{"start line 12 wraps", []byte{0x4C}, []image.Point{{3, 62}}},
		{"offset 4", []byte{0xD3, 4}, []image.Point{{3, 6}}},
		{"16 lines: from COM15 down", []byte{0xA8, 15}, []image.Point{{3, 58}}},
		{"16 lines, line 10 is the last", []byte{0xA8, 15, 0x40 | 59}, []image.Point{{3, 63}}},
		{"16 lines do not reach beyond line 15", []byte{0xA8, 15, 0x40 | 58}, nil},
		{"a ratio of 15 is invalid", []byte{0xA8, 14}, []image.Point{{3, 10}}},
		{"COM scan the other way, at once", []byte{0xC0}, []image.Point{{3, 53}}},
		{"C0h with 32 lines", []byte{0xC0, 0xA8, 31}, []image.Point{{3, 53}}},
		{"C0h with 32 lines does not show line 32", []byte{0xC0, 0xA8, 31, 0x40 | (10 - 32 + 64)}, nil},
		{"segment remap changes nothing that is written", []byte{0xA0}, []image.Point{{3, 10}}},
		{"inverse of all on", []byte{0xA5, 0xA7, 0xA4, 0xA6}, []image.Point{{3, 10}}},
		{"off", []byte{0xAE}, nil},
		{"pump off", []byte{0x8D, 0x10}, nil},
		{"commands that take bytes and change nothing", []byte{0x26, 0, 0, 0, 0, 0, 0xFF, 0x27, 0, 0, 0, 0, 0, 0xFF, 0x29, 0, 0, 0, 0, 0, 0x2A, 0, 0, 0, 0, 0, 0xA3, 0, 0x40, 0xE3, 0x2F, 0x2E}, []image.Point{{3, 10}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			chip, bus := panel(t)
			oledCommands(t, bus, 0xB1, 0x03, 0x10)
			oledData(t, bus, 1<<2)
			oledCommands(t, bus, tc.setup...)
			wantDots(t, "shown", chip, tc.want...)
			if _, unknown, _ := chip.Counts(); unknown != 0 {
				t.Errorf("%d commands are unknown", unknown)
			}
		})
	}
}

func TestPanelRemapAndInverse(t *testing.T) {
	chip, bus := panel(t)
	oledCommands(t, bus, 0xA0)
	oledData(t, bus, 1) // Column 0 is SEG0 now: the right edge.
	wantDots(t, "not remapped", chip, image.Pt(127, 0))
	oledCommands(t, bus, 0xA7)
	if s := chip.Lit(); s[0][127] || !s[0][126] || !s[63][0] {
		t.Error("A7h is not inverse")
	}
	oledCommands(t, bus, 0xA5)
	if s := chip.Lit(); !s[0][127] || len(dots(s)) != 8192 {
		t.Error("A5h does not light everything")
	}
	oledCommands(t, bus, 0xA4, 0xA6, 0x81, 0x40)
	if m := chip.Image(); m.GrayAt(127, 0).Y != 0x40 || m.GrayAt(0, 0).Y != 0 {
		t.Error("the picture does not follow the contrast")
	}
	oledCommands(t, bus, 0x2F, 0xFA)
	if _, unknown, _ := chip.Counts(); !chip.Setup().Scroll || unknown != 1 {
		t.Errorf("scrolling %v, %d unknown commands", chip.Setup().Scroll, unknown)
	}
}

// TestPanelComPins: a wrong DAh interleaves the halves of a usual panel.
func TestPanelComPins(t *testing.T) {
	for _, tc := range []struct {
		pins byte
		want image.Point
	}{
		// Line 1 of the panel from COM63 down is on pad COM31: with the
		// alternative order row 1, with the sequential one row 32.
		{0x12, image.Pt(0, 1)},
		{0x02, image.Pt(0, 2)}, // RAM line 1 is on pad COM62, the panel's line 2.
		{0x32, image.Pt(0, 0)}, // Halves swapped: odd and even lines change places.
		{0x22, image.Pt(0, 3)},
	} {
		chip, bus := panel(t)
		oledData(t, bus, 1<<1)
		oledCommands(t, bus, 0xDA, tc.pins)
		wantDots(t, "pins", chip, tc.want)
	}
}

// TestPanelAgainstPeriph lets periph's own driver draw, whole pictures and
// parts of them, in every orientation.
func TestPanelAgainstPeriph(t *testing.T) {
	for _, tc := range []struct {
		name string
		opts ssd1306.Opts
		at   func(x, y int) image.Point // Where a pixel of the picture is seen.
	}{
		{"upright", ssd1306.Opts{W: 128, H: 64}, func(x, y int) image.Point { return image.Pt(x, y) }},
		{"rotated", ssd1306.Opts{W: 128, H: 64, MirrorVertical: true, MirrorHorizontal: true}, func(x, y int) image.Point { return image.Pt(127-x, 63-y) }},
		{"mirrored vertically", ssd1306.Opts{W: 128, H: 64, MirrorVertical: true}, func(x, y int) image.Point { return image.Pt(x, 63-y) }},
		{"mirrored horizontally", ssd1306.Opts{W: 128, H: 64, MirrorHorizontal: true}, func(x, y int) image.Point { return image.Pt(127-x, y) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			chip := emu.NewSSD1306(emu.OLEDOptions{})
			dev, err := ssd1306.NewI2C(emu.NewBus(chip), &tc.opts)
			if err != nil {
				t.Fatal(err)
			}
			picture := image1bit.NewVerticalLSB(dev.Bounds())
			rapid.Check(t, func(rt *rapid.T) {
				scribble(rt, picture)
				if err := dev.Draw(dev.Bounds(), picture, image.Point{}); err != nil {
					rt.Fatal(err)
				}
				shows(rt, chip, picture, tc.at)
			})
			if _, unknown, _ := chip.Counts(); unknown != 0 {
				t.Errorf("%d commands are unknown", unknown)
			}
		})
	}
}

// shows checks that the panel shows the picture, each pixel where at says.
func shows(rt *rapid.T, chip *emu.SSD1306, picture *image1bit.VerticalLSB, at func(x, y int) image.Point) {
	s := chip.Lit()
	for y := range s {
		for x := range s[y] {
			if p := at(x, y); s[p.Y][p.X] != bool(picture.BitAt(x, y)) {
				rt.Fatalf("pixel %d,%d differs", x, y)
			}
		}
	}
}

// scribble inverts a rectangle of the picture.
func scribble(rt *rapid.T, m *image1bit.VerticalLSB) {
	x, y := rapid.IntRange(0, 127).Draw(rt, "x"), rapid.IntRange(0, 63).Draw(rt, "y")
	w, h := rapid.IntRange(1, 128-x).Draw(rt, "w"), rapid.IntRange(1, 64-y).Draw(rt, "h")
	for dy := range h {
		for dx := range w {
			m.SetBit(x+dx, y+dy, !m.BitAt(x+dx, y+dy))
		}
	}
}

// TestPanelPeriphSetup compares what periph's driver sends with what the
// recommended flow of the sheet (p. 64) leaves in the registers.
func TestPanelPeriphSetup(t *testing.T) {
	chip := emu.NewSSD1306(emu.OLEDOptions{})
	bus := emu.NewBus(chip)
	dev, err := ssd1306.NewI2C(bus, &ssd1306.DefaultOpts)
	if err != nil {
		t.Fatal(err)
	}
	want := emu.OLEDSetup{
		On: true, Pump: true, Remap: true, ScanDown: true, Lines: 64,
		Contrast: 0xFF, ComPins: 0x12, Clock: 0xF0, Precharge: 0xF1, Vcomh: 0x40,
	}
	if chip.Setup() != want {
		t.Errorf("%+v, want %+v", chip.Setup(), want)
	}
	if err := dev.Halt(); err != nil {
		t.Fatal(err)
	}
	if chip.Setup().On {
		t.Error("halted, but on")
	}
	// A panel that is away, and one that comes back without its registers.
	bus.Fail(0x3C, emu.NoAck())
	if err := dev.Invert(true); !errors.Is(err, emu.NoAck()) {
		t.Errorf("%v", err)
	}
	bus.Heal()
	chip.PowerCycle()
	wantDots(t, "back from a power cycle", chip)
	if _, err := ssd1306.NewI2C(bus, &ssd1306.DefaultOpts); err != nil {
		t.Fatal(err)
	}
	if chip.Setup() != want {
		t.Errorf("initialised anew: %+v", chip.Setup())
	}
}

// TestOtherController: with an SH1106 the visible columns begin at 2, and what
// an SSD1306's driver sends comes out two pixels off.
func TestOtherController(t *testing.T) {
	chip := emu.NewSSD1306(emu.OLEDOptions{SH1106: true})
	bus := emu.NewBus(chip)
	oledCommands(t, bus, 0xA1, 0xC8, 0xAF, 0x32)
	for page := range byte(8) {
		oledCommands(t, bus, 0xB0|page, 0x00, 0x10)
		oledData(t, bus, make([]byte, 140)...) // What does not fit is dropped.
	}
	oledCommands(t, bus, 0xB2, 0x02, 0x10)
	oledData(t, bus, 0x01)
	wantDots(t, "column 2", chip, image.Pt(0, 16))
	oledCommands(t, bus, 0x01, 0x18)
	oledData(t, bus, 0x01) // Column 129.
	wantDots(t, "columns 2 and 129", chip, image.Pt(0, 16), image.Pt(127, 16))
	oledCommands(t, bus, 0xAD, 0x8A)
	wantDots(t, "converter off", chip)
	oledCommands(t, bus, 0xAD, 0x8B)
	if _, unknown, _ := chip.Counts(); unknown != 0 {
		t.Errorf("%d commands are unknown", unknown)
	}

	dev, err := ssd1306.NewI2C(bus, &ssd1306.DefaultOpts)
	if err != nil {
		t.Fatal(err)
	}
	picture := image1bit.NewVerticalLSB(dev.Bounds())
	picture.Set(10, 20, color.White)
	if err := dev.Draw(dev.Bounds(), picture, image.Point{}); err != nil {
		t.Fatal(err)
	}
	// 21h 00h 7Fh is no command here: 7Fh makes line 63 the first one.
	if s := chip.Lit(); !s[21][8] || s[20][10] {
		t.Error("a picture for an SSD1306 is in its place")
	}
	if _, unknown, _ := chip.Counts(); unknown == 0 {
		t.Error("an SH1106 knows all commands of an SSD1306")
	}
}

// FuzzSSD1306 sends anything: nothing breaks, and a panel that is initialised
// afterwards, as a driver does, shows what it is sent.
func FuzzSSD1306(f *testing.F) {
	f.Add([]byte{0x00, 0x21, 0x05}, []byte{0x40, 1, 2, 3}, false)
	f.Add([]byte{0x80, 0x26, 0x00, 0x22, 0xFF}, []byte{0xC0, 0x01, 0x00, 0xA8, 0x10}, true)
	f.Fuzz(func(t *testing.T, a, b []byte, sh bool) {
		chip := emu.NewSSD1306(emu.OLEDOptions{SH1106: sh})
		bus := emu.NewBus(chip)
		for _, w := range [][]byte{a, b, a} {
			if err := bus.Tx(0x3C, w, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			chip.Image()
		}
		if sh {
			return
		}
		oledCommands(t, bus, slices.Repeat([]byte{0xE3}, 6)...) // Ends a command that is not complete.
		dev, err := ssd1306.NewI2C(bus, &ssd1306.DefaultOpts)
		if err != nil {
			t.Fatal(err)
		}
		picture := image1bit.NewVerticalLSB(dev.Bounds())
		picture.Set(100, 50, color.White)
		if err := dev.Draw(dev.Bounds(), picture, image.Point{}); err != nil {
			t.Fatal(err)
		}
		if got := dots(chip.Lit()); !slices.Equal(got, []image.Point{{100, 50}}) {
			t.Fatalf("lit %v", got[:min(len(got), 20)])
		}
	})
}
