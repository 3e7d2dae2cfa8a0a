package databustest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// The defaults of the protocol, in ms, and the moment at which the clock of a case begins.
const (
	heartbeat = 3000
	ttl       = 10_000
	cooldown  = 1000 // before a transport that failed is opened again
	start     = 1_000_000
)

// busT is what a case works with: the T of the runner, and tabs behind the adapter.
type busT struct {
	*conformance.T
	hello adapter.Greeting
}

// onTabs makes a case of what is written against busT.
var onTabs = conformance.With(tabsOf)

// tabsOf starts the adapter and greets it.
func tabsOf(t *conformance.T) *busT {
	return &busT{T: t, hello: t.Greet("databus", options())}
}

// An origin is the world of one case.
type origin struct {
	t    *busT
	made originRequest
	all  deeds  // of the whole case
	tabs []*tab // in the order in which they were opened

	throws string // the law that is broken by whatever the target throws; empty: that blocks
}

// Origin makes the world of a case, with the rules of the version that the case runs under.
func (t *busT) Origin() *origin { return t.OriginWith(originRequest{}) }

// OriginWith is Origin for another setup. Its Version and Now have defaults.
func (t *busT) OriginWith(q originRequest) *origin {
	q.Version = cmp.Or(q.Version, t.Version(), v010)
	q.Now = cmp.Or(q.Now, start)
	o := &origin{t: t, made: q}
	o.do("origin", q)
	return o
}

// do makes a request that nothing speaks against, and returns what happened.
func (o *origin) do(op string, q any) deeds {
	var r didReply
	if o.throws == "" {
		o.t.MustAsk(op, q, &r)
	} else if thrown := o.t.Ask(op, q, &r); thrown != nil {
		o.t.Stopped(conformance.Break{Law: o.throws, Reason: op + " throws nothing", Expected: "no exception", Seen: thrown.Name + ": " + thrown.Message})
	}
	return o.noted(r.Did)
}

// noted writes deeds into the transcript in words.
func (o *origin) noted(did []*deed) deeds {
	for _, d := range did {
		if err := d.check(); err != nil {
			o.t.Inconclusive("the adapter tells of a deed that is none: %v", err)
		}
		d.Message, d.Data = spelled(d.Message), spelled(d.Data)
		o.t.Event(d.Tab, d.String())
	}
	o.all = append(o.all, did...)
	return did
}

// A tab is one document of an origin with a bus.
type tab struct {
	o      *origin
	name   string
	id     string // tabId
	worker string // workerId
	calls  int
}

// Tab opens a document whose bus runs, and lets its frames arrive. The ids of tabs sort as their names do.
func (o *origin) Tab(name string) *tab {
	t := o.TabWith(name, tabRequest{})
	t.Start()
	o.Drain()
	return t
}

// TabWith opens a document with a bus that has not started.
func (o *origin) TabWith(name string, q tabRequest) *tab {
	t := &tab{o: o, name: name, id: cmp.Or(q.TabID, "tab"+name), worker: cmp.Or(q.WorkerID, "worker"+name)}
	q.Tab, q.TabID, q.WorkerID = name, t.id, t.worker
	o.do("tab", q)
	o.tabs = append(o.tabs, t)
	return t
}

// Start starts the bus. How that ended is told as a deed settled.
func (t *tab) Start() deeds { return t.call("start") }

// Stop stops the bus. How that ended is told as a deed settled.
func (t *tab) Stop() deeds { return t.call("stop") }

// Ready waits for the bus to be ready. How that ended is told as a deed settled.
func (t *tab) Ready() deeds { return t.call("ready") }

func (t *tab) call(op string) deeds {
	t.calls++
	return t.o.do(op, callRequest{t.name, t.lastCall()})
}

// lastCall is the name of the last Start, Stop or Ready.
func (t *tab) lastCall() string { return fmt.Sprintf("%s%d", t.name, t.calls) }

// Subscribe registers a handler that is called as the topic, and Handle one of that name.
func (t *tab) Subscribe(topic string) deeds { return t.Handle(topic, topic) }

// Handle registers a handler.
func (t *tab) Handle(topic, handler string) deeds {
	return t.o.do("subscribe", handlerRequest{Tab: t.name, Topic: topic, Handler: handler})
}

// Throw registers a handler that throws.
func (t *tab) Throw(topic, handler string) deeds {
	return t.o.do("subscribe", handlerRequest{Tab: t.name, Topic: topic, Handler: handler, Throws: true})
}

// Slow registers a handler that takes so many ms.
func (t *tab) Slow(topic, handler string, ms int64) deeds {
	return t.o.do("subscribe", handlerRequest{Tab: t.name, Topic: topic, Handler: handler, Takes: ms})
}

// Unsubscribe takes the handler of Subscribe back, and Unhandle one of that name.
func (t *tab) Unsubscribe(topic string) deeds { return t.Unhandle(topic, topic) }

// Unhandle takes a handler back.
func (t *tab) Unhandle(topic, handler string) deeds {
	return t.o.do("unsubscribe", handlerRequest{Tab: t.name, Topic: topic, Handler: handler})
}

// Publish publishes JSON.
func (t *tab) Publish(topic, data string) deeds {
	return t.o.do("publish", dataRequest{t.name, topic, json.RawMessage(data)})
}

