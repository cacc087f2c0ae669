package emu

import (
	"fmt"
	"image"
	"sync"
)

// Commands of the SSD1306 (Solomon Systech SSD1306 rev. 1.1, table 9-1). Where
// the low bits carry data the first one is named.
const (
	oledColumnLow   = 0x00 // To 0Fh: lower nibble of the column, page mode.
	oledColumnHigh  = 0x10 // To 1Fh: upper nibble.
	oledMode        = 0x20 // + mode.
	oledColumns     = 0x21 // + first, last.
	oledPages       = 0x22 // + first, last.
	oledScrollRight = 0x26 // + 6 bytes.
	oledScrollLeft  = 0x27 // + 6 bytes.
	oledDiagonalR   = 0x29 // + 5 bytes.
	oledDiagonalL   = 0x2A // + 5 bytes.
	oledScrollOff   = 0x2E
	oledScrollOn    = 0x2F
	shPumpVoltage   = 0x30 // SH1106: to 33h.
	oledStartLine   = 0x40 // To 7Fh.
	oledContrast    = 0x81 // + contrast.
	oledChargePump  = 0x8D // + 10h, bit 2: on (application note in the sheet, p. 62).
	oledSegRemap    = 0xA0 // Bit 0.
	oledScrollArea  = 0xA3 // + fixed rows, scrolled rows.
	oledResume      = 0xA4
	oledAllOn       = 0xA5
	oledNormal      = 0xA6
	oledInverse     = 0xA7
	oledMultiplex   = 0xA8 // + lines - 1.
	oledDCDC        = 0xAD // SH1106: + 8Ah, bit 0: on.
	oledOff         = 0xAE
	oledOn          = 0xAF
	oledPage        = 0xB0 // To B7h.
	oledComScan     = 0xC0 // Bit 3.
	oledOffset      = 0xD3 // + lines.
	oledClock       = 0xD5 // + divider.
	oledPrecharge   = 0xD9 // + phases.
	oledComPins     = 0xDA // + bit 4: alternative, bit 5: left and right swapped.
	oledVcomh       = 0xDB // + level.
	oledNop         = 0xE3
)

// Screen size in pixels, and the width of the SH1106's RAM.
const (
	// ScreenWidth is the width of an OLED.
	ScreenWidth = 128
	// ScreenHeight is the height of an OLED.
	ScreenHeight = 64

	oledPageCount = ScreenHeight / 8
	shWidth       = 132
	shFirst       = (shWidth - ScreenWidth) / 2
	oledAddress   = 0x3C
)

// Memory addressing modes.
const (
	modeHorizontal = iota
	modeVertical
	modePage
)

// OLEDOptions choose the controller.
type OLEDOptions struct {
	// Addr is 0x3C (the default, 0) or 0x3D.
	Addr uint16
	// SH1106 gives the panel that controller: 132 columns of which the panel
	// shows those from 2 on, page mode only, a converter that is on at once.
	SH1106 bool
}

// Screen is what a panel shows: element y, x is whether the pixel in row y from
// the top and column x from the left is lit.
type Screen [ScreenHeight][ScreenWidth]bool

// OLEDSetup is what the registers of a panel's controller hold.
type OLEDSetup struct {
	// On is AFh, Pump the charge pump (SH1106: the converter); the panel is
	// dark without both.
	On, Pump bool
	// AllOn is A5h, Inverse A7h, Remap A1h, ScanDown C8h, Scroll 2Fh.
	AllOn, Inverse, Remap, ScanDown, Scroll bool
	// Mode is 0 horizontal, 1 vertical, 2 page.
	Mode byte
	// Lines is the multiplex ratio, 16 to 64; StartLine and Offset are 0 to 63.
	Lines, StartLine, Offset int
	// The values of 81h, DAh, D5h, D9h and DBh.
	Contrast, ComPins, Clock, Precharge, Vcomh byte
}

