package virtual_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/soak"
	"reversi-board/cmd/internal/virtual"
	"reversi-board/configs"
	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/sim"
)

// jid names the journals of the tests.
const jid = "01J00000000000000000000000"

// memory is a journal that forgets nothing and fails never.
type memory struct{ records [][]byte }

func (m *memory) Append(seq uint64, payload []byte) error {
	if seq != uint64(len(m.records)+1) {
		return fmt.Errorf("event %d comes after %d", seq, len(m.records))
	}
	m.records = append(m.records, payload)
	return nil
}

func (m *memory) LastSeq() uint64 { return uint64(len(m.records)) }

func (m *memory) Replay(yield func(seq uint64, payload []byte) error) error {
	for i, p := range m.records {
		if err := yield(uint64(i+1), p); err != nil {
			return err
		}
	}
	return nil
}

// journal is what a bench writes to and starts again from.
type journal interface {
	virtual.Journal
	virtual.History
}

// bench is a table with hands at it and somebody who watches. Its clock may be
// ahead of the table's by less than a scan.
type bench struct {
	config  *configs.Config
	table   *virtual.Table
	sim     *sim.Board
	journal journal
	shadow  *shadow
	rng     *rand.Rand

	// clock is the time of the story; now is that of the table, also without
	// power.
	clock, now time.Duration
	// events have not been asked for yet, in the words of stories.
	events []string
	// changes of the LEDs that have not been asked for.
	changes int
	before  [engine.Squares]display.Pattern
	scene   display.Scene
	// flashes are the squares that have shown OK, for each flash; flashEnd tells
	// one from the next. swept are those that have shown PASS, step by step.
	flashes  []engine.Bitboard
	flash    engine.Bitboard // the last one
	flashEnd time.Duration
	swept    []engine.Bitboard
	// answer is the refusal of the last order, nil if it was accepted.
	answer *referee.Refuse
	off    bool
	// marked are the clocks of events that are to be compared with later ones.
	marked map[string]string
	// seen is what the cells said last before the power was cut, times what the
	// clocks showed; the next
	// program knows it if remembers is set.
	seen      engine.Discs
	times     clock.Times
	remembers bool
	// clockLost says that it does not know what the clocks showed: an event came
	// after they were kept.
	clockLost bool
	// period is the time between two scans, reaction how long after the last disc
	// has come to rest the board has answered on its LEDs. blind says that the
	// board sees no colors: hands then lift what they turn, for a moment.
	period, reaction time.Duration
	blind            bool
	// wire makes transfers take their time.
	wire bool
}

// newBench lays the built-in table with bouncing discs.
func newBench(seed uint64, j journal) (*bench, error) {
	return newBenchOf(configs.Default(), seed, j)
}

// newBenchOf lays the table of some settings with bouncing discs.
func newBenchOf(c *configs.Config, seed uint64, j journal) (*bench, error) {
	c.Hardware.Simulation = configs.Simulation{Enabled: true, Seed: seed, Bounce: true, Noise: c.Hardware.Simulation.Noise}
	b := &bench{
		config: c, journal: j, rng: rand.New(rand.NewPCG(seed, 1)), //nolint:gosec // clumsy hands, repeatably
		period: c.Sensing.Period(), reaction: soak.Budget(c), blind: c.Hardware.Kind == configs.Reed64,
	}
	if c.Hardware.LEDs.Driver != configs.APA102 {
		return b, nil
	}
	var err error
	b.shadow, err = newShadow(c)
	return b, err
}

// switchOn starts a program at the table, the first time with the discs of the
// start position on it.
func (b *bench) switchOn() error {
	var err error
	b.table, err = virtual.New(virtual.Options{
		Config: b.config, Journal: b.journal, JID: jid, Sim: b.sim, Start: b.now, Wire: b.wire,
	})
	if err != nil {
		return err
	}
	b.sim, b.off = b.table.Sim, false
	// A board that measures has been calibrated meanwhile.
	b.now = max(b.now, b.table.Now())
	b.clock = max(b.clock, b.now)
	b.table.OnFact = func(f app.Fact, _ time.Duration) {
		b.events = append(b.events, eventText(f.Payload))
	}
	return b.table.Resume(b.journal, referee.PowerOn{
		Gap: -1, Seen: b.seen, SeenOK: b.remembers, Clock: b.times, ClockOK: b.remembers && !b.clockLost,
	})
}

