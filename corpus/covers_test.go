package corpus_test

import (
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/spec"
)

func citations(t *testing.T) []corpus.Citation {
	t.Helper()
	all, err := corpus.Citations()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func catalogue(t *testing.T) *spec.Catalogue {
	t.Helper()
	c, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// covers holds that each law in force of those that are bound to have vectors is cited for each of its versions, but for
// those that are out of reach, which no vector cites. There must be as many as were found once, or more.
func covers(t *testing.T, protocol string, cited []corpus.Citation, bound func(spec.Law) bool, outOfReach map[string]string, least int) {
	t.Helper()
	in := map[string]map[string]bool{}
	for _, c := range cited {
		for _, law := range c.Laws {
			if in[law] == nil {
				in[law] = map[string]bool{}
			}
			for _, version := range versionsOf(c.Versions) {
				in[law][version] = true
			}
		}
	}
	n := 0
	for _, l := range catalogue(t).Laws(protocol) {
		if !l.Active() || !bound(l) {
			continue
		}
		if _, other := outOfReach[l.ID]; other {
			if in[l.ID] != nil {
				t.Errorf("%s is listed as out of reach, but has vectors", l.ID)
			}
			continue
		}
		n++
		for _, version := range versionsOf(l.Versions) {
			if !in[l.ID][version] {
				t.Errorf("%s (%s) has no vector for %s", l.ID, l.Title, version)
			}
		}
	}
	if n < least {
		t.Errorf("%d laws must have vectors, not the %d and more that there are", n, least)
	}
	for id := range outOfReach {
		if l, ok := catalogue(t).Law(id); !ok || !l.Active() || !bound(l) {
			t.Errorf("%s is listed as out of reach, but need not have vectors", id)
		}
	}
}

// agree holds that no two vectors of one key are at odds in a version.
func agree[V any, K comparable](t *testing.T, vectors []V, cite func(V) corpus.Citation, key func(V) (k K, ok bool), odds func(a, b V) string) {
	t.Helper()
	type place struct {
		key     K
		version string
	}
	first := map[place]V{}
	for _, v := range vectors {
		k, ok := key(v)
		if !ok {
			continue
		}
		for _, version := range versionsOf(cite(v).Versions) {
			at := place{k, version}
			other, ok := first[at]
			if !ok {
				first[at] = v
				continue
			}
			if how := odds(v, other); how != "" {
				t.Errorf("%s and %s %s in %s", cite(v).Name, cite(other).Name, how, version)
			}
		}
	}
}

// versionsOf returns the versions, and one without a name for a protocol that has none.
func versionsOf(versions []string) []string {
	if len(versions) == 0 {
		return []string{""}
	}
	return versions
}
