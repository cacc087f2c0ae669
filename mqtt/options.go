package mqtt

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"time"
)

// Events is the journal as it is read here. Read calls yield for at most limit
// events from seq from on, in order, and leaves out those that are missing; the payload
// is as published. From FirstSeq on none is.
type Events interface {
	JID() string
	FirstSeq() uint64
	LastSeq() uint64
	Read(from uint64, limit int, yield func(seq uint64, payload []byte) error) error
}

// Cursor remembers, over restarts, the last event that a broker has
// acknowledged. It may be written lazily: repeats are free, gaps are not.
type Cursor interface {
	Acked() uint64
	SetAcked(seq uint64)
}

// Options configure an Adapter.
type Options struct {
	// URL of the broker: mqtt://host:port or mqtts://host:port, the port always
	// written out. tcp, ssl and tls are taken as well.
	URL string
	// Board is the id of the board, see ValidName. The client id begins with it.
	Board string
	// Name of the board for people.
	Name string
	// Dial opens a connection to the broker instead of dialing the URL, unless nil: to
	// one in the same program.
	Dial func() (net.Conn, error)
	// Username, Board if empty, and Password; no password, no user name.
	Username, Password string
	// TLS for mqtts; nil takes the system's roots. At least TLS 1.2 is used.
	TLS *tls.Config
	// Boot is the counter of program starts.
	Boot int
	// SW, HW and Schema are versions and the address of the schema, for meta.
	SW, HW, Schema string
	// Commands are the names that each role may use, as published in meta.
	// DefaultCommands if nil.
	Commands map[string][]string
	Caps     Caps
	// Journal and Cursor are the journal and the place in it.
	Journal Events
	Cursor  Cursor
	// Discovery is the payload for homeassistant/device/<board>/config; none if
	// empty.
	Discovery []byte
	// Withdraw takes the device away from Home Assistant, where an earlier run has
	// introduced it and there is no Discovery.
	Withdraw bool
	// Stamp returns the time for the payloads built here. It is called from
	// several goroutines.
	Stamp  func() Stamp
	Logger *slog.Logger
	// Tuning is for tests; the zero value takes the values of the contract.
	Tuning Tuning
}

// Tuning are the times of the adapter, zero for the defaults given.
type Tuning struct {
	// BackoffMin (0.5 s) doubles up to BackoffMax (30 s); a connection that has
	// lasted BackoffReset (60 s) begins again.
	BackoffMin, BackoffMax, BackoffReset time.Duration
	// Connect (10 s) is the limit for dialing, and again for CONNACK; Token
	// (10 s) for every acknowledgement; Write (5 s) for a packet to be taken.
	Connect, Token, Write time.Duration
	// KeepAlive (10 s), in whole seconds, and Ping (5 s) notice a dead peer.
	KeepAlive, Ping time.Duration
	// Heartbeat (60 s) repeats availability; a foreign offline is answered at
	// once, but not more often than every Foreign (5 s).
	Heartbeat, Foreign time.Duration
	// DrainLimit (10 s) is how long "online" waits for a long outbox. Drain (5 ms) lies
	// between two events when many of them wait, so that subscribers can follow; a
	// game is never slowed down by it.
	DrainLimit, Drain time.Duration
	// Leave (2 s) is the time to say goodbye when the context ends.
	Leave time.Duration
	// Replay (20 ms) lies between two events that are sent again.
	Replay time.Duration
	// Refresh (1 s) is the least time after which everything is published again
	// for Home Assistant when it says that it has started; five times that is
	// the most.
	Refresh time.Duration
	// AlertKept (10 min) is how long retained_command stays up, and
	// duplicate_id without a new sign of the other board (3 min).
	AlertKept, DuplicateKept time.Duration
}

func (t *Tuning) defaults() {
	for _, d := range []struct {
		to     *time.Duration
		normal time.Duration
	}{
		{&t.BackoffMin, 500 * time.Millisecond},
		{&t.BackoffMax, 30 * time.Second},
		{&t.BackoffReset, 60 * time.Second},
		{&t.Connect, 10 * time.Second},
		{&t.Token, 10 * time.Second},
		{&t.Write, 5 * time.Second},
		{&t.KeepAlive, 10 * time.Second},
		{&t.Ping, 5 * time.Second},
		{&t.Heartbeat, 60 * time.Second},
		{&t.Foreign, 5 * time.Second},
		{&t.DrainLimit, 10 * time.Second},
		{&t.Drain, 5 * time.Millisecond},
		{&t.Leave, 2 * time.Second},
		{&t.Replay, 20 * time.Millisecond},
		{&t.Refresh, time.Second},
		{&t.AlertKept, 10 * time.Minute},
		{&t.DuplicateKept, 3 * time.Minute},
	} {
		if *d.to == 0 {
			*d.to = d.normal
		}
	}
}

// DefaultCommands returns the commands that are implemented, by role. Moves are
// suggested to those who sit at the board only, not to what watches it.
func DefaultCommands() map[string][]string {
	return map[string][]string{
		string(Arbiter): {
			"new", "undo", "pause", "resume", "resign", "adjudicate", "clock_set", "players_set",
			"correct_square", "revise", "let_stand", "claim", "pass", "press", "agree", "decline",
			"confirm", "mask", "hint", "identify", "snapshot",
		},
		string(Player): {"undo", "agree", "decline", "resign", "claim", "pass", "press", "hint"},
		string(Ops):    {"pause", "players_set", "mask", "identify", "snapshot", "diag"},
		string(HA):     {"new", "undo", "pause", "resume", "identify", "snapshot"},
		string(Hub):    {"identify", "snapshot", "replay"},
	}
}

// check completes the options and says what is wrong with them.
func (o *Options) check() (*url.URL, error) {
	if !ValidName(o.Board) {
		return nil, fmt.Errorf("board id %.40q: want [a-z0-9]([a-z0-9-]{0,21}[a-z0-9])?, such as rv-b07; the name for people goes into name", o.Board)
	}
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, errors.New("broker URL: cannot be read, want something like mqtt://127.0.0.1:1883")
	}
	if u.User != nil {
		return nil, errors.New("broker URL: user name and password have their own settings")
	}
	if u.Hostname() == "" || u.Port() == "" {
		return nil, fmt.Errorf("broker URL %q: want host and port, such as mqtt://127.0.0.1:1883", o.URL)
	}
	secure, err := isSecure(u)
	if err != nil {
		return nil, err
	}
	if o.Journal == nil || o.Cursor == nil || o.Stamp == nil {
		return nil, errors.New("mqtt: Journal, Cursor and Stamp are needed")
	}
	if secure {
		o.secure(u.Hostname())
	}
	if o.Username == "" && o.Password != "" {
		o.Username = o.Board
	}
	if o.Commands == nil {
		o.Commands = DefaultCommands()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Tuning.defaults()
	return u, nil
}

func isSecure(u *url.URL) (bool, error) {
	switch u.Scheme {
	case "mqtt", "tcp":
		return false, nil
	case "mqtts", "ssl", "tls":
		return true, nil
	}
	return false, fmt.Errorf("broker URL: scheme %q is not known, want mqtt or mqtts", u.Scheme)
}

func (o *Options) secure(host string) {
	if o.TLS == nil {
		o.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	o.TLS = o.TLS.Clone()
	o.TLS.MinVersion = max(o.TLS.MinVersion, tls.VersionTLS12)
	if o.TLS.ServerName == "" {
		o.TLS.ServerName = host
	}
}
