package substratetest

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func wireCases() []conformance.Case {
	return slices.Concat(wireBodyCases(), wireFieldCases(), wireKindCases(), wireFormCases())
}

const opaque = "a body is carried as it is, and none is not the same as one of no octets"

// showBody tells a body from none.
func showBody(b []byte) string {
	if b == nil {
		return "none"
	}
	return fmt.Sprintf("%d octets, %s", len(b), brief(b))
}

func wireBodyCases() []conformance.Case {
	var out []conformance.Case
	for name, body := range map[string][]byte{
		"absent": nil, "empty": {}, "zero": {0}, "broken-utf8": {0xff, 0xfe, 0xc0, 0x80}, "like-cbor": {0xa1, 0x63, 'e', 'n', 'v', 0xa0},
		"like-base64": []byte("aGVsbG8="), "like-a-flag": []byte(`{"final":true}`), "large": bytes.Repeat([]byte{0, 0xff, 'x'}, 100_000),
	} {
		out = append(out, one("wire/body-"+name, "a body comes back as it went: "+name, laws("SUBSTRATE-WIRE-004", "SUBSTRATE-E2E-003"), nil, func(s *subT) {
			o := s.Session()
			res := o.Ask("SUBSTRATE-WIRE-004", opaque, body, "res")
			s.Equal("SUBSTRATE-WIRE-004", opaque, showBody(body), showBody(res.body))
			s.Equal("SUBSTRATE-E2E-003", "with the suites none bodies are unchanged", showBody(body), showBody(res.body))
			s.Check(len(res.raw) <= len(body)+512, "SUBSTRATE-WIRE-004", "a frame adds at most 512 octets to its body",
				fmt.Sprint("at most ", len(body)+512), fmt.Sprint(len(res.raw)))
		}))
	}
	slices.SortFunc(out, func(a, b conformance.Case) int { return strings.Compare(a.ID, b.ID) })
	return append(out, one("wire/bodies-handed-over", "bodies reach the application as they were sent",
		laws("SUBSTRATE-WIRE-004"), needs(Commands), func(s *subT) {
			o := s.Session()
			var want []string
			for _, body := range [][]byte{nil, {}, {0}, {0xff, 0x00}, []byte("text"), s.Octets(32)} {
				want = append(want, line(o.Takes("", "a send is acked", o.Make("send", body))))
			}
			s.Equal("SUBSTRATE-WIRE-004", opaque, want, o.Handed("send"))
		}))
}

// A spoiling is a field of an op that breaks the rules of the envelope.
type spoiling struct {
	field  string
	values []any
}