// SSD1306 is a panel of 128 x 64 pixels behind its controller on I²C, as the
// usual modules are built: no RESET pin, no supply for the panel but the charge
// pump, COM pins in the "alternative" order, upright with segment and COM scan
// remapped (A1h, C8h).
//
// The RAM holds noise after power-on. B0h, 00h and 10h move the pointer in
// every addressing mode, which the sheet keeps to page mode.
//
// Not in the sheet and chosen here: a column beyond the end of a page is the
// first one again in page mode (SH1106: it is dropped); bits that scroll leave
// the screen as it is; a read gives the status byte.
type SSD1306 struct {
	mu   sync.Mutex
	addr uint16
	sh   bool

	ram   [oledPageCount][shWidth]byte // By segment, not by column.
	noise uint64

	command byte // The command whose arguments are awaited.
	args    [6]byte
	have    int
	want    int

	page, column            int
	firstColumn, lastColumn int
	firstPage, lastPage     int
	set                     OLEDSetup

	unknown, commands, written uint64
}

// NewSSD1306 returns a panel that has just been powered up: dark. It panics
// when the address is not one that the chip can have.
func NewSSD1306(o OLEDOptions) *SSD1306 {
	if o.Addr == 0 {
		o.Addr = oledAddress
	}
	if o.Addr != oledAddress && o.Addr != oledAddress+1 {
		panic(fmt.Sprintf("emu: an SSD1306 cannot have address %#02x", o.Addr))
	}
	d := &SSD1306{addr: o.Addr, sh: o.SH1106, noise: uint64(o.Addr)}
	d.reset()
	return d
}

// Address implements [Device].
func (d *SSD1306) Address() uint16 { return d.addr }

// PowerCycle takes the supply away and gives it back: registers have their
// power-on values, the RAM holds noise, the panel is dark.
func (d *SSD1306) PowerCycle() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reset()
}

// BrownOut is a dip of the supply that resets the registers while the RAM
// survives it: the panel is dark and stays so until it is initialised.
func (d *SSD1306) BrownOut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.defaults()
}

func (d *SSD1306) reset() {
	d.defaults()
	for p := range d.ram {
		for c := range d.ram[p] {
			d.ram[p][c] = powerOnNoise(&d.noise)
		}
	}
}

// defaults sets the registers to the reset values of table 9-1.
func (d *SSD1306) defaults() {
	d.want, d.have = 0, 0
	d.page, d.column = 0, 0
	d.firstColumn, d.lastColumn = 0, d.width()-1
	d.firstPage, d.lastPage = 0, oledPageCount-1
	d.set = OLEDSetup{
		Mode: modePage, Lines: ScreenHeight,
		Contrast: 0x7F, ComPins: 0x12, Clock: 0x80, Precharge: 0x22, Vcomh: 0x20,
	}
	if d.sh {
		d.set.Pump = true
		d.set.Contrast, d.set.Clock, d.set.Vcomh = 0x80, 0x50, 0x35
	}
}

// width returns the number of columns of the RAM.
func (d *SSD1306) width() int {
	if d.sh {
		return shWidth
	}
	return ScreenWidth
}

// Transfer implements [Device]. The chip acknowledges everything. Control bytes
// (8.1.5.2): bit 7 says that another control byte follows the next byte, bit 6
// that data comes and not commands. A command may be spread over transfers.
func (d *SSD1306) Transfer(w, r []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(w) > 0 {
		control := w[0]
		rest := w[1:]
		if control&0x80 != 0 {
			rest = rest[:min(1, len(rest))]
		}
		for _, v := range rest {
			if control&0x40 != 0 {
				d.store(v)
			} else {
				d.take(v)
			}
		}
		w = w[1+len(rest):]
	}
	for i := range r {
		r[i] = d.status()
	}
	return nil
}

// status has bit 6 set while the display is off (table 9-2).
func (d *SSD1306) status() byte {
	if d.set.On {
		return 0
	}
	return 0x40
}

