package conformance

import (
	"strconv"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/corpus"
)

// Bounds of a transcript: enough to read what happened, never enough to fill a disk.
const (
	maxRecordOctets     = 2 << 10  // octets shown of one record
	maxTranscriptOctets = 24 << 10 // octets shown of one case
	maxRecords          = 400
)

// A Transcript records what went over the wire in one case. It is safe for concurrent use.
type Transcript struct {
	start time.Time

	mu      sync.Mutex
	records []Record
	shown   int
	dropped int
}

func newTranscript() *Transcript { return &Transcript{start: time.Now()} }

// rewind forgets what was recorded; times still count from the start of the case.
func (t *Transcript) rewind() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.records, t.shown, t.dropped = nil, 0, 0
}

// octets records octets sent (">") or received ("<") on a connection.
func (t *Transcript) octets(conn, dir string, p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	shown := min(len(p), maxRecordOctets, max(0, maxTranscriptOctets-t.shown))
	if len(t.records) >= maxRecords || (shown == 0 && len(p) > 0) {
		t.dropped++
		return
	}
	t.shown += shown
	t.records = append(t.records, Record{
		Millis: t.since(), Conn: conn, Dir: dir,
		Text: Escape(p[:shown]), Octets: len(p), Cut: shown < len(p),
	})
}

// event records something that happened to a connection.
func (t *Transcript) event(conn, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.records) >= maxRecords {
		t.dropped++
		return
	}
	t.records = append(t.records, Record{Millis: t.since(), Conn: conn, Dir: "-", Text: text})
}

func (t *Transcript) since() float64 {
	return float64(time.Since(t.start).Microseconds()) / 1000
}

// Records returns what was recorded; a last record says how much was left out.
func (t *Transcript) Records() []Record {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := append([]Record(nil), t.records...)
	if t.dropped > 0 {
		out = append(out, Record{Millis: t.since(), Dir: "-", Text: strconv.Itoa(t.dropped) + " further records left out", Cut: true})
	}
	return out
}

// Escape shows octets as printable ASCII, as the corpus writes them: \n, \r, \t, \0 and \\ for those octets, \xNN for others.
func Escape(p []byte) string { return corpus.Quote(p) }

// EscapeMax is Escape on at most limit octets; a mark tells that more were there.
func EscapeMax(p []byte, limit int) string {
	if len(p) <= limit {
		return Escape(p)
	}
	return Escape(p[:limit]) + "… (" + strconv.Itoa(len(p)) + " octets)"
}
