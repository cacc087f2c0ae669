package broker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"sync"
	"time"

	mochi "github.com/mochi-mqtt/server/v2"

	"reversi-board/mqtt/ratelog"
)

// User is somebody who may connect with a name and a password.
type User struct {
	Name, Password string
	// Read and Write are topic filters: what the user may subscribe to and
	// receive, and what the user may publish. Nothing else is allowed.
	Read, Write []string
	// Board marks the board itself: limits of what clients send, keep and let wait are
	// not for it.
	Board bool
}

// Options configure a broker. The zero value of a limit takes its default.
type Options struct {
	// Listen is host:port, such as "127.0.0.1:1883". Port 0 takes a free one.
	Listen string
	// Users who may connect.
	Users []User
	// Guests lets clients without a name in; only on a loopback address. See
	// the package comment for what they may do.
	Guests bool
	Logger *slog.Logger

	// MaxClients is the number of connections at a time, 64 by default, and
	// MaxPerAddress that from one address, three quarters of them by default. All
	// addresses of this computer are one. The board has a place besides.
	MaxClients, MaxPerAddress int
	// ConnectTimeout is the time to send a CONNECT, 5 s by default.
	ConnectTimeout time.Duration
	// WriteTimeout is the time for a client to take what it is sent, 5 s by
	// default, and MaxPending how many bytes may wait for it, 512 KB by default.
	WriteTimeout time.Duration
	MaxPending   int
	// MaxQueued is how many bytes may wait for all clients together, 16 MB by default.
	MaxQueued int
	// MaxSubscriptions is the number of subscriptions of all clients, 1024 by default,
	// and MaxSubscriptionsEach that of one, 128 by default.
	MaxSubscriptions, MaxSubscriptionsEach int
	// MaxRetained is how many topics users other than the board may keep, 256 by
	// default, and MaxRetainedBytes how many bytes, 1 MB by default.
	MaxRetained, MaxRetainedBytes int
	// OnRetainedCommand, unless nil, is told the topic of a command that was refused
	// because of its retain flag. It must return at once.
	OnRetainedCommand func(topic string)
}

// Broker is a running broker.
type Broker struct {
	server   *mochi.Server
	listener *listener
	once     sync.Once
	stop     func() bool
}

// NewPassword returns a random password with at least 128 bits.
func NewPassword() string { return rand.Text() }

// Start checks the options and starts a broker, which ends with the context or
// with Close.
func Start(ctx context.Context, o Options) (*Broker, error) {
	return start(ctx, o, func(level byte) bool { return level == mqtt311 })
}

func start(ctx context.Context, o Options, admit func(byte) bool) (*Broker, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.defaults()
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("start the mqtt broker: %w (is another broker running there? choose another address)", err)
	}
	if o.Guests && !isLoopback(ln.Addr().String()) {
		_ = ln.Close()
		return nil, errGuests(o.Listen)
	}
	server := mochi.New(&mochi.Options{
		Capabilities:           capabilities(),
		Logger:                 slog.New(quiet{o.Logger.Handler()}),
		SysTopicResendInterval: 300,
	})
	access := newHook(&o)
	l := &listener{
		ln: ln, log: o.Logger, told: ratelog.New(o.Logger, ratelog.Interval), server: server, o: o, admit: admit,
		turns: access.turns, queue: queue{limit: o.MaxQueued, fair: o.MaxQueued / (4 * o.MaxClients)},
		guesses:  budget{cost: guessTime, burst: guessBurst, allCost: allGuessTime, allBurst: allGuessBurst},
		arrivals: budget{cost: arrivalTime, burst: arrivalBurst},
		conns:    make(map[*conn]struct{}), serving: make(chan struct{}),
	}
	access.listener = l
	b := &Broker{server: server, listener: l}
	err = errors.Join(server.AddHook(access, nil), server.AddListener(l))
	if err == nil {
		err = server.Serve()
	}
	if err != nil {
		_ = ln.Close()
		return nil, fmt.Errorf("start the mqtt broker: %w", err)
	}
	b.stop = context.AfterFunc(ctx, b.Close)
	return b, nil
}

// capabilities are mochi's limits. An expiry interval of 0 keeps retained
// messages; mochi's default deletes them after a day.
func capabilities() *mochi.Capabilities {
	c := mochi.NewDefaultServerCapabilities()
	c.MaximumClients = math.MaxInt64 // the listener counts
	c.MaximumMessageExpiryInterval = 0
	c.MaximumClientWritesPending = writesPending
	c.MaximumSessionExpiryInterval = 3600
	c.MaximumPacketSize = 64 << 10
	c.MaximumInflight = 1024
	c.TopicAliasMaximum = 0
	c.SharedSubAvailable = 0
	c.MinimumProtocolVersion = mqtt311
	return c
}

// Dial opens the connection of the board itself. It does not go over the network, needs
// no file handle, and has a place whoever else is connected.
func (b *Broker) Dial() (net.Conn, error) {
	c, err := b.listener.dial()
	if err != nil {
		return nil, fmt.Errorf("connect to the embedded broker: %w", err)
	}
	return c, nil
}

// Addr returns the address that clients connect to, as host:port.
func (b *Broker) Addr() string { return b.listener.Address() }

// Close ends all connections and waits for them. It may be called repeatedly.
func (b *Broker) Close() {
	b.once.Do(func() {
		if b.stop != nil {
			b.stop()
		}
		_ = b.server.Close() // always nil
		b.listener.told.Close()
	})
}

func (o *Options) defaults() {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	for _, limit := range []struct {
		to     *int
		normal int
	}{
		{&o.MaxClients, 64},
		{&o.MaxPending, 512 << 10},
		{&o.MaxQueued, 16 << 20},
		{&o.MaxSubscriptions, 1024},
		{&o.MaxSubscriptionsEach, 128},
		{&o.MaxRetained, 256},
		{&o.MaxRetainedBytes, 1 << 20},
	} {
		if *limit.to == 0 {
			*limit.to = limit.normal
		}
	}
	if o.MaxPerAddress == 0 {
		o.MaxPerAddress = o.MaxClients - o.MaxClients/4
	}
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = 5 * time.Second
	}
	if o.WriteTimeout == 0 {
		o.WriteTimeout = 5 * time.Second
	}
}

func (o *Options) check() error {
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return fmt.Errorf("broker address %q: want host:port, such as 127.0.0.1:1883", o.Listen)
	}
	if host != "localhost" && !isLoopback(o.Listen) {
		if o.Guests {
			return errGuests(o.Listen)
		}
		if len(o.Users) == 0 {
			return fmt.Errorf("broker address %q can be reached from outside: set a user and a password, or listen on 127.0.0.1", o.Listen)
		}
	}
	seen := make(map[string]bool, len(o.Users))
	for _, u := range o.Users {
		switch {
		case u.Name == "" || u.Password == "":
			return fmt.Errorf("broker user %q: name and password must not be empty", u.Name)
		case seen[u.Name]:
			return fmt.Errorf("broker user %q is there twice", u.Name)
		}
		seen[u.Name] = true
		for _, g := range append(append([]string(nil), u.Read...), u.Write...) {
			if !validGrant(g) {
				return fmt.Errorf("broker user %q: %q is not a topic filter", u.Name, g)
			}
		}
	}
	return nil
}

func errGuests(listen string) error {
	return fmt.Errorf("broker address %q can be reached from outside: clients without a password are only allowed on 127.0.0.1", listen)
}

// isLoopback reports whether host:port is an address of this machine alone.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
