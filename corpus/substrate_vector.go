package corpus

import (
	"encoding/hex"
	"io/fs"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// SubstrateOp says what a vector of the substrate is done with.
type SubstrateOp string

// The operations; the package comment describes each.
const (
	DecodeFrame     SubstrateOp = "decode"
	EncodeFrame     SubstrateOp = "encode"
	ClassOfCode     SubstrateOp = "class"
	DialHandshake   SubstrateOp = "dial"
	ListenHandshake SubstrateOp = "listen"
)

// SubstrateVector is one experiment with the substrate's wire and its only right result. Which fields are set depends on Op.
type SubstrateVector struct {
	Citation `yaml:",inline"`
	Op       SubstrateOp `yaml:"op"`
	Note     string      `yaml:"note"` // why, where the laws alone do not make it plain

	Octets *Hex          `yaml:"octets"` // for decode: one message
	Feeds  bool          `yaml:"feeds"`  // for decode: on a connection with feeds
	Frame  *WireFrame    `yaml:"frame"`  // for encode
	Code   *Text         `yaml:"code"`   // for class
	Side   *Side         `yaml:"side"`   // for dial and listen
	Hears  []Hex         `yaml:"hears"`  // for dial and listen: the messages of the other side, in order
	Age    int64         `yaml:"age"`    // for dial and listen: of the connection when they come, in ms
	Want   SubstrateWant `yaml:"want"`
}

// SubstrateVectors returns the vectors of the substrate in the embedded corpus in the order of file names and then of the files.
func SubstrateVectors() ([]SubstrateVector, error) {
	return LoadSubstrateVectors(FS, substrateVectors)
}

// LoadSubstrateVectors reads every .yaml file directly inside dir. A name may occur once in all of them. Every error is a
// [*LoadError].
func LoadSubstrateVectors(fsys fs.FS, dir string) ([]SubstrateVector, error) {
	return loadFolder[SubstrateVector](fsys, substrate, dir)
}

// SubstrateWant is the right result.
type SubstrateWant struct {
	Frame   *WireFrame `yaml:"frame"`   // for decode
	Fault   *WireFault `yaml:"fault"`   // for decode: of the frame; nil: none
	Refused Rules      `yaml:"refused"` // for decode and encode: the rules that may be named
	Closes  int        `yaml:"closes"`  // for decode, dial and listen: the code that the connection ends with

	Octets *Hex `yaml:"octets"` // for encode

	Class string `yaml:"class"` // for class: one of CodeClasses

	Sends []Hex   `yaml:"sends"` // for dial and listen: all that the side says
	Ready *Agreed `yaml:"ready"` // for dial and listen: what the side is ready with
}

// A WireFrame is an envelope and perhaps a body. A field that is nil is not there.
type WireFrame struct {
	V       *uint64 `yaml:"v"`
	Kind    *Text   `yaml:"kind"`
	Obj     *Text   `yaml:"obj"`
	ObjKind *Text   `yaml:"objKind"`
	ID      *Text   `yaml:"id"`
	Seq     *uint64 `yaml:"seq"`
	Prev    *uint64 `yaml:"prev"`
	FromSeq *uint64 `yaml:"fromSeq"`
	Base    *uint64 `yaml:"base"`
	Label   *uint64 `yaml:"label"`
	Receipt *Hex    `yaml:"receipt"`
	Cap     *Hex    `yaml:"cap"`
	Code    *Text   `yaml:"code"`
	Msg     *Text   `yaml:"msg"`
	Level   *Text   `yaml:"level"`
	Body    *Hex    `yaml:"body"`

	Odd     []string `yaml:"odd"`     // fields that are there with a value of another type
	Unknown int      `yaml:"unknown"` // how many other keys the envelope has
}

// A WireFault is what is wrong with a frame that was decoded.
type WireFault struct {
	Code  string `yaml:"code"`  // of the err that answers it
	Reply bool   `yaml:"reply"` // there is one
	Echo  bool   `yaml:"echo"`  // it may name the object
}

// A Side is one end of a handshake, with what it draws by chance.
type Side struct {
	Peer      Text           `yaml:"peer"`
	Epoch     Hex            `yaml:"epoch"`
	Keys      map[string]Hex `yaml:"keys"` // by peer; nil: auth is none
	Features  []string       `yaml:"features"`
	Seal      []string       `yaml:"e2eSeal"` // nil: none only
	Sign      []string       `yaml:"e2eSign"`
	Nonce     Hex            `yaml:"nonce"`
	Challenge Hex            `yaml:"challenge"`
	Decoy     Hex            `yaml:"decoy"` // the key of a peer that is not known
}

// Agreed is what a side that is ready holds.
type Agreed struct {
	Version     uint64   `yaml:"version"`
	Features    []string `yaml:"features"`
	Auth        string   `yaml:"auth"`
	Seal        string   `yaml:"e2eSeal"`
	Sign        string   `yaml:"e2eSign"`
	Codec       string   `yaml:"codec"`
	DedupeScope string   `yaml:"dedupeScope"`
	ConnID      Hex      `yaml:"connId"`
	Transcript  Hex      `yaml:"transcript"`
	Peer        string   `yaml:"peer"`
	Epoch       Hex      `yaml:"epoch"`
}

// Hex is octets that the data writes in hexadecimal digits, with spaces where they help, or as a text of several parts.
type Hex []byte

// UnmarshalYAML reads a text and the digits in it.
func (h *Hex) UnmarshalYAML(n ast.Node) error {
	var t Text
	if err := t.UnmarshalYAML(n); err != nil {
		return err
	}
	b, err := hex.DecodeString(strings.ReplaceAll(string(t), " ", ""))
	if err != nil {
		return errorAt(n, "hexadecimal digits: %v", err)
	}
	*h = b
	return nil
}
