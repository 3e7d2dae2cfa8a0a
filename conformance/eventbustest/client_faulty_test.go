package eventbustest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

// A faulty is a small client of event streams with switches, each of which breaks a law. Without any it obeys all.
type faulty struct {
	faults []string
	order  sseclient.Order
	source *sseclient.Source

	id     string // last event id
	retry  time.Duration
	cursor int64  // of envelopes
	epoch  string // that the last answer named

	first   bool // no octet of the stream was read
	skip    bool // a LF that follows is the second half of an ending
	line    []byte
	data    strings.Builder
	has     bool // a data field was read
	kind    string
	pending string // id of the block
	queued  []sseclient.Event
	left    bool // the user has left the stream
	heard   int  // events of the stream
	oldest  string
	eats    bool // the next line is lost
	size    int
}

func (f *faulty) is(fault string) bool { return slices.Contains(f.faults, fault) }

// errLeft ends a stream that its user has left within an event.
var errLeft = errors.New("left")

// errOver ends a client for good.
var errOver = errors.New("failed for good")

// faultyLibrary is the client with switches behind the adapter.
func faultyLibrary(faults ...string) sseclient.Library {
	return sseclient.Library{Software: "faulty " + strings.Join(faults, " "), Run: func(ctx context.Context, order sseclient.Order, source *sseclient.Source) error {
		f := &faulty{faults: faults, order: order, source: source, id: order.LastEventID, retry: 30 * time.Millisecond}
		if f.is("outlives its user") {
			// It ends with the server's connections.
			go func() { _, _ = f.connect(context.WithoutCancel(ctx), 0), f.connect(context.WithoutCancel(ctx), 1) }()
			<-ctx.Done()
			return ctx.Err()
		}
		for n := 0; ; n++ {
			err := f.connect(ctx, n)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.Is(err, errOver):
				return err
			case f.is("never reconnects"), f.is("gives up when empty") && f.heard == 0, f.is("reconnects twice") && n == 2, f.is("gives up when cut") && err != nil:
				return errOver
			}
			if !f.is("stays open") {
				source.State(sseclient.Connecting)
			}
			if f.is("empties the id") {
				f.id = ""
			}
			wait := f.retry
			if f.is("scatters") {
				wait = wait * 6 / 10
			}
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				if !f.is("asks when shut") {
					return ctx.Err()
				}
				client := http.Client{Timeout: 100 * time.Millisecond}
				_, _ = client.Get(order.URL)
				return ctx.Err()
			}
		}
	}}
}

func (f *faulty) request(ctx context.Context, n int) (*http.Request, error) {
	method := http.MethodGet
	if f.is("posts again") && n > 0 {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, f.order.URL, nil)
	if err != nil {
		return nil, err
	}
	if !f.is("asks for anything") {
		r.Header.Set("Accept", "text/event-stream")
		r.Header.Set("Cache-Control", "no-store")
	}
	if n == 0 || !f.is("forgets headers") {
		for name, value := range f.order.Headers {
			r.Header.Set(name, value)
		}
	}
	id := f.id
	if f.order.As == sseclient.Envelope && !f.is("cursor from lines") {
		if id = ""; f.cursor > 0 {
			id = fmt.Sprint(f.cursor)
		}
	}
	if f.is("id of the first stream") {
		if f.oldest == "" {
			f.oldest = id
		}
		id = f.oldest
	}
	if id == "" && f.is("reports always") {
		id = "0"
	}
	if (id != "" && !f.is("reports no id")) || f.is("reports always") {
		if f.is("latin-1 ids") {
			id = strings.ToValidUTF8(string([]byte(strings.ReplaceAll(id, "ï", "\xef"))), "?")
		}
		r.Header["Last-Event-ID"] = []string{id}
	}
	if f.epoch != "" && (id != "" || f.is("reports the epoch alone")) {
		r.Header.Set("X-Qwen-Event-Epoch", f.epoch)
	}
	return r, nil
}

