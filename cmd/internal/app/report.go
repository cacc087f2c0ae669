package app

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	"reversi-board/cmd/internal/report"
	"reversi-board/configs"
)

// flushTime is how long a bug report waits for the end of the recording.
const flushTime = 2 * time.Second

// saveReport writes a bug report; state is what the page shows. It may be called
// from any goroutine.
func (a *App) saveReport(ctx context.Context, to io.Writer, state []byte) error {
	live := &report.Live{State: state, Uptime: a.now()}
	if health, err := json.Marshal(a.healthView()); err == nil {
		live.Health = health
	}
	if a.recorder != nil {
		flush, cancel := context.WithTimeout(ctx, flushTime)
		defer cancel()
		if err := a.recorder.Flush(flush); err != nil {
			a.log.Warn("the bug report lacks the last seconds", "error", err)
		}
		status := a.recorder.Status()
		live.Recorder = &status
	}
	if a.options.Log != nil {
		live.Log = a.options.Log.Lines()
	}
	wall, _ := a.wall.Look()
	return report.Write(to, report.Options{
		Dir: a.dir, Config: a.config, Version: a.options.Version, Commit: a.options.Commit, Go: a.options.Go,
		Made: wall, Secrets: Secrets(a.config, a.dir), Live: live,
	})
}

// ArbiterToken returns the token by which an arbiter logs in to the page of the
// board with these settings and this data folder, empty if there is none, or none
// that this user may read.
func ArbiterToken(c *configs.Config, dir string) string {
	for _, file := range []string{c.Web.ArbiterTokenFile, filepath.Join(dir, tokenFile)} {
		if token, err := configs.ReadToken(file); err == nil && token != "" {
			return token
		}
	}
	return ""
}

// Secrets lists what must not be in a bug report: the passwords and tokens that the
// settings point to, the token that was made for the page, and where the user's
// files are. What cannot be read cannot be told either.
func Secrets(c *configs.Config, dir string) []string {
	var list []string
	if password, err := c.MQTT.Password(); err == nil {
		list = append(list, password)
	}
	for _, file := range []string{c.Web.ArbiterTokenFile, c.Web.PlayerTokenFile, filepath.Join(dir, tokenFile)} {
		if token, err := configs.ReadToken(file); err == nil {
			list = append(list, token)
		}
	}
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		list = append(list, home)
	}
	// The log may name the folder in another form than the settings do.
	for _, form := range []func(string) (string, error){filepath.Abs, filepath.EvalSymlinks} {
		if path, err := form(dir); err == nil && path != "/" && path != "." {
			list = append(list, path)
		}
	}
	return append(list, dir)
}
