// Package brokertest helps tests with brokers: ports on this computer on which they can
// listen, and certificates. It starts none, and is no part of the program.
package brokertest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// FreePort returns a loopback port that nobody uses until the test ends. It lies below
// the ports that the system gives to outgoing connections, so that it stays free while
// a program or a broker is away; a UDP socket of the same number tells other tests that
// it is taken.
func FreePort(t *testing.T) int {
	t.Helper()
	for range 1000 {
		port := 10000 + rand.IntN(20000) //nolint:gosec // any port will do
		mark, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", Address(port))
		if err != nil {
			continue
		}
		ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", Address(port))
		if err != nil {
			_ = mark.Close()
			continue
		}
		t.Cleanup(func() { _ = mark.Close() })
		if err := ln.Close(); err != nil {
			t.Fatal(err)
		}
		return port
	}
	t.Fatal("no free port found")
	return 0
}

// Address is a port of this computer as host:port.
func Address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
