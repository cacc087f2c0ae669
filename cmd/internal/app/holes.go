package app

import (
	"fmt"
	"path/filepath"
	"strings"

	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

// holesText tells which records of the journal are missing, empty when none are.
func holesText(holes []archive.Hole) string {
	if len(holes) == 0 {
		return ""
	}
	var numbers, files []string
	for _, h := range holes {
		text := fmt.Sprint(h.From)
		if h.To > h.From {
			text = fmt.Sprintf("%d to %d", h.From, h.To)
		}
		numbers = append(numbers, text)
		for _, f := range h.Files {
			files = append(files, filepath.Base(f))
		}
	}
	text := fmt.Sprintf("The journal was damaged: records %s are lost, all others are kept.", strings.Join(numbers, ", "))
	switch len(files) {
	case 0:
		return text
	case 1:
		text += " Copy the data folder and check its disk. To end this message, delete " + files[0] + " in it and start the program again."
	default:
		text += " Copy the data folder and check its disk. To end this message, delete its files “.damaged” and start the program again."
	}
	return text
}

// heldText tells what to do when the position of the running game is not known.
const heldText = "The position is not known, because records of this game are lost; the game is stopped. " +
	"Lay the discs as they lay and choose “Let it stand…”, or choose “Position…”. Then choose “Go on”."

// sentence says what there is to do.
func (a *App) sentence() string {
	if a.core.Held {
		return heldText
	}
	return display.Sentence(&a.core.State) + a.suggestion()
}

// hold stops a game whose position is not known, because records of it are missing.
// If the cells have last shown the position of the last record, it is known again:
// then that is put on record instead.
func (a *App) hold(seen engine.Discs, ok bool) {
	if !a.core.Unsure() {
		return
	}
	why := plaintext.Const("records of the journal are missing")
	if turn, lies := a.core.Lies(seen); ok && lies {
		a.step(a.orderOfTheBoard("correct_square", referee.CorrectSquare{
			Black: seen.Black, White: seen.White, Empty: seen.Empty(), Turn: turn, Reason: why,
		}))
		return
	}
	a.core.Held = true
	a.noteTrouble()
	if a.core.State.Phase == referee.Playing {
		a.step(a.orderOfTheBoard("pause", referee.Pause{Reason: why}))
	}
}

// orderOfTheBoard is an order that the program gives itself.
func (a *App) orderOfTheBoard(name string, o referee.Order) referee.Command {
	return referee.Command{At: a.now(), Audit: referee.Audit{
		Role: "ops", Name: name, ID: plaintext.Const("restart"), From: plaintext.Const("journal"), Order: o,
	}}
}

// release notes that somebody has ruled what the position is.
func (a *App) release(ev referee.Event) {
	switch ev.(type) {
	case referee.PositionSet, referee.Revised, referee.GameResumed, referee.GameStarted, referee.GameOver:
		a.core.Held = false
		a.noteTrouble()
	case referee.Moved, referee.Passed, referee.FlipError, referee.Undone, referee.Illegal, referee.ClockFlag,
		referee.ClockAdjusted, referee.GamePaused, referee.Faulted, referee.Restored, referee.PowerRestored,
		referee.TimeStepped, referee.EngineLost, referee.Commanded:
	}
}

// noteTrouble lets the published state name the trouble with the journal.
func (a *App) noteTrouble() {
	switch {
	case a.trouble == nil && !a.core.Held:
		a.core.Trouble = referee.Problem{}
	case !a.core.Trouble.Active():
		a.core.Trouble = referee.Problem{Code: storageTrouble, Since: a.now()}
	}
}

// storageProblems says what is wrong with the journal and its disk, the worst first.
func (a *App) storageProblems() (severity, text string) {
	facts := a.nurse.facts()
	var texts []string
	add := func(how, text string) {
		if severity == "" {
			severity = how
		}
		texts = append(texts, text)
	}
	if a.trouble != nil {
		add("error", "The journal cannot be written: the game goes on in memory only. Check the disk.")
	}
	if a.link.unreadable() {
		add("error", "The journal cannot be read: the events of the game wait and are not published. "+
			"Check the disk; they follow when it can be read.")
	}
	if a.core.Held {
		add("error", heldText)
	}
	if text := holesText(a.holes); text != "" {
		add("warn", text)
	}
	if text := a.mended.Load(); text != nil {
		add("warn", *text)
	}
	if text := a.calibrator.problem(); text != "" {
		add("warn", text)
	}
	if facts.freeMB >= 0 {
		add("warn", fmt.Sprintf("Only %d MB are left on the disk with the games: free some space.", facts.freeMB))
	}
	return severity, strings.Join(texts, " ")
}
