package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// mosquitto is a broker that is not ours.
type mosquitto struct {
	t      *testing.T
	port   int
	config string
	cmd    *exec.Cmd
	log    *buffer
	ended  chan struct{}
}

// newMosquitto starts a broker on a port, with more lines of settings. It keeps its
// sessions on disk, so that a subscriber whose connection broke with the broker
// misses nothing that the next one gets.
func newMosquitto(t *testing.T, port int, more ...string) *mosquitto {
	t.Helper()
	dir := t.TempDir()
	m := &mosquitto{t: t, port: port, config: filepath.Join(dir, "mosquitto.conf"), log: new(buffer)}
	user := ""
	if os.Getuid() == 0 {
		user = "user root\n" // the folder is ours alone
	}
	text := fmt.Sprintf("listener %d 127.0.0.1\nallow_anonymous true\nlog_type error\n%spersistence true\n"+
		"persistence_location %s/\nautosave_on_changes true\nautosave_interval 1\n%s\n", port, user, dir, strings.Join(more, "\n"))
	if err := os.WriteFile(m.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m.start()
	t.Cleanup(m.kill)
	return m
}

func (m *mosquitto) start() {
	m.t.Helper()
	m.cmd = exec.CommandContext(context.WithoutCancel(m.t.Context()), broker(m.t), "-c", m.config)
	m.cmd.Stdout, m.cmd.Stderr = m.log, m.log
	if err := m.cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	ended, cmd := make(chan struct{}), m.cmd
	m.ended = ended
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it is killed
	}()
	until(m.t, patience, "mosquitto listens", func() bool {
		c, err := new(net.Dialer).DialContext(m.t.Context(), "tcp", address(m.port))
		if err != nil {
			return false
		}
		return c.Close() == nil
	})
}

// broker finds mosquitto, which Debian keeps where only root looks.
func broker(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("/usr/sbin/mosquitto"); err == nil {
		return path
	}
	return tool(t, "mosquitto", "mosquitto")
}

func (m *mosquitto) kill() {
	_ = m.cmd.Process.Kill() // it may have ended
	<-m.ended
}

// message is what a subscriber has received.
type message struct {
	topic    string
	retained bool
	payload  []byte
	at       time.Time
}

// subscriber is a mosquitto_sub.
type subscriber struct {
	t *testing.T

	mu   sync.Mutex
	all  []message
	news chan struct{}
}

// subscribe starts a mosquitto_sub for everything of all boards, and for more
// topics. With a name the broker keeps its session.
func subscribe(t *testing.T, port int, name string, more ...string) *subscriber {
	t.Helper()
	args := []string{"-h", "127.0.0.1", "-p", fmt.Sprint(port), "-q", "1", "-t", "reversi/v1/#", "-F", "%r %t %p"}
	for _, topic := range more {
		args = append(args, "-t", topic)
	}
	if name != "" {
		args = append(args, "-c", "-i", name)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, tool(t, "mosquitto_sub", "mosquitto-clients"), args...)
	log := new(buffer)
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &subscriber{t: t, news: make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			s.take(lines.Text())
		}
		_ = cmd.Wait() // it is killed
	}()
	t.Cleanup(func() {
		stop()
		<-done
		if t.Failed() && log.String() != "" {
			t.Logf("mosquitto_sub said: %s", log)
		}
	})
	return s
}

// take reads a line "0 topic payload".
func (s *subscriber) take(line string) {
	parts := strings.SplitN(line, " ", 3)
	if len(parts) != 3 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, message{topic: parts[1], retained: parts[0] == "1", payload: []byte(parts[2]), at: time.Now()})
	close(s.news)
	s.news = make(chan struct{})
}

// since returns the messages after the first n, and a channel that is closed
// when there are more.
func (s *subscriber) since(n int) ([]message, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[n:len(s.all):len(s.all)], s.news
}

// count returns how many messages there are.
func (s *subscriber) count() int {
	all, _ := s.since(0)
	return len(all)
}

// wait returns the first message after the first n that is as wanted.
func (s *subscriber) wait(n int, limit time.Duration, what string, is func(m message) bool) message {
	s.t.Helper()
	end := time.After(limit)
	for {
		list, news := s.since(n)
		for _, m := range list {
			if is(m) {
				return m
			}
		}
		n += len(list)
		select {
		case <-news:
		case <-end:
			s.t.Fatalf("%s: not on MQTT within %v; the last of each topic was\n%s", what, limit, s.latest())
		}
	}
}

// latest lists the last message of each topic.
func (s *subscriber) latest() string {
	list, _ := s.since(0)
	last := make(map[string]message)
	for _, m := range list {
		last[m.topic] = m
	}
	var out strings.Builder
	for _, topic := range slices.Sorted(maps.Keys(last)) {
		fmt.Fprintf(&out, "%s %.1000s\n", topic, last[topic].payload)
	}
	return out.String()
}

