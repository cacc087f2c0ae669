package configs_test

import (
	"bytes"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"reversi-board/configs"
	"reversi-board/engine"
	"reversi-board/engine/plaintext"
)

// parse reads text as the file my.yaml.
func parse(text string) (*configs.Config, error) {
	return configs.Parse("my.yaml", []byte(text))
}

// mustParse reads text that is right.
func mustParse(t *testing.T, text string) *configs.Config {
	t.Helper()
	c, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDefaultRunsAnywhereAndReachesNobody(t *testing.T) {
	t.Setenv("HOME", "")
	c := configs.Default()
	if !c.Hardware.Simulation.Enabled {
		t.Errorf("simulation is %+v, want the simulated board", c.Hardware.Simulation)
	}
	if c.MQTT.Embedded.Listen != "127.0.0.1:1883" || c.Web.Listen != "127.0.0.1:8064" || c.MQTT.Broker != "" {
		t.Errorf("not on loopback: mqtt %q %q, web %q", c.MQTT.Embedded.Listen, c.MQTT.Broker, c.Web.Listen)
	}
	if c.Sensing.Period() != 20*time.Millisecond || c.Sensing.Debounce != 60*time.Millisecond ||
		c.Sensing.Settle != 200*time.Millisecond {
		t.Errorf("sensing is %+v", c.Sensing)
	}
	match, err := c.Game.Match()
	if err != nil {
		t.Fatal(err)
	}
	if match.Rules.Name != "classic" || match.Profile.Name != "home" || match.Players != [2]plaintext.Text{plaintext.Const("Black"), plaintext.Const("White")} {
		t.Errorf("match is %+v", match)
	}
}

func TestMatch(t *testing.T) {
	const squares = "---------------------------OX------XO---------------------------"
	for _, tc := range []struct{ text, name, board, turn string }{
		{"game: {variant: white-first}", "white-first", squares, "white"},
		{"game: {variant: historic, first: white}", "historic", strings.Repeat("-", 64), "white"},
		{"game: {variant: custom, start: handicap-2}", "custom", "X" + squares[1:63] + "X", "white"},
		{"game: {start: handicap-2, first: black}", "classic", "X" + squares[1:63] + "X", "black"},
		{"game: {start: " + squares + " O}", "classic", squares, "white"},
		{"game: {variant: reverse, start: f5}", "reverse", squares[:36] + "XX" + squares[38:], "white"},
	} {
		match, err := mustParse(t, tc.text).Game.Match()
		if err != nil {
			t.Errorf("%s: %v", tc.text, err)
			continue
		}
		start := match.Rules.Start
		if match.Rules.Name != tc.name || start.Text('X', 'O', '-') != tc.board || start.Turn.String() != tc.turn {
			t.Errorf("%s: %s from %s, %v begins", tc.text, match.Rules.Name, start.Text('X', 'O', '-'), start.Turn)
		}
	}
}

// TestMatchByLot: with the start xot every game begins behind another opening of
// eight plies, with twelve discs and Black to move.
func TestMatchByLot(t *testing.T) {
	game := mustParse(t, "game: {start: XOT, variant: reverse}").Game
	drawn := map[string]bool{}
	for range 40 {
		match, err := game.Match()
		if err != nil {
			t.Fatal(err)
		}
		start := match.Rules.Start
		if match.Rules.Name != "reverse" || start.Occupied().Count() != 12 || start.Turn != engine.Black {
			t.Fatalf("%s from %v, %v begins", match.Rules.Name, start.Discs, start.Turn)
		}
		drawn[start.String()] = true
	}
	if len(drawn) < 10 {
		t.Errorf("%d openings in 40 games", len(drawn))
	}
}

// TestDefaultWiring checks squares of the Hall-128 table: chip r at 0x20+r reads
// rank r+1, P0.c is the north output of file c, P1.c the south output.
func TestDefaultWiring(t *testing.T) {
	c := configs.Default()
	want := []uint16{0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27}
	if !slices.Equal(c.Hardware.Expanders.Addresses, want) {
		t.Errorf("addresses are %#x", c.Hardware.Expanders.Addresses)
	}
	for name, want := range map[string]configs.Wiring{
		"a1": {Chip: 0, NorthPin: 0, SouthPin: 8},
		"h1": {Chip: 0, NorthPin: 7, SouthPin: 15},
		"e6": {Chip: 5, NorthPin: 4, SouthPin: 12},
		"a8": {Chip: 7, NorthPin: 0, SouthPin: 8},
		"h8": {Chip: 7, NorthPin: 7, SouthPin: 15},
	} {
		s, err := engine.ParseSquare(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Hardware.Cells[s]; got != want {
			t.Errorf("%s is wired as %+v, want %+v", name, got, want)
		}
	}
}

func TestEveryShippedProfileLoads(t *testing.T) {
	names, err := filepath.Glob("*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(names, configs.ProfileNames()) {
		t.Errorf("the folder holds %v, ProfileNames says %v", names, configs.ProfileNames())
	}
	for _, name := range names {
		if _, err := configs.Load(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		onDisk, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := configs.Profile(name); err != nil || !bytes.Equal(text, onDisk) {
			t.Errorf("%s is not what is embedded (error %v)", name, err)
		}
	}
	c, err := configs.Load("hall-128.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if c.Hardware.Kind != configs.Hall128 || c.Board.ID != "hall-1" || c.Hardware.LEDs.Brightness != 16 {
		t.Errorf("hall-128.yaml gives %q %q %d", c.Hardware.Kind, c.Board.ID, c.Hardware.LEDs.Brightness)
	}
	if _, err := configs.Profile("reed.yaml"); err == nil || err.Error() !=
		`unknown profile "reed.yaml": want one of default.yaml, hall-128-mcp23017.yaml, hall-128.yaml, hall-analog.yaml, reed-64.yaml` {
		t.Errorf("an unknown profile gives %v", err)
	}
}

// TestEveryKeyIsExplained: a key without a comment directly above it is one
// that a user has to guess.
func TestEveryKeyIsExplained(t *testing.T) {
	for _, name := range configs.ProfileNames() {
		text, err := configs.Profile(name)
		if err != nil {
			t.Fatal(err)
		}
		var doc yaml.Node
		if err := yaml.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		keys := 0
		var walk func(path string, n *yaml.Node)
		walk = func(path string, n *yaml.Node) {
			for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
				key := n.Content[i]
				full := strings.TrimPrefix(path+"."+key.Value, ".")
				if key.HeadComment == "" {
					t.Errorf("%s:%d: %s has no comment above it", name, key.Line, full)
				}
				keys++
				walk(full, n.Content[i+1])
			}
		}
		walk("", doc.Content[0])
		if keys < 15 {
			t.Errorf("%s: only %d keys were looked at", name, keys)
		}
	}
}

func TestFileOverridesDefault(t *testing.T) {
	c := mustParse(t, `
board: {id: rv-b07, name: "Tisch 7 – Köln"}
game:
  variant: reverse
  players:
    black: Ana
hardware:
  kind: hall-128
  i2c: {bus: /dev/i2c-3, second_bus: /dev/i2c-4, speed: 100 kHz}
  expanders:
    chip: pca9555
    addresses: [39, 38, 37, 36, 35, 34, 33, 32]
  cells:
    d6: {chip: 5, north: P0.4, south: P1.4}
    e6: {chip: 5, north: P0.3, south: P1.3}
  north_is: white
  interrupt: none
  leds: {driver: none, port: /dev/spidev0.1, order: serpentine, brightness: 255, max_milliamps: 100}
  simulation: {enabled: false, seed: 0, noise: 2, bounce: false}
  recovery: {scl: GPIO23, sda: GPIO24, rail: GPIO22}
  buttons: {clock_black: GPIO5, clock_white: GPIO6, new_game: GPIO13, hint: GPIO19, pass: GPIO12, undo: GPIO16, resign: GPIO20}
  buzzer: GPIO26
  oled: {driver: ssd1306, address: 0x3d}
sensing: {scan_hz: 100, debounce: 120ms, settle: 0.5s}
mqtt:
  embedded: {enabled: false}
  broker: mqtts://broker.example:8883
web: {listen: none, hosts: [Reversi.local, 10.0.0.7], proxies: [192.168.1.5, "::ffff:10.0.0.8"]}
data: {dir: games}
`)
	h := c.Hardware
	folder, err := filepath.Abs("games")
	if err != nil {
		t.Fatal(err)
	}
	path, err := c.Data.Path()
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range []struct {
		what      string
		got, want any
	}{
		{"id", c.Board.ID, "rv-b07"},
		{"name", c.Board.Name, "Tisch 7 – Köln"},
		{"variant", c.Game.Variant, "reverse"},
		{"profile stays", c.Game.Profile, "home"},
		{"players", c.Game.Players, [2]plaintext.Text{plaintext.Const("Ana"), plaintext.Const("White")}},
		{"bus", h.I2C, configs.I2C{Bus: "/dev/i2c-3", Second: "/dev/i2c-4", Hertz: 100_000}},
		{"addresses", [8]uint16(h.Expanders.Addresses), [8]uint16{0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21, 0x20}},
		{"recovery", h.Recovery, configs.Recovery{SCL: "GPIO23", SDA: "GPIO24", Rail: "GPIO22"}},
		{"buttons", h.Buttons, configs.Buttons{
			ClockBlack: "GPIO5", ClockWhite: "GPIO6", NewGame: "GPIO13", Hint: "GPIO19", Pass: "GPIO12", Undo: "GPIO16", Resign: "GPIO20",
		}},
		{"buzzer", h.Buzzer, "GPIO26"},
		{"oled", h.OLED, configs.OLED{Driver: configs.SSD1306, Address: 0x3d}},
		{"park", h.Expanders.Park(), true},
		{"d6", h.Cells[43], configs.Wiring{Chip: 5, NorthPin: 4, SouthPin: 12}},
		{"e6", h.Cells[44], configs.Wiring{Chip: 5, NorthPin: 3, SouthPin: 11}},
		{"f6 stays", h.Cells[45], configs.Wiring{Chip: 5, NorthPin: 5, SouthPin: 13}},
		{"north", h.NorthIsBlack, false},
		{"interrupt", h.Interrupt, ""},
		{"driver", h.LEDs.Driver, configs.NoLEDs},
		{"port", h.LEDs.Port, "/dev/spidev0.1"},
		{"a1 and h1", [2]int{h.LEDs.Order[0], h.LEDs.Order[7]}, [2]int{0, 7}},
		{"a2 and h2", [2]int{h.LEDs.Order[8], h.LEDs.Order[15]}, [2]int{15, 8}},
		{"a3", h.LEDs.Order[16], 16},
		{"brightness", h.LEDs.Brightness, uint8(255)},
		{"current", h.LEDs.MaxMilliamps, 100},
		{"simulation", h.Simulation, configs.Simulation{Noise: 2}},
		{"sensing", c.Sensing, configs.Sensing{ScanHz: 100, Debounce: 120 * time.Millisecond, Settle: 500 * time.Millisecond}},
		{"broker", c.MQTT.Broker, "mqtts://broker.example:8883"},
		{"embedded", c.MQTT.Embedded, configs.Embedded{Listen: "127.0.0.1:1883"}},
		{"page", c.Web.Listen, ""},
		{"hosts", strings.Join(c.Web.Hosts, " "), "reversi.local 10.0.0.7"},
		{"proxies", fmt.Sprint(c.Web.Proxies), "[192.168.1.5 10.0.0.8]"},
		{"data", path, folder},
	} {
		if check.got != check.want {
			t.Errorf("%s is %v, want %v", check.what, check.got, check.want)
		}
	}
}

func TestEmptyFilesAndSectionsChangeNothing(t *testing.T) {
	want := configs.Default()
	for _, text := range []string{"", "# nothing yet\n", "---\n", "board:\nhardware:\n  cells:\n  leds:\n", "{}"} {
		if got := mustParse(t, text); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q changes the settings", text)
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	const mcp = "hardware:\n  i2c:\n    second_bus: /dev/i2c-3\n  expanders:\n    chip: mcp23017\n    second_addresses: [0x20, 0x21]\n"
	const (
		idWant = `want letters a to z, digits and inner hyphens, at most 23 characters ` +
			`(^[a-z0-9]([a-z0-9-]{0,21}[a-z0-9])?$)`
		broker  = `want mqtt://host:1883, mqtts://host:8883 (the port is always needed), or empty`
		harmful = `LEDs driven by PWM, PCM or DMA disturb the sound and can damage the memory card, and no DMA channel is allowed: ` +
			`want ws2812, with the strip on the data line of hardware.leds.port (SPI0.0)`
		order = `want rows, serpentine, or a list of 64 different numbers from 0 to 63, for a1 to h8`
	)
	for _, test := range []struct{ name, text, want string }{
		// What the text looks like.
		{"not yaml", "board:\n  id: [a\n", "my.yaml:2: this is not YAML: did not find expected ',' or ']': look at colons, quotes and indentation near this line"},
		{"not yaml, indentation", "board:\n  id: a\ngame:\n  variant: classic\n profile: home\n", "my.yaml:5: this is not YAML: did not find expected key: look at colons, quotes and indentation near this line"},
		{"not yaml, at the end", "board:\n  {id: a, {\n", "my.yaml:2: this is not YAML: did not find expected node content: look at colons, quotes and indentation near this line"},
		{"not yaml, first line", "a: b: c", "my.yaml:1: this is not YAML: mapping values are not allowed in this context: look at colons, quotes and indentation near this line"},
		{"a list", "- board\n", "my.yaml:1: a list: want a group of keys: board, game, opponent, hardware, sensing, mqtt, web, data, flight"},
		{"a word", "board\n", `my.yaml:1: "board": want a group of keys: board, game, opponent, hardware, sensing, mqtt, web, data, flight`},
		{"two documents", "board: {id: a}\n---\nboard: {id: b}\n", "my.yaml:2: a second document begins here: want one, without ---"},
		{"alias", "board: &b {id: a}\ngame: *b\n", "my.yaml:1: board: anchors and aliases (& and *) are not allowed: write the value out\n" +
			"my.yaml:2: game: anchors and aliases (& and *) are not allowed: write the value out"},
		{"merge key", "board:\n  <<: {id: a}\n", "my.yaml:2: board.<<: unknown key: known here: id, name"},
		{"tag", "board: {id: !!str 7}\n", `my.yaml:1: board.id: tags (such as "!!str") are not allowed: write the value alone`},
		{"list as key", "? [a]\n: b\n", "my.yaml:1: a list cannot be a key: want a word"},

		// Keys.
		{"unknown section", "sensors: {}\n", "my.yaml:1: sensors: unknown key: known here: board, game, opponent, hardware, sensing, mqtt, web, data, flight"},
		{"near miss", "hardwear:\n  kind: hall-128\n", "my.yaml:1: hardwear: unknown key: did you mean hardware? (known here: board, game, opponent, hardware, sensing, mqtt, web, data, flight)"},
		{"hyphen", "\nsensing:\n  scan-hz: 50\n", "my.yaml:3: sensing.scan-hz: unknown key: did you mean scan_hz? (known here: scan_hz, debounce, settle)"},
		{"capital", "board: {ID: a}\n", "my.yaml:1: board.ID: unknown key: did you mean id? (known here: id, name)"},
		{"password in the file", "mqtt: {password: secret}\n", "my.yaml:1: mqtt.password: unknown key: known here: embedded, broker, username, password_file, ca_file, cert_file, key_file, hints, image, home_assistant"},
		{"twice", "board:\n  id: a\n  name: A\n  id: b\n", "my.yaml:4: board.id: set twice, first in line 2: keep one of them"},
		{"section twice", "board: {id: a}\nboard: {name: A}\n", "my.yaml:2: board: set twice, first in line 1: keep one of them"},
		{"odd key", "\"a\\tb\": 1\n", `my.yaml:1: "a\tb": unknown key: known here: board, game, opponent, hardware, sensing, mqtt, web, data, flight`},
		{"long key", strings.Repeat("x", 200) + ": 1\n", `my.yaml:1: "` + strings.Repeat("x", 40) + `…": unknown key: known here: board, game, opponent, hardware, sensing, mqtt, web, data, flight`},

		// Kinds of values.
		{"section is a word", "board: big\n", `my.yaml:1: board: "big": want a group of keys: id, name`},
		{"word is a list", "board:\n  id: [a]\n", "my.yaml:2: board.id: a list: want " + idWant[5:]},
		{"word is a group", "board:\n  id: {a: b}\n", "my.yaml:2: board.id: a group of keys: want " + idWant[5:]},
		{"no value", "board:\n  id:\n", "my.yaml:2: board.id: nothing: want " + idWant[5:]},
		{"number for text", "board: {id: 7}\n", `my.yaml:1: board.id: "7" is not text: put it in quotes; ` + idWant},
		{"yes for true", "mqtt: {embedded: {enabled: yes}}\n", `my.yaml:1: mqtt.embedded.enabled: "yes": want true or false`},
		{"text for number", "sensing: {scan_hz: fast}\n", `my.yaml:1: sensing.scan_hz: "fast" is not a whole number: want a whole number from 5 to 100`},
		{"fraction", "sensing: {scan_hz: 50.5}\n", `my.yaml:1: sensing.scan_hz: "50.5" is not a whole number: want a whole number from 5 to 100`},
		{"quoted number", "sensing: {scan_hz: \"50\"}\n", `my.yaml:1: sensing.scan_hz: "50" is not a whole number: want a whole number from 5 to 100`},
		{"octal", "sensing: {scan_hz: 050}\n", `my.yaml:1: sensing.scan_hz: "050" is not a whole number: want a whole number from 5 to 100`},
		{"too low", "sensing: {scan_hz: 4}\n", "my.yaml:1: sensing.scan_hz: 4 is out of range: want a whole number from 5 to 100"},
		{"too high", "sensing: {scan_hz: 101}\n", "my.yaml:1: sensing.scan_hz: 101 is out of range: want a whole number from 5 to 100"},
		{"decimal", "hardware: {simulation: {noise: loud}}\n", `my.yaml:1: hardware.simulation.noise: "loud" is not a number: want a number from 0 to 5`},
		{"not a number", "hardware: {simulation: {noise: .nan}}\n", `my.yaml:1: hardware.simulation.noise: ".nan" is not a number: want a number from 0 to 5`},
		{"decimal range", "hardware: {simulation: {noise: -0.1}}\n", "my.yaml:1: hardware.simulation.noise: -0.1 is out of range: want a number from 0 to 5"},
		{"no unit", "sensing: {settle: 300}\n", "my.yaml:1: sensing.settle: 300 has no unit: write it as 300ms or 300s; want a time from 100ms to 5s"},
		{"no time", "sensing: {settle: soon}\n", `my.yaml:1: sensing.settle: "soon" is not a time: want a time from 100ms to 5s, such as 200ms`},
		{"time range", "sensing: {settle: 6s}\n", "my.yaml:1: sensing.settle: 6s is out of range: want a time from 100ms to 5s"},

		// Single settings.
		{"id", "board: {id: Rv_07}\n", `my.yaml:1: board.id: "Rv_07": ` + idWant},
		{"id hyphen", "board: {id: rv-}\n", `my.yaml:1: board.id: "rv-": ` + idWant},
		{"id long", "board: {id: a23456789012345678901234}\n", `my.yaml:1: board.id: "a23456789012345678901234": ` + idWant},
		{"id empty", "board: {id: \"\"}\n", `my.yaml:1: board.id: "": ` + idWant},
		{"name", "board: {name: \"a\\nb\"}\n", `my.yaml:1: board.name: "a\nb": want 1 to 64 printable characters`},
		{"name long", "game: {players: {black: " + strings.Repeat("é", 65) + "}}\n", `my.yaml:1: game.players.black: "` + strings.Repeat("é", 40) + `…": want 1 to 64 printable characters`},
		{"variant", "game: {variant: chess}\n", `my.yaml:1: game.variant: "chess": want classic, reverse, historic, white-first, festival or custom`},
		{"start", "game: {start: sideways}\n", `my.yaml:1: game.start: "sideways": want standard, parallel, inverted, handicap-1 to handicap-4, xot, 64 squares and the side to move, or the moves of an opening`},
		{"start empty", "game: {start: \"\"}\n", `my.yaml:1: game.start: "": want standard, parallel, inverted, handicap-1 to handicap-4, xot, 64 squares and the side to move, or the moves of an opening`},
		{"first", "game: {first: red}\n", `my.yaml:1: game.first: "red": want auto, black or white`},
		{"start of the historic game", "game:\n  variant: historic\n  start: parallel\n", "my.yaml:3: game.start: the historic game begins on the empty board and takes no other start"},
		{"start in which nobody can move", "game:\n  start: " + strings.Repeat("X", 64) + " O\n", "my.yaml:2: game.start: nobody can move in the start position"},
		{"profile", "game: {profile: casino}\n", `my.yaml:1: game.profile: "casino": want home, club, woc, jof, festival or the path of a profile of your own (a .yaml file)`},
		{"profile that is not there", "game: {profile: testdata/none.yaml}\n", "my.yaml:1: game.profile: open the profile: open " + here(t, "testdata/none.yaml") + ": no such file or directory"},
		{"clock", "game:\n  clock: 5 minutes\n", `my.yaml:2: game.clock: "5 minutes": want auto (as the profile says), none, 5:00, 5:00/3 (seconds more for every move), 10:00+3x0:30 (periods), "black 5:00, white 30:00/10", or game 20:00 (one clock)`},
		{"kind", "hardware: {kind: reed}\n", `my.yaml:1: hardware.kind: "reed": want hall-128, reed-64 or hall-analog`},
		{"bus", "hardware: {i2c: {bus: i2c-1}}\n", `my.yaml:1: hardware.i2c.bus: "i2c-1": want an I2C device, such as /dev/i2c-1`},
		{"speed", "hardware: {i2c: {speed: 1MHz}}\n", `my.yaml:1: hardware.i2c.speed: "1MHz": want 10kHz to 400kHz`},
		{"chip", "hardware: {expanders: {chip: mcp23008}}\n", `my.yaml:1: hardware.expanders.chip: "mcp23008": want tca9555, pca9555 or mcp23017`},
		{"addresses", "hardware: {expanders: {addresses: []}}\n", "my.yaml:1: hardware.expanders.addresses: a list of 0: want a list of 1 to 8 addresses from 0x20 to 0x27"},
		{"no list", "hardware: {expanders: {addresses: 0x20}}\n", `my.yaml:1: hardware.expanders.addresses: "0x20": want a list of 1 to 8 addresses from 0x20 to 0x27`},
		{"address", "hardware: {expanders: {addresses: [0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x28]}}\n", "my.yaml:1: hardware.expanders.addresses[7]: 0x28 is out of range: want a whole number from 0x20 to 0x27"},
		{"address twice", "hardware:\n  expanders:\n    addresses:\n      [0x20, 0x21, 0x22, 0x23,\n       0x24, 0x25, 0x26, 0x21]\n", "my.yaml:5: hardware.expanders.addresses[7]: chips 1 and 7 both have address 0x21: want different ones"},
		{"square", "hardware: {cells: {e9: {chip: 0, north: P0.0, south: P1.0}}}\n", "my.yaml:1: hardware.cells.e9: not a square: want a1 to h8 in small letters"},
		{"cells", "hardware: {cells: none}\n", `my.yaml:1: hardware.cells: "none": want squares with their wiring, such as e6: {chip: 5, north: P0.4, south: P1.4}`},
		{"cell key", "hardware: {cells: {e6: {chop: 0}}}\n", "my.yaml:1: hardware.cells.e6.chop: unknown key: did you mean chip? (known here: chip, north, south, row, column, adc, input, channel)"},
		{"cell half", "hardware: {cells: {e6: {north: P0.0, south: P1.0}}}\n", "my.yaml:1: hardware.cells.e6: this is not the wiring of a square of a hall-128 board: want all of {chip: 5, north: P0.4, south: P1.4} and nothing else"},
		{"cell chip", "hardware: {cells: {e6: {chip: 16, north: P0.0, south: P1.0}}}\n", "my.yaml:1: hardware.cells.e6.chip: 16 is out of range: want a whole number from 0 to 15"},
		{"pin", "hardware: {cells: {e6: {chip: 5, north: P0.8, south: P1.0}}}\n", `my.yaml:1: hardware.cells.e6.north: "P0.8": want a pin of the expander, P0.0 to P1.7 or GPA0 to GPB7`},
		{"north", "hardware: {north_is: red}\n", `my.yaml:1: hardware.north_is: "red": want black or white`},
		{"interrupt", "hardware: {interrupt: GPIO28}\n", `my.yaml:1: hardware.interrupt: "GPIO28": want a header pin, GPIO2 to GPIO27, or none`},
		{"interrupt on the id pins", "hardware: {interrupt: GPIO1}\n", `my.yaml:1: hardware.interrupt: "GPIO1": want a header pin, GPIO2 to GPIO27, or none`},
		{"leds", "hardware: {leds: {driver: ws2801}}\n", `my.yaml:1: hardware.leds.driver: "ws2801": want apa102, ws2812, ht16k33, max7219 or none`},
		// Scenario 29: LEDs and sound by PWM, both keys are named. There is no sound by
		// PWM on any board: the buzzer makes its own, and nothing speaks.
		{"leds and sound by pwm", "hardware:\n  leds: {driver: pwm}\n  audio: pwm\n", `my.yaml:2: hardware.leds.driver: "pwm": ` + harmful + "\nmy.yaml:3: hardware.audio: unknown key: known here: kind, i2c, expanders, matrix, analog, cells, north_is, interrupt, recovery, leds, buttons, buzzer, oled, simulation"},
		// Scenario 30: LEDs by DMA are refused on every channel, and the way that
		// harms nothing is named.
		{"leds by pwm", "hardware:\n  leds:\n    driver: pwm\n", `my.yaml:3: hardware.leds.driver: "pwm": ` + harmful},
		{"leds by dma", "hardware: {leds: {driver: DMA, dma_channel: 5}}\n", `my.yaml:1: hardware.leds.driver: "DMA": ` + harmful + "\nmy.yaml:1: hardware.leds.dma_channel: unknown key: known here: driver, port, address, order, brightness, max_milliamps"},
		{"leds by a library for both", "hardware: {leds: {driver: rpi_ws281x}}\n", `my.yaml:1: hardware.leds.driver: "rpi_ws281x": ` + harmful},
		{"leds on a pin", "hardware: {leds: {driver: ws2812, port: GPIO18}}\n", `my.yaml:1: hardware.leds.port: "GPIO18": want an SPI port, SPI0.0 or /dev/spidev0.0`},
		{"port", "hardware: {leds: {port: SPI0}}\n", `my.yaml:1: hardware.leds.port: "SPI0": want an SPI port, SPI0.0 or /dev/spidev0.0`},
		{"order word", "hardware: {leds: {order: spiral}}\n", `my.yaml:1: hardware.leds.order: "spiral": ` + order},
		{"order short", "hardware: {leds: {order: [1, 2]}}\n", "my.yaml:1: hardware.leds.order: a list of 2: " + order},
		{"order range", "hardware: {leds: {order: [64" + sequence(1, 64) + "]}}\n", "my.yaml:1: hardware.leds.order[0]: 64 is out of range: want a whole number from 0 to 63"},
		{"order twice", "hardware: {leds: {order: [63" + sequence(1, 64) + "]}}\n", "my.yaml:1: hardware.leds.order[63]: LED 63 stands for a1 and for h8: want every number from 0 to 63 once"},
		{"brightness", "hardware: {leds: {brightness: 256}}\n", "my.yaml:1: hardware.leds.brightness: 256 is out of range: want a whole number from 1 to 255"},
		{"current", "hardware: {leds: {max_milliamps: 5000}}\n", "my.yaml:1: hardware.leds.max_milliamps: 5000 is out of range: want a whole number from 100 to 4000"},
		{"seed", "hardware: {simulation: {seed: -1}}\n", "my.yaml:1: hardware.simulation.seed: -1 is out of range: want a whole number from 0 to 4294967295"},
		{"listen", "web: {listen: localhost:8064}\n", `my.yaml:1: web.listen: "localhost:8064": want an address and a port, such as 127.0.0.1:8064 or [::1]:8064, or none`},
		{"listen port", "mqtt: {embedded: {listen: \"127.0.0.1:65536\"}}\n", `my.yaml:1: mqtt.embedded.listen: "127.0.0.1:65536": want an address and a port, such as 127.0.0.1:1883 or [::1]:1883`},
		{"listen port 0", "mqtt: {embedded: {listen: \"127.0.0.1:0\"}}\n", `my.yaml:1: mqtt.embedded.listen: "127.0.0.1:0": want an address and a port, such as 127.0.0.1:1883 or [::1]:1883`},
		{"hosts", "web: {hosts: reversi.local}\n", `my.yaml:1: web.hosts: "reversi.local": want a list of at most 32 host names without a port, such as reversi.local`},
		{"proxies", "web: {proxies: [proxy.local]}\n", `my.yaml:1: web.proxies[0]: "proxy.local" is not an IP address: want a list of at most 32 IP addresses, such as 192.168.1.5`},
		{"host", "web: {hosts: [\"reversi.local:80\"]}\n", `my.yaml:1: web.hosts[0]: "reversi.local:80" is not a host name: want a list of at most 32 host names without a port, such as reversi.local`},
		{"broker without port", "mqtt: {embedded: {enabled: false}, broker: mqtt://hub}\n", `my.yaml:1: mqtt.broker: "mqtt://hub" has no host or no port from 1 to 65535: ` + broker},
		{"broker without scheme", "mqtt: {embedded: {enabled: false}, broker: \"hub:1883\"}\n", `my.yaml:1: mqtt.broker: unknown scheme "hub": ` + broker},
		{"broker with path", "mqtt: {embedded: {enabled: false}, broker: \"mqtt://hub:1883/x\"}\n", `my.yaml:1: mqtt.broker: "mqtt://hub:1883/x" has something after the port: ` + broker},
		{"broker with password", "mqtt: {embedded: {enabled: false}, broker: \"mqtt://me:secret@hub:1883\"}\n", "my.yaml:1: mqtt.broker: a user or a password in the URL is not allowed: use mqtt.username and mqtt.password_file"},
		{"data", "data: {dir: \"\"}\n", `my.yaml:1: data.dir: "": want auto, or the path of a folder`},

		// Settings that do not go together.
		{"pin twice, against the default", "hardware:\n  cells:\n    e6:\n      chip: 5\n      north: P0.3\n      south: P1.4\n", "my.yaml:5: hardware.cells.e6.north: pin P0.3 of chip 5 is wired to d6 north (default wiring) and to e6 north: every pin can have one output only"},
		{"pin twice, against a later default", "hardware:\n  cells:\n    e6:\n      chip: 5\n      north: P0.5\n      south: P1.4\n", "my.yaml:5: hardware.cells.e6.north: pin P0.5 of chip 5 is wired to e6 north and to f6 north (default wiring): every pin can have one output only"},
		{"pin twice, both set", "hardware:\n  cells:\n    a1: {chip: 0, north: P0.0, south: P1.0}\n    b1: {chip: 0, north: P0.1, south: P1.0}\n", "my.yaml:4: hardware.cells.b1.south: pin P1.0 of chip 0 is wired to a1 south and to b1 south: every pin can have one output only"},
		{"pin twice, one cell", "hardware: {cells: {a1: {chip: 0, north: P0.0, south: P0.0}}}\n", "my.yaml:1: hardware.cells.a1.south: pin P0.0 of chip 0 is wired to a1 north and to a1 south: every pin can have one output only"},
		{"reed wiring on a hall board", "hardware:\n  cells:\n    e6: {row: 5, column: 4}\n", "my.yaml:3: hardware.cells.e6: this is not the wiring of a square of a hall-128 board: want all of {chip: 5, north: P0.4, south: P1.4} and nothing else"},
		{"hall wiring on a reed board", "hardware:\n  kind: reed-64\n  cells:\n    e6: {chip: 5, north: P0.4, south: P1.4}\n", "my.yaml:4: hardware.cells.e6: this is not the wiring of a square of a reed-64 board: want all of {row: 5, column: 4} and nothing else"},
		{"wiring of two kinds", "hardware:\n  kind: hall-analog\n  cells:\n    e6: {adc: 0, input: 2, channel: 12, row: 5}\n", "my.yaml:4: hardware.cells.e6: this is not the wiring of a square of a hall-analog board: want all of {adc: 0, input: 2, channel: 12} and nothing else"},
		{"two squares at a crossing", "hardware:\n  kind: reed-64\n  cells:\n    e6: {row: 5, column: 5}\n", "my.yaml:4: hardware.cells.e6: the crossing of row 5 and column 5 is wired to e6 and to f6 (default wiring): want a place of its own for every square"},
		{"two squares at a channel", "hardware:\n  kind: hall-analog\n  cells:\n    e6: {adc: 0, input: 2, channel: 13}\n", "my.yaml:4: hardware.cells.e6: channel 13 of input 2 of converter 0 is wired to e6 and to f6 (default wiring): want a place of its own for every square"},
		{"no such converter", "hardware:\n  kind: hall-analog\n  cells:\n    e6: {adc: 3, input: 0, channel: 12}\n", "my.yaml:4: hardware.cells.e6: e6 is wired to converter 3, and there are 1 (the first one is number 0)"},
		{"chips missing", "hardware:\n  expanders:\n    addresses: [0x20, 0x21]\n", "my.yaml:3: hardware.expanders.addresses: a3 is wired to chip 2, and there are 2 (the first one is chip 0): list all of them"},
		{"mcp23017 has 14 inputs", "hardware:\n  expanders:\n    chip: mcp23017\n", "my.yaml:3: hardware.expanders.chip: a8 is wired to chip 8, and there are 8 (the first one is chip 0): list all of them"},
		{"output only", mcp + "  cells:\n    e6: {chip: 9, north: GPA7, south: GPB6}\n", "my.yaml:8: hardware.cells.e6.north: GPA7 of an MCP23017 is an output only (data sheet revision D of 2022): want GPA0 to GPA6 or GPB0 to GPB6"},
		{"no second bus", strings.Replace(mcp, "/dev/i2c-3", "none", 1), "my.yaml:6: hardware.expanders.second_addresses: there are chips on a second bus, but no second bus: set hardware.i2c.second_bus"},
		{"header pin twice", "hardware:\n  interrupt: GPIO17\n  buzzer: GPIO17\n", "my.yaml:2: hardware.interrupt: GPIO17 is wanted by hardware.buzzer and by hardware.interrupt: every pin of the header can have one use"},
		{"header pin of the matrix", "hardware:\n  kind: reed-64\n  buttons:\n    hint: GPIO27\n", "my.yaml:4: hardware.buttons.hint: GPIO27 is wanted by hardware.buttons.hint and by hardware.matrix.columns[7]: every pin of the header can have one use"},
		{"half of the taps", "hardware:\n  recovery:\n    rail: GPIO22\n    sda: GPIO24\n", "my.yaml:4: hardware.recovery.sda: a held bus is clocked free with both lines: name the pins of hardware.recovery.scl and hardware.recovery.sda, or none for both"},
		{"pin of the supply", "hardware:\n  recovery: {rail: GPIO22}\n  kind: reed-64\n  oled: {driver: ssd1306}\n", "my.yaml:2: hardware.recovery.rail: GPIO22 is wanted by hardware.recovery.rail and by hardware.matrix.columns[3]: every pin of the header can have one use"},
		{"header pin of the bus", "hardware:\n  buttons:\n    hint: GPIO3\n", "my.yaml:3: hardware.buttons.hint: GPIO3 is wanted by hardware.i2c.bus and by hardware.buttons.hint: every pin of the header can have one use"},
		{"matrix short", "hardware: {matrix: {rows: [GPIO5]}}\n", "my.yaml:1: hardware.matrix.rows: a list of 1: want a list of 8 header pins, GPIO2 to GPIO27"},
		{"matrix pin", "hardware: {analog: {select: [GPIO5, GPIO6, GPIO13, 19]}}\n", "my.yaml:1: hardware.analog.select[3]: \"19\" is not text: put it in quotes; want a header pin, GPIO2 to GPIO27"},
		{"oled address", "hardware: {oled: {address: 0x3e}}\n", "my.yaml:1: hardware.oled.address: 0x3e is out of range: want a whole number from 0x3c to 0x3d"},
		{"settle", "sensing:\n  debounce: 200ms\n", "my.yaml:2: sensing.debounce: 200ms is not longer than sensing.debounce (200ms): a cell is debounced while the board settles"},
		{"scan", "sensing: {scan_hz: 20}\n", "my.yaml:1: sensing.scan_hz: 60ms is too short for 20 scans per second: want at least 100ms, two scans"},
		{"two brokers", "mqtt:\n  broker: mqtt://hub:1883\n", "my.yaml:2: mqtt.broker: a broker elsewhere and the embedded one are both set: set mqtt.embedded.enabled to false, or leave broker empty"},
		{"user without password", "mqtt: {username: ana}\n", "my.yaml:1: mqtt.username: a user name without a password: set mqtt.password_file"},
		{"open broker", "mqtt: {embedded: {listen: \"0.0.0.0:1883\"}}\n", "my.yaml:1: mqtt.embedded.listen: 0.0.0.0:1883 lets everybody on the network give orders to the board: set mqtt.password_file, or listen on 127.0.0.1"},
		{"no token", "web: {arbiter_token_file: /nowhere/token}\n", "my.yaml:1: web.arbiter_token_file: read the password: stat /nowhere/token: no such file or directory"},
		{"no token of players", "web: {player_token_file: /nowhere/token}\n", "my.yaml:1: web.player_token_file: read the password: stat /nowhere/token: no such file or directory"},
		{"one port", "web: {listen: \"127.0.0.1:1883\"}\n", "my.yaml:1: web.listen: 127.0.0.1:1883 is also where mqtt.embedded.listen is: want two different ports"},
		{"delay for nobody", "web: {delay: 60s}\n", "my.yaml:1: web.delay: everybody is an arbiter here, and sees everything at once: set web.arbiter_token_file, or delay to 0s"},
		{"home assistant", "mqtt: {home_assistant: true}\n", "my.yaml:1: mqtt.home_assistant: Home Assistant is found on a broker of its own: set mqtt.broker to that, or home_assistant to false"},
		{"ca without tls", "mqtt: {ca_file: configs_test.go}\n", "my.yaml:1: mqtt.ca_file: certificates are for an encrypted connection: want mqtt.broker to begin with mqtts://, or ca_file empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parse(test.text)
			if err == nil {
				t.Fatal("accepted")
			}
			if got := err.Error(); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
		})
	}
}

// sequence returns ", from, from+1, … to-1".
func sequence(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, ", %d", i)
	}
	return b.String()
}

