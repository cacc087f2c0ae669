package opponent

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
)

// Options say which program plays.
type Options struct {
	// Command is the program and its arguments.
	Command []string
	// Dir is the folder in which it runs, empty for the current one. Some
	// programs find their data there and write there when they end.
	Dir string
	// Limits are its deadlines; what is zero is filled in.
	Limits Limits
	// Logger is told about starts, faults and what the program says.
	Logger *slog.Logger
}

// External is a program that plays, as a supervised child process. It is
// started with the first question.
type External struct {
	o    Options
	dial func() Dialect

	mu      sync.Mutex // guards what follows against Name
	name    string
	wire    *Wire
	dialect Dialect
	// restarted says that this game has had its second start.
	restarted bool
	lost      *LostError
}

// New returns the player of a program that speaks the dialects made by dial.
func New(o Options, dial func() Dialect) *External {
	o.Limits = o.Limits.WithDefaults()
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	x := &External{o: o, dial: dial}
	if len(o.Command) > 0 {
		x.name = filepath.Base(o.Command[0])
	}
	return x
}

// Name returns what the program calls itself; before its first start it is the
// name of its file.
func (x *External) Name() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.name
}

// Start starts the program and waits for its greeting, so that its name is
// known and a wrong command is found out before a game.
func (x *External) Start(ctx context.Context) error { return x.attempts(ctx, x.start) }

// NewGame gives a program that was lost, or restarted, another chance.
func (x *External) NewGame(context.Context) error {
	x.restarted, x.lost = false, nil
	return nil
}

// Move asks the program.
func (x *External) Move(ctx context.Context, q Question) (Answer, error) {
	g, err := q.asked()
	if err != nil {
		return Answer{}, err
	}
	var a Answer
	err = x.attempts(ctx, func(ctx context.Context) error {
		if err := x.start(ctx); err != nil {
			return err
		}
		x.wire.again()
		reply, err := x.dialect.Ask(ctx, x.wire, &q)
		if err != nil {
			return err
		}
		a, err = check(&g, reply)
		return err
	})
	return a, err
}

// attempts does something with the program, and once more with a new one after
// a fault.
func (x *External) attempts(ctx context.Context, do func(context.Context) error) error {
	if x.lost != nil {
		return x.lost
	}
	for {
		err := do(ctx)
		var unsupported *UnsupportedError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &unsupported):
			unsupported.Engine = x.Name()
			return err
		case ctx.Err() != nil:
			x.cancelled(ctx)
			return context.Cause(ctx)
		}
		x.kill()
		if errors.Is(err, StaleError{}) {
			x.o.Logger.Info("the engine is started anew", "engine", x.Name(), "reason", err)
			continue
		}
		if x.restarted {
			x.lost = &LostError{Engine: x.Name(), Reason: err.Error()}
			x.o.Logger.Error("the engine is lost", "engine", x.Name(), "reason", err)
			return x.lost
		}
		x.restarted = true
		x.o.Logger.Warn("the engine is started once more", "engine", x.Name(), "reason", err)
	}
}

// start starts the program if it is not running.
func (x *External) start(ctx context.Context) error {
	if x.wire != nil {
		return nil
	}
	wire, err := dial(ctx, x.o.Command, x.o.Dir, x.o.Limits, x.o.Logger)
	if err != nil {
		return err
	}
	x.wire, x.dialect = wire, x.dial()
	ctx, cancel := silentAfter(ctx, x.o.Limits.Start)
	defer cancel()
	name, err := x.dialect.Greet(ctx, wire)
	if err != nil {
		x.kill()
		return err
	}
	if name != "" {
		x.mu.Lock()
		x.name = shorten(name)
		x.mu.Unlock()
	}
	x.o.Logger.Info("the engine is there", "engine", x.Name(), "pid", wire.cmd.Process.Pid)
	return nil
}

// cancelled is called when a question has been withdrawn. The program stays:
// starting it may take longer than what it still has to say.
func (x *External) cancelled(ctx context.Context) {
	if x.wire == nil {
		return
	}
	ctx, cancel := x.wire.Quick(context.WithoutCancel(ctx))
	defer cancel()
	x.dialect.Cancelled(ctx, x.wire)
}

// kill ends the program at once.
func (x *External) kill() {
	if x.wire != nil {
		x.wire.kill()
		x.wire, x.dialect = nil, nil
	}
}

// Close asks the program to end and kills it if it does not. Nobody may be
// asking it meanwhile.
func (x *External) Close() error {
	if x.wire == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	x.dialect.Goodbye(ctx, x.wire)
	x.wire.leave()
	x.wire, x.dialect = nil, nil
	return nil
}
