package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"reversi-board/engine"
)

// table is a small stand-in for the rest of the program: discs that hands can
// move, and just enough of a judge to say whose turn it is, what must still be
// turned and when a move is done. Its states are written by hand in the form of
// the MQTT contract.
type table struct {
	t      *testing.T
	server *Server

	mu      sync.Mutex
	phase   string
	game    engine.Game
	before  []engine.Game
	discs   engine.Discs
	script  string // the transcript
	seq     uint64
	last    map[string]any
	auto    bool
	failed  []string
	alerts  []Alert
	players [2]string
	// hints is the rule about suggestions; evals is sent whatever it says.
	hints      string
	evals      []*int
	evaluating bool
	question   *Question
	acts       []Act
	commands   []Command
	refuse     string // what the hands answer, "" for nothing
	// refuseCommand is what the board answers, "" for ok.
	refuseCommand string
}

// newTable returns a table with the start position on it and the server that
// shows it.
func newTable(t *testing.T, change func(o *Options)) *table {
	t.Helper()
	tb := &table{t: t, phase: "setup", hints: "on", players: [2]string{"", ""}}
	rules, err := engine.Variant("classic")
	if err != nil {
		t.Fatal(err)
	}
	tb.game = engine.NewGame(rules)
	o := Options{
		Board: "rv-test", Name: "Kitchen table", Version: "1.0", Simulated: true, Hands: tb,
		Command: tb.command, Variants: engine.VariantNames(), Profiles: []string{"home"},
	}
	if change != nil {
		change(&o)
	}
	if tb.server, err = New(o); err != nil {
		t.Fatal(err)
	}
	tb.publish()
	return tb
}

func (tb *table) command(_ context.Context, c Command) Response {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.commands = append(tb.commands, c)
	if tb.refuseCommand != "" {
		return Response{Status: "error", Code: "bad_payload", Error: tb.refuseCommand, Seq: tb.seq}
	}
	switch c.Name {
	case "undo":
		if len(tb.before) == 0 {
			return Response{Status: "error", Code: "not_allowed", Error: "There is nothing to take back.", Seq: tb.seq}
		}
		tb.undo(1)
	case "evaluate":
		var args struct {
			On bool `json:"on"`
		}
		if json.Unmarshal(c.Args, &args) != nil {
			return Response{Status: "error", Code: "bad_payload", Error: "args"}
		}
		tb.evaluating = args.On
	case "new":
		var args struct {
			Players struct {
				Black string `json:"black"`
				White string `json:"white"`
			} `json:"players"`
		}
		if json.Unmarshal(c.Args, &args) != nil {
			return Response{Status: "error", Code: "bad_payload", Error: "args"}
		}
		tb.players = [2]string{args.Players.Black, args.Players.White}
		tb.phase = "setup"
		tb.judge()
	}
	tb.publish()
	return Response{Status: "ok", Seq: tb.seq}
}

// undo takes plies discs back, as the board would after hands had done so.
func (tb *table) undo(plies int) {
	to := len(tb.before) - plies
	tb.game, tb.before = tb.before[to], tb.before[:to]
	tb.script = tb.script[:2*to]
	tb.discs = tb.game.Discs
	tb.last = nil
	tb.event("undo", map[string]any{"plies": plies, "to_ply": to, "by": tb.game.Turn.String(), "clock": nil})
}

// Do moves a disc at once.
func (tb *table) Do(_ context.Context, a Act) error {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.acts = append(tb.acts, a)
	if tb.refuse != "" {
		return errors.New(tb.refuse)
	}
	at := tb.discs.At(a.Square)
	switch a.Op {
	case OpPlace:
		if at != engine.None {
			return fmt.Errorf("there is a disc on %v already", a.Square)
		}
		tb.discs = tb.discs.With(a.Square, a.Color)
	case OpTurn:
		tb.discs = tb.discs.With(a.Square, at.Opponent())
	case OpLift:
		tb.discs = tb.discs.With(a.Square, engine.None)
	case OpSlide:
		tb.discs = tb.discs.With(a.Square, engine.None).With(a.To, at)
	case OpReset:
		tb.discs = tb.game.Rules.Start.Discs
	case OpSweep:
		tb.discs = engine.Discs{}
	case OpAutoFlip:
		tb.auto = a.On
	case OpFail:
		tb.failed = append(tb.failed, a.Square.String())
		tb.alerts = append(tb.alerts, Alert{Code: "sensor_fault", Severity: "warn", Text: "The sensor of " + a.Square.String() + " cannot be read.", Squares: []string{a.Square.String()}})
	case OpHeal:
		tb.failed, tb.alerts = nil, nil
	}
	tb.judge()
	tb.publish()
	return nil
}

