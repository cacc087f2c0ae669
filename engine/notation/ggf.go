package notation

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"reversi-board/engine"
)

// GGF: (;TAG[value]…;), https://www.skatgame.net/mburo/ggsa/ggf. A value ends
// with the first closing bracket; there are no escapes.

// nextGGF returns the text between the next "(;" and ";)". A number before it
// says how many games follow: 2 for the two games of a synchro pair.
func (s *source) nextGGF() (piece, error) {
	p := piece{}
	if err := s.toGame(&p); err != nil {
		return piece{}, err
	}
	s.expect = max(0, s.expect-1)
	var b strings.Builder
	inValue, last := false, byte(0)
	for {
		c, err := s.byte()
		if errors.Is(err, io.EOF) {
			p.err = errors.New("the file ends in the middle of the game")
			return p, nil
		}
		if err != nil {
			return piece{}, err
		}
		switch {
		case inValue:
			inValue = c != ']'
		case c == '[':
			inValue = true
		case c == ')' && last == ';':
			p.text = b.String()
			if b.Len() >= maxGame {
				p.err = errLong
			}
			return p, nil
		}
		if last = c; b.Len() < maxGame {
			b.WriteByte(c)
		}
	}
}

// toGame passes over everything up to the next "(;".
func (s *source) toGame(p *piece) error {
	count, last := 0, byte('\n')
	for {
		c, err := s.byte()
		if err != nil {
			return err
		}
		switch {
		case c == ';' && last == '(':
			p.line = s.line
			if count > 0 {
				if s.expect > 0 {
					p.note = fmt.Sprintf("%d games announced before this one did not come", s.expect)
				}
				s.expect = count
			}
			return nil
		case '0' <= c && c <= '9' && count < 1000:
			count = 10*count + int(c-'0')
		case c != '(' && c != ' ':
			count = 0
		}
		last = c
	}
}

// readGGF reads the tags of one game.
func readGGF(text string, o ReadOptions) (*Game, error) {
	tags, err := ggfTags(text)
	if err != nil {
		return nil, err
	}
	g := &Game{Rules: rulesOf(engine.Start(), o.Rules.Goal)}
	if err := g.ggfRules(tags); err != nil {
		return nil, err
	}
	b := begin(g)
	for _, t := range tags {
		if err := b.ggfTag(t); err != nil {
			return nil, err
		}
	}
	b.finish()
	return g, nil
}

// ggfRules looks for what must be known before the first move.
func (g *Game) ggfRules(tags []rawTag) error {
	goal, start, found := g.Rules.Goal, engine.Start(), false
	for _, t := range tags {
		switch t.Name {
		case "GM":
			if !strings.EqualFold(t.Value, "othello") && !strings.EqualFold(t.Value, "reversi") {
				return fmt.Errorf("a game of %.20q, not of Othello", t.Value)
			}
		case "BO":
			var err error
			if start, err = ggfStart(t.Value); err != nil {
				return err
			}
			found = true
		case "TY":
			anti, err := ggfType(t.Value)
			if err != nil {
				return err
			}
			if anti {
				goal = engine.Fewest
			}
		}
	}
	if !found {
		g.warn("no start position: the standard one is taken")
	}
	g.Rules = rulesOf(start, goal)
	return nil
}

// rawTag is a tag as the file has it.
type rawTag struct{ Name, Value string }

// ggfTags cuts the text of a game.
func ggfTags(text string) ([]rawTag, error) {
	var tags []rawTag
	for text = strings.TrimLeft(text, "; \t\r\n"); text != ""; text = strings.TrimLeft(text, "; \t\r\n") {
		name, rest, ok := strings.Cut(text, "[")
		value, rest, closed := strings.Cut(rest, "]")
		name = strings.TrimSpace(name)
		if !ok || !closed || name == "" || strings.Trim(strings.ToUpper(name), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return nil, fmt.Errorf("%.20q is not a tag with a value in brackets", text)
		}
		tags = append(tags, rawTag{strings.ToUpper(name), value})
		text = rest
	}
	return tags, nil
}

// ggfStart reads the value of BO.
func ggfStart(value string) (engine.Position, error) {
	value = strings.TrimSpace(value)
	if !strings.HasPrefix(value, "8") {
		return engine.Position{}, fmt.Errorf("the board %.20q is not 8×8", value)
	}
	return ParsePosition(value)
}

