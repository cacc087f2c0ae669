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
	o, err := natsserver.ProcessConfigFile(os.Getenv(natsConfig))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	o.NoSigs = true
	s, err := natsserver.NewServer(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s.ConfigureLogger()
	if err := natsserver.Run(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s.WaitForShutdown()
}

// nats is a NATS server with MQTT, in a process of its own.
type nats struct {
	addr, config string
	cmd          *exec.Cmd
}

// newNATS starts NATS with the settings that we ship.
func newNATS(t *testing.T) *nats {
	t.Helper()
	n := &nats{addr: freeAddr(t)}
	dir := t.TempDir()
	_, port, _ := net.SplitHostPort(n.addr)
	_, client, _ := net.SplitHostPort(freeAddr(t))
	n.config = filepath.Join(dir, "nats.conf")
	text := strings.NewReplacer(
		"host: 0.0.0.0", "host: 127.0.0.1", "port: 1883", "port: "+port, "port: 4222", "port: "+client,
		"http: 127.0.0.1:8222", "", "/var/lib/nats", filepath.Join(dir, "store"),
		"users: [", "users: [ { user: test, password: test }",
	).Replace(shipped(t, "nats.conf"))
	if err := os.WriteFile(n.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	n.up(t)
	t.Cleanup(func() { n.down(t) })
	return n
}

func (n *nats) address() string { return n.addr }

func (n *nats) up(t *testing.T) {
	t.Helper()
	n.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0]) //nolint:gosec // this very test binary
	n.cmd.Env = append(os.Environ(), natsConfig+"="+n.config, "REVERSI_1_PASSWORD="+passwordOf(board))
	for name, user := range map[string]string{
		"DESK": "desk-1", "OPS": "ops-1", "PLAYER": "player-1", "HUB": "hub", "HA": "ha", "VIEWER": "viewer",
	} {
		n.cmd.Env = append(n.cmd.Env, name+"_PASSWORD="+passwordOf(user))
	}
	out := new(lockedBuffer)
	n.cmd.Stdout, n.cmd.Stderr = out, out
	if err := n.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if t.Failed() {
			t.Logf("NATS says\n%s", out)
		}
	}()
	eventually(t, "NATS listens", func() bool {
		var d net.Dialer
		c, err := d.DialContext(t.Context(), "tcp", n.addr)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

// down kills it as a power cut would.
func (n *nats) down(*testing.T) {
	_ = n.cmd.Process.Kill()
	_ = n.cmd.Wait()
}
