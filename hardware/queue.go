package hardware

// fifo is a queue of requests linked through their next field.
type fifo struct {
	head, tail *request
}

func (l *fifo) push(q *request) {
	if l.tail == nil {
		l.head = q
	} else {
		l.tail.next = q
	}
	l.tail = q
}

func (l *fifo) pop() *request {
	q := l.head
	if q == nil {
		return nil
	}
	l.head = q.next
	if l.head == nil {
		l.tail = nil
	}
	q.next = nil
	return q
}

// remove takes q out; it reports whether q was in the queue.
func (l *fifo) remove(q *request) bool {
	var prev *request
	for at := l.head; at != nil; prev, at = at, at.next {
		if at != q {
			continue
		}
		if prev == nil {
			l.head = q.next
		} else {
			prev.next = q.next
		}
		if l.tail == q {
			l.tail = prev
		}
		q.next = nil
		return true
	}
	return false
}

// take returns an unused request.
func (b *Bus) take() *request {
	b.queue.Lock()
	defer b.queue.Unlock()
	q := b.free
	if q == nil {
		return &request{done: make(chan struct{}, 1)}
	}
	b.free = q.next
	q.next = nil
	return q
}

// put gives a finished request back, holding on to nothing of its caller's.
func (b *Bus) put(q *request) {
	*q = request{done: q.done}
	b.queue.Lock()
	q.next = b.free
	b.free = q
	b.queue.Unlock()
}

// enqueue lets q wait for the owner; it reports false if the bus is closed.
func (b *Bus) enqueue(q *request) bool {
	b.queue.Lock()
	if b.closed {
		b.queue.Unlock()
		return false
	}
	b.waiting[q.prio].push(q)
	b.queue.Unlock()
	b.nudge()
	return true
}

// withdraw takes back a request that nobody runs yet; it reports whether it
// came in time.
func (b *Bus) withdraw(q *request) bool {
	b.queue.Lock()
	defer b.queue.Unlock()
	return b.waiting[q.prio].remove(q)
}

// nudge wakes the owner; one token is enough, however many wait.
func (b *Bus) nudge() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// dequeue waits for the next request by priority. After Close it fails those
// that wait, and returns nil when none is left.
func (b *Bus) dequeue() *request {
	for {
		b.queue.Lock()
		closed := b.closed
		var q *request
		for p := range b.waiting {
			if q = b.waiting[p].pop(); q != nil {
				break
			}
		}
		b.queue.Unlock()
		switch {
		case q != nil && closed:
			q.err = ErrClosed
			q.done <- struct{}{}
		case q != nil:
			return q
		case closed:
			return nil
		default:
			<-b.wake
		}
	}
}
