package eventbustest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/impl/eventbus"
)

// ServeReference is the adapter around the reference, impl/eventbus: it answers requests from r on w until r ends.
func ServeReference(ctx context.Context, r io.Reader, w io.Writer) error {
	return serveBus("assay eventbus", Reference, extras{parse: parseByReference, reduce: reduceByReference})(ctx, r, w)
}

var _ adapter.Adapter = ServeReference

// Reference makes buses of impl/eventbus. It is a [Factory], and shows how one is written.
func Reference(s Settings) (Bus, error) {
	dialect, err := eventbus.ParseDialect(s.Dialect)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDialect, err)
	}
	bus, err := eventbus.New(eventbus.Config{
		Dialect: dialect, RingSize: s.RingSize, MaxSubscribers: s.MaxSubscribers,
		MaxQueuedBytes: s.MaxQueuedBytes, ReplayBudgetBytes: s.ReplayBudgetBytes, Now: s.Now,
		Diagnose: func(d eventbus.Diagnostic) { s.Diagnose(fmt.Sprintf("eventbus: %s %s", d.Kind, d.Data.JSON())) },
	})
	if err != nil {
		return nil, refused(err)
	}
	return referenceBus{bus}, nil
}

// refused words an error of the reference as the bridge asks for it.
func refused(err error) error {
	if limit, ok := errors.AsType[*eventbus.SubscriberLimitError](err); ok {
		return &LimitError{Limit: limit.Limit, Message: err.Error()}
	}
	if config, ok := errors.AsType[*eventbus.ConfigError](err); ok {
		return &ArgumentError{Message: config.Error()}
	}
	return err
}

type referenceBus struct{ *eventbus.Bus }

func input(e Event) eventbus.Input {
	in := eventbus.Input{Type: e.Type, Originator: e.Originator, Meta: e.Meta}
	switch data := e.Data.(type) {
	case nil:
	case json.RawMessage:
		payload, err := eventbus.Raw(data)
		if err != nil {
			panic(fmt.Sprintf("data that came as JSON is none: %v", err))
		}
		in.Data = payload
	default:
		in.Value = data
	}
	return in
}

// Publish implements [Bus].
func (b referenceBus) Publish(e Event) (any, bool) {
	published, ok := b.Bus.Publish(input(e))
	return referenceFrame{published}, ok
}

// Seed implements [Seeder].
func (b referenceBus) Seed(events []Event) []any {
	var in []eventbus.Input
	for _, e := range events {
		in = append(in, input(e))
	}
	var out []any
	for _, e := range b.Bus.Seed(in) {
		out = append(out, referenceFrame{e})
	}
	return out
}

// CallsBack implements [Caller].
func (b referenceBus) CallsBack() bool { return true }

// Subscribe implements [Bus].
func (b referenceBus) Subscribe(o SubscribeOptions) (Subscription, error) {
	options := eventbus.Options{MaxQueued: o.MaxQueued, Epoch: o.Epoch}
	if o.After != nil {
		options.After = eventbus.After(*o.After)
	}
	if o.Diagnose != nil {
		options.Diagnose = func(d eventbus.Diagnostic) bool {
			kind, data := callbackOf(d)
			return o.Diagnose(kind, json.RawMessage(data))
		}
	}
	sub, err := b.Bus.Subscribe(o.Signal, options)
	if err != nil {
		return nil, refused(err)
	}
	return referenceSub{sub}, nil
}

// callbackOf names a diagnostic by the frame that goes with it, and adds what triggered it to the data.
func callbackOf(d eventbus.Diagnostic) (kind string, data []byte) {
	kind = d.Kind
	if kind == eventbus.SubscriberEvicted {
		kind = "client_evicted"
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(d.Data.JSON(), &members) != nil || members == nil {
		return kind, d.Data.JSON()
	}
	members["triggerEventType"] = json.RawMessage(quoted(d.EventType))
	members["triggerEventBytes"] = fmt.Append(nil, d.EventBytes)
	data, err := encode(members)
	if err != nil {
		return kind, d.Data.JSON()
	}
	return kind, data
}

type referenceSub struct{ sub *eventbus.Subscription }

// Next implements [Subscription].
func (s referenceSub) Next(ctx context.Context) (any, error) {
	e, err := s.sub.Next(ctx)
	if errors.Is(err, eventbus.ErrEnded) {
		return nil, io.EOF
	}
	return referenceFrame{e}, err
}

// Waiting implements [Subscription].
func (s referenceSub) Waiting() bool { return s.sub.Waiting() }

// Return implements [Subscription].
func (s referenceSub) Return() { s.sub.Close() }

// Abort implements [Subscription].
func (s referenceSub) Abort() { s.sub.Abort() }

// referenceFrame is an event on its way into a reply.
type referenceFrame struct{ event *eventbus.Event }

// MarshalJSON is the event's own encoding.
func (f referenceFrame) MarshalJSON() ([]byte, error) { return f.event.AppendJSON(nil) }

// withoutData is the envelope of an event whose data cannot be encoded.
func (f referenceFrame) withoutData() []byte {
	meta := map[string]any{}
	for name, v := range f.event.Meta() {
		meta[name] = v
	}
	meta["serverTimestamp"] = f.event.Timestamp
	text, err := encode(struct {
		ID         int64          `json:"id"`
		V          int            `json:"v"`
		Type       string         `json:"type"`
		Originator string         `json:"originatorClientId,omitempty"`
		Meta       map[string]any `json:"_meta"`
	}{f.event.ID, 1, f.event.Type, f.event.Originator, meta})
	if err != nil {
		panic(fmt.Sprintf("envelope of an event: %v", err))
	}
	return text
}
