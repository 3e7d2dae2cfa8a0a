package lab

import (
	"encoding/xml"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Whatever a recipe writes or runs names no address that is not loopback, and every XML file stands also where the
// folder's name holds what XML reserves. STOMP-INTEROP-001.
func TestPlansBindLoopbackOnly(t *testing.T) {
	ipv4 := regexp.MustCompile(`\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b`)
	for _, b := range All() {
		t.Run(b.Name, func(t *testing.T) {
			profile, err := b.Profile()
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Dir: filepath.Join(t.TempDir(), "a&b<c")}
			if err := os.Mkdir(o.Dir, 0o700); err != nil {
				t.Fatal(err)
			}
			var numbers []int
			for i := range b.recipe.ports {
				numbers = append(numbers, 20001+i)
			}
			f := found{version: "1", root: "/software", program: "/bin/program"}
			p, err := b.prepare(o, f, profile, numbers)
			if b.Name == "rabbitmq" && errors.As(err, new(missingError)) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			for _, c := range p.commands {
				text.WriteString(strings.Join(append(p.env(c.env), c.args...), "\n"))
			}
			err = filepath.WalkDir(p.dir, func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				raw, err := os.ReadFile(path)
				if filepath.Ext(path) == ".xml" {
					dec := xml.NewDecoder(strings.NewReader(string(raw)))
					for err == nil {
						_, err = dec.Token()
					}
					if err != io.EOF {
						t.Errorf("%s is not well formed: %v", path, err)
					}
					err = nil
				}
				text.Write(raw)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(text.String(), "$keystore") || strings.Contains(text.String(), "$tcp") {
				t.Error("a place holder was not filled")
			}
			for _, a := range ipv4.FindAllString(text.String(), -1) {
				if !net.ParseIP(a).IsLoopback() {
					t.Errorf("%s is not loopback", a)
				}
			}
			if len(p.endpoints) != len(b.Transports) {
				t.Fatalf("one endpoint per transport %v: %v", b.Transports, p.endpoints)
			}
			for i, e := range p.endpoints {
				if e.Transport != b.Transports[i] || (e.Transport == "tls") != (e.CAFile != "") {
					t.Errorf("endpoint %+v, transport %s", e, b.Transports[i])
				}
				u, err := e.loopback()
				if err != nil {
					t.Error(err)
				} else if !strings.Contains(text.String(), u.Port()) {
					t.Errorf("no file and no argument names port %s of %s", u.Port(), e.URL)
				}
			}
		})
	}
}

func TestPortsAreClaimedForOneLabOnly(t *testing.T) {
	seen := map[int]bool{}
	var claimed []*ports
	for range 20 {
		p, err := claimPorts(5)
		if err != nil {
			t.Fatal(err)
		}
		claimed = append(claimed, p)
		for _, n := range p.numbers {
			if seen[n] || n < firstPort || n > lastPort {
				t.Errorf("port %d is claimed twice or out of range", n)
			}
			seen[n] = true
		}
	}
	for _, p := range claimed {
		p.release()
		p.release()
	}
	for n := range seen {
		l, err := net.Listen("tcp", address(n))
		if err != nil {
			continue // another program took it meanwhile
		}
		_ = l.Close()
	}
}

func TestNewestVersionIsFoundByNumber(t *testing.T) {
	dir := t.TempDir()
	for _, v := range []string{"2.9.0", "2.57.0", "2.40.0-rc1", "tmp.AbC", "10"} {
		if err := os.MkdirAll(filepath.Join(dir, v, "lib"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	pattern := filepath.Join(dir, "*", "lib")
	path, version, err := newest(pattern)
	if err != nil || version != "10" || path != filepath.Join(dir, "10", "lib") {
		t.Errorf("10 is more than 2: %s, %s, %v", path, version, err)
	}
	_ = os.RemoveAll(filepath.Join(dir, "10"))
	if _, version, err := newest(pattern); err != nil || version != "2.57.0" {
		t.Errorf("57 is more than 9: %s, %v", version, err)
	}
	if _, _, err := newest(filepath.Join(dir, "none", "*", "lib")); !errors.As(err, new(missingError)) {
		t.Errorf("nothing there is a missing part: %v", err)
	}
}
