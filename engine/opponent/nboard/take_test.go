package nboard

import (
	"strings"
	"testing"

	"reversi-board/engine/opponent"
)

// TestTake reads lines as engines have been seen to write them.
func TestTake(t *testing.T) {
	for line, want := range map[string]opponent.Reply{
		"=== d6 -1.00 0.0":   {Move: "d6", Eval: "-1.00"},
		"=== D6/-0.54/0.00":  {Move: "D6", Eval: "-0.54"},
		"===  F5 ":           {Move: "F5"},
		"=== PA//0.00":       {Move: "PA"},
		"=== -- 0.00 0.0":    {Move: "--", Eval: "0.00"},
		"=== F5/NaN,NaN/1.0": {Move: "F5"},
		"=== F5/1e9/1.0":     {Move: "F5"},
	} {
		c := &Client{}
		if got, ok := c.take(line); !ok || got != want {
			t.Errorf("%q: %+v, %v, want %+v", line, got, ok, want)
		}
	}
	for _, line := range []string{"", "pong 3", "status === d6", "nodestats 35805 -nan", "search C4       -0.39 0   1", "=="} {
		c := &Client{}
		if got, ok := c.take(line); ok {
			t.Errorf("%q is taken for the move %+v", line, got)
		}
	}
}

// FuzzTake: nothing that an engine writes gets further than a word and a number.
func FuzzTake(f *testing.F) {
	for _, line := range []string{"=== d6 -1.00 0.0", "=== D6/-0.54/0.00", "=== //", "===", "set myname \xff", "=== PA//"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		c := &Client{}
		got, ok := c.take(line)
		if strings.ContainsAny(got.Eval, " /\n") || ok && strings.HasPrefix(got.Move, " ") {
			t.Errorf("%q: %+v", line, got)
		}
	})
}
