package web

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"reversi-board/engine"
)

// Command is what a visitor asks of the board, with the names and arguments of
// the MQTT contract.
type Command struct {
	// Name is one of Options.Commands: those of MQTT, and the page's own: press,
	// which presses the clock of a color, evaluate, which turns the evaluation of
	// the game that is played on or off, and agree and decline, which answer a
	// player who wants to take moves back.
	Name string
	// Role is what the visitor may do, From who it is, and Seat the color whose
	// player it is, empty for both.
	Role       Role
	From, Seat string
	// Args is a JSON object, or nil.
	Args json.RawMessage
	// ID is chosen by the page, 1 to 64 characters; the same one again means
	// that the same press of a button was sent twice.
	ID string
	// IfSeq, when not nil, is the state.seq the visitor was looking at: the
	// command is meant only while that is still the newest.
	IfSeq *uint64
}

// Response is the answer to a Command.
type Response struct {
	// Status is "ok" or "error".
	Status string
	// Code and Error say what went wrong, for programs and for people.
	Code, Error string
	// Seq is the sequence number after the command was carried out.
	Seq uint64
}

// Hands moves discs on the simulated table. A real board has none.
type Hands interface {
	// Do performs a, or says in one sentence to the visitor why not.
	Do(ctx context.Context, a Act) error
}

// The acts of the hands.
const (
	OpPlace    = "place"    // a disc from the store on Square, Color up
	OpTurn     = "turn"     // the disc on Square over
	OpLift     = "lift"     // the disc on Square off the board
	OpSlide    = "slide"    // the disc on Square over the board to To
	OpSleeve   = "sleeve"   // a sleeve lifts three discs and the hand puts them back
	OpFail     = "fail"     // the sensor of Square fails as Fault says
	OpHeal     = "heal"     // the sensor of Square works again; without one, all do
	OpAutoFlip = "autoflip" // the hands turn the discs of each move themselves, if On
	OpRobot    = "robot"    // the hands make the whole moves of the opponent, if On
	OpReset    = "reset"    // set up the start position of the game
	OpSweep    = "sweep"    // all discs off the board
)

// Act is one thing the visitor's hands do. Members that Op does not name are
// zero.
type Act struct {
	Op string
	// Square is where; HasSquare tells a1 from nothing.
	Square    engine.Square
	HasSquare bool
	To        engine.Square
	// Squares is the wish of a sleeve; empty leaves the choice to the hands.
	Squares engine.Bitboard
	Color   engine.Color
	// Fault is dead, stuck, flapping or bank.
	Fault string
	On    bool
}

// RGB is the color of one LED as it is sent to it, 0 to 255.
type RGB struct{ R, G, B uint8 }

// Alert is an open problem.
type Alert struct {
	Code string `json:"code"`
	// Severity is info, warn or error.
	Severity string   `json:"severity"`
	Text     string   `json:"text"`
	Squares  []string `json:"squares,omitempty"`
}

// View is all there is to see, except the LEDs. What it refers to must not be
// changed after Publish.
type View struct {
	// State is the state in the form of the MQTT contract, a JSON object. It says
	// no more than players may know: what the lights keep to themselves is left
	// out.
	State []byte
	// Full is the same with everything, for an arbiter who has logged in; nil
	// when there is nothing to hide.
	Full []byte
	// Timing is how the game is timed; nil without clocks.
	Timing *Timing
	// Press says that moves are ended with a press of the clock.
	Press bool
	// Claims says that players may claim mistakes of the last move.
	Claims bool
	// Takeback is a player's wish to take moves back, which the other one is to
	// answer; nil for none.
	Takeback *Takeback
	// Sentence says what is going on.
	Sentence string
	// Table is what lies on the table, 64 of -BW?, a1 to h8: the simulator's
	// truth, or what the cells of a real board say. Empty: not known yet.
	Table string
	// Start is what the game that is played, or is to be, begins with, 64 of
	// -BW, and First who begins, black or white. Both may be empty.
	Start, First string
	// Connections names the state of what the board talks to, such as
	// "broker": "connected". Only entries other than "ok" and "connected" are
	// worth a visitor's attention.
	Connections map[string]string
	Alerts      []Alert
	// AutoFlip is whether the simulated hands turn discs by themselves, Robot
	// whether they make the moves of the opponent.
	AutoFlip, Robot bool
	// Opponent is the player that is a program, nil when there is none.
	Opponent *Opponent
	// Evals are the differences in discs, Black's minus White's, that the game
	// is expected to end with, as judged after every ply: the first is about
	// the start, nil members are not known. It is nil as a whole while
	// evaluations are not to be seen.
	Evals []*int
	// Evaluating is whether somebody has asked for evaluations of the game that
	// is played.
	Evaluating bool
	// Failed are the squares whose simulated sensors have been made to fail.
	Failed []string
	// Question is what only people can know, nil when there is nothing.
	Question *Question
}

// Timing is how a game is timed.
type Timing struct {
	// Text is the form of the settings, such as 5:00/3.
	Text string `json:"text"`
	// Shared says that there is one clock, Black's.
	Shared bool    `json:"shared"`
	Black  Control `json:"black"`
	White  Control `json:"white"`
}

