package fuzz

import (
	"fmt"
	"slices"
	"strings"
	"testing/synctest"
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// A posting is a message as it becomes visible: its user-defined headers are those that say nothing about one hop.
type posting struct{ destination, headers, body string }

func post(destination string, f stompmodel.Frame) posting {
	hop := []string{
		"destination", "content-length", "receipt", "transaction", "subscription", "message-id", "ack", "redelivered", "delivery-count",
		"dead-letter-source",
	}
	own := slices.DeleteFunc(slices.Clone(f.Headers), func(h stompmodel.Header) bool { return slices.Contains(hop, h.Name) })
	return posting{destination, fmt.Sprintf("%q", own), string(f.Body)}
}

// An account is what a session told the broker, read from its octets by the codec machine: what it may hear and what may become
// visible. It goes on behind frames that a broker refuses; then only the first part of it comes true.
type account struct {
	start    frame.Version // that a refusal is said in
	receipts []string      // to be answered, in order
	groups   [][]posting   // each becomes visible as a whole
	named    []string      // destinations of SEND, those in transactions too
	consumes bool          // messages of queues may leave by it; else they come back when it ends
	obscure  bool          // it says what no 1.2 session can hear
	over     bool          // it ended by DISCONNECT
}

// listen reads a session up to the octet that a decoder refuses.
func listen(stream []byte) *account {
	a := &account{start: frame.V12}
	version := func(f stompmodel.Frame) stompmodel.Version { return stompmodel.Version(offered(trimmedVersions(f))) }
	cfg := stompmodel.DefaultCodecConfig(stompmodel.V12)
	cfg.OnConnect = version
	m, err := stompmodel.NewCodec(cfg)
	if err != nil {
		panic(err)
	}
	s := m.Init()
	open := map[string][]posting{}
	first := true
	for _, octet := range stream {
		v := s.Version()
		next, event, fault := m.Step(m.BeginFeed(s), octet)
		if s = next; fault != nil {
			return a
		}
		if event == nil || event.Heartbeat {
			continue
		}
		if connect := event.Frame.Command == "CONNECT" || event.Frame.Command == "STOMP"; first && connect {
			if v, ok := frame.ParseVersion(string(version(event.Frame))); ok {
				a.start = v
			}
		} else if a.tell(v, event.Frame, open); a.over {
			return a
		}
		first = false
	}
	return a
}

// trimmedVersions is a look-up in which the reference takes the spaces off the list of versions.
func trimmedVersions(f stompmodel.Frame) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := f.Get(name)
		parts := strings.Split(v, ",")
		for i := range parts {
			parts[i] = strings.Trim(parts[i], " ")
		}
		return strings.Join(parts, ","), ok
	}
}

func (a *account) tell(v stompmodel.Version, f stompmodel.Frame, open map[string][]posting) {
	get := func(name string) (string, bool) {
		value, ok := f.Get(name)
		if v == stompmodel.V10 {
			// STOMP-HDR-008
			value = strings.Trim(value, " ")
		}
		return value, ok
	}
	if r, ok := f.Get("receipt"); ok {
		a.receipts = append(a.receipts, r)
	}
	tx, staged := get("transaction")
	switch f.Command {
	case "SEND":
		destination, _ := get("destination")
		p := post(destination, f)
		if !slices.Contains(a.named, destination) && destination != "" && utf8.ValidString(destination) {
			a.named = append(a.named, destination)
		}
		for _, h := range f.Headers {
			a.obscure = a.obscure || !utf8.ValidString(h.Name) || !utf8.ValidString(h.Value)
		}
		if staged {
			open[tx] = append(open[tx], p)
		} else {
			a.groups = append(a.groups, []posting{p})
		}
	case "BEGIN", "ABORT":
		delete(open, tx)
	case "COMMIT":
		// STOMP-TX-003
		a.groups = append(a.groups, open[tx])
		delete(open, tx)
	case "SUBSCRIBE":
		destination, _ := get("destination")
		mode, _ := get("ack")
		if !isTopic(destination) && mode != "client" && mode != "client-individual" {
			a.consumes = true
		}
	case "ACK", "NACK":
		a.consumes = true
	case "DISCONNECT":
		a.over = true
	}
}

func (a *account) topics() []string {
	return slices.DeleteFunc(slices.Clone(a.named), func(d string) bool { return !isTopic(d) })
}

