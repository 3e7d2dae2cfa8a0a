package substratetest

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
	"github.com/seed-6f28358b/assay/impl/substrate"
)

// A between is what stands between the suite and the reference on one connection, and changes what passes.
type between struct {
	peer   *sharing // of all connections
	target *websocket.Conn
	suite  *websocket.Conn
	ctx    context.Context
	shake  greeting // what it has seen of the handshake
}

// sharing is what connections of one deviant share.
type sharing struct {
	mu   sync.Mutex
	seen map[string]int
	last map[string]*frame
}

// times counts how often something was seen before.
func (s *sharing) times(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[what]++
	return s.seen[what] - 1
}

// keep remembers a frame under a name, and returns the one before.
func (s *sharing) keep(name string, f *frame) *frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.last[name]
	if f != nil {
		s.last[name] = f
	}
	return before
}

// toSuite and toTarget send a frame of the deviant's own.
func (b *between) toSuite(f *frame) { _ = b.suite.Write(b.ctx, websocket.MessageBinary, f.octets()) }

func (b *between) toTarget(f *frame) { _ = b.target.Write(b.ctx, websocket.MessageBinary, f.octets()) }

// A deviant is the reference with something around it that breaks a law.
type deviant struct {
	law, name string
	only      string // case; empty: all that cite the law
	down, up  func(b *between, f *frame) *frame
	raw       func(b *between, fromTarget bool, octets []byte) []byte // of any message, before it is read
	code      func(code websocket.StatusCode) websocket.StatusCode    // of a close of the target
	text      bool                                                    // what comes from the target goes on as text
	handler   func(substrate.Handler) substrate.Handler
}

// around puts a deviant in front of the reference.
func (d deviant) around(h http.Handler) http.Handler {
	shared := &sharing{seen: map[string]int{}, last: map[string]*frame{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Between") != "" {
			h.ServeHTTP(w, r)
			return
		}
		suite, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = suite.CloseNow() }()
		// The reference is asked over a socket of its own, at the same address.
		target, _, err := websocket.Dial(r.Context(), "ws://"+r.Host+r.URL.Path, &websocket.DialOptions{HTTPHeader: http.Header{"X-Between": {"1"}}})
		if err != nil {
			return
		}
		defer func() { _ = target.CloseNow() }()
		suite.SetReadLimit(-1)
		target.SetReadLimit(-1)
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		b := &between{peer: shared, target: target, suite: suite, ctx: ctx}
		var ups sync.WaitGroup
		ups.Go(func() {
			defer cancel()
			d.pass(b, suite, target, false)
		})
		d.pass(b, target, suite, true)
		cancel()
		ups.Wait()
	})
}

// pass carries messages one way until the connection ends.
func (d deviant) pass(b *between, from, to *websocket.Conn, fromTarget bool) {
	for {
		op, octets, err := from.Read(b.ctx)
		if err != nil {
			code := websocket.CloseStatus(err)
			if code == -1 {
				return
			}
			if fromTarget && d.code != nil {
				if code = d.code(code); code == 0 {
					<-b.ctx.Done()
					return
				}
			}
			_ = to.Close(code, "")
			return
		}
		if d.raw != nil {
			octets = d.raw(b, fromTarget, octets)
		}
		change := d.up
		if fromTarget {
			change = d.down
		}
		if f := decode(octets); f.env != nil && (change != nil || d.text) {
			if change != nil {
				if f = change(b, f); f == nil {
					continue
				}
				if len(f.raw) == 0 {
					octets = f.octets()
				}
			}
			if fromTarget && d.text {
				op = websocket.MessageText
			}
		}
		if to.Write(b.ctx, op, octets) != nil {
			return
		}
	}
}

// recode has one code of errs and rejects told as another.
func recode(from, to string) func(*between, *frame) *frame {
	return func(_ *between, f *frame) *frame {
		if f.code() == from {
			return f.with("code", to)
		}
		return f
	}
}

// lose drops frames.
func lose(which func(*frame) bool) func(*between, *frame) *frame {
	return func(_ *between, f *frame) *frame {
		if which(f) {
			return nil
		}
		return f
	}
}

// closes has the target close with another code; 0: not at all.
func closes(from, to websocket.StatusCode) func(websocket.StatusCode) websocket.StatusCode {
	return func(code websocket.StatusCode) websocket.StatusCode {
		if code == from {
			return to
		}
		return code
	}
}

// deviantProfile has short deadlines, since most of what a deviant does is not to answer.
func deviantProfile() conformance.Profile {
	p := Profile()
	p.Deadlines = conformance.ProfileDeadlines{
		Reply: conformance.Duration(time.Second), Close: conformance.Duration(time.Second), Quiet: conformance.Duration(150 * time.Millisecond),
	}
	return p
}

// For each law here there is a target that breaks it, and the suite says so.
func TestTargetsThatBreakALawAreFoundOut(t *testing.T) {
	t.Parallel()
	var all []suitetest.Broken
	for _, d := range deviants() {
		if d.handler == nil {
			d.handler = asItIs
		}
		address, stop, err := serveReference(d.around, d.handler)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stop)
		b := suitetest.Broken{Name: d.law + " " + d.name, Law: d.law, Suite: Suite(), Config: conformance.Config{
			Target: suitetest.Target(t, "ws://"+address+"/"), Profile: deviantProfile(), Parallel: 4,
		}}
		if d.only != "" {
			b.Only = []string{"substrate/peer/" + d.only}
		}
		all = append(all, b)
	}
	suitetest.GoesRed(t, 6, all, nil)
}

// What is around the reference in these tests leaves it as it is when nothing is to be changed.
func TestADeviantChangesNothingByItself(t *testing.T) {
	t.Parallel()
	address, stop, err := serveReference(deviant{
		up: func(_ *between, f *frame) *frame { return f }, down: func(_ *between, f *frame) *frame { return f },
	}.around, asItIs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	res, err := conformance.Run(t.Context(), Suite(), conformance.Config{
		Target: suitetest.Target(t, "ws://"+address+"/"), Profile: Profile(),
		Selection: conformance.Selection{Only: []string{"substrate/peer/{ack,answer,finality,obj,verb}/*"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range res.Cases {
		if c.Verdict != conformance.Pass && c.Verdict != conformance.NotRun {
			t.Errorf("%s is %s", c.ID, strings.SplitN(suitetest.Told(c), "\n", 2)[0])
		}
	}
}
