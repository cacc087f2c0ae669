package broker

import "strings"

// retained counts what users other than the board keep on the broker. It is used under
// the lock that changes of retained messages take turns with.
type retained struct {
	maxCount, maxBytes int

	size  map[string]int // by topic
	bytes int
}

// fits reports whether there is room for a message.
func (r *retained) fits(topic string, n int) bool {
	old, known := r.size[topic]
	count := len(r.size)
	if !known {
		count++
	}
	return count <= r.maxCount && r.bytes-old+n+len(topic) <= r.maxBytes
}

// set notes that a topic holds n bytes, nothing for 0.
func (r *retained) set(topic string, n int) {
	r.bytes -= r.size[topic]
	delete(r.size, topic)
	if n > 0 {
		r.size[topic] = n + len(topic)
		r.bytes += n + len(topic)
	}
}

// isCommand reports whether a topic is one for commands: they are never retained. A
// board would carry one out anew whenever it connects.
func isCommand(topic string) bool {
	parts := strings.SplitN(topic, "/", 5)
	return len(parts) > 3 && parts[0] == "reversi" && parts[3] == "cmd"
}
