package databustest

import "encoding/json"

// The requests and replies of spec/adapter.md for the data bus, as both sides of the pipe use them.

// The versions of the protocol: the document of 0.1.0, and that with its fences (DATABUS-FENCE-001 to DATABUS-FENCE-003).
const (
	v010   = "v010"
	fenced = "fenced"
)

// When what a tab writes reaches the storage.
const (
	flushAuto   = "auto"   // at the end of the task that wrote it; the default
	flushManual = "manual" // when flush is asked for, or the tab flushes by itself
)

// What the tabs of an origin have in common.
const (
	storageShared     = "shared"     // a write is seen by all at once; the default
	storageReplicated = "replicated" // a write of another tab is seen when sync is asked for
)

// How the openings of a transport end.
const (
	opensOK     = "ok" // the default
	opensFail   = "fail"
	opensManual = "manual" // when opened is asked for
)

// An originRequest makes the world that all tabs of a case share; it is the first after hello, and ends the world that there was. A zero value
// is the target's default.
type originRequest struct {
	Version    string `json:"version"`
	Flush      string `json:"flush,omitempty"`
	Storage    string `json:"storage,omitempty"`
	LossyClose bool   `json:"lossyClose,omitempty"` // a channel that closes loses what is under way from it
	Now        int64  `json:"now"`                  // of the clock, in ms
}

// A tabRequest opens a document with a bus that has not started.
type tabRequest struct {
	Tab        string `json:"tab"`
	TabID      string `json:"tabId,omitempty"`
	WorkerID   string `json:"workerId,omitempty"`
	Visibility string `json:"visibility,omitempty"` // visible, the default, or hidden
	Opens      string `json:"opens,omitempty"`
	NoStorage  bool   `json:"noStorage,omitempty"`
	NoChannel  bool   `json:"noChannel,omitempty"`
	Session    string `json:"session,omitempty"` // the tab whose session storage it begins with a copy of; itself: the one that it had
	Opener     bool   `json:"opener,omitempty"`  // it knows who opened it
	ClusterKey string `json:"clusterKey,omitempty"`
	Prefix     string `json:"prefix,omitempty"`
	Heartbeat  int64  `json:"heartbeat,omitempty"` // ms
	TTL        int64  `json:"ttl,omitempty"`       // ms
	MaxActive  int    `json:"maxActive,omitempty"`
	AutoStart  bool   `json:"autoStart,omitempty"`
	Trace      bool   `json:"trace,omitempty"`
	Window     int64  `json:"window,omitempty"`   // of the metrics of a trace, in ms
	BadTrace   bool   `json:"badTrace,omitempty"` // the sink of the trace throws each time that it is called
}

// A tabOnlyRequest is stop, pagehide, pageshow, crash, freeze, thaw, flush, or the settling of a stop.
type tabOnlyRequest struct {
	Tab string `json:"tab"`
}

// A callRequest is start, stop or ready. What becomes of it is told as a deed settled with this call.
type callRequest struct {
	Tab  string `json:"tab"`
	Call string `json:"call"`
}

// A handlerRequest is subscribe or unsubscribe.
type handlerRequest struct {
	Tab     string `json:"tab"`
	Topic   string `json:"topic"`
	Handler string `json:"handler"`
	Throws  bool   `json:"throws,omitempty"` // of subscribe: each time it is called
	Takes   int64  `json:"takes,omitempty"`  // of subscribe: ms that pass on the clock each time it is called, in which nothing else happens
}

// A dataRequest is publish of the application, emit of the transport of one tab, or server, for each tab that is subscribed there.
type dataRequest struct {
	Tab   string          `json:"tab,omitempty"`
	Topic string          `json:"topic"`
	Data  json.RawMessage `json:"data"`
}

type visibilityRequest struct {
	Tab   string `json:"tab"`
	State string `json:"state"` // visible or hidden
}

// A statusRequest has the transport of a tab say how its connection is.
type statusRequest struct {
	Tab    string `json:"tab"`
	Status string `json:"status"` // connecting, connected, disconnected or error
}

// An opensRequest says how the next openings of a transport end.
type opensRequest struct {
	Tab   string `json:"tab"`
	Opens string `json:"opens"`
}