func (f *faulty) connect(ctx context.Context, n int) error {
	if f.order.MaxQueued != 0 {
		known := f.is("asks for maxQueued always")
		if at, _, ok := strings.Cut(f.order.URL, "/stream/"); ok && !known {
			if r, err := http.Get(at + "/capabilities"); err == nil {
				text, _ := io.ReadAll(r.Body)
				_ = r.Body.Close()
				known = strings.Contains(string(text), "slow_client_warning")
			}
		}
		if known {
			f.order.URL += "?maxQueued=" + fmt.Sprint(f.order.MaxQueued)
		}
		f.order.MaxQueued = 0
	}
	r, err := f.request(ctx, n)
	if err != nil {
		return errOver
	}
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	client := http.Client{Transport: transport, CheckRedirect: func(next *http.Request, _ []*http.Request) error {
		if f.is("follows nothing") {
			return http.ErrUseLastResponse
		}
		if f.is("redirects without id") {
			delete(next.Header, "Last-Event-ID")
		}
		return nil
	}}
	answer, err := client.Do(r)
	if err != nil {
		if f.is("gives up unanswered") {
			return errOver
		}
		return err
	}
	defer answer.Body.Close()
	if !f.accepts(answer, n) {
		if f.is("retries refusals") {
			return nil
		}
		f.source.Fail(answer.Status)
		return errOver
	}
	if !f.is("opens late") {
		f.source.State(sseclient.Open)
	}
	f.epoch = answer.Header.Get("X-Qwen-Event-Epoch")
	return f.read(answer)
}

func (f *faulty) accepts(answer *http.Response, n int) bool {
	if f.is("needs chunks") && len(answer.TransferEncoding) == 0 {
		return false
	}
	if answer.StatusCode != http.StatusOK && !f.is("takes any status") && (!f.is("takes any status later") || n == 0) {
		return false
	}
	whole := answer.Header.Get("Content-Type")
	essence, parameters, _ := strings.Cut(whole, ";")
	if f.is("charset") && strings.Contains(parameters, "charset") && !strings.Contains(parameters, "utf-8") {
		return false
	}
	switch {
	case f.is("takes any type"), f.is("takes any type later") && n > 0:
		return true
	case f.is("type by prefix"):
		return strings.HasPrefix(whole, "text/event-stream")
	case f.is("type by search"):
		return strings.Contains(whole, "event-stream")
	case f.is("type by equality"):
		return whole == "text/event-stream"
	}
	return strings.EqualFold(strings.TrimSpace(essence), "text/event-stream")
}

