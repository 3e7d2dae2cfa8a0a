package adapter

import (
	"context"
	"io"
	"strings"
	"testing"
)

// greets is an adapter that keeps the rules, but for what twist does to a reply.
func greets(twist func(r *Request, ok any, err error) (any, error)) Adapter {
	return func(ctx context.Context, r io.Reader, w io.Writer) error {
		return Serve(ctx, r, w, func(_ context.Context, r *Request) (any, error) {
			ok, err := any(nil), error(&UnsupportedError{Reason: "no such operation"})
			if r.Op == "hello" {
				_, err = Hello(r, Greeting{Protocol: "p"})
				ok = map[string]any{"protocol": "p", "software": "s 1", "roles": []string{"r"}}
			}
			return twist(r, ok, err)
		})
	}
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		adapter Adapter
		want    string // of the complaints, in one
	}{
		"good": {greets(func(_ *Request, ok any, err error) (any, error) { return ok, err }), ""},
		"takes anything": {
			greets(func(_ *Request, ok any, _ error) (any, error) { return ok, nil }),
			"an operation that no protocol has is not answered with unsupported: it is carried out",
		},
		"fails at what it does not know": {
			greets(func(r *Request, ok any, err error) (any, error) {
				if r.Op != "hello" {
					return nil, io.ErrUnexpectedEOF
				}
				return ok, err
			}),
			"an operation that no protocol has is not answered with unsupported: adapter: on \"assay-frobnicate\"",
		},
		"poor greeting": {
			greets(func(r *Request, ok any, err error) (any, error) {
				if err == nil {
					return map[string]any{"protocol": "q", "more": 1, "options": map[string]string{"o": ""}}, nil
				}
				return ok, err
			}),
			"hello: unknown member more; hello: protocol is \"q\", asked for was \"p\"; hello: software is empty; hello: there are no roles; hello: option o has no reason",
		},
		"greeting with a version that there is not": {
			greets(func(_ *Request, ok any, err error) (any, error) {
				if g, is := ok.(map[string]any); is && err == nil {
					g["versions"] = []string{"9"}
				}
				return ok, err
			}),
			"hello: \"9\" is no version of p",
		},
		"greeting of the wrong form": {
			greets(func(r *Request, ok any, err error) (any, error) {
				if err == nil {
					return map[string]any{"protocol": 7}, nil
				}
				return ok, err
			}),
			"hello: json: cannot unmarshal number",
		},
		"talks at the end": {
			func(ctx context.Context, r io.Reader, w io.Writer) error {
				err := greets(func(_ *Request, ok any, err error) (any, error) { return ok, err })(ctx, r, w)
				_, _ = io.WriteString(w, "bye\n")
				return err
			},
			"at the end: adapter: a line that answers no request",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(Check(t.Context(), Local(c.adapter, Config{}), "p"), "; ")
			if !strings.HasPrefix(got, c.want) || (c.want == "" && got != "") {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}
