package virtual_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/cmd/internal/memdisk"
	"reversi-board/cmd/internal/virtual"
	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/engine/clock"
	"reversi-board/engine/notation"
	"reversi-board/engine/referee"
)

// officiated is how a game of the power cuts is played.
type officiated struct{ profile, clock string }

// officials are the ways to play that differ in what a power cut may meet.
func officials() []officiated {
	return []officiated{
		{"home", ""},
		{"home", "2:00:00/5"},
		{"club", ""},
		{"club", "2:00:00"},
		{"woc", "2:00:00"},
		{"jof", "2:00:00"},
		{"festival", "game 9:00:00"},
		{"home", "black 3:00:00, white 0:30+5x9:00"},
	}
}

// recordedGames returns games of real people: those of the world championships,
// and of a year of tournaments.
func recordedGames(t *testing.T, n int) (games [][]engine.Square) {
	t.Helper()
	const folder = "../../../engine/notation/testdata"
	f, err := os.Open(filepath.Join(folder, "woc-games.tsv"))
	must(t, err)
	table, err := notation.ReadGameTable(f)
	must(t, errors.Join(err, f.Close()))
	for _, g := range table {
		games = append(games, movesOf(t, g.Moves))
	}
	f, err = os.Open(filepath.Join(folder, "WTH_2013.wtb"))
	must(t, err)
	year, err := notation.ReadWTB(f)
	must(t, errors.Join(err, f.Close()))
	for i := 0; len(games) < n; i += 7 {
		var squares []engine.Square
		for _, m := range year.Games[i].Line.Moves {
			if sq, ok := m.Square(); ok {
				squares = append(squares, sq)
			}
		}
		if year.Games[i].Err == nil {
			games = append(games, squares)
		}
	}
	return games[:n]
}

// cutGames plays games in each of which the power fails before every ply and in
// the flips of every ply.
func cutGames(t *testing.T, n, every int) {
	t.Helper()
	cuts, changed := 0, 0
	for i, moves := range recordedGames(t, n) {
		if i%every != 0 {
			continue
		}
		how := officials()[3*(i/every)%len(officials())]
		g, err := newCutGame(t, uint64(i), how)
		must(t, err)
		if err := g.play(moves); err != nil {
			t.Fatalf("game %d, %s %q, ply %d: %v", i, how.profile, how.clock, g.table.Core.State.Ply()+1, err)
		}
		cuts, changed = cuts+g.cuts, changed+g.changed
		must(t, g.table.Close())
	}
	t.Logf("%d power cuts, in %d of them a disc was moved", cuts, changed)
	if want := 100 * (n / every); cuts < want || changed < cuts/3 {
		t.Errorf("%d power cuts, in %d of them a disc was moved, want %d and half of them", cuts, changed, want)
	}
}

// Scenario 38, some of the games; all of them are played without the race
// detector, see TestPowerCutsInAHundredGames.
func TestPowerCutsInRecordedGames(t *testing.T) {
	t.Run("38 Power cuts in recorded games", func(t *testing.T) { cutGames(t, 64, 16) })
}

// cutGame is a game on a board whose power fails. The journal is that of the
// program, on a disk that is left as it is at that moment.
type cutGame struct {
	*bench
	dir  string
	disk *memdisk.Disk
	log  *archive.Journal
	// cuts counts the power cuts, changed those in which a disc was moved.
	cuts, changed int
}

func newCutGame(t *testing.T, seed uint64, how officiated) (*cutGame, error) {
	t.Helper()
	g := &cutGame{dir: t.TempDir(), disk: memdisk.New()}
	var err error
	if g.log, _, err = archive.Open(archive.Options{Dir: g.dir, FS: g.disk}); err != nil {
		return nil, err
	}
	if g.bench, err = newBench(seed, g.log); err != nil {
		return nil, err
	}
	g.shadow = nil // What the LEDs on the wire show is looked at in other tests.
	if err := g.profile(how.profile); err != nil {
		return nil, err
	}
	if how.clock != "" {
		g.config.Game.Clock = how.clock
	}
	if err := g.switchOn(); err != nil {
		return nil, err
	}
	if err := g.pass(500 * time.Millisecond); err != nil {
		return nil, err
	}
	return g, g.expectEvents([]string{"game_started classic, black to move"})
}

