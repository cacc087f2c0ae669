package notation

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"reversi-board/engine"
)

// The WTHOR files of the French Othello Federation, little-endian
// (https://www.ffothello.org/informatique/la-base-wthor/): a header of 16 bytes,
// then records of a fixed size.
const (
	wthorHeader     = 16
	wthorGame       = 68
	wthorPlayer     = 20
	wthorTournament = 26
	wthorMoves      = 60
	// maxRecords bounds what is read of one file; the whole database holds
	// fewer than 140,000 games.
	maxRecords = 1 << 20
	// defaultDepth is meant by a depth of 0.
	defaultDepth = 22
)

// Date is a day as a WTHOR header holds it; it need not exist in a calendar.
type Date struct{ Year, Month, Day int }

// String returns the date as 2026-02-23.
func (d Date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

// WTB is a file of games (.WTB): those of one year.
type WTB struct {
	// Made is when the file was made.
	Made Date
	// Year is the year of the games.
	Year int
	// Depth is the number of empty squares from which the theoretical scores
	// are computed.
	Depth int
	// Games in file order, those with an Err included.
	Games []WTBGame
}

// WTBGame is one record of a file of games.
type WTBGame struct {
	// Tournament, Black and White are indices of the name tables.
	Tournament, Black, White int
	// BlackScore is Black's recorded score, 0–64, empty squares to the winner;
	// White's is 64 minus it. Where the game is over and the board says
	// otherwise, the board is right and Line.Warnings says so; where it is not
	// over (Line.Final.Over), the score does not follow from the board.
	BlackScore int
	// Theoretical is Black's score under best play of both from Depth empties.
	Theoretical int
	// Line is the game; empty when Err is set.
	Line Line
	// Err says what is wrong with this record; other records are not touched by
	// it. An illegal move is a *MoveError.
	Err error
}

// header is what all WTHOR files begin with.
type header struct {
	made         Date
	games, names uint32
	year, depth  int
}

// errShort is the end of a file before its header says.
var errShort = errors.New("the file is shorter than its header says")

// readHeader reads and checks the header.
func readHeader(r io.Reader) (header, error) {
	var b [wthorHeader]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return header{}, fmt.Errorf("read the 16 bytes of the header: %w", err)
	}
	h := header{
		made:  Date{100*int(b[0]) + int(b[1]), int(b[2]), int(b[3])},
		games: binary.LittleEndian.Uint32(b[4:]),
		names: uint32(binary.LittleEndian.Uint16(b[8:])),
		year:  int(binary.LittleEndian.Uint16(b[10:])),
		depth: int(b[14]),
	}
	if h.depth == 0 {
		h.depth = defaultDepth
	}
	if size := b[12]; size != 0 && size != 8 {
		return header{}, fmt.Errorf("the games are on a board of size %d: only 8 can be read", size)
	}
	if kind := b[13]; kind != 0 {
		return header{}, fmt.Errorf("the file is of type %d: only games (0) can be read, not problems", kind)
	}
	return h, nil
}

