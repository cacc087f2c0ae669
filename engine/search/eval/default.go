package eval

import (
	"bytes"
	_ "embed"
	"fmt"
	"sync"

	"reversi-board/engine"
)

// The trained weights of both goals; the package comment says how they came
// about.
var (
	//go:embed most.weights
	mostFile []byte
	//go:embed fewest.weights
	fewestFile []byte
)

// Both are decoded at most once for the process.
//
//nolint:gochecknoglobals // Read-only after they have been decoded.
var (
	most   = sync.OnceValue(func() *Weights { return decode(mostFile) })
	fewest = sync.OnceValue(func() *Weights { return decode(fewestFile) })
)

// Default returns the built-in weights for a goal. They are decoded at the
// first call, which takes some hundredths of a second, and shared.
func Default(g engine.Goal) *Weights {
	if g == engine.Fewest {
		return fewest()
	}
	return most()
}

// decode reads embedded weights, which are as much part of the program as its
// code.
func decode(file []byte) *Weights {
	w, err := Read(bytes.NewReader(file))
	if err != nil {
		panic(fmt.Sprintf("the built-in weights are damaged: %v", err))
	}
	return w
}

// Zero returns weights that find all positions equal: the start of a training.
func Zero() *Weights { return newWeights() }
