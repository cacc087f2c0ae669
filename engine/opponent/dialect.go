package opponent

import (
	"context"
	"strings"

	"reversi-board/engine"
)

// Dialect speaks a protocol with one running program. A new one is made for
// every start of the program.
type Dialect interface {
	// Greet begins the conversation and returns the program's name, empty if it
	// does not tell.
	Greet(ctx context.Context, w *Wire) (name string, err error)
	// Ask brings the program to the position of the question and returns the
	// move it chose in its own words, such as "D3" or "pa".
	Ask(ctx context.Context, w *Wire, q *Question) (Reply, error)
	// Cancelled is called when the context of Ask has ended before the answer.
	Cancelled(ctx context.Context, w *Wire)
	// Goodbye asks the program to end.
	Goodbye(ctx context.Context, w *Wire)
}

// Reply is an answer that nobody has checked yet.
type Reply struct{ Move, Eval string }

// FaultError is something that a program did wrong. Its text is a sentence
// about the program without its name: "it passed although it can move".
type FaultError struct{ Text string }

// Error returns the sentence.
func (e *FaultError) Error() string { return e.Text }

// StaleError says that the program still owed an answer to a question that had
// been withdrawn, and did not give it in time. It is no fault; the program is
// started again.
type StaleError struct{}

// Error says what happened.
func (StaleError) Error() string { return "it still works on a question that was withdrawn" }

// passWords are the words for a pass; NBoard and GTP engines use these.
func isPass(word string) bool {
	switch strings.ToLower(word) {
	case "pa", "pas", "pass", "ps", "--", "@@@@":
		return true
	}
	return false
}

// check reads a reply. Everything but a legal square is a fault.
func check(g *engine.Game, r Reply) (Answer, error) {
	if isPass(r.Move) {
		return Answer{}, &FaultError{"it passed although it can move"}
	}
	if strings.EqualFold(r.Move, "resign") {
		return Answer{}, &FaultError{"it resigned"}
	}
	s, err := engine.ParseSquare(r.Move)
	if err != nil {
		return Answer{}, &FaultError{"it answered " + Quote(r.Move) + " where a move was due"}
	}
	if !g.Legal().Has(s) {
		return Answer{}, &FaultError{"it played " + s.String() + ", which is illegal for " + g.Turn.String()}
	}
	return Answer{Square: s, Eval: r.Eval}, nil
}
