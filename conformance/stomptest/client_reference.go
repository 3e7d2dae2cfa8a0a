package stomptest

import (
	"context"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/testees/assay/testee"
)

// clientReference is our own client behind its testee, inside the process.
func clientReference(context.Context) (*conformance.Reference, error) {
	return &conformance.Reference{
		Testee:  testee.Run,
		Profile: conformance.Profile{Name: "ref", Title: "Assay's reference client", Versions: every},
		Stop:    func() {},
	}, nil
}
