package substratetest

import "slices"

func feedDeviants() []nodeDeviant {
	return slices.Concat(feedingDeviants(), edgeResumeDeviants(), orderDeviants(), lossDeviants(), followDeviants())
}

// feedingDeviants send something else of a stream.
func feedingDeviants() []nodeDeviant {
	fed := func(f *frame) bool { return f.has("prev") && !f.has("receipt") }
	return []nodeDeviant{
		{law: "SUBSTRATE-FEED-001", name: "no prev but 0", hooks: rewriting(func(_ *refNode, f *frame) *frame {
			if fed(f) {
				return f.with("prev", uint64(0))
			}
			return f
		})},
		{law: "SUBSTRATE-FEED-001", name: "seqs of its own", hooks: func() nodeHooks {
			seqs := map[string]uint64{}
			return rewriting(func(_ *refNode, f *frame) *frame {
				if !fed(f) {
					return f
				}
				seqs[f.obj()]++
				return f.with("seq", seqs[f.obj()]).with("prev", seqs[f.obj()]-1)
			})()
		}},
		{law: "SUBSTRATE-FEED-005", name: "a receipt on each frame", hooks: rewriting(func(_ *refNode, f *frame) *frame {
			if fed(f) {
				return f.with("receipt", []byte("r"))
			}
			return f
		})},
		{law: "SUBSTRATE-FEED-005", name: "frames that are kept", hooks: func() nodeHooks {
			var last *deed
			return nodeHooks{
				did: ofEach(func(_ *refNode, d *deed) deeds {
					if d.Kind == didTransmit && fed(decode(d.Octets)) {
						last = d
					}
					return deeds{d}
				}),
				op: func(n *refNode, op string) {
					if op == "connect" && last != nil {
						n.note(last)
					}
				},
			}
		}},
		{law: "SUBSTRATE-FEED-008", name: "the newest frame is shed", hooks: dropping(func(_ *refNode, d *deed) bool {
			return d.is("send") && (decode(d.Octets).seq() >= 299 || decode(d.Octets).seq() == 3)
		})},
		{law: "SUBSTRATE-FEED-008", name: "frames of one object are shed", hooks: func() nodeHooks {
			first := ""
			return dropping(func(_ *refNode, d *deed) bool {
				if first == "" && d.is("send") {
					first = decode(d.Octets).obj()
				}
				return d.is("send") && decode(d.Octets).obj() != first
			})()
		}, only: "feed/sheds-nothing-in-silence"},
	}
}

// edgeResumeDeviants resume otherwise than they are asked to.
func edgeResumeDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-FEED-003", name: "an edge that resumes behind", hooks: func() nodeHooks {
			return nodeHooks{did: ofEach(func(_ *refNode, d *deed) deeds {
				x := *d
				if x.Kind == didResume {
					x.From++
				}
				return deeds{&x}
			})}
		}},
		{law: "SUBSTRATE-FEED-003", name: "an edge that resumes nothing", hooks: dropping(func(_ *refNode, d *deed) bool { return d.Kind == didResume })},
		{law: "SUBSTRATE-FEED-006", name: "a base that is not said", hooks: dropping(func(_ *refNode, d *deed) bool {
			return d.is("resync") && decode(d.Octets).has("base")
		})},
		{law: "SUBSTRATE-FEED-007", name: "a resume without a gate", hooks: func() nodeHooks {
			return nodeHooks{frame: func(n *refNode, f *frame) *frame {
				if f.has("fromSeq") && n.q.Form == formRelay {
					n.note(&deed{Kind: didResume, Obj: f.obj(), ObjKind: f.objKind(), From: f.number("fromSeq")})
				}
				return f
			}}
		}},
		{law: "SUBSTRATE-FEED-007", name: "a resync that is not looked at", hooks: func() nodeHooks {
			return nodeHooks{frame: func(_ *refNode, f *frame) *frame {
				if f.has("fromSeq") {
					return nil
				}
				return f
			}}
		}},
	}
}

// streams is where the streams stand that come to a deviant.
type streams map[string]uint64

// sees reports whether a frame is of a stream, and where that stands.
func (s streams) sees(n *refNode, f *frame) (last uint64, fed bool) {
	return max(s[f.obj()], n.eng.Followed(f.obj())), n.q.Feeds && f.has("prev") && !f.has("receipt")
}

