package databustest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
)

// mute keeps deeds of some kinds from being told.
func mute(kinds ...string) func() hooks {
	return changing(func(d *deed) *deed {
		if slices.Contains(kinds, d.Kind) {
			return nil
		}
		return d
	})
}

// haunted tells with each request of a deed that was none.
func haunted(ghost deed) func() hooks {
	return func() hooks {
		return hooks{did: func(_ *bridge, ds deeds) deeds {
			d := ghost
			d.Tab, d.At = "A", start
			return append(slices.Clone(ds), &d)
		}}
	}
}

// ghostCall is a handler that nobody called, ghostPost a frame that nobody sent and ghostRoute a route that nobody wrote.
func ghostCall() deed {
	return deed{Kind: didDispatch, Topic: "x", Data: json.RawMessage("0"), Handler: "ghost"}
}

func ghostPost() deed {
	return deed{Kind: didPost, Message: json.RawMessage(`{"type":"CONTROL","action":"PUBLISH","topic":"x"}`)}
}

func ghostRoute() deed { return deed{Kind: didWrite, Key: "p:c:route:none", Value: "{}"} }

// twice tells of each write twice.
func twice() hooks {
	return hooks{did: func(_ *bridge, ds deeds) (out deeds) {
		for _, d := range ds {
			out = append(out, d)
			if d.Kind == didWrite {
				out = append(out, d)
			}
		}
		return out
	}}
}

// deaf keeps frames of a type from tabs.
func deaf(kind string) func() hooks {
	return receiving(func(_ *page, m map[string]any) map[string]any {
		if m["type"] == kind {
			return nil
		}
		return m
	})
}

// fading has records of a family not written after some time.
func fading(family string, after int64) func() hooks {
	return storing(family, func(p *page, m map[string]any) map[string]any {
		if p.b.now > start+after {
			return nil
		}
		return m
	})
}

// fullOf changes what snapshots show of a cache that is full.
func fullOf(change func(known []string) []string) func() hooks {
	return viewing(func(_ *page, v *tabView) {
		if len(v.Known) >= maxKnown {
			v.Known = change(v.Known)
		}
	})
}

// restless shows a cache with something else in it each time.
func restless() func() hooks {
	var n atomic.Int64
	return viewing(func(_ *page, v *tabView) { v.Known = []string{fmt.Sprint("none", n.Add(1))} })
}

func subscribeDeviants() []deviant {
	return []deviant{
		{law: "DATABUS-SUBSCRIBE-001", name: "writes that nobody sees", hooks: mute(didWrite)},
		{law: "DATABUS-SUBSCRIBE-002", name: "writes that nobody sees", hooks: mute(didWrite)},
		{law: "DATABUS-SUBSCRIBE-003", name: "a transport that is asked nothing", hooks: mute(didTSub)},
		{law: "DATABUS-SUBSCRIBE-004", name: "a transport that is asked nothing", hooks: mute(didTSub)},
		{law: "DATABUS-SUBSCRIBE-005", name: "a transport that is asked nothing", hooks: mute(didTSub)},
		{law: "DATABUS-SUBSCRIBE-006", name: "forgets its wishes", hooks: viewing(func(_ *page, v *tabView) { v.Subscribed = []string{} })},
		{law: "DATABUS-SUBSCRIBE-006", name: "keeps a wish", only: "subscribe/*", hooks: viewing(func(_ *page, v *tabView) {
			v.Subscribed = []string{"x"}
		})},
	}
}

func unsubscribeDeviants() []deviant {
	return []deviant{
		{law: "DATABUS-UNSUBSCRIBE-001", name: "removals that nobody sees", hooks: mute(didRemove)},
		{law: "DATABUS-UNSUBSCRIBE-001", name: "calls nobody", hooks: mute(didDispatch)},
		{law: "DATABUS-UNSUBSCRIBE-002", name: "removals that nobody sees", hooks: mute(didRemove)},
		{law: "DATABUS-UNSUBSCRIBE-003", name: "a transport that is not told", hooks: mute(didTUnsub)},
		{law: "DATABUS-UNSUBSCRIBE-003", name: "an owner that is not told", hooks: mute(didPost)},
		{law: "DATABUS-UNSUBSCRIBE-003", name: "keeps its record", hooks: keeping("subscriber")},
		{law: "DATABUS-UNSUBSCRIBE-004", name: "keeps the route", hooks: keeping("route")},
		{law: "DATABUS-UNSUBSCRIBE-004", name: "a third tab without records", hooks: storing("subscriber", func(p *page, m map[string]any) map[string]any {
			if m["tabId"] == "tabC" {
				return nil
			}
			return m
		})},
		{law: "DATABUS-UNSUBSCRIBE-005", name: "a transport that is not told", hooks: mute(didTUnsub)},
	}
}

