package record_test

import (
	"strings"
	"testing"

	"reversi-board/engine/record/schematest"
)

// schema is one of the JSON Schemas of the payloads, by its file.
type schema string

func loadSchema(_ testing.TB, name string) schema { return schema("schema/" + name + ".json") }

// check fails the test unless b is a payload that the schema allows.
func (s schema) check(t testing.TB, b []byte) {
	t.Helper()
	if err := s.validateText(b); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
}

func (s schema) validateText(b []byte) error { return schematest.Check(string(s), b) }

// A schema must be able to say no.
func TestSchemasRefuse(t *testing.T) {
	event, state := loadSchema(t, "event"), loadSchema(t, "state")
	if err := event.validateText([]byte(goldenMove)); err != nil {
		t.Fatalf("the example itself: %v", err)
	}
	if state.validateText([]byte(goldenMove)) == nil {
		t.Error("the schema of the state accepts an event")
	}
	for name, change := range map[string][2]string{
		"missing member":   {`,"board_fp":"0123456789abcdef"`, ``},
		"unknown member":   {`"v":1`, `"v":1,"colour":"black"`},
		"wrong word":       {`"move",`, `"moved",`},
		"wrong type":       {`"seq":12`, `"seq":"12"`},
		"fraction":         {`"mono_ms":61250`, `"mono_ms":1.5`},
		"bad square":       {`["d4"]`, `["e9"]`},
		"data of a pass":   {`"type":"move"`, `"type":"pass"`},
		"bad fingerprint":  {`0123456789abcdef`, `xyz`},
		"wrong jid":        {jid, `short`},
		"nameless journal": {`"` + jid + `"`, `null`},
		"later version":    {`"v":1`, `"v":2`},
	} {
		text := strings.Replace(goldenMove, change[0], change[1], 1)
		if text == goldenMove || event.validateText([]byte(text)) == nil {
			t.Errorf("%s: the schema accepts %s", name, text)
		}
	}
}
