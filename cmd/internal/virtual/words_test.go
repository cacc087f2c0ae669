package virtual_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"reversi-board/cmd/internal/virtual"
	"reversi-board/configs"
	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
	"reversi-board/hardware/emu"
	"reversi-board/hardware/sim"
)

// do performs one line of a story and returns the line that went wrong.
//
// Before the power is on:
//
//	board NAME                 another board than that of the defaults
//	variant NAME               the rules
//	start TEXT                 where the game begins
//	players BLACK WHITE        their names
//	profile NAME [with KEY: VALUE, …]   how it is officiated
//	clock TEXT                 how it is timed
//	lay                        discs on the table, eight indented lines of X O -
//
// Hands; the time of the story goes on until they are at rest:
//
//	place SQUARE COLOR, lift SQUARE, turn SQUARE [through empty] [in TIME],
//	slide SQUARE TO [via SQUARE …] [quickly], bring SQUARE black over RIM
//	together                   indented hands at once, each may begin "after TIME"
//	sweep TIME                 all discs off, in any order
//	play TRANSCRIPT            whole moves by ordinary hands; its events are
//	                           checked to be the moves and passes, and nothing else,
//	                           but for what follows from the last move
//	lay                        as above, in no time
//	wait TIME
//
// Checks; events and changes of the LEDs have been asked for thereafter:
//
//	lights none | PATTERN SQUARES, PATTERN SQUARES …
//	flashed SQUARES, swept by COLOR
//	event TEXT, events         all events since the last check, in order
//	no events, nothing         no events; no event and no change of the LEDs
//	says TEXT                  a part of the sentence for page and speech
//	clocks as NAME             the last event has the clocks of the marked one
//	asks none | SQUARES        whether discs lie there that are not seen
//	cells all good | LETTER SQUARES, …   the classes of the cells
//	state WORD VALUE, …        members of the published state
//
// And else:
//
//	press COLOR                the clock
//	mark NAME                  the clocks of the last event
//	order new [VARIANT], order undo PLIES, refused CODE
//	order pause, resume, let_stand, claim [COLOR], pass, resign COLOR
//	order set SQUARES COLOR, … [, COLOR to move]   a ruling about squares; COLOR may be empty
//	order board SQUARES        the same, 64 of X O -, then COLOR to move
//	order revise PLY TRANSCRIPT
//	order mask SQUARES, order confirm SQUARE   what these cells show is wrong; the
//	                           disc that is not seen lies there
//	fail cell SQUARE KIND [N Hz], heal cell SQUARE
//	fail bank RANK KIND, heal bank RANK, lose interrupts
//	short diode SQUARE, heal diodes   on a board of contacts
//	hold SDA RANK for N clocks, hold SDA RANK, hold SCL RANK   a chip hangs the bus
//	short SDA, short SCL, heal bus
//	power off, power on
func (b *bench) do(l line) (where int, err error) {
	first, rest := l.words()
	if b.answer != nil && first != "refused" {
		return l.number, fmt.Errorf("the order before was refused: %s (%s)", b.answer.Code, b.answer.Text)
	}
	switch first {
	case "together":
		return b.together(l)
	case "lay":
		return l.number, b.lay(l.block)
	case "events":
		return l.number, b.expectEvents(texts(l.block))
	case "event":
		return l.number, b.expectEvents([]string{rest})
	}
	if len(l.block) > 0 {
		return l.block[0].number, errors.New("no lines belong to this command")
	}
	if rest, err := b.hand(l.text, b.clock); !errors.Is(err, errNoHand) {
		if err != nil {
			return l.number, err
		}
		return l.number, b.untilRest(rest)
	}
	if err := b.check(first, rest); !errors.Is(err, errNoCheck) {
		return l.number, err
	}
	return l.number, b.command(first, rest)
}

var (
	errNoHand  = errors.New("no hand does this")
	errNoCheck = errors.New("this is no check")
)

func texts(lines []line) []string {
	var t []string
	for _, l := range lines {
		t = append(t, l.text)
	}
	return t
}

