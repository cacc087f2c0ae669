package notation

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

// Format is a way to write games.
type Format uint8

// The formats. NBoard and GTP are logs of what a program told an engine; they
// can be read, not written.
const (
	FormatTranscript Format = iota + 1 // f5d6c3, or a position; and moves
	FormatOBF                          // a position in one line
	FormatGGF                          // Generic Game Format
	FormatSGF                          // Smart Game Format, GM[2]
	FormatPGN                          // PGN-like text of PlayOK and Edax
	FormatWTHOR                        // .WTB with its tables of names
	FormatXOT                          // openings of eight plies
	FormatBoard                        // a drawing of a position
	FormatJSON                         // one JSON object in a line, lossless
	FormatNBoard
	FormatGTP
)

// Formats lists all formats.
func Formats() []Format {
	all := make([]Format, FormatGTP)
	for i := range all {
		all[i] = Format(i + 1)
	}
	return all
}

// String returns the format's name.
func (f Format) String() string {
	switch f {
	case FormatTranscript:
		return "transcript"
	case FormatOBF:
		return "obf"
	case FormatGGF:
		return "ggf"
	case FormatSGF:
		return "sgf"
	case FormatPGN:
		return "pgn"
	case FormatWTHOR:
		return "wthor"
	case FormatXOT:
		return "xot"
	case FormatBoard:
		return "board"
	case FormatJSON:
		return "json"
	case FormatNBoard:
		return "nboard"
	case FormatGTP:
		return "gtp"
	}
	return "unknown"
}

// Writable reports whether games can be written in this format.
func (f Format) Writable() bool { return f >= FormatTranscript && f <= FormatJSON }

// ParseFormat returns the format with a name, in any letter case.
func ParseFormat(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if strings.EqualFold(name, f.String()) {
			return f, nil
		}
		names = append(names, f.String())
	}
	return 0, fmt.Errorf("unknown format %.20q: want one of %s", name, strings.Join(names, ", "))
}

// FormatOf returns the format that the name of a file promises; ok is false when
// it promises none, as .txt does.
func FormatOf(name string) (f Format, ok bool) {
	switch strings.ToLower(path.Ext(name)) {
	case ".obf":
		return FormatOBF, true
	case ".ggf":
		return FormatGGF, true
	case ".sgf":
		return FormatSGF, true
	case ".pgn":
		return FormatPGN, true
	case ".wtb":
		return FormatWTHOR, true
	case ".xot":
		return FormatXOT, true
	case ".json", ".jsonl", ".ndjson":
		return FormatJSON, true
	case ".gtp":
		return FormatGTP, true
	}
	return 0, false
}

// SniffLen is how many bytes Sniff wants to see, if there are so many.
const SniffLen = 4096

// Sniff guesses the format from the beginning of a file, or says what keeps it from
// being a game. XOT lines look like transcripts and are taken for those, which reads
// them as well.
func Sniff(b []byte) (Format, error) {
	if looksLikeWTB(b) {
		return FormatWTHOR, nil
	}
	plain, err := io.ReadAll(plaintext.NewReader(bytes.NewReader(b)))
	if err != nil {
		return 0, fmt.Errorf("find out the format: %w", err)
	}
	if f, ok := sniffText(string(plain)); ok {
		return f, nil
	}
	return 0, unknownText(string(plain))
}

// unknownText says why a text is in no format that is known.
func unknownText(text string) error {
	switch zeros := strings.Count(text, "\x00"); {
	case strings.TrimSpace(text) == "":
		return errors.New("the file is empty")
	case zeros > 0 && 3*zeros >= len(text):
		return errors.New("the file is UTF-16 text without a byte order mark: save it as UTF-8")
	case zeros > 0:
		return errors.New("the file is not text, and not WTHOR: want a file of games")
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' || line[0] == '%' {
			continue
		}
		return fmt.Errorf("line %d is in no format that is known: %w", number, notTranscript(line))
	}
	return errors.New("the file has nothing but comments")
}

// notTranscript says why a line is neither a position nor moves.
func notTranscript(line string) error {
	word, _, _ := strings.Cut(line, " ")
	if cellsOnly(word) {
		_, err := ParsePosition(line)
		return err
	}
	_, err := ParseTranscript(rulesOf(engine.Start(), engine.Most), line)
	if err == nil {
		return errors.New("no moves")
	}
	return err
}

// cellsOnly reports whether a word can only be meant as the squares of a board.
func cellsOnly(word string) bool {
	return len(word) > engine.Squares/2 && strings.Trim(word, "-.XxOo*BbWw") == ""
}

