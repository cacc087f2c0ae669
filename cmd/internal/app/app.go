package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"

	"reversi-board/cmd/internal/flight"
	"reversi-board/cmd/internal/report"
	"reversi-board/configs"
	"reversi-board/display"
	"reversi-board/display/oled"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
	"reversi-board/hardware/button"
	"reversi-board/hardware/buzzer"
	"reversi-board/hardware/pi"
)

// Options say what to run.
type Options struct {
	Config *configs.Config
	// DataDir overrides the folder of the configuration if it is not empty.
	DataDir string
	Version string
	// Commit and Go are for bug reports, as is Log, the last lines that were logged,
	// which may be nil.
	Commit, Go string
	Log        *report.Log
	// Out gets the page's address as its first line.
	Out    io.Writer
	Logger *slog.Logger
}

// App is a running board. Its fields belong to the loop goroutine unless they
// say otherwise.
type App struct {
	options Options
	config  *configs.Config
	log     *slog.Logger
	start   time.Time
	boot    int
	synced  func() bool
	// wall is the wall clock, and notices when it is set.
	wall *WallWatch

	// match is what a new game is unless a command says otherwise.
	match referee.Match
	dir   string
	// disk is what the journal is written to, nil for the operating system's.
	disk archive.FS
	// disks is a stopwatch on it.
	disks *stopwatch
	core  *Core
	// lastSeen is the stamp of the last event of an earlier session.
	lastSeen record.Stamp
	journal  *archive.Journal
	writer   *archive.Writer
	// durable is the last event on disk; waiting are the facts after it.
	durable uint64
	waiting []Fact
	// trouble is why the journal cannot be written, nil when it can.
	trouble error
	// holes are the records that are missing in the journal.
	holes []archive.Hole
	// ledTrouble says that the LEDs do not answer; the lamp keeper sets it.
	ledTrouble atomic.Bool
	// panelTrouble says the same of the small display.
	panelTrouble atomic.Bool
	// stuck are the buttons that do not come up again.
	stuck map[string]bool

	scribe *scribe

	// rival asks the opponent, adviser who suggests moves. lostText says why
	// the opponent is gone.
	rival, adviser *desk
	lostText       string
	// opponentMissing says why the program of the settings cannot be started,
	// empty if it can.
	opponentMissing string
	// analyst evaluates the game for the page.
	analyst *analyst
	// painter draws the board for MQTT.
	snapshots snapshots
	painter   *painter

	// interrupt, if not nil, waits for the interrupt line in place of the wires'.
	interrupt func(ctx context.Context) error

	rig   *Rig
	eyes  *Eyes
	hands *hands
	lamps *lampKeeper
	panel *panelKeeper
	cues  display.Cues
	// note is said for a moment.
	note note
	// doubts finds dead cells; doubtAgain fires when it wants to look again.
	doubts     Doubts
	doubted    Doubted
	doubtAgain *time.Timer

	// nurse looks after the board's health, ills are how its cells fail.
	nurse *nurse
	ills  ailments

	// clockWake ticks while a clock runs, clockKept is when the clocks were kept
	// last. clockFace is what others were told of them last, if they were told.
	clockWake *time.Timer
	clockKept time.Duration
	clockFace clockFace
	clockTold bool

	// calibrator lets the board be calibrated.
	calibrator *calibrator
	// recorder is the flight recorder, nil if there is none.
	recorder *flight.Recorder

	page *web.Server
	// entered is how one comes to it, wish what a player there asks the other.
	entered entrance
	wish    takeback

	link   link
	alerts alertBook

	// ended wakes the archive.
	ended chan struct{}
	// mending is held while it is looked through; mended says what had to be mended,
	// nil when nothing had.
	mending sync.Mutex
	mended  atomic.Pointer[string]
	// hall is the tournaments.
	hall *hall
	// hint wakes the scanner early.
	hint chan struct{}
	// inputs, orders and touched lead to the loop from other goroutines.
	inputs  chan referee.Input
	orders  chan order
	touched chan struct{}
	presses chan button.Event

	wake     *time.Timer
	answered answers
	// replies wait until what they tell of is stored and shown.
	replies []func()
}

// order is a command from the page, and where its answer goes.
type order struct {
	role, from string
	command    web.Command
	// asked says that the person was asked whether a game that is running here may
	// end without a result: then a new one need not name the state it is about.
	asked bool
	// at is when it came.
	at     time.Duration
	answer chan web.Response
}

