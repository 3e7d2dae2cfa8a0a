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
