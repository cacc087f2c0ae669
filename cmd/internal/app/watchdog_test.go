package app

import (
	"net"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// systemd hears that the board is ready, that its loop turns while it does, and
// that it ends (sd_notify(3)).
func TestServiceTellsSystemd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close() //nolint:errcheck // nothing was written
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", "400000")
	_, _, stop := launch(t, nil, furnished)
	var heard []string
	buffer := make([]byte, 256)
	for {
		if err := socket.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
			t.Fatal(err)
		}
		n, err := socket.Read(buffer)
		if err != nil {
			t.Fatalf("heard %q, then %v", heard, err)
		}
		if word := string(buffer[:n]); !slices.Contains(heard, word) {
			heard = append(heard, word)
		}
		if len(heard) == 2 {
			go func() { _ = stop() }() // its error is checked by launch
		}
		if len(heard) == 3 {
			break
		}
	}
	if want := []string{"READY=1", "WATCHDOG=1", "STOPPING=1"}; !slices.Equal(heard, want) {
		t.Errorf("systemd hears %q, want %q", heard, want)
	}
}
