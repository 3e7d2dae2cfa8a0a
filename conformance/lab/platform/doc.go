// Package platform measures, in a real browser, what the machine and the reference of the cross-tab data bus take for granted about
// the storage, the channel, the page events and the clock that tabs of one origin have.
//
// Start with [Run], which starts a headless Chromium, opens the package's own pages on loopback and returns a [Report] with one
// [Finding] for each assumption, in the order of [Assumptions]. A finding says that the assumption holds, that it does not, or that
// this could not be decided, with counts and the shortest counterexample that was seen, and which laws and which rule of the machine
// rest on it. Where the platform does not do what the machine supposes, it names the switch of the machine that covers this, if one does.
//
// What holds was not seen to break in so many trials on one machine; it is no proof. Nothing leaves loopback.
package platform
