package eventbus

// slab is how many events of one PublishAll lie together in memory.
const slab = 32

// PublishAll publishes all of in, in order, and returns how many were published and the id of the last of them. It does what
// as many calls of Publish do, and other publishers may come in between. It costs less, because the clock and the lock are
// only needed once for up to 32 events that carry encoded payloads; such a group lies together in memory, and leaves it
// together.
func (b *Bus) PublishAll(in []Input) (published int, last int64) {
	for len(in) > 0 {
		n := 0
		for n < len(in) && n < slab && in[n].encoded() {
			n++
		}
		if n < 2 {
			if e, ok := b.Publish(in[0]); ok {
				published, last = published+1, e.ID
			}
			in = in[1:]
			continue
		}
		events := make([]Event, n)
		stamp := b.clock.millis()
		for i := range events {
			// Not as a whole: to move a struct to where the collector looks costs a call while it works.
			e := &events[i]
			e.Type, e.Originator, e.Timestamp, e.data = in[i].Type, in[i].Originator, stamp, in[i].Data
		}
		in = in[n:]
		if !b.publishSlab(events) {
			break
		}
		published, last = published+n, events[n-1].ID
	}
	return published, last
}

// encoded says that the event of in needs nothing but its fields.
func (in *Input) encoded() bool {
	return (in.Value == nil || !in.Data.IsZero()) && len(in.Meta) == 0
}

// publishSlab publishes events, unless the bus is closed.
func (b *Bus) publishSlab(events []Event) bool {
	var after aftermath
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return false
	}
	for i := range events {
		b.append(&events[i], events[i].sizeButID(), true, &after)
	}
	b.announce()
	reported := b.diagnostics.pending()
	b.mu.Unlock()
	if after != (aftermath{}) {
		after.run()
	}
	if reported {
		b.flush()
	}
	return true
}
