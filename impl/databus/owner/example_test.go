package owner_test

import (
	"fmt"

	"github.com/seed-6f28358b/assay/impl/databus/owner"
	"github.com/seed-6f28358b/assay/impl/databus/record"
)

func ExampleChoose() {
	live := []record.Worker{
		{WorkerID: "w1", Status: record.Connected, Visibility: record.Visible, Load: 2, RegisteredAt: 1000},
		{WorkerID: "w2", Status: record.Connected, Visibility: record.Visible, Load: 1, RegisteredAt: 2000},
		{WorkerID: "w3", Status: record.Failed, Visibility: record.Visible, RegisteredAt: 1000},
	}
	chosen, _ := owner.Choose(live, owner.DefaultMaxActive)
	fmt.Println(chosen.WorkerID)
	// Output: w2
}
