package oled

import (
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/referee"
)

// Input is what there is to be seen.
type Input struct {
	State *referee.State
	// Clocks are Black's and White's, nil when the game has no clock. They are
	// shown while a game is on, and before it when the board is ready.
	Clocks *[2]Clock
	// Note is what is said for a moment in place of what is going on: a question,
	// or why a button was of no use.
	Note Note
}

// Note is a headline and a footline, of which sixteen letters each are shown.
type Note struct{ Head, Foot string }

func (n Note) empty() bool { return n == Note{} }

// GivesUp asks the player who has held a button whether he gives up.
func GivesUp(c engine.Color) Note { return english{}.givesUp(c) }

// Refused says to who has pressed a button that this command is not possible now.
func Refused(command string) Note { return english{}.refused(command) }

// Clock is what one player's clock says.
type Clock struct {
	// Left is the time left; less than nothing counts as nothing.
	Left time.Duration
	// Flag says that the time is up and that this is on record.
	Flag bool
	// None says that this player has no clock; the other one has.
	None bool
}

// String returns the time left as it is shown: hours and minutes from one hour
// on ("1h05"), minutes and seconds ("12:07"), and at the end seconds and tenths
// ("9.4"). What has begun counts, and a time is up when that is on record: until
// then there is a tenth left, and only a flag shows "0:00". It shows no more than
// "9h59", and nothing for a player without a clock.
func (c Clock) String() string {
	l := c.line()
	return l.String()
}

// Clocks returns what the clocks of a game show at now, nil when it has none: the
// main time, or the rest of the running period. Now is on the clock of the
// referee's inputs.
func Clocks(s *referee.State, now time.Duration) *[2]Clock {
	if !s.Clock.On() {
		return nil
	}
	var c [2]Clock
	for color := range engine.None {
		left, _ := s.Clock.Shown(color, now)
		timed := s.Clock.Settings.Shared || s.Clock.Settings.Sides[color].Mode() != clock.None
		c[color] = Clock{Left: left, Flag: s.Clock.Flagged(color), None: !timed}
	}
	return &c
}

// Seconds are shown down to nearTheEnd, minutes down to longGame; then come tenths,
// and seconds.
const (
	nearTheEnd = 10*time.Second - tenth
	longGame   = time.Hour - time.Second
	tenth      = time.Second / 10
)

// unit returns what the time left is counted in, and down to which time.
func (c Clock) unit() (unit, until time.Duration) {
	switch {
	case c.Left > longGame:
		return time.Minute, longGame
	case c.Left > nearTheEnd:
		return time.Second, nearTheEnd
	default:
		return tenth, 0
	}
}

// Next returns for how long this clock will show the same if it runs; ok is false
// when that is for ever.
func (c Clock) Next() (d time.Duration, ok bool) {
	if c.Left <= 0 || c.Flag || c.None {
		return 0, false
	}
	unit, until := c.unit()
	return c.Left - max(time.Duration(begun(c.Left, unit)-1)*unit, until), true
}

// shown returns the clock with the most time that looks the same, so that two
// views are equal when their pictures are.
func (c Clock) shown() Clock {
	unit, _ := c.unit()
	c.Left = time.Duration(begun(max(c.Left, 0), unit)) * unit
	return c
}

func (c Clock) line() Line {
	var l Line
	c.Left = min(max(c.Left, 0), 10*time.Hour-time.Minute)
	unit, _ := c.unit()
	n := begun(c.Left, unit)
	switch {
	case c.None:
	case c.Flag && c.Left == 0:
		l.add("0:00")
	case unit == time.Minute:
		l.number(n / 60)
		l.add("h")
		l.twoDigits(n % 60)
	case unit == time.Second:
		l.number(n / 60)
		l.add(":")
		l.twoDigits(n % 60)
	default:
		n = max(n, 1)
		l.number(n / 10)
		l.add(".")
		l.number(n % 10)
	}
	return l
}

// begun returns how many units have begun in d.
func begun(d, unit time.Duration) int { return int((d + unit - 1) / unit) }

// View is what a picture says, before it is drawn. It is a plain value: two
// views that are equal give the same picture.
type View struct {
	// Head says what is going on, Foot what to do about it.
	Head, Foot Line
	// Board says whether the middle shows the players' discs and scores. If
	// not, it shows two more lines.
	Board bool
	More  [2]Line
	// Score is Black's and White's.
	Score [2]int
	// Mark is who stands out: the player to move, or the winner. It may be
	// None.
	Mark engine.Color
	// Clocks are shown when Timed is set.
	Timed  bool
	Clocks [2]Clock
}

// Letters is how many letters make a line.
const Letters = 16

// Line is a line of words, in ASCII. What does not fit is cut off.
type Line struct {
	text [Letters]byte
	n    int
}

// String returns the words.
func (l *Line) String() string { return string(l.text[:l.n]) }

func (l *Line) add(text string) { l.n += copy(l.text[l.n:], text) }

