package display

import (
	"reversi-board/engine"
	"reversi-board/engine/referee"
)

// Sentence says in one or two plain English sentences what is going on: for the
// page, for speech, for alerts. It is never empty, whatever the state holds.
func Sentence(s *referee.State) string {
	var say english
	return alsoColors(say, s, sentence(say, s))
}

// Refused says to who has pressed a button why it was of no use.
func Refused(why string) string {
	var say english
	return say.refused(why)
}

// GivesUp asks the player who has held a button whether he gives up.
func GivesUp(c engine.Color) string {
	var say english
	return say.givesUp(c)
}

func sentence(say english, s *referee.State) string {
	switch s.Phase {
	case referee.Idle:
		return say.unread()
	case referee.Setup:
		return setupSentence(say, s)
	case referee.Playing:
		if s.Flags.TimeUp {
			return countSentence(say, s)
		}
		return alsoUnsure(say, s, alsoTime(say, s, playSentence(say, s)))
	case referee.Paused:
		return pausedSentence(say, s)
	case referee.Over:
		return overSentence(say, s)
	default:
		return say.unread()
	}
}

func setupSentence(say english, s *referee.State) string {
	switch {
	case !s.SensedOK:
		return say.unread()
	case s.Restart.Active:
		return say.usualStart(s.Restart.At != 0, s.Guide)
	case s.Problem.Code == referee.Orientation:
		return say.orientation(s.Match.Rules.Start.Occupied().Count() == 4)
	case s.Guide.Place()&s.Match.Rules.Opening != 0:
		return say.firstDisc(s.Match.Rules.Start.Turn, s.Guide.Place())
	case s.Guide != referee.Guide{}:
		return say.setUp(s.Guide)
	case s.Lost != 0:
		return say.startHidden(s.Lost)
	default:
		return say.startLies()
	}
}

func overSentence(say english, s *referee.State) string {
	switch {
	case !s.Ended:
		return say.over()
	case s.Result.Void:
		return say.stopped()
	default:
		return say.result(s)
	}
}

// countSentence says what keeps the discs from being counted when the time is up.
func countSentence(say english, s *referee.State) string {
	switch unread := s.Asked() & s.Unsure(); {
	case unread != 0:
		return say.sayWhatLies(unread)
	case s.Guide != referee.Guide{}:
		return say.putBack(s.Guide)
	default:
		return say.handsOff()
	}
}

func pausedSentence(say english, s *referee.State) string {
	text := say.paused(s.Lost)
	if s.Guide != (referee.Guide{}) {
		text += " " + say.restore(s.Guide)
	}
	return text
}

func playSentence(say english, s *referee.State) string {
	if s.Restart.Active {
		return say.restart(s.Restart.At != 0)
	}
	if s.Objection.Claimed {
		return claimSentence(say, s)
	}
	if text := mistakeSentence(say, s); text != "" {
		return text
	}
	switch {
	case s.Pending.Active:
		return pendingSentence(say, s)
	case s.Step == referee.ToMove && s.Wish.Active && s.Guide.Place() == s.Wish.Square.Bit():
		return say.wish(s.Game.Turn, s.Wish.Square)
	case s.Guide == referee.Guide{}, s.Guide.Place()&s.Game.Opening() != 0:
		return turnSentence(say, s)
	case s.Step == referee.InProgress:
		return backSentence(say, s)
	case s.Step == referee.ToMove:
		// Discs are off the board on the way to something else.
		return turnSentence(say, s)
	default:
		return say.putRight(s.Guide)
	}
}

// pendingSentence says how far a move has come. Where the lights keep the flips
// to themselves, so does the sentence.
func pendingSentence(say english, s *referee.State) string {
	p := s.Pending
	noMove := p.Flips == 0 && s.Game.Opening() == 0
	switch {
	case (p.Flips|p.Square.Bit())&s.Lost != 0 && s.Guide == (referee.Guide{}):
		return say.waitsFor(s.Lost)
	case s.Match.Profile.FlipLights == referee.LightsOff || s.Dark != 0 || noMove:
		return say.placedOnly(p, s.Lit(), s.Pressing())
	case s.Guide == (referee.Guide{}) && p.Lifted|p.Extra == 0 && s.Pressing():
		return say.presses(p)
	default:
		return say.placed(p, s.Guide)
	}
}

// claimSentence says what the opponent objects to, and what is to be done.
func claimSentence(say english, s *referee.State) string {
	e := s.Entries[s.Objection.Entry]
	if s.Guide == (referee.Guide{}) {
		return say.corrected(e.By)
	}
	return say.claimed(e, s.Guide)
}

