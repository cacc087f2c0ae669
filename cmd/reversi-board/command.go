package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"reversi-board/engine/plaintext"
)

// program is the name in messages.
const program = "reversi-board"

// The exit statuses.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// command is one subcommand.
type command struct {
	// name is the word on the command line.
	name string
	// summary is one line for the list of commands, without a period.
	summary string
	// usage is the command line after the program's name, such as
	// "perft [--depth N]".
	usage string
	// example is a complete command line, or several lines.
	example string
	// run does the work and returns the exit status. It ends soon after ctx
	// has ended.
	run func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int
}

// dispatch runs the subcommand that args name.
func dispatch(ctx context.Context, list []command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		return usageError(stderr, "", "no command given")
	}
	switch args[0] {
	case "help", "--help", "-help", "-h":
		return help(list, args[1:], stdout, stderr)
	}
	c, ok := find(list, args[0])
	if !ok {
		return usageError(stderr, "", fmt.Sprintf("unknown command %.40q", args[0]))
	}
	return c.run(ctx, args[1:], stdin, stdout, stderr)
}

// find returns the command with a name.
func find(list []command, name string) (command, bool) {
	for _, c := range list {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}

// grouped returns a command of which the first argument says what to do, one of
// what list returns; things is what it does it with, overview what its help has
// below its own text.
func grouped(c command, things string, list func() []command, overview func(list []command) string) command {
	c.run = func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		missing := "say what to do with " + things
		if len(args) == 0 {
			return usageError(stderr, c.name, missing)
		}
		if args[0] == "help" {
			args = append(slices.Clone(args[1:]), "--help")
		}
		if !strings.HasPrefix(args[0], "-") {
			sub, ok := find(list(), args[0])
			if !ok {
				return usageError(stderr, c.name, fmt.Sprintf("there is no %s %.40q", c.name, args[0]))
			}
			return sub.run(ctx, args[1:], stdin, stdout, stderr)
		}
		code, done := parse(c, newFlags(c), args, stdout, stderr)
		switch {
		case done && code == exitOK:
			return printOut(stdout, stderr, overview(list()))
		case done:
			return code
		}
		return usageError(stderr, c.name, missing)
	}
	return c
}

// help prints the list of commands, or one command's help.
func help(list []command, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		c, ok := find(list, args[0])
		if !ok {
			return usageError(stderr, "", fmt.Sprintf("unknown command %.40q", args[0]))
		}
		return c.run(context.Background(), []string{"--help"}, strings.NewReader(""), stdout, stderr)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s runs a physical Reversi board.\n\nUsage: %s COMMAND [flags]\n\nCommands:\n", program, program)
	for _, c := range list {
		fmt.Fprintf(&b, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprintf(&b, "\nEvery command has --help, with an example.\n")
	return printOut(stdout, stderr, b.String())
}

// newFlags returns an empty flag set for c.
func newFlags(c command) *flag.FlagSet {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	// Messages are printed by parse, in one line.
	fs.SetOutput(io.Discard)
	return fs
}

// parse reads args into the flags of c, which takes no other arguments. When
// done is true there is nothing more to do and code is the exit status: help
// was asked for, or the usage was wrong.
func parse(c command, fs *flag.FlagSet, args []string, stdout, stderr io.Writer) (code int, done bool) {
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return printOut(stdout, stderr, c.help(fs)), true
	case err != nil:
		return usageError(stderr, c.name, err.Error()), true
	case fs.NArg() > 0:
		return usageError(stderr, c.name, fmt.Sprintf("unexpected argument %.40q", fs.Arg(0))), true
	}
	return exitOK, false
}

// help returns the text of --help.
func (c command) help(fs *flag.FlagSet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\nUsage: %s %s\n", c.summary, program, c.usage)
	title := "\nFlags:\n"
	fs.VisitAll(func(f *flag.Flag) {
		value, about := flag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "false" {
			about += " (default " + f.DefValue + ")"
		}
		about = strings.ReplaceAll(about, "\n", "\n        ")
		fmt.Fprintf(&b, "%s  %s\n        %s\n", title, strings.TrimRight("--"+f.Name+" "+value, " "), about)
		title = ""
	})
	fmt.Fprintf(&b, "\nExample:\n  %s\n", strings.ReplaceAll(c.example, "\n", "\n  "))
	return b.String()
}

// textFlag is a flag whose value is text from outside.
type textFlag struct {
	to    *plaintext.Text
	limit int
}

// textVar defines a flag of at most limit characters; what to holds is its default.
func textVar(fs *flag.FlagSet, to *plaintext.Text, name string, limit int, usage string) {
	fs.Var(textFlag{to, limit}, name, usage)
}

// String implements flag.Value.
func (f textFlag) String() string {
	if f.to == nil {
		return ""
	}
	return f.to.String()
}

// Set implements flag.Value.
func (f textFlag) Set(value string) (err error) {
	*f.to, err = plaintext.Parse("the text", value, f.limit)
	return err
}

// usageError prints one line about wrong usage and returns the exit status.
func usageError(stderr io.Writer, name, what string) int {
	where, ask := program, program+" --help"
	if name != "" {
		where, ask = program+" "+name, program+" "+name+" --help"
	}
	complain(stderr, fmt.Sprintf("%s: %s (see %s)", where, plaintext.EscapeLine(what), ask))
	return exitUsage
}

// fail prints an error and returns the exit status.
func fail(stderr io.Writer, name string, err error) int {
	complain(stderr, fmt.Sprintf("%s %s: %s", program, name, errorText(err)))
	return exitError
}

// errorText returns what an error says. The name of a file may hold line feeds; they
// do not end the line.
func errorText(err error) string {
	text := err.Error()
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		text = strings.ReplaceAll(text, of.Path, plaintext.EscapeLine(of.Path))
	}
	if of, ok := errors.AsType[*os.LinkError](err); ok {
		text = strings.ReplaceAll(text, of.Old, plaintext.EscapeLine(of.Old))
		text = strings.ReplaceAll(text, of.New, plaintext.EscapeLine(of.New))
	}
	return text
}

// complain prints a line to standard error, with what comes from outside made visible
// (plaintext.Escape). If that is closed, there is nobody left to tell.
func complain(stderr io.Writer, line string) {
	_, _ = fmt.Fprintln(stderr, plaintext.Escape(line))
}

// printOut prints the result of a command for people or as JSON, with what comes from
// outside made visible. A full disk or a closed pipe behind
// standard output is an error like any other: the result is not there.
func printOut(stdout, stderr io.Writer, text string) int {
	if _, err := io.WriteString(stdout, plaintext.Escape(text)); err != nil {
		complain(stderr, fmt.Sprintf("%s: write the output: %v", program, err))
		return exitError
	}
	return exitOK
}

// isTerminal reports whether w is a terminal, so that progress can be drawn on
// it.
func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Stat() (os.FileInfo, error) })
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