func (l *Line) number(n int) {
	if n >= 10 {
		l.number(n / 10)
	}
	if l.n < Letters {
		l.text[l.n] = byte('0' + n%10)
		l.n++
	}
}

func (l *Line) twoDigits(n int) {
	l.number(n / 10)
	l.number(n % 10)
}

func (l *Line) square(s engine.Square) {
	name := [2]byte{'a' + byte(s.File()), '1' + byte(s.Rank())}
	l.n += copy(l.text[l.n:], name[:])
}

// squares adds the names of a set, each after a blank, file by file. If they do
// not all fit it adds as many as do and how many are left out; it never cuts a
// name.
func (l *Line) squares(set engine.Bitboard) {
	const name = len(" a1")
	all, room := set.Count(), Letters-l.n
	shown := all
	for shown > 0 && name*shown+rest(all-shown) > room {
		shown--
	}
	for i := 0; i < engine.Squares && shown > 0; i++ {
		if s := engine.SquareAt(i/8, i%8); set.Has(s) {
			l.add(" ")
			l.square(s)
			all, shown = all-1, shown-1
		}
	}
	if all > 0 {
		l.add(" +")
		l.number(all)
	}
}

// rest returns the length of " +n".
func rest(n int) int {
	switch {
	case n == 0:
		return 0
	case n < 10:
		return len(" +1")
	default:
		return len(" +10")
	}
}

// Compose says what the picture shows. It is pure, allocates nothing and takes
// whatever the state holds.
func Compose(in Input) View {
	s, say := in.State, english{}
	v := View{Mark: engine.None}
	if !in.Note.empty() {
		v.board(in)
		v.Head.add(in.Note.Head)
		v.Foot.add(in.Note.Foot)
		return v
	}
	switch s.Phase {
	case referee.Idle:
		say.unread(&v)
	case referee.Setup:
		v.setup(say, in)
	case referee.Playing:
		v.board(in)
		v.play(say, in)
		v.also(say, s)
	case referee.Paused:
		v.board(in)
		say.paused(&v)
		if s.Lost != 0 {
			say.unreadable(&v.Foot, s.Lost)
		}
		v.step(say, s)
	case referee.Over:
		v.over(say, s)
	default:
		say.unread(&v)
	}
	return v
}

// board shows the players with the position of record.
func (v *View) board(in Input) {
	s := in.State
	v.Board = true
	v.Score = [2]int{s.Game.Black.Count(), s.Game.White.Count()}
	v.Mark = s.Turn()
	if in.Clocks != nil {
		v.Timed, v.Clocks = true, [2]Clock{in.Clocks[0].shown(), in.Clocks[1].shown()}
	}
}

func (v *View) setup(say english, in Input) {
	s := in.State
	free := s.Guide.Place() & s.Match.Rules.Opening
	switch {
	case !s.SensedOK:
		say.unread(v)
	case s.Restart.Active:
		say.restart(v, s.Restart.At != 0)
	case s.Problem.Code == referee.Orientation:
		say.orientation(v, s.Match.Rules.Start.Occupied().Count() == 4)
	case free != 0:
		say.firstDisc(v, s.Match.Rules.Start.Turn, s.Guide.Place())
	case s.Guide != referee.Guide{}:
		say.setUp(v)
		say.steps(s.Guide, &v.More[0], &v.More[1], &v.Foot)
	case s.Lost != 0:
		say.setUp(v)
		say.unreadable(&v.Foot, s.Lost)
	default:
		v.board(in)
		v.Mark = s.Match.Rules.Start.Turn
		start := s.Match.Rules.Start.Discs
		v.Score = [2]int{start.Black.Count(), start.White.Count()}
		say.ready(v)
	}
}

func (v *View) over(say english, s *referee.State) {
	v.board(Input{State: s})
	r := s.Result
	switch {
	case !s.Ended:
		say.over(v)
	case r.Void:
		say.stopped(v)
	default:
		fewest := s.Game.Rules.Goal == engine.Fewest && !r.Declared()
		v.Score = [2]int{r.Black, r.White}
		v.Mark = r.Winner
		say.result(v, r, fewest)
	}
}

// count shows what keeps the discs from being counted when the time is up.
func (v *View) count(say english, s *referee.State) {
	say.timeUp(v, engine.None)
	switch unread := s.Asked() & s.Unsure(); {
	case unread != 0:
		say.unreadable(&v.Foot, unread)
	case s.Guide != referee.Guide{}:
		v.step(say, s)
	default:
		say.handsOff(v)
	}
}

