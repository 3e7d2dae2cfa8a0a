//go:build linux

package lab

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// listeners returns the addresses on which a process listens, by what the system says.
func listeners(t *testing.T, pid int) []netip.AddrPort {
	t.Helper()
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{}
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil {
			own[to] = true
		}
	}
	var found []netip.AddrPort
	for _, table := range []string{"tcp", "tcp6"} {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(raw), "\n")[1:] {
			f := strings.Fields(line)
			const local, state, inode, listening = 1, 3, 9, "0A"
			if len(f) > inode && f[state] == listening && own["socket:["+f[inode]+"]"] {
				found = append(found, parseProcAddr(t, f[local]))
			}
		}
	}
	return found
}

// parseProcAddr reads an address as /proc/net spells it: words of four octets, each in the machine's (little-endian) order.
func parseProcAddr(t *testing.T, s string) netip.AddrPort {
	t.Helper()
	host, port, _ := strings.Cut(s, ":")
	b, err := hex.DecodeString(host)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+4 <= len(b); i += 4 {
		slices.Reverse(b[i : i+4])
	}
	addr, ok := netip.AddrFromSlice(b)
	n, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil {
		t.Fatalf("address %q: %v", s, err)
	}
	return netip.AddrPortFrom(addr.Unmap(), uint16(n))
}

// STOMP-INTEROP-001: whatever a broker of the lab listens on, it is loopback.
func assertLoopbackListeners(t *testing.T, r *Running) {
	t.Helper()
	seen := map[uint16]bool{}
	for _, p := range r.procs {
		for _, a := range listeners(t, p.PID()) {
			seen[a.Port()] = true
			if !a.Addr().IsLoopback() {
				t.Errorf("%s listens on %v, which is not loopback", p.Name(), a)
			}
		}
	}
	for _, n := range r.ports.numbers {
		if !seen[uint16(n)] {
			t.Errorf("port %d was claimed and nothing of %s listens on it: %v", n, r.Name, seen)
		}
	}
}
