package doctor

import (
	"time"

	"reversi-board/cmd/internal/calibrate"
	"reversi-board/engine"
)

// Said is what a person says.
type Said uint8

// What can be said.
const (
	// Nothing: no answer yet.
	Nothing Said = iota
	// Yes: it is so, or it is done.
	Yes
	// No: nothing of it is so.
	No
	// These: all is so but for some squares.
	These
	// Leave: this is left out.
	Leave
	// Enough: nothing more is to be asked.
	Enough
)

// Reply is an answer, with the squares of These.
type Reply struct {
	Said    Said
	Squares engine.Bitboard
}

// Topic is what a question is about, for persons who do not read.
type Topic uint8

// The topics.
const (
	// Shine: do exactly the lights of Question.Lit shine?
	Shine Topic = iota
	// Color: do all lights have the color Question.Color?
	Color
	// Push: push the button Question.Button.
	Push
	// Sound: was the buzzer heard?
	Sound
	// Frame: is the frame on the display complete?
	Frame
)

// Question is something that only a person can tell.
type Question struct {
	Topic Topic
	// Text asks it in a sentence.
	Text   string
	Lit    engine.Bitboard
	Color  string
	Button string
}

// Hands is the person who sits at the board. It is asked again and again, after
// every look at the board, and never waits.
type Hands interface {
	// Follow shows what a walk over the cells asks for and returns what the person
	// says to it.
	Follow(now time.Duration, v *calibrate.View) Reply
	// Answer puts a question, the same one until it is answered.
	Answer(now time.Duration, q *Question) Reply
}
