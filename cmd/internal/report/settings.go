package report

import (
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/engine/notation"
	"reversi-board/engine/referee"
)

// settings are those that may be in a report. Texts of the user's own are left out:
// of them there is only whether they are set.
type settings struct {
	Board    string           `json:"board"`
	Game     gameSettings     `json:"game"`
	Opponent opponentSettings `json:"opponent"`
	Hardware hardwareSettings `json:"hardware"`
	Sensing  configs.Sensing  `json:"sensing"`
	MQTT     mqttSettings     `json:"mqtt"`
	Web      webSettings      `json:"web"`
	DataDir  string           `json:"data_dir"`
	Flight   configs.Flight   `json:"flight"`
}

type gameSettings struct {
	Variant string `json:"variant"`
	Start   string `json:"start"`
	First   string `json:"first"`
	Profile string `json:"profile"`
	Timed   bool   `json:"timed"`
	Players string `json:"players"`
}

type opponentSettings struct {
	Kind     string `json:"kind"`
	Level    int    `json:"level"`
	Side     string `json:"side"`
	Command  string `json:"command"`
	TimeMS   int64  `json:"time_ms"`
	WhenLost string `json:"when_lost"`
}

type hardwareSettings struct {
	Kind         string                           `json:"kind"`
	Hertz        int                              `json:"i2c_hz"`
	Buses        int                              `json:"i2c_buses"`
	Chip         string                           `json:"chip"`
	Addresses    [2][]uint16                      `json:"chip_addresses"`
	Cells        [engine.Squares]configs.Wiring   `json:"cells"`
	Crossings    [engine.Squares]configs.Crossing `json:"crossings"`
	Sensor       string                           `json:"sensor"`
	ADCs         []uint16                         `json:"adcs"`
	Taps         [engine.Squares]configs.Tap      `json:"taps"`
	NorthIsBlack bool                             `json:"north_is_black"`
	Interrupt    string                           `json:"interrupt"`
	Recovery     string                           `json:"recovery"`
	LEDs         string                           `json:"leds"`
	LEDOrder     [engine.Squares]int              `json:"led_order"`
	Brightness   uint8                            `json:"brightness"`
	Milliamps    int                              `json:"max_milliamps"`
	Buttons      string                           `json:"buttons"`
	Buzzer       string                           `json:"buzzer"`
	OLED         string                           `json:"oled"`
	Simulation   configs.Simulation               `json:"simulation"`
}

type mqttSettings struct {
	Embedded      bool   `json:"embedded"`
	Listen        string `json:"embedded_listen"`
	Broker        string `json:"broker"`
	Username      string `json:"username"`
	Password      string `json:"password_file"`
	CA            string `json:"ca_file"`
	Certificate   string `json:"cert_file"`
	Hints         bool   `json:"hints"`
	Image         bool   `json:"image"`
	HomeAssistant bool   `json:"home_assistant"`
}

type webSettings struct {
	Listen  string `json:"listen"`
	Hosts   int    `json:"hosts"`
	Arbiter string `json:"arbiter_token_file"`
	Player  string `json:"player_token_file"`
	// Encrypted says that the page has a certificate.
	Encrypted bool  `json:"encrypted"`
	DelayS    int64 `json:"delay_s"`
}

// settingsOf returns what may be told of the settings.
func settingsOf(c *configs.Config) settings {
	h := &c.Hardware
	return settings{
		Board: known(c.Board.ID, configs.Default().Board.ID),
		Game: gameSettings{
			Variant: known(c.Game.Variant, engine.VariantNames()...),
			Start:   known(c.Game.Start, notation.StandardStart, "parallel", "inverted", "handicap-1", "handicap-2", "handicap-3", "handicap-4", configs.ByLot),
			First:   known(c.Game.First, notation.FirstNames()...),
			Profile: known(c.Game.Profile, configs.EventNames()...),
			Timed:   c.Game.Clock != "none" && (c.Game.Clock != configs.AsProfile || c.Game.Officials.Clock.On()),
			Players: isSet(c.Game.Players[0].String() + c.Game.Players[1].String()),
		},
		Opponent: opponentSettings{
			Kind:  known(string(c.Opponent.Kind), "", string(referee.Builtin), string(referee.GTP), string(referee.NBoard)),
			Level: c.Opponent.Level, Side: c.Opponent.Side.String(), Command: isSet(strings.Join(c.Opponent.Command, "")),
			TimeMS: c.Opponent.Time.Milliseconds(), WhenLost: known(c.Opponent.WhenLost, configs.People, configs.Builtin),
		},
		Hardware: hardwareOf(h),
		Sensing:  c.Sensing,
		MQTT: mqttSettings{
			Embedded: c.MQTT.Embedded.Enabled, Listen: place(c.MQTT.Embedded.Listen), Broker: scheme(c.MQTT.Broker),
			Username: isSet(c.MQTT.Username), Password: isSet(c.MQTT.PasswordFile), CA: isSet(c.MQTT.CAFile), Certificate: isSet(c.MQTT.CertFile), Hints: c.MQTT.Hints, Image: c.MQTT.Image, HomeAssistant: c.MQTT.HomeAssistant,
		},
		Web: webSettings{
			Listen: place(c.Web.Listen), Hosts: len(c.Web.Hosts),
			Arbiter: isSet(c.Web.ArbiterTokenFile), Player: isSet(c.Web.PlayerTokenFile),
			Encrypted: c.Web.Encrypted(), DelayS: int64(c.Web.Delay / time.Second),
		},
		DataDir: known(c.Data.Dir, configs.Auto),
		Flight:  c.Flight,
	}
}

