// Package broker is the MQTT broker that a single board brings along, so that
// a newcomer needs nothing else: mochi-mqtt, embedded and hardened.
//
// It is not a general broker. It speaks MQTT 3.1.1 only, stores nothing (the
// board publishes everything again on every connection), has no WebSocket
// listener, and knows only the topics of this project. With several boards,
// use Mosquitto.
//
// # Who may do what
//
// On a loopback address, and only there, guests without a name are welcome if
// Options.Guests says so: they may read everything under reversi/v1/# and give
// commands under reversi/v1/+/cmd/{arbiter,player,ops,hub}/. That is what
// somebody does who tries mosquitto_sub and mosquitto_pub on the same machine.
// Everybody else needs a user name and a password, and may do what that user's
// grants say and nothing more: no rule means no.
//
// # Why a listener and a connection type of its own
//
//   - A packet that breaks the decoder must cost one connection, not the
//     process: every connection runs under recover, and nothing that is not
//     MQTT 3.1.1 reaches the decoder at all. (Eight bytes of MQTT 5 are enough
//     to make it panic.)
//   - A connection that says nothing is closed after five seconds, and at once where
//     there are many such and somebody else wants to connect. There is a limit to
//     how many clients there are, and how many of them come from one address. The
//     board has a connection of its own (Dial), which is none of these.
//   - mochi writes to a client while holding the lock that every publisher to
//     that client needs, so that one reader who stops reading stops all. Here
//     a write only fills a bounded buffer that a goroutine per connection
//     empties under a deadline; who is too slow is cut off.
//
// # Bounds
//
// Whatever clients do, memory has an end: so many of them, so many subscriptions of
// each and of all, so many bytes that wait for each and for all, sent or not
// acknowledged, and so many retained by users other than the board. A session ends
// with its connection, also where the client has asked for another one. A client that
// sends more than 500 packets a second waits, and all that send much wait in turn.
// Commands are never retained: a board would carry them out again and again, and
// could be kept busy with them for ever. A client that tries is disconnected.
//
// An address that gives wrong passwords is listened to once a second after the first
// ten, and if many do so, all of them together ten times a second; others do not notice.
// What happens again and again is one line a minute in the log, with a count.
package broker
