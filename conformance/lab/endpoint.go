package lab

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
)

// Endpoint is one address at which a running broker speaks its protocol.
type Endpoint struct {
	// Transport is "tcp", "nio" (TCP served by another implementation inside the broker), "tls", "ws" or "http".
	Transport string
	// URL is the target as Assay's commands take it: tcp://127.0.0.1:36101, tls://127.0.0.1:36102,
	// ws://127.0.0.1:36103/ws, http://127.0.0.1:36104.
	URL string
	// CAFile is, for tls, the PEM file of the authority that signed the broker's certificate; its
	// names are localhost and 127.0.0.1.
	CAFile string
}

// loopback returns the URL's host and port after checking that they are numeric and loopback.
func (e Endpoint) loopback() (*url.URL, error) {
	u, err := url.Parse(e.URL)
	if err != nil {
		return nil, fmt.Errorf("endpoint: %w", err)
	}
	// STOMP-INTEROP-001: anything but numeric loopback is refused before a socket is opened.
	ap, err := netip.ParseAddrPort(u.Host)
	if err != nil || !ap.Addr().IsLoopback() {
		return nil, fmt.Errorf("endpoint %s: %q is not numeric loopback and port", e.URL, u.Host)
	}
	return u, nil
}

// address is the loopback address with a port.
func address(port int) string { return net.JoinHostPort("127.0.0.1", fmt.Sprint(port)) }
