package substratetest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

const (
	inside = "shows inside the process alone: its interface, logs, metrics or events"
)

// The catalogue is as large and as wide as it is said to be, and every law of the roles that show at a socket is cited by a case.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	suitetest.Catalogue{
		Protocol: "substrate", Paths: []string{"substrate/peer", "substrate/node"}, Least: 540,
		Groups: []string{
			"ack", "addr", "answer", "auth", "authz", "bounce", "codec", "config", "cut", "dedupe", "fault", "finality", "handshake", "limit",
			"obj", "observe", "outbox", "reconnect", "seq", "store", "tombstone", "verb", "wire", "expire", "fail", "cross", "local", "crash",
			"relay", "feed", "journal",
		},
		Roles:   []string{"codec", "receiver", "sender", "acceptor", "peer", "relay", "journal"},
		Options: append(nodeOptions(), Keys, Stranger, None, Queues, Rejects, Silences, Denials, Commands),
		Hidden: map[string]string{
			"SUBSTRATE-STORE-007": inside,
		},
	}.Check(t, Suite().Cases)
}
