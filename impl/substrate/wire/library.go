package wire

import (
	"math"
	"sync"

	"github.com/fxamacker/cbor/v2"
)

// readable is how the library is told to read what the walk has passed. Keys match by their octets alone, and the library's own bounds
// on counts are out of the way: the walk has held the counts against the octets.
var readable = sync.OnceValue(func() cbor.DecMode {
	mode, err := cbor.DecOptions{
		DupMapKey:         cbor.DupMapKeyEnforcedAPF,
		IndefLength:       cbor.IndefLengthForbidden,
		TagsMd:            cbor.TagsForbidden,
		FieldNameMatching: cbor.FieldNameMatchingCaseSensitive,
		MaxArrayElements:  math.MaxInt32,
		MaxNestedLevels:   MaxDepth + 1,
	}.DecMode()
	if err != nil {
		panic(err)
	}
	return mode
})

// An incoming is a message as the library reads it.
type incoming struct {
	Env struct {
		V       uint64 `cbor:"v"`
		ID      string `cbor:"id"`
		Cap     []byte `cbor:"cap"`
		Msg     string `cbor:"msg"`
		Obj     string `cbor:"obj"`
		Seq     uint64 `cbor:"seq"`
		Base    uint64 `cbor:"base"`
		Code    string `cbor:"code"`
		Kind    string `cbor:"kind"`
		Prev    uint64 `cbor:"prev"`
		Label   uint64 `cbor:"label"`
		Level   string `cbor:"level"`
		FromSeq uint64 `cbor:"fromSeq"`
		ObjKind string `cbor:"objKind"`
		Receipt []byte `cbor:"receipt"`
	} `cbor:"env"`
	Body []byte `cbor:"body"`
}
