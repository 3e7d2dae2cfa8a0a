package databus

import (
	"fmt"
	"strings"
	"testing"
)

type session map[string]string

func (s session) Get(key string) (string, bool) {
	value, ok := s[key]
	return value, ok
}

func (s session) Set(key, value string) { s[key] = value }

func counter() func() string {
	n := 0
	return func() string { n++; return fmt.Sprint("id", n) }
}

// DATABUS-IDENTITY-001: the tab stays over a reload, the worker does not; buses of one page share the tab.
func TestIdentityOverReload(t *testing.T) {
	kept, random := session{}, counter()
	worker := func(p *Page) (tab, worker string) {
		b, err := New(Config{Transport: &fake{}, Page: p, Environment: Environment{RandomID: random}})
		if err != nil {
			t.Fatal(err)
		}
		self := b.Snapshot().Self
		return self.TabID, self.WorkerID
	}
	page := &Page{Session: kept}
	tab, first := worker(page)
	same, second := worker(page)
	after, third := worker(&Page{Session: kept})
	if tab != same || tab != after {
		t.Errorf("tabs %s, %s and %s", tab, same, after)
	}
	if first == second || second == third || first == third || !strings.HasPrefix(first, tab) {
		t.Errorf("workers %s, %s and %s", first, second, third)
	}
	if other, _ := worker(nil); other == tab {
		t.Error("two pages without a session share a tab")
	}
}

// DATABUS-IDENTITY-002, -003: a copied id is discarded once if an opener is visible, and else kept.
func TestIdentityOfCopy(t *testing.T) {
	random := counter()
	first := &Page{Session: session{}}
	original := first.TabID(random)
	opened := &Page{Session: session{SessionKey: original}, HasOpener: true}
	fresh := opened.TabID(random)
	if fresh == original || opened.TabID(random) != fresh || opened.Session.(session)[SessionKey] != fresh {
		t.Errorf("the opened page is %s then %s, its opener %s", fresh, opened.TabID(random), original)
	}
	duplicated := &Page{Session: session{SessionKey: original}}
	if got := duplicated.TabID(random); got != original {
		t.Errorf("the duplicate is %s", got)
	}
	if a, b := randomID(), randomID(); a == b || len(a) != 16 {
		t.Errorf("random ids %s and %s", a, b)
	}
}
