package mqtt

import (
	"bufio"
	"context"
	"io"
	"net"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// The topics that the users of a hall try, of this board and of another one.
const (
	ownEvent   = base + "event"
	ownHint    = base + "hint"
	ownNew     = base + "cmd/arbiter/new"
	ownResign  = base + "cmd/player/resign"
	ownHome    = base + "cmd/ha/new"
	ownReplay  = base + "cmd/hub/replay"
	ownLook    = base + "cmd/ops/identify"
	ownAnswer  = base + "resp/desk-1"
	otherState = "reversi/v1/rv-b08/state"
	otherLose  = "reversi/v1/rv-b08/cmd/player/resign"
	allPause   = "reversi/v1/_all/cmd/ops/pause"
	homeStatus = "homeassistant/status"
	homeDevice = "homeassistant/device/rv-b07/config"
	homeFake   = "homeassistant/device/viewer/config"
)

func tried() []string {
	return []string{
		ownEvent, ownHint, ownNew, ownResign, ownHome, ownReplay, ownLook, ownAnswer, otherState, otherLose, allPause,
		homeStatus, homeDevice, homeFake,
	}
}

// TestRightsOfUsers: with the settings for brokers that we ship, each user reads and
// writes what the role is for (README, Access), and nothing else. What counts is what
// arrives: Mosquitto acknowledges what it drops.
func TestRightsOfUsers(t *testing.T) {
	t.Parallel()
	ours := []string{ownEvent, ownHint, ownNew, ownResign, ownHome, ownReplay, ownLook, ownAnswer, otherState, otherLose, allPause}
	without := func(list []string, gone ...string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(gone, s) })
	}
	rights := map[string]struct{ reads, writes []string }{
		board: {
			reads:  []string{ownNew, ownResign, ownHome, ownReplay, ownLook, allPause, homeStatus},
			writes: []string{ownEvent, ownHint, ownNew, ownResign, ownHome, ownReplay, ownLook, ownAnswer, homeDevice},
		},
		"desk-1":   {reads: ours, writes: []string{ownNew}},
		"ops-1":    {reads: ours, writes: []string{ownLook, allPause}},
		"player-1": {reads: []string{ownEvent, ownNew, ownResign, ownHome, ownReplay, ownLook, ownAnswer}, writes: []string{ownResign}},
		"hub":      {reads: ours, writes: []string{ownReplay}},
		"ha":       {reads: append(without(ours, ownHint), homeStatus, homeDevice, homeFake), writes: []string{ownHome, homeStatus, homeDevice, homeFake}},
		"viewer":   {reads: without(ours, ownHint)},
	}
	for name, up := range map[string]func(t *testing.T) server{
		"Mosquitto": func(t *testing.T) server { t.Helper(); return newMosquitto(t) },
		"NATS":      func(t *testing.T) server { t.Helper(); return newNATS(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := up(t)
			all := watch(t, s.address(), "#")
			for _, user := range users() {
				want, ok := rights[user]
				if !ok {
					t.Fatalf("what may %s do?", user)
				}
				inOrder := func(list []string) string { return strings.Join(slices.Sorted(slices.Values(list)), " ") }
				if got := inOrder(readsAs(t, s.address(), user, want.reads[0])); got != inOrder(want.reads) {
					t.Errorf("%s reads\n%s\nwant\n%s", user, got, inOrder(want.reads))
				}
				if got := inOrder(writesAs(t, s.address(), user, all)); got != inOrder(want.writes) {
					t.Errorf("%s writes\n%s\nwant\n%s", user, got, inOrder(want.writes))
				}
			}
		})
	}
}

// readsAs returns the topics of which a user who subscribes to all of them hears;
// one that he may hear of is published last.
func readsAs(t *testing.T, addr, user, last string) (heard []string) {
	t.Helper()
	_, port, _ := net.SplitHostPort(addr)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// It tells of its subscription at once only where it writes line by line.
	args := []string{"-oL", "mosquitto_sub", "-p", port, "-u", user, "-P", passwordOf(user), "-q", "0", "-d", "-F", "heard %t %p"}
	for _, topic := range tried() {
		args = append(args, "-t", topic)
	}
	cmd := exec.CommandContext(ctx, "stdbuf", args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = io.Discard // that some subscriptions are refused
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cancel(); _ = cmd.Wait() }()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "Subscribed (") {
			for _, topic := range tried() {
				publish(t, addr, topic, "x", false)
			}
			publish(t, addr, last, "last", false)
		}
		word, rest, _ := strings.Cut(lines.Text(), " ")
		topic, text, _ := strings.Cut(rest, " ")
		switch {
		case word == "heard" && text == "last":
			return heard
		case word == "heard":
			heard = append(heard, topic)
		}
	}
	t.Fatalf("%s has not heard of %s; only of %q", user, last, heard)
	return nil
}

// writesAs returns the topics on which what a user publishes arrives.
func writesAs(t *testing.T, addr, user string, all *watcher) (arrived []string) {
	t.Helper()
	_, port, _ := net.SplitHostPort(addr)
	for _, topic := range tried() {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		// A broker may acknowledge what it drops, or hang up.
		_ = exec.CommandContext(ctx, "mosquitto_pub", "-p", port, "-u", user, "-P", passwordOf(user), "-q", "1",
			"-t", topic, "-m", "by "+user).Run()
		cancel()
	}
	publish(t, addr, "sync/after-"+user, "x", false)
	eventually(t, "what was published has arrived", func() bool { return len(all.on("sync/after-"+user)) > 0 })
	for _, topic := range tried() {
		if slices.ContainsFunc(all.on(topic), func(r received) bool { return r.payload == "by "+user }) {
			arrived = append(arrived, topic)
		}
	}
	return arrived
}
