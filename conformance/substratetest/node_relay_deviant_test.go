package substratetest

import (
	"slices"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// A ghost is what a deviant remembers of an edge, beside what the edge does.
type ghost struct {
	frames map[string]*frame // the last copy of each op, by id
	calls  map[string]*deed  // that are out, by token
	failed map[string]uint64 // seq of what failed last, by object
	stored map[string]bool   // ids
}

func haunting() *ghost {
	return &ghost{frames: map[string]*frame{}, calls: map[string]*deed{}, failed: map[string]uint64{}, stored: map[string]bool{}}
}

// over returns hooks that remember, and then do what h does.
func (g *ghost) over(h nodeHooks) nodeHooks {
	out := h
	out.frame = func(n *refNode, f *frame) *frame {
		if h.frame != nil {
			if f = h.frame(n, f); f == nil {
				return nil
			}
		}
		if f.durable() {
			g.frames[f.id()] = f
		}
		return f
	}
	out.did = func(n *refNode, did deeds) (all deeds) {
		for _, d := range did {
			if d.Kind == didStore {
				g.calls[d.Token] = d
			}
			if h.did == nil {
				all = append(all, d)
			} else {
				all = append(all, h.did(n, deeds{d})...)
			}
		}
		return all
	}
	out.stored = func(n *refNode, q *storedRequest) {
		if h.stored != nil {
			h.stored(n, q)
		}
		if d := g.calls[q.Token]; d != nil && q.Failed {
			g.failed[d.Obj] = d.Seq
		} else if d != nil {
			g.stored[d.ID] = true
		}
		delete(g.calls, q.Token)
	}
	return out
}

// acks notes the ack of an op, as an edge words it.
func (n *refNode) acks(f *frame) {
	if f != nil {
		n.note(&deed{Kind: didTransmit, Octets: ackOf(f).with("level", "stored").octets()})
	}
}

// storesToo notes a store call for an op.
func (n *refNode) storesToo(f *frame) {
	n.note(&deed{Kind: didStore, Token: "0", Peer: "peer", Verb: f.kind(), Obj: f.obj(), ObjKind: f.objKind(), ID: f.id(), Seq: f.seq(), Body: f.body})
}

// rewriting changes the frames that a node sends.
func rewriting(change func(*refNode, *frame) *frame) func() nodeHooks {
	return func() nodeHooks {
		return nodeHooks{did: ofEach(func(n *refNode, d *deed) deeds {
			if d.Kind == didTransmit {
				x := *d
				x.Octets = change(n, decode(d.Octets)).octets()
				d = &x
			}
			return deeds{d}
		})}
	}
}

// haunted makes hooks that share a ghost.
func haunted(make func(*ghost) nodeHooks) func() nodeHooks {
	return func() nodeHooks {
		g := haunting()
		return g.over(make(g))
	}
}

func relayDeviants() []nodeDeviant {
	return slices.Concat(statelessDeviants(), chainDeviants(), failureDeviants(), replayDeviants(), lateDeviants(), formDeviants())
}

// statelessDeviants keep what another replica does not know.
func statelessDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-RELAY-001", name: "an edge that wants an open", hooks: func() nodeHooks {
			opened := map[string]bool{}
			return nodeHooks{
				op: func(_ *refNode, op string) {
					if op == "restart" {
						clear(opened)
					}
				},
				frame: func(_ *refNode, f *frame) *frame {
					if f.kind() == "open" {
						opened[f.obj()] = true
					}
					if f.durable() && !opened[f.obj()] {
						return nil
					}
					return f
				},
			}
		}},
		{law: "SUBSTRATE-RELAY-001", name: "an edge that keeps a row", only: "relay/writes-nothing-itself", hooks: func() nodeHooks {
			return nodeHooks{did: ofEach(func(_ *refNode, d *deed) deeds {
				if d.Kind == didStore {
					return deeds{{Kind: didCommit}, d}
				}
				return deeds{d}
			})}
		}},
		{law: "SUBSTRATE-RELAY-001", name: "a chain that outlives its connection", only: "relay/waiting-ops-*", hooks: func() nodeHooks {
			down := false
			return nodeHooks{op: func(n *refNode, op string) {
				switch {
				case op == "disconnect", op == "connect":
					down = op == "disconnect"
				case op == "stored" && down:
					n.storesToo(frameOf("kind", "send", "obj", "o", "objKind", "session", "id", "i", "seq", uint64(2)))
				}
			}}
		}},
	}
}

// chainDeviants make other calls than one for each object.
func chainDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-RELAY-002", name: "a call for each op at once", hooks: haunted(func(g *ghost) nodeHooks {
			return nodeHooks{frame: func(n *refNode, f *frame) *frame {
				for _, d := range g.calls {
					if d.Obj == f.obj() {
						n.storesToo(f)
					}
				}
				return f
			}}
		})},
		{law: "SUBSTRATE-RELAY-002", name: "one chain for all objects", hooks: haunted(func(g *ghost) nodeHooks {
			return nodeHooks{did: ofEach(func(_ *refNode, d *deed) deeds {
				for _, x := range g.calls {
					if d.Kind == didStore && x.Obj != d.Obj {
						return nil
					}
				}
				return deeds{d}
			})}
		})},
		{law: "SUBSTRATE-RELAY-002", name: "half an op", only: "relay/whole-ops-are-stored", hooks: func() nodeHooks {
			return nodeHooks{did: ofEach(func(_ *refNode, d *deed) deeds {
				x := *d
				if x.Kind == didStore {
					x.Body, x.Cap = []byte("half"), nil
				}
				return deeds{&x}
			})}
		}},
		{law: "SUBSTRATE-RELAY-003", name: "an ack on the call", hooks: func() nodeHooks {
			return nodeHooks{frame: func(n *refNode, f *frame) *frame {
				if f.durable() {
					n.acks(f)
				}
				return f
			}}
		}},
		{law: "SUBSTRATE-RELAY-003", name: "an ack of no level", hooks: rewriting(func(_ *refNode, f *frame) *frame { return f.without("level") })},
		{law: "SUBSTRATE-RELAY-003", name: "no ack", hooks: dropping(func(_ *refNode, d *deed) bool { return d.is("ack") })},
	}
}

