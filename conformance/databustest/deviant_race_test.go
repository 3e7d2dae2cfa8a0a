package databustest

import "github.com/seed-6f28358b/assay/impl/databus/cluster"

// raceDeviants do not come to the races of 0.1.0, or to others than these.
func raceDeviants() []deviant {
	return []deviant{
		{law: "DATABUS-RACE-001", name: "refuses an UNSUBSCRIBE", factory: ruled(func(r *cluster.Rules) { r.AuthorizeUnsubscribe = true })},
		{law: "DATABUS-RACE-003", name: "owns nothing", hooks: viewing(func(_ *page, v *tabView) { v.Assigned = []string{} })},
		{law: "DATABUS-RACE-004", name: "refuses an UNSUBSCRIBE", factory: ruled(func(r *cluster.Rules) { r.AuthorizeUnsubscribe = true })},
		{law: "DATABUS-RACE-018", name: "restores its record", factory: ruled(func(r *cluster.Rules) { r.RestoreRecord = true })},
		{law: "DATABUS-RACE-009", name: "a server that sends nothing", only: "race/*", hooks: viewing(func(_ *page, v *tabView) { v.Server = []string{} })},
		{law: "DATABUS-RACE-002", name: "a server that sends nothing", only: "race/002*", hooks: viewing(func(_ *page, v *tabView) { v.Server = []string{} })},
		{law: "DATABUS-LIVE-005", name: "what 0.1.0 does", only: "race/*", factory: ruled(func(r *cluster.Rules) { *r = cluster.Drifted() })},
	}
}