// ggfType reads the value of TY: flags, size, flags, rNN.
func ggfType(value string) (anti bool, err error) {
	v := strings.TrimSpace(value)
	v = strings.TrimLeft(v, "skbwa")
	flags := strings.TrimSpace(value)[:len(strings.TrimSpace(value))-len(v)]
	n := len(v) - len(strings.TrimLeft(v, "0123456789"))
	size, rest := v[:n], v[n:]
	if size != "8" && size != "" {
		return false, fmt.Errorf("a game of type %.20q is not played on 8×8", value)
	}
	rest, _, _ = strings.Cut(rest, "r")
	return strings.Contains(flags+rest, "a"), nil
}

// ggfTag takes one tag into the game.
func (b *builder) ggfTag(t rawTag) error {
	g := b.game
	switch t.Name {
	case "GM", "BO":
	case "PC":
		g.setTag(&g.Place, t.Name, t.Value)
	case "DT":
		g.setDate(t.Value)
	case "PB":
		g.setTag(&g.Players[engine.Black].Name, t.Name, t.Value)
	case "PW":
		g.setTag(&g.Players[engine.White].Name, t.Name, t.Value)
	case "RB":
		g.setTag(&g.Players[engine.Black].Rating, t.Name, t.Value)
	case "RW":
		g.setTag(&g.Players[engine.White].Rating, t.Name, t.Value)
	case "TI":
		g.setTag(&g.Clocks[engine.Black], t.Name, t.Value)
		g.Clocks[engine.White] = g.Clocks[engine.Black]
	case "TB":
		g.setTag(&g.Clocks[engine.Black], t.Name, t.Value)
	case "TW":
		g.setTag(&g.Clocks[engine.White], t.Name, t.Value)
	case "RE":
		g.ggfResult(t.Value)
	case "CO":
		if g.readCountWords(t.Value) {
			return nil
		}
		to := &g.Comment
		if n := len(g.Plays); n > 0 {
			to = &g.Plays[n-1].Comment
		}
		g.addComment(to, t.Value)
	case "B":
		return b.ggfMove(engine.Black, t.Value)
	case "W":
		return b.ggfMove(engine.White, t.Value)
	default:
		b.ggfOther(t)
	}
	return nil
}

// ggfOther keeps a tag without a field.
func (b *builder) ggfOther(t rawTag) {
	switch t.Name {
	case "TY":
		if v := strings.TrimSpace(t.Value); v == "8" || v == "8a" {
			return // follows from the rules
		}
	}
	b.game.addTag(t.Name, t.Value)
}

// ggfMove reads square[/eval[/time]].
func (b *builder) ggfMove(by engine.Color, value string) error {
	parts := strings.SplitN(strings.TrimSpace(value), "/", 3)
	word := strings.TrimSpace(parts[0])
	m, ok := moveWord(word)
	if !ok {
		return b.wordError(word)
	}
	p := Play{Move: m}
	if len(parts) > 1 {
		p.setEval(parts[1])
	}
	if len(parts) > 2 {
		b.game.setNumber(&p.Time, "a move's time", strings.TrimSpace(parts[2]))
	}
	return b.addBy(by, p)
}

// wordError refuses a word that is no move.
func (b *builder) wordError(word string) error {
	reason := ReasonForeign
	if len(word) == 1 && isFile(word[0]) {
		reason = ReasonHalfSquare
	}
	err := b.line.refusal(reason, engine.Squares)
	err.Text = word[:min(len(word), 8)]
	err.Offset = -1
	return err
}

// ggfResult reads Black's margin and why the game ended early. A word instead
// of a number means that the game is not finished.
func (g *Game) ggfResult(value string) {
	text, _ := oneLine(value)
	number, flag, _ := strings.Cut(text.String(), ":")
	o := Outcome{Text: text}
	number = strings.TrimSpace(number)
	if n, ok := thousandths(number); ok {
		o = counted(text, n)
	} else if f, err := strconv.ParseFloat(number, 64); err == nil && math.Abs(f) <= 2*engine.Squares {
		o = counted(text, int(math.Round(whole*f)))
		g.warn("the recorded result %.20s is rounded to %s", number, o.decimal())
	}
	switch strings.TrimSpace(flag) {
	case "r":
		o.End = EndResigned
	case "t":
		o.End = EndTime
	case "s":
		o.End = EndAgreed
	case "l":
		o.End = EndAdjourned
	}
	g.Recorded = o
}