// together begins several hands at the same moment.
func (b *bench) together(l line) (where int, err error) {
	var rest time.Duration
	for _, hand := range l.block {
		text, start := hand.text, b.clock
		if after, ok := strings.CutPrefix(text, "after "); ok {
			wait, what, _ := strings.Cut(after, " ")
			d, err := time.ParseDuration(wait)
			if err != nil {
				return hand.number, err
			}
			text, start = what, start+d
		}
		at, err := b.hand(text, start)
		if err != nil {
			return hand.number, err
		}
		rest = max(rest, at)
	}
	return l.number, b.untilRest(rest)
}

// lay puts exactly the discs of a diagram on the table.
func (b *bench) lay(rows []line) error {
	text := strings.NewReplacer("X", "B", "O", "W").Replace(strings.Join(texts(rows), ""))
	d, err := engine.ParseDiscs(text)
	if err != nil {
		return err
	}
	if b.table == nil && !b.off {
		// The discs lie there before the power is switched on.
		if err := b.switchOn(); err != nil {
			return err
		}
	}
	var faces [engine.Squares]sim.Face
	for s := range engine.Square(engine.Squares) {
		faces[s] = virtual.Face(d.At(s))
	}
	b.sim.Set(faces)
	return nil
}

// hand lets a hand begin at start and returns when it will have finished.
func (b *bench) hand(text string, start time.Duration) (time.Duration, error) {
	words := strings.Fields(text)
	if !slices.Contains([]string{"place", "lift", "turn", "slide", "bring"}, words[0]) {
		return 0, errNoHand
	}
	if len(words) < 2 {
		return 0, errors.New("which square?")
	}
	sq, err := engine.ParseSquare(words[1])
	if err != nil {
		return 0, err
	}
	switch more := words[2:]; words[0] {
	case "place":
		return b.place(start, sq, more)
	case "lift":
		return b.sim.Lift(start, int(sq))
	case "turn":
		return b.turn(start, sq, strings.Join(more, " "))
	case "bring":
		return b.bring(start, sq, more)
	default:
		return b.slide(start, sq, more)
	}
}

// bring pushes a new black disc quickly over the square named last to sq.
func (b *bench) bring(start time.Duration, sq engine.Square, more []string) (time.Duration, error) {
	faces := b.sim.Faces()
	from, err := engine.ParseSquare(more[len(more)-1])
	if err != nil {
		return 0, err
	}
	faces[from] = sim.NorthUp
	b.sim.Set(faces)
	return b.sim.Slide(start, int(from), int(sq), sim.SlideOptions{Speed: quickly})
}

// quickly is the speed in mm/s of a disc that is pushed with a jerk.
const quickly = 600

func (b *bench) place(start time.Duration, sq engine.Square, more []string) (time.Duration, error) {
	face := sim.NoDisc
	switch strings.Join(more, " ") {
	case "black":
		face = sim.NorthUp
	case "white":
		face = sim.SouthUp
	}
	return b.sim.Place(start, int(sq), face)
}

// turn turns a disc; how is "", "through empty" or "in TIME".
func (b *bench) turn(start time.Duration, sq engine.Square, how string) (time.Duration, error) {
	style := sim.TurnInPlace
	if more, ok := strings.CutPrefix(how, "through empty"); ok {
		style, how = sim.TurnThroughEmpty, strings.TrimSpace(more)
	}
	var takes time.Duration
	if text, ok := strings.CutPrefix(how, "in "); ok {
		var err error
		if takes, err = time.ParseDuration(text); err != nil {
			return 0, err
		}
	} else if how != "" {
		return 0, fmt.Errorf("nobody turns a disc %q", how)
	}
	return b.sim.Turn(start, int(sq), style, takes)
}

func (b *bench) slide(start time.Duration, from engine.Square, more []string) (time.Duration, error) {
	if len(more) == 0 {
		return 0, errors.New("slide it where to?")
	}
	to, err := engine.ParseSquare(more[0])
	if err != nil {
		return 0, err
	}
	var o sim.SlideOptions
	if more[len(more)-1] == "quickly" {
		o.Speed = quickly
		more = more[:len(more)-1]
	}
	if len(more) > 1 && more[1] == "via" {
		for _, name := range more[2:] {
			s, err := engine.ParseSquare(name)
			if err != nil {
				return 0, err
			}
			o.Via = append(o.Via, int(s))
		}
	}
	return b.sim.Slide(start, int(from), int(to), o)
}

