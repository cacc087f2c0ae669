package flight

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"reversi-board/engine/referee"
)

// Made is what a core made of an input when it was run again.
type Made struct {
	// Payloads are the events in their published form.
	Payloads [][]byte
	Wake     time.Duration
	Refused  *referee.Refuse
	Failed   bool
}

// Machine is a core that is run again.
type Machine interface {
	// Step feeds it. It takes the stamps and the ids of games from events, in their
	// order.
	Step(in referee.Input, events []Event) Made
	// State returns the referee's state; it is read between two steps only.
	State() *referee.State
}

// Ran is a record that has been run again.
type Ran struct {
	Segment *Segment
	// Number counts the records of the segment from 1.
	Number int
	Record *Record
	// Made is what came of a step, State the referee's after it.
	Made  Made
	State *referee.State
	// Difference says how that differs from what was recorded, empty if it does
	// not.
	Difference string
}

// Replay runs a segment through a machine that begins at its checkpoint, and
// tells visit about every record. It ends early if visit returns an error.
func Replay(s *Segment, m Machine, visit func(r *Ran) error) (differences int, err error) {
	for i := range s.Records {
		r := Ran{Segment: s, Number: i + 1, Record: &s.Records[i], State: m.State()}
		if step := r.Record.Step; step != nil {
			r.Made, r.Difference = run(m, step)
		}
		if r.Difference != "" {
			differences++
		}
		if err := visit(&r); err != nil {
			return differences, err
		}
	}
	return differences, nil
}

// run makes a step. A state that a file has made up may be none that a referee can
// work with; the program says so and goes on.
func run(m Machine, step *Step) (made Made, difference string) {
	defer func() {
		if wrong := recover(); wrong != nil {
			difference = fmt.Sprintf("the referee cannot go on from this state: %v", wrong)
		}
	}()
	made = m.Step(step.Input, step.Events)
	return made, compare(step, &made)
}

// compare says how what came out differs from what was recorded.
func compare(step *Step, made *Made) string {
	for i := range max(len(step.Events), len(made.Payloads)) {
		switch {
		case i >= len(made.Payloads):
			return fmt.Sprintf("event %d of this input is missing: recorded was %s", i+1, step.Events[i].Payload)
		case i >= len(step.Events):
			return fmt.Sprintf("event %d of this input was not recorded: %s", i+1, made.Payloads[i])
		case !bytes.Equal(step.Events[i].Payload, made.Payloads[i]):
			return fmt.Sprintf("another event: recorded was %s, now it is %s", step.Events[i].Payload, made.Payloads[i])
		}
	}
	var list []string
	if step.Wake != made.Wake {
		list = append(list, fmt.Sprintf("the referee wanted to be woken at %v, now at %v", step.Wake, made.Wake))
	}
	if a, b := refusal(step.Refused), refusal(made.Refused); a != b {
		list = append(list, fmt.Sprintf("the answer was %s, now it is %s", a, b))
	}
	if step.Failed != made.Failed {
		list = append(list, "an event could be written once, and once not")
	}
	return strings.Join(list, "; ")
}

func refusal(r *referee.Refuse) string {
	if r == nil {
		return "yes"
	}
	return fmt.Sprintf("%s (%s)", r.Code, r.Text)
}
