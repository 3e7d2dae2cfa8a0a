package substratetest

import (
	"encoding/hex"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// subT is what a case of this suite works with: the T of the runner and peers over it.
type subT struct {
	*conformance.T
	began time.Time
}

// run makes a case of what is written against subT.
var run = conformance.With(wordsOf)

func wordsOf(t *conformance.T) *subT { return &subT{t, time.Now()} }

// Option names that a profile can declare unsupported. What it does not spell out is absent.
const (
	Keys     = "keys"      // substrate.key
	Stranger = "stranger"  // substrate.stranger
	None     = "auth-none" // substrate.none, or no key at all
	Queues   = "queues"    // substrate.queue
	Rejects  = "rejects"   // substrate.reject
	Silences = "silences"  // substrate.silent
	Denials  = "denials"   // substrate.denied
	Commands = "commands"  // substrate.commands
)

// profile returns what the profile says of the target.
func (s *subT) profile() Peer { return conformance.SectionOf[Section](s.Profile()).Substrate.normal() }

// A party is a peer that the suite plays, through any number of connections.
type party struct {
	s     *subT
	id    string
	epoch []byte
	key   []byte // nil: with auth none
	path  string // of the target's listener
	link  *link  // the one that became ready last
	dials int
	book  *object // on which logs are asked for
}

// Party returns a peer of its own, not connected.
func (s *subT) Party() *party {
	p := s.profile()
	return &party{s: s, id: fill(p.Peer, s.Unique("p")), epoch: s.Octets(8), key: p.secret(), path: s.path()}
}

// Unproven is a party where the target listens with auth none.
func (s *subT) Unproven() *party {
	p := s.Party()
	if at := s.profile().None; at != "" {
		p.path = at
	}
	p.key = nil
	return p
}

// path returns the path of the target's address.
func (s *subT) path() string {
	if u := s.Target().URL; u != nil {
		return u.RequestURI()
	}
	return "/"
}

// host returns what stands in the header Host.
func (s *subT) host() string {
	if u := s.Target().URL; u != nil {
		return u.Host
	}
	host, port, err := net.SplitHostPort(s.Target().Address)
	if err != nil {
		return "localhost"
	}
	return net.JoinHostPort(host, port)
}

// Octets returns n random octets, none of them all zero.
func (s *subT) Octets(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(s.Rand().UintN(256))
	}
	if n > 0 {
		b[0] |= 1
	}
	return b
}

// Peer connects a party of its own. A target that does not let it blocks the case: handshakes are judged by cases of their own.
func (s *subT) Peer() *party {
	p := s.Party()
	p.Connect()
	return p
}

// Connect makes a connection and takes it to ready.
func (p *party) Connect() *link {
	l := p.Dial()
	l.Greet("", "the connection becomes ready")
	return l
}

// Dial opens a WebSocket and says nothing on it.
func (p *party) Dial() *link {
	l, err := p.TryDial()
	if err != nil {
		p.s.Inconclusive("connection %d cannot be opened: %v", p.dials, err)
	}
	return l
}

// TryDial is Dial for cases that may be refused.
func (p *party) TryDial() (*link, error) {
	name := p.s.name(p)
	conn, err := p.s.TryDial(name)
	if err != nil {
		return nil, err
	}
	sock, err := upgrade(p.s.T, conn, p.s.host(), p.path)
	if err != nil {
		return nil, err
	}
	return &link{s: p.s, p: p, name: name, conn: conn, sock: sock, acks: true}, nil
}

// name returns a short name for the next connection of a party.
func (s *subT) name(p *party) string {
	p.dials++
	words := strings.Split(p.id, "-")
	return words[len(words)-1] + strings.Repeat("'", p.dials-1)
}

// Session is an object that is live: a party of its own is connected, has opened it, and got its accept.
func (s *subT) Session() *object { return s.Peer().Live("session", s.profile().Session) }

// Live opens an object of a fresh name of a pattern, as a prerequisite.
func (p *party) Live(kind, pattern string) *object {
	o := p.Name(kind, pattern)
	o.Opened("", "an object is opened")
	return o
}

// Name returns an object of a fresh name that nobody has opened.
func (p *party) Name(kind, pattern string) *object {
	return &object{p: p, addr: fill(pattern, p.s.Unique("o")), kind: kind}
}

// accepted returns a fresh name that the application accepts.
func (s *subT) accepted() string { return s.profile().Session }

// An object is one that the suite has as a sender: it assigns the seqs.
type object struct {
	p     *party
	addr  string
	kind  string
	seq   uint64   // last assigned
	open  *frame   // the latest
	asked []string // ids of reqs of the target that were returned
}

// Make returns the next op: a fresh id, the next seq, a fresh receipt.
func (o *object) Make(kind string, body []byte) *frame {
	o.seq++
	return o.At(kind, o.seq, body)
}

