package schematest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"regexp"
	"slices"
	"unicode/utf8"
)

// Schema is a JSON Schema.
type Schema struct {
	Schema               string             `json:"$schema"`
	Title                string             `json:"title"`
	Description          string             `json:"description"`
	Type                 types              `json:"type"`
	Const                any                `json:"const"`
	Enum                 []any              `json:"enum"`
	Pattern              string             `json:"pattern"`
	MinLength            *int               `json:"minLength"`
	MaxLength            *int               `json:"maxLength"`
	Minimum              *float64           `json:"minimum"`
	Maximum              *float64           `json:"maximum"`
	MinItems             *int               `json:"minItems"`
	MaxItems             *int               `json:"maxItems"`
	Items                *Schema            `json:"items"`
	Required             []string           `json:"required"`
	Properties           map[string]*Schema `json:"properties"`
	AdditionalProperties *bool              `json:"additionalProperties"`
	AllOf                []Branch           `json:"allOf"`
}

// Branch is a member of allOf: what must hold if something else does.
type Branch struct {
	If   *Schema `json:"if"`
	Then *Schema `json:"then"`
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

// Load reads a schema from a file system such as mqtt.Schemas.
func Load(files fs.FS, name string) (*Schema, error) {
	b, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	s := new(Schema)
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		return nil, fmt.Errorf("read the schema %s: %w", name, err)
	}
	return s, nil
}

// Check returns why a payload is not as the schema says, nil if it is.
func (s *Schema) Check(payload []byte) error {
	var v any
	if err := json.Unmarshal(payload, &v); err != nil {
		return fmt.Errorf("read the payload: %w", err)
	}
	return s.validate("", v)
}

func (s *Schema) validate(at string, v any) error {
	if err := s.value(v); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	switch v := v.(type) {
	case []any:
		return s.array(at, v)
	case map[string]any:
		return s.object(at, v)
	}
	return nil
}

// value checks what does not look inside of v.
func (s *Schema) value(v any) error {
	isType := func(name string) bool { return hasType(name, v) }
	isValue := func(x any) bool { return reflect.DeepEqual(x, v) }
	switch {
	case s.Type != nil && !slices.ContainsFunc(s.Type, isType):
		return fmt.Errorf("%v is no %v", v, s.Type)
	case s.Const != nil && !isValue(s.Const):
		return fmt.Errorf("%v is not %v", v, s.Const)
	case s.Enum != nil && !slices.ContainsFunc(s.Enum, isValue):
		return fmt.Errorf("%v is none of %v", v, s.Enum)
	}
	switch v := v.(type) {
	case string:
		return s.text(v)
	case float64:
		if s.Minimum != nil && v < *s.Minimum || s.Maximum != nil && v > *s.Maximum {
			return fmt.Errorf("%v is out of range", v)
		}
	}
	return nil
}

func hasType(name string, v any) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && v == math.Trunc(v)
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return false
}

func (s *Schema) text(v string) error {
	n := utf8.RuneCountInString(v)
	switch {
	case s.MinLength != nil && n < *s.MinLength, s.MaxLength != nil && n > *s.MaxLength:
		return fmt.Errorf("%q has %d characters", v, n)
	case s.Pattern == "":
		return nil
	}
	ok, err := regexp.MatchString(s.Pattern, v)
	if err == nil && !ok {
		err = fmt.Errorf("%q does not match %s", v, s.Pattern)
	}
	return err
}

func (s *Schema) array(at string, v []any) error {
	if s.MinItems != nil && len(v) < *s.MinItems || s.MaxItems != nil && len(v) > *s.MaxItems {
		return fmt.Errorf("%s: %d items", at, len(v))
	}
	if s.Items == nil {
		return nil
	}
	for i, x := range v {
		if err := s.Items.validate(fmt.Sprintf("%s[%d]", at, i), x); err != nil {
			return err
		}
	}
	return nil
}

func (s *Schema) object(at string, v map[string]any) error {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			return fmt.Errorf("%s: %s is missing", at, name)
		}
	}
	for name, x := range v {
		p, known := s.Properties[name]
		if !known && s.AdditionalProperties != nil && !*s.AdditionalProperties {
			return fmt.Errorf("%s: %s is not in the schema", at, name)
		}
		if !known {
			continue
		}
		if err := p.validate(at+"."+name, x); err != nil {
			return err
		}
	}
	for i, b := range s.AllOf {
		if b.If == nil || b.Then == nil {
			return errors.New("a branch without if or then")
		}
		if b.If.validate(at, v) != nil {
			continue
		}
		if err := b.Then.validate(fmt.Sprintf("%s(branch %d)", at, i), v); err != nil {
			return err
		}
	}
	return nil
}
