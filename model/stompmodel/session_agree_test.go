package stompmodel

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/model"
)

// recordScopes explores every scope to some depth, by one goroutine, and counts the reasons; check sees each step.
func recordScopes(t *testing.T, depth int, check func(m *Session, s SessionState, a SessionAction, o SessionOutput) error) map[string]int {
	t.Helper()
	seen := map[string]int{}
	var scopes []model.Scope[SessionConfig]
	for _, v := range Versions() {
		scopes = append(scopes, SessionScopes(v)...)
	}
	for _, sc := range scopes {
		m := mustSession(t, sc.Config)
		r, err := model.Exhaust(t.Context(), m, model.ExhaustConfig[SessionState, SessionAction, SessionOutput]{
			Bounds: model.Bounds{Depth: depth, Workers: 1},
			EdgeInvariants: []SessionEdgeInvariant{{Law: "STOMP-CLIENT-003", Check: func(before SessionState, a SessionAction, _ SessionState, o SessionOutput) error {
				op := a.Op
				if op == SessionDeliver {
					op = SessionReceive
				}
				if o.Reason != "" {
					seen[fmt.Sprintf("%s %s", op, o.Reason)]++
				}
				return check(m, before, a, o)
			}}},
		})
		if err != nil || r.Counterexample != nil {
			t.Fatal(err, r.Counterexample)
		}
	}
	return seen
}

// TestSessionScopesReachEveryReason: the scopes meet every reason but that of a NACK in 1.0, which STOMP-CLIENT-003 puts out of reach.
func TestSessionScopesReachEveryReason(t *testing.T) {
	seen := recordScopes(t, 8, func(*Session, SessionState, SessionAction, SessionOutput) error { return nil })
	want := map[string]bool{}
	for _, r := range []SessionReason{
		TimeNegative, TimeRegression, HeaderCount, BodySize, HeaderPair, Encoding, NotConnect, NotConnected, WrongCommand, IsDisconnecting, IsClosed, NoHost,
		NoAcceptVersion, VersionsStrict, VersionsOffered, ReceiptOnConnect, BadHeartBeat, ReceiptEmpty, ReceiptPending, ReceiptCapacity, NoDestination,
		TransactionUnknown, SubscriptionID, SubscriptionDestination, SubscriptionDuplicate, Unsubscribing, AckMode, Unsettled, SubscriptionCapacity,
		UnsubscribeID, AckID, Staged, Overlap, TransactionID, TransactionCapacity,
	} {
		want["send "+string(r)] = true
	}
	for _, r := range []SessionReason{
		NotReceiving, TimeNegative, TimeRegression, Syntax, AfterError, AfterDisconnect, UnexpectedConnecting, Unexpected, VersionStrict, VersionOffered,
		HeartBeatInvalid, BadMessage, MessageAck, DeliveryCapacity, DeliveryDuplicate, BadReceipt,
	} {
		want["receive "+string(r)] = true
	}
	for _, r := range []string{"tick time-negative", "tick time-regression", "tick timeout", "end spent", "end truncated"} {
		want[r] = true
	}
	for way := range want {
		if seen[way] == 0 {
			t.Errorf("no scope reaches %q", way)
		}
	}
	if len(seen) > len(want) {
		t.Errorf("reached %q besides", slices.Sorted(maps.Keys(seen)))
	}
}

// TestSessionEntrancesAgree: frames that are delivered as values and the same frames read from octets come to the same (STOMP-FRAME-012).
func TestSessionEntrancesAgree(t *testing.T) {
	compared := 0
	recordScopes(t, 6, func(m *Session, s SessionState, a SessionAction, o SessionOutput) error {
		if a.Op != SessionDeliver || s.begun {
			return nil
		}
		chunk := ""
		for _, f := range a.Frames {
			if f.Command == "" {
				chunk += "\n"
				continue
			}
			octets, err := Encode(V12, f)
			if err != nil {
				return err
			}
			chunk += string(octets)
		}
		chunk += []string{"", "ERROR\n", "\x00"}[a.Rest]
		a.Op, a.Chunk, a.Frames, a.Rest = SessionReceive, chunk, nil, RestNothing
		_, raw, _ := m.Do(s, a)
		raw.Rule = ""
		if got, want := fmt.Sprintf("%+v", raw), fmt.Sprintf("%+v", o); got != want {
			return fmt.Errorf("%v comes to %s, as values to %s", a, got, want)
		}
		compared++
		return nil
	})
	if compared < 1000 {
		t.Errorf("only %d deliveries were compared", compared)
	}
}