// store writes a byte of data and moves the pointer (10.1.3).
func (d *SSD1306) store(v byte) {
	d.written++
	if d.column < d.width() {
		segment := d.column
		if d.set.Remap {
			segment = d.width() - 1 - d.column
		}
		d.ram[d.page][segment] = v
	}
	switch {
	case d.sh:
		d.column = min(d.column+1, shWidth)
	case d.set.Mode == modeHorizontal:
		if d.column = d.next(d.column, d.firstColumn, d.lastColumn, ScreenWidth); d.column == d.firstColumn {
			d.page = d.next(d.page, d.firstPage, d.lastPage, oledPageCount)
		}
	case d.set.Mode == modeVertical:
		if d.page = d.next(d.page, d.firstPage, d.lastPage, oledPageCount); d.page == d.firstPage {
			d.column = d.next(d.column, d.firstColumn, d.lastColumn, ScreenWidth)
		}
	default:
		d.column = (d.column + 1) % ScreenWidth
	}
}

// next returns what follows at in a window that begins again after last. A
// pointer that was put outside of it runs on to the end of the RAM.
func (d *SSD1306) next(at, first, last, size int) int {
	if at == last || at == size-1 {
		return first
	}
	return at + 1
}

// take is one byte of a command or one of its arguments.
func (d *SSD1306) take(v byte) {
	if d.want > 0 {
		d.args[d.have] = v
		d.have++
		if d.have == d.want {
			d.want = 0
			d.commands++
			d.execute(d.command, d.args[0], d.args[1])
		}
		return
	}
	d.command, d.have = v, 0
	if d.want = d.arguments(v); d.want == 0 {
		d.commands++
		d.simple(v)
	}
}

// arguments returns how many bytes follow a command.
func (d *SSD1306) arguments(c byte) int {
	switch c {
	case oledContrast, oledMultiplex, oledOffset, oledClock, oledPrecharge, oledComPins, oledVcomh:
		return 1
	}
	if d.sh {
		if c == oledDCDC {
			return 1
		}
		return 0
	}
	switch c {
	case oledMode, oledChargePump:
		return 1
	case oledColumns, oledPages, oledScrollArea:
		return 2
	case oledDiagonalR, oledDiagonalL:
		return 5
	case oledScrollRight, oledScrollLeft:
		return 6
	}
	return 0
}

// execute performs a command with its first two arguments.
func (d *SSD1306) execute(c, a, b byte) {
	switch c {
	case oledMode:
		if a &= 3; a <= modePage {
			d.set.Mode = a
		}
	case oledColumns:
		d.firstColumn, d.lastColumn = int(a&0x7F), int(b&0x7F)
		d.column = d.firstColumn
	case oledPages:
		d.firstPage, d.lastPage = int(a&7), int(b&7)
		d.page = d.firstPage
	case oledContrast:
		d.set.Contrast = a
	case oledChargePump:
		d.set.Pump = a&0x04 != 0
	case oledDCDC:
		d.set.Pump = a&0x01 != 0
	case oledMultiplex:
		if a &= 0x3F; a >= 15 || d.sh { // 0 to 14 are invalid.
			d.set.Lines = int(a) + 1
		}
	case oledOffset:
		d.set.Offset = int(a & 0x3F)
	case oledClock:
		d.set.Clock = a
	case oledPrecharge:
		d.set.Precharge = a
	case oledComPins:
		d.set.ComPins = a
	case oledVcomh:
		d.set.Vcomh = a
	}
}

