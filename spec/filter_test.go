package spec_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/spec"
)

func TestSelect(t *testing.T) {
	c := load(t)
	for name, tc := range map[string]struct {
		filter spec.Filter
		want   int
	}{
		"zero":               {spec.Filter{}, 807},
		"protocol":           {spec.Filter{Protocols: []string{"stomp"}}, 272},
		"two protocols":      {spec.Filter{Protocols: []string{"databus", "STOMP"}}, 436},
		"group everywhere":   {spec.Filter{Groups: []string{"limit"}}, 20 + 5 + 8 + 5},
		"group of one":       {spec.Filter{Protocols: []string{"stomp"}, Groups: []string{"LIMIT", "ack"}}, 30},
		"level":              {spec.Filter{Protocols: []string{"stomp"}, Levels: []spec.Level{"must", spec.Should}}, 115},
		"role":               {spec.Filter{Roles: []string{"codec"}}, 90},
		"version":            {spec.Filter{Versions: []string{"1.0"}}, 182},
		"version or version": {spec.Filter{Versions: []string{"1.1", "1.2"}}, 258},
		"version of few":     {spec.Filter{Versions: []string{"fenced"}}, 153},
		"kind":               {spec.Filter{Kinds: []string{"liveness"}}, 26},
		"since":              {spec.Filter{Sinces: []string{"later"}}, 19},
		"decisions":          {spec.Filter{Decisions: true}, 96},
		"glob":               {spec.Filter{Globs: []string{"stomp-frame-*", "*-ACK-001"}}, 26 + 2},
		"whole id":           {spec.Filter{Globs: []string{"STOMP-FRAME-001"}}, 1},
		"known, yet none":    {spec.Filter{Groups: []string{"RACE"}, Roles: []string{"codec"}}, 0},
	} {
		got, err := c.Select(tc.filter)
		if err != nil || len(got) != tc.want || got == nil {
			t.Errorf("%s: got %d laws, want %d, error %v", name, len(got), tc.want, err)
		}
	}
}

func TestSelectNamesTheKnownWords(t *testing.T) {
	c := load(t)
	stomp := []string{"stomp"}
	for _, tc := range []struct {
		filter spec.Filter
		want   string
	}{
		{spec.Filter{Protocols: []string{"mqtt"}}, `unknown protocol "mqtt", known: stomp, eventbus, substrate, databus`},
		{spec.Filter{Protocols: []string{"eventbus"}, Groups: []string{"FRAME"}}, `unknown group "FRAME", known: ID, RING, PUBLISH, SUBSCRIBE, REPLAY, RESYNC, QUEUE, WARN, EVICT, ABORT, CLOSE, LIMIT, SSE, HTTP, REDUCER, CONCURRENCY, WHATWG`},
		{spec.Filter{Levels: []spec.Level{"SHALL"}}, `unknown level "SHALL", known: MUST, SHOULD, MAY, REFERENCE`},
		{spec.Filter{Protocols: stomp, Roles: []string{"broker"}}, `unknown role "broker", known: codec, server, client, reference-client`},
		{spec.Filter{Versions: []string{"1.3"}}, `unknown version "1.3", known: 1.0, 1.1, 1.2, fenced, later, seed, v010`},
		{spec.Filter{Protocols: []string{"databus"}, Versions: []string{"1.2"}}, `unknown version "1.2", known: fenced, v010`},
		{spec.Filter{Kinds: []string{"x"}}, `unknown kind "x", known: function, invariant, safety, limit, liveness, document, record`},
		{spec.Filter{Sinces: []string{"x"}}, `unknown since "x", known: seed, later`},
		{spec.Filter{Protocols: stomp, Globs: []string{"STOMP-*", "DATABUS-*"}}, `unknown glob "DATABUS-*": nothing matches it`},
		{spec.Filter{Globs: []string{"STOMP-ACK-999"}}, `unknown law "STOMP-ACK-999": nothing matches it`},
		{spec.Filter{Globs: []string{""}}, `unknown glob "": nothing matches it`},
	} {
		laws, err := c.Select(tc.filter)
		var unknown *spec.UnknownError
		if !errors.As(err, &unknown) || laws != nil {
			t.Errorf("%+v: got %d laws and %v, want an UnknownError alone", tc.filter, len(laws), err)
			continue
		}
		got := err.Error()
		// The order of kinds is the order of the files; only the set matters to a reader.
		if unknown.What == "kind" {
			got = strings.Split(got, ", known")[0]
			tc.want = strings.Split(tc.want, ", known")[0]
			if len(unknown.Known) != len(spec.Kinds()) {
				t.Errorf("kinds known: %v", unknown.Known)
			}
		}
		if got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
}

func TestSelectLeavesOutWithdrawnLaws(t *testing.T) {
	gone, kept := sample(), sample()
	kept.ID, kept.Withdrawn = "STOMP-FRAME-002", ""
	c, err := spec.New([]spec.Law{gone, kept})
	if err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]spec.Filter{
		"STOMP-FRAME-002":                 {},
		"STOMP-FRAME-001 STOMP-FRAME-002": {Withdrawn: true},
		"":                                {Globs: []string{"*-001"}},
	} {
		laws, err := c.Select(f)
		var ids []string
		for _, l := range laws {
			ids = append(ids, l.ID)
		}
		if err != nil || strings.Join(ids, " ") != want {
			t.Errorf("%+v: got %v, want %q, error %v", f, ids, want, err)
		}
	}
	if l, ok := c.Law("STOMP-FRAME-001"); !ok || l.Active() {
		t.Error("a withdrawn law must stay to be found by its id")
	}
}

// Selecting is checking each law by itself: the answer is in catalogue order, and a law is in it exactly when a plain
// reading of the filter says so.
func TestSelectAgreesWithAPlainReading(t *testing.T) {
	c := load(t)
	all := c.All()
	rapid.Check(t, func(t *rapid.T) {
		some := func(name string, of func(spec.Law) string) []string {
			var out []string
			for _, l := range rapid.SliceOfN(rapid.SampledFrom(all), 0, 3).Draw(t, name) {
				if v := of(l); v != "" {
					out = append(out, v)
				}
			}
			return out
		}
		f := spec.Filter{
			Groups: some("groups", func(l spec.Law) string { return l.Group }),
			Roles:  some("roles", func(l spec.Law) string { return l.Role }),
			Kinds:  some("kinds", func(l spec.Law) string { return l.Kind }),
			Globs:  some("globs", func(l spec.Law) string { return l.ID[:len(l.ID)-3] + "*" }),
		}
		got, err := c.Select(f)
		if err != nil {
			t.Fatal(err)
		}
		in := func(list []string, v string) bool { return len(list) == 0 || slices.Contains(list, v) }
		want := []spec.Law{}
		for _, l := range all {
			if l.Active() && in(f.Groups, l.Group) && in(f.Roles, l.Role) && in(f.Kinds, l.Kind) && in(f.Globs, l.ID[:len(l.ID)-3]+"*") {
				want = append(want, l)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%+v (-want +got):\n%s", f, diff)
		}
	})
}
