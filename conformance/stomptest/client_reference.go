package stomptest

import (
	"context"

	"github.com/seed-6f28358b/assay/conformance"
)

func clientReference(context.Context) (*conformance.Reference, error) {
	return &conformance.Reference{Stop: func() {}, Testee: func(context.Context, string) error { return nil }}, nil
}
