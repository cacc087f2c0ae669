"""What Home Assistant makes of a board's messages.

This is no Home Assistant: it knows how entities of its MQTT integration are set up
by device discovery and what they make of a message, as far as that is in its
documentation (https://www.home-assistant.io/integrations/mqtt/) and in sensor.py,
event.py, image.py and schemas.py of homeassistant/components/mqtt. Templates are
rendered by Jinja itself, the language that Home Assistant uses, in a sandbox and
with undefined values of its own: to print one is a warning there and is one here.

An entity that is not available has no attributes, and an event that comes while it
is not fires only when it is available again, if it was the last one: such are the
states of Home Assistant (helpers/entity.py, components/event/__init__.py).

It reads one JSON object a line from standard input: a message, with the members
topic, payload and retained, {"press": "<a button>"}, or {"restart": true}: Home
Assistant starts anew with what it has kept. It writes one JSON object:
the device, whether it is available, its entities, the messages that the presses
have made, and warnings. What Home Assistant would refuse ends it with a text.
"""

import datetime
import json
import sys

import jinja2
import jinja2.sandbox

WARNINGS = []


class Undefined(jinja2.Undefined):
    """Says so when something is used that is not there."""

    def _warn(self):
        WARNINGS.append(f"{self._undefined_name} is undefined")

    def __str__(self):
        self._warn()
        return ""

    def __iter__(self):
        self._warn()
        return iter(())

    def __bool__(self):
        self._warn()
        return False


JINJA = jinja2.sandbox.ImmutableSandboxedEnvironment(undefined=Undefined)
JINJA.globals["utcnow"] = lambda: datetime.datetime.now(datetime.timezone.utc)


def render(template, payload, this=None):
    variables = {"value": payload}
    if this is not None:
        variables["this"] = this
    try:
        variables["value_json"] = json.loads(payload)
    except ValueError:
        pass
    return JINJA.from_string(template).render(variables).strip()


def must(condition, text):
    if not condition:
        raise SystemExit(f"refused: {text}")


# What an entity may have beside what all may have, and what it must have.
COMMON = {
    "platform", "name", "unique_id", "icon", "entity_category", "device_class", "qos", "availability",
    "json_attributes_topic", "json_attributes_template",
}
OWN = {
    "sensor": {"state_topic", "value_template", "state_class", "unit_of_measurement", "options", "expire_after"},
    "binary_sensor": {"state_topic", "value_template", "expire_after"},
    "event": {"state_topic", "value_template", "event_types"},
    "button": {"command_topic", "command_template", "retain"},
    "image": {"image_topic", "content_type"},
}
NEEDS = {"sensor": (), "binary_sensor": (), "event": ("event_types",), "button": ("command_topic",), "image": ("image_topic",)}
CLASSES = {
    "sensor": {"enum", "duration", "timestamp", "temperature"},
    "binary_sensor": {"problem"},
    "button": {"identify", "restart", "update"},
}
UNITS = {"duration": {"d", "h", "min", "s", "ms"}, "temperature": {"°C", "°F", "K"}}


# What a device passes down to its components (SHARED_OPTIONS in const.py): the QoS,
# which its schema allows as well, is not among it.
SHARED = ("availability", "state_topic", "command_topic")


