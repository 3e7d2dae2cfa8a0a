package stomptest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// The laws of what a client's frames carry.
const (
	sendCarries        = "STOMP-SEND-007"        // destination
	headersPass        = "STOMP-SEND-008"        // headers of the user
	subscribeCarries   = "STOMP-SUBSCRIBE-017"   // destination, and id since 1.1
	unsubscribeCarries = "STOMP-UNSUBSCRIBE-010" // destination or id in 1.0
	transactionCarries = "STOMP-TX-009"          // transaction on BEGIN, COMMIT and ABORT
	joinsTransaction   = "STOMP-TX-010"          // transaction on what belongs to one
)

func clientSendCases() []conformance.Case {
	return slices.Concat(clientBodyCases(), []conformance.Case{
		{
			ID:       "stomp/client/send/destination",
			Title:    "a SEND carries the destination that the user gave",
			Laws:     []string{sendCarries},
			Versions: every,
			Run: runClient(func(c *clientT) {
				f := c.Sends(c.Connect(), sendCarries, fields{"destination": "/queue/a.b-c_d"})
				c.CheckEqual(sendCarries, "SEND names where the message goes", "/queue/a.b-c_d", f.Get("destination"))
			}),
		},
		{
			ID:       "stomp/client/send/headers-pass",
			Title:    "headers of the user's own stand in the SEND",
			Laws:     []string{headersPass},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{OwnHeaders}},
			Run: runClient(func(c *clientT) {
				own := map[string]string{"x-one": "1", "priority": "9", "x.two": "a b"}
				f := c.Sends(c.Connect(), headersPass, fields{"headers": own})
				for name, value := range own {
					c.CheckEqual(headersPass, "SEND allows headers of any name, which go to the receiver", value, f.Get(name))
				}
			}),
		},
		{
			ID:       "stomp/client/send/spaces-in-headers-kept",
			Title:    "spaces around a header value are sent, and none are added",
			Laws:     []string{"STOMP-HDR-007"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{OwnHeaders}},
			Run: runClient(func(c *clientT) {
				f := c.Sends(c.Connect(), "STOMP-HDR-007", fields{"headers": map[string]string{"x-padded": "  v ", "x-plain": "v"}})
				for name, want := range map[string]string{"x-padded": "  v ", "x-plain": "v"} {
					c.CheckEqual("STOMP-HDR-007", "a client must never trim or pad headers", want, f.Get(name))
				}
			}),
		},
		{
			ID:       "stomp/client/send/header-names-keep-their-case",
			Title:    "the letters of a header name are sent as they are",
			Laws:     []string{"STOMP-HDR-006"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{OwnHeaders}},
			Run: runClient(func(c *clientT) {
				f := c.Sends(c.Connect(), "STOMP-HDR-006", fields{"headers": map[string]string{"X-Mixed-Case": "v"}})
				c.CheckEqual("STOMP-HDR-006", "header names are case sensitive, so that another case is another header", "v", f.Get("X-Mixed-Case"))
			}),
		},
		{
			ID:       "stomp/client/ambiguity/empty-header-value",
			Title:    "a header with an empty value",
			Laws:     []string{"STOMP-HDR-002", "STOMP-HDR-003"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{OwnHeaders}},
			Run: runClient(func(c *clientT) {
				f := c.Sends(c.Connect(), "", fields{"headers": map[string]string{"x-empty": ""}})
				law, seen := "STOMP-HDR-002", "not sent"
				if c.Version() == "1.0" {
					law = "STOMP-HDR-003"
				}
				if v, ok := f.Lookup("x-empty"); ok {
					seen = fmt.Sprintf("sent with the value %q", v)
				}
				c.Chose(law, "whether a user can send an empty value is the library's choice", seen)
			}),
		},
		{
			ID:       "stomp/client/send/in-order",
			Title:    "two messages leave in the order in which they were sent",
			Laws:     []string{sendCarries},
			Versions: every,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				c.Do("send", fields{"destination": "/queue/a", "body": octets("first"), "text": true})
				c.Do("send", fields{"destination": "/queue/b", "body": octets("second"), "text": true})
				for _, want := range []string{"/queue/a first", "/queue/b second"} {
					f := p.Expect(sendCarries, "each SEND of the user is one frame", "SEND", is("SEND"))
					c.CheckEqual(sendCarries, "frames leave in the user's order", want, f.Get("destination")+" "+string(f.Body))
				}
			}),
		},
		{
			ID:       "stomp/client/send/many-in-a-row",
			Title:    "200 messages in a row all leave, each once and in order",
			Laws:     []string{sendCarries},
			Versions: every,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				want := numbered("n", 200)
				for _, body := range want {
					c.Do("send", fields{"destination": "/queue/a", "body": octets(body), "text": true})
				}
				var got []string
				for range want {
					got = append(got, string(p.Expect(sendCarries, "each SEND of the user is one frame", "SEND", is("SEND")).Body))
				}
				c.CheckEqual(sendCarries, "nothing is lost, doubled or changed in order", strings.Join(want, " "), strings.Join(got, " "))
				c.Check(len(p.Drain(is("SEND"))) == 0, sendCarries, "each message leaves once", "no further SEND", "more than 200")
			}),
		},
		{
			ID:       "stomp/client/send/whole-session",
			Title:    "every frame of a session is well-formed and of the version",
			Laws:     append([]string{"STOMP-FRAME-001", "STOMP-FRAME-002", "STOMP-FRAME-003", "STOMP-BODY-001"}, wireLaws...),
			Versions: every,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				c.wholeSession(p)
				for _, f := range p.Drain(anyFrame) {
					c.WellFormed(f)
					c.ofTheVersion(f)
					if f.Command != "SEND" && c.Version() != "1.0" {
						c.CheckEqual("STOMP-BODY-001", f.Command+" must not have a body", "", string(f.Body))
					}
				}
				c.Check(!p.reader.partial(), "STOMP-FRAME-001", "a frame ends with NUL", "nothing behind the last NUL but EOLs", "an unfinished frame")
			}),
		},
	})
}

