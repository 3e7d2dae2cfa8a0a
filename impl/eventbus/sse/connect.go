package sse

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// errNoContent says that the server will never have anything more.
var errNoContent = errors.New("no content")

// connect makes one connection and reads it to its end. some says whether it brought a message.
func (c *Client) connect(ctx context.Context, bus bool, on func(Message) bool) (some bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := c.capabilities(ctx); err != nil {
		return false, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address(), nil)
	if err != nil {
		return false, err
	}
	c.head(request, bus)
	answer, err := c.do(request, cancel)
	if err != nil {
		return false, reason(ctx, err)
	}
	defer answer.Body.Close()
	if err := check(answer); err != nil {
		return false, err
	}
	if bus {
		c.heardEpoch(answer.Header)
	}
	// EVENTBUS-WHATWG-036
	c.state.Store(int32(Open))
	defer c.state.Store(int32(Connecting))
	body := io.Reader(answer.Body)
	if c.cfg.Idle > 0 {
		timer := time.AfterFunc(c.cfg.Idle, func() { cancel(errIdle) })
		defer timer.Stop()
		body = watched{answer.Body, timer, c.cfg.Idle}
	}
	some, err = c.stream(body, bus, on)
	if err == errStop || final(err) {
		return some, err
	}
	return some, reason(ctx, err)
}

// watched is a body whose timer goes off while a read takes too long. It stands still meanwhile: the loop may take its time.
type watched struct {
	body  io.Reader
	timer *time.Timer
	idle  time.Duration
}

func (w watched) Read(p []byte) (int, error) {
	w.timer.Reset(w.idle)
	defer w.timer.Stop()
	return w.body.Read(p)
}

// reason returns why ctx was cancelled by the client itself, or err.
func reason(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause == errIdle || cause == errConnect {
		return cause
	}
	return err
}

// do sends a request and waits for the head of the answer.
func (c *Client) do(r *http.Request, cancel context.CancelCauseFunc) (*http.Response, error) {
	if c.cfg.ConnectTimeout > 0 {
		timer := time.AfterFunc(c.cfg.ConnectTimeout, func() { cancel(errConnect) })
		defer timer.Stop()
	}
	return c.http.Do(r)
}

// head fills in the headers of a request for the stream.
func (c *Client) head(r *http.Request, bus bool) {
	for name, values := range c.cfg.Header {
		r.Header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	// EVENTBUS-WHATWG-034, EVENTBUS-WHATWG-035
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Cache-Control", "no-store")
	if r.Header.Get("Accept-Encoding") == "" {
		// A compressor on the way would hold events back.
		r.Header.Set("Accept-Encoding", "identity")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// EVENTBUS-WHATWG-027, EVENTBUS-WHATWG-028
	if c.last == "" {
		return
	}
	if strings.ContainsFunc(c.last, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		c.cfg.Logger.Warn("the last event id cannot be sent in a header", "id", strconv.Quote(short(c.last)))
		return
	}
	// EVENTBUS-WHATWG-022
	r.Header.Set("Last-Event-ID", c.last)
	if bus && c.epoch != "" {
		// EVENTBUS-HTTP-012: with a cursor only.
		r.Header.Set(EpochHeader, c.epoch)
	}
}

// heardEpoch takes the epoch that an answer names.
func (c *Client) heardEpoch(h http.Header) {
	now, bad := epoch(h)
	if bad != "" {
		c.cfg.Logger.Warn("the server names a bad epoch", "value", short(bad))
	}
	if now == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != "" && c.epoch != now && c.last != "" {
		// The server resends all it has, with ids that start anew: the largest of them is the cursor from here on.
		c.last = "0"
	}
	c.epoch = now
}

// check returns why an answer is not a stream.
func check(answer *http.Response) error {
	switch answer.StatusCode {
	case http.StatusOK:
		// EVENTBUS-WHATWG-032
		if kind := answer.Header.Get("Content-Type"); !isStream(kind) {
			return &ContentTypeError{Found: kind}
		}
		return nil
	case http.StatusNoContent:
		// EVENTBUS-WHATWG-031
		return errNoContent
	}
	// EVENTBUS-WHATWG-030
	e := &StatusError{Status: answer.StatusCode}
	if seconds, ok := decimal(answer.Header.Get("Retry-After"), 1<<31); ok {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	// What the server says is a courtesy: what cannot be read of it is not missed.
	body, _ := io.ReadAll(io.LimitReader(answer.Body, 512))
	e.Body = string(body)
	return e
}

// address returns the address to connect to.
func (c *Client) address() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.queued {
		return c.cfg.URL
	}
	u, err := url.Parse(c.cfg.URL)
	if err != nil {
		panic(err)
	}
	// EVENTBUS-HTTP-013
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += "maxQueued=" + strconv.Itoa(c.cfg.MaxQueued)
	return u.String()
}

// capabilities finds out, once, whether maxQueued may be asked for. A server that does not tell is not asked.
func (c *Client) capabilities(ctx context.Context) error {
	c.mu.Lock()
	done := c.asked || c.cfg.MaxQueued == 0
	c.mu.Unlock()
	if done {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.cfg.Capabilities, nil)
	if err != nil {
		return err
	}
	for name, values := range c.cfg.Header {
		request.Header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	request.Header.Set("Accept", "application/json")
	timeout := time.AfterFunc(max(c.cfg.ConnectTimeout, DefaultConnectTimeout), func() { cancel(errConnect) })
	defer timeout.Stop()
	answer, err := c.http.Do(request)
	if err != nil {
		return reason(ctx, err)
	}
	defer answer.Body.Close()
	var document struct {
		Features []string `json:"features"`
	}
	const most = 1 << 20
	body, err := io.ReadAll(io.LimitReader(answer.Body, most))
	if err != nil {
		return reason(ctx, err)
	}
	if answer.StatusCode == http.StatusOK {
		err = json.Unmarshal(body, &document)
	}
	if answer.StatusCode != http.StatusOK || err != nil {
		c.cfg.Logger.Warn("no capabilities", "status", answer.StatusCode, "error", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked, c.queued = true, slices.Contains(document.Features, "slow_client_warning")
	return nil
}
