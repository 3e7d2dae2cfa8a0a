package fuzz

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// substrateVectors returns the vectors of the substrate with one of the operations, or all.
func substrateVectors(t testing.TB, ops ...corpus.SubstrateOp) []corpus.SubstrateVector {
	t.Helper()
	return withOps(t, corpus.SubstrateVectors, func(v corpus.SubstrateVector) corpus.SubstrateOp { return v.Op }, ops)
}

// machineSubstrate runs a vector on the machine, which knows of no rules but only that a message is no frame.
func machineSubstrate(v *corpus.SubstrateVector) error {
	switch v.Op {
	case corpus.DecodeFrame:
		return machineDecodeFrame(v)
	case corpus.EncodeFrame:
		return machineEncodeFrame(v)
	case corpus.ClassOfCode:
		if got := substratemodel.ClassOf(string(*v.Code)); string(got) != v.Want.Class {
			return fmt.Errorf("class %s, want %s", got, v.Want.Class)
		}
		return nil
	case corpus.DialHandshake, corpus.ListenHandshake:
		return sameHeard(v, machineHears(v.Op == corpus.DialHandshake, v.Side, v.Hears, v.Age))
	}
	return fmt.Errorf("unknown op %q", v.Op)
}

func machineDecodeFrame(v *corpus.SubstrateVector) error {
	f, closed := substratemodel.DecodeWire(*v.Octets)
	if closed != v.Want.Closes {
		return fmt.Errorf("closes with %d, want %d", closed, v.Want.Closes)
	}
	if closed != 0 {
		return nil
	}
	if f.Unknown != v.Want.Frame.Unknown {
		return fmt.Errorf("%d unknown keys, want %d", f.Unknown, v.Want.Frame.Unknown)
	}
	if err := sameWireFrame(fieldsOfVector(v.Want.Frame), fieldsOfMachine(f)); err != nil {
		return err
	}
	if err := sameFault(v.Want.Fault, faultOfMachine(f, v.Feeds)); err != nil {
		return err
	}
	if out := f.Encode(); f.Unknown == 0 && !slices.Equal(out, *v.Octets) {
		return fmt.Errorf("encodes to %.200x", out)
	}
	return nil
}

func faultOfMachine(f substratemodel.WireFrame, feeds bool) *corpus.WireFault {
	got := f.Check(feeds)
	if got.Code == "" {
		return nil
	}
	return &corpus.WireFault{Code: got.Code, Reply: got.Reply, Echo: got.Echo}
}

// fieldsOfMachine returns what is in a frame of the machine. A field with a value of another type is as one that is zero.
func fieldsOfMachine(f substratemodel.WireFrame) frameFields {
	zero := fieldsOfVector(&corpus.WireFrame{Odd: corpus.WireFields()})
	types := map[string]substratemodel.ItemType{
		"v": substratemodel.ItemUint, "seq": substratemodel.ItemUint, "base": substratemodel.ItemUint, "prev": substratemodel.ItemUint,
		"label": substratemodel.ItemUint, "fromSeq": substratemodel.ItemUint, "receipt": substratemodel.ItemBytes, "cap": substratemodel.ItemBytes,
	}
	out := frameFields{}
	for name, value := range f.Env {
		want, other := types[name]
		if !other {
			want = substratemodel.ItemText
		}
		switch {
		case value.Type != want:
			out[name] = zero[name]
		case want == substratemodel.ItemUint:
			out[name] = number(value.Number)
		case want == substratemodel.ItemBytes:
			out[name] = hex.EncodeToString([]byte(value.Octets))
		default:
			out[name] = value.Octets
		}
	}
	if f.HasBody {
		out["body"] = f.Body
	}
	return out
}

// machineOfVector is a frame of the corpus as the machine has it.
func machineOfVector(f *corpus.WireFrame) substratemodel.WireFrame {
	out := substratemodel.WireFrame{Env: map[string]substratemodel.Item{}, HasBody: f.Body != nil, Body: string(valueOf(f.Body))}
	for name, n := range map[string]*uint64{"v": f.V, "seq": f.Seq, "base": f.Base, "prev": f.Prev, "label": f.Label, "fromSeq": f.FromSeq} {
		if n != nil {
			out.Env[name] = substratemodel.Number(*n)
		}
	}
	for name, s := range map[string]*corpus.Text{
		"kind": f.Kind, "obj": f.Obj, "objKind": f.ObjKind, "id": f.ID, "code": f.Code, "msg": f.Msg, "level": f.Level,
	} {
		if s != nil {
			out.Env[name] = substratemodel.Text(string(*s))
		}
	}
	for name, b := range map[string]*corpus.Hex{"receipt": f.Receipt, "cap": f.Cap} {
		if b != nil {
			out.Env[name] = substratemodel.Octets(*b)
		}
	}
	return out
}

// SUBSTRATE-CODEC-001: what does not come back as it was must not be written.
func machineEncodeFrame(v *corpus.SubstrateVector) error {
	f := machineOfVector(v.Frame)
	out := f.Encode()
	back, closed := substratemodel.DecodeWire(out)
	same := closed == 0 && maps.Equal(fieldsOfMachine(back), fieldsOfMachine(f))
	if same == (v.Want.Refused != nil) {
		return fmt.Errorf("%.200x comes back: %t", out, same)
	}
	if same && !slices.Equal(out, *v.Want.Octets) {
		return fmt.Errorf("wrote %.200x, want %.200x", out, []byte(*v.Want.Octets))
	}
	return nil
}

// partyOf is a side of the corpus as the machine has it.
func partyOf(dials bool, s *corpus.Side, age int64) substratemodel.Party {
	p := substratemodel.Party{
		Dials: dials, Peer: string(s.Peer), Epoch: [8]byte(s.Epoch), Nonce: [16]byte(s.Nonce), Challenge: [32]byte(s.Challenge), Decoy: [32]byte(s.Decoy), Age: age,
		Offer: substratemodel.Offer{
			Versions: []uint64{1}, Features: append([]string{"dedupeScope:peer"}, s.Features...), Auth: []string{"none"}, Codec: []string{"cbor"},
			Seal: s.Seal, Sign: s.Sign,
		},
	}
	slices.Sort(p.Offer.Features)
	for _, suites := range []*[]string{&p.Offer.Seal, &p.Offer.Sign} {
		if *suites == nil {
			*suites = []string{"none"}
		}
	}
	if s.Keys != nil {
		p.Offer.Auth = []string{"mka-hmac-sha256"}
		p.Keys = map[string][32]byte{}
		for peer, key := range s.Keys {
			p.Keys[peer] = [32]byte(key)
		}
	}
	return p
}

func machineHears(dials bool, s *corpus.Side, hears []corpus.Hex, age int64) heard {
	p := partyOf(dials, s, age)
	var messages [][]byte
	for _, b := range hears {
		messages = append(messages, b)
	}
	got := p.Hear(messages)
	out := heard{sends: got.Sends, closes: got.Closed, at: got.Messages}
	if a := got.Ready; a != nil {
		out.ready = &corpus.Agreed{
			Version: a.Tuple.Version, Features: a.Tuple.Features, Auth: a.Tuple.Auth, Seal: a.Tuple.Seal, Sign: a.Tuple.Sign, Codec: a.Tuple.Codec,
			DedupeScope: a.Tuple.Scope, ConnID: a.Tuple.ConnID[:], Transcript: a.Transcript[:], Peer: a.Peer, Epoch: corpus.Hex(a.Epoch),
		}
	}
	return out
}
