package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

// reply answers with JSON and status 200.
func reply(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	// A peer that went away has no need of it.
	_, _ = w.Write(body)
}

func refuse(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	(&sse.Refusal{Status: status, Code: code, Message: message}).ServeHTTP(w, r)
}

// body reads the body of a request, or answers that it cannot be.
func (d *Daemon) body(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, d.cfg.MaxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		refuse(w, r, http.StatusRequestEntityTooLarge, "body_too_large", fmt.Sprintf("the body is larger than %d octets", large.Limit))
	case err != nil:
		refuse(w, r, http.StatusBadRequest, "bad_body", "the body did not come in whole or in time")
	}
	return body, err == nil
}

// deadline is that of the body of a request that begins now, or of bodies in turn.
func (c Config) deadline(bodies time.Duration) time.Time {
	return time.Now().Add(bodies * c.BodyTimeout)
}
