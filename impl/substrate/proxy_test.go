package substrate_test

import (
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

// A proxy is a TCP proxy that cuts connections after random numbers of octets, as long as there are cuts left.
type proxy struct {
	ln     net.Listener
	target string
	all    sync.WaitGroup

	mu    sync.Mutex
	r     *rand.Rand
	cuts  int
	least int
	most  int
	live  map[net.Conn]struct{}
}

// newProxy is a proxy in front of target that cuts connections so many times, after least to most octets of both directions together.
func newProxy(t *testing.T, target string, seed uint64, cuts, least, most int) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{ln: ln, target: target, r: rand.New(rand.NewPCG(seed, 7)), cuts: cuts, least: least, most: most, live: map[net.Conn]struct{}{}}
	p.all.Go(p.serve)
	return p
}

func (p *proxy) url() string { return "ws://" + p.ln.Addr().String() + "/" }

func (p *proxy) close() {
	_ = p.ln.Close()
	p.mu.Lock()
	for c := range p.live {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.all.Wait()
}

// left returns how many cuts are to come.
func (p *proxy) left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

func (p *proxy) serve() {
	for {
		near, err := p.ln.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = near.Close()
			continue
		}
		p.carry(near, far)
	}
}

// A fuse is how much may still pass.
type fuse struct {
	mu   sync.Mutex
	left int // below 0: no end
}

// burn takes up to n octets off, and returns how many may pass.
func (f *fuse) burn(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left < 0 {
		return n
	}
	n = min(n, f.left)
	f.left -= n
	return n
}

func (p *proxy) carry(near, far net.Conn) {
	p.mu.Lock()
	f := &fuse{left: -1}
	if p.cuts > 0 {
		f.left = p.least + p.r.IntN(p.most-p.least)
	}
	p.live[near], p.live[far] = struct{}{}, struct{}{}
	p.mu.Unlock()
	var once sync.Once
	end := func(cut bool) {
		once.Do(func() {
			p.mu.Lock()
			if cut {
				p.cuts--
			}
			delete(p.live, near)
			delete(p.live, far)
			p.mu.Unlock()
			_ = near.Close()
			_ = far.Close()
		})
	}
	for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
		p.all.Go(func() {
			buf := make([]byte, 4096)
			for {
				n, err := way[0].Read(buf)
				pass := f.burn(n)
				if _, werr := way[1].Write(buf[:pass]); werr != nil || err != nil || pass < n {
					end(pass < n)
					return
				}
			}
		})
	}
}
