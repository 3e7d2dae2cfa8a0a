package eventbus

import "context"

// TryNext returns the next frame if one is buffered. It does not wait: false means that there is none now, or that the
// subscription has ended.
func (s *Subscription) TryNext() (*Event, bool) {
	e, sure := s.takeQuick()
	if sure {
		return e, e != nil
	}
	b := s.bus
	b.mu.Lock()
	e = s.takeLocked()
	b.mu.Unlock()
	return e, e != nil
}

// takeQuick returns the next frame, nil if none is buffered, where that can be told without the lock.
func (s *Subscription) takeQuick() (e *Event, sure bool) {
	for {
		pos := s.pos.Load()
		if pos >= s.barrier.Load() {
			return nil, false
		}
		if pos > s.bus.newest.Load() {
			// Held off, or nothing there.
			return nil, pos < gone
		}
		breathe()
		c := s.chunk.Load()
		if c == nil {
			return nil, false
		}
		i := uint64(pos - c.base)
		if i >= uint64(len(c.slots)) {
			return nil, false
		}
		breathe()
		// Whoever moves pos on has what was there: all else was checked before, and cannot change while pos is the same.
		e := c.slots[i]
		if s.pos.CompareAndSwap(pos, pos+1) {
			return e, true
		}
	}
}

// Take moves up to len(dst) buffered frames to dst and returns how many. Like TryNext it does not wait. It is the cheapest way
// to drain a subscription.
func (s *Subscription) Take(dst []*Event) int {
	n := 0
	for n < len(dst) {
		if k := s.takeRun(dst[n:]); k > 0 {
			n += k
			continue
		}
		e, ok := s.TryNext()
		if !ok {
			break
		}
		dst[n] = e
		n++
	}
	return n
}

// takeRun takes what is to be had in one step from one chunk.
func (s *Subscription) takeRun(dst []*Event) int {
	pos := s.pos.Load()
	end := min(s.bus.newest.Load()+1, s.barrier.Load())
	c := s.chunk.Load()
	if pos >= end || c == nil || pos < c.base || pos >= c.base+int64(len(c.slots)) {
		return 0
	}
	n := copy(dst, c.slots[pos-c.base:min(end-c.base, int64(len(c.slots)))])
	breathe()
	if s.pos.CompareAndSwap(pos, pos+int64(n)) {
		return n
	}
	return 0
}

// takeLocked returns the next frame, nil if none is buffered.
func (s *Subscription) takeLocked() *Event {
	b := s.bus
	defer b.thaw()
	pos := s.freeze()
	if len(s.marks) > 0 && s.marks[0].at == pos {
		m := s.marks[0]
		s.marks[0] = mark{}
		if s.marks = s.marks[1:]; len(s.marks) == 0 {
			s.marks = nil
		}
		if m.skipTo > 0 {
			s.moveTo(m.skipTo)
		}
		s.raise()
		s.letGo()
		return m.frame
	}
	if pos > b.last || pos >= s.end {
		s.letGo()
		return nil
	}
	var c *chunk
	if s.detached {
		run := int64(len(s.chunks[0].slots))
		behind := (pos - s.chunks[0].base) / run
		clear(s.chunks[:behind])
		s.chunks = s.chunks[behind:]
		c = s.chunks[0]
	} else {
		c = b.retained.holding(pos)
	}
	s.chunk.Store(c)
	s.moveTo(pos + 1)
	b.release()
	return c.slots[pos-c.base]
}

// letGo forgets chunks that are behind pos, so that an idle consumer keeps nothing.
func (s *Subscription) letGo() {
	pos := s.place()
	if c := s.chunk.Load(); c != nil && pos >= c.base+int64(len(c.slots)) {
		s.chunk.Store(nil)
	}
	if s.detached && pos >= s.end {
		s.chunks = nil
		s.chunk.Store(nil)
	}
	s.bus.release()
}

// Next returns the next frame, and waits for it if none is buffered. Several calls that wait are served in the order in which
// they were made. It fails with ErrEnded, for ever, once nothing will come, and with the error of ctx once ctx has ended,
// which takes nothing from the subscription.
func (s *Subscription) Next(ctx context.Context) (*Event, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e, sure := s.takeQuick()
	if e == nil && sure {
		e = s.linger()
	}
	if e != nil {
		return e, nil
	}
	b := s.bus
	b.mu.Lock()
	if e := s.takeLocked(); e != nil {
		b.mu.Unlock()
		return e, nil
	}
	if s.detached {
		b.mu.Unlock()
		return nil, ErrEnded
	}
	w := s.park()
	b.mu.Unlock()
	return s.await(ctx, w)
}

// lingerTurns is how often a consumer looks again before it parks: for about as long as a publication takes. To wake a parked
// one costs a publisher several times that.
const lingerTurns = 128

// linger waits a moment for the next frame.
func (s *Subscription) linger() *Event {
	if !s.bus.parallel {
		return nil
	}
	pos := s.pos.Load()
	for range lingerTurns {
		if s.bus.newest.Load() >= pos {
			e, _ := s.takeQuick()
			return e
		}
	}
	return nil
}
