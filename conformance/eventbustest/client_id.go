package eventbustest

import (
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

func clientIDCases() []conformance.Case {
	stays, nul, reset, commit, bare, text := clientLaw("017"), clientLaw("018"), clientLaw("019"), clientLaw("020"), clientLaw("021"), clientLaw("022")
	return []conformance.Case{
		clientCase("id/stays", "an id stays until it is set again", []string{stays}, func(c *client) {
			c.compares(byID, stays, "an event without an id carries the last one", "data: 1\n\nid: 1\ndata: 2\n\ndata: 3\n\ndata: 4\nid: 2\n\ndata: 5\n\n",
				marked("", "1"), marked("1", "2"), marked("1", "3"), marked("2", "4"), marked("2", "5"))
		}),
		clientCase("id/last-of-a-block", "of several ids of a block the last counts", []string{stays}, func(c *client) {
			c.compares(byID, stays, "a later id field replaces an earlier one", "id: 1\ndata: 1\nid: 2\nid:3\n\n", marked("3", "1"))
		}),
		clientCase("id/over-blocks-without-data", "an id of a block without data is that of the next event", []string{bare}, func(c *client) {
			s := c.start()
			s.request.send("id: 1\ndata: 1\n\nid: 2\n\ndata: 2\n\n")
			got, complete := s.toBarrier()
			// That the block without data yields no event is another law.
			got = slices.DeleteFunc(got, func(e sseclient.Event) bool { return e.Data == "" })
			s.differs(byID, bare, "an id without data moves the last event id", got, complete, []sseclient.Event{marked("1", "1"), marked("2", "2")})
		}),
		clientCase("id/nul", "an id with a NUL is ignored", []string{nul}, func(c *client) {
			c.compares(byID, nul, "an id that contains U+0000 changes nothing", "id: 1\ndata: 1\n\nid: 2\x003\ndata: 2\n\nid: \x00\ndata: 3\n\n",
				marked("1", "1"), marked("1", "2"), marked("1", "3"))
		}),
		clientCase("id/nul-on-reconnect", "an id with a NUL is not reported", []string{nul}, func(c *client) {
			c.reports(nul, "an id that contains U+0000 changes nothing", "id: 1\ndata: 1\n\nid: 2\x003\ndata: 2\n\n", "1")
		}, again),
		clientCase("id/empty", "an empty id resets the id", []string{reset}, func(c *client) {
			c.compares(byID, reset, "an empty id is the empty string", "id: 1\ndata: 1\n\nid:\ndata: 2\n\ndata: 3\n\n", marked("1", "1"), marked("", "2"), marked("", "3"))
		}),
		clientCase("id/without-colon", "the line id alone resets the id", []string{reset}, func(c *client) {
			c.compares(byID, reset, "a line without a colon is a field with an empty value", "id: 1\ndata: 1\n\nid\ndata: 2\n\n", marked("1", "1"), marked("", "2"))
		}),
		clientCase("id/empty-on-reconnect", "after an empty id none is reported", []string{reset}, func(c *client) {
			c.reports(reset, "an empty last event id is not reported", "id: 1\ndata: 1\n\nid:\ndata: 2\n\n", "")
		}, again),
		clientCase("id/empty-without-data", "an empty id of a block without data resets the id", []string{reset}, func(c *client) {
			c.reports(reset, "an empty last event id is not reported", "id: 1\ndata: 1\n\nid\n\n", "")
		}, again),
		clientCase("id/cut-block", "an id of a cut block is not reported", []string{commit}, func(c *client) {
			c.reports(commit, "an id takes effect at the blank line", "id: 1\ndata: 1\n\nid: 2\ndata: x\n", "1")
		}, again),
		clientCase("id/cut-line", "an id of a cut line is not reported", []string{commit}, func(c *client) {
			c.reports(commit, "a line that was cut off is not processed", "id: 17\ndata: 1\n\nid: 1", "17")
		}, again),
		clientCase("id/cut-without-data", "an id without data and without a blank line is not reported", []string{commit}, func(c *client) {
			c.reports(commit, "an id takes effect at the blank line", "id: 1\ndata: 1\n\nid: 2\n", "1")
		}, again),
		clientCase("id/without-data", "an id without data is reported", []string{bare}, func(c *client) {
			c.reports(bare, "an id without data moves the last event id", "id: 1\ndata: 1\n\nid: 7\n\n", "7")
		}, again),
		clientCase("id/smaller", "a smaller id is the newer one", []string{text}, func(c *client) {
			c.reports(text, "an id is text: the last one counts, not the largest", "id: 9\ndata: 1\n\nid: 5\ndata: 2\n\n", "5")
		}, again),
		clientCase("id/kept-as-it-is", "an id comes back as it was", []string{text}, func(c *client) {
			for _, id := range []string{"007", "-1", "9007199254740993", "a b", "x:y;z=\"1\", 2", "0"} {
				c.reports(text, "an id is text", "id: "+id+"\ndata: 1\n\n", id)
			}
		}, again),
		clientCase("id/outside-ascii", "an id outside ASCII comes back as UTF-8", []string{text}, func(c *client) {
			for _, id := range []string{"naïve", "☃"} {
				c.reports(text, "the last event id is encoded as UTF-8", "id: "+id+"\ndata: 1\n\n", id)
			}
		}, again),
		clientCase("id/long", "an id of 1000 octets comes back whole", []string{text}, func(c *client) {
			id := ""
			for len(id) < 1000 {
				id += "0123456789"
			}
			c.reports(text, "an id is text of any length", "id: "+id+"\ndata: 1\n\n", id)
		}, again),
	}
}

// reports sends a body, ends the stream and requires the id of the next request; empty: none.
func (c *client) reports(law, reason, body, want string) {
	s := c.start()
	s.request.send(soon + body)
	s.over()
	r := s.asksAgain(law, reason)
	s.lastEventID(r, law, reason, want)
	r.answer("204 No Content", "", "")
	s.shut()
}
