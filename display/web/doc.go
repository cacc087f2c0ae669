// Package web is the live page: an HTTP server that shows the board in a
// browser, streams what happens to it, and takes commands and, on a simulated
// board, the visitor's hands.
//
// It is an output adapter. It knows no rules of its own, decides nothing and
// keeps no truth: everything it shows arrives by Publish, Event and LEDs, which
// never wait for a browser, and everything a visitor wants leaves by
// Options.Command and Options.Hands. It is NOT the place for pattern colors
// (display/led), for the sentence that says what is going on (display) or for
// the form of states and events (engine/record): it passes them on.
//
// # Addresses
//
//	GET  /                  the page
//	GET  /assets/<hash>/…   its parts; the hash covers their contents, so they
//	                        are cached for ever and never mixed between builds
//	GET  /api/v1/stream     Server-Sent Events, see below
//	GET  /api/v1/state      the view as JSON, with an ETag
//	GET  /api/v1/time       what the board's own clock says, {"epoch","now_ms"}
//	POST /api/v1/login      {"token","name","seat"}, only with Options.Access
//	POST /api/v1/logout     {}
//	GET  /health            the health view, for whoever builds or mends the board
//	GET  /api/v1/health     what it shows as JSON
//	GET  /api/v1/health/stream  the same as Server-Sent Events, a snapshot a second
//	GET  /calibrate         the calibration view, for whoever builds the board
//	GET  /api/v1/calibration  what it shows as JSON
//	GET  /api/v1/calibration/stream  the same as Server-Sent Events, whenever it is new
//	POST /api/v1/calibration  {"do","quick","discs"}
//	GET  /api/v1/report     a bug report, a zip file to be saved, only with Options.Report
//	GET  /tournament        the tournament view, for everybody
//	GET  /api/v1/tournament?id=ID         what it shows as JSON, the latest one without an id
//	GET  /api/v1/tournament/stream?id=ID  the same as Server-Sent Events, whenever it is new
//	GET  /api/v1/tournament/<id>/…        players.csv, results.csv and standings.csv
//	POST /api/v1/tournament  {"do","id",…}, see TournamentAct; for an arbiter
//	POST /api/v1/command    {"name","args","id","if_seq"}
//	POST /api/v1/hands      {"op","square","to","squares","color","fault","on"},
//	                        absent on a real board
//
// # The stream
//
// There are four kinds of message:
//
//	snapshot  everything: the board's card, whose stream it is, the view, the LEDs
//	event     one durable event, exactly as it is on MQTT
//	view      the state and what belongs to it; the latest one wins. now_ms is
//	          what the board's clock said as it left, so that a page knows how
//	          long ago the clocks of the game were touched
//	leds      the colors on the wire: 64 × R, G, B in base64; latest wins
//
// Only a snapshot and an event carry an id, "<epoch>-<n>": the epoch is new
// with every start of the program and n counts events. A reader that comes back
// with Last-Event-ID gets exactly the events it missed while they are among the
// newest 1024, and else one snapshot. A reader that cannot keep up is not
// queued for: it owns a place in the common ring of events and two flags, so a
// thousand of them cost the game nothing, and falling out of the ring is
// answered with a snapshot.
//
// # One stream for all tabs
//
// Over plain HTTP a browser opens six connections to a server. The tabs of a view
// share one stream: the visible tab that leads reads it and passes every message on by
// a BroadcastChannel, which needs no secure context, as Web Locks do. The leader says
// so once a second; when it is hidden, closed or silent another visible tab takes over
// with the last id it has seen. Hidden tabs listen, and hold no connection.
//
// # Roles
//
// Without Options.Access everybody who reaches the page may do everything. With
// it a visitor is a viewer until a token has made a player or an arbiter of it: by
// a login, whose cookie no script can read and no other site sends, or by a bearer
// token with every request. Options.Commands says which role may give which
// command. Tokens are compared in a time that does not depend on them; neither tokens
// nor cookies are logged or sent back.
//
// # Limits
//
// Each limit comes before the decision that it guards, and each is of one visitor,
// so that nobody spends what is another's:
//
//	wrong tokens   by address, or by browser that is known (door)
//	orders, hands  by session, or by role without one (limits)
//	streams        by view and session, or by role without one (sight)
//	connections    by address and in all; those of the logged in by role, which never
//	               go for others (connections)
//
// A request has 10 s to come whole, and its answer as long again to be read; streams
// and bug reports have a deadline for each write.
//
// A view may have two forms: what everybody may know, and all of it for an arbiter
// who has logged in. An event may likewise be veiled, or left out for everybody
// else; a page then sees a gap and takes a snapshot, which shows that there is one:
// an empty event in its place does not. The ids of the streams of
// different roles differ: who comes back as somebody else gets everything anew.
//
// # Delay
//
// With Options.Delay viewers see everything so much later, from a hub of their own
// with an epoch of its own, which gets what a queue lets go when it is old enough:
// events one by one, views at most once a second, no lights, and of a state only
// what is on record. Its clock is as late, so that the clocks of the game are
// counted on rightly. Players and arbiters have the other hub.
//
// # Clocks
//
// The page counts the clocks on from the state: black_ms or white_ms was left at
// the time at; mono_ms and ts are one moment on both of the board's clocks; now_ms
// says what the board's clock has come to. Messages can only be late, so the page
// believes the one that was the fastest, and asks for the time anew when it has
// slept. It never counts from when it was opened.
//
// # Evaluations
//
// A view may say how the game was expected to end after every ply. Whether that
// may be seen is decided by whoever publishes: a view without evaluations is
// the only protection there is against readers of the stream. The page hides
// them too while suggestions are not on and the game is not over.
//
// # Why events are not sent on their own
//
// The page draws from the view alone and uses events only to say aloud what
// happened. A missed event can therefore never leave a wrong board behind.
package web