// switchOff takes the power away: the program and the registers are gone, the
// discs stay.
func (b *bench) switchOff() error {
	b.off, b.seen, b.times = true, b.table.Core.State.Sensed, b.table.Core.State.Clock.Times(b.now)
	errs := []error{b.table.Close()}
	for row := range 8 {
		errs = append(errs, b.sim.FailBank(row, sim.BankReset))
	}
	b.table = nil
	return errors.Join(errs...)
}

// pass lets the time of the story go on by d.
func (b *bench) pass(d time.Duration) error {
	b.clock += d
	for b.now+b.period <= b.clock {
		if err := b.scan(); err != nil {
			return err
		}
	}
	// A scan may take longer than it should.
	b.clock = max(b.clock, b.now)
	return nil
}

// scan is one turn of the board's loop, and a look at its LEDs.
func (b *bench) scan() error {
	if b.off {
		b.now += b.period
		b.sim.Advance(b.now)
		return nil
	}
	if err := b.table.Run(1); err != nil {
		return err
	}
	b.now = b.table.Now()
	b.watch(b.table.Scene())
	return b.compareWire()
}

// watch notes every change of what the LEDs mean.
func (b *bench) watch(sc *display.Scene) {
	b.scene = *sc
	changed := false
	var sweep, flash engine.Bitboard
	for s := range engine.Square(engine.Squares) {
		p := sc.At(s, b.now)
		changed = changed || p != b.before[s]
		b.before[s] = p
		if p == display.OK {
			flash |= s.Bit()
		}
		if p == display.Pass {
			sweep |= s.Bit()
		}
	}
	if changed {
		b.changes++
	}
	if flash != 0 && sc.OKUntil != b.flashEnd {
		b.flashes, b.flashEnd, b.flash = append(b.flashes, flash), sc.OKUntil, flash
	}
	if sweep != 0 && (len(b.swept) == 0 || b.swept[len(b.swept)-1] != sweep) {
		b.swept = append(b.swept, sweep)
	}
}

// compareWire makes sure that the LEDs of the table show what was sent.
func (b *bench) compareWire() error {
	if b.shadow == nil {
		return nil
	}
	want, err := b.shadow.frame(&b.scene, b.now)
	if err != nil {
		return err
	}
	if got := b.sim.LEDs(); got != want {
		return fmt.Errorf("at %v the LEDs on the wire show %v, the scene asks for %v", b.now, lit(got), lit(want))
	}
	return nil
}

func lit(leds [engine.Squares]emu.LED) engine.Bitboard {
	var set engine.Bitboard
	for s, l := range leds {
		if isLit(l) {
			set |= engine.Square(s).Bit()
		}
	}
	return set
}

// lights returns what the LEDs show now: as the scene means it, and as it can be
// read from the light of the coming second.
func (b *bench) lights() (lights, error) {
	meant := sceneLights(&b.scene, b.now)
	if b.shadow == nil {
		return meant, nil
	}
	seen, err := b.shadow.wireLights(&b.scene, b.now)
	if err != nil {
		return nil, err
	}
	if meant.String() != seen.String() {
		return nil, fmt.Errorf("the scene means %v, the light of the LEDs says %v", meant, seen)
	}
	return meant, nil
}

// untilRest lets time go by until a hand has finished.
func (b *bench) untilRest(rest time.Duration) error {
	return b.pass(max(0, rest-b.clock))
}

// order gives the referee a command as the arbiter.
func (b *bench) order(name string, o referee.Order) error {
	var err error
	b.answer, err = b.table.Do(referee.Command{At: b.now, Audit: referee.Audit{
		Role: "arbiter", Name: name, ID: plaintext.Clean(fmt.Sprint("order ", b.now), plaintext.MaxLine), From: plaintext.Const("story"), Order: o,
	}})
	return err
}

// state returns the published state.
func (b *bench) state() (map[string]any, error) {
	p, err := b.table.Core.Published()
	if err != nil {
		return nil, err
	}
	return decode(p)
}