// sniffText guesses the format of a text.
func sniffText(text string) (f Format, ok bool) {
	text = strings.TrimLeft(text, " \t\n")
	first, _, _ := strings.Cut(text, "\n")
	first = strings.TrimSpace(first)
	switch {
	case text == "":
		return 0, false
	case text[0] == '{':
		return FormatJSON, true
	case text[0] == '[':
		return FormatPGN, true
	case strings.Contains(text, "set game (;"), strings.HasPrefix(first, "nboard "):
		return FormatNBoard, true
	}
	if i := strings.Index(text, "(;"); i >= 0 && strings.Trim(text[:i], "0123456789 \t\r\n") == "" {
		if ggfGame(text[i:]) {
			return FormatGGF, true
		}
		return FormatSGF, true
	}
	if strings.HasPrefix(first, "1.") {
		return sniffPairs(text), true
	}
	for line := range strings.Lines(text) {
		if f, ok := sniffLine(line); ok {
			return f, true
		}
	}
	return 0, false
}

// sniffPairs tells numbered moves that go on in the next line, or end with a
// result, from a transcript in each line.
func sniffPairs(text string) Format {
	first, rest, _ := strings.Cut(text, "\n")
	second, _, _ := strings.Cut(rest, "\n")
	second = strings.TrimSpace(second)
	_, err := ParseTranscript(rulesOf(engine.Start(), engine.Most), first)
	if err != nil || second != "" && !strings.HasPrefix(second, "1.") {
		return FormatPGN
	}
	return FormatTranscript
}

// ggfGame reports whether a game in brackets is GGF: GM has a name there, a
// number in SGF.
func ggfGame(text string) bool {
	upper := strings.ToUpper(text)
	return strings.Contains(upper, "GM[OTHELLO]") || !strings.Contains(upper, "GM[") && strings.Contains(upper, "BO[8")
}

// sniffLine looks at one line of a text without brackets.
func sniffLine(line string) (Format, bool) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' || line[0] == '%' {
		return 0, false
	}
	word, _, _ := strings.Cut(line, " ")
	switch word {
	case "boardsize", "clear_board", "play", "genmove", "protocol_version", "komi", "name", "list_commands":
		return FormatGTP, true
	}
	if _, ok := boardRow(line); ok {
		return FormatBoard, true
	}
	if strings.Join(strings.Fields(line), "") == "abcdefgh" {
		return FormatBoard, true
	}
	if _, _, ok := positionMoves(line); ok {
		return FormatTranscript, true
	}
	head, tail, _ := strings.Cut(line, ";")
	if _, err := ParsePosition(head); err == nil {
		if tail != "" && !strings.Contains(tail, ":") && len(strings.TrimSpace(tail)) > 1 {
			return FormatTranscript, true
		}
		return FormatOBF, true
	}
	if _, err := ParsePosition(line); err == nil {
		return FormatOBF, true
	}
	if cellsOnly(word) {
		return 0, false // not a row of passes
	}
	lex := lexer{text: line}
	if kind := lex.next().kind; kind == tokenSquare || kind == tokenPass {
		return FormatTranscript, true
	}
	return 0, false
}

// ReadOptions say what a file does not.
type ReadOptions struct {
	// Rules are played in formats that name no start position and no goal;
	// classic when zero.
	Rules engine.Rules
	// Players and Tournaments are the tables of a WTHOR file.
	Players, Tournaments Names
}

// GameError says which game of a file could not be read.
type GameError struct {
	// Game counts the games of the file, bad ones included, from 1.
	Game int
	// Line is where it begins, from 1; 0 in a binary file.
	Line int
	// Err is why; an illegal move is a *MoveError.
	Err error
}

// Error names the game, and the line where there are lines.
func (e *GameError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("game %d: %v", e.Game, e.Err)
	}
	return fmt.Sprintf("game %d (line %d): %v", e.Game, e.Line, e.Err)
}

// Unwrap returns the reason.
func (e *GameError) Unwrap() error { return e.Err }

// ErrNoGames means that a file has no game in it.
var ErrNoGames = errors.New("no game found")

// Bounds of what is kept of a file at a time.
const (
	// maxGame is the size in bytes of the longest game.
	maxGame = 1 << 20
	// maxLine is the length of the longest line that is a game.
	maxLine = 64 << 10
)

// Read yields the games of r one after the other, each as a game or as a
// *GameError, after which the next game follows. Any other error is the last
// thing it yields: the file cannot be read, or ErrNoGames. It holds one game at
// a time in memory, a WTHOR file as a whole.
func Read(r io.Reader, f Format, o ReadOptions) func(yield func(*Game, error) bool) {
	return func(yield func(*Game, error) bool) {
		if o.Rules == (engine.Rules{}) {
			o.Rules = rulesOf(engine.Start(), engine.Most)
		}
		if f != FormatWTHOR {
			r = plaintext.NewReader(r)
		}
		s := &source{in: bufio.NewReaderSize(r, 64<<10), line: 1, options: o}
		split, parse := reading(f)
		switch {
		case f == FormatWTHOR:
			s.wthor(yield)
		case split == nil:
			yield(nil, fmt.Errorf("%v cannot be read", f))
		default:
			s.each(split, parse, yield)
		}
	}
}

