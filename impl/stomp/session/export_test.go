package session

import (
	"fmt"
	"slices"
	"strings"
)

// Snapshot renders everything that a refused Send must leave alone: all but the time.
func (s *Session) Snapshot() string {
	var lines []string
	for _, sub := range s.subs {
		var b strings.Builder
		fmt.Fprintf(&b, "subscription %q to %q mode %d phase %d:", sub.id, sub.destination, sub.mode, sub.phase)
		for d := sub.first; d != nil; d = d.next {
			fmt.Fprintf(&b, " %q", d.key)
		}
		lines = append(lines, b.String())
	}
	for dest, sub := range s.byDestination {
		var b strings.Builder
		fmt.Fprintf(&b, "destination %q:", dest)
		for ; sub != nil; sub = sub.next {
			fmt.Fprintf(&b, " %q", sub.id)
		}
		lines = append(lines, b.String())
	}
	for id, tx := range s.transactions {
		var b strings.Builder
		fmt.Fprintf(&b, "transaction %q:", id)
		for d := tx.last; d != nil; d = d.after {
			fmt.Fprintf(&b, " %q", d.key)
		}
		lines = append(lines, b.String())
	}
	for id, p := range s.receipts {
		of := ""
		if p.leaving != nil {
			of = p.leaving.id
		}
		lines = append(lines, fmt.Sprintf("receipt %q of subscription %q, bye %t", id, of, p.bye))
	}
	for key, d := range s.deliveries {
		lines = append(lines, fmt.Sprintf("delivery %q of %q staged %t", key, d.sub.id, d.staged != nil))
	}
	slices.Sort(lines)
	lines = append(lines, fmt.Sprintf("%s %s %s %+v", s.state, s.version, s.enc.Version, s.Counts()))
	lines = append(lines, fmt.Sprint(s.offered, s.beat, s.send, s.receive, s.heard))
	if s.clock != nil {
		lines = append(lines, fmt.Sprintf("clock %+v", *s.clock))
	}
	if s.dec != nil {
		a, b, c := s.dec.Pending()
		lines = append(lines, fmt.Sprint("decoder ", s.dec.Version(), a, b, c))
	}
	return strings.Join(lines, "\n")
}

// Check says what is inconsistent in the records, or nil.
func (s *Session) Check() error {
	if s.state == Closed {
		if s.subs != nil || s.byDestination != nil || s.transactions != nil || s.receipts != nil || s.deliveries != nil ||
			s.spare != nil || s.dec != nil || s.clock != nil || s.events != nil || s.Counts() != (Counts{}) ||
			s.send != 0 || s.receive != 0 {
			return fmt.Errorf("a closed session holds %s", s.Snapshot())
		}
		return nil
	}
	opened, outgoing, linked := 0, 0, 0
	for id, sub := range s.subs {
		if sub.id != id {
			return fmt.Errorf("subscription %q under %q", sub.id, id)
		}
		if sub.phase != gone {
			opened++
		} else if sub.first == nil {
			return fmt.Errorf("subscription %q is gone and empty", id)
		}
		if sub.phase == leaving {
			outgoing++
		}
		var prev *delivery
		stagedBehind := false
		for d := sub.first; d != nil; d = d.next {
			linked++
			if d.prev != prev || d.sub != sub || s.deliveries[d.key] != d {
				return fmt.Errorf("delivery %q of %q is not linked as it should be", d.key, id)
			}
			if sub.mode == cumulative && d.staged != nil && stagedBehind {
				return fmt.Errorf("staged delivery %q is not at the beginning of %q", d.key, id)
			}
			stagedBehind = stagedBehind || d.staged == nil
			prev = d
		}
		if sub.last != prev {
			return fmt.Errorf("the last delivery of %q is wrong", id)
		}
	}
	if opened != s.open || outgoing != s.leaving || linked != len(s.deliveries) {
		return fmt.Errorf("counted %d open, %d leaving, %d deliveries in %s", opened, outgoing, linked, s.Snapshot())
	}
	staged := 0
	for id, tx := range s.transactions {
		for d := tx.last; d != nil; d = d.after {
			staged++
			if d.staged != tx || s.deliveries[d.key] != d {
				return fmt.Errorf("transaction %q holds %q", id, d.key)
			}
		}
	}
	for _, d := range s.deliveries {
		if d.staged != nil {
			staged--
		}
	}
	if staged != 0 {
		return fmt.Errorf("%d deliveries in transactions that are not marked so", staged)
	}
	listed := 0
	for dest, sub := range s.byDestination {
		for prev := (*subscription)(nil); sub != nil; prev, sub = sub, sub.next {
			listed++
			if sub.destination != dest || sub.prev != prev || s.subs[sub.id] != sub || sub.phase == gone {
				return fmt.Errorf("destination %q lists %q", dest, sub.id)
			}
		}
	}
	if s.byDestination != nil && listed != opened {
		return fmt.Errorf("%d of %d subscriptions are listed by destination", listed, opened)
	}
	for id, p := range s.receipts {
		if p.leaving != nil && p.leaving.phase != leaving {
			return fmt.Errorf("receipt %q waits for subscription %q, which does not leave", id, p.leaving.id)
		}
	}
	return nil
}
