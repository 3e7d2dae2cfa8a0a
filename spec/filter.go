package spec

import (
	"slices"
	"strings"
)

// A Filter chooses laws. Fields are joined by "and", the values of one field by "or"; an empty field chooses all, so the
// zero Filter is every law that is not withdrawn. Letter case never matters.
type Filter struct {
	Protocols []string // stomp, eventbus, …
	Groups    []string // middle part of the id: FRAME, ACK, …
	Levels    []Level  // MUST, SHOULD, MAY, REFERENCE
	Roles     []string // codec, server, …
	Versions  []string // laws that hold in one of these versions; a law that names none holds in all of its protocol
	Kinds     []string // function, invariant, safety, limit, liveness, document
	Sinces    []string // seed, later
	Globs     []string // patterns on the whole id: * stands for any text, every other character for itself
	Decisions bool     // only laws that are a decision of this project
	Withdrawn bool     // withdrawn laws too
}

// Select returns the laws that the filter chooses, in catalogue order. Each value must be known to the protocols that the
// filter chooses, and each glob must match one of their laws: a misspelt word is an *UnknownError that names the known
// ones, never an empty answer. A combination of known values may well choose nothing; whether that is an error is the
// caller's to say.
func (c *Catalogue) Select(f Filter) ([]Law, error) {
	// Withdrawn laws count as known: asking for one by name is no misspelling.
	scope, err := c.scope(f.Protocols)
	if err != nil {
		return nil, err
	}
	if err := f.check(scope); err != nil {
		return nil, err
	}
	out := []Law{}
	for _, l := range scope {
		if f.matches(l) {
			out = append(out, l)
		}
	}
	return out, nil
}

// scope returns the laws of the named protocols, or of all when none is named.
func (c *Catalogue) scope(protocols []string) ([]Law, error) {
	if err := known("protocol", protocols, c.protocols); err != nil {
		return nil, err
	}
	var out []Law
	for _, p := range c.protocols {
		if chosen(protocols, p) {
			out = append(out, cloneLaws(c.laws[p])...)
		}
	}
	return out, nil
}

// check reports the first value of the filter that the laws in scope do not know.
func (f Filter) check(scope []Law) error {
	var groups, roles, versions, kinds, sinces []string
	for _, l := range scope {
		groups = appendNew(groups, l.Group)
		roles = appendNew(roles, l.Role)
		versions = appendNew(versions, versionsOf(l)...)
		kinds = appendNew(kinds, l.Kind)
		sinces = appendNew(sinces, l.Since)
	}
	slices.Sort(versions)
	for _, q := range []struct {
		what          string
		values, known []string
	}{
		{"group", f.Groups, groups},
		{"level", levelStrings(f.Levels), levelStrings(Levels())},
		{"role", f.Roles, roles},
		{"version", f.Versions, versions},
		{"kind", f.Kinds, kinds},
		{"since", f.Sinces, sinces},
	} {
		if err := known(q.what, q.values, q.known); err != nil {
			return err
		}
	}
	for _, g := range f.Globs {
		if !slices.ContainsFunc(scope, func(l Law) bool { return matchGlob(g, l.ID) }) {
			what := "glob"
			if g != "" && !strings.Contains(g, "*") {
				what = "law"
			}
			return &UnknownError{What: what, Value: g}
		}
	}
	return nil
}

func (f Filter) matches(l Law) bool {
	return (f.Withdrawn || l.Active()) &&
		(!f.Decisions || l.Decision) &&
		chosen(f.Groups, l.Group) &&
		chosen(levelStrings(f.Levels), string(l.Level)) &&
		chosen(f.Roles, l.Role) &&
		chosen(f.Versions, versionsOf(l)...) &&
		chosen(f.Kinds, l.Kind) &&
		chosen(f.Sinces, l.Since) &&
		(len(f.Globs) == 0 || slices.ContainsFunc(f.Globs, func(g string) bool { return matchGlob(g, l.ID) }))
}

// versionsOf returns those in which a law holds; none of a protocol that has none.
func versionsOf(l Law) []string {
	if len(l.Versions) > 0 {
		return l.Versions
	}
	return Versions(l.Protocol)
}

// chosen reports whether a field of the filter lets through a law with any of the values got.
func chosen(want []string, got ...string) bool {
	if len(want) == 0 {
		return true
	}
	return slices.ContainsFunc(want, func(w string) bool { return containsFold(got, w) })
}

// known reports the first value that is not among the words known.
func known(what string, values, words []string) error {
	for _, v := range values {
		if !containsFold(words, v) {
			return &UnknownError{What: what, Value: v, Known: slices.Clone(words)}
		}
	}
	return nil
}

func containsFold(list []string, s string) bool {
	return slices.ContainsFunc(list, func(x string) bool { return strings.EqualFold(x, s) })
}

func appendNew(list []string, values ...string) []string {
	for _, v := range values {
		if v != "" && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

func levelStrings(levels []Level) []string {
	out := make([]string, len(levels))
	for i, l := range levels {
		out[i] = string(l)
	}
	return out
}
