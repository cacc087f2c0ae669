// Package schematest checks payloads against the JSON Schemas of the project, for
// tests. It knows exactly the keywords that those use; a schema with any other
// one does not load, so nothing is taken for checked that is not.
//
// It is NOT a validator for schemas of others, and nothing but tests imports it.
package schematest