// availability waits for a word on the availability topic.
func (s *subscriber) availability(n int, limit time.Duration, state string) message {
	s.t.Helper()
	return s.wait(n, limit, "availability "+state, func(m message) bool {
		if !strings.HasSuffix(m.topic, "/availability") {
			return false
		}
		return decode[struct{ State string }](s.t, m.payload).State == state
	})
}

// events returns what a consumer keeps: every number once, in the order of the
// first arrival. It fails the test if a number comes with two contents or a
// number not yet seen comes after a higher one.
func (s *subscriber) events() []event {
	s.t.Helper()
	list, _ := s.since(0)
	var kept []event
	byNumber := make(map[uint64][]byte)
	for _, m := range list {
		if !strings.HasSuffix(m.topic, "/event") {
			continue
		}
		if m.retained {
			s.t.Errorf("an event is retained: %s", m.payload)
		}
		e := readEvent(s.t, m.payload)
		if old, known := byNumber[e.Seq]; known {
			if !bytes.Equal(old, m.payload) {
				s.t.Errorf("event %d came with two contents:\n%s\n%s", e.Seq, old, m.payload)
			}
			continue
		}
		if len(kept) > 0 && e.Seq != kept[len(kept)-1].Seq+1 {
			s.t.Errorf("event %d came after event %d", e.Seq, kept[len(kept)-1].Seq)
		}
		byNumber[e.Seq] = m.payload
		kept = append(kept, e)
	}
	return kept
}

// publish sends one message with mosquitto_pub.
func publish(t *testing.T, port int, topic string, payload []byte) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), tool(t, "mosquitto_pub", "mosquitto-clients"),
		"-h", "127.0.0.1", "-p", fmt.Sprint(port), "-q", "1", "-t", topic, "-s")
	cmd.Stdin = bytes.NewReader(payload)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("mosquitto_pub: %v: %s", err, out)
	}
}

// event is an event as far as the tests look at it.
type event struct {
	Seq  uint64          `json:"seq"`
	Boot int             `json:"boot"`
	Type string          `json:"type"`
	Ply  int             `json:"ply"`
	Game string          `json:"game"`
	FP   string          `json:"board_fp"`
	Data json.RawMessage `json:"data"`

	raw []byte
}

func readEvent(t *testing.T, raw []byte) event {
	t.Helper()
	e := decode[event](t, raw)
	e.raw = raw
	return e
}

// game is what a reader of events knows: a fold that shares nothing with the
// program's.
type game struct {
	running    bool
	moves      []string // squares, and "pass"
	passes     []string // "58:white": white passed before ply 58
	over       json.RawMessage
	transcript string
}

// fold plays events.
func fold(t *testing.T, events []event) (g game) {
	t.Helper()
	for _, e := range events {
		switch e.Type {
		case "game_started":
			g = game{running: true}
		case "move":
			g.moves = append(g.moves, decode[struct{ Move string }](t, e.Data).Move)
		case "pass":
			g.moves = append(g.moves, "pass")
			g.passes = append(g.passes, fmt.Sprintf("%d:%s", e.Ply+1, decode[struct{ By string }](t, e.Data).By))
		case "undo":
			for n := decode[struct{ Plies int }](t, e.Data).Plies; n > 0; {
				if g.moves[len(g.moves)-1] != "pass" {
					n--
				}
				g.moves = g.moves[:len(g.moves)-1]
			}
			g.running, g.over = true, nil
		case "game_over":
			g.running, g.over = false, e.Data
		}
	}
	for _, m := range g.moves {
		if m != "pass" {
			g.transcript += m
		}
	}
	return g
}

// saved waits until the broker has written its sessions to disk after everything
// that has happened so far.
func (m *mosquitto) saved() {
	m.t.Helper()
	begin := time.Now()
	var asked time.Time
	until(m.t, patience, "mosquitto saves its sessions", func() bool {
		// It saves when more than autosave_interval changes have come together, and only
		// what a subscriber gets is one. The time of a file may lie a little before ours:
		// if the first ones seem too old, others follow.
		if time.Since(asked) > time.Second {
			for i := range 3 {
				publish(m.t, m.port, "reversi/v1/save/now", []byte{byte('0' + i)})
			}
			asked = time.Now()
		}
		info, err := os.Stat(filepath.Join(filepath.Dir(m.config), "mosquitto.db"))
		return err == nil && info.ModTime().After(begin)
	})
}

// ply returns the number of discs placed.
func (g game) ply() int { return len(g.transcript) / 2 }
