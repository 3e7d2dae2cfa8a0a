package substratetest

import (
	"bytes"
	"context"
	"strings"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/impl/substrate"
)

// deviants returns those for the laws of frames, objects, seqs and acks, and of all else.
func deviants() []deviant {
	return append(append(frameDeviants(), opDeviants()...), greetingDeviants()...)
}

func frameDeviants() []deviant {
	isKind := func(kind string) func(*frame) bool { return func(f *frame) bool { return f.kind() == kind } }
	return []deviant{
		{law: "SUBSTRATE-WIRE-001", name: "text messages", text: true, only: "wire/frames-are-well-formed"},
		{law: "SUBSTRATE-WIRE-001", name: "another top-level key", only: "wire/frames-are-well-formed", down: func(_ *between, f *frame) *frame {
			f = f.copy()
			f.more = fields{"meta": 1}
			return f
		}},
		{law: "SUBSTRATE-WIRE-002", name: "long receipts", only: "wire/frames-are-well-formed", down: func(_ *between, f *frame) *frame {
			if f.kind() == "err" {
				return f.with("msg", strings.Repeat("m", 300))
			}
			return f
		}},
		{law: "SUBSTRATE-WIRE-003", name: "acks with a seq", only: "wire/frames-are-well-formed", down: func(_ *between, f *frame) *frame {
			if f.kind() == "ack" {
				return f.with("seq", 1)
			}
			return f
		}},
		{law: "SUBSTRATE-CODEC-002", name: "long integers", only: "wire/frames-are-well-formed", down: func(_ *between, f *frame) *frame { return f.with("v", verbatim{0x18, 1}) }},
		{law: "SUBSTRATE-WIRE-004", name: "no empty bodies", only: "wire/body-empty", down: func(_ *between, f *frame) *frame {
			if f.kind() == "res" && len(f.body) == 0 {
				return f.carrying(nil)
			}
			return f
		}},
		{law: "SUBSTRATE-WIRE-005", name: "a flag that counts", only: "wire/unknown-keys", up: func(b *between, f *frame) *frame {
			if f.has("final") {
				b.toSuite(bounceOf(f, "app_error"))
				return nil
			}
			return f
		}},
		{law: "SUBSTRATE-WIRE-006", name: "another close code", only: "wire/text-message", code: closes(4004, 1008)},
		{law: "SUBSTRATE-CODEC-003", name: "another close code", only: "codec/duplicate-key", code: closes(4004, 1000)},
		{law: "SUBSTRATE-CODEC-004", name: "no close", only: "codec/length-bomb", code: closes(4004, 0)},
		{law: "SUBSTRATE-CODEC-003", name: "a lenient reader", only: "codec/null", raw: func(_ *between, fromTarget bool, octets []byte) []byte {
			if f := decode(octets); !fromTarget && f.has("zz") {
				return f.without("zz").octets()
			}
			return octets
		}},
		{law: "SUBSTRATE-WIRE-007", name: "ids that are no ULIDs", only: "wire/minted-ids", down: func(_ *between, f *frame) *frame {
			if f.kind() == "send" {
				return f.with("id", strings.ToLower(f.id()))
			}
			return f
		}, up: func(_ *between, f *frame) *frame {
			if f.kind() == "ack" && !strings.Contains(f.id(), "-") {
				return f.with("id", strings.ToUpper(f.id()))
			}
			return f
		}},
		{law: "SUBSTRATE-ADDR-001", name: "spaces in addresses", only: "addr/whole-token", down: recode("bad_address", "no_such_object")},
		{law: "SUBSTRATE-ADDR-002", name: "an @ is any other fault", only: "addr/at-alone", down: recode("routing_not_supported", "bad_address")},
		{law: "SUBSTRATE-ADDR-003", name: "an echo of a bad address", only: "addr/bad-in-send", down: func(_ *between, f *frame) *frame {
			if f.code() == "bad_address" {
				return f.with("obj", "Bad Address")
			}
			return f
		}},
		{law: "SUBSTRATE-ADDR-004", name: "a slash at the end does not count", only: "addr/near-misses", up: func(_ *between, f *frame) *frame {
			if strings.HasSuffix(f.obj(), "/") {
				return f.with("obj", strings.TrimSuffix(f.obj(), "/"))
			}
			return f
		}},
		{law: "SUBSTRATE-OBJ-002", name: "an acceptor that takes no part", only: "answer/own-open-accepted", up: func(b *between, f *frame) *frame {
			if f.kind() == "close" {
				b.toSuite(bounceOf(f, "not_participant"))
				return nil
			}
			return f
		}},
		{law: "SUBSTRATE-VERB-002", name: "a send that ends before its ack", only: "verb/own-send", down: func(b *between, f *frame) *frame {
			if f.kind() == "send" {
				b.toTarget(ackOf(f))
			}
			return f
		}},
		{law: "SUBSTRATE-VERB-002", name: "an answer to a send", only: "verb/send", up: func(b *between, f *frame) *frame {
			if f.kind() == "send" && string(f.body) == "one way" {
				b.toSuite(f.with("kind", "res"))
			}
			return f
		}},
		{law: "SUBSTRATE-VERB-003", name: "two answers", only: "verb/req-res", down: func(b *between, f *frame) *frame {
			if f.kind() == "res" {
				b.toSuite(f)
			}
			return f
		}},
		{law: "SUBSTRATE-VERB-001", name: "opens without an answer", only: "verb/open-rejected", down: lose(isKind("reject"))},
		{law: "SUBSTRATE-VERB-004", name: "chunks are taken", only: "verb/chunk-on-a-live-object", up: func(_ *between, f *frame) *frame {
			if f.kind() == "chunk" {
				return f.with("kind", "send")
			}
			return f
		}},
		{law: "SUBSTRATE-VERB-005", name: "resyncs are acked", only: "verb/resync-is-silent", up: func(b *between, f *frame) *frame {
			if f.kind() == "resync" {
				b.toSuite(frameOf("kind", "ack", "obj", "a", "objKind", "session", "id", "x", "receipt", []byte{1}))
			}
			return f
		}},
		{law: "SUBSTRATE-VERB-006", name: "another code", only: "verb/unknown-kind-state", down: recode("bad_verb", "unsupported")},
		{law: "SUBSTRATE-OBJ-004", name: "reqs on queues", only: "obj/req-on-a-queue", down: recode("unsupported", "app_error")},
		{law: "SUBSTRATE-OBJ-006", name: "another code", only: "obj/open-twice", down: recode("already_exists", "app_error")},
		{law: "SUBSTRATE-OBJ-005", name: "another code", only: "obj/not-accepted", down: recode("not_accepted", "closed")},
		{law: "SUBSTRATE-OBJ-007", name: "names that cannot be opened again", only: "obj/open-again", up: func(b *between, f *frame) *frame {
			if f.kind() == "open" && b.peer.times(f.obj()) > 0 {
				b.toSuite(bounceOf(f, "closed"))
				return nil
			}
			return f
		}},
	}
}

