package mqtt_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"reversi-board/mqtt"
)

// discovered is the payload as far as the tests look at it.
type discovered struct {
	Device struct {
		Identifiers []string `json:"identifiers"`
		Name        string   `json:"name"`
		Page        string   `json:"configuration_url"`
		Serial      string   `json:"serial_number"`
	} `json:"device"`
	Origin struct {
		Support string `json:"support_url"`
	} `json:"origin"`
	Components map[string]map[string]any `json:"components"`
}

// entities counts the components that are not removed.
func (v discovered) entities() (n int) {
	for _, c := range v.Components {
		if len(c) > 1 {
			n++
		}
	}
	return n
}

func discover(t *testing.T, d mqtt.Device) (v discovered) {
	t.Helper()
	if err := json.Unmarshal(d.Discovery(), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestDiscoveryAfterARename: the display name is changed, and it is the same device
// with the same entities all the same (home-assistant/core issue 133487).
func TestDiscoveryAfterARename(t *testing.T) {
	before := discover(t, mqtt.Device{Board: "rv-b07", Name: "Board 7", SW: "1.0", Image: true})
	after := discover(t, mqtt.Device{Board: "rv-b07", Name: `<b>"Hall A" #+/é`, SW: "1.1", Image: true})
	if !slices.Equal(before.Device.Identifiers, []string{"rv-b07"}) || !slices.Equal(after.Device.Identifiers, []string{"rv-b07"}) {
		t.Errorf("identifiers %q and %q", before.Device.Identifiers, after.Device.Identifiers)
	}
	if after.Device.Name != `<b>"Hall A" #+/é` {
		t.Errorf("the name is %q", after.Device.Name)
	}
	ids := func(v discovered) map[string]any {
		all := make(map[string]any)
		for key, c := range v.Components {
			all[key] = c["unique_id"]
		}
		return all
	}
	if !maps.Equal(ids(before), ids(after)) || len(ids(before)) < 15 {
		t.Errorf("the entities were %v and are %v", ids(before), ids(after))
	}
	for key, id := range ids(after) {
		if want := "rv-b07-" + key; id != want {
			t.Errorf("the id of %s is %v, want %s", key, id, want)
		}
	}
}

// TestDiscoveryKeepsToTheContract: topics are those of the board, commands those of
// the role ha, and the types of events those of the schema.
func TestDiscoveryKeepsToTheContract(t *testing.T) {
	topics := map[string]bool{}
	for _, name := range []string{"state", "event", "diag", "image"} {
		topics["reversi/v1/rv-b07/"+name] = true
	}
	for _, name := range mqtt.DefaultCommands()[string(mqtt.HA)] {
		topics["reversi/v1/rv-b07/cmd/ha/"+name] = true
	}
	v := discover(t, mqtt.Device{Board: "rv-b07", Name: "x", Image: true})
	for key, c := range v.Components {
		for member, value := range c {
			if strings.HasSuffix(member, "_topic") && !topics[value.(string)] { //nolint:forcetypeassert // a topic is a text
				t.Errorf("%s: %s is %v, which is no topic of the board", key, member, value)
			}
		}
	}
	var schema struct {
		Properties struct {
			Type struct {
				Enum []string `json:"enum"`
			} `json:"type"`
		} `json:"properties"`
	}
	text, err := os.ReadFile("../engine/record/schema/event.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(slices.Values(schema.Properties.Type.Enum))
	var got []string
	for _, kind := range v.Components["event"]["event_types"].([]any) { //nolint:forcetypeassert // a list of texts
		got = append(got, kind.(string)) //nolint:forcetypeassert // a list of texts
	}
	slices.Sort(got)
	if !slices.Equal(got, want) || len(want) < 19 {
		t.Errorf("the types are %v, want %v", got, want)
	}
}

// TestDiscoveryLeavesOut: where no picture is published, one of an earlier run is
// removed, which a component with nothing but its platform does; and there is no
// address where the page is for this computer alone.
func TestDiscoveryLeavesOut(t *testing.T) {
	v := discover(t, mqtt.Device{Board: "rv-b07", Name: "x"})
	without := v.entities()
	if image := v.Components["image"]; !maps.Equal(image, map[string]any{"platform": "image"}) || v.Device.Page != "" {
		t.Errorf("image %v, page %q", image, v.Device.Page)
	}
	v = discover(t, mqtt.Device{Board: "rv-b07", Name: "x", Image: true, Page: "http://192.0.2.7:8064/"})
	if v.entities() != without+1 || v.Components["image"]["name"] != "Picture" || v.Device.Page != "http://192.0.2.7:8064/" {
		t.Errorf("%d entities, before %d, image %v, page %q", v.entities(), without, v.Components["image"], v.Device.Page)
	}
}

// TestDiscoverySaysTheQoSOfEachEntity: Home Assistant does not pass the QoS of a
// device down to its components, and would subscribe with QoS 0.
func TestDiscoverySaysTheQoSOfEachEntity(t *testing.T) {
	for key, c := range discover(t, mqtt.Device{Board: "rv-b07", Name: "x", Image: true}).Components {
		if c["qos"] != 1.0 {
			t.Errorf("%s has QoS %v, want 1", key, c["qos"])
		}
	}
}

// TestDiscoveryShowsButtonsAsControls: the buttons of the game are no settings, and
// what has a device class that says everything is named by Home Assistant.
func TestDiscoveryShowsButtonsAsControls(t *testing.T) {
	all := discover(t, mqtt.Device{Board: "rv-b07", Name: "x"}).Components
	for _, key := range []string{"new", "undo", "pause", "resume"} {
		if c, there := all[key]["entity_category"]; there || all[key]["name"] == nil {
			t.Errorf("%s has the category %v and the name %v", key, c, all[key]["name"])
		}
	}
	for _, key := range []string{"problem", "identify"} {
		if name, there := all[key]["name"]; there || all[key]["device_class"] != key {
			t.Errorf("%s has the name %v and the device class %v", key, name, all[key]["device_class"])
		}
	}
}

// TestDiscoverySaysWhereHelpIs: which board it is, and where help begins.
func TestDiscoverySaysWhereHelpIs(t *testing.T) {
	v := discover(t, mqtt.Device{Board: "rv-b07", Name: "x", Support: "http://192.0.2.7:8064/health"})
	if v.Device.Serial != "rv-b07" || v.Origin.Support != "http://192.0.2.7:8064/health" {
		t.Errorf("serial number %q, support %q", v.Device.Serial, v.Origin.Support)
	}
}