// check performs the lines that look at the board.
func (b *bench) check(first, rest string) error {
	switch first {
	case "lights":
		return b.expectLights(rest)
	case "flashed":
		return b.expectFlash(rest)
	case "swept":
		return b.expectSweep(strings.TrimPrefix(rest, "by "))
	case "no":
		return b.expectEvents(nil)
	case "nothing":
		return b.nothing()
	case "clocks":
		want, got := b.marked[strings.TrimPrefix(rest, "as ")], b.lastClocks()
		if want == "" || got != want {
			return fmt.Errorf("the last event has the clocks %s, want %s", got, want)
		}
		return nil
	case "says":
		if got := display.Sentence(&b.table.Core.State); !strings.Contains(got, rest) {
			return fmt.Errorf("the board says %q, want %q", got, rest)
		}
		return nil
	case "asks":
		if rest == "none" {
			rest = ""
		}
		want, err := engine.ParseSquares(rest)
		if got := b.table.Asked(); err == nil && got != want {
			err = fmt.Errorf("asked about %q, want %q", got, want)
		}
		return err
	case "cells":
		return b.expectCells(rest)
	case "state":
		return b.expectState(rest)
	case "refused":
		refused := b.answer
		b.answer = nil
		if refused == nil || string(refused.Code) != rest || refused.Text == "" {
			return fmt.Errorf("the answer is %v, want refused %s with a reason", refused, rest)
		}
		return nil
	default:
		return errNoCheck
	}
}

// expectCells compares the classes of the cells, as far as they are not good.
func (b *bench) expectCells(text string) error {
	want := []byte(strings.Repeat(".", engine.Squares))
	for part := range strings.SplitSeq(text, ",") {
		letter, names, _ := strings.Cut(strings.TrimSpace(part), " ")
		if letter == "all" {
			continue
		}
		set, err := engine.ParseSquares(expand(names))
		if err != nil {
			return err
		}
		for s := range set.All() {
			want[s] = letter[0]
		}
	}
	// They are looked at five times a second.
	if err := b.pass(200 * time.Millisecond); err != nil {
		return err
	}
	c := b.table.Checkup()
	if got := c.Cells.Classes(); got != string(want) {
		return fmt.Errorf("the cells are\n  got  %s\n  want %s", got, want)
	}
	return nil
}

func (b *bench) expectLights(text string) error {
	want := lights{}
	if text != "none" {
		for part := range strings.SplitSeq(text, ",") {
			name, names, _ := strings.Cut(strings.TrimSpace(part), " ")
			set, err := engine.ParseSquares(expand(names))
			if err != nil {
				return err
			}
			want[name] |= set
		}
	}
	got, err := b.lights()
	if err != nil {
		return err
	}
	if got.String() != want.String() {
		return fmt.Errorf("lights %v, want %v; the board says %q", got, want, display.Sentence(&b.table.Core.State))
	}
	b.changes = 0
	return nil
}

// expectFlash wants one flash for a committed move, over exactly these squares.
func (b *bench) expectFlash(names string) error {
	want, err := engine.ParseSquares(names)
	if err != nil {
		return err
	}
	return b.flashedOnce(want)
}

func (b *bench) flashedOnce(want engine.Bitboard) error {
	got := b.flashes
	b.flashes = nil
	if len(got) != 1 || got[0] != want {
		return fmt.Errorf("the flashes of committed moves went over %v, want one over %v", got, want)
	}
	return nil
}

// expectSweep wants one sweep over all ranks, from the side of who passes: Black
// sits at rank 8. The flash of the move before hides a part of it.
func (b *bench) expectSweep(by string) error {
	steps := b.swept
	b.swept = nil
	var ranks [8]engine.Bitboard
	last := -1
	for _, set := range steps {
		rank := set.First().Rank()
		step := rank
		if by == "black" {
			step = 7 - rank
		}
		if step != last && step != last+1 {
			last = 8 // not in order
			break
		}
		last = step
		ranks[rank] |= set
	}
	for rank, set := range ranks {
		if last != 7 || set|b.flash&(0xFF<<(8*rank)) != 0xFF<<(8*rank) {
			return fmt.Errorf("the sweep of a pass went over %v, want all ranks from %s's side", steps, by)
		}
	}
	return nil
}