func opDeviants() []deviant {
	again := func(f *frame) string { return f.kind() + f.id() + string(f.receipt()) }
	return []deviant{
		{law: "SUBSTRATE-SEQ-001", name: "every second seq", only: "seq/of-the-target", down: func(_ *between, f *frame) *frame {
			if f.has("seq") {
				return f.with("seq", int(2*f.seq()))
			}
			return f
		}},
		{law: "SUBSTRATE-SEQ-002", name: "no buffer", only: "seq/backwards", down: lose(func(f *frame) bool { return f.kind() == "ack" && f.has("x") }), up: func(b *between, f *frame) *frame {
			if f.kind() == "send" && (string(f.body) == "b" || string(f.body) == "c") {
				return nil
			}
			return f
		}},
		{law: "SUBSTRATE-SEQ-004", name: "nothing is beyond the window", only: "seq/window-edge", down: lose(func(f *frame) bool { return f.code() == "out_of_seq" })},
		{law: "SUBSTRATE-SEQ-005", name: "old seqs are not acked", only: "seq/below-the-frontier", up: func(_ *between, f *frame) *frame {
			if string(f.body) == "never" {
				return nil
			}
			return f
		}},
		{law: "SUBSTRATE-SEQ-008", name: "another base", only: "seq/resync-of-what-is-gone", down: func(_ *between, f *frame) *frame {
			if f.has("base") {
				return f.with("base", int(f.number("base")+1))
			}
			return f
		}},
		{law: "SUBSTRATE-SEQ-009", name: "no prev", only: "finality/purged-op-is-skipped", down: func(_ *between, f *frame) *frame {
			if f.has("prev") {
				return f.without("prev")
			}
			return f
		}},
		{law: "SUBSTRATE-SEQ-013", name: "acks before the commit", only: "seq/backwards", up: func(b *between, f *frame) *frame {
			if f.kind() == "send" {
				b.toSuite(ackOf(f))
			}
			return f
		}},
		{law: "SUBSTRATE-ACK-002", name: "acks for what is refused", only: "ack/never-of-what-is-refused", up: func(b *between, f *frame) *frame {
			if f.kind() == "send" {
				b.toSuite(ackOf(f))
			}
			return f
		}},
		{law: "SUBSTRATE-OUTBOX-002", name: "a sender that does not wait", only: "outbox/one-in-flight", down: func(b *between, f *frame) *frame {
			if f.durable() && f.kind() == "res" {
				b.toTarget(ackOf(f))
			}
			return f
		}},
		{law: "SUBSTRATE-OUTBOX-004", name: "a resend that differs", only: "outbox/resent-on-each-connection", down: func(b *between, f *frame) *frame {
			if f.durable() && b.peer.times(again(f)) > 0 {
				return f.with("level", "again")
			}
			return f
		}},
		{law: "SUBSTRATE-OUTBOX-003", name: "an id for each attempt", only: "outbox/resent-on-each-connection", down: func(b *between, f *frame) *frame {
			if f.durable() && b.peer.times(again(f)) > 0 {
				return f.with("id", f.id()+"again")
			}
			return f
		}},
		{law: "SUBSTRATE-RECONNECT-003", name: "no resend", only: "outbox/resent-on-each-connection", down: func(b *between, f *frame) *frame {
			if f.durable() && b.peer.times(again(f)) > 0 {
				return nil
			}
			return f
		}},
		{law: "SUBSTRATE-ACK-001", name: "acks that wait for the handler", only: "ack/before-the-handler-is-done", up: func(_ *between, f *frame) *frame {
			if f.kind() == "send" && strings.HasPrefix(string(f.body), "assay:hold") {
				return nil
			}
			return f
		}},
		{law: "SUBSTRATE-ACK-003", name: "receipts of at most 16 octets", only: "ack/echo", down: func(_ *between, f *frame) *frame {
			if f.kind() == "ack" && len(f.receipt()) > 16 {
				return f.with("receipt", f.receipt()[:16])
			}
			return f
		}},
		{
			law: "SUBSTRATE-ACK-004", name: "any ack frees the head", only: "ack/stale-receipt",
			down: func(b *between, f *frame) *frame {
				if f.durable() {
					b.peer.keep(f.obj(), f)
				}
				return f
			},
			up: func(b *between, f *frame) *frame {
				if f.kind() == "ack" {
					if head := b.peer.keep(f.obj(), nil); head != nil {
						return ackOf(head)
					}
				}
				return f
			},
		},
		{law: "SUBSTRATE-ACK-007", name: "acks of acks", only: "ack/of-nothing", up: func(b *between, f *frame) *frame {
			if f.kind() == "ack" {
				b.toSuite(f)
			}
			return f
		}},
		{law: "SUBSTRATE-ANSWER-002", name: "answers that are no ops", only: "outbox/one-in-flight", down: func(_ *between, f *frame) *frame {
			if f.kind() == "res" {
				return f.without("seq").without("receipt")
			}
			return f
		}},
		{law: "SUBSTRATE-ANSWER-005", name: "orphans are refused", only: "answer/orphans", up: func(b *between, f *frame) *frame {
			if f.kind() == "accept" {
				b.toSuite(bounceOf(f, "no_such_object"))
				return nil
			}
			return f
		}},
		{law: "SUBSTRATE-ANSWER-001", name: "the last answer decides", only: "answer/first-decides", up: func(b *between, f *frame) *frame {
			if f.kind() == "res" && string(f.body) == "yes" {
				return f.with("kind", "err").with("code", "late")
			}
			return f
		}},
		{law: "SUBSTRATE-DEDUPE-001", name: "ops are handed over twice", only: "dedupe/copies", handler: func(h substrate.Handler) substrate.Handler {
			send := h.Send
			h.Send = func(ctx context.Context, m *substrate.Message) error { return errorsOf(send(ctx, m), send(ctx, m)) }
			return h
		}},
		{law: "SUBSTRATE-DEDUPE-004", name: "the object before the ledger", only: "dedupe/after-close", up: func(b *between, f *frame) *frame {
			if f.kind() == "close" {
				b.peer.times("closed" + f.obj())
			} else if f.kind() == "send" && b.peer.keep(f.id(), f) != nil {
				b.toSuite(bounceOf(f, "closed"))
				return nil
			}
			return f
		}},
		{law: "SUBSTRATE-DEDUPE-006", name: "the body is part of the key", only: "dedupe/other-body", up: func(b *between, f *frame) *frame {
			if before := b.peer.keep(f.id(), f); before != nil && !bytes.Equal(before.body, f.body) {
				b.toSuite(bounceOf(f, "app_error"))
				return nil
			}
			return f
		}},
		{law: "SUBSTRATE-SEQ-003", name: "every other op is left out", only: "seq/in-sequence", handler: func(h substrate.Handler) substrate.Handler {
			send, n := h.Send, 0
			h.Send = func(ctx context.Context, m *substrate.Message) error {
				if n++; n%2 == 0 {
					return nil
				}
				return send(ctx, m)
			}
			return h
		}},
		{law: "SUBSTRATE-FINALITY-002", name: "unknown codes end objects", only: "finality/answer-never_heard_of_it", up: func(b *between, f *frame) *frame {
			dead := b.peer.keep("dead "+f.obj(), nil) != nil
			switch {
			case f.kind() == "err":
				b.peer.keep("dead "+f.obj(), f)
			case f.kind() == "req" && dead:
				b.toSuite(bounceOf(f, "closed"))
				return nil
			}
			return f
		}},
		{law: "SUBSTRATE-FINALITY-005", name: "a bounce for each copy", only: "finality/third-peer", down: func(b *between, f *frame) *frame {
			if f.code() == "no_such_object" {
				b.toSuite(f)
			}
			return f
		}},
		{law: "SUBSTRATE-FINALITY-006", name: "terminal codes are tried again", only: "finality/purged-op-is-skipped", up: recode("unauthorized", "busy")},
		{law: "SUBSTRATE-FINALITY-006", name: "another code is told", only: "finality/purge-is-told", up: recode("kind_mismatch", "app_error")},
		{law: "SUBSTRATE-FINALITY-007", name: "retryable codes end the op", only: "finality/retryable-and-reconnect", up: recode("busy", "unauthorized")},
		{law: "SUBSTRATE-FINALITY-008", name: "a death purges one op", only: "finality/death-purges-the-queue", up: recode("no_such_object", "unauthorized")},
		{law: "SUBSTRATE-FINALITY-008", name: "a death purges one op before an open", only: "finality/death-spares-the-next-open", up: recode("no_such_object", "unauthorized")},
		{law: "SUBSTRATE-FINALITY-009", name: "a close of what is closed is refused", only: "finality/close-of-what-is-closed", up: func(b *between, f *frame) *frame {
			if f.kind() == "close" && b.peer.times(f.obj()) > 0 {
				b.toSuite(bounceOf(f, "closed"))
				return nil
			}
			return f
		}},
		{law: "SUBSTRATE-TOMBSTONE-003", name: "an err for each copy", only: "tombstone/once-on-each-connection", down: func(b *between, f *frame) *frame {
			if f.bounce() {
				b.toSuite(f)
			}
			return f
		}},
		{law: "SUBSTRATE-TOMBSTONE-002", name: "names are remembered", only: "tombstone/per-id", up: func(b *between, f *frame) *frame {
			if f.kind() == "open" && b.peer.times(f.obj()) > 0 {
				b.toSuite(bounceOf(f, "no_such_object"))
				return nil
			}
			b.peer.times(f.obj())
			return f
		}},
		{law: "SUBSTRATE-BOUNCE-001", name: "no err", only: "bounce/by-a-second-id", down: lose(func(f *frame) bool { return f.code() == "no_such_object" })},
		{law: "SUBSTRATE-BOUNCE-002", name: "errs for errs", only: "bounce/err-begets-no-err", up: func(b *between, f *frame) *frame {
			if f.kind() == "err" {
				b.toSuite(f)
			}
			return f
		}},
		{law: "SUBSTRATE-BOUNCE-004", name: "no ack of an err for nobody", only: "bounce/durable-err-for-nobody", up: lose(func(f *frame) bool { return f.kind() == "err" })},
		{law: "SUBSTRATE-BOUNCE-005", name: "closed is not told apart", only: "bounce/closed", down: recode("closed", "no_such_object")},
		{law: "SUBSTRATE-AUTHZ-004", name: "denials without end", only: "authz/send", down: func(b *between, f *frame) *frame {
			if f.code() == "unauthorized" {
				b.toSuite(f)
			}
			return f
		}},
		{law: "SUBSTRATE-AUTHZ-008", name: "another code", only: "authz/res", down: recode("unauthorized", "app_error")},
		{law: "SUBSTRATE-AUTHZ-009", name: "streams pass the gate", only: "authz/establish", down: func(_ *between, f *frame) *frame {
			if f.kind() == "establish_fail" {
				return f.with("kind", "establish_ok").with("label", 1).without("code")
			}
			return f
		}},
		{law: "SUBSTRATE-AUTHZ-010", name: "no token", only: "authz/cap", up: func(_ *between, f *frame) *frame {
			if f.has("cap") {
				return f.without("cap")
			}
			return f
		}},
		{law: "SUBSTRATE-RECONNECT-004", name: "another close code", only: "reconnect/superseded", code: closes(4005, 1000)},
		{law: "SUBSTRATE-RECONNECT-001", name: "an op is lost with its connection", only: "ack/lost", handler: func(h substrate.Handler) substrate.Handler {
			h.Send = func(context.Context, *substrate.Message) error { return nil }
			return h
		}},
		{law: "SUBSTRATE-CODEC-004", name: "another close code", only: "limit/message-edge", code: closes(4009, 1009)},
		{law: "SUBSTRATE-LIMIT-001", name: "another code", only: "limit/larger-body", down: recode("payload_too_large", "bad_frame")},
		{law: "SUBSTRATE-LIMIT-002", name: "a terminal code", only: "limit/inbox", down: recode("queue_full", "out_of_seq")},
		{law: "SUBSTRATE-LIMIT-007", name: "a terminal code", only: "limit/refused-opens", down: recode("busy", "app_error")},
		{law: "SUBSTRATE-LIMIT-003", name: "another code", only: "limit/objects", down: recode("rate_limited", "app_error")},
	}
}

