package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"reversi-board/configs"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/engine/notation"
	"reversi-board/engine/referee"
	"reversi-board/hardware/sim"
)

// brittleDisk is the operating system's disk until it is broken: then nothing
// can be written to it.
type brittleDisk struct{ broken atomic.Pointer[syscall.Errno] }

func (d *brittleDisk) fail(err syscall.Errno) { d.broken.Store(&err) }
func (d *brittleDisk) mend()                  { d.broken.Store(nil) }

// trouble returns what a write ends with.
func (d *brittleDisk) trouble() error {
	if err := d.broken.Load(); err != nil {
		return *err
	}
	return nil
}

func (d *brittleDisk) OpenFile(name string, flag int, perm fs.FileMode) (archive.File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR) != 0 && errors.Is(d.trouble(), syscall.EROFS) {
		return nil, d.trouble()
	}
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return brittleFile{f, d}, nil
}

func (d *brittleDisk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

func (d *brittleDisk) Rename(from, to string) error {
	return errors.Join(d.trouble(), os.Rename(from, to))
}

func (d *brittleDisk) Remove(name string) error { return errors.Join(d.trouble(), os.Remove(name)) }

func (d *brittleDisk) MkdirAll(name string, perm fs.FileMode) error { return os.MkdirAll(name, perm) }

// brittleFile is a file on it.
type brittleFile struct {
	*os.File
	disk *brittleDisk
}

func (f brittleFile) WriteAt(b []byte, off int64) (int, error) {
	if err := f.disk.trouble(); err != nil {
		return 0, err
	}
	return f.File.WriteAt(b, off)
}

func (f brittleFile) Sync() error { return errors.Join(f.disk.trouble(), f.File.Sync()) }

func (f brittleFile) Truncate(size int64) error {
	return errors.Join(f.disk.trouble(), f.File.Truncate(size))
}

// seenOnPage is what a visitor of the page is told.
type seenOnPage struct {
	State       seenState         `json:"state"`
	Sentence    string            `json:"sentence"`
	Alerts      []web.Alert       `json:"alerts"`
	Connections map[string]string `json:"connections"`
	AutoFlip    bool              `json:"auto_flip"`
	Robot       bool              `json:"robot"`
	Failed      []string          `json:"failed"`
	Question    *web.Question     `json:"question"`
}

// seenState is the state as far as the tests look at it.
type seenState struct {
	Seq        uint64 `json:"seq"`
	Game       string `json:"game"`
	Transcript string `json:"transcript"`
	Board      string `json:"board"`
	Phase      string `json:"phase"`
	Hints      string `json:"hints"`
	Problem    struct {
		Active bool   `json:"active"`
		Code   string `json:"code"`
	} `json:"problem"`
}

// board is a running program in a test.
type board struct {
	t    *testing.T
	app  *App
	game engine.Game
}

// page asks for the page's state.
func (b *board) page() seenOnPage {
	b.t.Helper()
	synctest.Wait()
	answer := httptest.NewRecorder()
	b.app.page.ServeHTTP(answer, httptest.NewRequestWithContext(b.t.Context(), "GET", "http://localhost/api/v1/state", nil))
	var seen seenOnPage
	if err := json.Unmarshal(answer.Body.Bytes(), &seen); err != nil {
		b.t.Fatalf("read the page's state: %v\n%s", err, answer.Body)
	}
	return seen
}

// state is what the loop's referee knows, while the loop has nothing to do.
func (b *board) state() referee.State {
	synctest.Wait()
	s := b.app.core.State
	// The loop goes on to write only after this, also in the eyes of the race
	// detector.
	nudge(b.app.touched)
	synctest.Wait()
	return s
}

// move makes a move by hand and wants its flips to be lit within 300 ms of the
// disc's rest, and dark when they are done.
func (b *board) move(sq engine.Square) {
	b.t.Helper()
	table := b.app.rig.Sim
	mover, flips := b.game.Turn, b.game.Flips(sq)
	rest, err := table.Place(b.app.now(), int(sq), b.app.hands.face(mover))
	if err != nil {
		b.t.Fatal(err)
	}
	time.Sleep(rest - b.app.now() + 300*time.Millisecond)
	synctest.Wait()
	if lit := litCells(table); lit&flips != flips {
		b.t.Fatalf("%v: 300 ms after the disc's rest %v is lit, want %v", sq, lit, flips)
	}
	for s := range flips.All() {
		if rest, err = table.Turn(b.app.now(), int(s), sim.TurnInPlace, 200*time.Millisecond); err != nil {
			b.t.Fatal(err)
		}
	}
	time.Sleep(rest - b.app.now() + 700*time.Millisecond) // the flash of the move included
	synctest.Wait()
	if lit := litCells(table); lit != 0 && !b.game.Place(sq).MustPass() {
		b.t.Fatalf("%v: done, and %v is lit", sq, lit)
	}
	b.game = b.game.Place(sq)
	if b.game.MustPass() {
		b.game = b.game.Pass()
	}
}

func litCells(b *sim.Board) engine.Bitboard {
	var lit engine.Bitboard
	for s, l := range b.LEDs() {
		if l.Bright > 0 && l.R|l.G|l.B > 0 {
			lit |= engine.Square(s).Bit()
		}
	}
	return lit
}

// The disk fails from ply 20 on: the game and the LEDs go on, the state stays
// live and names the problem, the alert is open, no event is announced that is
// not stored; after the repair they follow in order.
func TestDiskFailsInTheGame(t *testing.T) {
	for _, broken := range []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EROFS} {
		t.Run(broken.Error(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testDiskFails(t, broken) })
		})
	}
}

