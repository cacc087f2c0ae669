package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// version and commit are set by the linker: -X main.version=… -X main.commit=….
var (
	version string
	commit  string //nolint:gochecknoglobals // The linker's -X can only set a package variable.
)

// commands lists the subcommands in the order of the help.
func commands() []command {
	return []command{
		runCommand(),
		doctorCommand(),
		calibrateCommand(),
		perftCommand(),
		solveCommand(),
		engineCommand(),
		matchCommand(),
		gamesCommand(),
		tournamentCommand(),
		soakCommand(),
		replayCommand(),
		reportCommand(),
		versionCommand(),
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first interrupt the second one ends the program at once, should
	// the good order take too long.
	context.AfterFunc(ctx, stop)
	code := dispatch(ctx, commands(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
