// Command assay is the testee for Assay's own client, as a process like every other: spec/testee.md says what it
// does. The suite runs package testee inside its own process when no command is named.
package main

import (
	"context"
	"fmt"
	"net"
	"os"

	"github.com/seed-6f28358b/assay/conformance/testees/assay/testee"
)

func main() {
	if err := testee.Run(context.Background(), net.JoinHostPort(os.Getenv("ASSAY_HOST"), os.Getenv("ASSAY_PORT"))); err != nil {
		fmt.Fprintln(os.Stderr, "testee-assay:", err)
		os.Exit(1)
	}
}
