package enginetest

import (
	"fmt"
	"os"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/notation"
)

// nboard answers a line as the program does that is imitated.
func (f *fake) nboard(line string) bool {
	words := strings.Fields(line)
	if len(words) == 0 {
		return true
	}
	switch words[0] {
	case "quit":
		return false
	case "nboard":
		if f.kind == EdaxNBoard {
			fmt.Fprintln(os.Stderr, `Error: Edax expected "nboard 1" protocol`)
		}
	case "set":
		f.set(words[1:], line)
	case "move":
		f.moved(words[1:])
	case "ping":
		f.say("pong " + strings.Join(words[1:], " ") + "\n")
	case "go":
		f.think()
	default:
		fmt.Fprintln(os.Stderr, "what is", line)
	}
	return true
}

func (f *fake) set(words []string, line string) {
	if len(words) < 2 {
		return
	}
	switch words[0] {
	case "depth":
		f.say("set myname " + f.name + words[1] + "\n")
	case "game":
		for g, err := range notation.Read(strings.NewReader(line), notation.FormatGGF, notation.ReadOptions{}) {
			must(err)
			f.game, err = g.Final()
			must(err)
		}
	}
}

func (f *fake) moved(words []string) {
	if len(words) == 0 {
		return
	}
	word, _, _ := strings.Cut(words[0], "/")
	if s, err := engine.ParseSquare(word); err == nil {
		f.place(s)
		return
	}
	f.game = f.game.Pass()
}

// think answers go, in the two ways in which it is done.
func (f *fake) think() {
	over := f.game.Over()
	word, ok := f.move()
	f.say("status thinking\nnodestats 35805 -nan\n")
	if f.kind == EdaxNBoard {
		switch {
		case over:
			word = "--"
		case !ok, word == "pass":
			word = "pa"
		}
		f.say("=== " + word + " -1.00 0.0\nstatus Edax is waiting\n")
		return
	}
	if !ok || word == "pass" {
		f.say("=== PA//0.00\n")
		return
	}
	f.say("=== " + strings.ToUpper(word) + "/-0.54/0.00\n")
}
