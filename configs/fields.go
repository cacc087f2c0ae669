package configs

import (
	"time"

	"go.yaml.in/yaml/v3"

	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/opponent"
	"reversi-board/engine/referee"
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
			l.word("profile", referee.ProfileNames(), &c.Game.Profile),
			l.section(
				"players",
				l.name("black", &c.Game.Players[engine.Black]),
				l.name("white", &c.Game.Players[engine.White]),
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
			number(l, "scan_hz", &c.Sensing.ScanHz, 10, 100),
			l.duration("debounce", &c.Sensing.Debounce, 20*time.Millisecond, 500*time.Millisecond),
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
		),
		l.section(
			"web",
			l.listen("listen", &c.Web.Listen, true),
			l.hosts("hosts", &c.Web.Hosts),
		),
		l.section("data", l.dataDir("dir", &c.Data.Dir)),
	}
}

// fields are the keys of the hardware section.
func (h *Hardware) fields(l *loader) []field {
	return []field{
		l.word("kind", []string{Simulated, Hall128}, &h.Kind),
		l.section(
			"i2c",
			text(l, "bus", "an I2C device, such as /dev/i2c-1", &h.I2C.Bus,
				accept(func(s string) bool { return smallNumber(s, "/dev/i2c-", 255) })),
			l.frequency("speed", &h.I2C.Hertz),
		),
		l.section(
			"expanders",
			l.word("chip", []string{TCA9555, PCA9555}, &h.Expanders.Chip),
			l.addresses("addresses", &h.Expanders.Addresses),
		),
		l.cells("cells", &h.Cells),
		text(l, "north_is", "black or white", &h.NorthIsBlack, func(s string) (bool, bool) {
			return s == "black", s == "black" || s == "white"
		}),
		text(l, "interrupt", "a header pin, GPIO2 to GPIO27, or none", &h.Interrupt, func(s string) (string, bool) {
			if s == "none" {
				return "", true
			}
			return s, smallNumber(s, "GPIO", 27) && s != "GPIO0" && s != "GPIO1"
		}),
		l.section(
			"leds",
			l.word("driver", []string{APA102, NoLEDs}, &h.LEDs.Driver),
			text(l, "port", "an SPI port, SPI0.0 or /dev/spidev0.0", &h.LEDs.Port, accept(spiPort)),
			l.order("order", &h.LEDs.Order),
			number(l, "brightness", &h.LEDs.Brightness, 1, 255),
			number(l, "max_milliamps", &h.LEDs.MaxMilliamps, 100, 4000),
		),
		l.section(
			"simulated",
			number(l, "seed", &h.Simulation.Seed, 0, 1<<32-1),
			l.decimal("noise", &h.Simulation.Noise, 0, 5),
			l.yes("bounce", &h.Simulation.Bounce),
		),
	}
}
