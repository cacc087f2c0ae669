// Package record writes and reads the published JSON form of what happens at
// the board: one event per journal record, and the snapshot of the state. The
// journal, MQTT and the web page all carry these bytes, so that what is stored
// is what was announced.
//
// It is not a store and not a transport, it does not judge anything, and it
// knows no clock: the caller hands it the stamp. Every function is pure and safe
// to call from any goroutine.
//
// # Forms
//
// Members stand in the order of the structs in this package, which never
// changes; receivers ignore members that they do not know, and read a missing
// one as null. HTML is not escaped. Times are RFC 3339 in UTC with
// milliseconds, except mono_ms, pending.since_ms (milliseconds since the
// program started, the clock of mono_ms). The JSON Schemas (draft
// 2020-12) of events, states and clocks are in schema/. They describe what this
// program writes: a receiver should ignore members that they do not name, because
// additions keep v.
//
// # Boards that see no colors
//
// The state of a board that only knows where discs lie has the same members. In
// sensed the colors are then those that the discs must show if the hands have
// done what the guide asked for; that the board does not see them is published
// once, as a property of the board (caps.color_sensing in meta).
//
// # Members added for the journal
//
// An event is decoded to exactly the value that was encoded, so that a restart
// can fold the journal back into the state. Where the published members cannot
// say everything, these are added, each only when it is needed:
//
//   - at_ns: the time of the event, when it is not exactly mono_ms;
//   - think_ns, gap_ns, by_ns: think_ms, gap_s and by_ms, when those are not
//     exact;
//   - black_ns, white_ns and so on: times in milliseconds, when those are not
//     exact (what is left on a clock is rounded up: zero means that the flag is
//     down);
//   - goal, opening, stock: rules that differ from the named variant, or all of
//     them when the variant has no preset;
//   - officiating: the whole profile, because the file that it was read from may
//     be another one when the journal is read;
//   - text, black, white, shared: how the game is timed, when it is;
//   - black_periods, white_periods: the periods left, in byo-yomi. The time left
//     is that until the flag falls, all periods included;
//   - improper: why a move that counts is none by the rules (move);
//   - claimed: the opponent has objected (flip_error, undo);
//   - clock: also in flip_error, revise, position_set, paused, resumed, and with
//     a game that has clocks in game_over and power_restored.
//
// # What players may not know
//
// EncodeStateWithout and EncodeEventFor write what everybody may read, where the
// full forms are for arbiters and the journal. The referee decides what is withheld
// (referee.State.Withheld, referee.Profile.Redact), and it is left out of the values
// before they are encoded. What was really turned is never withheld, for everybody
// can see it on the board; what should have been turned is, until it is claimed or
// stands. Where mistakes may be claimed, record is written for every game.
//
// # Games without clocks
//
// Their settings are {"mode":"none"}, both remaining times are null, and in the
// state nothing runs; its clock.at is null then.
package record