// Emit has the transport of this tab hand in a publication, as a server does that still sends it.
func (t *tab) Emit(topic, data string) deeds {
	return t.o.do("emit", dataRequest{t.name, topic, json.RawMessage(data)})
}

// Server has the server publish to each tab that is subscribed there.
func (o *origin) Server(topic, data string) deeds {
	return o.do("server", dataRequest{"", topic, json.RawMessage(data)})
}

// Batch makes several requests inside one task.
func (t *tab) Batch(ops ...batchItem) deeds { return t.o.do("batch", batchRequest{t.name, ops}) }

// PageHide and PageShow are the events of the page, kept by the browser in between.
func (t *tab) PageHide() deeds { return t.o.do("pagehide", tabOnlyRequest{t.name}) }

// PageShow is the event of a page that comes back.
func (t *tab) PageShow() deeds { return t.o.do("pageshow", tabOnlyRequest{t.name}) }

// Visibility changes that of the page.
func (t *tab) Visibility(state string) deeds {
	return t.o.do("visibility", visibilityRequest{t.name, state})
}

// Crash ends the document with its memory, timers and unflushed writes, and what is under way to it.
func (t *tab) Crash() deeds { return t.o.do("crash", tabOnlyRequest{t.name}) }

// Freeze stops timers and deliveries of the tab.
func (t *tab) Freeze() deeds { return t.o.do("freeze", tabOnlyRequest{t.name}) }

// Thaw lets them go on; what was due in between is due now, once.
func (t *tab) Thaw() deeds { return t.o.do("thaw", tabOnlyRequest{t.name}) }

// Flush writes what is pending (an origin with manual flush).
func (t *tab) Flush() deeds { return t.o.do("flush", tabOnlyRequest{t.name}) }

// Sync lets the tab see the next so many writes of others, 0 all (an origin with replicated storage).
func (t *tab) Sync(count int) deeds { return t.o.do("sync", syncRequest{t.name, count}) }

// Status has the transport say how its connection is.
func (t *tab) Status(status string) deeds { return t.o.do("status", statusRequest{t.name, status}) }

// Opens says how the next openings of the transport end.
func (t *tab) Opens(how string) deeds { return t.o.do("opens", opensRequest{t.name, how}) }

// Opened ends the opening that waits.
func (t *tab) Opened() deeds { return t.o.do("opened", openedRequest{Tab: t.name}) }

// OpenFailed ends the opening that waits with an error.
func (t *tab) OpenFailed() deeds { return t.o.do("opened", openedRequest{t.name, true}) }

// FailWrites has the next n writes and removals of the tab fail. -1: all; 0: none any more.
func (t *tab) FailWrites(n int) deeds { return t.o.do("fail", failRequest{Tab: t.name, Writes: &n}) }

// FailPosts has the next n posts of the tab fail. -1: all; 0: none any more.
func (t *tab) FailPosts(n int) deeds { return t.o.do("fail", failRequest{Tab: t.name, Posts: &n}) }

// Inject has the tab receive a frame that no tab sent.
func (t *tab) Inject(message string) deeds {
	return t.o.do("inject", injectRequest{t.name, json.RawMessage(message)})
}

// Put writes a key, as somebody else on the origin could; Remove removes it.
func (o *origin) Put(key, value string) deeds { return o.do("put", putRequest{key, &value}) }

// Remove removes a key, as somebody else on the origin could.
func (o *origin) Remove(key string) deeds { return o.do("put", putRequest{Key: key}) }

// Advance lets time pass, and frames arrive as soon as they are posted.
func (o *origin) Advance(ms int64) deeds { return o.do("advance", advanceRequest{ms, true}) }

// Pass lets time pass, and leaves frames under way.
func (o *origin) Pass(ms int64) deeds { return o.do("advance", advanceRequest{MS: ms}) }

// Drain lets all frames arrive, and those that they set off.
func (o *origin) Drain() deeds { return o.do("drain", drainRequest{}) }

// Settle lets everything happen that a fault could have left to do: frames arrive, and more time passes than the worst detection takes.
func (o *origin) Settle() deeds {
	did := o.Drain()
	return append(did, o.Advance(2*(heartbeat+ttl))...)
}

// Deliver lets one frame arrive, wherever it is in the queue.
func (o *origin) Deliver(f flying) deeds { return o.do("deliver", frameRequest{f.Frame}) }

// Drop loses one frame.
func (o *origin) Drop(f flying) deeds { return o.do("drop", frameRequest{f.Frame}) }

// Wire returns the frames under way, the oldest first.
func (o *origin) Wire() []flying {
	var r wireReply
	o.t.MustAsk("wire", struct{}{}, &r)
	for i := range r.Frames {
		r.Frames[i].Message = spelled(r.Frames[i].Message)
	}
	return r.Frames
}

// OnWire returns the frames under way to a tab, nil for any, whose message holds each of the texts, such as its type.
func (o *origin) OnWire(to *tab, texts ...string) []flying {
	var out []flying
	for _, f := range o.Wire() {
		if (to == nil || f.To == to.name) && holdsAll(string(f.Message), texts) {
			out = append(out, f)
		}
	}
	return out
}

func holdsAll(text string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}
