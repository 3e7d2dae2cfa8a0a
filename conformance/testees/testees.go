// Package testees holds the programs around client libraries that the suite for STOMP clients steers, as
// spec/testee.md says: one folder for each library, each program written as a user of it would.
//
// The scripts are embedded, so that the command can start them wherever it stands; the two in Go are programs of
// their own, which install.sh of the lab builds.
package testees

import "embed"

// Scripts are the programs in languages that need no compiler, as FOLDER/FILE, and what they import from the folder above.
//
//go:embed control.js control.py stomppy_subject.py
//go:embed stomp.py/testee.py stompjs/testee.js stompit/testee.js net-stomp/testee.pl ruby-stomp/testee.rb php-stomp/testee.php
var Scripts embed.FS