func (v *View) play(say english, in Input) {
	s := in.State
	if s.Restart.Active {
		say.restart(v, s.Restart.At != 0)
		return
	}
	if s.Flags.TimeUp {
		v.count(say, s)
		return
	}
	if s.Objection.Claimed {
		v.claimed(say, s)
		return
	}
	if v.mistake(say, s) {
		return
	}
	switch {
	case s.Pending.Active:
		v.pending(say, s)
	case s.Step == referee.ToMove && s.Wish.Active && s.Guide.Place() == s.Wish.Square.Bit():
		say.wish(v, s.Game.Turn, s.Wish.Square)
		v.step(say, s)
	case s.Guide == referee.Guide{}, s.Guide.Place()&s.Game.Opening() != 0, s.Step == referee.ToMove:
		v.turn(say, in)
	case s.Step == referee.InProgress && s.Ruled():
		say.putRight(v)
		v.step(say, s)
	case s.Step == referee.InProgress:
		say.back(v)
		v.step(say, s)
	default:
		say.putRight(v)
		v.step(say, s)
	}
}

// claimed says what the opponent objects to.
func (v *View) claimed(say english, s *referee.State) {
	if s.Guide == (referee.Guide{}) {
		say.pressClock(v, s.Entries[s.Objection.Entry].By)
		return
	}
	say.claims(v, s.Entries[s.Objection.Entry].By.Opponent())
	v.step(say, s)
}

// pending says how far a move has come, as far as the lights do.
func (v *View) pending(say english, s *referee.State) {
	p := s.Pending
	noMove := p.Flips == 0 && s.Game.Opening() == 0
	if s.Match.Profile.FlipLights == referee.LightsOff || s.Dark != 0 || noMove {
		say.placedOnly(v, p)
		return
	}
	say.placed(v, p)
	if v.Foot.n == 0 && s.Guide == (referee.Guide{}) && s.Pressing() {
		say.presses(v)
	}
	v.step(say, s)
}

// turn says who is to move, when there is nothing to be put right.
func (v *View) turn(say english, in Input) {
	s := in.State
	switch {
	case s.Flags.PlayOn:
		say.playsOn(v, s.Flags.Fallen)
		return
	case s.PassDue():
		say.passDue(v, s.Game.Turn)
		return
	}
	for c := range engine.None {
		if in.Clocks != nil && in.Clocks[c].Flag {
			if s.Clock.Settings.Shared {
				c = engine.None
			}
			say.timeUp(v, c)
			return
		}
	}
	if n := s.Len; n > 0 && s.Entries[n-1].Pass() {
		by := s.Entries[n-1].By
		say.passed(v, by, s.Game.Turn, s.Game.Hand(by) == 0)
		return
	}
	if s.OpponentToMove() && !s.Wish.Active {
		say.thinks(v, s.Game.Turn)
		return
	}
	say.toMove(v, s.Game.Turn)
	if free := s.Game.Opening(); free != 0 {
		say.oneOf(&v.Foot, free)
	}
}

// mistake says what is wrong; it reports whether anything is.
func (v *View) mistake(say english, s *referee.State) bool {
	p := s.Problem
	switch p.Code {
	case referee.NoProblem, referee.SensorFault, referee.BankLost, referee.Orientation:
		return false
	case referee.Power:
		say.powerCut(v)
	case referee.IllegalPosition, referee.FlipsNotDone, referee.TurnWrong:
		v.wrong(say, s)
	default:
		say.putRight(v)
	}
	v.step(say, s)
	return true
}

func (v *View) wrong(say english, s *referee.State) {
	if s.Problem.Squares == 0 {
		say.putRight(v)
		return
	}
	at := s.Problem.Squares.First()
	switch s.Problem.Reason {
	case referee.NoFlip:
		say.noFlip(v, at)
	case referee.OffCenter:
		say.offCenter(v)
	case referee.WrongColor:
		say.wrongColor(v, at)
	case referee.OutOfTurn:
		say.outOfTurn(v, at)
	case referee.FlipsPending:
		say.tooEarly(v, at)
	case referee.SecondDisc:
		say.secondDisc(v)
	case referee.ExtraFlip:
		say.extraFlip(v)
	case referee.OtherSquare:
		say.wish(v, s.Game.Turn, s.Wish.Square)
	case referee.NoReason:
		if s.Guide.Place() != 0 {
			say.missing(v, s.Guide.Place())
			return
		}
		say.putRight(v)
	case referee.Occupied, referee.PassNotAllowed, referee.NotRunning, referee.DiscMissing:
		// These answer commands; hands cannot do them.
		say.putRight(v)
	default:
		say.putRight(v)
	}
}

// step says in the footline what the hands must do first.
func (v *View) step(say english, s *referee.State) {
	if v.Foot.n == 0 {
		say.steps(s.Lit(), &v.Foot)
	}
}

// also says in the footline, if it is free, which cells cannot be read.
func (v *View) also(say english, s *referee.State) {
	switch {
	case v.Foot.n != 0:
	case s.Halted:
		say.clocksStand(&v.Foot)
	case s.Lost != 0:
		say.unreadable(&v.Foot, s.Lost)
	case s.Masked != 0:
		say.masked(&v.Foot, s.Masked)
	}
}