// errorsOf returns the first error.
func errorsOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// greetingDeviants know the key.
func greetingDeviants() []deviant {
	// message reads a message of a handshake.
	message := func(octets []byte) (m map[string]any) {
		if lenient.Unmarshal(octets, &m) != nil || m["t"] == nil {
			return nil
		}
		return m
	}
	// proves has any proof taken.
	proves := func(b *between, fromTarget bool, octets []byte) []byte {
		m, g := message(octets), &b.shake
		switch m["t"] {
		case "hello":
			g.hello, g.offered = octets, m
		case "hello_ok":
			g.helloOK, g.ok = octets, m
			g.bind()
		case "challenge":
			g.mine, _ = m["c"].([]byte)
		case "response":
			g.theirs, _ = m["c"].([]byte)
		case "proof":
			return encode(map[string]any{"t": "proof", "proof": g.proof(referenceKey[:], "dialer")})
		}
		return octets
	}
	// mends has a hello of any kind taken.
	mends := func(field string, good any) func(*between, bool, []byte) []byte {
		return func(_ *between, fromTarget bool, octets []byte) []byte {
			m := message(octets)
			if fromTarget || m == nil || m["t"] != "hello" {
				return octets
			}
			if nonce, _ := m[field].([]byte); len(nonce) == 16 {
				return octets
			}
			m[field] = good
			return encode(m)
		}
	}
	return []deviant{
		{law: "SUBSTRATE-AUTH-004", name: "any proof is taken", only: "auth/wrong-key", raw: proves},
		{law: "SUBSTRATE-AUTH-005", name: "a reflected proof is taken", only: "auth/reflected-proof", raw: proves},
		{law: "SUBSTRATE-AUTH-006", name: "a proof without challenges is taken", only: "auth/bound-to-the-key", raw: proves},
		{law: "SUBSTRATE-HANDSHAKE-002", name: "a proof over another tuple is taken", only: "auth/tampered-scope", raw: proves},
		{law: "SUBSTRATE-AUTH-007", name: "another close code", only: "auth/stranger", code: closes(4003, 4002)},
		{law: "SUBSTRATE-AUTH-003", name: "another close code", only: "auth/none-against-keys", code: closes(4002, 4003)},
		{law: "SUBSTRATE-HANDSHAKE-005", name: "nonces of any size", only: "handshake/hello-nonce", raw: mends("nonce", make([]byte, 16))},
		{law: "SUBSTRATE-HANDSHAKE-006", name: "any scope of dedupe", only: "handshake/no-scope", raw: mends("features", []any{onlyPeer})},
		{law: "SUBSTRATE-HANDSHAKE-006", name: "any version", only: "handshake/no-common-version", raw: mends("v", []any{1})},
		{law: "SUBSTRATE-HANDSHAKE-001", name: "another close code", only: "handshake/early-ready-first", code: func(websocket.StatusCode) websocket.StatusCode { return 1000 }},
		{law: "SUBSTRATE-E2E-002", name: "an unknown suite is none", only: "handshake/no-common-seal", raw: mends("slots", map[string]any{
			"auth": []any{authHMAC}, "codec": []any{"cbor"}, "e2eSeal": []any{"none"}, "e2eSign": []any{"none"},
		})},
	}
}
