// Package observe is what the substrate tells about itself: log lines, metrics, events and spans, each behind a narrow interface.
// Start with [Bag]. Its zero value, [NoObservability], observes nothing and costs a comparison per call.
//
// Code that is observed calls the methods of Bag, never those of the interfaces: the methods pass over what is absent and keep a
// panic of an observer from its caller, so that observation never changes behaviour (SUBSTRATE-OBSERVE-002). Nothing here can carry
// a capability token or a body: no type has a field for one (SUBSTRATE-AUTHZ-010).
//
// The sinks that need a foreign package are packages of their own, slogsink and otelsink; this one needs none
// (SUBSTRATE-OBSERVE-001).
package observe
