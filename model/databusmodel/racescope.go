package databusmodel

import "github.com/seed-6f28358b/assay/model"

// Sets of workers and topics.
const (
	wA, wB, wC uint8 = 1, 2, 4
	topicX     uint8 = 1
)

func sub(tab, topic uint8) Action { return Action{Op: OpSubscribe, Tab: tab, Topic: topic} }

// RaceScopes returns for each race the least scope in which it happens. Rules are those of the documented version, or those of 0.1.0 where
// only that has the race.
func RaceScopes() []model.Scope[Config] {
	var out []model.Scope[Config]
	add := func(number string, r Rules, c Config) {
		c.Race, c.Rules = "DATABUS-RACE-"+number, r
		out = append(out, model.Scope[Config]{Name: "RACE-" + number, Config: c})
	}
	add("001", V010(), Config{Tabs: 2, Budgets: Budgets{User: 3}})
	add("002", V010(), Config{Tabs: 2, Budgets: Budgets{User: 3}})
	add("003", V010(), Config{Tabs: 2, Topics: 2, Late: true, Stay: wA | wB, Budgets: Budgets{User: 3, Publish: 1}})
	add("004", V010(), Config{Tabs: 3, Late: true, Users: wB | wC, Stay: wC, Budgets: Budgets{User: 3}})
	add("005", Drifted(), Config{Tabs: 2, Setup: shared, Hiders: wA, Budgets: Budgets{Hide: 1, Loss: 1}})
	add("006", Drifted(), Config{Tabs: 3, Setup: third, Hiders: wA | wB, Budgets: Budgets{Hide: 2, Show: 1}})
	add("007", Drifted(), Config{Tabs: 2, Setup: shared, Hiders: wA, LossyClose: true, Budgets: Budgets{Hide: 1}})
	add("008", Drifted(), Config{Tabs: 3, Setup: third, Hiders: wA, Freezers: wB, Clock: true, Budgets: Budgets{Hide: 2, Show: 1, Freeze: 1}})
	add("009", V010(), Config{Tabs: 2, Late: true, Users: wB, Budgets: Budgets{User: 1}})
	add("010", V010(), Config{Tabs: 2, Setup: shared, Freezers: wA, Clock: true, Budgets: Budgets{Freeze: 1, Publish: 1}})
	add("011", V010(), Config{Tabs: 2, Setup: second, Crashers: wA, Budgets: Budgets{Crash: 1, Publish: 1}})
	add("012", V010(), Config{Tabs: 2, TabIDs: [maxTabs]uint8{1, 1}, Setup: shared, Users: wB, Budgets: Budgets{User: 1}})
	add("013", V010(), Config{
		Tabs: 3, TabIDs: [maxTabs]uint8{0, 1, 1}, Absent: wC, Setup: second, Crashers: wB, Budgets: Budgets{Crash: 1, Open: 1},
	})
	add("014", Drifted(), Config{Tabs: 2, Setup: shared, Hiders: wA, Failers: wA, Budgets: Budgets{Hide: 1, Show: 1, Fail: 1}})
	add("015", V010(), Config{
		Tabs: 3, Topics: 2, Setup: []Action{sub(0, 1)}, Wanted: topicX, Stay: wA | wB | wC, Hiders: wB, Failers: wA,
		Budgets: Budgets{User: 2, Hide: 1, Fail: 1},
	})
	add("016", V010(), Config{Tabs: 3, Setup: third, Hiders: wA, Crashers: wB, Budgets: Budgets{Hide: 1, Crash: 1}})
	add("017", V010(), Config{
		Tabs: 3, Setup: second, Users: wC, Crashers: wB, Late: true, Clock: true, Budgets: Budgets{User: 1, Crash: 1},
	})
	add("018", V010(), Config{Tabs: 2, Setup: shared, Clock: true, Budgets: Budgets{Freeze: 2, Hide: 1, Show: 1}})
	return out
}
