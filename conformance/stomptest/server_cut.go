package stomptest

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/seed-6f28358b/assay/conformance"
)

// A cutting is a short dialogue of a client whose connection ends at one octet of it. It is held once
// for every octet.
type cutting struct {
	s     *serverT
	place string // where its SENDs go
	// frames returns what the client sends. The number tells the attempts apart.
	frames func(c *cutting, number string) []string
	// handshake says that frames begin with CONNECT, which is then cut too.
	handshake bool
	// visible is the index of the frame that makes the SEND visible, negative for a SEND that never is.
	visible int
	// early is the law that a message breaks which shows before that frame is whole, and why.
	early, reason string
}

// attempt is one number's connection: where it was cut, and whether the SEND may be visible.
type attempt struct {
	where   string
	visible bool
}

// farthest bounds the octets of a dialogue, so that no mistake of ours makes it endless.
const farthest = 1000

// bodyOf is the body of a SEND in a dialogue; numberOf finds the number in it.
func bodyOf(number string) string { return "cut " + number + "\x00end" }

var numberOf = regexp.MustCompile(`^cut ([0-9]{4})\x00end$`)

// everywhere holds the dialogue once for every octet at which it can be cut, by an orderly close at odd
// ones and a reset at even ones, and judges what a witness got meanwhile.
func (c *cutting) everywhere() {
	s := c.s
	c.place = s.Place()
	if s.has(Topics) {
		// No ghost of a subscription can take what others get.
		c.place = s.Topic()
	}
	witness := s.Connect("witness")
	witness.Subscribe("w", c.place, "auto")
	connect := string(s.ConnectFrame(s.Version()).Encode(s.Version()))
	var attempts []attempt
	for done := false; !done && len(attempts) < farthest; {
		frames := c.frames(c, fmt.Sprintf("%04d", len(attempts)))
		octets, end := "", 0
		for i, f := range frames {
			octets += f
			if i == c.visible {
				end = len(octets)
			}
		}
		at := min(len(attempts), len(octets))
		// The whole dialogue is held twice, to be ended in both ways.
		done = len(attempts) > len(octets)
		attempts = append(attempts, attempt{where(frames, at), c.visible >= 0 && at >= end})
		p := s.stillDials("cut", "a connection that was cut")
		if c.handshake {
			p.RawString(octets[:at])
		} else {
			p.RawString(connect + octets[:at])
			p.Expect(served, "the server goes on serving after a connection that was cut", "CONNECTED", is("CONNECTED"))
		}
		p.leave(len(attempts))
	}
	s.serves("connections that were cut at each octet")
	sender := s.stillConnects("behind", "connections that were cut")
	sender.Deliver(c.place, "behind the cuts")
	witness.Expect(served, "a subscription that was open before goes on after other connections were cut", "MESSAGE", carries("behind the cuts"))
	c.judge(attempts, witness)
}

// leave ends the connection, in an orderly way for odd n.
func (p *wire) leave(n int) {
	if n%2 == 0 {
		p.Reset()
	} else {
		p.Close()
	}
}

// where names the place behind the octet at, counted from the start of the first frame.
func where(frames []string, at int) string {
	for i, f := range frames {
		if at <= len(f) {
			return fmt.Sprintf("cut in frame %d behind octet %d of %d", i+1, at, len(f))
		}
		at -= len(f)
	}
	return "cut behind the last frame"
}

// judge looks at every message that came of the attempts.
func (c *cutting) judge(attempts []attempt, witness *wire) {
	s := c.s
	times := make([]int, len(attempts))
	for f := range untilQuiet(witness) {
		if f.Command != "MESSAGE" {
			continue
		}
		s.Step()
		found := numberOf.FindSubmatch(f.Body)
		if found == nil {
			s.Broken(conformance.Break{
				Law: "STOMP-FRAME-001", Reason: "a frame that was cut short is not whole and not processed", Expected: "no MESSAGE", Seen: f.String(),
			})
			continue
		}
		n, _ := strconv.Atoi(string(found[1]))
		if n >= len(attempts) {
			continue
		}
		if times[n]++; times[n] > 1 {
			s.Broken(conformance.Break{
				Law: "STOMP-SEND-004", Reason: "a SEND is one message to a subscriber", Expected: attempts[n].where + ": one MESSAGE", Seen: fmt.Sprintf("%d times %s", times[n], f),
			})
		}
		if !attempts[n].visible {
			s.Broken(conformance.Break{Law: c.early, Reason: c.reason, Expected: attempts[n].where + ": no MESSAGE", Seen: attempts[n].where + ": " + f.String()})
		}
	}
	whole, came := 0, 0
	for n, a := range attempts {
		if a.visible {
			whole++
			came += min(times[n], 1)
		}
	}
	s.Note("cuts", "%d, of which %d left the SEND whole; %d of those were delivered", len(attempts), whole, came)
}

// send returns a SEND of the dialogue with that number.
func (c *cutting) send(number string, kv ...string) string {
	f := frameOf("SEND", "destination", c.place)
	for i := 0; i < len(kv); i += 2 {
		f.With(kv[i], kv[i+1])
	}
	return string(f.Carrying(bodyOf(number)).Encode(c.s.Version()))
}

func (c *cutting) frame(command string, kv ...string) string {
	return string(frameOf(command, kv...).Encode(c.s.Version()))
}
