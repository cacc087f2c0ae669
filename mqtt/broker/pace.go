package broker

import (
	"net/netip"
	"sync"
	"time"
)

// pace spreads things over time: each takes its time, and some time may be saved up.
// It is the virtual scheduling algorithm of ITU-T I.371 Annex A.
type pace struct {
	mu sync.Mutex
	// due is when all that was taken is paid for.
	due time.Time
}

// take takes cost and returns how long to wait for it; burst is what may be saved up.
func (p *pace) take(now time.Time, cost, burst time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.due = later(p.due, now.Add(-burst)).Add(cost)
	return max(0, p.due.Sub(now))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// budget limits something by address and in all. An address that has used up its own
// part is refused. One that has used nothing lately is not, whatever the others do.
type budget struct {
	// cost of one, and what an address may save up; allCost and allBurst in all, or
	// zero for no limit in all.
	cost, burst       time.Duration
	allCost, allBurst time.Duration

	mu  sync.Mutex
	due map[netip.Prefix]time.Time
	all time.Time
}

// maxAddresses bounds how many addresses are remembered.
const maxAddresses = 4096

// take takes one from an address, and reports whether there was one to take.
func (b *budget) take(now time.Time, from netip.Prefix) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	due := b.due[from]
	next := later(due, now.Add(-b.burst)).Add(b.cost)
	if next.After(now) {
		return false
	}
	if fresh := !due.After(now.Add(-b.burst)); b.allCost > 0 {
		all := later(b.all, now.Add(-b.allBurst)).Add(b.allCost)
		if !fresh && all.After(now) {
			return false
		}
		// Fresh ones are let through and still count, but do not push the end of a
		// drought away for ever.
		b.all = all
		if limit := now.Add(b.allCost); all.After(limit) {
			b.all = limit
		}
	}
	b.remember(from, next)
	return true
}

// giveBack returns what was taken from an address.
func (b *budget) giveBack(from netip.Prefix) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if due, ok := b.due[from]; ok {
		b.due[from] = due.Add(-b.cost)
	}
	if b.allCost > 0 {
		b.all = b.all.Add(-b.allCost)
	}
}

// remember keeps what an address has used; the caller holds the lock. When the table
// is full another one is forgotten: of a few, the one that has used least.
func (b *budget) remember(from netip.Prefix, due time.Time) {
	if b.due == nil {
		b.due = make(map[netip.Prefix]time.Time)
	}
	if _, known := b.due[from]; !known && len(b.due) >= maxAddresses {
		var victim netip.Prefix
		looked := 0
		for address, at := range b.due {
			if looked == 0 || at.Before(b.due[victim]) {
				victim = address
			}
			if looked++; looked == 8 {
				break
			}
		}
		delete(b.due, victim)
	}
	b.due[from] = due
}

// addressOf returns what counts as one address: this computer whatever address of
// its own it uses, a network of 64 bits for IPv6, and otherwise the address.
func addressOf(remote string) netip.Prefix {
	ap, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	a := ap.Addr().Unmap().WithZone("")
	switch {
	case a.IsLoopback():
		a = netip.IPv6Loopback()
	case a.Is6():
		p, _ := a.Prefix(64) // 64 bits are never too many here
		return p
	}
	return netip.PrefixFrom(a, a.BitLen())
}
