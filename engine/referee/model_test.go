package referee_test

import (
	"strings"

	"reversi-board/engine"
)

// model plays the historic game by the text of its rules, square by square: the
// first four discs go on the centre in turn and turn nothing; each player owns
// 32 discs; who has none left, or outflanks nothing, cannot move.
type model struct {
	cells [8][8]byte // 'b', 'w' or 0, first by rank
	turn  byte
	left  map[byte]int
	moves []string
}

func newModel(first byte) *model {
	return &model{turn: first, left: map[byte]int{'b': 32, 'w': 32}}
}

func (m *model) other() byte { return 'b' + 'w' - m.turn }

// opening lists the free squares of the centre.
func (m *model) opening() []string {
	var free []string
	for _, name := range []string{"d4", "e4", "d5", "e5"} {
		if m.cells[name[1]-'1'][name[0]-'a'] == 0 {
			free = append(free, name)
		}
	}
	return free
}

// turned lists what a disc of c on a square turns.
func (m *model) turned(c byte, name string) []string {
	var all []string
	for d := range 9 {
		down, right := d/3-1, d%3-1
		var row []string
		r, f := int(name[1]-'1')+down, int(name[0]-'a')+right
		for ; r >= 0 && r < 8 && f >= 0 && f < 8 && m.cells[r][f] != 0 && m.cells[r][f] != c; r, f = r+down, f+right {
			row = append(row, string([]byte{byte('a' + f), byte('1' + r)}))
		}
		if (down != 0 || right != 0) && r >= 0 && r < 8 && f >= 0 && f < 8 && m.cells[r][f] == c {
			all = append(all, row...)
		}
	}
	return all
}

// legal lists the squares for c, from a1 on.
func (m *model) legal(c byte) []string {
	if m.left[c] == 0 {
		return nil
	}
	if free := m.opening(); len(free) > 0 {
		return free
	}
	var all []string
	for i := range 64 {
		name := string([]byte{byte('a' + i%8), byte('1' + i/8)})
		if m.cells[i/8][i%8] == 0 && len(m.turned(c, name)) > 0 {
			all = append(all, name)
		}
	}
	return all
}

// place plays a disc of the side to move, and the pass that follows from it. It
// returns the discs turned.
func (m *model) place(name string) []string {
	var turned []string
	if len(m.opening()) == 0 {
		turned = m.turned(m.turn, name)
	}
	for _, s := range append([]string{name}, turned...) {
		m.cells[s[1]-'1'][s[0]-'a'] = m.turn
	}
	m.left[m.turn]--
	m.moves = append(m.moves, name)
	m.turn = m.other()
	if len(m.legal(m.turn)) == 0 && len(m.legal(m.other())) > 0 {
		m.turn = m.other()
	}
	return turned
}

func (m *model) over() bool { return len(m.legal('b')) == 0 && len(m.legal('w')) == 0 }

func (m *model) discs() engine.Discs {
	var d engine.Discs
	for i := range engine.Square(64) {
		switch m.cells[i/8][i%8] {
		case 'b':
			d.Black |= i.Bit()
		case 'w':
			d.White |= i.Bit()
		}
	}
	return d
}

func (m *model) transcript() string { return strings.Join(m.moves, "") }

// replayed is the model after some moves.
func replayed(first byte, moves []string) *model {
	m := newModel(first)
	for _, name := range moves {
		m.place(name)
	}
	return m
}
