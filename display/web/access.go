package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Role is what a visitor may do.
type Role string

// The roles, each of which may do what those before it may.
const (
	Viewer  Role = "viewer"
	Player  Role = "player"
	Arbiter Role = "arbiter"
)

// Access says by what visitors are told apart. Both are secrets of any length
// from MinToken on; an empty one lets nobody in.
type Access struct {
	// Arbiter opens the console, Player lets people press the clock, claim and
	// resign.
	Arbiter, Player string
}

// MinToken is the least length of a token in bytes.
const MinToken = 8

// The limits of logging in.
const (
	// sessionTime is how long a login lasts.
	sessionTime = 12 * time.Hour
	// maxSessions bounds the logins of one role; the oldest makes room.
	maxSessions = 32
	// maxVisitor bounds the name of who logs in, in characters.
	maxVisitor = 40
	// maxAddresses bounds the addresses whose attempts are counted, and the browsers
	// that are known.
	maxAddresses = 1024
	// knownTime is how long a browser is known, knownSuffix is of the name of its
	// cookie.
	knownTime   = 90 * 24 * time.Hour
	knownSuffix = "-known"
)

// visitor is who sent a request.
type visitor struct {
	role Role
	// name is who it is: what was given at the login.
	name string
	// seat is the color whose player it is, empty for both.
	seat string
	// full says that it may see what is kept from the players.
	full bool
	// session is nil for who has none.
	session *session
}

// bearer is the name of who shows a token with every request.
const bearer = "bearer"

// kind is part of the ids on the visitor's stream: who comes back as somebody
// else gets everything anew.
func (v visitor) kind() string {
	switch {
	case v.session == nil && !v.full:
		return ""
	case v.role == Arbiter:
		return "a"
	default:
		return "p"
	}
}

// session is a login.
type session struct {
	role       Role
	name, seat string
	until      time.Time
	// ended is closed when it is over.
	ended  chan struct{}
	limits *limits
}

// sessions are the logins. They are found by the hash of what the cookie says,
// so that the time a search takes tells nothing about it.
type sessions struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]*session
}

// begin adds a login and returns what its cookie says.
func (s *sessions) begin(n *session) (cookie string) {
	cookie = rand.Text() + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = make(map[[sha256.Size]byte]*session)
	}
	same := 0
	var oldest [sha256.Size]byte
	for key, old := range s.known {
		if old.role != n.role {
			continue
		}
		if same++; same == 1 || old.until.Before(s.known[oldest].until) {
			oldest = key
		}
	}
	if same >= maxSessions {
		s.drop(oldest)
	}
	s.known[sha256.Sum256([]byte(cookie))] = n
	return cookie
}

// find returns the login of a cookie, nil for none or one that is over.
func (s *sessions) find(cookie string, now time.Time) *session {
	key := sha256.Sum256([]byte(cookie))
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.known[key]
	if found != nil && !now.Before(found.until) {
		s.drop(key)
		return nil
	}
	return found
}

// end forgets a login.
func (s *sessions) end(cookie string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(sha256.Sum256([]byte(cookie)))
}

func (s *sessions) drop(key [sha256.Size]byte) {
	if old, ok := s.known[key]; ok {
		close(old.ended)
		delete(s.known, key)
	}
}

// door bounds the attempts to log in that are wrong, by whom they come from: an
// address, or a browser that somebody has logged in with before. Who has used up its
// attempts is not listened to for a while: no token from there is looked at,
// whatever the way in. Nobody else notices, since there is no bound for all: tokens
// are too long to be found by many addresses that each try once in five seconds. Nor
// does anybody notice who is logged in already, for a session asks nothing of the
// door.
//
// All visitors of a proxy have its address. The proxy says for whom it asks (see
// Options.Proxies); and where it does not, an arbiter who has logged in before gets
// in again, as a browser that is known, while others knock there in vain.
type door struct {
	mu   sync.Mutex
	from map[string]*bucket
	// known are browsers from which somebody has logged in, by the hash of their
	// cookie, with the time of that.
	known map[[sha256.Size]byte]time.Time
}