// piece is the text of one game.
type piece struct {
	text string
	line int
	// err says why the piece cannot be a game.
	err error
	// note is about the pieces around it.
	note string
}

// reading returns how a text file is cut into games, and how one is read.
func reading(f Format) (split func(*source) (piece, error), parse func(string, ReadOptions) (*Game, error)) {
	switch f {
	case FormatTranscript:
		return (*source).nextLine, readTranscript
	case FormatOBF:
		return (*source).nextLine, readOBF
	case FormatGGF:
		return (*source).nextGGF, readGGF
	case FormatSGF:
		return (*source).nextSGF, readSGF
	case FormatPGN:
		return (*source).nextPGN, readPGN
	case FormatXOT:
		return (*source).nextLine, readXOT
	case FormatBoard:
		return (*source).nextBoard, readBoard
	case FormatJSON:
		return (*source).nextJSON, readJSON
	case FormatNBoard:
		return (*source).nextNBoard, readNBoard
	case FormatGTP:
		return (*source).nextGTP, readGTP
	case FormatWTHOR:
	}
	return nil, nil
}

// source is a file that is being read.
type source struct {
	in      *bufio.Reader
	line    int
	options ReadOptions
	// held is a line that belongs to the next game.
	held     string
	heldLine int
	isHeld   bool
	// expect are the games that a count of GGF has promised and that have not
	// come yet.
	expect int
}

// each cuts the file and reads the pieces.
func (s *source) each(split func(*source) (piece, error), parse func(string, ReadOptions) (*Game, error), yield func(*Game, error) bool) {
	for n := 1; ; n++ {
		p, err := split(s)
		if errors.Is(err, io.EOF) {
			if n == 1 {
				yield(nil, ErrNoGames)
			}
			return
		}
		if err != nil {
			yield(nil, fmt.Errorf("read the file: %w", err))
			return
		}
		var g *Game
		if err = p.err; err == nil {
			g, err = parse(p.text, s.options)
		}
		if err != nil {
			g, err = nil, &GameError{Game: n, Line: p.line, Err: err}
		} else if p.note != "" {
			g.warn("%s", p.note)
		}
		if !yield(g, err) {
			return
		}
	}
}

// byte reads a byte and counts lines.
func (s *source) byte() (byte, error) {
	c, err := s.in.ReadByte()
	if c == '\n' && err == nil {
		s.line++
	}
	return c, err
}

// errLong is a game or line that is longer than any that is believed.
var errLong = errors.New("too long to be a game")

// readLine returns a line without its end, and its number. A line that is too
// long is passed over and returned cut, with tooLong set.
func (s *source) readLine(limit int) (text string, number int, tooLong bool, err error) {
	if s.isHeld {
		s.isHeld = false
		return s.held, s.heldLine, false, nil
	}
	number = s.line
	var b []byte
	for {
		part, err := s.in.ReadSlice('\n')
		room := max(0, limit+2-len(b))
		tooLong = tooLong || len(part) > room
		b = append(b, part[:min(len(part), room)]...)
		switch {
		case err == nil:
			s.line++
			return strings.TrimRight(string(b), "\r\n"), number, tooLong, nil
		case errors.Is(err, io.EOF) && len(b) > 0:
			return strings.TrimRight(string(b), "\r\n"), number, tooLong, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", number, false, err
		}
	}
}

// hold gives a line back.
func (s *source) hold(text string, number int) { s.held, s.heldLine, s.isHeld = text, number, true }

// nextLine returns the next line that is not empty and no comment.
func (s *source) nextLine() (piece, error) {
	for {
		text, number, long, err := s.readLine(maxLine)
		if err != nil {
			return piece{}, err
		}
		if long {
			return piece{line: number, err: errLong}, nil
		}
		if t := strings.TrimSpace(text); t != "" && t[0] != '#' && t[0] != '%' {
			return piece{text: text, line: number}, nil
		}
	}
}

// nextJSON is nextLine for lines of a whole game.
func (s *source) nextJSON() (piece, error) {
	for {
		text, number, long, err := s.readLine(maxGame)
		if err != nil {
			return piece{}, err
		}
		if long {
			return piece{line: number, err: errLong}, nil
		}
		if strings.TrimSpace(text) != "" {
			return piece{text: text, line: number}, nil
		}
	}
}
