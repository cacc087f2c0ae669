package referee

import (
	"bytes"
	"errors"
	"fmt"

	"reversi-board/engine/plaintext"
)

// InputVersion is the form of what AppendInput writes. It is raised with every
// change of an input or of an order.
const InputVersion = 4

// OldestInput is the oldest form that ReadInput still reads: what inputs have got
// since is written behind them, where there is any.
const OldestInput = 3

// When returns when an input happened.
func When(in Input) Time { return at(in) }

// The numbers of the inputs. They are never used for anything else.
const (
	seenCode uint8 = 1 + iota
	feltCode
	cellsFailedCode
	cellsBackCode
	powerOnCode
	tickCode
	pressedCode
	wallSteppedCode
	suggestedCode
	engineGoneCode
	commandCode
)

// The numbers of the orders; 0 is a command without one.
const (
	newGameCode uint8 = 1 + iota
	undoCode
	pauseCode
	resumeCode
	resignCode
	adjudicateCode
	clockSetCode
	playersSetCode
	correctSquareCode
	reviseCode
	letStandCode
	claimCode
	passPressedCode
	lookCode
)

// AppendInput appends an input to b with everything that is in it: Step does
// exactly the same with what ReadInput makes of it. An input that this package
// does not have is an error, and nothing is appended.
func AppendInput(b []byte, in Input) ([]byte, error) {
	c := coder{b: b}
	if c.write(in); c.err != nil {
		return b, c.err
	}
	return c.b, nil
}

// write writes an input behind its number.
func (c *coder) write(in Input) {
	switch in := in.(type) {
	case Seen:
		c.b = append(c.b, seenCode)
		c.seen(&in)
	case Felt:
		c.b = append(c.b, feltCode)
		c.felt(&in)
	case CellsFailed:
		c.b = append(c.b, cellsFailedCode)
		c.cells(&in)
	case CellsBack:
		c.b = append(c.b, cellsBackCode)
		failed := CellsFailed(in)
		c.cells(&failed)
	case PowerOn:
		c.b = append(c.b, powerOnCode)
		c.powerOn(&in)
	case Tick:
		c.b = append(c.b, tickCode)
		c.tick(&in)
	case Pressed:
		c.b = append(c.b, pressedCode)
		c.pressed(&in)
	case WallStepped:
		c.b = append(c.b, wallSteppedCode)
		c.wallStepped(&in)
	case Suggested:
		c.b = append(c.b, suggestedCode)
		c.suggested(&in)
	case EngineGone:
		c.b = append(c.b, engineGoneCode)
		c.engineGone(&in)
	case Command:
		c.b = append(c.b, commandCode)
		c.command(&in)
	default:
		c.fail(fmt.Errorf("there is no form for the input %T", in))
	}
}

// ReadInput reads what AppendInput wrote, all of b. It refuses everything else.
func ReadInput(b []byte) (Input, error) {
	var kind uint8
	c := coder{b: b, reading: true, foreign: true}
	small(&c, &kind, commandCode)
	in := c.input(kind)
	if c.err == nil && len(c.b) > 0 {
		c.err = errors.New("something follows it")
	}
	if c.err == nil {
		again, err := AppendInput(nil, in)
		if err != nil || !bytes.Equal(again, b) {
			c.err = errors.New("it is not written as it should be")
		}
	}
	if c.err != nil {
		return nil, fmt.Errorf("read an input: %w", c.err)
	}
	return in, nil
}

// input reads an input behind its number.
func (c *coder) input(kind uint8) Input {
	switch kind {
	case seenCode:
		var in Seen
		c.seen(&in)
		return in
	case feltCode:
		var in Felt
		c.felt(&in)
		return in
	case cellsFailedCode, cellsBackCode:
		var in CellsFailed
		c.cells(&in)
		if kind == cellsBackCode {
			return CellsBack(in)
		}
		return in
	case powerOnCode:
		var in PowerOn
		c.powerOn(&in)
		return in
	case tickCode:
		var in Tick
		c.tick(&in)
		return in
	case pressedCode:
		var in Pressed
		c.pressed(&in)
		return in
	case wallSteppedCode:
		var in WallStepped
		c.wallStepped(&in)
		return in
	case suggestedCode:
		var in Suggested
		c.suggested(&in)
		return in
	case engineGoneCode:
		var in EngineGone
		c.engineGone(&in)
		return in
	case commandCode:
		var in Command
		c.command(&in)
		return in
	}
	c.fail(fmt.Errorf("there is no input number %d", kind))
	return nil
}

func (c *coder) tick(in *Tick) {
	c.time(&in.At)
	if in.Moving || c.more() {
		c.yes(&in.Moving)
	}
}

// more reports whether there is more to be read.
func (c *coder) more() bool { return c.reading && len(c.b) > 0 }

// began codes when the hands began what a reading shows.
func (c *coder) began(v *Time) {
	if *v != 0 || c.more() {
		c.time(v)
	}
}

func (c *coder) seen(in *Seen) {
	c.time(&in.At)
	c.time(&in.Changed)
	c.discs(&in.Discs)
	c.set(&in.Lost)
	c.set(&in.Masked)
	c.began(&in.Began)
}

func (c *coder) felt(in *Felt) {
	c.time(&in.At)
	c.time(&in.Changed)
	c.set(&in.Squares)
	c.set(&in.Lifted)
	c.set(&in.Lost)
	c.set(&in.Masked)
	c.began(&in.Began)
}

func (c *coder) cells(in *CellsFailed) {
	c.time(&in.At)
	c.set(&in.Squares)
	text(c, &in.Kind)
}

