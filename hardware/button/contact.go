package button

import "time"

// contact is what is known of one contact. It is stepped with what is seen when;
// it looks at no clock.
type contact struct {
	debounce, hold, stuck time.Duration

	started bool
	// down is what counts, after debouncing, and since when.
	down  bool
	since time.Duration
	// raw is what was seen last, and since when.
	raw      bool
	rawSince time.Duration
	// moving says that raw has differed from down since movedAt, though it may
	// have come back in between.
	moving  bool
	movedAt time.Duration
	// muted says that the press was never reported: the button was down from
	// the beginning.
	muted bool
	// held and dead say what has been reported of this press.
	held, dead bool
}

// restart forgets the contact: nobody has seen what it did meanwhile. A press
// that lasts has not been seen to begin, and will not be reported; that it is
// stuck has been.
func (c *contact) restart() { c.started, c.moving = false, false }

// step takes into account that the contact is seen closed, or not, at now. It
// returns what there is to be reported; ok is false when nothing is.
func (c *contact) step(now time.Duration, closed bool) (e Event, ok bool) {
	if !c.started {
		c.started = true
		c.down, c.since, c.raw, c.rawSince, c.muted = closed, now, closed, now, closed
		c.held = false
		if c.dead && !closed {
			c.dead = false
			return Event{Kind: Recovered, At: now}, true
		}
		return e, false
	}
	if closed != c.raw {
		c.raw, c.rawSince = closed, now
		if !c.moving {
			c.moving, c.movedAt = true, now
		}
	}
	if c.moving && now-c.rawSince < c.debounce {
		// A contact that never comes to rest is broken too.
		if !c.dead && now-c.movedAt >= c.stuck {
			c.dead = true
			return Event{Kind: Stuck, At: now}, true
		}
		return e, false
	}
	if c.moving {
		c.moving = false
		return c.rest()
	}
	return c.last(now)
}

// rest makes the level count at which the contact has come to rest.
func (c *contact) rest() (e Event, ok bool) {
	changed := c.raw != c.down
	if changed {
		c.down, c.since = c.raw, c.movedAt
		c.muted, c.held = false, false
	}
	switch {
	case c.dead && c.down:
		return e, false
	case c.dead:
		c.dead = false
		return Event{Kind: Recovered, At: c.movedAt}, true
	case changed && c.down:
		return Event{Kind: Pressed, At: c.since}, true
	default:
		return e, false
	}
}

// last reports how long a press lasts.
func (c *contact) last(now time.Duration) (e Event, ok bool) {
	if !c.down || c.dead {
		return e, false
	}
	switch {
	case now-c.since >= c.stuck:
		c.dead = true
		return Event{Kind: Stuck, At: now}, true
	case now-c.since >= c.hold && !c.held && !c.muted:
		c.held = true
		return Event{Kind: Held, At: now}, true
	default:
		return e, false
	}
}

// quiet reports whether nothing will happen until the contact moves.
func (c *contact) quiet() bool { return !c.moving && (!c.down || c.dead) }
