package spec_test

import (
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/spec"
)

func hashOf(t *testing.T, laws ...spec.Law) string {
	t.Helper()
	c, err := spec.New(laws)
	if err != nil {
		t.Fatal(err)
	}
	return c.Hash()
}

func sample() spec.Law {
	return spec.Law{
		ID: "STOMP-FRAME-001", Protocol: "stomp", Group: "FRAME", Role: "codec", Level: spec.Must, Versions: []string{"1.1", "1.2"},
		Since: "seed", Kind: "safety", Title: "t", Statement: "s", Source: "u", Check: "c", Notes: "n", Withdrawn: "w",
		File: "stomp.yaml", Line: 7,
	}
}

// The value is pinned: results of other builds carry it, so its making may not change.
func TestHashIsPinned(t *testing.T) {
	const want = "7a18578d26a834e7c0bb0a5090f8442803925238c910d0cdcb084dcca2bb8155"
	if got := hashOf(t, sample()); got != want {
		t.Errorf("hash of the sample law: got %s, want %s", got, want)
	}
}

func TestHashCoversEveryField(t *testing.T) {
	base := hashOf(t, sample())
	for i := range reflect.TypeFor[spec.Law]().NumField() {
		l := sample()
		f := reflect.ValueOf(&l).Elem().Field(i)
		switch f.Kind() {
		case reflect.String:
			f.SetString(f.String() + "x")
		case reflect.Bool:
			f.SetBool(!f.Bool())
		case reflect.Int:
			f.SetInt(f.Int() + 1)
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"1.2"}))
		default:
			t.Fatalf("field of kind %s: say here how it changes", f.Kind())
		}
		name := reflect.TypeFor[spec.Law]().Field(i).Name
		if changed, place := hashOf(t, l) != base, name == "File" || name == "Line"; changed == place {
			t.Errorf("field %s: hash changed %v", name, changed)
		}
	}
}

func TestHashTellsNeighbouringFieldsApart(t *testing.T) {
	a, b := sample(), sample()
	a.Notes, a.Withdrawn = "ab", "c"
	b.Notes, b.Withdrawn = "a", "bc"
	if hashOf(t, a) == hashOf(t, b) {
		t.Error("text that moves from one field to the next leaves the hash")
	}
}

func TestHashIgnoresOrderAndProtocolHashOtherProtocols(t *testing.T) {
	c := load(t)
	all := c.All()
	slices.Reverse(all)
	if hashOf(t, all...) != c.Hash() {
		t.Error("the order of the laws changes the hash")
	}
	hex := regexp.MustCompile(`^[0-9a-f]{64}$`)
	seen := map[string]bool{c.Hash(): true}
	for _, p := range c.Protocols() {
		h := c.ProtocolHash(p)
		if !hex.MatchString(h) || seen[h] || h != hashOf(t, c.Laws(p)...) {
			t.Errorf("hash of %s is %q", p, h)
		}
		seen[h] = true
	}
	if h := c.ProtocolHash("mqtt"); h != "" {
		t.Errorf("hash of an unknown protocol: %q", h)
	}
}
