package adapter

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// serves runs a handler and gives it the requests, one a line.
func serves(t *testing.T, handler Handler, requests ...string) (replies []string, err error) {
	t.Helper()
	var out strings.Builder
	err = Serve(t.Context(), strings.NewReader(strings.Join(requests, "")), &out, handler)
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), err
}

func TestServe(t *testing.T) {
	limit := int64(64)
	got, err := serves(t, func(_ context.Context, r *Request) (any, error) {
		switch r.Op {
		case "nothing":
			return nil, nil
		case "echo":
			var q struct{ Text string }
			err := r.Decode(&q)
			return map[string]string{"text": q.Text}, err
		case "limit":
			return nil, &TargetError{Name: "LimitError", Message: "full", Limit: &limit}
		case "panics":
			panic("oops")
		case "array":
			return []int{1}, nil
		case "func":
			return func() {}, nil
		}
		return nil, &UnsupportedError{Reason: "no such operation"}
	},
		`{"n":1,"op":"nothing"}`+"\n", `{"op":"echo","text":"<\u00e4>","n":2}`+"\n", `{"n":3,"op":"limit"}`+"\n", `{"n":4,"op":"panics"}`+"\n",
		`{"n":5,"op":"array"}`+"\n", `{"n":6,"op":"func"}`+"\n", `{"n":7,"op":"other"}`+"\n", `{"n":8,"op":"echo","text":"a","more":1}`+"\n",
		`{"n":9,"op":"echo","text":1}`+"\n")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		`{"n":1,"ok":{}}`, `{"n":2,"ok":{"text":"<ä>"}}`, `{"n":3,"error":{"limit":64,"message":"full","name":"LimitError"}}`,
		`{"n":4,"error":{"message":"panics: panic: oops`, `{"n":5,"error":{"message":"array: reply is no object`,
		`{"n":6,"error":{"message":"func: json: unsupported type`, `{"n":7,"error":{"message":"no such operation","name":"unsupported"}}`,
		`{"n":8,"error":{"message":"json: unknown field \"more\"","name":"unsupported"}}`,
		`{"n":9,"error":{"message":"echo: request \"echo\": json: cannot unmarshal number`,
	} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("reply %d is %q, want %q", i+1, got[min(i, len(got)-1)], want)
		}
	}
}

func TestServeEndsAtABadRequest(t *testing.T) {
	for _, line := range []string{"hello\n", "[]\n", `{"n":"1"}` + "\n", `{"n":1,"op":"a"`} {
		if _, err := serves(t, func(context.Context, *Request) (any, error) { return nil, nil }, line); err == nil {
			t.Errorf("%q is served", line)
		}
	}
}

func TestLocalServes(t *testing.T) {
	c := Local(func(ctx context.Context, r io.Reader, w io.Writer) error {
		return Serve(ctx, r, w, func(context.Context, *Request) (any, error) {
			return nil, &TargetError{Name: "Odd", Message: "even", Members: nil}
		})
	}, Config{})
	defer c.Close()
	for range 3 {
		if target, ok := errors.AsType[*TargetError](c.Call(t.Context(), "a", nil, nil)); !ok || target.Name != "Odd" {
			t.Fatalf("%#v", target)
		}
	}
}
