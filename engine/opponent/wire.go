package opponent

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// maxLine is how much of a line is kept.
	maxLine = 4096
	// maxLines and maxBytes bound what is read in one exchange; an engine that
	// shows its thoughts writes some hundred lines.
	maxLines = 100_000
	maxBytes = 8 << 20
	// maxMessages is how many lines of standard error are logged for each start.
	maxMessages = 20
	// maxQuote bounds what is quoted of a program.
	maxQuote = 60
	// leaveTime is how long a program that was asked to end may take.
	leaveTime = 500 * time.Millisecond
)

// Limits are the deadlines of the exchanges with a program.
type Limits struct {
	// Start is how long it may take to greet after it was started, Answer to
	// answer what needs no thought, and Move to find a move when there is no
	// clock.
	Start, Answer, Move time.Duration
}

// WithDefaults fills in what is zero: 20 s, 10 s and 60 s.
func (l Limits) WithDefaults() Limits {
	fill := func(d *time.Duration, to time.Duration) {
		if *d <= 0 {
			*d = to
		}
	}
	fill(&l.Start, 20*time.Second)
	fill(&l.Answer, 10*time.Second)
	fill(&l.Move, time.Minute)
	return l
}

// clockMargin is how long after its time has run out a program is still waited
// for: whether its flag fell is not decided here.
const clockMargin = 5 * time.Second

// Wire is a running program and the lines to and from it.
type Wire struct {
	limits Limits
	log    *slog.Logger
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	// lines are the program's; it is closed when its output has ended.
	lines chan string
	// gone is closed when the program has ended, and exit is then valid.
	gone chan struct{}
	exit string
	// quiet is closed when its messages have ended.
	quiet chan struct{}
	// stop is closed when nobody is going to read any more.
	stop  chan struct{}
	tasks sync.WaitGroup
	// count and bytes are what was read in this exchange.
	count, bytes int
	// broken says that a line may have been written in part.
	broken bool

	mu   sync.Mutex
	last string // the last line of standard error
}

// dial starts a program.
func dial(ctx context.Context, command []string, dir string, l Limits, log *slog.Logger) (*Wire, error) {
	file, err := Find(command, dir)
	if err != nil {
		return nil, &FaultError{firstLine(err.Error())}
	}
	w := &Wire{
		limits: l, log: log,
		lines: make(chan string, 64), gone: make(chan struct{}), quiet: make(chan struct{}), stop: make(chan struct{}),
	}
	// The program lives as long as the player, not as long as one question.
	w.cmd = exec.CommandContext(context.WithoutCancel(ctx), file, command[1:]...) //nolint:gosec // the user names the program
	w.cmd.Dir = dir
	ownGroup(w.cmd)
	theirs, err := w.pipes()
	if err == nil {
		err = w.cmd.Start()
	}
	for _, f := range theirs {
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		closeAll(w.stdin, w.stdout, w.stderr)
		return nil, &FaultError{"it cannot be started: " + firstLine(err.Error())}
	}
	w.tasks.Go(w.read)
	w.tasks.Go(w.overhear)
	w.tasks.Go(w.reap)
	return w, nil
}

// pipes makes the three pipes and returns the program's ends. They are pipes of
// our own because those of os/exec are closed, with what is still in them, by
// whoever waits for the program.
func (w *Wire) pipes() (theirs []*os.File, err error) {
	in, stdin, err1 := os.Pipe()
	stdout, out, err2 := os.Pipe()
	stderr, messages, err3 := os.Pipe()
	w.stdin, w.stdout, w.stderr = stdin, stdout, stderr
	w.cmd.Stdin, w.cmd.Stdout, w.cmd.Stderr = in, out, messages
	for _, f := range []*os.File{in, out, messages} {
		if f != nil {
			theirs = append(theirs, f)
		}
	}
	if err := errors.Join(err1, err2, err3); err != nil {
		return theirs, fmt.Errorf("make pipes: %w", err)
	}
	return theirs, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close() // a pipe: nothing can be lost
		}
	}
}

