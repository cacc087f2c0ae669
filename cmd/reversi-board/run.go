package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/report"
	"reversi-board/configs"
)

// runCommand is the main job: the board, its broker and its page.
func runCommand() command {
	c := command{
		name:    "run",
		summary: "Run the board; without --config a simulated one",
		usage:   "run [--config FILE] [--simulate] [--data DIR] [--verbose]",
		example: program + " run\n" + program + " run --config /etc/reversi-board/config.yaml\n" +
			program + " run --config reed-64.yaml --simulate",
	}
	c.run = func(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
		flags := newFlags(c)
		file := flags.String("config", "", "read the settings from `FILE`; what it leaves out is as built in. If there is no such\nfile, a built-in profile of that name: "+strings.Join(configs.ProfileNames(), ", "))
		simulate := flags.Bool("simulate", false, "simulate the board that the settings describe")
		data := flags.String("data", "", "keep the games in `DIR` instead of data.dir of the settings")
		verbose := flags.Bool("verbose", false, "log what usually goes without saying")
		if code, done := parse(c, flags, args, stdout, stderr); done {
			return code
		}
		config := configs.Default()
		if *file != "" {
			var err error
			if config, err = loadConfig(*file); err != nil {
				return fail(stderr, c.name, err)
			}
		}
		if *simulate {
			config.Hardware.Simulation.Enabled = true
		}
		level := slog.LevelInfo
		if *verbose {
			level = slog.LevelDebug
		}
		b, lines := thisBuild(), &report.Log{}
		err := app.Run(ctx, app.Options{
			Config: config, DataDir: *data, Version: b.Version, Commit: b.Commit, Go: b.Go, Log: lines, Out: stdout,
			Logger: slog.New(lines.Handler(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))),
		})
		if err != nil {
			return fail(stderr, c.name, err)
		}
		return exitOK
	}
	return c
}

// loadConfig reads a settings file, or a built-in profile if there is no file of
// that name.
func loadConfig(name string) (*configs.Config, error) {
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) && slices.Contains(configs.ProfileNames(), name) {
		text, err := configs.Profile(name)
		if err != nil {
			return nil, err
		}
		return configs.Parse(name, text)
	}
	return configs.Load(name)
}
