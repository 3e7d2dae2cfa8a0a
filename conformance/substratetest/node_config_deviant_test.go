package substratetest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
)

// forgiving has operations reply something instead of an error of a name.
func forgiving(name string, v any) func() nodeHooks {
	return func() nodeHooks {
		return nodeHooks{reply: func(_ string, got any, err error) (any, error) {
			if e, ok := err.(*adapter.TargetError); ok && e.Name == name {
				return v, nil
			}
			return got, err
		}}
	}
}

// throwing has operations fail, after so many that do not.
func throwing(e *adapter.TargetError, from int, ops ...string) func() nodeHooks {
	return func() nodeHooks {
		asked := 0
		return nodeHooks{reply: func(op string, v any, err error) (any, error) {
			if slices.Contains(ops, op) {
				if asked++; asked > from {
					return nil, e
				}
			}
			return v, err
		}}
	}
}

// configDeviants are made of what they should not be made of, and dial when they should not.
func configDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-AUTH-001", name: "has a default", hooks: forgiving(errConfig, struct{}{})},
		{law: "SUBSTRATE-AUTH-001", name: "does not warn", hooks: replying(func(r *greetReply) {
			for _, lines := range [][]logLine{r.Listen, r.Dial} {
				for i := range lines {
					lines[i].Level = observe.Info.String()
				}
			}
		})},
		{law: "SUBSTRATE-AUTH-001", name: "warns of keys", hooks: replying(func(r *greetReply) { r.Dial = append(r.Dial, logLine{Level: "warn"}) })},
		{law: "SUBSTRATE-AUTH-002", name: "runs another provider", hooks: replying(func(r *greetReply) { r.Ready = 0 })},
		{law: "SUBSTRATE-AUTH-003", name: "falls back", hooks: replying(func(r *greetReply) { r.Ready, r.Codes = 3, []int{} })},
		{law: "SUBSTRATE-AUTHZ-001", name: "has a default", hooks: forgiving(errConfig, struct{}{})},
	}
}

// backoffDeviants wait otherwise.
func backoffDeviants() []nodeDeviant {
	waits := func(change func(i int, wait float64) float64) func() nodeHooks {
		return replying(func(r *backoffReply) {
			for i, w := range r.Waits {
				r.Waits[i] = change(i, w)
			}
		})
	}
	return []nodeDeviant{
		{law: "SUBSTRATE-RECONNECT-007", name: "waits twice as long", hooks: waits(func(_ int, w float64) float64 { return 2 * w })},
		{law: "SUBSTRATE-RECONNECT-007", name: "waits always the same", hooks: waits(func(int, float64) float64 { return 250 })},
		{law: "SUBSTRATE-RECONNECT-007", name: "begins anew after each connection", only: "config/backoff-begins-anew", hooks: waits(func(i int, w float64) float64 {
			if i == 3 {
				return 250
			}
			return w
		})},
	}
}

