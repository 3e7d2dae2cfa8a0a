// Package lab knows real third-party STOMP brokers and event-stream daemons: how to see whether one is
// installed, how to start it on numeric loopback with a throw-away data folder, when it is ready, and how to stop
// it.
//
// Start with [All] or [Find], then [Broker.Installed] and [Broker.Start]. The [Running] broker
// names its endpoints and the profile with which to judge it. Every one that was started must
// be ended with [Running.Stop]. The script install.sh in this folder installs all of them.
//
// A broker is ready when each of its endpoints has answered CONNECT with CONNECTED, or a request over HTTP; no log line
// and no pause is ever taken for readiness. Ports are chosen at start, outside of the range from
// which the system takes those of outgoing connections, and are held by the lab until Stop, so that several
// labs run side by side. Nothing is ever bound to, or sent to, an address that is not loopback.
//
// The package judges nothing, and never runs a broker inside Assay's own process.
package lab
