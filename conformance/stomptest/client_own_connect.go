package stomptest

import (
	"errors"
	"fmt"
	"math"
	"net"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func ownConnectCases() []conformance.Case {
	const longest = math.MaxInt32 * time.Millisecond
	return []conformance.Case{
		ownCase("connect/bad-configuration-does-no-io", "a configuration that is wrong is refused before a socket exists", func(o *own) {
			host, _, err := net.SplitHostPort(o.listener.Address())
			o.must(err)
			for name, try := range map[string]struct {
				url string
				cfg client.Config
			}{
				"a blank host":           {o.url(), client.Config{Host: " "}},
				"no host":                {"tcp://:61613", client.Config{}},
				"port 0":                 {"tcp://" + host + ":0", client.Config{}},
				"port 65536":             {"tcp://" + host + ":65536", client.Config{}},
				"no port":                {"tcp://" + host, client.Config{}},
				"a tick of 0":            {o.url(), client.Config{Timing: timing(func(t *client.Timing) { t.Tick = 0 })}},
				"a tick over 2147483647": {o.url(), client.Config{Timing: timing(func(t *client.Timing) { t.Tick = longest + time.Millisecond })}},
				"a queue of 0":           {o.url(), client.Config{Limits: limits(func(l *client.Limits) { l.Events = 0 })}},
				"a budget of 0":          {o.url(), client.Config{Limits: limits(func(l *client.Limits) { l.EventBytes = 0 })}},
				"0 waiters":              {o.url(), client.Config{Limits: limits(func(l *client.Limits) { l.Waiters = 0 })}},
				"a write buffer of 0":    {o.url(), client.Config{Limits: limits(func(l *client.Limits) { l.WriteBuffer = 0 })}},
			} {
				_, err := o.tries(try.url, try.cfg)
				o.refuses(nil, err, client.Argument, "STOMP-WAIT-017", name+" is refused")
			}
			o.nobodyCalled("STOMP-WAIT-017")
		}, "STOMP-WAIT-017"),
		ownCase("connect/fails-clean", "a handshake that fails leaves nothing behind", func(o *own) {
			brief := client.Config{Timing: timing(func(t *client.Timing) { t.Connect = o.Timing().Quiet })}
			for name, answer := range map[string]func(p *wire, f *wireFrame){
				"silence":                  func(*wire, *wireFrame) {},
				"CONNECTED and then ERROR": func(p *wire, f *wireFrame) { p.SendAll(p.ConnectedFrame(f), frameOf("ERROR", "message", "no")) },
				"ERROR":                    func(p *wire, _ *wireFrame) { p.Send(frameOf("ERROR", "message", "no")) },
				"the end":                  func(p *wire, _ *wireFrame) { p.Close() },
			} {
				d := o.dial(o.url(), brief)
				p, f := o.accept()
				answer(p, f)
				cl, err := o.result(d)
				o.Check(err != nil && cl == nil, "STOMP-WAIT-018", name+" is no session", "an error", fmt.Sprint(err))
				o.Check(p.Ends(o.Timing().Close), "STOMP-WAIT-018", name+": the socket is closed", "closed", "open")
			}
		}, "STOMP-WAIT-018"),
		ownCase("connect/waits-for-connected", "connecting is not over before CONNECTED, and not a success without it", func(o *own) {
			d := o.dial(o.url(), client.Config{})
			p, _ := o.accept()
			o.Check(!p.Ends(o.Timing().Quiet), "STOMP-CONNECT-018", "the client waits for CONNECTED", "an open connection", "the end")
			select {
			case <-d.done:
				o.Check(false, "STOMP-CONNECT-018", "without CONNECTED there is no session", "Dial waits", "it has returned")
			default:
			}
			p.Close()
			_, err := o.result(d)
			o.Check(err != nil, "STOMP-CONNECT-018", "without CONNECTED there is no session", "an error", "none")
		}, "STOMP-CONNECT-018"),
		ownCase("connect/times", "connecting and receipts take 5 s by default, a look at the clock 25 ms", func(o *own) {
			t := client.DefaultTiming()
			o.CheckEqual("STOMP-CLOCK-007", "the defaults are 5 s, 5 s and 25 ms", "5s 5s 25ms", fmt.Sprint(t.Connect, t.Receipt, t.Tick))
			for _, tick := range []time.Duration{time.Millisecond, longest} {
				cl, _ := o.session(client.Config{Timing: timing(func(t *client.Timing) { t.Tick = tick })})
				o.active(cl, "STOMP-CLOCK-007", fmt.Sprintf("a tick of %v is allowed", tick))
			}
			d := o.dial(o.url(), client.Config{Timing: timing(func(t *client.Timing) { t.Connect = o.Timing().Reply / 2 })})
			o.accept()
			_, err := o.result(d)
			o.Check(errors.Is(err, client.ErrTimeout), "STOMP-CLOCK-007", "a server that does not answer is given up", "a timeout", fmt.Sprint(err))
		}, "STOMP-CLOCK-007"),
		ownCase("connect/credentials", "login and passcode stand in CONNECT as they are, and only when given", func(o *own) {
			d := o.dial(o.url(), client.Config{})
			_, f := o.accept()
			_, login := f.Lookup("login")
			_, passcode := f.Lookup("passcode")
			o.Check(!login && !passcode, "STOMP-TLS-001", "without credentials there are no such headers", "neither", f.String())
			o.subjects[0].Close()
			_, _ = o.result(d)
			d = o.dial(o.url(), client.Config{Login: `us:er`, Passcode: `pass\:`})
			p, f := o.accept()
			o.CheckEqual("STOMP-TLS-001", "they are sent unescaped", `us:er pass\:`, f.Get("login")+" "+f.Get("passcode"))
			p.Close()
			_, _ = o.result(d)
			for _, bad := range []string{"a\nb", "a\rb", "a\x00b"} {
				_, err := o.tries(o.url(), client.Config{Login: "user", Passcode: bad})
				o.refuses(nil, err, client.Argument, "STOMP-TLS-001", fmt.Sprintf("a passcode %q cannot be sent", bad))
			}
			o.nobodyCalled("STOMP-TLS-001")
		}, "STOMP-TLS-001"),
		ownCase("connect/plain-login-stays-on-this-machine", "credentials do not go to another machine without TLS", func(o *own) {
			errStub := errors.New("stub")
			for address, allowed := range map[string]bool{
				"tcp://192.0.2.1:61613": false, "ws://192.0.2.1:80": false, "tls://192.0.2.1:61614": true, "wss://192.0.2.1:443": true,
				"tcp://127.0.0.1:61613": true, "tcp://[::1]:61613": true, "tcp://10.0.0.1:61613": false, "tcp://[fe80::1]:61613": false,
			} {
				for _, cfg := range []client.Config{{Login: "user", Passcode: "pass"}, {Login: "user"}, {Passcode: "pass"}} {
					called := false
					cfg.Dialer = stubDialer(&called, errStub)
					_, err := o.tries(address, cfg)
					o.CheckEqual("STOMP-TLS-007", "login to "+address+" dials", fmt.Sprint(allowed), fmt.Sprint(called))
					o.CheckEqual("STOMP-TLS-007", "login to "+address+" fails of itself", fmt.Sprint(!allowed), fmt.Sprint(!errors.Is(err, errStub)))
				}
			}
		}, "STOMP-TLS-007"),
		ownCase("connect/one-frame-at-a-time", "frames of the session that follow CONNECTED in one packet are not lost", func(o *own) {
			d := o.dial(o.url(), client.Config{})
			p, f := o.accept()
			p.RawString(string(p.ConnectedFrame(f).Encode("1.2")) + "\n\n")
			cl, err := o.result(d)
			o.must(err)
			o.must(cl.SendFrame(frame.New(frame.SEND, "destination", "/queue/own")))
			p.Expect("STOMP-WAIT-018", "the session works", "SEND", is("SEND"))
		}, "STOMP-WAIT-018"),
	}
}

// nobodyCalled checks that no further connection was opened to the case's listener.
func (o *own) nobodyCalled(law string) {
	o.Check(o.listener.Unused(), law, "nothing is dialled", "no connection", "a connection")
}
