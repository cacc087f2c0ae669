package referee_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

// stepTwice steps a referee and, beside it, one that was written down and read
// again, with an input that was written down and read again. Both must say and
// know the same. Every test of this package that plays goes through here; a
// snapshot of a long game takes a while, so one step in 32 has one.
func stepTwice(t *testing.T, s *referee.State, in referee.Input) []referee.Effect {
	t.Helper()
	taped, err := referee.AppendInput(nil, in)
	if err != nil {
		t.Fatal(err)
	}
	read, err := referee.ReadInput(taped)
	if err != nil || read != in {
		t.Fatalf("%+v is read again as %+v, %v", in, read, err)
	}
	if (int(referee.When(in)/time.Second)+len(t.Name()))%32 != 0 {
		return referee.Step(s, in, nil)
	}
	again, err := referee.RestoreSnapshot(referee.AppendSnapshot(nil, s))
	if err != nil {
		t.Fatalf("before %+v: %v", in, err)
	}
	if again != *s {
		t.Fatalf("before %+v the state is\n%+v\nread again it is\n%+v", in, *s, again)
	}
	want, got := referee.Step(s, in, nil), referee.Step(&again, read, nil)
	if !slices.Equal(got, want) {
		t.Fatalf("after %+v the effects are\n%+v\nfrom the snapshot they are\n%+v", in, want, got)
	}
	if again != *s {
		t.Fatalf("after %+v the state is\n%+v\nfrom the snapshot it is\n%+v", in, *s, again)
	}
	return want
}

// midGame is a referee in the middle of a move, with a clock and a takeback
// behind it.
func midGame(t testing.TB) referee.State {
	t.Helper()
	rules, err := engine.Variant("classic")
	if err != nil {
		t.Fatal(err)
	}
	s := referee.New(referee.Match{
		Rules: rules, Profile: referee.Home(), Players: [2]plaintext.Text{plaintext.Const("Ann"), plaintext.Const("Ben")},
		Clock: clock.Same(clock.Control{Main: 5 * time.Minute, Increment: 3 * time.Second}),
	})
	d, at := rules.Start.Discs, time.Second
	see := func(discs engine.Discs) {
		at += time.Second
		referee.Step(&s, referee.Seen{At: at, Changed: at - 200*time.Millisecond, Discs: discs}, nil)
	}
	see(d)
	for _, name := range []string{"f5", "d6", "c3"} {
		q, err := engine.ParseSquare(name)
		if err != nil {
			t.Fatal(err)
		}
		see(s.Game.Place(q).Discs)
	}
	see(s.Entries[2].Before.Discs) // c3 is taken back
	see(s.Game.With(s.Game.Legal().First(), engine.Black))
	if s.Len != 2 || s.Step != referee.InProgress {
		t.Fatalf("%d entries and %v, want 2 and a move in progress", s.Len, s.Step)
	}
	return s
}