// read passes the program's lines on. Nobody has to want them: then the program
// is made to wait by the full pipe.
func (w *Wire) read() {
	defer close(w.lines)
	r := bufio.NewReaderSize(w.stdout, maxLine)
	for {
		line, err := ReadLine(r)
		if err == nil || line != "" {
			select {
			case w.lines <- line:
			case <-w.stop:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// ReadLine reads up to the line feed, which is not returned; of a line that is
// longer than the reader's buffer only the beginning is. Control characters are
// left out, tabs become blanks. The last line may come with io.EOF.
func ReadLine(r *bufio.Reader) (string, error) {
	part, err := r.ReadSlice('\n')
	line := clean(part)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.ReadSlice('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("read a line: %w", err)
	}
	return line, err
}

// clean removes what is no text.
func clean(b []byte) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < ' ' || r == 0x7f:
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(b), "?"))
}

// overhear logs what the program says on standard error.
func (w *Wire) overhear() {
	defer close(w.quiet)
	r := bufio.NewReaderSize(w.stderr, maxLine)
	for n := 0; ; {
		line, err := ReadLine(r)
		if line = strings.TrimSpace(line); line != "" {
			w.mu.Lock()
			w.last = line
			w.mu.Unlock()
			if n++; n <= maxMessages {
				w.log.Info("the engine says", "line", shorten(line))
			}
			if n == maxMessages {
				w.log.Info("what else the engine says is not logged")
			}
		}
		if err != nil {
			return
		}
	}
}

// reap waits for the program's end. Whatever it has started must not outlive
// it.
func (w *Wire) reap() {
	err := w.cmd.Wait()
	killGroup(w.cmd)
	w.exit = "exit status 0"
	if err != nil {
		w.exit = firstLine(err.Error())
	}
	close(w.gone)
}

// Quick bounds an exchange that needs no thought.
func (w *Wire) Quick(ctx context.Context) (context.Context, context.CancelFunc) {
	return silentAfter(ctx, w.limits.Answer)
}

// Thinking bounds an exchange in which the program looks for a move of side.
func (w *Wire) Thinking(ctx context.Context, c Clock, side int) (context.Context, context.CancelFunc) {
	d := w.limits.Move
	if c.Running() {
		d = c.Left[side] + c.Increment + clockMargin
	}
	if c.Limit > 0 {
		d = min(d, c.Limit+clockMargin)
	}
	return silentAfter(ctx, d)
}

func silentAfter(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, &FaultError{"it was silent for " + d.String()})
}

// Send writes one line. The error is a *FaultError, or that of a context that
// has ended.
func (w *Wire) Send(ctx context.Context, line string) error {
	if w.broken {
		return StaleError{}
	}
	// A program that does not read fills the pipe; ctx ends the waiting.
	off := context.AfterFunc(ctx, func() { _ = w.stdin.SetWriteDeadline(time.Unix(1, 0)) })
	_, err := io.WriteString(w.stdin, line+"\n")
	switch {
	case !off():
		w.broken = true
		return context.Cause(ctx)
	case err != nil:
		return w.died()
	}
	return nil
}

// Line returns the program's next line. The error is a *FaultError, or that of
// a context that has ended.
func (w *Wire) Line(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", context.Cause(ctx)
	}
	select {
	case line, ok := <-w.lines:
		if !ok {
			return "", w.died()
		}
		w.count++
		w.bytes += len(line) + 1
		if w.count > maxLines || w.bytes > maxBytes {
			return "", &FaultError{"it writes without end"}
		}
		return line, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// Skip throws away what has been read ahead: nothing is due now.
func (w *Wire) Skip(ctx context.Context) error {
	for len(w.lines) > 0 {
		if _, err := w.Line(ctx); err != nil {
			return err
		}
	}
	return nil
}

// again begins an exchange.
func (w *Wire) again() { w.count, w.bytes = 0, 0 }

// died is the fault of a program whose pipes are closed.
func (w *Wire) died() error {
	text := "it has closed its output"
	late := time.NewTimer(leaveTime)
	defer late.Stop()
	select {
	case <-w.gone:
		text = "it ended (" + w.exit + ")"
		select {
		case <-w.quiet:
		case <-late.C:
		}
	case <-late.C:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last != "" {
		text += " after saying " + Quote(w.last)
	}
	return &FaultError{text}
}

// alive reports whether the program still runs.
func (w *Wire) alive() bool {
	select {
	case <-w.gone:
		return false
	default:
		return true
	}
}

// leave gives the program a moment to end by itself, and kills what is left.
func (w *Wire) leave() {
	_ = w.stdin.Close() // the program sees the end of its input
	t := time.NewTimer(leaveTime)
	defer t.Stop()
	select {
	case <-w.gone:
	case <-t.C:
	}
	w.kill()
}

// kill ends the program, everything that it has started and the goroutines
// around it.
func (w *Wire) kill() {
	if w.alive() {
		killGroup(w.cmd)
	}
	<-w.gone
	close(w.stop)
	// Somebody who left the group may still hold the other ends.
	closeAll(w.stdin, w.stdout, w.stderr)
	w.tasks.Wait()
}

// Quote quotes what a program wrote, shortened.
func Quote(text string) string { return strconv.Quote(shorten(text)) }

func shorten(text string) string {
	if len(text) <= maxQuote {
		return text
	}
	return strings.ToValidUTF8(text[:maxQuote], "") + "…"
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