func testDiskFails(t *testing.T, broken syscall.Errno) {
	const game = "f5d6c3d3c4f4f6f3e6e7d7g6g5f7e8h6d2c5c6c8c7b4b5b3g4e3g3a6h4d8b8f8g8b6h5h3f2e2c2c1d1f1e1b2a4a2a3a5a1b1a7h7h2h1g2g1g7b7"
	dir := t.TempDir()
	disk := &brittleDisk{}
	b, stop := run(t, dir, disk)
	moves := movesOf(t, game)
	for _, sq := range moves[:20] {
		b.move(sq)
	}
	if seen := b.page(); seen.State.Transcript != game[:40] || !seen.well() {
		t.Fatalf("before the failure: %+v", seen)
	}
	durable := b.app.durable

	disk.fail(broken)
	for i, sq := range moves[20:] {
		b.move(sq)
		if seen := b.page(); seen.State.Transcript != game[:2*(21+i)] || !seen.sayStorage() {
			t.Fatalf("ply %d without a disk: %+v", 21+i, seen)
		}
	}
	if b.app.durable != durable {
		t.Fatalf("event %d was announced, only %d are stored", b.app.durable, durable)
	}

	disk.mend()
	time.Sleep(10 * time.Second)
	seen := b.page()
	if seen.State.Phase != "over" || !seen.well() {
		t.Fatalf("after the repair: %+v", seen)
	}
	if b.app.durable != seen.State.Seq || seen.State.Seq <= durable+30 {
		t.Fatalf("event %d was announced last, the state is at %d", b.app.durable, seen.State.Seq)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	checkStored(t, dir, game, seen.State.Seq)
}

// well says that nobody is told of any trouble.
func (p seenOnPage) well() bool {
	return !p.State.Problem.Active && len(p.Alerts) == 0 && p.Connections["journal"] == "ok"
}

// sayStorage says that the state, the alerts and the list of connections all
// tell that the journal cannot be written, and nothing else.
func (p seenOnPage) sayStorage() bool {
	return p.State.Problem.Active && p.State.Problem.Code == "storage" &&
		len(p.Alerts) == 1 && p.Alerts[0].Code == "storage" && p.Connections["journal"] != "ok"
}

// movesOf returns the squares of a game without passes.
func movesOf(t *testing.T, transcript string) []engine.Square {
	t.Helper()
	line, err := notation.ParseTranscript(configuredRules(t), transcript)
	if err != nil {
		t.Fatal(err)
	}
	var squares []engine.Square
	for _, m := range line.Moves {
		if sq, ok := m.Square(); ok {
			squares = append(squares, sq)
		}
	}
	return squares
}

func configuredRules(t *testing.T) engine.Rules {
	t.Helper()
	match, err := configs.Default().Game.Match()
	if err != nil {
		t.Fatal(err)
	}
	return match.Rules
}

// run starts a program with a page, but without a network, and lays the start
// position.
func run(t *testing.T, dir string, disk archive.FS) (b *board, stop func() error) {
	t.Helper()
	return runWith(t, dir, disk, func(*configs.Config) {})
}

// runWith is run with settings changed.
func runWith(t *testing.T, dir string, disk archive.FS, change func(c *configs.Config)) (b *board, stop func() error) {
	t.Helper()
	return runPrepared(t, dir, disk, change, func(*App) {})
}

// hurried keeps the evaluations of a game that is over from holding up a test:
// the clock of a bubble stands while they are made, so that only their depth ends
// them, and on a full machine a thread of low priority may wait for minutes.
func hurried(a *App) { a.analyst.depth, a.analyst.urgent = 2, true }

// runPrepared does so with an app that prepare has been at.
func runPrepared(t *testing.T, dir string, disk archive.FS, change func(c *configs.Config), prepare func(a *App)) (b *board, stop func() error) {
	t.Helper()
	c := configs.Default()
	change(c)
	c.Web.Listen, c.MQTT.Broker, c.MQTT.Embedded.Enabled = "", "", false
	c.Hardware.Simulation.Bounce = true
	o := Options{Config: c, Out: io.Discard, Logger: slog.New(slog.DiscardHandler)}
	a := newApp(o)
	a.disk = disk
	hurried(a)
	prepare(a)
	var err error
	if a.page, err = web.New(web.Options{Command: a.pageCommand}); err != nil {
		t.Fatal(err)
	}
	if err := a.openJournal(dir); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- errors.Join(a.run(ctx, o), a.closeJournal()) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	time.Sleep(time.Second)
	b = &board{t: t, app: a, game: engine.NewGame(a.match.Rules)}
	if seen := b.page(); seen.State.Phase != "playing" && !a.core.Held {
		t.Fatalf("the game has not begun: %+v", seen)
	}
	return b, stop
}

// checkStored opens the journal anew: every event is there, in order.
func checkStored(t *testing.T, dir, game string, last uint64) {
	t.Helper()
	j, recovery, err := archive.Open(archive.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}()
	if recovery.Text != "" || j.LastSeq() != last {
		t.Errorf("the journal ends at %d, want %d: %s", j.LastSeq(), last, recovery.Text)
	}
	var moves []string
	err = j.Replay(func(_ uint64, p []byte) error {
		var ev struct {
			Type string `json:"type"`
			Data struct {
				Move string `json:"move"`
			} `json:"data"`
		}
		if err := json.Unmarshal(p, &ev); err != nil {
			return err
		}
		if ev.Type == "move" {
			moves = append(moves, ev.Data.Move)
		}
		return nil
	})
	if err != nil || !slices.Equal(moves, strings.Fields(spaced(game))) {
		t.Errorf("stored are the moves %v: %v", moves, err)
	}
}

// spaced puts a blank after every square.
func spaced(game string) string {
	var b strings.Builder
	for i := 0; i < len(game); i += 2 {
		b.WriteString(game[i:i+2] + " ")
	}
	return b.String()
}
