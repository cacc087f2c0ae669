// Package schematest checks payloads against their JSON Schemas in tests, those of
// this folder's parent and those of mqtt/schema. It is no part of the program.
package schematest

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compiled are the schemas that have been read, by file.
var compiled sync.Map //nolint:gochecknoglobals // a cache: what it holds does not change

// Check returns what is wrong with a payload by the schema in a file, or with the
// schema.
func Check(file string, payload []byte) error {
	s, ok := compiled.Load(file)
	if !ok {
		read, err := jsonschema.NewCompiler().Compile(file)
		if err != nil {
			return fmt.Errorf("read the schema: %w", err)
		}
		s, _ = compiled.LoadOrStore(file, read)
	}
	said, err := jsonschema.UnmarshalJSON(bytes.NewReader(payload))
	if err != nil {
		return fmt.Errorf("read the payload: %w", err)
	}
	return s.(*jsonschema.Schema).Validate(said) //nolint:forcetypeassert,wrapcheck // what is stored; it names the place
}
