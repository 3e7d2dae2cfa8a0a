package substratetest

// The requests and replies of spec/adapter.md for nodes of the substrate, as both sides of the pipe use them. Octets are in base64; a
// member of octets that is absent stands for none at all, and an empty text for none of them.

// startOfTime is the virtual wall clock of a node when it is made, in ms since the epoch. Times in replies count from it.
const startOfTime = 1_700_000_000_000

// The forms of a node.
const (
	formDurable = "durable" // the default
	formRelay   = "relay"
	formJournal = "journal"
)

// Where a node keeps what outlives a connection.
const (
	storeMemory = "memory" // the default: nothing outlives the process
	storeFile   = "file"   // a file that the substrate opens
	storeHost   = "host"   // a store of the host, which outlives the process of the node
)

type newNodeRequest struct {
	Node      string         `json:"node"`
	Local     string         `json:"local"`
	Remote    string         `json:"remote"`
	Form      string         `json:"form,omitempty"`
	Store     string         `json:"store,omitempty"`
	With      string         `json:"with,omitempty"` // the node whose store it shares
	File      string         `json:"file,omitempty"` // the node whose file it opens too
	Feeds     bool           `json:"feeds,omitempty"`
	Remembers *int64         `json:"remembers,omitempty"` // of the sink of a relay, in ms
	Quota     int64          `json:"quota,omitempty"`     // of a journal, in octets
	Limits    map[string]int `json:"limits,omitempty"`
	Gate      []gateMember   `json:"gate,omitempty"`
	Observe   []string       `json:"observe,omitempty"` // what else observes, before the recorder: panics, slow, copy; or none
}

// A gateMember is one of the chain that is asked about an inbound operation. It allows what it is not about.
type gateMember struct {
	Verb string `json:"verb,omitempty"`
	Obj  string `json:"obj,omitempty"`
	Then string `json:"then,omitempty"` // allow, deny, panic, unusable; empty: it goes by Scopes and Matrix
	Code string `json:"code,omitempty"` // of deny

	Scopes map[string][]string `json:"scopes,omitempty"` // of peers
	Matrix map[string][]string `json:"matrix,omitempty"` // verbs of scopes
}

type gateRequest struct {
	Node string       `json:"node"`
	Gate []gateMember `json:"gate"`
}

type nodeRequest struct {
	Node string `json:"node"`
}

type restartRequest struct {
	Node string `json:"node"`
	MS   int64  `json:"ms,omitempty"`   // of time that passes in between
	Torn int    `json:"torn,omitempty"` // octets of a record that was being written
}

type advanceRequest struct {
	Node string `json:"node"`
	MS   int64  `json:"ms"`
}

type nodeClockRequest struct {
	Node string `json:"node"`
	Now  int64  `json:"now"`
}

type connRequest struct {
	Node  string `json:"node"`
	Conn  string `json:"conn"`
	Epoch []byte `json:"epoch,omitzero"` // of connect
}

type nodeFrameRequest struct {
	Node   string `json:"node"`
	Conn   string `json:"conn"`
	Octets []byte `json:"octets"`
}

// A callRequest is open, send, req or close.
type callRequest struct {
	Node    string `json:"node"`
	Call    string `json:"call"`
	Obj     string `json:"obj"`
	ObjKind string `json:"objKind,omitempty"`
	ID      string `json:"id,omitempty"`
	Cap     []byte `json:"cap,omitzero"`
	Body    []byte `json:"body,omitzero"`
}

// An answerRequest is accept, reject, respond, end, fail or handled.
type answerRequest struct {
	Node     string `json:"node"`
	Delivery string `json:"delivery"`
	Queue    bool   `json:"queue,omitempty"`
	Code     string `json:"code,omitempty"`
	Msg      string `json:"msg,omitempty"`
	Body     []byte `json:"body,omitzero"`
}

type refuseRequest struct {
	Node  string `json:"node"`
	After int    `json:"after,omitempty"` // commits that still succeed
	Times int    `json:"times"`           // commits that are refused then; -1: all; 0: none any more
	Reads bool   `json:"reads,omitempty"` // look-ups are counted and refused too
	Late  bool   `json:"late,omitempty"`  // the write succeeds and its completion does not
}

