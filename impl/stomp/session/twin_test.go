package session_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// twin is a slow and obvious session, from CONNECTED on: plain lists, searched from the start every time.
type twin struct {
	v          frame.Version
	limits     session.Limits
	state      session.State
	subs       []twinSub
	txs        []string
	receipts   []string
	deliveries []twinDelivery
}

type twinSub struct{ id, dest, ack, leaves string }

type twinDelivery struct{ sub, ack, id, tx string }

func (w *twin) close() { *w = twin{v: w.v, limits: w.limits, state: session.Closed} }

func (w *twin) sub(id string) int {
	return slices.IndexFunc(w.subs, func(s twinSub) bool { return s.id == id })
}

func (w *twin) counts() session.Counts {
	c := session.Counts{Subscriptions: len(w.subs), Transactions: len(w.txs), Receipts: len(w.receipts), Deliveries: len(w.deliveries)}
	for _, s := range w.subs {
		if s.leaves != "" {
			c.Unsubscribing++
		}
	}
	return c
}

// send returns the reason of the refusal, or "".
func (w *twin) send(f *frame.Frame) string {
	if f.Command == frame.NACK && w.v == frame.V10 {
		return "encoding"
	}
	switch w.state {
	case session.Closed:
		return "closed"
	case session.Disconnecting:
		return "disconnecting"
	}
	get := func(name string) string { v, _ := f.Get(name); return v }
	has := func(name string) bool { _, ok := f.Get(name); return ok }
	if r := get("receipt"); has("receipt") {
		switch {
		case r == "":
			return "receipt-empty"
		case slices.Contains(w.receipts, r):
			return "receipt-pending"
		case len(w.receipts) >= w.limits.Receipts:
			return "receipt-capacity"
		}
	}
	id, tx := get("id"), get("transaction")
	openTx := slices.Contains(w.txs, tx)
	switch f.Command {
	case frame.SEND:
		if get("destination") == "" {
			return "destination"
		}
		if has("transaction") && !openTx {
			return "transaction-unknown"
		}
	case frame.SUBSCRIBE:
		at := w.sub(id)
		switch {
		case id == "":
			return "subscription-id"
		case get("destination") == "":
			return "subscription-destination"
		case at >= 0 && w.subs[at].leaves != "":
			return "unsubscribing"
		case at >= 0:
			return "subscription-duplicate"
		}
		modes := []string{"auto", "client", "client-individual"}
		if w.v == frame.V10 {
			modes = modes[:2]
		}
		if has("ack") && !slices.Contains(modes, get("ack")) {
			return "ack-mode"
		}
		for _, d := range w.deliveries {
			if d.sub == id {
				return "unsettled"
			}
		}
		if len(w.subs) >= w.limits.Subscriptions {
			return "subscription-capacity"
		}
		w.subs = append(w.subs, twinSub{id: id, dest: get("destination"), ack: get("ack")})
	case frame.UNSUBSCRIBE:
		at := w.sub(id)
		switch {
		case at < 0:
			return "unsubscribe-id"
		case w.subs[at].leaves != "":
			return "unsubscribing"
		case has("receipt"):
			w.subs[at].leaves = get("receipt")
		default:
			w.subs = slices.Delete(w.subs, at, at+1)
		}
	case frame.BEGIN:
		switch {
		case tx == "" || openTx:
			return "transaction-id"
		case len(w.txs) >= w.limits.Transactions:
			return "transaction-capacity"
		}
		w.txs = append(w.txs, tx)
	case frame.COMMIT, frame.ABORT:
		if !openTx {
			return "transaction-unknown"
		}
		w.txs = slices.DeleteFunc(w.txs, func(t string) bool { return t == tx })
		if f.Command == frame.COMMIT {
			w.deliveries = slices.DeleteFunc(w.deliveries, func(d twinDelivery) bool { return d.tx == tx })
		}
		for i := range w.deliveries {
			if w.deliveries[i].tx == tx {
				w.deliveries[i].tx = ""
			}
		}
	case frame.ACK, frame.NACK:
		if has("transaction") && !openTx {
			return "transaction-unknown"
		}
		if why := w.settle(f, tx); why != "" {
			return why
		}
	}
	if has("receipt") {
		w.receipts = append(w.receipts, get("receipt"))
	}
	if f.Command == frame.DISCONNECT {
		if !has("receipt") {
			w.close()
			return ""
		}
		w.state = session.Disconnecting
		w.receipts[len(w.receipts)-1] += " bye"
	}
	return ""
}

