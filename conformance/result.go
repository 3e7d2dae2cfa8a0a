package conformance

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// SchemaVersion is the version of the result format described by spec/result.schema.json.
const SchemaVersion = 1

// A Header is the first line of a result file: what was judged, by what, and with which settings.
type Header struct {
	Type        string      `json:"type"` // "header"
	Schema      int         `json:"schema"`
	Assay       string      `json:"assay"`           // version of this program
	Suite       string      `json:"protocol"`        // its name: "stomp-client"
	Title       string      `json:"title,omitempty"` // the suite's
	Target      string      `json:"target"`          // as given: "ref", "tcp://127.0.0.1:61613"
	Name        string      `json:"name"`            // the profile's title, or the target
	Kind        string      `json:"kind"`            // "in-process", "scripted-peer" or "real" (STOMP-INTEROP-002)
	Profile     string      `json:"profile,omitempty"`
	Software    string      `json:"software,omitempty"` // what the target says it is, when it does
	Versions    []string    `json:"versions,omitempty"` // protocol versions that the target negotiated
	Started     time.Time   `json:"started"`
	Seed        uint64      `json:"seed"`
	Nonce       string      `json:"nonce"` // makes destination names unique to the run
	Timing      Timing      `json:"timing"`
	Calibration Calibration `json:"calibration"`
	Selection   []string    `json:"selection,omitempty"` // --only, --version, --shard as given
	Command     string      `json:"command,omitempty"`   // makes this run again, where it was started
	Scope       string      `json:"scope"`               // the bounded claim (STOMP-INTEROP-003)
}

// A Calibration is the proof that the instrument worked: the law set it judged by, and how the
// reference did under the very same binary.
type Calibration struct {
	Laws      string `json:"laws"`      // hash of the law set
	Binary    string `json:"binary"`    // SHA-256 of the executable, empty if unreadable
	Platform  string `json:"platform"`  // goos/goarch and Go version
	Reference string `json:"reference"` // "green", "red", "notrun" or "self" (the target is the reference)
	Cases     int    `json:"cases,omitempty"`
	At        string `json:"at,omitempty"` // RFC 3339 time of the reference run
}

// A CaseResult is one line for one case.
type CaseResult struct {
	Type     string    `json:"type"` // "case"
	ID       string    `json:"id"`
	Title    string    `json:"title,omitempty"`
	Verdict  Verdict   `json:"verdict"`
	Laws     []string  `json:"laws"`
	Version  string    `json:"version,omitempty"` // protocol version of the session
	Reason   string    `json:"reason,omitempty"`  // why this verdict, for every verdict but pass
	Findings []Finding `json:"findings,omitempty"`
	Notes    []Note    `json:"notes,omitempty"`
	// Timing is "steady" when a suspect verdict was judged again and held, "sensitive" when it moved. A pass with it failed
	// once, for want of time, and then held three times.
	Timing     string   `json:"timing,omitempty"`
	Attempts   int      `json:"attempts,omitempty"`
	Millis     float64  `json:"ms"`
	WindowMS   int64    `json:"window_ms,omitempty"` // observation window behind every "nothing arrived"
	Replay     string   `json:"replay,omitempty"`    // file name, relative to the result file
	Command    string   `json:"command,omitempty"`   // runs this case alone again
	Transcript []Record `json:"transcript,omitempty"`

	steps json.RawMessage // for the replay of a property
}

// A Finding is one expectation that did not hold, or one choice that was observed.
type Finding struct {
	Law      string  `json:"law"`
	Level    string  `json:"level"`
	Verdict  Verdict `json:"verdict"`
	Step     int     `json:"step"`   // number of the check inside the case, from 1
	Reason   string  `json:"reason"` // what should hold, and why
	Expected string  `json:"expected,omitempty"`
	Seen     string  `json:"seen,omitempty"`
	Timed    bool    `json:"timed,omitempty"` // the finding rests on a deadline
}

// A Note is something observed that no verdict rests on: the answer to an ambiguity, a figure.
type Note struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// A Record is one entry of a wire transcript.
type Record struct {
	Millis float64 `json:"ms"`   // since the start of the case
	Conn   string  `json:"conn"` // name of the connection inside the case
	Dir    string  `json:"dir"`  // ">" to the target, "<" from it, "-" an event of the connection
	Text   string  `json:"text"` // octets, escaped: \n \r \0 \\ and \xNN
	Octets int     `json:"octets,omitempty"`
	Cut    bool    `json:"cut,omitempty"` // text holds only the beginning of the octets
}

// A Footer is the last line of a result file. A file without one is not a valid result.
type Footer struct {
	Type     string         `json:"type"` // "footer"
	Finished time.Time      `json:"finished"`
	Millis   float64        `json:"ms"`
	Counts   Counts         `json:"counts"`
	Total    int            `json:"total"`
	Exit     int            `json:"exit"`
	Baseline *BaselineDelta `json:"baseline,omitempty"`
	Stopped  string         `json:"stopped,omitempty"` // why the run ended early, when it did
}

