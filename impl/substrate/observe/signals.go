package observe

// The metrics. Their labels are in [Signals].
const (
	OpsEnqueued      = "substrate.ops.enqueued"      // one per durable enqueue, never for a resend or a failed write (SUBSTRATE-OBSERVE-003)
	OpsAcked         = "substrate.ops.acked"         // one per row freed by a receipt-fenced ack (SUBSTRATE-OBSERVE-003)
	OpsAnswered      = "substrate.ops.answered"      // one per row freed by an answer (SUBSTRATE-ANSWER-004, SUBSTRATE-OBSERVE-012)
	OpsPurged        = "substrate.ops.purged"        // one per row that left by bounce, death of its object or expiry (SUBSTRATE-OBSERVE-012)
	OutboxDepth      = "substrate.outbox.depth"      // unfreed rows of the object (SUBSTRATE-OBSERVE-004)
	AckLatency       = "substrate.ack.latency_ms"    // first transmission to free by ack (SUBSTRATE-OBSERVE-005)
	AnswerLatency    = "substrate.answer.latency_ms" // enqueue of req or open to its answer (SUBSTRATE-OBSERVE-005)
	IngressOp        = "substrate.ingress.op"        // inbound frames that passed codec, address and verb, before the gate (SUBSTRATE-OBSERVE-006)
	DedupeDuplicate  = "substrate.dedupe.duplicate"  // frames found in the ledger or below the frontier (SUBSTRATE-OBSERVE-007)
	SeqDeferred      = "substrate.seq.deferred"      // frames placed in the gap buffer (SUBSTRATE-OBSERVE-007)
	AuthorizeDenied  = "substrate.authorize.denied"  // denials (SUBSTRATE-OBSERVE-008)
	Bounce           = "substrate.bounce"            // errs sent as a bounce or a denial, without the swallowed ones (SUBSTRATE-OBSERVE-009)
	Futile           = "substrate.futile"            // bridge/futile events (SUBSTRATE-OBSERVE-009)
	ConnectionsReady = "substrate.conn.ready"        // connections that became ready (SUBSTRATE-OBSERVE-010)
	ConnectionsEnded = "substrate.conn.ended"        // ready connections that ended (SUBSTRATE-OBSERVE-010)
)

// The events.
const (
	EventFutile       = "bridge/futile"        // an op will not take effect: obj, objKind, id, code (SUBSTRATE-FINALITY-006)
	EventOrphanAnswer = "bridge/orphan-answer" // an answer that nobody waits for (SUBSTRATE-ANSWER-005)
	EventIDConflict   = "bridge/id-conflict"   // a known id with another body, at warn (SUBSTRATE-DEDUPE-006)
	EventFeedGap      = "bridge/feed-gap"      // a stream was trimmed: obj, from, to (SUBSTRATE-FEED-006)
	EventStaleReceipt = "bridge/stale-receipt" // an ack that frees nothing (SUBSTRATE-ACK-004)
	EventClosed       = "bridge/closed"        // an object came to closed, once on each side (SUBSTRATE-FINALITY-009)
)

// Spans of a [Tracer].
const (
	SpanOp     = "substrate.op"     // enqueue of an op to its free, answer or purge
	SpanCommit = "substrate.commit" // one transaction of the store
)

// An Instrument is the kind of a metric.
type Instrument uint8

// The instruments.
const (
	CounterOf   Instrument = iota + 1 // only grows
	GaugeOf                           // is set
	HistogramOf                       // collects samples
)

// A Label is the name of a field of [Labels] as sinks show it.
type Label string

// The labels.
const (
	LabelObj     Label = "obj"
	LabelVerb    Label = "verb"
	LabelObjKind Label = "objKind"
	LabelCode    Label = "code"
)

// Value returns the field of l that is called k.
func (l Labels) Value(k Label) string {
	switch k {
	case LabelObj:
		return l.Obj
	case LabelVerb:
		return l.Verb
	case LabelObjKind:
		return l.ObjKind
	case LabelCode:
		return l.Code
	}
	return ""
}

// A Signal describes a metric.
type Signal struct {
	Name       string
	Instrument Instrument
	Unit       string  // as UCUM writes it: ms, or {op}, {frame}, {connection} for counts
	Labels     []Label // exactly these
	About      string  // one line for people
}

// Signals returns all metrics that the substrate emits, in a fixed order. The caller owns the result.
func Signals() []Signal {
	return []Signal{
		{OpsEnqueued, CounterOf, "{op}", nil, "ops written to the outbox"},
		{OpsAcked, CounterOf, "{op}", nil, "ops freed by an ack"},
		{OpsAnswered, CounterOf, "{op}", nil, "ops freed by an answer"},
		{OpsPurged, CounterOf, "{op}", nil, "ops purged by bounce, death of the object or expiry"},
		{OutboxDepth, GaugeOf, "{op}", []Label{LabelObj}, "ops of an object that are not freed yet"},
		{AckLatency, HistogramOf, "ms", nil, "first transmission of an op to its ack"},
		{AnswerLatency, HistogramOf, "ms", nil, "enqueue of a req or an open to its answer"},
		{IngressOp, CounterOf, "{frame}", []Label{LabelVerb}, "inbound frames that are well formed"},
		{DedupeDuplicate, CounterOf, "{frame}", nil, "inbound frames that were committed before"},
		{SeqDeferred, CounterOf, "{frame}", nil, "inbound frames that came ahead of their turn"},
		{AuthorizeDenied, CounterOf, "{frame}", []Label{LabelVerb, LabelObjKind, LabelCode}, "inbound frames that the gate denied"},
		{Bounce, CounterOf, "{frame}", nil, "errs sent as a bounce or a denial"},
		{Futile, CounterOf, "{op}", []Label{LabelCode}, "ops that will not take effect"},
		{ConnectionsReady, CounterOf, "{connection}", nil, "connections that became ready"},
		{ConnectionsEnded, CounterOf, "{connection}", nil, "ready connections that ended"},
	}
}