func newDoor() *door {
	return &door{from: make(map[string]*bucket), known: make(map[[sha256.Size]byte]time.Time)}
}

// knock takes an attempt before anything is looked at. It returns nil if there is
// none left, or else what gives it back to whoever was right: five at once, and one
// in five seconds in the long run.
func (d *door) knock(from string, now time.Time) (right func()) {
	d.mu.Lock()
	b, ok := d.from[from]
	if !ok {
		d.forget(now)
		b = &bucket{rate: 0.2, burst: 5}
		d.from[from] = b
	}
	d.mu.Unlock()
	if !b.allow(now) {
		return nil
	}
	return b.back
}

// forget makes room for one more, of those first who have all of their attempts
// again. The caller holds the lock.
func (d *door) forget(now time.Time) {
	if len(d.from) < maxAddresses {
		return
	}
	for old, b := range d.from {
		if b.full(now) {
			delete(d.from, old)
		}
	}
	// Whoever is locked is forgotten last: many addresses do not unlock one.
	for len(d.from) >= maxAddresses {
		least, spent := "", math.Inf(1)
		for old, b := range d.from {
			if n := b.missing(now); n < spent {
				least, spent = old, n
			}
		}
		delete(d.from, least)
	}
}

// introduce returns the cookie of a browser from which somebody has logged in.
func (d *door) introduce(now time.Time) (cookie string) {
	cookie = rand.Text() + rand.Text()
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.known) >= maxAddresses {
		var oldest [sha256.Size]byte
		for key, at := range d.known {
			if first, ok := d.known[oldest]; !ok || at.Before(first) {
				oldest = key
			}
		}
		delete(d.known, oldest)
	}
	d.known[sha256.Sum256([]byte(cookie))] = now
	return cookie
}

// knows reports whether somebody has logged in from a browser with this cookie.
func (d *door) knows(cookie string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, known := d.known[sha256.Sum256([]byte(cookie))]
	return known
}

// knock takes an attempt of whoever sent a request: see door.knock.
func (s *Server) knock(r *http.Request) (right func()) {
	from := network(s.remote(r)).String()
	if c, err := r.Cookie(s.cookie + knownSuffix); err == nil && s.door.knows(c.Value) {
		from = c.Value
	}
	return s.door.knock(from, time.Now())
}

// remote returns the address of who sent a request: what a proxy says that can be
// believed, or where the connection comes from.
func (s *Server) remote(r *http.Request) string {
	if !s.connections.proxy(network(r.RemoteAddr)) {
		return r.RemoteAddr
	}
	// The last address is the one that the proxy has added itself.
	all := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	at, err := netip.ParseAddr(strings.TrimSpace(all[len(all)-1]))
	if err != nil {
		return r.RemoteAddr
	}
	return netip.AddrPortFrom(at, 0).String()
}

// network returns whose attempts count together: an address, or what an
// IPv6 host may choose its addresses from.
func network(remote string) netip.Prefix {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	addr := at.Addr().Unmap().WithZone("")
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	p, err := addr.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}

// same compares secrets in a time that does not depend on what they are.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// roleOf returns whom a token stands for, Viewer for nobody.
func (a *Access) roleOf(token string) Role {
	arbiter := same(token, a.Arbiter) && a.Arbiter != ""
	player := same(token, a.Player) && a.Player != ""
	switch {
	case arbiter:
		return Arbiter
	case player:
		return Player
	}
	return Viewer
}

// check finds tokens that protect nothing.
func (a *Access) check() error {
	switch {
	case a.Arbiter == "":
		return errors.New("web page: who may log in as arbiter is not set")
	case len(a.Arbiter) < MinToken || a.Player != "" && len(a.Player) < MinToken:
		return fmt.Errorf("web page: a token has at least %d characters", MinToken)
	case same(a.Arbiter, a.Player):
		return errors.New("web page: the tokens of arbiter and player are the same: change one of them")
	}
	return nil
}

