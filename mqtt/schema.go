package mqtt

import "embed"

// Schemas holds the JSON Schemas (draft 2020-12) of the payloads that this package
// writes, and of the commands that it reads, schema/<topic>.json with "-" for "/";
// those of events and states are in engine/record. They describe what this program
// writes: a receiver should ignore members that they do not name, because additions
// keep v.
//
//go:embed schema/*.json
var Schemas embed.FS
