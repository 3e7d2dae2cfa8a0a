package stomptest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

const receiptLaw = "STOMP-RECEIPT-007"

func clientReceiptCases() []conformance.Case {
	needs := conformance.Needs{Options: []string{Receipts}}
	return []conformance.Case{
		{
			ID:       "stomp/client/receipt/is-told",
			Title:    "the RECEIPT of a SEND is told to the user",
			Laws:     []string{receiptLaw},
			Versions: every,
			Needs:    needs,
			Run:      confirms(receiptLaw, func(p *wire, w *waiting) { p.Send(w.receipt()) }),
		},
		{
			ID:       "stomp/client/receipt/with-more-headers",
			Title:    "a RECEIPT with headers that the client does not know confirms as well",
			Laws:     []string{receiptLaw},
			Versions: since11,
			Needs:    needs,
			Run: confirms(receiptLaw, func(p *wire, w *waiting) {
				p.Send(frameOf("RECEIPT", "x-server", "1", "receipt-id", w.id, "x-empty", "", "message-id", "m-9", "date", `Mon\: 1`))
			}),
		},
		{
			ID:       "stomp/client/receipt/with-content-length",
			Title:    "a RECEIPT with content-length:0 confirms as well",
			Laws:     []string{receiptLaw},
			Versions: only12,
			Needs:    needs,
			Run:      confirms(receiptLaw, func(p *wire, w *waiting) { p.Send(w.receipt().With("content-length", "0")) }),
		},
		{
			ID:       "stomp/client/receipt/repeated-header",
			Title:    "of two receipt-id headers the first holds",
			Laws:     []string{receiptLaw, "STOMP-HDR-009"},
			Versions: since11,
			Needs:    needs,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				w := c.sendsForReceipt(p, nil)
				p.Send(w.receipt().With("receipt-id", "another"))
				if told, seen := w.isTold(); !told {
					c.Broken(conformance.Break{Law: "STOMP-HDR-009", Reason: "of repeated headers the first holds", Expected: "RECEIPT " + w.id + " is told", Seen: seen})
				}
			}),
		},
		{
			ID:       "stomp/client/receipt/in-pieces",
			Title:    "a RECEIPT that comes octet by octet confirms as well",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Needs:    needs,
			Run: confirms("STOMP-FRAME-012", func(p *wire, w *waiting) {
				for _, b := range w.receipt().Encode(p.version) {
					p.Raw([]byte{b})
				}
			}),
		},
		{
			ID:       "stomp/client/receipt/behind-line-ends",
			Title:    "a RECEIPT behind EOLs confirms as well",
			Laws:     []string{"STOMP-FRAME-010"},
			Versions: every,
			Needs:    needs,
			Run: confirms("STOMP-FRAME-010", func(p *wire, w *waiting) {
				p.RawString("\n\n\n")
				p.Send(w.receipt())
			}),
		},
		{
			ID:       "stomp/client/receipt/not-before-it-comes",
			Title:    "a frame is not told to be confirmed before its RECEIPT",
			Laws:     []string{receiptLaw},
			Versions: every,
			Needs:    needs,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				w := c.sendsForReceipt(p, nil)
				w.untold("without a RECEIPT nothing is confirmed")
				p.Send(w.receipt())
				w.told("the RECEIPT confirms its frame")
			}),
		},
		{
			ID:       "stomp/client/receipt/of-another-frame",
			Title:    "a RECEIPT for another id confirms nothing",
			Laws:     []string{receiptLaw},
			Versions: every,
			Needs:    needs,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				w := c.sendsForReceipt(p, nil)
				p.Send(frameOf("RECEIPT", "receipt-id", w.id+"-not"))
				if w.untold("a RECEIPT confirms the frame that it names, and no other") {
					return
				}
				p.Send(w.receipt())
				w.told("the RECEIPT confirms its frame")
			}),
		},
		{
			ID:       "stomp/client/receipt/any-order",
			Title:    "three RECEIPTs that come in another order are told under their ids",
			Laws:     []string{receiptLaw},
			Versions: every,
			Needs:    needs,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				w := c.threeWaiting(p)
				for _, i := range []int{2, 0, 1} {
					p.Send(w[i].receipt())
					w[i].told("receipts are told in whatever order they come")
				}
			}),
		},
		{
			ID:       "stomp/client/receipt/in-one-packet",
			Title:    "three RECEIPTs and a MESSAGE in one packet are all told",
			Laws:     []string{receiptLaw, "STOMP-SUBSCRIBE-016"},
			Versions: every,
			Needs:    needs,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				sub := c.Subscribe(p, "auto")
				w := c.threeWaiting(p)
				p.SendAll(w[1].receipt(), sub.MessageFrame("between"), w[0].receipt(), w[2].receipt())
				c.tells([]string{w[0].id, w[1].id, w[2].id}, []string{"between"})
			}),
		},
		{
			ID:       "stomp/client/receipt/ids-differ",
			Title:    "receipts that are waited for have different ids",
			Laws:     []string{"STOMP-RECEIPT-003"},
			Versions: every,
			Needs:    needs,
			Run: runClient(func(c *clientT) {
				w := c.threeWaiting(c.Connect())
				ids := fmt.Sprintf("%q %q %q", w[0].id, w[1].id, w[2].id)
				c.Check(w[0].id != w[1].id && w[1].id != w[2].id && w[0].id != w[2].id, "STOMP-RECEIPT-003",
					"else a RECEIPT does not say what it confirms", "three ids", ids)
			}),
		},
		{
			ID:       "stomp/client/receipt/message-before-it",
			Title:    "a MESSAGE between a frame and its RECEIPT is shown, and the RECEIPT told",
			Laws:     []string{receiptLaw, "STOMP-SUBSCRIBE-016"},
			Versions: every,
			Needs:    needs,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				sub := c.Subscribe(p, "auto")
				w := c.sendsForReceipt(p, nil)
				sub.Deliver("between-1")
				sub.Deliver("between-2")
				p.Send(w.receipt())
				bodies := []string{"between-1", "between-2"}
				if !w.waits {
					c.tells([]string{w.id}, bodies)
					return
				}
				w.told("messages may come before a RECEIPT")
				c.tells(nil, slices.DeleteFunc(bodies, func(body string) bool { return slices.Contains(w.passed, body) }))
			}),
		},
		{
			ID:       "stomp/client/receipt/one-after-the-other",
			Title:    "four frames in turn are confirmed in turn",
			Laws:     []string{receiptLaw},
			Versions: every,
			Needs:    needs,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				for i := range 4 {
					w := c.sendsForReceipt(p, fields{"body": octets(fmt.Sprintf("n-%d", i))})
					p.Send(w.receipt())
					w.told("each RECEIPT confirms its frame")
				}
			}),
		},
		{
			ID:       "stomp/client/receipt/of-subscribe",
			Title:    "the RECEIPT of a SUBSCRIBE is told",
			Laws:     []string{receiptLaw},
			Versions: every,
			Needs:    needs,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				w := c.awaitsReceipt(p, "subscribe", "SUBSCRIBE", fields{"id": "s-1", "destination": "/queue/a", "ack": "auto"})
				p.Send(w.receipt())
				w.told("any frame but CONNECT may be confirmed")
			}),
		},
		{
			ID:       "stomp/client/receipt/of-unsubscribe",
			Title:    "the RECEIPT of an UNSUBSCRIBE is told",
			Laws:     []string{receiptLaw},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{UnsubscribeReceipts}},
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				c.SubscribeAs(p, "s-1", "auto")
				w := c.awaitsReceipt(p, "unsubscribe", "UNSUBSCRIBE", fields{"id": "s-1"})
				p.Send(w.receipt())
				w.told("any frame but CONNECT may be confirmed")
			}),
		},
		{
			ID:       "stomp/client/receipt/id-with-escapes",
			Title:    "an id with a colon and a backslash is written, read and told as it is",
			Laws:     append([]string{receiptLaw}, encodingLaws...),
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Receipts, OwnHeaders}},
			Run: runClient(func(c *clientT) {
				const id = `r:1\c2`
				p := c.Connect()
				p.receipts = false
				f := c.Sends(p, "", fields{"headers": map[string]string{"receipt": id}})
				if got, ok := headerAsWritten(f, "receipt", c.Version()); !ok || !strings.HasPrefix(got, "r") || !strings.HasSuffix(got, "c2") {
					c.Unsupported("the library does not let its user choose the id: receipt %q", got)
				}
				c.Writes(f, encodingLaw(c.Version()), "receipt", id)
				p.Send(frameOf("RECEIPT", "receipt-id", id))
				switch e := c.Await("receipt"); e.Kind {
				case "receipt":
					c.CheckEqual(receiptLaw, "the id is told decoded", id, e.ID)
				default:
					c.Unsupported("the library does not tell of a RECEIPT under an id of the user's: %s", e)
				}
			}),
		},
	}
}