func publishDeviants() []deviant {
	calls := changing(func(d *deed) *deed {
		if d.Kind == didTPub {
			d.Kind, d.Handler = didDispatch, "x"
		}
		return d
	})
	return []deviant{
		{law: "DATABUS-PUBLISH-001", name: "publishes nothing", hooks: mute(didTPub)},
		{law: "DATABUS-PUBLISH-001", name: "asks nobody", hooks: mute(didPost)},
		{law: "DATABUS-PUBLISH-002", name: "publishes nothing", hooks: mute(didTPub)},
		{law: "DATABUS-PUBLISH-002", name: "calls handlers instead of the server", hooks: calls},
		{law: "DATABUS-PUBLISH-003", name: "keeps errors to itself", hooks: mute(didError)},
		{law: "DATABUS-PUBLISH-004", name: "sends what nobody published", hooks: haunted(ghostPost())},
		{law: "DATABUS-PUBLISH-005", name: "publishes nothing", hooks: mute(didTPub)},
		{law: "DATABUS-PUBLISH-005", name: "keeps errors to itself", hooks: mute(didError)},
		{law: "DATABUS-PUBLISH-005", name: "publishes what nobody did", hooks: haunted(deed{Kind: didTPub, Topic: "x", Data: json.RawMessage("0")})},
	}
}

func gateDeviants() []deviant {
	return []deviant{
		{law: "DATABUS-GATE-001", name: "calls for nothing", hooks: haunted(ghostCall())},
		{law: "DATABUS-GATE-002", name: "fans nothing out", hooks: mute(didPost)},
		{law: "DATABUS-GATE-003", name: "calls for nothing", hooks: haunted(ghostCall())},
		{law: "DATABUS-GATE-004", name: "calls for nothing", hooks: haunted(ghostCall())},
		{law: "DATABUS-GATE-005", name: "calls nobody", hooks: mute(didDispatch)},
		{law: "DATABUS-GATE-005", name: "fans nothing out", hooks: mute(didPost)},
		{law: "DATABUS-GATE-005", name: "a cache that changes", hooks: restless()},
		{law: "DATABUS-GATE-006", name: "asks for the stored record", factory: ruled(func(r *cluster.Rules) { r.StoredInterest = true })},
		{law: "DATABUS-GATE-007", name: "keeps errors to itself", hooks: mute(didError)},
	}
}

func controlDeviants() []deviant {
	return []deviant{
		{law: "DATABUS-CONTROL-001", name: "the key of another topic", only: "control/*", hooks: posting(func(_ *page, m map[string]any) map[string]any {
			if _, ok := m["topicKey"]; ok {
				m["topicKey"] = strings.Repeat("0", 32)
			}
			return m
		})},
		{law: "DATABUS-CONTROL-002", name: "calls for nothing", hooks: haunted(ghostCall())},
		{law: "DATABUS-CONTROL-003", name: "a transport that is asked nothing", hooks: mute(didTSub)},
		{law: "DATABUS-CONTROL-003", name: "writes routes for nothing", hooks: haunted(ghostRoute())},
		{law: "DATABUS-CONTROL-003", name: "a cache that changes", hooks: restless()},
		{law: "DATABUS-CONTROL-004", name: "refuses an UNSUBSCRIBE", only: "control/*", factory: ruled(func(r *cluster.Rules) {
			r.AuthorizeUnsubscribe = true
		})},
		{law: "DATABUS-CONTROL-004", name: "refuses a SUBSCRIBE", only: "control/*", factory: ruled(func(r *cluster.Rules) {
			r.AuthorizeSubscribe = true
		})},
		{law: "DATABUS-CONTROL-005", name: "ignores unknown frames", factory: ruled(func(r *cluster.Rules) { r.IgnoreUnknown = true })},
		{law: "DATABUS-CONTROL-005", name: "calls nobody", hooks: mute(didDispatch)},
		{law: "DATABUS-LIMIT-005", name: "calls nobody", only: "control/*", hooks: mute(didDispatch)},
	}
}

