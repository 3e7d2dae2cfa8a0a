package eventbustest

import (
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// retried is the option of a client that waits as long as a retry tells, which the probe finds out.
const retried = "retry"

func clientRetryCases() []conformance.Case {
	sets := clientLaw("023")
	waits := func(name, title, reason, body string, delay time.Duration) conformance.Case {
		return clientCase("retry/"+name, title, []string{sets}, func(c *client) { c.waits(sets, reason, body, delay) }, again, retried)
	}
	const told = 2500 * time.Millisecond
	return append(clientNoRetryCases(),
		clientCase("retry/waits", "a client waits about as long as it was told", []string{sets}, func(c *client) {
			c.waits(sets, "a client waits the reconnection time before it asks again", "retry: 4000\ndata: 1\n\n", 4*time.Second)
		}, again),
		clientCase("retry/not-sooner", "a client never comes sooner than it was told", []string{sets}, func(c *client) {
			c.told = 600 * time.Millisecond
			s := c.start()
			for range 8 {
				s.request.send("retry: 600\ndata: 1\n\n")
				s.until(func() bool { return s.total > s.settled })
				end := s.over()
				r := s.again()
				s.notBefore(r, end, 600*time.Millisecond, sets, "a client may wait longer than the reconnection time, not shorter")
				s.starts(r)
			}
		}, again, retried),
		waits("without-space", "the space behind the colon may be missing", "a client waits the reconnection time before it asks again", "retry:2500\ndata: 1\n\n", told),
		waits("leading-zeros", "digits are read in base ten", "00002500 is 2500", "retry: 00002500\ndata: 1\n\n", told),
		waits("in-a-cut-block", "a retry needs no blank line", "a retry takes effect with its line", soon+"data: 1\n\nretry: 2500\n", told),
		waits("no-data", "a retry needs no data", "a retry takes effect in a block without data", soon+"data: 1\n\nretry: 2500\n\n", told),
		waits("newest", "the newest retry counts", "a later retry replaces an earlier one", "retry: 20\nretry: 2500\ndata: 1\n\n", told),
		clientCase("retry/shorter", "a shorter retry replaces a longer one", []string{sets}, func(c *client) {
			s := c.start()
			s.request.send("retry: 600000\ndata: 1\n\n" + soon + "data: 2\n\n")
			s.delivered(byData, sets, "a retry changes nothing about its event", texts("1", "2")...)
			s.over()
			s.asksAgain(sets, "a later retry replaces an earlier one")
		}, again),
		clientCase("retry/over-connections", "a reconnection time stays over connections", []string{sets}, func(c *client) {
			c.told = told
			s := c.start()
			s.request.send(soon + "data: 1\n\nretry: 2500\ndata: 2\n\n")
			s.until(func() bool { return s.total > 1 })
			s.over()
			s.starts(s.again())
			s.request.send("data: 3\n\n")
			s.until(func() bool { return s.total > s.settled })
			end := s.over()
			s.notBefore(s.again(), end, roughly(told), sets, "a reconnection time holds until it is set again")
		}, again, retried),
		clientCase("retry/beyond-all-numbers", "a retry of many digits is no short one", []string{sets}, func(c *client) {
			for _, digits := range []string{"9223372036854775808", "18446744073709551617", "99999999999999999999999999"} {
				s := c.start()
				s.request.send("retry: 1500\ndata: 1\n\nretry: " + digits + "\ndata: 2\n\n")
				s.until(func() bool { return s.total > 1 })
				end := s.over()
				// Whether it is taken for what it is or for too large, the client cannot be back long before the time set first.
				if r := c.next(s.path, time.Second); r != nil {
					s.notBefore(r, end, roughly(1500*time.Millisecond), sets, "retry: "+digits+" sets no short time")
					r.conn.Close()
				}
				s.shut()
			}
		}, again, retried),
	)
}

func clientNoRetryCases() (cases []conformance.Case) {
	ignored := clientLaw("024")
	for _, bad := range []struct {
		name, title string
		values      []string
	}{
		{"letters", "a retry with letters is ignored", []string{"1x", "x1", "1ms", "0x1", "1e0"}},
		{"signs", "a retry with a sign is ignored", []string{"-1", "+1", "-0"}},
		{"points", "a retry with a point is ignored", []string{"1.5", "1.", ".5", "1,5"}},
		{"spaces", "a retry with spaces is ignored", []string{" 1", "1 ", "1 1", "\t1"}},
		{"other-digits", "a retry with digits outside ASCII is ignored", []string{"١", "５", "²"}},
	} {
		cases = append(cases, clientCase("retry/"+bad.name, bad.title, []string{ignored}, func(c *client) {
			body := "retry: 2000\ndata: 1\n\n"
			for _, v := range bad.values {
				body += "retry: " + v + "\n"
			}
			c.waits(ignored, "a retry of anything but ASCII digits leaves the reconnection time as it was", body+"data: 2\n\n", 2*time.Second)
		}, again, retried))
	}
	return cases
}

// waits sends a body, ends the stream and requires that the client is not back long before a delay. That it is back at all is
// another case's matter.
func (c *client) waits(law, reason, body string, delay time.Duration) {
	c.told = delay
	s := c.start()
	s.request.send(body)
	s.until(func() bool { return s.total > 0 })
	s.pause()
	end := s.over()
	s.notBefore(s.again(), end, roughly(delay), law, reason)
	s.shut()
}

// roughly is the part of a delay that a client waits also when it scatters its delays by half, which is a case of its own.
func roughly(delay time.Duration) time.Duration { return delay * 9 / 20 }
