package client_test

import (
	"context"
	"crypto/tls"
	"errors"
	"math"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// dialed counts calls of a dialer that never connects.
type dialed struct{ n int }

var errNoNetwork = errors.New("no network here")

func (d *dialed) dial(context.Context, string, string) (net.Conn, error) {
	d.n++
	return nil, errNoNetwork
}

// refusedConfig checks that cfg or addr is refused before any I/O.
func refusedConfig(t *testing.T, addr string, cfg client.Config) {
	t.Helper()
	var d dialed
	cfg.Dialer = d.dial
	if _, err := client.Dial(ctx, addr, cfg); code(err) != client.Argument || d.n != 0 {
		t.Errorf("%s: %v, after %d dials", addr, err, d.n)
	}
}

// acceptedConfig checks that it comes to dialing.
func acceptedConfig(t *testing.T, addr string, cfg client.Config) {
	t.Helper()
	var d dialed
	cfg.Dialer = d.dial
	if _, err := client.Dial(ctx, addr, cfg); !errors.Is(err, errNoNetwork) || code(err) != "" || d.n != 1 {
		t.Errorf("%s: %v, after %d dials", addr, err, d.n)
	}
}

const here = "tcp://127.0.0.1:61613"

func TestAddresses(t *testing.T) {
	// STOMP-WAIT-017
	for _, addr := range []string{
		"", "127.0.0.1:61613", "tcp://", "tcp://:61613", "tcp://%20:61613", "tcp://127.0.0.1", "tcp://127.0.0.1:",
		"tcp://127.0.0.1:0", "tcp://127.0.0.1:65536", "tcp://127.0.0.1:-1", "tcp://127.0.0.1:x", "udp://127.0.0.1:1",
		"http://127.0.0.1:1", "tcp://u:p@127.0.0.1:1", "tcp://127.0.0.1:1/path", "tcp://127.0.0.1:1?q", "tcp:127.0.0.1:1",
		"ws://127.0.0.1:0/", "wss://:1/", "ws://127.0.0.1:1/#f", "tls://127.0.0.1:99999", "tcp://[::1:1", "://",
	} {
		refusedConfig(t, addr, client.Config{})
	}
	for _, addr := range []string{
		here, "tcp://localhost:1", "tcp://[::1]:65535", "tls://127.0.0.1:1", "ws://127.0.0.1", "wss://127.0.0.1/a/b?c=d", "tcp://127.0.0.1:1/",
	} {
		acceptedConfig(t, addr, client.Config{})
	}
	// Whatever a password in an address is good for, it is not for errors.
	if _, err := client.Dial(ctx, "tcp://u:secret@h:1:2", client.Config{}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

func TestConfigIsCheckedBeforeAnyIO(t *testing.T) {
	// STOMP-WAIT-017, STOMP-CLOCK-007, STOMP-TLS-001, STOMP-TLS-002, STOMP-NEGOTIATE-008, STOMP-LIMIT-018
	timing := func(change func(*client.Timing)) client.Config {
		v := client.DefaultTiming()
		change(&v)
		return client.Config{Timing: v}
	}
	const most = math.MaxInt32 * time.Millisecond
	bad := map[string]client.Config{
		"blank host":           {Host: " \t"},
		"host with LF":         {Host: "a\nb"},
		"login with NUL":       {Login: "a\x00"},
		"passcode with LF":     {Passcode: "a\nb"},
		"passcode with CR":     {Passcode: "a\r"},
		"passcode with NUL":    {Passcode: "\x00"},
		"login not UTF-8":      {Login: "\xff"},
		"long passcode":        {Passcode: strings.Repeat("x", 2040)},
		"unverified":           {TLS: &tls.Config{InsecureSkipVerify: true}},
		"no versions":          {Versions: []frame.Version{}},
		"decreasing versions":  {Versions: []frame.Version{frame.V12, frame.V11}},
		"repeated versions":    {Versions: []frame.Version{frame.V11, frame.V11}},
		"unknown version":      {Versions: []frame.Version{7}},
		"negative heart-beat":  {HeartBeat: heartbeat.Pair{Send: -1}},
		"huge heart-beat":      {HeartBeat: heartbeat.Pair{Want: math.MaxInt32 + 1}},
		"negative tolerance":   {Tolerance: -time.Second},
		"huge tolerance":       {Tolerance: most + 1},
		"receipt header":       {Headers: []frame.Header{{Name: "receipt", Value: "r"}}},
		"second host":          {Headers: []frame.Header{{Name: "host", Value: "h"}}},
		"header with a colon":  {Headers: []frame.Header{{Name: "a:b", Value: "c"}}},
		"only a login timeout": {Timing: client.Timing{Connect: time.Second}},
		"only one limit":       {Limits: client.Limits{Events: 5}},
	}
	for name, change := range map[string]func(*client.Timing, time.Duration){
		"connect": func(v *client.Timing, d time.Duration) { v.Connect = d },
		"receipt": func(v *client.Timing, d time.Duration) { v.Receipt = d },
		"tick":    func(v *client.Timing, d time.Duration) { v.Tick = d },
		"write":   func(v *client.Timing, d time.Duration) { v.Write = d },
	} {
		for _, d := range []time.Duration{0, -time.Second, time.Millisecond - 1, most + 1, most + time.Millisecond} {
			bad[name+" "+d.String()] = timing(func(v *client.Timing) { change(v, d) })
		}
		for _, d := range []time.Duration{time.Millisecond, most} {
			if name == "connect" && d < time.Second {
				continue
			}
			acceptedConfig(t, here, timing(func(v *client.Timing) { change(v, d) }))
		}
	}
	for name, change := range map[string]func(*client.Limits, int){
		"subscriptions": func(l *client.Limits, n int) { l.Subscriptions = n },
		"transactions":  func(l *client.Limits, n int) { l.Transactions = n },
		"receipts":      func(l *client.Limits, n int) { l.Receipts = n },
		"deliveries":    func(l *client.Limits, n int) { l.Deliveries = n },
		"events":        func(l *client.Limits, n int) { l.Events = n },
		"event bytes":   func(l *client.Limits, n int) { l.EventBytes = n },
		"waiters":       func(l *client.Limits, n int) { l.Waiters = n },
		"write buffer":  func(l *client.Limits, n int) { l.WriteBuffer = n },
	} {
		for _, n := range []int{0, -1} {
			bad[name] = limits(func(l *client.Limits) { change(l, n) })
		}
		acceptedConfig(t, here, limits(func(l *client.Limits) { change(l, 1) }))
	}
	for name, cfg := range bad {
		t.Run(name, func(t *testing.T) {
			refusedConfig(t, here, cfg)
			if code(cfg.Validate()) != client.Argument {
				t.Errorf("Validate: %v", cfg.Validate())
			}
			ours, theirs := pair(t)
			if cfg.Host == "" {
				cfg.Host = "h"
			}
			if _, err := client.New(ctx, ours, cfg); code(err) != client.Argument {
				t.Errorf("New: %v", err)
			}
			// It owned the connection, and wrote nothing.
			if n, err := theirs.Read(make([]byte, 1)); n != 0 || err == nil {
				t.Error("an octet was written")
			}
		})
	}
	if err := (client.Config{}).Validate(); err != nil {
		t.Errorf("the zero value: %v", err)
	}
	if _, err := client.New(ctx, nil, client.Config{}); code(err) != client.Argument {
		t.Errorf("nil: %v", err)
	}
	ours, _ := pair(t)
	if _, err := client.New(ctx, ours, client.Config{}); code(err) != client.Argument {
		t.Errorf("no host: %v", err)
	}
}

func TestLoginsNeedTLS(t *testing.T) {
	// STOMP-TLS-007
	login := client.Config{Login: "u", Passcode: "p"}
	for _, addr := range []string{"tcp://192.0.2.1:61613", "ws://192.0.2.1/", "tcp://broker.example:1", "tcp://[2001:db8::1]:1", "tcp://127.0.0.1.example:1", "tcp://localhost.example:1"} {
		refusedConfig(t, addr, login)
		refusedConfig(t, addr, client.Config{Passcode: "p"})
		acceptedConfig(t, addr, client.Config{})
		acceptedConfig(t, addr, client.Config{Login: "u", Passcode: "p", PlainLogin: true})
	}
	for _, addr := range []string{"tls://192.0.2.1:61614", "wss://192.0.2.1/", here, "tcp://[::1]:61613", "tcp://localhost:61613", "tcp://127.9.9.9:1", "ws://127.0.0.1:1/", "tcp://[::ffff:127.0.0.1]:1"} {
		acceptedConfig(t, addr, login)
	}
}

// elsewhere claims to lead to another machine.
type elsewhere struct{ net.Conn }

func (elsewhere) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1} }

func TestLoginIsNotSentToAnotherMachineByName(t *testing.T) {
	// STOMP-TLS-007: the name says localhost, the address does not.
	for _, addr := range []string{"tcp://localhost:1", "ws://localhost:1"} {
		ours, theirs := pair(t)
		cfg := client.Config{Login: "u", Dialer: func(context.Context, string, string) (net.Conn, error) { return elsewhere{ours}, nil }}
		if _, err := client.Dial(ctx, addr, cfg); code(err) != client.Argument {
			t.Errorf("%s: %v", addr, err)
		}
		if n, err := theirs.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Error("an octet was written")
		}
	}
	ours, _ := pair(t)
	if _, err := client.New(ctx, elsewhere{ours}, client.Config{Login: "u"}); code(err) != client.Argument {
		t.Errorf("New: %v", err)
	}
}