// The mistakes of who claims to be somebody.
var (
	errToken   = errors.New("this token is not right")
	errTooMany = errors.New("too many attempts to log in: wait a minute")
)

// visitor returns who sent a request.
func (s *Server) visitor(r *http.Request) (visitor, error) {
	if s.o.Access == nil {
		return visitor{role: Arbiter, name: "page"}, nil
	}
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		right := s.knock(r)
		if right == nil {
			return visitor{}, errTooMany
		}
		role := s.o.Access.roleOf(strings.TrimSpace(token))
		if role == Viewer {
			return visitor{}, errToken
		}
		right()
		s.connections.identify(r.Context(), rankOf(role))
		return visitor{role: role, name: bearer, full: role == Arbiter}, nil
	}
	if found := s.sessionOf(r); found != nil {
		return visitor{role: found.role, name: found.name, seat: found.seat, full: found.role == Arbiter, session: found}, nil
	}
	return visitor{role: Viewer}, nil
}

// sessionOf returns the login that the cookie of a request stands for, nil for none.
func (s *Server) sessionOf(r *http.Request) *session {
	c, err := r.Cookie(s.cookie)
	if err != nil {
		return nil
	}
	return s.sessions.find(c.Value, time.Now())
}

// admits books whose request a connection has brought, and reports whether there is
// room. A token is looked at later: until then nobody knows whose the connection is.
func (s *Server) admits(r *http.Request) bool {
	if r.Header.Get("Authorization") != "" {
		return true
	}
	found := s.sessionOf(r)
	if found == nil {
		return s.connections.identify(r.Context(), guest)
	}
	return s.connections.identify(r.Context(), rankOf(found.role))
}

// visiting is the key under which a request keeps its visitor.
type visiting struct{}

// whoever answers a request knowing who sent it; a token that is wrong is said so.
func (s *Server) whoever(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := s.visitor(r)
		switch {
		case errors.Is(err, errTooMany):
			w.Header().Set("Retry-After", "60")
			answer(w, http.StatusTooManyRequests, reply{Status: "error", Code: "rate_limited", Error: err.Error()})
		case err != nil:
			w.Header().Set("WWW-Authenticate", "Bearer")
			answer(w, http.StatusUnauthorized, reply{Status: "error", Code: "not_allowed", Error: err.Error()})
		default:
			next(w, r.WithContext(context.WithValue(r.Context(), visiting{}, v)))
		}
	}
}

// who returns the visitor of a request that came through whoever.
func who(r *http.Request) visitor {
	v, ok := r.Context().Value(visiting{}).(visitor)
	if !ok {
		return visitor{role: Viewer}
	}
	return v
}

// only lets those in who have a role. On a board at home that is everybody.
func (s *Server) only(next http.HandlerFunc, roles ...Role) http.HandlerFunc {
	return s.whoever(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(roles, who(r).role) {
			w.Header().Set("Vary", "Cookie, Authorization")
			text := "log in first"
			if len(roles) == 1 {
				text = fmt.Sprintf("log in as %s first", roles[0])
			}
			answer(w, http.StatusForbidden, reply{Status: "error", Code: "not_allowed", Error: text})
			return
		}
		next(w, r)
	})
}

// loginBody is the body of POST /api/v1/login.
type loginBody struct {
	Token string `json:"token"`
	Name  string `json:"name"`
	Seat  string `json:"seat"`
}

