package record_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// The forms below are written by hand from the contract's tables.

const (
	jid  = "01JD7Q4E9W0000000000000001"
	game = "01JD7Q4E9W0000000000000002"
)

const stampText = `"v":1,"ts":"2026-03-01T18:04:05.678Z","ts_ok":true,"boot":7,"mono_ms":61250,"jid":"` + jid + `"`

const goldenMove = `{` + stampText + `,"seq":12,"game":"` + game + `","ply":1,"type":"move",` +
	`"data":{"by":"black","move":"d3","flipped":["d4"],"missed":[],"extra":[],` +
	`"clock":{"black_ms":null,"white_ms":null},"think_ms":4200},"board_fp":"0123456789abcdef","replay":false}`

const (
	startBoard = "---------------------------WB------BW---------------------------"
	startFP    = "57eb93da8c941b2f"
	afterD3    = "-------------------B-------BB------BW---------------------------"
)

func golden(kind, data string) string {
	return `{` + stampText + `,"seq":12,"game":null,"ply":0,"type":"` + kind + `","data":` + data +
		`,"board_fp":"0123456789abcdef","replay":false}`
}

func envelope() record.Envelope {
	return record.Envelope{
		Stamp: record.Stamp{
			TS: time.Date(2026, 3, 1, 18, 4, 5, 678000000, time.UTC), TSOK: true, Boot: 7,
			Mono: 61250 * time.Millisecond,
		},
		JID: jid, Seq: 12, FP: "0123456789abcdef",
	}
}

