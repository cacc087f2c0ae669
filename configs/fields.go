package configs

import (
	"time"

	"go.yaml.in/yaml/v3"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/opponent"
)

// section wraps the keys of a section into one field.
func (l *loader) section(key string, fields ...field) field {
	return field{key, func(path string, n *yaml.Node) { l.object(path, n, fields) }}
}

// fields are the sections of a file.
func (c *Config) fields(l *loader) []field {
	return []field{
		l.section(
			"board",
			text(l, "id", boardIDWant, &c.Board.ID, accept(validID)),
			l.name("name", &c.Board.Name),
		),
		l.section(
			"game",
			l.word("variant", engine.VariantNames(), &c.Game.Variant),
			l.start("start", &c.Game.Start),
			l.word("first", notation.FirstNames(), &c.Game.First),
			l.event("profile", &c.Game.Profile, &c.Game.Officials),
			l.gameClock("clock", &c.Game.Clock),
			l.section(
				"players",
				l.playerName("black", &c.Game.Players[engine.Black]),
				l.playerName("white", &c.Game.Players[engine.White]),
			),
		),
		l.section(
			"opponent",
			text(l, "kind", "none, builtin, gtp or nboard", &c.Opponent.Kind, opponentNamed),
			number(l, "level", &c.Opponent.Level, 1, opponent.MaxLevel),
			text(l, "side", "black or white", &c.Opponent.Side, func(s string) (engine.Color, bool) {
				return map[string]engine.Color{"white": engine.White}[s], s == "black" || s == "white"
			}),
			l.command("command", &c.Opponent.Command),
			l.folder("dir", &c.Opponent.Dir),
			l.duration("time", &c.Opponent.Time, 100*time.Millisecond, 10*time.Minute),
			l.word("when_lost", []string{People, Builtin}, &c.Opponent.WhenLost),
		),
		l.section("hardware", c.Hardware.fields(l)...),
		l.section(
			"sensing",
			number(l, "scan_hz", &c.Sensing.ScanHz, 5, 100),
			l.duration("debounce", &c.Sensing.Debounce, 20*time.Millisecond, time.Second),
			l.duration("settle", &c.Sensing.Settle, 100*time.Millisecond, 5*time.Second),
		),
		l.section(
			"mqtt",
			l.section(
				"embedded",
				l.yes("enabled", &c.MQTT.Embedded.Enabled),
				l.listen("listen", &c.MQTT.Embedded.Listen, false),
			),
			l.broker("broker", &c.MQTT.Broker),
			text(l, "username", "at most 64 printable characters, or empty", &c.MQTT.Username,
				accept(func(s string) bool { return s == "" || readable(s) })),
			l.path("password_file", &c.MQTT.PasswordFile),
			l.path("ca_file", &c.MQTT.CAFile),
			l.path("cert_file", &c.MQTT.CertFile),
			l.path("key_file", &c.MQTT.KeyFile),
			l.yes("hints", &c.MQTT.Hints),
			l.yes("image", &c.MQTT.Image),
			l.yes("home_assistant", &c.MQTT.HomeAssistant),
		),
		l.section(
			"web",
			l.listen("listen", &c.Web.Listen, true),
			l.hosts("hosts", &c.Web.Hosts),
			l.computers("proxies", &c.Web.Proxies),
			l.path("arbiter_token_file", &c.Web.ArbiterTokenFile),
			l.path("player_token_file", &c.Web.PlayerTokenFile),
			l.path("cert_file", &c.Web.CertFile),
			l.path("key_file", &c.Web.KeyFile),
			l.duration("delay", &c.Web.Delay, 0, time.Hour),
		),
		l.section("data", l.dataDir("dir", &c.Data.Dir)),
		l.section(
			"flight",
			l.yes("enabled", &c.Flight.Enabled),
			number(l, "max_mb", &c.Flight.MaxMB, 4, 4096),
		),
	}
}
