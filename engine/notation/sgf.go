package notation

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

// SGF, FF[4], https://red-bean.com/sgf/, with GM[2] for Othello: properties
// with values in brackets, nodes that begin with a semicolon, variations in
// parentheses.

// nextSGF returns the text of the next game tree, with its parentheses.
func (s *source) nextSGF() (piece, error) {
	var p piece
	for p.line == 0 {
		c, err := s.byte()
		if err != nil {
			return piece{}, err
		}
		if c == '(' {
			p.line = s.line
		}
	}
	var b strings.Builder
	b.WriteByte('(')
	inValue, escaped, depth := false, false, 1
	for depth > 0 {
		c, err := s.byte()
		if errors.Is(err, io.EOF) {
			p.err = errors.New("the file ends in the middle of the game")
			return p, nil
		}
		if err != nil {
			return piece{}, err
		}
		switch {
		case inValue && escaped:
			escaped = false
		case inValue:
			escaped = c == '\\'
			inValue = c != ']'
		case c == '[':
			inValue = true
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
		if b.Len() < maxGame {
			b.WriteByte(c)
		}
	}
	if p.text = b.String(); b.Len() >= maxGame {
		p.err = errLong
	}
	return p, nil
}

// property is a name with its values.
type property struct {
	name   string
	values []string
}

// value returns the first value.
func (p property) value() string { return p.values[0] }

// sgfMain returns the nodes of the first branch: everything up to the first
// closing parenthesis. others reports whether there are more branches.
func sgfMain(text string) (nodes [][]property, others bool, err error) {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ';':
			nodes = append(nodes, nil)
			i++
		case c == ')':
			return nodes, strings.Contains(text[i:], "("), nil
		case c == '(' || isBlank(c):
			i++
		default:
			p, n, err := sgfProperty(text[i:])
			if err != nil {
				return nil, false, err
			}
			if len(nodes) == 0 {
				return nil, false, fmt.Errorf("the property %s stands before the first node", p.name)
			}
			nodes[len(nodes)-1] = append(nodes[len(nodes)-1], p)
			i += n
		}
	}
	return nil, false, errors.New("the game does not end")
}

// sgfProperty reads a name and its values, and returns the length of both.
func sgfProperty(text string) (p property, n int, err error) {
	for n < len(text) && text[n] != '[' {
		switch c := text[n]; {
		case 'A' <= c && c <= 'Z':
			p.name += string(c)
		case 'a' <= c && c <= 'z', isBlank(c):
			// Old files write names in full, of which the capitals count.
		default:
			return p, 0, fmt.Errorf("%.20q is not a property with a value in brackets", text)
		}
		n++
	}
	for n < len(text) && text[n] == '[' {
		value, length, ok := sgfValue(text[n:])
		if !ok {
			return p, 0, fmt.Errorf("the value of %.8s does not end", p.name)
		}
		p.values = append(p.values, value)
		n += length
		n += len(text[n:]) - len(strings.TrimLeft(text[n:], " \t\r\n"))
	}
	if p.name == "" || len(p.values) == 0 || len(p.name) > maxNumber {
		return p, 0, fmt.Errorf("%.20q is not a property with a value in brackets", text)
	}
	return p, n, nil
}