// Control is the time of one side, in milliseconds; all zero for none.
type Control struct {
	Main      int64 `json:"main_ms"`
	Increment int64 `json:"increment_ms"`
	Periods   int   `json:"periods"`
	Period    int64 `json:"period_ms"`
}

// Takeback is a wish to take moves back.
type Takeback struct {
	// By is the color whose player asks, Plies how many discs go back.
	By    string `json:"by"`
	Plies int    `json:"plies"`
}

// Question asks on which square a disc was placed that is not seen; the answer
// is the command "confirm" with one of them.
type Question struct {
	Text    string   `json:"text"`
	Squares []string `json:"squares"`
}

// Opponent is a player that is a program.
type Opponent struct {
	// Kind is builtin, gtp or nboard, Level its strength from 1 to 10, Side
	// black or white.
	Kind  string `json:"kind"`
	Level int    `json:"level"`
	Side  string `json:"side"`
}

// Options is what a Server needs to know.
type Options struct {
	// Board is the board's id, Name what people call it.
	Board, Name, Version string
	// Hosts are the names under which the page may be asked for, without
	// ports. The loopback names are always allowed.
	Hosts []string
	// Hands moves the simulated discs; nil on a real board.
	Hands     Hands
	Simulated bool
	// Command carries a command out; it may take until ctx ends. Required.
	Command func(ctx context.Context, c Command) Response
	// Commands are the names of the commands that each role may give; nil stands
	// for a list of the usual ones.
	Commands map[Role][]string
	// Access says how visitors show that they are players or arbiters; without it
	// everybody who reaches the page may do everything.
	Access *Access
	// AnyAddress lets the page be asked for under any number, not only under Hosts.
	AnyAddress bool
	// Now is the monotonic clock of the stamps in states and events; the time since
	// New if nil.
	Now func() time.Duration
	// Variants and Profiles are offered for a new game, the default first. Clocks
	// are how games are timed under each profile, as texts.
	Variants, Profiles []string
	Clocks             map[string]string
	// Opponent is the name of the program that the settings name as opponent,
	// empty when they name none; it is offered for a new game.
	Opponent string
	// Health returns how the board is; nil leaves the health view out. It is
	// called by requests, once a second at most, and must not wait for long.
	Health func() Health
	// Calibrate lets visitors calibrate the board; nil leaves that view out.
	Calibrate Calibrator
	// Tournaments keeps tournaments; nil leaves that view out.
	Tournaments Tournaments
	// Report writes bug reports; nil leaves them out.
	Report Reporter
	Logger *slog.Logger
	// Heartbeat is the longest silence of a stream (15 s if zero).
	Heartbeat time.Duration
	// Stale is how long a page waits for a byte before it says that it is
	// stale and connects anew (40 s if zero).
	Stale time.Duration
	// MaxStreams bounds the open streams (512 if zero).
	MaxStreams int
	// Delay is how much later those who are not logged in see what happens; it
	// needs Access.
	Delay time.Duration
	// Proxies are the addresses of proxies before the page: it believes them for
	// whom they ask (X-Forwarded-For). Those on this computer are always believed.
	Proxies []netip.Addr
}

// The limits that are not options.
const (
	headerTimeout = 5 * time.Second
	writeTimeout  = 10 * time.Second // for one write to a stream
	askTimeout    = 10 * time.Second // for a request that is not a stream, and again for its answer
	drainTimeout  = 3 * time.Second  // for requests that run at shutdown
	maxBody       = 8 << 10
	maxHeader     = 16 << 10
	// socketBuffer bounds what the kernel keeps for a reader that does not
	// read: less memory, and less of the past to catch up on.
	socketBuffer = 64 << 10
)

// Server serves the page. Publish, Event and LEDs may be called from any
// goroutine, before, during and after Serve.
type Server struct {
	o   Options
	hub *hub
	// late is what those who are not logged in see, and release holds it back;
	// both are nil when they see everything at once.
	late    *hub
	release *release
	files   *files
	hosts   map[string]bool
	handler http.Handler
	ward    ward
	// tournamentViews counts what shows a tournament.
	tournamentViews sight
	// calibrating counts what shows a calibration.
	calibrating sight
	// streams counts what shows the game.
	streams sight
	// connections are the open ones.
	connections *connections
	// reporting is held while a bug report is made.
	reporting sync.Mutex
	// orders bounds what a role may ask for without a login.
	orders   map[Role]*limits
	sessions sessions
	door     *door
	// cookie is the name of the cookie of a session.
	cookie string

	stop chan struct{} // closed when streams must end

	mu      sync.Mutex
	closing bool
	running sync.WaitGroup // requests
}

