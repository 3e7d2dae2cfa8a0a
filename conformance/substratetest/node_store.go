package substratetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// nodeStoreCases are about where things are kept, and by whom.
func nodeStoreCases() []conformance.Case {
	return slices.Concat(storeChoiceCases(), storeNothingCases(), storeReleaseCases(), storeScopeCases(), storeKeptCases(), storeFailureCases(), storeOwnerCases())
}

// storageOptions are those of a listener, the one that counts first.
func storageOptions() []string { return []string{"storageFor", "storage", "dbPathFor", "dbPath"} }

// each returns a text with what each of several is.
func each(of []string, text string) []string {
	out := []string{}
	for _, x := range of {
		out = append(out, text+" "+x)
	}
	return out
}

// storeChoiceCases are all sixteen subsets of the options.
func storeChoiceCases() []conformance.Case {
	var out []conformance.Case
	for subset := range 16 {
		var options []string
		for i, option := range storageOptions() {
			if subset>>i&1 == 1 {
				options = append(options, option)
			}
		}
		name := strings.Join(options, "+")
		if name == "" {
			name = "none"
		}
		out = append(out, nodeCase("store/choice-"+strings.ToLower(name), "a listener with the options "+name+" keeps things in the first of them, and closes what it opened",
			laws("SUBSTRATE-STORE-002", "SUBSTRATE-STORE-003"), needs(StoreChoice), func(t *nodeT) {
				peers := []string{"p1", "p2"}
				// Options come in the other order than that in which they count.
				given := slices.Clone(options)
				slices.Reverse(given)
				r := t.Storage(storageRequest{Options: append([]string{}, given...), Peers: peers})
				called, kept, closed := []string{}, []string{}, []string{}
				if len(options) > 0 {
					first := options[0]
					kept = each(peers, first)
					switch first {
					case "storageFor":
						called = each(peers, first)
					case "dbPathFor":
						called, closed = each(peers, first), []string{first, first}
					case "dbPath":
						closed = []string{first}
					}
				}
				const first, own = "SUBSTRATE-STORE-003", "SUBSTRATE-STORE-002"
				t.Equal(first, "the first present is used, for each peer", kept, r.Kept)
				t.Equal(first, "the others are not called", called, r.Called)
				t.Equal(own, "what the substrate opened is closed by it, and nothing else", closed, r.Closed)
				t.Equal(first, "each peer is let in", []string{}, r.Refused)
			}))
	}
	return append(out, nodeCase("store/memory-starts-empty", "without a store a restart starts empty, and an op comes twice",
		laws("SUBSTRATE-STORE-003"), needs(Kept), func(t *nodeT) {
			const law = "SUBSTRATE-STORE-003"
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			f := o.Make("send", "once")
			n.Gets(f)
			n.Send(o.addr, "lost")
			n.Restart()
			k := n.Kept()
			t.Equal(law, "a restart starts empty", 0, len(k.Outbox)+len(k.Inbox)+len(k.Objects))
			n.Connect()
			open := n.Object("session")
			open.addr = o.addr
			n.Accept(n.the(law, "nothing is known of the object", n.Gets(open.Make("open", "")), didDeliver))
			t.Equal(law, "the expected duplicate: an op that was taken before is taken again", 1, delivered(n.Gets(f), f))
		}))
}

// storeNothingCases are about options that have nothing for a peer.
func storeNothingCases() []conformance.Case {
	var out []conformance.Case
	for _, option := range []string{"storageFor", "dbPathFor"} {
		for _, how := range []string{"nothing", "fails"} {
			out = append(out, nodeCase("store/"+strings.ToLower(option)+"-"+how, option+" that has nothing for a peer refuses it ("+how+")",
				laws("SUBSTRATE-STORE-004", "SUBSTRATE-STORE-002"), needs(StoreChoice), func(t *nodeT) {
					const law = "SUBSTRATE-STORE-004"
					peers := []string{"p1", "p2", "p3"}
					q := storageRequest{Options: []string{option, "dbPath"}, Peers: peers, Release: how == "fails"}
					if how == "nothing" {
						q.Nothing = []string{"p2"}
					} else {
						q.Fails = []string{"p2"}
					}
					if option == "storageFor" {
						q.Options = append(q.Options, "storage", "dbPathFor")
					}
					r := t.Storage(q)
					t.Equal(law, "that peer is refused", []string{"p2"}, r.Refused)
					t.Equal(law, "it never falls through to the next option, and others are unaffected", each([]string{"p1", "p3"}, option), r.Kept)
					t.Equal(law, "no other function is asked instead", each(peers, option), r.Called)
					closed := []string{}
					if option == "dbPathFor" {
						closed = []string{option, option}
					}
					t.Equal("SUBSTRATE-STORE-002", "what was opened is closed, and nothing else", closed, r.Closed)
				}))
		}
	}
	return append(out, nodeCase("store/unavailable", "a peer without a store is turned away with 1011 once it is ready, and that is logged at error",
		laws("SUBSTRATE-STORE-004"), needs(Meeting), func(t *nodeT) {
			const law, attempts = "SUBSTRATE-STORE-004", 2
			r := t.Meet(greetRequest{Listener: side("node", "keys"), Dialer: side("peer", "keys"), Times: attempts, Nothing: true})
			t.Equal(law, "before ready the id is only claimed", attempts, r.Ready)
			t.Equal(law, "the close code is 1011", slices.Repeat([]int{1011}, attempts), r.Codes)
			at := 0
			for _, l := range r.Listen {
				if l.Level == "error" && strings.Contains(l.Msg, "store_unavailable") {
					at++
				}
			}
			t.Check(at >= attempts, law, "store_unavailable is logged at error", fmt.Sprint(attempts, " lines"), fmt.Sprint(r.Listen))
		}))
}

