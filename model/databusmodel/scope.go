package databusmodel

import (
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

// V010Scopes returns the scopes in which the documented version is explored. In those with users who leave and come again it has races
// that nothing mends, so that only its invariants are looked at there.
func V010Scopes() []model.Scope[Config] {
	scopes := append(calmScopes(), userScopes()...)
	for i := range scopes {
		scopes[i].Config.Rules = V010()
		scopes[i].Config.Racy = i >= len(calmScopes())
	}
	return scopes
}

// FencedScopes returns the scopes in which the fenced version is explored: those of V010Scopes and some with more faults at once, all of
// them with liveness.
func FencedScopes() []model.Scope[Config] {
	scopes := slices.Concat(calmScopes(), userScopes(), faultScopes(), lagScopes())
	for i := range scopes {
		scopes[i].Config.Rules = Fenced()
	}
	return scopes
}

// The setups: A owns x, which A and B want; or which only C, or only B wants.
var (
	shared = []Action{sub(0, 0), sub(1, 0)}
	third  = []Action{sub(2, 0)}
	second = []Action{sub(1, 0)}
)

// calmScopes are those in which nobody leaves a topic, or only once.
func calmScopes() []model.Scope[Config] {
	return []model.Scope[Config]{
		// Graceful handoffs: with frames lost, without a clock, through two pages and back, with a channel that loses what it closes on.
		{Name: "handoff", Config: Config{
			Tabs: 3, Topics: 1, Setup: third, Hiders: wA | wB, Clock: true,
			Budgets: Budgets{Hide: 2, Show: 1, Loss: 1},
		}},
		{Name: "leave", Config: Config{Tabs: 3, Topics: 1, Setup: third, Hiders: wA | wB, Budgets: Budgets{Hide: 2, Show: 1}}},
		{Name: "leave two", Config: Config{
			Tabs: 3, Topics: 2, Setup: []Action{sub(2, 0), sub(2, 1)}, Hiders: wA | wB,
			Budgets: Budgets{Hide: 2, Show: 1},
		}},
		{Name: "return", Config: Config{Tabs: 2, Topics: 1, Setup: shared, Clock: true, Budgets: Budgets{Hide: 2, Show: 2, Loss: 1}}},
		{Name: "lossy close", Config: Config{
			Tabs: 3, Topics: 1, Setup: third, Hiders: wA | wB, LossyClose: true, Clock: true, Budgets: Budgets{Hide: 2, Show: 1},
		}},
		// A tab that sleeps beyond its TTL, alone and while its route is handed on.
		{Name: "freeze", Config: Config{Tabs: 2, Topics: 1, Setup: shared, Freezers: wA, Clock: true, Budgets: Budgets{Freeze: 1, Publish: 1}}},
		{Name: "stall", Config: Config{
			Tabs: 3, Topics: 1, Setup: third, Hiders: wA, Freezers: wB, Clock: true, Budgets: Budgets{Hide: 2, Show: 1, Freeze: 1},
		}},
		// A leave while other tabs read.
		{Name: "leave in two", Config: Config{
			Tabs: 3, Topics: 1, Setup: third, Hiders: wA | wB, Split: true, Clock: true, Budgets: Budgets{Hide: 1, Show: 1, Loss: 1},
		}},
		{Name: "leaves in two", Config: Config{
			Tabs: 3, Topics: 1, Setup: third, Hiders: wA | wB, Split: true, Clock: true, Budgets: Budgets{Hide: 2, Show: 1, Loss: 1},
		}},
		{Name: "stall in two", Config: Config{
			Tabs: 3, Topics: 1, Setup: third, Hiders: wA, Freezers: wB, Split: true, Clock: true, Budgets: Budgets{Hide: 2, Show: 1, Freeze: 1},
		}},
		// Crashes at every second, with heartbeats that are apart by none, one or two; of an owner, of the only subscriber, of the target
		// of a handoff.
		{Name: "crash", Config: crashing([maxTabs]uint8{3, 3})},
		{Name: "crash 1", Config: crashing([maxTabs]uint8{3, 1})},
		{Name: "crash 2", Config: crashing([maxTabs]uint8{3, 2})},
		{Name: "orphan", Config: Config{
			Tabs: 2, Topics: 1, Setup: second, Crashers: wB, Clock: true, Fine: true, Watch: true,
			Budgets: Budgets{Crash: 1},
		}},
		{Name: "dead target", Config: Config{
			Tabs: 3, Topics: 1, Setup: third, Hiders: wA, Crashers: wA | wB, Clock: true, Watch: true, Budgets: Budgets{Crash: 1, Hide: 1},
		}},
		// Frames that are lost.
		{Name: "loss", Config: Config{Tabs: 3, Topics: 1, Stay: wA | wB | wC, Clock: true, Watch: true, Budgets: Budgets{User: 2, Loss: 2}}},
		// Two workers of one tab; storage that refuses writes; a cleanup beside a new subscriber.
		{Name: "one id", Config: Config{
			Tabs: 2, Topics: 1, TabIDs: [maxTabs]uint8{1, 1}, Setup: shared, Clock: true,
			Budgets: Budgets{User: 2},
		}},
		{Name: "refusal", Config: Config{
			Tabs: 2, Topics: 1, Setup: shared, Hiders: wA, Failers: wA, Clock: true,
			Budgets: Budgets{Hide: 1, Show: 1, Fail: 1},
		}},
		{Name: "cleanup", Config: Config{
			Tabs: 3, Topics: 1, Setup: second, Users: wC, Crashers: wB, Late: true, Clock: true, Budgets: Budgets{User: 1, Crash: 1},
		}},
		{Name: "visibility", Config: Config{Tabs: 2, Topics: 1, Stay: wA | wB, Clock: true, Budgets: Budgets{User: 2, Visibility: 2}}},
	}
}

func crashing(phases [maxTabs]uint8) Config {
	return Config{
		Tabs: 2, Topics: 1, Setup: shared, Crashers: wA, Clock: true, Fine: true, Watch: true, Phases: phases,
		Budgets: Budgets{Crash: 1, Loss: 1},
	}
}

// userScopes are those in which users come and go.
func userScopes() []model.Scope[Config] {
	return []model.Scope[Config]{
		{Name: "users", Config: Config{Tabs: 2, Topics: 1, Clock: true, Budgets: Budgets{User: 3, Publish: 1}}},
		{Name: "users of a third", Config: Config{Tabs: 3, Topics: 1, Clock: true, Users: wB | wC, Stay: wC, Budgets: Budgets{User: 3}}},
		{Name: "users and loss", Config: Config{Tabs: 2, Topics: 1, Clock: true, Budgets: Budgets{User: 3, Loss: 2}}},
		{Name: "users and hiding", Config: Config{Tabs: 2, Topics: 1, Setup: shared, Clock: true, Budgets: Budgets{User: 2, Hide: 1, Show: 1}}},
		{Name: "late flush", Config: Config{Tabs: 2, Topics: 1, Late: true, Clock: true, Budgets: Budgets{User: 3}}},
		{Name: "late flush of two", Config: Config{Tabs: 2, Topics: 2, Late: true, Clock: true, Stay: wA | wB, Budgets: Budgets{User: 3}}},
	}
}

// faultScopes are those with more faults at once.
func faultScopes() []model.Scope[Config] {
	return []model.Scope[Config]{
		{Name: "refused user", Config: Config{
			Tabs: 2, Topics: 1, Failers: wA | wB, Clock: true,
			Budgets: Budgets{User: 2, Fail: 1, Hide: 1, Show: 1},
		}},
		{Name: "refused retry", Config: Config{
			Tabs: 3, Topics: 2, Setup: []Action{sub(0, 1)}, Wanted: topicX, Hiders: wB, Failers: wA, Stay: wA | wB | wC, Clock: true,
			Budgets: Budgets{User: 2, Hide: 1, Fail: 1},
		}},
		{Name: "both freeze", Config: Config{
			Tabs: 2, Topics: 1, Setup: shared, Freezers: wA | wB, Clock: true, Budgets: Budgets{Freeze: 2, User: 1, Hide: 1, Show: 1},
		}},
		{Name: "hide and lose", Config: Config{
			Tabs: 3, Topics: 1, Setup: third, Hiders: wA | wB, Users: wB | wC, Clock: true, Budgets: Budgets{User: 1, Hide: 1, Show: 1, Loss: 1},
		}},
		{Name: "hide and crash", Config: Config{
			Tabs: 3, Topics: 1, Setup: third, Hiders: wA | wB, Crashers: wA | wB, Users: wB | wC, Clock: true,
			Budgets: Budgets{User: 1, Hide: 1, Show: 1, Crash: 1},
		}},
		{Name: "late flush and hiding", Config: Config{
			Tabs: 2, Topics: 1, Setup: shared, Late: true, Clock: true, Budgets: Budgets{User: 1, Hide: 1, Show: 1},
		}},
		{Name: "late flush of a third", Config: Config{
			Tabs: 3, Topics: 1, Late: true, Clock: true, Users: wB | wC, Stay: wC, Budgets: Budgets{User: 3},
		}},
	}
}

// lagScopes are those in which a frame overtakes the writes that its sender made before it, as it does between the processes of a browser.
func lagScopes() []model.Scope[Config] {
	return []model.Scope[Config]{
		{Name: "lag", Config: Config{Tabs: 2, Topics: 1, Lag: maxLag, Clock: true, Budgets: Budgets{User: 3}}},
		{Name: "lag and loss", Config: Config{Tabs: 2, Topics: 1, Lag: maxLag, Clock: true, Budgets: Budgets{User: 2, Loss: 1}}},
		{Name: "lag and late flush", Config: Config{Tabs: 2, Topics: 1, Lag: maxLag, Late: true, Clock: true, Budgets: Budgets{User: 2}}},
		{Name: "lag and hiding", Config: Config{
			Tabs: 2, Topics: 1, Setup: shared, Lag: maxLag, Clock: true, Budgets: Budgets{User: 2, Hide: 1, Show: 1},
		}},
		{Name: "lag of a handoff", Config: Config{
			Tabs: 3, Topics: 1, Setup: third, Hiders: wA | wB, Lag: maxLag, Clock: true, Budgets: Budgets{Hide: 2},
		}},
		{Name: "lag and crash", Config: Config{
			Tabs: 2, Topics: 1, Setup: shared, Crashers: wA, Lag: maxLag, Clock: true, Budgets: Budgets{User: 1, Crash: 1},
		}},
		{Name: "lag and freeze", Config: Config{
			Tabs: 2, Topics: 1, Setup: shared, Freezers: wA, Lag: maxLag, Clock: true, Budgets: Budgets{User: 1, Freeze: 1},
		}},
	}
}