type refuseReply struct {
	Commits int `json:"commits"` // that were tried since the node was made
	Refused int `json:"refused"`
}

type storedRequest struct {
	Node      string `json:"node"`
	Token     string `json:"token"`
	Seq       uint64 `json:"seq,omitempty"`
	Duplicate bool   `json:"duplicate,omitempty"`
	Failed    bool   `json:"failed,omitempty"`
}

type feedRequest struct {
	Node    string `json:"node"`
	Obj     string `json:"obj"`
	ObjKind string `json:"objKind"`
	Verb    string `json:"verb,omitempty"`
	ID      string `json:"id,omitempty"`
	Seq     uint64 `json:"seq,omitempty"`
	Prev    uint64 `json:"prev"`
	Code    string `json:"code,omitempty"`
	Msg     string `json:"msg,omitempty"`
	Body    []byte `json:"body,omitzero"`
	Base    uint64 `json:"base,omitempty"` // instead of a frame: the stream begins here
}

type followRequest struct {
	Node    string `json:"node"`
	Obj     string `json:"obj"`
	ObjKind string `json:"objKind"`
	Last    uint64 `json:"last"`
}

type objRequest struct {
	Node string `json:"node"`
	Obj  string `json:"obj"`
}

type seqReply struct {
	Seq uint64 `json:"seq"`
}

type inboxRequest struct {
	Node string `json:"node"`
	Obj  string `json:"obj"`
	Take int    `json:"take,omitempty"` // how many rows are removed after they were read
}

type rowsReply struct {
	Rows []keptRow `json:"rows"`
}

// A keptRow is one of an outbox or of an inbox.
type keptRow struct {
	Obj  string `json:"obj"`
	Verb string `json:"verb"`
	ID   string `json:"id"`
	Seq  uint64 `json:"seq"`
	Body []byte `json:"body,omitzero"`
}

// A keptObject is the record of an object.
type keptObject struct {
	Obj          string   `json:"obj"`
	ObjKind      string   `json:"objKind"`
	State        string   `json:"state"` // opening, live, rejected, closed
	Participants []string `json:"participants"`
}

type keptReply struct {
	Outbox  []keptRow    `json:"outbox"`
	Inbox   []keptRow    `json:"inbox"` // without those of queues whose inbox the host takes from
	Objects []keptObject `json:"objects"`
}

type signalsReply struct {
	Measures []measure   `json:"measures"`
	Logs     []logLine   `json:"logs"`
	Events   []seenEvent `json:"events"`
	Spans    []seenSpan  `json:"spans"`
}

// A measure is one measurement as it was made.
type measure struct {
	Name   string            `json:"name"`
	As     string            `json:"as"` // count, gauge, sample
	Labels map[string]string `json:"labels,omitempty"`
	Value  float64           `json:"value"`        // what is added to a counter, what a gauge is set to, ms of a sample
	By     int               `json:"by,omitempty"` // of a copy: its place among what else observes, from 1
}

type logLine struct {
	Level string `json:"level"`
	Msg   string `json:"msg"`
	By    int    `json:"by,omitempty"`
}

// A seenEvent is an event as an observer is told of it.
type seenEvent struct {
	Name  string `json:"name"`
	Level string `json:"level"`
	Obj   string `json:"obj,omitempty"`
	ID    string `json:"id,omitempty"`
	Code  string `json:"code,omitempty"`
	By    int    `json:"by,omitempty"`
}

// A seenSpan is the beginning or the end of a span, as a tracer is told of it.
type seenSpan struct {
	Name string `json:"name"`
	Ends bool   `json:"ends,omitempty"`
	ID   string `json:"id,omitempty"`
	At   int64  `json:"at"` // ms since startOfTime
	By   int    `json:"by,omitempty"`
}

// A configRequest describes one side; what is left out is not given to the target.
type configRequest struct {
	Entry     string         `json:"entry,omitempty"` // listener or dialer
	Local     string         `json:"local,omitempty"`
	Remote    string         `json:"remote,omitempty"`
	Auth      string         `json:"auth,omitempty"`      // none or keys; null, or nothing: a factory that is none
	Authorize string         `json:"authorize,omitempty"` // all, or null
	Feeds     bool           `json:"feeds,omitempty"`
	Limits    map[string]int `json:"limits,omitempty"`
}