func (b *bench) expectEvents(want []string) error {
	got := b.events
	b.events = nil
	for i, w := range want {
		want[i] = canonical(w)
	}
	if slices.Equal(got, want) {
		return nil
	}
	return fmt.Errorf("events\n  got  %s\n  want %s", orNone(got), orNone(want))
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, "\n       ")
}

// nothing wants no event and no change of the LEDs since the last check.
func (b *bench) nothing() error {
	changes := b.changes
	b.changes = 0
	if changes > 0 {
		return fmt.Errorf("the LEDs have changed (%d times), to %v", changes, sceneLights(&b.scene, b.now))
	}
	return b.expectEvents(nil)
}

// nothingMore wants everything that has happened to have been checked.
func (b *bench) nothingMore() error {
	if b.answer != nil {
		return fmt.Errorf("the last order was refused: %s", b.answer.Text)
	}
	return b.expectEvents(nil)
}

// expectState compares members of the published state, "turn white, ply 0".
func (b *bench) expectState(text string) error {
	st, err := b.state()
	if err != nil {
		return err
	}
	for part := range strings.SplitSeq(text, ",") {
		key, want, _ := strings.Cut(strings.TrimSpace(part), " ")
		got := stateText(st, key)
		if key == "sensed" {
			var names string
			names, want, _ = strings.Cut(want, " ")
			set, err := engine.ParseSquares(names)
			if err != nil {
				return err
			}
			got = got[set.First() : set.First()+1]
		}
		if got != want && got != canonical(want) {
			return fmt.Errorf("state %s is %q, want %q", key, got, want)
		}
	}
	return nil
}

// stateText writes a member of the state in the words of stories.
func stateText(st map[string]any, key string) string {
	switch v := st[key].(type) {
	case nil:
		return "none"
	case string:
		return v
	case float64:
		return strconv.Itoa(int(v))
	case []any:
		return names(v)
	case map[string]any:
		return memberText(key, v)
	default:
		return fmt.Sprint(v)
	}
}

func memberText(key string, v map[string]any) string {
	switch key {
	case "pending":
		return strings.TrimSpace(fmt.Sprintf("%v %v open %v", v["by"], v["move"], openFlips(v)))
	case "score":
		return fmt.Sprintf("%v-%v", v["black"], v["white"])
	case "players":
		return fmt.Sprintf("%v %v", v["black"], v["white"])
	case "last":
		return fmt.Sprintf("%v %v", v["by"], v["move"])
	case "problem":
		return stateText(v, "code")
	case "clock":
		return stateText(v, "running")
	case "objection":
		return strings.TrimSpace(fmt.Sprintf("%v ply %v missed %v", v["by"], v["ply"], stateText(v, "missed")))
	default:
		return fmt.Sprint(v)
	}
}

// openFlips returns the discs of a pending move that are still to be turned.
func openFlips(pending map[string]any) string {
	all, _ := engine.ParseSquares(stateText(pending, "to_flip"))
	done, _ := engine.ParseSquares(stateText(pending, "done"))
	return (all &^ done).String()
}

// names joins the squares of a list.
func names(list []any) string {
	var words []string
	for _, v := range list {
		words = append(words, fmt.Sprint(v))
	}
	return strings.Join(words, " ")
}

func decode(payload []byte) (map[string]any, error) {
	var m map[string]any
	err := json.Unmarshal(payload, &m)
	return m, err
}

