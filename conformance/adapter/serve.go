package adapter

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"
)

// maxRequest bounds a request line that Serve accepts, in octets.
const maxRequest = 64 << 20

// A Request is one operation that an adapter is asked for.
type Request struct {
	N  int64
	Op string

	raw []byte
}

// Decode reads the request's members into v, a pointer to a struct with a field for each member of the operation.
// Any other member is an *UnsupportedError, so that nothing that was asked is silently left out.
func (r *Request) Decode(v any) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(r.raw, &members); err != nil {
		return err
	}
	delete(members, "n")
	delete(members, "op")
	rest, err := json.Marshal(members)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(rest, v); err != nil {
		return fmt.Errorf("request %q: %w", r.Op, err)
	}
	// What still fails now is a member that v does not have.
	dec := json.NewDecoder(bytes.NewReader(rest))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return &UnsupportedError{Op: r.Op, Reason: err.Error()}
	}
	return nil
}

// Op decodes a request into a Q, as [Request.Decode] does, and carries it out.
func Op[Q any](r *Request, f func(Q) (any, error)) (any, error) {
	var q Q
	if err := r.Decode(&q); err != nil {
		return nil, err
	}
	return f(q)
}

// JSON returns the whole request object as it came. It must not be changed.
func (r *Request) JSON() []byte { return r.raw }

// A Handler carries out one request and returns what stands in ok: a value that encodes as a JSON object; nil stands for an
// empty one. Return a *TargetError for what the target threw and an *UnsupportedError for an operation that the
// adapter lacks; any other error says that the adapter itself failed.
type Handler func(ctx context.Context, request *Request) (any, error)

// Serve is the whole main function of an adapter in Go: it reads requests from r, hands them to the handler one after
// the other, and writes one reply for each to w, until r ends, w fails or ctx is done. A panic of the handler is
// answered as a failure of the adapter. Reading is not interrupted by ctx: close r for that.
func Serve(ctx context.Context, r io.Reader, w io.Writer, handler Handler) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for ctx.Err() == nil {
		line, err := readLine(in, maxRequest)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrClosedPipe):
			return nil
		case err != nil:
			return fmt.Errorf("adapter: read a request: %w", err)
		}
		var request Request
		if err := json.Unmarshal(line, &request); err != nil {
			return fmt.Errorf("adapter: request is not a JSON object with n and op: %s: %w", quote(line), err)
		}
		request.raw = line
		out := replyLine(request.N, request.Op, func() (any, error) { return handler(ctx, &request) })
		if _, err := w.Write(out); err != nil {
			if errors.Is(err, io.ErrClosedPipe) {
				return nil
			}
			return fmt.Errorf("adapter: write a reply: %w", err)
		}
	}
	return context.Cause(ctx)
}

// replyLine makes the line that answers a request.
func replyLine(n int64, op string, do func() (any, error)) []byte {
	value, err := guarded(do)
	if err == nil {
		var ok []byte
		if ok, err = encodeOK(value); err == nil {
			return fmt.Appendf(nil, "{\"n\":%d,\"ok\":%s}\n", n, ok)
		}
	}
	bad := map[string]any{}
	target, isTarget := errors.AsType[*TargetError](err)
	unsupported, isUnsupported := errors.AsType[*UnsupportedError](err)
	switch {
	case isTarget:
		for k, v := range target.Members {
			bad[k] = v
		}
		bad["name"], bad["message"] = target.Name, target.Message
		if target.Limit != nil {
			bad["limit"] = *target.Limit
		}
	case isUnsupported:
		bad["name"], bad["message"] = nameUnsupported, unsupported.Reason
	default:
		bad["name"], bad["message"] = nameAdapter, fmt.Sprintf("%s: %v", op, err)
	}
	text, err := json.Marshal(bad)
	if err != nil { // a member that is no JSON
		text, _ = json.Marshal(map[string]string{"name": nameAdapter, "message": fmt.Sprintf("%s: error members: %v", op, err)})
	}
	return fmt.Appendf(nil, "{\"n\":%d,\"error\":%s}\n", n, text)
}

func guarded(do func() (any, error)) (value any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return do()
}

func encodeOK(value any) ([]byte, error) {
	if value == nil {
		return []byte("{}"), nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	ok := bytes.TrimSpace(buf.Bytes())
	if !isObject(ok) {
		return nil, fmt.Errorf("reply is no object: %s", quote(ok))
	}
	return ok, nil
}

// An Adapter is a whole adapter in Go, as a function: it serves until r ends. Serve with its handler bound is one.
type Adapter func(ctx context.Context, r io.Reader, w io.Writer) error

// Local runs an adapter inside this process, over pipes, so that it takes the very path of a foreign one. Close ends its
// input and its context and waits for it; one that does not come back within the grace is left behind and is a fault.
func Local(run Adapter, cfg Config) *Conn {
	requests, toAdapter := io.Pipe()
	fromAdapter, replies := io.Pipe()
	c := New(fromAdapter, toAdapter, cfg)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := run(ctx, requests, replies)
		_ = replies.CloseWithError(errOr(err, io.EOF))
		_ = requests.CloseWithError(io.ErrClosedPipe)
	}()
	c.after = func(grace time.Duration) error {
		stop()
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-done:
			return nil
		case <-timer.C:
			return &FaultError{Kind: Ended, Text: fmt.Sprintf("the adapter did not come back within %v of the end of its input", grace)}
		}
	}
	return c
}

func errOr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}