// An openedRequest ends an opening that waits.
type openedRequest struct {
	Tab  string `json:"tab"`
	Fail bool   `json:"fail,omitempty"`
}

// A failRequest has the next writes to the storage or posts to the channel of a tab fail. -1: all; 0: none any more.
type failRequest struct {
	Tab    string `json:"tab"`
	Writes *int   `json:"writes,omitempty"`
	Posts  *int   `json:"posts,omitempty"`
}

// A frameRequest is deliver or drop of a frame under way.
type frameRequest struct {
	Frame string `json:"frame"`
}

// An injectRequest posts a frame that no tab sent.
type injectRequest struct {
	Tab     string          `json:"tab"` // that receives it
	Message json.RawMessage `json:"message"`
}

// A putRequest writes or removes a key of the storage, as somebody else on the origin could.
type putRequest struct {
	Key   string  `json:"key"`
	Value *string `json:"value,omitempty"` // nil: it is removed
}

// A syncRequest lets a tab see the next so many writes of others. 0: all.
type syncRequest struct {
	Tab   string `json:"tab"`
	Count int    `json:"count,omitempty"`
}

// An advanceRequest lets time pass, and fires what is due at its time; with Drain each frame arrives as soon as it is posted.
type advanceRequest struct {
	MS    int64 `json:"ms"`
	Drain bool  `json:"drain,omitempty"`
}

// A drainRequest delivers frames, the oldest first, and those that they set off, until none is left or Max are delivered. 0: 100000.
type drainRequest struct {
	Max int `json:"max,omitempty"`
}

// A batchRequest makes several requests of one tab inside one task: subscribe, unsubscribe, publish.
type batchRequest struct {
	Tab string      `json:"tab"`
	Ops []batchItem `json:"ops"`
}

type batchItem struct {
	Op      string          `json:"op"`
	Topic   string          `json:"topic"`
	Handler string          `json:"handler,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Kinds of deeds.
const (
	didWrite    = "write"    // key, value: reached the storage
	didRemove   = "remove"   // key
	didRefused  = "refused"  // key: a write or a removal that failed by order of fail
	didPost     = "post"     // message, frames: one frame under way for each receiver
	didLost     = "lost"     // frames that nobody will receive: of a lossy close, or to a channel that has closed
	didOpen     = "open"     // name: of a channel
	didClose    = "close"    // name: of a channel
	didTStart   = "tstart"   // the transport is asked to open
	didTStop    = "tstop"    // to close
	didTSub     = "tsub"     // topic
	didTUnsub   = "tunsub"   // topic
	didTPub     = "tpub"     // topic, data
	didDispatch = "dispatch" // topic, data, handler: a handler of the application is called
	didStatus   = "status"   // status: the application is told
	didError    = "error"    // error: the application is told
	didSettled  = "settled"  // call, error: how start, stop or ready ended; error empty: well
	didTrace    = "trace"    // name, metrics
)

func didKinds() []string {
	return []string{
		didWrite, didRemove, didRefused, didPost, didLost, didOpen, didClose, didTStart, didTStop, didTSub, didTUnsub, didTPub,
		didDispatch, didStatus, didError, didSettled, didTrace,
	}
}

// A deed is one thing that happened during a request, in the order of causes.
type deed struct {
	Kind    string          `json:"kind"`
	Tab     string          `json:"tab"`
	At      int64           `json:"at"` // ms of the clock
	Key     string          `json:"key,omitempty"`
	Value   string          `json:"value,omitempty"`
	Message json.RawMessage `json:"message,omitempty"`
	Frames  []flying        `json:"frames,omitempty"`
	Name    string          `json:"name,omitempty"`
	Topic   string          `json:"topic,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	Handler string          `json:"handler,omitempty"`
	Status  string          `json:"status,omitempty"`
	Error   string          `json:"error,omitempty"`
	Call    string          `json:"call,omitempty"`
	Metrics *metrics        `json:"metrics,omitempty"`
}

// A flying frame is under way to one tab.
type flying struct {
	Frame   string          `json:"frame"`
	From    string          `json:"from,omitempty"`
	To      string          `json:"to"`
	Message json.RawMessage `json:"message,omitempty"` // of wire
}

