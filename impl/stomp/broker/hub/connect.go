package hub

import (
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// Negotiate returns the version that a CONNECT or STOMP frame leads to, and whether there is a common one;
// if not, the highest on offer.
func (h *Hub) Negotiate(f *frame.Frame) (frame.Version, bool) {
	accept, ok := f.Get("accept-version")
	if !ok {
		// STOMP-NEGOTIATE-002
		accept = "1.0"
	}
	best, found := h.highest(), false
	for name := range strings.SplitSeq(accept, ",") {
		v, known := frame.ParseVersion(strings.Trim(name, " "))
		// STOMP-NEGOTIATE-003
		if known && slices.Contains(h.cfg.Versions, v) && (!found || v > best) {
			best, found = v, true
		}
	}
	return best, found
}

// Connect handles a CONNECT or STOMP frame (STOMP-CONNECT-004, STOMP-CONNECT-005), which may be borrowed.
// Denied is why the driver's authentication refused it, or nil.
func (h *Hub) Connect(s *Session, f *frame.Frame, now int64, denied error) {
	if s.state >= ending {
		return
	}
	h.stats.Received++
	if p := h.connect(s, f, now, denied); p != nil {
		// STOMP-CONNECT-008
		h.fail(s, p, f)
	}
}

func (h *Hub) connect(s *Session, f *frame.Frame, now int64, denied error) *Problem {
	if s.state == active {
		// STOMP-CONNECT-007: a second CONNECTED must not follow.
		return problem("the session is connected already")
	}
	version, ok := h.Negotiate(f)
	if !ok {
		// STOMP-NEGOTIATE-004
		return &Problem{Text: "no common version, supported are " + h.versions, Versions: h.versions}
	}
	s.version = version
	if host, ok := s.get(f, "host"); len(h.cfg.Hosts) > 0 && (ok || version > frame.V10) && !slices.Contains(h.cfg.Hosts, host) {
		// STOMP-CONNECT-009
		return problem("unknown host")
	}
	if denied != nil {
		return &Problem{Text: "access denied", Cause: denied}
	}
	ours := heartbeat.Pair{}
	if version > frame.V10 {
		p := h.beat(s, f, now)
		if p != nil {
			return p
		}
		ours = h.cfg.HeartBeat
	}

	answer := frame.New(frame.CONNECTED)
	if _, asked := f.Get("accept-version"); asked {
		// STOMP-CONNECT-010; a peer that asks for nothing may know nothing of this header.
		answer.Headers = append(answer.Headers, frame.Header{Name: "version", Value: version.String()})
	}
	// STOMP-CONNECT-011
	answer.Headers = append(answer.Headers, frame.Header{Name: "session", Value: s.id})
	if version > frame.V10 {
		answer.Headers = append(answer.Headers,
			frame.Header{Name: "server", Value: h.cfg.Server},
			frame.Header{Name: "heart-beat", Value: ours.String()})
	}
	if err := h.emit(s, answer); err != nil {
		return &Problem{Text: "cannot say CONNECTED", Cause: err}
	}
	s.state = active
	h.stats.Connected++
	return nil
}

// beat negotiates heart-beats and starts the clock of s.
func (h *Hub) beat(s *Session, f *frame.Frame, now int64) *Problem {
	theirs := heartbeat.Pair{}
	if value, ok := f.Get("heart-beat"); ok {
		pair, err := heartbeat.Parse(value)
		if err != nil {
			// STOMP-HEARTBEAT-009
			return &Problem{Text: "bad heart-beat header", Cause: err}
		}
		theirs = pair
	}
	// STOMP-HEARTBEAT-002: without the header both are 0.
	receive, send, err := heartbeat.Negotiate(theirs, h.cfg.HeartBeat)
	if err != nil {
		return &Problem{Text: "bad heart-beat header", Cause: err}
	}
	if receive == 0 && send == 0 {
		return nil
	}
	// STOMP-HEARTBEAT-004: the promise is data at least every interval, so the beat must leave before.
	send -= min(send/4, 250)
	clock, err := heartbeat.New(send, receive, h.cfg.Tolerance, now)
	if err != nil {
		return &Problem{Text: "bad heart-beat header", Cause: err}
	}
	s.clock = clock
	return nil
}
