package broker

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"strings"
	"time"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// hook decides who may connect, read and write. No rule means no.
type hook struct {
	mochi.HookBase
	salt     []byte
	users    map[string]account
	guests   bool
	guest    User
	turns    *turns
	listener *listener // nil in tests of the rules alone
	retained retained  // guarded by turns
	all      pace      // what all clients but the boards send
}

// account is a user with the password replaced by its keyed hash.
type account struct {
	User
	hash [sha256.Size]byte
}

// newHook keeps only keyed hashes of the passwords, under a key that lives as
// long as the process. A slow hash would protect nothing: the passwords come
// from a file that this process can read.
func newHook(o *Options) *hook {
	h := &hook{
		salt: make([]byte, sha256.Size), users: make(map[string]account, len(o.Users)), guests: o.Guests, guest: guest(),
		turns:    &turns{},
		retained: retained{maxCount: o.MaxRetained, maxBytes: o.MaxRetainedBytes, size: make(map[string]int)},
	}
	_, _ = rand.Read(h.salt) // never fails, see crypto/rand.
	for _, u := range o.Users {
		a := account{User: u, hash: h.digest([]byte(u.Password))}
		a.Password = ""
		h.users[u.Name] = a
	}
	return h
}

func (h *hook) digest(password []byte) (sum [sha256.Size]byte) {
	m := hmac.New(sha256.New, h.salt)
	m.Write(password)
	copy(sum[:], m.Sum(nil))
	return sum
}

// ID implements mochi.Hook.
func (h *hook) ID() string { return "reversi-access" }

// Provides implements mochi.Hook.
func (h *hook) Provides(b byte) bool {
	switch b {
	case mochi.OnConnect, mochi.OnConnectAuthenticate, mochi.OnACLCheck, mochi.OnSubscribe,
		mochi.OnPacketRead, mochi.OnPacketProcessed, mochi.OnWill, mochi.OnWillSent,
		mochi.OnRetainMessage, mochi.OnQosPublish, mochi.OnQosComplete, mochi.OnQosDropped:
		return true
	default:
		return false
	}
}

// OnConnect implements mochi.Hook: no session outlives its connection, whatever the
// client asks for. What would be kept for those that never come back has no end, and
// a client that has missed events asks the board for them.
func (h *hook) OnConnect(cl *mochi.Client, _ packets.Packet) error {
	cl.Properties.Clean = true
	return nil
}

// OnConnectAuthenticate implements mochi.Hook. A will is checked here, because
// mochi publishes wills without asking anybody.
func (h *hook) OnConnectAuthenticate(cl *mochi.Client, pk packets.Packet) bool {
	c := connOf(cl)
	// Whoever guesses too often is not answered, not even when the guess is right.
	if pk.Connect.UsernameFlag && !h.listener.mayTry(c) {
		return false
	}
	u, ok := h.login(pk)
	if !ok {
		if pk.Connect.UsernameFlag {
			h.listener.told.Warn("mqtt broker: wrong user name or password",
				"remote", cl.Net.Remote, "user", fmt.Sprintf("%.64s", pk.Connect.Username))
		}
		return false
	}
	if pk.Connect.UsernameFlag {
		h.listener.right(c)
	}
	// A client id that is the name of a user belongs to that user, and one that is
	// in use to the user who has it: a second client with the same id throws the
	// first one out.
	if _, taken := h.users[cl.ID]; taken && cl.ID != u.Name {
		return false
	}
	if old, ok := h.listener.server.Clients.Get(cl.ID); ok && string(old.Properties.Username) != u.Name {
		h.listener.told.Warn("mqtt broker: a client wants the id of another user's client", "remote", cl.Net.Remote, "id", cl.ID)
		return false
	}
	if pk.Connect.WillFlag && !h.mayWill(&u, pk) {
		return false
	}
	return h.listener.seat(c, u.Board)
}

// mayWill reports whether a user may leave a will like that of a CONNECT.
func (h *hook) mayWill(u *User, pk packets.Packet) bool {
	topic := pk.Connect.WillTopic
	return isTopic(topic) && allowed(u.Write, topic) && (!pk.Connect.WillRetain || !isCommand(topic))
}