func TestSnapshotRefusesWhatIsNotOne(t *testing.T) {
	s := midGame(t)
	good := referee.AppendSnapshot(nil, &s)
	other := slices.Clone(good)
	other[0]++
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"nothing", nil, "too early"},
		{"another version", other, fmt.Sprintf("version %d, this program reads version %d", other[0], referee.SnapshotVersion)},
		{"something behind it", append(slices.Clone(good), 0), "something follows"},
		{"no such phase", append([]byte{referee.SnapshotVersion, 5}, good[2:]...), "no referee.Phase number 5"},
	} {
		if _, err := referee.RestoreSnapshot(c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	for n := range good {
		if _, err := referee.RestoreSnapshot(good[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are taken for a snapshot", n, len(good))
		}
	}
}

// A snapshot goes behind what is there already.
func TestSnapshotIsAppended(t *testing.T) {
	s := midGame(t)
	whole := referee.AppendSnapshot([]byte("before"), &s)
	if !bytes.HasPrefix(whole, []byte("before")) {
		t.Fatal("what was there is gone")
	}
	again, err := referee.RestoreSnapshot(whole[len("before"):])
	if err != nil || again != s {
		t.Fatalf("the state is another one: %v", err)
	}
}

func TestSnapshotAndInputDoNotAllocate(t *testing.T) {
	s := midGame(t)
	b := referee.AppendSnapshot(nil, &s)
	if n := testing.AllocsPerRun(100, func() { b = referee.AppendSnapshot(b[:0], &s) }); n != 0 {
		t.Errorf("a snapshot allocates %v times", n)
	}
	var in referee.Input = referee.Seen{At: time.Hour, Discs: s.Sensed}
	var err error
	if n := testing.AllocsPerRun(100, func() { b, err = referee.AppendInput(b[:0], in) }); n > 1 || err != nil {
		t.Errorf("an input allocates %v times, %v", n, err)
	}
}

// Every input comes back with everything in it.
func TestInputsComeBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		in := anyInput(r)
		b, err := referee.AppendInput([]byte{7}, in)
		if err != nil || b[0] != 7 {
			r.Fatalf("%+v: %v", in, err)
		}
		again, err := referee.ReadInput(b[1:])
		if err != nil || again != in {
			r.Fatalf("%+v is read as %+v: %v", in, again, err)
		}
		if referee.When(again) != referee.When(in) {
			r.Fatalf("%+v: another time", again)
		}
		for n := 1; n < len(b); n++ {
			if _, err := referee.ReadInput(b[1:n]); err == nil {
				r.Fatalf("the first %d of %d bytes of %+v are taken for an input", n-1, len(b)-1, in)
			}
		}
		if _, err := referee.ReadInput(append(b[1:], 0)); err == nil {
			r.Fatalf("%+v with a byte behind it is taken for an input", in)
		}
	})
}

func anyInput(r *rapid.T) referee.Input {
	at := anyTime(r, "at")
	switch rapid.IntRange(0, 10).Draw(r, "input") {
	case 0:
		return referee.Seen{At: at, Changed: anyTime(r, "changed"), Discs: anyDiscs(r), Lost: anySet(r, "lost"), Masked: anySet(r, "masked")}
	case 1:
		return referee.Felt{
			At: at, Changed: anyTime(r, "changed"), Squares: anySet(r, "squares"), Lifted: anySet(r, "lifted"),
			Lost: anySet(r, "lost"), Masked: anySet(r, "masked"),
		}
	case 2:
		return referee.CellsFailed{At: at, Squares: anySet(r, "squares"), Kind: referee.FaultKind(anyText(r, "kind"))}
	case 3:
		return referee.CellsBack{At: at, Squares: anySet(r, "squares"), Kind: referee.FaultKind(anyText(r, "kind"))}
	case 4:
		return referee.PowerOn{
			At: at, Gap: anyTime(r, "gap"), Seen: anyDiscs(r), SeenOK: rapid.Bool().Draw(r, "seen"),
			Clock: anyTimes(r), ClockOK: rapid.Bool().Draw(r, "clock"),
		}
	case 5:
		return referee.Tick{At: at}
	case 6:
		return referee.Pressed{At: at, By: anyColor(r, "by"), Wait: anyTime(r, "wait")}
	case 7:
		return referee.WallStepped{At: at, By: anyTime(r, "by")}
	case 8:
		return referee.Suggested{At: at, Square: engine.Square(rapid.IntRange(0, 63).Draw(r, "square"))}
	case 9:
		return referee.EngineGone{At: at, Engine: plaintext.Clean(anyText(r, "engine"), plaintext.MaxLine), Reason: plaintext.Clean(anyText(r, "reason"), plaintext.MaxLine)}
	default:
		return referee.Command{At: at, Audit: referee.Audit{
			Role: anyText(r, "role"), Name: anyText(r, "name"), ID: plaintext.Clean(anyText(r, "id"), plaintext.MaxLine), From: plaintext.Clean(anyText(r, "from"), plaintext.MaxLine), Order: anyOrder(r),
		}}
	}
}

