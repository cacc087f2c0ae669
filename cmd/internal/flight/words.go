package flight

import (
	"fmt"
	"strings"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

// TellEvent says in a few words what an event is.
func TellEvent(ev referee.Event) string {
	switch ev := ev.(type) {
	case referee.GameStarted:
		return tellStart(&ev.Match)
	case referee.Moved:
		return tellMove(&ev)
	case referee.Passed:
		return fmt.Sprintf("%v passes", ev.By)
	case referee.FlipError:
		return tellFlips(&ev)
	case referee.Undone:
		if ev.Plies == 0 {
			return fmt.Sprintf("the end of the game is taken back, %v to move", ev.By)
		}
		return fmt.Sprintf("%d taken back to ply %d, %v to move", ev.Plies, ev.ToPly, ev.By)
	case referee.Revised:
		return fmt.Sprintf("the record from ply %d on is another one, %d moves and passes%s", ev.FromPly, ev.Len, because(ev.Reason))
	case referee.PositionSet:
		return fmt.Sprintf("the position is set, %d black and %d white discs, %v to move%s",
			ev.Discs.Black.Count(), ev.Discs.White.Count(), ev.Turn, because(ev.Reason))
	case referee.Illegal:
		return fmt.Sprintf("%v %v is no move: %s", ev.By, engine.Move(ev.Square), plain(ev.Reason.String()))
	case referee.GameOver:
		return tellResult(&ev.Result)
	case referee.ClockFlag, referee.ClockAdjusted, referee.GamePaused, referee.GameResumed, referee.Faulted, referee.Restored,
		referee.PowerRestored, referee.TimeStepped, referee.EngineLost, referee.Commanded:
		return tellOther(ev)
	}
	return fmt.Sprintf("%T", ev)
}

// tellOther says what happened to clocks, cells and the program.
func tellOther(ev referee.Event) string {
	switch ev := ev.(type) {
	case referee.ClockFlag:
		if ev.Color == engine.None {
			return "the time of the game is up: " + plain(ev.Effect.String())
		}
		return fmt.Sprintf("the flag of %v has fallen: %s", ev.Color, plain(ev.Effect.String()))
	case referee.ClockAdjusted:
		return "the clocks are set: " + tellTimes(&ev.Clock) + because(ev.Reason)
	case referee.GamePaused:
		return "paused by " + ev.By + because(ev.Reason)
	case referee.GameResumed:
		return "goes on, by " + ev.By + because(ev.Reason)
	case referee.Faulted:
		return fmt.Sprintf("cells cannot be believed: %v, %s", ev.Squares, plain(string(ev.Kind)))
	case referee.Restored:
		return fmt.Sprintf("cells can be believed again: %v, %s", ev.Squares, plain(string(ev.Kind)))
	case referee.PowerRestored:
		return fmt.Sprintf("the program is back; changed meanwhile: %s", orNothing(ev.Changed))
	case referee.TimeStepped:
		return fmt.Sprintf("the wall clock was set by %v", ev.By)
	case referee.EngineLost:
		return fmt.Sprintf("the opponent %s is lost: %s", ev.Engine, ev.Reason)
	case referee.Commanded:
		return fmt.Sprintf("command %s by %s", ev.Audit.Name, ev.Audit.Role)
	case referee.GameStarted, referee.Moved, referee.Passed, referee.FlipError, referee.Undone, referee.Revised,
		referee.PositionSet, referee.Illegal, referee.GameOver:
		return "" // TellEvent has words for them
	}
	return fmt.Sprintf("%T", ev)
}

func tellStart(m *referee.Match) string {
	return fmt.Sprintf("a game of %s begins, %s (black) against %s (white), profile %s",
		m.Rules.Name, m.Players[engine.Black], m.Players[engine.White], m.Profile.Name)
}

func tellMove(m *referee.Moved) string {
	text := fmt.Sprintf("%v plays %v, %d turned", m.By, m.Square, m.Flipped.Count())
	if m.Missed != 0 {
		text += fmt.Sprintf(", not turned: %v", m.Missed)
	}
	if m.Extra != 0 {
		text += fmt.Sprintf(", turned wrongly: %v", m.Extra)
	}
	if m.Improper != referee.NoReason {
		text += ", which is no move: " + plain(m.Improper.String())
	}
	return text
}

func tellFlips(f *referee.FlipError) string {
	text := fmt.Sprintf("wrong flips of ply %d: %v", f.Ply, f.Status)
	if f.Claimed {
		text += ", claimed"
	}
	return text + fmt.Sprintf(", missing %s, too many %s", orNothing(f.Missed), orNothing(f.Extra))
}

func tellResult(r *referee.Result) string {
	switch {
	case r.Void:
		return "the game ends without a result: " + plain(string(r.Reason))
	case r.Winner == engine.None:
		return fmt.Sprintf("draw, %d–%d: %s%s", r.Black, r.White, plain(string(r.Reason)), tellStop(&r.Stop))
	default:
		return fmt.Sprintf("%v wins, %d–%d: %s%s", r.Winner, r.Black, r.White, plain(string(r.Reason)), tellStop(&r.Stop))
	}
}

// tellStop says what the record would give, where something else was counted.
func tellStop(s *referee.Stop) string {
	if s.Differ == 0 {
		return ""
	}
	return fmt.Sprintf(", counted by the %v; the record has %d–%d, different on %v", s.By, s.RecordBlack, s.RecordWhite, s.Differ)
}

// tellTimes writes what both players have left.
func tellTimes(t *clock.Times) string {
	var parts []string
	for c := range engine.None {
		if t.Timed[c] {
			parts = append(parts, fmt.Sprintf("%v %s", c, TellTime(t.Left[c])))
		}
	}
	return strings.Join(parts, ", ")
}

// TellTime writes a time as clocks do, rounded up to tenths.
func TellTime(d time.Duration) string {
	tenths := (max(d, 0) + 100*time.Millisecond - 1) / (100 * time.Millisecond)
	return fmt.Sprintf("%d:%02d.%d", tenths/600, tenths/10%60, tenths%10)
}

// TellInput says what the referee was told, besides readings; empty for them and
// for ticks.
func TellInput(in referee.Input) string {
	switch in := in.(type) {
	case referee.Seen, referee.Felt, referee.Tick:
		return ""
	case referee.CellsFailed:
		return fmt.Sprintf("sensing gives %v up: %s", in.Squares, plain(string(in.Kind)))
	case referee.CellsBack:
		return fmt.Sprintf("sensing believes %v again: %s", in.Squares, plain(string(in.Kind)))
	case referee.PowerOn:
		return "the program has started in the middle of a game"
	case referee.Pressed:
		return fmt.Sprintf("%v presses the clock", in.By)
	case referee.WallStepped:
		return fmt.Sprintf("the wall clock was set by %v", in.By)
	case referee.Suggested:
		return fmt.Sprintf("the opponent wants %v", in.Square)
	case referee.EngineGone:
		return "the opponent is gone: " + in.Reason.String()
	case referee.Command:
		order := strings.TrimPrefix(fmt.Sprintf("%T", in.Audit.Order), "referee.")
		return fmt.Sprintf("%s orders %s (%s)", in.Audit.Role, in.Audit.Name, order)
	}
	return fmt.Sprintf("%T", in)
}

// TellHands says what the hands have done between two readings of the board;
// known is false when before is nothing yet.
func TellHands(before, after *referee.State) string {
	if after.Sensed == before.Sensed && after.SensedOK == before.SensedOK {
		return ""
	}
	var parts []string
	add := func(squares engine.Bitboard, form string) {
		if squares != 0 {
			parts = append(parts, fmt.Sprintf(form, squares))
		}
	}
	was, is := before.Sensed, after.Sensed
	if !before.SensedOK {
		was = engine.Discs{}
	}
	add(is.Black&^was.Occupied(), "black put on %v")
	add(is.White&^was.Occupied(), "white put on %v")
	add(is.Black&was.White, "%v turned to black")
	add(is.White&was.Black, "%v turned to white")
	add(was.Occupied()&^is.Occupied(), "%v taken up")
	return strings.Join(parts, "; ")
}

// TellFrame says how the outputs of the cells are different from a frame before.
func TellFrame(before, f *Frame) string {
	var parts []string
	for _, p := range []struct {
		was, is engine.Bitboard
		name    string
	}{{before.North, f.North, "north"}, {before.South, f.South, "south"}, {before.Lost, f.Lost, "lost"}, {before.Reset, f.Reset, "reset"}, {before.Unread, f.Unread, "unread"}} {
		if on := p.is &^ p.was; on != 0 {
			parts = append(parts, fmt.Sprintf("%v %s", on, p.name))
		}
		if off := p.was &^ p.is; off != 0 {
			parts = append(parts, fmt.Sprintf("%v not %s", off, p.name))
		}
	}
	return strings.Join(parts, "; ")
}

// Draw draws the table as the cells see it: x black, o white, ? not readable, and
// behind a square what the hands are asked for.
func Draw(s *referee.State) string {
	var b strings.Builder
	lit := s.Lit()
	b.WriteString("    a  b  c  d  e  f  g  h\n")
	for rank := range 8 {
		fmt.Fprintf(&b, " %d ", rank+1)
		for file := range 8 {
			q := engine.SquareAt(file, rank)
			b.WriteByte(' ')
			b.WriteByte(disc(s, q))
			b.WriteByte(mark(&lit, q))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func disc(s *referee.State, q engine.Square) byte {
	switch {
	case s.Unsure().Has(q):
		return '?'
	case s.Sensed.Black.Has(q):
		return 'x'
	case s.Sensed.White.Has(q):
		return 'o'
	default:
		return '.'
	}
}

func mark(g *referee.Guide, q engine.Square) byte {
	switch {
	case g.Flip.Has(q):
		return '*'
	case g.Wrong().Has(q):
		return '!'
	case g.Place().Has(q):
		return '+'
	default:
		return ' '
	}
}

// Legend explains the marks of Draw.
const Legend = "x black, o white, ? not readable; * to turn, + a disc is missing, ! must change"

// plain turns a word of the contract into one for people.
func plain(word string) string { return strings.ReplaceAll(word, "_", " ") }

func because(reason plaintext.Text) string {
	if reason.IsZero() {
		return ""
	}
	return " (" + reason.String() + ")"
}

func orNothing(squares engine.Bitboard) string {
	if squares == 0 {
		return "none"
	}
	return squares.String()
}
