// Package reducer is the view of a session that a reader of its event stream keeps: a value, and a pure function that
// takes one event to the next value.
//
// # Where to start
//
// [New] gives the view of a session that was just loaded, and [View.After] the view after one event. A view whose
// AwaitingResync is true has missed events: load the session again and start anew, nothing else ends it
// (EVENTBUS-REDUCER-004).
//
// # What it promises
//
// After never fails, whatever the event. It changes no view that it was given, and what it returns may share memory with
// what it got. A view holds at most 64 pending permissions, 64 votes and 32 forbidden votes.
//
// The rules that say when the data of a known type is well-formed are those of SDK 0.1.14, for both lists of types.
package reducer
