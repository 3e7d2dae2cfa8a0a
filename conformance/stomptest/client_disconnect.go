package stomptest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

func clientDisconnectCases() []conformance.Case {
	withReceipt := conformance.Needs{Options: []string{DisconnectReceipts}}
	return []conformance.Case{
		{
			ID:       "stomp/client/disconnect/with-receipt",
			Title:    "a client that leaves sends DISCONNECT and asks for a receipt",
			Laws:     []string{"STOMP-DISCONNECT-001"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				_, f := c.leaves(p, "STOMP-DISCONNECT-001", 0)
				c.Check(headerNamed(f, "receipt"), "STOMP-DISCONNECT-001", "a receipt tells that what was sent has arrived", "receipt", f.String())
				p.Send(frameOf("RECEIPT", "receipt-id", f.Get("receipt")))
			}),
		},
		{
			ID:       "stomp/client/disconnect/waits-for-the-receipt",
			Title:    "the connection stays open until the RECEIPT has come",
			Laws:     []string{"STOMP-DISCONNECT-001"},
			Versions: since11,
			Needs:    withReceipt,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				_, f := c.leavesWithReceipt(p)
				c.Step()
				if p.Ends(c.Timing().Quiet) {
					c.Broken(conformance.Break{Law: "STOMP-DISCONNECT-001", Reason: "a graceful client waits for the RECEIPT", Expected: "an open connection", Seen: "closed before the RECEIPT"})
				}
				c.Watched(c.Timing().Quiet)
				p.confirm(f)
			}),
		},
		{
			ID:       "stomp/client/disconnect/closes-then",
			Title:    "the client closes the connection once the RECEIPT has come",
			Laws:     []string{"STOMP-DISCONNECT-001"},
			Versions: since11,
			Needs:    withReceipt,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				o, f := c.leavesWithReceipt(p)
				p.confirm(f)
				p.End("STOMP-DISCONNECT-001", "a graceful client closes the connection after the RECEIPT")
				p.Close()
				c.succeeds(o, "STOMP-DISCONNECT-001", "with the RECEIPT and the end of the connection the client is done")
			}),
		},
		{
			ID:       "stomp/client/disconnect/everything-sent-before",
			Title:    "what was sent before DISCONNECT leaves before it",
			Laws:     []string{sendCarries},
			Versions: every,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				for _, body := range numbered("n", 20) {
					c.Do("send", fields{"destination": "/queue/a", "body": octets(body), "text": true})
				}
				c.Order("disconnect", nil).leadsTo(p, "DISCONNECT")
				var got []string
				for _, f := range p.Drain(is("SEND")) {
					got = append(got, string(f.Body))
				}
				c.CheckEqual(sendCarries, "leaving in order loses nothing", strings.Join(numbered("n", 20), " "), strings.Join(got, " "))
			}),
		},
		{
			ID:       "stomp/client/disconnect/no-frame-after",
			Title:    "no frame follows DISCONNECT while messages still arrive",
			Laws:     []string{"STOMP-DISCONNECT-002"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				ack := "auto"
				if c.has(ChoiceOfAck) {
					ack = "client"
				}
				sub := c.SubscribeAs(p, "s-1", ack)
				c.deliversAll(sub, 2)
				_, f := c.leaves(p, "", 0)
				for _, body := range numbered("late", 3) {
					sub.Deliver(body)
				}
				p.Quiet("STOMP-DISCONNECT-002", "a client must send no frame after DISCONNECT", anyFrame)
				p.confirm(f)
			}),
		},
		{
			ID:       "stomp/client/disconnect/no-frame-after-with-transaction",
			Title:    "no frame follows DISCONNECT while a transaction is open",
			Laws:     []string{"STOMP-DISCONNECT-002"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Transactions}},
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				c.begins(p, "tx-1")
				c.Sends(p, "", fields{"transaction": "tx-1"})
				_, f := c.leaves(p, "", 0)
				p.Quiet("STOMP-DISCONNECT-002", "a client must send no frame after DISCONNECT: what is open ends with it", anyFrame)
				p.confirm(f)
			}),
		},
		{
			ID:       "stomp/client/disconnect/no-frame-after-the-receipt",
			Title:    "no frame follows the RECEIPT of a DISCONNECT",
			Laws:     []string{"STOMP-DISCONNECT-002"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				c.SubscribeAs(p, "s-1", "auto")
				_, f := c.leaves(p, "", 0)
				p.confirm(f)
				p.Quiet("STOMP-DISCONNECT-002", "a client must send no frame after DISCONNECT", anyFrame)
			}),
		},
		{
			ID:       "stomp/client/ambiguity/send-after-disconnect",
			Title:    "a user who sends while the RECEIPT of the DISCONNECT is awaited",
			Laws:     []string{"STOMP-DISCONNECT-005"},
			Versions: since11,
			Needs:    withReceipt,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				o, _ := c.leaves(p, "", c.Timing().Quiet)
				if _, err := o.Try(); err != nil {
					c.Unsupported("the library lets its user do nothing meanwhile: %v", err)
				}
				seen := "refused"
				if r, err := c.Order("send", fields{"destination": "/queue/a", "body": octets("x"), "text": true}).Try(); err != nil || r.Error == "" {
					seen = "not refused, and not sent"
				}
				if p.Watch(is("SEND"), c.Timing().Quiet) != nil {
					// The user did what the protocol forbids; that the library lets them is not forbidden to it.
					seen = "sent"
				}
				c.Chose("STOMP-DISCONNECT-005", "a library may refuse what its user must not do", seen)
			}),
		},
		{
			ID:       "stomp/client/disconnect/messages-before-the-receipt",
			Title:    "messages and a heart-beat before the RECEIPT do no harm",
			Laws:     []string{receiptLaw},
			Versions: every,
			Needs:    withReceipt,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				sub := c.SubscribeAs(p, "s-1", "auto")
				o, f := c.leavesWithReceipt(p)
				for _, body := range numbered("late", 5) {
					sub.Deliver(body)
				}
				p.RawString("\n")
				p.confirm(f)
				p.partsWithClient()
				c.succeeds(o, receiptLaw, "a broker may send until it has read DISCONNECT; its RECEIPT confirms it")
			}),
		},
		{
			ID:       "stomp/client/disconnect/other-receipt-before",
			Title:    "the RECEIPT of an earlier frame is not that of DISCONNECT",
			Laws:     []string{receiptLaw},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{DisconnectReceipts, Receipts}},
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				w := c.sendsForReceipt(p, nil)
				if w.waits {
					c.Unsupported("the library waits for each RECEIPT before it does anything else")
				}
				o, f := c.leavesWithReceipt(p)
				p.Send(w.receipt())
				c.Step()
				if p.Ends(c.Timing().Quiet) {
					c.Broken(conformance.Break{Law: receiptLaw, Reason: "a RECEIPT confirms the frame that it names", Expected: "an open connection", Seen: "closed after the RECEIPT of another frame"})
				}
				p.confirm(f)
				p.partsWithClient()
				c.succeeds(o, receiptLaw, "the RECEIPT confirms DISCONNECT")
			}),
		},
		{
			ID:       "stomp/client/disconnect/closed-with-the-receipt",
			Title:    "a broker that closes right behind the RECEIPT",
			Laws:     []string{"STOMP-ERROR-013"},
			Versions: every,
			Needs:    withReceipt,
			Run: leavesWhen(func(p *wire, f *wireFrame) {
				p.confirm(f)
				p.Close()
			}),
		},
		{
			ID:       "stomp/client/disconnect/closed-without-the-receipt",
			Title:    "a broker that closes when it has read DISCONNECT, without a RECEIPT",
			Laws:     []string{"STOMP-ERROR-013"},
			Versions: every,
			Needs:    withReceipt,
			Run:      leavesWhen(func(p *wire, _ *wireFrame) { p.Close() }),
		},
		{
			ID:       "stomp/client/disconnect/reset",
			Title:    "a broker that resets the connection when it has read DISCONNECT",
			Laws:     []string{"STOMP-ERROR-013"},
			Versions: every,
			Run:      leavesWhen(func(p *wire, _ *wireFrame) { p.Reset() }),
		},
		{
			ID:       "stomp/client/disconnect/error-instead-of-the-receipt",
			Title:    "a broker that answers DISCONNECT with ERROR and closes",
			Laws:     []string{"STOMP-ERROR-012"},
			Versions: every,
			Needs:    withReceipt,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				o, _ := c.leavesWithReceipt(p)
				p.Send(frameOf("ERROR", "message", "cannot leave").Carrying("no"))
				p.Close()
				r, err := o.Try()
				if r.Error != "" {
					c.Note("disconnect fails", "%s", r.Error)
					return
				}
				seen := c.Await("error")
				c.Step()
				if seen.Kind != "error" && seen.Kind != "closed" || err != nil {
					c.Broken(conformance.Break{
						Law: "STOMP-ERROR-012", Reason: "an ERROR is not swallowed", Expected: "a failure, the ERROR or the end", Timed: true,
						Seen: strings.TrimSpace(fmt.Sprintf("%s %v", seen, err)),
					})
				}
			}),
		},
		{
			ID:       "stomp/client/disconnect/and-again",
			Title:    "a client that has left opens another session",
			Laws:     []string{"STOMP-CONNECT-018"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				o := c.Order("disconnect", nil)
				o.leadsTo(p, "DISCONNECT")
				p.partsWithClient()
				if _, err := o.Try(); err != nil {
					c.Blocked("prerequisite", "%v", err)
				}
				p, f, o := c.Dial(nil)
				p.receipts = true
				p.Send(p.ConnectedFrame(f))
				c.succeeds(o, "STOMP-CONNECT-018", "each connection has a session of its own")
				c.works(p, "STOMP-CONNECT-018", "a session after another one works")
			}),
		},
	}
}