// play places discs and turns what they outflank.
func (tb *table) play(transcript string) {
	tb.t.Helper()
	tb.mu.Lock()
	defer tb.mu.Unlock()
	if tb.phase != "playing" {
		tb.discs = tb.game.Rules.Start.Discs
		tb.judge()
	}
	for ; transcript != ""; transcript = transcript[2:] {
		s, err := engine.ParseSquare(transcript[:2])
		if err != nil || !tb.game.Legal().Has(s) {
			tb.t.Fatalf("%s is not a move here", transcript[:2])
		}
		tb.discs = tb.game.Place(s).Discs
		tb.judge()
	}
	tb.publish()
}

// finish plays whatever comes until the game is over.
func (tb *table) finish() {
	tb.t.Helper()
	tb.play("")
	for i := 7; tb.phase == "playing"; i = i*31 + 11 {
		legal := tb.game.Legal()
		for range i % legal.Count() {
			legal &= legal - 1
		}
		tb.play(legal.First().String())
	}
}

// judge looks at the table after it has changed.
func (tb *table) judge() {
	if tb.phase != "playing" {
		if start := tb.game.Rules.Start; tb.discs == start.Discs {
			tb.phase, tb.game, tb.before, tb.script, tb.last = "playing", engine.NewGame(tb.game.Rules), nil, "", nil
			tb.event("game_started", map[string]any{"variant": "classic", "profile": "home", "turn": "black", "board": tb.discs.String()})
		}
		return
	}
	placed, flips, ok := tb.pending()
	if !ok {
		return
	}
	after := tb.game.After(placed, flips)
	if tb.auto {
		tb.discs = after.Discs
	}
	if tb.discs != after.Discs {
		return
	}
	by := tb.game.Turn
	tb.before = append(tb.before, tb.game)
	tb.game = tb.game.Place(placed)
	tb.script += placed.String()
	tb.last = map[string]any{"by": by.String(), "move": placed.String(), "flipped": flips.Names()}
	tb.event("move", map[string]any{"by": by.String(), "move": placed.String(), "flipped": flips.Names(), "missed": []string{}, "extra": []string{}, "clock": nil, "think_ms": 900})
	if tb.game.MustPass() {
		tb.event("pass", map[string]any{"by": tb.game.Turn.String(), "clock": nil})
		tb.game = tb.game.Pass()
	}
	if tb.game.Over() {
		black, white := tb.game.Score()
		tb.phase = "over"
		tb.event("game_over", map[string]any{"result": tb.game.Rules.Winner(tb.game.Discs).String(), "black": black, "white": white, "reason": "no_moves"})
	}
}

// pending returns the disc that has been placed legally.
func (tb *table) pending() (placed engine.Square, flips engine.Bitboard, ok bool) {
	added := tb.discs.Occupied() &^ tb.game.Occupied()
	if added.Count() != 1 || tb.discs.At(added.First()) != tb.game.Turn {
		return 0, 0, false
	}
	flips = tb.game.Flips(added.First())
	return added.First(), flips, flips != 0
}

// event announces a fact; the caller publishes the state after it.
func (tb *table) event(kind string, data map[string]any) {
	tb.seq++
	text, err := json.Marshal(map[string]any{
		"v": 1, "jid": "01J", "seq": tb.seq, "game": "01G", "ply": len(tb.before), "type": kind, "data": data, "replay": false,
	})
	if err != nil {
		tb.t.Error(err)
		return
	}
	tb.server.Event(tb.seq, text)
}

// guide returns what must still change on the table.
func (tb *table) guide() (flip, place, remove engine.Bitboard) {
	record := tb.game.Discs
	if tb.phase == "over" {
		return 0, 0, 0
	}
	placed, flips, ok := tb.pending()
	if ok {
		want := tb.game.After(placed, flips)
		open := want.Diff(tb.discs)
		return open & flips & tb.discs.Occupied(), open &^ tb.discs.Occupied(), open & tb.discs.Occupied() &^ flips
	}
	diff := record.Diff(tb.discs)
	return 0, diff &^ tb.discs.Occupied(), diff & tb.discs.Occupied()
}

