package fuzz

import (
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// A peerDifference is one way in which the frame reader of a third party may part from the reference decoder. Exactly one of
// Takes, Makes and Refuses says what the difference looks like.
type peerDifference struct {
	Law      string   // that the peer does not keep, or that leaves the choice
	Versions []string // in which the law asks for something else than the peer does
	Says     string   // what the peer does, and why it may be left at that

	// Takes holds the rules for which the reference refuses a frame that the peer delivers, if When, which sees the octets from
	// the end of the event before to the one refused, agrees; a nil When always does.
	Takes []frame.Rule
	When  func(octets string) bool
	// Makes changes a frame that both take into what the peer makes of it.
	Makes func(f *frame.Frame)
	// Refuses tells whether the peer refuses a frame that the reference takes.
	Refuses func(f *frame.Frame) bool

	// Input shows the difference in each of Versions.
	Input string
}

// Applies tells whether the difference is allowed in a version.
func (d peerDifference) Applies(v frame.Version) bool { return slices.Contains(d.Versions, v.String()) }

// goStompDifferences lists how the reader of github.com/go-stomp/stomp/v3/frame, at v3.1.5, may differ. It knows no versions and
// reads everything by one set of rules: both line ends, the escapes of 1.2 on every frame, and no check of what it can
// make something of. None is an error of the reference, and a difference that is not listed is one of either.
//
// The order matters to Makes: what is done to a line comes before what is done to its parts.
func goStompDifferences() []peerDifference {
	only10, upTo11, from11 := []string{"1.0"}, []string{"1.0", "1.1"}, []string{"1.1", "1.2"}
	return []peerDifference{
		{
			Law: "STOMP-FRAME-002", Versions: only10,
			Says:  "knows NACK and STOMP in every version, having no versions",
			Takes: []frame.Rule{frame.UnknownCommand},
			When:  func(octets string) bool { return octets == "NACK\n" || octets == "STOMP\n" },
			Input: "NACK\nid:1\n\n\x00",
		},
		{
			Law: "STOMP-FRAME-007", Versions: upTo11,
			Says:  "takes CR LF for the end of a line in every version: of the command, of a blank line, of a heart-beat and of a content-length",
			Takes: []frame.Rule{frame.UnknownCommand, frame.HeaderShape, frame.ContentLength},
			When:  func(octets string) bool { return strings.Contains(octets, "\r\n") },
			Input: "SEND\r\ndestination:/q\r\n\r\n\x00",
		},
		{
			Law: "STOMP-FRAME-007", Versions: upTo11,
			Says: "takes the CR that ends a header value for a part of the line end",
			Makes: func(f *frame.Frame) {
				for i := range f.Headers {
					f.Headers[i].Value = strings.TrimSuffix(f.Headers[i].Value, "\r")
				}
			},
			Input: "SEND\ndestination:/q\r\n\n\x00",
		},
		{
			Law: "STOMP-FRAME-008", Versions: []string{"1.2"},
			Says:  "takes a stray CR for data in every version",
			Takes: []frame.Rule{frame.BareCR},
			Input: "SEND\nx:a\rb\n\n\x00",
		},
		{
			Law: "STOMP-FRAME-009", Versions: []string{"1.0", "1.1", "1.2"},
			Says:  "takes a NUL in a header for data, which the grammar does not exclude",
			Takes: []frame.Rule{frame.NULInLine},
			Input: "SEND\nx:a\x00b\n\n\x00",
		},
		{
			Law: "STOMP-FRAME-014", Versions: from11,
			Says:  "does not check UTF-8",
			Takes: []frame.Rule{frame.UTF8},
			Input: "SEND\nx:\xff\n\n\x00",
		},
		{
			Law: "STOMP-HDR-005", Versions: from11,
			Says:  "takes a second raw colon for part of the value, as 1.0 does",
			Takes: []frame.Rule{frame.RawColon},
			Input: "SEND\nx:a:b\n\n\x00",
		},
		{
			Law: "STOMP-ESC-003", Versions: from11,
			Says:  "leaves an escape that nothing defines as it is, and takes the one for CR in 1.1",
			Takes: []frame.Rule{frame.Escape},
			Input: "SEND\nx:a\\tb\n\n\x00",
		},
		{
			Law: "STOMP-ESC-007", Versions: from11,
			Says: "unescapes the headers of CONNECT and CONNECTED as those of all other frames",
			Makes: func(f *frame.Frame) {
				if f.Command == frame.CONNECT || f.Command == frame.CONNECTED {
					unescapeAll(f)
				}
			},
			Input: "CONNECT\npasscode:a\\cb\n\n\x00",
		},
		{
			Law: "STOMP-ESC-010", Versions: only10,
			Says:  "unescapes the headers of 1.0",
			Makes: func(f *frame.Frame) { unescapeAll(f) },
			Input: "SEND\nx:a\\cb\n\n\x00",
		},
		{
			Law: "STOMP-HDR-008", Versions: only10,
			Says: "does not take the padding off a content-length",
			Refuses: func(f *frame.Frame) bool {
				n, _ := f.Get("content-length")
				return strings.Contains(n, " ")
			},
			Input: "SEND\ncontent-length: 1\n\nx\x00",
		},
		{
			Law: "STOMP-BODY-001", Versions: from11,
			Says:  "takes a body on every command, as 1.0 does",
			Takes: []frame.Rule{frame.BodyForbidden},
			Input: "ACK\nid:1\n\nx\x00",
		},
	}
}

// unescapeAll does what a single replacement by the table of 1.2 does, which leaves everything else alone.
func unescapeAll(f *frame.Frame) {
	table := strings.NewReplacer(`\r`, "\r", `\n`, "\n", `\c`, ":", `\\`, `\`)
	for i, h := range f.Headers {
		f.Headers[i] = frame.Header{Name: table.Replace(h.Name), Value: table.Replace(h.Value)}
	}
}
