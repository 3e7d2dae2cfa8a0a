package databustest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/impl/databus"
	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// ServeReference is the adapter around the reference, impl/databus: it answers requests from r on w until r ends.
func ServeReference(ctx context.Context, r io.Reader, w io.Writer) error {
	return serve("assay databus", Reference, referenceBackend(), hooks{})(ctx, r, w)
}

var _ adapter.Adapter = ServeReference

// Reference makes buses of impl/databus. It is a [Factory], and shows how one is written.
func Reference(s Settings) (Bus, error) {
	rules := map[string]cluster.Rules{v010: cluster.V010(), fenced: cluster.Fenced()}
	r, known := rules[s.Version]
	if !known {
		return nil, fmt.Errorf("%w: %q", ErrVersion, s.Version)
	}
	return referenceWith(s, r)
}

// referenceWith makes a bus of impl/databus with some rules.
func referenceWith(s Settings, rules cluster.Rules) (Bus, error) {
	waits := &turns{}
	cfg := databus.Config{
		Transport: referenceLine{s.Transport, waits}, Rules: rules, ClusterKey: s.ClusterKey, Prefix: s.Prefix, TabID: s.TabID,
		WorkerID: s.WorkerID, Heartbeat: s.Heartbeat, TTL: s.TTL, MaxActive: s.MaxActive, Visibility: record.Visibility(s.Visibility),
		AutoStart: s.AutoStart, Page: &databus.Page{Session: s.Session, HasOpener: s.Opener},
		Environment: databus.Environment{
			Clock: s.Clock, RandomID: s.Random, Defer: s.Flush,
			Go: func(f func()) { s.Later(func() { waits.run(f) }) },
		},
	}
	if s.Storage != nil {
		cfg.Environment.Storage = s.Storage
	}
	if s.Open != nil {
		cfg.Environment.Open = func(name string, receive func(signal.Frame)) (cluster.Channel, error) {
			c, err := s.Open(name, func(message json.RawMessage) {
				if f, err := signal.Decode(message); err == nil {
					receive(f)
				}
			})
			return referenceChannel{c}, err
		}
	}
	if s.Trace != nil {
		cfg.Trace = databus.Trace{Enabled: true, Interval: s.Window, Sink: func(e databus.TraceEvent) {
			if e.Metrics == nil {
				s.Trace(e.Name, nil)
				return
			}
			m := Metrics(*e.Metrics)
			s.Trace(e.Name, &m)
		}}
	}
	bus, err := databus.New(cfg)
	if err != nil {
		return nil, err
	}
	bus.OnError(s.Error)
	bus.OnStatus(func(status databus.Status) { s.Status(string(status)) })
	return referenceBus{bus}, nil
}

type referenceBus struct{ bus *databus.Bus }

// Start implements [Bus].
func (r referenceBus) Start(done func(error)) { r.bus.StartThen(done) }

// Stop implements [Bus].
func (r referenceBus) Stop(done func(error)) { r.bus.StopThen(done) }

// Ready implements [Bus].
func (r referenceBus) Ready(done func(error)) { r.bus.ReadyThen(done) }

// Subscribe implements [Bus].
func (r referenceBus) Subscribe(topic string, handler func(string, json.RawMessage)) (func(), error) {
	s, err := r.bus.Subscribe(topic, handler)
	if err != nil {
		return nil, err
	}
	return s.Unsubscribe, nil
}

// Publish implements [Bus].
func (r referenceBus) Publish(topic string, data json.RawMessage) { r.bus.Publish(topic, data) }

// PageHide implements [Bus].
func (r referenceBus) PageHide() { r.bus.PageHide() }

// PageShow implements [Bus].
func (r referenceBus) PageShow() { r.bus.PageShow() }

// Visibility implements [Bus].
func (r referenceBus) Visibility(state string) { r.bus.Visibility(record.Visibility(state)) }

// View implements [Bus].
func (r referenceBus) View() View {
	s := r.bus.Snapshot()
	return View{
		TabID: s.Self.TabID, WorkerID: s.Self.WorkerID, Status: string(r.bus.Status()), Active: s.Active, Local: s.Active && !s.Coordinated,
		Subscribed: s.Subscribed, Assigned: s.Assigned, Known: listed(slices.Sorted(maps.Keys(s.Known))), Pending: listed(s.Pending),
		Role: string(s.Self.Role),
	}
}

// referenceChannel encodes what the bus posts.
type referenceChannel struct{ c Channel }

// Post sends a frame.
func (r referenceChannel) Post(f signal.Frame) error {
	message, err := signal.Encode(f)
	if err != nil {
		return err
	}
	return r.c.Post(message)
}

// Close closes the channel.
func (r referenceChannel) Close() { r.c.Close() }

// referenceLine waits for the transport as a bus of impl/databus wants it to.
type referenceLine struct {
	t     Transport
	waits *turns
}

// Start opens the transport.
func (r referenceLine) Start(_ context.Context, to databus.Receiver) error {
	var err error
	r.waits.wait(func(over func()) {
		r.t.Open(Receiver{Status: func(s string) { to.Status(databus.Status(s)) }, Message: to.Message}, func(e error) {
			err = e
			over()
		})
	})
	return err
}

// Stop closes the transport.
func (r referenceLine) Stop(context.Context) error {
	r.t.Close()
	return nil
}

// Subscribe subscribes a topic.
func (r referenceLine) Subscribe(topic string) { r.t.Subscribe(topic) }

// Unsubscribe ends that.
func (r referenceLine) Unsubscribe(topic string) { r.t.Unsubscribe(topic) }

// Publish publishes.
func (r referenceLine) Publish(topic string, data json.RawMessage) error {
	r.t.Publish(topic, data)
	return nil
}
