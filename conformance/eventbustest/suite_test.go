package eventbustest

import (
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// Every case has the form that is promised, and every active law of the roles is cited by one.
func TestCatalogues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		suite *conformance.Suite
		suitetest.Catalogue
	}{
		"bus": {busSuite(), suitetest.Catalogue{
			Paths: []string{"eventbus/bus", "eventbus/parser", "eventbus/reducer"}, Least: 340, Roles: []string{"bus", "reducer"},
			Groups: []string{
				"abort", "close", "concurrency", "evict", "id", "limit", "property", "publish", "queue", "replay", "resync", "ring", "subscribe",
				"warn", "end", "envelope", "frame", "payload", "terminal", "type", "warning",
			},
			Options: busOptions(), Whole: true,
			Records: map[string]string{"eventbus/bus/property/*": "generated histories are judged by the laws of their dialect alone"},
		}},
		"server": {Server(), suitetest.Catalogue{
			Paths: []string{"eventbus/server"}, Least: 100, Roles: []string{"sse-server"}, Whole: true,
			Options: []string{WebSessions, WebPublish, WebShut, WebBurst, WebKeepsFew, WebKeepsMany, WebRing, WebSubscribers, WebCapabilities},
			Groups: []string{
				"cursor", "end", "epoch", "evict", "frame", "header", "idle", "limit", "query", "replay", "resume", "resync", "ring", "robust",
				"snapshot", "stamp", "warn",
			},
		}},
		"client": {Client(), suitetest.Catalogue{
			Paths: []string{"eventbus/client"}, Least: 180, Roles: []string{"sse-client"}, Whole: true,
			Options: append([]string{retried}, clientOptions...),
			Groups:  []string{"parse", "field", "id", "retry", "reconnect", "status", "limit", "deviant"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c.Protocol = "eventbus"
			c.Check(t, c.suite.Cases)
		})
	}
	// What is reached on one way is not run on the other.
	for name, ways := range map[string][]string{"bus": {"exec"}, "server": {"http", "https"}} {
		cases := map[string][]conformance.Case{"bus": busCases(), "server": serverCases()}[name]
		for _, c := range cases {
			if n := c.Needs.Transports; n == nil || slices.ContainsFunc(n, func(by string) bool { return !slices.Contains(ways, by) }) {
				t.Errorf("%s is run over %v, which should be of %v", c.ID, n, ways)
			}
		}
	}
}