func TestAllProblemsAtOnceUpToTen(t *testing.T) {
	var text strings.Builder
	text.WriteString("mqtt: {broker: \"mqtt://hub:1883\"}\nhardware:\n  cells:\n")
	for i := range 12 {
		fmt.Fprintf(&text, "    x%d: {}\n", i)
	}
	_, err := parse(text.String())
	var report *configs.Error
	if !errors.As(err, &report) {
		t.Fatalf("error is %v", err)
	}
	if len(report.Problems) != 10 || report.More != 3 {
		t.Errorf("%d problems and %d more, want 10 and 3", len(report.Problems), report.More)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 11 || lines[10] != "and 3 more" {
		t.Errorf("the report is\n%v", err)
	}
	if !strings.HasPrefix(lines[0], "my.yaml:1: mqtt.broker: ") || !strings.HasPrefix(lines[1], "my.yaml:4: hardware.cells.x0: ") {
		t.Errorf("not in the order of the file:\n%v", err)
	}
}

// TestOneMistakeIsOneProblem: a value that could not be read must not make
// others look wrong.
func TestOneMistakeIsOneProblem(t *testing.T) {
	for _, text := range []string{
		"sensing: {debounce: 300ms, settle: soon}\n",
		"mqtt: {embedded: {listen: \"0.0.0.0:1883\"}, password_file: 7}\n",
		"hardware: {cells: {a1: {chip: 0, north: P9.9, south: P1.1}, b1: {chip: 0, north: P0.0, south: P1.0}}}\n",
	} {
		_, err := parse(text)
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s gives\n%v", text, err)
		}
	}
}

func TestPasswordFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good", "s3cret phrase\n", 0o600)
	open := write("open", "s3cret\n", 0o640)
	empty := write("empty", "\n", 0o600)
	two := write("two", "one\ntwo\n", 0o600)
	long := write("long", strings.Repeat("x", 2000), 0o400)

	// Relative to the folder of the settings file, not to the current one.
	settings := write("my.yaml", "mqtt:\n  embedded: {listen: \"0.0.0.0:1883\"}\n  password_file: good\n", 0o644)
	c, err := configs.Load(settings)
	if err != nil {
		t.Fatal(err)
	}
	if c.MQTT.PasswordFile != good || c.MQTT.Username != "reversi-1" {
		t.Errorf("file %q, user %q", c.MQTT.PasswordFile, c.MQTT.Username)
	}
	if secret, err := c.MQTT.Password(); err != nil || secret != "s3cret phrase" {
		t.Errorf("password is %q, error %v", secret, err)
	}
	if text := fmt.Sprintf("%+v %#v", c, c); strings.Contains(text, "s3cret") {
		t.Error("the settings print the password")
	}
	if secret, err := configs.Default().MQTT.Password(); secret != "" || err != nil {
		t.Errorf("without a file the password is %q, error %v", secret, err)
	}

	for file, want := range map[string]string{
		open:                       "others can read " + open + " (mode 0640): chmod 600 it",
		empty:                      empty + " must hold one line and nothing else",
		two:                        two + " must hold one line and nothing else",
		long:                       long + " has 2000 bytes: want at most 1024",
		dir:                        dir + " is not a file",
		filepath.Join(dir, "none"): "stat " + filepath.Join(dir, "none") + ": no such file or directory",
	} {
		_, err := parse("mqtt: {password_file: " + file + "}\n")
		if want := "my.yaml:1: mqtt.password_file: read the password: " + want; err == nil || err.Error() != want {
			t.Errorf("\n got %v\nwant %s", err, want)
		}
	}
}