// decodeLogin reads the body of POST /api/v1/login. What is wrong with it is said
// without repeating it.
func decodeLogin(body []byte) (in loginBody, err error) {
	if err := decode(body, &in); err != nil {
		return loginBody{}, errors.New("the request is not {token, name, seat}")
	}
	in.Token, in.Name = strings.TrimSpace(in.Token), strings.TrimSpace(in.Name)
	switch {
	case in.Token == "":
		return in, errors.New("type the token")
	case utf8.RuneCountInString(in.Name) > maxVisitor:
		return in, fmt.Errorf("the name has more than %d characters", maxVisitor)
	case strings.ContainsFunc(in.Name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return in, errors.New("the name holds something that cannot be printed")
	case in.Seat != "" && in.Seat != "black" && in.Seat != "white":
		return in, errors.New("seat: want black, white or nothing")
	}
	return in, nil
}

// login answers POST /api/v1/login.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	body, ok := s.body(w, r, nil)
	if !ok {
		return
	}
	refuse := func(status int, code, text string) {
		answer(w, status, reply{Name: "login", Status: "error", Code: code, Error: text})
	}
	in, err := decodeLogin(body)
	if err != nil {
		refuse(http.StatusBadRequest, "bad_payload", err.Error())
		return
	}
	right := s.knock(r)
	if right == nil {
		w.Header().Set("Retry-After", "60")
		refuse(http.StatusTooManyRequests, "rate_limited", errTooMany.Error())
		return
	}
	role := s.o.Access.roleOf(in.Token)
	if role == Viewer {
		s.o.Logger.Warn("somebody tried to log in with a wrong token", "from", network(s.remote(r)))
		refuse(http.StatusUnauthorized, "not_allowed", errToken.Error())
		return
	}
	right()
	n := &session{role: role, name: in.Name, seat: in.Seat, until: time.Now().Add(sessionTime), ended: make(chan struct{}), limits: newLimits()}
	if n.name == "" {
		n.name = string(role)
	}
	if role == Arbiter {
		n.seat = ""
	}
	http.SetCookie(w, s.bake(r, "", s.sessions.begin(n), sessionTime))
	http.SetCookie(w, s.bake(r, knownSuffix, s.door.introduce(time.Now()), knownTime))
	answer(w, http.StatusOK, reply{Name: "login", Status: "ok"})
}

// logout answers POST /api/v1/logout.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(s.cookie); err == nil {
		s.sessions.end(c.Value)
	}
	http.SetCookie(w, s.bake(r, "", "", -1))
	answer(w, http.StatusOK, reply{Name: "logout", Status: "ok"})
}

// bake returns the cookie of a session, or with the suffix of one that makes a
// browser known. Other sites never send it, and no script can read it.
func (s *Server) bake(r *http.Request, suffix, value string, age time.Duration) *http.Cookie {
	seconds := int(age / time.Second)
	if age < 0 {
		seconds = -1
	}
	return &http.Cookie{ //nolint:gosec // without encryption a browser would not send a secure one
		Name: s.cookie + suffix, Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		// A proxy that encrypts says so; who says so falsely gets a cookie that
		// his browser keeps for itself.
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	}
}

// you is what the page is told about its visitor.
type you struct {
	Role Role   `json:"role"`
	Name string `json:"name"`
	Seat string `json:"seat"`
	// Login says that one can log in, Full that everything is shown.
	Login bool `json:"login"`
	Full  bool `json:"full"`
	// DelayS is how many seconds later everything is shown.
	DelayS int `json:"delay_s,omitempty"`
}

func (s *Server) you(v visitor) you {
	y := you{Role: v.role, Name: v.name, Seat: v.seat, Login: s.o.Access != nil, Full: v.full}
	if s.hubOf(v) == s.late {
		y.DelayS = int(s.o.Delay / time.Second)
	}
	return y
}

// may reports whether a role may give a command, and whether there is such a
// command at all.
func (s *Server) may(role Role, name string) (allowed, known bool) {
	for r, names := range s.o.Commands {
		if slices.Contains(names, name) {
			known = true
			allowed = allowed || r == role
		}
	}
	return allowed, known
}

// usualCommands are those that Options.Commands stands for when it is not set.
func usualCommands() map[Role][]string {
	player := []string{"undo", "resign", "claim", "pass", "hint", "press", "agree", "decline"}
	return map[Role][]string{
		Player: player,
		Arbiter: append([]string{
			"new", "pause", "resume", "adjudicate", "clock_set", "players_set", "correct_square", "revise", "let_stand",
			"confirm", "mask", "identify", "snapshot", "evaluate",
		}, player...),
	}
}

// isAddress reports whether a host is a number and no name, so that no name
// server can make it mean another computer.
func isAddress(host string) bool { return net.ParseIP(host) != nil }