func (tb *table) sentence(flip, place, remove engine.Bitboard) string {
	switch {
	case tb.phase == "over":
		black, white := tb.game.Score()
		return fmt.Sprintf("The game is over: %d to %d, %v wins.", black, white, tb.game.Rules.Winner(tb.game.Discs))
	case tb.phase == "setup":
		return "Set up the start: white on d4 and e5, black on e4 and d5."
	case remove != 0:
		return fmt.Sprintf("%v does not belong there: take it away.", remove)
	case flip != 0:
		return fmt.Sprintf("Still to turn: %v.", flip)
	case place != 0:
		return fmt.Sprintf("A disc is missing on %v.", place)
	case tb.game.Turn == engine.White:
		return "White to move."
	default:
		return "Black to move."
	}
}

// publish shows the table as it is. The lock is held, or nobody else is there.
func (tb *table) publish() {
	flip, place, remove := tb.guide()
	step, turn := any("to_move"), tb.game.Turn.String()
	var pending any
	if placed, flips, ok := tb.pending(); ok && tb.phase == "playing" {
		step = "in_progress"
		pending = map[string]any{"by": turn, "move": placed.String(), "to_flip": flips.Names(), "done": (flips &^ flip).Names(), "extra": []string{}, "lifted": []string{}}
	} else if remove != 0 {
		step = "correcting"
	}
	var result any
	if tb.phase != "playing" {
		step, turn = nil, "none"
	}
	if tb.phase == "over" {
		result = map[string]any{"result": tb.game.Rules.Winner(tb.game.Discs).String()}
	}
	sum := sha256.Sum256([]byte(tb.game.String() + turn[:1]))
	record := tb.game.Discs
	state, err := json.Marshal(map[string]any{
		"v": 1, "jid": "01J", "seq": tb.seq, "game": "01G", "variant": "classic", "profile": "home", "hints": tb.hints,
		"phase": tb.phase, "step": step, "turn": turn, "ply": len(tb.before),
		"board": record.String(), "sensed": tb.discs.String(), "board_fp": hex.EncodeToString(sum[:8]), "irregular": false,
		"start": map[string]string{"board": engine.Start().String(), "turn": "black"},
		"legal": tb.game.Legal().Names(), "score": map[string]int{"black": record.Black.Count(), "white": record.White.Count(), "empty": record.Empty().Count()},
		"last": tb.last, "pending": pending,
		"guide":      map[string]any{"flip": flip.Names(), "place": place.Names(), "remove": remove.Names()},
		"transcript": tb.script, "players": map[string]string{"black": tb.players[0], "white": tb.players[1]},
		"hand": nil, "result": result, "clock": nil, "problem": map[string]any{"active": false, "code": nil, "squares": []string{}, "since": nil},
	})
	if err != nil {
		tb.t.Error(err)
		return
	}
	tb.server.Publish(View{
		State: state, Sentence: tb.sentence(flip, place, remove), Table: tb.discs.String(),
		Start: engine.Start().String(), First: "black",
		Connections: map[string]string{"journal": "ok", "broker": "connected"},
		Alerts:      tb.alerts, AutoFlip: tb.auto, Failed: tb.failed,
		Evals: tb.evals, Evaluating: tb.evaluating, Question: tb.question,
	})
	var px [64]RGB
	for s := range engine.Square(64) {
		switch {
		case flip.Has(s):
			px[s] = RGB{0x56, 0xB4, 0xE9}
		case remove.Has(s):
			px[s] = RGB{0xD5, 0x5E, 0x00}
		case place.Has(s):
			px[s] = RGB{0xB0, 0xA8, 0x98}
		}
	}
	for _, name := range tb.failed {
		if s, err := engine.ParseSquare(name); err == nil {
			px[s] = RGB{0xCC, 0x79, 0xA7}
		}
	}
	tb.server.LEDs(px)
}

// did returns what the hands were asked to do since the last call.
func (tb *table) did() []Act {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	acts := tb.acts
	tb.acts = nil
	return acts
}

// asked returns the commands since the last call.
func (tb *table) asked() []Command {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	commands := tb.commands
	tb.commands = nil
	return commands
}
