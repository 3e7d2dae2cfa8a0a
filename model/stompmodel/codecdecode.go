package stompmodel

// Feed reads one chunk. An error loses the events that the same chunk completed before it (STOMP-FRAME-017).
func (c Codec) Feed(s CodecState, chunk []byte) (CodecState, []Event, *CodecError) {
	if s.phase == over {
		// STOMP-FRAME-018: even an empty chunk fails.
		return s, nil, s.fault(RuleSpent)
	}
	// STOMP-FRAME-012: but for the count of events, a step does not know where a chunk begins.
	var events []Event
	s = c.BeginFeed(s)
	for _, b := range chunk {
		next, event, err := c.Step(s, b)
		s = next
		if err != nil {
			return s, nil, err
		}
		if event != nil {
			events = append(events, *event)
		}
	}
	return s, events, nil
}

// End says that the stream is over. It succeeds once, in command position with an empty line (STOMP-FRAME-019, STOMP-FRAME-020), and spends the decoder.
func (c Codec) End(s CodecState) (CodecState, *CodecError) {
	spent := CodecState{phase: over, version: s.version, offset: s.offset, feed: s.feed}
	switch {
	case s.phase == over:
		return spent, s.fault(RuleSpent)
	case !s.Idle():
		return spent, s.fault(RuleTruncated)
	}
	return spent, nil
}

// Decoded is the result of a whole stream.
type Decoded struct {
	// Events holds, in order, what the feeds before the first failing one returned.
	Events []Event
	// PerFeed holds the number of events that each feed returned; feeds from the first failing one on are left out.
	PerFeed []int
	// Err is the first error, or nil.
	Err *CodecError
	// Version is the version in force at the end.
	Version Version
}

// Decode feeds the chunks in order to a fresh decoder, and ends it if end is true, stopping at the first error of the stream. The error returned is
// that of cfg.Validate.
func Decode(cfg CodecConfig, chunks [][]byte, end bool) (Decoded, error) {
	c, err := NewCodec(cfg)
	if err != nil {
		return Decoded{}, err
	}
	var d Decoded
	s := c.Init()
	for _, chunk := range chunks {
		next, events, fault := c.Feed(s, chunk)
		s = next
		if fault != nil {
			d.Err, d.Version = fault, s.version
			return d, nil
		}
		d.Events = append(d.Events, events...)
		d.PerFeed = append(d.PerFeed, len(events))
	}
	if end {
		s, d.Err = c.End(s)
	}
	d.Version = s.version
	return d, nil
}
