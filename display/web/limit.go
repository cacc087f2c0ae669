package web

import (
	"sync"
	"time"
)

// bucket is a token bucket: burst at once, rate a second in the long run.
type bucket struct {
	rate, burst float64

	mu    sync.Mutex
	spent float64 // tokens missing
	at    time.Time
}

// allow takes a token if there is one.
func (b *bucket) allow(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.at.IsZero() {
		b.spent = max(0, b.spent-b.rate*now.Sub(b.at).Seconds())
	}
	b.at = now
	if b.spent+1 > b.burst {
		return false
	}
	b.spent++
	return true
}