func set(t testing.TB, text string) engine.Bitboard {
	t.Helper()
	b, err := engine.ParseSquares(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func homeMatch(t testing.TB, variant string) referee.Match {
	t.Helper()
	r, err := engine.Variant(variant)
	if err != nil {
		t.Fatal(err)
	}
	p, err := referee.ProfileNamed("home")
	if err != nil {
		t.Fatal(err)
	}
	return referee.Match{Rules: r, Profile: p, Players: [2]plaintext.Text{plaintext.Const("Ann <b>"), plaintext.Const("Ørn & 李")}}
}

// homeText is the profile home as a whole; it stands last in the agreement.
const homeText = `"officiating":{"source":"","commit":"settle","flips":"must_correct","flips_corrected_by_mover":false,` +
	`"claim_after_end":false,"illegal":"refuse","takeback":"free","flip_lights":"always","flip_lights_after_ms":0,"pass":"auto",` +
	`"clock":{"mode":"none"},"flag":"none","empties":"as_they_lie","missing_after_ms":3000}`

const noTimes = `"clock":{"black_ms":null,"white_ms":null}`

const matchText = `"profile":"home","hints":"on","players":{"black":"Ann <b>","white":"Ørn & 李"},` +
	`"clock":{"mode":"none"},"board":"` + startBoard + `"`

func TestEventForms(t *testing.T) {
	at := envelope().Mono
	square := func(name string) engine.Square { return set(t, name).First() }
	parse := func(text string) clock.Settings {
		s, err := clock.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	custom := homeMatch(t, "classic")
	custom.Rules.Name, custom.Rules.Stock, custom.Rules.Goal = "house-rules", 32, engine.Fewest
	custom.Rules.Opening = set(t, "d4 e4 d5 e5")
	custom.Rules.Start = engine.Position{Turn: engine.White}
	custom.Profile = referee.Profile{
		Name: "our-club", Source: "our house rules", Commit: referee.CommitPressIfClock, Flips: referee.FlipsStand,
		FlipsCorrectedByMover: true, ClaimAfterEnd: true, Improper: referee.ImproperClaimed, Takeback: referee.TakebackUntilReply,
		FlipLights: referee.LightsAfter, FlipLightsAfter: 10 * time.Second, Hints: referee.HintsLocked, Pass: referee.PassByPress,
		Clock: parse("5:00/3"), Flag: referee.FlagGrace, Empties: referee.EmptiesAsTheyLie, MissingAfter: 2500 * time.Millisecond,
	}
	custom.Clock = parse("black 5:00, white 10:00+3x0:30")
	fiveMinutes := clock.Times{Timed: [2]bool{true, true}, Left: [2]time.Duration{5 * time.Minute, 4*time.Minute + 1}}
	schema := loadSchema(t, "event")
	for _, c := range []struct {
		event      referee.Event
		kind, data string
	}{
		{
			referee.GameStarted{Match: homeMatch(t, "classic"), At: at},
			"game_started",
			`{"variant":"classic",` + matchText + `,"turn":"black",` + homeText + `}`,
		},
		{
			referee.GameStarted{Match: homeMatch(t, "white-first"), At: at + 3},
			"game_started",
			`{"variant":"white-first",` + matchText + `,"turn":"white",` + homeText + `,"at_ns":61250000003}`,
		},
		{
			referee.GameStarted{Match: custom, At: at},
			"game_started",
			`{"variant":"house-rules","profile":"our-club","hints":"locked","players":{"black":"Ann <b>","white":"Ørn & 李"},` +
				`"clock":{"mode":"sudden","text":"black 5:00, white 10:00+3x0:30",` +
				`"black":{"main_ms":300000,"increment_ms":0,"periods":0,"period_ms":0},` +
				`"white":{"main_ms":600000,"increment_ms":0,"periods":3,"period_ms":30000}},` +
				`"board":"` + strings.Repeat("-", 64) + `","turn":"white",` +
				`"goal":"fewest","opening":["d4","e4","d5","e5"],"stock":32,` +
				`"officiating":{"source":"our house rules","commit":"press_if_clock","flips":"stands","flips_corrected_by_mover":true,` +
				`"claim_after_end":true,"illegal":"claim","takeback":"until_reply","flip_lights":"after","flip_lights_after_ms":10000,` +
				`"pass":"press","clock":{"mode":"fischer","text":"5:00/3",` +
				`"black":{"main_ms":300000,"increment_ms":3000,"periods":0,"period_ms":0},` +
				`"white":{"main_ms":300000,"increment_ms":3000,"periods":0,"period_ms":0}},` +
				`"flag":"grace","empties":"as_they_lie","missing_after_ms":2500}}`,
		},
		{
			referee.Moved{By: engine.White, Square: square("g2"), Flipped: set(t, "e4 f3"), Think: 1500*time.Millisecond + 7, At: at - 1},
			"move",
			`{"by":"white","move":"g2","flipped":["f3","e4"],"missed":[],"extra":[],` +
				`"clock":{"black_ms":null,"white_ms":null},"think_ms":1500,"think_ns":1500000007,"at_ns":61249999999}`,
		},
		// White forgot d5 and turned e5.
		{
			referee.Moved{By: engine.White, Square: square("d6"), Flipped: set(t, "e5"), Missed: set(t, "d5"), Extra: set(t, "e5"), Clock: fiveMinutes, At: at},
			"move",
			`{"by":"white","move":"d6","flipped":["e5"],"missed":["d5"],"extra":["e5"],` +
				`"clock":{"black_ms":300000,"white_ms":240001,"white_ns":240000000001},"think_ms":0}`,
		},
		{
			referee.Moved{By: engine.Black, Square: square("a1"), Improper: referee.NoFlip, At: at},
			"move",
			`{"by":"black","move":"a1","flipped":[],"missed":[],"extra":[],"improper":"no_flip",` + noTimes + `,"think_ms":0}`,
		},
		{referee.Passed{By: engine.Black, At: at}, "pass", `{"by":"black",` + noTimes + `}`},
		// Byo-yomi: White is in the second of three periods of 30 s.
		{
			referee.Passed{By: engine.White, Clock: clock.Times{
				Timed: [2]bool{false, true}, Left: [2]time.Duration{0, 50 * time.Second}, Periods: [2]int{0, 2},
			}, At: at},
			"pass",
			`{"by":"white","clock":{"black_ms":null,"white_ms":50000,"white_periods":2}}`,
		},
		{
			referee.FlipError{Ply: 2, Missed: set(t, "d5"), Status: referee.FlipsLeft, At: at},
			"flip_error",
			`{"ply":2,"missed":["d5"],"extra":[],"status":"stands",` + noTimes + `}`,
		},
		{
			referee.FlipError{Ply: 2, Extra: set(t, "d5 a1"), Status: referee.FlipsOpen, Claimed: true, Clock: fiveMinutes, At: at},
			"flip_error",
			`{"ply":2,"missed":[],"extra":["a1","d5"],"status":"open","claimed":true,` +
				`"clock":{"black_ms":300000,"white_ms":240001,"white_ns":240000000001}}`,
		},
		{referee.FlipError{Ply: 60, Status: referee.FlipsFixed, At: at}, "flip_error", `{"ply":60,"missed":[],"extra":[],"status":"fixed",` + noTimes + `}`},
		{
			referee.Revised{FromPly: 20, Len: 2, Reason: plaintext.Const("c4, not c5"), At: at, Line: [referee.MaxRevised]referee.Ply{
				{By: engine.White, Move: engine.At(square("c4")), Flipped: set(t, "d4"), Think: time.Second},
				{By: engine.Black, Move: engine.PassMove},
			}},
			"revise",
			`{"from_ply":20,"plies":[{"by":"white","move":"c4","flipped":["d4"],"missed":[],"extra":[],` + noTimes + `,"think_ms":1000},` +
				`{"by":"black","move":"pass","flipped":[],"missed":[],"extra":[],` + noTimes + `,"think_ms":0}],"reason":"c4, not c5",` + noTimes + `}`,
		},
		{
			referee.PositionSet{Discs: engine.Start().Discs, Turn: engine.White, Reason: plaintext.Const("a disc was knocked over"), At: at},
			"position_set",
			`{"board":"` + startBoard + `","turn":"white","reason":"a disc was knocked over",` + noTimes + `}`,
		},
		{
			referee.ClockFlag{
				Color: engine.Black, Effect: referee.FlagGrace,
				Clock: clock.Times{Timed: [2]bool{true, true}, Left: [2]time.Duration{2 * time.Minute, time.Nanosecond}}, At: at,
			},
			"clock_flag",
			// A nanosecond is still time: what is shown is rounded up.
			`{"color":"black","clock":{"black_ms":120000,"white_ms":1,"white_ns":1},"effect":"grace"}`,
		},
		{
			referee.ClockAdjusted{Clock: clock.Times{Timed: [2]bool{true, false}, Left: [2]time.Duration{60 * time.Second}}, Reason: plaintext.Const("noise"), At: at},
			"clock_adjusted",
			`{"clock":{"black_ms":60000,"white_ms":null},"reason":"noise"}`,
		},
		{referee.GamePaused{By: "arbiter", Reason: plaintext.Const("fire alarm"), At: at}, "paused", `{"by":"arbiter","reason":"fire alarm",` + noTimes + `}`},
		{referee.GameResumed{By: "players", At: at + 1}, "resumed", `{"by":"players","reason":"",` + noTimes + `,"at_ns":61250000001}`},
		{referee.TimeStepped{By: -24 * time.Hour}, "time_stepped", `{"by_ms":-86400000}`},
		{
			referee.Undone{Plies: 3, ToPly: 9, By: engine.White, At: at},
			"undo",
			`{"plies":3,"to_ply":9,"by":"white","clock":{"black_ms":null,"white_ms":null}}`,
		},
		{
			referee.Undone{Plies: 1, ToPly: 0, By: engine.Black, Claimed: true, Clock: fiveMinutes, At: at},
			"undo",
			`{"plies":1,"to_ply":0,"by":"black","claimed":true,"clock":{"black_ms":300000,"white_ms":240001,"white_ns":240000000001}}`,
		},
		{
			referee.Illegal{By: engine.Black, Square: square("a1"), Reason: referee.NoFlip},
			"illegal_move",
			`{"by":"black","move":"a1","reason":"no_flip"}`,
		},
		{
			referee.Illegal{By: engine.None, Square: engine.Square(engine.PassMove), Reason: referee.PassNotAllowed},
			"illegal_move",
			`{"by":"none","move":"pass","reason":"pass_not_allowed"}`,
		},
		{
			referee.GameOver{Result: referee.Result{
				Winner: engine.Black, Black: 64, Counts: referee.CountsWithEmpties, DiscsBlack: 13, Reason: referee.Wipeout,
			}, At: at},
			"game_over",
			`{"result":"black","black":64,"white":0,"counts":"with_empties","discs":{"black":13,"white":0},"with_empties":{"black":64,"white":0},"empties":51,"reason":"wipeout"}`,
		},
		{
			referee.GameOver{Result: referee.Result{
				Winner: engine.None, Black: 31, White: 31, Counts: referee.CountsDiscs, DiscsBlack: 31, DiscsWhite: 31, Reason: referee.NoMoves,
			}, At: at},
			"game_over",
			`{"result":"draw","black":31,"white":31,"counts":"discs","discs":{"black":31,"white":31},"with_empties":{"black":32,"white":32},"empties":2,"reason":"no_moves"}`,
		},
		{
			referee.GameOver{Result: referee.Result{
				Winner: engine.None, Void: true, DiscsBlack: 29, DiscsWhite: 28, Reason: referee.Aborted,
			}, At: at},
			"game_over",
			`{"result":"none","black":null,"white":null,"counts":null,"discs":{"black":29,"white":28},"with_empties":{"black":36,"white":28},"empties":7,"reason":"aborted"}`,
		},
		{
			referee.GameOver{Result: referee.Result{
				Winner: engine.White, White: 64, DiscsBlack: 3, DiscsWhite: 2, Reason: referee.FlagFell,
			}, Clock: clock.Times{Timed: [2]bool{true, true}, Left: [2]time.Duration{0, 5 * time.Millisecond}}, At: at},
			"game_over",
			`{"result":"white","black":0,"white":64,"counts":"awarded","discs":{"black":3,"white":2},"with_empties":{"black":62,"white":2},"empties":59,"reason":"flag","clock":{"black_ms":0,"white_ms":5}}`,
		},
		{
			referee.GameOver{Result: referee.Result{
				Winner: engine.None, Black: 4, White: 4, Counts: referee.CountsDiscs, DiscsBlack: 4, DiscsWhite: 4, Reason: referee.FlagFell,
				Stop: referee.Stop{
					By: referee.CountedBoard, Lay: engine.Discs{Black: 0x0F, White: 0xF0}, Differ: 0x11, RecordBlack: 5, RecordWhite: 2,
				},
			}, At: at},
			"game_over",
			`{"result":"draw","black":4,"white":4,"counts":"discs","discs":{"black":4,"white":4},"with_empties":{"black":32,"white":32},` +
				`"empties":56,"reason":"flag","time_up":{"by":"board","board":"BBBBWWWW` + strings.Repeat("-", 56) +
				`","differ":["a1","e1"],"record":{"black":5,"white":2}}}`,
		},
		{
			referee.ClockFlag{Color: engine.None, Effect: referee.FlagCount, At: at},
			"clock_flag",
			`{"color":"none","clock":{"black_ms":null,"white_ms":null},"effect":"count"}`,
		},
		{
			referee.Faulted{Squares: set(t, "g2"), Kind: referee.Flapping},
			"sensor_fault",
			`{"squares":["g2"],"kind":"flapping"}`,
		},
		{
			referee.Restored{Squares: set(t, "a3 b3 c3 d3 e3 f3 g3 h3"), Kind: referee.LostBank},
			"sensor_restored",
			`{"squares":["a3","b3","c3","d3","e3","f3","g3","h3"],"kind":"bank_lost"}`,
		},
		{referee.PowerRestored{Changed: set(t, "e6"), Gap: 90 * time.Second, At: at}, "power_restored", `{"changed":["e6"],"gap_s":90}`},
		{referee.PowerRestored{Gap: -1, At: at}, "power_restored", `{"changed":[],"gap_s":null}`},
		{
			referee.PowerRestored{Gap: -1, Clock: fiveMinutes, At: at},
			"power_restored",
			`{"changed":[],"gap_s":null,"clock":{"black_ms":300000,"white_ms":240001,"white_ns":240000000001}}`,
		},
		{referee.EngineLost{Engine: plaintext.Const("Edax 4.6"), Reason: plaintext.Const("it was silent for 1m0s")}, "engine_lost", `{"engine":"Edax 4.6","reason":"it was silent for 1m0s"}`},
		{
			referee.Commanded{Audit: referee.Audit{Role: "arbiter", Name: "new", ID: plaintext.Const("7"), From: plaintext.Const("desk-1"), Order: referee.NewGame{Match: homeMatch(t, "reverse")}}},
			"command",
			`{"role":"arbiter","name":"new","id":"7","from":"desk-1","args":{"variant":"reverse",` + matchText + `,"turn":"black",` + homeText + `}}`,
		},
		{
			referee.Commanded{Audit: referee.Audit{Role: "player", Name: "undo", ID: plaintext.Const("a"), Order: referee.Undo{Plies: 2}}},
			"command",
			`{"role":"player","name":"undo","id":"a","from":null,"args":{"plies":2}}`,
		},
		{
			referee.Commanded{Audit: referee.Audit{Role: "ops", Name: "identify", Order: referee.Look{}}},
			"command",
			`{"role":"ops","name":"identify","id":null,"from":null,"args":{}}`,
		},
		{ordered("pause", referee.Pause{Reason: plaintext.Const("fire alarm")}), "command", orderText("pause", `{"reason":"fire alarm"}`)},
		{ordered("resume", referee.Resume{}), "command", orderText("resume", `{"reason":""}`)},
		{ordered("let_stand", referee.LetStand{Reason: plaintext.Const("too late")}), "command", orderText("let_stand", `{"reason":"too late"}`)},
		{ordered("resign", referee.Resign{Color: engine.White}), "command", orderText("resign", `{"color":"white"}`)},
		{
			ordered("undo", referee.Undo{Plies: 2, Reason: plaintext.Const("illegal start")}),
			"command", orderText("undo", `{"plies":2,"reason":"illegal start"}`),
		},
		{
			ordered("adjudicate", referee.Adjudicate{Winner: engine.None, Black: 32, White: 32, Reason: plaintext.Const("agreed")}),
			"command", orderText("adjudicate", `{"result":"draw","black":32,"white":32,"reason":"agreed"}`),
		},
		{
			ordered("adjudicate", referee.Adjudicate{Winner: engine.None, Void: true}),
			"command", orderText("adjudicate", `{"result":"none","black":0,"white":0,"reason":""}`),
		},
		{
			ordered("clock_set", referee.ClockSet{Black: 90 * time.Second, White: -1, Reason: plaintext.Const("fell off the table")}),
			"command", orderText("clock_set", `{"black_ms":90000,"white_ms":null,"reason":"fell off the table"}`),
		},
		{
			ordered("players_set", referee.PlayersSet{Players: [2]plaintext.Text{plaintext.Const("Ann"), plaintext.Const("")}}),
			"command", orderText("players_set", `{"black":"Ann","white":""}`),
		},
		{
			ordered("correct_square", referee.CorrectSquare{
				Black: set(t, "c3"), White: set(t, "h8"), Empty: set(t, "a1"), Turn: engine.None, Reason: plaintext.Const("look"),
			}),
			"command", orderText("correct_square", `{"squares":{"a1":"-","c3":"B","h8":"W"},"turn":"none","reason":"look"}`),
		},
		{
			ordered("revise", referee.Revise{FromPly: 20, Moves: "c4d3", Reason: plaintext.Const("c4, not c5")}),
			"command", orderText("revise", `{"from_ply":20,"moves":"c4d3","reason":"c4, not c5"}`),
		},
		{ordered("claim", referee.Claim{By: engine.Black}), "command", orderText("claim", `{"by":"black"}`)},
		{ordered("pass", referee.PassPressed{By: engine.None}), "command", orderText("pass", `{"by":"none"}`)},
	} {
		got, err := record.EncodeEvent(envelope(), c.event)
		if err != nil {
			t.Errorf("%s: %v", c.kind, err)
			continue
		}
		if want := golden(c.kind, c.data); string(got) != want {
			t.Errorf("%s:\n got %s\nwant %s", c.kind, got, want)
		}
		schema.check(t, got)
		if kind := record.TypeOf(got); kind != c.kind {
			t.Errorf("TypeOf: %q, want %q", kind, c.kind)
		}
		env, back, err := record.DecodeEvent(got)
		if err != nil || !reflect.DeepEqual(back, c.event) || env != envelope() {
			t.Errorf("%s: decoded to %+v %+v (%v)", c.kind, env, back, err)
		}
	}
}

// ordered is the audit of a command of the arbiter.
func ordered(name string, o referee.Order) referee.Event {
	return referee.Commanded{Audit: referee.Audit{Role: "arbiter", Name: name, Order: o}}
}

func orderText(name, args string) string {
	return `{"role":"arbiter","name":"` + name + `","id":null,"from":null,"args":` + args + `}`
}

// What journals say that were begun before the profile was written as a whole.
func TestOldAgreement(t *testing.T) {
	text := golden("game_started", `{"variant":"classic",`+matchText+`,"turn":"black","takeback":"never","missing_after_ms":2500}`)
	want := homeMatch(t, "classic")
	want.Profile.Takeback, want.Profile.MissingAfter = referee.TakebackNever, 2500*time.Millisecond
	_, ev, err := record.DecodeEvent([]byte(text))
	if got, ok := ev.(referee.GameStarted); err != nil || !ok || got.Match != want {
		t.Errorf("%+v, %v", ev, err)
	}
}

func TestMoveExample(t *testing.T) {
	env := envelope()
	env.Game, env.Ply = game, 1
	got, err := record.EncodeEvent(env, referee.Moved{
		By: engine.Black, Square: set(t, "d3").First(), Flipped: set(t, "d4"), Think: 4200 * time.Millisecond, At: env.Mono,
	})
	if err != nil || string(got) != goldenMove {
		t.Errorf("%v\n got %s\nwant %s", err, got, goldenMove)
	}
}

// Every word of the contract's table must be writable and readable.
func TestWords(t *testing.T) {
	schema := loadSchema(t, "event")
	both := func(ev referee.Event, word string) {
		t.Helper()
		b, err := record.EncodeEvent(envelope(), ev)
		if err != nil || !strings.Contains(string(b), `"`+word+`"`) {
			t.Errorf("%+v: %s, %v, want the word %s", ev, b, err, word)
			return
		}
		schema.check(t, b)
		if _, back, err := record.DecodeEvent(b); err != nil || back != ev {
			t.Errorf("%s: %+v, %v", b, back, err)
		}
	}
	reasons := "occupied no_flip wrong_color out_of_turn second_disc extra_flip flips_pending pass_not_allowed not_running other_square off_center disc_missing"
	for i, word := range strings.Fields(reasons) {
		both(referee.Illegal{By: engine.White, Square: 5, Reason: referee.Reason(i + 1)}, word)
	}
	for word := range strings.FieldsSeq("stuck flapping ghost dead bank_lost reset drift") {
		both(referee.Faulted{Squares: 1, Kind: referee.FaultKind(word)}, word)
		both(referee.Restored{Squares: 1, Kind: referee.FaultKind(word)}, word)
	}
	for word := range strings.FieldsSeq("awarded discs with_empties") {
		r := referee.Result{Winner: engine.White, White: 4, Black: 3, DiscsWhite: 4, DiscsBlack: 3, Reason: referee.NoMoves}
		for r.Counts.String() != word {
			r.Counts++
		}
		both(referee.GameOver{Result: r}, word)
	}
	for word := range strings.FieldsSeq("no_moves wipeout resign flag adjudicated aborted") {
		both(referee.GameOver{Result: referee.Result{Winner: engine.White, White: 40, Black: 24, DiscsWhite: 40, DiscsBlack: 24, Reason: referee.EndReason(word)}}, word)
	}
}

func TestFingerprint(t *testing.T) {
	for _, c := range []struct {
		board string
		turn  engine.Color
		mark  string
	}{
		{startBoard, engine.Black, "b"},
		{afterD3, engine.White, "w"},
		{strings.Repeat("W", 64), engine.None, "-"},
	} {
		d, err := engine.ParseDiscs(c.board)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(c.board + c.mark))
		if got, want := record.Fingerprint(d, c.turn), hex.EncodeToString(sum[:])[:16]; got != want {
			t.Errorf("%s: %s, want %s", c.mark, got, want)
		}
	}
	// From `printf '%s' "<64 characters>b" | sha256sum`.
	if got, want := record.Fingerprint(engine.Start().Discs, engine.Black), startFP; got != want {
		t.Errorf("start: %s, want %s", got, want)
	}
}

func TestEncodeRefuses(t *testing.T) {
	overlap := homeMatch(t, "classic")
	overlap.Rules.Start.White |= overlap.Rules.Start.Black
	for name, ev := range map[string]referee.Event{
		"no event":         nil,
		"mover":            referee.Moved{By: engine.None},
		"square":           referee.Moved{Square: 64},
		"pass by nobody":   referee.Passed{By: engine.None},
		"undo by nobody":   referee.Undone{By: 3},
		"negative undo":    referee.Undone{Plies: -1},
		"no reason":        referee.Illegal{},
		"reason":           referee.Illegal{Reason: 200},
		"illegal square":   referee.Illegal{Reason: referee.NoFlip, Square: 65},
		"winner":           referee.GameOver{Result: referee.Result{Winner: 9, Reason: referee.NoMoves}},
		"end":              referee.GameOver{Result: referee.Result{Reason: "boredom"}},
		"too many discs":   referee.GameOver{Result: referee.Result{Reason: referee.NoMoves, DiscsBlack: 65}},
		"kind":             referee.Faulted{Kind: "cold"},
		"order":            referee.Commanded{},
		"both colors":      referee.GameStarted{Match: overlap},
		"opponent":         referee.GameStarted{Match: referee.Match{Opponent: referee.Opponent{Kind: "uci"}}},
		"level":            referee.GameStarted{Match: referee.Match{Opponent: referee.Opponent{Kind: referee.Builtin, Level: 11}}},
		"side":             referee.GameStarted{Match: referee.Match{Opponent: referee.Opponent{Kind: referee.Builtin, Side: engine.None}}},
		"hints":            referee.GameStarted{Match: referee.Match{Profile: referee.Profile{Hints: 7}}},
		"takeback":         referee.GameStarted{Match: referee.Match{Profile: referee.Profile{Takeback: 7}}},
		"commit":           referee.GameStarted{Match: referee.Match{Profile: referee.Profile{Commit: 7}}},
		"improper":         referee.Moved{Improper: 99},
		"flip status":      referee.FlipError{Status: 3},
		"flag effect":      referee.ClockFlag{Effect: 5},
		"flag of no color": referee.ClockFlag{Color: 3},
		"kind of score":    referee.GameOver{Result: referee.Result{Reason: referee.NoMoves, Counts: 3}},
		"kind of count":    referee.GameOver{Result: referee.Result{Reason: referee.FlagFell, Stop: referee.Stop{By: 3}}},
		"two faces lay":    referee.GameOver{Result: referee.Result{Reason: referee.FlagFell, Stop: referee.Stop{By: 1, Lay: engine.Discs{Black: 1, White: 1}}}},
		"set for nobody":   referee.PositionSet{Turn: engine.None},
		"two faces":        referee.PositionSet{Discs: engine.Discs{Black: 1, White: 1}},
		"long revision":    referee.Revised{Len: referee.MaxRevised + 1},
		"revised by":       referee.Revised{Len: 1, Line: [referee.MaxRevised]referee.Ply{{By: engine.None}}},
		"order's name":     ordered("resume", referee.Pause{}),
		"resigned by":      ordered("resign", referee.Resign{Color: engine.None}),
		"score":            ordered("adjudicate", referee.Adjudicate{Black: 65}),
		"square twice":     ordered("correct_square", referee.CorrectSquare{Black: 1, Empty: 1}),
		"goal":             referee.GameStarted{Match: referee.Match{Rules: engine.Rules{Goal: 7}}},
		"turn":             referee.GameStarted{Match: referee.Match{Rules: engine.Rules{Start: engine.Position{Turn: 7}}}},
	} {
		if b, err := record.EncodeEvent(envelope(), ev); err == nil {
			t.Errorf("%s: %s", name, b)
		}
	}
	env := envelope()
	env.FP = "0123456789ABCDEF"
	if b, err := record.EncodeEvent(env, referee.Passed{}); err == nil {
		t.Errorf("fingerprint: %s", b)
	}
}

// What reaches the journal must never be lost because of a strange name or an
// unset clock.
func TestEncodeMends(t *testing.T) {
	m := homeMatch(t, "classic")
	m.Players = [2]plaintext.Text{plaintext.Clean(strings.Repeat("é", 65), plaintext.MaxLine), plaintext.Const("a\xffb\x00\u2028<")}
	env := envelope()
	env.TS = time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC)
	b, err := record.EncodeEvent(env, referee.GameStarted{Match: m})
	if err != nil {
		t.Fatal(err)
	}
	loadSchema(t, "event").check(t, b)
	env, ev, err := record.DecodeEvent(b)
	if err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	m.Players = [2]plaintext.Text{plaintext.Clean(strings.Repeat("é", 64), plaintext.MaxLine), plaintext.Const("a\uFFFDb\x00\u2028<")}
	if got, ok := ev.(referee.GameStarted); !ok || got.Match != m || env.TS.Unix() != 0 {
		t.Errorf("%+v %v", ev, env.TS)
	}
}

func TestDecodeRefuses(t *testing.T) {
	change := func(from, to string) string {
		t.Helper()
		if !strings.Contains(goldenMove, from) {
			t.Fatalf("the example has no %s", from)
		}
		return strings.Replace(goldenMove, from, to, 1)
	}
	for name, text := range map[string]string{
		"no JSON":           `{`,
		"array":             `[]`,
		"later version":     change(`"v":1`, `"v":2`),
		"no version":        change(`"v":1,`, ``),
		"local time":        change(`.678Z`, `.678+02:00`),
		"negative boot":     change(`"boot":7`, `"boot":-7`),
		"text seq":          change(`"seq":12`, `"seq":"12"`),
		"negative seq":      change(`"seq":12`, `"seq":-12`),
		"ply":               change(`"ply":1`, `"ply":193`),
		"mono":              change(`"mono_ms":61250`, `"mono_ms":9223372036854775807`),
		"no mover":          change(`"by":"black",`, ``),
		"mover none":        change(`"by":"black"`, `"by":"none"`),
		"mover Black":       change(`"by":"black"`, `"by":"Black"`),
		"capital square":    change(`"d3"`, `"D3"`),
		"pass as a move":    change(`"d3"`, `"pass"`),
		"square of flipped": change(`"d4"`, `"d9"`),
		"data null":         change(`"data":{`, `"data":null,"x":{`),
		"fingerprint":       change(`0123456789abcdef`, `0123456789abcdeg`),
		"improper word":     change(`"clock"`, `"improper":"odd","clock"`),
		"negative time":     change(`"black_ms":null`, `"black_ms":-1`),
		"negative periods":  change(`"black_ms":null`, `"black_ms":1,"black_periods":-1`),
		"long game":         change(game, strings.Repeat("0", 65)),
		"too long":          change(`"v":1`, `"v":1,"x":"`+strings.Repeat("y", record.MaxEvent)+`"`),
	} {
		if _, ev, err := record.DecodeEvent([]byte(text)); err == nil {
			t.Errorf("%s: %+v", name, ev)
		}
	}
	_, _, err := record.DecodeEvent([]byte(change(`"move",`, `"draw_offered",`)))
	if !errors.Is(err, record.ErrUnknownType) {
		t.Errorf("unknown type: %v", err)
	}
	// Additions keep the version.
	if _, _, err := record.DecodeEvent([]byte(change(`"v":1`, `"v":1,"delayed_s":60`))); err != nil {
		t.Errorf("added member: %v", err)
	}
	if record.TypeOf([]byte("{")) != "" {
		t.Error("TypeOf: a type from no JSON")
	}
}

// A new field of these types must get a member, or a restart forgets it.
func TestNoFieldForgotten(t *testing.T) {
	for _, c := range []struct {
		of     any
		fields int
	}{
		{referee.Match{}, 6},
		{referee.Opponent{}, 3},
		{engine.Rules{}, 5},
		{referee.Profile{}, 16},
		{clock.Settings{}, 2},
		{clock.Control{}, 4},
		{clock.Times{}, 3},
		{referee.GameStarted{}, 2},
		{referee.Moved{}, 9},
		{referee.Passed{}, 3},
		{referee.FlipError{}, 7},
		{referee.Undone{}, 6},
		{referee.Revised{}, 6},
		{referee.Ply{}, 5},
		{referee.PositionSet{}, 5},
		{referee.Illegal{}, 3},
		{referee.ClockFlag{}, 4},
		{referee.ClockAdjusted{}, 3},
		{referee.GamePaused{}, 4},
		{referee.GameResumed{}, 4},
		{referee.TimeStepped{}, 1},
		{referee.GameOver{}, 3},
		{referee.Result{}, 9},
		{referee.Stop{}, 5},
		{referee.Faulted{}, 2},
		{referee.Restored{}, 2},
		{referee.PowerRestored{}, 4},
		{referee.EngineLost{}, 2},
		{referee.Commanded{}, 1},
		{referee.Audit{}, 5},
		{referee.NewGame{}, 1},
		{referee.Undo{}, 2},
		{referee.Pause{}, 1},
		{referee.Resume{}, 1},
		{referee.Resign{}, 2},
		{referee.Adjudicate{}, 5},
		{referee.ClockSet{}, 3},
		{referee.PlayersSet{}, 2},
		{referee.CorrectSquare{}, 5},
		{referee.Revise{}, 3},
		{referee.LetStand{}, 1},
		{referee.Claim{}, 2},
		{referee.PassPressed{}, 1},
		{referee.Look{}, 0},
	} {
		if n := reflect.TypeOf(c.of).NumField(); n != c.fields {
			t.Errorf("%T has %d fields, this package writes %d: add the member, the schema and the generator", c.of, n, c.fields)
		}
	}
}

// What journals say that were begun before a result said what its score is, and
// before the flag of a clock for the whole game was nobody's.
func TestOldResultsAndFlagsCanBeRead(t *testing.T) {
	for _, c := range []struct {
		kind, data string
		want       referee.Event
	}{
		{
			"game_over", `{"result":"black","black":64,"white":0,"discs":{"black":13,"white":0},"empties":51,"reason":"wipeout"}`,
			referee.GameOver{Result: referee.Result{Winner: engine.Black, Black: 64, Counts: referee.CountsWithEmpties, DiscsBlack: 13, Reason: referee.Wipeout}},
		},
		{
			"game_over", `{"result":"white","black":3,"white":4,"discs":{"black":3,"white":4},"empties":57,"reason":"no_moves"}`,
			referee.GameOver{Result: referee.Result{Winner: engine.White, Black: 3, White: 4, Counts: referee.CountsDiscs, DiscsBlack: 3, DiscsWhite: 4, Reason: referee.NoMoves}},
		},
		{
			"game_over", `{"result":"black","black":5,"white":2,"discs":{"black":5,"white":2},"empties":57,"reason":"flag"}`,
			referee.GameOver{Result: referee.Result{Winner: engine.Black, Black: 5, White: 2, Counts: referee.CountsDiscs, DiscsBlack: 5, DiscsWhite: 2, Reason: referee.FlagFell}},
		},
		{
			"game_over", `{"result":"white","black":31,"white":33,"discs":{"black":40,"white":24},"empties":0,"reason":"flag"}`,
			referee.GameOver{Result: referee.Result{Winner: engine.White, Black: 31, White: 33, DiscsBlack: 40, DiscsWhite: 24, Reason: referee.FlagFell}},
		},
		{
			"game_over", `{"result":"none","black":null,"white":null,"discs":{"black":5,"white":2},"empties":57,"reason":"aborted"}`,
			referee.GameOver{Result: referee.Result{Winner: engine.None, Void: true, DiscsBlack: 5, DiscsWhite: 2, Reason: referee.Aborted}},
		},
		{
			"clock_flag", `{"color":"white","clock":{"black_ms":0,"white_ms":0},"effect":"count"}`,
			referee.ClockFlag{Color: engine.White, Effect: referee.FlagCount, Clock: clock.Times{Timed: [2]bool{true, true}}},
		},
	} {
		_, got, err := record.DecodeEvent([]byte(golden(c.kind, c.data)))
		if over, ok := got.(referee.GameOver); ok {
			over.At = 0
			got = over
		}
		if flag, ok := got.(referee.ClockFlag); ok {
			flag.At = 0
			got = flag
		}
		if err != nil || got != c.want {
			t.Errorf("%s %s: %+v, %v, want %+v", c.kind, c.data, got, err, c.want)
		}
	}
}

// Generators of every event.

func bits() *rapid.Generator[engine.Bitboard] {
	return rapid.Map(rapid.Uint64(), func(b uint64) engine.Bitboard { return engine.Bitboard(b) })
}

func side() *rapid.Generator[engine.Color] { return rapid.SampledFrom([]engine.Color{0, 1}) }

func moment() *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.Int64Range(0, 1<<60), func(n int64) time.Duration { return time.Duration(n) })
}

