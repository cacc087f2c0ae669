package soak

import (
	"fmt"
	"slices"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/record"
	"reversi-board/engine/referee"
)

// Outcome is what came of one game.
type Outcome struct {
	// Index is the game's place in the run, Name its place in a file.
	Index int
	Name  string
	// Moves, Flips and Passes are what the board put on record.
	Moves, Flips, Passes int
	// Spurious events were announced and should not have been, missing ones
	// the reverse.
	Spurious, Missing int
	// WrongRecord says that the record, announced or in the journal, is not the
	// one that the hands meant, or contradicts the file that the game is from.
	WrongRecord bool
	// Stuck says that a finished move was not committed.
	Stuck bool
	// Latency is the longest time from a disc at rest to its lights.
	Latency time.Duration
	// Measured is how many times Latency was measured, Budget what it may be.
	Measured int
	Budget   time.Duration
	// Virtual is how long the game took at the table.
	Virtual time.Duration
	// Board is the last position of record.
	Board engine.Discs
	// Faults counts the faults that the board had, by kind; Unreported are those
	// that it did not tell of, Complaints what it called illegal because of them.
	Faults                 map[string]int
	Unreported, Complaints int
	// Tally counts the mistakes of clumsy hands, Meeting names the event and the
	// rules of their game, Story is what they did, if it is wanted.
	Tally   *Tally
	Meeting string
	Story   []string
	// Difference says what was first wrong; empty when nothing was.
	Difference string
}

// Failed reports whether anything was not as it must be.
func (o *Outcome) Failed() bool {
	return o.Spurious+o.Missing+o.Unreported > 0 || o.WrongRecord || o.Stuck || o.Latency > o.Budget
}

// wrong notes a record that is not as it must be.
func (o *Outcome) wrong(format string, args ...any) {
	o.WrongRecord = true
	o.note(format, args...)
}

// note keeps the first difference.
func (o *Outcome) note(format string, args ...any) {
	if o.Difference == "" {
		o.Difference = fmt.Sprintf(format, args...)
	}
}

// line is one event of a record in a form that can be compared. Times are left
// out.
type line struct {
	what    string
	by      engine.Color
	at      engine.Square
	flipped engine.Bitboard
	result  referee.Result
	ply     int
	// board is the fingerprint after the event.
	board string
}

// String is for people.
func (l line) String() string {
	switch l.what {
	case "move":
		return fmt.Sprintf("move %d: %v %v turns %v", l.ply, l.by, l.at, l.flipped)
	case "pass":
		return fmt.Sprintf("pass of %v after %d discs", l.by, l.ply)
	case "game_over":
		r := l.result
		return fmt.Sprintf("game_over after %d discs: %v wins, score %d-%d, discs %d-%d, %s",
			l.ply, r.Winner, r.Black, r.White, r.DiscsBlack, r.DiscsWhite, r.Reason)
	default:
		return fmt.Sprintf("%s after %d discs", l.what, l.ply)
	}
}

// expected lists the events that the hands' part of the script must lead to.
func expected(sc *script, e ending) []line {
	begin := line{what: "game_started " + sc.variant, board: record.Fingerprint(sc.start.discs(), sc.first.color())}
	lines := []line{begin}
	for i := range sc.plies[:e.plies] {
		p := &sc.plies[i]
		l := line{
			what: "move", by: p.by.color(), at: p.at.square(), flipped: p.flips(), ply: p.number,
			board: record.Fingerprint(p.after.discs(), p.next.color()),
		}
		if p.pass {
			l.what, l.at = "pass", 0
		}
		lines = append(lines, l)
	}
	if sc.over && e.plies == len(sc.plies) {
		v := sc.verdict
		r := referee.Result{
			// At home the discs count as they lie.
			Winner: v.winner.color(), Black: v.darkDiscs, White: v.lightDiscs, Counts: referee.CountsDiscs,
			DiscsBlack: v.darkDiscs, DiscsWhite: v.lightDiscs, Reason: referee.NoMoves,
		}
		if v.wipeout {
			r.Reason = referee.Wipeout
		}
		last := &sc.plies[len(sc.plies)-1]
		lines = append(lines, line{
			what: "game_over", ply: last.number, result: r,
			board: record.Fingerprint(sc.final.discs(), engine.None),
		})
	}
	if e.again {
		lines = append(lines, begin)
	}
	if e.firstDisc != nil {
		lines = append(lines, line{
			what: "move", by: sc.first.color(), at: e.firstDisc.at.square(), ply: 1,
			board: record.Fingerprint(e.firstDisc.after.discs(), sc.first.other().color()),
		})
	}
	return lines
}

