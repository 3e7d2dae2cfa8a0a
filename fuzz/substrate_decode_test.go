package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// FuzzSubstrateDecode reads any octets as a message with the reference and with the machine: both take it or neither does, and then with one close code; the same fields, the
// same fault with and without feeds, and the same octets again.
func FuzzSubstrateDecode(f *testing.F) {
	for _, v := range substrateVectors(f, corpus.DecodeFrame) {
		if len(*v.Octets) <= largestSeed/4 {
			f.Add([]byte(*v.Octets))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := messageReadAs(b); err != nil {
			t.Fatalf("%x: %v", b, err)
		}
	})
}

func messageReadAs(b []byte) error {
	want, closed := substratemodel.DecodeWire(b)
	input := slices.Clone(b)
	got, err := wire.Decode(input)
	again, errAgain := wire.Decode(input)
	if !bytes.Equal(input, b) {
		return errors.New("the message was written to")
	}
	overwrite(input)
	// SUBSTRATE-CODEC-005
	if fmt.Sprint(err) != fmt.Sprint(errAgain) || !maps.Equal(fieldsOfFrame(&got), fieldsOfFrame(&again)) {
		return fmt.Errorf("decoded as %v, %w, then %v, %w", got, err, again, errAgain)
	}
	_, errItem := substratemodel.DecodeItem(b)
	if theirs := wire.CheckItem(b); (theirs == nil) != (errItem == nil) {
		return fmt.Errorf("one item: %w, but the machine says %w", theirs, errItem)
	}
	var refusal *wire.Error
	if errors.As(err, &refusal) != (closed != 0) || refusal != nil && int(refusal.CloseCode()) != closed {
		return fmt.Errorf("the reference says %w, the machine closes with %d", err, closed)
	}
	if closed != 0 {
		return nil
	}
	if err := sameWireFrame(fieldsOfMachine(want), fieldsOfFrame(&got)); err != nil {
		return err
	}
	for feeds, check := range map[bool]func() *wire.Fault{false: got.Check, true: got.CheckFeed} {
		var fault *corpus.WireFault
		if is := check(); is != nil {
			fault = &corpus.WireFault{Code: is.Code, Reply: is.Reply, Echo: is.Echo}
		}
		if err := sameFault(faultOfMachine(want, feeds), fault); err != nil {
			return fmt.Errorf("feeds %t: %w", feeds, err)
		}
	}
	// SUBSTRATE-FINALITY-002
	if class := className(wire.ClassOf(got.Code)); class != string(substratemodel.ClassOf(got.Code)) {
		return fmt.Errorf("code %q is %s", got.Code, class)
	}
	// SUBSTRATE-CODEC-001, SUBSTRATE-CODEC-003
	out, err := wire.Append(nil, &got)
	if err != nil || !bytes.Equal(out, want.Encode()) || want.Unknown == 0 && !bytes.Equal(out, b) {
		return fmt.Errorf("encodes to %x, %w", out, err)
	}
	return nil
}
