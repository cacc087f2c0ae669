package notation

import (
	"fmt"
	"strings"

	"reversi-board/engine"
)

// The words for a start and for who begins that leave the choice to the variant.
const (
	StandardStart = "standard"
	AutoFirst     = "auto"
)

// FirstNames lists the words for who begins, the default first.
func FirstNames() []string { return []string{AutoFirst, engine.Black.String(), engine.White.String()} }

// ParseRules returns the rules of a variant with a start as ParseStart reads it
// and with who begins: black, white, or auto. With auto the start says who
// begins if it knows (a handicap, a position with its side to move, an opening),
// otherwise the variant does. Empty texts are the defaults, standard and auto.
//
// It fails for a start in which nobody can move, and for the historic game with
// any start but its own.
func ParseRules(variant, start, first string) (engine.Rules, error) {
	rules, err := engine.Variant(variant)
	if err != nil {
		return engine.Rules{}, err
	}
	if rules, err = withStart(rules, start); err != nil {
		return engine.Rules{}, err
	}
	switch first {
	case "", AutoFirst:
	case engine.Black.String():
		rules = rules.WithFirst(engine.Black)
	case engine.White.String():
		rules = rules.WithFirst(engine.White)
	default:
		return engine.Rules{}, fmt.Errorf("%.16q cannot begin: want one of %s", first, strings.Join(FirstNames(), ", "))
	}
	return rules, nil
}

func withStart(rules engine.Rules, text string) (engine.Rules, error) {
	name := strings.ToLower(strings.TrimSpace(text))
	if name == "" || name == StandardStart {
		return rules, nil
	}
	start, err := ParseStart(text)
	if err != nil {
		return engine.Rules{}, err
	}
	if name == "parallel" || name == "inverted" {
		start.Turn = rules.Start.Turn
	}
	return rules.From(start)
}
