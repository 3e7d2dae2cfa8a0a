package stompmodel

import "encoding/binary"

// A keyWriter appends values so that no two different sequences of them give the same octets.
type keyWriter []byte

func (k *keyWriter) int(n int) { *k = binary.AppendVarint(*k, int64(n)) }

func (k *keyWriter) text(s string) {
	k.int(len(s))
	*k = append(*k, s...)
}

func (k *keyWriter) texts(list []string) {
	k.int(len(list))
	for _, s := range list {
		k.text(s)
	}
}

func (k *keyWriter) flags(flags ...bool) {
	n := 0
	for i, f := range flags {
		if f {
			n |= 1 << i
		}
	}
	k.int(n)
}

func (k *keyWriter) frame(f ClientFrame) {
	for _, s := range []string{f.Command, f.Destination, f.ID, f.Ack, f.Transaction, f.Receipt, f.Body, f.Message} {
		k.text(s)
	}
}

// AppendKey appends the canonical key of s: everything that Step, Actions or an invariant can tell apart.
func (b *Broker) AppendKey(dst []byte, s BrokerState) []byte {
	k := keyWriter(dst)
	k = binary.AppendUvarint(k, s.used)
	k.int(len(s.sessions))
	for i := range s.sessions {
		k.session(&s.sessions[i])
	}
	k.int(len(s.messages))
	for i := range s.messages {
		k.message(&s.messages[i])
	}
	k.int(len(s.leaky))
	for _, l := range s.leaky {
		k.text(l.dest)
		k.int(l.session)
	}
	return k
}

func (k *keyWriter) session(ses *session) {
	for _, n := range []int{ses.conn, int(ses.phase), ses.subscribed, ses.begun, ses.delivered, ses.greeted} {
		k.int(n)
	}
	k.flags(ses.fault, ses.fading, ses.over, ses.ended, ses.erred, ses.must)
	for _, list := range [][]inFrame{ses.inbox, ses.cut} {
		k.int(len(list))
		for _, f := range list {
			k.frame(f.ClientFrame)
			k.int(f.n)
		}
	}
	k.int(len(ses.subs))
	for _, sub := range ses.subs {
		k.int(sub.n)
		k.text(sub.id)
		k.text(sub.dest)
		k.text(sub.mode)
		k.flags(sub.closing, sub.sure)
	}
	k.int(len(ses.txs))
	for _, t := range ses.txs {
		k.text(t.id)
		k.int(t.n)
		k.int(len(t.frames))
		for _, f := range t.frames {
			k.frame(f.ClientFrame)
			k.int(f.n)
		}
	}
	k.int(len(ses.owed))
	for _, o := range ses.owed {
		k.frame(o.frame)
		k.int(o.n)
		k.texts(o.about)
		k.flags(o.waived)
	}
	k.int(len(ses.suspects))
	for _, f := range ses.suspects {
		k.frame(f)
	}
	k.texts(ses.blamed)
	k.texts(ses.removed)
	k.texts(ses.asked)
	k.texts(ses.answered)
}

func (k *keyWriter) message(m *message) {
	k.text(m.body)
	k.text(m.dest)
	k.text(m.tx)
	for _, n := range []int{m.from, int(m.state), m.txn, m.consumed} {
		k.int(n)
	}
	k.flags(m.sure, m.published, m.committed, m.aborted, m.nacked, m.routed != nil, m.vouched)
	k.int(len(m.routed))
	for _, n := range m.routed {
		k.int(n)
	}
	k.int(len(m.hands))
	for _, h := range m.hands {
		k.int(h.session)
		k.int(h.n)
		k.text(h.id)
		k.text(h.mode)
		k.int(h.at)
		k.flags(h.settled, h.confirmed, h.loose, h.dead, h.staged)
	}
	for _, list := range [][]due{m.due, m.left} {
		k.int(len(list))
		for _, d := range list {
			k.int(d.session)
			k.int(d.n)
		}
	}
}
