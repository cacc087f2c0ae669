package referee_test

import (
	"fmt"
	"testing"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

// To whom the empty squares count is the profile's to say: to the winner at a club
// and at tournaments, to nobody at home and at the festival. In the historic game
// they never count. Both counts are in the result (rules: table of profiles, empties).
func TestEmptySquaresCountAsTheProfileSays(t *testing.T) {
	for _, tc := range []struct {
		variant            string
		profile            referee.Profile
		black, white       int
		scoreB, scoreW     int
		counts             referee.Counts
		emptiesB, emptiesW int
		winner             engine.Color
	}{
		{"classic", referee.Home(), 3, 4, 3, 4, referee.CountsDiscs, 3, 61, white},
		{"classic", club(), 3, 4, 3, 61, referee.CountsWithEmpties, 3, 61, white},
		{"classic", woc(), 3, 4, 3, 61, referee.CountsWithEmpties, 3, 61, white},
		{"classic", jof(), 3, 4, 3, 61, referee.CountsWithEmpties, 3, 61, white},
		{"festival", festival(), 3, 4, 3, 4, referee.CountsDiscs, 3, 61, white},
		{"historic", club(), 3, 4, 3, 4, referee.CountsDiscs, 3, 61, white},
		{"historic", referee.Home(), 3, 4, 3, 4, referee.CountsDiscs, 3, 61, white},
		{"reverse", referee.Home(), 53, 10, 53, 10, referee.CountsDiscs, 54, 10, white},
		{"reverse", club(), 53, 10, 54, 10, referee.CountsWithEmpties, 54, 10, white},
		{"classic", referee.Home(), 31, 31, 31, 31, referee.CountsDiscs, 32, 32, engine.None},
		{"classic", club(), 31, 31, 32, 32, referee.CountsWithEmpties, 32, 32, engine.None},
	} {
		t.Run(tc.variant+" "+tc.profile.Name, func(t *testing.T) {
			tb := variantTable(t, variant(t, tc.variant), tc.profile, "none")
			d := engine.Discs{Black: 1<<tc.black - 1, White: (1<<tc.white - 1) << (64 - tc.white)}
			if tc.variant == "historic" {
				tb.play("d4e4d5e5") // these squares stay taken
				d = engine.Discs{White: tb.state.Game.Occupied(), Black: tb.sq("c1").Bit() | tb.sq("c8").Bit() | tb.sq("f8").Bit()}
			}
			tb.order(correction(tb.state.Game.Discs, d, white))
			r := tb.state.Result
			b, w := r.WithEmpties()
			got := [...]int{r.Black, r.White, int(r.Counts), r.DiscsBlack, r.DiscsWhite, b, w, int(r.Winner)}
			want := [...]int{tc.scoreB, tc.scoreW, int(tc.counts), tc.black, tc.white, tc.emptiesB, tc.emptiesW, int(tc.winner)}
			if !tb.state.Ended || got != want {
				t.Errorf("over: %t, score, what it is, discs, with empties, winner: %v, want %v", tb.state.Ended, got, want)
			}
		})
	}
}

// settle is how long the boards of these tests take to come to rest.
const settle = 300 * time.Millisecond

// festivalTable is a festival whose time is up at the time returned: 60 s after the
// start, with f5d6c3 played, 5–2; g5 would turn e5 and f5.
func festivalTable(t *testing.T) (tb *table, up time.Duration) {
	t.Helper()
	tb = officialTable(t, festival(), "game 1:00")
	up = tb.now + time.Minute
	tb.state.Lag = 400 * time.Millisecond
	tb.play("f5d6c3")
	tb.said = nil
	return tb, up
}

// seen reads the board at rest since a time, at which hands began.
func (tb *table) seen(began, changed time.Duration) {
	tb.t.Helper()
	tb.wait(changed + settle - tb.now)
	tb.step(referee.Seen{At: tb.now, Changed: changed, Began: began, Discs: tb.discs, Lost: tb.lost, Masked: tb.mask})
}

// stopped compares the count of a game that the time has stopped.
func (tb *table) stopped(score, record string, by referee.StopCount, differ string) {
	tb.t.Helper()
	r := tb.state.Result
	got := scoreOf(r.Black, r.White) + " " + scoreOf(r.DiscsBlack, r.DiscsWhite) + " record " + scoreOf(r.Stop.RecordBlack, r.Stop.RecordWhite) + " " + r.Stop.By.String() + " differ " + r.Stop.Differ.String()
	want := score + " " + score + " record " + record + " " + by.String() + " differ " + differ
	if !tb.state.Ended || got != want {
		tb.t.Fatalf("ended %t: %s, want %s", tb.state.Ended, got, want)
	}
}

// The time is up while a move lies unfinished: the disc on g5 lies there and f5 has
// been turned, e5 has not. What lies there counts, not the record.
func TestTimeUpCountsTheUnfinishedMoveAsItLies(t *testing.T) {
	tb, up := festivalTable(t)
	tb.lay("w g5 f5")
	tb.seen(up-5*time.Second, up-4*time.Second)
	tb.wait(time.Minute)
	tb.expect("flag of none: count", "over none 4-4 discs 4-4 flag")
	tb.stopped("4-4", "5-2", referee.CountedBoard, "f5 g5")
	// An arbiter may rule otherwise, and it is the result.
	tb.order(referee.Adjudicate{Winner: black, Black: 5, White: 2, Reason: plaintext.Const("the move does not count")})
	tb.expect("command arbiter", "over black 5-2 discs 5-2 adjudicated")
}

// What hands do when the time is up changes nothing.
func TestTimeUpDiscsTurnedAfterwardsDoNotCount(t *testing.T) {
	tb, up := festivalTable(t)
	tb.lay("w g5 f5")
	tb.seen(up-5*time.Second, up-4*time.Second)
	tb.lay("w e5")
	tb.seen(up+50*time.Millisecond, up+100*time.Millisecond)
	tb.expect("flag of none: count", "over none 4-4 discs 4-4 flag")
	tb.stopped("4-4", "5-2", referee.CountedBoard, "f5 g5")
}

// Hands at work at that moment: what they leave counts, once the board is at rest.
func TestTimeUpWaitsForHandsAtWork(t *testing.T) {
	tb, up := festivalTable(t)
	tb.lay("w g5 f5")
	tb.seen(up-5*time.Second, up-4*time.Second)
	// From then on hands are at work: the tick says so, again and again.
	for tb.now < up+3*time.Second {
		if tb.wake == 0 {
			t.Fatal("nobody is to look again")
		}
		tb.now = max(tb.now, tb.wake)
		tb.wake = 0
		tb.step(referee.Tick{At: tb.now, Moving: true})
	}
	tb.expect("flag of none: count")
	tb.lay("w e5")
	tb.seen(up-100*time.Millisecond, tb.now)
	tb.expect("over white 3-5 discs 3-5 flag")
	tb.stopped("3-5", "5-2", referee.CountedBoard, "e5 f5 g5")
}

// Hands that only wave leave everything as it was, and no reading comes.
func TestTimeUpCountsWhenHandsOnlyWaved(t *testing.T) {
	tb, up := festivalTable(t)
	tb.lay("w g5 f5")
	tb.seen(up-5*time.Second, up-4*time.Second)
	tb.now = up + 400*time.Millisecond
	tb.step(referee.Tick{At: tb.now, Moving: true})
	tb.expect("flag of none: count")
	tb.wait(time.Second)
	tb.expect("over none 4-4 discs 4-4 flag")
}

// A disc in a hand lies nowhere: it is asked for, and counts as it is put back.
func TestTimeUpAsksForTheDiscInAHand(t *testing.T) {
	tb, up := festivalTable(t)
	tb.lay("w g5 f5")
	tb.lay("- e5")
	tb.seen(up-2*time.Second, up-time.Second)
	tb.wait(time.Minute)
	tb.expect("flag of none: count")
	tb.guide("black e5")
	if tb.state.Asked() != tb.sq("e5").Bit() {
		t.Errorf("asked for %v", tb.state.Asked())
	}
	tb.lay("w e5")
	tb.lay("w a1") // does not count any more
	tb.seen(tb.now+time.Second, tb.now+2*time.Second)
	tb.expect("over white 3-5 discs 3-5 flag")
	tb.stopped("3-5", "5-2", referee.CountedBoard, "e5 f5 g5")
}

// What cannot be read is asked for: a bank that comes back answers itself, about a
// broken cell an arbiter says what lies there.
func TestTimeUpAsksAboutCellsThatCannotBeRead(t *testing.T) {
	t.Run("a bank comes back", func(t *testing.T) {
		tb, up := festivalTable(t)
		tb.lay("w g5 f5")
		tb.lost = 0xFF // rank 1
		tb.seen(up-5*time.Second, up-4*time.Second)
		tb.wait(time.Minute)
		tb.expect("flag of none: count")
		if p := tb.state.Problem; p.Code != referee.BankLost || p.Squares != 0xFF {
			t.Errorf("the problem is %+v", p)
		}
		tb.lost = 0
		tb.seen(up-4*time.Second, up-4*time.Second)
		tb.expect("over none 4-4 discs 4-4 flag")
	})
	t.Run("a broken cell of the move", func(t *testing.T) {
		tb, up := festivalTable(t)
		tb.lay("w g5")
		tb.mask = tb.sq("f5").Bit()
		tb.seen(up-5*time.Second, up-4*time.Second)
		tb.wait(time.Minute)
		tb.expect("flag of none: count")
		if p := tb.state.Problem; p.Code != referee.SensorFault || p.Squares != tb.sq("f5").Bit() {
			t.Errorf("the problem is %+v", p)
		}
		tb.order(referee.CorrectSquare{White: tb.sq("f5").Bit(), Turn: engine.None, Reason: plaintext.Const("seen by the arbiter")})
		tb.expect("command arbiter", "over none 4-4 discs 4-4 flag")
		tb.stopped("4-4", "5-2", referee.CountedBoard, "f5 g5")
	})
	t.Run("a broken cell that the move does not touch", func(t *testing.T) {
		tb, up := festivalTable(t)
		tb.lay("w g5 f5")
		tb.mask = tb.sq("c3").Bit()
		tb.seen(up-5*time.Second, up-4*time.Second)
		tb.wait(time.Minute)
		tb.expect("flag of none: count", "over none 4-4 discs 4-4 flag")
	})
}

// An arbiter may say that what lies there now counts, and may give time.
func TestTimeUpArbiterMayRuleWhileItIsCounted(t *testing.T) {
	unread := func(t *testing.T) *table {
		t.Helper()
		tb, up := festivalTable(t)
		tb.lay("w g5 f5")
		tb.lay("- e5")
		tb.seen(up-2*time.Second, up-time.Second)
		tb.wait(time.Minute)
		tb.expect("flag of none: count")
		return tb
	}
	t.Run("let stand", func(t *testing.T) {
		tb := unread(t)
		tb.order(referee.LetStand{Reason: plaintext.Const("the disc is lost")})
		tb.expect("command arbiter", "over white 3-4 discs 3-4 flag")
	})
	t.Run("declare a result", func(t *testing.T) {
		tb := unread(t)
		tb.order(referee.Adjudicate{Winner: black, Black: 5, White: 2})
		tb.expect("command arbiter", "over black 5-2 discs 5-2 adjudicated")
	})
	t.Run("give time", func(t *testing.T) {
		tb := unread(t)
		tb.order(referee.ClockSet{Black: time.Minute, White: -1})
		if tb.state.Flags.TimeUp || tb.state.Phase != referee.Playing || tb.state.Clock.Running == engine.None {
			t.Errorf("%v, running %v", tb.state.Phase, tb.state.Clock.Running)
		}
	})
}

// The power goes while the discs are counted: what was seen last counts, not what
// has been moved meanwhile.
func TestTimeUpSurvivesAPowerCut(t *testing.T) {
	tb, up := festivalTable(t)
	tb.lay("w g5 f5")
	tb.lay("- e5")
	tb.seen(up-2*time.Second, up-time.Second)
	tb.wait(time.Minute)
	tb.expect("flag of none: count")

	s := tb.folded()
	if !s.Flags.TimeUp || s.Phase != referee.Playing {
		t.Fatalf("%v, counting %t", s.Phase, s.Flags.TimeUp)
	}
	seen := tb.state.Sensed
	tb.state, tb.now, tb.wake = s, time.Second, 0
	tb.step(referee.PowerOn{At: tb.now, Gap: time.Hour, Seen: seen, SeenOK: true, Clock: s.Clock.Times(s.Clock.At), ClockOK: true})
	tb.lay("w e4") // somebody has turned a disc meanwhile
	tb.look()
	tb.expect("power e4")
	tb.guide("black e5")
	tb.put("b e5")
	tb.expect("over none 4-4 discs 4-4 flag")
	tb.stopped("4-4", "5-2", referee.CountedBoard, "f5 g5")
}

// The power goes in the moment in which the time is up, before anybody was told.
func TestTimeUpWhenThePowerGoesAtThatMoment(t *testing.T) {
	tb, _ := festivalTable(t)
	tb.lay("w g5 f5")
	seen := tb.discs
	s := tb.folded()
	times := s.Clock.Times(s.Clock.At)
	times.Left = [2]time.Duration{}
	tb.state, tb.now, tb.wake = s, time.Second, 0
	tb.step(referee.PowerOn{At: tb.now, Gap: time.Hour, Seen: seen, SeenOK: true, Clock: times, ClockOK: true})
	tb.look()
	tb.expect("power ", "flag of none: count", "over none 4-4 discs 4-4 flag")
}

// A board that sees no colors cannot count: the record is counted, and the result
// says so.
func TestTimeUpOnABoardThatSeesNoColorsCountsTheRecord(t *testing.T) {
	m := referee.Match{Rules: variant(t, "classic"), Profile: festival()}
	var err error
	if m.Clock, err = clock.Parse("game 1:00"); err != nil {
		t.Fatal(err)
	}
	tb := &table{t: t, state: referee.NewPresence(m), now: time.Second}
	lie := m.Rules.Start.Occupied()
	feel := func(placed string, lifted engine.Bitboard) {
		tb.now += time.Second
		lie |= tb.sq(placed).Bit()
		tb.step(referee.Felt{At: tb.now, Squares: lie, Lifted: lifted})
	}
	feel("d4", 0)
	feel("f5", tb.sq("e5").Bit())
	tb.expect("start classic", "black f5: e5")
	feel("f4", 0) // White's move, whose flip is not done
	tb.wait(time.Minute)
	tb.expect("flag of none: count", "over black 4-1 discs 4-1 flag")
	tb.stopped("4-1", "4-1", referee.CountedRecord, "f4")
}

func scoreOf(black, white int) string { return fmt.Sprintf("%d-%d", black, white) }

// An arbiter gives time when the game has been counted: the move that lies there is
// finished.
func TestTimeUpMovesGoOnWithMoreTime(t *testing.T) {
	tb, up := festivalTable(t)
	tb.lay("w g5 f5")
	tb.seen(up-5*time.Second, up-4*time.Second)
	tb.wait(time.Minute)
	tb.said = nil
	tb.order(referee.ClockSet{Black: time.Minute, White: -1})
	tb.expect("command arbiter", "clocks set")
	tb.put("w e5")
	if got := tb.said[len(tb.said)-1]; got != "white g5: e5 f5" {
		t.Errorf("the last event is %s", got)
	}
	tb.wait(2 * time.Minute)
	tb.stopped("3-5", "3-5", referee.CountedBoard, "")
}