func (c *coder) powerOn(in *PowerOn) {
	c.time(&in.At)
	c.time(&in.Gap)
	c.discs(&in.Seen)
	c.yes(&in.SeenOK)
	c.times(&in.Clock)
	c.yes(&in.ClockOK)
}

func (c *coder) pressed(in *Pressed) {
	c.time(&in.At)
	c.color(&in.By)
	c.time(&in.Wait)
	c.yes(&in.Moving)
}

func (c *coder) wallStepped(in *WallStepped) {
	c.time(&in.At)
	c.time(&in.By)
}

func (c *coder) suggested(in *Suggested) {
	c.time(&in.At)
	c.square(&in.Square)
}

func (c *coder) engineGone(in *EngineGone) {
	c.time(&in.At)
	c.plain(&in.Engine)
	c.plain(&in.Reason)
}

func (c *coder) command(in *Command) {
	c.time(&in.At)
	text(c, &in.Audit.Role)
	text(c, &in.Audit.Name)
	c.plain(&in.Audit.ID)
	c.plain(&in.Audit.From)
	if !c.reading {
		c.writeOrder(in.Audit.Order)
		return
	}
	var kind uint8
	if small(c, &kind, lookCode); c.err == nil {
		in.Audit.Order = c.order(kind)
	}
}

// writeOrder writes an order behind its number.
func (c *coder) writeOrder(o Order) {
	switch o := o.(type) {
	case nil:
		c.b = append(c.b, 0)
	case NewGame:
		c.b = append(c.b, newGameCode)
		c.match(&o.Match)
	case Undo:
		c.b = append(c.b, undoCode)
		c.undo(&o)
	case Pause:
		c.b = append(c.b, pauseCode)
		c.plain(&o.Reason)
	case Resume:
		c.b = append(c.b, resumeCode)
		c.plain(&o.Reason)
	case Resign:
		c.b = append(c.b, resignCode)
		c.resign(&o)
	case Adjudicate:
		c.b = append(c.b, adjudicateCode)
		c.adjudicate(&o)
	case ClockSet:
		c.b = append(c.b, clockSetCode)
		c.clockSet(&o)
	case PlayersSet:
		c.b = append(c.b, playersSetCode)
		c.playersSet(&o)
	case CorrectSquare:
		c.b = append(c.b, correctSquareCode)
		c.correct(&o)
	case Revise:
		c.b = append(c.b, reviseCode)
		c.reviseOrder(&o)
	case LetStand:
		c.b = append(c.b, letStandCode)
		c.plain(&o.Reason)
	case Claim:
		c.b = append(c.b, claimCode)
		c.claim(&o)
	case PassPressed:
		c.b = append(c.b, passPressedCode)
		c.color(&o.By)
	case Look:
		c.b = append(c.b, lookCode)
	default:
		c.fail(fmt.Errorf("there is no form for the order %T", o))
	}
}

// order reads an order behind its number.
func (c *coder) order(kind uint8) Order {
	switch kind {
	case newGameCode:
		var o NewGame
		c.match(&o.Match)
		return o
	case undoCode:
		var o Undo
		c.undo(&o)
		return o
	case pauseCode, resumeCode, letStandCode:
		return c.reason(kind)
	case resignCode:
		var o Resign
		c.resign(&o)
		return o
	case claimCode:
		var o Claim
		c.claim(&o)
		return o
	case passPressedCode:
		var o PassPressed
		c.color(&o.By)
		return o
	case adjudicateCode:
		var o Adjudicate
		c.adjudicate(&o)
		return o
	case clockSetCode:
		var o ClockSet
		c.clockSet(&o)
		return o
	case playersSetCode:
		var o PlayersSet
		c.playersSet(&o)
		return o
	case correctSquareCode:
		var o CorrectSquare
		c.correct(&o)
		return o
	case reviseCode:
		var o Revise
		c.reviseOrder(&o)
		return o
	case lookCode:
		return Look{}
	case 0:
		return nil
	}
	c.fail(fmt.Errorf("there is no order number %d", kind))
	return nil
}

// reason reads an order that has nothing but a reason.
func (c *coder) reason(kind uint8) Order {
	var reason plaintext.Text
	c.plain(&reason)
	switch kind {
	case pauseCode:
		return Pause{Reason: reason}
	case resumeCode:
		return Resume{Reason: reason}
	default:
		return LetStand{Reason: reason}
	}
}

func (c *coder) undo(o *Undo) {
	c.int(&o.Plies)
	c.plain(&o.Reason)
}

func (c *coder) resign(o *Resign) {
	c.color(&o.Color)
	c.plain(&o.Reason)
}

func (c *coder) claim(o *Claim) {
	c.color(&o.By)
	c.plain(&o.Reason)
}

func (c *coder) playersSet(o *PlayersSet) {
	c.plain(&o.Players[0])
	c.plain(&o.Players[1])
	c.plain(&o.Reason)
}

func (c *coder) adjudicate(o *Adjudicate) {
	c.color(&o.Winner)
	c.yes(&o.Void)
	c.int(&o.Black)
	c.int(&o.White)
	c.plain(&o.Reason)
}

func (c *coder) clockSet(o *ClockSet) {
	c.time(&o.Black)
	c.time(&o.White)
	c.plain(&o.Reason)
}

func (c *coder) correct(o *CorrectSquare) {
	c.set(&o.Black)
	c.set(&o.White)
	c.set(&o.Empty)
	c.color(&o.Turn)
	c.plain(&o.Reason)
}

func (c *coder) reviseOrder(o *Revise) {
	c.int(&o.FromPly)
	text(c, &o.Moves)
	c.plain(&o.Reason)
}