// eventText writes a published event in the words of stories.
func eventText(payload []byte) string {
	m, err := decode(payload)
	if err != nil {
		return err.Error()
	}
	kind := stateText(m, "type")
	d, _ := m["data"].(map[string]any)
	get := func(key string) string { return stateText(d, key) }
	switch kind {
	case "game_started":
		return canonical(fmt.Sprintf("%s %s, %s to move", kind, get("variant"), get("turn")))
	case "move":
		text := fmt.Sprintf("%s %s %s flips %s%s", kind, get("by"), get("move"), get("flipped"), mistakes(get))
		if why := get("improper"); why != "none" {
			text += " improper " + why
		}
		return canonical(text)
	case "flip_error", "revise", "position_set", "clock_flag", "clock_adjusted", "paused", "resumed", "time_stepped":
		return rulingText(kind, get, d)
	case "pass":
		return kind + " " + get("by")
	case "undo":
		return fmt.Sprintf("%s plies %s to_ply %s %s", kind, get("plies"), get("to_ply"), get("by"))
	case "illegal_move":
		return canonical(fmt.Sprintf("%s %s %s %s", kind, get("by"), get("move"), get("reason")))
	case "game_over":
		return overText(get, d)
	case "sensor_fault", "sensor_restored":
		return canonical(fmt.Sprintf("%s %s %s", kind, get("kind"), get("squares")))
	case "power_restored":
		return strings.TrimSpace(canonical(kind + " changed " + get("changed")))
	case "command":
		return fmt.Sprintf("%s %s %s", kind, get("role"), get("name"))
	default:
		return kind + " ?"
	}
}

// mistakes writes the flips that were missed, and those that were too many.
func mistakes(get func(string) string) string {
	text := ""
	for _, what := range []string{"missed", "extra"} {
		if names := get(what); names != "" {
			text += " " + what + " " + names
		}
	}
	return text
}

// rulingText writes what officials and clocks do.
func rulingText(kind string, get func(string) string, d map[string]any) string {
	switch kind {
	case "flip_error":
		status := get("status")
		if get("claimed") == "true" {
			status = "claimed"
		}
		return canonical(fmt.Sprintf("%s %s ply %s%s", kind, status, get("ply"), mistakes(get)))
	case "revise":
		plies, _ := d["plies"].([]any)
		return fmt.Sprintf("%s from_ply %s, %d plies", kind, get("from_ply"), len(plies))
	case "position_set":
		return fmt.Sprintf("%s %s to move", kind, get("turn"))
	case "clock_flag":
		return fmt.Sprintf("%s %s %s", kind, get("color"), get("effect"))
	case "paused", "resumed":
		return fmt.Sprintf("%s %s", kind, get("by"))
	default:
		return kind
	}
}

// lastClocks returns the clocks of the last event that has any.
func (b *bench) lastClocks() string {
	text := "none"
	err := b.journal.Replay(func(_ uint64, p []byte) error {
		m, err := decode(p)
		if err != nil {
			return err
		}
		d, _ := m["data"].(map[string]any)
		if clocks, ok := d["clock"].(map[string]any); ok && clocks["black_ms"] != nil {
			text = fmt.Sprint(clocks)
		}
		return nil
	})
	if err != nil {
		return err.Error()
	}
	return text
}

func overText(get func(string) string, d map[string]any) string {
	discs, _ := d["discs"].(map[string]any)
	score := "no score"
	if get("black") != "none" {
		score = get("black") + "-" + get("white")
	}
	return canonical(fmt.Sprintf("game_over %s %s discs %s-%s empties %s %s", get("result"), score,
		stateText(discs, "black"), stateText(discs, "white"), get("empties"), get("reason")))
}

// canonical brings lists of squares into one order and writes out "rank 3".
func canonical(text string) string {
	words := strings.Fields(expand(text))
	for i := 0; i < len(words); {
		j := i
		for j < len(words) && isSquare(words[j]) {
			j++
		}
		slices.Sort(words[i:j])
		i = max(j, i+1)
	}
	return strings.Join(words, " ")
}

func isSquare(word string) bool {
	_, err := engine.ParseSquare(word)
	return err == nil
}

// expand writes "rank 3" out as its eight squares.
func expand(text string) string {
	for rank := range 8 {
		text = strings.ReplaceAll(text, fmt.Sprintf("rank %d", rank+1), (engine.Bitboard(0xFF) << (8 * rank)).String())
	}
	return text
}