func (f *faulty) read(answer *http.Response) error {
	if !f.is("carries blocks over") {
		f.line, f.kind, f.has, f.pending = nil, "", false, f.id
		f.data.Reset()
	}
	f.first, f.skip, f.size, f.heard = true, false, 0, 0
	if f.is("retry per connection") {
		f.retry = 30 * time.Millisecond
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := answer.Body.Read(buf)
		if e := f.feed(string(buf[:n])); e != nil {
			return e
		}
		if err == nil {
			continue
		}
		if f.is("reads behind the end") && answer.ContentLength > 0 {
			f.source.Event(sseclient.Event{Data: "no"})
		}
		if f.is("flushes at the end") {
			f.process(string(f.line))
			f.dispatch()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}

func (f *faulty) feed(text string) error {
	if f.is("ends at heads") && strings.HasPrefix(text, "HTTP/") || f.is("ends at controls") && strings.ContainsAny(text, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x1b") {
		return errOver
	}
	if f.is("ends at bad octets") && !utf8.ValidString(text) && strings.Contains(text, "\xff") {
		return errOver
	}
	for i := range len(text) {
		b := text[i]
		switch {
		case b == '\n' && f.skip && !f.is("CR LF is two"):
			f.skip = false
			continue
		case b == '\n', b == '\r' && !f.is("knows no CR") && (!f.is("knows no lone CR") || i+1 < len(text) && text[i+1] == '\n'):
			f.skip = b == '\r'
			if f.end(); f.left {
				f.left = false
				return errLeft
			}
		default:
			f.skip = false
			f.line = append(f.line, b)
			if f.is("ends at long lines") && len(f.line) > 1<<18 {
				return errOver
			}
			if f.order.As == sseclient.Envelope && len(f.line) > 1<<24 && !f.is("knows no bound") {
				f.source.Fail("line too long")
				return errOver
			}
			if f.order.As == sseclient.Envelope && f.is("is bounded early") && len(f.line) > 1<<23 {
				return errOver
			}
		}
	}
	if f.is("reads are lines") && len(f.line) > 0 {
		f.end()
	}
	if f.is("forgets at reads") {
		f.line = nil
	}
	return nil
}

// end takes the line that has just ended.
func (f *faulty) end() {
	line := string(f.line)
	f.line = f.line[:0]
	const bom = "\ufeff"
	switch {
	case f.is("keeps the mark"), f.is("marks at first only") && f.cursor != 0:
	case f.is("drops all marks"):
		line = strings.ReplaceAll(line, bom, "")
	case f.eats:
		f.eats = false
		return
	case f.first:
		f.eats = line == bom && f.is("marks eat a line")
		line = strings.TrimPrefix(line, bom)
	}
	if f.is("knows UTF-16") {
		line = strings.TrimPrefix(line, "\xff\xfe")
	}
	if f.first && f.is("marks at first only") {
		f.cursor = 1
	}
	f.first = false
	if f.is("waits for more") && len(f.queued) > 0 {
		f.flush()
	}
	if f.is("reads latin-1") {
		var b strings.Builder
		for i := range len(line) {
			b.WriteRune(rune(line[i]))
		}
		line = b.String()
	}
	if line == "" && f.is("joins blocks") && f.heard > 0 {
		return
	}
	if line == "" {
		f.dispatch()
		return
	}
	f.process(line)
}

func (f *faulty) process(line string) {
	if strings.HasPrefix(line, ":") {
		switch {
		case f.is("comments reset"):
			f.data.Reset()
			f.has, f.kind = false, ""
		case f.is("comments are events"):
			f.source.Event(sseclient.Event{})
		case f.is("comments are fields"):
			line = strings.TrimLeft(line, ": ")
		}
		if !f.is("comments are fields") {
			return
		}
	}
	name, value, colon := strings.Cut(line, ":")
	if f.is("last colon") && colon {
		i := strings.LastIndexByte(line, ':')
		name, value = line[:i], line[i+1:]
	}
	switch {
	case f.is("needs a colon") && !colon:
		return
	case f.is("trims values"):
		value = strings.TrimSpace(value)
	case f.is("trims spaces"):
		value = strings.TrimLeft(value, " ")
	case f.is("keeps the space"):
	case f.is("needs a space") && colon && !strings.HasPrefix(value, " "):
		return
	default:
		value = strings.TrimPrefix(value, " ")
	}
	if f.is("ends at NUL") {
		value, _, _ = strings.Cut(value, "\x00")
	}
	if f.is("drops controls") {
		value = strings.Map(func(r rune) rune {
			if r < ' ' && r != '\x00' && r != '\t' {
				return -1
			}
			return r
		}, value)
	}
	if f.is("folds names") {
		name = strings.ToLower(name)
	}
	if f.is("trims names") {
		name = strings.TrimSpace(name)
	}
	if f.is("names by prefix") && strings.HasPrefix(name, "dat") {
		name = "data"
	}
	if f.is("finds names anywhere") && strings.Contains(name, "data") {
		name = "data"
	}
	f.field(name, value)
}

func (f *faulty) field(name, value string) {
	switch name {
	case "data":
		if f.is("keeps the last data") || f.is("keeps data apart") && f.kind != "" {
			f.data.Reset()
		}
		if value == "" && f.is("drops empty lines") {
			return
		}
		f.has = true
		if f.size += len(value); f.is("cuts long data") && f.size > 2000 {
			return
		}
		f.data.WriteString(value)
		f.data.WriteByte('\n')
	case "event":
		if value == "" && f.is("keeps types that are emptied") || f.kind != "" && f.is("keeps the first type") {
			return
		}
		f.kind = value
	case "id":
		f.setID(value)
	case "retry":
		f.setRetry(value)
	default:
		if f.is("ends at unknown names") {
			f.has = false
			f.data.Reset()
		}
	}
}

func (f *faulty) setID(value string) {
	switch {
	case strings.ContainsRune(value, 0) && !f.is("takes NUL"):
		return
	case value == "" && f.is("keeps ids that are emptied"):
		return
	case f.is("ids are numbers"):
		n, err := strconv.Atoi(value)
		if err != nil {
			return
		}
		value = fmt.Sprint(n)
	case f.is("keeps the first id") && f.pending != f.id:
		return
	case f.is("short ids"):
		value = value[:min(len(value), 100)]
	case f.is("ids are tokens"):
		value, _, _ = strings.Cut(value, " ")
	}
	if old, _ := strconv.Atoi(f.id); f.is("largest id") {
		if n, err := strconv.Atoi(value); err == nil && n < old {
			return
		}
	}
	f.pending = value
	if f.is("ids at once") {
		f.id = value
	}
}

func (f *faulty) setRetry(value string) {
	n, err := strconv.ParseUint(value, 10, 64)
	digits := value != "" && strings.Trim(value, "0123456789") == ""
	switch {
	case f.is("retry is nothing"), f.is("first retry") && f.retry != 30*time.Millisecond:
		return
	case f.is("retry by its digits"):
		value = strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, value)
		n, _ = strconv.ParseUint(value, 10, 64)
	case f.is("retry resets") && !digits:
		n = 0
	case f.is("retry overflows") && digits && err != nil:
		n = 0
	case !digits:
		return
	case err != nil || n > uint64(time.Hour/time.Millisecond):
		n = uint64(time.Hour / time.Millisecond)
	}
	if f.is("retry of four digits") && len(value) > 4 {
		n, _ = strconv.ParseUint(value[:4], 10, 64)
	}
	f.retry = time.Duration(n) * time.Millisecond
}

func (f *faulty) dispatch() {
	if f.is("ids with data only") && !f.has {
		f.pending = f.id
	}
	f.id = f.pending
	text := f.data.String()
	kind := f.kind
	if !f.is("keeps types") && (f.has || !f.is("keeps types without data")) {
		f.kind = ""
	}
	f.data.Reset()
	has := f.has
	f.has = false
	if f.is("unknown blocks are events") {
		has = true
	}
	if !has || f.is("drops empty data") && strings.Trim(text, "\n") == "" {
		return
	}
	switch {
	case f.is("joins with spaces"):
		text = strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", " ")
	case f.is("trims all ends"):
		text = strings.Trim(text, "\n")
	default:
		text = strings.TrimSuffix(text, "\n")
	}
	if f.is("types are words") && strings.ContainsAny(kind, " \t") || f.is("keeps its own types") && (kind == "error" || kind == "open") {
		return
	}
	if f.is("every event is a message") {
		kind = ""
	}
	if kind == "" && f.is("no type is data") {
		kind = "data"
	}
	e := sseclient.Event{Type: kind, Data: strings.ToValidUTF8(text, "\ufffd"), ID: f.id}
	if f.is("ids of their own") {
		e.ID, f.id, f.pending = f.pending, "", ""
	}
	if f.order.As == sseclient.Envelope {
		var ok bool
		if e, ok = f.envelope(e); !ok {
			return
		}
	}
	f.queued = append(f.queued, e)
	if !f.is("waits for more") {
		f.flush()
	}
}

func (f *faulty) flush() {
	for _, e := range f.queued {
		if f.heard++; f.is("loses one of many") && f.heard == 777 {
			continue
		}
		f.source.Event(e)
		if f.is("repeats events") {
			f.source.Event(e)
		}
	}
	f.queued = nil
}

// envelope turns an event of text into one of the daemon.
func (f *faulty) envelope(e sseclient.Event) (sseclient.Event, bool) {
	if f.is("lines decide") {
		return e, true
	}
	var in struct {
		ID   *json.RawMessage
		V    any
		Type any
		Data json.RawMessage
	}
	if json.Unmarshal([]byte(e.Data), &in) != nil {
		return e, f.is("shows bad frames")
	}
	kind, ok := in.Type.(string)
	if !ok || in.V != 1.0 {
		return e, f.is("shows bad frames")
	}
	out := sseclient.Event{Type: kind, Data: string(in.Data)}
	if strings.Contains(e.Data, `"id":null`) {
		return out, f.is("shows bad ids")
	}
	if in.ID != nil {
		id, err := strconv.ParseInt(string(*in.ID), 10, 64)
		if err != nil || id < 1 || id > 1<<53-1 {
			return out, f.is("shows bad ids")
		}
		if f.order.StopAt == id {
			f.order.StopAt, f.left = 0, true
			if f.is("moves the cursor early") {
				f.cursor = id
			}
			return out, false
		}
		out.ID = fmt.Sprint(id)
		if id > f.cursor || f.is("newest id") {
			f.cursor = id
		}
	} else if f.is("frames without id reset") {
		f.cursor = 0
	}
	return out, true
}
