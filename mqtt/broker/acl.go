package broker

import "strings"

// covers reports whether every topic that filter matches is also matched by
// grant, both in the filter syntax of MQTT 3.1.1 section 4.7. A topic name is
// a filter without wildcards, so that this is also the test for a single topic.
//
// A filter is compared with one grant at a time: one that only several grants
// together would cover is refused.
func covers(grant, filter string) bool {
	if filter == "" || grant == "" {
		return false
	}
	// MQTT-4.7.2-1: a leading wildcard does not match topics that start with $.
	if filter[0] == '$' && (grant[0] == '#' || grant[0] == '+') {
		return false
	}
	for {
		g, grest, gmore := strings.Cut(grant, "/")
		f, frest, fmore := strings.Cut(filter, "/")
		if g == "#" {
			return true
		}
		if f == "#" || (g != "+" && g != f) {
			return false
		}
		if !fmore {
			// "a/#" also matches "a".
			return !gmore || grest == "#"
		}
		if !gmore {
			return false
		}
		grant, filter = grest, frest
	}
}

// allowed reports whether one of the grants covers the filter.
func allowed(grants []string, filter string) bool {
	for _, g := range grants {
		if covers(g, filter) {
			return true
		}
	}
	return false
}

// validGrant reports whether g is a filter of MQTT 3.1.1 section 4.7.1.
func validGrant(g string) bool {
	if g == "" || strings.ContainsRune(g, 0) {
		return false
	}
	levels := strings.Split(g, "/")
	for i, l := range levels {
		if l == "#" && i == len(levels)-1 || l == "+" {
			continue
		}
		if strings.ContainsAny(l, "#+") {
			return false
		}
	}
	return true
}

// BoardUser returns the user that a board connects as: its own topics, and the
// commands meant for it.
func BoardUser(board, password string) User {
	own := "reversi/v1/" + board + "/"
	u := User{
		Name: board, Password: password, Board: true,
		Read: []string{
			own + "availability", own + "cmd/#", "reversi/v1/_all/cmd/#", "homeassistant/status",
		},
		Write: []string{own + "cmd/#", "homeassistant/device/" + board + "/config"},
	}
	for _, t := range []string{
		"availability", "meta", "state", "event", "clock", "hint", "diag", "image",
		"sensor/+", "alert/+", "resp/+",
	} {
		u.Write = append(u.Write, own+t)
	}
	return u
}

// guest returns what a client without a name may do on a loopback listener.
func guest() User {
	return User{
		Read: []string{"reversi/v1/#"},
		Write: []string{
			"reversi/v1/+/cmd/arbiter/#", "reversi/v1/+/cmd/player/#",
			"reversi/v1/+/cmd/ops/#", "reversi/v1/+/cmd/hub/#",
		},
	}
}
