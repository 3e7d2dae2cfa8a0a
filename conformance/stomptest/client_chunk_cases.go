package stomptest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

func clientChunkCases() []conformance.Case {
	return slices.Concat(clientSplitCases(), clientPackedCases(), clientOtherSplitCases())
}

func clientSplitCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/client/chunk/line-end-first",
			Title:    "a packet may begin with the line end of a header",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				k := c.chunk(fixed(shortFrame))
				lines := strings.Count(k.frame(k.subscription), "\n") - 1 // the last one is the blank line
				for n := 1; n < lines; n++ {
					f := k.frame(k.subscription)
					cut := 0
					for range n + 1 {
						cut += 1 + strings.IndexByte(f[cut:], '\n')
					}
					k.pieces(fmt.Sprintf("cut before the end of header line %d", n), f[:cut-1], f[cut-1:])
				}
			}),
		},
		{
			ID:       "stomp/client/chunk/short-message-in-two",
			Title:    "a MESSAGE in two packets is read the same, wherever it is cut",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Run:      runClient(func(c *clientT) { c.chunk(fixed(shortFrame)).inTwo() }),
		},
		{
			ID:       "stomp/client/chunk/full-message-in-two",
			Title:    "a MESSAGE with escapes, UTF-8 and a counted NUL is read the same, wherever it is cut",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Run:      runClient(func(c *clientT) { c.chunk(fixed(fullFrame)).inTwo() }),
		},
		{
			ID:       "stomp/client/chunk/crlf-message-in-two",
			Title:    "a MESSAGE whose lines end with CR LF is read the same, also cut between CR and LF",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: only12,
			Run:      runClient(func(c *clientT) { c.chunk(fixed(crlfFrame)).inTwo() }),
		},
		{
			ID:       "stomp/client/chunk/crlf-octet-by-octet",
			Title:    "a MESSAGE whose lines end with CR LF and that comes octet by octet is read the same",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: only12,
			Run:      runClient(func(c *clientT) { c.chunk(fixed(crlfFrame)).octetwise() }),
		},
		{
			ID:       "stomp/client/chunk/octet-by-octet",
			Title:    "a MESSAGE that comes octet by octet is read the same",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Run:      runClient(func(c *clientT) { c.chunk(fixed(fullFrame)).octetwise() }),
		},
		{
			ID:       "stomp/client/chunk/nul-alone",
			Title:    "a NUL that comes alone ends its frame, and the next frame may stand in its packet",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				k := c.chunk(fixed(fullFrame))
				for range 2 {
					f, next := k.frame(k.subscription), k.frame(k.subscription)
					k.pieces("NUL alone", f[:len(f)-1], "\x00")
					k.pieces("NUL alone, then a frame", next[:len(next)-1], "\x00"+k.frame(k.subscription))
					k.same("the frame behind a NUL")
				}
			}),
		},
		{
			ID:       "stomp/client/chunk/body-in-many-packets",
			Title:    "a body is put together however its packets cut it, also inside a character",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				for _, parts := range [][]string{{"BO", "DY"}, {"\xe6", "\x97", "\xa5\xe6\x9c", "\xac"}, {"a\r", "\nb"}, {"\n", "\n\n"}} {
					body := strings.Join(parts, "")
					k := c.chunk(func(s *subscription) string { return s.raw("", body) })
					head := strings.TrimSuffix(k.raw("", ""), "\x00")
					k.pieces(fmt.Sprintf("body in %d pieces and a NUL", len(parts)), append(append([]string{head}, parts...), "\x00")...)
				}
			}),
		},
		{
			ID:       "stomp/client/chunk/long-body-in-packets",
			Title:    "a long body is put together from many packets",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				body := strings.Repeat("0123456789abcdef日", 1000)
				k := c.chunk(func(s *subscription) string { return string(s.MessageFrame(body).Encode(s.p.version)) })
				for _, size := range []int{997, 4096, 8191} {
					var pieces []string
					for p := range slices.Chunk([]byte(k.frame(k.subscription)), size) {
						pieces = append(pieces, string(p))
					}
					k.pieces(fmt.Sprintf("in packets of %d octets", size), pieces...)
				}
			}),
		},
	}
}

func clientPackedCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/client/chunk/200-frames-in-one-packet",
			Title:    "every MESSAGE of a packet is delivered, in order",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Run:      runClient(func(c *clientT) { c.packed(200, 1<<20, "") }),
		},
		{
			ID:       "stomp/client/chunk/packets-across-frames",
			Title:    "packets that begin and end inside of frames",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				c.packed(30, 61, "")
				c.packed(30, 200, "\n")
			}),
		},
		{
			ID:       "stomp/client/chunk/beats-in-packets-of-their-own",
			Title:    "EOLs between frames, alone in a packet, before a frame and behind one",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				k := c.chunk(fixed(fullFrame))
				f := func() string { return k.frame(k.subscription) }
				k.pieces("an EOL in a packet of its own", "\n", f())
				k.pieces("EOLs in several packets", "\n", "\n", "\n\n\n", f())
				k.pieces("an EOL at the start of a packet", "\n"+f())
				k.pieces("an EOL at the end of a packet", f()+"\n")
				half := f()
				k.pieces("an EOL and half a frame", "\n"+half[:len(half)/2], half[len(half)/2:]+"\n")
			}),
		},
		{
			ID:       "stomp/client/chunk/crlf-beats-in-packets",
			Title:    "a CR LF between frames, also in two packets",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: only12,
			Run: runClient(func(c *clientT) {
				k := c.chunk(fixed(func(s *subscription) string { return "\r\n" + shortFrame(s) }))
				f := func() string { return k.frame(k.subscription)[2:] }
				k.pieces("CR LF in a packet of its own", "\r\n", f())
				k.pieces("CR and LF in packets of their own", "\r", "\n", f())
				k.pieces("LF of a CR LF at the start of a packet", "\r", "\n"+f())
			}),
		},
		{
			ID:       "stomp/client/chunk/message-and-receipt-in-one-packet",
			Title:    "a MESSAGE and a RECEIPT in one packet",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Receipts}},
			Run: runClient(func(c *clientT) {
				s := c.listening()
				for _, packed := range []bool{false, true} {
					w := c.sendsForReceipt(s.p, nil)
					frames := []*wireFrame{s.MessageFrame("before"), w.receipt(), s.MessageFrame("behind")}
					if packed {
						s.p.SendAll(frames...)
					} else {
						for _, f := range frames {
							s.p.Send(f)
							s.p.pull(time.Now().Add(2 * time.Millisecond))
						}
					}
					var got []string
					if w.waits {
						r, err := w.o.Try()
						if got = append(got, "receipt"); err != nil || r.Error != "" {
							got[0] = r.Error
						}
					}
					for len(got) < len(frames) {
						e := c.Next(c.Timing().Quiet)
						if e.Kind == "none" || e.Kind == "lost" || e.Kind == "closed" {
							break
						}
						got = append(got, e.Kind+e.Body)
					}
					slices.Sort(got)
					seen := strings.Join(got, ", ")
					const want = "messagebefore, messagebehind, receipt"
					if !packed && seen != want {
						c.Blocked("stomp/client/receipt/message-before-it", "in packets of their own: %s", seen)
					}
					c.CheckEqual("STOMP-FRAME-012", sameInPieces, want, seen)
				}
			}),
		},
		{
			ID:       "stomp/client/chunk/message-and-error-in-one-packet",
			Title:    "a MESSAGE is delivered whether or not an ERROR follows in its packet",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				apart := c.listening()
				apart.Deliver("before an ERROR")
				if e := c.Await("message"); e.Kind != "message" {
					c.Blocked("stomp/client/decode/text", "%s", e)
				}
				apart.p.Send(frameOf("ERROR", "message", "over"))
				apart.p.Close()
				together := c.listening()
				// The user is waiting: what a library does with messages that nobody waits for when an ERROR comes is its affair.
				o := c.Order("receive", nil)
				together.p.pull(time.Now().Add(c.Timing().Quiet / 4))
				together.p.SendAll(together.MessageFrame("before an ERROR"), frameOf("ERROR", "message", "over"))
				r, err := o.Try()
				c.Check(err == nil && r.Event == "message" && string(r.Body) == "before an ERROR", "STOMP-FRAME-012",
					"what follows a frame in its packet does not change it", "the message is delivered", fmt.Sprintf("%s %q %s %v", r.Event, r.Body, r.Error, err))
			}),
		},
	}
}

