package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// redirects are the statuses that lead elsewhere.
var redirects = []string{"301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"}

func clientRedirectCases() []conformance.Case {
	follows := clientLaw("033")
	var cases []conformance.Case
	for _, status := range redirects {
		cases = append(cases, clientCase("status/"+status[:3], "a first request is redirected by "+status[:3], []string{follows}, func(c *client) {
			s := c.open()
			s.first()
			s.redirect(status)
			s.elsewhere(follows, "a redirect by "+status[:3]+" is followed").stream()
			s.request.send("data: 1\n\n")
			s.gave(byData, follows, "the stream at the other address is read", data("1"))
		}))
	}
	return append(cases,
		clientCase("status/307-on-reconnect", "a reconnecting request is redirected", []string{follows}, func(c *client) {
			s := c.start()
			s.request.send(soon + "id: 4\ndata: 1\n\n")
			s.over()
			s.again()
			s.redirect("307 Temporary Redirect")
			r := s.elsewhere(follows, "a redirect of a reconnecting request is followed")
			s.lastEventID(r, follows, "the last event id goes with a redirected request", "4")
			s.starts(r)
			s.gave(byData, follows, "the stream at the other address is read", data("1"))
		}, again),
		clientCase("status/address-after-a-redirect", "which address a client goes back to", []string{follows}, func(c *client) {
			for _, status := range []string{redirects[0], redirects[3]} {
				s := c.open()
				s.first()
				first := s.path
				s.redirect(status)
				s.elsewhere(follows, "a redirect is followed").stream()
				s.request.send(soon + "data: 1\n\n")
				s.over()
				r := c.nextOf(c.patience(), first, s.path)
				switch {
				case r == nil:
					c.Blocked("eventbus/client/reconnect/after-the-end", "no further request came")
				case r.target == first:
					c.Chose(follows, "the standard leaves open to which address a client goes back", "after "+status[:3]+" to the first")
				default:
					c.Chose(follows, "the standard leaves open to which address a client goes back", "after "+status[:3]+" to the one that it was led to")
				}
				r.conn.Close()
				s.shut()
			}
		}, again),
	)
}

// redirect answers the newest request with another address, which the source listens at from then on.
func (s *source) redirect(status string) {
	s.c.opened++
	s.path = fmt.Sprintf("/elsewhere/%d", s.c.opened)
	s.request.answer(status, "Location: http://"+s.c.listener.Address()+s.path+"\r\n", "")
}

// elsewhere takes the request to which a redirect leads.
func (s *source) elsewhere(law, reason string) *clientRequest {
	if !s.came() {
		s.collect(0, 0)
		s.c.Stopped(conformance.Break{
			Law: law, Reason: reason, Expected: "a request for " + s.path, Seen: "none; the client is " + s.condition(), Timed: true,
		})
	}
	return s.request
}
