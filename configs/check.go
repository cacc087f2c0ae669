package configs

import (
	"fmt"
	"net/netip"
	"strings"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/referee"
)

// check looks at settings that must go together. What was wrong by itself has
// kept its built-in value and is left out.
func (l *loader) check(c *Config) {
	l.checkGame(c.Game)
	l.checkOpponent(c)
	l.checkHardware(&c.Hardware)
	l.checkSensing(c.Sensing)
	l.checkMQTT(c)
	l.checkWeb(c)
}

// checkGame finds a start that the variant does not take, or in which nobody
// can move.
func (l *loader) checkGame(g Game) {
	if _, err := notation.ParseRules(g.Variant, Drawn(g.Start), g.First); err != nil {
		l.blame(err.Error(), "game.start", "game.variant", "game.first")
	}
}

// checkOpponent finds a program without a command, and a game that it cannot
// play.
func (l *loader) checkOpponent(c *Config) {
	o := c.Opponent
	if o.Kind != referee.GTP && o.Kind != referee.NBoard {
		return
	}
	if len(o.Command) == 0 {
		l.blame("a "+string(o.Kind)+" opponent needs the program that plays: set opponent.command",
			"opponent.command", "opponent.kind")
	}
	match, err := c.Game.Match()
	if err != nil {
		return // said already
	}
	other := match.Rules.Goal != engine.Most || match.Rules.Opening != 0
	if other || o.Kind == referee.GTP && match.Rules.Start != engine.Start() {
		l.blame("a "+string(o.Kind)+" opponent cannot play this game: want the variant classic or festival "+
			"from the standard start, or the builtin opponent", "opponent.kind", "game.variant", "game.start")
	}
}

// checkSensing finds times that leave nothing to settle.
func (l *loader) checkSensing(s Sensing) {
	if s.Settle <= s.Debounce {
		l.blame(fmt.Sprintf("%v is not longer than sensing.debounce (%v): a cell is debounced while the board settles",
			s.Settle, s.Debounce), "sensing.settle", "sensing.debounce")
	}
	if s.Debounce < 2*s.Period() {
		l.blame(fmt.Sprintf("%v is too short for %d scans per second: want at least %v, two scans",
			s.Debounce, s.ScanHz, 2*s.Period()), "sensing.debounce", "sensing.scan_hz")
	}
}

// checkMQTT finds brokers and credentials that contradict each other.
func (l *loader) checkMQTT(c *Config) {
	m := &c.MQTT
	if m.Embedded.Enabled && m.Broker != "" {
		l.blame("a broker elsewhere and the embedded one are both set: set mqtt.embedded.enabled to false, or leave broker empty",
			"mqtt.broker", "mqtt.embedded.enabled")
	}
	if m.Username != "" && m.PasswordFile == "" {
		l.blame("a user name without a password: set mqtt.password_file", "mqtt.username", "mqtt.password_file")
	}
	l.checkSecret("mqtt.password_file", m.PasswordFile)
	if password, err := m.Password(); err == nil && m.Embedded.Enabled && password != "" && len(password) < MinToken {
		l.blame(fmt.Sprintf("%s holds %d characters: want at least %d, for whoever knows them gives orders to the board over the embedded broker: "+
			"make it with openssl rand -base64 18", m.PasswordFile, len(password), MinToken), "mqtt.password_file")
	}
	if m.PasswordFile != "" && m.Username == "" {
		m.Username = c.Board.ID
	}
	if m.Embedded.Enabled && !loopback(m.Embedded.Listen) && m.PasswordFile == "" {
		l.blame(m.Embedded.Listen+" lets everybody on the network give orders to the board: set mqtt.password_file, or listen on 127.0.0.1",
			"mqtt.embedded.listen", "mqtt.password_file")
	}
	if m.HomeAssistant && m.Broker == "" {
		l.blame("Home Assistant is found on a broker of its own: set mqtt.broker to that, or home_assistant to false",
			"mqtt.home_assistant", "mqtt.broker")
	}
	l.checkPair("mqtt", m.CertFile, m.KeyFile)
	for _, file := range []struct{ key, path string }{{"ca_file", m.CAFile}, {"cert_file", m.CertFile}} {
		if file.path != "" && !strings.HasPrefix(m.Broker, "mqtts://") {
			l.blame("certificates are for an encrypted connection: want mqtt.broker to begin with mqtts://, or "+file.key+" empty",
				"mqtt."+file.key, "mqtt.broker")
		}
	}
	if _, err := (MQTT{CAFile: m.CAFile}).TLS(); err != nil {
		l.blame(err.Error(), "mqtt.ca_file")
	}
}

// checkWeb finds tokens that cannot be used, and ports used twice.
func (l *loader) checkWeb(c *Config) {
	if c.Web.Listen == "" {
		return
	}
	for _, file := range []struct{ key, path string }{
		{"web.arbiter_token_file", c.Web.ArbiterTokenFile}, {"web.player_token_file", c.Web.PlayerTokenFile},
	} {
		if _, err := ReadToken(file.path); err != nil {
			l.blame(err.Error(), file.key)
		}
	}
	l.checkPair("web", c.Web.CertFile, c.Web.KeyFile)
	if c.Web.PlayerTokenFile != "" && c.Web.ArbiterTokenFile == "" && c.Web.Loopback() {
		l.blame("players log in, but everybody is an arbiter: set web.arbiter_token_file as well",
			"web.player_token_file", "web.arbiter_token_file")
	}
	if c.Web.Delay > 0 && c.Web.ArbiterTokenFile == "" && c.Web.Loopback() {
		l.blame("everybody is an arbiter here, and sees everything at once: set web.arbiter_token_file, or delay to 0s",
			"web.delay", "web.arbiter_token_file")
	}
	if c.MQTT.Embedded.Enabled && collide(c.Web.Listen, c.MQTT.Embedded.Listen) {
		l.blame(c.Web.Listen+" is also where mqtt.embedded.listen is: want two different ports",
			"web.listen", "mqtt.embedded.listen")
	}
}

// loopback reports whether only this computer can reach an address.
func loopback(listen string) bool {
	a, err := netip.ParseAddrPort(listen)
	return err == nil && a.Addr().Unmap().IsLoopback()
}

// collide reports whether two addresses cannot both be listened on.
func collide(a, b string) bool {
	x, errX := netip.ParseAddrPort(a)
	y, errY := netip.ParseAddrPort(b)
	if errX != nil || errY != nil || x.Port() != y.Port() {
		return false
	}
	return x.Addr().Unmap() == y.Addr().Unmap() || x.Addr().IsUnspecified() || y.Addr().IsUnspecified()
}

// checkSecret finds a password file that cannot be used.
func (l *loader) checkSecret(path, file string) {
	if _, err := readSecret(file); err != nil {
		l.blame(err.Error(), path)
	}
}