// packed delivers n messages as one stream in packets of size octets, with eol behind each frame.
func (c *clientT) packed(n, size int, eol string) {
	s := c.listening()
	bodies := numbered("packed", n)
	var stream []byte
	for _, b := range bodies {
		stream = append(append(stream, s.MessageFrame(b).Encode(s.p.version)...), eol...)
	}
	for part := range slices.Chunk(stream, size) {
		s.p.Raw(part)
		s.p.pull(time.Now().Add(time.Millisecond))
	}
	for _, b := range bodies {
		if e := c.DeliveredAs("STOMP-FRAME-012", fmt.Sprintf("each of %d messages is delivered once, in order", n), b); e.Body != b {
			return
		}
	}
}

func clientOtherSplitCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/client/chunk/receipt-in-two",
			Title:    "a RECEIPT in two packets is read the same, wherever it is cut",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Receipts}},
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				w := c.sendsForReceipt(p, nil)
				p.Send(w.receipt())
				if told, seen := w.isTold(); !told {
					c.Blocked("stomp/client/receipt/is-told", "%s", seen)
				}
				began := time.Now()
				for cut, more := 1, true; more && time.Since(began) < c.Deadline()/2; cut++ {
					w = w.again(p)
					f := w.receipt().Encode(p.version)
					more = cut+1 < len(f)
					p.inPieces(f[:cut], f[cut:])
					if told, seen := w.isTold(); !told {
						c.Stopped(conformance.Break{
							Law: "STOMP-FRAME-012", Reason: sameInPieces, Expected: fmt.Sprintf("RECEIPT cut behind octet %d of %d is told", cut, len(f)), Seen: seen, Timed: true,
						})
					}
				}
			}),
		},
		{
			ID:       "stomp/client/chunk/connected-in-two",
			Title:    "CONNECTED in two packets is read the same, wherever it is cut",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				c.Connect() // in one piece, as the yardstick
				began := time.Now()
				for cut, more := 1, true; more && time.Since(began) < c.Deadline()/2; cut += 2 {
					p, connect, o := c.Dial(nil)
					f := p.ConnectedFrame(connect).Encode(p.version)
					more = cut+2 < len(f)
					p.inPieces(f[:cut], f[cut:])
					c.succeeds(o, "STOMP-FRAME-012", fmt.Sprintf("%s: CONNECTED cut behind octet %d", sameInPieces, cut))
					p.Close()
				}
			}),
		},
		{
			ID:       "stomp/client/chunk/error-in-pieces",
			Title:    "an ERROR in several packets is read the same",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{ErrorEvents}},
			Run: runClient(func(c *clientT) {
				whole := ""
				for _, size := range []int{1 << 10, 1, 2, 7, 16} {
					s := c.listening()
					f := frameOf("ERROR", "message", "over and out", "content-type", "text/plain").Carrying("it is over").Encode(s.p.version)
					var pieces [][]byte
					for part := range slices.Chunk(f, size) {
						pieces = append(pieces, part)
					}
					s.p.inPieces(pieces...)
					e := c.Await("error")
					s.p.Close()
					switch {
					case whole == "" && e.Kind != "error":
						c.Unsupported("the library shows no ERROR frame: %s", e)
					case whole == "":
						whole = likeness(e)
					default:
						c.CheckEqual("STOMP-FRAME-012", fmt.Sprintf("%s: ERROR in packets of %d octets", sameInPieces, size), whole, likeness(e))
					}
				}
			}),
		},
	}
}

// inPieces sends octets in several packets, with a breath between them in which the client may read.
func (p *wire) inPieces(pieces ...[]byte) {
	for i, piece := range pieces {
		p.Raw(piece)
		if i < len(pieces)-1 {
			p.pull(time.Now().Add(2 * time.Millisecond))
		}
	}
}

// again orders another SEND with a receipt from a library of which it is known whether it waits for one by itself.
func (w *waiting) again(p *wire) *waiting {
	c := w.c
	next := &waiting{c: c, o: c.Order("send", fields{"destination": "/queue/a", "body": octets("x"), "text": true, "receipt": true}), waits: w.waits}
	next.frame = next.o.leadsTo(p, "SEND")
	next.id = next.frame.Get("receipt")
	if !next.waits {
		next.o.Done()
	}
	return next
}
