package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/flight"
	"reversi-board/display"
	"reversi-board/engine"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// replayCommand runs a flight recording again.
func replayCommand() command {
	c := command{
		name:    "replay",
		summary: "Run a flight recording again, compare it bit for bit, and print what happened",
		usage: "replay FILE [--states] [--frames] [--from WHEN] [--to WHEN] [--sense] [--json]\n" +
			"    [--show [--speed N]]",
		example: program + " replay ~/.local/state/reversi-board\n" +
			program + " replay bug-report.zip --from 12m --to 14m30s --states\n" +
			program + " replay flight-00000003.rec --show --speed 4",
	}
	c.run = func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		flags := newFlags(c)
		r := replayer{stdin: stdin, stdout: stdout, stderr: stderr}
		r.define(flags)
		rest, code, done := parseMixed(c, flags, args, stdout, stderr)
		if done {
			return code
		}
		if len(rest) != 1 {
			return usageError(stderr, c.name, "name one recording: a file, the folder of a board's data, or a bug report")
		}
		if err := r.check(); err != nil {
			return usageError(stderr, c.name, err.Error())
		}
		recording, err := flight.Open(rest[0])
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return usageError(stderr, c.name, fmt.Sprintf("there is no recording %.200q", rest[0]))
		case err != nil:
			return fail(stderr, c.name, err)
		}
		if err := r.play(ctx, recording); err != nil {
			return fail(stderr, c.name, err)
		}
		if r.sum.Differences > 0 || len(r.sum.Problems) > 0 {
			return exitError
		}
		return exitOK
	}
	return c
}

// replayer is one run of the command.
type replayer struct {
	stdin          io.Reader
	stdout, stderr io.Writer

	states, frames, json, show, sense bool
	from, to                          string
	speed                             float64
	first, last                       bound

	sum    replaySum
	senser flight.Senser
	// frame and before are what was seen and known before the record that is run,
	// seq is the last event with it.
	frame  flight.Frame
	before referee.State
	seq    uint64
	// state is where the last segment ended, if it did.
	state   *referee.State
	shownAt time.Duration
	lines   chan struct{}
}

// replaySum is what it amounts to.
type replaySum struct {
	Segments    int      `json:"segments"`
	Inputs      int      `json:"inputs"`
	Events      int      `json:"events"`
	Differences int      `json:"differences"`
	Lost        uint64   `json:"lost_records"`
	Problems    []string `json:"problems"`
	// Readings were recorded, Sensed came again from the frames, Strays came and
	// were not recorded; with --sense only.
	Readings int `json:"readings,omitempty"`
	Sensed   int `json:"sensed_again,omitempty"`
	Strays   int `json:"sensed_otherwise,omitempty"`
}

// bound is an end of what is printed: a time since the program started, or the
// number of an event.
type bound struct {
	at  time.Duration
	seq uint64
}

// parseBound reads "12m30s", or "31" for event 31.
func parseBound(text string, missing bound) (bound, error) {
	if text == "" {
		return missing, nil
	}
	if seq, err := strconv.ParseUint(text, 10, 64); err == nil {
		return bound{at: missing.at, seq: seq}, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return missing, fmt.Errorf("%.20q is neither a time since the start, such as 12m30s, nor the number of an event", text)
	}
	return bound{at: d, seq: missing.seq}, nil
}

func (r *replayer) define(fs *flag.FlagSet) {
	fs.BoolVar(&r.states, "states", false, "print the referee's state after every input as well")
	fs.BoolVar(&r.frames, "frames", false, "print every change of the cells as well")
	fs.StringVar(&r.from, "from", "", "print nothing before `WHEN`: a time since the start of the program, such as 12m30s,\nor the number of an event, which ends with the next one")
	fs.StringVar(&r.to, "to", "", "print nothing after `WHEN`")
	fs.BoolVar(&r.sense, "sense", false, "run the changes of the cells through sensing again as well, and compare the readings;\nthey may differ where a disc rested for hardly long enough")
	fs.BoolVar(&r.json, "json", false, "print one JSON object a line; the last one is the sum")
	fs.BoolVar(&r.show, "show", false, "draw the board at every change; Enter goes on")
	fs.Float64Var(&r.speed, "speed", 0, "with --show, go on by itself, `N` times as fast as at the table")
}

