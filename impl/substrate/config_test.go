package substrate_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
	"github.com/seed-6f28358b/assay/impl/substrate/journal"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/relay"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// forgetful is a sink that knows ops again for two minutes.
type forgetful struct{ relay.Memory }

func (*forgetful) Remembers() time.Duration { return 2 * time.Minute }

// SUBSTRATE-AUTH-001, SUBSTRATE-AUTHZ-001, SUBSTRATE-RELAY-007: what is missing or does not go together is an error that names the field and
// says what to do, before there is a socket or a file.
func TestConfig(t *testing.T) {
	for name, test := range map[string]struct {
		change func(c *substrate.Config)
		field  string
		remedy string
		dial   bool // only for Dial
		listen bool // only for NewListener
	}{
		"no auth":      {func(c *substrate.Config) { c.Auth = nil }, "Auth", "handshake.None()", false, false},
		"no keys":      {func(c *substrate.Config) { c.Auth = handshake.HMAC(nil) }, "Auth", "handshake.HMAC", false, false},
		"no gate":      {func(c *substrate.Config) { c.Authorize = nil }, "Authorize", "engine.AllowAll", false, false},
		"no id":        {func(c *substrate.Config) { c.ID = "" }, "ID", "another", false, false},
		"a slash":      {func(c *substrate.Config) { c.ID = "a/b" }, "ID", "another", false, false},
		"bad remote":   {func(c *substrate.Config) { c.Remote = "A" }, "Remote", "another", true, false},
		"itself":       {func(c *substrate.Config) { c.Remote = c.ID }, "Remote", "two", true, false},
		"limits":       {func(c *substrate.Config) { c.Limits.Outbox = -1 }, "Limits.Outbox", "default", false, false},
		"peers":        {func(c *substrate.Config) { c.MaxPeers = -1 }, "MaxPeers", "4096", false, false},
		"two storages": {func(c *substrate.Config) { c.Journal, c.DBPath = &journal.Journal{}, "x" }, "Journal", "leave", false, false},
		"no sink":      {func(c *substrate.Config) { c.Relay = &substrate.Relay{} }, "Relay.Sink", "natsstream", false, false},
		"forgetful":    {func(c *substrate.Config) { c.Relay = &substrate.Relay{Sink: &forgetful{}} }, "Relay.Sink", "2m0s", false, false},
		"edge, stored": {func(c *substrate.Config) {
			c.Relay, c.Storage = &substrate.Relay{Sink: &relay.Memory{}}, store.NewMemory()
		}, "Relay", "leave", false, false},
		"edge dials":    {func(c *substrate.Config) { c.Relay = &substrate.Relay{Sink: &relay.Memory{}} }, "Relay", "NewListener", true, false},
		"named remote":  {func(c *substrate.Config) { c.Remote = "x" }, "Remote", "Auth", false, true},
		"journal there": {func(c *substrate.Config) { c.Journal = &journal.Journal{} }, "Journal", "DBPath", false, true},
		"feeds there":   {func(c *substrate.Config) { c.Feeds = true }, "Feeds", "dials", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := config("a")
			test.change(&c)
			check := func(err error) {
				t.Helper()
				var e *substrate.ConfigError
				if !errors.As(err, &e) || e.Field != test.field || !strings.Contains(e.Error(), test.field) || !strings.Contains(e.Remedy, test.remedy) {
					t.Errorf("got %v", err)
				}
			}
			if !test.listen {
				_, err := substrate.Dial(t.Context(), "ws://127.0.0.1:1/", c)
				check(err)
			}
			if !test.dial {
				_, err := substrate.NewListener(c)
				check(err)
			}
		})
	}
	_, err := substrate.Dial(t.Context(), "http://127.0.0.1:1/", config("a"))
	var e *substrate.ConfigError
	if !errors.As(err, &e) || e.Field != "url" {
		t.Errorf("http: %v", err)
	}
}

// warns counts warnings of the absence of authentication.
type warns struct{ n int }

func (w *warns) Log(level observe.Level, msg string, _ observe.Fields) {
	if level == observe.Warn && strings.Contains(msg, "auth is none") {
		w.n++
	}
}

// SUBSTRATE-AUTH-001: each time that none resolves, one warning is logged.
func TestNoAuthIsLogged(t *testing.T) {
	virtual(t, func(w *world) {
		var there, here warns
		c, d := config("gate"), config("c1")
		c.Auth, d.Auth = handshake.None(), handshake.None()
		c.Observe, d.Observe = observe.Bag{Logger: &there}, observe.Bag{Logger: &here}
		w.listen(c)
		p := w.dial(d) // it learns who is there
		must(w.t, p.Ready(w.t.Context()))
		if p.ID() != "gate" {
			w.t.Errorf("learned %s", p.ID())
		}
		if there.n != 1 || here.n != 1 {
			w.t.Errorf("%d and %d warnings, want one each", there.n, here.n)
		}
	})
}

// Dial gives up learning who is there when its context ends, and closes what it opened.
func TestLearningEndsWithItsContext(t *testing.T) {
	virtual(t, func(w *world) {
		c := config("c1")
		c.Client, c.DBPath = w.client, filepath.Join(w.t.TempDir(), "db")
		ctx, cancel := context.WithTimeout(w.t.Context(), time.Hour)
		defer cancel()
		for range 2 {
			if _, err := substrate.Dial(ctx, w.url, c); !errors.Is(err, context.DeadlineExceeded) {
				w.t.Errorf("dial: %v", err)
			}
		}
	})
}

// SUBSTRATE-AUTHZ-002: the gate decides before anybody is asked.
func TestGateDenies(t *testing.T) {
	virtual(t, func(w *world) {
		c := config("gate")
		c.Authorize = func(x *engine.OpContext) engine.Denial {
			if x.Peer == "c1" && x.Verb == "open" && string(x.Cap) != "ticket" {
				return engine.Deny("no_ticket")
			}
			return engine.Denial{}
		}
		var b record
		c.Handler = b.handler(w.t)
		w.listen(c)
		d := config("c1")
		d.Remote = "gate"
		p := w.dial(d)
		_, err := p.Open(w.t.Context(), substrate.Session, "s", substrate.OpenOptions{})
		wantCode(w.t, "without a ticket", err, "no_ticket")
		_, err = p.Open(w.t.Context(), substrate.Session, "s", substrate.OpenOptions{Cap: []byte("ticket")})
		must(w.t, err)
	})
}
