package reed64

import (
	"fmt"
	"time"
)

const (
	// Lines is the number of rows, and of columns.
	Lines = 8
	// Cells is the number of cells.
	Cells = Lines * Lines
	// all is the mask of all lines of one kind.
	all = 1<<Lines - 1
)

// Rows drives the row lines: bit k of bits is the level of row k, true is high.
// Lines outside of mask keep their level.
type Rows interface {
	Out(bits, mask uint64) error
}

// Columns reads the column lines, inputs with pull-ups: bit k is the level of
// column k. Bits outside of mask mean nothing.
type Columns interface {
	Read(mask uint64) (uint64, error)
}

// Cell says between which lines the contact of one cell is connected, 0 to 7.
type Cell struct {
	Row, Column int
}

// Config is the board's wiring.
type Config struct {
	// Cells is the wiring of cell 8*rank + file, rank 1 on top.
	Cells [Cells]Cell
	// Wait waits at least d between the change of a row and the look at the
	// columns; nil means time.Sleep.
	Wait func(d time.Duration)
}

// Reference returns the wiring of the reference board: rank r (0 to 7) is row r,
// file c is column c.
func Reference() Config {
	var c Config
	for i := range c.Cells {
		c.Cells[i] = Cell{Row: i / Lines, Column: i % Lines}
	}
	return c
}

// Validate reports the first mistake in the wiring: a line that does not exist,
// or a crossing of a row and a column that two cells share. Since there are as
// many crossings as cells, none is left without one.
func (c *Config) Validate() error {
	var user [Cells]int // the cell plus one
	for i, cell := range c.Cells {
		for _, line := range [...]struct {
			kind   string
			number int
		}{{"row", cell.Row}, {"column", cell.Column}} {
			if line.number < 0 || line.number >= Lines {
				return fmt.Errorf("wiring of cell %s: %s %d does not exist, use 0 to %d",
					name(i), line.kind, line.number, Lines-1)
			}
		}
		at := Lines*cell.Row + cell.Column
		if user[at] != 0 {
			return fmt.Errorf("wiring: cells %s and %s are both between row %d and column %d, "+
				"give each cell a crossing of its own", name(user[at]-1), name(i), cell.Row, cell.Column)
		}
		user[at] = i + 1
	}
	return nil
}

// name returns a cell's name as it is printed on the board: a1 is cell 0.
func name(cell int) string {
	return string(rune('a'+cell%8)) + string(rune('1'+cell/8))
}
