package mqtt

// Device is the board as Home Assistant finds it by itself, by device discovery
// on homeassistant/device/<board>/config
// (https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery).
type Device struct {
	// Board is the board's id. All ids of the device follow from it and from
	// nothing else, so that a board with another name stays the same device.
	Board string
	// Name is the board's name for people.
	Name string
	// SW and HW are as in Options.
	SW, HW string
	// Page is the address of the live page, empty when others cannot open it.
	Page string
	// Support is the address where help begins, empty for none: the board's own page
	// of its health, from which a bug report is downloaded.
	Support string
	// Image says that the topic image is published.
	Image bool
}

// haDevice is the payload. Names of members are Home Assistant's, written out.
type haDevice struct {
	Device       haInfo                 `json:"device"`
	Origin       haOrigin               `json:"origin"`
	Availability []haAvailability       `json:"availability"`
	StateTopic   string                 `json:"state_topic"`
	Components   map[string]haComponent `json:"components"`
}

type haInfo struct {
	Identifiers  []string `json:"identifiers"`
	Name         string   `json:"name"`
	Manufacturer string   `json:"manufacturer"`
	Model        string   `json:"model"`
	Serial       string   `json:"serial_number"`
	SW           string   `json:"sw_version,omitempty"`
	HW           string   `json:"hw_version,omitempty"`
	Page         string   `json:"configuration_url,omitempty"`
}

type haOrigin struct {
	Name    string `json:"name"`
	SW      string `json:"sw_version,omitempty"`
	Support string `json:"support_url,omitempty"`
}

type haAvailability struct {
	Topic    string `json:"topic"`
	Template string `json:"value_template"`
}

// haComponent is an entity; what is empty is left out. An entity without a name gets
// the name of its device class, in the language of the user. One with nothing but a
// platform is removed.
type haComponent struct {
	Platform           string   `json:"platform"`
	Name               string   `json:"name,omitempty"`
	UniqueID           string   `json:"unique_id,omitempty"`
	QoS                int      `json:"qos,omitempty"`
	Icon               string   `json:"icon,omitempty"`
	DeviceClass        string   `json:"device_class,omitempty"`
	StateClass         string   `json:"state_class,omitempty"`
	Category           string   `json:"entity_category,omitempty"`
	Unit               string   `json:"unit_of_measurement,omitempty"`
	Options            []string `json:"options,omitempty"`
	StateTopic         string   `json:"state_topic,omitempty"`
	Template           string   `json:"value_template,omitempty"`
	ExpireAfter        int      `json:"expire_after,omitempty"`
	AttributesTopic    string   `json:"json_attributes_topic,omitempty"`
	AttributesTemplate string   `json:"json_attributes_template,omitempty"`
	EventTypes         []string `json:"event_types,omitempty"`
	CommandTopic       string   `json:"command_topic,omitempty"`
	CommandTemplate    string   `json:"command_template,omitempty"`
	ImageTopic         string   `json:"image_topic,omitempty"`
	ContentType        string   `json:"content_type,omitempty"`
	// Availability replaces that of the device unless it is nil; an entity with an
	// empty one is always available.
	Availability []haAvailability `json:"availability,omitzero"`
}

// Discovery returns the payload for Options.Discovery.
//
// Templates are Jinja as Home Assistant renders it: "None" stands for unknown, and
// an empty text is ignored. A member of something that may be null is never
// printed without a default, which would be a warning in Home Assistant's log
// with every message.
func (d Device) Discovery() []byte {
	base := root + d.Board + "/"
	v := haDevice{
		Device: haInfo{
			Identifiers: []string{d.Board}, Name: d.Name, Manufacturer: "reversi-board", Model: "Reversi board 8x8",
			Serial: d.Board, SW: d.SW, HW: d.HW, Page: d.Page,
		},
		Origin:       haOrigin{Name: "reversi-board", SW: d.SW, Support: d.Support},
		Availability: []haAvailability{{base + "availability", "{{ value_json.state }}"}},
		StateTopic:   base + "state",
		Components:   make(map[string]haComponent),
	}
	add := func(id string, c haComponent) {
		// The QoS of a device is not passed down to its components.
		c.UniqueID, c.QoS = d.Board+"-"+id, 1
		v.Components[id] = c
	}
	d.addGame(add, base)
	d.addClocks(add)
	d.addButtons(add, base)
	d.addDiagnosis(add, base)
	if !d.Image {
		// An earlier run may have had it. To remove what is not there does no harm.
		v.Components[string(Image)] = haComponent{Platform: "image"}
	}
	return encode(v)
}

