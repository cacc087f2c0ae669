package enginetest

import (
	"strings"

	"reversi-board/engine"
)

// gtp answers a line as the program does that is imitated.
func (f *fake) gtp(line string) bool {
	words := strings.Fields(line)
	if len(words) == 0 {
		return true
	}
	switch words[0] {
	case "quit":
		f.answer("=", "")
		return false
	case "name":
		f.answer("=", f.name)
	case "version":
		f.answer("=", "0.1")
	case "list_commands":
		f.answer("=", f.list())
	case "boardsize":
		f.answer("=", "")
	case "clear_board":
		f.game, f.past = newGame(), nil
		f.answer("=", "")
	case "play":
		f.play(words[1:])
	case "genmove":
		f.genmove(words[1:])
	case "time_settings", "time_left":
		if f.kind == Egaroucid {
			f.answer("?", "[ERROR] command not found")
			break
		}
		f.answer("=", "")
	default:
		f.answer("?", "unknown command")
	}
	return true
}

func (f *fake) list() string {
	list := "name\nversion\nlist_commands\nboardsize\nclear_board\nplay\ngenmove\nquit"
	if f.kind != Egaroucid {
		list += "\ntime_settings\ntime_left"
	}
	return list
}

// answer writes an answer. Edax puts a blank behind the sign always.
func (f *fake) answer(sign, text string) {
	if text != "" || f.kind == Edax {
		sign += " "
	}
	f.say(sign + text + "\n\n")
}

// side reads a color as the imitated program does.
func (f *fake) side(word string) (engine.Color, bool) {
	if f.kind == Rhino {
		word = strings.ToLower(word)
	}
	switch word {
	case "b", "black":
		return engine.Black, true
	case "w", "white":
		return engine.White, true
	}
	return engine.None, false
}

func (f *fake) play(words []string) {
	if len(words) != 2 {
		f.answer("?", "syntax error")
		return
	}
	c, ok := f.side(words[0])
	s, err := engine.ParseSquare(words[1])
	if !ok || err != nil {
		// A pass is a word that gtp-rhino does not know; the others would take
		// it, so the fakes say that it should not have been sent.
		f.answer("?", "syntax error")
		return
	}
	if c != f.game.Turn {
		switch {
		case f.kind == Egaroucid, f.kind == Edax && f.game.MustPass():
			f.game = f.game.Pass()
		case f.kind == Edax:
			f.answer("?", "wrong color")
			return
		default:
			f.answer("?", "illegal move")
			return
		}
	}
	if !f.game.Legal().Has(s) {
		f.answer("?", "illegal move")
		return
	}
	f.place(s)
	f.passByItself()
	f.answer("=", "")
}

// passByItself is what gtp-rhino does after a disc that blocks the other side.
func (f *fake) passByItself() {
	if f.kind == Rhino && f.game.MustPass() {
		f.game = f.game.Pass()
	}
}

func (f *fake) genmove(words []string) {
	if len(words) != 1 {
		f.answer("?", "syntax error")
		return
	}
	c, ok := f.side(words[0])
	if !ok {
		f.answer("?", "syntax error")
		return
	}
	if f.game.Over() && f.kind == Edax {
		f.answer("=", f.last)
		return
	}
	if c != f.game.Turn && !f.turnTo(c) {
		return
	}
	word, ok := f.move()
	if !ok {
		f.answer("=", f.upper("pass"))
		f.game = f.game.Pass()
		return
	}
	if s, err := engine.ParseSquare(word); err == nil && f.game.Legal().Has(s) {
		f.place(s)
		f.passByItself()
	}
	f.answer("=", f.upper(word))
}

// turnTo does what the program does when it is asked for the side that is not
// to move; false when it has answered.
func (f *fake) turnTo(engine.Color) bool {
	switch {
	case f.kind == Rhino:
		f.answer("=", "pass")
		return false
	case f.kind == Edax && !f.game.MustPass():
		f.answer("?", "wrong color")
		return false
	}
	f.game = f.game.Pass()
	return true
}

// upper writes a word in the letters of the program.
func (f *fake) upper(word string) string {
	if f.kind == Edax || f.kind == Rhino && word == "pass" {
		return word
	}
	return strings.ToUpper(word)
}
