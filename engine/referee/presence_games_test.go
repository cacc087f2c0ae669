package referee_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/referee"
)

// realGame is a line of the files of real games.
type realGame struct{ name, moves, board string }

// realGames reads games of tournaments: the moves, and the board at the end.
func realGames(t *testing.T, file string) []realGame {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var all []realGame
	for line := range strings.Lines(string(b)) {
		cols := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(cols) != 12 {
			t.Fatalf("%s: %d columns, want 12, in %q", file, len(cols), line)
		}
		all = append(all, realGame{cols[0] + " " + cols[2] + " – " + cols[3], cols[10], cols[11]})
	}
	if len(all) < 10 {
		t.Fatalf("%s has only %d games", file, len(all))
	}
	return all
}

// clumsy plays a game by hand on a board that sees no faces, with all that hands
// do. It knows what it means; only the board's view of it reaches the referee.
type clumsy struct {
	*blind
	rt *rapid.T
	// meant is the game that was meant so far, by ply.
	meant []engine.Game
}

func newClumsy(t *testing.T, rt *rapid.T, rules engine.Rules) *clumsy {
	t.Helper()
	return &clumsy{blind: blindTable(t, rules), rt: rt, meant: []engine.Game{engine.NewGame(rules)}}
}

func (c *clumsy) chance(percent int) bool {
	return rapid.IntRange(0, 99).Draw(c.rt, "chance") < percent
}

// pick draws one of a set that is not empty.
func (c *clumsy) pick(set engine.Bitboard, what string) engine.Square {
	return rapid.SampledFrom(slices.Collect(set.All())).Draw(c.rt, what)
}

func (c *clumsy) game() engine.Game { return c.meant[len(c.meant)-1] }

// over turns a disc over in one of the ways hands have. When it returns the
// disc lies, but the board may not have come to rest.
func (c *clumsy) over(sq engine.Square) {
	to := c.discs.At(sq).Opponent()
	if c.chance(40) { // slowly
		c.lift(sq, engine.None)
		c.rest()
	}
	c.lift(sq, to)
	if c.chance(60) {
		c.rest()
	}
}

// turnAll turns discs in any order, sometimes two at once.
func (c *clumsy) turnAll(set engine.Bitboard) {
	for set != 0 {
		sq := c.pick(set, "turn")
		set &^= sq.Bit()
		if set != 0 && c.chance(20) {
			other := c.pick(set, "and")
			set &^= other.Bit()
			a, b := c.discs.At(sq).Opponent(), c.discs.At(other).Opponent()
			c.lift(sq, engine.None)
			c.lift(other, engine.None)
			c.rest()
			c.lift(sq, a)
			if c.chance(50) {
				c.rest()
			}
			c.lift(other, b)
			continue
		}
		c.over(sq)
	}
	c.rest()
}

// mishap does something that comes to nothing, before sq is played.
func (c *clumsy) mishap(sq engine.Square) {
	g := c.game()
	if g.Occupied() == 0 {
		return
	}
	opening := g.Opening() != 0
	switch n := rapid.IntRange(0, 8).Draw(c.rt, "mishap"); {
	case n == 0:
		c.nudge(g.Occupied())
		c.rest()
	case n == 1: // one is looked at
		at := c.pick(g.Occupied(), "look at")
		face := c.discs.At(at)
		c.lift(at, engine.None)
		c.rest()
		c.lift(at, face)
		c.rest()
	case n == 2:
		c.misplace(g.Empty() &^ g.Legal())
	case opening:
		// What follows has its own rules there.
	case n == 3:
		c.withdraw(c.pick(g.Legal(), "other move"))
	case n == 4: // a disc slides over a square
		at := c.pick(g.Empty(), "slide over")
		c.lift(at, g.Turn)
		c.lift(at, engine.None)
		c.rest()
	case n == 5:
		c.takeBack(false)
	case n == 6:
		c.takeBack(true)
	case n == 7:
		c.powerCut()
	case n == 8:
		c.moveOn(c.pick(g.Legal(), "other move"), sq)
	}
}

// nudge lifts some discs of a set and puts them back as they were.
func (c *clumsy) nudge(set engine.Bitboard) {
	for range rapid.IntRange(1, 3).Draw(c.rt, "nudges") {
		if set == 0 {
			return
		}
		at := c.pick(set, "nudge")
		c.lift(at, c.discs.At(at))
	}
}

