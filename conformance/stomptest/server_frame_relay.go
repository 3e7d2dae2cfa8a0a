package stomptest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// A relay is a destination with a witness subscribed to it: what a target makes of the octets of a SEND
// shows in what the witness gets.
type relay struct {
	s       *serverT
	place   string
	witness *wire
	strays  []*wireFrame // messages of trials that hold no token
}

// relay subscribes a witness to a fresh destination.
func (s *serverT) relay() *relay {
	r := &relay{s: s, place: s.Place(), witness: s.Connect("witness")}
	r.witness.Subscribe("w", r.place, "auto")
	return r
}

// raw returns the octets of a frame to the relay's destination: lines are further header lines, each
// with its EOL.
func (r *relay) raw(command, lines, body string) string {
	return command + "\ndestination:" + escape(r.place, r.s.Version()) + "\n" + lines + "\n" + body + "\x00"
}

// gets waits for the MESSAGE with that body, which sender sent. When it does not come law is broken, and
// the report says what the sender was told.
func (r *relay) gets(law, reason string, sender *wire, body string) *wireFrame {
	r.s.Step()
	o := r.witness.Await(carries(body), r.s.Timing().Reply)
	if o.Frame == nil {
		told := sender.Await(is("ERROR"), 0)
		r.s.Stopped(conformance.Break{
			Law: law, Reason: reason, Expected: "MESSAGE with body " + quoted(body, 80),
			Seen: fmt.Sprintf("%s; the sender got %s", o, told), Timed: o.Timed && told.Timed,
		})
	}
	return o.Frame
}

// A variant is one of several ways to write a SEND. Its octets carry a body that holds token.
type variant struct {
	name   string
	octets func(token string) string
}

// lines returns the variant of a SEND with those header lines.
func (r *relay) lines(name, lines string) variant {
	return variant{name, func(token string) string { return r.raw("SEND", lines, token) }}
}

// command returns the variant of a SEND with another command line.
func (r *relay) command(name, command string) variant {
	return variant{name, func(token string) string { return r.raw(command, "", token) }}
}

// A trial is what came of a variant.
type trial struct {
	variant
	// answer is the RECEIPT of a frame sent behind, so that the target went on; or the ERROR or the end of
	// the connection, which refuse; or nothing.
	answer  reply
	message *wireFrame // what the witness got
}

func (t trial) refused() bool { return t.answer.Error != nil || t.answer.Ended != conformance.Open }

// seen says what came of the trial, for a report.
func (t trial) seen() string {
	told := t.answer.String()
	if t.answer.Frame != nil {
		told = "the connection goes on"
	}
	if t.message != nil {
		return "delivered as " + t.message.String() + "; " + told
	}
	return "not delivered; " + told
}

// patience is how many variants may go without any answer before the rest is left out.
const patience = 2

// try sends each variant on a connection of its own, a SEND with receipt behind it to tell whether the
// target goes on, and then looks at what the witness got.
func (r *relay) try(variants ...variant) []trial {
	var out []trial
	unanswered := 0
	for i, v := range variants {
		p := r.s.Connect("sender-" + fmt.Sprint(i+1))
		t := trial{variant: v, answer: p.behind(v.octets(token(i)))}
		p.Close()
		out = append(out, t)
		if t.answer.Timed {
			if unanswered++; unanswered == patience {
				r.s.Note("left out", "%d of %d variants, since %d got no answer at all", len(variants)-i-1, len(variants), patience)
				break
			}
		}
	}
	for missing := len(out); missing > 0; missing-- {
		m := r.witness.Watch(is("MESSAGE"), r.s.Timing().Quiet)
		if m == nil {
			break
		}
		i := 0
		for i < len(out) && !strings.Contains(string(m.Body), token(i)) {
			i++
		}
		if i == len(out) {
			r.strays = append(r.strays, m)
			continue
		}
		out[i].message = m
	}
	for _, t := range out {
		r.s.Note(t.name, "%s", t.seen())
	}
	return out
}

func token(i int) string { return fmt.Sprintf("v%02d.", i) }

// behind sends octets and, in the same packet, a SEND with receipt. It returns the first RECEIPT, which
// tells that the target took the octets and went on, or the refusal.
func (p *wire) behind(octets string) reply {
	id := p.s.Unique("behind")
	p.Raw(append([]byte(octets), frameOf("SEND", "destination", p.s.Topic(), "receipt", id).Encode(p.version)...))
	p.s.Step()
	return p.Await(is("RECEIPT"), p.s.Timing().Reply)
}

// never judges variants that must not be taken for a SEND; judge is Broken, Loose or tolerated.
func never(trials []trial, judge func(conformance.Break), law, reason string) {
	for _, t := range trials {
		if t.message != nil {
			judge(conformance.Break{Law: law, Reason: reason, Expected: t.name + ": no MESSAGE", Seen: t.name + ": " + t.seen()})
		}
	}
}

// neverCase is a case of never on nothing but what variants returns.
func neverCase(id, title string, versions []string, law string, judge func(*serverT, conformance.Break), reason string, variants func(r *relay) []variant) conformance.Case {
	return conformance.Case{ID: id, Title: title, Versions: versions, Laws: []string{law}, Needs: relayed, Run: run(func(s *serverT) {
		r := s.relay()
		never(r.try(variants(r)...), func(b conformance.Break) { judge(s, b) }, law, reason)
	})}
}

// always judges variants that must be relayed, and returns whether a trial was.
func (s *serverT) always(t trial, law, reason string) bool {
	if t.message == nil {
		s.Broken(conformance.Break{
			Law: law, Reason: reason, Expected: t.name + ": MESSAGE", Seen: t.name + ": " + t.seen(), Timed: !t.refused(),
		})
	}
	return t.message != nil
}

// tolerated records that a target took what the grammar excludes although no text says that a receiver
// must refuse it: a looseness of anybody else, and a break on the reference, which takes nothing of the
// sort.
func (s *serverT) tolerated(b conformance.Break) {
	if s.Target().Reference() {
		s.Broken(b)
		return
	}
	s.Loose(b)
}

// optional records that a target went another way than the reference where no text binds it: a choice of anybody
// else, and a break on the reference, which has chosen.
func (s *serverT) optional(b conformance.Break) {
	if s.Target().Reference() {
		s.Broken(b)
		return
	}
	s.Chose(b.Law, b.Reason, b.Seen)
}

// header checks one header of a relayed message, which must be there with that value.
func (s *serverT) header(m *wireFrame, law, reason, name, want string) bool {
	got, ok := m.Lookup(name)
	if !ok {
		return s.Check(false, law, reason, fmt.Sprintf("header %q", name), "no such header in "+m.String())
	}
	return s.CheckEqual(law, reason, want, got)
}