func (g *cutGame) state() *referee.State { return &g.table.Core.State }

// play plays a game to its end.
func (g *cutGame) play(moves []engine.Square) error {
	for ply, sq := range moves {
		if err := g.pass(time.Duration(g.rng.IntN(1500)) * time.Millisecond); err != nil {
			return err
		}
		if err := g.cutAtRest(ply%2 == 0); err != nil {
			return fmt.Errorf("at rest: %w", err)
		}
		if err := g.cutInFlips(sq, ply/2%2 == 0); err != nil {
			return fmt.Errorf("in the flips of %v: %w", sq, err)
		}
	}
	if s := g.state(); s.Transcript() != transcriptOf(moves) || s.Phase != referee.Over && s.Game.Over() {
		return fmt.Errorf("in the end the record is %s, phase %v", s.Transcript(), s.Phase)
	}
	return g.sameAsJournal()
}

func transcriptOf(moves []engine.Square) string {
	var b strings.Builder
	for _, sq := range moves {
		b.WriteString(sq.String())
	}
	return b.String()
}

// cut takes the power away for some seconds, in which a disc that is not in keep
// may be moved, and compares what is back with what was there.
func (g *cutGame) cut(move bool, keep engine.Bitboard) error {
	before, exact := *g.state(), g.state().Clock.Times(g.now)
	// The clocks were kept up to a second ago, or when the last event was stored.
	kept := g.now - time.Duration(g.rng.Int64N(int64(time.Second)))
	clockKnown := kept >= before.Clock.At
	g.remembers = g.rng.IntN(2) == 0
	image := g.disk.Clone()
	if err := errors.Join(g.switchOff(), g.log.Close(), g.pass(time.Second)); err != nil {
		return err
	}
	g.times, g.clockLost = before.Clock.Times(kept), !clockKnown
	if move {
		g.changed++
		if err := g.moveAnyDisc(keep); err != nil {
			return err
		}
	}
	g.cuts++
	if err := g.pass(3 * time.Second); err != nil {
		return err
	}
	var err error
	if g.log, _, err = archive.Open(archive.Options{Dir: g.dir, FS: image}); err != nil {
		return err
	}
	g.disk, g.journal, g.events, g.flashes = image, g.log, nil, nil
	if err := g.switchOn(); err != nil {
		return err
	}
	if err := g.resumed(&before, exact); err != nil {
		return err
	}
	return g.pass(500 * time.Millisecond)
}

// resumed compares what a program has that has come back with what the last one
// had. The first reading is still to come.
func (g *cutGame) resumed(before *referee.State, exact clock.Times) error {
	s := g.state()
	if s.Game != before.Game || !slices.Equal(s.Record(), before.Record()) || s.Match != before.Match || s.Phase != before.Phase ||
		s.Objection != before.Objection || s.Flags != before.Flags || s.OpponentLost != before.OpponentLost {
		return fmt.Errorf("resumed is %s (%v), it was %s", s.Transcript(), s.Phase, before.Transcript())
	}
	if s.Halted != s.Clock.On() || s.Clock.Running != engine.None {
		return fmt.Errorf("the clock of %v runs, halted %t", s.Clock.Running, s.Halted)
	}
	// Without what was kept the clocks are those of the last event, as said before.
	most := time.Second
	if !g.remembers {
		most = g.now
	}
	got := s.Clock.Times(g.now)
	for c := range engine.None {
		if d := got.Left[c] - exact.Left[c]; d < 0 || d > most || got.Timed != exact.Timed {
			return fmt.Errorf("%v has %v, it was %v", c, got.Left[c], exact.Left[c])
		}
	}
	return nil
}

// cutAtRest cuts the power while nobody is at the board.
func (g *cutGame) cutAtRest(move bool) error {
	if err := g.cut(move, 0); err != nil {
		return err
	}
	if move {
		return g.backToRecord()
	}
	return errors.Join(g.expectEvents([]string{"power_restored changed"}), g.expectLights("none"), g.clocksStand())
}

