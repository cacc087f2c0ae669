// Package eval estimates how a position will end, by patterns.
//
// It is NOT a search: it looks at one position and at no move.
package eval
