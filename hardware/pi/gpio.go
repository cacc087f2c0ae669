package pi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"periph.io/x/conn/v3/gpio"

	"reversi-board/hardware"
)

const (
	// edgeStep is how long an edge is waited for before the line is looked at: on
	// older kernels a wait does not end when the chip goes.
	edgeStep = time.Second
	// goneStep is how often a line that has gone is looked for.
	goneStep = 100 * time.Millisecond
)

// lineFile is an open file for lines of a chip, up to 64 of them: bit k of a mask
// is the k-th line of the request.
type lineFile interface {
	io.Closer
	// values returns the levels of the lines in mask.
	values(mask uint64) (uint64, error)
	// drive sets the levels of the outputs in mask.
	drive(bits, mask uint64) error
	// configure makes the same lines something else.
	configure(r request) error
	// edge waits for an edge, until ctx ends, or as long as most and returns
	// os.ErrDeadlineExceeded.
	edge(ctx context.Context, most time.Duration) error
}

// request is what lines are asked for.
type request struct {
	lines []int
	// output lines are driven to levels from the beginning.
	output bool
	levels uint64
	// pull and edge are for inputs.
	pull gpio.Pull
	edge gpio.Edge
}

// opener asks for lines. requestLines asks the kernel.
type opener func(r request) (lineFile, error)

// pins are lines that are asked for again after their chip has gone.
type pins struct {
	*hardware.Handle[lineFile]
	names string

	// mu guards want: what the lines are to be.
	mu   sync.Mutex
	want request
}

// openPins asks for the pins of the header with these names.
func openPins(open opener, names string, r request, list ...string) (*pins, error) {
	for _, name := range list {
		n, err := parsePin(name)
		if err != nil {
			return nil, err
		}
		r.lines = append(r.lines, n)
	}
	p := &pins{names: names, want: r}
	var err error
	p.Handle, err = hardware.NewHandle(names, nil, func() (lineFile, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return open(p.want)
	})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", names, err)
	}
	return p, nil
}

// note changes what the lines are to be when they are asked for again.
func (p *pins) note(change func(r *request)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.want)
}

// read returns the levels of the lines in mask.
func (p *pins) read(mask uint64) (uint64, error) {
	f, err := p.Acquire()
	if err != nil {
		return 0, err
	}
	v, err := f.values(mask)
	if err = p.Release(err); err != nil {
		return 0, fmt.Errorf("read %s: %w", p.names, err)
	}
	return v & mask, nil
}

// set drives the lines in mask.
func (p *pins) set(bits, mask uint64) error {
	f, err := p.Acquire()
	if err != nil {
		return err
	}
	if err = f.drive(bits, mask); err == nil {
		p.mu.Lock()
		p.want.levels = p.want.levels&^mask | bits&mask
		p.mu.Unlock()
	}
	if err = p.Release(err); err != nil {
		return fmt.Errorf("drive %s: %w", p.names, err)
	}
	return nil
}

// become makes the lines something else.
func (p *pins) become(change func(r *request)) error {
	p.note(change)
	f, err := p.Acquire()
	if err != nil {
		return err
	}
	p.mu.Lock()
	want := p.want
	p.mu.Unlock()
	if err = p.Release(f.configure(want)); err != nil {
		return fmt.Errorf("change %s: %w", p.names, err)
	}
	return nil
}

// Check looks whether the lines are still there, and asks for them again if they
// are not. It is for lines that are seldom used.
func (p *pins) Check() {
	_, _ = p.read(1) // Gone says what became of it.
}

// Input is a pin that is read and waited for. It is opened again after its chip
// has gone.
type Input struct{ *pins }

// OpenInput makes the pin, like "GPIO17", an input with the given pull; edges
// of the given kind can be waited for. gpio.Float leaves the pull that the Pi
// started with, so name one or have a resistor on the board.
func OpenInput(name string, pull gpio.Pull, edge gpio.Edge) (*Input, error) {
	return openInput(requestLines, name, pull, edge)
}