// sgfValue reads [value] and takes the escapes out.
func sgfValue(text string) (value string, length int, ok bool) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case ']':
			return b.String(), i + 1, true
		case '\\':
			i++
			if i < len(text) && text[i] != '\n' {
				b.WriteByte(text[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, false
}

// sgfReader is a game that is being read.
type sgfReader struct {
	*builder
	// setup is the start position while no move has been made.
	setup engine.Position
	// isSetup says that the file has one.
	isSetup bool
	// mainTime and overtime are TM and OT.
	mainTime, overtime plaintext.Text
}

// readSGF reads the first branch of a game.
func readSGF(text string, o ReadOptions) (*Game, error) {
	nodes, others, err := sgfMain(text)
	if err != nil {
		return nil, err
	}
	g := &Game{Rules: rulesOf(engine.Start(), o.Rules.Goal)}
	if others {
		g.warn("only the first of several variations was read")
	}
	r := &sgfReader{builder: begin(g), setup: engine.Position{Turn: engine.Black}}
	if err := r.header(nodes); err != nil {
		return nil, err
	}
	for i, node := range nodes {
		if err := r.node(node, i == 0); err != nil {
			return nil, err
		}
	}
	if len(g.Plays) == 0 {
		r.start()
	}
	r.clock()
	r.finish()
	return g, nil
}

// header looks at what must be known before the first move.
func (r *sgfReader) header(nodes [][]property) error {
	for _, node := range nodes {
		for _, p := range node {
			switch v := strings.TrimSpace(p.value()); p.name {
			case "GM":
				if v != "2" {
					return fmt.Errorf("a game of the kind %.20q, not 2 (Othello)", v)
				}
			case "SZ":
				if v != "8" && v != "8:8" {
					return fmt.Errorf("a board of the size %.20q, not 8", v)
				}
			case "RU":
				switch strings.ToLower(v) {
				case "anti", "reverse":
					r.game.Rules = rulesOf(engine.Start(), engine.Fewest)
				}
			}
		}
	}
	r.line.Final = engine.NewGame(r.game.Rules)
	return nil
}

// start takes the setup for the start position.
func (r *sgfReader) start() {
	g := r.game
	p := r.setup
	if !r.isSetup {
		p.Discs = engine.Start().Discs
	}
	g.Rules = rulesOf(p, g.Rules.Goal)
	r.line.Final = engine.NewGame(g.Rules)
}

// node reads the properties of a node: setup first, then the move, then what is
// said about it. The order in the file means nothing. Squares that are set in
// the node of a move are the board after it; only in the root, where some
// programs put the first move, they are the start position.
func (r *sgfReader) node(node []property, root bool) error {
	var edit Edit
	var note Play
	by, moves := engine.None, 0
	for _, p := range node {
		switch p.name {
		case "AB", "AW", "AE":
			if err := sgfSetup(&edit, p); err != nil {
				return err
			}
		case "PL":
			r.turn(p.value())
		case "B", "W":
			by = engine.Black
			if p.name == "W" {
				by = engine.White
			}
			moves++
		}
	}
	if moves > 1 {
		return errors.New("a node with two moves")
	}
	if moves == 0 {
		r.edits(edit)
		return r.properties(node, nil)
	}
	if len(r.game.Plays) == 0 {
		if root {
			r.edits(edit)
			edit = Edit{}
		}
		r.start()
	}
	if err := r.move(node, by, &note); err != nil {
		return err
	}
	r.edits(edit)
	return nil
}

// move plays the move of a node with its notes.
func (r *sgfReader) move(node []property, by engine.Color, note *Play) error {
	if err := r.properties(node, note); err != nil {
		return err
	}
	for _, p := range node {
		if p.name != "B" && p.name != "W" {
			continue
		}
		m, ok := sgfMove(p.value())
		if !ok {
			return r.wordError(strings.TrimSpace(p.value()))
		}
		note.Move = m
	}
	return r.addBy(by, *note)
}

// sgfMove reads a square as letter and digit, or as two letters like a Go
// program, or a pass.
func sgfMove(value string) (engine.Move, bool) {
	word := strings.TrimSpace(value)
	if word == "" || word == "tt" {
		return engine.PassMove, true
	}
	s, ok := sgfSquare(word)
	if !ok {
		return moveWord(word)
	}
	return engine.At(s), true
}

// sgfSquare reads e6 or ef.
func sgfSquare(word string) (engine.Square, bool) {
	if s, err := engine.ParseSquare(word); err == nil {
		return s, true
	}
	if len(word) == 2 && isFile(word[0]) && isFile(word[1]) {
		return engine.SquareAt(int(word[0]|0x20-'a'), int(word[1]|0x20-'a')), true
	}
	return 0, false
}

// sgfSetup adds the squares of AB, AW or AE; a1:c3 is a rectangle.
func sgfSetup(e *Edit, p property) error {
	var set engine.Bitboard
	for _, v := range p.values {
		from, to, rectangle := strings.Cut(strings.TrimSpace(v), ":")
		if !rectangle {
			to = from
		}
		a, okA := sgfSquare(from)
		b, okB := sgfSquare(to)
		if !okA || !okB {
			return fmt.Errorf("%.16q in %s is not a square", v, p.name)
		}
		for rank := a.Rank(); rank <= b.Rank(); rank++ {
			for file := a.File(); file <= b.File(); file++ {
				set |= engine.SquareAt(file, rank).Bit()
			}
		}
	}
	e.Black, e.White, e.Empty = e.Black&^set, e.White&^set, e.Empty&^set
	switch p.name {
	case "AB":
		e.Black |= set
	case "AW":
		e.White |= set
	default:
		e.Empty |= set
	}
	return nil
}

// edits changes the start position, or the board after the last move.
func (r *sgfReader) edits(e Edit) {
	switch {
	case e.None():
	case len(r.game.Plays) == 0:
		r.setup.Discs = e.apply(r.setup.Discs)
		r.isSetup = true
	default:
		r.edit(e)
	}
}

// turn reads PL.
func (r *sgfReader) turn(value string) {
	c := engine.None
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "b", "black", "1":
		c = engine.Black
	case "w", "white", "2":
		c = engine.White
	}
	switch {
	case c == engine.None:
		r.game.warn("PL names neither black nor white and is left out")
	case len(r.game.Plays) == 0:
		r.setup.Turn = c
	case c != r.line.Final.Turn:
		r.game.warn("a change of the side to move in mid-game is left out")
	}
}

// properties reads everything else of a node; note is the move it belongs to,
// nil for the game or the move before.
func (r *sgfReader) properties(node []property, note *Play) error {
	g := r.game
	for _, p := range node {
		v := p.value()
		switch p.name {
		case "AB", "AW", "AE", "PL", "B", "W", "GM", "SZ", "FF", "CA", "AP":
		case "C":
			r.comment(v, note)
		case "BL", "WL":
			r.left(p.name, v, note)
		case "RU":
			if low := strings.ToLower(strings.TrimSpace(v)); low != "anti" && low != "reverse" {
				g.addTag(p.name, v)
			}
		default:
			if !r.info(p.name, v) {
				g.addTag(p.name, strings.Join(p.values, ", "))
			}
		}
	}
	return nil
}

// comment keeps C of a node.
func (r *sgfReader) comment(text string, note *Play) {
	to := &r.game.Comment
	switch n := len(r.game.Plays); {
	case note != nil:
		to = &note.Comment
	case n > 0:
		to = &r.game.Plays[n-1].Comment
	}
	r.game.addComment(to, text)
}

// left keeps BL or WL of the player who moved.
func (r *sgfReader) left(name, value string, note *Play) {
	if note == nil {
		r.game.addTag(name, value)
		return
	}
	var n Number
	r.game.setNumber(&n, "time left", strings.TrimSpace(value))
	note.Left = n
}

// info keeps the properties of the game that have a field.
func (r *sgfReader) info(name, v string) bool {
	g := r.game
	switch name {
	case "PB":
		g.setTag(&g.Players[engine.Black].Name, name, v)
	case "PW":
		g.setTag(&g.Players[engine.White].Name, name, v)
	case "BR":
		g.setTag(&g.Players[engine.Black].Rating, name, v)
	case "WR":
		g.setTag(&g.Players[engine.White].Rating, name, v)
	case "EV":
		g.setTag(&g.Event, name, v)
	case "RO":
		g.setTag(&g.Round, name, v)
	case "PC":
		g.setTag(&g.Place, name, v)
	case "DT":
		g.setDate(v)
	case "TIME":
		return g.setClock(v, "")
	case "GC":
		g.addComment(&g.Comment, v)
	case "TM":
		g.setTag(&r.mainTime, name, v)
	case "OT":
		g.setTag(&r.overtime, name, v)
	case "RE":
		g.Recorded = sgfResult(v)
	default:
		return false
	}
	return true
}

// clock makes a clock string of TM and OT. Our own writer puts the whole string
// into OT.
func (r *sgfReader) clock() {
	g := r.game
	text := r.mainTime
	if c, err := ParseClock(r.overtime.String()); !r.overtime.IsZero() && err == nil && string(Seconds(c.Main.Time)) == text.String() {
		text = r.overtime
	} else if !r.overtime.IsZero() {
		g.addTag("OT", r.overtime.String())
	}
	g.Clocks = [2]plaintext.Text{text, text}
}

// sgfResult reads B+64, W+R, 0, Draw, Void and ?.
func sgfResult(value string) Outcome {
	text, _ := oneLine(value)
	upper := strings.ToUpper(text.String())
	var winner engine.Color
	switch {
	case upper == "0" || upper == "DRAW":
		return counted(text, 0)
	case upper == "VOID":
		return Outcome{Text: text, Winner: engine.None, End: EndAborted}
	case strings.HasPrefix(upper, "B+"):
		winner = engine.Black
	case strings.HasPrefix(upper, "W+"):
		winner = engine.White
	default:
		return Outcome{Text: text, Winner: engine.None}
	}
	switch rest := upper[2:]; rest {
	case "R", "RESIGN":
		return won(text, winner, EndResigned)
	case "T", "TIME":
		return won(text, winner, EndTime)
	case "F", "FORFEIT":
		return won(text, winner, EndAdjudicated)
	default:
		margin, ok := thousandths(rest)
		if !ok || margin < 0 || strings.ContainsAny(rest, "+-") {
			return won(text, winner, EndNone)
		}
		if winner == engine.White {
			margin = -margin
		}
		return counted(text, margin)
	}
}

// sgf writes the game in one line, the first move in its own node.
func (w *writer) sgf() {
	g := w.game
	begin := len(w.buf)
	w.add("(;FF[4]GM[2]SZ[8]")
	w.sgfValue("PB", g.Players[engine.Black].Name.String())
	w.sgfValue("PW", g.Players[engine.White].Name.String())
	w.sgfValue("BR", g.Players[engine.Black].Rating.String())
	w.sgfValue("WR", g.Players[engine.White].Rating.String())
	w.sgfValue("EV", g.Event.String())
	w.sgfValue("RO", g.Round.String())
	w.sgfValue("PC", g.Place.String())
	w.sgfDate()
	w.sgfClock()
	if g.Rules.Goal == engine.Fewest {
		w.add("RU[anti]")
	}
	w.sgfTags()
	w.sgfValue("GC", g.Comment.String())
	if g.Rules.Start.Occupied() == 0 {
		w.add("AE[a1:h8]") // otherwise the usual start would be meant
	}
	w.sgfSquares("AB", g.Rules.Start.Black)
	w.sgfSquares("AW", g.Rules.Start.White)
	if g.Rules.Start.Turn == engine.White {
		w.add("PL[W]")
	} else {
		w.add("PL[B]")
	}
	w.add("RE[", w.sgfResult(), "]")
	w.sgfMoves()
	w.add(")\n")
	if strings.Trim(string(w.buf[begin:]), ascii()) != "" {
		w.buf = append(w.buf[:begin], strings.Replace(string(w.buf[begin:]), "(;FF[4]", "(;FF[4]CA[UTF-8]", 1)...)
	}
}

// ascii returns the characters that are the same in every encoding.
func ascii() string {
	b := make([]byte, 0, 128)
	for c := range byte(128) {
		b = append(b, c)
	}
	return string(b)
}

// sgfMoves writes the nodes of the moves.
func (w *writer) sgfMoves() {
	at := engine.NewGame(w.game.Rules)
	for _, p := range w.game.Plays {
		name, left := "B", "BL"
		if at.Turn == engine.White {
			name, left = "W", "WL"
		}
		word := p.Move.String()
		if p.Move == engine.PassMove {
			word = "PA"
		}
		w.add(";", name, "[", word, "]")
		w.sgfValue(left, string(p.Left))
		w.sgfValue("C", p.Comment.String())
		w.sgfSquares("AB", p.Edit.Black)
		w.sgfSquares("AW", p.Edit.White)
		w.sgfSquares("AE", p.Edit.Empty)
		at = next(at, p.Move)
		at.Discs = p.Edit.apply(at.Discs)
	}
}

// sgfValue writes a property that is not empty.
func (w *writer) sgfValue(name, value string) {
	if value == "" {
		return
	}
	value = strings.ReplaceAll(value, `\`, `\\`)
	w.add(name, "[", strings.ReplaceAll(value, "]", `\]`), "]")
}

// sgfDate writes DT, and the time of day in a property of our own: FF[4] has none.
func (w *writer) sgfDate() {
	d := w.game.Date
	day := d.sgf()
	w.sgfValue("DT", day)
	w.sgfValue("TIME", strings.TrimSpace(d.clock()+" "+d.Zone.String()))
	if day == "" && !d.Timed && !d.IsZero() || !d.Other.IsZero() && day != d.Other.String() {
		w.lost |= lossDateText
	}
}

// sgfSquares writes a list of squares.
func (w *writer) sgfSquares(name string, set engine.Bitboard) {
	if set == 0 {
		return
	}
	w.add(name)
	for s := range set.All() {
		w.add("[", s.String(), "]")
	}
}

// sgfClock writes the main time, and the whole clock string where it says more.
func (w *writer) sgfClock() {
	if w.game.Clocks == [2]plaintext.Text{} {
		return
	}
	text := w.game.Clocks[engine.Black].String()
	c, err := ParseClock(text)
	if err != nil || w.game.Clocks[engine.Black] != w.game.Clocks[engine.White] {
		w.lost |= lossClock
		return
	}
	seconds := string(Seconds(c.Main.Time))
	w.add("TM[", seconds, "]")
	if text != seconds {
		w.sgfValue("OT", text)
	}
}

// sgfTags writes the tags without a field.
func (w *writer) sgfTags() {
	for _, t := range w.game.Tags {
		if !sgfName(t.Name) {
			w.lost |= lossTags
			continue
		}
		w.sgfValue(t.Name, t.Value.String())
	}
}

// sgfName reports whether a tag may be written as it is: capital letters that
// have no meaning to our own reader.
func sgfName(name string) bool {
	switch name {
	case "FF", "CA", "AP", "GM", "SZ", "PB", "PW", "BR", "WR", "EV", "RO", "PC", "DT", "TM", "OT", "RU", "GC",
		"AB", "AW", "AE", "PL", "RE", "TIME", "B", "W", "BL", "WL", "C", "TY", "":
		return false
	}
	return len(name) <= 8 && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// sgfResult writes RE.
func (w *writer) sgfResult() string {
	o := w.game.outcome(w.final)
	side := "B+"
	if o.Winner == engine.White {
		side = "W+"
	}
	switch o.End {
	case EndResigned:
		if o.Known && o.Winner != engine.None {
			return side + "R"
		}
	case EndTime:
		if o.Known && o.Winner != engine.None {
			return side + "T"
		}
	case EndAborted:
		if !o.Known {
			return "Void"
		}
	case EndAdjudicated:
		if o.Known && o.Winner != engine.None && !o.Counted {
			return side + "F"
		}
	case EndNone, EndAgreed, EndAdjourned, EndTimeUp:
	}
	if w.game.AsTheyLie && w.game.countWords(w.final) != "" {
		w.lost |= lossEmpties
	}
	if o.End != EndNone {
		w.lost |= lossEnd
	}
	switch {
	case !o.Known:
		return "?"
	case o.Winner == engine.None:
		return "0"
	case !o.Counted:
		return side
	}
	return side + strings.TrimSuffix(strings.TrimRight(o.decimal()[1:], "0"), ".")
}
