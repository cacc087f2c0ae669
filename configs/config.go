package configs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"reversi-board/engine"
	"reversi-board/engine/clock"
	"reversi-board/engine/notation"
	"reversi-board/engine/opening"
	"reversi-board/engine/plaintext"
	"reversi-board/engine/referee"
)

// Config is everything that can be set. Take one from Default, Load or Parse;
// the zero value is not usable.
type Config struct {
	Board    Board
	Game     Game
	Opponent Opponent
	Hardware Hardware
	Sensing  Sensing
	MQTT     MQTT
	Web      Web
	Data     Data
	Flight   Flight
}

// Board says which board this is.
type Board struct {
	// ID is the MQTT user name, a topic level and the beginning of the client id:
	// letters a–z, digits and inner hyphens, at most 23 characters.
	ID string
	// Name is for people, at most 64 characters.
	Name string
}

// Game is what is played when the start position is set up.
type Game struct {
	// Variant is one of engine.VariantNames.
	Variant string
	// Profile is one of EventNames, or the file that Officials was read from.
	Profile   string
	Officials referee.Profile
	// Clock is a text for clock.Parse, or AsProfile.
	Clock string
	// Start is a text for notation.ParseStart, or ByLot; First is one of
	// notation.FirstNames.
	Start, First string
	// Players are the names of Black and White, at most 64 characters each.
	Players [2]plaintext.Text
}

// ByLot is the start that is drawn: an opening that leaves both sides about even.
const ByLot = "xot"

// IsByLot reports whether a start is drawn for each game.
func IsByLot(start string) bool { return strings.EqualFold(strings.TrimSpace(start), ByLot) }

// Drawn returns a start for notation.ParseStart: for ByLot the moves of an
// opening, another one each time, and start itself for all others.
func Drawn(start string) string {
	if !IsByLot(start) {
		return start
	}
	return opening.Draw(rand.IntN)
}

// Match returns the settings in the referee's form. Each call draws anew what is
// drawn.
func (g Game) Match() (referee.Match, error) {
	rules, err := notation.ParseRules(g.Variant, Drawn(g.Start), g.First)
	if err != nil {
		return referee.Match{}, fmt.Errorf("take game.variant, game.start and game.first: %w", err)
	}
	m := referee.Match{Rules: rules, Profile: g.Officials, Clock: g.Officials.Clock, Players: g.Players}
	if g.Clock != AsProfile {
		if m.Clock, err = clock.Parse(g.Clock); err != nil {
			return referee.Match{}, fmt.Errorf("take game.clock: %w", err)
		}
	}
	return m, nil
}

// The words for Opponent.WhenLost.
const (
	// People: people move the discs of an opponent that is lost.
	People = "people"
	// Builtin: the built-in player takes its place.
	Builtin = "builtin"
)

// Opponent is the player that is a program, if there is one.
type Opponent struct {
	// Kind is referee.NoOpponent when people play each other.
	Kind referee.OpponentKind
	// Level is 1 to 10: the strength of the built-in player, and how many plies
	// an NBoard program is told to look ahead.
	Level int
	// Side is the color of its discs.
	Side engine.Color
	// Command is the program and its arguments, for the kinds GTP and NBoard.
	Command []string
	// Dir is the folder in which it runs, an absolute path, or empty.
	Dir string
	// Time is how long a move may take: the built-in player moves within it,
	// another program that is silent for ten seconds longer is lost.
	Time time.Duration
	// WhenLost is People or Builtin.
	WhenLost string
}

// Player returns the opponent in the referee's form.
func (o Opponent) Player() referee.Opponent {
	if o.Kind == referee.NoOpponent {
		return referee.Opponent{}
	}
	return referee.Opponent{Kind: o.Kind, Level: o.Level, Side: o.Side}
}

// Sensing is how raw readings become settled ones.
type Sensing struct {
	// ScanHz is scans per second.
	ScanHz int
	// Debounce is how long a cell must show the same, Settle how long the
	// board must be quiet; Settle is the longer one.
	Debounce, Settle time.Duration
}

// Period returns the time from one scan to the next.
func (s Sensing) Period() time.Duration { return time.Second / time.Duration(s.ScanHz) }