// storeReleaseCases are about peers that come again.
func storeReleaseCases() []conformance.Case {
	var out []conformance.Case
	for _, option := range append(storageOptions(), "") {
		name, options := option, []string{option}
		if option == "" {
			name, options = "memory", []string{}
		}
		for _, again := range []string{"released", "restarted"} {
			law := "SUBSTRATE-STORE-006"
			if again == "restarted" {
				law = "SUBSTRATE-STORE-003"
			}
			out = append(out, nodeCase("store/"+again+"-"+strings.ToLower(name), "what a peer has in "+name+" when it comes again, the listener "+again,
				laws(law), needs(StoreChoice), func(t *nodeT) {
					peers := []string{"p1", "p2"}
					r := t.Storage(storageRequest{Options: options, Peers: peers, Release: again == "released", Again: again})
					want := peers
					if again == "restarted" && option == "" {
						want = []string{}
					}
					t.Equal(law, "release changes no row, and a later accept resumes from them; memory does not outlive the listener", want, r.Resumed)
				}))
		}
	}
	return out
}

// storeScopeCases are about peers that share a store.
func storeScopeCases() []conformance.Case {
	var out []conformance.Case
	for _, kind := range []string{storeHost, storeFile} {
		option := map[string]string{storeHost: HostStore, storeFile: FileStore}[kind]
		out = append(out, nodeCase("store/peers-share-"+kind, "two peers with the same names and ids in one store ("+kind+") do as with two stores",
			laws("SUBSTRATE-STORE-005"), needs(option, Kept), func(t *nodeT) {
				alone := []*node{t.Connected(nodeSetup{Store: kind, Remote: "a"}), t.Connected(nodeSetup{Store: kind, Remote: "b"})}
				first := t.Connected(nodeSetup{Store: kind, Remote: "a"})
				shared := []*node{first, t.Connected(nodeSetup{With: first, Remote: "b"})}
				apart, together := t.sideBySide(alone), t.sideBySide(shared)
				for i, peer := range []string{"a", "b"} {
					t.Equal("SUBSTRATE-STORE-005", "peers never see, free, dedupe or count each other's rows: "+peer, apart[i], together[i])
				}
			}))
	}
	return append(out, nodeCase("store/peers-share-a-file", "peers of one listener that name the same file share it",
		laws("SUBSTRATE-STORE-009", "SUBSTRATE-STORE-005"), needs(StoreChoice), func(t *nodeT) {
			peers := []string{"p1", "p2"}
			r := t.Storage(storageRequest{Options: []string{"dbPathFor"}, Peers: peers, Same: true})
			t.Equal("SUBSTRATE-STORE-009", "no peer is refused", []string{}, r.Refused)
			t.Equal("SUBSTRATE-STORE-005", "each finds what is its own", each(peers, "dbPathFor"), r.Kept)
		}))
}

// sideBySide has nodes do the same in turns, with the same names and ids but other bodies, and returns what each did and has kept.
func (t *nodeT) sideBySide(nodes []*node) [][]string {
	const obj, id = "shared", "the-same-id"
	objs := make([]*nodeObj, len(nodes))
	for i, n := range nodes {
		objs[i] = &nodeObj{n: n, addr: obj, kind: "session"}
		n.Gets(objs[i].Make("open", "").with("id", id))
	}
	var heads []*frame
	const law, reason = "SUBSTRATE-STORE-005", "a peer is not told apart by the names and ids of another"
	for i, n := range nodes {
		n.Accept(n.the(law, reason, n.all, didDeliver))
		heads = append(heads, n.sent(law, reason, n.all, "accept"))
		n.Gets(objs[i].Make("send", n.remote).with("id", "second"))
	}
	nodes[0].Ack(heads[0])
	for _, n := range nodes {
		_, refused := n.TryCall("send", obj, callRequest{ID: "out", Body: []byte(n.remote)})
		t.Check(refused == nil, law, reason, "a send", fmt.Sprint(refused))
	}
	nodes[1].Ack(heads[1])
	for i, n := range nodes {
		n.Gets(objs[i].At("send", objs[i].seq, n.remote).with("id", "second"))
		if taken := n.all.Of(didDeliver); t.Check(len(taken) == 2, law, reason, "two deliveries", taken.String()) {
			n.Handled(taken[1])
		}
	}
	nodes[0].Gets(objs[0].Make("close", "").with("id", "end"))
	for _, n := range nodes {
		n.Reconnect()
	}
	out := make([][]string, len(nodes))
	for i, n := range nodes {
		for _, d := range n.all {
			line := strings.Join([]string{d.Kind, d.Verb, d.Obj, d.ID, d.Code, string(d.Body)}, " ")
			if d.frame != nil {
				line = strings.Join([]string{d.frame.kind(), d.frame.id(), fmt.Sprint(d.frame.seq()), d.frame.code(), string(d.frame.body)}, " ")
			}
			out[i] = append(out[i], line)
		}
		out[i] = append(out[i], fmt.Sprint(n.Kept()))
	}
	return out
}
