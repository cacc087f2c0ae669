package configs

import (
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/referee"
)

// maxHosts bounds Web.Hosts.
const maxHosts = 32

// boardIDWant shows the pattern that the id must match: the id is one level of
// a topic, a user name and a part of a client id at once, in every broker.
const boardIDWant = "letters a to z, digits and inner hyphens, at most 23 characters " +
	"(^[a-z0-9]([a-z0-9-]{0,21}[a-z0-9])?$)"

// validID reports whether id matches the pattern in boardIDWant.
func validID(id string) bool {
	return len(id) >= 1 && len(id) <= 23 && id[0] != '-' && id[len(id)-1] != '-' &&
		strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" &&
		!strings.ContainsFunc(id, func(r rune) bool {
			return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
		})
}

// smallNumber reports whether s is prefix and a decimal number up to high.
func smallNumber(s, prefix string, high int) bool {
	digits, ok := strings.CutPrefix(s, prefix)
	n, err := strconv.Atoi(digits)
	return ok && err == nil && n >= 0 && n <= high && strconv.Itoa(n) == digits
}

// start reads the start of the game.
func (l *loader) start(key string, dst *string) field {
	const want = "standard, parallel, inverted, handicap-1 to handicap-4, xot, 64 squares and the side to move, or the moves of an opening"
	return text(l, key, want, dst, accept(func(s string) bool {
		_, err := notation.ParseStart(s)
		return IsByLot(s) || err == nil && s != ""
	}))
}

// opponentNamed returns the kind of opponent with a name.
func opponentNamed(name string) (referee.OpponentKind, bool) {
	switch kind := referee.OpponentKind(name); kind {
	case referee.Builtin, referee.GTP, referee.NBoard:
		return kind, true
	case referee.NoOpponent:
		return "", false
	}
	return referee.NoOpponent, name == "none"
}

// maxArguments bounds the words of a command.
const maxArguments = 32

// command reads a program with its arguments.
func (l *loader) command(key string, dst *[]string) field {
	const want = "a list of the program and its arguments, such as [gtp-rhino, -l, \"3\"]"
	return field{key, func(path string, n *yaml.Node) {
		items, ok := l.list(path, n, 0, maxArguments, want)
		if !ok {
			return
		}
		var words []string
		for i, item := range items {
			word, ok := l.scalar(index(path, i), item, "a word of the command")
			switch {
			case !ok:
			case strings.ContainsRune(word, 0) || i == 0 && word == "":
				l.add(item.Line, index(path, i), shown(word)+" cannot be started: want "+want)
			default:
				words = append(words, word)
			}
		}
		*dst = words
	}}
}

// folder reads the name of a folder, which may be empty.
func (l *loader) folder(key string, dst *string) field {
	return text(l, key, "the path of a folder, or empty", dst, func(s string) (string, bool) {
		if s == "" {
			return "", true
		}
		return l.absolute(s)
	})
}

// spiPort reports whether s names an SPI port in one of the two ways that the
// port registry knows.
func spiPort(s string) bool {
	bus, ok := strings.CutPrefix(s, "SPI")
	if !ok {
		bus, ok = strings.CutPrefix(s, "/dev/spidev")
	}
	number, chip, dot := strings.Cut(bus, ".")
	return ok && dot && smallNumber(number, "", 255) && smallNumber(chip, "", 255)
}

// frequency reads a bus clock such as 400kHz.
func (l *loader) frequency(key string, hertz *int) field {
	const low, high = 10, 400
	want := fmt.Sprintf("%dkHz to %dkHz", low, high)
	return text(l, key, want, hertz, func(s string) (int, bool) {
		digits, ok := strings.CutSuffix(s, "kHz")
		n, err := strconv.Atoi(strings.TrimSuffix(digits, " "))
		return n * 1000, ok && err == nil && n >= low && n <= high
	})
}

// list returns the elements of a list after a check of their number.
func (l *loader) list(path string, n *yaml.Node, low, high int, want string) ([]*yaml.Node, bool) {
	switch {
	case !l.plain(path, n):
		return nil, false
	case n.Kind != yaml.SequenceNode:
		l.add(n.Line, path, what(n)+": want "+want)
		return nil, false
	case len(n.Content) < low || len(n.Content) > high:
		l.add(n.Line, path, fmt.Sprintf("a list of %d: want %s", len(n.Content), want))
		return nil, false
	}
	return n.Content, true
}

// index appends the position in a list, from 0, to a dotted path.
func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// order reads which LED is beside which square.
func (l *loader) order(key string, dst *[engine.Squares]int) field {
	const want = "rows, serpentine, or a list of 64 different numbers from 0 to 63, for a1 to h8"
	return field{key, func(path string, n *yaml.Node) {
		if n.Kind == yaml.ScalarNode {
			text(l, key, want, dst, orderNamed).read(path, n)
			return
		}
		items, ok := l.list(path, n, engine.Squares, engine.Squares, want)
		if !ok {
			return
		}
		var owner [engine.Squares]string
		for i, item := range items {
			led, ok := l.integer(index(path, i), item, 0, engine.Squares-1, "%d")
			if !ok {
				continue
			}
			square := engine.Square(i).String()
			if owner[led] != "" {
				l.add(item.Line, index(path, i), fmt.Sprintf(
					"LED %d stands for %s and for %s: want every number from 0 to 63 once", led, owner[led], square))
			}
			owner[led], dst[i] = square, int(led)
		}
	}}
}