func hardwareOf(h *configs.Hardware) hardwareSettings {
	buses := 1
	if h.I2C.Second != "" {
		buses = 2
	}
	return hardwareSettings{
		Kind: known(h.Kind, configs.Hall128, configs.Reed64, configs.HallAnalog), Hertz: h.I2C.Hertz, Buses: buses,
		Chip:      known(h.Expanders.Chip, configs.TCA9555, configs.PCA9555, configs.MCP23017),
		Addresses: [2][]uint16{h.Expanders.Addresses, h.Expanders.Second}, Cells: h.Cells, Crossings: h.Crossings,
		Sensor: known(h.Analog.Sensor, configs.DRV5055A4, configs.SS49E), ADCs: h.Analog.ADCs, Taps: h.Taps,
		NorthIsBlack: h.NorthIsBlack, Interrupt: isSet(h.Interrupt), Recovery: isSet(h.Recovery.SCL + h.Recovery.SDA + h.Recovery.Rail),
		LEDs:     known(h.LEDs.Driver, configs.APA102, configs.WS2812, configs.HT16K33, configs.MAX7219, configs.NoLEDs),
		LEDOrder: h.LEDs.Order, Brightness: h.LEDs.Brightness, Milliamps: h.LEDs.MaxMilliamps,
		Buttons: isSet(h.Buttons.ClockBlack + h.Buttons.ClockWhite + h.Buttons.NewGame + h.Buttons.Hint + h.Buttons.Pass),
		Buzzer:  isSet(h.Buzzer), OLED: known(h.OLED.Driver, configs.SSD1306, configs.SH1106, configs.NoOLED), Simulation: h.Simulation,
	}
}

// known returns a word if it is one of the program's own.
func known(word string, words ...string) string {
	if slices.Contains(words, word) {
		return word
	}
	return isSet(word)
}

// isSet tells of a text of the user's only that there is one.
func isSet(text string) string {
	if text == "" {
		return ""
	}
	return "(set)"
}

// place tells of an address whether others can reach it.
func place(listen string) string {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return isSet(listen)
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() {
		return "this computer only"
	}
	return "the network"
}

// scheme tells of a broker only how it is reached.
func scheme(url string) string {
	for _, s := range []string{"mqtt://", "mqtts://"} {
		if strings.HasPrefix(url, s) {
			return s + "(set)"
		}
	}
	return isSet(url)
}

// private lists every text of the settings that differs from the built-in one and
// is in no report: what must not be in a line of the log either. The names of the
// players and of the board are no secrets: the events have them too.
func private(c *configs.Config) []string {
	var list, open []string
	texts(reflect.ValueOf(*c), &list)
	for _, text := range list {
		list = append(list, partsOf(text)...)
	}
	open = append(open, c.Board.Name, c.Game.Players[0].String(), c.Game.Players[1].String())
	texts(reflect.ValueOf(*configs.Default()), &open)
	texts(reflect.ValueOf(settingsOf(c)), &open)
	for _, words := range [][]string{engine.VariantNames(), configs.EventNames(), notation.FirstNames(), {c.Board.ID, c.Hardware.Kind}} {
		open = append(open, words...)
	}
	// Pins, buses and ports are of the board, not of the user.
	texts(reflect.ValueOf(c.Hardware), &open)
	return slices.DeleteFunc(list, func(s string) bool { return slices.Contains(open, s) })
}

// partsOf returns what of an address may be told alone, in an error of the system
// say: the name of the computer, and who logs in there.
func partsOf(text string) (parts []string) {
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		password, _ := u.User.Password()
		parts = append(parts, u.Host, u.Hostname(), u.User.Username(), password)
	}
	if host, _, err := net.SplitHostPort(text); err == nil {
		parts = append(parts, host)
	}
	return slices.DeleteFunc(parts, func(part string) bool {
		at, err := netip.ParseAddr(part)
		return part == "localhost" || err == nil && (at.IsLoopback() || at.IsUnspecified())
	})
}

// texts appends every text in v.
func texts(v reflect.Value, list *[]string) {
	switch v.Kind() { //nolint:exhaustive // nothing else in the settings holds a text
	case reflect.String:
		*list = append(*list, v.String())
	case reflect.Struct:
		for _, field := range v.Fields() {
			texts(field, list)
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			texts(v.Index(i), list)
		}
	}
}
