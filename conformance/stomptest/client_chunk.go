package stomptest

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// sameInPieces is why a frame that comes in pieces is judged by what the library made of it in one piece:
// how the frame is read at all is judged elsewhere (STOMP-FRAME-012).
const sameInPieces = "where a stream is cut into packets makes no difference"

// A chunking tries one frame in pieces, again and again over one session.
type chunking struct {
	*subscription
	frame func(s *subscription) string // the octets of the next such MESSAGE, always as many
	whole string                       // what the library made of it in one piece
	slow  bool                         // an order takes so long that there is no time for one between two packets
	began time.Time
}

// longOrder is how long an order may take for the client to be asked between packets what it shows.
const longOrder = 20 * time.Millisecond

// chunk opens a session and delivers the frame in one piece, as the yardstick.
func (c *clientT) chunk(frame func(s *subscription) string) *chunking {
	k := &chunking{subscription: c.listening(), frame: frame, began: time.Now()}
	k.p.RawString(frame(k.subscription))
	e := c.Await("message")
	if e.Kind != "message" {
		c.Blocked("stomp/client/decode", "the frame in one piece is not delivered: %s", e)
	}
	k.whole = likeness(e)
	asked := time.Now()
	k.breathe("before")
	k.slow = time.Since(asked) > longOrder
	return k
}

// likeness describes a message or an ERROR without what differs from one to the next.
func likeness(e event) string {
	lines := []string{e.Kind, quoted(e.Body, 200)}
	for name, value := range e.Headers {
		if name != "message-id" {
			lines = append(lines, quoted(name, 80)+":"+quoted(value, 80))
		}
	}
	sort.Strings(lines[2:])
	return strings.Join(lines, " ")
}

// breathe lets the client read what was sent before more is. It shows nothing meanwhile, because nothing is whole.
func (k *chunking) breathe(where string) {
	c := k.c
	if k.slow {
		k.p.pull(time.Now().Add(2 * time.Millisecond))
		return
	}
	switch e := c.Next(time.Millisecond); {
	case e.Kind == "none":
	case e.Kind == "lost":
		c.Stopped(conformance.Break{Law: "STOMP-FRAME-012", Reason: sameInPieces, Expected: where + ": the client waits for the rest", Seen: e.String(), Timed: e.Hangs})
	default:
		c.Stopped(conformance.Break{Law: "STOMP-FRAME-012", Reason: sameInPieces, Expected: where + ": nothing before the frame is whole", Seen: e.String()})
	}
}

// pieces sends the frame in pieces and checks that the library makes the same of it.
func (k *chunking) pieces(where string, pieces ...string) {
	k.subscription.c.Step()
	for i, piece := range pieces {
		k.p.RawString(piece)
		if i < len(pieces)-1 {
			k.breathe(where)
		}
	}
	k.same(where)
}

// same takes the next message, which has to be as the one in one piece.
func (k *chunking) same(where string) {
	c := k.c
	e := c.Await("message")
	if e.Kind != "message" {
		c.Stopped(conformance.Break{Law: "STOMP-FRAME-012", Reason: sameInPieces, Expected: where + ": " + k.whole, Seen: e.String(), Timed: e.Kind == "none" || e.Hangs})
	}
	if got := likeness(e); got != k.whole {
		c.Stopped(conformance.Break{Law: "STOMP-FRAME-012", Reason: sameInPieces, Expected: where + ": " + k.whole, Seen: got})
	}
}

// inTwo sends the frame once for every octet behind which it can be cut.
func (k *chunking) inTwo() {
	for cut := 1; ; cut++ {
		f := k.frame(k.subscription)
		if cut >= len(f) {
			return
		}
		if k.late(cut, len(f)) {
			return
		}
		k.pieces(fmt.Sprintf("cut behind octet %d of %d, %s", cut, len(f), quoted(f[max(0, cut-4):cut], 4)), f[:cut], f[cut:])
	}
}

// late notes that a slow client cannot be tried at every octet before the case has to end.
func (k *chunking) late(cut, of int) bool {
	if time.Since(k.began) < k.c.Deadline()*3/4 {
		return false
	}
	k.c.Note("slow client", "tried at %d of %d octets", cut-1, of)
	return true
}

// octetwise sends the frame octet by octet.
func (k *chunking) octetwise() {
	f := k.frame(k.subscription)
	for i := range len(f) - 1 {
		k.p.RawString(f[i : i+1])
		if !k.late(i, len(f)) {
			k.breathe(fmt.Sprintf("octet by octet, up to octet %d of %d", i+1, len(f)))
		}
	}
	k.p.RawString(f[len(f)-1:])
	k.same("octet by octet")
}

// shortFrame is a MESSAGE with the least that it must have.
func shortFrame(s *subscription) string { return s.raw("", "body") }

// fullFrame is a MESSAGE with what a packet may cut: escapes, characters of several octets in a header and in
// the body, CR LF, a counted NUL, as far as the version has them. It is as short as can be, since every octet
// of it is a place to cut.
func fullFrame(s *subscription) string {
	const body = "b\x00\r\n\\c日"
	switch s.p.version {
	case "1.0":
		return s.raw("x:a\\b:\n", "b\r\n\\c日")
	case "1.1":
		return s.raw("x:\\\\\\n日\\c\ncontent-length:9\n", body)
	default:
		return s.raw("x:\\\\\\r日\\c\ncontent-length:9\n", body)
	}
}

// crlfFrame is a MESSAGE of 1.2 whose lines end with CR LF.
func crlfFrame(s *subscription) string {
	head := strings.TrimSuffix(s.raw("x:\\c\n", ""), "\x00")
	return strings.ReplaceAll(head, "\n", "\r\n") + "b\r\nb\x00"
}

// fixed makes the message-ids of a frame equally long.
func fixed(frame func(s *subscription) string) func(s *subscription) string {
	return func(s *subscription) string {
		if s.c.messages < 1000 {
			s.c.messages = 1000
		}
		return frame(s)
	}
}