func (w *twin) settle(f *frame.Frame, tx string) string {
	name, _ := f.Get(map[frame.Version]string{frame.V10: "message-id", frame.V11: "message-id", frame.V12: "id"}[w.v])
	sub, _ := f.Get("subscription")
	at := slices.IndexFunc(w.deliveries, func(d twinDelivery) bool {
		switch w.v {
		case frame.V10:
			return d.id == name
		case frame.V11:
			return d.id == name && d.sub == sub
		}
		return d.id == name
	})
	if at < 0 {
		return "ack-id"
	}
	d := w.deliveries[at]
	if d.tx != "" {
		return "staged"
	}
	var covered []int
	for i := range at + 1 {
		if i == at || d.ack == "client" && w.deliveries[i].sub == d.sub {
			if w.deliveries[i].tx != "" {
				return "overlap"
			}
			covered = append(covered, i)
		}
	}
	for _, i := range slices.Backward(covered) {
		if tx != "" {
			w.deliveries[i].tx = tx
		} else {
			w.deliveries = slices.Delete(w.deliveries, i, i+1)
		}
	}
	return ""
}

// receive returns the reason of the fault, or "".
func (w *twin) receive(f *frame.Frame) string {
	if w.state == session.Closed {
		return "not-receiving"
	}
	why := w.take(f)
	if why != "" {
		w.close()
	}
	return why
}

func (w *twin) take(f *frame.Frame) string {
	get := func(name string) string { v, _ := f.Get(name); return v }
	switch f.Command {
	case frame.ERROR:
		w.close()
	case frame.RECEIPT:
		id := get("receipt-id")
		if slices.Contains(w.receipts, id+" bye") {
			w.close()
			return ""
		}
		if !slices.Contains(w.receipts, id) {
			return "receipt"
		}
		w.receipts = slices.DeleteFunc(w.receipts, func(r string) bool { return r == id })
		w.subs = slices.DeleteFunc(w.subs, func(s twinSub) bool { return s.leaves == id })
	case frame.MESSAGE:
		id, hasID := f.Get("subscription")
		if get("destination") == "" || get("message-id") == "" {
			return "message"
		}
		at := w.sub(id)
		if w.v == frame.V10 && !hasID {
			n := 0
			for i, s := range w.subs {
				if s.dest == get("destination") {
					n++
					at = i
				}
			}
			if n != 1 {
				return "message"
			}
		}
		if at < 0 {
			return "message"
		}
		sub := w.subs[at]
		if sub.ack == "" || sub.ack == "auto" {
			return ""
		}
		d := twinDelivery{sub: sub.id, ack: sub.ack, id: get("message-id")}
		if w.v == frame.V12 {
			if d.id = get("ack"); d.id == "" {
				return "message-ack"
			}
		}
		if len(w.deliveries) >= w.limits.Deliveries {
			return "delivery-capacity"
		}
		for _, o := range w.deliveries {
			if o.id == d.id && (w.v != frame.V11 || o.sub == d.sub) {
				return "delivery-duplicate"
			}
		}
		w.deliveries = append(w.deliveries, d)
	default:
		return "unexpected"
	}
	return ""
}

// fairly draws 1 to n, each about as often as the others, where a range would prefer the ends.
func fairly(t *rapid.T, n int) int {
	x := 0
	for range 10 {
		x <<= 1
		if rapid.Bool().Draw(t, "bit") {
			x++
		}
	}
	return x%n + 1
}

// word draws one of a few names.
func word(t *rapid.T, names string) string {
	all := strings.Split(names, " ")
	return all[fairly(t, len(all))-1]
}

// clientFrame draws a frame that a client may send, right more often than not.
func clientFrame(t *rapid.T, v frame.Version) *frame.Frame {
	c, _ := frame.ParseCommand(word(t, "SEND SUBSCRIBE SUBSCRIBE UNSUBSCRIBE BEGIN BEGIN COMMIT ABORT ACK ACK ACK ACK NACK NACK NACK DISCONNECT"))
	f := frame.New(c)
	put := func(name, values string, outOf int) {
		if fairly(t, outOf) != 1 {
			value := word(t, values)
			if v == frame.V10 && value == "-" {
				return
			}
			f.Headers = append(f.Headers, frame.Header{Name: name, Value: strings.ReplaceAll(value, "-", "")})
		}
	}
	switch f.Command {
	case frame.SEND:
		put("destination", "/q", 9)
		put("transaction", "x y -", 2)
	case frame.SUBSCRIBE:
		put("id", "s t u", 15)
		put("destination", "/q /r", 15)
		if fairly(t, 5) != 1 {
			f.Headers = append(f.Headers, frame.Header{Name: "ack", Value: word(t, "client client-individual client client-individual client client auto no")})
		}
	case frame.UNSUBSCRIBE:
		put("id", "s t u -", 15)
	case frame.BEGIN, frame.COMMIT, frame.ABORT:
		put("transaction", "x y z -", 15)
	case frame.ACK, frame.NACK:
		put("id", "1 2 3 4 5 -", 15)
		put("message-id", "1 2 3 4 5", 15)
		put("subscription", "s t u", 15)
		if rapid.Bool().Draw(t, "staged") {
			put("transaction", "x y -", 9)
		}
	case frame.DISCONNECT:
		if fairly(t, 8) != 1 {
			f.Command = frame.SEND
			f.Headers = append(f.Headers, frame.Header{Name: "destination", Value: "/q"})
		}
	}
	if fairly(t, 3) == 1 {
		put("receipt", "r1 r2 r3 r4 -", 15)
	}
	return f
}

