package notation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

// Loss is what a format could not hold, in a few words: "the event".
type Loss string

// loss is a set of things that a game can hold and a format may not.
type loss uint32

// The things, in the order in which they are named to the user.
const (
	lossMoves loss = 1 << iota
	lossOpening
	lossStart
	lossGoal
	lossNames
	lossRatings
	lossEvent
	lossRound
	lossPlace
	lossDate
	lossDay
	lossDateText
	lossClock
	lossTimes
	lossLeft
	lossClockChanges
	lossEvals
	lossComments
	lossEdits
	lossEnd
	lossScores
	lossTheory
	lossTags
	lossLater // plies behind those that the format can hold
	lossText  // characters that the format cannot hold
	lossMargin
	lossEmpties
	lossFraction
	lossAll = 1<<iota - 1
)

// String says what is lost.
func (l loss) String() string {
	return [...]string{
		"the moves: only the last position is written",
		"how the first four discs were placed: they are the start position",
		"the start position",
		"that fewest discs win",
		"the names of the players",
		"the ratings",
		"the event",
		"the round",
		"the place",
		"the date",
		"the day of the date: only the year is written",
		"what is no day or time in the date",
		"the clock",
		"the time of each move",
		"the time left on the clocks",
		"where an arbiter has set the clocks",
		"the evaluations",
		"the comments",
		"the discs that were left wrong on the board",
		"why the game ended early",
		"the values of the moves",
		"the theoretical result",
		"tags without a place in this format",
		"the moves behind ply 8",
		"characters that this format cannot hold, or the end of long texts",
		"that no margin was recorded: the smallest one is written",
		"that empty squares count for nobody",
		"the fraction of a disc in the result",
	}[bitOf(l)]
}

// bitOf returns the number of the only bit in l.
func bitOf(l loss) int {
	n := 0
	for l > 1 {
		l >>= 1
		n++
	}
	return n
}

// list returns the elements.
func (l loss) list() []Loss {
	var all []Loss
	for bit := loss(1); bit < lossAll; bit <<= 1 {
		if l&bit != 0 {
			all = append(all, Loss(bit.String()))
		}
	}
	return all
}

// contents returns what the game holds of what a format might not.
func (g *Game) contents() loss {
	var l loss
	add := func(holds bool, what loss) {
		if holds {
			l |= what
		}
	}
	add(len(g.Plays) > 0, lossMoves)
	add(g.Rules.Opening != 0, lossOpening)
	add(g.Rules.Start != engine.Start(), lossStart)
	add(g.Rules.Goal == engine.Fewest, lossGoal)
	add(!g.Players[0].Name.IsZero() || !g.Players[1].Name.IsZero(), lossNames)
	add(!g.Players[0].Rating.IsZero() || !g.Players[1].Rating.IsZero(), lossRatings)
	add(!g.Event.IsZero(), lossEvent)
	add(!g.Round.IsZero(), lossRound)
	add(!g.Place.IsZero(), lossPlace)
	add(!g.Date.IsZero(), lossDate)
	add(g.Clocks != [2]plaintext.Text{}, lossClock)
	add(!g.Comment.IsZero(), lossComments)
	add(g.Recorded.End != EndNone, lossEnd)
	add(len(g.ClockChanges) > 0, lossClockChanges)
	add(g.Recorded.Fraction != 0, lossFraction)
	add(len(g.Scores) > 0, lossScores)
	add(g.Theory.Empties > 0, lossTheory)
	add(len(g.Tags) > 0, lossTags)
	for _, p := range g.Plays {
		add(p.Time != "", lossTimes)
		add(p.Left != "", lossLeft)
		add(p.Eval != "", lossEvals)
		add(!p.Comment.IsZero(), lossComments)
		add(!p.Edit.None() || p.Improper || p.Ruled, lossEdits)
	}
	return l
}

// holds returns what a format can hold.
func (f Format) holds() loss {
	const person = lossMoves | lossNames | lossRatings | lossPlace | lossDate | lossComments | lossEnd | lossTags
	switch f {
	case FormatTranscript:
		return lossMoves | lossStart
	case FormatOBF:
		return lossStart | lossScores
	case FormatGGF:
		return person | lossStart | lossGoal | lossClock | lossTimes | lossEvals | lossClockChanges | lossFraction
	case FormatSGF:
		return person | lossStart | lossGoal | lossEvent | lossRound | lossClock | lossLeft | lossEdits | lossClockChanges | lossFraction
	case FormatPGN:
		return person | lossStart | lossEvent | lossRound | lossClock | lossClockChanges
	case FormatWTHOR:
		return lossMoves | lossNames | lossEvent | lossDate | lossTheory
	case FormatXOT:
		return lossMoves
	case FormatBoard:
		return lossStart
	case FormatJSON:
		return lossAll
	case FormatNBoard, FormatGTP:
	}
	return 0
}

// WriteError says why a game cannot be written in a format.
type WriteError struct {
	Format Format
	Err    error
}