// A waiting is a frame of the client that waits for its RECEIPT.
type waiting struct {
	c     *clientT
	o     *order
	frame *wireFrame
	id    string
	waits bool // the library waits by itself, and reports when it has the RECEIPT
	// passed are the bodies of messages that were shown before the RECEIPT was.
	passed []string
}

// sendsForReceipt orders a SEND with a receipt, which the broker withholds.
func (c *clientT) sendsForReceipt(p *wire, f fields) *waiting {
	all := fields{"destination": "/queue/a", "body": octets("x"), "text": true}
	maps.Copy(all, f)
	return c.awaitsReceipt(p, "send", "SEND", all)
}

// awaitsReceipt orders something with a receipt, which the broker withholds.
func (c *clientT) awaitsReceipt(p *wire, do, command string, f fields) *waiting {
	p.receipts = false
	f["receipt"] = true
	w := &waiting{c: c, o: c.Order(do, f)}
	w.frame = w.o.leadsTo(p, command)
	var asked bool
	if w.id, asked = w.frame.Lookup("receipt"); !asked {
		c.Unsupported("the library asks for no receipt on %s", command)
	}
	if w.waits = !w.o.reports(c.Timing().Quiet); !w.waits {
		w.o.Done()
	}
	return w
}

// threeWaiting orders three SENDs with receipts, all withheld.
func (c *clientT) threeWaiting(p *wire) [3]*waiting {
	var w [3]*waiting
	for i := range w {
		w[i] = c.sendsForReceipt(p, fields{"body": octets(fmt.Sprintf("n-%d", i))})
		if w[i].waits {
			c.Unsupported("the library waits for each RECEIPT before it does anything else")
		}
	}
	return w
}