func anyOrder(r *rapid.T) referee.Order {
	reason := anyText(r, "reason")
	switch rapid.IntRange(0, 14).Draw(r, "order") {
	case 0:
		return nil
	case 1:
		return referee.NewGame{Match: anyMatch(r)}
	case 2:
		return referee.Undo{Plies: rapid.Int().Draw(r, "plies"), Reason: plaintext.Clean(reason, plaintext.MaxLine)}
	case 3:
		return referee.Pause{Reason: plaintext.Clean(reason, plaintext.MaxLine)}
	case 4:
		return referee.Resume{Reason: plaintext.Clean(reason, plaintext.MaxLine)}
	case 5:
		return referee.Resign{Color: anyColor(r, "color"), Reason: plaintext.Clean(reason, plaintext.MaxLine)}
	case 6:
		return referee.Adjudicate{
			Winner: anyColor(r, "winner"), Void: rapid.Bool().Draw(r, "void"),
			Black: rapid.Int().Draw(r, "black"), White: rapid.Int().Draw(r, "white"), Reason: plaintext.Clean(reason, plaintext.MaxLine),
		}
	case 7:
		return referee.ClockSet{Black: anyTime(r, "black"), White: anyTime(r, "white"), Reason: plaintext.Clean(reason, plaintext.MaxLine)}
	case 8:
		return referee.PlayersSet{Players: [2]plaintext.Text{plaintext.Clean(anyText(r, "black"), plaintext.MaxLine), plaintext.Clean(anyText(r, "white"), plaintext.MaxLine)}, Reason: plaintext.Clean(reason, plaintext.MaxLine)}
	case 9:
		return referee.CorrectSquare{
			Black: anySet(r, "black"), White: anySet(r, "white"), Empty: anySet(r, "empty"), Turn: anyColor(r, "turn"), Reason: plaintext.Clean(reason, plaintext.MaxLine),
		}
	case 10:
		return referee.Revise{FromPly: rapid.Int().Draw(r, "from"), Moves: anyText(r, "moves"), Reason: plaintext.Clean(reason, plaintext.MaxLine)}
	case 11:
		return referee.LetStand{Reason: plaintext.Clean(reason, plaintext.MaxLine)}
	case 12:
		return referee.Claim{By: anyColor(r, "by"), Reason: plaintext.Clean(reason, plaintext.MaxLine)}
	case 13:
		return referee.PassPressed{By: anyColor(r, "by")}
	default:
		return referee.Look{}
	}
}

func anyMatch(r *rapid.T) referee.Match {
	rules, err := engine.Variant(rapid.SampledFrom(engine.VariantNames()).Draw(r, "variant"))
	if err != nil {
		r.Fatal(err)
	}
	return referee.Match{
		Rules: rules, Profile: rapid.SampledFrom([]referee.Profile{referee.Home(), club(), woc(), jof(), festival()}).Draw(r, "profile"),
		Clock: clock.Settings{
			Sides:  [2]clock.Control{anyControl(r, "black"), anyControl(r, "white")},
			Shared: rapid.Bool().Draw(r, "shared"),
		},
		Players:  [2]plaintext.Text{plaintext.Clean(anyText(r, "black"), plaintext.MaxLine), plaintext.Clean(anyText(r, "white"), plaintext.MaxLine)},
		Opponent: referee.Opponent{Kind: referee.GTP, Level: rapid.IntRange(1, 10).Draw(r, "level"), Side: anyColor(r, "side")},
	}
}

func anyControl(r *rapid.T, name string) clock.Control {
	return clock.Control{
		Main: anyTime(r, name), Increment: anyTime(r, name), Periods: rapid.Int().Draw(r, name), Period: anyTime(r, name),
	}
}

func anyTimes(r *rapid.T) (t clock.Times) {
	for side := range t.Timed {
		t.Timed[side], t.Left[side] = rapid.Bool().Draw(r, "timed"), anyTime(r, "left")
		t.Periods[side] = rapid.Int().Draw(r, "periods")
	}
	return t
}

