package conformance

import (
	"slices"
	"strings"
)

// unmet returns why an instance cannot run on the target and the verdict that this makes; the reason
// is empty if it can.
func (r *run) unmet(in Instance) (Verdict, string) {
	if in.Version != "" && r.caps.Versions != nil && !slices.Contains(r.caps.Versions, in.Version) {
		return Unsupported, "the target does not negotiate version " + in.Version
	}
	for _, option := range in.Case.Needs.Options {
		if reason, ok := r.cfg.Profile.Unsupported[option]; ok {
			return Unsupported, "profile: " + option + ": " + reason
		}
		if reason, ok := r.caps.Absent[option]; ok {
			return Unsupported, "probe: " + option + ": " + reason
		}
	}
	if n := in.Case.Needs.Transports; n != nil && !slices.ContainsFunc(r.transports(), func(by string) bool { return slices.Contains(n, by) }) {
		return Unsupported, "the experiment cannot be made over " + strings.Join(r.transports(), " or ")
	}
	for _, option := range in.Case.Needs.Options {
		if reason, ok := r.caps.Missing[option]; ok {
			return Blocked, reason
		}
	}
	return Pass, ""
}

// transports returns those over which the target can be judged.
func (r *run) transports() []string {
	switch ref := r.reference; {
	case r.cfg.Adapter != nil:
		return []string{"exec"}
	case ref == nil:
		return []string{r.cfg.Target.Scheme}
	case ref.Transports == nil:
		return []string{"tcp"}
	default:
		return ref.Transports
	}
}
