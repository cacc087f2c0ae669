package app

import (
	"reflect"

	"reversi-board/display/web"
	"reversi-board/engine/record"
)

// snapshots passes the state and what the page shows on when they have changed. The
// loop asks it after everything that happens, while a clock runs at least once a
// second.
type snapshots struct {
	// out gets the state for MQTT; nil without MQTT.
	out interface {
		State(payload []byte, seq uint64)
	}
	// state and view are what was passed on last.
	state []byte
	view  web.View
}

// newest returns the state to show: the last one if only the time of its stamp has
// changed.
func (s *snapshots) newest(state []byte) []byte {
	if record.SameButTime(s.state, state) {
		return s.state
	}
	return state
}

// tell passes on a state that newest has returned.
func (s *snapshots) tell(state []byte, seq uint64) {
	if s.out != nil && !record.SameButTime(s.state, state) {
		s.out.State(state, seq)
	}
	s.state = state
}

// show reports whether the page has to show another view.
func (s *snapshots) show(v web.View) bool {
	if reflect.DeepEqual(s.view, v) {
		return false
	}
	s.view = v
	return true
}
