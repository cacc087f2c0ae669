package doctor

import (
	"context"
	"strings"

	"reversi-board/engine/opponent"
	"reversi-board/engine/referee"
)

// checkOpponent looks for the program that plays, which would otherwise be missed at
// its first move.
func checkOpponent(_ context.Context, d *doctor, c *Check) {
	o := d.c.Opponent
	switch o.Kind {
	case referee.NoOpponent:
		c.skip("No program plays: opponent.kind is none.")
		return
	case referee.Builtin:
		c.foundf("The built-in player plays.")
		return
	case referee.GTP, referee.NBoard:
	}
	file, err := opponent.Find(o.Command, o.Dir)
	if err != nil {
		c.foundf("%s", sentence(err.Error()))
		c.blame(Problem{
			Part: "opponent", Where: o.Command[0], Cause: "not_found", Found: c.Found,
			Next: "Install it, or name it with its whole path in opponent.command.",
		})
		return
	}
	c.foundf("The opponent is %s.", file)
	if !strings.Contains(o.Command[0], "/") && !opponent.ForServices(file) {
		c.blame(Problem{
			Part: "opponent", Where: file, Cause: "not_on_the_path", Status: Warn,
			Found: "A service does not look for programs in the folder of " + file + ".",
			Next:  "Name it with its whole path in opponent.command.",
		})
	}
}