// simple performs a command without arguments.
func (d *SSD1306) simple(c byte) {
	switch {
	case c < oledColumnHigh:
		d.column = d.column&^0x0F | int(c&0x0F)
	case c < oledMode:
		d.column = (d.column&0x0F | int(c&0x0F)<<4) & 0xFF
		if !d.sh {
			d.column &= ScreenWidth - 1
		}
	case c >= oledStartLine && c < oledStartLine+ScreenHeight:
		d.set.StartLine = int(c & 0x3F)
	case c >= oledPage && c < oledPage+oledPageCount:
		d.page = int(c & 7)
	case c >= oledComScan && c < oledComScan+0x10:
		d.set.ScanDown = c&8 != 0
	default:
		d.toggle(c)
	}
}

// toggle performs the commands that switch something on or off.
func (d *SSD1306) toggle(c byte) {
	switch c {
	case oledScrollOff, oledScrollOn:
		if !d.sh {
			d.set.Scroll = c == oledScrollOn
			return
		}
		d.unknown++
	case oledSegRemap, oledSegRemap | 1:
		d.set.Remap = c&1 != 0
	case oledResume, oledAllOn:
		d.set.AllOn = c == oledAllOn
	case oledNormal, oledInverse:
		d.set.Inverse = c == oledInverse
	case oledOff, oledOn:
		d.set.On = c == oledOn
	case oledNop:
	case shPumpVoltage, shPumpVoltage | 1, shPumpVoltage | 2, shPumpVoltage | 3:
		if !d.sh {
			d.unknown++
		}
	default:
		d.unknown++
	}
}

// Lit returns what the panel shows.
func (d *SSD1306) Lit() Screen {
	d.mu.Lock()
	defer d.mu.Unlock()
	var s Screen
	if !d.set.On || !d.set.Pump {
		return s
	}
	for y := range s {
		line, driven := d.line(ScreenHeight - 1 - y)
		if !driven {
			continue
		}
		for x := range s[y] {
			s[y][x] = d.pixel(line, ScreenWidth-1-x)
		}
	}
	return s
}

// line returns the line of the RAM that the panel's line n shows, n counted
// from the side of COM0; driven is false if its COM output is unused. The
// panel's lines are connected in turns to the two halves of the COM outputs
// (table 10-3); display offset and multiplex ratio are those of tables 10-1 and
// 10-2.
func (d *SSD1306) line(n int) (line int, driven bool) {
	const half = ScreenHeight / 2
	com := n/2 + n%2*half
	if d.set.ComPins&0x20 != 0 {
		com = (com + half) % ScreenHeight
	}
	if d.set.ComPins&0x10 != 0 {
		com = 2*(com%half) + com/half
	}
	row := com
	if d.set.ScanDown {
		row = d.set.Lines - 1 - com
	}
	row = (row + d.set.Offset + ScreenHeight) % ScreenHeight
	return (row + d.set.StartLine) % ScreenHeight, row < d.set.Lines
}

// pixel returns whether the panel's pixel at a line of the RAM and a segment,
// counted without those that are not connected, is lit.
func (d *SSD1306) pixel(line, segment int) bool {
	if d.set.AllOn {
		return true
	}
	if d.sh {
		segment += shFirst
	}
	return d.ram[line/8][segment]>>(line%8)&1 != 0 != d.set.Inverse
}

// Image returns what the panel shows as a picture: black, and as bright as the
// contrast says.
func (d *SSD1306) Image() *image.Gray {
	s := d.Lit()
	bright := d.Setup().Contrast
	m := image.NewGray(image.Rect(0, 0, ScreenWidth, ScreenHeight))
	for y := range s {
		for x := range s[y] {
			if s[y][x] {
				m.Pix[m.PixOffset(x, y)] = max(bright, 1)
			}
		}
	}
	return m
}

// Setup returns what the registers hold. What the panel shows while Scroll is
// set is not emulated.
func (d *SSD1306) Setup() OLEDSetup {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.set
}

// Counts returns how many commands were executed, how many of them the chip
// does not know, and how many bytes were written to its RAM.
func (d *SSD1306) Counts() (commands, unknown, written uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.commands, d.unknown, d.written
}

var _ Device = (*SSD1306)(nil)
