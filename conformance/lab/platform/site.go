package platform

import (
	"embed"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"time"
)

//go:embed page
var pages embed.FS

// A site is one origin: the page of the check on a loopback port of its own.
type site struct {
	origin string
	server *http.Server
	done   chan struct{}
}

// serve opens a site. Nothing may be kept from being cached for the way back, so that no header speaks of a cache.
func serve() (*site, error) {
	files, err := fs.Sub(pages, "page")
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the pages: %w", err)
	}
	s := &site{origin: "http://" + l.Addr().String(), done: make(chan struct{})}
	s.server = &http.Server{Handler: http.FileServerFS(files), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.done)
		_ = s.server.Serve(l) // ends with http.ErrServerClosed
	}()
	return s, nil
}

func (s *site) close() {
	_ = s.server.Close()
	<-s.done
}
