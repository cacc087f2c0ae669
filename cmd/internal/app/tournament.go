package app

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"

	"reversi-board/configs"
	"reversi-board/display/web"
	"reversi-board/engine"
	"reversi-board/engine/archive"
	"reversi-board/engine/archive/tables"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
	"reversi-board/engine/tournament"
	"reversi-board/mqtt"
)

// hall is the tournaments of the board's archive: it shows them on the page, does
// what arbiters ask for, and knows the pairings whose games may be started here.
// Results do not come through it: they enter with the game, when the archive
// copies it from the journal. It may be used from any goroutine, except that open
// alone may be used by the loop: everything else waits for the disk.
type hall struct {
	app *App
	// waiting are the pairings without a result by their ids.
	waiting atomic.Pointer[map[string]seating]
	// changed wakes the goroutine that keeps it.
	changed chan struct{}

	mu    sync.Mutex
	store *tables.Store
	// trouble is why there is no store.
	trouble string
	// news is closed when there is something new to see. Until then views are those
	// that were made before: a hundred visitors cost what one costs.
	news  chan struct{}
	views map[string]json.RawMessage
	// making is held while a view is made.
	making sync.Mutex
}

// maxViews bounds the views that are kept.
const maxViews = 32

// seating is a pairing that may be played here.
type seating struct {
	match referee.Match
	// playing is the board on which it is being played.
	playing string
	// refusal says why it cannot be played here, empty if it can.
	refusal string
}

func newHall(a *App) *hall {
	h := &hall{app: a, news: make(chan struct{}), changed: make(chan struct{}, 1), trouble: "the tournaments are being opened: try again"}
	h.waiting.Store(&map[string]seating{})
	return h
}

// watchTables is how often is looked whether another program has changed the
// tournaments. It costs no reading from the disk.
const watchTables = time.Second

// keep holds the tournaments open until ctx ends.
func (h *hall) keep(ctx context.Context) {
	h.app.keepOpen(ctx, "there are no tournaments at this board now", h.hold)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trouble = "the board is shutting down"
}

// hold holds them open until ctx ends, or until they have to be opened again.
func (h *hall) hold(ctx context.Context) (err error) {
	moved := archive.Place(h.app.dir)
	store, err := archive.OpenTables(ctx, h.app.dir)
	if err != nil {
		h.mu.Lock()
		h.trouble = "the tournaments cannot be opened: " + err.Error()
		h.mu.Unlock()
		return err
	}
	if moved() {
		moved = archive.Place(h.app.dir) // it has just been made
	}
	h.mu.Lock()
	h.store = store
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		h.store, h.trouble = nil, "the tournaments are being opened: try again"
		h.mu.Unlock()
		err = errors.Join(err, store.Close())
	}()
	return h.follow(ctx, store, moved)
}

