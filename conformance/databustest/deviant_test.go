package databustest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
	"github.com/seed-6f28358b/assay/impl/databus/cluster"
)

// A deviant is the reference with something about it that breaks a law.
type deviant struct {
	law, name string
	only      string       // of databus/tab/; empty: all that cite the law
	factory   Factory      // nil: Reference
	hooks     func() hooks // fresh for each adapter; nil: none
}

// A deviance is a group of cases, each of which some deviant turns red.
type deviance struct {
	cases    []conformance.Case
	deviants []deviant
}

// deviances are those of all groups.
func deviances() []deviance {
	return []deviance{
		{fenceCases(), fenceDeviants()},
		{lagCases(), lagDeviants()},
		{raceCases(), raceDeviants()},
		{subscribeCases(), subscribeDeviants()},
		{unsubscribeCases(), unsubscribeDeviants()},
		{publishCases(), publishDeviants()},
		{gateCases(), gateDeviants()},
		{controlCases(), controlDeviants()},
		{eventCases(), eventDeviants()},
		{registryCases(), registryDeviants()},
		{cacheCases(), cacheDeviants()},
		{batchCases(), batchDeviants()},
	}
}

// adapter serves buses with fresh hooks.
func (d deviant) adapter() adapter.Adapter {
	f, h := d.factory, hooks{}
	if f == nil {
		f = Reference
	}
	if d.hooks != nil {
		h = d.hooks()
	}
	return serve("a deviant", f, referenceBackend(), h)
}

// suite judges the deviant as the reference, so that it must also do what only the reference has to.
func (d deviant) suite() *conformance.Suite {
	s := Suite()
	// What generated histories find is asked for by a test of their own, and takes long to be made small.
	s.Cases = slices.DeleteFunc(s.Cases, func(c conformance.Case) bool { return c.Explores })
	start := s.Reference
	s.Reference = func(ctx context.Context) (*conformance.Reference, error) {
		ref, err := start(ctx)
		if err == nil {
			ref.Adapter = d.adapter()
		}
		return ref, err
	}
	return s
}

// ruled makes buses of the reference by other rules.
func ruled(change func(*cluster.Rules)) Factory {
	return func(s Settings) (Bus, error) {
		rules := map[string]cluster.Rules{v010: cluster.V010(), fenced: cluster.Fenced()}[s.Version]
		change(&rules)
		return referenceWith(s, rules)
	}
}

// changing changes each deed that is told; nil: it is not told.
func changing(change func(d *deed) *deed) func() hooks {
	return func() hooks {
		return hooks{did: func(_ *bridge, ds deeds) (out deeds) {
			for _, d := range ds {
				c := *d
				if d := change(&c); d != nil {
					out = append(out, d)
				}
			}
			return out
		}}
	}
}

// silent keeps deeds of a kind from being told.
func silent(kind string) func() hooks {
	return changing(func(d *deed) *deed {
		if d.Kind == kind {
			return nil
		}
		return d
	})
}

// posting changes what tabs post; nil: it is not posted.
func posting(change func(p *page, m map[string]any) map[string]any) func() hooks {
	return func() hooks { return hooks{post: rewriting(change)} }
}

// receiving changes what tabs receive; nil: they do not.
func receiving(change func(p *page, m map[string]any) map[string]any) func() hooks {
	return func() hooks { return hooks{receive: rewriting(change)} }
}

func rewriting(change func(p *page, m map[string]any) map[string]any) func(*page, json.RawMessage) []json.RawMessage {
	return func(p *page, message json.RawMessage) []json.RawMessage {
		var m map[string]any
		if json.Unmarshal(message, &m) != nil {
			return []json.RawMessage{message}
		}
		if m = change(p, m); m == nil {
			return nil
		}
		text, err := json.Marshal(m)
		if err != nil {
			panic(err)
		}
		return []json.RawMessage{text}
	}
}

// storing changes the records of a family, worker, route or subscriber, that tabs write; nil: they do not.
func storing(family string, change func(p *page, m map[string]any) map[string]any) func() hooks {
	return func() hooks {
		return hooks{write: func(p *page, key string, value *string) (*string, bool) {
			if value == nil || !strings.Contains(key, ":"+family+":") {
				return value, true
			}
			var m map[string]any
			if json.Unmarshal([]byte(*value), &m) != nil {
				return value, true
			}
			if m = change(p, m); m == nil {
				return nil, false
			}
			text, err := json.Marshal(m)
			if err != nil {
				panic(err)
			}
			changed := string(text)
			return &changed, true
		}}
	}
}

// keeping has the removals of a family not done.
func keeping(family string) func() hooks {
	return func() hooks {
		return hooks{write: func(_ *page, key string, value *string) (*string, bool) {
			return value, value != nil || !strings.Contains(key, ":"+family+":")
		}}
	}
}

// viewing changes what snapshots show of tabs.
func viewing(change func(p *page, v *tabView)) func() hooks {
	return func() hooks { return hooks{view: change} }
}

// Each deviant is found out, and each case of these groups is turned red by one of them.
func TestDeviantsAreFoundOut(t *testing.T) {
	t.Parallel()
	target, err := conformance.ParseTarget("ref")
	if err != nil {
		t.Fatal(err)
	}
	var all []suitetest.Broken
	var every []conformance.Case
	for _, group := range deviances() {
		every = append(every, group.cases...)
		for _, d := range group.deviants {
			b := suitetest.Broken{Name: d.law + " " + d.name, Law: d.law, Suite: d.suite(), Config: conformance.Config{Target: target, Parallel: 2}}
			if d.only != "" {
				b.Only = []string{"databus/tab/" + d.only}
			}
			all = append(all, b)
		}
	}
	suitetest.GoesRed(t, 2, all, every)
}