type storageRequest struct {
	Options []string `json:"options"` // of storageFor, storage, dbPathFor, dbPath
	Peers   []string `json:"peers"`   // that come, one after the other
	Nothing []string `json:"nothing,omitempty"`
	Fails   []string `json:"fails,omitempty"`   // peers for which the functions fail
	Same    bool     `json:"same,omitempty"`    // dbPathFor has one path for all
	Release bool     `json:"release,omitempty"` // each before the next comes
	Again   string   `json:"again,omitempty"`   // released or restarted: each comes once more after that
}

// A storageReply says what became of the options. Entries are the option, and the peer where one is meant.
type storageReply struct {
	Called  []string `json:"called"`  // functions, in order
	Kept    []string `json:"kept"`    // where an open for that peer is found afterwards
	Closed  []string `json:"closed"`  // by the target, in the end
	Refused []string `json:"refused"` // peers
	Resumed []string `json:"resumed"` // peers that found their open when they came again
}

// A greetRequest has two sides meet: a listener and one that dials, so many times.
type greetRequest struct {
	Listener configRequest `json:"listener"`
	Dialer   configRequest `json:"dialer"`
	Times    int           `json:"times"`
	Nothing  bool          `json:"nothing,omitempty"` // the listener's storageFor yields nothing
}

type greetReply struct {
	Ready  int       `json:"ready"`  // connections that became ready on the side that dials
	Codes  []int     `json:"codes"`  // with which the listener ended attempts and connections
	Listen []logLine `json:"listen"` // what the listener logs
	Dial   []logLine `json:"dial"`
}

// A backoffRequest is the life of a side that dials.
type backoffRequest struct {
	Attempts []backoffAttempt `json:"attempts"`
}

type backoffAttempt struct {
	Draw  *float64 `json:"draw,omitempty"`  // what chance says, from 0, the shortest wait, to 1; absent: the target's own
	Ready *int64   `json:"ready,omitempty"` // ms for which a connection was ready; absent: it failed
}

type backoffReply struct {
	Waits []float64 `json:"waits"` // ms before each attempt
}

// A sinkRequest puts measurements into a metrics sink that ships with the target.
type sinkRequest struct {
	Sink  string      `json:"sink"` // memory or telemetry
	Make  []sinkMakes `json:"make"`
	Named string      `json:"named,omitempty"` // whose series are replied
	Spoil bool        `json:"spoil,omitempty"` // a first snapshot is taken and overwritten
}

// A sinkMakes is so many measurements, each of which has a label of its own: Prefix and a number from 0.
type sinkMakes struct {
	Name   string  `json:"name"`
	As     string  `json:"as"`
	Label  string  `json:"label,omitempty"` // obj or code; empty: none
	Prefix string  `json:"prefix,omitempty"`
	Times  int     `json:"times"`
	Value  float64 `json:"value"`
}

type sinkReply struct {
	Kept    int       `json:"kept"`    // series or sets of labels
	Dropped int       `json:"dropped"` // measurements, as the sink counts them
	Handed  int       `json:"handed"`  // measurements that were handed on
	Series  []measure `json:"series"`
}

type scopeRequest struct {
	Scopes []string            `json:"scopes"`
	Matrix map[string][]string `json:"matrix"`
	Verb   string              `json:"verb"`
}

type scopeReply struct {
	Allows bool `json:"allows"`
}

// A didReply is what most operations reply.
type didReply struct {
	ID    string  `json:"id,omitempty"`    // of a call
	Epoch []byte  `json:"epoch,omitempty"` // of new and restart: that of the node's outbox
	Did   []*deed `json:"did"`
}

// The kinds of a deed.
const (
	didTransmit = "transmit" // a message on a connection
	didEnd      = "end"      // a connection is ended
	didDeliver  = "deliver"  // an op is handed to the application
	didArrive   = "arrive"   // an op waits in the inbox of a queue
	didSettle   = "settle"   // how a call ended
	didEvent    = "event"
	didStore    = "store"  // an edge asks its sink to store an op
	didResume   = "resume" // an edge asks for a stream
	didCommit   = "commit" // a transaction of the store is written
	didRefused  = "refused"
	didAsk      = "ask" // a member of the gate is asked
)

