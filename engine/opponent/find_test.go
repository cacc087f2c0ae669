package opponent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reversi-board/engine/opponent"
)

// A program is found on the path, under its whole path and from the folder in which
// it runs; one that is not there is named with where it was looked for.
func TestFindsPrograms(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "player")
	if err := os.WriteFile(own, []byte("#!/bin/sh\n"), 0o700); err != nil { //nolint:gosec // a program is to be run
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for _, c := range []struct {
		command, dir, want, says string
	}{
		{command: "player", want: own},
		{command: own, want: own},
		{command: "./player", dir: dir, want: own},
		{command: "nobody", says: dir + ", /usr/games"},
		{command: "./nobody", dir: dir, says: filepath.Join(dir, "nobody")},
		{command: filepath.Join(dir, "notes"), says: "permission denied"},
		{says: "no command"},
	} {
		got, err := opponent.Find([]string{c.command, "--level", "3"}, c.dir)
		if got != c.want || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q in %q: got %q, %v", c.command, c.dir, got, err)
		}
	}
	if opponent.ForServices(own) || !opponent.ForServices("/usr/games/gtp-rhino") {
		t.Error("a service looks in other folders")
	}
}

// Debian's games are not on the path of a service, and are found all the same:
// gtp-rhino is one that the tests install.
func TestFindsDebiansGames(t *testing.T) {
	t.Setenv("PATH", "/usr/bin")
	if got, err := opponent.Find([]string{"gtp-rhino"}, ""); got != "/usr/games/gtp-rhino" {
		t.Errorf("got %q, %v", got, err)
	}
}