// MQTT is the broker: embedded, external, or none.
type MQTT struct {
	Embedded Embedded
	// Broker is the external one's URL with an explicit port, mqtt://host:1883
	// or mqtts://host:8883, and empty when there is none.
	Broker string
	// Username is the login; empty without a password.
	Username string
	// PasswordFile and CAFile are absolute paths, or empty.
	PasswordFile, CAFile string
	// CertFile and KeyFile are absolute paths, or both empty: the certificate that the
	// board shows to the broker, and its key, in PEM.
	CertFile, KeyFile string
	// Hints says that moves that are suggested at the board are published as well.
	Hints bool
	// HomeAssistant says that the board tells Home Assistant of itself, Image that
	// a picture of the board is published.
	HomeAssistant, Image bool
}

// Embedded is the broker inside of the program.
type Embedded struct {
	Enabled bool
	// Listen is address:port.
	Listen string
}

// Password reads the password; it is empty when no file is set.
func (m MQTT) Password() (string, error) { return readSecret(m.PasswordFile) }

// Web is the live page. On loopback everybody may do everything there, unless it
// has a token; elsewhere it always has one.
type Web struct {
	// Listen is address:port, and empty when there is no page.
	Listen string
	// Hosts are further names by which browsers may call the page, in small
	// letters.
	Hosts []string
	// Proxies are the addresses of proxies before the page, which say for whom they
	// ask. Those on this computer need not be named.
	Proxies []netip.Addr
	// Delay is how much later those who are not logged in see what happens.
	Delay time.Duration
	// ArbiterTokenFile and PlayerTokenFile are absolute paths, or empty: files with
	// the token by which arbiters and players log in.
	ArbiterTokenFile, PlayerTokenFile string
	// CertFile and KeyFile are absolute paths, or both empty: the certificate of the
	// page and its key, in PEM. With them the page is encrypted.
	CertFile, KeyFile string
}

// MinToken is the least length of a token in bytes.
const MinToken = 8

// Tokens reads the tokens; one is empty when no file is set.
func (w Web) Tokens() (arbiter, player string, err error) {
	if arbiter, err = ReadToken(w.ArbiterTokenFile); err != nil {
		return "", "", fmt.Errorf("read web.arbiter_token_file: %w", err)
	}
	if player, err = ReadToken(w.PlayerTokenFile); err != nil {
		return "", "", fmt.Errorf("read web.player_token_file: %w", err)
	}
	return arbiter, player, nil
}

// ReadToken reads a token from a file that only its owner may read; no file is no
// token.
func ReadToken(path string) (string, error) {
	token, err := readSecret(path)
	switch {
	case err != nil || path == "":
		return "", err
	case len(token) < MinToken:
		return "", fmt.Errorf("%s holds %d characters: want at least %d", path, len(token), MinToken)
	}
	return token, nil
}

// Loopback reports whether only this computer can reach the page.
func (w Web) Loopback() bool { return loopback(w.Listen) }

// Auto is the value of Data.Dir that leaves the choice to Path.
const Auto = "auto"

// Data is where games are kept.
type Data struct {
	// Dir is an absolute path, or Auto.
	Dir string
}

// Path returns the folder as an absolute path. For Auto it follows the XDG base
// directory specification: $XDG_STATE_HOME, or ~/.local/state when that is not
// set or not absolute.
func (d Data) Path() (string, error) {
	if d.Dir != Auto {
		return d.Dir, nil
	}
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "reversi-board"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return "", errors.New("find the data folder: neither XDG_STATE_HOME nor HOME is set: " +
			"set data.dir in the settings, or start with --data DIR")
	}
	return filepath.Join(home, ".local", "state", "reversi-board"), nil
}

// Flight is the flight recorder.
type Flight struct {
	Enabled bool
	// MaxMB bounds all recordings together, in MB.
	MaxMB int
}

// maxSecret bounds a password file in bytes.
const maxSecret = 1024

// readSecret reads a password file: one line, readable by its owner only.
func readSecret(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("read the password: %w", err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("read the password: %s is not a file", path)
	case info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("read the password: others can read %s (mode %04o): chmod 600 it",
			path, info.Mode().Perm())
	case info.Size() > maxSecret:
		return "", fmt.Errorf("read the password: %s has %d bytes: want at most %d",
			path, info.Size(), maxSecret)
	}
	text, err := os.ReadFile(path) //nolint:gosec // The user names the file.
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	secret := strings.TrimRight(string(text), "\r\n")
	if secret == "" || strings.ContainsAny(secret, "\r\n\x00") {
		return "", fmt.Errorf("read the password: %s must hold one line and nothing else", path)
	}
	return secret, nil
}
