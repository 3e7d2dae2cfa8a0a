package hub

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// Problem is why a hub refused a frame or ended a session. It becomes the ERROR that the peer gets.
type Problem struct {
	// Text says what was wrong, in a few words of ASCII: the ERROR's message header.
	Text string
	// Limit and Found are the number allowed and the number met, when Limited.
	Limit, Found int
	Limited      bool
	// Versions is set when no version is common: the ones that the hub speaks.
	Versions string
	// Cause is the decoder's or the authenticator's error, if that is the reason.
	Cause error
}

// Error returns the text, with the numbers when a limit was met.
func (p *Problem) Error() string {
	if p.Limited {
		return fmt.Sprintf("%s: limit %d, found %d", p.Text, p.Limit, p.Found)
	}
	return p.Text
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Cause }

func problem(text string) *Problem { return &Problem{Text: text} }

func limit(what string, allowed, found int) *Problem {
	return &Problem{Text: "too many " + what, Limit: allowed, Found: found, Limited: true}
}

// show bounds the part of a peer's frame that an ERROR repeats.
const show = 1024

// describe returns the frame that answers p. f is the frame at fault, or nil.
func (p *Problem) describe(f *frame.Frame) *frame.Frame {
	// STOMP-ERROR-003
	answer := frame.New(frame.ERROR, "message", printable(p.Error(), 256), "content-type", "text/plain")
	if p.Versions != "" {
		// STOMP-NEGOTIATE-005
		answer.Headers = append(answer.Headers, frame.Header{Name: "version", Value: p.Versions})
	}
	if f != nil {
		if receipt, ok := f.Get("receipt"); ok {
			// STOMP-ERROR-004
			answer.Headers = append(answer.Headers, frame.Header{Name: "receipt-id", Value: strings.Clone(receipt)})
		}
	}
	var body strings.Builder
	body.WriteString(printable(p.Error(), 256))
	body.WriteString("\n")
	if p.Cause != nil {
		body.WriteString(printable(p.Cause.Error(), 512))
		body.WriteString("\n")
	}
	if f != nil {
		body.WriteString("The frame was:\n-----\n")
		sketch(&body, f)
		body.WriteString("-----\n")
	}
	answer.Body = []byte(body.String())
	return answer
}

// sketch prints a frame for a person: bounded, in visible ASCII, without the passcode.
func sketch(w *strings.Builder, f *frame.Frame) {
	w.WriteString(f.Command.String())
	w.WriteString("\n")
	left := show
	for i, h := range f.Headers {
		if left <= 0 {
			fmt.Fprintf(w, "(%d more headers)\n", len(f.Headers)-i)
			break
		}
		value := printable(h.Value, 128)
		if h.Name == "passcode" {
			value = "(hidden)"
		}
		line := printable(h.Name, 64) + ":" + value
		left -= len(line)
		w.WriteString(line)
		w.WriteString("\n")
	}
	if n := len(f.Body); n > 0 {
		w.WriteString("\n")
		w.WriteString(printable(string(f.Body[:min(n, 256)]), 256))
		if n > 256 {
			fmt.Fprintf(w, "(%d octets in all)", n)
		}
		w.WriteString("\n")
	}
}

// printable returns at most n octets of s in visible ASCII.
func printable(s string, n int) string {
	cut := len(s) > n
	if cut {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	quoted := strconv.QuoteToASCII(s)
	quoted = strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
	if cut {
		quoted += "..."
	}
	return quoted
}

// Frame returns the ERROR that tells a peer of p.
func (p *Problem) Frame() *frame.Frame { return p.describe(nil) }
