package gotestee

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestReportsArePrintableASCII(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "text")
		body, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		body = ascii(body)
		if slices.ContainsFunc(body, func(b byte) bool { return b < ' ' || b > '~' }) {
			t.Fatalf("%q", body)
		}
		var got string
		if err := json.Unmarshal(body, &got); err != nil || got != want {
			t.Fatalf("%q became %q through %s: %v", want, got, body, err)
		}
	})
}

func TestOrderIsRead(t *testing.T) {
	text := `{"n":7,"do":"send","wait":250,"destination":"/q","headers":{"a":"b"},"body":"YWI=","size":5,"receipt":true,"id":"s","beats":[1,2]}`
	var got Order
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	want := Order{
		N: 7, Do: "send", Wait: 250, Destination: "/q", Headers: map[string]string{"a": "b"}, Body: []byte("ab"), Size: 5,
		Receipt: true, ID: "s", Beats: []int64{1, 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if c := string(got.Content()); c != "ababa" {
		t.Errorf("content %q", c)
	}
}

// fake is a library that does what its name says.
type fake struct {
	events *Events
	closed *int
}

func (f *fake) Connect(context.Context, Order) (string, error) { return "1.2", nil }

func (f *fake) Send(ctx context.Context, o Order) (bool, error) {
	switch o.Destination {
	case "blocks":
		select {}
	case "panics":
		panic("no")
	}
	return o.Receipt, nil
}

func (f *fake) Subscribe(context.Context, Order) error {
	f.events.Message("m", map[string]string{"a": "b"}, make([]byte, longestShown+1))
	f.events.Message("n", nil, []byte("x"))
	f.events.Error(map[string]string{"message": "no"}, nil)
	f.events.Receipt("r")
	f.events.Closed("over")
	return nil
}

func (f *fake) Unsubscribe(context.Context, Order) error { return Unsupported("never") }

func (f *fake) Settle(_ context.Context, _ Order, m any) error {
	return errors.New("settled " + m.(string))
}

func (f *fake) Transact(context.Context, Order) error { return nil }

func (f *fake) Disconnect(context.Context) error { return nil }

func (f *fake) Close() { *f.closed++ }

// serve carries orders out and returns the reports; how the orders end is end.
func serve(t *testing.T, end error, orders ...string) (reports []map[string]any, closed int, err error) {
	seq := iter.Seq2[[]byte, error](func(yield func([]byte, error) bool) {
		for _, o := range orders {
			if !yield([]byte(o), nil) {
				return
			}
		}
		if end != nil {
			yield(nil, end)
		}
	})
	testee := Testee{Library: "fake", Release: "1", Can: []string{"binary"}, New: func(e *Events) Subject { return &fake{e, &closed} }}
	err = testee.Serve(t.Context(), seq, func(body []byte) error {
		var r map[string]any
		if err := json.Unmarshal(body, &r); err != nil {
			t.Error(err)
		}
		reports = append(reports, r)
		return nil
	})
	return reports, closed, err
}

func TestEveryOrderHasItsReport(t *testing.T) {
	got, closed, err := serve(t, io.EOF,
		`{"n":1,"do":"hello"}`, `{"n":2,"do":"send"}`, `{"n":3,"do":"connect","wait":9}`, `{"n":4,"do":"send","receipt":true}`,
		`{"n":5,"do":"send","destination":"panics"}`, `{"n":6,"do":"unsubscribe"}`, `{"n":7,"do":"ack","message":1}`,
		`{"n":8,"do":"subscribe"}`, `{"n":9,"do":"receive"}`, `{"n":10,"do":"receive"}`, `{"n":11,"do":"ack","message":2}`,
		`{"n":12,"do":"receive"}`, `{"n":13,"do":"receive"}`, `{"n":14,"do":"receive"}`, `{"n":15,"do":"receive"}`,
		`{"n":16,"do":"commit"}`, `{"n":17,"do":"fly"}`, `{"n":18,"do":"connect"}`, `{"n":19,"do":"receive"}`, `{"n":20,"do":"disconnect"}`,
	)
	if err != nil || closed != 2 {
		t.Errorf("closed %d subjects: %v", closed, err)
	}
	want := []map[string]any{
		{"n": 1.0, "library": "fake", "version": "1", "language": "Go", "can": []any{"binary"}},
		{"n": 2.0, "error": "not connected"},
		{"n": 3.0, "version": "1.2"},
		{"n": 4.0, "receipt": true},
		{"n": 5.0, "error": "panic: no"},
		{"n": 6.0, "unsupported": "never"},
		{"n": 7.0, "error": "no message 1"},
		{"n": 8.0},
		{"n": 9.0, "event": "message", "message": 1.0, "headers": map[string]any{"a": "b"}, "size": 65537.0, "sha256": nil},
		{"n": 10.0, "event": "message", "message": 2.0, "headers": nil, "body": "eA=="},
		{"n": 11.0, "error": "settled n"},
		{"n": 12.0, "event": "error", "headers": map[string]any{"message": "no"}, "body": nil},
		{"n": 13.0, "event": "receipt", "id": "r"},
		{"n": 14.0, "event": "closed", "reason": "over"},
		{"n": 15.0, "event": "none"},
		{"n": 16.0},
		{"n": 17.0, "error": `no order "fly"`},
		{"n": 18.0, "version": "1.2"},
		{"n": 19.0, "event": "none"},
		{"n": 20.0},
	}
	ignore := cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "" && p.Last().String() == `["sha256"]` }, cmp.Ignore())
	if diff := cmp.Diff(want, got, ignore); diff != "" {
		t.Error(diff)
	}
	if s, _ := got[8]["sha256"].(string); len(s) != 64 {
		t.Errorf("digest %q", s)
	}
}

func TestLibraryThatBlocksIsReportedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s := session{events: newEvents(), subject: blocked{}}
		r := s.within(t.Context(), Order{N: 1, Do: "disconnect", Wait: 200})
		if r["error"] != "disconnect does not return" || r["hangs"] != true || time.Since(began) != 200*time.Millisecond+grace {
			t.Errorf("%v after %v", r, time.Since(began))
		}
		time.Sleep(time.Hour) // until the library returns, too late
	})
}

// blocked is a library that keeps no limit of its own; here it does in the end, so that the test leaves nothing behind.
type blocked struct{ *fake }

func (blocked) Disconnect(context.Context) error {
	time.Sleep(time.Hour)
	return nil
}

func TestOrdersThatCannotBeReadEndTheTestee(t *testing.T) {
	if _, _, err := serve(t, nil, `{"n":`); err == nil {
		t.Error("half an order was read")
	}
}
