package notation

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

// PGN-like text as PlayOK and Edax write it: tags, a blank line, numbered pairs
// of moves.

// pgnWidth is the length of a line of moves.
const pgnWidth = 79

// nextPGN returns the lines up to the first tag behind moves.
func (s *source) nextPGN() (piece, error) {
	var p piece
	var b strings.Builder
	moves, inBrace := false, false
	for {
		text, number, long, err := s.readLine(maxLine)
		if errors.Is(err, io.EOF) && p.line > 0 {
			break
		}
		if err != nil {
			return piece{}, err
		}
		trimmed := strings.TrimSpace(text)
		isTag := strings.HasPrefix(trimmed, "[") && !inBrace
		if isTag && moves || moves && strings.HasPrefix(trimmed, `[Event "`) {
			s.hold(text, number)
			break
		}
		p.take(&b, text, number, long)
		if trimmed != "" && !isTag {
			moves = true
			inBrace = braces(trimmed, inBrace)
		}
	}
	p.text = b.String()
	return p, nil
}

// take adds a line to the text of a game.
func (p *piece) take(b *strings.Builder, text string, number int, long bool) {
	if p.line == 0 && strings.TrimSpace(text) != "" {
		p.line = number
	}
	if long || b.Len() > maxGame {
		p.err = errLong
		return
	}
	b.WriteString(text)
	b.WriteByte('\n')
}

// braces reports whether a comment is open behind text.
func braces(text string, open bool) bool {
	for _, c := range []byte(text) {
		switch c {
		case '}':
			open = false
		case '{':
			open = true
		}
	}
	return open
}

// readPGN reads one game.
func readPGN(text string, o ReadOptions) (*Game, error) {
	g := &Game{Rules: o.Rules}
	rest := text
	for {
		rest = strings.TrimLeft(rest, " \t\r\n")
		if !strings.HasPrefix(rest, "[") {
			break
		}
		line, after, _ := strings.Cut(rest, "\n")
		name, value, err := pgnTag(line)
		if err != nil {
			return nil, err
		}
		if err := g.pgnTag(name, value); err != nil {
			return nil, err
		}
		rest = after
	}
	b := begin(g)
	if err := b.pgnMoves(rest); err != nil {
		return nil, err
	}
	b.finish()
	return g, nil
}

// pgnTag reads [Name "value"].
func pgnTag(line string) (name, value string, err error) {
	line = strings.TrimSpace(line)
	name, rest, ok := strings.Cut(strings.TrimPrefix(line, "["), `"`)
	end := strings.LastIndex(rest, `"`)
	name = strings.TrimSpace(name)
	if !ok || end < 0 || strings.TrimSpace(rest[end+1:]) != "]" || name == "" || strings.ContainsAny(name, " \t") {
		return "", "", fmt.Errorf("%.40q is not a tag like [Event \"name\"]", line)
	}
	var b strings.Builder
	escaped := false
	for _, c := range []byte(rest[:end]) {
		if c == '\\' && !escaped {
			escaped = true
			continue
		}
		escaped = false
		b.WriteByte(c)
	}
	return name, b.String(), nil
}

// pgnTag takes a tag into the game. Edax writes Date twice: the first one with
// a value counts.
func (g *Game) pgnTag(name, value string) error {
	if v := strings.TrimSpace(value); v == "?" || v == "????.??.??" || v == "" {
		return nil
	}
	switch name {
	case "Event":
		g.setTag(&g.Event, name, value)
	case "Site":
		g.setTag(&g.Place, name, value)
	case "Date":
		if g.Date.Year == 0 && g.Date.Other.IsZero() {
			g.setDate(value)
		}
	case "UTCDate", "Time", "UTCTime", "TimeZone":
		g.pgnTime(name, value)
	case "Round":
		g.setTag(&g.Round, name, value)
	case "Black":
		g.setTag(&g.Players[engine.Black].Name, name, value)
	case "White":
		g.setTag(&g.Players[engine.White].Name, name, value)
	case "BlackElo":
		g.setTag(&g.Players[engine.Black].Rating, name, value)
	case "WhiteElo":
		g.setTag(&g.Players[engine.White].Rating, name, value)
	case "Result":
		end := g.Recorded.End
		g.Recorded = pgnResult(value)
		g.Recorded.End = max(g.Recorded.End, end)
	case "TimeControl":
		g.pgnClock(value)
	case "FEN":
		p, err := ParsePosition(value)
		if err != nil {
			return fmt.Errorf("the start position: %w", err)
		}
		g.Rules = rulesOf(p, g.Rules.Goal)
	case "Termination":
		g.pgnTermination(value)
	case "SetUp":
	default:
		g.addTag(name, value)
	}
	return nil
}

