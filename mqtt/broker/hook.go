package broker

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// hook decides who may connect, read and write. No rule means no.
type hook struct {
	mochi.HookBase
	salt   []byte
	users  map[string]account
	guests bool
	guest  User
	turns  *turns
}

// account is a user with the password replaced by its keyed hash.
type account struct {
	User
	hash [sha256.Size]byte
}

// newHook keeps only keyed hashes of the passwords, under a key that lives as
// long as the process. A slow hash would protect nothing: the passwords come
// from a file that this process can read.
func newHook(users []User, guests bool) *hook {
	h := &hook{salt: make([]byte, sha256.Size), users: make(map[string]account, len(users)), guests: guests, guest: guest(), turns: &turns{}}
	_, _ = rand.Read(h.salt) // never fails, see crypto/rand.
	for _, u := range users {
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
	case mochi.OnConnectAuthenticate, mochi.OnACLCheck,
		mochi.OnPacketRead, mochi.OnPacketProcessed, mochi.OnWill, mochi.OnWillSent:
		return true
	default:
		return false
	}
}

// OnConnectAuthenticate implements mochi.Hook. A will is checked here, because
// mochi publishes wills without asking anybody.
func (h *hook) OnConnectAuthenticate(cl *mochi.Client, pk packets.Packet) bool {
	u, ok := h.login(pk)
	if !ok {
		return false
	}
	// A client id that is the name of a user belongs to that user: a second
	// client with the same id throws the first one out.
	if _, taken := h.users[cl.ID]; taken && cl.ID != u.Name {
		return false
	}
	return !pk.Connect.WillFlag || isTopic(pk.Connect.WillTopic) && allowed(u.Write, pk.Connect.WillTopic)
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

// OnACLCheck implements mochi.Hook. It is asked with a topic at publishing and
// at delivery, and with a filter at subscribing.
func (h *hook) OnACLCheck(cl *mochi.Client, topic string, write bool) bool {
	u := h.guest
	if name := string(cl.Properties.Username); name != "" {
		u = h.users[name].User
	} else if !h.guests {
		return false
	}
	if write {
		return isTopic(topic) && allowed(u.Write, topic)
	}
	return allowed(u.Read, topic)
}

// isTopic reports whether t names one topic: no wildcards, not empty.
func isTopic(t string) bool {
	for i := range len(t) {
		if t[i] == '+' || t[i] == '#' || t[i] == 0 {
			return false
		}
	}
	return t != ""
}