// name draws a word or a name; what cannot be shown is replaced when it is read.
func name() *rapid.Generator[string] {
	return rapid.Map(rapid.StringN(0, 64, -1), func(s string) string { return plaintext.Clean(s, 64).String() })
}

func kind() *rapid.Generator[referee.FaultKind] {
	return rapid.SampledFrom([]referee.FaultKind{
		referee.Stuck, referee.Flapping, referee.Ghost, referee.Dead, referee.LostBank, referee.Reset, referee.Drift,
	})
}

func settings() *rapid.Generator[clock.Settings] {
	return rapid.Custom(func(t *rapid.T) clock.Settings {
		length := rapid.Map(rapid.Int64Range(0, 1<<45), func(n int64) time.Duration { return time.Duration(n) })
		control := func(name string) clock.Control {
			switch rapid.IntRange(0, 3).Draw(t, name) {
			case 0:
				return clock.Control{}
			case 1:
				return clock.Control{Main: 1 + length.Draw(t, "main")}
			case 2:
				return clock.Control{Main: 1 + length.Draw(t, "main"), Increment: length.Draw(t, "increment")}
			default:
				return clock.Control{Main: length.Draw(t, "main"), Periods: rapid.IntRange(1, 100).Draw(t, "periods"), Period: 1 + length.Draw(t, "period")}
			}
		}
		s := clock.Settings{Sides: [2]clock.Control{control("black"), control("white")}}
		if rapid.Bool().Draw(t, "shared") {
			s = clock.Settings{Sides: [2]clock.Control{s.Sides[0]}, Shared: s.Sides[0] != clock.Control{}}
		}
		return s
	})
}