// sameAsJournal folds the journal anew and compares what is on record.
func (b *bench) sameAsJournal() error {
	match, err := b.config.Game.Match()
	if err != nil {
		return err
	}
	again := app.NewCore(app.CoreOptions{Match: match, JID: jid, Stamp: func() record.Stamp { return record.Stamp{} }})
	err = b.journal.Replay(func(_ uint64, p []byte) error {
		_, err := again.Replay(p)
		return err
	})
	if err != nil {
		return err
	}
	was, is := &b.table.Core.State, &again.State
	if now := b.table.Now(); was.Clock.Times(now) != is.Clock.Times(now) || was.Clock.Running != is.Clock.Running {
		return fmt.Errorf("the journal replays to the clocks %+v, the board has %+v", is.Clock, was.Clock)
	}
	if was.Game != is.Game || !slices.Equal(was.Record(), is.Record()) ||
		(was.Phase == referee.Playing) != (is.Phase == referee.Playing) {
		return fmt.Errorf("the journal replays to %s (%v), the board is at %s (%v)",
			is.Transcript(), is.Phase, was.Transcript(), was.Phase)
	}
	return nil
}

// line is a line of a story, with the indented lines that belong to it.
type line struct {
	number int
	text   string
	block  []line
}

// words returns the first word and the rest.
func (l line) words() (first, rest string) {
	first, rest, _ = strings.Cut(l.text, " ")
	return first, strings.TrimSpace(rest)
}

// readStory reads a file: the title is its first comment.
func readStory(name string) (title string, lines []line, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		raw := in.Text()
		text := strings.TrimSpace(raw)
		if comment, ok := strings.CutPrefix(text, "#"); ok {
			if title == "" {
				title = strings.TrimSpace(comment)
			}
			continue
		}
		if at := strings.Index(text, " # "); at >= 0 {
			text = strings.TrimSpace(text[:at])
		}
		switch {
		case text == "":
		case raw[0] == ' ' || raw[0] == '\t':
			if len(lines) == 0 {
				return "", nil, fmt.Errorf("%s:%d: this line belongs to none", name, n)
			}
			last := &lines[len(lines)-1]
			last.block = append(last.block, line{number: n, text: text})
		default:
			lines = append(lines, line{number: n, text: text})
		}
	}
	return title, lines, in.Err()
}

// TestScenarios tells the stories of testdata/scenarios, each with three
// different boards and pairs of hands.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		title, lines, err := readStory(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(3) {
				if where, err := tell(seed+1, lines); err != nil {
					t.Errorf("%s:%d: seed %d: %v", file, where, seed+1, err)
				}
			}
		})
	}
}

// newStory returns the bench of a story: the usual one, or, with the line "board
// NAME", that of a built-in profile.
func newStory(seed uint64, lines []line) (*bench, error) {
	for _, l := range lines {
		first, name := l.words()
		if first != "board" {
			continue
		}
		text, err := configs.Profile(name + ".yaml")
		if err != nil {
			return nil, err
		}
		c, err := configs.Parse(name, text)
		if err != nil {
			return nil, err
		}
		return newBenchOf(c, seed, &memory{})
	}
	return newBench(seed, &memory{})
}

// tell tells one story and returns the line at which it went wrong.
func tell(seed uint64, lines []line) (where int, err error) {
	b, err := newStory(seed, lines)
	if err != nil {
		return 0, err
	}
	for _, l := range lines {
		if b.table == nil && !b.off && !isSetting(l) {
			if err := b.switchOn(); err != nil {
				return l.number, err
			}
		}
		at, err := b.do(l)
		if err != nil {
			return at, err
		}
	}
	last := lines[len(lines)-1].number
	if b.off {
		return last, nil
	}
	if err := b.nothingMore(); err != nil {
		return last, fmt.Errorf("at the end: %w", err)
	}
	return last, errors.Join(b.sameAsJournal(), b.table.Close())
}

// isSetting tells the lines that come before the power is switched on.
func isSetting(l line) bool {
	first, _ := l.words()
	return slices.Contains([]string{"board", "variant", "start", "players", "profile", "clock", "lay"}, first)
}
