// Package button watches push buttons and reports presses, long presses and
// buttons that are stuck.
//
// It is NOT the meaning of a button: a button has a name, and what a press does
// is decided by whoever listens. It opens no pin either; any input with a level
// and a hint that the level may have changed will do.
//
// # Life of a contact
//
//	      closed for Debounce            for Hold          for Stuck
//	open --------------------> Pressed ------------> Held ------------> Stuck
//	  ^                           |                   |                   |
//	  +------ open for Debounce --+-------------------+----- Recovered ---+
//
// A contact bounces when it closes and when it opens, for a few milliseconds,
// and a spark somewhere else may be seen as a short pulse. A change counts once
// the level has been the same for Debounce. It is reported that much late, but
// with the time at which the contact first moved: a game clock must not charge
// its player for the debouncing.
//
// A press that lasts is Pressed and then Held; whoever wants only one of them
// ignores the other. A button that is down for longer than anybody presses one
// is stuck, by dirt, a short circuit or something leaning on it; so is a contact
// that does not come to rest for as long. That is reported once, and nothing
// more until it has been released, which is reported too. A button that is down
// when the watch begins has not been pressed; it is left alone until it is
// released, and may turn out to be stuck.
//
// # Edges and levels
//
// Waiting for an edge costs nothing and gives its time to the millisecond, but
// edges get lost. So they only say when to look: every wait is finite, a contact
// that moves or is down is looked at by the clock, and an input that cannot wait
// is polled.
//
// A level that is not known, because the pin's chip has gone, is no level: the
// contact begins anew when it is known again, like one that was just opened.
//
// Each input is used by one goroutine only.
package button