// pgnTermination reads how a game ended. Normal says nothing by itself: a comment may
// say that somebody resigned.
func (g *Game) pgnTermination(value string) {
	word := strings.ToLower(strings.TrimSpace(value))
	for end := EndTime; end <= EndAborted; end++ {
		if word != "normal" && word == pgnTermination(end) {
			g.Recorded.End = max(g.Recorded.End, end)
			return
		}
	}
	if word != "normal" {
		g.addTag("Termination", value)
	}
}

// pgnTime reads the tags about the time of day. Edax writes 9.5.3, and 255.0.0 when
// it does not know.
func (g *Game) pgnTime(name, value string) {
	ok := false
	switch name {
	case "UTCDate":
		if ok = ParseDateTime(value).Date == g.Date.Date; g.Date.Year == 0 {
			g.setDate(value)
			ok = true
		}
	case "Time":
		ok = g.setClock(value, "") || strings.HasPrefix(value, "255.")
	case "UTCTime":
		ok = g.setClock(value, "UTC")
	case "TimeZone":
		if zone, _ := oneLine(value); g.Date.Timed && g.Date.Zone.IsZero() && len(zone.String()) <= maxZone {
			g.Date.Zone, ok = zone, true
		}
	}
	if !ok {
		g.addTag(name, value)
	}
}

// pgnClock reads TimeControl: seconds, or seconds+increment. Other texts are
// kept as a tag.
func (g *Game) pgnClock(value string) {
	value = strings.TrimSpace(value)
	text := strings.Replace(value, "+", "/", 1)
	if _, err := ParseClock(text); err != nil || value == "-" || strings.Contains(value, "/") {
		g.addTag("TimeControl", value)
		return
	}
	clean, _ := oneLine(text)
	g.Clocks = [2]plaintext.Text{clean, clean}
}

// pgnClockText writes what pgnClock reads; ok is false when it cannot hold all
// of the clock.
func pgnClockText(clock string) (text string, ok bool) {
	c, err := ParseClock(clock)
	if err != nil {
		return "", false
	}
	text = string(Seconds(c.Main.Time))
	if i := c.Increment; i.Time > 0 {
		text += "+" + string(Seconds(i.Time))
	}
	plain := Clock{
		Main: Period{Time: c.Main.Time}, Increment: Period{Time: c.Increment.Time, Moves: 1},
		Extension: Period{Time: defaultExtension},
	}
	return text, c == plain
}

// pgnResult reads discs with black first, 1-0 for Black as Edax writes it, and
// * for a game that is not finished.
func pgnResult(value string) Outcome {
	text, _ := oneLine(value)
	switch text.String() {
	case "1-0":
		return won(text, engine.Black, EndNone)
	case "0-1":
		return won(text, engine.White, EndNone)
	case "1/2-1/2":
		return won(text, engine.None, EndNone)
	}
	black, white, ok := strings.Cut(text.String(), "-")
	b, errB := strconv.Atoi(black)
	w, errW := strconv.Atoi(white)
	if !ok || errB != nil || errW != nil || b < 0 || w < 0 || b+w > engine.Squares || b+w == 0 {
		return Outcome{Text: text, Winner: engine.None}
	}
	return counted(text, whole*(b-w))
}

// pgnMoves reads the numbered pairs.
func (b *builder) pgnMoves(text string) error {
	for {
		text = strings.TrimLeft(text, " \t\r\n,")
		switch {
		case text == "":
			return nil
		case text[0] == '{':
			comment, rest, ok := strings.Cut(text[1:], "}")
			if !ok {
				return errors.New("a comment does not end")
			}
			b.pgnComment(comment)
			text = rest
		case text[0] == ';':
			_, text, _ = strings.Cut(text, "\n")
		case text[0] == '(':
			rest, ok := skipVariation(text)
			if !ok {
				return errors.New("a variation does not end")
			}
			b.game.warn("variations were left out")
			text = rest
		default:
			n := strings.IndexAny(text, " \t\r\n,{};()")
			if n < 0 {
				n = len(text)
			}
			n = max(n, 1)
			if err := b.pgnWord(text[:n]); err != nil {
				return err
			}
			text = text[n:]
		}
	}
}

// skipVariation returns what follows the parenthesis that closes the first one.
func skipVariation(text string) (rest string, ok bool) {
	depth := 0
	for i, c := range []byte(text) {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[i+1:], true
			}
		}
	}
	return "", false
}