func (a *account) queues() []string {
	return slices.DeleteFunc(slices.Clone(a.named), isTopic)
}

func isTopic(destination string) bool { return strings.HasPrefix(destination, "/topic/") }

// ended tells whether a session was ended by ERROR.
func ended(said []*frame.Frame) bool {
	return len(said) > 0 && said[len(said)-1].Command == frame.ERROR
}

// explains checks what a broker said to the session.
func (a *account) explains(said []*frame.Frame) error {
	var receipts []string
	for i, f := range said {
		switch {
		// STOMP-FRAME-004
		case !f.Command.Server():
			return fmt.Errorf("the broker said %s", f.Command)
		// STOMP-ERROR-001: nothing follows it.
		case f.Command == frame.ERROR && i != len(said)-1:
			return fmt.Errorf("the broker said %s after ERROR", said[i+1].Command)
		// STOMP-CONNECT-007
		case (f.Command == frame.CONNECTED) != (i == 0) && f.Command != frame.ERROR:
			return fmt.Errorf("frame %d of the broker is %s", i+1, f.Command)
		case f.Command == frame.RECEIPT:
			id, _ := f.Get("receipt-id")
			receipts = append(receipts, id)
		}
	}
	// STOMP-RECEIPT-001: one each, and no others.
	want := a.receipts
	if ended(said) {
		want = want[:min(len(want), len(receipts))]
	}
	if !slices.Equal(receipts, want) {
		return fmt.Errorf("receipts %q, want %q of %q", receipts, want, a.receipts)
	}
	return nil
}

// accounts checks what an auditor of all destinations saw: what was sent outside of transactions and the transactions that were
// committed, each as a whole, in the order of the session up to its end, and nothing else. STOMP-TX-003, STOMP-TX-005, STOMP-SEND-002,
// STOMP-SEND-003, STOMP-SEND-004.
func (a *account) accounts(seen []*frame.Frame, failed bool) error {
	var visible []posting
	for _, f := range seen {
		switch f.Command {
		case frame.ERROR:
			return fmt.Errorf("the auditor got ERROR: %q %q", f.Headers, f.Body)
		case frame.MESSAGE:
			d, _ := f.Get("destination")
			visible = append(visible, post(d, modelFrame(f)))
		}
	}
	if a.obscure {
		// STOMP-SEND-003 begins with 1.1: of a header that no other session can hear nothing need remain, nor of its message.
		return subset(bare(visible), bare(slices.Concat(a.groups...)))
	}
	if a.consumes {
		if err := subset(visible, slices.Concat(a.groups...)); err != nil {
			return err
		}
		visible = slices.DeleteFunc(visible, func(p posting) bool { return !isTopic(p.destination) })
	}
	var sofar []posting
	for i := 0; ; i++ {
		if (failed || i == len(a.groups)) && len(sofar) == len(visible) && subset(visible, sofar) == nil {
			return nil
		}
		if i == len(a.groups) {
			return fmt.Errorf("visible is %q, and what was sent or committed is %q, failed %v", visible, a.groups, failed)
		}
		for _, p := range a.groups[i] {
			if !a.consumes || isTopic(p.destination) {
				sofar = append(sofar, p)
			}
		}
	}
}

func bare(all []posting) []posting {
	out := slices.Clone(all)
	for i := range out {
		out[i].headers = ""
	}
	return out
}

// subset tells whether each of some is one of all, counted.
func subset(some, all []posting) error {
	left := map[posting]int{}
	for _, p := range all {
		left[p]++
	}
	for _, p := range some {
		if left[p]--; left[p] < 0 {
			return fmt.Errorf("%q became visible, and only %q were sent or committed", p, all)
		}
	}
	return nil
}

// forgotten checks that when all have gone nothing is left, unless a message lies where nobody looked.
func (a *account) forgotten(b *broker.Broker, parties ...*party) error {
	for _, p := range parties {
		_ = p.conn.Close()
	}
	synctest.Wait()
	s := b.Stats()
	if s.Connections != 0 || s.Subscriptions != 0 {
		return fmt.Errorf("all have gone, and the broker holds %+v", s)
	}
	if !a.consumes && !a.obscure && (s.Messages != 0 || s.Bytes != 0 || s.Destinations != 0) {
		return fmt.Errorf("all is delivered, and the broker holds %+v", s)
	}
	return nil
}
