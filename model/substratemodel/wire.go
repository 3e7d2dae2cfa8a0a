package substratemodel

import "errors"

// A WireFrame is one message of a ready connection, as its octets say it. SUBSTRATE-WIRE-001
type WireFrame struct {
	// Env has the fields that the laws name, by name, with whatever value is there.
	Env map[string]Item
	// Unknown counts the other keys of the envelope, which mean nothing. SUBSTRATE-WIRE-005
	Unknown int
	Body    string
	HasBody bool // a body of no octets is not the same as none: SUBSTRATE-WIRE-004
}

// The codes that a connection is closed with over one message.
const (
	CloseTimedOut    = 4001
	CloseDisagreed   = 4002
	CloseUnproven    = 4003
	CloseBadProtocol = 4004
	CloseTooLarge    = 4009
)

// maxUnknownKeys: SUBSTRATE-WIRE-005
const maxUnknownKeys = 8

// DecodeWire reads a message. If it is no frame, closed is the code that the connection ends with. SUBSTRATE-WIRE-001, SUBSTRATE-WIRE-006, SUBSTRATE-CODEC-004
func DecodeWire(b []byte) (f WireFrame, closed int) {
	it, err := DecodeItem(b)
	if errors.Is(err, errTooLarge) {
		return f, CloseTooLarge
	}
	env, has := it.Get("env")
	if err != nil || it.Type != ItemMap || !has || env.Type != ItemMap {
		return WireFrame{}, CloseBadProtocol
	}
	body, has := it.Get("body")
	others := len(it.Members) - 1
	if has {
		others--
	}
	if others > 0 || has && body.Type != ItemBytes {
		return WireFrame{}, CloseBadProtocol
	}
	f = WireFrame{Env: map[string]Item{}, Body: body.Octets, HasBody: has}
	for _, m := range env.Members {
		if _, named := wireFieldOf(m.Key); named {
			f.Env[m.Key] = m.Value
		} else {
			f.Unknown++
		}
	}
	if f.Unknown > maxUnknownKeys {
		return WireFrame{}, CloseBadProtocol
	}
	return f, 0
}

// Encode writes the frame without the keys that mean nothing. SUBSTRATE-CODEC-001, SUBSTRATE-CODEC-002
func (f WireFrame) Encode() []byte {
	env := Map()
	for name, value := range f.Env {
		env.Members = append(env.Members, Member{name, value})
	}
	whole := Map(Member{"env", env})
	if f.HasBody {
		whole.Members = append(whole.Members, Member{"body", Octets(f.Body)})
	}
	return whole.Encode()
}