// pgnWord reads a number, a result or a move.
func (b *builder) pgnWord(word string) error {
	move := word
	if number, rest, ok := strings.Cut(word, "."); ok && strings.Trim(number, "0123456789") == "" {
		move = strings.TrimLeft(rest, ".")
	}
	switch {
	case move == "" || move[0] == '$' || strings.Trim(move, "0123456789") == "" && len(move) < 4:
		return nil
	case move == "*" || strings.Contains(move, "-") && strings.Trim(move, "0123456789-/") == "" && !isPassWord(move):
		if b.game.Recorded.Text.IsZero() {
			end := b.game.Recorded.End
			b.game.Recorded = pgnResult(move)
			b.game.Recorded.End = max(b.game.Recorded.End, end)
		}
		return nil
	}
	m, ok := moveWord(move)
	if !ok {
		return b.wordError(move)
	}
	return b.add(Play{Move: m})
}

// pgnComment keeps a comment. Edax's sentence about the winner can be wrong and
// is left out; our own about an early end is understood.
func (b *builder) pgnComment(text string) {
	g := b.game
	clean := strings.Join(strings.Fields(text), " ")
	if g.readCountWords(clean) {
		return
	}
	if winner, end, ok := pgnEnding(clean); ok {
		g.Recorded.End = end
		if end == EndResigned || end == EndTime || end == EndAdjudicated {
			g.Recorded.Known, g.Recorded.Winner = true, winner
		}
		return
	}
	if i := strings.LastIndex(clean, " wins "); i >= 0 && pgnResult(clean[i+len(" wins "):]).Counted {
		return
	}
	to := &g.Comment
	if n := len(g.Plays); n > 0 {
		to = &g.Plays[n-1].Comment
	}
	g.addComment(to, text)
}

// pgnSentence says how a game ended early.
func pgnSentence(o Outcome) string {
	loser, winner := "Black", "White"
	if o.Winner == engine.Black {
		loser, winner = winner, loser
	}
	switch o.End {
	case EndResigned:
		return loser + " resigned"
	case EndTime:
		return loser + " ran out of time"
	case EndAdjudicated:
		return winner + " was declared the winner"
	case EndAgreed:
		return "ended by agreement"
	case EndAdjourned:
		return "adjourned"
	case EndAborted:
		return "aborted"
	case EndNone, EndTimeUp:
	}
	return ""
}

// pgnEnding reads what pgnSentence writes.
func pgnEnding(text string) (winner engine.Color, end End, ok bool) {
	for end := EndResigned; end <= EndAborted; end++ {
		for _, c := range [...]engine.Color{engine.Black, engine.White} {
			if pgnSentence(Outcome{Winner: c, End: end}) == text {
				return c, end, true
			}
		}
	}
	return engine.None, EndNone, false
}

// pgn writes tags, moves and the result.
func (w *writer) pgn() {
	g := w.game
	o := g.outcome(w.final)
	result := w.pgnResult(o)
	w.pgnTag("Event", g.Event.String(), "?")
	w.pgnTag("Site", g.Place.String(), "?")
	w.pgnTag("Date", g.Date.pgn(), "????.??.??")
	w.pgnTag("Round", g.Round.String(), "?")
	w.pgnTag("Black", g.Players[engine.Black].Name.String(), "?")
	w.pgnTag("White", g.Players[engine.White].Name.String(), "?")
	w.pgnTag("Result", result, "")
	w.pgnTag("Termination", pgnTermination(o.End), "")
	w.pgnTime()
	w.pgnTag("BlackElo", g.Players[engine.Black].Rating.String(), "")
	w.pgnTag("WhiteElo", g.Players[engine.White].Rating.String(), "")
	timed := w.pgnClock()
	if !g.standard() {
		w.pgnTag("SetUp", "1", "")
		w.pgnTag("FEN", FEN(g.Rules.Start), "")
	}
	for _, t := range g.Tags {
		switch {
		case t.Name == "TimeControl" && timed:
			// It says the same for people; a tag stands only once.
		case pgnName(t.Name, g.Date.Timed):
			w.pgnTag(t.Name, t.Value.String(), "")
		default:
			w.lost |= lossTags
		}
	}
	w.add("\n")
	w.pgnMoves(w.pgnEnd(o), result)
	w.add("\n")
}

