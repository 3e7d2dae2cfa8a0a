package stomptest

import (
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

const noWhole = "without its NUL there is no frame: a part of one is shown to nobody"

func clientCutCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/client/cut/connected",
			Title:    "a connection that ends inside CONNECTED is no session",
			Laws:     []string{"STOMP-FRAME-001"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				c.everyCut(1, func(cut int, end func(*wire)) (of int, going bool) {
					p, connect, o := c.Dial(fields{"wait": c.Timing().Reply / 2})
					c.needsOffer(connect)
					f := p.ConnectedFrame(connect).Encode(p.version)
					p.Raw(f[:cut])
					end(p)
					r, err := o.Try()
					if err == nil && r.Error == "" {
						c.Broken(conformance.Break{
							Law: "STOMP-FRAME-001", Reason: noWhole, Expected: fmt.Sprintf("no session of the first %d of %d octets of CONNECTED", cut, len(f)),
							Seen: "the library says that it is connected",
						})
						return 0, true
					}
					return len(f), err == nil
				})
				c.servesStill()
			}),
		},
		{
			ID:       "stomp/client/cut/connected-stalls",
			Title:    "a CONNECTED that never ends is no session",
			Laws:     []string{"STOMP-FRAME-001"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				for i, cut := range []int{1, 2} {
					p, connect, o := c.Dial(fields{"wait": c.Timing().Quiet * 2})
					c.needsOffer(connect)
					f := p.ConnectedFrame(connect).Encode(p.version)
					p.Raw(f[:len(f)-cut])
					r, err := o.Try()
					c.Check(err != nil || r.Error != "", "STOMP-FRAME-001", noWhole, fmt.Sprintf("no session of a CONNECTED that lacks its last %d octets", i+1), "the library says that it is connected")
					if err != nil {
						c.Note("instead of an error", "%v", err)
						return
					}
				}
			}),
		},
		{
			ID:       "stomp/client/cut/message",
			Title:    "a connection that ends inside a MESSAGE without content-length",
			Laws:     []string{"STOMP-FRAME-001"},
			Versions: every,
			Run:      runClient(func(c *clientT) { c.cutMessages(shortFrame) }),
		},
		{
			ID:       "stomp/client/cut/counted-message",
			Title:    "a connection that ends inside a MESSAGE with content-length",
			Laws:     []string{"STOMP-FRAME-001"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				c.cutMessages(func(s *subscription) string { return string(s.MessageFrame("counted\nbody").Encode(s.p.version)) })
			}),
		},
		{
			ID:       "stomp/client/cut/receipt",
			Title:    "a connection that ends inside a RECEIPT confirms nothing",
			Laws:     []string{"STOMP-FRAME-001"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Receipts}},
			Run: runClient(func(c *clientT) {
				c.everyCut(3, func(cut int, end func(*wire)) (of int, going bool) {
					p := c.Connect()
					w := c.sendsForReceipt(p, nil)
					f := w.receipt().Encode(p.version)
					p.Raw(f[:cut])
					end(p)
					where := fmt.Sprintf("no receipt of the first %d of %d octets of RECEIPT", cut, len(f))
					if w.waits {
						r, err := w.o.Try()
						c.Check(err != nil || r.Error != "", "STOMP-FRAME-001", noWhole, where, "the library says that the frame is confirmed")
						return len(f), err == nil
					}
					return len(f), c.showsNo("receipt", where)
				})
				c.servesStill()
			}),
		},
		{
			ID:       "stomp/client/cut/error",
			Title:    "a connection that ends inside an ERROR",
			Laws:     []string{"STOMP-FRAME-001"},
			Versions: every,
			Needs:    shownErrors,
			Run: runClient(func(c *clientT) {
				f := frameOf("ERROR", "message", "over").Carrying("it is over").Encode(c.Version())
				c.everyCut(4, func(cut int, end func(*wire)) (of int, going bool) {
					s := c.listening()
					s.p.Raw(f[:cut])
					end(s.p)
					return len(f), c.showsNo("error", fmt.Sprintf("no ERROR of the first %d of %d octets", cut, len(f)))
				})
				c.servesStill()
			}),
		},
	}
}

// everyCut tries places to cut, stride octets apart and the last octet always, over sessions of one process: an
// orderly end and a reset by turns. A slow client is tried at fewer. try tells how many octets there are, and whether
// the client can go on.
func (c *clientT) everyCut(stride int, try func(cut int, end func(*wire)) (of int, going bool)) {
	began := time.Now()
	for n, cut := 0, 1; ; n++ {
		c.Step()
		end := (*wire).Close
		if n%2 == 1 {
			end = (*wire).Reset
		}
		of, going := try(cut, end)
		if !going {
			c.Note("cuts", "the client did not go on after the cut behind octet %d", cut)
			c.Stop()
		}
		if cut >= of-1 {
			return
		}
		if n == 0 {
			stride = max(stride, int(time.Duration(of)*time.Since(began)/(c.Deadline()/4)))
		}
		cut = min(cut+stride, of-1)
		if time.Since(began) > c.Deadline()/2 {
			c.Note("cuts", "tried up to octet %d in the time there was", cut)
			return
		}
	}
}

// cutMessages cuts a MESSAGE at every other octet, and before the last one.
func (c *clientT) cutMessages(frame func(s *subscription) string) {
	c.everyCut(2, func(cut int, end func(*wire)) (of int, going bool) {
		s := c.listening()
		f := fixed(frame)(s)
		s.p.RawString(f[:cut])
		end(s.p)
		return len(f), c.showsNo("message", fmt.Sprintf("no message of the first %d of %d octets, %s", cut, len(f), quoted(f[max(0, cut-6):cut], 6)))
	})
	c.servesStill()
}

// showsNo takes what the library shows of a session that was cut, up to its end, and needs none of it to be of that
// kind. It tells whether the client can go on.
func (c *clientT) showsNo(kind, expected string) bool {
	for range 8 {
		e := c.Next(c.patience())
		switch {
		case e.Kind == kind && kind == "error":
			// It does no harm to tell a user what came of an ERROR.
			c.tolerated(conformance.Break{Law: "STOMP-FRAME-001", Reason: noWhole, Expected: expected, Seen: e.String()})
			return true
		case e.Kind == kind:
			c.Stopped(conformance.Break{Law: "STOMP-FRAME-001", Reason: noWhole, Expected: expected, Seen: e.String()})
		case e.Kind == "lost":
			c.Note("cuts", "%s", e)
			return false
		case e.Kind == "closed" || e.Kind == "none":
			return true
		}
	}
	return true
}

// patience is how long the end of a session is waited for: not long for a library that has no way to show it.
func (c *clientT) patience() time.Duration {
	if c.has(ClosedEvents) {
		return c.Timing().Quiet
	}
	return c.Timing().Quiet / 10
}

// servesStill opens one more session in the same process.
func (c *clientT) servesStill() {
	p := c.Connect()
	s := c.Subscribe(p, "auto")
	s.Deliver("behind the cuts")
	c.DeliveredAs("STOMP-FRAME-001", "a new connection begins with a new stream: nothing is left of those that were cut", "behind the cuts")
}
