// Package testees holds the programs around client libraries that the suite for STOMP clients steers, as
// spec/testee.md says: one folder for each library, each program written as a user of it would.
//
// The scripts are embedded, so that the command can start them wherever it stands; the two in Go are programs of
// their own, which install.sh of the lab builds.
package testees

import "embed"

// Scripts are the programs in languages that need no compiler, as FOLDER/FILE, and what they import from the folder above.
//
//go:embed *.js *.py */testee.*
var Scripts embed.FS
