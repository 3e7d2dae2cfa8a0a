package eventbustest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// spoils is the reference's adapter, but for what spoil makes of its reply lines, the line feed included, from the first
// operation on that is named.
func spoils(op string, spoil func(line string) string) adapter.Adapter {
	return func(ctx context.Context, r io.Reader, w io.Writer) error {
		inner, requests := io.Pipe()
		replies, out := io.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = out.CloseWithError(ServeReference(ctx, inner, out))
		}()
		defer func() {
			_ = requests.Close()
			_ = replies.Close()
			<-done
		}()
		in, from := json.NewDecoder(r), json.NewDecoder(replies)
		for spoilt := false; ; {
			var request, reply json.RawMessage
			if in.Decode(&request) != nil {
				return nil
			}
			if _, err := fmt.Fprintf(requests, "%s\n", request); err != nil {
				return err
			}
			if err := from.Decode(&reply); err != nil {
				return err
			}
			line := string(reply) + "\n"
			if spoilt = spoilt || strings.Contains(string(request), `"op":"`+op+`"`); spoilt {
				line = spoil(line)
			}
			if _, err := io.WriteString(w, line); err != nil {
				return nil
			}
			if spoilt && !strings.HasSuffix(line, "\n") && line != "" {
				return nil // it died
			}
		}
	}
}

// TestHostileAdapterGetsNoVerdict runs cases through adapters that go wrong after they have greeted well: nothing of that may count for
// or against the bus.
func TestHostileAdapterGetsNoVerdict(t *testing.T) {
	replace := func(old, with string) func(string) string {
		return func(line string) string { return strings.Replace(line, old, with, 1) }
	}
	for name, a := range map[string]adapter.Adapter{
		"silent":              spoils("drain", func(string) string { return "" }),
		"dies in a line":      spoils("drain", func(line string) string { return line[:len(line)/2] }),
		"garbage":             spoils("drain", func(string) string { return "oops\n" }),
		"two lines":           spoils("clock", func(line string) string { return line + line }),
		"greets in prose":     spoils("hello", func(line string) string { return "ready\n" + line }),
		"numbers anew":        spoils("drain", replace(`{"n":`, `{"n":1`)),
		"unknown state":       spoils("drain", replace(`"state":"`, `"state":"very `)),
		"items are text":      spoils("drain", replace(`"items":[{`, `"items":["x",{`)),
		"items are no list":   spoils("drain", replace(`"items":[`, `"items":7,"was":[`)),
		"ok and error":        spoils("drain", replace(`"ok":`, `"error":{"name":"a","message":"b"},"ok":`)),
		"fails by itself":     spoils("drain", replace(`"ok":{`, `"error":{"name":"adapter","message":"b",`)),
		"other protocol":      spoils("hello", replace(`"protocol":"eventbus"`, `"protocol":"stomp"`)),
		"unknown option":      spoils("hello", replace(`"options":{`, `"options":{"wings":"it has none",`)),
		"does not serialise":  spoils("drain", replace(`"items":[`, `"items":[NaN,`)),
		"answers out of turn": spoils("new", func(line string) string { return strings.Repeat(line, 100) }),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				res, err := conformance.Run(t.Context(), busSuite(), conformance.Config{
					Target: suitetest.InGo(), Adapter: a,
					Selection: conformance.Selection{Only: []string{"eventbus/bus/id/grows-by-one", "eventbus/bus/id/synthetic-frames-have-no-id"}},
				})
				if err != nil {
					t.Fatal(err)
				}
				counts := conformance.Counts{}
				for _, c := range res.Cases {
					counts[c.Verdict]++
				}
				if counts[conformance.Inconclusive] == 0 || counts[conformance.Fail]+counts[conformance.Lax]+counts[conformance.Pass] > 0 {
					t.Errorf("%v, wanted doubts alone", counts)
				}
			})
		})
	}
}
