package wire_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

const (
	terminalOp = "bad_address routing_not_supported bad_verb bad_frame unsupported unauthorized not_participant kind_mismatch " +
		"already_exists open_conflict not_accepted out_of_seq payload_too_large app_error"
	terminalObject = "no_such_object closed object_failed"
	retryable      = "queue_full rate_limited busy store_unavailable"
)

// SUBSTRATE-FINALITY-001, SUBSTRATE-FINALITY-002
func TestClassOfCodes(t *testing.T) {
	for _, c := range []struct {
		codes            string
		terminal, object bool
	}{{terminalOp, true, false}, {terminalObject, true, true}, {retryable, false, false}} {
		for _, code := range strings.Fields(c.codes) {
			if terminal, object := wire.ClassOf(code); terminal != c.terminal || object != c.object {
				t.Errorf("%s: terminal %t, object %t", code, terminal, object)
			}
			if !wire.ValidCode(code) {
				t.Errorf("%s is no code", code)
			}
		}
	}
	all := strings.Fields(terminalOp + " " + terminalObject + " " + retryable)
	constants := []string{
		wire.BadAddress, wire.RoutingNotSupported, wire.BadVerb, wire.BadFrame, wire.Unsupported, wire.Unauthorized, wire.NotParticipant,
		wire.KindMismatch, wire.AlreadyExists, wire.OpenConflict, wire.NotAccepted, wire.OutOfSeq, wire.PayloadTooLarge, wire.AppError,
		wire.NoSuchObject, wire.Closed, wire.ObjectFailed, wire.QueueFull, wire.RateLimited, wire.Busy, wire.StoreUnavailable,
	}
	if !slices.Equal(all, constants) {
		t.Errorf("the constants are %v", constants)
	}
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.StringMatching(`[a-z0-9_]{0,64}`).Draw(t, "code")
		if slices.Contains(all, code) {
			return
		}
		if terminal, object := wire.ClassOf(code); !terminal || object {
			t.Errorf("%q: terminal %t, object %t", code, terminal, object)
		}
	})
}
