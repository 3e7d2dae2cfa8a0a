package store_test

import (
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/storetest"
)

// SUBSTRATE-STORE-001, SUBSTRATE-STORE-005, SUBSTRATE-DEDUPE-003, SUBSTRATE-DEDUPE-007, SUBSTRATE-OBJ-008, SUBSTRATE-OUTBOX-007
func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return store.NewMemory() }, storetest.Options{})
}
