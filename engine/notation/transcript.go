package notation

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"reversi-board/engine"
)

// ParseTranscript reads a game written as squares in a row, played by rules.
//
// It takes any letter case; passes implied or spelled pa, pas, pass, ps, -- or
// @@@@; blanks, commas and move numbers (12.) between the moves; one + or -
// right before a square, and after the last move the tail of a Logistello log
// line (": -04 10", black minus white and a counter). A byte order mark is
// skipped.
//
// Everything else is refused with a *MoveError, and no moves are returned then.
func ParseTranscript(rules engine.Rules, text string) (Line, error) {
	line := Line{Final: engine.NewGame(rules)}
	lex := lexer{text: text}
	lex.skip("\uFEFF")
	for {
		token := lex.next()
		reason := token.reason
		switch token.kind {
		case tokenEnd:
			return line, nil
		case tokenTail:
			line.compare(token.margin)
			return line, nil
		case tokenPass:
			reason = line.pass()
		case tokenSquare:
			reason = line.place(token.square)
		case tokenFault:
		}
		if reason != 0 {
			err := line.refusal(reason, token.square)
			err.Text, err.Offset = token.text, token.offset
			return Line{}, err
		}
	}
}

// compare warns when a recorded margin (black minus white) is not the board's:
// neither as the discs lie nor with the empty squares given to the winner.
func (l *Line) compare(margin int) {
	if !l.Final.Over() {
		return
	}
	black, white := l.Final.Score()
	discs := l.Final.Black.Count() - l.Final.White.Count()
	if margin != black-white && margin != discs {
		l.warn(fmt.Sprintf("the recorded result %+d is not the board's %+d", margin, black-white))
	}
}

// Transcript writes the moves as squares in lower case without separators.
// Passes are implied and leave no trace.
func Transcript(moves []engine.Move) string {
	text := make([]byte, 0, 2*len(moves))
	for _, m := range moves {
		if s, ok := m.Square(); ok {
			text = append(text, s.String()...)
		}
	}
	return string(text)
}

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenSquare
	tokenPass
	tokenTail
	tokenFault
)

// token is one piece of a transcript.
type token struct {
	kind   tokenKind
	square engine.Square // of tokenSquare, otherwise off the board
	margin int           // of tokenTail
	reason Reason        // of tokenFault
	text   string        // as written
	offset int
}

// lexer cuts a transcript into tokens.
type lexer struct {
	text string
	at   int
}

// skip passes over prefix if it comes next.
func (l *lexer) skip(prefix string) bool {
	if !strings.HasPrefix(l.text[l.at:], prefix) {
		return false
	}
	l.at += len(prefix)
	return true
}

// peek returns the byte n places ahead, 0 behind the end.
func (l *lexer) peek(n int) byte {
	if l.at+n < len(l.text) {
		return l.text[l.at+n]
	}
	return 0
}

// separators passes over blanks, commas, move numbers, and one sign that stands
// right before a square.
func (l *lexer) separators() {
	for {
		switch c := l.peek(0); {
		case isBlank(c):
			l.at++
		case l.number() > 0:
			l.at += l.number()
		case (c == '+' || c == '-') && isFile(l.peek(1)):
			l.at++
			return
		default:
			return
		}
	}
}

// number returns the length of a move number with its dot, 0 if none is next.
func (l *lexer) number() int {
	n := 0
	for n < 3 && '0' <= l.peek(n) && l.peek(n) <= '9' {
		n++
	}
	if n == 0 || l.peek(n) != '.' {
		return 0
	}
	return n + 1
}

// next returns the next token.
func (l *lexer) next() token {
	l.separators()
	start := l.at
	if start == len(l.text) {
		return token{kind: tokenEnd, square: engine.Squares}
	}
	if n := l.pass(); n > 0 {
		l.at += n
		return token{kind: tokenPass, square: engine.Squares, text: l.text[start:l.at], offset: start}
	}
	if margin, ok := l.tail(); ok {
		return token{kind: tokenTail, square: engine.Squares, margin: margin}
	}
	if !isFile(l.peek(0)) {
		return l.foreign(start)
	}
	if start+1 == len(l.text) || isBlank(l.peek(1)) {
		return token{
			kind: tokenFault, square: engine.Squares, reason: ReasonHalfSquare,
			text: l.text[start : start+1], offset: start,
		}
	}
	l.at += 2
	s, err := engine.ParseSquare(l.text[start:l.at])
	if err != nil {
		return l.foreign(start + 1)
	}
	return token{kind: tokenSquare, square: s, text: l.text[start:l.at], offset: start}
}

// foreign returns the fault of the character at offset.
func (l *lexer) foreign(offset int) token {
	_, size := utf8.DecodeRuneInString(l.text[offset:])
	return token{
		kind: tokenFault, square: engine.Squares, reason: ReasonForeign,
		text: l.text[offset : offset+size], offset: offset,
	}
}

// pass returns the length of the spelled pass that comes next, 0 if none does.
// The longest spelling counts; no square begins with p or s, so that a pass is
// never cut out of one.
func (l *lexer) pass() int {
	for _, word := range passWords() {
		end := l.at + len(word)
		if end <= len(l.text) && strings.EqualFold(l.text[l.at:end], word) {
			return len(word)
		}
	}
	return 0
}

// tail reads what a Logistello log line has after its moves: a colon, black
// minus white, and a counter.
func (l *lexer) tail() (margin int, ok bool) {
	rest, found := strings.CutPrefix(l.text[l.at:], ":")
	fields := strings.Fields(rest)
	if !found || len(fields) != 2 {
		return 0, false
	}
	margin, err := strconv.Atoi(fields[0])
	if err != nil || margin < -engine.Squares || margin > engine.Squares {
		return 0, false
	}
	if _, err := strconv.ParseUint(fields[1], 10, 32); err != nil {
		return 0, false
	}
	return margin, true
}

// isBlank reports whether c only separates moves.
func isBlank(c byte) bool { return c == ' ' || c == ',' || c == '\t' || c == '\r' || c == '\n' }

// isFile reports whether c names a file, so that a square begins there.
func isFile(c byte) bool {
	c |= 0x20
	return 'a' <= c && c <= 'h'
}
