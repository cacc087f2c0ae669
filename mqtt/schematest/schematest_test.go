package schematest_test

import (
	"testing"
	"testing/fstest"

	"reversi-board/mqtt/schematest"
)

const every = `{"type":"object","required":["a"],"additionalProperties":false,"properties":{
	"a":{"type":"integer","minimum":1,"maximum":3},
	"b":{"type":["string","null"],"pattern":"^x","minLength":2,"maxLength":3},
	"c":{"type":"array","minItems":1,"maxItems":2,"items":{"enum":[1,"one",null]}},
	"d":{"const":true}},
	"allOf":[{"if":{"properties":{"a":{"const":3}}},"then":{"required":["d"]}}]}`

// Every keyword can fail.
func TestKeywords(t *testing.T) {
	t.Parallel()
	s, err := schematest.Load(fstest.MapFS{"s.json": {Data: []byte(every)}}, "s.json")
	if err != nil {
		t.Fatal(err)
	}
	for payload, good := range map[string]bool{
		`{"a":1}`: true, `{"a":1,"b":null,"c":[1,"one"],"d":true}`: true, `{"a":3,"d":true}`: true, `{"a":2,"b":"xé"}`: true,
		`{`: false, `[]`: false, `{}`: false, `{"a":0}`: false, `{"a":4}`: false, `{"a":1.5}`: false, `{"a":"1"}`: false,
		`{"a":1,"b":"y"}`: false, `{"a":1,"b":"x"}`: false, `{"a":1,"b":"xyzz"}`: false, `{"a":1,"b":2}`: false,
		`{"a":1,"c":[]}`: false, `{"a":1,"c":[1,1,1]}`: false, `{"a":1,"c":[2]}`: false,
		`{"a":1,"d":false}`: false, `{"a":1,"e":1}`: false, `{"a":3}`: false,
	} {
		if err := s.Check([]byte(payload)); (err == nil) != good {
			t.Errorf("%s: %v", payload, err)
		}
	}
}

// A keyword that is not known is no schema, nor is a file that is not there.
func TestUnknownKeywordsDoNotLoad(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"s.json": {Data: []byte(`{"properties":{"a":{"multipleOf":2}}}`)}}
	for _, name := range []string{"s.json", "t.json"} {
		if _, err := schematest.Load(files, name); err == nil {
			t.Errorf("%s was loaded", name)
		}
	}
}