// metrics are those of one window of a trace (DATABUS-TRACE-002), in ms where they are times.
type metrics struct {
	Received   int   `json:"received"`
	Dispatched int   `json:"dispatched"`
	Samples    int   `json:"samples"`
	Average    int64 `json:"average"`
	P50        int64 `json:"p50"`
	P95        int64 `json:"p95"`
	Max        int64 `json:"max"`
}

type didReply struct {
	Did []*deed `json:"did"`
}

type wireReply struct {
	Frames []flying `json:"frames"` // the oldest first
}

// A snapshotReply is the whole origin at one moment. Taking it changes nothing.
type snapshotReply struct {
	Now     int64               `json:"now"`
	Storage map[string]string   `json:"storage"` // as a tab sees it that has seen all writes
	Tabs    map[string]*tabView `json:"tabs"`    // that have not crashed
}

// A tabView is what one tab knows. Members that the adapter cannot see are absent.
type tabView struct {
	TabID      string   `json:"tabId"`
	WorkerID   string   `json:"workerId"`
	Channel    string   `json:"channel,omitempty"` // name of the open one
	Status     string   `json:"status"`
	Active     bool     `json:"active"`            // started and not hidden
	Local      bool     `json:"local"`             // degraded: it does not coordinate
	Subscribed []string `json:"subscribed"`        // topics that the application wants
	Assigned   []string `json:"assigned"`          // topics that the runtime owns
	Transport  []string `json:"transport"`         // topics that the transport was told to subscribe and not to leave
	Server     []string `json:"server"`            // topics that the server sends to this tab
	Known      []string `json:"known,omitempty"`   // topic keys that it can name
	Pending    []string `json:"pending,omitempty"` // keys that wait to be written
	Role       string   `json:"role,omitempty"`    // of its own record, in memory
	Frozen     bool     `json:"frozen,omitempty"`
}

// A backendPickRequest asks for the worker that a transport runs in where some can be made (DATABUS-DEGRADE-004). It needs no origin.
type backendPickRequest struct {
	Mode      string `json:"mode,omitempty"` // auto, shared or dedicated. Empty: the target's default
	Shared    bool   `json:"shared"`         // a SharedWorker can be made
	Dedicated bool   `json:"dedicated"`      // a Dedicated Worker can be made
}

// The places where a transport runs.
const (
	backendShared    = "shared"
	backendDedicated = "dedicated"
	backendMain      = "main"
)

type backendPickReply struct {
	Backend string   `json:"backend"`
	Tried   []string `json:"tried"` // of which one was to be made, in order; without the main thread
}

// A backendPingRequest asks when a tab sends a PING to its SharedWorker until a moment, in ms from its opening (DATABUS-HEARTBEAT-004). It
// needs no origin.
type backendPingRequest struct {
	Interval string `json:"interval,omitempty"` // ms as a number of JavaScript, Infinity and NaN too. Empty: the target's default
	Until    int64  `json:"until"`
}

type backendPingReply struct {
	Refused bool    `json:"refused,omitempty"` // the interval was
	Pings   []int64 `json:"pings,omitempty"`
}

// A backendPortsRequest asks what becomes of the ports of one SharedWorker until a moment, in ms from its beginning (DATABUS-HEARTBEAT-004). It
// needs no origin.
type backendPortsRequest struct {
	Interval string        `json:"interval,omitempty"` // as in backendPingRequest
	Until    int64         `json:"until"`
	Messages []portMessage `json:"messages"` // in the order of their times; the first of a port connects it
}

// A portMessage arrives at a port, before what is due at the same time. Whether it is a PING changes nothing.
type portMessage struct {
	At   int64  `json:"at"`
	Port string `json:"port"`
}

type backendPortsReply struct {
	Refused bool        `json:"refused,omitempty"`
	Ended   []portEnded `json:"ended,omitempty"` // in order
}

// A portEnded is one of the two halves of the end of a port.
type portEnded struct {
	At   int64  `json:"at"`
	Port string `json:"port"`
	What string `json:"what"` // port, which is closed, or session, which stops and lets go of its subscriptions
}