// addGame adds what the game is about.
func (d Device) addGame(add func(string, haComponent), base string) {
	add("phase", haComponent{
		Platform: "sensor", Name: "Phase", DeviceClass: "enum", Icon: "mdi:state-machine",
		Options: []string{"idle", "setup", "playing", "paused", "over"}, Template: "{{ value_json.phase }}",
	})
	add("turn", haComponent{
		Platform: "sensor", Name: "Turn", DeviceClass: "enum", Icon: "mdi:circle-half-full",
		Options: []string{"black", "white", "none"}, Template: "{{ value_json.turn }}",
	})
	add("score_black", haComponent{
		Platform: "sensor", Name: "Black discs", StateClass: "measurement", Unit: "discs", Icon: "mdi:circle",
		Template: "{{ value_json.score.black }}",
	})
	add("score_white", haComponent{
		Platform: "sensor", Name: "White discs", StateClass: "measurement", Unit: "discs", Icon: "mdi:circle-outline",
		Template: "{{ value_json.score.white }}",
	})
	// The transcript is longer than the 255 characters that a state may have.
	add("last_move", haComponent{
		Platform: "sensor", Name: "Last move", Icon: "mdi:grid",
		Template:        "{{ value_json.last.move | default('none', true) }}",
		AttributesTopic: base + "state",
		AttributesTemplate: "{{ {'ply': value_json.ply, 'by': value_json.last.by | default(none), " +
			"'flipped': value_json.last.flipped | default([]), 'transcript': value_json.transcript} | tojson }}",
	})
	// The outbox is drained before the board says that it is online: an entity that is
	// not available then would fire the last event only.
	add("event", haComponent{
		Platform: "event", Name: "Game event", StateTopic: base + "event", EventTypes: eventTypes(),
		Availability: []haAvailability{}, Template: eventTemplate,
	})
	if d.Image {
		add(string(Image), haComponent{
			Platform: "image", Name: "Picture", ImageTopic: base + string(Image), ContentType: "image/png",
		})
	}
}

// eventTemplate renders nothing for what is no news: what is sent again to fill
// somebody's gap, and what the entity has had already, because the board has lost
// power, or the broker's acknowledgement, before it noted that it was sent. What the
// entity had last is in its attributes, which Home Assistant keeps over restarts.
const eventTemplate = `{% set had = this.attributes %}{% set data = value_json.data %}` +
	`{% if not (value_json.replay | default(false) ` +
	`or had.jid | default('') == value_json.jid and value_json.seq <= had.seq | default(0) | int(0)) %}` +
	`{{ dict({'event_type': value_json.type, 'jid': value_json.jid, 'seq': value_json.seq, 'ts': value_json.ts, ` +
	`'ply': value_json.ply, 'by': data.by | default(none), 'move': data.move | default(none)}, ` +
	`**(data if value_json.type in ('game_over', 'clock_flag') else {})) | tojson }}{% endif %}`

// addClocks adds what is left on the clocks as they were last started, stopped or
// set, and when the flag of the one that runs falls: Home Assistant can count down
// to a time.
func (d Device) addClocks(add func(string, haComponent)) {
	for _, c := range []struct{ id, name, member string }{
		{"clock_black", "Black clock", "black_ms"}, {"clock_white", "White clock", "white_ms"},
	} {
		left := "value_json.clock." + c.member
		add(c.id, haComponent{
			Platform: "sensor", Name: c.name, DeviceClass: "duration", Unit: "s",
			Template: "{{ (" + left + " / 1000) | round(0) | int if " + left + " is number else none }}",
		})
	}
	add("flag_at", haComponent{
		Platform: "sensor", Name: "Flag falls", DeviceClass: "timestamp",
		Template: "{{ value_json.clock.flag_at | default(none, true) }}",
	})
}

// addButtons adds commands of the role ha. They run out after ten seconds: what
// waited while the board was away is not wanted any more.
func (d Device) addButtons(add func(string, haComponent), base string) {
	press := func(name string, c haComponent, args string) {
		c.Platform, c.CommandTopic = "button", base+"cmd/"+string(HA)+"/"+name
		c.CommandTemplate = `{"v": 1, "id": "ha-{{ utcnow().timestamp() }}", "from": "ha", ` +
			`"ts": "{{ utcnow().isoformat() }}", "ttl_ms": 10000` + args + `}`
		add(name, c)
	}
	press("new", haComponent{Name: "New game", Icon: "mdi:restart"}, "")
	press("undo", haComponent{Name: "Undo", Icon: "mdi:undo"}, `, "args": {"plies": 1}`)
	press("pause", haComponent{Name: "Stop the game", Icon: "mdi:pause"}, "")
	press("resume", haComponent{Name: "Go on", Icon: "mdi:play"}, "")
	press("identify", haComponent{Category: "diagnostic", DeviceClass: "identify"}, "")
}

// addDiagnosis adds what is wrong, and how the board is. diag comes every minute:
// after five without it nothing is known any more.
func (d Device) addDiagnosis(add func(string, haComponent), base string) {
	const gone = 300
	add("problem", haComponent{
		Platform: "binary_sensor", DeviceClass: "problem", Category: "diagnostic",
		Template:        "{{ 'ON' if value_json.problem.active else 'OFF' }}",
		AttributesTopic: base + "state", AttributesTemplate: "{{ value_json.problem | tojson }}",
	})
	add("cpu_temp", haComponent{
		Platform: "sensor", Name: "CPU temperature", DeviceClass: "temperature", StateClass: "measurement", Unit: "°C",
		Category: "diagnostic", StateTopic: base + string(Diag), ExpireAfter: gone,
		Template: "{{ value_json.cpu_c | default(none) }}",
	})
	add("outbox", haComponent{
		Platform: "sensor", Name: "Unsent events", StateClass: "measurement",
		Category: "diagnostic", StateTopic: base + string(Diag), ExpireAfter: gone,
		Template: "{{ value_json.outbox }}",
	})
}

// eventTypes are the types of events, as in the schema of engine/record.
func eventTypes() []string {
	return []string{
		"game_started", "move", "pass", "flip_error", "undo", "revise", "illegal_move", "position_set",
		"clock_flag", "clock_adjusted", "paused", "resumed", "game_over", "sensor_fault", "sensor_restored",
		"power_restored", "time_stepped", "engine_lost", "command",
	}
}