// A password for the embedded broker is as long as a token for the page, for it gives
// the same rights. That for a broker elsewhere is that broker's to judge.
func TestShortBrokerPasswordIsRefused(t *testing.T) {
	short := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(short, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := "my.yaml:1: mqtt.password_file: " + short + " holds 6 characters: want at least 8"
	if _, err := parse("mqtt: {password_file: " + short + "}\n"); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("\n got %v\nwant %s", err, want)
	}
	if _, err := parse("mqtt: {embedded: {enabled: false}, broker: \"mqtt://hub:1883\", password_file: " + short + "}\n"); err != nil {
		t.Error(err)
	}
}

func TestCertificateFiles(t *testing.T) {
	dir := t.TempDir()
	server := httptest.NewTLSServer(nil)
	t.Cleanup(server.Close)
	good := filepath.Join(dir, "good.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	bad := filepath.Join(dir, "bad.pem")
	for path, text := range map[string][]byte{good: block, bad: []byte("hello")} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const text = "mqtt: {embedded: {enabled: false}, broker: \"mqtts://hub:8883\", ca_file: "
	if c := mustParse(t, text+good+"}\n"); c.MQTT.CAFile != good {
		t.Errorf("ca_file is %q", c.MQTT.CAFile)
	}
	for file, want := range map[string]string{
		bad:                        bad + " holds no PEM certificate",
		dir:                        dir + " is not a file of at most 1 MB",
		filepath.Join(dir, "none"): "stat " + filepath.Join(dir, "none") + ": no such file or directory",
	} {
		_, err := parse(text + file + "}\n")
		if want := "my.yaml:1: mqtt.ca_file: read the certificates: " + want; err == nil || err.Error() != want {
			t.Errorf("\n got %v\nwant %s", err, want)
		}
	}
}

func TestDataFolder(t *testing.T) {
	home := t.TempDir()
	for _, test := range []struct{ name, home, state, dir, want string }{
		{"state", home, "/var/state", "auto", "/var/state/reversi-board"},
		{"home", home, "", "auto", home + "/.local/state/reversi-board"},
		{"relative state is ignored", home, "state", "auto", home + "/.local/state/reversi-board"},
		{"home folder", home, "", "~/games", home + "/games"},
		{"absolute", home, "", "/srv/../srv/games/", "/srv/games"},
		{"no home", "", "", "auto", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("HOME", test.home)
			t.Setenv("XDG_STATE_HOME", test.state)
			got, err := mustParse(t, "data: {dir: "+test.dir+"}\n").Data.Path()
			if got != test.want || (err != nil) != (test.want == "") {
				t.Errorf("folder is %q, error %v, want %q", got, err, test.want)
			}
			if test.want == "" && !strings.HasSuffix(err.Error(), "set data.dir in the settings, or start with --data DIR") {
				t.Errorf("the error does not help: %v", err)
			}
		})
	}
}

