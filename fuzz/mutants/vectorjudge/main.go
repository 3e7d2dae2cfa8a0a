// Command vectorjudge is the command judge without the suites: it builds in a fraction of the time, and most faults of
// the codec and the session are seen by vectors.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/seed-6f28358b/assay/fuzz/mutants"
)

func main() {
	v, err := mutants.ByVectors(os.Args[1:])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(v)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