func times() *rapid.Generator[clock.Times] {
	return rapid.Custom(func(t *rapid.T) clock.Times {
		var c clock.Times
		for side := range c.Timed {
			if c.Timed[side] = rapid.Bool().Draw(t, "timed"); c.Timed[side] {
				c.Left[side] = moment().Draw(t, "left")
				c.Periods[side] = rapid.IntRange(0, 100).Draw(t, "periods")
			}
		}
		return c
	})
}

func profile() *rapid.Generator[referee.Profile] {
	return rapid.Custom(func(t *rapid.T) referee.Profile {
		number := func(below int, what string) uint8 { return uint8(rapid.IntRange(0, below-1).Draw(t, what)) }
		length := rapid.Map(rapid.Int64Range(0, 1<<45), func(n int64) time.Duration { return time.Duration(n) })
		return referee.Profile{
			Name: name().Draw(t, "profile"), Source: why().Draw(t, "source"),
			Commit: referee.Commit(number(3, "commit")), Flips: referee.Flips(number(2, "flips")),
			FlipsCorrectedByMover: rapid.Bool().Draw(t, "by mover"), ClaimAfterEnd: rapid.Bool().Draw(t, "after end"),
			Improper: referee.Improper(number(2, "illegal")), Takeback: referee.Takeback(number(3, "takeback")),
			FlipLights: referee.FlipLights(number(4, "lights")), FlipLightsAfter: length.Draw(t, "lights after"),
			Hints: referee.Hints(number(3, "hints")), Pass: referee.Passing(number(2, "pass")),
			Clock: settings().Draw(t, "its clock"), Flag: referee.FlagRule(number(5, "flag")),
			Empties: referee.Empties(number(2, "empties")), MissingAfter: length.Draw(t, "missing"),
		}
	})
}