func TestLoadFiles(t *testing.T) {
	dir := t.TempDir()
	if _, err := configs.Load(filepath.Join(dir, "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
	big := filepath.Join(dir, "big.yaml")
	if err := os.WriteFile(big, bytes.Repeat([]byte("#\n"), 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := configs.Load(big); err == nil || err.Error() != big+":1: the file is larger than 1 MB" {
		t.Errorf("a big file gives %v", err)
	}
}

// TestAliasBomb: nine levels of nine aliases stand for 387 million values. They
// are refused without being written out.
func TestAliasBomb(t *testing.T) {
	var text strings.Builder
	text.WriteString("a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\n")
	for c := 'b'; c <= 'i'; c++ {
		fmt.Fprintf(&text, "%c: &%c [%s*%c]\n", c, c, strings.Repeat(fmt.Sprintf("*%c, ", c-1), 8), c-1)
	}
	_, err := parse(text.String())
	var report *configs.Error
	if !errors.As(err, &report) || len(report.Problems) != 9 {
		t.Fatalf("the bomb gives %v", err)
	}
}

// TestAnyOrderOfSquaresIsAWiring: pins may be permuted freely, and whatever is
// written is what is read.
func TestAnyOrderOfSquaresIsAWiring(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pins := make([]int, 128)
		for i := range pins {
			pins[i] = i
		}
		half := rapid.Permutation(pins[:16]).Draw(t, "pins")
		chips := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7}).Draw(t, "chips")
		leds := rapid.Permutation(pins[:64]).Draw(t, "leds")
		var want [64]configs.Wiring
		var text strings.Builder
		text.WriteString("hardware:\n  kind: hall-128\n  cells:\n")
		for i := range want {
			w := configs.Wiring{Chip: chips[i/8], NorthPin: half[2*(i%8)], SouthPin: half[2*(i%8)+1]}
			want[i] = w
			fmt.Fprintf(&text, "    %v: {chip: %d, north: P%d.%d, south: P%d.%d}\n", engine.Square(i), w.Chip,
				w.NorthPin/8, w.NorthPin%8, w.SouthPin/8, w.SouthPin%8)
		}
		fmt.Fprintf(&text, "  leds: {order: %s}\n", strings.ReplaceAll(fmt.Sprint(leds), " ", ", "))
		c, err := parse(text.String())
		if err != nil {
			t.Fatal(err)
		}
		if c.Hardware.Cells != want || !slices.Equal(c.Hardware.LEDs.Order[:], leds) {
			t.Fatalf("wiring is %v, LEDs %v", c.Hardware.Cells, c.Hardware.LEDs.Order)
		}
	})
}