// command performs the lines that neither move discs nor look.
func (b *bench) command(first, rest string) error {
	switch first {
	case "wait":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		return b.pass(d)
	case "play":
		return b.play(rest)
	case "sweep":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		return b.sweep(d)
	case "board":
		return nil // see newStory
	case "variant":
		b.config.Game.Variant = rest
		return nil
	case "start":
		b.config.Game.Start = rest
		return nil
	case "players":
		black, white, _ := strings.Cut(rest, " ")
		b.config.Game.Players = [2]plaintext.Text{plaintext.Clean(black, plaintext.MaxName), plaintext.Clean(white, plaintext.MaxName)}
		return nil
	case "profile":
		return b.profile(rest)
	case "clock":
		b.config.Game.Clock = rest
		return nil
	case "press":
		return b.press(rest)
	case "mark":
		if b.marked == nil {
			b.marked = map[string]string{}
		}
		b.marked[rest] = b.lastClocks()
		return nil
	case "order":
		return b.giveOrder(rest)
	case "fail", "heal", "lose", "hold", "short":
		return b.fault(first + " " + rest)
	case "power":
		if rest == "off" {
			return b.switchOff()
		}
		return b.switchOn()
	default:
		return fmt.Errorf("a story has no word %q", first)
	}
}

func (b *bench) giveOrder(text string) error {
	name, arg, _ := strings.Cut(text, " ")
	switch name {
	case "new":
		match := b.table.Core.State.Match
		if arg != "" {
			rules, err := engine.Variant(arg)
			if err != nil {
				return err
			}
			match.Rules = rules
		}
		return b.order(name, referee.NewGame{Match: match})
	case "undo":
		plies, err := strconv.Atoi(arg)
		if err != nil {
			return err
		}
		return b.order(name, referee.Undo{Plies: plies})
	case "mask":
		set, err := engine.ParseSquares(arg)
		if err != nil {
			return err
		}
		b.table.Doubt(set)
		return b.order(name, referee.Look{})
	case "confirm":
		sq, err := engine.ParseSquare(arg)
		if err != nil {
			return err
		}
		if !b.table.Asked().Has(sq) {
			return fmt.Errorf("nobody is asked about %v", sq)
		}
		return errors.Join(b.order(name, referee.Look{}), b.table.Confirm(sq))
	default:
		return b.rule(name, arg)
	}
}

// profile chooses how the game is officiated.
func (b *bench) profile(text string) error {
	name, with, _ := strings.Cut(text, " with ")
	yaml, err := configs.EventText(name)
	if err != nil {
		return err
	}
	lines := strings.Split(string(yaml), "\n")
	for change := range strings.SplitSeq(with, ", ") {
		key, _, ok := strings.Cut(change, ":")
		if !ok {
			continue
		}
		i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, key+":") })
		if i < 0 {
			return fmt.Errorf("a profile has no %q", key)
		}
		lines[i] = change
	}
	b.config.Game.Profile = name
	b.config.Game.Officials, err = configs.ParseEvent(name, []byte(strings.Join(lines, "\n")))
	return err
}

// colorNamed reads black, white, or none for an empty text.
func colorNamed(text string) (engine.Color, error) {
	switch text {
	case "black":
		return engine.Black, nil
	case "white":
		return engine.White, nil
	case "", "empty":
		return engine.None, nil
	default:
		return engine.None, fmt.Errorf("there is no color %q", text)
	}
}

// press presses the clock. What lay on the board then may still be on its way to
// the referee.
func (b *bench) press(color string) error {
	c, err := colorNamed(color)
	if err != nil {
		return err
	}
	_, err = b.table.Do(referee.Pressed{At: b.now, By: c, Wait: b.config.Sensing.Settle + 100*time.Millisecond, Moving: b.table.Moving()})
	return err
}