// A v that is not the version ends the connection, and is not among them.
var spoilings = []spoiling{
	{"obj", []any{1, []byte("x"), []any{}, true}},
	{"objKind", []any{1, []byte("session"), true}},
	{"id", []any{"", strings.Repeat("i", 65), "a b", "a/b", "ä", 7, []byte("id")}},
	{"seq", []any{0, verbatim{0x1b, 0, 0x20, 0, 0, 0, 0, 0, 0}, verbatim{0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, "1", []byte{1}, true}},
	{"prev", []any{1 << 40, "0", []byte{}, false}},
	{"receipt", []any{[]byte{}, bytes.Repeat([]byte{7}, 65), "receipt", 1}},
	{"code", []any{"", "Bad", "a-b", strings.Repeat("c", 65), 1}},
	{"msg", []any{strings.Repeat("m", 257), 1, []byte("m")}},
	{"level", []any{1, []byte("stored")}},
	{"label", []any{"1", []byte{1}}},
}

const fieldRule = "a field of another type or range is a fault of the frame"

func wireFieldCases() []conformance.Case {
	var out []conformance.Case
	for _, sp := range spoilings {
		out = append(out, one("wire/field-"+strings.ToLower(sp.field), "sends whose field "+sp.field+" has another type or range are bad_frame",
			laws("SUBSTRATE-WIRE-002", "SUBSTRATE-WIRE-003"), nil, func(s *subT) {
				o := s.Session()
				l := o.p.link
				for _, v := range sp.values {
					f := o.At("send", o.seq+1, []byte("x")).with(sp.field, v)
					if text, ok := v.(string); ok && sp.field == "code" && text == "" {
						f = o.At("reject", o.seq+1, nil).with("code", text)
					}
					l.Post(f)
					if sp.field == "id" {
						l.Never("SUBSTRATE-WIRE-003", "a frame whose id is none is dropped", func(f *frame) bool { return f.kind() == "ack" || f.kind() == "err" })
						continue
					}
					l.Bounced("SUBSTRATE-WIRE-002", fieldRule, f, "bad_frame")
				}
				o.Takes("SUBSTRATE-WIRE-003", "a frame that is refused moves nothing: the next op has the seq", o.Make("send", []byte("y")))
			}))
	}
	return append(out,
		one("wire/bounds-accepted", "ids, receipts and bodies at their bounds are taken", laws("SUBSTRATE-WIRE-002"), nil, func(s *subT) {
			o := s.Session()
			const reason = "a field at its bound is within it"
			for n, change := range map[string]func(*frame) *frame{
				"receipt of 1":  func(f *frame) *frame { return f.with("receipt", []byte{0}) },
				"receipt of 64": func(f *frame) *frame { return f.with("receipt", s.Octets(64)) },
				"id of 64":      func(f *frame) *frame { return f.with("id", (f.id() + strings.Repeat("_Z9-", 16))[:64]) },
				"msg of 256":    func(f *frame) *frame { return f.with("msg", strings.Repeat("m", 256)) },
				"prev":          func(f *frame) *frame { return f.with("prev", int(o.seq-1)) },
			} {
				o.Takes("SUBSTRATE-WIRE-002", reason+": "+n, change(o.Make("send", nil)))
			}
		}),
		one("wire/cap", "a cap of 0 to 4096 octets goes with an open, a larger one and one with another kind do not",
			laws("SUBSTRATE-WIRE-002", "SUBSTRATE-WIRE-003"), nil, func(s *subT) {
				p := s.Peer()
				for _, n := range []int{0, 1, 4096} {
					o := p.Name("session", s.accepted())
					f := o.Make("open", nil).with("cap", s.Octets(n))
					o.Takes("SUBSTRATE-WIRE-002", "an open may have a cap of 0 to 4096 octets", f)
					p.link.Answered("SUBSTRATE-WIRE-002", "an open may have a cap of 0 to 4096 octets", f, "accept")
				}
				o := p.Name("session", s.accepted())
				f := o.At("open", 1, nil).with("cap", s.Octets(4097))
				p.link.Post(f)
				p.link.Bounced("SUBSTRATE-WIRE-002", fieldRule, f, "bad_frame")
				o.Opened("", "an object is opened")
				f = o.At("send", o.seq+1, nil).with("cap", []byte{1})
				p.link.Post(f)
				p.link.Bounced("SUBSTRATE-WIRE-003", "cap is on open and establish only", f, "bad_frame")
			}),
	)
}

// wireKindCases hold each kind to the fields that it must have.
func wireKindCases() []conformance.Case {
	const rule = "a frame that lacks a field which its kind requires is bad_frame"
	var out []conformance.Case
	for _, kind := range []string{"open", "close", "send", "req", "accept", "reject", "res", "end"} {
		out = append(out, one("wire/lacking-"+kind, kind+" without one of its fields is bad_frame", laws("SUBSTRATE-WIRE-003"), nil, func(s *subT) {
			o := s.Session()
			l := o.p.link
			for _, field := range []string{"v", "obj", "objKind", "seq", "receipt", "code", "id"} {
				f := o.At(kind, o.seq+1, nil)
				if kind == "reject" {
					f = f.with("code", "refused")
				} else if field == "code" {
					continue
				}
				l.Post(f.without(field))
				switch field {
				case "id":
					l.Never("SUBSTRATE-WIRE-003", "a frame without an id is dropped", func(f *frame) bool { return f.kind() == "err" || f.kind() == "ack" })
				case "obj", "objKind":
					// Whether what is not there is a fault of the address is left open.
					got := l.Expect("SUBSTRATE-WIRE-003", rule, "one terminal err", about(f.id()))
					s.Check(got.bounce() && slices.Contains([]string{"bad_frame", "bad_address", "unsupported"}, got.code()), "SUBSTRATE-WIRE-003", rule,
						"err bad_frame", got.String())
				default:
					l.Bounced("SUBSTRATE-WIRE-003", rule, f, "bad_frame")
				}
			}
			o.Takes("SUBSTRATE-WIRE-003", "a frame that is refused moves nothing", o.Make("send", nil))
		}))
	}
	return append(out,
		one("wire/dropped-kinds", "ack, err and resync with faults are dropped", laws("SUBSTRATE-WIRE-003"), nil, func(s *subT) {
			o := s.Session()
			l := o.p.link
			base := frameOf("obj", o.addr, "objKind", o.kind, "id", s.Unique("i"))
			for _, f := range []*frame{
				base.with("kind", "ack"), base.with("kind", "ack").with("receipt", []byte{1}).with("seq", 1), base.with("kind", "ack").with("receipt", 5),
				base.with("kind", "err"), base.with("kind", "err").with("code", "X!"), base.with("kind", "err").with("code", "closed").with("seq", 9),
				base.with("kind", "err").with("code", "closed").with("receipt", []byte{1}),
				base.with("kind", "resync"), base.with("kind", "resync").with("fromSeq", 1).with("base", 1), base.with("kind", "resync").with("fromSeq", 0),
			} {
				l.Post(f)
			}
			l.Never("SUBSTRATE-WIRE-003", "a faulty ack, err or resync is dropped", func(f *frame) bool { return f.kind() == "err" || f.kind() == "ack" })
			o.Takes("SUBSTRATE-WIRE-003", "what is dropped changes nothing", o.Make("send", nil))
		}),
		one("wire/order-of-checks", "the kind is looked at before the address, and the address before the fields", laws("SUBSTRATE-WIRE-003"), nil, func(s *subT) {
			o := s.Session()
			l := o.p.link
			const order = "faults are looked for in the order kind, address, fields"
			for code, f := range map[string]*frame{
				"bad_verb":              o.At("propose", 0, nil).with("obj", "A@b").without("receipt"),
				"routing_not_supported": o.At("send", 0, nil).with("obj", "A@b").without("receipt"),
				"bad_address":           o.At("send", 0, nil).with("obj", "A").without("receipt"),
				"bad_frame":             o.At("send", 0, nil),
			} {
				l.Post(f)
				l.Bounced("SUBSTRATE-WIRE-003", order, f, code)
			}
		}),
	)
}

func wireFormCases() []conformance.Case {
	ends := func(name, title string, send func(s *subT, o *object)) conformance.Case {
		return one("wire/"+name, title+" ends the connection with 4004, and nothing of it stays",
			laws("SUBSTRATE-WIRE-006"), nil, func(s *subT) {
				o := s.Session()
				o.Send("before")
				send(s, o)
				o.p.link.Ends("SUBSTRATE-WIRE-006", "a message of the wrong form ends the connection", 4004)
				o.p.Connect()
				o.Takes("SUBSTRATE-WIRE-006", "state is untouched, and the next connection goes on", o.Make("send", []byte("after")))
			})
	}
	return []conformance.Case{
		ends("text-message", "a text message", func(_ *subT, o *object) {
			o.p.link.sock.write(wrap(opText, true, o.At("send", o.seq+1, nil).octets()))
		}),
		ends("version-2", "a frame of version 2", func(_ *subT, o *object) { o.p.link.Post(o.At("send", o.seq+1, nil).with("v", 2)) }),
		ends("version-0", "a frame of version 0", func(_ *subT, o *object) { o.p.link.Post(o.At("send", o.seq+1, nil).with("v", 0)) }),
		ends("empty-message", "an empty message", func(_ *subT, o *object) { o.p.link.Binary(nil) }),
		ends("no-map", "a number", func(_ *subT, o *object) { o.p.link.Binary(encode(7)) }),
		ends("no-envelope", "a map without env", func(_ *subT, o *object) { o.p.link.Binary(encode(map[string]any{"body": []byte{1}})) }),
		ends("envelope-is-text", "an env that is no map", func(_ *subT, o *object) { o.p.link.Binary(encode(map[string]any{"env": "send"})) }),
		ends("body-is-text", "a body that is text", func(_ *subT, o *object) {
			f := o.At("send", o.seq+1, nil)
			f.more = fields{"body": "text"}
			o.p.link.Post(f)
		}),
		one("wire/fragments", "a frame in fragments of one octet is one frame", laws("SUBSTRATE-WIRE-001"), nil, func(s *subT) {
			o := s.Session()
			f := o.Make("send", []byte("in pieces"))
			octets := f.octets()
			var all []byte
			for i := range octets {
				op := byte(opContinue)
				if i == 0 {
					op = opBinary
				}
				all = append(all, wrap(op, i == len(octets)-1, octets[i:i+1])...)
			}
			o.p.link.sock.write(all)
			o.p.link.Acked("SUBSTRATE-WIRE-001", "a binary message is one frame, however it is carried", f)
		}),
		one("wire/frames-are-well-formed", "what the target sends in a long dialogue is deterministic CBOR with the fields of its kind",
			laws("SUBSTRATE-WIRE-001", "SUBSTRATE-WIRE-002", "SUBSTRATE-WIRE-003", "SUBSTRATE-CODEC-001", "SUBSTRATE-CODEC-002"), nil, func(s *subT) {
				o := s.Session()
				l := o.p.link
				for _, n := range []int{0, 1, 23, 24, 255, 256, 65535, 65536} {
					o.Ask("SUBSTRATE-CODEC-001", "a req is answered whatever the size of its body", bytes.Repeat([]byte{'b'}, n), "res")
				}
				q := o.p.Live("queue", s.accepted())
				q.Send("x")
				for _, f := range []*frame{
					o.At("send", o.seq, nil), o.At("chunk", o.seq+1, nil), o.At("send", o.seq+1, nil).with("obj", "A"),
					o.At("send", o.seq+500, nil), q.At("req", q.seq+1, nil), o.At("open", o.seq+1, nil),
					o.At("send", 1, nil).with("obj", "nobody-has-it"), frameOf("kind", "resync", "obj", o.addr, "objKind", o.kind, "fromSeq", 1),
				} {
					l.Post(f)
				}
				l.Fence()
				for _, f := range l.all {
					for _, x := range f.faults {
						s.Check(false, x.law, "what the target sends is well-formed", "a well-formed frame", x.text+" in "+f.String())
					}
				}
			}),
		one("wire/unknown-keys", "keys that nobody knows have no effect on an op", laws("SUBSTRATE-WIRE-005"), nil, func(s *subT) {
			o := s.Session()
			const reason = "unknown keys are ignored, whatever they are called"
			for _, key := range []string{"final", "terminal", "retryable", "class", "peer", "zzz"} {
				for _, v := range []any{true, false, 1, "yes", []byte{1}} {
					o.Takes("SUBSTRATE-WIRE-005", reason, o.Make("send", nil).with(key, v))
				}
			}
			f := o.Make("req", []byte("q"))
			for i := range 8 {
				f = f.with(fmt.Sprint("unknown", i), true)
			}
			o.Takes("SUBSTRATE-WIRE-005", "eight unknown keys are ignored", f)
			o.p.link.Answered("SUBSTRATE-WIRE-005", reason, f, "res")
		}),
		one("wire/unknown-keys-of-what-is-refused", "keys that nobody knows do not change why an op is refused", laws("SUBSTRATE-WIRE-005"), nil, func(s *subT) {
			o := s.Session()
			for _, key := range []string{"final", "terminal", "retryable"} {
				f := o.At("send", 1, nil).with("obj", s.Unique("nobody")).with(key, false)
				o.p.link.Post(f)
				o.p.link.Bounced("SUBSTRATE-WIRE-005", "unknown keys are ignored", f, "no_such_object")
			}
		}),
		one("wire/too-many-unknown-keys", "nine unknown keys are not ignored", laws("SUBSTRATE-WIRE-005"), nil, func(s *subT) {
			o := s.Session()
			f := o.At("send", o.seq+1, nil)
			for i := range 9 {
				f = f.with(fmt.Sprint("unknown", i), true)
			}
			o.p.link.Post(f)
			o.p.link.Never("SUBSTRATE-WIRE-005", "a decoder ignores at most eight unknown keys", isAck(f.id()))
		}),
		one("wire/minted-ids", "ids that the target mints are ULIDs and differ", laws("SUBSTRATE-WIRE-007"), needs(Commands), func(s *subT) {
			o := s.Session()
			o.Ask("", "the target is told to send", []byte("assay:send "+o.addr+" 20"), "res")
			seen := map[string]bool{}
			for range 20 {
				f := o.p.link.Expect("", "the target sends", "a send", func(f *frame) bool { return f.kind() == "send" })
				s.Check(!seen[f.id()], "SUBSTRATE-WIRE-007", "an id is minted once", "a fresh id", f.id())
				s.Check(ulid.MatchString(f.id()), "SUBSTRATE-WIRE-007", "ids are ULIDs", "26 characters of Crockford's base 32", f.id())
				seen[f.id()] = true
			}
		}),
	}
}

var ulid = regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Z]{25}$`)
