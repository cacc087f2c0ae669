package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"reversi-board/cmd/internal/app"
	"reversi-board/cmd/internal/report"
	"reversi-board/configs"
)

const (
	// askTime is how long a running board may take to answer, maxReport how long
	// its answer may be.
	askTime   = 30 * time.Second
	maxReport = 256 << 20
)

// reportCommand saves a bug report.
func reportCommand() command {
	c := command{
		name:    "report",
		summary: "Save a bug report: recordings, journal, settings without secrets, versions, health",
		usage:   "report [--config FILE] [--data DIR] [--out FILE]",
		example: program + " report\n" + program + " report --config /etc/reversi-board/config.yaml --out strange-game.zip",
	}
	c.run = func(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
		fs := newFlags(c)
		file := fs.String("config", "", "the settings with which the board runs are in `FILE`")
		data := fs.String("data", "", "the games are in `DIR` instead of data.dir of the settings")
		out := fs.String("out", "", "write the report to `FILE`; without it, to reversi-board-report-TIME.zip here")
		if code, done := parse(c, fs, args, stdout, stderr); done {
			return code
		}
		config := configs.Default()
		if *file != "" {
			var err error
			if config, err = loadConfig(*file); err != nil {
				return fail(stderr, c.name, err)
			}
		}
		r := reporter{config: config, dir: *data, now: time.Now()}
		name := *out
		if name == "" {
			name = "reversi-board-report-" + r.now.UTC().Format("20060102-150405") + ".zip"
		}
		how, err := r.save(ctx, name)
		if err != nil {
			return fail(stderr, c.name, err)
		}
		return printOut(stdout, stderr, fmt.Sprintf("%s: %s\nREADME.txt in it says what it holds; it can be replayed: %s replay %s\n", name, how, program, name))
	}
	return c
}

// reporter is one run of the command.
type reporter struct {
	config *configs.Config
	dir    string
	now    time.Time
}

// save writes the report and says how it was made. A running board makes it
// itself; if none runs here, or it does not let us, the files are read.
func (r *reporter) save(ctx context.Context, name string) (how string, err error) {
	if r.dir == "" {
		if r.dir, err = r.config.Data.Path(); err != nil {
			return "", err
		}
	}
	if _, err := os.Stat(r.dir); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no data folder %s: name the one of the board with --data or --config", r.dir)
	}
	b, why := r.ask(ctx)
	if why != nil {
		var buf bytes.Buffer
		build := thisBuild()
		err := report.Write(&buf, report.Options{
			Dir: r.dir, Config: r.config, Version: build.Version, Commit: build.Commit, Go: build.Go, Made: r.now,
			Secrets: app.Secrets(r.config, r.dir), Why: why.Error(),
		})
		if err != nil {
			return "", err
		}
		b = buf.Bytes()
		how = "made from the files (" + why.Error() + ")"
	} else {
		how = "made by the board, which is running"
	}
	return how, writeNew(name, b)
}

// writeNew writes a file that only its owner can read, and never over another one.
func writeNew(name string, b []byte) error {
	f, err := os.OpenFile(filepath.Clean(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("save the bug report: %w", err)
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("save the bug report: %w", err)
	}
	return nil
}

// ask lets the board that runs here make the report.
func (r *reporter) ask(ctx context.Context) ([]byte, error) {
	if r.config.Web.Listen == "" {
		return nil, errors.New("the board has no page that could be asked")
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.config.Web.URL(r.config.Web.Listen)+"api/v1/report", http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("ask the board: %w", err)
	}
	if token := app.ArbiterToken(r.config, r.dir); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client, err := app.PageClient(&r.config.Web)
	if err != nil {
		return nil, fmt.Errorf("ask the board: %w", err)
	}
	defer client.CloseIdleConnections()
	answer, err := client.Do(req)
	if err != nil {
		return nil, errors.New("the board does not run, or its page does not answer")
	}
	defer answer.Body.Close() //nolint:errcheck // nothing is written to it
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("what answers at the board's page says %s", answer.Status)
	}
	b, err := io.ReadAll(io.LimitReader(answer.Body, maxReport))
	if err != nil {
		return nil, errors.New("the board broke off while it made the report")
	}
	if jid, err := jidOf(b); err != nil || jid != report.JID(r.dir) {
		return nil, errors.New("another board answers at the board's page")
	}
	return b, nil
}

// jidOf returns which journal a report is about.
func jidOf(b []byte) (string, error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return "", fmt.Errorf("read the report: %w", err)
	}
	f, err := z.Open("about.json")
	if err != nil {
		return "", fmt.Errorf("read the report: %w", err)
	}
	defer f.Close() //nolint:errcheck // nothing is written to it
	var about report.About
	if err := json.NewDecoder(io.LimitReader(f, 1<<20)).Decode(&about); err != nil {
		return "", fmt.Errorf("read the report: %w", err)
	}
	return about.JID, nil
}
