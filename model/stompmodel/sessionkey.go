package stompmodel

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// AppendKey appends the canonical key of s: everything that Step, Actions or an invariant can tell apart but for the absolute time. Time matters only by
// its differences, and by whether there is a time before it, so that a session may be explored to its end although time never does.
func (m *Session) AppendKey(dst []byte, s SessionState) []byte {
	k := keyWriter(dst)
	k.text(string(s.phase))
	k.flags(s.now == 0, s.connected, s.begun)
	k.text(string(s.version))
	k.int(len(s.offered))
	for _, v := range s.offered {
		k.text(string(v))
	}
	for _, n := range []int64{int64(s.can), int64(s.want), s.sendEvery, s.expectEvery} {
		k = binary.AppendVarint(k, n)
	}
	// A wait that is long enough is as good as any longer one.
	k = binary.AppendVarint(k, min(s.now-s.sent, s.sendEvery))
	if s.expectEvery > 0 {
		k = binary.AppendVarint(k, min(s.now-s.received, s.expectEvery+m.cfg.Tolerance+1))
	}
	k.decoder(s.decoder)
	// Subscriptions, transactions and receipts are sets; deliveries are in order.
	subs := slices.Clone(s.subs)
	slices.SortFunc(subs, func(a, b clientSub) int { return cmp.Compare(a.id, b.id) })
	k.int(len(subs))
	for _, sub := range subs {
		for _, text := range []string{sub.id, sub.dest, sub.mode, sub.leaving} {
			k.text(text)
		}
	}
	txs := slices.Clone(s.txs)
	slices.Sort(txs)
	k.texts(txs)
	receipts := slices.Clone(s.receipts)
	slices.SortFunc(receipts, func(a, b clientReceipt) int { return cmp.Compare(a.id, b.id) })
	k.int(len(receipts))
	for _, r := range receipts {
		k.text(r.id)
		k.flags(r.bye)
	}
	k.int(len(s.deliveries))
	for _, d := range s.deliveries {
		for _, text := range []string{d.sub, d.messageID, d.ack, d.mode, d.tx} {
			k.text(text)
		}
	}
	return k
}

// decoder writes what a decoder will do next; where in the stream it stands tells no futures apart.
func (k *keyWriter) decoder(s CodecState) {
	k.int(int(s.phase))
	k.text(string(s.version))
	k.text(string(s.line.bytes()))
	k.text(s.command)
	k.int(len(s.headers))
	for _, h := range s.headers {
		k.text(h.Name)
		k.text(h.Value)
	}
	k.text(string(s.body.bytes()))
	k.int(s.length)
}
