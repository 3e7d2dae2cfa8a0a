package fuzz

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// What no machine says.
const (
	noKind    = substratemodel.Kind(250)
	noCode    = substratemodel.Code(250)
	noID      = uint8(250)
	noReceipt = uint8(250)
)

// pairObject is the name of the object that a pair is about.
const pairObject = "o"

var pairKinds, pairCodes = func() (map[string]substratemodel.Kind, map[string]substratemodel.Code) {
	kinds, codes := map[string]substratemodel.Kind{}, map[string]substratemodel.Code{"": substratemodel.CodeNone}
	for k := substratemodel.KindOpen; k <= substratemodel.KindResync; k++ {
		kinds[k.String()] = k
	}
	for c := substratemodel.CodeUnauthorized; c <= substratemodel.CodeGapTimeout; c++ {
		codes[c.String()] = c
	}
	return kinds, codes
}()

func kindNamed(name string) substratemodel.Kind {
	if k, ok := pairKinds[name]; ok {
		return k
	}
	return noKind
}

func codeNamed(name string) substratemodel.Code {
	if c, ok := pairCodes[name]; ok {
		return c
	}
	return noCode
}

var pairIDs = [16]string{"id-0", "id-1", "id-2", "id-3", "id-4", "id-5", "id-6", "id-7", "id-8", "id-9", "id-10", "id-11", "id-12", "id-13", "id-14", "id-15"}

func numberOf(id string) uint8 {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "id-"))
	if err != nil || n < 0 || n >= len(pairIDs) || id != pairIDs[n] {
		return noID
	}
	return uint8(n)
}

// A tokens table knows what receipts stand for, and the receipt of each row in each life.
type tokens struct {
	known map[string]uint8
	rows  map[[2]uint64]string // by life and seq
}

func newTokens() tokens { return tokens{map[string]uint8{}, map[[2]uint64]string{}} }

// minted returns what the receipt of a row of the side stands for, in its present life. A row keeps its receipt as long as the process lives (SUBSTRATE-OUTBOX-004), and no
// other row has it, in this life or another (SUBSTRATE-ACK-005).
func (k *tokens) minted(life uint8, seq uint64, receipt string) (uint8, error) {
	at := [2]uint64{uint64(life), seq}
	was, known := k.rows[at]
	switch {
	case known && was != receipt:
		return noReceipt, fmt.Errorf("seq %d had another receipt before", seq)
	case known:
		return k.known[receipt], nil
	}
	if _, taken := k.known[receipt]; taken || len(receipt) != 16 {
		return noReceipt, fmt.Errorf("seq %d has a receipt of %d octets that was taken: %t", seq, len(receipt), taken)
	}
	minted := substratemodel.ReceiptOf(life, uint8(seq))
	k.rows[at], k.known[receipt] = receipt, minted
	return minted, nil
}

func (k *tokens) meaning(receipt string) uint8 {
	if m, ok := k.known[receipt]; ok {
		return m
	}
	return noReceipt
}

// toWire is a frame of the machine's A.
func toWire(f substratemodel.Frame) wire.Frame {
	out := wire.Frame{V: wire.Version, Kind: f.Kind.String(), Obj: pairObject, ObjKind: wire.Session, Has: wire.FieldV | wire.FieldKind | wire.FieldObj | wire.FieldObjKind}
	switch {
	case f.Kind == substratemodel.KindResync && f.Seq != 0:
		out.FromSeq, out.Has = uint64(f.Seq), out.Has|wire.FieldFromSeq
		return out
	case f.Kind == substratemodel.KindResync:
		out.Base, out.Has = uint64(f.Prev), out.Has|wire.FieldBase
		return out
	case f.Kind == substratemodel.KindBounce:
		out.Kind = wire.Err
	}
	out.ID, out.Has = pairIDs[f.ID], out.Has|wire.FieldID
	if f.Receipt != 0 {
		out.Receipt, out.Has = fmt.Appendf(nil, "receipt-%d", f.Receipt), out.Has|wire.FieldReceipt
	}
	if f.Kind.Operation() {
		out.Seq, out.Has = uint64(f.Seq), out.Has|wire.FieldSeq
		if f.Prev != f.Seq-1 {
			out.Prev, out.Has = uint64(f.Prev), out.Has|wire.FieldPrev
		}
		if f.Kind != substratemodel.KindAck {
			out.Body = []byte(out.ID)
		}
	}
	if f.Code != substratemodel.CodeNone {
		out.Code, out.Has = f.Code.String(), out.Has|wire.FieldCode
	}
	return out
}
