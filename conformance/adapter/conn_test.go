package adapter

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// adapts runs f, which plays a whole adapter, inside this process.
func adapts(f func(r *bufio.Reader, w io.Writer)) Adapter {
	return func(_ context.Context, r io.Reader, w io.Writer) error {
		f(bufio.NewReader(r), w)
		return nil
	}
}

// answers reads one request after the other and writes what line says.
func answers(line func(n int) string) Adapter {
	return adapts(func(r *bufio.Reader, w io.Writer) {
		for n := 1; ; n++ {
			if _, err := r.ReadString('\n'); err != nil {
				return
			}
			if _, err := io.WriteString(w, line(n)); err != nil {
				return
			}
		}
	})
}

func TestCallsAreAnsweredInOrder(t *testing.T) {
	var mu sync.Mutex
	var record []string
	c := Local(answers(func(n int) string { return fmt.Sprintf(`{"n":%d,"ok":{"twice":%d}}`+"\n", n, 2*n) }), Config{
		Record: func(dir byte, line []byte) {
			mu.Lock()
			defer mu.Unlock()
			record = append(record, string(dir)+string(line))
		},
	})
	for n := 1; n <= 2; n++ {
		var reply struct{ Twice int }
		if err := c.Call(t.Context(), "double", map[string]string{"of": "<a>"}, &reply); err != nil || reply.Twice != 2*n {
			t.Fatalf("call %d: %+v, %v", n, reply, err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	want := `>{"n":1,"op":"double","of":"<a>"} <{"n":1,"ok":{"twice":2}} >{"n":2,"op":"double","of":"<a>"} <{"n":2,"ok":{"twice":4}}`
	if got := strings.Join(record, " "); got != want {
		t.Errorf("recorded\n%s, want\n%s", got, want)
	}
	if err := c.Call(t.Context(), "double", nil, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("call after close: %v, want ErrClosed", err)
	}
}

// TestManyCalls makes calls whose replies overtake the news that the request was written.
func TestManyCalls(t *testing.T) {
	c := Local(answers(func(n int) string { return fmt.Sprintf(`{"n":%d,"ok":{}}`+"\n", n) }), Config{})
	for range 2000 {
		if err := c.Call(t.Context(), "a", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestErrorsSayWhoErred(t *testing.T) {
	lines := []string{
		`{"n":1,"error":{"name":"RangeError","message":"too many","limit":64,"code":"x"}}`,
		`{"n":2,"error":{"name":"unsupported","message":"no such operation"}}`,
		`{"n":3,"error":{"name":"RangeError","message":"","limit":"64"}}`,
		`{"n":4,"error":{"name":"adapter","message":"no such bus"}}`,
	}
	c := Local(answers(func(n int) string { return lines[n-1] + "\r\n" }), Config{})
	defer c.Close()
	err := c.Call(t.Context(), "a", nil, nil)
	target, ok := errors.AsType[*TargetError](err)
	if !ok || target.Name != "RangeError" || target.Message != "too many" || target.Limit == nil || *target.Limit != 64 || string(target.Members["code"]) != `"x"` {
		t.Errorf("first: %#v", err)
	}
	err = c.Call(t.Context(), "b", nil, nil)
	if unsupported, ok := errors.AsType[*UnsupportedError](err); !ok || unsupported.Op != "b" || unsupported.Reason != "no such operation" {
		t.Errorf("second: %#v", err)
	}
	err = c.Call(t.Context(), "c", nil, nil)
	if target, ok := errors.AsType[*TargetError](err); !ok || target.Limit != nil {
		t.Errorf("third, whose limit is no integer: %#v", err)
	}
	err = c.Call(t.Context(), "d", nil, nil)
	if fault, ok := errors.AsType[*FaultError](err); !ok || fault.Kind != Refused {
		t.Errorf("fourth: %#v", err)
	}
	if again := c.Call(t.Context(), "e", nil, nil); again != err {
		t.Errorf("after a fault: %v, want the same fault", again)
	}
}

// TestHostileReplies gives one line, or several, to a first call that was asked for an object with a whole number.
func TestHostileReplies(t *testing.T) {
	const good = `{"n":1,"ok":{"x":1}}`
	for name, c := range map[string]struct {
		line string
		kind Kind
	}{
		"empty line":              {"\n" + good, Garbage},
		"prose":                   {"hello\n", Garbage},
		"two objects on a line":   {good + good + "\n", Garbage},
		"array":                   {"[]\n", Garbage},
		"null":                    {"null\n", Garbage},
		"not UTF-8":               {"{\"n\":1,\"ok\":{\"a\":\"\xff\"}}\n", Garbage},
		"no n":                    {`{"ok":{}}` + "\n", Shape},
		"n is text":               {`{"n":"1","ok":{}}` + "\n", Shape},
		"n is null":               {`{"n":null,"ok":{}}` + "\n", Shape},
		"n is a fraction":         {`{"n":1.5,"ok":{}}` + "\n", Shape},
		"neither":                 {`{"n":1}` + "\n", Shape},
		"both":                    {`{"n":1,"ok":{},"error":{"name":"a","message":"b"}}` + "\n", Shape},
		"more":                    {`{"n":1,"ok":{},"event":{}}` + "\n", Shape},
		"ok is null":              {`{"n":1,"ok":null}` + "\n", Shape},
		"ok is an array":          {`{"n":1,"ok":[]}` + "\n", Shape},
		"ok does not fit":         {`{"n":1,"ok":{"x":"y"}}` + "\n", Shape},
		"error is text":           {`{"n":1,"error":"bad"}` + "\n", Shape},
		"error without a name":    {`{"n":1,"error":{"message":"m"}}` + "\n", Shape},
		"error without a message": {`{"n":1,"error":{"name":"m","message":7}}` + "\n", Shape},
		"reply to another":        {`{"n":2,"ok":{}}` + "\n", Stray},
		"line too long":           {`{"n":1,"ok":{"x":"` + strings.Repeat("y", 5000) + `"}}` + "\n", TooLong},
		"no line feed":            {strings.Repeat("y", 5000), TooLong},
	} {
		t.Run(name, func(t *testing.T) {
			conn := Local(answers(func(int) string { return c.line }), Config{Limit: 4096})
			var reply struct{ X int }
			err := conn.Call(t.Context(), "hello", nil, &reply)
			if fault, ok := errors.AsType[*FaultError](err); !ok || fault.Kind != c.kind || fault.Op != "hello" {
				t.Errorf("%v, want a fault of kind %s", err, c.kind)
			}
			if closed := conn.Close(); closed != err {
				t.Errorf("close returns %v, want %v", closed, err)
			}
		})
	}
}

func TestLongestLineIsAccepted(t *testing.T) {
	line := `{"n":1,"ok":{"x":"` + strings.Repeat("y", 200) + `"}}`
	for _, limit := range []int{len(line), len(line) - 1} {
		c := Local(answers(func(int) string { return line + "\n" }), Config{Limit: limit})
		err := c.Call(t.Context(), "a", nil, nil)
		if (err == nil) != (limit == len(line)) {
			t.Errorf("limit %d, line of %d: %v", limit, len(line), err)
		}
		_ = c.Close()
	}
}

func TestSecondLineIsAFault(t *testing.T) {
	for _, when := range []string{"at once", "later"} {
		synctest.Test(t, func(t *testing.T) {
			c := Local(adapts(func(r *bufio.Reader, w io.Writer) {
				_, _ = r.ReadString('\n')
				_, _ = io.WriteString(w, `{"n":1,"ok":{}}`+"\n")
				if when == "later" {
					time.Sleep(time.Second)
				}
				_, _ = io.WriteString(w, `{"n":1,"ok":{}}`+"\n")
				_, _ = io.Copy(io.Discard, r)
			}), Config{})
			if err := c.Call(t.Context(), "a", nil, nil); err != nil {
				t.Fatal(err)
			}
			err := c.Call(t.Context(), "b", nil, nil)
			if fault, ok := errors.AsType[*FaultError](err); !ok || fault.Kind != Stray {
				t.Errorf("%s: %v, want a fault of kind stray", when, err)
			}
			_ = c.Close()
		})
	}
}

func TestLineAfterTheLastReplyIsAFault(t *testing.T) {
	c := Local(adapts(func(r *bufio.Reader, w io.Writer) {
		_, _ = r.ReadString('\n')
		_, _ = io.WriteString(w, `{"n":1,"ok":{}}`+"\n")
		_, _ = io.Copy(io.Discard, r)
		_, _ = io.WriteString(w, "bye\n")
	}), Config{})
	if err := c.Call(t.Context(), "a", nil, nil); err != nil {
		t.Fatal(err)
	}
	if fault, ok := errors.AsType[*FaultError](c.Close()); !ok || fault.Kind != Stray {
		t.Errorf("%v, want a fault of kind stray", fault)
	}
}

func TestSilentAdapter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Local(adapts(func(r *bufio.Reader, _ io.Writer) { _, _ = io.Copy(io.Discard, r) }), Config{Timeout: 3 * time.Second})
		start := time.Now()
		err := c.Call(t.Context(), "a", nil, nil)
		if fault, ok := errors.AsType[*FaultError](err); !ok || fault.Kind != Silent || time.Since(start) != 3*time.Second {
			t.Errorf("%v after %v, want a fault of kind silent after 3s", err, time.Since(start))
		}
		_ = c.Close()
	})
}

func TestAdapterThatNeverReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Local(func(ctx context.Context, _ io.Reader, _ io.Writer) error {
			<-ctx.Done()
			return nil
		}, Config{Timeout: 3 * time.Second})
		err := c.Call(t.Context(), "a", nil, nil)
		if fault, ok := errors.AsType[*FaultError](err); !ok || fault.Kind != Deaf {
			t.Errorf("%v, want a fault of kind deaf", err)
		}
		_ = c.Close()
	})
}