// rule gives an order of an arbiter.
func (b *bench) rule(name, arg string) error {
	c, errColor := colorNamed(arg)
	switch name {
	case "pause":
		return b.order(name, referee.Pause{Reason: plaintext.Clean(arg, plaintext.MaxLine)})
	case "resume":
		return b.order(name, referee.Resume{Reason: plaintext.Clean(arg, plaintext.MaxLine)})
	case "let_stand":
		return b.order(name, referee.LetStand{Reason: plaintext.Clean(arg, plaintext.MaxLine)})
	case "claim":
		return errors.Join(errColor, b.order(name, referee.Claim{By: c}))
	case "pass":
		return errors.Join(errColor, b.order(name, referee.PassPressed{By: c}))
	case "resign":
		return errors.Join(errColor, b.order(name, referee.Resign{Color: c}))
	case "set":
		return b.setSquares(arg)
	case "board":
		return b.setBoard(arg)
	case "revise":
		from, moves, _ := strings.Cut(arg, " ")
		ply, err := strconv.Atoi(from)
		return errors.Join(err, b.order(name, referee.Revise{FromPly: ply, Moves: moves}))
	default:
		return fmt.Errorf("nobody orders %q", name)
	}
}

// setSquares rules about squares: "c3 black, d3 e3 empty, white to move".
func (b *bench) setSquares(text string) error {
	o := referee.CorrectSquare{Turn: engine.None}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if turn, ok := strings.CutSuffix(part, " to move"); ok {
			var err error
			if o.Turn, err = colorNamed(turn); err != nil {
				return err
			}
			continue
		}
		at := strings.LastIndex(part, " ")
		set, errSquares := engine.ParseSquares(part[:max(at, 0)])
		c, errColor := colorNamed(part[at+1:])
		if err := errors.Join(errSquares, errColor); err != nil {
			return err
		}
		switch c {
		case engine.Black:
			o.Black |= set
		case engine.White:
			o.White |= set
		case engine.None:
			o.Empty |= set
		}
	}
	return b.order("correct_square", o)
}

// setBoard rules about all squares.
func (b *bench) setBoard(text string) error {
	board, turn, _ := strings.Cut(text, " ")
	d, err := engine.ParseDiscs(board)
	if err != nil {
		return err
	}
	c, err := colorNamed(strings.TrimSuffix(turn, " to move"))
	if err != nil {
		return err
	}
	return b.order("correct_square", referee.CorrectSquare{Black: d.Black, White: d.White, Empty: d.Empty(), Turn: c})
}

// fault breaks and mends the board.
func (b *bench) fault(text string) error {
	words := strings.Fields(text)
	switch what := strings.Join(words[:2], " "); {
	case what == "lose interrupts":
		b.sim.LoseInterrupts(true)
		return nil
	case what == "short diode" && len(words) == 3:
		sq, err := engine.ParseSquare(words[2])
		if err == nil {
			b.sim.Matrix().FailDiode(int(sq), emu.DiodeShorted)
		}
		return err
	case what == "heal diodes":
		b.sim.Matrix().Heal()
		return nil
	case what == "heal bus":
		b.sim.Bus().Heal()
		return nil
	case what == "short SCL", what == "short SDA":
		b.sim.Bus().Short(words[1] == "SCL", words[1] == "SDA")
		return nil
	case words[0] == "hold" && len(words) > 2:
		return b.hold(words[1:])
	case what == "fail bank" && len(words) == 4:
		how, ok := map[string]sim.BankFault{"nack": sim.BankNack, "reset": sim.BankReset, "frozen": sim.BankFrozen}[words[3]]
		if !ok {
			return fmt.Errorf("no bank fails as %q", words[3])
		}
		return b.sim.FailBank(int(words[2][0]-'1'), how)
	case what == "heal bank" && len(words) == 3:
		return b.sim.HealBank(int(words[2][0] - '1'))
	case what == "fail cell" && len(words) >= 4, what == "heal cell" && len(words) == 3:
		return b.cellFault(words)
	default:
		return fmt.Errorf("nothing fails as %q", text)
	}
}

// hold lets the chip of a rank hold a line of the bus.
func (b *bench) hold(words []string) error {
	chip := 0x20 + uint16(words[1][0]-'1')
	switch line := strings.Join(append(words[:1], words[2:]...), " "); line {
	case "SCL":
		b.sim.Bus().HoldSCL(chip, true)
	case "SDA":
		b.sim.Bus().HoldSDA(chip, -1)
	default:
		clocks := 0
		if _, err := fmt.Sscanf(line, "SDA for %d clocks", &clocks); err != nil {
			return fmt.Errorf("no chip holds %q", line)
		}
		b.sim.Bus().HoldSDA(chip, clocks)
	}
	return nil
}