func openInput(open opener, name string, pull gpio.Pull, edge gpio.Edge) (*Input, error) {
	p, err := openPins(open, name, request{pull: pull, edge: edge}, name)
	if err != nil {
		return nil, err
	}
	return &Input{p}, nil
}

// Read returns the level now.
func (i *Input) Read() (gpio.Level, error) {
	v, err := i.read(1)
	return v == 1, err
}

// Wait blocks until an edge arrives, or the pin is back after its chip had gone,
// and then returns nil, or until ctx ends, and then returns its error at once. An
// edge may be missed or seen late: it is a hint, the level counts.
func (i *Input) Wait(ctx context.Context) error {
	for gone := false; ctx.Err() == nil; {
		f, err := i.Acquire()
		if err != nil {
			gone = true
			_ = pause(ctx, goneStep) // The loop asks for the context's end.
			continue
		}
		_ = i.Release(nil) // Nothing has failed.
		if gone {
			return nil
		}
		begun := time.Now()
		switch err = f.edge(ctx, edgeStep); {
		case err == nil:
			return nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			i.Check()
		case hardware.Gone(err):
			i.lost(err)
		case time.Since(begun) < edgeStep/2:
			// A wait that fails at once must not become a busy loop.
			_ = pause(ctx, edgeStep) // As above.
		}
	}
	return ctx.Err()
}

// lost closes the file: waiting for an edge found out that the chip has gone.
func (i *Input) lost(err error) {
	if _, again := i.Acquire(); again == nil {
		_ = i.Release(err) // Gone says it.
	}
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Output is a pin that is driven. It is opened again, at the level that was last
// set, after its chip has gone.
type Output struct{ *pins }

// OpenOutput makes the pin an output at the given level.
func OpenOutput(name string, l gpio.Level) (*Output, error) { return openOutput(requestLines, name, l) }

func openOutput(open opener, name string, l gpio.Level) (*Output, error) {
	p, err := openPins(open, name, request{output: true, levels: bit(l)}, name)
	if err != nil {
		return nil, err
	}
	return &Output{p}, nil
}

func bit(l gpio.Level) uint64 {
	if l {
		return 1
	}
	return 0
}

// Set drives the pin.
func (o *Output) Set(l gpio.Level) error { return o.set(bit(l), 1) }

// Level returns what was last set.
func (o *Output) Level() gpio.Level {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.want.levels == 1
}

// Tap is a second pin on a line of the I²C bus. It is opened again, let go, after
// its chip has gone.
type Tap struct{ *pins }

// OpenTap returns the pin as a second pin on a line of the I²C bus, let go, for
// hardware.Taps.
func OpenTap(name string) (*Tap, error) { return openTap(requestLines, name) }

func openTap(open opener, name string) (*Tap, error) {
	p, err := openPins(open, name, request{pull: gpio.PullNoChange}, name)
	if err != nil {
		return nil, err
	}
	return &Tap{p}, nil
}

// In implements hardware.Tap: it lets the line go.
func (t *Tap) In(pull gpio.Pull, edge gpio.Edge) error {
	return t.become(func(r *request) { r.output, r.levels, r.pull, r.edge = false, 0, pull, edge })
}

// Out implements hardware.Tap.
func (t *Tap) Out(l gpio.Level) error {
	err := t.become(func(r *request) { r.output, r.levels = true, bit(l) })
	if err != nil {
		// Whoever comes back must not find the line pulled.
		t.note(func(r *request) { r.output, r.levels = false, 0 })
	}
	return err
}

// Read implements hardware.Tap. A tap that cannot be read does not say that the
// line is held.
func (t *Tap) Read() gpio.Level {
	v, err := t.read(1)
	return err != nil || v == 1
}

var _ hardware.Tap = (*Tap)(nil)
