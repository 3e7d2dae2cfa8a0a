package client

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// address is where to connect to.
type address struct {
	scheme string // tcp, tls, ws or wss
	host   string // without brackets
	port   string
	url    string // of a WebSocket
}

func (a address) secure() bool { return a.scheme == "tls" || a.scheme == "wss" }

func (a address) webSocket() bool { return a.scheme == "ws" || a.scheme == "wss" }

func (a address) hostPort() string { return net.JoinHostPort(a.host, a.port) }

// parseAddress reads scheme://host:port, for WebSockets with a path and a query, where the port may be missing.
func parseAddress(text string) (address, *Error) {
	const op = "connect"
	u, err := url.Parse(text)
	if err != nil {
		// The error of url.Parse quotes the text, which may hold a password.
		return address{}, argument(op, "address", "it is not a URL")
	}
	a := address{scheme: u.Scheme, host: u.Hostname(), port: u.Port()}
	switch a.scheme {
	case "tcp", "tls":
		if u.Path != "" && u.Path != "/" || u.RawQuery != "" {
			return address{}, argument(op, "address", "%s with a path or a query", a.scheme)
		}
	case "ws", "wss":
		if a.port == "" {
			a.port = map[string]string{"ws": "80", "wss": "443"}[a.scheme]
		}
	default:
		return address{}, argument(op, "address", "the scheme %.20q is none of tcp, tls, ws, wss", a.scheme)
	}
	if u.User != nil {
		return address{}, argument(op, "address", "it holds a login: use the configuration")
	}
	if u.Fragment != "" || u.Opaque != "" {
		return address{}, argument(op, "address", "it is not of the form scheme://host:port")
	}
	// STOMP-WAIT-017
	if strings.TrimSpace(a.host) == "" {
		return address{}, argument(op, "host", "the host is blank")
	}
	if n, err := strconv.Atoi(a.port); err != nil || n < 1 || n > 65535 {
		return address{}, argument(op, "port", "the port %.20q is outside 1 to 65535", a.port)
	}
	a.url = u.String()
	return a, nil
}

// loopback reports whether host names this machine without doubt. The name localhost does, provided that the address
// it was resolved to is checked too.
func loopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// remote reports whether c certainly leads to another machine.
func remote(c net.Conn) bool {
	a, ok := c.RemoteAddr().(*net.TCPAddr)
	return ok && !a.IP.IsLoopback()
}

// exposes reports whether c would carry credentials in the clear.
func (c *Config) exposes(secure bool) bool {
	return !secure && !c.PlainLogin && (c.Login != "" || c.Passcode != "")
}
