// Command reversi-board is the controller of a physical Reversi board, and its
// tools. Each subcommand is one file; the list is in commands.
//
// The package only reads arguments, calls the packages that do the work, and
// prints: nothing here knows the rules, a chip or a protocol.
//
// Every command keeps the same promises: --help prints what it does with an
// example; wrong usage is one clear line on standard error and exit status 2;
// any other failure is one clear line and exit status 1; --json is there where
// a script would want it; progress appears only when standard error is a
// terminal; an interrupt ends the command in good order.
package main