func (r *replayer) check() (err error) {
	if r.first, err = parseBound(r.from, bound{at: math.MinInt64}); err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	if r.last, err = parseBound(r.to, bound{at: math.MaxInt64, seq: math.MaxUint64}); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	switch {
	case r.speed < 0 || math.IsNaN(r.speed):
		return errors.New("--speed: want a number above 0")
	case r.speed > 0 && !r.show:
		return errors.New("--speed is for --show")
	case r.show && r.json:
		return errors.New("--show draws for people: not together with --json")
	}
	return nil
}

// play runs all segments.
func (r *replayer) play(ctx context.Context, recording *flight.Recording) error {
	r.sum.Problems = []string{}
	for i := range recording.Names {
		s, err := recording.Segment(i)
		if err != nil {
			r.state = nil
			r.problem(err.Error())
			continue
		}
		if err := r.segment(ctx, s); err != nil {
			return err
		}
	}
	return r.conclude()
}

// problem tells of a part that cannot be replayed.
func (r *replayer) problem(text string) {
	r.sum.Problems = append(r.sum.Problems, text)
	complain(r.stderr, fmt.Sprintf("%s replay: %s", program, plaintext.EscapeLine(text)))
}

// segment runs a segment.
func (r *replayer) segment(ctx context.Context, s *flight.Segment) error {
	r.sum.Segments++
	r.sum.Lost = max(r.sum.Lost, s.Header.Lost)
	if err := r.title(s); err != nil {
		return err
	}
	if s.Header.Continues && r.state != nil && *r.state != s.State {
		r.sum.Differences++
		if err := r.print("DIFFERENCE: %s does not begin with the state in which the segment before it ended\n", s.Name); err != nil {
			return err
		}
	}
	if r.sense {
		r.senser.Sense(s)
	}
	r.frame = flight.Frame{}
	if s.Header.Frame != nil {
		r.frame = *s.Header.Frame
	}
	m := app.Again(s)
	r.before, r.shownAt, r.seq = s.State, s.Header.At, s.Header.Seq
	differences, err := flight.Replay(s, m, func(ran *flight.Ran) error {
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
		return r.tell(ctx, ran)
	})
	r.sum.Differences += differences
	if err != nil {
		return err
	}
	state := *m.State()
	r.state = &state
	if errors.Is(s.Torn, flight.ErrTorn) {
		r.state = nil
		r.problem(s.Name + ": " + s.Torn.Error() + "; what is before it was replayed")
	}
	return nil
}

// print writes for people; in JSON lines there is nothing of it.
func (r *replayer) print(format string, args ...any) error {
	if r.json {
		return nil
	}
	return r.write(fmt.Sprintf(format, args...))
}

