package stomptest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

func clientErrorCases() []conformance.Case {
	return slices.Concat(clientErrorShownCases(), clientErrorOverCases())
}

// erred sends an ERROR on a session with a subscription and closes it, as a broker does, and returns what the
// library shows.
func (c *clientT) erred(f *wireFrame) event {
	s := c.listening()
	s.p.Send(f)
	s.p.Close()
	return c.Await("error")
}

// told waits for an ERROR to be shown. A library that shows the end of the session instead has told too, and so
// has one that fails when it is used next; one that shows nothing at all breaks law.
func (c *clientT) told(law, reason string) event {
	c.Step()
	e := c.Await("error")
	if e.Kind == "error" || e.Over() {
		return e
	}
	if e.Kind == "none" {
		r, err := c.Order("send", fields{"destination": "/queue/a", "body": octets("x"), "text": true}).Try()
		if err != nil || r.Error != "" {
			return event{Kind: "closed", Reason: fmt.Sprintf("the next call fails: %s %v", r.Error, err)}
		}
	}
	c.Broken(conformance.Break{Law: law, Reason: reason, Expected: "the ERROR, the end of the session, or a failure of the next call", Seen: e.String(), Timed: true})
	return e
}

// showsError is erred for what needs the ERROR itself to be shown.
func (c *clientT) showsError(f *wireFrame) event {
	e := c.erred(f)
	if e.Kind != "error" {
		c.Unsupported("the library shows no ERROR frame: %s", e)
	}
	return e
}

var shownErrors = conformance.Needs{Options: []string{ErrorEvents}}

func clientErrorShownCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/client/error/is-shown",
			Title:    "an ERROR on a live session is shown with its message and body",
			Laws:     []string{"STOMP-ERROR-012"},
			Versions: every,
			Needs:    shownErrors,
			Run: runClient(func(c *clientT) {
				const reason = "the user learns of an ERROR, with its headers and its body"
				s := c.listening()
				s.p.Send(frameOf("ERROR", "message", "malformed frame received", "content-type", "text/plain").Carrying("The message:\n-----\nSEND"))
				s.p.Close()
				e := c.told("STOMP-ERROR-012", reason)
				if e.Kind != "error" {
					c.Unsupported("the library shows no ERROR frame: %s", e)
				}
				c.CheckEqual("STOMP-ERROR-012", reason, "malformed frame received", e.Headers["message"])
				c.CheckEqual("STOMP-ERROR-012", reason, "The message:\n-----\nSEND", e.Body)
			}),
		},
		{
			ID:       "stomp/client/error/uncounted",
			Title:    "an ERROR without content-length, and one without anything",
			Laws:     []string{"STOMP-BODY-005"},
			Versions: every,
			Needs:    shownErrors,
			Run: runClient(func(c *clientT) {
				f := frameOf("ERROR", "message", "over", "content-type", "text/plain").Carrying("why it is over\n")
				f.Uncounted = true
				if e := c.showsError(f); e.Body != "" {
					c.CheckEqual("STOMP-BODY-005", "a body without content-length ends at the first NUL", "why it is over\n", e.Body)
				}
				c.erred(frameOf("ERROR"))
			}),
		},
		{
			ID:       "stomp/client/error/is-not-swallowed",
			Title:    "an ERROR on a session without a subscription is told, at the latest by the next call",
			Laws:     []string{"STOMP-ERROR-012"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				p.Send(frameOf("ERROR", "message", "over"))
				p.Close()
				c.Note("what the client shows", "%s", c.told("STOMP-ERROR-012", "an ERROR is not swallowed: the user learns of it, or at least of the end"))
			}),
		},
		{
			ID:       "stomp/client/error/counted-nul",
			Title:    "a NUL in the counted body of an ERROR is data",
			Laws:     []string{"STOMP-BODY-003"},
			Versions: since11,
			Needs:    shownErrors,
			Run: runClient(func(c *clientT) {
				e := c.showsError(frameOf("ERROR", "message", "over", "content-type", "text/plain").Carrying("a\x00b\x00"))
				if e.Body == "" {
					c.Unsupported("the library does not show the body of an ERROR")
				}
				c.CheckEqual("STOMP-BODY-003", "exactly the counted octets are the body, NULs included", "a\x00b\x00", e.Body)
			}),
		},
		{
			ID:       "stomp/client/error/escapes",
			Title:    "escapes in the headers of an ERROR are decoded",
			Laws:     []string{"STOMP-ESC-001"},
			Versions: only12,
			Needs:    shownErrors,
			Run: runClient(func(c *clientT) {
				c.errorDecoded("STOMP-ESC-001", "an escape of the version's table stands for its octet", `a\cb\\d\ne\rf`, "a:b\\d\ne\rf")
			}),
		},
		{
			ID:       "stomp/client/error/escapes-of-1.1",
			Title:    "escapes in the headers of a 1.1 ERROR are decoded",
			Laws:     []string{"STOMP-ESC-002"},
			Versions: only11,
			Needs:    shownErrors,
			Run: runClient(func(c *clientT) {
				c.errorDecoded("STOMP-ESC-002", "an escape of the version's table stands for its octet", `a\cb\\d\ne`, "a:b\\d\ne")
			}),
		},
		{
			ID:       "stomp/client/error/no-escapes-in-1.0",
			Title:    "the headers of a 1.0 ERROR hold no escapes",
			Laws:     []string{"STOMP-ESC-010"},
			Versions: only10,
			Needs:    shownErrors,
			Run: runClient(func(c *clientT) {
				c.errorDecoded("STOMP-ESC-010", "a backslash is an ordinary octet of a 1.0 header", `a\cb\\c:d`, `a\cb\\c:d`)
			}),
		},
		{
			ID:       "stomp/client/error/unknown-headers",
			Title:    "an ERROR with headers that no text defines is an ERROR",
			Laws:     []string{"STOMP-HDR-012"},
			Versions: since11,
			Needs:    shownErrors,
			Run: runClient(func(c *clientT) {
				e := c.erred(frameOf("ERROR", "x-before", "1", "version", "1.2", "message", "over", "x-server", "1", "receipt-id", "unknown").Carrying("over"))
				c.Check(e.Kind == "error", "STOMP-HDR-012", "a server may add headers of its own to an ERROR", "the ERROR is shown", e.String())
			}),
		},
		{
			ID:       "stomp/client/error/is-no-receipt",
			Title:    "an ERROR that names a receipt is no receipt",
			Laws:     []string{"STOMP-RECEIPT-007"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Receipts}},
			Run: runClient(func(c *clientT) {
				const reason = "an ERROR that names a frame's receipt says that the frame failed"
				p := c.Connect()
				w := c.sendsForReceipt(p, nil)
				p.Send(frameOf("ERROR", "message", "no such queue", "receipt-id", w.id))
				p.Close()
				if w.waits {
					c.fails(w.o, "STOMP-RECEIPT-007", reason)
				}
				for deadline := time.Now().Add(c.Timing().Reply); ; {
					e := c.Next(c.Timing().Quiet)
					c.Check(e.Kind != "receipt", "STOMP-RECEIPT-007", reason, "no receipt", e.String())
					if e.Kind == "none" || e.Kind == "lost" || e.Kind == "closed" || time.Now().After(deadline) {
						return
					}
				}
			}),
		},
	}
}

