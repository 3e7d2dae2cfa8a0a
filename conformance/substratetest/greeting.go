package substratetest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// A greeting is what the suite knows of a handshake, as the dialer.
type greeting struct {
	hello, helloOK []byte // as they went and came
	offered, ok    fields
	mine, theirs   []byte // challenges
	connID         []byte
	th             []byte
	raw            [][]byte // all that came
}

// The names in the slot of authentication.
const (
	authNone = "none"
	authHMAC = "mka-hmac-sha256"
	onlyPeer = "dedupeScope:peer"
)

// Offer returns the hello that the party's side of a connection begins with.
func (l *link) Offer() fields {
	auth := authHMAC
	if l.p.key == nil {
		auth = authNone
	}
	one := func(name string) []any { return []any{name} }
	return fields{
		"t": "hello", "v": []any{1}, "features": one(onlyPeer), "peer": l.p.id, "nonce": l.s.Octets(16), "epoch": l.p.epoch,
		"slots": map[string]any{"auth": one(auth), "codec": one("cbor"), "e2eSeal": one("none"), "e2eSign": one("none")},
	}
}

// Hello sends a hello.
func (l *link) Hello(offer fields) {
	l.shake.offered = offer
	l.shake.hello = l.Say(offer)
}

// Say sends a message of the handshake.
func (l *link) Say(m fields) []byte {
	l.s.Event(l.name, "> "+shown(m))
	b := encode(map[string]any(m))
	l.Binary(b)
	return b
}

// shown shows a message of a handshake on one line.
func shown(m fields) string {
	f := frame{env: m}
	return fmt.Sprint(m["t"]) + f.String()
}

// Hears wants the next message of the handshake, which has to be t with these fields and no others.
func (l *link) Hears(law, reason, t string, names ...string) fields {
	l.s.Step()
	for deadline := time.Now().Add(l.s.Timing().Reply); len(l.sock.in) == 0; {
		if !l.open() || !l.pull(deadline) {
			l.missed(law, reason, t)
		}
	}
	m := l.sock.in[0]
	l.sock.in = l.sock.in[1:]
	l.shake.raw = append(l.shake.raw, m.payload)
	var got map[string]any
	err := lenient.Unmarshal(m.payload, &got)
	whole := err == nil && m.op == opBinary && got["t"] == t && len(got) == len(names)+1 && deterministic(got, m.payload)
	for _, name := range names {
		_, there := got[name]
		whole = whole && there
	}
	seen := brief(m.payload)
	if err == nil {
		seen = shown(got)
	}
	l.s.Event(l.name, "< "+seen)
	if !whole {
		expected := fmt.Sprintf("%s with %v and nothing else, deterministically encoded", t, names)
		if law == "" {
			l.s.Blocked("prerequisite", "%s: expected %s, seen %s", reason, expected, seen)
		}
		l.s.Stopped(conformance.Break{Law: law, Reason: reason, Expected: expected, Seen: seen})
	}
	return got
}

// Chosen wants the reply to the hello and works out what both sides know then.
func (l *link) Chosen(law, reason string) fields {
	g := &l.shake
	g.ok = l.Hears(law, reason, "hello_ok", "v", "features", "slots", "peer", "nonce", "epoch")
	g.helloOK = g.raw[len(g.raw)-1]
	g.bind()
	return g.ok
}

// bind computes the id of the connection and the transcript (SUBSTRATE-HANDSHAKE-004, SUBSTRATE-AUTH-006).
func (g *greeting) bind() {
	mine, _ := g.offered["nonce"].([]byte)
	theirs, _ := g.ok["nonce"].([]byte)
	id := sha256.Sum256(encode([]any{"substrate/1 connid", mine, theirs}))
	g.connID = id[:16]
	slots, _ := g.ok["slots"].(map[string]any)
	slot := func(name string) string { s, _ := slots[name].(string); return s }
	features, _ := g.ok["features"].([]any)
	version, _ := g.ok["v"].(uint64)
	tuple := encode([]any{version, texts(features), slot("auth"), slot("e2eSeal"), slot("e2eSign"), slot("codec"), "peer", g.connID})
	th := sha256.Sum256(encode([]any{"substrate/1 transcript", g.hello, g.helloOK, tuple}))
	g.th = th[:]
}

// texts keeps what is text.
func texts(all []any) []any {
	out := []any{}
	for _, x := range all {
		if _, ok := x.(string); ok {
			out = append(out, x)
		}
	}
	return out
}

// proof returns the proof of a role.
func (g *greeting) proof(key []byte, role string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(encode([]any{"substrate/1 proof", role, g.th, g.mine, g.theirs}))
	return mac.Sum(nil)
}

// Challenges sends the challenge, and wants the response with the target's own and its proof.
func (l *link) Challenges(law, reason string) {
	g := &l.shake
	g.mine = l.s.Octets(32)
	l.Say(fields{"t": "challenge", "c": g.mine})
	response := l.Hears(law, reason, "response", "c", "proof")
	g.theirs, _ = response["c"].([]byte)
	proof, _ := response["proof"].([]byte)
	if len(g.theirs) != 32 || !bytes.Equal(proof, g.proof(l.p.key, "listener")) {
		seen := fmt.Sprintf("a challenge of %d octets and proof %x", len(g.theirs), proof)
		if law == "" {
			l.s.Blocked("prerequisite", "%s: the target does not prove that it has the key: %s", reason, seen)
		}
		l.s.Stopped(conformance.Break{
			Law: law, Reason: reason, Expected: fmt.Sprintf("a challenge of 32 octets and proof %x", g.proof(l.p.key, "listener")), Seen: seen,
		})
	}
}

// Greet takes the connection to ready.
func (l *link) Greet(law, reason string) {
	l.Hello(l.Offer())
	l.Chosen(law, reason)
	l.Finish(law, reason)
}

// Finish is what follows the reply to the hello.
func (l *link) Finish(law, reason string) {
	g := &l.shake
	if l.p.key == nil {
		clear := l.Hears(law, reason, "ready", "th")
		th, _ := clear["th"].([]byte)
		l.s.Check(bytes.Equal(th, g.th), law, reason, fmt.Sprintf("ready with th %x", g.th), fmt.Sprintf("%x", th))
		l.Say(fields{"t": "ready", "th": g.th})
	} else {
		l.Challenges(law, reason)
		l.Say(fields{"t": "proof", "proof": g.proof(l.p.key, "dialer")})
		l.Hears(law, reason, "ready")
		l.Say(fields{"t": "ready"})
	}
	l.becomeReady()
}

// becomeReady has what comes from now on read as frames.
func (l *link) becomeReady() {
	l.ready, l.since = true, time.Now()
	l.p.link = l
}
