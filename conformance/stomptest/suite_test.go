package stomptest

import (
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
	"github.com/seed-6f28358b/assay/spec"
)

// The reference obeys every law that the suite can decide. This is the suite's own calibration.
func TestReference(t *testing.T) {
	t.Parallel()
	suitetest.Calibrate(t, Server(), conformance.Config{})
}

// So does the reference client. The second run leaves out the groups heart-beat and own, which mostly wait.
func TestReferenceClient(t *testing.T) {
	t.Parallel()
	suitetest.Calibrate(t, Client(), conformance.Config{}, "stomp/client/[^ho]*/*")
}

// A broker and a client of a user's own are judged by the entries that they have.
func TestTargetsOfAUser(t *testing.T) {
	t.Parallel()
	TestBroker(t, "", suitetest.Options{Only: []string{"stomp/server/connect/*"}, Baseline: &conformance.Baseline{}})
	TestClient(t, nil, suitetest.Options{Only: []string{"stomp/client/connect/*"}})
}

const ofItsVersion = "later versions state it: recorded before them"

// The catalogue is as large and as wide as it is said to be, and every MUST and SHOULD law of the roles
// codec and server that a black box can decide is cited by a case.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	suitetest.Catalogue{
		Protocol: "stomp", Paths: []string{"stomp/server"}, Least: 150,
		Groups: []string{
			"frame", "header", "escape", "body", "connect", "negotiate", "heart-beat", "send", "subscribe", "unsubscribe",
			"ack", "nack", "transaction", "receipt", "error", "disconnect", "robustness", "interop",
		},
		Roles: []string{"codec", "server"}, Levels: []spec.Level{spec.Must, spec.Should},
		Options: []string{
			Queues, Topics, Transactions, Nack, ClientIndividual, Acks, HeartBeats, Receipts, Loopback, Redelivery, BinaryBodies, Prefetch,
			Delivery,
		},
		Records: map[string]string{
			"stomp/server/ambiguity/*":                                              "what is left open is recorded in every version",
			"stomp/server/frame/commands-are-case-sensitive":                        ofItsVersion,
			"stomp/server/header/*-case-sensitive":                                  ofItsVersion,
			"stomp/server/header/first-{*-header,content-length,destination}*-wins": ofItsVersion,
		},
	}.Check(t, Server().Cases)
}

// So is that of the cases about clients.
func TestClientCatalogue(t *testing.T) {
	t.Parallel()
	cases := Client().Cases
	options := append([]string(nil), clientOptions...)
	for i, name := range options {
		if mapped, ok := optionNames[name]; ok {
			options[i] = mapped
		}
	}
	suitetest.Catalogue{
		Protocol: "stomp", Paths: []string{"stomp/client"}, Nested: "own", Least: 250,
		Groups: []string{
			"connect", "send", "escape", "subscribe", "ack", "transaction", "receipt", "disconnect", "decode", "chunk",
			"heart-beat", "error", "cut", "deviant", "own", "ambiguity",
		},
		Roles: []string{"client"}, Levels: []spec.Level{spec.Must, spec.Should},
		Hidden: map[string]string{
			"STOMP-NACK-004": "whether a message was processed is known to the user of a library, who also decides to refuse it",
		},
		Options: options,
		Records: map[string]string{
			"stomp/client/ambiguity/*":                            "what is left open is recorded in every version",
			"stomp/client/connect/connected-verbatim":             ofItsVersion,
			"stomp/client/decode/content-length-in-other-letters": ofItsVersion,
			"stomp/client/decode/first-of-repeats":                ofItsVersion,
			"stomp/client/deviant/lower-case-command":             ofItsVersion,
			"stomp/client/deviant/length-repeated":                ofItsVersion,
		},
	}.Check(t, cases)
	for _, c := range cases {
		if own := strings.HasPrefix(c.ID, "stomp/client/own/"); own != c.Needs.Reference {
			t.Errorf("case %s is about our own client: %v, and needs it: %v", c.ID, own, c.Needs.Reference)
		}
	}
}
