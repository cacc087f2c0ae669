package main

import (
	"context"
	"io"
	"log/slog"

	"reversi-board/cmd/internal/app"
	"reversi-board/configs"
)

// runCommand is the main job: the board, its broker and its page.
func runCommand() command {
	c := command{
		name:    "run",
		summary: "Run the board; without --config a simulated one",
		usage:   "run [--config FILE] [--data DIR] [--verbose]",
		example: program + " run\n" + program + " run --config /etc/reversi-board/config.yaml",
	}
	c.run = func(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
		fs := newFlags(c)
		file := fs.String("config", "", "read the settings from `FILE`; what it leaves out is as built in")
		data := fs.String("data", "", "keep the games in `DIR` instead of data.dir of the settings")
		verbose := fs.Bool("verbose", false, "log what usually goes without saying")
		if code, done := parse(c, fs, args, stdout, stderr); done {
			return code
		}
		config := configs.Default()
		if *file != "" {
			var err error
			if config, err = configs.Load(*file); err != nil {
				return fail(stderr, c.name, err)
			}
		}
		level := slog.LevelInfo
		if *verbose {
			level = slog.LevelDebug
		}
		err := app.Run(ctx, app.Options{
			Config: config, DataDir: *data, Version: thisBuild().Version, Out: stdout,
			Logger: slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level})),
		})
		if err != nil {
			return fail(stderr, c.name, err)
		}
		return exitOK
	}
	return c
}
