package eventbustest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/daemon"
)

// How the suite sets up the reference daemon: a ring that a case can overflow, and streams that are given up soon at a place of
// their own.
const (
	referenceRing        = 400
	referenceSend        = 64 << 10 // octets that the system may hold for a connection
	referenceSubscribers = 64
	referenceIdle        = 2 * time.Second
	idlePlace            = "idle" // instead of a dialect in a path
)

// ServerProfile is the profile of the reference daemon. Both dialects are served at one address, below paths of their names.
func ServerProfile() conformance.Profile {
	return conformance.Profile{
		Name: "ref", Title: "Assay's reference daemon", Versions: bothDialects,
		Sections: []conformance.Section{Section{HTTP: HTTP{
			Events:       "/{version}/session/{session}/events",
			Open:         Request{Method: "POST", Path: "/{version}/session", Session: "sessionId"},
			Publish:      Request{Method: "POST", Path: "/{version}/session/{session}/publish", Body: `{"type":"note","data":{"text":"{text}"}}`},
			Burst:        Request{Method: "POST", Path: "/{version}/session/{session}/burst", Body: `{"count":{count},"text":"{text}"}`},
			Shut:         Request{Method: "DELETE", Path: "/{version}/session/{session}"},
			Capabilities: "/{version}/capabilities",
			Ring:         referenceRing,
			Subscribers:  referenceSubscribers,
		}}},
	}
}

// serveReference serves the reference daemon on a free loopback port, in both dialects, until stop is called. Around is put
// around it.
func serveReference(around func(http.Handler) http.Handler) (address string, stop func(), err error) {
	mux := http.NewServeMux()
	var daemons []*daemon.Daemon
	for place, cfg := range map[string]daemon.Config{
		"seed":    {Dialect: eventbus.Seed},
		"later":   {Dialect: eventbus.Later},
		idlePlace: {Dialect: eventbus.Later, WriterIdle: referenceIdle},
	} {
		cfg.RingSize, cfg.MaxSubscribers, cfg.MaxSessions = referenceRing, referenceSubscribers, 10_000
		d, err := daemon.New(cfg)
		if err != nil {
			return "", nil, err
		}
		daemons = append(daemons, d)
		mux.Handle("/"+place+"/", http.StripPrefix("/"+place, bursts(d)))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{
		Handler: around(mux), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		// A reader that takes nothing is behind the sooner, the less the system holds for it.
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			_ = c.(*net.TCPConn).SetWriteBuffer(referenceSend)
			return ctx
		},
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	return l.Addr().String(), func() {
		for _, d := range daemons {
			d.Close()
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close()
		}
		<-done
	}, nil
}

// bursts adds a request to a daemon that publishes many equal events in one go, so that a profile can spell it.
func bursts(d http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		session, ok := strings.CutSuffix(r.URL.Path, "/burst")
		if !ok {
			d.ServeHTTP(w, r)
			return
		}
		var order struct {
			Count int
			Text  string
		}
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&order); err != nil || order.Count < 1 || order.Count > 10_000 {
			http.Error(w, "a burst has a count from 1 to 10000 and a text", http.StatusBadRequest)
			return
		}
		type event struct {
			Type string            `json:"type"`
			Data map[string]string `json:"data"`
		}
		events := make([]event, order.Count)
		for i := range events {
			events[i] = event{"note", map[string]string{"text": order.Text}}
		}
		body, err := json.Marshal(events)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		publish := r.Clone(r.Context())
		publish.URL.Path = session + "/publish"
		publish.Body, publish.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		d.ServeHTTP(w, publish)
	})
}

// serverReference starts the reference daemon.
func serverReference(context.Context) (*conformance.Reference, error) {
	address, stop, err := serveReference(func(h http.Handler) http.Handler { return h })
	if err != nil {
		return nil, err
	}
	return &conformance.Reference{Address: address, Profile: ServerProfile(), Stop: stop, Transports: []string{"http"}}, nil
}