func why() *rapid.Generator[string] { return rapid.StringN(0, 200, -1) }

func match() *rapid.Generator[referee.Match] {
	return rapid.Custom(func(t *rapid.T) referee.Match {
		m := referee.Match{
			Players: [2]plaintext.Text{plaintext.Clean(name().Draw(t, "black"), plaintext.MaxLine), plaintext.Clean(name().Draw(t, "white"), plaintext.MaxLine)}, Pairing: name().Draw(t, "pairing"),
		}
		if rapid.Bool().Draw(t, "opponent") {
			m.Opponent = referee.Opponent{
				Kind:  rapid.SampledFrom([]referee.OpponentKind{referee.Builtin, referee.GTP, referee.NBoard}).Draw(t, "kind"),
				Level: rapid.IntRange(0, 10).Draw(t, "level"), Side: side().Draw(t, "side"),
			}
		}
		if rapid.Bool().Draw(t, "preset") {
			m.Rules, _ = engine.Variant(rapid.SampledFrom(engine.VariantNames()).Draw(t, "variant"))
			m.Profile, _ = referee.ProfileNamed("home")
		} else {
			m.Rules.Name, m.Profile.Name = name().Draw(t, "rules"), name().Draw(t, "profile")
		}
		if rapid.Bool().Draw(t, "changed") {
			black := bits().Draw(t, "b")
			m.Rules.Start = engine.Position{
				Discs: engine.Discs{Black: black, White: bits().Draw(t, "w") &^ black}, Turn: side().Draw(t, "turn"),
			}
			m.Rules.Goal = rapid.SampledFrom([]engine.Goal{engine.Most, engine.Fewest}).Draw(t, "goal")
			m.Rules.Opening = bits().Draw(t, "opening")
			m.Rules.Stock = rapid.IntRange(0, 64).Draw(t, "stock")
			m.Profile = profile().Draw(t, "officiating")
			m.Clock = settings().Draw(t, "clock")
		}
		return m
	})
}