class Entity:
    def __init__(self, key, config, device):
        self.config = c = {**{o: device[o] for o in SHARED if o in device}, **config}
        self.name = key
        self.payloads = {a["topic"]: None for a in c.get("availability", [])}
        self.pending = None
        self.state, self.attributes, self.fired = None, None, []
        platform, kind = c.get("platform"), c.get("device_class")
        self.must(platform in OWN, f"no platform {platform}")
        strange = set(config) - COMMON - OWN[platform]
        self.must(not strange, f"{strange} is not known for {platform}")
        self.must(c.get("unique_id"), "no unique_id")
        for member in NEEDS[platform]:
            self.must(c.get(member), f"no {member}")
        self.must(kind is None or kind in CLASSES.get(platform, ()), f"device_class {kind}")
        self.must(c.get("entity_category") in (None, "config", "diagnostic"), "entity_category")
        self.must(c.get("icon", "mdi:").startswith("mdi:"), "icon")
        self.must((kind == "enum") == ("options" in c), "an enum has options, and nothing else has")
        self.must(not (kind in ("enum", "timestamp") and self.numeric()), f"a {kind} has no unit and no state_class")
        self.must(kind not in UNITS or c.get("unit_of_measurement") in UNITS[kind], f"the unit of {kind}")

    def must(self, condition, text):
        must(condition, f"{self.name}: {text}")

    def numeric(self):
        return bool(self.config.get("unit_of_measurement") or self.config.get("state_class"))

    def available(self):
        return all(state == "online" for state in self.payloads.values())

    def this(self):
        """The state of the entity, as its templates see it."""
        last = self.fired[-1] if self.fired and self.available() else {}
        return {"entity_id": f"event.{self.name}", "attributes": {k: v for k, v in last.items() if k != "type"}}

    def take(self, topic, payload, retained):
        c = self.config
        for a in c.get("availability", []):
            if topic == a["topic"]:
                self.payloads[topic] = render(a["value_template"], payload)
                self.write()
        if topic == c.get("json_attributes_topic"):
            self.attributes = json.loads(render(c["json_attributes_template"], payload))
            self.must(isinstance(self.attributes, dict), "attributes are no object")
        if topic != c.get("state_topic") or c["platform"] in ("button", "image"):
            return
        text = render(c["value_template"], payload, self.this())
        if c["platform"] == "event":
            self.event(text, retained)
        elif text == "None":
            self.state = None
        elif text != "":
            self.check(text)
            self.state = text

    def check(self, text):
        c = self.config
        kind = c.get("device_class")
        self.must(len(text) <= 255, f"a state of {len(text)} characters")
        if c["platform"] == "binary_sensor":
            self.must(text in ("ON", "OFF"), f"the state {text}")
        elif kind == "enum":
            self.must(text in c["options"], f"{text} is none of its options")
        elif kind == "timestamp":
            at = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
            self.must(at.tzinfo is not None, "a time without a zone")
        elif self.numeric():
            float(text)

    def event(self, text, retained):
        if retained or text in ("", "None", "{}"):
            return
        value = json.loads(text)
        kind = value.pop("event_type")
        self.must(kind in self.config["event_types"], f"{kind} is none of its types")
        self.pending = {"type": kind, **value}
        self.write()

    def write(self):
        """Writes the state: an event fires when it changes."""
        if self.pending and self.available():
            self.fired.append(self.pending)
            self.pending = None

    def press(self):
        self.must(self.config["platform"] == "button", "no button")
        text = JINJA.from_string(self.config["command_template"]).render(value="PRESS")
        return {"topic": self.config["command_topic"], "payload": text}


def discover(payload, known):
    if payload == "":
        return None, {}
    device = json.loads(payload)
    strange = set(device) - {
        "device", "origin", "components", "availability", "state_topic", "command_topic", "qos", "encoding",
    }
    must(not strange, f"the payload has {strange}")
    strange = set(device["device"]) - {
        "identifiers", "connections", "manufacturer", "model", "name", "hw_version", "serial_number", "sw_version",
        "via_device", "suggested_area", "configuration_url",
    }
    must(not set(device["origin"]) - {"name", "sw_version", "support_url"}, "the origin")
    must(not strange, f"the device has {strange}")
    must(device["device"].get("identifiers"), "the device has no identifiers")
    must(device["origin"].get("name"), "the origin has no name")
    entities = dict(known)
    for key, c in device["components"].items():
        must(c.get("platform") in OWN, f"{key}: no platform")
        if len(c) == 1:
            entities.pop(key, None)
        elif key in known:
            # What is known is set up anew and keeps its state.
            old, entities[key] = known[key], Entity(key, c, device)
            for kept in ("state", "attributes", "fired", "pending"):
                setattr(entities[key], kept, getattr(old, kept))
            entities[key].payloads = {t: old.payloads.get(t) for t in entities[key].payloads}
        else:
            entities[key] = Entity(key, c, device)
    ids = [e.config["unique_id"] for e in entities.values()]
    must(len(ids) == len(set(ids)), "a unique_id is there twice")
    return device, entities


def main():
    device, entities, available, made = None, {}, None, []
    for line in sys.stdin:
        m = json.loads(line)
        if "press" in m:
            made.append(entities[m["press"]].press())
        elif "restart" in m:
            # Entities that nobody has told of are kept, but do not work.
            for e in entities.values():
                e.payloads = dict.fromkeys(e.payloads)
                e.pending = None
        elif m["topic"].startswith("homeassistant/device/"):
            device, entities = discover(m["payload"], entities)
        elif device is not None:
            for a in device.get("availability", []):
                if m["topic"] == a["topic"]:
                    available = render(a["value_template"], m["payload"])
            for e in entities.values():
                e.take(m["topic"], m["payload"], m["retained"])
    json.dump({
        "device": device and device["device"], "available": available, "warnings": WARNINGS, "made": made,
        "entities": {k: {"state": e.state, "attributes": e.attributes, "fired": e.fired} for k, e in entities.items()},
    }, sys.stdout)


main()