// New checks o and prepares the assets. It starts nothing.
func New(o Options) (*Server, error) {
	if o.Command == nil {
		return nil, errors.New("web page: no command handler given")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Heartbeat <= 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.Stale <= 0 {
		o.Stale = 40 * time.Second
	}
	if o.MaxStreams <= 0 {
		o.MaxStreams = 512
	}
	if o.Name == "" {
		o.Name = "Reversi board"
	}
	if o.Commands == nil {
		o.Commands = usualCommands()
	}
	if o.Now == nil {
		begin := time.Now()
		o.Now = func() time.Duration { return time.Since(begin) }
	}
	if o.Access != nil {
		if err := o.Access.check(); err != nil {
			return nil, err
		}
	}
	if o.Delay < 0 || o.Delay > 0 && o.Access == nil {
		return nil, errors.New("web page: a delay is for those who are not logged in: access has to be set")
	}
	files, err := load(o)
	if err != nil {
		return nil, fmt.Errorf("web page: prepare assets: %w", err)
	}
	s := &Server{
		o:      o,
		hub:    newHub(newEpoch(), cardOf(o), o.Logger, o.Now),
		door:   newDoor(),
		cookie: "reversi-session-" + o.Board,
		files:  files,
		hosts:  map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true},
		orders: map[Role]*limits{Player: newLimits(), Arbiter: newLimits()},
		stop:   make(chan struct{}),
	}
	s.connections = newConnections(o.Proxies, o.Logger)
	for _, h := range o.Hosts {
		s.hosts[hostname(h)] = true
	}
	if o.Delay > 0 {
		s.late = newHub(newEpoch(), cardOf(o), o.Logger, func() time.Duration { return o.Now() - o.Delay })
		s.release = newRelease(o.Delay, s.late)
		s.late.publish(View{Sentence: "What happens here is shown later, see above."})
	}
	s.handler = s.routes()
	return s, nil
}

// Publish shows v from now on. It never waits for a reader.
func (s *Server) Publish(v View) {
	s.hub.publish(v)
	if s.release != nil {
		s.release.view(v)
	}
}

// Event passes on one durable event, in order: payload is its JSON, which must
// not be changed afterwards. One whose seq is not above the last one's has been
// passed on already and is left out. It never waits for a reader.
func (s *Server) Event(seq uint64, payload []byte) { s.Veiled(seq, payload, payload) }

// Veiled passes on an event of which players may know only what public says; nil
// keeps it from them altogether. An arbiter who has logged in gets all of it.
func (s *Server) Veiled(seq uint64, public, payload []byte) {
	s.hub.event(seq, public, payload)
	if s.release != nil {
		s.release.event(seq, public)
	}
}

// hubOf returns what a visitor sees.
func (s *Server) hubOf(v visitor) *hub {
	if s.late != nil && v.role == Viewer {
		return s.late
	}
	return s.hub
}

// LEDs shows what the LEDs on the wire show now. It never waits for a reader,
// and costs next to nothing while px stays the same.
func (s *Server) LEDs(px [64]RGB) { s.hub.lights(px) }

// ServeHTTP makes the page part of another server, such as one in a test.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		http.Error(w, "the board is shutting down", http.StatusServiceUnavailable)
		return
	}
	s.running.Add(1)
	s.mu.Unlock()
	defer s.running.Done()
	if !s.admits(r) {
		w.Header().Set("Connection", "close")
		w.Header().Set("Retry-After", "10")
		http.Error(w, "too many visitors, please try again in a moment", http.StatusServiceUnavailable)
		return
	}
	s.handler.ServeHTTP(w, r)
}

// Serve answers on ln, which it closes, until ctx ends. It returns when the
// last request has ended; the end of ctx is not an error. A Server serves once.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTimeout,
		// The whole request, and the whole answer: streams and files set deadlines of
		// their own (see stretch).
		ReadTimeout:    askTimeout,
		WriteTimeout:   2 * askTimeout,
		IdleTimeout:    2 * time.Minute,
		ConnState:      s.connections.note,
		MaxHeaderBytes: maxHeader,
		ErrorLog:       slog.NewLogLogger(s.o.Logger.Handler(), slog.LevelDebug),
		BaseContext:    func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return s.connections.enter(shrinkBuffer(ctx, c), c)
		},
	}
	var releasing sync.WaitGroup
	defer releasing.Wait()
	if s.release != nil {
		releasing.Go(func() { s.release.keep(s.stop) })
	}
	ended := make(chan struct{})
	var serving error
	go func() {
		defer close(ended)
		serving = server.Serve(ln)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	close(s.stop)
	draining := s.drain(context.WithoutCancel(ctx), server)
	s.running.Wait()
	<-ended
	if !errors.Is(serving, http.ErrServerClosed) {
		return fmt.Errorf("serve the web page on %v: %w", ln.Addr(), serving)
	}
	if draining != nil {
		return fmt.Errorf("close the web page: %w", draining)
	}
	return nil
}

// drain gives running requests a moment to end, then cuts them off.
func (s *Server) drain(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	return err
}

func shrinkBuffer(ctx context.Context, c net.Conn) context.Context {
	if encrypted, ok := c.(*tls.Conn); ok {
		c = encrypted.NetConn()
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		// Without it the stream still works, only with a longer tail.
		_ = tcp.SetWriteBuffer(socketBuffer)
	}
	return ctx
}

// hostname strips the port of a Host header and folds its case.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
