// Package configs holds the settings of the controller: their types, the
// strict reader, and the settings that come with the program.
//
// A file is checked whole before anything starts. Every problem says file,
// line, dotted path, what is wrong and what is allowed, and up to ten problems
// are reported at once. The built-in files are embedded: default.yaml, which names
// and explains every key and runs anywhere (simulated board, loopback only), and
// one file for each board that can be built. How an event is officiated is a file
// of its own (events/, or the user's), read in the same strict way.
//
// The package is not the place where settings take effect: it opens no bus, no
// port and no broker, and knows the parts of the program only by their names.
// Of other files it only looks at those a setting points to (a password, a
// certificate), so that a wrong path is found at the start and not in a game.
//
// # Why a reader of its own
//
// The YAML library checks neither ranges nor relations, and its strict mode
// reports a Go type instead of a path. So the library parses text into nodes,
// and each section is read from its nodes by a table of keys. Anchors, aliases,
// tags and merge keys are refused: no setting needs them, and an alias can make
// a small file stand for a huge one.
package configs