func TestAdapterThatDies(t *testing.T) {
	for name, last := range map[string]string{"between lines": "", "in the middle of a line": `{"n":1,"ok`} {
		t.Run(name, func(t *testing.T) {
			c := Local(adapts(func(r *bufio.Reader, w io.Writer) {
				_, _ = r.ReadString('\n')
				_, _ = io.WriteString(w, last)
			}), Config{})
			err := c.Call(t.Context(), "a", nil, nil)
			if fault, ok := errors.AsType[*FaultError](err); !ok || fault.Kind != Ended || (last != "") != strings.Contains(fault.Error(), "middle") {
				t.Errorf("%v, want a fault of kind ended", err)
			}
			_ = c.Close()
		})
	}
}

func TestAdapterThatDiesUnread(t *testing.T) {
	c := Local(adapts(func(*bufio.Reader, io.Writer) {}), Config{})
	err := c.Call(t.Context(), "a", nil, nil)
	if fault, ok := errors.AsType[*FaultError](err); !ok || fault.Kind != Ended {
		t.Errorf("%v, want a fault of kind ended", err)
	}
	_ = c.Close()
}

func TestFloodIsHeldUp(t *testing.T) {
	written := make(chan int, 1)
	c := Local(adapts(func(r *bufio.Reader, w io.Writer) {
		_, _ = r.ReadString('\n')
		n := 0
		for ; n < 1_000_000; n++ {
			if _, err := io.WriteString(w, `{"n":1,"ok":{}}`+"\n"); err != nil {
				break
			}
		}
		written <- n
	}), Config{})
	if err := c.Call(t.Context(), "a", nil, nil); err != nil {
		t.Fatal(err)
	}
	if fault, ok := errors.AsType[*FaultError](c.Close()); !ok || fault.Kind != Stray {
		t.Errorf("%v, want a fault of kind stray", fault)
	}
	// What the reader had in its buffer, and little more.
	if n := <-written; n > 20_000 {
		t.Errorf("the flood got %d lines through", n)
	}
}