// Run runs the board until ctx ends: LEDs dark, availability offline, journal
// closed. It returns an error only if the board could not be started, or could
// not be left in order.
func Run(ctx context.Context, o Options) error {
	a := newApp(o)
	if err := a.openJournal(o.DataDir); err != nil {
		return err
	}
	err := a.run(ctx, o)
	return errors.Join(err, a.closeJournal())
}

func newApp(o Options) *App {
	a := &App{
		options: o, config: o.Config, log: o.Logger, start: time.Now(), synced: pi.ClockSynced,
		cues:    display.Cues{PassBy: engine.None},
		inputs:  make(chan referee.Input, 256),
		orders:  make(chan order, 16),
		touched: make(chan struct{}, 1),
		presses: make(chan button.Event, 16),
		hint:    make(chan struct{}, 1),
		ended:   make(chan struct{}, 1),
	}
	a.wall = &WallWatch{Look: a.clocks}
	a.rival = newDesk(o.Config.Opponent, o.Logger, a.now)
	a.adviser = newDesk(o.Config.Opponent, o.Logger, a.now)
	a.adviser.rates = o.Config.MQTT.Hints
	a.analyst = newAnalyst(o.Logger, a.now)
	a.nurse = newNurse(a)
	a.painter = newPainter(o.Logger)
	a.calibrator = newCalibrator(a)
	a.hall = newHall(a)
	a.findOpponent()
	return a
}

// Now returns the time since the program started. It may be called from any
// goroutine.
func (a *App) now() time.Duration { return time.Since(a.start) }

func (a *App) stamp() record.Stamp {
	wall, mono := a.wall.Now()
	return record.Stamp{TS: wall, TSOK: a.synced(), Boot: a.boot, Mono: mono}
}

// run builds what stands on the journal, and takes it down again in the
// opposite order.
func (a *App) run(ctx context.Context, o Options) (err error) {
	if a.rig, err = OpenRig(&a.config.Hardware, RigOptions{Now: a.now, Logger: a.log, Interrupt: a.interrupt}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.rig.Close()) }()
	if a.eyes, err = a.calibrator.load(); err != nil {
		return err
	}
	a.openFlight(o.Version)
	a.eyes.Doubt(a.core.Dead())
	if err := a.openHands(); err != nil {
		return err
	}
	listener, err := a.openPage(ctx, o.Version)
	if err != nil {
		return err
	}
	inner, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	linked, unlink := context.WithCancel(context.WithoutCancel(ctx))
	defer unlink()
	if err := a.openLink(linked, o.Version); err != nil {
		return errors.Join(err, closeListener(listener))
	}
	if a.link.adapter != nil {
		a.nurse.out, a.snapshots.out = a.link.adapter, a.link.adapter
		if a.config.MQTT.Image {
			a.painter.out = a.link.adapter
		}
	}
	if listener != nil {
		if err := a.greet(o.Out, listener); err != nil {
			a.log.Warn("print the address", "error", err)
		}
	}
	var tasks sync.WaitGroup
	a.lamps, a.panel = newLampKeeper(a), newPanelKeeper(a)
	tasks.Go(func() { a.scan(inner, a.eyes) })
	tasks.Go(func() { a.listen(inner) })
	tasks.Go(func() { a.lamps.keep(inner) })
	tasks.Go(func() { a.panel.keep(inner) })
	tasks.Go(func() { a.watchButtons(inner) })
	tasks.Go(func() { a.keepBuzzer(inner) })
	tasks.Go(func() { a.scribe.keep(inner) })
	tasks.Go(func() { a.keepGames(inner) })
	tasks.Go(func() { a.hall.keep(inner) })
	tasks.Go(func() { a.rival.keep(inner) })
	tasks.Go(func() { a.adviser.keep(inner) })
	tasks.Go(func() { a.analyst.keep(inner) })
	tasks.Go(func() { a.nurse.keep(inner) })
	tasks.Go(func() { a.painter.keep(inner) })
	tasks.Go(func() { a.calibrator.keep(inner) })
	if a.recorder != nil {
		tasks.Go(func() { a.recorder.Keep(inner) })
	}
	if listener != nil {
		tasks.Go(func() {
			if err := a.page.Serve(inner, listener); err != nil {
				a.log.Error("serve the page", "error", err)
			}
		})
	}
	a.loop(ctx)
	// A broker that hangs and a visitor who does not let go are waited for at
	// the same time, and the LEDs are dark meanwhile.
	tasks.Go(func() { a.closeLink(linked) })
	stop()
	tasks.Wait()
	return nil
}

