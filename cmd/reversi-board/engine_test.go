package main

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
)

// talk runs the command engine with lines on standard input.
func talk(t *testing.T, lines string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := dispatch(t.Context(), commands(), append([]string{"engine"}, args...), strings.NewReader(lines), &stdout, &stderr)
	return outcome{stdout.String(), stderr.String(), code}
}

func TestEngineGTP(t *testing.T) {
	t.Parallel()
	got := talk(t, "name\nplay black f5\n1 genmove white\nquit\n", "gtp", "--level", "2", "--seed", "1")
	if !regexp.MustCompile(`^= reversi-board\n\n=\n\n=1 (d6|f4|f6)\n\n=\n\n$`).MatchString(got.stdout) || got.code != exitOK || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	// Flags may stand before the protocol, and the end of the input is the end.
	if got := talk(t, "protocol_version\n", "--level", "1", "gtp"); got.stdout != "= 2\n\n" || got.code != exitOK {
		t.Errorf("%+v", got)
	}
}

func TestEngineNBoard(t *testing.T) {
	t.Parallel()
	got := talk(t, "nboard 2\nset depth 4\nping 3\nmove F5\ngo\n", "nboard")
	if got.code != exitOK || !strings.HasPrefix(got.stdout, "set myname reversi-board4\npong 3\n") ||
		!regexp.MustCompile(`(?m)^=== (D6|F4|F6)/`).MatchString(got.stdout) {
		t.Errorf("%+v", got)
	}
	if got := talk(t, "set depth 4\n", "nboard", "--level", "3"); got.stdout != "set myname reversi-board level 3\n" {
		t.Errorf("%+v", got)
	}
}

func TestEngineWrongUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{}, {"uci"}, {"gtp", "nboard"}, {"gtp", "--level", "11"}, {"gtp", "--level", "-1"}, {"gtp", "--time", "0s"},
	} {
		got := talk(t, "", args...)
		if got.code != exitUsage || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

// TestEngineInterrupt: an interrupt is a good end.
func TestEngineInterrupt(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"gtp", "nboard"} {
		ctx, cancel := context.WithCancel(t.Context())
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		var stdout, stderr bytes.Buffer
		if code := dispatch(ctx, commands(), []string{"engine", protocol}, r, &stdout, &stderr); code != exitOK || stderr.Len() != 0 {
			t.Errorf("%s: exit %d, %s", protocol, code, stderr.String())
		}
		_ = w.Close()
		_ = r.Close()
	}
}

// TestEngineAgainstItself plays the built program over both protocols against
// the built-in player: server, client, supervisor and referee's rules together.
func TestEngineAgainstItself(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"gtp", "nboard"} {
		self := quoted(protocol, "env", asProgram+"=1", os.Args[0], "engine", protocol, "--level", "1", "--seed", "1")
		r := matchJSON(t, self, "builtin:1", "--games", "2")
		if r.ForfeitsA+r.ForfeitsB != 0 || !strings.Contains(r.A, "reversi-board") {
			t.Errorf("%s: %+v", protocol, r)
		}
	}
}
