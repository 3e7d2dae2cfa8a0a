package databustest

import (
	"github.com/seed-6f28358b/assay/impl/databus/cluster"
)

// fenceDeviants break the laws of what a tab does with a request or a storage that its own view of the route speaks against.
func fenceDeviants() []deviant {
	return []deviant{
		{law: "DATABUS-FENCE-001", name: "obeys any UNSUBSCRIBE", factory: ruled(func(r *cluster.Rules) { r.AuthorizeUnsubscribe = false })},
		{law: "DATABUS-FENCE-001", name: "a server that sends nothing", hooks: viewing(func(_ *page, v *tabView) { v.Server = []string{} })},
		{law: "DATABUS-FENCE-002", name: "obeys any SUBSCRIBE", factory: ruled(func(r *cluster.Rules) { r.AuthorizeSubscribe = false })},
		{law: "DATABUS-FENCE-003", name: "leaves its record to the heartbeat", factory: ruled(func(r *cluster.Rules) { r.RestoreRecord = false })},
		{law: "DATABUS-FENCE-003", name: "writes that nobody sees", hooks: silent(didWrite)},
		{law: "DATABUS-CONTROL-004", name: "refuses an UNSUBSCRIBE", factory: ruled(func(r *cluster.Rules) { r.AuthorizeUnsubscribe = true })},
		{law: "DATABUS-CONTROL-004", name: "refuses a SUBSCRIBE", factory: ruled(func(r *cluster.Rules) { r.AuthorizeSubscribe = true })},
		{law: "DATABUS-CONTROL-004", name: "hears no CONTROL", hooks: receiving(func(_ *page, m map[string]any) map[string]any {
			if m["type"] == "CONTROL" {
				return nil
			}
			return m
		})},
		{law: "DATABUS-LIVE-005", name: "asks nobody to subscribe", only: "fence/*", hooks: posting(func(_ *page, m map[string]any) map[string]any {
			if m["action"] == "SUBSCRIBE" {
				return nil
			}
			return m
		})},
		{law: "DATABUS-UNSUBSCRIBE-005", name: "removes no route", only: "fence/*", hooks: keeping("route")},
		{law: "DATABUS-HEARTBEAT-001", name: "heartbeats without a record", only: "fence/*", hooks: storing("worker", func(p *page, m map[string]any) map[string]any {
			if p.b.now > start {
				return nil
			}
			return m
		})},
	}
}

// lagDeviants break what tabs do that hear of something before they see it.
func lagDeviants() []deviant {
	obeys := ruled(func(r *cluster.Rules) { r.AuthorizeSubscribe = false })
	refuses := ruled(func(r *cluster.Rules) { r.AuthorizeSubscribe = true })
	waits := ruled(func(r *cluster.Rules) { r.Gone = cluster.GoneNever })
	obeysLast := ruled(func(r *cluster.Rules) { r.AuthorizeUnsubscribe = false })
	refusesLast := ruled(func(r *cluster.Rules) { r.AuthorizeUnsubscribe = true })
	never := func() hooks {
		return hooks{timer: func(_ *page, ms int64, repeats bool) int64 {
			if repeats {
				return 1_000_000
			}
			return ms
		}}
	}
	return []deviant{
		{law: "DATABUS-FENCE-002", name: "obeys any SUBSCRIBE", only: "lag/*", factory: obeys},
		{law: "DATABUS-LIVE-005", name: "obeys any SUBSCRIBE", only: "lag/two-*", factory: obeys},
		{law: "DATABUS-CONTROL-004", name: "refuses a SUBSCRIBE", only: "lag/*", factory: refuses},
		{law: "DATABUS-RACE-009", name: "refuses a SUBSCRIBE", only: "lag/two-*", factory: refuses},
		{law: "DATABUS-HANDOFF-008", name: "waits for the gone", only: "lag/a-release-*", factory: waits},
		{law: "DATABUS-LIVE-002", name: "has no heartbeat", only: "lag/a-*", hooks: never},
		{law: "DATABUS-HEARTBEAT-002", name: "has no heartbeat", only: "lag/*", hooks: never},
		{law: "DATABUS-FENCE-001", name: "obeys any UNSUBSCRIBE", only: "lag/*", factory: obeysLast},
		{law: "DATABUS-UNSUBSCRIBE-003", name: "refuses an UNSUBSCRIBE", only: "lag/*", factory: refusesLast},
		{law: "DATABUS-CONFIRM-002", name: "asks once", only: "lag/*", hooks: posting(func(p *page, m map[string]any) map[string]any {
			if m["action"] == "SUBSCRIBE" && p.b.now > start {
				return nil
			}
			return m
		})},
	}
}