// failureDeviants do something else after a failure.
func failureDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-RELAY-004", name: "an ack of what failed", hooks: func() nodeHooks {
			return nodeHooks{stored: func(_ *refNode, q *storedRequest) { q.Failed = false }}
		}},
		{law: "SUBSTRATE-RELAY-003", name: "an ack after some time", hooks: impatient()},
		{law: "SUBSTRATE-RELAY-004", name: "an ack of what timed out", hooks: impatient()},
		{law: "SUBSTRATE-RELAY-004", name: "an edge that goes on", hooks: haunted(func(g *ghost) nodeHooks {
			return nodeHooks{stored: func(n *refNode, q *storedRequest) {
				if d := g.calls[q.Token]; q.Failed && d != nil {
					n.storesToo(g.frames[d.ID])
				}
			}}
		})},
		{law: "SUBSTRATE-RELAY-005", name: "no way back", hooks: haunted(func(g *ghost) nodeHooks {
			return nodeHooks{frame: func(n *refNode, f *frame) *frame {
				if seq := g.failed[f.obj()]; seq != 0 && f.seq() > seq {
					n.storesToo(f)
				}
				return f
			}}
		})},
		{law: "SUBSTRATE-RELAY-005", name: "an object that stalls", hooks: haunted(func(g *ghost) nodeHooks {
			return nodeHooks{frame: func(_ *refNode, f *frame) *frame {
				if len(g.failed) > 0 {
					return nil
				}
				return f
			}}
		})},
	}
}

// impatient acks what is being stored as time passes.
func impatient() func() nodeHooks {
	return haunted(func(g *ghost) nodeHooks {
		return nodeHooks{op: func(n *refNode, op string) {
			for _, d := range g.calls {
				if op == "advance" {
					n.acks(g.frames[d.ID])
				}
			}
		}}
	})
}

// replayDeviants answer for the sink.
func replayDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-RELAY-006", name: "an ack of what was stored, from memory", hooks: haunted(func(g *ghost) nodeHooks {
			return nodeHooks{frame: func(n *refNode, f *frame) *frame {
				if !g.stored[f.id()] {
					return f
				}
				n.acks(f)
				return nil
			}}
		})},
		{law: "SUBSTRATE-RELAY-006", name: "an ack of what was accepted, from memory", hooks: haunted(func(g *ghost) nodeHooks {
			return nodeHooks{frame: func(n *refNode, f *frame) *frame {
				if g.frames[f.id()] == nil {
					return f
				}
				n.acks(f)
				return nil
			}}
		})},
		{law: "SUBSTRATE-RELAY-006", name: "a duplicate taken for a failure", hooks: func() nodeHooks {
			return nodeHooks{stored: func(_ *refNode, q *storedRequest) { q.Failed = q.Failed || q.Duplicate }}
		}},
		{law: "SUBSTRATE-RELAY-007", name: "a sink that is believed", hooks: func() nodeHooks {
			return nodeHooks{config: func(c *engine.Config) {
				if c.Relay != nil {
					c.Relay.Remembers = store.Horizon
				}
			}}
		}},
		{law: "SUBSTRATE-RELAY-007", name: "a sink that is not believed", only: "relay/sink-that-remembers", hooks: func() nodeHooks {
			return nodeHooks{config: func(c *engine.Config) {
				if c.Relay != nil {
					c.Relay.Remembers = 1
				}
			}}
		}},
	}
}

// lateDeviants take results that came too late, and no result in time.
func lateDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-RELAY-008", name: "late results that count", only: "relay/{late-*,result-*,sent-again-*}", hooks: haunted(func(g *ghost) nodeHooks {
			return nodeHooks{stored: func(n *refNode, q *storedRequest) {
				for _, f := range g.frames {
					n.acks(f)
				}
			}}
		})},
		{law: "SUBSTRATE-RELAY-008", name: "a timeout of 20 s", hooks: func() nodeHooks {
			hasty := false
			return nodeHooks{
				op:     func(_ *refNode, op string) { hasty = hasty || op == "advance" },
				stored: func(_ *refNode, q *storedRequest) { q.Failed = q.Failed || hasty },
			}
		}},
		{law: "SUBSTRATE-RELAY-008", name: "a chain of 63", hooks: chained(chainBound - 1)},
		{law: "SUBSTRATE-RELAY-008", name: "a chain of 65", hooks: chained(chainBound + 1)},
	}
}

func chained(limit int) func() nodeHooks {
	return func() nodeHooks { return nodeHooks{config: func(c *engine.Config) { c.Limits.Chain = limit }} }
}

// formDeviants mix the forms up.
func formDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-RELAY-009", name: "a sink before the gate", hooks: func() nodeHooks {
			return nodeHooks{frame: func(n *refNode, f *frame) *frame {
				n.storesToo(f)
				return f
			}}
		}},
		{law: "SUBSTRATE-RELAY-009", name: "stored without a sink", hooks: rewriting(func(_ *refNode, f *frame) *frame {
			if f.kind() != "ack" {
				return f
			}
			return f.with("level", "stored")
		})},
		{law: "SUBSTRATE-FEED-005", name: "feeds without the form", hooks: func() nodeHooks {
			return nodeHooks{config: func(c *engine.Config) { c.Feeds = c.Relay == nil }}
		}},
	}
}