// leaves orders the end of the session and takes DISCONNECT in, whose receipt the broker withholds; those of frames
// before it, it gives. One that does not come breaks law, or blocks when law is empty. Zero for the wait means the
// reply deadline.
func (c *clientT) leaves(p *wire, law string, wait time.Duration) (*order, *wireFrame) {
	p.Drain(anyFrame)
	p.receipts = false
	more := fields{}
	if wait > 0 {
		more["wait"] = wait
	}
	o := c.Order("disconnect", more)
	before := 0
	f := p.Expect(law, "a client that leaves says so", "DISCONNECT", func(f *wireFrame) bool {
		if f.Command == "DISCONNECT" {
			return true
		}
		before++
		p.confirm(f)
		return false
	})
	p.inbox = p.inbox[before:]
	return o, f
}

// partsWithClient closes the connection as soon as the client has, or after the reply deadline: a client may wait for
// both directions to be closed before it is done.
func (p *wire) partsWithClient() {
	p.Ends(p.s.Timing().Reply)
	p.Close()
}

// leavesWithReceipt is leaves for a library whose DISCONNECT asks for a receipt.
func (c *clientT) leavesWithReceipt(p *wire) (*order, *wireFrame) {
	o, f := c.leaves(p, "", 0)
	if !headerNamed(f, "receipt") {
		c.Unsupported("the library asks for no receipt on DISCONNECT")
	}
	return o, f
}

// leavesWhen is a case in which the broker ends the connection in its own way once it has read DISCONNECT. The
// client comes to an end, successful or not, and does not hang.
func leavesWhen(end func(*wire, *wireFrame)) caseFunc {
	return runClient(func(c *clientT) {
		p := c.Connect()
		o, f := c.leaves(p, "", 0)
		end(p, f)
		c.Step()
		r, err := o.Try()
		if err == nil && r.Hangs {
			err = errors.New(r.Error)
		}
		switch {
		case err != nil:
			c.Broken(conformance.Break{
				Law: "STOMP-ERROR-013", Reason: "the last frame may be lost, and a client must not hang for it",
				Expected: "the client has left", Seen: err.Error(), Timed: true,
			})
		case r.Error != "":
			c.Note("leaving fails", "%s", r.Error)
		}
	})
}
