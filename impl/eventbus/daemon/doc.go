// Package daemon serves sessions, each with an event bus, over HTTP, and shows one of them live on a page.
//
// # Where to start
//
// [New] gives an http.Handler; [Daemon.Serve] runs it on a listener until a context is done. Open the root address in a
// browser to see what a bus does.
//
//	POST   /session                      {"sessionId"}
//	DELETE /session/{id}                 publishes session_closed, then closes the bus
//	GET    /session/{id}/events          the event stream; ?maxQueued, ?snapshot=1
//	POST   /session/{id}/publish         one event or an array of them: {"lastEventId","events"}
//	GET    /session/{id}/state           what the bus holds
//	POST   /session/{id}/cut             ends all event streams, as a broken connection would
//	POST   /session/{id}/readers         a reader inside the daemon that takes its time: {"readerId"}
//	DELETE /session/{id}/readers/{n}
//	GET    /capabilities, /health, /
//
// An event is {"type","data"?,"originatorClientId"?,"_meta"?}. Every refusal is JSON with error and code.
//
// # What it is not
//
// There is no login. Requests whose Host is neither an IP address, nor localhost, nor one of [Config.Hosts], and requests
// of pages of other origins, are refused, so that no web page that its user happens to visit can reach it. Nothing is kept on
// disk: a session ends with the daemon.
package daemon
