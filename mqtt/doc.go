// Package mqtt tells the world about the board and takes its commands, over
// MQTT 3.1.1. It is an output adapter behind the journal: the game never waits
// for it, and a dead broker costs nothing but memory for the newest state.
//
// It does not know the rules of the game, does not encode events or states
// (engine/record does) and does not execute commands (the application does).
//
// # Topics, below reversi/v1/<board>/
//
//	topic           retained  QoS  content
//	availability    yes       1    online or offline; also the will
//	meta            yes       1    versions, commands, range of the journal
//	state           yes       1    full snapshot, the latest wins
//	event           no        1    one per journal record, seq strictly +1
//	clock           yes       1    on start, stop and adjustment
//	sensor/health   yes       1    per cell, on change
//	sensor/raw      no        0    what the cells read, while somebody wants it
//	hint            no        0    moves with scores, if that is wanted and allowed
//	diag            yes       0    every minute
//	image           yes       0    a PNG of the board, if that is wanted
//	alert/<code>    yes       1    an open problem; empty when solved
//	resp/<client>   no        1    the answer to a command
//	cmd/<role>/<name>  never  1    commands; roles arbiter, player, ops, ha, hub
//
// and reversi/v1/_all/cmd/ops/<name> for commands to every board.
//
// asyncapi.yaml is the same for programs. The JSON Schemas (draft 2020-12) of the
// payloads that this package writes, and of the commands that it reads, are in
// schema/, <topic>.json with "-" for "/"; those of events, states and clocks are in
// engine/record/schema.
//
// A state is a snapshot, conflated when the network is slow. An event is a fact:
// it is read from the journal by the adapter's own cursor, which moves only when
// the broker has acknowledged that very publish. A state with seq n leaves after
// event n.
//
// # Commands
//
// MQTT 3.1.1 does not say who published, so the role in the topic, guarded by
// the broker, is the authority, and "from" in the payload is a return address
// only. A command is checked in this order: retained (ignored, cleared, alert),
// size and form, rate, duplicate, role and phase, if_seq, ttl_ms. What passes
// goes to the application, which answers with Request.Reply.
//
// # Connections
//
// Every connection is a new client, with a clean session and without the
// library's own reconnection: a publish token then ends without an error only
// on a real PUBACK. On any error, or a token that does not end in ten seconds,
// the socket is closed, so that the broker publishes the will, and the next
// client begins with the event after the last one acknowledged. The client id begins
// with the board's and ends with random letters: whoever connects with the id of a
// client throws it off, and not every broker keeps others from that.
//
// The order after CONNECT is: subscribe, meta, discovery by Home Assistant (if that
// is wanted, on homeassistant/device/<board>/config), outbox, state and the other
// retained topics, alerts, and "online" last. With a very long outbox "online"
// and the alerts do not wait for its end, but for DrainLimit at most; the state
// does wait. Events of a long outbox go at a pace that subscribers can follow.
//
// Retained commands are cleared, however many there are. A broker that cuts the board
// off while it sends them gets one narrow subscription after another instead.
package mqtt