func result() *rapid.Generator[referee.Result] {
	return rapid.Custom(func(t *rapid.T) referee.Result {
		black := rapid.IntRange(0, 64).Draw(t, "black")
		r := referee.Result{
			DiscsBlack: black, DiscsWhite: rapid.IntRange(0, 64-black).Draw(t, "white"), Winner: engine.None,
			Reason: rapid.SampledFrom([]referee.EndReason{
				referee.NoMoves, referee.Wipeout, referee.Resigned, referee.FlagFell, referee.Adjudicated, referee.Aborted,
			}).Draw(t, "end"),
		}
		if r.Void = rapid.Bool().Draw(t, "void"); !r.Void {
			r.Winner = engine.Color(rapid.IntRange(0, 2).Draw(t, "winner"))
			r.Black = rapid.IntRange(0, 64).Draw(t, "score")
			r.White = 64 - r.Black
			r.Counts = referee.Counts(rapid.IntRange(0, 2).Draw(t, "counts"))
		}
		if r.Stop.By = referee.StopCount(rapid.IntRange(0, 2).Draw(t, "by")); r.Stop.By != referee.NotStopped {
			r.Stop.Lay.Black = bits().Draw(t, "b")
			r.Stop.Lay.White = bits().Draw(t, "w") &^ r.Stop.Lay.Black
			r.Stop.Differ, r.Stop.RecordBlack, r.Stop.RecordWhite = bits().Draw(t, "differ"), rapid.IntRange(0, 64).Draw(t, "rb"), rapid.IntRange(0, 64).Draw(t, "rw")
		}
		return r
	})
}

// audit draws an order with a name by which it can be read again.
func audit() *rapid.Generator[referee.Audit] {
	return rapid.Custom(func(t *rapid.T) referee.Audit {
		a := referee.Audit{
			Role: name().Draw(t, "role"), Name: name().Draw(t, "name"), ID: plaintext.Clean(name().Draw(t, "id"), plaintext.MaxLine), From: plaintext.Clean(name().Draw(t, "from"), plaintext.MaxLine),
		}
		who := rapid.Map(rapid.IntRange(0, 2), func(n int) engine.Color { return engine.Color(n) })
		length := rapid.Map(rapid.Int64Range(-1, 1<<45), func(n int64) time.Duration { return time.Duration(n) })
		switch rapid.IntRange(0, 13).Draw(t, "order") {
		case 0:
			a.Order = referee.NewGame{Match: match().Draw(t, "match")}
		case 1:
			a.Order = referee.Undo{Plies: rapid.Int().Draw(t, "plies"), Reason: plaintext.Clean(why().Draw(t, "why"), plaintext.MaxLine)}
		case 2:
			a.Name, a.Order = "pause", referee.Pause{Reason: plaintext.Clean(why().Draw(t, "why"), plaintext.MaxLine)}
		case 3:
			a.Name, a.Order = "resume", referee.Resume{Reason: plaintext.Clean(why().Draw(t, "why"), plaintext.MaxLine)}
		case 4:
			a.Order = referee.Resign{Color: side().Draw(t, "color"), Reason: plaintext.Clean(why().Draw(t, "why"), plaintext.MaxLine)}
		case 5:
			void := rapid.Bool().Draw(t, "void")
			winner := engine.None
			if !void {
				winner = who.Draw(t, "winner")
			}
			a.Order = referee.Adjudicate{
				Winner: winner, Void: void, Black: rapid.IntRange(0, 64).Draw(t, "black"),
				White: rapid.IntRange(0, 64).Draw(t, "white"), Reason: plaintext.Clean(why().Draw(t, "why"), plaintext.MaxLine),
			}
		case 6:
			a.Order = referee.ClockSet{Black: length.Draw(t, "black"), White: length.Draw(t, "white"), Reason: plaintext.Clean(why().Draw(t, "why"), plaintext.MaxLine)}
		case 7:
			a.Order = referee.PlayersSet{
				Players: [2]plaintext.Text{plaintext.Clean(name().Draw(t, "black"), plaintext.MaxLine), plaintext.Clean(name().Draw(t, "white"), plaintext.MaxLine)}, Reason: plaintext.Clean(why().Draw(t, "why"), plaintext.MaxLine),
			}
		case 8:
			black := bits().Draw(t, "black")
			white := bits().Draw(t, "white") &^ black
			a.Order = referee.CorrectSquare{
				Black: black, White: white, Empty: bits().Draw(t, "empty") &^ (black | white), Turn: who.Draw(t, "turn"), Reason: plaintext.Clean(why().Draw(t, "why"), plaintext.MaxLine),
			}
		case 9:
			a.Order = referee.Revise{
				FromPly: rapid.IntRange(0, 64).Draw(t, "from"), Moves: rapid.StringN(0, 256, -1).Draw(t, "moves"), Reason: plaintext.Clean(why().Draw(t, "why"), plaintext.MaxLine),
			}
		case 10:
			a.Name, a.Order = "let_stand", referee.LetStand{Reason: plaintext.Clean(why().Draw(t, "why"), plaintext.MaxLine)}
		case 11:
			a.Name, a.Order = "claim", referee.Claim{By: who.Draw(t, "by"), Reason: plaintext.Clean(why().Draw(t, "why"), plaintext.MaxLine)}
		case 12:
			a.Name, a.Order = "pass", referee.PassPressed{By: who.Draw(t, "by")}
		default:
			a.Order = referee.Look{}
		}
		return a
	})
}

