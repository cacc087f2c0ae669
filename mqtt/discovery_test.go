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
	} `json:"device"`
	Components map[string]map[string]any `json:"components"`
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

// TestDiscoveryLeavesOut: there is no picture where none is published, and no
// address where the page is for this computer alone.
func TestDiscoveryLeavesOut(t *testing.T) {
	v := discover(t, mqtt.Device{Board: "rv-b07", Name: "x"})
	if _, ok := v.Components["image"]; ok || v.Device.Page != "" {
		t.Errorf("image %v, page %q", ok, v.Device.Page)
	}
	v = discover(t, mqtt.Device{Board: "rv-b07", Name: "x", Image: true, Page: "http://192.0.2.7:8064/"})
	if _, ok := v.Components["image"]; !ok || v.Device.Page != "http://192.0.2.7:8064/" {
		t.Errorf("image %v, page %q", ok, v.Device.Page)
	}
}
