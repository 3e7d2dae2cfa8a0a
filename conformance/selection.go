package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A Selection says which instances of a suite to run. The zero value selects all.
type Selection struct {
	// Only are globs over case ids (* stays inside a segment, ** does not) or law ids, which may
	// hold * too. An instance is selected when any of them matches.
	Only []string
	// Version keeps the instances of one protocol version and those that pick their own.
	Version string
	// ShardIndex and ShardCount keep every ShardCount-th instance; ShardIndex counts from 1. Zero
	// ShardCount: no sharding.
	ShardIndex, ShardCount int
}

// ParseShard reads "2/5".
func ParseShard(s string) (index, count int, err error) {
	a, b, ok := strings.Cut(s, "/")
	if ok {
		index, err = strconv.Atoi(a)
	}
	if ok && err == nil {
		count, err = strconv.Atoi(b)
	}
	if !ok || err != nil || count < 1 || index < 1 || index > count {
		return 0, 0, fmt.Errorf("shard %q is not I/N with 1 <= I <= N", s)
	}
	return index, count, nil
}

// Strings returns the selection as it would be typed, for a result header.
func (s Selection) Strings() []string {
	var out []string
	for _, o := range s.Only {
		out = append(out, "--only "+o)
	}
	if s.Version != "" {
		out = append(out, "--version "+s.Version)
	}
	if s.ShardCount > 0 {
		out = append(out, fmt.Sprintf("--shard %d/%d", s.ShardIndex, s.ShardCount))
	}
	return out
}

// Select returns, for each instance, whether it is selected. A pattern that is malformed or
// matches no instance, and a selection that keeps nothing, are errors: a run that judges nothing
// must not look like one that found nothing.
func (s Selection) Select(instances []Instance) ([]bool, error) {
	out := make([]bool, len(instances))
	if len(s.Only) == 0 {
		for i := range out {
			out[i] = true
		}
	}
	for _, pattern := range s.Only {
		match, err := matcher(pattern)
		if err != nil {
			return nil, err
		}
		hit := false
		for i, in := range instances {
			if match(in) {
				hit, out[i] = true, true
			}
		}
		if !hit {
			return nil, fmt.Errorf("--only %q matches no case: ids begin with %s, and --list shows them all", pattern, beginning(instances))
		}
	}
	if s.Version != "" {
		known := slices.ContainsFunc(instances, func(in Instance) bool { return in.Version == s.Version })
		if !known {
			return nil, fmt.Errorf("--version %q: no case runs under that version, known: %s", s.Version, strings.Join(versionsOf(instances), ", "))
		}
		for i, in := range instances {
			out[i] = out[i] && (in.Version == "" || in.Version == s.Version)
		}
	}
	if s.ShardCount > 0 {
		n := 0
		for i := range out {
			if out[i] {
				out[i] = n%s.ShardCount == s.ShardIndex-1
				n++
			}
		}
	}
	if !slices.Contains(out, true) {
		return nil, fmt.Errorf("%s selects no case", strings.Join(s.Strings(), " "))
	}
	return out, nil
}

// beginning returns the segments with which the ids of all instances begin.
func beginning(instances []Instance) string {
	var common []string
	for i, in := range instances {
		segments := strings.SplitAfter(in.Case.ID, "/")
		segments = segments[:len(segments)-1]
		if i == 0 {
			common = segments
			continue
		}
		n := 0
		for n < min(len(common), len(segments)) && common[n] == segments[n] {
			n++
		}
		common = common[:n]
	}
	return strings.Join(common, "")
}

// versionsOf returns the versions under which instances run, in ascending order of their names.
func versionsOf(instances []Instance) []string {
	var out []string
	for _, in := range instances {
		if in.Version != "" && !slices.Contains(out, in.Version) {
			out = append(out, in.Version)
		}
	}
	slices.Sort(out)
	return out
}

// matcher turns one pattern into a test of instances. A pattern without a slash is about laws, one
// with a slash about case ids, with or without their version.
func matcher(pattern string) (func(Instance) bool, error) {
	if !doublestar.ValidatePattern(pattern) {
		return nil, fmt.Errorf("pattern %q is malformed", pattern)
	}
	if strings.Contains(pattern, "/") {
		return func(in Instance) bool {
			return doublestar.MatchUnvalidated(pattern, in.ID()) || doublestar.MatchUnvalidated(pattern, in.Case.ID)
		}, nil
	}
	upper := strings.ToUpper(pattern)
	return func(in Instance) bool {
		return slices.ContainsFunc(in.Case.Laws, func(law string) bool {
			return doublestar.MatchUnvalidated(upper, law)
		})
	}, nil
}