func revised() *rapid.Generator[referee.Event] {
	return rapid.Custom(func(t *rapid.T) referee.Event {
		ev := referee.Revised{
			FromPly: rapid.IntRange(0, 64).Draw(t, "from"), Len: rapid.IntRange(0, 128).Draw(t, "plies"),
			Reason: plaintext.Clean(why().Draw(t, "why"), plaintext.MaxLine), Clock: times().Draw(t, "clock"), At: moment().Draw(t, "at"),
		}
		p := referee.Ply{
			By: side().Draw(t, "by"), Move: engine.Move(rapid.IntRange(0, 64).Draw(t, "move")),
			Flipped: bits().Draw(t, "flipped") & 0xFFFFF, Clock: times().Draw(t, "clock"), Think: moment().Draw(t, "think"),
		}
		for i := range ev.Len {
			ev.Line[i] = p
		}
		return ev
	})
}

// ruling draws what arbiters and clocks do.
func ruling() *rapid.Generator[referee.Event] {
	return rapid.Custom(func(t *rapid.T) referee.Event {
		times, at := times().Draw(t, "clock"), moment().Draw(t, "at")
		switch rapid.IntRange(0, 7).Draw(t, "ruling") {
		case 0:
			return referee.FlipError{
				Ply: rapid.IntRange(0, 64).Draw(t, "ply"), Missed: bits().Draw(t, "missed"), Extra: bits().Draw(t, "extra"),
				Status:  rapid.SampledFrom([]referee.FlipStatus{0, 1, 2}).Draw(t, "status"),
				Claimed: rapid.Bool().Draw(t, "claimed"), Clock: times, At: at,
			}
		case 1:
			black := bits().Draw(t, "b")
			return referee.PositionSet{
				Discs: engine.Discs{Black: black, White: bits().Draw(t, "w") &^ black}, Turn: side().Draw(t, "turn"),
				Reason: plaintext.Clean(why().Draw(t, "why"), plaintext.MaxLine), Clock: times, At: at,
			}
		case 2:
			return referee.ClockFlag{
				Color: engine.Color(rapid.IntRange(0, 2).Draw(t, "color")), Effect: referee.FlagRule(rapid.IntRange(0, 4).Draw(t, "effect")), Clock: times, At: at,
			}
		case 3:
			return referee.ClockAdjusted{Clock: times, Reason: plaintext.Clean(why().Draw(t, "why"), plaintext.MaxLine), At: at}
		case 4:
			return referee.GamePaused{By: name().Draw(t, "by"), Reason: plaintext.Clean(why().Draw(t, "why"), plaintext.MaxLine), Clock: times, At: at}
		case 5:
			return referee.GameResumed{By: name().Draw(t, "by"), Reason: plaintext.Clean(why().Draw(t, "why"), plaintext.MaxLine), Clock: times, At: at}
		case 6:
			return referee.TimeStepped{By: moment().Draw(t, "forth") - moment().Draw(t, "back")}
		default:
			return revised().Draw(t, "revised")
		}
	})
}

func event() *rapid.Generator[referee.Event] {
	return rapid.Custom(func(t *rapid.T) referee.Event {
		switch rapid.IntRange(0, 11).Draw(t, "type") {
		case 0:
			return referee.GameStarted{Match: match().Draw(t, "match"), At: moment().Draw(t, "at")}
		case 1:
			return referee.Moved{
				By: side().Draw(t, "by"), Square: engine.Square(rapid.IntRange(0, 63).Draw(t, "square")),
				Flipped: bits().Draw(t, "flipped"), Missed: bits().Draw(t, "missed"), Extra: bits().Draw(t, "extra"),
				Improper: referee.Reason(rapid.IntRange(0, 10).Draw(t, "improper")), Clock: times().Draw(t, "clock"),
				Think: moment().Draw(t, "think"), At: moment().Draw(t, "at"),
			}
		case 2:
			return referee.Passed{By: side().Draw(t, "by"), Clock: times().Draw(t, "clock"), At: moment().Draw(t, "at")}
		case 3:
			return referee.Undone{
				Plies: rapid.IntRange(0, 64).Draw(t, "plies"), ToPly: rapid.IntRange(0, 64).Draw(t, "to"),
				By: side().Draw(t, "by"), Claimed: rapid.Bool().Draw(t, "claimed"), Clock: times().Draw(t, "clock"), At: moment().Draw(t, "at"),
			}
		case 4:
			return referee.Illegal{
				By: engine.Color(rapid.IntRange(0, 2).Draw(t, "by")), Square: engine.Square(rapid.IntRange(0, 64).Draw(t, "square")),
				Reason: referee.Reason(rapid.IntRange(1, 10).Draw(t, "reason")),
			}
		case 5:
			return referee.GameOver{Result: result().Draw(t, "result"), Clock: times().Draw(t, "clock"), At: moment().Draw(t, "at")}
		case 6:
			return referee.Faulted{Squares: bits().Draw(t, "squares"), Kind: kind().Draw(t, "kind")}
		case 7:
			return referee.Restored{Squares: bits().Draw(t, "squares"), Kind: kind().Draw(t, "kind")}
		case 8:
			gap := moment().Draw(t, "gap")
			if rapid.Bool().Draw(t, "unknown") {
				gap = -1
			}
			return referee.PowerRestored{Changed: bits().Draw(t, "changed"), Gap: gap, Clock: times().Draw(t, "clock"), At: moment().Draw(t, "at")}
		case 9:
			return referee.EngineLost{Engine: plaintext.Clean(name().Draw(t, "engine"), plaintext.MaxLine), Reason: plaintext.Clean(rapid.StringN(0, 200, -1).Draw(t, "reason"), plaintext.MaxLine)}
		case 10:
			return ruling().Draw(t, "ruling")
		default:
			return referee.Commanded{Audit: audit().Draw(t, "audit")}
		}
	})
}

func TestRoundTrip(t *testing.T) {
	schema := loadSchema(t, "event")
	rapid.Check(t, func(r *rapid.T) {
		env := record.Envelope{
			Stamp: record.Stamp{
				TS:   time.UnixMilli(rapid.Int64Range(0, 4102444800000).Draw(r, "ts")).UTC(),
				TSOK: rapid.Bool().Draw(r, "ok"), Boot: rapid.IntRange(0, 1e9).Draw(r, "boot"),
				Mono: time.Duration(rapid.Int64Range(0, 1e12).Draw(r, "mono")) * time.Millisecond,
			},
			JID: jid, Seq: rapid.Uint64().Draw(r, "seq"), Game: rapid.SampledFrom([]string{"", game}).Draw(r, "game"),
			Ply: rapid.IntRange(0, 64).Draw(r, "ply"), Replay: rapid.Bool().Draw(r, "replay"),
			FP: fmt.Sprintf("%016x", rapid.Uint64().Draw(r, "fp")),
		}
		ev := event().Draw(r, "event")
		b, err := record.EncodeEvent(env, ev)
		if err != nil {
			r.Fatal(err)
		}
		if len(b) > record.MaxEvent/2 {
			r.Fatalf("%d bytes", len(b))
		}
		if err := schema.validateText(b); err != nil {
			r.Fatalf("%v\n%s", err, b)
		}
		gotEnv, got, err := record.DecodeEvent(b)
		if err != nil || gotEnv != env || got != ev {
			r.Fatalf("%s\n got %+v %+v (%v)\nwant %+v %+v", b, gotEnv, got, err, env, ev)
		}
	})
}

