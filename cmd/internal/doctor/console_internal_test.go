package doctor

import (
	"io"
	"os"
	"testing"
	"time"
)

// What was typed before a question is no answer to it.
func TestTypedTooSoon(t *testing.T) {
	t.Parallel()
	in, keyboard, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()       //nolint:errcheck // A pipe.
	defer keyboard.Close() //nolint:errcheck // A pipe.
	c := NewConsole(in, io.Discard)
	if _, err := keyboard.WriteString("n\nb3\n\n"); err != nil {
		t.Fatal(err)
	}
	deadline, again := time.NewTimer(10*time.Second), time.NewTicker(time.Millisecond)
	defer deadline.Stop()
	defer again.Stop()
	for len(c.lines) < 3 {
		select {
		case <-deadline.C:
			t.Fatal("it was not read")
		case <-again.C:
		}
	}
	if r := c.Answer(0, &Question{Text: "Is it so?"}); r.Said != Nothing {
		t.Errorf("%+v", r)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