func turnSentence(say english, s *referee.State) string {
	switch {
	case s.Flags.PlayOn:
		return say.playsOn(s.Flags.Fallen, s.Game.Turn)
	case s.PassDue():
		return say.passDue(s.Game.Turn)
	}
	if record := s.Record(); len(record) > 0 {
		if last := record[len(record)-1]; last.Pass() {
			if s.Game.Hand(last.By) == 0 {
				return say.noDiscLeft(last.By, s.Game.Turn)
			}
			return say.passed(last.By, s.Game.Turn)
		}
	}
	if s.OpponentToMove() && !s.Wish.Active {
		return say.thinks(s.Game.Turn)
	}
	if free := s.Game.Opening(); free != 0 {
		return say.opening(s.Game.Turn, free)
	}
	return say.toMove(s.Game.Turn)
}

// backSentence tells the ways of going back apart by the board: a takeback has
// the last discs of the record off the board, a withdrawn move has not.
func backSentence(say english, s *referee.State) string {
	if s.Guide.Remove != 0 || s.Guide.Turn != 0 || s.Ruled() {
		return say.restore(s.Guide)
	}
	var last referee.Entry
	plies := 0
	record := s.Record()
	for i := range record {
		e := record[len(record)-1-i]
		sq, ok := e.Move.Square()
		if !ok {
			continue
		}
		if !(s.Sensed.Empty() &^ s.Unsure()).Has(sq) {
			break
		}
		if plies++; plies == 1 {
			last = e
		}
	}
	if plies == 0 {
		return say.withdrawn(s.Game.Turn, s.Guide)
	}
	return say.takenBack(last, plies, s.Guide)
}

// mistakeSentence returns what is wrong, empty when nothing is.
func mistakeSentence(say english, s *referee.State) string {
	p := s.Problem
	switch p.Code {
	case referee.NoProblem, referee.SensorFault, referee.BankLost, referee.Orientation:
		return ""
	case referee.Power:
		return say.powerCut(p.Squares, s.Guide, s.MayRestart())
	case referee.IllegalPosition, referee.FlipsNotDone, referee.TurnWrong:
		return wrongSentence(say, s)
	default:
		return say.putRight(s.Guide)
	}
}

func wrongSentence(say english, s *referee.State) string {
	turn, wrong := s.Game.Turn, s.Problem.Squares
	if wrong == 0 {
		return say.putRight(s.Guide)
	}
	at := wrong.First()
	disc := s.Sensed.At(at)
	switch s.Problem.Reason {
	case referee.NoFlip:
		return say.noFlip(disc, at, s.Guide)
	case referee.OffCenter:
		return say.offCenter(s.Game.Rules.Opening, s.Guide)
	case referee.WrongColor:
		return say.wrongColor(disc, turn, at, s.Guide)
	case referee.OutOfTurn:
		return say.outOfTurn(disc, turn, at, s.Guide)
	case referee.FlipsPending:
		return say.tooEarly(disc, turn, at, s.Guide)
	case referee.SecondDisc:
		return say.secondDisc(s.Guide)
	case referee.ExtraFlip:
		return say.extraFlip(wrong, s.Guide)
	case referee.OtherSquare:
		return say.otherSquare(turn, s.Wish.Square, s.Guide)
	case referee.NoReason:
		if s.Guide.Place() != 0 {
			return say.missing(s.Guide)
		}
		return say.putRight(s.Guide)
	case referee.Occupied, referee.PassNotAllowed, referee.NotRunning, referee.DiscMissing:
		// These answer commands; hands cannot do them.
		return say.putRight(s.Guide)
	default:
		return say.putRight(s.Guide)
	}
}

// alsoColors adds what a board that sees no colors leaves to the players: while
// the game is set up, and before its first move.
func alsoColors(say english, s *referee.State, text string) string {
	switch {
	case !s.Presence:
		return text
	case s.Phase == referee.Setup && s.SensedOK:
		return text + " " + say.colorsUnseen()
	case s.Phase == referee.Playing && s.Step == referee.ToMove && s.Len == 0 && !s.Problem.Active():
		return text + " " + say.flipsUnseen()
	default:
		return text
	}
}

// alsoTime adds that the clocks stand, or that a time is up and the game goes on.
func alsoTime(say english, s *referee.State, text string) string {
	switch {
	case s.Halted:
		return text + " " + say.clocksStand()
	case s.Match.Profile.Flag == referee.FlagNone && s.Clock.On() && s.Clock.Flagged(s.Game.Turn):
		whose := s.Game.Turn
		if s.Clock.Settings.Shared {
			whose = engine.None
		}
		return text + " " + say.timeUp(whose)
	default:
		return text
	}
}

// alsoUnsure adds which cells cannot be read, unless the text is about them.
func alsoUnsure(say english, s *referee.State, text string) string {
	switch {
	case s.Lost != 0 && text == say.waitsFor(s.Lost):
		return text
	case s.Lost != 0:
		return say.lostToo(text, s.Lost)
	case s.Masked != 0:
		return say.maskedToo(text, s.Masked)
	default:
		return text
	}
}