// ggf writes the game in one line.
func (w *writer) ggf() {
	g := w.game
	w.add("(;GM[Othello]")
	w.ggfTag("PC", g.Place.String())
	w.ggfTag("DT", g.Date.ggf())
	w.ggfTag("PB", g.Players[engine.Black].Name.String())
	w.ggfTag("PW", g.Players[engine.White].Name.String())
	w.ggfTag("RB", g.Players[engine.Black].Rating.String())
	w.ggfTag("RW", g.Players[engine.White].Rating.String())
	if g.Clocks[engine.Black] == g.Clocks[engine.White] {
		w.ggfTag("TI", g.Clocks[engine.Black].String())
	} else {
		w.ggfTag("TB", g.Clocks[engine.Black].String())
		w.ggfTag("TW", g.Clocks[engine.White].String())
	}
	w.ggfKind()
	w.add("RE[", w.ggfResult(), "]BO[", GGFBoard(g.Rules.Start), "]")
	w.ggfTag("CO", g.Comment.String())
	w.ggfTag("CO", g.countWords(w.final))
	at := engine.NewGame(g.Rules)
	for _, p := range g.Plays {
		w.ggfMove(at.Turn, p)
		at = next(at, p.Move)
	}
	w.add(";)\n")
}

// next plays a move that is known to be legal.
func next(g engine.Game, m engine.Move) engine.Game {
	if s, isDisc := m.Square(); isDisc {
		return g.Place(s)
	}
	return g.Pass()
}

// ggfTag writes a tag that is not empty.
func (w *writer) ggfTag(name, value string) {
	if value == "" {
		return
	}
	clean := strings.ReplaceAll(strings.ReplaceAll(value, "]", ")"), "\n", " ")
	if clean != value {
		w.lost |= lossText
	}
	w.add(name, "[", clean, "]")
}

// ggfKind writes TY and the tags without a field.
func (w *writer) ggfKind() {
	g := w.game
	kind := "8"
	if g.Rules.Goal == engine.Fewest {
		kind = "8a"
	}
	for _, t := range g.Tags {
		if anti, err := ggfType(t.Value.String()); t.Name == "TY" && err == nil && anti == (kind == "8a") {
			kind = t.Value.String()
		}
	}
	w.ggfTag("TY", kind)
	for _, t := range g.Tags {
		switch {
		case t.Name == "TY" && t.Value.String() == kind:
		case ggfName(t.Name):
			w.ggfTag(t.Name, t.Value.String())
		default:
			w.lost |= lossTags
		}
	}
}

// ggfName reports whether a tag may be written as it is: a name of letters that
// has no meaning to our own reader.
func ggfName(name string) bool {
	switch name {
	case "GM", "PC", "DT", "PB", "PW", "RB", "RW", "TI", "TB", "TW", "TY", "RE", "BO", "B", "W", "CO", "":
		return false
	}
	return len(name) <= 8 && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// ggfResult writes RE. On the servers that write this format the empty squares count
// for the winner.
func (w *writer) ggfResult() string {
	o := w.game.toWinner(w.final)
	suffix := ""
	switch o.End {
	case EndResigned:
		suffix = ":r"
	case EndTime:
		suffix = ":t"
	case EndAgreed:
		suffix = ":s"
	case EndAdjourned:
		suffix = ":l"
	case EndAdjudicated, EndAborted:
		w.lost |= lossEnd
	case EndTimeUp:
		// Nobody's flag; a comment says it.
		if w.game.Lay != (engine.Discs{}) {
			w.lost |= lossEdits
		}
	case EndNone:
	}
	if !o.Known {
		if suffix != ":l" {
			if suffix != "" {
				w.lost |= lossEnd
			}
			return "?"
		}
		return "?" + suffix
	}
	margin := o.thousandths()
	if !o.Counted && o.Winner != engine.None {
		// A number is required, and its sign names the winner.
		margin = 2 * whole
		if o.Winner == engine.White {
			margin = -2 * whole
		}
		w.lost |= lossMargin
	}
	return decimal(margin) + suffix
}

// ggfMove writes a move with its notes.
func (w *writer) ggfMove(by engine.Color, p Play) {
	name := "B"
	if by == engine.White {
		name = "W"
	}
	eval := p.Eval
	if strings.ContainsAny(eval, "/]") {
		eval = ""
		w.lost |= lossEvals
	}
	w.add(name, "[", p.Move.String())
	switch {
	case p.Time != "":
		w.add("/", eval, "/", string(p.Time))
	case eval != "":
		w.add("/", eval)
	}
	w.add("]")
	w.ggfTag("CO", p.Comment.String())
}
