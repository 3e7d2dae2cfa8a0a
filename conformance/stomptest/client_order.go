package stomptest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/seed-6f28358b/assay/conformance"
)

// Destinations of the control connection.
const (
	ordersPlace  = "/assay/orders"
	reportsPlace = "/assay/reports"
)

// steerPatience is how long the control connection may take to become one.
const steerPatience = 10 * time.Second

// fields are the fields of an order.
type fields map[string]any

// A report is what a testee answered to an order.
type report struct {
	N           int               `json:"n"`
	Unsupported string            `json:"unsupported"`
	Error       string            `json:"error"`
	Hangs       bool              `json:"hangs"`
	Library     string            `json:"library"`
	Release     string            `json:"version"` // of the library for hello, of the protocol for connect
	Language    string            `json:"language"`
	Can         []string          `json:"can"`
	ID          string            `json:"id"`
	Event       string            `json:"event"`
	Message     int               `json:"message"`
	Headers     map[string]string `json:"headers"`
	Body        []byte            `json:"body"`
	Size        int               `json:"size"`
	SHA256      string            `json:"sha256"`
	Reason      string            `json:"reason"`
}

// A lost error says that a testee did not report: it hangs, or it has ended.
type lost struct {
	order string
	ended string // how it ended, empty if it only says nothing
}

func (e *lost) Error() string {
	if e.ended != "" {
		return fmt.Sprintf("no report on %q: the client ended: %s", e.order, e.ended)
	}
	return fmt.Sprintf("no report on %q in time: the client hangs", e.order)
}

// steer starts the testee and takes its control connection in.
func (c *clientT) steer() {
	if c.control != nil {
		return
	}
	c.testee = c.T.Testee()
	conn, err := c.testee.AcceptControl("control")
	if err != nil {
		c.Inconclusive("control connection: %v", err)
	}
	p := c.peer("control", conn)
	p.reader.version = "1.2"
	c.control = p
	f := c.controlled("CONNECT", is("CONNECT"), is("STOMP"))
	version := highest(f.Get("accept-version"))
	if version == "" {
		version = "1.0"
	}
	p.version, p.reader.version = version, version
	p.Send(frameOf("CONNECTED", "version", version, "session", "control", "heart-beat", "0,0"))
	f = c.controlled("SUBSCRIBE to "+ordersPlace, is("SUBSCRIBE", "destination", ordersPlace))
	c.orders = f.Get("id")
	p.confirm(f)
}

func (c *clientT) controlled(what string, matches ...match) *wireFrame {
	o := c.control.Await(func(f *wireFrame) bool {
		for _, m := range matches {
			if m(f) {
				return true
			}
		}
		return false
	}, steerPatience)
	if o.Frame == nil {
		c.Inconclusive("control connection: expected %s, seen %s; %s", what, o, c.testee.Ended())
	}
	return o.Frame
}

// highest returns the highest version of an accept-version header, empty if there is none.
func highest(accept string) string {
	best := ""
	for _, v := range strings.Split(accept, ",") {
		if v = strings.TrimSpace(v); v == "1.0" || v == "1.1" || v == "1.2" {
			best = max(best, v)
		}
	}
	return best
}

// An order is one that was sent and not reported on yet.
type order struct {
	c    *clientT
	n    int
	text string
	wait time.Duration
}

// Order tells the testee to do something. Its report must be taken before the next order. What may block
// in the library is given the reply deadline unless f says otherwise.
func (c *clientT) Order(do string, f fields) *order {
	c.steer()
	c.numbered++
	all := fields{"n": c.numbered, "do": do}
	maps.Copy(all, f)
	wait := c.Timing().Reply
	if w, ok := all["wait"].(time.Duration); ok {
		wait = w
	}
	all["wait"] = wait.Milliseconds()
	body, err := json.Marshal(all)
	if err != nil {
		panic(fmt.Sprintf("order %s: %v", do, err))
	}
	text := ascii(string(body))
	c.Event("orders", conformance.EscapeMax([]byte(text), 300))
	m := frameOf("MESSAGE", "destination", ordersPlace, "message-id", fmt.Sprintf("order-%d", c.numbered))
	if c.orders != "" {
		m.With("subscription", c.orders)
	}
	c.control.Send(m.With("content-type", "application/json").Carrying(text))
	return &order{c, c.numbered, do, wait}
}

// ascii writes JSON in printable ASCII, which an order has to be (spec/testee.md).
func ascii(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < 0x7f {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// Try waits for the report, whatever it says. Meanwhile the subjects' frames are taken in and the receipts
// that they ask for are given, as a broker does. The error is a [*lost].
func (o *order) Try() (report, error) {
	c := o.c
	for deadline := time.Now().Add(o.wait + c.Timing().Reply + time.Second); ; {
		for _, p := range c.subjects {
			for p.pull(time.Now()) {
			}
		}
		if got := c.control.Drain(is("SEND", "destination", reportsPlace)); len(got) > 0 {
			return o.read(got[0])
		}
		if c.control.pull(time.Now().Add(4 * time.Millisecond)) {
			continue
		}
		if e, _ := c.control.conn.Ending(); e != conformance.Open {
			// The process may be a moment behind its connection.
			ended := c.testee.EndedWithin(c.Timing().Quiet)
			if ended == "" {
				ended = "control connection " + e.String()
			}
			c.Event("reports", ended)
			return report{}, &lost{o.text, ended}
		}
		if !time.Now().Before(deadline) || c.Context().Err() != nil {
			c.Event("reports", "nothing")
			return report{}, &lost{order: o.text}
		}
	}
}

func (o *order) read(f *wireFrame) (report, error) {
	c := o.c
	c.Event("reports", conformance.EscapeMax(f.Body, 300))
	c.control.confirm(f)
	var r report
	if err := json.Unmarshal(f.Body, &r); err != nil || r.N != o.n {
		c.Inconclusive("the testee breaks spec/testee.md: report %s on order %d: %v", quoted(string(f.Body), 200), o.n, err)
	}
	if r.Unsupported != "" {
		c.Unsupported("the testee says: %s", r.Unsupported)
	}
	return r, nil
}

// Done waits for the report and needs it to tell of no error; else the case is blocked.
func (o *order) Done() report {
	r, err := o.Try()
	switch {
	case err != nil:
		o.c.Blocked("prerequisite", "%v", err)
	case r.Error != "":
		o.c.Blocked("prerequisite", "%s failed in the library: %s", o.text, r.Error)
	}
	return r
}

// Do gives an order and waits until it is done.
func (c *clientT) Do(do string, f fields) report { return c.Order(do, f).Done() }

// octets are a body in an order.
func octets(body string) string { return base64.StdEncoding.EncodeToString([]byte(body)) }

// longestShown is how many octets of a body a testee reports as they are.
const longestShown = 64 << 10

// shown is how a body appears in an event: as it is, or by its size and digest when it is long.
func shown(body string) string {
	if len(body) <= longestShown {
		return body
	}
	return digest(len(body), fmt.Sprintf("%x", sha256.Sum256([]byte(body))))
}

func digest(size int, sum string) string { return fmt.Sprintf("%d octets with SHA-256 %s", size, sum) }
