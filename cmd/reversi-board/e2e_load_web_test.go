//go:build linux && !race

package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// webAttack is one thing that was tried against the page: many connections that each say
// something, and read the answers or not.
type webAttack struct {
	name  string
	conns int
	says  string
	times int
	reads bool
}

// webAttacks are bounded in number; the connections end with the attack.
func webAttacks(player string) []webAttack {
	head := " HTTP/1.1\r\nHost: localhost\r\n"
	return []webAttack{
		{"3,000 wrong bearer tokens", 30, "GET /api/v1/state" + head + "Authorization: Bearer guess-guess\r\n\r\n", 100, true},
		{"3,000 bodies that never come", 3000, "GET /api/v1/time" + head + "Content-Length: 1000\r\n\r\n", 1, false},
		{"1,000 refused orders without their bodies", 1000, "POST /api/v1/command" + head + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n", 1, false},
		{"answers that nobody reads", 300, "GET /" + head + "\r\n", 50, false},
		{"700 anonymous streams", 700, "GET /api/v1/stream" + head + "\r\n", 1, true},
		{"200 streams of a tournament", 200, "GET /api/v1/tournament/stream" + head + "\r\n", 1, true},
		{"a player's flood of orders", 2, "POST /api/v1/command" + head + "Authorization: Bearer " + player +
			"\r\nContent-Type: application/json\r\nContent-Length: 25\r\n\r\n" + `{"name":"agree","id":"1"}`, 1000, true},
	}
}

// run opens the connections; end is closed when they are to end.
func (a *webAttack) run(address string, end <-chan struct{}) {
	var all sync.WaitGroup
	for range a.conns {
		c, err := net.DialTimeout("tcp", address, 5*time.Second) //nolint:noctx // it is closed at the end of the attack
		if err != nil {
			continue
		}
		all.Go(func() {
			<-end
			_ = c.Close()
		})
		all.Go(func() {
			if a.reads {
				go func() { _, _ = io.Copy(io.Discard, c) }()
			}
			_ = c.SetWriteDeadline(time.Now().Add(10 * time.Second))
			_, _ = io.WriteString(c, strings.Repeat(a.says, a.times))
		})
	}
	all.Wait()
}

// Whatever visitors do to the page, within the limits of the unit: moves take no longer,
// an arbiter's orders are carried out, the arbiter's stream stays and a new one opens, and
// memory has an end. The program runs under the unit's own filters; its memory is looked
// at rather than limited, so that a fault shows its size.
func TestGameGoesOnWhileThePageIsAttacked(t *testing.T) {
	memory, tasks := limitsOf(t)
	const arbiter, player = "kT3m-Jw8q-Zp5r-arbiter", "kT3m-Jw8q-Zp5r-player"
	b := newBench(t, noBroker, quick)
	var files [2]string
	for i, token := range []string{arbiter, player} {
		files[i] = filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(files[i], []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.set("web: {", fmt.Sprintf("web: {arbiter_token_file: %q, player_token_file: %q, ", files[0], files[1]))
	t.Setenv(underUnit, unitFile)
	p := b.start()
	if r, err := p.post("/api/v1/login", map[string]any{"token": arbiter}); err != nil || r.Status != "ok" {
		t.Fatalf("%+v %v", r, err)
	}
	w := p.watch()
	w.phase("playing")
	plies := theFinal(t).plies(t, 60)
	measure := func(n int) (moves, orders times) {
		for range n {
			begin := time.Now()
			p.play(w, plies[0])
			moves, plies = append(moves, time.Since(begin)), plies[1:]
			begin = time.Now()
			if r := p.order("identify", nil); r.Status != "ok" {
				t.Errorf("an arbiter's order is answered %+v", r)
			}
			orders = append(orders, time.Since(begin))
		}
		return moves, orders
	}
	quietMoves, quietOrders := measure(4)
	for _, attack := range webAttacks(player) {
		t.Run(attack.name, func(t *testing.T) {
			end := make(chan struct{})
			var running sync.WaitGroup
			running.Go(func() { attack.run(address(b.web), end) })
			moves, orders := measure(3)
			another := p.watch()
			another.phase("playing")
			close(end)
			running.Wait()
			checkTimes(t, "a move", quietMoves, moves)
			checkTimes(t, "an arbiter's order", quietOrders, orders)
			peak, threads := p.figure("VmHWM")<<10, p.figure("Threads")
			t.Logf("the most memory so far %d MB of %d, %d threads of %d", peak>>20, memory>>20, threads, tasks)
			if peak > memory/2 || threads > tasks/2 {
				t.Errorf("%d MB and %d threads, the unit allows %d and %d", peak>>20, threads, memory>>20, tasks)
			}
		})
	}
}
