package spec_test

import (
	"fmt"

	"github.com/seed-6f28358b/assay/spec"
)

func ExampleLoad() {
	c, err := spec.Load()
	if err != nil {
		fmt.Println(err)
		return
	}
	law, ok := c.Law("STOMP-FRAME-006")
	fmt.Println(ok, law.Level, law.Versions)
	fmt.Println(law.Title)
	// Output:
	// true MUST [1.2]
	// EOL is an optional CR followed by LF
}

func ExampleCatalogue_Select() {
	c, err := spec.Load()
	if err != nil {
		fmt.Println(err)
		return
	}
	laws, err := c.Select(spec.Filter{
		Levels:   []spec.Level{spec.Must, spec.Should},
		Versions: []string{"1.1"},
		Globs:    []string{"stomp-nack-*", "stomp-error-*"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range laws {
		fmt.Println(l.ID, l.Level, l.Title)
	}
	_, err = c.Select(spec.Filter{Levels: []spec.Level{"SHALL"}})
	fmt.Println(err)
	// Output:
	// STOMP-NACK-002 MUST NACK scope follows the ack mode
	// STOMP-ERROR-002 MUST 1.1 disconnects after failed SEND or SUBSCRIBE
	// STOMP-ERROR-003 SHOULD ERROR describes the problem
	// STOMP-ERROR-004 SHOULD ERROR identifies the offending frame
	// STOMP-ERROR-012 SHOULD An ERROR reaches the user
	// STOMP-ERROR-013 SHOULD The end of the connection ends the session
	// unknown level "SHALL", known: MUST, SHOULD, MAY, REFERENCE
}

func ExampleParse() {
	_, err := spec.Parse("stomp.yaml", "stomp", []byte(`- id: STOMP-FRAME-001
  role: codec
  versions: ["1.2"]
  level: SHALL
  title: A title
  statement: What must hold.
  check: How to see it.
`))
	fmt.Println(err)
	// Output:
	// stomp.yaml:1:3: STOMP-FRAME-001: missing key "source"
	// stomp.yaml:4:10: STOMP-FRAME-001: unknown level "SHALL", known: MUST, SHOULD, MAY, REFERENCE
}