func eventDeviants() []deviant {
	return []deviant{
		{law: "DATABUS-EVENT-001", name: "calls for nothing", hooks: haunted(ghostCall())},
		{law: "DATABUS-EVENT-002", name: "calls for nothing", only: "event/*", hooks: haunted(ghostCall())},
		{law: "DATABUS-LIMIT-005", name: "calls nobody", only: "event/*", hooks: mute(didDispatch)},
	}
}

func registryDeviants() []deviant {
	return []deviant{
		{law: "DATABUS-REGISTRY-001", name: "nudges nobody", only: "registry/*", hooks: mute(didPost)},
		{law: "DATABUS-REGISTRY-001", name: "sends what nobody asked for", only: "registry/*", hooks: haunted(ghostPost())},
		{law: "DATABUS-REGISTRY-002", name: "hears no nudge", only: "registry/*", hooks: deaf("REGISTRY")},
		{law: "DATABUS-REGISTRY-002", name: "says why it nudges", only: "registry/*", hooks: posting(func(_ *page, m map[string]any) map[string]any {
			if m["type"] == "REGISTRY" {
				m["reason"] = "none"
			}
			return m
		})},
		{law: "DATABUS-REGISTRY-003", name: "a storage without routes after a while", only: "registry/*", hooks: fading("route", ttl)},
		{law: "DATABUS-REGISTRY-003", name: "a storage without subscribers after a while", only: "registry/*", hooks: fading("subscriber", 0)},
		{law: "DATABUS-REGISTRY-003", name: "a server that sends nothing", only: "registry/*", hooks: viewing(func(_ *page, v *tabView) {
			v.Server = []string{}
		})},
		{law: "DATABUS-REGISTRY-004", name: "nudges nobody", only: "registry/*", hooks: mute(didPost)},
	}
}

func cacheDeviants() []deviant {
	return []deviant{
		{law: "DATABUS-CACHE-001", name: "two more than fit in", hooks: fullOf(func(known []string) []string { return append(known, "one", "two") })},
		{law: "DATABUS-CACHE-002", name: "forgets the last one", hooks: fullOf(func(known []string) []string { return known[:len(known)-1] })},
		{law: "DATABUS-CACHE-002", name: "forgets nothing", hooks: fullOf(func(known []string) []string {
			return append(known, hash("t0"), hash("x"))
		})},
		{law: "DATABUS-CACHE-003", name: "lets the cap slip", factory: ruled(func(r *cluster.Rules) { r.CapSlips = true })},
		{law: "DATABUS-CACHE-004", name: "a cache that changes", hooks: restless()},
		{law: "DATABUS-CACHE-005", name: "a transport that is asked nothing", hooks: mute(didTSub, didTUnsub)},
	}
}

func batchDeviants() []deviant {
	return []deviant{
		{law: "DATABUS-BATCH-001", name: "writes twice", only: "batch/*", hooks: twice},
		{law: "DATABUS-BATCH-002", name: "a transport that is asked nothing", hooks: mute(didTSub, didTPub)},
		{law: "DATABUS-BATCH-002", name: "asks nobody", hooks: mute(didPost)},
		{law: "DATABUS-BATCH-002", name: "writes that nobody sees", hooks: mute(didWrite)},
		{law: "DATABUS-BATCH-003", name: "is refused nothing", hooks: mute(didRefused)},
		{law: "DATABUS-BATCH-004", name: "is refused nothing", only: "batch/forever", hooks: mute(didRefused)},
		{law: "DATABUS-BATCH-004", name: "removals that nobody sees", only: "batch/blocks-later", hooks: mute(didRemove)},
		{law: "DATABUS-BATCH-004", name: "what waits stands in no order", only: "batch/blocks", hooks: viewing(func(_ *page, v *tabView) {
			slices.Reverse(v.Pending)
		})},
		{law: "DATABUS-BATCH-005", name: "calls nobody", hooks: mute(didDispatch)},
		{law: "DATABUS-BATCH-006", name: "writes that nobody sees", hooks: mute(didWrite, didRemove)},
	}
}