// didKinds are all of them.
func didKinds() []string {
	return []string{
		didTransmit, didEnd, didDeliver, didArrive, didSettle, didEvent, didStore, didResume, didCommit, didRefused, didAsk,
	}
}

// A deed is something that a node did, in the order of causes.
type deed struct {
	Kind string `json:"kind"`
	At   int64  `json:"at"` // ms since startOfTime

	Conn   string `json:"conn,omitempty"`   // transmit, end, ask
	Octets []byte `json:"octets,omitempty"` // transmit
	Close  int    `json:"close,omitempty"`  // end

	Delivery    string `json:"delivery,omitempty"` // deliver
	Redelivered bool   `json:"redelivered,omitempty"`
	Feed        bool   `json:"feed,omitempty"`

	Call      string `json:"call,omitempty"` // settle
	Retryable bool   `json:"retryable,omitempty"`
	Unknown   bool   `json:"unknown,omitempty"` // settle, event: the op may have been taken nevertheless

	Name  string `json:"name,omitempty"` // event
	Level string `json:"level,omitempty"`
	From  uint64 `json:"from,omitempty"` // event, resume
	To    uint64 `json:"to,omitempty"`

	Token  string `json:"token,omitempty"` // store
	Member *int   `json:"member,omitempty"`
	Peer   string `json:"peer,omitempty"`

	Durable bool `json:"durable,omitempty"` // commit: it has to be on the disk

	// Of an op, an answer or an object, whatever the deed is about.
	Verb    string `json:"verb,omitempty"` // of settle: what settled it, absent if nothing came
	Obj     string `json:"obj,omitempty"`
	ObjKind string `json:"objKind,omitempty"`
	ID      string `json:"id,omitempty"`
	Seq     uint64 `json:"seq,omitempty"`
	Code    string `json:"code,omitempty"`
	Msg     string `json:"msg,omitempty"`
	Cap     []byte `json:"cap,omitzero"`
	Body    []byte `json:"body,omitzero"`

	frame *frame // of transmit, as the suite reads it
	err   error  // of a settle that never came to be, within the reference
}

// Names of the errors of a node.
const (
	errRefusedCall  = "Refused"      // with code: the local rule that speaks against the call or the answer
	errStoreRefused = "StoreRefused" // the store did not write it
	errConfig       = "ConfigError"  // with field
	errLocked       = "StoreLocked"  // the file is in use
)

// Options that a target or an adapter can do without; a case names in its Needs those it cannot do without.
const (
	RelayForm   = "relay-form"     // form relay: ops stored, feed
	JournalForm = "journal-form"   // form journal
	Feeds       = "feeds"          // member feeds of new; ops follow, followed
	FileStore   = "file-store"     // store file
	HostStore   = "host-store"     // store host, and member with
	Refusing    = "refusing-store" // op refuse, deeds commit and refused
	Lowered     = "limits"         // member limits of new
	GateRules   = "gate"           // member gate of new, op gate, deed ask
	Signals     = "signals"        // op signals, member observe of new
	Happenings  = "events"         // deed event
	Kept        = "kept"           // op kept
	HostInbox   = "host-inbox"     // member queue of accept, op inbox, deed arrive
	WallClock   = "wall-clock"     // op clock
	Construct   = "construct"      // op config
	StoreChoice = "storage"        // op storage
	Quota       = "quota"          // member quota of new
	LateRefusal = "late-refusal"   // member late of refuse
	TornJournal = "torn-journal"   // member torn of restart
	Meeting     = "meeting"        // op greet
	Waits       = "backoff"        // op backoff
	Sinks       = "sinks"          // op sink
	ScopeRule   = "scope-rule"     // op scope
)

func nodeOptions() []string {
	return []string{
		RelayForm, JournalForm, Feeds, FileStore, HostStore, Refusing, Lowered, GateRules, Signals, Happenings, Kept, HostInbox, WallClock,
		Construct, StoreChoice, Quota, LateRefusal, TornJournal, Meeting, Waits, Sinks, ScopeRule,
	}
}
