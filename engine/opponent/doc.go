// Package opponent is the contract with players that are not people, and keeps
// programs that play: Builtin is the search of this project, External is any
// other program, spoken to in a Dialect (opponent/gtp, opponent/nboard).
//
// It is not a referee. Whoever asks knows the rules, knows whose turn it is, and
// never asks a side that has no legal move: programs disagree about passes and
// about the end of a game, so they are never asked about either. A program's
// answer is a square; that it is legal is checked here, and everything else that
// it says counts for nothing.
//
// # What a program may do to us
//
// It may be silent, die, write without end, answer nonsense, answer late, or
// play what is illegal. Each of these is a fault. After a fault the program is
// killed with everything that it has started, started once more and asked again;
// the second fault in a game is the end of it, a *LostError that says why. What
// a program writes is never held in memory beyond a few lines, and a program
// that nobody listens to is made to wait.
//
// # Goroutines
//
// A running program has three, for its output, for its messages and for its
// end; all have ended when Close returns. Players are used by one goroutine at a
// time; Move returns soon after its context has ended.
package opponent