// misplace puts a disc on a square where it does not belong, and takes it off.
func (c *clumsy) misplace(wrong engine.Bitboard) {
	if wrong == 0 {
		return
	}
	at := c.pick(wrong, "wrong square")
	c.lift(at, c.game().Turn)
	c.rest()
	c.lift(at, engine.None)
	c.rest()
}

// powerCut ends the program and starts it again, with the board as it was.
func (c *clumsy) powerCut() {
	seen := c.state.Sensed
	c.revive()
	c.step(referee.PowerOn{At: c.now, Seen: seen, SeenOK: true})
	c.rest()
}

// withdraw makes a move in part and takes it back.
func (c *clumsy) withdraw(sq engine.Square) {
	g := c.game()
	c.lift(sq, g.Turn)
	c.rest()
	flips := g.Flips(sq)
	some := flips & engine.Bitboard(rapid.Uint64().Draw(c.rt, "some of the flips"))
	if some == flips {
		some &= some - 1 // not all of them: that would be a move
	}
	if some != 0 {
		c.turnAll(some)
	}
	c.lift(sq, engine.None)
	c.rest()
	if some != 0 {
		c.turnAll(some)
	}
}

// takeBack takes the last disc off and turns back what it turned, because the
// hands want to, or by order of the arbiter. Then it is played again. The discs
// of an opening are taken back by time, which other tests are about.
func (c *clumsy) takeBack(ordered bool) {
	if len(c.meant) < 2 || c.meant[len(c.meant)-2].Opening() != 0 {
		return
	}
	placed := c.game().Occupied() &^ c.meant[len(c.meant)-2].Occupied()
	if ordered {
		c.order(referee.Undo{Plies: 1})
	}
	c.unmake()
	c.move(placed.First())
}

// moveOn makes a whole move, takes its disc to another square and makes that one
// move of it, unless it would look like the opponent's reply.
func (c *clumsy) moveOn(from, to engine.Square) {
	g := c.game()
	if from == to {
		return
	}
	after := g.Place(from)
	if after.MustPass() || after.Over() || after.Flips(to).Has(from) || g.Place(to).Over() {
		return // after the end the hands are free
	}
	c.move(from)
	c.lift(from, engine.None)
	if c.chance(50) {
		c.rest()
	}
	c.lift(to, g.Turn)
	c.rest()
	c.meant = c.meant[:len(c.meant)-1]
	c.turnAll(g.Flips(from))
	c.turnAll(g.Flips(to))
	c.commit(to)
	// And all of it back again: the move that follows is made anew.
	c.unmake()
}

// unmake takes the last disc off and turns back what it turned.
func (c *clumsy) unmake() {
	now := c.game()
	c.meant = c.meant[:len(c.meant)-1]
	before := c.game()
	placed := now.Occupied() &^ before.Occupied()
	c.lift(placed.First(), engine.None)
	c.rest()
	c.turnAll(before.Diff(now.Discs) &^ placed)
	c.check("takeback")
}

// move makes a move that is meant.
func (c *clumsy) move(sq engine.Square) {
	g := c.game()
	flips := g.Flips(sq)
	inHand := engine.Bitboard(0)
	if flips != 0 && c.chance(10) { // taken up before the disc is placed
		inHand = c.pick(flips, "in hand").Bit()
		c.lift(inHand.First(), engine.None)
		c.rest()
	}
	c.lift(sq, g.Turn)
	if inHand != 0 || c.chance(70) {
		c.rest()
	}
	if inHand != 0 {
		c.lift(inHand.First(), g.Turn)
		flips &^= inHand
	}
	if flips != 0 && c.chance(10) {
		c.rest()
		c.early(g.Place(sq))
	}
	if flips != 0 && c.chance(10) {
		c.nudge(g.Occupied()&^flips | sq.Bit())
	}
	if flips.Count() > 1 && c.chance(10) {
		first := c.pick(flips, "before the power cut").Bit()
		c.turnAll(first)
		flips &^= first
		c.powerCut()
	}
	c.turnAll(flips)
	c.commit(sq)
}

// early is the opponent's disc that comes too early.
func (c *clumsy) early(next engine.Game) {
	if legal := next.Legal(); legal != 0 {
		e := c.pick(legal, "early")
		c.lift(e, next.Turn)
		c.rest()
		c.lift(e, engine.None)
		c.rest()
	}
}

// commit notes that a move is done.
func (c *clumsy) commit(sq engine.Square) {
	g := c.game().Place(sq)
	if g.MustPass() {
		g = g.Pass()
	}
	c.meant = append(c.meant, g)
	c.check("move " + sq.String())
}

