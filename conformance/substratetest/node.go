package substratetest

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// nodeT is what a case of a node works with: the T of the runner, and nodes behind the adapter. The suite plays the other side of each node
// and the application on it, so that it decides about every frame, every moment and every write.
type nodeT struct {
	*conformance.T
	hello adapter.Greeting
}

// onNode makes a case of what is written against nodeT.
var onNode = conformance.With(nodesOf)

// nodesOf starts the adapter and greets it.
func nodesOf(t *conformance.T) *nodeT {
	return &nodeT{T: t, hello: t.Greet("substrate", nodeOptions())}
}

// nodeCase is a case of nodes, with the options that it needs.
func nodeCase(name, title string, laws, options []string, do func(*nodeT)) conformance.Case {
	return conformance.Case{
		ID: "substrate/node/" + name, Title: title, Laws: laws, Run: onNode(do),
		Needs: conformance.Needs{Options: options, Transports: []string{"exec"}},
	}
}

// A nodeSetup sets up a node; a zero value stands for the target's default.
type nodeSetup struct {
	Local     string // id of the node; empty: node
	Remote    string // id of the peer; empty: peer
	Form      string
	Store     string
	With      *node // whose store it shares
	File      *node // whose file it opens too
	Feeds     bool
	Remembers *int64 // ms
	Quota     int64  // of a journal, in octets
	Limits    map[string]int
	Gate      []gateMember
	Observe   []string
}

// New makes a node.
func (t *nodeT) New(o nodeSetup) *node {
	n, thrown := t.TryNew(o)
	if thrown != nil {
		t.Blocked("prerequisite", "a node cannot be made: %s: %s", thrown.Name, thrown.Message)
	}
	return n
}

// TryNew is New for a setup that may be refused.
func (t *nodeT) TryNew(o nodeSetup) (*node, *adapter.TargetError) {
	n := &node{
		t: t, name: t.Unique("n"), local: cmp.Or(o.Local, "node"), remote: cmp.Or(o.Remote, "peer"), epoch: []byte("an epoch"),
		feeding: o.Form == formRelay,
	}
	q := newNodeRequest{
		Node: n.name, Local: n.local, Remote: n.remote, Form: o.Form, Store: o.Store, Feeds: o.Feeds, Remembers: o.Remembers,
		Quota: o.Quota, Limits: o.Limits, Gate: o.Gate, Observe: o.Observe,
	}
	if o.With != nil {
		q.With = o.With.name
	}
	if o.File != nil {
		q.File = o.File.name
	}
	var r didReply
	if thrown := t.Ask("new", q, &r); thrown != nil {
		return nil, thrown
	}
	n.own = r.Epoch
	n.noted(r.Did)
	return n, nil
}

// Durable returns a node that is connected, over a store of the host, which outlives a restart; where there is none, over a file.
func (t *nodeT) Durable() *node { return t.Connected(nodeSetup{Store: t.lasting()}) }

// lasting returns a kind of store that outlives a restart.
func (t *nodeT) lasting() string {
	if _, none := t.hello.Options[HostStore]; none {
		return storeFile
	}
	return storeHost
}

// Connected returns a node that is connected.
func (t *nodeT) Connected(o nodeSetup) *node {
	n := t.New(o)
	n.Connect()
	return n
}

// Now wants exactly these deeds of the node, each as its String begins, commits and asks of the gate left out, and says what it saw.
func (t *nodeT) Now(law, reason string, got deeds, want ...string) bool {
	seen := got.Outward()
	ok := len(seen) == len(want)
	for i := 0; ok && i < len(want); i++ {
		ok = strings.HasPrefix(seen[i].String(), want[i])
	}
	return t.Check(ok, law, reason, listed(want), seen.String())
}

func listed(want []string) string {
	if len(want) == 0 {
		return "nothing"
	}
	return strings.Join(want, "; ")
}

// deeds are what a node did during one request, in order.
type deeds []*deed

// Of returns those of a kind.
func (ds deeds) Of(kind string) (out deeds) {
	for _, d := range ds {
		if d.Kind == kind {
			out = append(out, d)
		}
	}
	return out
}

// Outward leaves out what nobody outside of the process sees: commits, refused ones, and asks of the gate.
func (ds deeds) Outward() (out deeds) {
	for _, d := range ds {
		switch d.Kind {
		case didCommit, didRefused, didAsk:
		default:
			out = append(out, d)
		}
	}
	return out
}

// Frames returns what was transmitted, of the kinds given, all if there are none.
func (ds deeds) Frames(kinds ...string) (out []*frame) {
	for _, d := range ds.Of(didTransmit) {
		for _, kind := range kinds {
			if d.frame.kind() == kind {
				out = append(out, d.frame)
			}
		}
		if len(kinds) == 0 {
			out = append(out, d.frame)
		}
	}
	return out
}

// Events returns the events of a name.
func (ds deeds) Events(name string) (out deeds) {
	for _, d := range ds.Of(didEvent) {
		if d.Name == name {
			out = append(out, d)
		}
	}
	return out
}

// String lists deeds on one line.
func (ds deeds) String() string {
	if len(ds) == 0 {
		return "nothing"
	}
	all := make([]string, len(ds))
	for i, d := range ds {
		all[i] = d.String()
	}
	return strings.Join(all, "; ")
}

// String says what a deed is: its kind, then what tells it from others, then when it was.
func (d *deed) String() string {
	var b strings.Builder
	b.WriteString(d.Kind)
	word := func(name, v string) {
		if v != "" {
			fmt.Fprintf(&b, " %s%s", name, v)
		}
	}
	switch d.Kind {
	case didTransmit:
		b.WriteString(" " + d.frame.String())
	case didEnd:
		fmt.Fprintf(&b, " %d", d.Close)
	case didEvent:
		word("", d.Name)
	}
	if d.From != 0 {
		fmt.Fprintf(&b, " from=%d", d.From)
	}
	if d.To != 0 {
		fmt.Fprintf(&b, " to=%d", d.To)
	}
	if d.Kind != didTransmit {
		word("", d.Verb)
		word("", d.Code)
		word("id=", d.ID)
		word("obj=", d.Obj)
		word("", d.Level)
	}
	if d.Redelivered {
		b.WriteString(" again")
	}
	if d.Unknown {
		b.WriteString(" outcome-unknown")
	}
	if d.Body != nil {
		fmt.Fprintf(&b, " body=%s", conformance.EscapeMax(d.Body, 60))
	}
	fmt.Fprintf(&b, " at %d ms", d.At)
	return b.String()
}
