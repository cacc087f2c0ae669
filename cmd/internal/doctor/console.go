package doctor

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"reversi-board/cmd/internal/calibrate"
	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

// Terminal is what a person types at: reading it can be ended.
type Terminal interface {
	io.Reader
	SetReadDeadline(t time.Time) error
}

// Console is a person at a terminal. Make it with NewConsole and close it.
type Console struct {
	out   io.Writer
	in    Terminal
	lines chan string
	done  sync.WaitGroup
	stop  chan struct{}

	// shown is what was printed last, and told says that it was said how to answer.
	shown, noted string
	told         bool
	asked        *Question
}

// maxLine bounds what is typed in bytes.
const maxLine = 1024

// NewConsole returns a person who types at in and is spoken to on out. It starts
// the goroutine that reads; Close ends it.
func NewConsole(in Terminal, out io.Writer) *Console {
	c := &Console{in: in, out: out, lines: make(chan string, 16), stop: make(chan struct{})}
	c.done.Go(func() {
		defer close(c.lines)
		s := bufio.NewScanner(in)
		s.Buffer(make([]byte, 0, maxLine), maxLine)
		for s.Scan() {
			select {
			case c.lines <- s.Text():
			case <-c.stop:
				return
			}
		}
	})
	return c
}

// Close ends the reading, and waits for its end.
func (c *Console) Close() error {
	close(c.stop)
	err := c.in.SetReadDeadline(time.Unix(1, 0))
	if err != nil {
		return fmt.Errorf("leave the terminal: %w", err)
	}
	c.done.Wait()
	return nil
}

// typed returns what was typed since the last call; ok is false if nothing was.
func (c *Console) typed() (line string, ok bool) {
	select {
	case line, open := <-c.lines:
		if !open {
			return "q", true
		}
		return strings.ToLower(strings.TrimSpace(line)), true
	default:
		return "", false
	}
}

// forget forgets what was typed before there was anything to answer.
func (c *Console) forget() {
	for {
		select {
		case _, open := <-c.lines:
			if open {
				continue
			}
		default:
		}
		return
	}
}

func (c *Console) say(format string, args ...any) {
	// A terminal that has gone cannot be told so.
	_, _ = fmt.Fprint(c.out, plaintext.Escape(fmt.Sprintf(format, args...)))
}

// Follow implements Hands.
func (c *Console) Follow(_ time.Duration, v *calibrate.View) Reply {
	if !c.told {
		c.told = true
		c.say("\nThe cells are tried with discs. Follow the lights, or the text. What is seen goes on by itself.\n" +
			"Enter: it is done, although nothing happens. s: leave this square out. q: ask nothing more.\n\n")
	}
	text := v.Text
	if v.All > 0 && v.Ask.Squares != 0 {
		text = fmt.Sprintf("%d of %d  %s", v.Done+1, v.All, v.Text)
	}
	if v.Stage == calibrate.Clearing {
		text += " Then press Enter."
	}
	if text != c.shown {
		c.shown, c.noted = text, ""
		c.forget()
		c.say("%s\n", text)
	}
	if v.Note != c.noted {
		c.noted = v.Note
		if v.Note != "" {
			c.say("    %s\n", v.Note)
		}
	}
	line, ok := c.typed()
	if !ok {
		return Reply{}
	}
	r := parseReply(line)
	if r.Said == No || r.Said == These || r.Said == Nothing {
		c.say("    Enter, s or q?\n")
		return Reply{}
	}
	return r
}

// Answer implements Hands.
func (c *Console) Answer(_ time.Duration, q *Question) Reply {
	if q != c.asked {
		c.asked = q
		c.forget()
		c.say("\n%s\n    %s\n", q.Text, choices(q))
	}
	line, ok := c.typed()
	if !ok {
		return Reply{}
	}
	r := parseReply(line)
	if r.Said == Nothing || r.Said == These && (q.Topic == Push || q.Topic == Sound || q.Topic == Frame) {
		c.say("    %s\n", choices(q))
		return Reply{}
	}
	return r
}

// choices says how a question can be answered.
func choices(q *Question) string {
	switch q.Topic {
	case Shine:
		if q.Lit == 0 {
			return "Enter: yes. Those that shine, such as b3 c4. n: all shine. s: leave this out. q: ask nothing more."
		}
		return "Enter: yes. Those that are wrong, such as b3 c4. n: none shines. s: leave this out. q: ask nothing more."
	case Color:
		return "Enter: yes. Those that are not, such as b3 c4. n: none is. s: leave this out. q: ask nothing more."
	case Push:
		return "Enter: nothing happens. s: leave this out. q: ask nothing more."
	case Sound, Frame:
	}
	return "Enter: yes. n: no. s: leave this out. q: ask nothing more."
}

// parseReply reads what was typed. Said is Nothing if it makes no sense.
func parseReply(line string) Reply {
	switch line {
	case "", "y", "yes":
		return Reply{Said: Yes}
	case "n", "no", "none":
		return Reply{Said: No}
	case "s", "skip":
		return Reply{Said: Leave}
	case "q", "quit":
		return Reply{Said: Enough}
	}
	squares, err := engine.ParseSquares(line)
	if err != nil || squares == 0 {
		return Reply{}
	}
	return Reply{Said: These, Squares: squares}
}
