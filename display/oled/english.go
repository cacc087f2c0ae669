package oled

import (
	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// english holds all the words, one method for each thing to be said. No line
// has more than sixteen letters. A translation is a file like this one.
type english struct{}

// Before and after a game.

func (english) unread(v *View) {
	v.Head.add("One moment")
	v.More[0].add("The board has")
	v.More[1].add("not been read.")
}

func (english) setUp(v *View) { v.Head.add("Set up the board") }

func (english) ready(v *View) {
	v.Head.add("Ready to begin")
}

// orientation says what may be the matter when every disc shows the wrong
// color; see the sentence of the same name in display.
func (english) orientation(v *View, fourDiscs bool) {
	v.Head.add("Colors swapped")
	if fourDiscs {
		v.More[0].add("Turn the board a")
		v.More[1].add("quarter, or turn")
		v.Foot.add("the four discs")
		return
	}
	v.More[0].add("Turn over")
	v.More[1].add("all the discs")
}

// firstDisc invites to the next game on a board that was cleared after a game.
func (e english) firstDisc(v *View, c engine.Color, free engine.Bitboard) {
	v.Head.add("Next game:")
	v.More[0].add(e.name(c))
	v.More[0].add(" begins")
	e.oneOf(&v.More[1], free)
}

func (english) over(v *View) { v.Head.add("Game over") }

func (english) stopped(v *View) {
	v.Head.add("Game stopped")
	v.Foot.add("No result")
}

func (e english) result(v *View, r referee.Result, fewest bool) {
	if r.Winner >= engine.None {
		v.Head.add("Draw")
	} else {
		v.Head.add(e.name(r.Winner))
		v.Head.add(" wins")
	}
	switch {
	case r.Reason == referee.Resigned:
		v.Foot.add("By resignation")
	case r.Reason == referee.FlagFell && r.Counts == referee.CountsAwarded:
		v.Foot.add("On time")
	case r.Stop.Differ != 0:
		v.Foot.add("As the discs lay")
	case r.Reason == referee.FlagFell:
		v.Foot.add("The time is up")
	case r.Reason == referee.Adjudicated:
		v.Foot.add("By the arbiter")
	case fewest:
		v.Foot.add("Fewer discs win")
	case r.Empties() > 0 && r.Winner < engine.None && (r.DiscsBlack == 0 || r.DiscsWhite == 0):
		v.Foot.add("No other is left")
	case r.Empties() > 0 && r.Counts == referee.CountsWithEmpties:
		v.Foot.add("Empties included")
	case r.Empties() > 0 && r.Counts == referee.CountsDiscs:
		v.Foot.add("As the discs lie")
	default:
		v.Foot.add("Game over")
	}
}

// handsOff is about a game whose time is up, while its discs are counted.
func (english) handsOff(v *View) { v.Foot.add("Hands off") }

func (english) paused(v *View) { v.Head.add("Paused") }

// The turn.

func (e english) toMove(v *View, c engine.Color) {
	v.Head.add(e.name(c))
	v.Head.add(" to move")
}

func (e english) thinks(v *View, c engine.Color) {
	v.Head.add(e.name(c))
	v.Head.add(" thinks")
}

func (e english) wish(v *View, c engine.Color, at engine.Square) {
	v.Head.add(e.name(c))
	v.Head.add(" plays ")
	v.Head.square(at)
}

// timeUp says whose time is up, None for that of a clock for the whole game.
func (e english) timeUp(v *View, c engine.Color) {
	if c >= engine.None {
		v.Head.add("The time is up")
		return
	}
	v.Head.add(e.name(c))
	v.Head.add(": time up")
}

// passed: the discs of a player may be used up in the historic game only.
func (e english) passed(v *View, by, next engine.Color, usedUp bool) {
	v.Head.add(e.name(by))
	if usedUp {
		v.Head.add(": no disc")
	} else {
		v.Head.add(" must pass")
	}
	v.Foot.add(e.name(next))
	v.Foot.add(" to move")
}

// placed says what to do only where the guide does not.
func (e english) placed(v *View, p referee.Pending) {
	v.Head.add(e.name(p.By))
	v.Head.add(" placed ")
	v.Head.square(p.Square)
	if lifted := p.Lifted | p.Extra; lifted != 0 && p.Open()&^p.Lifted == 0 {
		v.Foot.add("put back")
		v.Foot.squares(lifted)
	}
}

// placedOnly says of a move no more than everybody sees.
func (e english) placedOnly(v *View, p referee.Pending) {
	v.Head.add(e.name(p.By))
	v.Head.add(" placed ")
	v.Head.square(p.Square)
}

func (english) presses(v *View) { v.Foot.add("Press the clock") }

// pressClock: the mover ends a correction.
func (e english) pressClock(v *View, c engine.Color) {
	v.Head.add(e.name(c))
	v.Head.add(" has")
	v.Foot.add("to press")
}

func (e english) claims(v *View, c engine.Color) {
	v.Head.add(e.name(c))
	v.Head.add(" objects")
}

func (e english) passDue(v *View, c engine.Color) {
	v.Head.add(e.name(c))
	v.Head.add(" must pass")
	v.Foot.add("Press the clock")
}

// playsOn: the opponent of a player without time may go on for both.
func (e english) playsOn(v *View, fallen engine.Color) {
	e.timeUp(v, fallen)
	v.Foot.add(e.name(fallen.Opponent()))
	v.Foot.add(" goes on")
}

// givesUp asks the player who has held a button whether he gives up.
func (e english) givesUp(c engine.Color) Note {
	return Note{Head: e.name(c) + " gives up?", Foot: "Yes: press again"}
}

// refused says which wish of somebody who has pressed a button cannot be met.
func (english) refused(command string) Note {
	n := Note{Head: "Not now"}
	switch command {
	case "hint":
		n.Foot = "No suggestions"
	case "pass":
		n.Foot = "There is a move"
	case "new":
		n.Foot = "Ask the arbiter"
	case "undo":
		n.Foot = "Nothing undone"
	case "resign":
		n.Foot = "No game is on"
	}
	return n
}

// restart asks whether another game is to begin.
func (english) restart(v *View, touched bool) {
	v.Head.add("A new game?")
	if touched {
		v.Foot.add("Leave the discs")
		return
	}
	v.Foot.add("Lift a disc")
}

func (english) clocksStand(l *Line) { l.add("Clocks stand") }

func (english) back(v *View) { v.Head.add("Taken back") }

// Mistakes.

func (english) noFlip(v *View, at engine.Square) {
	v.Head.square(at)
	v.Head.add(" flips nothing")
}

func (english) offCenter(v *View) { v.Head.add("Begin in centre") }

func (english) wrongColor(v *View, at engine.Square) {
	v.Head.add("Wrong color ")
	v.Head.square(at)
}

func (english) outOfTurn(v *View, at engine.Square) {
	v.Head.square(at)
	v.Head.add(" out of turn")
}

func (english) tooEarly(v *View, at engine.Square) {
	v.Head.square(at)
	v.Head.add(" is too early")
}

func (english) secondDisc(v *View) { v.Head.add("Only one disc") }

func (english) extraFlip(v *View) { v.Head.add("Not outflanked") }

func (english) missing(v *View, squares engine.Bitboard) {
	if squares.Count() == 1 {
		v.Head.add("A disc is gone")
		return
	}
	v.Head.add("Discs are gone")
}

func (english) powerCut(v *View) { v.Head.add("Power was off") }

func (english) putRight(v *View) { v.Head.add("Put board right") }

// Lines.

// steps says what the hands must do, one thing a line, and first things first.
// Steps without a line wait until those before them are done.
func (english) steps(g referee.Guide, lines ...*Line) {
	for _, step := range [...]struct {
		what    string
		squares engine.Bitboard
	}{
		{"take off", g.Remove},
		{"turn", g.Turn | g.Flip},
		{"put black", g.PlaceBlack},
		{"put white", g.PlaceWhite},
	} {
		if step.squares == 0 || len(lines) == 0 {
			continue
		}
		lines[0].add(step.what)
		lines[0].squares(step.squares)
		lines = lines[1:]
	}
}

func (english) oneOf(l *Line, squares engine.Bitboard) {
	l.add("on")
	l.squares(squares)
}

// unreadable names a whole rank as such, since a rank may share one chip.
func (english) unreadable(l *Line, cells engine.Bitboard) {
	l.add("no data")
	for rank := range 8 {
		if cells == 0xFF<<(8*rank) {
			l.add(" rank ")
			l.number(rank + 1)
			return
		}
	}
	if ^cells == 0 {
		l.add(" at all")
		return
	}
	l.squares(cells)
}

func (english) masked(l *Line, cells engine.Bitboard) {
	l.add("ignored")
	l.squares(cells)
}

func (english) name(c engine.Color) string {
	switch c {
	case engine.Black:
		return "Black"
	case engine.White:
		return "White"
	case engine.None:
	}
	return "Nobody"
}
