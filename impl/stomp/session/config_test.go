package session_test

import (
	"errors"
	"math"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// STOMP-LIMIT-018, STOMP-HEARTBEAT-012
func TestConfigNamesTheField(t *testing.T) {
	whole := session.DefaultLimits()
	if whole != (session.Limits{Subscriptions: 256, Transactions: 256, Receipts: 256, Deliveries: 1024}) {
		t.Errorf("default limits %+v", whole)
	}
	for _, c := range []struct {
		field string
		cfg   session.Config
		found int64
	}{
		{"", session.Config{}, 0},
		{"", session.Config{Profile: session.MultiVersion, Limits: whole, Tolerance: heartbeat.MaxInterval}, 0},
		{"", session.Config{Limits: session.Limits{1, 1, 1, 1}, Tolerance: 1}, 0},
		{"Profile", session.Config{Profile: 2}, 2},
		{"Limits.Subscriptions", session.Config{Limits: session.Limits{0, 1, 1, 1}}, 0},
		{"Limits.Transactions", session.Config{Limits: session.Limits{1, 0, 1, 1}}, 0},
		{"Limits.Receipts", session.Config{Limits: session.Limits{1, 1, -1, 1}}, -1},
		{"Limits.Deliveries", session.Config{Limits: session.Limits{1, 1, 1, 0}}, 0},
		{"Tolerance", session.Config{Tolerance: -1}, -1},
		{"Tolerance", session.Config{Tolerance: math.MaxInt32 + 1}, math.MaxInt32 + 1},
	} {
		s, err := session.New(c.cfg)
		if c.field == "" {
			if err != nil || s == nil {
				t.Errorf("%+v: %v", c.cfg, err)
			}
			continue
		}
		var e *session.ConfigError
		if !errors.As(err, &e) || e.Field != c.field || e.Found != c.found || s != nil {
			t.Errorf("%+v: %v, want an error about %s", c.cfg, err, c.field)
		}
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []struct {
		v    interface{ String() string }
		want string
	}{
		{session.Strict, "strict"},
		{session.MultiVersion, "multi-version"},
		{session.Profile(9), "unknown"},
		{session.Fresh, "fresh"},
		{session.Connecting, "connecting"},
		{session.Active, "active"},
		{session.Disconnecting, "disconnecting"},
		{session.Closed, "closed"},
		{session.State(9), "unknown"},
		{session.OpSend, "send"},
		{session.OpReceive, "receive"},
		{session.OpTick, "tick"},
		{session.OpEnd, "end"},
		{session.Op(0), "unknown"},
		{session.HeartBeat, "heart-beat"},
		{session.Connected, "connected"},
		{session.Message, "message"},
		{session.Receipt, "receipt"},
		{session.ServerError, "server-error"},
		{session.Kind(0), "unknown"},
		{session.ReasonUnsettled, "unsettled"},
		{session.Reason(0), "unknown"},
		{session.Reason(99), "unknown"},
	} {
		if got := c.v.String(); got != c.want {
			t.Errorf("%#v is called %q, want %q", c.v, got, c.want)
		}
	}
	_, err := session.New(session.Config{Tolerance: -5})
	if got, want := err.Error(), "stomp session: config: Tolerance is -5, not in 0 to 2147483647"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p := dial(t, session.Config{}, "1.2")
	e := p.refuseAt(-3, nil, session.ReasonTimeNegative, "STOMP-CLOCK-001")
	if got, want := e.Error(), "stomp session: send: time-negative: the time is negative (limit 0, found -3) [STOMP-CLOCK-001]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	e = p.closes("x\n", session.ReasonSyntax, "STOMP-CLIENT-006")
	if got, want := e.Error(), "stomp session: receive: syntax [STOMP-CLIENT-006]: stomp frame: unknown-command at octet 0: "; len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("%q, want %q", got, want)
	}
	if e.Unwrap() != e.Cause || e.Cause == nil {
		t.Errorf("unwraps to %v", e.Unwrap())
	}
}
