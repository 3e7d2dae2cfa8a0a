package spec

import _ "embed"

// ResultSchema is the JSON Schema (2020-12) of one line of a result file.
//
//go:embed result.schema.json
var ResultSchema []byte
