package eventbustest

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// slowWriter takes its time over the first frames of a burst.
type slowWriter struct {
	http.ResponseWriter
	wait time.Duration
}

func (w *slowWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *slowWriter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("b-")) {
		time.Sleep(w.wait)
		w.wait = 0
	}
	return w.ResponseWriter.Write(p)
}

// EVENTBUS-SSE-005 says how a reader is evicted, not how soon it hears of that.
func TestServerThatEvictsSlowly(t *testing.T) {
	t.Parallel()
	address, stop, err := serveReference(func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.RawQuery, "maxQueued=16") {
				w = &slowWriter{w, time.Second}
			}
			h.ServeHTTP(w, r)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	profile := ServerProfile()
	profile.Deadlines.Reply = conformance.Duration(400 * time.Millisecond)
	profile.Deadlines.Close = conformance.Duration(3 * time.Second)
	TestServer(t, "http://"+address, suitetest.Options{Profile: profile, Only: []string{"eventbus/server/evict/last-frame"}, Baseline: &conformance.Baseline{}})
}
