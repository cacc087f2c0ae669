package oled

import (
	"errors"

	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/physic"
)

const (
	// The control byte in front of a transfer says what follows it: SSD1306
	// section 8.1.5.2.
	controlCommands = 0x00
	controlData     = 0x40

	// statusDark is the bit of the status, which is all that can be read, that
	// says that the display is off: table 9-2; the SH1106's is the same.
	statusDark = 0x40

	// Commands of table 9-1 that this package has to know.
	pageStart  = 0xB0 // B0 to B7, with the two commands of the column behind it.
	pageMask   = 0xF8
	displayOff = 0xAE
	displayOn  = 0xAF

	// capacity is that of an initialisation, a page and its data eight times, and
	// the order to light the panel.
	capacity = 1 + 2*pages + 1
	longest  = 1 + Width
)

// errQueue says that periph's driver does something that it did not do when
// this package was written.
var errQueue = errors.New("the display's driver sent something unexpected; this is a mistake of the program")

// transfer is one write to the panel.
type transfer struct {
	n     int
	bytes [longest]byte
}

// queue is the bus that periph's driver writes to. It keeps the transfers until
// it is their turn, on another bus and at the panel's own address: periph's is
// always 0x3C.
type queue struct {
	controller Controller
	// dark says that the panel must not be lit by its initialisation.
	dark    bool
	items   [capacity]transfer
	head, n int
}

// Tx implements i2c.Bus.
func (q *queue) Tx(_ uint16, w, r []byte) error {
	if len(r) != 0 || len(w) < 2 || len(w) > longest || q.n == capacity {
		return errQueue
	}
	if w[0] == controlCommands && !isPage(w) && len(w) > 2 {
		w = q.initialisation(w)
	}
	t := &q.items[q.n]
	q.n++
	t.n = copy(t.bytes[:], w)
	if q.controller == SH1106 && isPage(w) {
		column := (w[2]&0x0F | w[3]<<4) + sh1106Shift
		t.bytes[2], t.bytes[3] = column&0x0F, 0x10|column>>4
	}
	return nil
}

// isPage reports whether a transfer says where data go: the page and the two
// halves of the column.
func isPage(w []byte) bool {
	return len(w) == 4 && w[0] == controlCommands && w[1]&pageMask == pageStart
}

// initialisation returns what is sent in place of periph's.
func (q *queue) initialisation(w []byte) []byte {
	if q.controller == SH1106 {
		w = sh1106Init()
	}
	if last := len(w) - 1; q.dark && w[last] == displayOn {
		w = w[:last]
	}
	return w
}

// SetSpeed implements i2c.Bus.
func (q *queue) SetSpeed(physic.Frequency) error { return errQueue }

// String implements i2c.Bus.
func (q *queue) String() string { return "display" }

func (q *queue) empty() bool { return q.head == q.n }

func (q *queue) clear() { q.head, q.n = 0, 0 }

// send writes the next slice to the panel: a place and its data, or anything
// else by itself. It leaves the queue as it was if that fails.
func (q *queue) send(tx i2c.Bus, addr uint16) error {
	for at := q.head; at < q.n; at++ {
		w := q.items[at].bytes[:q.items[at].n]
		if err := tx.Tx(addr, w, nil); err != nil {
			return err
		}
		if !isPage(w) {
			q.head = at + 1
			break
		}
	}
	if q.empty() {
		q.clear()
	}
	return nil
}

var _ i2c.Bus = (*queue)(nil)