// FuzzLoad: whatever a file holds, it is either taken or refused with places,
// and what is taken keeps the promises of Config.
func FuzzLoad(f *testing.F) {
	for _, name := range configs.ProfileNames() {
		text, err := configs.Profile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, text := range []string{
		"", "a", "? {}", "a: &a [*a]", "board: {id: +-}", "sensing: {scan_hz: +-}", "sensing: {scan_hz: -}",
		"<<: *x", "%YAML 1.2\n---\nboard: ~", "\xff\xfe", "[[[[[[", "web: {hosts: [a, b.c]}",
		"hardware: {cells: {e6: {chip: 5, north: P0.4, south: P1.4}}}", "mqtt: {broker: \"mqtt://[::1]:1\"}",
		"hardware: {simulation: {noise: 0x1p-2}}", "data: {dir: \"~/\"}", "!!map {board: !!map {}}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := configs.Parse("my.yaml", text)
		if err != nil {
			checkReport(t, err)
			return
		}
		checkPromises(t, c)
	})
}

// checkReport fails unless every problem has a place and one line.
func checkReport(t *testing.T, err error) {
	t.Helper()
	var report *configs.Error
	if !errors.As(err, &report) || len(report.Problems) == 0 || len(report.Problems) > 10 {
		t.Fatalf("not a report: %v", err)
	}
	for _, p := range report.Problems {
		if p.File != "my.yaml" || p.Line < 1 || p.Text == "" || strings.ContainsAny(p.String(), "\n\r") {
			t.Fatalf("a problem without a place, or of several lines: %q", p)
		}
	}
}

