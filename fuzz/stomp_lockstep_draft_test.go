package fuzz

import (
	"math"
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/session"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// A sessionDrafter makes session actions out of draws.
type sessionDrafter struct {
	draws
	// on is what the session has on record: most frames are about that.
	on stompmodel.SessionRecords
}

// recorded returns one of what is on record, two times in three if there is any, else what others returns.
func (d sessionDrafter) recorded(on []string, others func() string) string {
	if len(on) == 0 || d.rarely(3) {
		return others()
	}
	return on[d.draw(len(on))]
}

func (d sessionDrafter) one(choices ...string) string { return one(d.draws, choices...) }

// config returns a configuration whose limits a session reaches.
func (d sessionDrafter) config() session.Config {
	cfg := session.Config{Profile: session.Profile(min(d.draw(3), 1)), Tolerance: one[int64](d.draws, 0, 1, 5)}
	if !d.rarely(6) {
		cfg.Limits = session.Limits{Subscriptions: 1 + d.draw(4), Transactions: 1 + d.draw(2), Receipts: 1 + d.draw(3), Deliveries: 1 + d.draw(4)}
	}
	return cfg
}

// often returns one of the first choices, and now and then one of the others.
func (d sessionDrafter) often(choices []string, others ...string) string {
	if d.rarely(12) {
		return d.one(others...)
	}
	return d.one(choices...)
}

// The values of headers: few, so that they meet.
func (d sessionDrafter) subscription() string {
	return d.pad(d.often([]string{"a", "b", "c"}, "a:b", ""))
}

func (d sessionDrafter) destination() string {
	return d.pad(d.often([]string{"/p", "/p", "/p", "/q"}, ""))
}
func (d sessionDrafter) receipt() string { return d.pad(d.often([]string{"r", "s", "t"}, "")) }
func (d sessionDrafter) tx() string      { return d.pad(d.often([]string{"x", "y"}, "z", "")) }
func (d sessionDrafter) message() string {
	return d.pad(d.often([]string{"1", "2", "3", "4"}, "5", ""))
}

func (d sessionDrafter) mode() string {
	return d.pad(d.often([]string{"client", "client", "client-individual", "auto"}, "Auto", "", "client-individual "))
}

func (d sessionDrafter) beats() string {
	return d.often([]string{"0,0", "10,10", "5,0", "0,7", "3,20", "10,10", "20,3"},
		"2147483647,2147483647", "1", "1,2,3", "-1,2", "1, 2", "2147483648,0", "")
}

// versions is a list to offer, or one to announce, under a profile.
func (d sessionDrafter) versions(profile session.Profile) string {
	good := []string{"1.2"}
	if profile == session.MultiVersion {
		good = []string{"1.0,1.1,1.2", "1.0,1.1,1.2", "1.1", "1.0", "1.1,1.2", "1.0,1.1", "1.0,1.2", "1.2"}
	}
	return d.often(good, "1.1,1.2", "1.1", "1.2,1.1", "1.1,1.1", "1.1, 1.2", "1.3", " 1.2", "")
}

func (d sessionDrafter) version(offered stompmodel.Version) string {
	return d.often([]string{string(offered), string(offered), "1.0", "1.1", "1.2"}, "1.2 ", "", "1.3")
}

// pad puts spaces around a value, which matter but in 1.0.
func (d sessionDrafter) pad(value string) string {
	switch d.draw(40) {
	case 0:
		return " " + value
	case 1:
		return value + "  "
	case 2:
		return " "
	}
	return value
}

// headers draws the entries: each of them is mostly there, and now and then twice.
func (d sessionDrafter) headers(kv ...func() (string, string)) []stompmodel.Header {
	var out []stompmodel.Header
	for _, h := range kv {
		if d.rarely(24) {
			continue
		}
		name, value := h()
		out = append(out, stompmodel.Header{Name: name, Value: value})
		if d.rarely(30) {
			name, value = h()
			out = append(out, stompmodel.Header{Name: name, Value: value})
		}
	}
	return out
}

func entry(name string, value func() string) func() (string, string) {
	return func() (string, string) { return name, value() }
}

// maybe is an entry that is there once in n times.
func (d sessionDrafter) maybe(n int, f *stompmodel.Frame, name string, value func() string) {
	if d.rarely(n) {
		f.Headers = append(f.Headers, stompmodel.Header{Name: name, Value: value()})
	}
}

// out drafts a frame that a caller sends.
func (d sessionDrafter) out(fresh bool, profile session.Profile) stompmodel.Frame {
	var f stompmodel.Frame
	commands := []string{
		"SEND", "SUBSCRIBE", "SUBSCRIBE", "UNSUBSCRIBE", "ACK", "ACK", "ACK", "NACK", "NACK", "BEGIN", "COMMIT", "ABORT", "DISCONNECT", "SEND", "BEGIN",
		"CONNECT", "STOMP", "MESSAGE", "BOGUS",
	}
	f.Command = d.one(commands...)
	if fresh && !d.rarely(8) {
		f.Command = d.one("CONNECT", "CONNECT", "STOMP")
	}
	switch f.Command {
	case "CONNECT", "STOMP":
		f.Headers = d.headers(entry("accept-version", func() string { return d.versions(profile) }),
			entry("host", func() string { return d.often([]string{"h"}, "") }))
		d.maybe(2, &f, "heart-beat", d.beats)
		d.maybe(30, &f, "receipt", d.receipt)
		return d.oversized(f)
	case "SEND":
		f.Headers = d.headers(entry("destination", d.destination))
		d.maybe(3, &f, "transaction", func() string { return d.recorded(d.on.Transactions, d.tx) })
		f.Body = []byte(d.one("", "", "body", "\x00\n"))
		d.maybe(30, &f, "content-length", func() string { return d.one("4", "0", "x") })
	case "SUBSCRIBE":
		f.Headers = d.headers(entry("id", d.subscription), entry("destination", d.destination), entry("ack", d.mode))
	case "UNSUBSCRIBE":
		f.Headers = d.headers(entry("id", func() string { return d.recorded(d.on.Subscriptions, d.subscription) }))
	case "ACK", "NACK":
		id, message, sub := d.message(), d.message(), d.subscription()
		if n := len(d.on.Deliveries); n > 0 && !d.rarely(4) {
			on := d.on.Deliveries[d.draw(n)]
			id, message, sub = on.Ack, on.MessageID, on.Subscription
		}
		f.Headers = d.headers(
			entry("id", func() string { return id }), entry("message-id", func() string { return message }), entry("subscription", func() string { return sub }))
		d.maybe(2, &f, "transaction", func() string { return d.recorded(d.on.Transactions, d.tx) })
	case "BEGIN":
		f.Headers = d.headers(entry("transaction", d.tx))
	case "COMMIT", "ABORT":
		f.Headers = d.headers(entry("transaction", func() string { return d.recorded(d.on.Transactions, d.tx) }))
	}
	d.maybe(6, &f, "receipt", d.receipt)
	return d.oversized(f)
}

// largeBody is one octet more than may be sent.
var largeBody = make([]byte, 1<<20+1)

// oversized makes a frame too large, or just not, now and then; else spoils or spares it.
func (d sessionDrafter) oversized(f stompmodel.Frame) stompmodel.Frame {
	if !d.rarely(25) {
		return f
	}
	pad := func(n int) {
		for len(f.Headers) < n {
			f.Headers = append(f.Headers, stompmodel.Header{Name: "x", Value: "y"})
		}
	}
	switch d.draw(8) {
	case 0:
		pad(129)
	case 1:
		pad(128)
	case 2:
		pad(128)
		f.Body = []byte("b")
	case 3:
		f.Headers = append(f.Headers, stompmodel.Header{Name: "x", Value: strings.Repeat(":", 2047)})
	case 4:
		f.Headers = append(f.Headers, stompmodel.Header{Name: "x", Value: strings.Repeat(":", 2046)})
	case 5:
		f.Body = largeBody
		if d.rarely(50) {
			f.Body = largeBody[1:]
		}
	case 6:
		f.Body = []byte("on any command")
	case 7:
		f.Headers = append(f.Headers, stompmodel.Header{Name: d.one("", "x\x00", "é", "y\n", "z\r"), Value: d.one("v", "\xff", "a:b\\c")})
	}
	return f
}

// junk is what no server should say, at the limits of the decoder too (STOMP-LIMIT-008).
var junk = []string{
	"BOGUS\n", "MESSAGE\nno colon\n\n\x00", "\x00", "ERROR\nmessage:a\\rb\n\n\x00", "ERROR\nmessage:a\\qb\n\n\x00", "RECEIPT\nreceipt-id:r\n\nbody\x00",
	"MESSAGE\ncontent-length:1048577\n\n", "RECEIPT\r\nreceipt-id:r\r\n\r\n\x00", "NACK\nid:1\n\n\x00",
	"ERROR\nm:" + strings.Repeat("x", 8190) + "\n\n\x00", "ERROR\nm:" + strings.Repeat("x", 8191) + "\n\n\x00",
	"ERROR\n" + strings.Repeat("a:b\n", 128) + "\n\x00", "ERROR\n" + strings.Repeat("a:b\n", 129) + "\n\x00", "ERROR\ncontent-length:1048576\n\n",
}

// in drafts the octets of a frame that a server sends.
func (d sessionDrafter) in(connecting bool, in stompmodel.Version) string {
	command := d.one("MESSAGE", "MESSAGE", "MESSAGE", "MESSAGE", "MESSAGE", "MESSAGE", "MESSAGE", "MESSAGE", "RECEIPT", "RECEIPT", "RECEIPT", "RECEIPT", "ERROR", "CONNECTED", "SEND", "EOL", "EOL", "junk")
	if connecting && !d.rarely(8) {
		command = d.one("CONNECTED", "CONNECTED", "CONNECTED", "EOL", "ERROR")
	}
	f := stompmodel.Frame{Command: command}
	switch command {
	case "EOL":
		return d.often([]string{"\n", "\n", "\n\n", "\r\n"}, strings.Repeat("\n", 1024), strings.Repeat("\n", 1025))
	case "junk":
		return d.one(junk...)
	case "CONNECTED":
		f.Headers = d.headers(entry("version", func() string { return d.version(in) }))
		d.maybe(2, &f, "heart-beat", d.beats)
	case "MESSAGE":
		id, sub, ack := d.message, func() string { return d.recorded(d.on.Subscriptions, d.subscription) }, d.message
		if n := len(d.on.Deliveries); n > 0 && d.rarely(6) {
			on := d.on.Deliveries[d.draw(n)]
			id, sub, ack = func() string { return on.MessageID }, func() string { return on.Subscription }, func() string { return on.Ack }
		}
		entries := []func() (string, string){
			entry("destination", d.destination), entry("message-id", id), entry("ack", ack), entry("subscription", sub),
		}
		if in == stompmodel.V10 && d.rarely(2) {
			entries = entries[:3]
		}
		f.Headers = d.headers(entries...)
		d.maybe(4, &f, "extra", func() string { return d.one("a\\cb", "v", "é") })
		f.Body = []byte(d.one("", "text"))
	case "RECEIPT":
		f.Headers = d.headers(entry("receipt-id", func() string { return d.recorded(d.on.Receipts, d.receipt) }))
	case "ERROR":
		f.Headers = d.headers(entry("receipt-id", d.receipt))
	}
	var b strings.Builder
	b.WriteString(f.Command + "\n")
	for _, h := range f.Headers {
		b.WriteString(h.Name + ":" + strings.ReplaceAll(h.Value, ":", d.one(":", "\\c", "\\c")) + "\n")
	}
	return b.String() + "\n" + string(f.Body) + "\x00"
}

// time draws a time for the next call, mostly the last one or soon after it.
func (d sessionDrafter) time(r *sessionRun) int64 {
	// When a tick will have something to do, and just before and after.
	if next := r.last.Next; next > r.State().Now() && next < stompmodel.NeverTick && d.rarely(6) {
		return next - 1 + int64(d.draw(3))
	}
	switch d.draw(60) {
	case 0:
		return r.later(-1)
	case 1:
		return -1
	case 2:
		return r.later(1 << 31)
	case 3:
		if d.rarely(40) {
			return math.MaxInt64
		}
		return r.later(3000)
	}
	return r.later(one[int64](d.draws, 0, 0, 0, 0, 1, 2, 5, 10, 15, 25, 30))
}

// next drafts what happens next in a run.
func (d sessionDrafter) next(r *sessionRun) stompmodel.SessionAction {
	a := stompmodel.SessionAction{Now: d.time(r)}
	d.on = r.State().Records()
	state := r.State().Phase()
	sends, receives := 45, 40
	switch state {
	case stompmodel.SessionFresh:
		sends, receives = 85, 2
	case stompmodel.SessionConnecting:
		sends, receives = 8, 80
	case stompmodel.SessionDisconnecting:
		sends, receives = 15, 60
	}
	switch k := d.draw(100); {
	case k < sends:
		a.Op, a.Frame = stompmodel.SessionSend, d.out(state == stompmodel.SessionFresh, r.cfg.Profile)
	case k < sends+receives:
		a.Op, a.Chunk = stompmodel.SessionReceive, d.chunk(r, state == stompmodel.SessionConnecting)
	case k < 98:
		a.Op = stompmodel.SessionTick
	case k == 98:
		a.Op, a.Now = stompmodel.SessionEnd, 0
	default:
		a.Op, a.Now = stompmodel.SessionFail, 0
	}
	return a
}

// chunk drafts what arrives: what is left over first, then some frames, and not always to their end.
func (d sessionDrafter) chunk(r *sessionRun, connecting bool) string {
	out := r.rest
	r.rest = ""
	if out == "" || d.rarely(3) {
		out += d.in(connecting, r.last.Version)
		for d.rarely(4) {
			out += d.in(connecting && d.rarely(3), r.last.Version)
		}
	}
	if d.rarely(30) {
		r.rest, out = out, ""
		return out
	}
	if d.rarely(6) {
		cut := d.draw(min(len(out)+1, 200))
		out, r.rest = out[:cut], out[cut:]
	}
	return out
}