// Whatever bytes come in, decoding does not panic, and what it accepts it
// writes and reads again without a difference.
func FuzzDecodeEvent(f *testing.F) {
	f.Add([]byte(goldenMove))
	f.Add([]byte(golden("game_started", `{"variant":"x",`+matchText+`,"turn":"none","goal":"fewest","opening":["a1"],"stock":9,"takeback":"never"}`)))
	f.Add([]byte(golden("pass", `{"by":"white","at_ns":-5}`)))
	f.Add([]byte(golden("undo", `{"by":"white","plies":2}`)))
	f.Add([]byte(golden("illegal_move", `{"by":"none","move":"pass","reason":"not_running"}`)))
	f.Add([]byte(golden("game_over", `{"result":"draw","black":32,"white":32,"reason":"no_moves"}`)))
	f.Add([]byte(golden("sensor_fault", `{"squares":["a1","a1"],"kind":"dead"}`)))
	f.Add([]byte(golden("power_restored", `{"changed":null,"gap_s":0,"gap_ns":7}`)))
	f.Add([]byte(golden("command", `{"role":"ops","args":{"plies":3}}`)))
	f.Add([]byte(golden("command", `{"name":"pause","args":{"reason":"x"}}`)))
	f.Add([]byte(golden("command", `{"name":"pass","args":{"by":"none"}}`)))
	f.Add([]byte(golden("command", `{"args":{"squares":{"a1":"B","b1":"-"},"turn":"none"}}`)))
	f.Add([]byte(golden("command", `{"args":{"result":"draw","black":32}}`)))
	f.Add([]byte(golden("command", `{"args":{"black_ms":null,"white_ms":5}}`)))
	f.Add([]byte(golden("command", `{"args":{"from_ply":5,"moves":"c4"}}`)))
	f.Add([]byte(golden("flip_error", `{"ply":2,"missed":["d5"],"status":"open","claimed":true}`)))
	f.Add([]byte(golden("revise", `{"from_ply":2,"plies":[{"by":"white","move":"pass"},{"by":"black","move":"c4","flipped":["c5"]}]}`)))
	f.Add([]byte(golden("position_set", `{"board":"`+startBoard+`","turn":"black"}`)))
	f.Add([]byte(golden("clock_flag", `{"color":"white","effect":"jof","clock":{"white_ms":0}}`)))
	f.Add([]byte(golden("clock_adjusted", `{"clock":{"white_ms":1000,"white_periods":2,"white_ns":5}}`)))
	f.Add([]byte(golden("paused", `{"by":"ops"}`)))
	f.Add([]byte(golden("time_stepped", `{"by_ms":-5}`)))
	f.Fuzz(func(t *testing.T, b []byte) {
		env, ev, err := record.DecodeEvent(b)
		if err != nil {
			return
		}
		again, err := record.EncodeEvent(env, ev)
		if err != nil {
			t.Fatalf("accepted, but cannot be written: %v", err)
		}
		env2, ev2, err := record.DecodeEvent(again)
		if err != nil || env2 != env || ev2 != ev {
			t.Fatalf("%+v %+v became %+v %+v (%v)", env, ev, env2, ev2, err)
		}
	})
}

// A moment of the clock is the same one in every state, however the two clocks of the
// stamps stand within their milliseconds.
func TestMomentsAreRoundedOnce(t *testing.T) {
	t.Parallel()
	s := referee.New(homeMatch(t, "classic"))
	s.Clock = clock.New(clock.Same(clock.Control{Main: 5 * time.Minute}))
	s.Clock.Start(engine.Black, 1234567*time.Microsecond)
	env := envelope()
	var first []byte
	for i := range 50 {
		// 0.3 ms: the wall clock and the other one do not begin together.
		env.Mono = 2*time.Second + time.Duration(i)*137*time.Microsecond
		env.TS = time.Date(2026, 3, 1, 18, 0, 0, int(300*time.Microsecond), time.UTC).Add(env.Mono)
		state, err := record.EncodeState(env, &s)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = state
		}
		// 18:00:00.0003 and 1.234567 s are 18:00:01.234867.
		if !bytes.Contains(state, []byte(`"at":"2026-03-01T18:00:01.234Z","flag_at":"2026-03-01T18:05:01.234Z"`)) {
			t.Errorf("a stamp at %v says %s", env.Mono, state)
		}
		if !record.SameButTime(first, state) {
			t.Errorf("a stamp at %v gives another state: %s", env.Mono, state)
		}
	}
}

// Only the readings of the clocks do not count: that they are synchronized now, or
// another number, does.
func TestSameButTime(t *testing.T) {
	t.Parallel()
	env := envelope()
	s := referee.New(homeMatch(t, "classic"))
	encode := func(env record.Envelope) []byte {
		b, err := record.EncodeState(env, &s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	a := encode(env)
	later := env
	later.TS, later.Mono = env.TS.Add(time.Hour), env.Mono+time.Hour
	if !record.SameButTime(a, encode(later)) {
		t.Error("the same an hour later differs")
	}
	for name, change := range map[string]func(e *record.Envelope){
		"ts_ok": func(e *record.Envelope) { e.TSOK = false }, "boot": func(e *record.Envelope) { e.Boot++ },
		"seq": func(e *record.Envelope) { e.Seq++ }, "game": func(e *record.Envelope) { e.Game = game },
	} {
		other := env
		if change(&other); record.SameButTime(a, encode(other)) {
			t.Errorf("another %s makes no difference", name)
		}
	}
	if record.SameButTime(nil, a) {
		t.Error("nothing is the same as a state")
	}
}

// A journal that an older program has written may hold what is refused today. It is
// read with the hidden characters replaced, and what is written has none.
func TestHostileTextOfOldRecordsIsReplaced(t *testing.T) {
	const head = `{"v":1,"ts":"2026-02-23T10:00:00.000Z","ts_ok":true,"boot":1,"mono_ms":5,"jid":"01JD7Q4E9W0000000000000001","seq":1,` +
		`"game":"G\u001b[2J","ply":0,"type":"%s","data":%s,"board_fp":"0000000000000000","replay":false}`
	const hostile = `Eve\u001b[2J\u009b\r\nforged\u202e\u2066\u2028\u007fend`
	for kind, data := range map[string]string{
		"paused":         `{"by":"` + hostile + `","reason":"` + hostile + `","clock":{}}`,
		"clock_adjusted": `{"clock":{},"reason":"` + hostile + `"}`,
		"engine_lost":    `{"engine":"` + hostile + `","reason":"` + hostile + `"}`,
		"revise":         `{"from_ply":1,"plies":[],"reason":"` + hostile + `","clock":{}}`,
		"position_set": `{"board":"----------------------------------------------------------------","turn":"black","reason":"` + hostile +
			`","clock":{}}`,
		"command": `{"role":"` + hostile + `","name":"players_set","id":"` + hostile + `","from":"` + hostile + `","args":{"black":"` + hostile +
			`","white":"` + hostile + `","reason":"` + hostile + `"}}`,
		"game_started": `{"variant":"` + hostile + `","profile":"` + hostile + `","hints":"on","players":{"black":"` + hostile + `","white":"` + hostile +
			`"},"clock":{"mode":"none"},"board":"---------------------------WB------BW---------------------------","turn":"black","pairing":"` + hostile +
			`","goal":"most","opening":[],"stock":0}`,
	} {
		env, ev, err := record.DecodeEvent(fmt.Appendf(nil, head, kind, data))
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		again, err := record.EncodeEvent(env, ev)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		var said any
		if err := json.Unmarshal(again, &said); err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprintf("%v %v", said, ev); strings.ContainsFunc(text, plaintext.Hidden) || !strings.Contains(text, "Eve [2J") {
			t.Errorf("%s is read as %q", kind, text)
		}
	}
}