// A law of the level REFERENCE is not failed, but what is done otherwise is told.
func TestOtherWaitsAreToldOf(t *testing.T) {
	t.Parallel()
	told := map[string]bool{}
	for _, d := range backoffDeviants() {
		res, err := conformance.Run(t.Context(), nodeSuite(), conformance.Config{
			Target: suitetest.InGo(), Adapter: d.adapter(), Profile: conformance.Profile{Deadlines: patient()},
			Selection: conformance.Selection{Only: []string{d.law}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if res.Footer.Counts[conformance.Info] == 0 {
			t.Errorf("nothing is told of what %s", d.name)
		}
		for _, c := range res.Cases {
			told[c.ID] = told[c.ID] || c.Verdict == conformance.Info
		}
	}
	for _, c := range configBackoffCases() {
		if !told[c.ID] {
			t.Errorf("%s tells of nobody", c.ID)
		}
	}
}

// limitDeviants hold one more than they may, or refuse what is exempt.
func limitDeviants() []nodeDeviant {
	more := func(change func(*engine.Limits)) func() nodeHooks {
		return func() nodeHooks {
			return nodeHooks{config: func(c *engine.Config) {
				l := engine.DefaultLimits()
				for _, f := range [][2]*int{
					{&c.Limits.Outbox, &l.Outbox},
					{&c.Limits.Inbox, &l.Inbox},
					{&c.Limits.Objects, &l.Objects},
					{&c.Limits.Window, &l.Window},
					{&c.Limits.GapBytes, &l.GapBytes},
					{&c.Limits.PeerGapBytes, &l.PeerGapBytes},
					{&c.Limits.Tombstones, &l.Tombstones},
				} {
					if *f[0] == 0 {
						*f[0] = *f[1]
					}
				}
				change(&c.Limits)
			}}
		}
	}
	lost := func(which func(first string, f *frame) bool) func() nodeHooks {
		return func() nodeHooks {
			first := ""
			return nodeHooks{frame: func(_ *refNode, f *frame) *frame {
				if first == "" && f.kind() == "send" {
					first = f.obj()
				}
				if which(first, f) {
					return nil
				}
				return f
			}}
		}
	}
	full := &adapter.TargetError{Name: errRefusedCall, Message: "full", Members: map[string]json.RawMessage{"code": quotedText("queue_full")}}
	return []nodeDeviant{
		{law: "SUBSTRATE-LIMIT-002", name: "one row more in the outbox", hooks: more(func(l *engine.Limits) { l.Outbox++ })},
		{law: "SUBSTRATE-LIMIT-002", name: "one op more in the inbox", hooks: more(func(l *engine.Limits) { l.Inbox++ })},
		{law: "SUBSTRATE-LIMIT-002", name: "nothing is exempt in the outbox", only: "config/outbox-exempts", hooks: throwing(full, 0, "respond", "close")},
		{law: "SUBSTRATE-LIMIT-002", name: "nothing is exempt in the inbox", only: "config/inbox-exempts", hooks: lost(func(_ string, f *frame) bool { return f.kind() == "res" || f.kind() == "close" })},
		{law: "SUBSTRATE-LIMIT-002", name: "one inbox for all objects", only: "config/inbox-of-one-object", hooks: lost(func(first string, f *frame) bool { return f.kind() == "send" && f.obj() != first })},
		{law: "SUBSTRATE-LIMIT-003", name: "one object more", hooks: more(func(l *engine.Limits) { l.Objects++ })},
		{law: "SUBSTRATE-LIMIT-005", name: "a shorter window", only: "config/gap-of-64-frames", hooks: more(func(l *engine.Limits) { l.Window /= 2 })},
		{law: "SUBSTRATE-LIMIT-005", name: "more octets for each object", only: "config/gap-of-an-object", hooks: more(func(l *engine.Limits) { l.GapBytes *= 2 })},
		{law: "SUBSTRATE-LIMIT-005", name: "more octets for all objects", only: "config/gap-*", hooks: more(func(l *engine.Limits) { l.PeerGapBytes *= 2 })},
		{law: "SUBSTRATE-LIMIT-005", name: "one tombstone more", only: "config/tombstones", hooks: more(func(l *engine.Limits) { l.Tombstones++ })},
	}
}

// authzDeviants do not ask as they should.
func authzDeviants() []nodeDeviant {
	gate := func(how func(ask engine.Interceptor) engine.Interceptor) func() nodeHooks {
		return func() nodeHooks {
			return nodeHooks{config: func(c *engine.Config) { c.Authorize = how(c.Authorize) }}
		}
	}
	allows := gate(func(ask engine.Interceptor) engine.Interceptor {
		return func(c *engine.OpContext) engine.Denial {
			if d := ask(c); d.Code != "unauthorized" {
				return d
			}
			return engine.Denial{}
		}
	})
	return []nodeDeviant{
		{law: "SUBSTRATE-AUTHZ-001", name: "denies what all are allowed", only: "authz/allow-all", hooks: gate(func(engine.Interceptor) engine.Interceptor {
			return func(c *engine.OpContext) engine.Denial {
				if c.Verb == "close" {
					return engine.Deny("unauthorized")
				}
				return engine.Denial{}
			}
		})},
		{law: "SUBSTRATE-AUTHZ-005", name: "asks twice", hooks: gate(func(ask engine.Interceptor) engine.Interceptor {
			return func(c *engine.OpContext) engine.Denial {
				_ = ask(c)
				return ask(c)
			}
		})},
		{law: "SUBSTRATE-AUTHZ-006", name: "allows whoever comes", hooks: allows},
		{law: "SUBSTRATE-AUTHZ-006", name: "denies whoever comes", hooks: gate(func(engine.Interceptor) engine.Interceptor {
			return func(*engine.OpContext) engine.Denial { return engine.Deny("unauthorized") }
		})},
		{law: "SUBSTRATE-AUTHZ-007", name: "two rules", hooks: replying(func(r *scopeReply) { r.Allows = !r.Allows })},
		{law: "SUBSTRATE-AUTHZ-008", name: "asks about answers", only: "authz/answers-need-no-scope", hooks: gate(func(engine.Interceptor) engine.Interceptor {
			return func(*engine.OpContext) engine.Denial { return engine.Deny("unauthorized") }
		})},
		{law: "SUBSTRATE-AUTHZ-009", name: "streams go round the gate", hooks: allows},
		{law: "SUBSTRATE-AUTHZ-010", name: "reads the token", hooks: func() nodeHooks {
			return deedwise(func(_ *refNode, d *deed) []*deed {
				if len(d.Cap) == 0 {
					d.Cap = nil
				}
				return []*deed{d}
			})
		}},
		{law: "SUBSTRATE-AUTHZ-010", name: "logs the token", hooks: func() nodeHooks {
			return deedwise(func(n *refNode, d *deed) []*deed {
				n.seen.got.Logs = append(n.seen.got.Logs, logLine{Msg: string(d.Cap)})
				return []*deed{d}
			})
		}},
		{law: "SUBSTRATE-AUTHZ-011", name: "takes a failure for silence", hooks: allows},
		{law: "SUBSTRATE-AUTHZ-012", name: "remembers what was allowed", hooks: remembering},
		{law: "SUBSTRATE-AUTHZ-002", name: "looks the op up before it asks", only: "authz/gate-before-store", hooks: remembering},
	}
}

// remembering asks only once about each op.
func remembering() nodeHooks {
	return nodeHooks{config: func(c *engine.Config) {
		ask, said := c.Authorize, map[string]engine.Denial{}
		c.Authorize = func(c *engine.OpContext) engine.Denial {
			d, known := said[c.ID]
			if !known {
				d = ask(c)
				said[c.ID] = d
			}
			return d
		}
	}}
}