func (r *replayer) write(text string) error {
	if _, err := io.WriteString(r.stdout, plaintext.Escape(text)); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

// title says what a segment is.
func (r *replayer) title(s *flight.Segment) error {
	h := &s.Header
	why := map[string]string{
		flight.Started: "the program starts", flight.GameBegins: "a game begins", flight.Long: "the segment before is full",
		flight.Gap: fmt.Sprintf("records before it are lost, %d in all", h.Lost),
	}[h.Reason]
	return r.print("%s: board %s (%s), reversi-board %s, start %d, %s; %s\n",
		s.Name, h.About.Board, h.About.Kind, h.About.Program, h.Boot, h.Wall.Format("2006-01-02 15:04:05"), why)
}

// tell prints a record that has been run again.
func (r *replayer) tell(ctx context.Context, ran *flight.Ran) error {
	defer r.remember(ran)
	rec := ran.Record
	if rec.Step != nil {
		r.sum.Inputs++
		r.sum.Events += len(rec.Step.Events)
		r.seq += uint64(len(rec.Step.Events))
	}
	if !r.wanted(ran) && ran.Difference == "" {
		return nil
	}
	switch {
	case r.json:
		return r.object(ran)
	case rec.Step != nil:
		return r.step(ctx, ran)
	case rec.Frame != nil && r.frames:
		return r.line(ran, "cells", flight.TellFrame(&r.frame, rec.Frame))
	case rec.Doubt != nil && r.frames:
		return r.line(ran, "cells", fmt.Sprintf("%v are no longer believed", *rec.Doubt))
	case rec.Renewed != nil:
		return r.line(ran, "cells", "the board was calibrated, sensing begins anew")
	case rec.Left > 0:
		return r.line(ran, "cells", fmt.Sprintf("%d changes in quick succession were left out", rec.Left))
	}
	return nil
}

// remember keeps what the next record is compared with.
func (r *replayer) remember(ran *flight.Ran) {
	if ran.Record.Frame != nil {
		r.frame = *ran.Record.Frame
	}
	if ran.Record.Step != nil {
		r.before = *ran.State
	}
}

// wanted reports whether a record lies between --from and --to.
func (r *replayer) wanted(ran *flight.Ran) bool {
	seq := r.seq
	return ran.Record.At >= r.first.at && ran.Record.At <= r.last.at && seq >= r.first.seq && seq <= r.last.seq
}

// step prints what the hands did, what the referee was told otherwise, and what
// came of it.
func (r *replayer) step(ctx context.Context, ran *flight.Ran) error {
	step := ran.Record.Step
	hands := flight.TellHands(&r.before, ran.State)
	lines := []struct{ who, text string }{{"hands", hands}, {"told", flight.TellInput(step.Input)}}
	if step.Refused != nil {
		lines = append(lines, struct{ who, text string }{"answer", "no: " + step.Refused.Text})
	}
	for _, l := range lines {
		if l.text == "" {
			continue
		}
		if err := r.line(ran, l.who, l.text); err != nil {
			return err
		}
	}
	for i := range step.Events {
		if err := r.event(&step.Events[i]); err != nil {
			return err
		}
	}
	if r.states {
		s := ran.State
		if err := r.line(ran, "state", fmt.Sprintf("%v %v: %s", s.Phase, s.Step, display.Sentence(s))); err != nil {
			return err
		}
	}
	if ran.Difference != "" {
		if err := r.print("DIFFERENCE at record %d of %s (%T at %v): %s\n",
			ran.Number, ran.Segment.Name, step.Input, ran.Record.At, ran.Difference); err != nil {
			return err
		}
	}
	if r.show && (hands != "" || len(step.Events) > 0) {
		return r.draw(ctx, ran)
	}
	return nil
}

// line prints a line about a record; its wall clock follows from the beginning of
// the segment.
func (r *replayer) line(ran *flight.Ran, who, text string) error {
	h := &ran.Segment.Header
	return r.print("%s %s  %-6s %s\n", monoText(ran.Record.At), wallText(h.Wall.Add(ran.Record.At-h.At)), who, text)
}

// event prints an event with its own times.
func (r *replayer) event(e *flight.Event) error {
	env, ev, err := record.DecodeEvent(e.Payload)
	if err != nil {
		return r.print("an event that this program cannot read (%v): %s\n", err, e.Payload)
	}
	return r.print("%s %s  %-6s %s\n", monoText(env.Mono), wallText(env.TS), fmt.Sprintf("#%d", env.Seq), flight.TellEvent(ev))
}

func monoText(d time.Duration) string {
	return fmt.Sprintf("%4d:%02d.%03d", d/time.Minute, d/time.Second%60, d/time.Millisecond%1000)
}

func wallText(t time.Time) string { return t.UTC().Format("15:04:05.000Z") }

// replayLine is a record in JSON.
type replayLine struct {
	Segment    string            `json:"segment"`
	Record     int               `json:"record"`
	MonoNS     int64             `json:"mono_ns"`
	Input      string            `json:"input,omitempty"`
	Value      referee.Input     `json:"value,omitempty"`
	Order      string            `json:"order,omitempty"`
	Hands      string            `json:"hands,omitempty"`
	Events     []json.RawMessage `json:"events,omitempty"`
	Refused    string            `json:"refused,omitempty"`
	Sentence   string            `json:"sentence,omitempty"`
	Frame      *flight.Frame     `json:"frame,omitempty"`
	Left       uint64            `json:"left_out,omitempty"`
	Difference string            `json:"difference,omitempty"`
}

// object prints a record as JSON.
func (r *replayer) object(ran *flight.Ran) error {
	rec := ran.Record
	l := replayLine{
		Segment: ran.Segment.Name, Record: ran.Number, MonoNS: int64(rec.At), Left: rec.Left, Difference: ran.Difference,
	}
	switch {
	case rec.Step != nil:
		r.stepObject(&l, ran)
	case rec.Frame != nil && r.frames:
		l.Frame = rec.Frame
	case rec.Left == 0:
		return nil
	}
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("write record %d: %w", ran.Number, err)
	}
	return r.write(string(text) + "\n")
}