func (w *waiting) receipt() *wireFrame { return frameOf("RECEIPT", "receipt-id", w.id) }

// isTold waits until the user knows of the RECEIPT: by the end of the call that waits for it, or else by being shown
// it, as by a library that gives up at another frame and leaves the rest to its user.
func (w *waiting) isTold() (told bool, seen string) {
	w.c.Step()
	if w.waits {
		r, err := w.o.Try()
		if err != nil {
			return false, err.Error()
		}
		if r.Error == "" {
			return true, ""
		}
		seen = "the library fails: " + r.Error + ", then shows "
	}
	for {
		e := w.c.Next(w.c.Timing().Reply)
		switch e.Kind {
		case "receipt":
			return e.ID == w.id, seen + e.String()
		case "message":
			w.passed = append(w.passed, e.Body)
		default:
			return false, seen + e.String()
		}
	}
}

// told needs the user to know of the RECEIPT that was given.
func (w *waiting) told(reason string) { w.toldUnder(receiptLaw, reason) }

func (w *waiting) toldUnder(law, reason string) {
	if told, seen := w.isTold(); !told {
		w.c.Stopped(conformance.Break{
			Law: law, Reason: reason, Expected: "RECEIPT " + w.id + " is told", Seen: seen,
			Timed: strings.HasSuffix(seen, "nothing") || strings.Contains(seen, "in time"),
		})
	}
}

// untold needs the user not to be told of it within the quiet window. Over is true when the session has ended, as it
// may where a RECEIPT came that nobody has asked for.
func (w *waiting) untold(reason string) (over bool) {
	c := w.c
	c.Step()
	if w.waits {
		if !w.o.reports(c.Timing().Quiet) {
			return false
		}
		r, err := w.o.Try()
		c.Check(err != nil || r.Error != "", receiptLaw, reason, "no confirmation", "the library says that its frame is confirmed")
		return true
	}
	for {
		switch e := c.Next(c.Timing().Quiet); {
		case e.Kind == "receipt" && e.ID == w.id:
			c.Stopped(conformance.Break{Law: receiptLaw, Reason: reason, Expected: "no confirmation of " + w.id, Seen: e.String()})
		case e.Kind == "closed" || e.Kind == "lost":
			c.Note("instead of a confirmation", "%s", e)
			return true
		case e.Kind == "none":
			return false
		}
	}
}

// confirms is a case that gives the receipt of a SEND in some way.
func confirms(law string, give func(*wire, *waiting)) caseFunc {
	return runClient(func(c *clientT) {
		p := c.Connect()
		w := c.sendsForReceipt(p, nil)
		give(p, w)
		w.toldUnder(law, "the RECEIPT confirms its frame")
	})
}

// tells needs these receipts and messages to be told, in any order.
func (c *clientT) tells(receipts, bodies []string) {
	c.Step()
	for len(receipts)+len(bodies) > 0 {
		e := c.Next(c.Timing().Reply)
		switch e.Kind {
		case "receipt":
			receipts = slices.DeleteFunc(receipts, func(id string) bool { return id == e.ID })
		case "message":
			bodies = slices.DeleteFunc(bodies, func(body string) bool { return body == e.Body })
		default:
			law := receiptLaw
			if len(receipts) == 0 {
				law = "STOMP-SUBSCRIBE-016"
			}
			c.Stopped(conformance.Break{
				Law: law, Reason: "neither a RECEIPT nor a MESSAGE hides the other", Seen: e.String(), Timed: e.Kind == "none" || e.Hangs,
				Expected: strings.TrimSpace("receipts " + strings.Join(receipts, " ") + " messages " + strings.Join(bodies, " ")),
			})
		}
	}
}
