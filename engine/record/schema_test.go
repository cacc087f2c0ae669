package record_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"reversi-board/engine/record"
)

// schema is a JSON Schema with exactly the keywords that ours use; any other
// one does not load.
type schema struct {
	Schema               string             `json:"$schema"`
	Title                string             `json:"title"`
	Description          string             `json:"description"`
	Type                 types              `json:"type"`
	Const                any                `json:"const"`
	Enum                 []any              `json:"enum"`
	Pattern              string             `json:"pattern"`
	MaxLength            *int               `json:"maxLength"`
	Minimum              *float64           `json:"minimum"`
	Maximum              *float64           `json:"maximum"`
	MaxItems             *int               `json:"maxItems"`
	Items                *schema            `json:"items"`
	Required             []string           `json:"required"`
	Properties           map[string]*schema `json:"properties"`
	AdditionalProperties *bool              `json:"additionalProperties"`
	AllOf                []struct {
		If   *schema `json:"if"`
		Then *schema `json:"then"`
	} `json:"allOf"`
}

// types is one name of a type or several.
type types []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *types) UnmarshalJSON(b []byte) error {
	if b[0] == '[' {
		return json.Unmarshal(b, (*[]string)(t))
	}
	*t = make(types, 1)
	return json.Unmarshal(b, &(*t)[0])
}

func loadSchema(t testing.TB, name string) *schema {
	t.Helper()
	b, err := record.Schemas.ReadFile("schema/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	s := new(schema)
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// check fails the test unless b is a payload that the schema allows.
func (s *schema) check(t testing.TB, b []byte) {
	t.Helper()
	if err := s.validateText(b); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
}

func (s *schema) validateText(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	return s.validate("", v)
}

func (s *schema) validate(at string, v any) error {
	isType := func(name string) bool { return hasType(name, v) }
	isValue := func(x any) bool { return reflect.DeepEqual(x, v) }
	var err error
	switch {
	case s.Type != nil && !slices.ContainsFunc(s.Type, isType):
		return fmt.Errorf("%s: %v is no %v", at, v, s.Type)
	case s.Const != nil && !isValue(s.Const):
		return fmt.Errorf("%s: %v is not %v", at, v, s.Const)
	case s.Enum != nil && !slices.ContainsFunc(s.Enum, isValue):
		return fmt.Errorf("%s: %v is none of %v", at, v, s.Enum)
	}
	switch v := v.(type) {
	case string:
		err = s.text(v)
	case float64:
		if s.Minimum != nil && v < *s.Minimum || s.Maximum != nil && v > *s.Maximum {
			err = fmt.Errorf("%v is out of range", v)
		}
	case []any:
		return s.array(at, v)
	case map[string]any:
		return s.object(at, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	return nil
}

func (s *schema) text(v string) error {
	if s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(v) {
		return fmt.Errorf("%q does not match %s", v, s.Pattern)
	}
	if s.MaxLength != nil && utf8.RuneCountInString(v) > *s.MaxLength {
		return fmt.Errorf("%q is too long", v)
	}
	return nil
}

func (s *schema) array(at string, v []any) error {
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		return fmt.Errorf("%s: %d items", at, len(v))
	}
	for i, item := range v {
		if s.Items == nil {
			break
		}
		if err := s.Items.validate(fmt.Sprintf("%s[%d]", at, i), item); err != nil {
			return err
		}
	}
	return nil
}

func (s *schema) object(at string, v map[string]any) error {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			return fmt.Errorf("%s: %s is missing", at, name)
		}
	}
	for name, value := range v {
		sub, ok := s.Properties[name]
		if !ok && s.AdditionalProperties != nil && !*s.AdditionalProperties {
			return fmt.Errorf("%s: %s is not in the schema", at, name)
		}
		if !ok {
			continue
		}
		if err := sub.validate(at+"."+name, value); err != nil {
			return err
		}
	}
	for _, rule := range s.AllOf {
		if rule.If.validate(at, v) != nil {
			continue
		}
		if err := rule.Then.validate(at, v); err != nil {
			return err
		}
	}
	return nil
}

func hasType(name string, v any) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case float64:
		return name == "number" || name == "integer" && v == math.Trunc(v)
	case []any:
		return name == "array"
	default:
		return name == "object"
	}
}

// The checker itself must be able to say no.
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
