package referee

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/plaintext"
)

// coder writes values, or reads them back: which of the two is a property of the
// coder, so that what is written and what is read cannot differ. Whoever adds a
// field to a State or to an input adds one line, and raises the version.
type coder struct {
	// b is what has been written, or what is still to be read.
	b       []byte
	reading bool
	// version is the form of a snapshot.
	version uint8
	// foreign says that what is read came from outside and may hold values that
	// have no name: Step refuses them, as it did when they came.
	foreign bool
	err     error
}

// errShort says that something ends before its end.
var errShort = errors.New("it ends too early")

// fail keeps the first thing that is wrong.
func (c *coder) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.b = nil
}

// word codes a number in as few bytes as it needs.
func (c *coder) word(v *uint64) {
	if !c.reading {
		c.b = binary.AppendUvarint(c.b, *v)
		return
	}
	n, size := binary.Uvarint(c.b)
	switch {
	case size == 0:
		c.fail(errShort)
	case size < 0, size > 1 && c.b[size-1] == 0:
		c.fail(errors.New("a number is not written as it should be"))
	default:
		*v, c.b = n, c.b[size:]
	}
}

// signed codes a number that may be negative.
func (c *coder) signed(v *int64) {
	w := uint64(*v)<<1 ^ uint64(*v>>63)
	if c.word(&w); c.reading {
		*v = int64(w>>1) ^ -int64(w&1)
	}
}

func (c *coder) int(v *int) {
	w := int64(*v)
	if c.signed(&w); !c.reading {
		return
	}
	if *v = int(w); int64(*v) != w {
		c.fail(fmt.Errorf("the number %d is too large for this computer", w))
	}
}

func (c *coder) time(v *time.Duration) {
	w := int64(*v)
	if c.signed(&w); c.reading {
		*v = time.Duration(w)
	}
}

func (c *coder) yes(v *bool) {
	w := uint8(0)
	if *v {
		w = 1
	}
	if small(c, &w, 1); c.reading {
		if *v = w == 1; w > 1 {
			c.fail(errors.New("a yes or no is neither"))
		}
	}
}

// count codes a number from 0 to most.
func (c *coder) count(v *int, most int) {
	w := uint64(*v)
	if c.word(&w); !c.reading {
		return
	}
	if w > uint64(most) {
		c.fail(fmt.Errorf("a number is %d, at most %d is possible", w, most))
		w = 0
	}
	*v = int(w)
}

// set codes a bitboard.
func (c *coder) set(v *engine.Bitboard) {
	if !c.reading {
		c.b = binary.LittleEndian.AppendUint64(c.b, uint64(*v))
		return
	}
	if len(c.b) < 8 {
		c.fail(errShort)
		return
	}
	*v, c.b = engine.Bitboard(binary.LittleEndian.Uint64(c.b)), c.b[8:]
}

// small codes a value that has a name, up to the last one there is, unless it is
// foreign.
func small[T ~uint8](c *coder, v *T, last T) {
	if !c.reading {
		c.b = append(c.b, byte(*v))
		return
	}
	switch {
	case len(c.b) == 0:
		c.fail(errShort)
	case T(c.b[0]) > last && !c.foreign:
		c.fail(fmt.Errorf("there is no %T number %d", *v, c.b[0]))
	default:
		*v, c.b = T(c.b[0]), c.b[1:]
	}
}

// text codes a text.
func text[T ~string](c *coder, v *T) {
	n := uint64(len(*v))
	c.word(&n)
	if !c.reading {
		c.b = append(c.b, string(*v)...)
		return
	}
	if n > uint64(len(c.b)) {
		c.fail(errShort)
		return
	}
	*v, c.b = T(c.b[:n]), c.b[n:]
}

// plain codes a text from outside. What an older program has stored is cleaned.
func (c *coder) plain(v *plaintext.Text) {
	s := v.String()
	if text(c, &s); c.reading {
		*v = plaintext.Clean(s, plaintext.MaxLine)
	}
}

func (c *coder) color(v *engine.Color)   { small(c, v, engine.None) }
func (c *coder) square(v *engine.Square) { small(c, v, engine.Square(engine.PassMove)) }

func (c *coder) discs(v *engine.Discs) {
	c.set(&v.Black)
	c.set(&v.White)
}

func (c *coder) position(v *engine.Position) {
	c.discs(&v.Discs)
	c.color(&v.Turn)
}

func (c *coder) rules(v *engine.Rules) {
	text(c, &v.Name)
	c.position(&v.Start)
	small(c, &v.Goal, engine.Fewest)
	c.set(&v.Opening)
	c.int(&v.Stock)
}

func (c *coder) game(v *engine.Game) {
	c.rules(&v.Rules)
	c.position(&v.Position)
	for side := range v.Placed {
		small(c, &v.Placed[side], 255)
	}
}

func (c *coder) control(v *clock.Control) {
	c.time(&v.Main)
	c.time(&v.Increment)
	c.int(&v.Periods)
	c.time(&v.Period)
}

func (c *coder) settings(v *clock.Settings) {
	for side := range v.Sides {
		c.control(&v.Sides[side])
	}
	c.yes(&v.Shared)
}

func (c *coder) clock(v *clock.Clock) {
	c.settings(&v.Settings)
	for side := range v.Left {
		c.time(&v.Left[side])
		c.int(&v.Periods[side])
		c.time(&v.InPeriod[side])
		c.yes(&v.Down[side])
	}
	c.color(&v.Running)
	c.time(&v.At)
}

func (c *coder) times(v *clock.Times) {
	for side := range v.Timed {
		c.yes(&v.Timed[side])
		c.time(&v.Left[side])
		c.int(&v.Periods[side])
	}
}

func (c *coder) profile(v *Profile) {
	text(c, &v.Name)
	text(c, &v.Source)
	small(c, &v.Commit, CommitPressIfClock)
	small(c, &v.Flips, FlipsStand)
	c.yes(&v.FlipsCorrectedByMover)
	c.yes(&v.ClaimAfterEnd)
	small(c, &v.Improper, ImproperClaimed)
	small(c, &v.Takeback, TakebackUntilReply)
	small(c, &v.FlipLights, LightsOff)
	c.time(&v.FlipLightsAfter)
	small(c, &v.Hints, HintsLocked)
	small(c, &v.Pass, PassByPress)
	c.settings(&v.Clock)
	small(c, &v.Flag, FlagCount)
	small(c, &v.Empties, EmptiesAsTheyLie)
	c.time(&v.MissingAfter)
}

func (c *coder) match(v *Match) {
	c.rules(&v.Rules)
	c.profile(&v.Profile)
	c.settings(&v.Clock)
	for side := range v.Players {
		c.plain(&v.Players[side])
	}
	text(c, &v.Pairing)
	text(c, &v.Opponent.Kind)
	c.int(&v.Opponent.Level)
	c.color(&v.Opponent.Side)
}