// announced returns a published event in the same form.
func announced(payload []byte) (line, error) {
	env, ev, err := record.DecodeEvent(payload)
	if err != nil {
		return line{}, err
	}
	l := line{what: record.TypeOf(payload), ply: env.Ply, board: env.FP}
	switch ev := ev.(type) {
	case referee.GameStarted:
		l.what += " " + ev.Match.Rules.Name
	case referee.Moved:
		l.by, l.at, l.flipped = ev.By, ev.Square, ev.Flipped
	case referee.Passed:
		l.by = ev.By
	case referee.GameOver:
		l.result = ev.Result
	case referee.Illegal:
		l.what = fmt.Sprintf("%s (%v, %v of %v)", l.what, ev.Reason, ev.Square, ev.By)
	case referee.Undone:
		l.what = fmt.Sprintf("%s of %d", l.what, ev.Plies)
	case referee.Faulted:
		l.what = fmt.Sprintf("%s (%v, %v)", l.what, ev.Kind, ev.Squares)
	case referee.Restored:
		l.what = fmt.Sprintf("%s (%v, %v)", l.what, ev.Kind, ev.Squares)
	case referee.PowerRestored, referee.EngineLost, referee.Commanded, referee.FlipError, referee.Revised, referee.PositionSet, referee.ClockFlag, referee.ClockAdjusted,
		referee.GamePaused, referee.GameResumed, referee.TimeStepped:
	}
	return l, nil
}

// judge compares what was announced with what should have been.
func (o *Outcome) judge(sc *script, e ending, seen []fact) {
	want := expected(sc, e)
	got := make([]line, 0, len(seen))
	for _, f := range seen {
		if o.excused(f.event) {
			continue
		}
		l, err := announced(f.payload)
		if err != nil {
			o.wrong("event %d: %v", f.seq, err)
		}
		got = append(got, l)
		o.count(f.event)
	}
	o.compare(want, got)
	if e.stuck {
		o.Stuck = true
		o.note("stuck after %d of %d lines of the record", e.plies, len(sc.plies))
	}
	if e.astray {
		o.wrong("another board on record than on the table after %d lines", e.plies)
	}
}

// excused reports whether an event is what a fault of the board may lead to.
func (o *Outcome) excused(ev referee.Event) bool {
	_, failed := ev.(referee.Faulted)
	_, back := ev.(referee.Restored)
	_, illegal := ev.(referee.Illegal)
	if illegal && o.Faults[flapFault] > 0 {
		o.Complaints++
		return true
	}
	return (failed || back) && o.Faults != nil
}

// weather notes the faults that the board had.
func (o *Outcome) weather(s *storm) {
	if s == nil {
		return
	}
	o.Faults, o.Unreported = s.injected, len(s.unreported)
	for _, what := range s.unreported {
		o.note("nobody was told that %s", what)
	}
}

func (o *Outcome) count(ev referee.Event) {
	switch ev := ev.(type) {
	case referee.Moved:
		o.Moves++
		o.Flips += ev.Flipped.Count()
	case referee.Passed:
		o.Passes++
	case referee.GameStarted, referee.GameOver, referee.Undone, referee.Illegal, referee.Faulted,
		referee.Restored, referee.PowerRestored, referee.EngineLost, referee.Commanded, referee.FlipError, referee.Revised, referee.PositionSet, referee.ClockFlag, referee.ClockAdjusted,
		referee.GamePaused, referee.GameResumed, referee.TimeStepped:
	}
}

// compare counts the events that only one side has. One that is there but
// differs counts on both.
func (o *Outcome) compare(want, got []line) {
	if slices.Equal(want, got) {
		return
	}
	at := 0
	for at < len(want) && at < len(got) && want[at] == got[at] {
		at++
	}
	end := line{what: "nothing"}
	o.wrong("want %v, got %v", append(slices.Clone(want), end)[at], append(slices.Clone(got), end)[at])
	common := longestCommon(want, got)
	o.Missing += len(want) - common
	o.Spurious += len(got) - common
}

// longestCommon returns how many lines both lists hold in the same order.
func longestCommon(a, b []line) int {
	above := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			old := above[j+1]
			if a[i] == b[j] {
				above[j+1] = diagonal + 1
			} else {
				above[j+1] = max(above[j+1], above[j])
			}
			diagonal = old
		}
	}
	return above[len(b)]
}

// confirm compares the record with what the file says about the game.
func (o *Outcome) confirm(f *facts, sc *script, seen []fact) {
	var passes []notation.Pass
	discs, score := 0, -1
	for _, s := range seen {
		switch ev := s.event.(type) {
		case referee.Moved:
			discs++
		case referee.Passed:
			passes = append(passes, notation.Pass{Ply: discs + 1, Side: ev.By})
		case referee.GameOver:
			score, _ = ev.Result.WithEmpties() // as files of games count
		case referee.GameStarted, referee.Undone, referee.Illegal, referee.Faulted, referee.Restored,
			referee.PowerRestored, referee.EngineLost, referee.Commanded, referee.FlipError, referee.Revised, referee.PositionSet, referee.ClockFlag, referee.ClockAdjusted,
			referee.GamePaused, referee.GameResumed, referee.TimeStepped:
		}
	}
	if f.score >= 0 && sc.over && score != f.score {
		o.wrong("the file says that Black's score is %d, the board %d", f.score, score)
	}
	if !f.table {
		return
	}
	if !slices.Equal(passes, f.passes) {
		o.wrong("the file has the passes %v, the board %v", f.passes, passes)
	}
	if o.Board != f.board {
		o.wrong("the file ends with the board %v, the record with %v", f.board, o.Board)
	}
}
