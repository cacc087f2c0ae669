package mqtt

import (
	"bufio"
	"context"
	"io"
	"net"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
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
	for name, up := range map[string]func(t *testing.T) *spawned{
		"Mosquitto": func(t *testing.T) *spawned { t.Helper(); return newMosquitto(t) },
		"NATS":      newNATS,
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
				if got := inOrder(readsAs(t, s, user, want.reads[0])); got != inOrder(want.reads) {
					t.Errorf("%s reads\n%s\nwant\n%s", user, got, inOrder(want.reads))
				}
				if got := inOrder(writesAs(t, s, user, all)); got != inOrder(want.writes) {
					t.Errorf("%s writes\n%s\nwant\n%s", user, got, inOrder(want.writes))
				}
			}
		})
	}
}

// readsAs returns the topics of which a user who subscribes to all of them hears;
// one that he may hear of is published last.
func readsAs(t *testing.T, s *spawned, user, last string) (heard []string) {
	t.Helper()
	addr := s.addr
	_, port, _ := net.SplitHostPort(s.shipped)
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
func writesAs(t *testing.T, s *spawned, user string, all *watcher) (arrived []string) {
	t.Helper()
	addr := s.addr
	_, port, _ := net.SplitHostPort(s.shipped)
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

// as connects a user with a client id, and returns the client and how often it was
// thrown off.
func as(t *testing.T, s *spawned, user, id string) (c paho.Client, thrownOff *atomic.Int32) {
	t.Helper()
	thrownOff = new(atomic.Int32)
	c = paho.NewClient(paho.NewClientOptions().AddBroker("tcp://" + s.shipped).SetClientID(id).SetUsername(user).
		SetPassword(passwordOf(user)).SetProtocolVersion(4).SetAutoReconnect(false).
		SetConnectionLostHandler(func(paho.Client, error) { thrownOff.Add(1) }))
	if k := c.Connect(); !k.WaitTimeout(patience) || k.Error() != nil {
		t.Fatalf("%s as %s: %v", user, id, k.Error())
	}
	t.Cleanup(func() { c.Disconnect(0) })
	return c, thrownOff
}

// A user cannot throw another one off by taking its client id. NATS has no rule about
// ids, so there it is the board whose id nobody knows.
func TestNobodyTakesOverTheClientOfAnother(t *testing.T) {
	t.Parallel()
	for name, up := range map[string]func(t *testing.T) *spawned{
		"Mosquitto": func(t *testing.T) *spawned { t.Helper(); return newMosquitto(t) },
		"NATS":      newNATS,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := up(t)
			j := newJournal(1)
			a := start(t, secret(options(s.shipped, j)))
			online(t, a)
			ids := []string{board, board + "-"}
			desk := new(atomic.Int32)
			if name == "Mosquitto" {
				// The ids are those of the users, so that even one that is known is of no use.
				_, desk = as(t, s, "desk-1", "desk-1")
				ids = append(ids, a.clientID, "desk-1")
			}
			w := watch(t, s.addr, base+"event")
			for _, id := range ids {
				thief, _ := as(t, s, "viewer", id)
				play(a, j, 1)
				seq := j.LastSeq()
				eventually(t, "the event arrives", func() bool { return w.last(base+"event").seq() == seq })
				thief.Disconnect(0)
			}
			if st := a.Status(); st.Connections != 1 {
				t.Errorf("the board was thrown off: %+v", st)
			}
			if desk.Load() > 0 {
				t.Error("desk-1 was thrown off")
			}
		})
	}
}
