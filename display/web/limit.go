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

// full reports whether nothing has been taken that has not come back.
func (b *bucket) full(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at.IsZero() || b.spent <= b.rate*now.Sub(b.at).Seconds()
}

// missing returns how many tokens are missing.
func (b *bucket) missing(now time.Time) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(0, b.spent-b.rate*now.Sub(b.at).Seconds())
}

// back gives a token back.
func (b *bucket) back() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent = max(0, b.spent-1)
}

// limits are what one session may ask for, or one role without a login: what one
// visitor does never costs another one an order.
type limits struct {
	// A page may press five buttons a second, as on MQTT; hands are quicker.
	commands, hands bucket
}

func newLimits() *limits {
	return &limits{commands: bucket{rate: 5, burst: 10}, hands: bucket{rate: 25, burst: 50}}
}

// limitsOf returns the limits of who sent a request.
func (s *Server) limitsOf(v visitor) *limits {
	if v.session != nil {
		return v.session.limits
	}
	return s.orders[v.role]
}
