package stomptest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

func clientDeviantConnectCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/client/deviant/frame-in-place-of-connected",
			Title:    "a MESSAGE or RECEIPT in answer to CONNECT is no session",
			Laws:     []string{"STOMP-CONNECT-018", "STOMP-CONNECT-017"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				for _, f := range []*wireFrame{
					frameOf("MESSAGE", "destination", "/queue/a", "message-id", "1", "subscription", "1").Carrying("bad"),
					frameOf("RECEIPT", "receipt-id", "1"),
				} {
					p, connect, o := c.Dial(fields{"wait": 2 * c.Timing().Quiet})
					c.needsOffer(connect)
					p.Send(f)
					r, err := o.Try()
					c.Check(err != nil || r.Error != "", "STOMP-CONNECT-018", "only CONNECTED opens a session", f.Command+": no session", "the library says that it is connected")
					c.Check(p.Ends(c.Timing().Quiet), "STOMP-CONNECT-017", "only CONNECTED and ERROR answer a CONNECT", f.Command+": the client closes the connection", "it is open")
					p.Close()
					if err != nil {
						c.Note("instead of an error", "%v", err)
						return
					}
				}
			}),
		},
		{
			ID:       "stomp/client/deviant/frame-before-connected",
			Title:    "a MESSAGE before CONNECTED",
			Laws:     []string{"STOMP-CONNECT-017"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				p, connect, o := c.Dial(nil)
				c.needsOffer(connect)
				p.SendAll(frameOf("MESSAGE", "destination", "/queue/a", "message-id", "1", "subscription", "1").Carrying("bad"), p.ConnectedFrame(connect))
				c.reports(o, "STOMP-CONNECT-017", "CONNECTED comes before any MESSAGE", "MESSAGE, then CONNECTED")
			}),
		},
		{
			ID:       "stomp/client/deviant/version-not-offered",
			Title:    "CONNECTED with a version that the client did not offer",
			Laws:     []string{"STOMP-NEGOTIATE-008"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				for _, v := range []string{"1.0", "1.1", "1.2", "1.3", "2.0", "1.2 ", "", "one"} {
					p, connect, o := c.Dial(nil)
					c.needsOffer(connect)
					if offers(connect, v) {
						p.Close()
						_, _ = o.Try()
						continue
					}
					p.Send(frameOf("CONNECTED", "version", v))
					going := c.reports(o, "STOMP-NEGOTIATE-008", "CONNECTED names a version that the client offered", fmt.Sprintf("version:%q to accept-version:%q", v, connect.Get("accept-version")))
					p.Close()
					if !going {
						return
					}
				}
			}),
		},
		{
			ID:       "stomp/client/deviant/no-version",
			Title:    "CONNECTED without a version to a client that did not offer 1.0",
			Laws:     []string{"STOMP-NEGOTIATE-008"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				p, connect, o := c.Dial(nil)
				c.needsOffer(connect)
				if offers(connect, "1.0") {
					c.Unsupported("the client offers 1.0 too: accept-version %q", connect.Get("accept-version"))
				}
				p.Send(frameOf("CONNECTED", "session", "session-1"))
				c.reports(o, "STOMP-NEGOTIATE-008", "a CONNECTED without version opens a 1.0 session", fmt.Sprintf("no version to accept-version:%q", connect.Get("accept-version")))
			}),
		},
		{
			ID:       "stomp/client/deviant/heart-beat-malformed",
			Title:    "CONNECTED with a heart-beat that is not two numbers",
			Laws:     []string{"STOMP-HEARTBEAT-009"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				for _, v := range []string{"", ",", "1", "1,2,3", "a,b", "1.5,2", "-1,-1", "1000, 1000", "99999999999999999999,0"} {
					p, connect, o := c.Dial(nil)
					c.needsOffer(connect)
					p.Send(p.ConnectedFrame(connect, "heart-beat", v))
					going := c.reports(o, "STOMP-HEARTBEAT-009", "a heart-beat is two numbers and a comma", fmt.Sprintf("heart-beat:%q", v))
					p.Close()
					if !going {
						return
					}
				}
			}),
		},
	}
}

// reports takes the report of a connect order whose CONNECTED no conforming broker sends. The reference refuses it;
// what others do is recorded. It tells whether the client can go on.
func (c *clientT) reports(o *order, law, reason, what string) bool {
	c.Step()
	r, err := o.Try()
	switch {
	case err != nil:
		c.Note(what, "%v", err)
		return false
	case r.Error != "":
		c.Note(what, "refused: %s", r.Error)
	default:
		c.Broken(conformance.Break{Law: law, Reason: reason, Expected: what + ": no session", Seen: what + ": the library says that it is connected, in version " + fmt.Sprintf("%q", r.Release)})
	}
	return true
}
