package substratemodel

// AppendKey appends the canonical key of s: everything that Step, Actions or an invariant can tell apart. Lists come after their lengths.
func (m *Pair) AppendKey(dst []byte, s PairState) []byte {
	b := &s.left
	dst = append(
		dst, flags(s.up, s.foreignTold, s.foreignKept), s.script, byte(s.denied), s.now,
		b.Drop|b.Duplicate<<2|b.Reorder<<4|b.Disconnect<<6, b.Takeover|b.CrashA<<2|b.CrashB<<4|b.Spurious<<6,
		b.OpenB|b.CloseB<<2|b.Flip<<4|b.StoreFail<<6, b.Full|b.StaleAck<<2|b.Expire<<4|b.Foreign<<6, b.AskB,
	)
	for x := range s.side {
		dst = appendEndpoint(dst, &s.side[x])
		dst = appendFrames(append(dst, s.wire[x].n), s.wire[x].all())
		dst = appendFrames(append(dst, s.old[x].n), s.old[x].frames[:s.old[x].n])
		dst = appendRecord(dst, &s.seen[x])
		if len(m.cfg.Marks) > 0 {
			dst = append(append(dst, s.at[x][:]...), s.seen[x].born[:]...)
		}
	}
	return dst
}

func appendEndpoint(dst []byte, e *endpoint) []byte {
	dst = append(
		dst, e.queued|e.waiting<<4, e.last, e.pred, e.epoch|e.built<<4, byte(e.obj)|e.inc<<4, flags(e.opener, e.busy), e.opening, e.over,
		e.flight|e.resends<<4, e.next, e.gaps|e.asked<<4, e.since, e.askedAt, e.heard, e.life, e.copies,
	)
	for _, l := range e.ledger {
		dst = append(dst, byte(l), byte(l>>8), byte(l>>16), byte(l>>24))
	}
	dst = append16(dst, e.calls, e.tombs, e.here, e.owed)
	for op, inc := range e.called {
		if e.calls&(1<<op) != 0 {
			dst = append(dst, inc)
		}
	}
	for i, c := range e.codes {
		if e.tombs&(1<<i) != 0 {
			dst = append(dst, byte(c))
		}
	}
	for i := range e.outbox() {
		r := &e.rows[i]
		dst = append(dst, byte(r.kind)|byte(r.code)<<4, r.op, r.id, r.seq, r.inc&15|flags(r.saved, r.sent)<<4, r.first, r.prev, r.receipt)
	}
	for _, in := range e.inbox[:e.waiting] {
		dst = append(dst, byte(in.kind), in.op, in.id, in.inc)
	}
	return appendFrames(append(dst, e.came[:e.gaps]...), e.gap[:e.gaps])
}

func appendFrames(dst []byte, frames []Frame) []byte {
	for i := range frames {
		f := &frames[i]
		dst = append(dst, byte(f.Kind)|byte(f.Code)<<4, f.Op|flags(f.OfAnswer)<<4, f.ID, f.Seq, f.Prev, f.Receipt)
	}
	return dst
}

func appendRecord(dst []byte, r *record) []byte {
	dst = append(dst, r.enqueued, r.running, r.began, r.left)
	return append16(dst, r.freed, r.purged, r.lost, r.futile, r.unknown, r.settled, r.handed, r.excused, r.committed, r.bounced)
}

func append16(dst []byte, values ...uint16) []byte {
	for _, v := range values {
		dst = append(dst, byte(v), byte(v>>8))
	}
	return dst
}

func flags(values ...bool) byte {
	var bits byte
	for i, v := range values {
		if v {
			bits |= 1 << i
		}
	}
	return bits
}
