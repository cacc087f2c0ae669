package hardware

import "time"

const (
	// probeFirst is how long an opened breaker waits before its first probe.
	probeFirst = 100 * time.Millisecond
	// probeMax bounds the doubling of that wait.
	probeMax = 5 * time.Second
	// probeVanished is the same for an adapter that has gone: to look whether it is
	// back takes no time of the bus.
	probeVanished = time.Second
	// failLimit is how many failures in a row open a breaker.
	failLimit = 3
)

// breaker stops asking what does not answer. Closed, it counts failures in a
// row; open, it refuses until probeAt, then lets one transfer through.
type breaker struct {
	fails   int
	open    bool
	probeAt time.Duration
	backoff time.Duration
	cause   *Error
	opens   uint64
}

// admit reports whether a transfer may go ahead at now, and whether it is the
// probe of an open breaker. A refusal returns the stored cause.
func (k *breaker) admit(now time.Duration) (probe bool, cause *Error) {
	if !k.open {
		return false, nil
	}
	if now < k.probeAt {
		return false, k.cause
	}
	return true, nil
}

// success closes the breaker; it reports whether it was open.
func (k *breaker) success() (closed bool) {
	closed = k.open
	k.fails, k.open, k.backoff, k.cause = 0, false, 0, nil
	return closed
}

// failure counts one failure. It reports whether the breaker opened, or stayed
// open after a failed probe.
func (k *breaker) failure(now time.Duration, limit int, cause *Error) (opened bool) {
	k.fails++
	if !k.open && k.fails < limit {
		return false
	}
	if k.open {
		k.backoff = min(2*k.backoff, probeMax)
	} else {
		k.backoff = probeFirst
		k.opens++
	}
	if cause.Class == Vanished {
		k.backoff = min(k.backoff, probeVanished)
	}
	k.open = true
	k.cause = cause
	k.probeAt = now + k.backoff
	return true
}