// clocksStand lets time go by, of which nobody is charged any.
func (g *cutGame) clocksStand() error {
	before := g.state().Clock.Times(g.now)
	if err := g.pass(3 * time.Second); err != nil {
		return err
	}
	if now := g.state().Clock.Times(g.now); now != before {
		return fmt.Errorf("the clocks went from %v to %v", before.Left, now.Left)
	}
	return nil
}

// backToRecord does what the LEDs say after a disc was moved.
func (g *cutGame) backToRecord() error {
	return errors.Join(g.expectPutRight(), g.clocksStand(), g.putRight())
}

// cutInFlips makes a move, in the flips of which the power is cut.
func (g *cutGame) cutInFlips(sq engine.Square, move bool) error {
	game := g.state().Game
	flips := game.Flips(sq)
	rest, err := g.sim.Place(g.clock, int(sq), virtual.Face(game.Turn))
	if err != nil {
		return err
	}
	if err := errors.Join(g.untilRest(rest+time.Duration(g.rng.IntN(2))*g.reaction), g.turnSome(flips)); err != nil {
		return err
	}
	if len(g.committed()) > 0 {
		// The hands were done, and so was the board.
		return g.finished(sq, game)
	}
	halted := g.state().Clock.On()
	if err := g.cut(move, flips|sq.Bit()); err != nil {
		return err
	}
	if move {
		return errors.Join(g.backToRecord(), g.playMove(sq, game.Turn, flips), g.finished(sq, game))
	}
	changed := "power_restored changed " + g.changedWithoutPower(game.Discs).String()
	if len(g.events) == 0 || g.events[0] != canonical(changed) {
		return fmt.Errorf("events %q, want first %q", g.events, changed)
	}
	g.events = g.events[1:]
	open := flips &^ g.lying().Of(game.Turn)
	if open == 0 {
		return g.finished(sq, game)
	}
	want := "none"
	if g.config.Game.Officials.FlipLights == referee.LightsAlways {
		want = "FLIP " + open.String()
	}
	if err := g.expectLights(want); err != nil {
		return err
	}
	if text := display.Sentence(g.state()); halted && !strings.Contains(text, "The clocks stand until play goes on.") {
		return fmt.Errorf("the board says %q", text)
	}
	rest = g.clock
	for s := range open.All() {
		style, takes := g.howToTurn()
		if rest, err = g.sim.Turn(rest, int(s), style, takes); err != nil {
			return err
		}
	}
	return errors.Join(g.untilRest(rest+g.reaction), g.finished(sq, game))
}

// committed are the moves among the events that nobody has asked for yet.
func (g *cutGame) committed() (moves []string) {
	for _, e := range g.events {
		if strings.HasPrefix(e, "move ") {
			moves = append(moves, e)
		}
	}
	return moves
}

// finished ends a move whose discs lie, where the rules want that, and wants it on
// record once, with what follows from it and nothing else.
func (g *cutGame) finished(sq engine.Square, game engine.Game) error {
	press := func(c engine.Color) error { return errors.Join(g.press(c.String()), g.pass(500*time.Millisecond)) }
	if s := g.state(); s.Pressing() && len(g.committed()) == 0 {
		if err := press(game.Turn); err != nil {
			return err
		}
	}
	for range 2 {
		if s := g.state(); s.PassDue() {
			if err := press(s.Game.Turn); err != nil {
				return err
			}
		}
	}
	next := game.Place(sq)
	want := []string{canonical(fmt.Sprintf("move %v %v flips %v", game.Turn, sq, game.Flips(sq)))}
	if next.MustPass() {
		want, next = append(want, "pass "+next.Turn.String()), next.Pass()
	}
	got := slices.DeleteFunc(g.events, func(e string) bool {
		return e == "resumed players" && g.state().Clock.On() || strings.HasPrefix(e, "game_over ") && next.Over()
	})
	resumed := len(g.events) - len(got)
	g.events = nil
	if !slices.Equal(got, want) || resumed > 2 || g.state().Game.Discs != next.Discs {
		return fmt.Errorf("events %q, want %q; the record is %v", got, want, g.state().Game.Discs)
	}
	return nil
}