// pgnTime writes the time of day: UTCDate and UTCTime where it is in UTC, otherwise
// Time, and the zone in a tag of our own.
func (w *writer) pgnTime() {
	d := w.game.Date
	if !d.Other.IsZero() {
		w.lost |= lossDateText
	}
	switch {
	case !d.Timed:
	case d.Zone == plaintext.Const("UTC"):
		w.pgnTag("UTCDate", d.pgn(), "")
		w.pgnTag("UTCTime", d.clock(), "")
	default:
		w.pgnTag("Time", d.clock(), "")
		w.pgnTag("TimeZone", d.Zone.String(), "")
	}
}

// pgnResult writes the result: discs, Black's first, of a game that has ended on the
// board; otherwise who has won, as Edax does, 1-0 for Black.
func (w *writer) pgnResult(o Outcome) string {
	switch {
	case w.game.decided(w.final):
		r := w.game.official(w.final)
		return fmt.Sprintf("%d-%d", r.Black, r.White)
	case !o.Known:
		return "*"
	case o.Winner == engine.Black:
		return "1-0"
	case o.Winner == engine.White:
		return "0-1"
	}
	return "1/2-1/2"
}

// pgnTermination returns the word of the PGN standard (9.8.1) for how a game ended
// early, empty for one that did not.
func pgnTermination(end End) string {
	switch end {
	case EndResigned, EndAgreed, EndTimeUp:
		return "normal"
	case EndTime:
		return "time forfeit"
	case EndAdjudicated:
		return "adjudication"
	case EndAdjourned:
		return "unterminated"
	case EndAborted:
		return "abandoned"
	case EndNone:
	}
	return ""
}

// pgnClock writes TimeControl, and reports whether it has.
func (w *writer) pgnClock() bool {
	clocks := w.game.Clocks
	if clocks == [2]plaintext.Text{} {
		return false
	}
	text, ok := pgnClockText(clocks[engine.Black].String())
	if !ok || clocks[engine.Black] != clocks[engine.White] {
		w.lost |= lossClock
	}
	if text == "" || clocks[engine.Black] != clocks[engine.White] {
		return false
	}
	w.pgnTag("TimeControl", text, "")
	return true
}

// pgnEnd returns the comment about an early end.
func (w *writer) pgnEnd(o Outcome) string {
	needsWinner := o.End == EndResigned || o.End == EndTime || o.End == EndAdjudicated
	if needsWinner && (!o.Known || o.Winner == engine.None) {
		w.lost |= lossEnd
		return ""
	}
	if words := w.game.countWords(w.final); words != "" {
		if w.game.Lay != (engine.Discs{}) {
			w.lost |= lossEdits
		}
		return words
	}
	return pgnSentence(o)
}

// pgnName reports whether a tag may be written as it is; timed says that the time of
// day is written.
func pgnName(name string, timed bool) bool {
	switch name {
	case "Event", "Site", "Date", "Round", "Black", "White", "Result", "BlackElo", "WhiteElo", "FEN", "SetUp", "Termination", "":
		return false
	case "UTCDate", "UTCTime", "Time", "TimeZone":
		return !timed
	}
	return strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// pgnTag writes a tag; an empty value as unknown, or not at all.
func (w *writer) pgnTag(name, value, unknown string) {
	if value == "?" || value == "????.??.??" {
		w.lost |= lossText // says in this format that nobody knows
		value = ""
	}
	if value == "" {
		value = unknown
	}
	if value == "" {
		return
	}
	value = strings.ReplaceAll(value, `\`, `\\`)
	w.add("[", name, ` "`, strings.ReplaceAll(value, `"`, `\"`), "\"]\n")
}

// pgnMoves writes numbered pairs, wrapped. A pass takes a place in its pair.
func (w *writer) pgnMoves(ending, result string) {
	column := 0
	put := func(word string) {
		switch {
		case column == 0:
		case column+1+len(word) > pgnWidth:
			w.add("\n")
			column = 0
		default:
			w.add(" ")
			column++
		}
		w.add(word)
		column += len(word)
	}
	comment := func(text string) {
		if clean := strings.NewReplacer("}", ")", "{", "(", "\n", " ").Replace(text); text != "" {
			if clean != text {
				w.lost |= lossText
			}
			put("{" + clean + "}")
		}
	}
	comment(w.game.Comment.String())
	// The first of a pair is the side that begins the game.
	for i, p := range w.game.Plays {
		if i%2 == 0 {
			put(strconv.Itoa(i/2+1) + ".")
		}
		word := p.Move.String()
		if p.Move == engine.PassMove {
			word = "--"
		}
		put(word)
		comment(p.Comment.String())
	}
	comment(ending)
	put(result)
	w.add("\n")
}
