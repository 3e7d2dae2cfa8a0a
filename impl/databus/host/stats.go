package host

import "sync/atomic"

// Stats count what the channels of a host have done since it was opened.
type Stats struct {
	Posted    int64 // frames, each once, however many it went to
	Sent      int64 // copies of frames that another process has been given
	Dropped   int64 // copies that it has not: it was too slow, or gone
	Received  int64 // frames that were handed on
	Malformed int64 // that were none
	Refused   int64 // connections that were not taken, or cut off: too many, silent, of another cluster, or with a frame too long or too slow
	Removed   int64 // sockets of processes that had died
	Peers     int64 // that are known now
}

type counters struct {
	posted, sent, dropped, received, malformed, refused, removed, peers atomic.Int64
}

// Stats returns what has been counted.
func (h *Host) Stats() Stats {
	c := &h.count
	return Stats{
		Posted: c.posted.Load(), Sent: c.sent.Load(), Dropped: c.dropped.Load(), Received: c.received.Load(),
		Malformed: c.malformed.Load(), Refused: c.refused.Load(), Removed: c.removed.Load(), Peers: c.peers.Load(),
	}
}