func (b *bench) cellFault(words []string) error {
	sq, err := engine.ParseSquare(words[2])
	if err != nil {
		return err
	}
	if words[0] == "heal" {
		return b.sim.HealCell(int(sq))
	}
	f := sim.CellFault{}
	switch words[3] {
	case "dead":
		f.Kind = sim.Dead
	case "stuck":
		f.Kind = sim.BothActive
	case "stuck-north":
		f.Kind = sim.StuckNorth
	case "flapping":
		f.Kind = sim.Flapping
		if f.Hz, err = strconv.ParseFloat(words[4], 64); err != nil {
			return err
		}
	default:
		return fmt.Errorf("no cell fails as %q", words[3])
	}
	return b.sim.FailCell(int(sq), f)
}

// sweep takes all discs off the board, in any order, within d.
func (b *bench) sweep(d time.Duration) error {
	var rest time.Duration
	for c, f := range b.sim.Faces() {
		if f == sim.NoDisc {
			continue
		}
		at, err := b.sim.Lift(b.clock+time.Duration(b.rng.Int64N(int64(d))), c)
		if err != nil {
			return err
		}
		rest = max(rest, at)
	}
	return b.untilRest(rest)
}

// play plays moves with ordinary hands and wants the moves, and the passes
// between them, as the only events.
func (b *bench) play(transcript string) error {
	game := b.table.Core.State.Game
	rules := game.Rules
	rules.Start = game.Position
	line, err := notation.ParseTranscript(rules, transcript)
	if err != nil {
		return err
	}
	var owed []string // passes that the next move must be preceded by
	for _, m := range line.Moves {
		sq, ok := m.Square()
		if !ok {
			owed = append(owed, "pass "+game.Turn.String())
			game = game.Pass()
			continue
		}
		if err := b.expectEvents(owed); err != nil {
			return fmt.Errorf("before %v: %w", sq, err)
		}
		flips := game.Flips(sq)
		if err := b.playMove(sq, game.Turn, flips); err != nil {
			return fmt.Errorf("play %v: %w", sq, err)
		}
		want := canonical(fmt.Sprintf("move %v %v flips %v", game.Turn, sq, flips))
		if len(b.events) == 0 || b.events[0] != want {
			return fmt.Errorf("play %v: events\n  got  %s\n  want %s; the board says %q",
				sq, orNone(b.events), want, display.Sentence(&b.table.Core.State))
		}
		b.events = b.events[1:]
		// A cell that cannot be read goes on saying so.
		if err := b.flashedOnce((flips | sq.Bit()) &^ b.table.Core.State.Unsure()); err != nil {
			return fmt.Errorf("play %v: %w", sq, err)
		}
		game, owed = game.Place(sq), nil
	}
	return nil
}

// howToTurn says how a hand turns a disc on this board.
func (b *bench) howToTurn() (sim.TurnStyle, time.Duration) {
	if b.blind {
		return sim.TurnThroughEmpty, 600 * time.Millisecond
	}
	return sim.TurnStyle(b.rng.IntN(2)), 0
}

// playMove places a disc and turns others, which takes an ordinary player
// between one and two seconds.
func (b *bench) playMove(sq engine.Square, mover engine.Color, flips engine.Bitboard) error {
	b.swept = nil
	rest, err := b.sim.Place(b.clock, int(sq), virtual.Face(mover))
	if err != nil {
		return err
	}
	last := rest
	for s := range flips.All() {
		start := rest + time.Duration(b.rng.Int64N(int64(300*time.Millisecond)))
		style, takes := b.howToTurn()
		done, err := b.sim.Turn(start, int(s), style, takes)
		if err != nil {
			return err
		}
		last = max(last, done)
		if b.blind {
			rest = last // Such a board wants one disc after the other.
		}
	}
	return b.untilRest(last + b.reaction)
}
