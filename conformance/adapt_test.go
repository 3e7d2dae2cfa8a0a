package conformance_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// asksAdapter is a suite of one case, which asks the target's adapter for a word and expects "yes".
func asksAdapter() *conformance.Suite {
	return &conformance.Suite{
		Name: "eventbus", Protocol: "eventbus", Schemes: []string{"exec"},
		Probe: func(context.Context, *conformance.T) conformance.Capabilities { return conformance.Capabilities{} },
		Cases: []conformance.Case{{
			ID: "eventbus/bus/ask", Title: "answer", Laws: []string{"EVENTBUS-ID-001"}, Needs: conformance.Needs{Transports: []string{"exec"}},
			Run: func(ctx context.Context, t *conformance.T) {
				var reply struct{ Word string }
				if err := t.Adapter().Call(ctx, "ask", nil, &reply); err != nil {
					t.Inconclusive("%v", err)
				}
				if reply.Word != "yes" {
					t.Broken(conformance.Break{Law: "EVENTBUS-ID-001", Reason: "the word is yes", Expected: "yes", Seen: reply.Word})
				}
			},
		}},
		Reference: func(context.Context) (*conformance.Reference, error) {
			return &conformance.Reference{Adapter: says("yes"), Transports: []string{"exec"}, Stop: func() {}}, nil
		},
	}
}

func says(word string) adapter.Adapter {
	return func(ctx context.Context, r io.Reader, w io.Writer) error {
		return adapter.Serve(ctx, r, w, func(context.Context, *adapter.Request) (any, error) {
			return map[string]string{"word": word}, nil
		})
	}
}

func TestAdapterIsAsked(t *testing.T) {
	for name, c := range map[string]struct {
		target  string
		adapter adapter.Adapter
		want    conformance.Verdict
		reason  string
	}{
		"the reference":         {target: "ref", want: conformance.Pass},
		"one in this process":   {adapter: says("no"), want: conformance.Fail, reason: "the word is yes"},
		"a command":             {target: `exec:sh -c 'read line; echo "{\"n\":1,\"ok\":{\"word\":\"yes\"}}"; cat >/dev/null'`, want: conformance.Pass},
		"a line too many":       {target: `exec:sh -c 'read line; echo "{\"n\":1,\"ok\":{\"word\":\"yes\"}}"; cat >/dev/null; echo "{}"'`, want: conformance.Inconclusive, reason: "at fault"},
		"a command that is not": {target: "exec:/nonexistent/adapter", want: conformance.Inconclusive, reason: "adapter"},
		"one that dies":         {target: "exec:sh -c 'echo last words >&2; exit 3'", want: conformance.Inconclusive, reason: "adapter"},
		"one that talks idly":   {target: "exec:echo hello", want: conformance.Inconclusive, reason: "adapter"},
	} {
		t.Run(name, func(t *testing.T) {
			target := conformance.Target{Spec: "go", Scheme: "go"}
			if c.adapter == nil {
				var err error
				if target, err = conformance.ParseTarget(c.target); err != nil {
					t.Fatal(err)
				}
			}
			res, err := conformance.Run(t.Context(), asksAdapter(), conformance.Config{Target: target, Adapter: c.adapter})
			if err != nil {
				t.Fatal(err)
			}
			got := res.Cases[0]
			if got.Verdict != c.want || !strings.Contains(got.Reason, c.reason) {
				t.Errorf("%s (%s), want %s (%s)", got.Verdict, got.Reason, c.want, c.reason)
			}
			if got.Verdict != conformance.Inconclusive && len(got.Transcript) == 0 {
				t.Error("the conversation is not in the transcript")
			}
			if name == "one that dies" && (len(got.Notes) == 0 || !strings.Contains(got.Notes[0].Value, "last words")) {
				t.Errorf("what the adapter printed at its end is not noted: %v", got.Notes)
			}
		})
	}
}