// check compares the record, and what is believed to lie, with what is meant.
func (c *clumsy) check(what string) {
	c.t.Helper()
	s, g := &c.state, c.game()
	trail := strings.Join(c.trail[max(0, len(c.trail)-25):], "\n")
	if s.Game.Position != g.Position || s.Game.Placed != g.Placed {
		c.rt.Fatalf("after %s the record is\n%v\nwant\n%v\n%s", what, s.Game.Position, g.Position, trail)
	}
	if s.Sensed != c.discs {
		c.rt.Fatalf("after %s\n%v is believed,\n%v lies\n%s", what, s.Sensed, c.discs, trail)
	}
	if s.Phase == referee.Playing && (s.Step != referee.ToMove || s.Guide.Flip|s.Guide.Wrong() != 0) {
		c.rt.Fatalf("after %s the step is %v, the guide %+v\n%s", what, s.Step, s.Guide, trail)
	}
}

// Real games played by clumsy hands give exactly the real record.
func TestPresenceRealGames(t *testing.T) {
	t.Parallel()
	games := slices.Concat(realGames(t, "woc-games.tsv"), realGames(t, "edge-games.tsv"))
	rapid.Check(t, func(rt *rapid.T) {
		g := rapid.SampledFrom(games).Draw(rt, "game")
		c := newClumsy(t, rt, variant(t, "classic"))
		for moves := g.moves; moves != ""; moves = moves[2:] {
			sq := c.sq(moves[:2])
			for c.chance(15) {
				c.mishap(sq)
			}
			c.move(sq)
		}
		want, err := engine.ParseDiscs(g.board)
		if err != nil {
			rt.Fatal(err)
		}
		if s := &c.state; s.Transcript() != g.moves || s.Game.Discs != want {
			rt.Fatalf("%s: record %s\n%v\nwant %s\n%v", g.name, s.Transcript(), s.Game.Discs, g.moves, want)
		}
	})
}

// Two whole moves in one reading are taken for just these, or refused when they
// could have been made in either order; never are they mixed up.
func TestPresenceTwoMovesInOneReading(t *testing.T) {
	t.Parallel()
	right, refused := 0, 0
	for _, g := range slices.Concat(realGames(t, "woc-games.tsv"), realGames(t, "edge-games.tsv")) {
		b := classicBlind(t)
		for moves := g.moves; len(moves) >= 4; moves = moves[2:] {
			first, second := b.sq(moves[:2]), b.sq(moves[2:4])
			before, table := *b, *b.table
			now, transcript := b.state.Game, b.state.Transcript()
			one := now.Place(first)
			if !one.MustPass() {
				two := one.Place(second)
				for sq := range (now.Flips(first) | one.Flips(second) | first.Bit() | second.Bit()).All() {
					b.lift(sq, two.At(sq))
				}
				b.said = nil
				b.rest()
				switch {
				case b.state.Transcript() == transcript+moves[:4]:
					right++
				case b.state.Game == now && b.state.Problem.Reason == referee.SecondDisc:
					refused++
				default:
					t.Fatalf("%s: %s were taken for %q", g.name, moves[:4], b.said)
				}
			}
			*b.table = table
			b.before, b.off = before.before, before.off
			b.move(first)
		}
	}
	t.Logf("%d right, %d refused", right, refused)
	if right < 20*refused {
		t.Errorf("%d right, %d refused: too many", right, refused)
	}
}

// All variants can be played on a board that sees no faces.
func TestPresenceVariants(t *testing.T) {
	t.Parallel()
	for _, name := range engine.VariantNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rules := variant(t, name)
			if name == "custom" {
				rules = handicap(t)
			}
			rapid.Check(t, func(rt *rapid.T) {
				c := newClumsy(t, rt, rules)
				c.playOn()
				if c.state.Phase != referee.Over || !c.state.Ended {
					rt.Fatalf("phase %v at the end", c.state.Phase)
				}
				if want := rules.Winner(c.game().Discs); c.state.Result.Winner != want {
					rt.Fatalf("%v has won, want %v", c.state.Result.Winner, want)
				}
			})
		})
	}
}

// playOn plays any moves until the end.
func (c *clumsy) playOn() {
	for !c.game().Over() {
		sq := c.pick(c.game().Legal(), "move")
		for c.chance(15) {
			c.mishap(sq)
		}
		c.move(sq)
	}
}

// handicap is the custom game in which Black has two corners and White begins.
func handicap(t *testing.T) engine.Rules {
	t.Helper()
	start, err := notation.ParseStart("handicap-2")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := variant(t, "custom").From(start)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}
