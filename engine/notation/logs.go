package notation

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"reversi-board/engine"
)

// Logs of what a program told an engine, in the NBoard protocol and in GTP.

// nextLog collects the lines of a game: from one that begins a game to the next
// one. Lines of the engine and those that mean nothing here are passed over.
func (s *source) nextLog(begins, belongs func(line string) bool) (piece, error) {
	var p piece
	var b strings.Builder
	for {
		text, number, long, err := s.readLine(maxLine)
		if errors.Is(err, io.EOF) && p.line > 0 {
			break
		}
		if err != nil {
			return piece{}, err
		}
		text = strings.TrimPrefix(strings.TrimSpace(text), "> ")
		if begins(text) {
			if p.line > 0 {
				s.hold(text, number)
				break
			}
			p.line = number
		}
		switch {
		case p.line == 0 || !begins(text) && !belongs(text):
		case long || b.Len() > maxGame:
			p.err = errLong
		default:
			b.WriteString(text + "\n")
		}
	}
	p.text = b.String()
	return p, nil
}

func (s *source) nextNBoard() (piece, error) {
	return s.nextLog(
		func(line string) bool { return strings.HasPrefix(line, "set game ") },
		func(line string) bool { return strings.HasPrefix(line, "move ") },
	)
}

// readNBoard reads "set game" with a GGF game, and the moves after it.
func readNBoard(text string, o ReadOptions) (*Game, error) {
	first, moves, _ := strings.Cut(text, "\n")
	ggf := strings.TrimSpace(strings.TrimPrefix(first, "set game "))
	ggf, ok := strings.CutPrefix(ggf, "(")
	ggf, closed := strings.CutSuffix(ggf, ";)")
	if !ok || !closed {
		return nil, errors.New("set game is not followed by (; … ;)")
	}
	g, err := readGGF(ggf, o)
	if err != nil {
		return nil, err
	}
	b := &builder{game: g}
	if b.line.Final, err = g.Final(); err != nil {
		return nil, err
	}
	for line := range strings.Lines(moves) {
		value := strings.TrimSpace(strings.TrimPrefix(line, "move "))
		if err := b.ggfMove(engine.None, value); err != nil {
			return nil, err
		}
	}
	b.finish()
	return g, nil
}

func (s *source) nextGTP() (piece, error) {
	return s.nextLog(
		func(line string) bool { return gtpWords(line)[0] == "clear_board" },
		func(line string) bool {
			word := gtpWords(line)[0]
			return word == "play" || word == "undo"
		},
	)
}

// gtpWords returns the words of a line without the number that it may begin
// with, at least one.
func gtpWords(line string) []string {
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(line)
	if len(words) > 1 && strings.Trim(words[0], "0123456789") == "" {
		words = words[1:]
	}
	if len(words) == 0 {
		return []string{""}
	}
	return words
}

// readGTP reads clear_board and play. Passes may be left out.
func readGTP(text string, o ReadOptions) (*Game, error) {
	g := &Game{Rules: o.Rules}
	b := begin(g)
	for line := range strings.Lines(text) {
		words := gtpWords(line)
		switch words[0] {
		case "play":
			if len(words) != 3 {
				return nil, fmt.Errorf("%.40q is not play, a color and a square", strings.TrimSpace(line))
			}
			if err := b.gtpPlay(words[1], words[2]); err != nil {
				return nil, err
			}
		case "undo":
			return nil, errors.New("undo means different things to different engines and is not read")
		}
	}
	b.finish()
	return g, nil
}

// gtpPlay plays one move.
func (b *builder) gtpPlay(color, word string) error {
	var by engine.Color
	switch strings.ToLower(color) {
	case "b", "black":
		by = engine.Black
	case "w", "white":
		by = engine.White
	default:
		return fmt.Errorf("%.16q is not black or white", color)
	}
	m, ok := moveWord(word)
	if !ok {
		return b.wordError(word)
	}
	return b.addBy(by, Play{Move: m})
}
