package web

import (
	"container/list"
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// The bounds of open connections. A browser opens six at most; an idle one costs
// about 20 kB.
const (
	// maxConnections bounds all of them.
	maxConnections = 1024
	// maxGuests bounds those of visitors who are not logged in and have sent a
	// request. What is left over is for those who are, and for new connections, of
	// which nobody knows yet whose they are.
	maxGuests = maxConnections * 7 / 8
	// maxOfRole bounds those of each role that is logged in.
	maxOfRole = 256
	// maxFromOne bounds those of one address that are not of somebody logged in. A
	// proxy has the connections of all of its visitors: see Options.Proxies.
	maxFromOne = 128
)

// rank says what is known of who opened a connection.
type rank uint8

const (
	// newcomer: no request has come yet.
	newcomer rank = iota
	// guest: somebody who is not logged in.
	guest
	// player and arbiter: somebody who is. From player on they are members.
	player
	arbiter
)

// rankOf returns the rank of somebody who is logged in.
func rankOf(role Role) rank {
	if role == Arbiter {
		return arbiter
	}
	return player
}

// connections is a book of the open connections of a server. A full house makes
// room: the newcomer that has waited longest goes first, then the guest that has
// been idle for longest. A visitor who is logged in is never sent away for others, and
// gets in however many there are: its request follows at once on its connection. Only
// too many connections of the same role make the oldest of these go.
type connections struct {
	// proxies are addresses that stand for many visitors.
	proxies []netip.Addr
	log     *slog.Logger

	mu     sync.Mutex
	open   map[net.Conn]*connection
	ranked [arbiter + 1]list.List // of *connection, the newest last
	idle   list.List              // guests between two requests, the newest last
	from   map[netip.Prefix]int
	// turned counts the connections that were sent away since that was last logged,
	// at told.
	turned int
	told   time.Time
}

// tellPeriod is how often it is logged that connections are sent away.
const tellPeriod = time.Minute

func newConnections(proxies []netip.Addr, log *slog.Logger) *connections {
	return &connections{proxies: proxies, log: log, open: make(map[net.Conn]*connection), from: make(map[netip.Prefix]int)}
}

// connection is an open one.
type connection struct {
	key  net.Conn // as the server has it
	raw  net.Conn
	from netip.Prefix
	// The rest is guarded by the book.
	rank rank
	at   *list.Element
	idle *list.Element
	gone bool
}

// connected is the key under which a context keeps its connection.
type connected struct{}

// enter books a connection that has just been accepted, before anything is read
// from it: as http.Server.ConnContext.
func (b *connections) enter(ctx context.Context, c net.Conn) context.Context {
	raw := c
	if encrypted, ok := c.(*tls.Conn); ok {
		raw = encrypted.NetConn()
	}
	n := &connection{key: c, raw: raw, from: network(c.RemoteAddr().String())}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[c] = n
	n.at = b.ranked[newcomer].PushBack(n)
	b.from[n.from]++
	switch {
	case b.from[n.from] > maxFromOne && !b.proxy(n.from):
		b.away(n)
	case len(b.open) > maxConnections:
		b.makeRoom(n)
	}
	return context.WithValue(ctx, connected{}, n)
}

// proxy reports whether an address stands for many visitors: this computer, where a
// proxy may run, and those that the settings name.
func (b *connections) proxy(from netip.Prefix) bool {
	return from.Addr().IsLoopback() || slices.Contains(b.proxies, from.Addr())
}

// makeRoom sends one connection away for another that has just come; the caller holds
// the lock.
func (b *connections) makeRoom(latest *connection) {
	for _, l := range []*list.List{&b.ranked[newcomer], &b.idle, &b.ranked[guest]} {
		if e := l.Front(); e != nil {
			if c, ok := e.Value.(*connection); ok && c != latest {
				b.away(c)
				return
			}
		}
	}
	b.away(latest)
}

// away closes a connection and strikes it out; the caller holds the lock.
func (b *connections) away(c *connection) {
	b.strike(c)
	_ = c.raw.Close() // its goroutine notices
	b.turned++
	if now := time.Now(); now.Sub(b.told) >= tellPeriod {
		b.log.Warn("too many connections to the page: some were closed", "closed", b.turned, "open", len(b.open), "last_from", c.from.Addr())
		b.turned, b.told = 0, now
	}
}

func (b *connections) strike(c *connection) {
	if c.gone {
		return
	}
	c.gone = true
	delete(b.open, c.key)
	b.ranked[c.rank].Remove(c.at)
	if c.idle != nil {
		b.idle.Remove(c.idle)
		c.idle = nil
	}
	if c.rank < player {
		b.leaveAddress(c)
	}
}

func (b *connections) leaveAddress(c *connection) {
	if b.from[c.from]--; b.from[c.from] <= 0 {
		delete(b.from, c.from)
	}
}

// identify notes whose request a connection has brought. It returns false for a
// guest when the house is full of them.
func (b *connections) identify(ctx context.Context, is rank) bool {
	c, ok := ctx.Value(connected{}).(*connection)
	if !ok {
		return true // a server of somebody else
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.gone {
		return false
	}
	if c.idle != nil {
		b.idle.Remove(c.idle)
		c.idle = nil
	}
	if is == c.rank {
		return true
	}
	if is == guest && b.ranked[guest].Len() >= maxGuests {
		return false
	}
	if is >= player && b.ranked[is].Len() >= maxOfRole {
		if oldest, ok := b.ranked[is].Front().Value.(*connection); ok {
			b.away(oldest)
		}
	}
	b.ranked[c.rank].Remove(c.at)
	switch {
	case is >= player && c.rank < player:
		b.leaveAddress(c)
	case is < player && c.rank >= player:
		b.from[c.from]++
	}
	c.rank = is
	c.at = b.ranked[is].PushBack(c)
	return true
}

// note follows the states of connections: as http.Server.ConnState. Between two
// requests a guest can make room for others.
func (b *connections) note(key net.Conn, s http.ConnState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c, ok := b.open[key]
	if !ok {
		return
	}
	switch s {
	case http.StateIdle:
		if c.rank == guest && c.idle == nil {
			c.idle = b.idle.PushBack(c)
		}
	case http.StateClosed, http.StateHijacked:
		b.strike(c)
	case http.StateNew, http.StateActive:
	}
}