// openPage listens before anything is promised: a port in use stops the start
// with one clear message.
func (a *App) openPage(ctx context.Context, version string) (net.Listener, error) {
	c := a.config.Web
	if c.Listen == "" {
		return nil, nil //nolint:nilnil // no page is configured: no listener and no mistake
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("open the page on %s: %w (is another reversi-board running? set web.listen)", c.Listen, err)
	}
	if c.Encrypted() {
		plain := ln
		if ln, err = web.Encrypt(plain, c.Certificate, a.now, a.log); err != nil {
			return nil, errors.Join(fmt.Errorf("encrypt the page: %w", err), plain.Close())
		}
	}
	// The printed address has to work, also when it is another loopback one.
	host, _, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the page's address: %w", err), ln.Close())
	}
	o, err := a.pageOptions(version, host)
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	if a.page, err = web.New(o); err != nil {
		return nil, errors.Join(fmt.Errorf("make the page: %w", err), ln.Close())
	}
	return ln, nil
}

func closeListener(ln net.Listener) error {
	if ln == nil {
		return nil
	}
	return ln.Close()
}

// loop is the one place where the referee is asked.
func (a *App) loop(ctx context.Context) {
	a.wake, a.clockWake = stoppedTimer(), stoppedTimer()
	defer a.wake.Stop()
	defer a.clockWake.Stop()
	a.doubtAgain = stoppedTimer()
	defer a.doubtAgain.Stop()
	if p := a.core.State.Phase; p == referee.Playing || p == referee.Paused {
		seen, ok := readSeen(a.dir, a.journal.JID(), a.core.Seq())
		times, okTimes := readClock(a.dir, a.journal.JID(), a.core.Seq())
		a.step(referee.PowerOn{
			At: a.now(), Gap: a.gap(), Seen: seen, SeenOK: ok, Clock: times, ClockOK: okTimes,
		})
		a.hold(seen, ok)
	}
	a.askOpponent()
	a.analyze()
	a.present()
	systemd := newWatchdog(a.log)
	defer systemd.close()
	// What is not durable at the end is stored by the journal's goodbye.
	defer a.reply()
	for {
		select {
		case <-ctx.Done():
			return
		case in := <-a.inputs:
			a.ills.note(in)
			a.step(in)
			if isReading(in) {
				a.scribe.put(seenFile, seenText(a.journal.JID(), a.core.Seq(), a.core.State.Sensed))
			}
		case d := <-a.writer.Durable():
			a.announce(d.Seq, d.Payload)
		case err := <-a.writer.Trouble():
			a.storage(err)
		case e := <-a.presses:
			a.pressed(e)
		case o := <-a.orders:
			r := a.pageOrder(o)
			a.replies = append(a.replies, func() { o.answer <- r })
		case req := <-a.link.requests():
			a.mqttOrder(req)
		case v := <-a.rival.answers:
			a.opponentSays(v)
		case v := <-a.adviser.answers:
			a.adviserSays(v)
		case f := <-a.analyst.answers:
			a.analystSays(f)
		case <-a.wake.C:
			now := a.now()
			a.step(referee.Tick{At: now, Moving: a.eyes.Moving(now)})
		case <-a.clockWake.C:
			if !a.clockTicks() {
				continue
			}
		case <-a.doubtAgain.C:
		case <-systemd.C:
			systemd.turn()
			continue
		case <-a.touched:
		case <-a.link.changes():
		}
		a.wallStepped()
		a.doubt()
		a.askOpponent()
		a.analyze()
		a.present()
		if a.settled() {
			a.reply()
		}
	}
}