// orderNamed returns the order of a strip that begins at a1 and goes rank by
// rank.
func orderNamed(name string) (order [engine.Squares]int, ok bool) {
	for i := range order {
		s := engine.Square(i)
		order[i] = i
		if name == "serpentine" && s.Rank()%2 == 1 {
			order[i] = int(engine.SquareAt(7-s.File(), s.Rank()))
		}
	}
	return order, name == "rows" || name == "serpentine"
}

// listen reads an address and a port to listen on; the address is numeric, so
// that nobody but this file decides whether the network can reach it.
func (l *loader) listen(key string, dst *string, none bool) field {
	want := "an address and a port, such as 127.0.0.1:1883 or [::1]:1883"
	if none {
		want = "an address and a port, such as 127.0.0.1:8064 or [::1]:8064, or none"
	}
	return text(l, key, want, dst, func(s string) (string, bool) {
		if none && s == "none" {
			return "", true
		}
		a, err := netip.ParseAddrPort(s)
		return s, err == nil && a.Port() != 0
	})
}

// broker reads the URL of an external broker.
func (l *loader) broker(key string, dst *string) field {
	const want = "mqtt://host:1883, mqtts://host:8883 (the port is always needed), or empty"
	return field{key, func(path string, n *yaml.Node) {
		value, ok := l.scalar(path, n, want)
		if !ok || value == "" {
			*dst = value
			return
		}
		u, err := url.Parse(value)
		switch {
		case err != nil || n.ShortTag() != "!!str":
			l.add(n.Line, path, "this is not a URL: want "+want)
		case u.User != nil:
			// The value is not repeated: it may hold a password.
			l.add(n.Line, path, "a user or a password in the URL is not allowed: use mqtt.username and mqtt.password_file")
		case u.Scheme != "mqtt" && u.Scheme != "mqtts":
			l.add(n.Line, path, "unknown scheme "+shown(u.Scheme)+": want "+want)
		case u.Hostname() == "" || !port(u.Port()):
			l.add(n.Line, path, shown(value)+" has no host or no port from 1 to 65535: want "+want)
		case u.Path != "" || u.RawQuery != "" || u.Fragment != "":
			l.add(n.Line, path, shown(value)+" has something after the port: want "+want)
		default:
			*dst = value
		}
	}}
}

// port reports whether s is a port number that can be called.
func port(s string) bool { return smallNumber(s, "", 65535) && s != "0" }

// hosts reads the names by which browsers may call the page.
func (l *loader) hosts(key string, dst *[]string) field {
	const want = "a list of at most 32 host names without a port, such as reversi.local"
	return field{key, func(path string, n *yaml.Node) {
		items, ok := l.list(path, n, 0, maxHosts, want)
		if !ok {
			return
		}
		*dst = nil
		for i, item := range items {
			value, ok := l.scalar(index(path, i), item, "a host name")
			switch {
			case !ok:
			case !hostName(value):
				l.add(item.Line, index(path, i), shown(value)+" is not a host name: want "+want)
			default:
				*dst = append(*dst, strings.ToLower(value))
			}
		}
	}}
}

// computers reads numbers of computers.
func (l *loader) computers(key string, dst *[]netip.Addr) field {
	const want = "a list of at most 32 IP addresses, such as 192.168.1.5"
	return field{key, func(path string, n *yaml.Node) {
		items, ok := l.list(path, n, 0, maxHosts, want)
		if !ok {
			return
		}
		*dst = nil
		for i, item := range items {
			value, ok := l.scalar(index(path, i), item, "an IP address")
			if !ok {
				continue
			}
			at, err := netip.ParseAddr(value)
			if err != nil {
				l.add(item.Line, index(path, i), shown(value)+" is not an IP address: want "+want)
				continue
			}
			*dst = append(*dst, at.Unmap().WithZone(""))
		}
	}}
}

// hostName reports whether s is a name of RFC 1123 section 2.1 or an address.
func hostName(s string) bool {
	if _, err := netip.ParseAddr(s); err == nil {
		return true
	}
	if s == "" || len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(strings.ToLower(s), ".") {
		bad := strings.ContainsFunc(label, func(r rune) bool {
			return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
		})
		if bad || label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
	}
	return true
}

// path reads the name of a file, which may be empty.
func (l *loader) path(key string, dst *string) field {
	return text(l, key, "the path of a file, or empty", dst, func(s string) (string, bool) {
		if s == "" {
			return "", true
		}
		return l.absolute(s)
	})
}

// dataDir reads a folder.
func (l *loader) dataDir(key string, dst *string) field {
	return text(l, key, "auto, or the path of a folder", dst, func(s string) (string, bool) {
		if s == Auto {
			return Auto, true
		}
		return l.absolute(s)
	})
}

// absolute makes a path absolute: ~/ is the home folder, and what is relative
// starts at the folder of the file being read, not at the one the program
// happens to be started in.
func (l *loader) absolute(s string) (string, bool) {
	if s == "" || strings.ContainsRune(s, 0) {
		return "", false
	}
	if rest, ok := strings.CutPrefix(s, "~/"); ok {
		home, err := os.UserHomeDir()
		return filepath.Join(home, rest), err == nil
	}
	if filepath.IsAbs(s) {
		return filepath.Clean(s), true
	}
	full, err := filepath.Abs(filepath.Join(l.dir, s))
	return full, err == nil
}
