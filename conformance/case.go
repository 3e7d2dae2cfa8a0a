package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A Case is one experiment against a target. It cites the laws that it decides.
type Case struct {
	// ID is stable, lower case and slash-separated: protocol, role, group, name, as in
	// stomp/server/ack/client-mode-is-cumulative.
	ID string
	// Title says in a few words what the target is asked to do.
	Title string
	// Laws are the ids of the laws that a failure would break.
	Laws []string
	// Versions are the protocol versions to run under, one instance each. Nil: one instance, which
	// picks its own.
	Versions []string
	Needs    Needs
	// Alone keeps every other case away while this one runs: it loads the target or measures time.
	Alone bool
	// Explores marks a generated experiment: it may shrink what it finds, for up to ExploreFactor times the
	// case deadline. What it finds on software with choices of its own differs from run to run, so that
	// it runs on a target other than the reference only when a selection names it.
	Explores bool
	// Run performs the experiment and reports through T. It returns early, by way of T, when the
	// experiment cannot go on. It must not keep using T after it has returned.
	Run func(ctx context.Context, t *T)
}

// ExploreFactor is how many times the case deadline an exploring case may take.
const ExploreFactor = 6

// Needs are the conditions under which a case makes sense; unmet ones make it unsupported.
type Needs struct {
	// Options are names of capabilities that a profile or the probe can declare absent.
	Options []string
	// Transports are the transports on which the experiment can be made; nil: all.
	Transports []string
	// Reference means that the experiment is about the interface of our own reference: it is not run on
	// anything else.
	Reference bool
}

// An Instance is a case under one protocol version.
type Instance struct {
	Case    *Case
	Version string // empty when the case picks its own
}

// ID returns the case's id with the version appended, as in stomp/server/…/name@1.2.
func (i Instance) ID() string {
	if i.Version == "" {
		return i.Case.ID
	}
	return i.Case.ID + "@" + i.Version
}

// Instances expands cases over their versions, in order.
func Instances(cases []Case) []Instance {
	var out []Instance
	for i := range cases {
		c := &cases[i]
		if len(c.Versions) == 0 {
			out = append(out, Instance{Case: c})
			continue
		}
		for _, v := range c.Versions {
			out = append(out, Instance{Case: c, Version: v})
		}
	}
	return out
}

// ValidateCases reports the first structural fault of a suite: a repeated or malformed id, a case
// without a law or without a function, a law that known does not contain.
func ValidateCases(cases []Case, known func(law string) bool) error {
	seen := map[string]bool{}
	for _, c := range cases {
		switch {
		case c.ID == "" || c.ID != strings.ToLower(c.ID) || strings.ContainsAny(c.ID, " @*?[]{}"):
			return fmt.Errorf("case id %q is not a lower-case path", c.ID)
		case seen[c.ID]:
			return fmt.Errorf("case id %q is used twice", c.ID)
		case len(c.Laws) == 0:
			return fmt.Errorf("case %s cites no law", c.ID)
		case c.Run == nil:
			return fmt.Errorf("case %s has nothing to run", c.ID)
		}
		seen[c.ID] = true
		for i, law := range c.Laws {
			if !known(law) {
				return fmt.Errorf("case %s cites unknown law %s", c.ID, law)
			}
			if slices.Contains(c.Laws[:i], law) {
				return fmt.Errorf("case %s cites %s twice", c.ID, law)
			}
		}
	}
	return nil
}