// checkPromises fails unless c is what its documentation says.
func checkPromises(t *testing.T, c *configs.Config) {
	t.Helper()
	var pins [16][16]bool
	places := map[any]bool{}
	for i, w := range c.Hardware.Cells {
		if pins[w.Chip][w.NorthPin] || w.NorthPin == w.SouthPin || pins[w.Chip][w.SouthPin] {
			t.Fatalf("%v is wired to a pin in use: %+v", engine.Square(i), w)
		}
		pins[w.Chip][w.NorthPin], pins[w.Chip][w.SouthPin] = true, true
		crossing, tap := c.Hardware.Crossings[i], c.Hardware.Taps[i]
		if places[crossing] || places[tap] {
			t.Fatalf("%v is where another square is: %+v, %+v", engine.Square(i), crossing, tap)
		}
		places[crossing], places[tap] = true, true
	}
	if _, err := c.Game.Match(); err != nil {
		t.Fatal(err)
	}
	if c.Sensing.Settle <= c.Sensing.Debounce || c.Sensing.Period() <= 0 {
		t.Fatalf("sensing is %+v", c.Sensing)
	}
}

// TestReadmeNamesEveryKey compares the table of the project's README with the
// built-in file: every key with its default, and no key that does not exist.
func TestReadmeNamesEveryKey(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(readme), "\n| key | default | what it is |\n|---|---|---|\n")
	if !ok {
		t.Fatal("README.md has no table of keys")
	}
	table, _, _ := strings.Cut(text, "\n\n")
	var got []string
	for row := range strings.Lines(table) {
		cells := strings.Split(row, " | ")
		got = append(got, strings.Trim(cells[0], "|` ")+" = "+strings.Trim(cells[1], "`"))
	}
	builtIn, err := configs.Profile("default.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(builtIn, &doc); err != nil {
		t.Fatal(err)
	}
	if want := leaves("", doc.Content[0]); !slices.Equal(got, want) {
		t.Errorf("the table says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// leaves returns "dotted.key = value" for every key that is no section, in the
// order of the file.
func leaves(path string, n *yaml.Node) []string {
	switch {
	case n.Kind == yaml.SequenceNode:
		items := make([]string, len(n.Content))
		for i, item := range n.Content {
			items[i] = item.Value
		}
		return []string{path + " = [" + strings.Join(items, ", ") + "]"}
	case n.Kind == yaml.MappingNode && len(n.Content) == 0:
		return []string{path + " = {}"}
	case n.Kind == yaml.MappingNode:
		var all []string
		for i := 0; i < len(n.Content); i += 2 {
			all = append(all, leaves(strings.TrimPrefix(path+"."+n.Content[i].Value, "."), n.Content[i+1])...)
		}
		return all
	case n.Value == "":
		return []string{path + ` = ""`}
	}
	return []string{path + " = " + n.Value}
}

// The page may be on the network: it has a token then, if only one that is made.
func TestPageOnTheNetwork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, short := file("good", "correct horse\n"), file("short", "horse\n")
	c, err := parse(fmt.Sprintf("web: {listen: \"0.0.0.0:8064\", arbiter_token_file: %s, player_token_file: %s}\n", good, file("other", "battery staple\n")))
	if err != nil || c.Web.Loopback() {
		t.Fatalf("%+v, %v", c, err)
	}
	arbiter, player, err := c.Web.Tokens()
	if arbiter != "correct horse" || player != "battery staple" || err != nil {
		t.Errorf("the tokens are %q and %q, %v", arbiter, player, err)
	}
	if c, err = parse("web: {listen: \"[::]:8064\"}\n"); err != nil || c.Web.ArbiterTokenFile != "" {
		t.Errorf("without a file: %+v, %v", c, err)
	}
	_, err = parse("web: {player_token_file: " + good + "}\n")
	if err == nil || !strings.Contains(err.Error(), "everybody is an arbiter: set web.arbiter_token_file as well") {
		t.Errorf("players alone: %v", err)
	}
	_, err = parse("web: {arbiter_token_file: " + short + "}\n")
	if err == nil || !strings.Contains(err.Error(), "holds 5 characters: want at least 8") {
		t.Errorf("a short token: %v", err)
	}
}