func TestEndOfTheContextIsNoFault(t *testing.T) {
	cause := errors.New("case is over")
	c := Local(adapts(func(r *bufio.Reader, _ io.Writer) { _, _ = io.Copy(io.Discard, r) }), Config{})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := c.Call(ctx, "a", nil, nil); !errors.Is(err, cause) || c.Fault() != nil {
		t.Errorf("%v, fault %v", err, c.Fault())
	}
	if err := c.Call(t.Context(), "a", nil, nil); !errors.Is(err, cause) {
		t.Errorf("a later call: %v, want the same", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestHungAdapterIsLeftBehind(t *testing.T) {
	hang := make(chan struct{})
	over := make(chan struct{})
	c := Local(func(context.Context, io.Reader, io.Writer) error {
		defer close(over)
		<-hang
		return nil
	}, Config{Grace: time.Millisecond})
	if fault, ok := errors.AsType[*FaultError](c.Close()); !ok || fault.Kind != Ended {
		t.Errorf("%v, want a fault of kind ended", fault)
	}
	close(hang)
	<-over
}

func TestRequestsThatCannotBeWritten(t *testing.T) {
	c := Local(answers(func(n int) string { return fmt.Sprintf(`{"n":%d,"ok":{}}`+"\n", n) }), Config{})
	defer c.Close()
	for _, request := range []any{[]int{1}, 7, map[string]int{"n": 1}, map[string]int{"op": 1}, func() {}} {
		if err := c.Call(t.Context(), "a", request, nil); err == nil || c.Fault() != nil {
			t.Errorf("request %T: error %v, fault %v", request, err, c.Fault())
		}
	}
	// None of them was the adapter's fault, nor took a number that it would miss.
	if err := c.Call(t.Context(), "a", struct{}{}, nil); err != nil {
		t.Errorf("the conversation is over: %v", err)
	}
}

func TestConfigNamesTheField(t *testing.T) {
	for field, cfg := range map[string]Config{"Timeout": {Timeout: -1}, "Limit": {Limit: -1}, "Grace": {Grace: -1}} {
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func FuzzParseReply(f *testing.F) {
	for _, seed := range []string{`{"n":1,"ok":{}}`, `{"n":1,"error":{"name":"a","message":"b","limit":1e3}}`, `{"n":1,"ok":null}`, "", "{", `{"n":9007199254740993,"ok":{"a":[]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := parseReply(line)
		if err != nil {
			if _, ok := errors.AsType[*FaultError](err); !ok {
				t.Fatalf("%T is no fault", err)
			}
			return
		}
		if (r.ok == nil) == (r.bad == nil) {
			t.Fatalf("a reply is one of ok and error: %q", line)
		}
		if r.ok != nil && !json.Valid(r.ok) {
			t.Fatalf("ok is no JSON: %q", r.ok)
		}
		if r.bad != nil && r.err("op") == nil {
			t.Fatalf("an error without an error: %q", line)
		}
	})
}

// What a fault quotes is short and shows no control characters, whoever wrote it.
func TestRefusalIsQuoted(t *testing.T) {
	c := Local(answers(func(int) string {
		return `{"n":1,"error":{"name":"adapter","message":"\u001b[2J` + strings.Repeat("x", 1<<20) + "\"}}\r\n"
	}), Config{})
	defer c.Close()
	err := c.Call(t.Context(), "a", nil, nil)
	if err == nil || len(err.Error()) > 2*shown || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%.300v", err)
	}
}
