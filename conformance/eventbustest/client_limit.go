package eventbustest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

func clientLimitCases() []conformance.Case {
	bound, join, comment, names, parts := clientLaw("038"), clientLaw("011"), clientLaw("005"), clientLaw("008"), clientLaw("004")
	var cases []conformance.Case
	for _, size := range []struct {
		name   string
		octets int
	}{{"line-of-4-kib", 4 << 10}, {"line-of-64-kib", 64 << 10}, {"line-of-1-mib", 1 << 20}, {"line-of-8-mib", 8 << 20}} {
		cases = append(cases, clientCase("limit/"+size.name, fmt.Sprintf("a data line of %d octets", size.octets), []string{bound, join}, func(c *client) {
			text := strings.Repeat("0123456789abcdef", size.octets/16-1) + "end of the line."
			c.whole("data: "+text+"\n\n", text)
		}))
	}
	return append(cases,
		clientCase("limit/many-data-lines", "an event of 10000 data lines", []string{bound, join}, func(c *client) {
			c.whole(strings.Repeat("data: x\n", 10_000)+"\n", strings.TrimSuffix(strings.Repeat("x\n", 10_000), "\n"))
		}),
		clientCase("limit/many-events", "20000 events without a pause", []string{parts}, func(c *client) {
			s := c.start()
			var want []sseclient.Event
			var body strings.Builder
			for i := range 20_000 {
				fmt.Fprintf(&body, "data: %d\n\n", i)
				want = append(want, data(fmt.Sprint(i)))
			}
			s.request.pieces(body.String(), 5000)
			s.gave(byData, parts, "no event is lost, however many come at once", want...)
		}),
		clientCase("limit/long-comment", "a comment of 1 MiB", []string{comment}, func(c *client) {
			c.reads(comment, "a comment is ignored, however long", ": "+strings.Repeat("x", 1<<20)+"\ndata: 1\n\n", "1")
		}),
		clientCase("limit/many-comments", "20000 comments", []string{comment}, func(c *client) {
			c.reads(comment, "comments are ignored, however many", strings.Repeat(": x\n", 10_000)+"data: 1\n"+strings.Repeat(":\n\n", 10_000), "1")
		}),
		clientCase("limit/long-unknown-field", "an unknown field of 1 MiB", []string{names}, func(c *client) {
			c.reads(names, "an unknown field is ignored, however long", strings.Repeat("x", 1<<20)+": y\nfoo: "+strings.Repeat("x", 1<<20)+"\ndata: 1\n\n", "1")
		}),
	)
}

// whole sends a large event and sees whether it is delivered whole, refused or delivered otherwise.
func (c *client) whole(body, want string) {
	// A slow client may take a quarter of the case for it.
	c.told += max(0, c.Timing().Case/4-c.patience())
	s := c.start()
	s.request.pieces(body, 64<<10)
	s.c.Step()
	got, complete := s.toBarrier()
	seen := byData.list(got)
	switch {
	case len(got) == 1 && got[0].Data == want && complete:
	case len(got) == 0 || (len(got) == 1 && got[0].Data == want):
		c.Chose(clientLaw("038"), "a client may bound what it takes in", fmt.Sprintf("an event of %d octets: %s; the client is %s", len(want), seen, s.condition()))
	default:
		c.Broken(conformance.Break{Law: clientLaw("011"), Reason: "an event is delivered whole or not at all", Expected: byData.list([]sseclient.Event{data(want)}), Seen: seen})
	}
}
