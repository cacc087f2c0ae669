package display

import (
	"fmt"
	"math/bits"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// english holds every text that is shown or spoken, one method for each, with
// typed arguments: the sentences first, then the helpers that make parts of
// them. A translation is a file like this one with whole sentences of its own,
// so that each language can order and inflect its words as it needs.
type english struct{}

// Before and after a game.

func (e english) unread() string { return "The board has not been read yet." }

func (e english) setUp(g referee.Guide) string {
	if (g.Place() | g.Turn).Count() > listed {
		return "Set up the start position: the lights show what is missing."
	}
	return e.sentence(e.todo(g) + ".")
}

// colorsUnseen and flipsUnseen are about a board whose cells tell discs from
// empty squares and nothing more.
func (e english) colorsUnseen() string {
	return "This board does not see colors: check that every disc shows the right one."
}

func (e english) flipsUnseen() string {
	return "This board does not see colors: it takes a disc that is lifted and put back for turned, " +
		"and does not notice a wrong one."
}

func (e english) startLies() string {
	return "The discs lie ready: the game can begin."
}

func (e english) startHidden(cells engine.Bitboard) string {
	return e.sentence(e.cells(cells) + " cannot be read; the game cannot begin before that.")
}

// orientation says what may be the matter when every disc shows the wrong
// color. The start with four discs in the middle looks like that from the side.
func (e english) orientation(fourDiscs bool) string {
	if !fourDiscs {
		return "All colors are swapped: turn the discs over, or, if the magnets are reversed, " +
			"set north_is the other way in the configuration."
	}
	return "The colors in the middle are swapped: turn the board a quarter turn if it lies sideways, " +
		"turn the four discs over if they lie wrong, or, if the magnets are reversed, set north_is the other way in the configuration."
}

// firstDisc invites to the next game on a board that was cleared after a game.
func (e english) firstDisc(c engine.Color, free engine.Bitboard) string {
	return "The next game begins when " + e.name(c) + " puts a disc on " + e.oneOf(free) + "."
}

func (e english) stopped() string { return "The game was stopped and has no result." }

func (e english) over() string { return "The game is over." }

// result says who has won, by which count of the discs, and what the other count
// would be.
func (e english) result(s *referee.State) string {
	r := s.Result
	over, verdict := "The game is over. ", e.verdict(r, s.Game.Rules.Goal == engine.Fewest)
	if r.Stop.By != referee.NotStopped || r.Reason == referee.FlagFell && r.Counts == referee.CountsDiscs {
		over = "The time is up and the discs are counted. "
	}
	text := over + fmt.Sprintf("Black %d, White %d: %s.", r.Black, r.White, verdict)
	switch {
	case r.Stop.By == referee.CountedRecord:
		return text + " This board does not see colors, so that the record was counted: if other discs lie there, an arbiter declares the result."
	case r.Stop.Differ != 0:
		return text + fmt.Sprintf(" They count as they lay; the record is different on %s and has Black %d, White %d. An arbiter may rule otherwise.",
			e.list(r.Stop.Differ.Names()), r.Stop.RecordBlack, r.Stop.RecordWhite)
	case r.Stop.By != referee.NotStopped:
		return text
	default:
		return text + e.empties(s)
	}
}

func (e english) verdict(r referee.Result, fewest bool) string {
	verdict := e.name(r.Winner) + " wins"
	switch {
	case r.Winner >= engine.None:
		verdict = "it is a draw"
	case r.Reason == referee.Resigned:
		verdict += ", " + e.name(r.Winner.Opponent()) + " has resigned"
	case r.Reason == referee.FlagFell && r.Counts == referee.CountsAwarded:
		verdict += " on time"
	case r.Reason == referee.Adjudicated:
		verdict += ", as the arbiter has decided"
	case fewest:
		verdict += " with fewer discs"
	case r.Empties() > 0 && (r.DiscsBlack == 0 || r.DiscsWhite == 0):
		verdict += ", no other disc is left"
	}
	return verdict
}

// empties says to whom the empty squares count, by whose rules, and what it would be
// otherwise; nothing where there are none, or where they do not matter.
func (e english) empties(s *referee.State) string {
	r := s.Result
	if r.Empties() == 0 || r.Reason == referee.FlagFell {
		return ""
	}
	rules := "under " + s.Match.Profile.Name + " rules"
	if s.Match.Empties() != s.Match.Profile.Empties {
		rules = "in the historic game"
	}
	black, white := r.WithEmpties()
	switch r.Counts {
	case referee.CountsDiscs:
		return fmt.Sprintf(" Empty squares do not count %s; with them it would be %d to %d.", rules, black, white)
	case referee.CountsWithEmpties:
		return fmt.Sprintf(" Empty squares count %s; without them it would be %d to %d.", rules, r.DiscsBlack, r.DiscsWhite)
	case referee.CountsAwarded:
	}
	return ""
}

// handsOff, putBack and sayWhatLies are about a game whose time is up, while its
// discs are being counted.
func (e english) handsOff() string {
	return "The time is up: hands off the board. The discs are being counted."
}

func (e english) putBack(g referee.Guide) string {
	return "The time is up. Before the discs are counted, " + e.todo(g) + "."
}

func (e english) sayWhatLies(cells engine.Bitboard) string {
	return "The time is up, and " + e.cells(cells) + " cannot be read: an arbiter says what lies there (Position…), or declares the result (Result…)."
}

func (e english) paused(cells engine.Bitboard) string {
	if cells != 0 {
		return e.sentence(e.cells(cells) + " cannot be read; the game waits for " + e.them(cells) + ".")
	}
	return "The game is paused."
}

// The turn.

func (e english) toMove(c engine.Color) string { return e.name(c) + " to move." }

// thinks and wish are about a player that is a program: others place its discs.
func (e english) thinks(c engine.Color) string { return e.name(c) + " is thinking." }

func (e english) wish(c engine.Color, at engine.Square) string {
	return e.name(c) + " plays " + at.String() + ": put a " + c.String() + " disc there."
}

func (e english) opening(c engine.Color, free engine.Bitboard) string {
	if free.Count() == 1 {
		return e.name(c) + " puts the last of the first four discs on " + e.oneOf(free) + "."
	}
	return e.name(c) + " puts one of the first four discs on " + e.oneOf(free) + "."
}

func (e english) noDiscLeft(by, next engine.Color) string {
	return e.name(by) + " has no disc left: " + e.name(next) + " goes on."
}

func (e english) passed(by, next engine.Color) string {
	return e.name(by) + " must pass: " + e.name(next) + " moves again."
}

func (e english) placed(p referee.Pending, g referee.Guide) string {
	did := e.name(p.By) + " placed " + p.Square.String()
	if todo := e.steps(g); todo != "" {
		return did + ": " + todo + "."
	}
	if lifted := p.Lifted | p.Extra; lifted != 0 {
		return did + ": put the " + e.plural(lifted, "disc", "discs") + " of " + e.squares(lifted) + " back."
	}
	return did + "; its discs are turned."
}

// placedOnly says of a move no more than everybody sees.
func (e english) placedOnly(p referee.Pending, g referee.Guide, presses bool) string {
	text := e.name(p.By) + " placed " + p.Square.String()
	if todo := e.steps(g); todo != "" {
		text += ": " + todo
	} else if presses {
		text += " and ends the move with the clock"
	}
	return text + "."
}

func (e english) presses(p referee.Pending) string {
	return e.name(p.By) + " placed " + p.Square.String() + "; its discs are turned: " + e.name(p.By) + " presses the clock."
}

// Claims, passes and time.

func (e english) claimed(move referee.Entry, g referee.Guide) string {
	return e.name(move.By.Opponent()) + " objects to " + e.name(move.By) + "'s move " + move.Move.String() + ": " + e.todo(g) + "."
}

func (e english) corrected(by engine.Color) string {
	return "The discs are right: " + e.name(by) + " presses the clock."
}

func (e english) passDue(c engine.Color) string {
	return e.name(c) + " has no move: " + e.name(c) + " says pass and presses the clock."
}

func (e english) playsOn(fallen, turn engine.Color) string {
	other := e.name(fallen.Opponent())
	return e.name(fallen) + "'s time is up. " + other + " may play on for both sides, and ends the game with the clock; " +
		e.toMove(turn)
}

// timeUp says whose time is up, None for that of a clock for the whole game.
func (e english) timeUp(c engine.Color) string {
	if c >= engine.None {
		return "The time is up."
	}
	return e.name(c) + "'s time is up."
}

// refused passes on why a button was of no use.
func (e english) refused(why string) string { return "Not now: " + why + "." }

func (e english) givesUp(c engine.Color) string {
	return e.name(c) + " gives up? To say yes, press the same button again within five seconds; otherwise the game goes on."
}

// restart asks whether another game is to begin; touched says that it will unless
// somebody moves a disc.
func (e english) restart(touched bool) string {
	if touched {
		return "A new game? Leave the discs alone for five seconds, or press a clock. To go on with this game, put its discs back."
	}
	return "A new game? Lift one of the discs and put it back, or press a clock. To go on with the game, put its discs back."
}

func (e english) usualStart(touched bool, last referee.Guide) string {
	answer := "lift one of the discs and put it back, or press a clock"
	if touched {
		answer = "leave the discs alone for five seconds, or press a clock"
	}
	otherwise := "put the discs where the lights show"
	if (last.Place() | last.Turn).Count() <= listed {
		otherwise = e.todo(last)
	}
	return "A game from the usual start? Then " + answer + ". For the start of the last game, " + otherwise + "."
}

func (e english) clocksStand() string { return "The clocks stand until play goes on." }

func (e english) withdrawn(by engine.Color, g referee.Guide) string {
	return e.name(by) + " took the disc back: " + e.todo(g) + "."
}

func (e english) takenBack(last referee.Entry, plies int, g referee.Guide) string {
	if plies > 1 {
		return fmt.Sprintf("%d moves are being taken back: %s.", plies, e.todo(g))
	}
	return e.name(last.By) + "'s move " + last.Move.String() + " is being taken back: " + e.todo(g) + "."
}

func (e english) restore(g referee.Guide) string {
	return "To go on, " + e.todo(g) + "."
}

func (e english) missing(g referee.Guide) string {
	return e.sentence(e.plural(g.Place(), "a disc is", "discs are") + " missing: " + e.todo(g) + ".")
}

// What cannot be read.

func (e english) waitsFor(cells engine.Bitboard) string {
	return e.sentence(e.cells(cells) + " cannot be read; the game waits for " + e.them(cells) + ".")
}

// lostToo and maskedToo add to what goes on that some cells cannot be read.
func (e english) lostToo(sentence string, cells engine.Bitboard) string {
	return strings.TrimSuffix(sentence, ".") + "; " + e.cells(cells) +
		" cannot be read, and moves there must wait."
}

func (e english) maskedToo(sentence string, cells engine.Bitboard) string {
	return strings.TrimSuffix(sentence, ".") + "; " + e.cells(cells) + " cannot be read, and " +
		e.plural(cells, "its disc follows", "their discs follow") + " from the rules."
}

// Mistakes. disc is the color that the square shows.

func (e english) noFlip(disc engine.Color, at engine.Square, g referee.Guide) string {
	return e.disc(disc, at) + " outflanks nothing: " + e.remedy(at.Bit(), g) + "."
}

func (e english) offCenter(center engine.Bitboard, g referee.Guide) string {
	return "The first four discs go on " + e.list(center.Names()) + ": " + e.todo(g) + "."
}

func (e english) wrongColor(disc, turn engine.Color, at engine.Square, g referee.Guide) string {
	if disc >= engine.None {
		return e.disc(disc, at) + " is wrong, it is " + e.name(turn) + "'s turn: " + e.remedy(at.Bit(), g) + "."
	}
	return at.String() + " shows " + disc.String() + ", but it is " + e.name(turn) + "'s turn: " + e.remedy(at.Bit(), g) + "."
}

func (e english) outOfTurn(disc, turn engine.Color, at engine.Square, g referee.Guide) string {
	return e.disc(disc, at) + " is out of turn, it is " + e.name(turn) + "'s turn: " + e.remedy(at.Bit(), g) + "."
}

func (e english) tooEarly(disc, mover engine.Color, at engine.Square, g referee.Guide) string {
	return e.disc(disc, at) + " comes too early, " + e.name(mover) + "'s move is not done: " + e.remedy(at.Bit(), g) + "."
}

func (e english) secondDisc(g referee.Guide) string {
	return "Only one disc is placed in a move: " + e.todo(g) + "."
}

func (e english) otherSquare(c engine.Color, wish engine.Square, g referee.Guide) string {
	return e.name(c) + " plays " + wish.String() + ": " + e.todo(g) + "."
}

func (e english) extraFlip(turned engine.Bitboard, g referee.Guide) string {
	text := e.squares(turned) + " must be turned back: " + e.plural(turned, "it was", "they were") + " not outflanked"
	if g.Turn &^= turned; e.steps(g) != "" {
		text += "; then " + e.steps(g)
	}
	return e.sentence(text + ".")
}

// powerCut: mayRestart says that the players may also begin another game.
func (e english) powerCut(changed engine.Bitboard, g referee.Guide, mayRestart bool) string {
	// What had been moved before the power went differs from the record too.
	text := "The power was off, and the board does not fit the game: "
	if changed != 0 {
		text = "The power was off, and " + e.squares(changed) +
			e.plural(changed, " does", " do") + " not fit the game: "
	}
	text += e.todo(g) + "."
	if mayRestart {
		text += " For a new game set up the start position instead."
	}
	return text
}

func (e english) putRight(g referee.Guide) string {
	return "The board does not fit the game: " + e.todo(g) + "."
}

// Parts of sentences.

func (e english) name(c engine.Color) string {
	switch c {
	case engine.Black:
		return "Black"
	case engine.White:
		return "White"
	case engine.None:
		return "Nobody"
	default:
		return "Nobody"
	}
}

func (e english) disc(c engine.Color, at engine.Square) string {
	if c >= engine.None {
		return "The disc on " + at.String()
	}
	return e.name(c) + "'s disc on " + at.String()
}

// remedy says what to do about one square, and the rest of the guide after it.
func (e english) remedy(at engine.Bitboard, g referee.Guide) string {
	var first string
	switch {
	case g.Remove == at:
		first, g.Remove = "take it back", 0
	case g.Turn == at:
		first, g.Turn = "turn it over", 0
	default:
		if todo := e.steps(g); todo != "" {
			return todo
		}
		return "take it back"
	}
	if rest := e.steps(g); rest != "" {
		return first + ", then " + rest
	}
	return first
}

// todo is steps, with something to say when there are none.
func (e english) todo(g referee.Guide) string {
	if steps := e.steps(g); steps != "" {
		return steps
	}
	return "put the discs back as they were"
}

// steps says what the hands must do: "take a1 off, turn d5 and f6, then put
// a black disc on c4". It is empty when there is nothing to do.
func (e english) steps(g referee.Guide) string {
	var parts []string
	if g.Remove != 0 {
		parts = append(parts, "take "+e.discsOn(g.Remove)+" off")
	}
	if turn := g.Turn | g.Flip; turn != 0 {
		parts = append(parts, "turn "+e.discsOn(turn))
	}
	switch {
	case g.PlaceBlack != 0 && g.PlaceWhite != 0:
		parts = append(parts, "put "+e.plural(g.PlaceBlack, "a black disc on ", "black discs on ")+e.squares(g.PlaceBlack)+
			", white on "+e.squares(g.PlaceWhite))
	case g.PlaceBlack != 0:
		parts = append(parts, "put "+e.plural(g.PlaceBlack, "a black disc on ", "black discs on ")+e.squares(g.PlaceBlack))
	case g.PlaceWhite != 0:
		parts = append(parts, "put "+e.plural(g.PlaceWhite, "a white disc on ", "white discs on ")+e.squares(g.PlaceWhite))
	}
	if n := len(parts); n > 1 {
		parts[n-1] = "then " + parts[n-1]
	}
	return strings.Join(parts, ", ")
}

// listed is the longest list of squares that anybody listens to.
const listed = 8

// discsOn names few discs by their squares and counts many.
func (e english) discsOn(set engine.Bitboard) string {
	if set.Count() > listed {
		return fmt.Sprintf("%d discs", set.Count())
	}
	return e.squares(set)
}

// squares lists squares file by file: "d4", "d4 and e5", "a1, d4 and e5".
func (e english) squares(set engine.Bitboard) string {
	if set.Count() > listed {
		return fmt.Sprintf("%d squares", set.Count())
	}
	var names []string
	for file := range 8 {
		for rank := range 8 {
			if s := engine.SquareAt(file, rank); set.Has(s) {
				names = append(names, s.String())
			}
		}
	}
	return e.list(names)
}

// cells names whole ranks as such, since a rank shares one chip: "rank 3".
func (e english) cells(set engine.Bitboard) string {
	var ranks []string
	for rank := range 8 {
		if whole := engine.Bitboard(0xFF) << (8 * rank); set&whole == whole {
			ranks = append(ranks, fmt.Sprint(rank+1))
		}
	}
	switch {
	case len(ranks) == 8:
		return "the board"
	case len(ranks) == 0 || 8*len(ranks) != bits.OnesCount64(uint64(set)):
		return e.squares(set)
	case len(ranks) == 1:
		return "rank " + ranks[0]
	default:
		return "ranks " + e.list(ranks)
	}
}

func (e english) list(items []string) string {
	n := len(items)
	if n < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:n-1], ", ") + " and " + items[n-1]
}

// oneOf lists squares rank by rank for a choice: "d4, e4, d5 or e5".
func (e english) oneOf(set engine.Bitboard) string {
	names := set.Names()
	n := len(names)
	if n < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
}

// them stands for cells that have just been named by cells.
func (e english) them(set engine.Bitboard) string {
	name := e.cells(set)
	if set.Count() == 1 || strings.HasPrefix(name, "rank ") || name == "the board" {
		return "it"
	}
	return "them"
}

func (e english) plural(set engine.Bitboard, one, many string) string {
	if set.Count() == 1 {
		return one
	}
	return many
}

// sentence begins with a capital letter, unless it begins with a square.
func (e english) sentence(text string) string {
	if text == "" || len(text) > 1 && text[1] >= '1' && text[1] <= '8' {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