func anyTime(r *rapid.T, name string) time.Duration {
	return time.Duration(rapid.Int64().Draw(r, name))
}

func anySet(r *rapid.T, name string) engine.Bitboard {
	return engine.Bitboard(rapid.Uint64().Draw(r, name))
}

func anyDiscs(r *rapid.T) engine.Discs {
	return engine.Discs{Black: anySet(r, "black"), White: anySet(r, "white")}
}

func anyColor(r *rapid.T, name string) engine.Color {
	return engine.Color(rapid.IntRange(0, 2).Draw(r, name))
}

// Texts may hold anything: they come from other programs.
func anyText(r *rapid.T, name string) string {
	return string(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(r, name))
}

// Whatever is read as a snapshot is one, and can be played on from.
func FuzzSnapshot(f *testing.F) {
	s := midGame(f)
	f.Add(referee.AppendSnapshot(nil, &s))
	idle := referee.New(referee.Match{Profile: referee.Home()})
	f.Add(referee.AppendSnapshot(nil, &idle))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := referee.RestoreSnapshot(b)
		if err != nil {
			return
		}
		if !bytes.Equal(referee.AppendSnapshot(nil, &s), b) {
			t.Fatal("it is written otherwise than it was read")
		}
		again, err := referee.RestoreSnapshot(b)
		if err != nil || again != s {
			t.Fatalf("it is read otherwise the second time: %v", err)
		}
	})
}

// Whatever is read as an input is one.
func FuzzInput(f *testing.F) {
	for _, in := range []referee.Input{
		referee.Seen{At: time.Second, Discs: engine.Start().Discs},
		referee.Felt{At: time.Second, Squares: 1},
		referee.CellsFailed{At: 1, Squares: 2, Kind: referee.Stuck},
		referee.PowerOn{At: 1, Gap: -1},
		referee.Command{At: 1, Audit: referee.Audit{Role: "arbiter", Order: referee.NewGame{}}},
		referee.Command{At: 1, Audit: referee.Audit{Role: "player", Order: referee.CorrectSquare{Black: 1, Turn: engine.None}}},
	} {
		b, err := referee.AppendInput(nil, in)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		in, err := referee.ReadInput(b)
		if err != nil {
			return
		}
		again, err := referee.AppendInput(nil, in)
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%+v is written otherwise than it was read: %v", in, err)
		}
	})
}

// A recording of an earlier version of the program is still read: what it does not
// have is as at a table at which it has never happened. The file was written by that
// version, from the state of midGame and from three inputs.
func TestSnapshotAndInputsOfAnEarlierVersionAreRead(t *testing.T) {
	text, err := os.ReadFile("testdata/version-5.hex")
	if err != nil {
		t.Fatal(err)
	}
	var parts [][]byte
	for line := range strings.Lines(string(text)) {
		b, err := hex.DecodeString(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, b)
	}
	s, err := referee.RestoreSnapshot(parts[0])
	if err != nil {
		t.Fatal(err)
	}
	want := midGame(t)
	want.Match.Profile.Empties = referee.EmptiesToWinner // as home had it then
	if s.Transcript() != want.Transcript() || s.Match != want.Match || s.Sensed != want.Sensed || s.Clock != want.Clock {
		t.Errorf("the state is another one: %s, %+v", s.Transcript(), s.Match)
	}
	for i, want := range []referee.Input{
		referee.Seen{At: 5 * time.Second, Changed: 4 * time.Second, Discs: engine.Start().Discs, Lost: 3, Masked: 4},
		referee.Felt{At: 5 * time.Second, Changed: 4 * time.Second, Squares: 255, Lifted: 8, Lost: 3, Masked: 4},
		referee.Tick{At: 7 * time.Second},
	} {
		if got, err := referee.ReadInput(parts[1+i]); err != nil || got != want {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
}
