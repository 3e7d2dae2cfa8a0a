package corpus

import (
	"errors"
	"fmt"
	"slices"
)

// SubstrateRules are the rules by which a message may be no frame, or a frame not be encoded.
func SubstrateRules() []string {
	return []string{
		"oversize", "truncated", "trailing", "indefinite", "not-shortest", "reserved", "tagged", "float", "negative", "simple", "not-utf8",
		"key-type", "duplicate", "unsorted", "too-deep", "too-many-pairs", "too-many-unknown", "shape", "unlisted",
	}
}

// CodeClasses are what the codes of the substrate may mean.
func CodeClasses() []string { return []string{"terminal-op", "terminal-object", "retryable"} }

// WireFields are the fields of an envelope.
func WireFields() []string {
	return []string{
		"v", "id", "cap", "msg", "obj", "seq", "base", "code", "kind", "prev", "label", "level", "fromSeq", "objKind", "receipt",
	}
}

func (v *SubstrateVector) check() error {
	return checkOp(v.Op, map[SubstrateOp]func() error{
		DecodeFrame: v.checkDecode, EncodeFrame: v.checkEncode, ClassOfCode: v.checkClass,
		DialHandshake: v.checkHandshake, ListenHandshake: v.checkHandshake,
	}, v.fields())
}

func (v *SubstrateVector) fields() []field[SubstrateOp] {
	w := &v.Want
	handshake := []SubstrateOp{DialHandshake, ListenHandshake}
	return []field[SubstrateOp]{
		{"octets", v.Octets != nil, []SubstrateOp{DecodeFrame}},
		{"feeds", v.Feeds, []SubstrateOp{DecodeFrame}},
		{"frame", v.Frame != nil, []SubstrateOp{EncodeFrame}},
		{"code", v.Code != nil, []SubstrateOp{ClassOfCode}},
		{"side", v.Side != nil, handshake},
		{"hears", v.Hears != nil, handshake},
		{"age", v.Age != 0, handshake},
		{"want.frame", w.Frame != nil, []SubstrateOp{DecodeFrame}},
		{"want.fault", w.Fault != nil, []SubstrateOp{DecodeFrame}},
		{"want.refused", w.Refused != nil, []SubstrateOp{DecodeFrame, EncodeFrame}},
		{"want.closes", w.Closes != 0, append(handshake, DecodeFrame)},
		{"want.octets", w.Octets != nil, []SubstrateOp{EncodeFrame}},
		{"want.class", w.Class != "", []SubstrateOp{ClassOfCode}},
		{"want.sends", w.Sends != nil, handshake},
		{"want.ready", w.Ready != nil, handshake},
	}
}

func (v *SubstrateVector) checkDecode() error {
	w := &v.Want
	switch {
	case v.Octets == nil:
		return errors.New("decode needs octets; write octets: '' for none")
	case (w.Frame != nil) == (w.Refused != nil):
		return errors.New("decode wants exactly one of frame and refused")
	case w.Refused != nil && w.Fault != nil:
		return errors.New("what is no frame has no fault")
	case (w.Refused != nil) != (w.Closes != 0):
		return errors.New("a message that is refused closes the connection, and no other does")
	case w.Frame == nil:
		return checkRules(w.Refused)
	case w.Frame.Unknown < 0:
		return fmt.Errorf("%d unknown keys", w.Frame.Unknown)
	case w.Fault != nil && w.Fault.Code == "":
		return errors.New("fault without a code")
	}
	for i, name := range w.Frame.Odd {
		if !slices.Contains(WireFields(), name) || slices.Contains(w.Frame.Odd[:i], name) {
			return fmt.Errorf("odd field %q is none, or listed twice", name)
		}
	}
	return nil
}

func (v *SubstrateVector) checkEncode() error {
	w := &v.Want
	switch {
	case v.Frame == nil:
		return errors.New("encode needs a frame")
	case v.Frame.Odd != nil || v.Frame.Unknown != 0:
		return errors.New("encode knows neither odd fields nor unknown keys")
	case (w.Octets != nil) == (w.Refused != nil):
		return errors.New("encode wants exactly one of octets and refused")
	}
	return checkRules(w.Refused)
}

func checkRules(rules Rules) error {
	for i, rule := range rules {
		if !slices.Contains(SubstrateRules(), rule) || slices.Contains(rules[:i], rule) {
			return fmt.Errorf("rule %q is none, or listed twice", rule)
		}
	}
	return nil
}

func (v *SubstrateVector) checkClass() error {
	if v.Code == nil {
		return errors.New("class needs a code")
	}
	return checkChoices([]choice{{"class", v.Want.Class, CodeClasses()}})
}

func (v *SubstrateVector) checkHandshake() error {
	s, w := v.Side, &v.Want
	switch {
	case s == nil:
		return fmt.Errorf("%s needs a side", v.Op)
	case w.Sends == nil:
		return fmt.Errorf("%s wants no sends; write sends: [] for none", v.Op)
	case w.Ready != nil && w.Closes != 0:
		return errors.New("a side that is ready does not close")
	case v.Age < 0:
		return fmt.Errorf("age %d is negative", v.Age)
	case v.Op == ListenHandshake && len(v.Hears) == 0:
		return errors.New("a listener that hears nothing says nothing")
	}
	sizes := []struct {
		name  string
		value Hex
		size  int
	}{{"epoch", s.Epoch, 8}, {"nonce", s.Nonce, 16}, {"challenge", s.Challenge, 32}, {"decoy", s.Decoy, 32}}
	for peer, key := range s.Keys {
		sizes = append(sizes, struct {
			name  string
			value Hex
			size  int
		}{"key of " + peer, key, 32})
	}
	for _, f := range sizes {
		if len(f.value) != f.size {
			return fmt.Errorf("%s has %d octets, not %d", f.name, len(f.value), f.size)
		}
	}
	return nil
}