// follow looks again whenever something may have changed. It ends with an error when
// the file is not there any more, or is damaged.
func (h *hall) follow(ctx context.Context, store *tables.Store, moved func() bool) error {
	look := time.NewTicker(watchTables)
	defer look.Stop()
	seen := int64(-1)
	for {
		version, err := store.Version(ctx)
		if err == nil && version != seen {
			if err = h.refresh(ctx, store); err == nil {
				seen = version
			}
		}
		switch {
		case archive.IsDamaged(err):
			return err
		case err != nil && ctx.Err() == nil:
			h.app.log.Warn("look at the tournaments", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		case <-h.changed:
			seen = -1
		}
		if moved() {
			return archive.ErrMoved
		}
	}
}

// refresh reads which pairings are open, and says that there is something new.
func (h *hall) refresh(ctx context.Context, store *tables.Store) error {
	list, err := store.OpenPairings(ctx)
	if err != nil {
		return err
	}
	waiting := make(map[string]seating, len(list))
	for _, p := range list {
		waiting[p.ID] = h.seat(p)
	}
	h.waiting.Store(&waiting)
	h.mu.Lock()
	close(h.news)
	h.news, h.views = make(chan struct{}), nil
	h.mu.Unlock()
	return nil
}

// seat makes the match of a pairing. Both players are people.
func (h *hall) seat(p tables.OpenPairing) seating {
	match := h.app.match
	match.Opponent, match.Players, match.Pairing = referee.Opponent{}, p.Players, p.ID
	s := seating{playing: p.Playing}
	var err error
	var timed *string
	if p.Clock != "" {
		timed = &p.Clock
	}
	if match.Rules, err = engine.Variant(p.Variant); err == nil {
		// The clocks are the profile's also where the profile is that of the
		// settings.
		match.Clock = match.Profile.Clock
		match, err = officiated(match, &p.Profile, timed)
	}
	if err != nil {
		s.refusal = "this game cannot be played here: " + err.Error()
	}
	s.match = match
	return s
}

// get returns the store, or why there is none.
func (h *hall) get() (*tables.Store, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.store == nil {
		return nil, errors.New(h.trouble)
	}
	return h.store, nil
}

// open returns the match of a pairing that may be started here. It is called by
// the loop and does not wait.
func (h *hall) open(id string) (referee.Match, error) {
	s, ok := (*h.waiting.Load())[id]
	switch {
	case !ok:
		return referee.Match{}, errors.New("this pairing is not known here, or has a result already")
	case s.refusal != "":
		return referee.Match{}, errors.New(s.refusal)
	case s.playing != "" && s.playing != h.app.config.Board.ID:
		return referee.Match{}, fmt.Errorf("this pairing is being played on %s", s.playing)
	}
	return s.match, nil
}

// paired takes a pairing out of the arguments of a new game: it brings its own
// players, rules and clocks. Without one there is nothing to do.
func (a *App) paired(role, name string, args json.RawMessage) (match referee.Match, rest json.RawMessage, err error) {
	var named struct {
		Pairing *string `json:"pairing"`
	}
	switch {
	case name != "new":
		return a.match, args, nil
	case !bytes.Contains(args, []byte(`"pairing"`)):
		return a.next(), args, nil
	}
	if err := decodeArgs(args, &named); err != nil {
		return a.match, nil, fmt.Errorf("a pairing brings its players, rules and clocks, name nothing else: %w", err)
	}
	switch {
	case named.Pairing == nil:
		return a.match, nil, errors.New("pairing: missing")
	case role != string(mqtt.Arbiter):
		return a.match, nil, errors.New("only an arbiter may start the game of a pairing")
	}
	match, err = a.hall.open(*named.Pairing)
	return match, nil, err
}

// hallView is what the page gets to see.
type hallView struct {
	List []hallItem `json:"list"`
	// Sheet is the tournament that was asked for, null when there is none.
	Sheet *tables.Sheet `json:"sheet"`
	// Error says why nothing is shown.
	Error string `json:"error"`
	// Board is the id of this board, Variants and Profiles what can be played.
	Board    string   `json:"board"`
	Variants []string `json:"variants"`
	Profiles []string `json:"profiles"`
}

type hallItem struct {
	ID   string         `json:"id"`
	Name plaintext.Text `json:"name"`
	Day  string         `json:"day"`
}

// View implements web.Tournaments.
func (h *hall) View(ctx context.Context, id string) (json.RawMessage, <-chan struct{}) {
	h.making.Lock()
	defer h.making.Unlock()
	h.mu.Lock()
	news, text, made := h.news, h.views[id], h.views[id] != nil
	h.mu.Unlock()
	if made {
		return text, news
	}
	v := hallView{
		List: []hallItem{}, Board: h.app.config.Board.ID, Variants: engine.VariantNames(), Profiles: h.app.profiles(),
	}
	err := h.fill(ctx, &v, id)
	if err != nil {
		v.Error = err.Error()
	}
	text, wrong := json.Marshal(v)
	if wrong != nil {
		return json.RawMessage("null"), news
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil && h.news == news && len(h.views) < maxViews {
		if h.views == nil {
			h.views = make(map[string]json.RawMessage)
		}
		h.views[id] = text
	}
	return text, news
}

func (h *hall) fill(ctx context.Context, v *hallView, id string) error {
	store, err := h.get()
	if err != nil {
		return err
	}
	list, err := store.List(ctx)
	if err != nil {
		return err
	}
	for _, t := range list {
		v.List = append(v.List, hallItem{t.ID, t.Name, t.Day})
	}
	if id == "" && len(list) > 0 {
		id = list[0].ID
	}
	if id == "" {
		return nil
	}
	t, err := store.Load(ctx, id)
	if err != nil {
		return err
	}
	v.Sheet = t.Sheet()
	return nil
}

// Export implements web.Tournaments.
func (h *hall) Export(ctx context.Context, id, what string) ([]byte, error) {
	store, err := h.get()
	if err != nil {
		return nil, err
	}
	t, err := store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = ExportTournament(&out, t, what)
	return out.Bytes(), err
}

// Do implements web.Tournaments.
func (h *hall) Do(ctx context.Context, by string, a web.TournamentAct) error {
	store, err := h.get()
	if err != nil {
		return err
	}
	why, err := plaintext.Parse("the reason", a.Reason, plaintext.MaxReason)
	if err != nil {
		return err
	}
	act := tables.Act{By: plaintext.Clean(by, plaintext.MaxName), At: h.app.calendar(), Reason: why}
	err = h.do(ctx, store, a, act)
	// Whoever asked sees what has come of it, also when it was refused because
	// somebody else was quicker.
	return errors.Join(err, h.refresh(ctx, store))
}

// calendar returns the wall clock, zero while nobody has set it.
func (a *App) calendar() time.Time {
	if s := a.stamp(); s.TSOK {
		return s.TS
	}
	return time.Time{}
}

// do does what is asked for.
func (h *hall) do(ctx context.Context, store *tables.Store, a web.TournamentAct, act tables.Act) error {
	entry := tables.Entry{
		Round: a.Round, Table: a.Table, BlackDiscs: a.BlackDiscs, WhiteDiscs: a.WhiteDiscs, Reason: a.Ending,
		Declared: a.Declared, Winner: a.Winner, BlackScore: a.BlackScore, WhiteScore: a.WhiteScore,
	}
	var err error
	switch a.Do {
	case web.TournamentCreate:
		err = h.create(ctx, store, a, act)
	case web.TournamentPlayers:
		err = ImportPlayers(ctx, store, a.ID, strings.NewReader(a.Text), a.Namesakes, act)
	case web.TournamentPair:
		_, err = store.Pair(ctx, a.ID, act)
	case web.TournamentMatch:
		_, err = store.PairByHand(ctx, a.ID, [][2]int{{a.Black, a.White}}, a.Next, act)
	case web.TournamentUnpair:
		_, err = store.Unpair(ctx, a.ID, act)
	case web.TournamentLots:
		err = store.DrawLots(ctx, a.ID, orSeed(a.Seed), act)
	case web.TournamentColors:
		err = store.SetColors(ctx, a.ID, a.Round, a.Table, a.Black, tournament.ColorsBy(a.By), orSeed(a.Seed), act)
	case web.TournamentEdit, web.TournamentRemove:
		err = edit(ctx, store, a, act)
	case web.TournamentStart:
		err = h.begin(ctx, store, a)
	case web.TournamentResult:
		_, err = store.Declare(ctx, a.ID, entry, act)
	case web.TournamentCorrect:
		_, err = store.Correct(ctx, a.ID, entry, act)
	case web.TournamentWithdraw, web.TournamentReturn:
		err = store.Withdraw(ctx, a.ID, a.Player, a.Do == web.TournamentReturn, act)
	case web.TournamentBye:
		_, err = store.Bye(ctx, a.ID, a.Player, act)
	default:
		err = undo(ctx, store, a, act)
	}
	return err
}

// undo does what takes something back, and what is left when a round cannot be
// paired.
func undo(ctx context.Context, store *tables.Store, a web.TournamentAct, act tables.Act) error {
	var err error
	switch a.Do {
	case web.TournamentNoBye:
		_, err = store.TakeBye(ctx, a.ID, a.Player, act)
	case web.TournamentReopen:
		_, err = store.Reopen(ctx, a.ID, a.Round, a.Table, act)
	case web.TournamentAgain:
		_, err = store.PairAgain(ctx, a.ID, act)
	case web.TournamentRounds:
		err = store.SetRounds(ctx, a.ID, a.Rounds, act)
	case web.TournamentEnd:
		_, err = store.End(ctx, a.ID, act)
	case web.TournamentContinue:
		err = store.Continue(ctx, a.ID, act)
	default:
		err = fmt.Errorf("there is no act %.32q", a.Do)
	}
	return err
}

// edit changes or removes a player.
func edit(ctx context.Context, store *tables.Store, a web.TournamentAct, act tables.Act) error {
	if a.Do == web.TournamentRemove {
		return store.RemovePlayer(ctx, a.ID, a.Player, act)
	}
	p := tournament.Player{Number: a.Player, Rating: a.Rating, Lot: a.Lot}
	var errs [2]error
	p.Name, errs[0] = tournament.ParseName("the name", a.Name)
	p.Club, errs[1] = tournament.ParseName("the club", a.Club)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	return store.EditPlayer(ctx, a.ID, p, act)
}

// orSeed returns a seed that nobody could know before, if none is given.
func orSeed(seed string) string {
	if seed != "" {
		return seed
	}
	return NewSeed()
}

// NewSeed returns a seed for draws that nobody could know before.
func NewSeed() string { return rand.Text()[:12] }

func (h *hall) create(ctx context.Context, store *tables.Store, a web.TournamentAct, act tables.Act) error {
	t, err := NewTournament(TournamentSettings{
		Name: a.Name, Day: a.Day, Place: a.Place, System: a.System, Rounds: a.Rounds, Variant: a.Variant, Profile: a.Profile, Clock: a.Clock,
	}, &h.app.match.Profile)
	if err != nil {
		return err
	}
	t.ID = a.ID
	_, err = store.Create(ctx, t, act)
	return err
}

// begin starts the game of a pairing at this board.
func (h *hall) begin(ctx context.Context, store *tables.Store, a web.TournamentAct) error {
	t, err := store.Load(ctx, a.ID)
	if err != nil {
		return err
	}
	p, err := t.Find(a.Round, a.Table)
	if err != nil {
		return err
	}
	if err := h.refresh(ctx, store); err != nil {
		return err
	}
	args, err := json.Marshal(map[string]string{"pairing": p.ID})
	if err != nil {
		return fmt.Errorf("start the game: %w", err)
	}
	r := h.app.give(ctx, order{
		role: string(web.Arbiter), from: "page", command: web.Command{Name: "new", Args: args, ID: ulid.Make().String()}, asked: true,
	})
	if r.Status != "ok" {
		return errors.New(r.Error)
	}
	return nil
}

// TournamentSettings are what somebody says of a tournament; what is empty is as
// usual for its system.
type TournamentSettings struct {
	Name, Day, Place, System string
	Rounds                   int
	Variant, Profile, Clock  string
	// Breaks are the tie-breaks, separated by commas, Colors balanced or lots.
	Breaks, Colors string
	// Factor is the Brightwell factor, as usual if it is negative or 0.
	Factor int
	Seed   string
}

// NewTournament returns the tournament that is meant. set is the profile of the
// board's settings, nil if there is none: its name need not be a built-in one.
func NewTournament(s TournamentSettings, set *referee.Profile) (tables.Tournament, error) {
	t := tables.Tournament{
		Day: s.Day, System: tournament.System(s.System), Rounds: s.Rounds,
		Variant: s.Variant, Profile: s.Profile, Clock: s.Clock, Factor: s.Factor, Seed: orSeed(s.Seed), Colors: tournament.Colors(s.Colors),
	}
	var errs [2]error
	t.Name, errs[0] = tournament.ParseName("the name", s.Name)
	t.Place, errs[1] = tournament.ParseName("the place", s.Place)
	if err := errors.Join(errs[:]...); err != nil {
		return t, err
	}
	if t.System == "" {
		t.System = tournament.Swiss
	}
	festival := t.System == tournament.Festival
	if t.Rounds == 0 {
		t.Rounds = 5
	}
	for _, usual := range []struct {
		to               *string
		normal, festival string
	}{{&t.Variant, engine.Classic, engine.Festival}, {&t.Profile, "club", "festival"}} {
		switch {
		case *usual.to != "":
		case festival:
			*usual.to = usual.festival
		default:
			*usual.to = usual.normal
		}
	}
	if t.Colors == "" {
		t.Colors = tournament.Balanced
		if festival {
			t.Colors = tournament.Lots
		}
	}
	if t.Factor <= 0 {
		t.Factor = tournament.DefaultFactor
	}
	for word := range strings.SplitSeq(s.Breaks, ",") {
		if word = strings.TrimSpace(word); word != "" {
			t.Breaks = append(t.Breaks, tournament.Break(word))
		}
	}
	if len(t.Breaks) == 0 {
		t.Breaks = tournament.DefaultBreaks(t.System)
	}
	profile, err := configs.Event(t.Profile)
	if set != nil && set.Name == t.Profile {
		profile, err = *set, nil
	}
	if err != nil {
		return t, err
	}
	rules, err := engine.Variant(t.Variant)
	if err != nil {
		return t, err //nolint:wrapcheck // it names the variants
	}
	match := referee.Match{Rules: rules, Profile: profile}
	t.AsTheyLie = match.Empties() == referee.EmptiesAsTheyLie
	return t, nil
}

// ImportPlayers adds the players of a CSV file. Those whose names others have are
// refused, with all others, unless namesakes says that they are other people.
func ImportPlayers(ctx context.Context, store *tables.Store, id string, r io.Reader, namesakes bool, act tables.Act) error {
	t, err := store.Load(ctx, id)
	if err != nil {
		return err
	}
	list, err := tournament.ReadPlayers(r, t.NextNumbers())
	if err != nil {
		return err
	}
	if namesakes {
		return store.AddNamesakes(ctx, id, list, act)
	}
	return store.AddPlayers(ctx, id, list, act)
}

// ExportTournament writes players, results or standings as CSV.
func ExportTournament(w io.Writer, t *tables.Table, what string) error {
	switch what {
	case "players":
		return t.Event().WritePlayers(w)
	case "results":
		return t.Event().WriteGames(w)
	case "standings":
		return t.Event().WriteStandings(w)
	}
	return fmt.Errorf("%.20q cannot be exported: want players, results or standings", what)
}
