package mqtt

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	natsserver "github.com/nats-io/nats-server/v2/server"
)

// natsConfig makes the test binary the broker of a big hall, NATS, with the
// configuration of that name.
const natsConfig = "REVERSI_TEST_NATS_CONFIG"

func natsMain() {
	if err := serveNATS(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serveNATS() error {
	o, err := natsserver.ProcessConfigFile(os.Getenv(natsConfig))
	if err != nil {
		return err
	}
	o.NoSigs = true
	s, err := natsserver.NewServer(o)
	if err != nil {
		return err
	}
	s.ConfigureLogger()
	if err := natsserver.Run(s); err != nil {
		return err
	}
	s.WaitForShutdown()
	return nil
}

// newNATS starts NATS with the settings that we ship, in a process of its own.
func newNATS(t *testing.T) *spawned {
	t.Helper()
	addr, dir := freeAddr(t), t.TempDir()
	_, port, _ := net.SplitHostPort(addr)
	_, client, _ := net.SplitHostPort(freeAddr(t))
	config := filepath.Join(dir, "nats.conf")
	text := strings.NewReplacer(
		"host: 0.0.0.0", "host: 127.0.0.1", "port: 1883", "port: "+port, "port: 4222", "port: "+client,
		"http: 127.0.0.1:8222", "", "/var/lib/nats", filepath.Join(dir, "store"),
		"users: [", "users: [ { user: test, password: test }",
	).Replace(shipped(t, "nats.conf"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), natsConfig+"="+config, "REVERSI_1_PASSWORD="+passwordOf(board))
	for name, user := range map[string]string{
		"DESK": "desk-1", "OPS": "ops-1", "PLAYER": "player-1", "HUB": "hub", "HA": "ha", "VIEWER": "viewer",
	} {
		env = append(env, name+"_PASSWORD="+passwordOf(user))
	}
	s := spawn(t, addr, func(ctx context.Context) *exec.Cmd {
		c := exec.CommandContext(ctx, os.Args[0]) //nolint:gosec // this very test binary
		c.Env = env
		return c
	})
	s.shipped = addr
	return s
}