// readRecords reads count records of size bytes and refuses a file that is
// longer or shorter. Memory grows with the bytes that arrive, not with count.
func readRecords(r io.Reader, count uint32, size int) ([]byte, error) {
	if count > maxRecords {
		return nil, fmt.Errorf("the header says %d records: more than %d are not read", count, maxRecords)
	}
	want := int(count) * size
	body, err := io.ReadAll(io.LimitReader(r, int64(want)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %d records: %w", count, err)
	case len(body) < want:
		return nil, fmt.Errorf("%w: %d bytes after the header, want %d records of %d", errShort, len(body), count, size)
	case len(body) > want:
		return nil, fmt.Errorf("the file is longer than its header says: want %d records of %d bytes", count, size)
	}
	return body, nil
}

// ReadWTB reads a file of games. It refuses a file whose size is not what its
// header says, boards other than 8×8 and problem files; what is wrong in single
// records is kept with them.
func ReadWTB(r io.Reader) (WTB, error) {
	h, err := readHeader(r)
	if err != nil {
		return WTB{}, err
	}
	body, err := readRecords(r, h.games, wthorGame)
	if err != nil {
		return WTB{}, err
	}
	rules, err := engine.Variant("classic")
	if err != nil {
		return WTB{}, err
	}
	file := WTB{Made: h.made, Year: h.year, Depth: h.depth, Games: make([]WTBGame, h.games)}
	for i := range file.Games {
		file.Games[i] = readGame(rules, body[i*wthorGame:][:wthorGame])
	}
	return file, nil
}

// readGame decodes one record.
func readGame(rules engine.Rules, b []byte) WTBGame {
	g := WTBGame{
		Tournament:  int(binary.LittleEndian.Uint16(b)),
		Black:       int(binary.LittleEndian.Uint16(b[2:])),
		White:       int(binary.LittleEndian.Uint16(b[4:])),
		BlackScore:  int(b[6]),
		Theoretical: int(b[7]),
	}
	if g.BlackScore > engine.Squares || g.Theoretical > engine.Squares {
		g.Err = fmt.Errorf("scores %d and %d: want 0 to 64", g.BlackScore, g.Theoretical)
		return g
	}
	line, err := readMoves(rules, b[wthorGame-wthorMoves:])
	if err != nil {
		g.Err = err
		return g
	}
	if black, _ := line.Final.Score(); line.Final.Over() && black != g.BlackScore {
		line.warn(fmt.Sprintf("the recorded score %d is not the board's %d", g.BlackScore, black))
	}
	g.Line = line
	return g
}

// readMoves plays the moves: ten times the rank plus the file, both from 1;
// zeros only at the end.
func readMoves(rules engine.Rules, b []byte) (Line, error) {
	line := Line{Moves: make([]engine.Move, 0, wthorMoves), Final: engine.NewGame(rules)}
	for i, m := range b {
		if m == 0 {
			for _, later := range b[i:] {
				if later != 0 {
					return Line{}, fmt.Errorf("ply %d: a move follows after the end mark", i+1)
				}
			}
			break
		}
		rank, file := int(m)/10-1, int(m)%10-1
		if rank < 0 || rank > 7 || file < 0 || file > 7 {
			return Line{}, fmt.Errorf("ply %d: %d is no square: want two digits 1 to 8", i+1, m)
		}
		s := engine.SquareAt(file, rank)
		if reason := line.place(s); reason != 0 {
			return Line{}, line.refusal(reason, s)
		}
	}
	return line, nil
}

// NameKind says which name table a file is.
type NameKind uint8

// The two name tables.
const (
	Players     NameKind = iota // .JOU, up to 19 characters
	Tournaments                 // .TRN, up to 25 characters
)

// size returns the bytes of one record.
func (k NameKind) size() int {
	switch k {
	case Players:
		return wthorPlayer
	case Tournaments:
		return wthorTournament
	}
	return 0
}

// Names is a table of names, by the indices of the games.
type Names []string

// At returns the name with that index. An index beyond the table is an error
// of the record that holds it.
func (n Names) At(index int) (string, error) {
	if index < 0 || index >= len(n) {
		return "", fmt.Errorf("name %d: the table ends with %d", index, len(n)-1)
	}
	return n[index], nil
}

// ReadNames reads a table of players (.JOU) or tournaments (.TRN). The names
// are Latin-1 in the file and UTF-8 here. It refuses a file whose size is not
// what its header says, and names that do not end.
func ReadNames(r io.Reader, kind NameKind) (Names, error) {
	size := kind.size()
	if size == 0 {
		return nil, fmt.Errorf("name table of kind %d: want players or tournaments", kind)
	}
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	body, err := readRecords(r, h.names, size)
	if err != nil {
		return nil, err
	}
	names := make(Names, h.names)
	for i := range names {
		name, ok := latin1(body[i*size:][:size])
		if !ok {
			return nil, fmt.Errorf("name %d fills its %d bytes without an end mark", i, size)
		}
		names[i] = name
	}
	return names, nil
}

// latin1 returns the text before the first NUL.
func latin1(b []byte) (text string, ok bool) {
	runes := make([]rune, 0, len(b))
	for _, c := range b {
		if c == 0 {
			return string(runes), true
		}
		runes = append(runes, rune(c))
	}
	return "", false
}
