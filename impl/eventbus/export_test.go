package eventbus

// SetRun sets how many events are stored together. The bus must be new.
func (b *Bus) SetRun(n int) { b.retained.run = n }

// Digits returns how many decimal digits n >= 0 has.
func Digits(n int64) int { return digits(n) }

// Parked returns how many calls of Next are parked.
func (s *Subscription) Parked() (n int) {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	for w := s.waiters.first; w != nil; w = w.next {
		n++
	}
	return n
}

// TakeRun is the part of Take that needs no lock.
func (s *Subscription) TakeRun(dst []*Event) int { return s.takeRun(dst) }

// Linger looks for the next event as a call of Next does before it parks, on a machine that can run a publisher meanwhile.
func (s *Subscription) Linger() *Event {
	s.bus.parallel = true
	return s.linger()
}

// Parallel says whether consumers of the bus look again before they park.
func (b *Bus) Parallel() bool { return b.parallel }

// WaitIndex returns the place among the subscriptions with a parked call, -1 if there is none.
func (s *Subscription) WaitIndex() int { return s.waitIndex }

// Watched returns the first place, and the number of octets, at which some subscriber outside a warning episode is looked at.
func (b *Bus) Watched() (place, octets int64) { return b.nextPlace, b.nextOctets }

// InWarning returns how many subscribers are in a warning episode.
func (b *Bus) InWarning() int { return b.warned }

// ThreeQuarters returns the least number that reaches a warning.
func ThreeQuarters(limit int64) int64 { return threeQuarters(limit) }

// ReachesWarning says whether n of limit is a warning.
func ReachesWarning(n, limit int64) bool { return reachesWarning(n, limit) }