// Error names the format.
func (e *WriteError) Error() string { return fmt.Sprintf("cannot write %v: %v", e.Format, e.Err) }

// Unwrap returns the reason.
func (e *WriteError) Unwrap() error { return e.Err }

// Reasons why a format refuses a game.
var (
	errEdited = errors.New("mistakes were left standing on the board, so that the moves would not replay: only SGF and JSON can hold that")
	errRuled  = errors.New("an arbiter has ruled what lies on the board, or a disc that is no move counts: only JSON can hold that")
	errBinary = errors.New("a WTHOR file holds many games: use WTHORFile")
)

// Append adds g to dst in a text format, with a line feed behind it, and says
// what the format could not hold. The game must be legal; it is replayed first.
// The error is a *WriteError; dst is returned unchanged then.
func Append(dst []byte, f Format, g *Game) ([]byte, []Loss, error) {
	w := &writer{buf: dst}
	err := w.write(f, g)
	if err != nil {
		return dst, nil, &WriteError{Format: f, Err: err}
	}
	return w.buf, w.lost.list(), nil
}

// writer is one game on its way into a format.
type writer struct {
	buf  []byte
	lost loss
	// game is what is written, final how it ends.
	game  *Game
	final engine.Game
}

// prepare replays g and finds out what is lost.
func (w *writer) prepare(f Format, g *Game) error {
	var err error
	w.game, w.lost = g, g.contents()&^f.holds()
	if f != FormatJSON {
		if w.game, err = g.plain(); err != nil {
			return err
		}
		w.lost |= w.game.contents() & lossStart &^ f.holds()
	}
	w.final, err = w.game.Final()
	if err != nil {
		return err
	}
	if f.holds()&lossComments != 0 && f != FormatJSON {
		w.game = w.game.withClockNotes()
	}
	edited, ruled := w.game.edited()
	switch {
	case f == FormatJSON || !edited:
		return nil
	case ruled && f != FormatOBF && f != FormatBoard: // the last position is as it is
		return errRuled
	case f == FormatSGF:
		return nil
	default:
		return w.withoutEdits(f)
	}
}

// withClockNotes returns the game with a comment where an arbiter has set the clocks.
func (g *Game) withClockNotes() *Game {
	if len(g.ClockChanges) == 0 {
		return g
	}
	noted := *g
	noted.Plays = slices.Clone(g.Plays)
	for _, c := range g.ClockChanges {
		to := &noted.Comment
		if c.After > 0 && c.After <= len(noted.Plays) {
			to = &noted.Plays[c.After-1].Comment
		}
		*to = plaintext.CleanComment(to.String()+"\n"+c.String(), maxComment)
	}
	return &noted
}

// withoutEdits decides what becomes of a game in which mistakes were left on
// the board, in a format that cannot hold them.
func (w *writer) withoutEdits(f Format) error {
	switch f {
	case FormatOBF, FormatBoard:
		return nil // the last position is as it is
	case FormatTranscript, FormatXOT, FormatWTHOR:
		return errEdited
	case FormatGGF, FormatPGN, FormatSGF, FormatJSON, FormatNBoard, FormatGTP:
	}
	clean := *w.game
	clean.Plays = make([]Play, len(w.game.Plays))
	for i, p := range w.game.Plays {
		if !p.Edit.None() {
			p.Comment = plaintext.CleanComment(p.Comment.String()+"\n"+p.Edit.text(), maxComment)
			p.Edit = Edit{}
		}
		clean.Plays[i] = p
	}
	final, err := clean.Final()
	if err != nil {
		return errEdited
	}
	w.game, w.final = &clean, final
	return nil
}

// text names the squares of an edit.
func (e Edit) text() string {
	var parts []string
	for _, part := range []struct {
		what string
		set  engine.Bitboard
	}{{"black", e.Black}, {"white", e.White}, {"empty", e.Empty}} {
		if part.set != 0 {
			parts = append(parts, part.what+" "+part.set.String())
		}
	}
	return "left on the board: " + strings.Join(parts, ", ")
}

// write dispatches.
func (w *writer) write(f Format, g *Game) error {
	if f == FormatWTHOR {
		return errBinary
	}
	if !f.Writable() {
		return errors.New("this format can only be read")
	}
	if err := w.prepare(f, g); err != nil {
		return err
	}
	switch f {
	case FormatTranscript:
		w.transcript()
	case FormatOBF:
		w.obf()
	case FormatGGF:
		w.ggf()
	case FormatSGF:
		w.sgf()
	case FormatPGN:
		w.pgn()
	case FormatXOT:
		return w.xot()
	case FormatBoard:
		w.add(Board(w.final.Position))
	case FormatJSON:
		return w.json()
	case FormatWTHOR, FormatNBoard, FormatGTP:
	}
	return nil
}

// add appends texts.
func (w *writer) add(texts ...string) {
	for _, t := range texts {
		w.buf = append(w.buf, t...)
	}
}
