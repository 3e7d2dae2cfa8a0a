package lab

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// The ports of the lab lie below the range from which the system takes those of outgoing
// connections (32768 and up), so that no client can sit on a broker's port while it restarts.
const (
	firstPort = 20000
	lastPort  = 31999
	portTries = 400
)

// ports are loopback ports that no other lab on this machine will use.
type ports struct {
	numbers []int
	claims  []net.Listener
}

// claimPorts picks n free ports and claims them until release.
//
// The broker has to bind the port itself, so it cannot be held by binding it. What is held is a
// name in the abstract socket name space: exclusive, of the same scope as the ports, and gone with
// the process that holds it.
func claimPorts(n int) (*ports, error) {
	p := new(ports)
	for range portTries {
		if len(p.numbers) == n {
			return p, nil
		}
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		claim, err := net.Listen("unix", fmt.Sprintf("@assay-lab-port-%d", port))
		if err != nil {
			continue
		}
		l, err := net.Listen("tcp", address(port))
		if err != nil {
			_ = claim.Close()
			continue
		}
		_ = l.Close()
		p.numbers = append(p.numbers, port)
		p.claims = append(p.claims, claim)
	}
	p.release()
	return nil, fmt.Errorf("find %d free loopback ports from %d to %d: %d found in %d tries", n, firstPort, lastPort, len(p.numbers), portTries)
}

// release gives the ports back. Releasing twice does nothing.
func (p *ports) release() {
	for _, c := range p.claims {
		_ = c.Close()
	}
	p.claims = nil
}
