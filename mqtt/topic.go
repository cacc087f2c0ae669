package mqtt

import "strings"

// Role is who may give a command, taken from the topic.
type Role string

// The roles.
const (
	Arbiter Role = "arbiter"
	Player  Role = "player"
	Ops     Role = "ops"
	HA      Role = "ha"
	Hub     Role = "hub"
)

const (
	root     = "reversi/v1/"
	everyone = "_all"
	haStatus = "homeassistant/status"
)

// ValidName reports whether s can be the id of a board or the name of a client:
// [a-z0-9]([a-z0-9-]{0,21}[a-z0-9])?, at most 23 characters.
func ValidName(s string) bool {
	if s == "" || len(s) > 23 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// validWord reports whether s is a command name or an alert code: [a-z_]{1,32}.
func validWord(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return s != "" && len(s) <= 32
}

// order is what a command topic says.
type order struct {
	role Role
	name string
	// all: the command was sent to every board.
	all bool
}

// parseOrder reads reversi/v1/<board>/cmd/<role>/<name> and
// reversi/v1/_all/cmd/ops/<name>; ok is false for anything else.
func parseOrder(board, topic string) (o order, ok bool) {
	rest, ok := strings.CutPrefix(topic, root)
	if !ok {
		return order{}, false
	}
	parts := strings.Split(rest, "/")
	if len(parts) != 4 || parts[1] != "cmd" || !validWord(parts[3]) {
		return order{}, false
	}
	o = order{role: Role(parts[2]), name: parts[3], all: parts[0] == everyone}
	if parts[0] != board && !o.all {
		return order{}, false
	}
	switch o.role {
	case Arbiter, Player, HA, Hub:
		return o, !o.all
	case Ops:
		return o, true
	}
	return order{}, false
}
