// Package adapters holds the programs around targets that suites reach through an adapter, as spec/adapter.md
// says: one folder for each target. They are embedded, so that the command can start them wherever it stands.
package adapters

import "embed"

// Scripts are the adapters in languages that need no compiler, as FOLDER/FILE, and what they import from there and from the folder above.
//
//go:embed *.mjs */*.mjs
var Scripts embed.FS