func (r *replayer) stepObject(l *replayLine, ran *flight.Ran) {
	step := ran.Record.Step
	l.Input, l.Value = strings.TrimPrefix(fmt.Sprintf("%T", step.Input), "referee."), step.Input
	if c, ok := step.Input.(referee.Command); ok {
		l.Order = strings.TrimPrefix(fmt.Sprintf("%T", c.Audit.Order), "referee.")
	}
	l.Hands = flight.TellHands(&r.before, ran.State)
	for _, e := range step.Events {
		l.Events = append(l.Events, e.Payload)
	}
	if step.Refused != nil {
		l.Refused = step.Refused.Text
	}
	if r.states {
		l.Sentence = display.Sentence(ran.State)
	}
}

// draw draws the board and waits.
func (r *replayer) draw(ctx context.Context, ran *flight.Ran) error {
	s := ran.State
	text := "\n" + flight.Draw(s)
	if at := ran.Record.At; s.Clock.On() {
		text += fmt.Sprintf("     black %s  white %s\n",
			flight.TellTime(s.Clock.Remaining(engine.Black, at)), flight.TellTime(s.Clock.Remaining(engine.White, at)))
	}
	text += "   " + display.Sentence(s) + "\n   (" + flight.Legend + ")\n\n"
	if err := r.print("%s", text); err != nil {
		return err
	}
	before := r.shownAt
	r.shownAt = ran.Record.At
	if r.speed == 0 {
		return r.enter(ctx)
	}
	pause := time.NewTimer(time.Duration(float64(ran.Record.At-before) / r.speed))
	defer pause.Stop()
	select {
	case <-pause.C:
		return nil
	case <-ctx.Done():
		return errors.New("interrupted")
	}
}

// enter waits for a line. Behind the last one it waits no more.
func (r *replayer) enter(ctx context.Context) error {
	if r.lines == nil {
		r.lines = make(chan struct{})
		// It ends with standard input, or with the program: nothing else can stop
		// somebody who waits for a key.
		go func() {
			defer close(r.lines)
			for in := bufio.NewScanner(r.stdin); in.Scan(); {
				select {
				case r.lines <- struct{}{}:
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	select {
	case <-r.lines:
		return nil
	case <-ctx.Done():
		return errors.New("interrupted")
	}
}

// sensed prints how well the readings agree.
func (r *replayer) sensed() error {
	got := r.senser.Result()
	r.sum.Readings, r.sum.Sensed, r.sum.Strays = got.Readings, got.Again, len(got.New)
	for _, strays := range []struct {
		what string
		list []flight.Reading
	}{{"was recorded and does not come again", got.Lost}, {"comes now and was not recorded", got.New}} {
		for _, x := range strays.list {
			if err := r.print("%s  a reading %s: %v\n", monoText(x.At), strays.what, x.Discs); err != nil {
				return err
			}
		}
	}
	return r.print("%d readings were recorded; %d of them come from the cells again, and %d others\n", got.Readings, got.Again, len(got.New))
}

// conclude prints the sum.
func (r *replayer) conclude() error {
	if r.sense {
		if err := r.sensed(); err != nil {
			return err
		}
	}
	if r.json {
		text, err := json.Marshal(r.sum)
		if err != nil {
			return fmt.Errorf("write the sum: %w", err)
		}
		return r.write(string(text) + "\n")
	}
	verdict := "all the same, bit for bit"
	if r.sum.Differences > 0 {
		verdict = fmt.Sprintf("%d DIFFERENCES", r.sum.Differences)
	}
	text := fmt.Sprintf("%d inputs and %d events of %d segments replayed: %s", r.sum.Inputs, r.sum.Events, r.sum.Segments, verdict)
	if n := len(r.sum.Problems); n > 0 {
		text += fmt.Sprintf("; %d of the segments are not whole", n)
	}
	return r.write(text + "\n")
}