// A Result is one whole result file.
type Result struct {
	Header Header
	Cases  []CaseResult
	Footer Footer
	// Dir is the folder of the result file, as it was named: replays are named relative to it. Empty: there is no
	// file, or nobody knows where.
	Dir string
}

// A Writer writes a result as JSON Lines, one line at a time, as they come. It is not safe for
// concurrent use.
type Writer struct {
	enc *json.Encoder
}

// NewWriter returns a writer on w.
func NewWriter(w io.Writer) *Writer {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &Writer{enc: enc}
}

// Header writes the first line.
func (w *Writer) Header(h Header) error {
	h.Type, h.Schema = "header", SchemaVersion
	return w.enc.Encode(h)
}

// Case writes one case line.
func (w *Writer) Case(c CaseResult) error {
	c.Type = "case"
	if c.Laws == nil {
		c.Laws = []string{}
	}
	return w.enc.Encode(c)
}

// Footer writes the last line.
func (w *Writer) Footer(f Footer) error {
	f.Type = "footer"
	return w.enc.Encode(f)
}

// ErrTruncated is the reason for refusing a result file that has no footer: the run that wrote it
// did not end.
var ErrTruncated = errors.New("result has no footer: the run did not end")

// maxResultLine bounds one line of a result file that is read back, in octets.
const maxResultLine = 16 << 20

// ReadResultFile reads the result file of that name as ReadResult does, and knows its folder. A replay that is not there,
// as in a result that was moved without its folder, is taken from its case: nobody could repeat it.
func ReadResultFile(name string) (*Result, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	defer f.Close()
	res, err := ReadResult(f)
	if errors.Is(err, ErrTruncated) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no result file: %w", name, err)
	}
	res.Dir = filepath.Dir(name)
	for i, c := range res.Cases {
		if c.Replay == "" {
			continue
		}
		info, err := os.Stat(filepath.Join(res.Dir, c.Replay))
		if err != nil || !info.Mode().IsRegular() || !filepath.IsLocal(c.Replay) {
			res.Cases[i].Replay = ""
		}
	}
	return res, nil
}

// ReadResult reads one result file. It refuses a file without a header, without a footer, with a
// line of another type, or whose footer does not add up to its cases.
func ReadResult(r io.Reader) (*Result, error) {
	var read resultReader
	line := 0
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 64<<10), maxResultLine)
	for sc.Scan() {
		line++
		if len(sc.Bytes()) == 0 {
			continue
		}
		if err := read.line(sc.Bytes()); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", line+1, err)
	}
	if !read.footer {
		return nil, ErrTruncated
	}
	if err := read.res.addsUp(); err != nil {
		return nil, err
	}
	return &read.res, nil
}

// A resultReader is how far a result has been read.
type resultReader struct {
	res            Result
	header, footer bool // have been read
}

func (r *resultReader) line(data []byte) error {
	var kind struct {
		Type string `json:"type"`
	}
	switch err := json.Unmarshal(data, &kind); {
	case r.footer:
		return errors.New("content after the footer")
	case err != nil:
		return err
	case !r.header && kind.Type != "header":
		return fmt.Errorf("type %q before the header", kind.Type)
	}
	switch kind.Type {
	case "header":
		if r.header {
			return errors.New("second header")
		}
		r.header = true
		if err := json.Unmarshal(data, &r.res.Header); err != nil {
			return err
		}
		if r.res.Header.Schema != SchemaVersion {
			return fmt.Errorf("result format %d, this program reads %d", r.res.Header.Schema, SchemaVersion)
		}
		return nil
	case "case":
		var c CaseResult
		if err := json.Unmarshal(data, &c); err != nil {
			return err
		}
		r.res.Cases = append(r.res.Cases, c)
		_, err := ParseVerdict(string(c.Verdict))
		return err
	case "footer":
		r.footer = true
		return json.Unmarshal(data, &r.res.Footer)
	default:
		return fmt.Errorf("unknown type %q", kind.Type)
	}
}

// addsUp returns nil if the footer counts the cases that there are.
func (r *Result) addsUp() error {
	if r.Footer.Total != len(r.Cases) {
		return fmt.Errorf("footer counts %d cases, the file has %d", r.Footer.Total, len(r.Cases))
	}
	got := Counts{}
	for _, c := range r.Cases {
		got[c.Verdict]++
	}
	for _, v := range Verdicts() {
		if got[v] != r.Footer.Counts[v] {
			return fmt.Errorf("footer counts %d %s, the file has %d", r.Footer.Counts[v], v, got[v])
		}
	}
	return nil
}
