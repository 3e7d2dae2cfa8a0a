package eventbus

// Publish gives the event of in the next id, keeps it for replay and hands it to every subscriber. It returns the event, and
// false if the bus is closed or if, in the Later dialect, the event has no JSON text. It neither panics nor waits for
// a consumer, and costs one allocation if in.Data is what it carries.
func (b *Bus) Publish(in Input) (*Event, bool) {
	e := b.event(in)
	// EVENTBUS-PUBLISH-008: ahead of the id. EVENTBUS-QUEUE-009: the seed dialect puts it off.
	if e.rest != nil && b.config.Dialect == Later {
		if err := b.encode(e); err != nil {
			b.refuse(e)
			return nil, false
		}
	}
	size, known := 0, e.rest == nil || b.config.Dialect == Later
	if known {
		size = e.sizeButID()
	}
	breathe()
	b.mu.Lock()
	if !known && !b.closed && b.someoneBuffers() {
		// A marshaler may call the bus, so the lock is not held over it.
		b.thaw()
		b.mu.Unlock()
		err := b.encode(e)
		if known = err == nil; known {
			size = e.sizeButID()
		}
		b.mu.Lock()
		if err != nil && !b.closed {
			// EVENTBUS-PUBLISH-007
			b.report(sizingFailed(e))
		}
	}
	// EVENTBUS-PUBLISH-002
	if b.closed {
		b.mu.Unlock()
		return nil, false
	}
	var after aftermath
	b.append(e, size, known, &after)
	b.announce()
	reported := b.diagnostics.pending()
	b.mu.Unlock()
	if after != (aftermath{}) {
		after.run()
	}
	if reported {
		b.flush()
	}
	return e, true
}

// append numbers e, stores it and offers it to every subscriber. If the size is not known the event counts as no octets.
func (b *Bus) append(e *Event, size int, known bool, after *aftermath) {
	b.last++
	place := b.last
	// EVENTBUS-ID-001
	e.ID = b.lastID()
	e.before = b.octets
	if known {
		size += digits(e.ID)
	}
	b.octets += int64(size)
	// EVENTBUS-RING-004: ahead of the fan-out.
	b.retained.add(place, e)
	// EVENTBUS-RING-001, EVENTBUS-RING-002
	if place-b.first >= int64(b.config.RingSize) {
		b.first++
		if end, _ := b.retained.oldestEnd(); end <= b.first && (end <= b.needed || place >= b.nextLookup) {
			b.release()
		}
	}
	// EVENTBUS-PUBLISH-006
	if place >= b.nextPlace || b.octets >= b.nextOctets || b.warned > 0 || len(b.frozen) > 0 {
		b.admitAll(arrival{event: e, place: place, size: int64(size), known: known}, after)
	} else {
		for i := len(b.waiting) - 1; i >= 0; i-- {
			b.waiting[i].handOver(e, place, after)
		}
	}
}

// announce lets consumers take what was appended.
func (b *Bus) announce() {
	breathe()
	b.newest.Store(b.last)
	breathe()
	b.thaw()
}

// someoneBuffers says whether an event published now would be kept for a subscriber. If not, consumers are held off so that
// it stays so until the lock is given back.
func (b *Bus) someoneBuffers() bool {
	for _, s := range b.subs {
		if s.waiters.empty() && b.last+1-s.from(s.freeze()) < s.capacity {
			return true
		}
	}
	return false
}

// encode makes the text of what e holds besides an encoded payload. A value that needs no more than that is let go.
func (b *Bus) encode(e *Event) error {
	var used *encoder
	err := e.encode(func() *encoder {
		used = b.pool.Get().(*encoder)
		return used
	})
	if used != nil {
		b.pool.Put(used)
	}
	if err == nil && len(e.rest.meta) == 0 {
		e.data, e.rest = e.rest.data, nil
	}
	return err
}

// refuse reports an event that is not published.
func (b *Bus) refuse(e *Event) {
	b.mu.Lock()
	if !b.closed {
		b.report(sizingFailed(e))
	}
	b.mu.Unlock()
	b.flush()
}