// login returns the user that a CONNECT names and proves to be.
func (h *hook) login(pk packets.Packet) (User, bool) {
	if !pk.Connect.UsernameFlag {
		return h.guest, h.guests && !pk.Connect.PasswordFlag
	}
	a, known := h.users[string(pk.Connect.Username)]
	sum := h.digest(pk.Connect.Password)
	same := subtle.ConstantTimeCompare(sum[:], a.hash[:]) == 1
	return a.User, known && same
}

// user returns who a connected client is.
func (h *hook) user(cl *mochi.Client) (User, bool) {
	if name := string(cl.Properties.Username); name != "" {
		a, known := h.users[name]
		return a.User, known
	}
	return h.guest, h.guests
}

// OnACLCheck implements mochi.Hook. It is asked with a topic at publishing and
// at delivery, and with a filter at subscribing.
func (h *hook) OnACLCheck(cl *mochi.Client, topic string, write bool) bool {
	u, known := h.user(cl)
	if !known {
		return false
	}
	if write {
		return isTopic(topic) && allowed(u.Write, topic)
	}
	return allowed(u.Read, topic)
}

// isTopic reports whether t names one topic: no wildcards, not empty, and not longer
// than any topic of ours.
func isTopic(t string) bool {
	for i := range len(t) {
		if t[i] == '+' || t[i] == '#' || t[i] == 0 {
			return false
		}
	}
	return t != "" && isShort(t)
}

// isShort reports whether a topic or filter is of a size that this project uses.
func isShort(t string) bool {
	return len(t) <= maxTopic && strings.Count(t, "/") < maxLevels
}

// OnSubscribe implements mochi.Hook: a filter for which there is no room is replaced
// by one that mochi refuses.
func (h *hook) OnSubscribe(cl *mochi.Client, pk packets.Packet) packets.Packet {
	u, _ := h.user(cl)
	if u.Board {
		return pk
	}
	o := &h.listener.o
	own, all := cl.State.Subscriptions.Len(), 0
	for _, other := range h.listener.server.Clients.GetAll() {
		all += other.State.Subscriptions.Len()
	}
	filters := make(packets.Subscriptions, len(pk.Filters))
	for i, f := range pk.Filters {
		_, renewed := cl.State.Subscriptions.Get(f.Filter)
		switch {
		case !isShort(f.Filter):
			f.Filter = refusedFilter
		case renewed:
		case own >= o.MaxSubscriptionsEach || all >= o.MaxSubscriptions:
			f.Filter = refusedFilter
			h.listener.told.Warn("mqtt broker: too many subscriptions, one was refused", "remote", cl.Net.Remote, "id", cl.ID)
		default:
			own, all = own+1, all+1
		}
		filters[i] = f
	}
	pk.Filters = filters
	return pk
}

// refusedFilter is not valid: "#" must be the last level (MQTT 3.1.1 section 4.7.1.2).
const refusedFilter = "#/#"

// OnPacketRead implements mochi.Hook. It runs on the goroutine of the client that has
// sent the packet, and so can let that client wait. A turn begins before a packet is
// processed that touches the retained messages.
func (h *hook) OnPacketRead(cl *mochi.Client, pk packets.Packet) (packets.Packet, error) {
	u, known := h.user(cl)
	if !known || pk.FixedHeader.Type == packets.Connect {
		return pk, nil
	}
	publish := pk.FixedHeader.Type == packets.Publish
	if !u.Board {
		h.slow(cl, &pk)
	}
	retain := publish && pk.FixedHeader.Retain
	if retain && len(pk.Payload) > 0 && isCommand(pk.TopicName) && h.OnACLCheck(cl, pk.TopicName, true) {
		if f := h.listener.o.OnRetainedCommand; f != nil {
			f(pk.TopicName)
		}
		return pk, h.refuse(cl, "mqtt broker: a command with the retain flag is refused, its sender is disconnected: publish it without", pk.TopicName)
	}
	if publish && !u.Board && len(pk.Payload) > maxPayload {
		return pk, h.refuse(cl, "mqtt broker: a message is too large, its sender is disconnected", pk.TopicName)
	}
	if !retain && pk.FixedHeader.Type != packets.Subscribe {
		return pk, nil
	}
	h.turns.take(connOf(cl))
	if retain && !u.Board && len(pk.Payload) > 0 && !h.retained.fits(pk.TopicName, len(pk.Payload)) {
		h.turns.give(connOf(cl))
		return pk, h.refuse(cl, "mqtt broker: too much is retained, a sender is disconnected", pk.TopicName)
	}
	return pk, nil
}