// serverFrame draws a frame of the server that suits the session, or nearly.
func serverFrame(t *rapid.T, w *twin) *frame.Frame {
	switch fairly(t, 80) {
	case 1:
		return frame.New(frame.ERROR)
	case 2:
		return frame.New(frame.SEND)
	case 3:
		return frame.New(frame.MESSAGE, "message-id", "1", "destination", word(t, "/q /r"))
	case 4:
		return frame.New(frame.MESSAGE, "message-id", "1", "destination", "/q", "subscription", word(t, "s t u"))
	case 5:
		return frame.New(frame.RECEIPT, "receipt-id", word(t, "r1 r2"))
	}
	if len(w.subs) == 0 || len(w.receipts) > 0 && fairly(t, 4) == 1 {
		if len(w.receipts) == 0 {
			return nil
		}
		id := strings.TrimSuffix(rapid.SampledFrom(w.receipts).Draw(t, "receipt"), " bye")
		return frame.New(frame.RECEIPT, "receipt-id", id)
	}
	sub := rapid.SampledFrom(w.subs).Draw(t, "subscription")
	n := word(t, "1 2 3 4 5 6")
	known := slices.ContainsFunc(w.deliveries, func(d twinDelivery) bool { return d.id == n })
	full := len(w.deliveries) == w.limits.Deliveries
	// A second delivery of one id ends the session, and so does one too many.
	if known && fairly(t, 16) != 1 || full && fairly(t, 48) != 1 {
		return nil
	}
	return frame.New(frame.MESSAGE, "subscription", sub.id, "message-id", n, "ack", n, "destination", sub.dest)
}

// STOMP-CLIENT-001, STOMP-CLIENT-002, STOMP-CLIENT-003: the session and its twin say the same to everything.
func TestTwin(t *testing.T) {
	versions := []string{"1.0", "1.1", "1.2"}
	cfg := session.Config{Profile: session.MultiVersion, Limits: session.Limits{Subscriptions: 2, Transactions: 2, Receipts: 2, Deliveries: 4}}
	met, steps := map[string]int{}, 0
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.SampledFrom(versions).Draw(rt, "version")
		p := active(t, cfg, v)
		w := &twin{v: p.s.Version(), limits: cfg.Limits, state: session.Active}
		for range 100 * fairly(rt, 4) {
			if w.state == session.Closed && fairly(rt, 2) == 1 {
				p = active(t, cfg, v)
				w = &twin{v: p.s.Version(), limits: cfg.Limits, state: session.Active}
			}
			var err error
			var want string
			before, was := p.s.Snapshot(), p.s.State()
			f := clientFrame(rt, w.v)
			op := session.OpSend
			if fairly(rt, 5) < 3 {
				if g := serverFrame(rt, w); g != nil {
					f, op = g, session.OpReceive
				}
			}
			if op == session.OpSend {
				want = w.send(f)
				_, err = p.s.Send(nil, 0, f)
				if err != nil && p.s.Snapshot() != before {
					rt.Fatalf("refused %s changed\n%s\nto\n%s", f.Command, before, p.s.Snapshot())
				}
			} else {
				want = w.receive(f)
				octets, eerr := frame.Append(nil, w.v, f)
				if eerr != nil {
					rt.Fatal(eerr)
				}
				_, err = p.s.Receive(0, octets)
			}
			got := ""
			var e *session.Error
			if errors.As(err, &e) {
				got = e.Reason.String()
			}
			met[got]++
			steps++
			if got != want || p.s.State() != w.state || p.s.Counts() != w.counts() {
				rt.Fatalf("%s %v in\n%s\ngave %q, want %q; now %s %+v, want %s %+v", f.Command, f.Headers, before, got, want,
					p.s.State(), p.s.Counts(), w.state, w.counts())
			}
			if err := p.s.Check(); err != nil {
				rt.Fatal(err)
			}
			// STOMP-CLIENT-001
			switch now := p.s.State(); {
			case now == was, now == session.Closed, was == session.Active && now == session.Disconnecting:
			default:
				rt.Fatalf("%s became %s", was, now)
			}
		}
	})
	for _, r := range []string{"", "staged", "overlap", "unsettled", "ack-id", "unsubscribing", "delivery-capacity", "receipt-capacity", "message"} {
		if met[r] == 0 && steps > 10000 {
			t.Errorf("none of %d steps met %q", steps, r)
		}
	}
}