// orderDeviants take frames for others than they are.
func orderDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-FEED-002", name: "a jump taken for a loss", hooks: func() nodeHooks {
			s := streams{}
			return nodeHooks{frame: func(n *refNode, f *frame) *frame {
				last, fed := s.sees(n, f)
				if fed && f.seq() > last+1 {
					return nil
				}
				if fed {
					s[f.obj()] = f.seq()
				}
				return f
			}}
		}},
		{law: "SUBSTRATE-FEED-002", name: "a duplicate taken for a frame", hooks: func() nodeHooks {
			s := streams{}
			return nodeHooks{frame: func(n *refNode, f *frame) *frame {
				last, fed := s.sees(n, f)
				if fed && f.seq() <= last {
					n.note(&deed{Kind: didDeliver, Obj: f.obj(), Seq: f.seq(), Feed: true})
				}
				if fed {
					s[f.obj()] = max(last, f.seq())
				}
				return f
			}}
		}, only: "feed/{duplicates-*,starts-*}"},
		{law: "SUBSTRATE-FEED-005", name: "an ack of a frame of a feed", hooks: func() nodeHooks {
			return nodeHooks{frame: func(n *refNode, f *frame) *frame {
				if n.q.Feeds && !f.has("receipt") && f.has("seq") {
					n.acks(f.with("receipt", []byte("r")))
				}
				return f
			}}
		}},
		{law: "SUBSTRATE-FEED-005", name: "frames told apart by id", only: "feed/same-id-*", hooks: func() nodeHooks {
			seen := map[string]bool{}
			return nodeHooks{frame: func(_ *refNode, f *frame) *frame {
				if seen[f.id()] {
					return nil
				}
				seen[f.id()] = f.has("seq")
				return f
			}}
		}},
	}
}

// lossDeviants ask for something else.
func lossDeviants() []nodeDeviant {
	gap := func(_ *refNode, d *deed) bool { return d.Kind == didEvent && d.Name == "bridge/feed-gap" }
	based := func(n *refNode, f *frame) bool { return f.has("base") && n.q.Feeds }
	return []nodeDeviant{
		{law: "SUBSTRATE-FEED-004", name: "asks behind what is missing", hooks: rewriting(func(_ *refNode, f *frame) *frame {
			if f.has("fromSeq") {
				return f.with("fromSeq", f.number("fromSeq")+1)
			}
			return f
		})},
		{law: "SUBSTRATE-FEED-004", name: "asks once for all", hooks: func() nodeHooks {
			asked := map[string]bool{}
			return dropping(func(_ *refNode, d *deed) bool {
				if !d.is("resync") {
					return false
				}
				was := asked[string(d.Octets)]
				asked[string(d.Octets)] = true
				return was
			})()
		}},
		{law: "SUBSTRATE-FEED-004", name: "asks at each frame", hooks: func() nodeHooks {
			return nodeHooks{frame: func(n *refNode, f *frame) *frame {
				if n.q.Feeds && f.number("prev") > n.eng.Followed(f.obj()) {
					n.note(&deed{Kind: didTransmit, Octets: frameOf("kind", "resync", "obj", f.obj(), "objKind", f.objKind(), "fromSeq", uint64(6)).octets()})
				}
				return f
			}}
		}},
		{law: "SUBSTRATE-FEED-006", name: "a gap that is not told", hooks: dropping(gap)},
		{law: "SUBSTRATE-FEED-006", name: "a gap that is told each time", hooks: func() nodeHooks {
			return nodeHooks{frame: func(n *refNode, f *frame) *frame {
				if based(n, f) {
					n.note(&deed{Kind: didEvent, Name: "bridge/feed-gap", Obj: f.obj(), From: 1, To: f.number("base") - 1})
				}
				return f
			}}
		}},
		{law: "SUBSTRATE-FEED-006", name: "a base that is not looked at", hooks: func() nodeHooks {
			return nodeHooks{frame: func(n *refNode, f *frame) *frame {
				if based(n, f) {
					return nil
				}
				return f
			}}
		}},
	}
}

// followDeviants follow otherwise.
func followDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-FEED-007", name: "asks for nothing", hooks: dropping(func(_ *refNode, d *deed) bool { return d.is("resync") })},
		{law: "SUBSTRATE-FEED-007", name: "asks always", hooks: func() nodeHooks {
			return nodeHooks{op: func(n *refNode, op string) {
				if op == "connect" {
					n.note(&deed{Kind: didTransmit, Octets: frameOf("kind", "resync", "obj", "o", "objKind", "session", "fromSeq", uint64(1)).octets()})
				}
			}}
		}},
	}
}
