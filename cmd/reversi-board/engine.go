package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"reversi-board/engine/opponent"
	"reversi-board/engine/opponent/gtp"
	"reversi-board/engine/opponent/nboard"
	"reversi-board/engine/search"
)

// engineCommand lets other programs play with the built-in player.
func engineCommand() command {
	c := command{
		name:    "engine",
		summary: "Play over GTP or NBoard, so that other programs can use the built-in player",
		usage:   "engine gtp|nboard [--level N] [--time D] [--seed S]",
		example: program + " engine gtp --level 5\n" + program + " engine nboard",
	}
	c.run = func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		fs := newFlags(c)
		var f engineFlags
		fs.IntVar(&f.level, "level", 0, "play as strong as `N`, 1 to 10; without it as strong as possible, with NBoard\n"+
			"as deep as it is told")
		fs.DurationVar(&f.time, "time", 2*time.Second, "think `D` at most for a move, when nothing else limits the time")
		fs.Uint64Var(&f.seed, "seed", 0, "draw what the lower levels overlook from `S`; 0 draws anew every time")
		words, code, done := parseMixed(c, fs, args, stdout, stderr)
		if done {
			return code
		}
		switch {
		case len(words) == 0:
			return usageError(stderr, c.name, "say which protocol to speak: gtp or nboard")
		case len(words) > 1:
			return usageError(stderr, c.name, fmt.Sprintf("unexpected argument %.40q", words[1]))
		case f.level < 0 || f.level > opponent.MaxLevel:
			return usageError(stderr, c.name, fmt.Sprintf("--level %d: want 1 to %d", f.level, opponent.MaxLevel))
		case f.time <= 0:
			return usageError(stderr, c.name, fmt.Sprintf("--time %v: want a time like 2s", f.time))
		}
		return f.serve(ctx, words[0], stdin, stdout, stderr)
	}
	return c
}

// engineFlags are the flags of the command.
type engineFlags struct {
	level int
	time  time.Duration
	seed  uint64
}

// serve speaks the protocol until the other side has enough.
func (f *engineFlags) serve(ctx context.Context, protocol string, stdin io.Reader, stdout, stderr io.Writer) int {
	if f.seed == 0 {
		f.seed = rand.Uint64() //nolint:gosec // which mistakes a weak level makes
	}
	var err error
	switch protocol {
	case "gtp":
		err = gtp.Serve(ctx, stdin, stdout, f.gtp())
	case "nboard":
		err = nboard.Serve(ctx, stdin, stdout, f.nboard())
	default:
		return usageError(stderr, "engine", fmt.Sprintf("there is no protocol %.40q: want gtp or nboard", protocol))
	}
	// An interrupt is how people end a program that waits for input.
	if err != nil && ctx.Err() == nil {
		return fail(stderr, "engine", err)
	}
	return exitOK
}

// stopwatch returns a monotonic clock.
func stopwatch() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

func (f *engineFlags) gtp() gtp.ServerOptions {
	now := stopwatch()
	level := f.level
	if level == 0 {
		level = opponent.MaxLevel
	}
	return gtp.ServerOptions{
		Name: program, Version: thisBuild().Version, Level: level, Now: now,
		Hire: func(level int) (opponent.Player, error) {
			return opponent.NewBuiltin(opponent.BuiltinOptions{Level: level, Seed: f.seed, Time: f.time, Now: now})
		},
	}
}

// boardDepth is how deep the NBoard server looks until it is told.
const boardDepth = 8

func (f *engineFlags) nboard() nboard.ServerOptions {
	o := nboard.ServerOptions{Name: program, Depth: boardDepth}
	if f.level > 0 {
		o.Fixed, o.Name = true, opponent.BuiltinName(f.level)
	}
	now := stopwatch()
	o.Mind = func(depth int) nboard.Mind {
		s := search.Options{Level: f.level, Time: f.time, Seed: f.seed, Now: now}
		if f.level == 0 {
			s.Depth = depth
		}
		return search.New(s)
	}
	return o
}