// isReading reports whether an input says what lies on the board.
func isReading(in referee.Input) bool {
	switch in.(type) {
	case referee.Seen, referee.Felt:
		return true
	case referee.CellsFailed, referee.CellsBack, referee.PowerOn, referee.Tick, referee.Pressed, referee.WallStepped,
		referee.Suggested, referee.EngineGone, referee.Command:
	}
	return false
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// step feeds the referee and sends its events to the journal.
func (a *App) step(in referee.Input) *referee.Refuse {
	a.wallStepped()
	return a.feed(in)
}

func (a *App) feed(in referee.Input) *referee.Refuse {
	out, err := a.core.Step(in)
	if err != nil {
		// An event that cannot be written is a mistake of this program, not of
		// the table; the game goes on without it.
		a.log.Error("the referee's event was lost", "error", err)
		return nil
	}
	for _, f := range out.Facts {
		a.waiting = append(a.waiting, f)
		forgetHint(&a.cues, f.Event)
		if a.core.Held {
			a.release(f.Event)
		}
		a.writer.Append(f.Seq, f.Payload)
	}
	if out.Wake > 0 {
		a.wake.Reset(max(0, out.Wake-a.now()))
	}
	return out.Refused
}

// announce tells everybody about an event that has become durable.
func (a *App) announce(seq uint64, payload []byte) {
	a.durable = seq
	var public []byte
	for len(a.waiting) > 0 && a.waiting[0].Seq <= seq {
		Cue(&a.cues, a.waiting[0].Event, a.now())
		if s := soundOf(a.waiting[0].Event); s != buzzer.Silence {
			a.sound(s)
		}
		if endsGame(a.waiting[0].Event) {
			nudge(a.ended)
		}
		public = a.waiting[0].Public
		a.waiting = a.waiting[1:]
	}
	if a.page != nil {
		a.page.Veiled(seq, public, payload)
	}
	if a.link.adapter != nil {
		a.link.adapter.Notify(seq)
	} else {
		// Nobody else is going to read it: old files may go.
		a.journal.SetAcked(seq)
	}
}

// reply sends the answers to the commands.
func (a *App) reply() {
	for _, send := range a.replies {
		send()
	}
	clear(a.replies)
	a.replies = a.replies[:0]
}

// settled reports whether all that has happened would survive a power cut, unless the
// disk fails, when nothing does. Until then nobody is told of it: neither by the page
// and MQTT nor, after these, by the answer to a command.
func (a *App) settled() bool { return a.durable >= a.core.Seq() || a.trouble != nil }

// storageTrouble is the code of the problem and of the alert when the journal
// cannot be written.
const storageTrouble = "storage"

// storage notes that the journal cannot be written, or can again.
func (a *App) storage(err error) {
	if errors.Is(err, archive.ErrMoved) || errors.Is(a.trouble, archive.ErrMoved) {
		a.scribe.forget()
		nudge(a.ended)
	}
	a.trouble, a.holes = err, a.journal.Holes()
	a.noteTrouble()
	if err != nil {
		a.log.Error("the journal cannot be written; the game goes on in memory", "error", err)
	} else {
		a.log.Info("the journal can be written again")
	}
	if a.link.adapter != nil {
		a.link.adapter.StorageFailed(err != nil)
	}
}

// present shows what there is to see. The LEDs follow the discs at once; the
// page and MQTT wait until what the state says of the record is durable, or
// cannot be made so.
func (a *App) present() {
	a.cues.Now = a.now()
	scene := display.Compose(a.core.Shown(), a.cues)
	a.calibrator.scene(&scene, &a.core.State)
	a.lamps.show(&scene)
	a.panel.show(oled.Compose(a.panelInput()))
	a.tellClocks()
	if !a.settled() {
		return
	}
	a.hands.help(&a.core.State)
	state, err := a.core.Published()
	if err != nil {
		a.log.Error("write the state", "error", err)
		return
	}
	a.raiseAlerts()
	a.painter.show(engine.Position{Discs: a.core.State.Game.Discs, Turn: a.core.State.Turn()})
	state = a.snapshots.newest(state)
	a.snapshots.tell(state, a.core.Seq())
	if a.page == nil {
		return
	}
	if v := a.view(state); a.snapshots.show(v) {
		a.page.Publish(v)
	}
}

// view is what the page shows besides the events and the LEDs.
func (a *App) view(state []byte) web.View {
	start := a.core.State.Match.Rules.Start
	v := web.View{
		State: state, Sentence: a.sentence(),
		Opponent: opponentView(a.core.State.Match.Opponent),
		Evals:    a.evaluations(), Evaluating: a.evaluating(),
		Start: start.String(), First: start.Turn.String(),
		Connections: map[string]string{"journal": "ok", "broker": a.link.status()},
		Question:    a.openQuestion(),
	}
	if text := a.told().text; text != "" {
		v.Sentence = text
	}
	if text := a.calibrator.sentence(); text != "" {
		v.Sentence = text
	}
	a.officiate(&v, state)
	// What the sentence says already need not be said twice.
	for _, al := range a.alerts.list(false) {
		if al.Text = strings.TrimSpace(strings.TrimPrefix(al.Text, v.Sentence)); al.Text != "" {
			v.Alerts = append(v.Alerts, al)
		}
	}
	switch {
	case a.trouble != nil:
		v.Connections["journal"] = "cannot be written"
	case a.link.unreadable():
		v.Connections["journal"] = "cannot be read, events wait"
	}
	if a.hands != nil {
		v.Table, v.Failed = a.hands.table(), a.hands.failed()
		v.AutoFlip, v.Robot = a.hands.helping()
	} else if s := &a.core.State; s.SensedOK {
		v.Table = s.Sensed.String()
	}
	return v
}

// gap returns for how long the program was away, negative when that is unknown
// because one of the clocks was wrong.
func (a *App) gap() time.Duration {
	if !a.lastSeen.TSOK || !a.synced() {
		return -1
	}
	wall, _ := a.wall.Look()
	return max(0, wall.Sub(a.lastSeen.TS))
}

// openJournal makes the record of the last session true again.
func (a *App) openJournal(dir string) error {
	if dir == "" {
		var err error
		if dir, err = a.config.Data.Path(); err != nil {
			return err
		}
	}
	match, err := a.config.Game.Match()
	if err != nil {
		return err
	}
	match.Opponent = a.config.Opponent.Player()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	a.disks = watchDisk(a.disk)
	journal, recovery, err := archive.Open(archive.Options{Dir: dir, FS: a.disks})
	if err != nil {
		return fmt.Errorf("open the journal: %w", err)
	}
	if recovery.Text != "" {
		a.log.Warn("the journal was mended", "what", recovery.Text)
	}
	// The folder is this program's alone now.
	sweepUp(filepath.Join(dir, "*"+unfinished), 0)
	sweepUp(filepath.Join(dir, TrialFile), writing)
	if text := holesText(recovery.Holes); text != "" {
		a.log.Warn(text)
	}
	a.holes = recovery.Holes
	a.journal, a.boot = journal, journal.Boot()
	a.dir, a.match, a.scribe = dir, match, newScribe(a.disk, dir, clockFile)
	match = a.seated(match)
	a.core = NewCore(CoreOptions{
		Match: match, Presence: a.config.Hardware.Kind == configs.Reed64, Lag: Lag(a.config),
		JID: journal.JID(), Stamp: a.stamp,
		NewGame: func() string { return ulid.Make().String() },
	})
	if a.lastSeen, err = replay(journal, a.core); err != nil {
		return errors.Join(err, journal.Close())
	}
	referee.Prepare(&a.core.State, match)
	a.durable = a.core.Seq()
	a.writer = archive.StartWriter(context.Background(), journal)
	return nil
}

// replay makes the last game of the journal true again and returns the stamp of
// the last record.
func replay(j *archive.Journal, core *Core) (last record.Stamp, err error) {
	begin, _, err := j.FindLast(func(payload []byte) bool {
		return record.TypeOf(payload) == "game_started"
	})
	if err != nil {
		return last, fmt.Errorf("read the journal: %w", err)
	}
	core.Continue(max(begin, 1) - 1)
	err = j.Read(begin, 0, func(_ uint64, payload []byte) error {
		last, err = core.Replay(payload)
		return err
	})
	if err != nil {
		return last, fmt.Errorf("read the journal: %w", err)
	}
	core.Continue(j.LastSeq())
	core.Settle()
	return last, nil
}

// closeJournal waits until what has happened is on the disk.
func (a *App) closeJournal() error {
	ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	if err := errors.Join(a.writer.Close(ctx), a.journal.Close()); err != nil {
		return fmt.Errorf("close the journal: %w", err)
	}
	return nil
}

// openHands lays the discs of the simulated table: as they lay when the program
// ended, or as the game on record says, or at the start.
func (a *App) openHands() (err error) {
	if a.rig.Sim == nil {
		return nil
	}
	discs := a.core.State.Game.Discs
	if a.core.State.Ended {
		discs = a.core.State.Match.Rules.Start.Discs
	}
	a.hands, err = newHands(a.rig.Sim, filepath.Join(a.dir, tableFile), a.config.Hardware.NorthIsBlack, discs, a.now,
		func(table string) { a.scribe.put(tableFile, table) }, func() { nudge(a.touched) })
	return err
}