// refuse tells of a packet and returns the error with which its connection ends:
// MQTT 3.1.1 knows no other way to refuse a message (section 3.3.5).
func (h *hook) refuse(cl *mochi.Client, why, topic string) error {
	h.listener.told.Warn(why, "remote", cl.Net.Remote, "id", cl.ID, "topic", fmt.Sprintf("%.128s", topic))
	return packets.ErrRejectPacket
}

// slow lets a client wait that sends more than a person or a program for one board
// does, or more than the board takes: first for itself, and then in turn with all
// others, for no longer than these need for one packet each.
func (h *hook) slow(cl *mochi.Client, pk *packets.Packet) {
	c := connOf(cl)
	if c == nil {
		return
	}
	own, all := packetCost(pk)
	time.Sleep(min(c.sent.take(time.Now(), own, packetBurst), maxWait))
	time.Sleep(min(h.all.take(time.Now(), all, allPacketBurst), maxWait))
	if pk.FixedHeader.Type == packets.Publish {
		h.listener.awaitBoards()
	}
}

// packetCost is how long a client must save for a packet, and how long all of them
// together: what it confirms is cheap, for the board has sent it; a subscription makes
// the broker send all that is retained.
func packetCost(pk *packets.Packet) (own, all time.Duration) {
	const share = packetTime / allPacketShare
	switch pk.FixedHeader.Type {
	case packets.Puback, packets.Pubrec, packets.Pubcomp:
		return packetTime / 10, share / 10
	case packets.Subscribe, packets.Unsubscribe:
		return time.Duration(10+len(pk.Filters)) * packetTime, 4 * share
	default:
		return packetTime, share
	}
}

// OnRetainMessage implements mochi.Hook; it is called in the turn of the client.
func (h *hook) OnRetainMessage(cl *mochi.Client, pk packets.Packet, _ int64) {
	n := len(pk.Payload)
	if u, _ := h.user(cl); u.Board {
		n = 0 // the board has room
	}
	h.retained.set(pk.TopicName, n)
}

// OnQosPublish implements mochi.Hook: what a client does not acknowledge is kept for
// it, and waits as what it does not read does.
func (h *hook) OnQosPublish(cl *mochi.Client, pk packets.Packet, _ int64, _ int) {
	c := connOf(cl)
	if c == nil || pk.FixedHeader.Type != packets.Publish {
		return
	}
	if c.owe(pk.PacketID, len(pk.TopicName)+len(pk.Payload)+packetOverhead) {
		return
	}
	// mochi drops some without telling: count anew.
	sizes := make(map[uint16]int)
	for _, p := range cl.State.Inflight.GetAll(false) {
		sizes[p.PacketID] = len(p.TopicName) + len(p.Payload) + packetOverhead
	}
	if !c.recount(sizes) {
		h.listener.told.Warn("mqtt broker: a client does not acknowledge what it is sent and is disconnected",
			"remote", cl.Net.Remote, "id", cl.ID)
		cl.Stop(errSlow)
	}
}

// OnQosComplete implements mochi.Hook.
func (h *hook) OnQosComplete(cl *mochi.Client, pk packets.Packet) {
	if c := connOf(cl); c != nil {
		c.settle(pk.PacketID)
	}
}

// OnQosDropped implements mochi.Hook.
func (h *hook) OnQosDropped(cl *mochi.Client, pk packets.Packet) { h.OnQosComplete(cl, pk) }