// errorDecoded sends an ERROR with a header as it is on the wire and checks how the library shows it.
func (c *clientT) errorDecoded(law, reason, wire, want string) {
	s := c.listening()
	s.p.RawString("ERROR\nmessage:" + wire + "\n\n\x00")
	s.p.Close()
	e := c.Await("error")
	if e.Kind != "error" {
		c.Unsupported("the library shows no ERROR frame: %s", e)
	}
	if got, ok := e.Headers["message"]; ok {
		c.CheckEqual(law, reason, want, got)
		return
	}
	c.Check(strings.Contains(e.Body, want), law, reason, "message "+want, e.String())
}

func clientErrorOverCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/client/error/session-is-over",
			Title:    "after an ERROR and the end of the connection the session is over",
			Laws:     []string{"STOMP-ERROR-012"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				if e := c.erred(frameOf("ERROR", "message", "over")); e.Over() {
					return
				}
				e := c.told("STOMP-ERROR-012", "the session is over when the server closes the connection after its ERROR")
				c.Note("what the client shows", "%s", e)
			}),
		},
		{
			ID:       "stomp/client/error/not-used-any-more",
			Title:    "what a client makes of its session after an ERROR",
			Laws:     []string{"STOMP-ERROR-012"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				const reason = "no text says what a client does with a session after an ERROR that is not followed by the end of the connection"
				s := c.listening()
				p := s.p
				p.Send(frameOf("ERROR", "message", "over"))
				e := c.Await("error")
				if p.Ends(c.Timing().Quiet) {
					c.Note("after an ERROR", "the client closes the connection; it shows %s", e.Kind)
					return
				}
				r, err := c.Order("send", fields{"destination": "/queue/a", "body": octets("x"), "text": true}).Try()
				switch sent := p.Watch(is("SEND"), c.Timing().Quiet); {
				case sent != nil:
					c.Chose("STOMP-ERROR-012", reason, "it keeps the connection and goes on to send")
				case err != nil || r.Error != "":
					c.Note("after an ERROR", "the library refuses to send: %q %v", r.Error, err)
				default:
					c.Chose("STOMP-ERROR-012", reason, "it keeps the connection, takes a message to send, and does not send it")
				}
			}),
		},
		{
			ID:       "stomp/client/error/no-new-connection",
			Title:    "a client that was not told to reconnect does not",
			Laws:     []string{"STOMP-ERROR-012"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				c.erred(frameOf("ERROR", "message", "over"))
				if _, err := c.testee.Accept("uninvited"); err == nil {
					c.Chose("STOMP-ERROR-012", "no text says whether a client connects again by itself", "it opens a new connection")
				}
			}),
		},
	}
}
