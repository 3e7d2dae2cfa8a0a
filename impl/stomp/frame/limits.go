package frame

// Limits bounds what a decoder holds for one frame and returns from one feed. They are no promise about total memory
// (STOMP-LIMIT-020): the caller chooses the chunk size and how many frames it keeps.
type Limits struct {
	// Line is the largest number of octets in a command or header line before its LF; a CR counts, the LF does not,
	// and escapes count as written. At least 1.
	Line int
	// Headers is the largest number of header lines in a frame, repeats included. At least 0.
	Headers int
	// Body is the largest number of body octets in a frame. At least 0.
	Body int
	// Events is the largest number of frames and heart-beats one feed may complete. At least 1.
	Events int
}

// DefaultLimits returns 8192 octets a line, 128 headers, 1048576 body octets and 1024 events a feed
// (STOMP-LIMIT-001, STOMP-LIMIT-003, STOMP-LIMIT-004, STOMP-LIMIT-006).
func DefaultLimits() Limits {
	return Limits{Line: 8192, Headers: 128, Body: 1 << 20, Events: 1024}
}

// Validate returns a *Error with rule ConfigRule that names the first field out of range, or nil.
func (l Limits) Validate() error {
	// STOMP-LIMIT-007
	for _, f := range [...]struct {
		name       string
		value, min int
	}{
		{"Limits.Line", l.Line, 1},
		{"Limits.Headers", l.Headers, 0},
		{"Limits.Body", l.Body, 0},
		{"Limits.Events", l.Events, 1},
	} {
		if f.value < f.min {
			return &Error{
				Rule: ConfigRule, Offset: -1, Limit: int64(f.min), Found: int64(f.value),
				Law: "STOMP-LIMIT-007", Detail: f.name + " is below its minimum",
			}
		}
	}
	return nil
}

// Bounds limits what an Encoder may write. Every field is taken as it stands, 0 included.
type Bounds struct {
	// Pair is the largest sum of the octets of a header's name and value, before escaping (STOMP-LIMIT-009).
	Pair int
	// Headers is the largest number of header lines on the wire, an automatic content-length included (STOMP-LIMIT-010).
	Headers int
	// Body is the largest number of body octets (STOMP-LIMIT-011).
	Body int
}

// ClientBounds returns what the client session allows itself to send: 2047 octets a header, 128 headers, 1048576 body
// octets. A frame within these bounds always fits a decoder with DefaultLimits (STOMP-LIMIT-013).
func ClientBounds() Bounds { return Bounds{Pair: 2047, Headers: 128, Body: 1 << 20} }