// wholeSession orders one of everything that the library can do. Frames stay in the peer's inbox.
func (c *clientT) wholeSession(p *wire) {
	ack := "auto"
	if c.has(ChoiceOfAck) {
		ack = "client"
	}
	destination := "/queue/" + c.Unique("q")
	c.Do("subscribe", fields{"id": "s-1", "destination": destination, "ack": ack})
	o := p.Expect("", "the client subscribes", "SUBSCRIBE", is("SUBSCRIBE"))
	p.inbox = append(p.inbox, o)
	sub := &subscription{c: c, p: p, ID: o.Get("id"), Destination: destination, Ack: ack, Frame: o}
	sub.Deliver("a message")
	e := c.Await("message")
	if e.Kind != "message" {
		c.Blocked("prerequisite", "the message is not delivered: %s", e)
	}
	tx := fields{"transaction": "tx-1"}
	if c.has(Transactions) {
		c.Do("begin", tx)
		c.Do("send", fields{"destination": destination, "body": octets("in it"), "text": true, "transaction": "tx-1"})
		c.Do("commit", tx)
		c.Do("begin", tx)
		c.Do("abort", tx)
	}
	if ack == "client" {
		c.Do("ack", fields{"message": e.Message})
	}
	c.Do("send", fields{"destination": destination, "body": octets("é"), "text": true})
	c.Do("unsubscribe", fields{"id": "s-1"})
	left := c.Order("disconnect", nil)
	p.partsWithClient()
	if r, err := left.Try(); err != nil || r.Error != "" {
		c.Note("disconnect", "%s %v", r.Error, err)
	}
}

// ofTheVersion checks that the case's version has a frame's command.
func (c *clientT) ofTheVersion(f *wireFrame) {
	commands := []string{"SEND", "SUBSCRIBE", "UNSUBSCRIBE", "BEGIN", "COMMIT", "ABORT", "ACK", "DISCONNECT"}
	law := "STOMP-FRAME-002"
	if c.Version() != "1.0" {
		law, commands = "STOMP-FRAME-003", append(commands, "NACK")
	}
	c.Check(slices.Contains(commands, f.Command), law, "a client sends the commands of the version only",
		strings.Join(commands, " "), conformance.EscapeMax([]byte(f.Command), 80))
}

// Sends orders a SEND, of a text to /queue/a unless f says otherwise, and returns its frame. One that does not
// come breaks law, or blocks when law is empty; a library that refuses it does not have what the case asks for.
func (c *clientT) Sends(p *wire, law string, f fields) *wireFrame {
	all := fields{"destination": "/queue/a", "body": octets("x"), "text": true}
	maps.Copy(all, f)
	r, err := c.Order("send", all).Try()
	switch {
	case err != nil:
		c.Blocked("prerequisite", "%v", err)
	case r.Error != "":
		c.Unsupported("the library refuses to send that: %s", r.Error)
	}
	return p.Expect(law, "what the user sends leaves as one SEND", "SEND", is("SEND"))
}

var mimeSyntax = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+/[!#$%&'*+.^_`|~0-9A-Za-z-]+ *(;.*)?$")

// A caseFunc is what a case runs.
type caseFunc = func(context.Context, *conformance.T)

// peek returns the order's report if it has come, and leaves it to be taken by Try.
func (o *order) peek() (r report, reported bool) {
	for o.c.control.pull(time.Now()) {
	}
	for _, f := range o.c.control.inbox {
		if is("SEND", "destination", reportsPlace)(f) {
			_ = json.Unmarshal(f.Body, &r) // what is malformed, Try says
			return r, true
		}
	}
	return report{}, false
}

// reports waits for the order's report for at most d and leaves it to be taken by Try.
func (o *order) reports(d time.Duration) bool {
	for deadline := time.Now().Add(d); ; {
		if _, ok := o.peek(); ok {
			return true
		}
		if !time.Now().Before(deadline) {
			return false
		}
		for _, p := range o.c.subjects {
			for p.pull(time.Now()) {
			}
		}
		o.c.control.pull(time.Now().Add(4 * time.Millisecond))
	}
}

// leadsTo waits for the frame that an order leads to, before or after its report. A library that reports an error
// instead does not have what the case asks for.
func (o *order) leadsTo(p *wire, command string) *wireFrame {
	for deadline := time.Now().Add(o.c.Timing().Reply); ; {
		if f := p.Await(is(command), 0).Frame; f != nil {
			return f
		}
		if r, ok := o.peek(); ok && (r.Error != "" || r.Unsupported != "") {
			o.c.Unsupported("the library refuses to %s like that: %s%s", o.text, r.Error, r.Unsupported)
		}
		if !time.Now().Before(deadline) {
			o.c.Blocked("prerequisite", "the order to %s leads to no %s", o.text, command)
		}
		o.c.control.pull(time.Now().Add(time.Millisecond))
	}
}
