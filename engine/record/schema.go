package record

import "embed"

// Schemas holds the JSON Schemas (draft 2020-12) of the payloads, schema/event.json,
// schema/state.json and schema/clock.json. They describe what this program writes:
// a receiver should ignore members that they do not name, because additions keep v.
//
//go:embed schema/*.json
var Schemas embed.FS
