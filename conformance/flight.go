package conformance

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// flights knows which cases may have brought a target down: those that were under way at some time since the target last
// proved to be alive. A case that passes proves it for the time after it began.
type flights struct {
	mu    sync.Mutex
	clock int
	since []flight
}

type flight struct {
	id           string // empty: no case, only a proof
	began, ended int    // ended 0: under way
}

// begin notes that a case begins and returns what end wants.
func (f *flights) begin(id string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clock++
	f.since = append(f.since, flight{id: id, began: f.clock})
	return f.clock
}

// end notes that the case begun then has ended, and whether it proves that the target was alive after its beginning.
func (f *flights) end(began int, alive bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clock++
	for i := range f.since {
		if f.since[i].began == began {
			f.since[i].ended = f.clock
		}
	}
	f.since = slices.DeleteFunc(f.since, func(x flight) bool {
		return x.ended != 0 && (x.id == "" || alive && x.ended < began)
	})
}

// suspects returns the ids of the cases that may have done it, in the order in which they began.
func (f *flights) suspects() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ids []string
	for _, x := range f.since {
		if x.id != "" && !slices.Contains(ids, x.id) {
			ids = append(ids, x.id)
		}
	}
	return ids
}

// maxNamed is how many suspects a reason names.
const maxNamed = 8

// String names the suspects for a reason.
func (f *flights) String() string {
	s := f.suspects()
	if len(s) <= maxNamed {
		return strings.Join(s, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(s[len(s)-maxNamed:], ", "), len(s)-maxNamed)
}