// At returns an op with a seq of the caller's choice.
func (o *object) At(kind string, seq uint64, body []byte) *frame {
	s := o.p.s
	return frameOf("kind", kind, "obj", o.addr, "objKind", o.kind, "id", s.Unique("i"), "seq", int(seq), "receipt", s.Octets(16)).carrying(body)
}

// Opened opens the object and wants the ack and the accept.
func (o *object) Opened(law, reason string) {
	o.open = o.Make("open", nil)
	o.p.link.Post(o.open)
	o.p.link.Acked(law, reason, o.open)
	o.p.link.Answered(law, reason, o.open, "accept")
}

// Takes posts an op and wants its ack.
func (o *object) Takes(law, reason string, f *frame) *frame {
	o.p.link.Post(f)
	o.p.link.Acked(law, reason, f)
	return f
}

// Send sends a body and wants the ack, as a prerequisite.
func (o *object) Send(body string) *frame {
	return o.Takes("", "a send is acked", o.Make("send", []byte(body)))
}

// Ask asks and wants the answer of a kind; the op counts as taken.
func (o *object) Ask(law, reason string, body []byte, answer string) *frame {
	f := o.Make("req", body)
	o.p.link.Post(f)
	o.p.link.Acked(law, reason, f)
	return o.p.link.Answered(law, reason, f, answer)
}

// Served asks something and returns the req when it is answered: all that was sent on the object before has been handled by then.
func (o *object) Served() *frame {
	f := o.Takes("", "a req is acked", o.Make("req", nil))
	o.p.link.Answered("", "a req is answered", f, "res")
	return f
}

// line returns how an op shows in a log.
func line(f *frame) string {
	text := "-"
	switch {
	case f.body == nil:
	case len(f.body) <= 32:
		text = "x" + hex.EncodeToString(f.body)
	default:
		text = "sha256:" + digest(f.body)
	}
	return f.kind() + " " + f.id() + " " + text
}

// Handed returns what was handed over on the object, as its own answer says: it comes after all that was sent before on it. Only lines
// of the kinds given, of all if there are none.
func (o *object) Handed(kinds ...string) []string {
	res := o.Ask("", "the application says what was handed over", []byte("assay:log "+o.addr), "res")
	return lines(res.body, kinds)
}

// Handed is that of an object, which need not be live, asked for on another one.
func (p *party) Handed(addr string, kinds ...string) []string {
	if p.book == nil {
		p.book = p.Live("session", p.s.accepted())
	}
	res := p.book.Ask("", "the application says what was handed over", []byte("assay:log "+addr), "res")
	return lines(res.body, kinds)
}

// linesOf returns the lines of a log that are of a kind.
func linesOf(log []string, kind string) []string {
	return lines([]byte(strings.Join(log, "\n")), []string{kind})
}

func lines(text []byte, kinds []string) (out []string) {
	for l := range strings.Lines(string(text)) {
		l = strings.TrimSpace(l)
		kind, _, _ := strings.Cut(l, " ")
		for _, k := range kinds {
			if k == kind {
				out = append(out, l)
			}
		}
		if len(kinds) == 0 && l != "" {
			out = append(out, l)
		}
	}
	return out
}

// Answer returns an answer of the suite's to an op of the target.
func (o *object) Answer(kind string, to *frame, body []byte) *frame {
	return o.Make(kind, body).with("id", to.id())
}

// Eventually wants the log of an object to be so; an application that is slow is given time.
func (p *party) Eventually(law, reason, addr string, so func(lines []string) bool) {
	p.s.Step()
	deadline := time.Now().Add(p.s.Timing().Reply)
	for {
		got := p.Handed(addr)
		if so(got) {
			return
		}
		if !time.Now().Before(deadline) {
			p.s.Stopped(conformance.Break{Law: law, Reason: reason, Expected: "another log", Seen: fmt.Sprintf("%q", got), Timed: true})
		}
		p.link.await(func(*frame) bool { return false }, p.s.Timing().Quiet/10)
	}
}

// Restart has the target forget the party but for what is in its store, and connects again.
func (o *object) Restart() {
	told := o.Forgotten()
	o.Takes("", "what told the target to forget is acked again", told)
}

// Forgotten is Restart up to where the party is connected again. It returns what told the target to forget, which has to come again, since
// its handler may not have been done.
func (o *object) Forgotten() *frame {
	l := o.p.link
	told := o.Make("send", []byte("assay:release"))
	l.Post(told)
	for deadline := time.Now().Add(o.p.s.Timing().Close); l.open() && l.pull(deadline); {
	}
	if l.open() {
		l.missed("", "the target ends the connection of a peer that it forgets", "the end of the connection")
	}
	o.p.Connect()
	return told
}

// isRelease reports whether a line of a log is about an order to forget.
func isRelease(l string) bool {
	return strings.HasSuffix(l, hex.EncodeToString([]byte("assay:release")))
}
