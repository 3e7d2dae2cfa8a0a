// Package eventbus is the bounded in-memory event bus of one session: it numbers events, keeps the newest for replay and hands
// them to subscribers, none of which can delay the publisher or one another.
//
// Start with New, Bus.Publish and Bus.Subscribe. A subscriber that resumes says After(id) and first gets what it missed, or is
// told that it cannot have all of it (state_resync_required), and then replay_complete and live events. One that does not keep
// up is warned once (slow_client_warning) and then evicted (client_evicted is its last frame); it may come back at once with
// the id of the last event it has. Frames made for one subscriber have no id and take none.
//
// What counts against a subscriber's caps is what it has not taken yet: take events when they can be handled, not ahead of
// that. Subscription.Next waits, Subscription.TryNext and Subscription.Take do not; all can be mixed, from any goroutine. Frames
// are shared: treat an Event, its payload and what its _meta refers to as read only.
//
// The memory of a bus is what its ring and its subscribers hold. Events leave it in groups of up to 64 (fewer in a ring of less
// than 512), so that many more than the ring's size may be there.
//
// The laws are those of the role bus in spec/eventbus.yaml; comments name them where they are kept. Package sse puts a bus on
// the wire.
package eventbus
