package daemon_test

import (
	"encoding/json"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/daemon"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

// Whatever is posted is refused whole, or comes out of the stream as it went in.
func FuzzPublish(f *testing.F) {
	for _, s := range []string{
		`{"type":"a"}`, `[{"type":"a","data":null},{"type":"b","data":{"x":[1.0,"\ud800"]},"originatorClientId":"","_meta":{"a":1}}]`, `[]`, `{"type":"\n","id":7,"v":9}`,
		`{"type":"a","_meta":{"serverTimestamp":"x"}}`, "[", "null",
	} {
		f.Add(s)
	}
	d, err := daemon.New(daemon.Config{Dialect: eventbus.Later, MaxSessions: 1 << 20})
	if err != nil {
		f.Fatal(err)
	}
	ask := func(method, path, body string, headers ...string) (int, string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Host = "localhost"
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		out, _ := io.ReadAll(w.Body)
		return w.Code, string(out)
	}
	f.Fuzz(func(t *testing.T, body string) {
		_, answer := ask("POST", "/session", "")
		var session struct{ SessionID string }
		if err := json.Unmarshal([]byte(answer), &session); err != nil {
			t.Fatal(answer, err)
		}
		path := "/session/" + session.SessionID
		status, answer := ask("POST", path+"/publish", body)
		if !json.Valid([]byte(answer)) || status != 200 && status != 400 {
			t.Fatalf("%d %s", status, answer)
		}
		var want []struct{ Type string }
		if status == 200 {
			if json.Unmarshal([]byte(body), &want) != nil {
				want = make([]struct{ Type string }, 1)
			}
		}
		stream := make(chan string)
		go func() {
			_, out := ask("GET", path+"/events", "", "Last-Event-ID", "0")
			stream <- out
		}()
		for listening := false; !listening; {
			var state daemon.State
			_, answer := ask("GET", path+"/state", "")
			if err := json.Unmarshal([]byte(answer), &state); err != nil {
				t.Fatal(answer, err)
			}
			listening = len(state.Subscribers) == 1
		}
		ask("DELETE", path, "")
		out := <-stream
		var p sse.Parser
		p.Feed([]byte(out))
		events := 0
		for m, ok := p.Next(); ok; m, ok = p.Next() {
			e, err := sse.DecodeEnvelope(m.Data)
			if err != nil {
				t.Fatalf("%q: %v", m.Data, err)
			}
			if e.ID == 0 {
				continue
			}
			if events++; e.ID != int64(events) || events <= len(want) && e.Type == "session_closed" && want[events-1].Type != "session_closed" && want[events-1].Type != "" {
				t.Fatalf("event %d is %d %q, posted %q", events, e.ID, e.Type, body)
			}
		}
		if events != len(want)+1 {
			t.Fatalf("%d events of %d and session_closed, posted %q: %q", events, len(want), body, out)
		}
	})
}
