package broker_test

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"testing"

	"github.com/go-stomp/stomp/v3"
	stompserver "github.com/go-stomp/stomp/v3/server"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
)

// BenchmarkReceipt measures one SEND of 256 octets with a receipt, one at a time, beside the same octets echoed and
// beside go-stomp's client and server.
func BenchmarkReceipt(b *testing.B) {
	request := []byte("SEND\ndestination:/topic/a\nreceipt:r1\ncontent-type:text/plain\ncontent-length:256\n\n" + string(make([]byte, 256)) + "\x00")
	b.Run("echo", func(b *testing.B) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		defer l.Close()
		done := make(chan struct{})
		go func() {
			defer close(done)
			c, err := l.Accept()
			if err == nil {
				_, _ = io.Copy(struct{ io.Writer }{c}, struct{ io.Reader }{c})
				_ = c.Close()
			}
		}()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		answer := make([]byte, len(request))
		for b.Loop() {
			if _, err := c.Write(request); err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadFull(c, answer); err != nil {
				b.Fatal(err)
			}
		}
		_ = c.Close()
		<-done
	})
	b.Run("assay", func(b *testing.B) {
		_, addr := serve(b, broker.Config{})
		c := dial(b, addr)
		answer := make([]byte, len("RECEIPT\nreceipt-id:r1\n\n\x00"))
		for b.Loop() {
			if _, err := c.Write(request); err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadFull(c, answer); err != nil {
				b.Fatal(err)
			}
		}
		_ = c.Close()
	})
	goStomp := func(b *testing.B, addr string) {
		c, err := stomp.Dial("tcp", addr)
		if err != nil {
			b.Fatal(err)
		}
		body := make([]byte, 256)
		for b.Loop() {
			if err := c.Send("/topic/a", "text/plain", body, stomp.SendOpt.Receipt); err != nil {
				b.Fatal(err)
			}
		}
		_ = c.Disconnect()
	}
	b.Run("gostomp-client", func(b *testing.B) {
		_, addr := serve(b, broker.Config{})
		goStomp(b, addr)
	})
	b.Run("gostomp-pair", func(b *testing.B) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		defer l.Close()
		go func() { _ = stompserver.Serve(l) }()
		goStomp(b, l.Addr().String())
	})
	b.Run("inflight-64", func(b *testing.B) {
		_, addr := serve(b, broker.Config{})
		c := dial(b, addr)
		slots := make(chan struct{}, 64)
		done := make(chan struct{})
		n := b.N
		go func() {
			defer close(done)
			r := bufio.NewReaderSize(c, 64<<10)
			for range n {
				if _, err := r.ReadSlice(0); err != nil {
					return
				}
				<-slots
			}
		}()
		w := bufio.NewWriterSize(c, 64<<10)
		b.ResetTimer()
		for range n {
			select {
			case slots <- struct{}{}:
			default:
				_ = w.Flush()
				slots <- struct{}{}
			}
			_, _ = w.Write(request)
		}
		_ = w.Flush()
		<-done
		_ = c.Close()
	})
}

// BenchmarkDeliver measures messages of 256 octets from one connection through a queue to another.
func BenchmarkDeliver(b *testing.B) {
	for _, ack := range []string{"auto", "client"} {
		b.Run(ack, func(b *testing.B) {
			_, addr := serve(b, broker.Config{})
			in, out := dial(b, addr), dial(b, addr)
			if _, err := out.Write([]byte("SUBSCRIBE\nid:s\ndestination:/queue/a\nack:" + ack + "\nreceipt:s\n\n\x00")); err != nil {
				b.Fatal(err)
			}
			r := bufio.NewReaderSize(out, 64<<10)
			if _, err := r.ReadSlice(0); err != nil {
				b.Fatal(err)
			}
			n := b.N
			done := make(chan struct{})
			go func() {
				defer close(done)
				for i := range n {
					line, err := r.ReadSlice(0)
					if err != nil {
						return
					}
					if ack == "client" && (i%128 == 127 || i == n-1) {
						_ = line
						if _, err := out.Write([]byte("ACK\nid:" + strconv.Itoa(i+1) + "\n\n\x00")); err != nil {
							return
						}
					}
				}
			}()
			body := make([]byte, 256)
			for i := range body {
				body[i] = 'x'
			}
			request := []byte("SEND\ndestination:/queue/a\ncontent-type:text/plain\ncontent-length:256\n\n" + string(body) + "\x00")
			w := bufio.NewWriterSize(in, 64<<10)
			b.ResetTimer()
			for range n {
				_, _ = w.Write(request)
			}
			_ = w.Flush()
			<-done
			_ = in.Close()
			_ = out.Close()
		})
	}
}

// dial opens a 1.2 session.
func dial(t testing.TB, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("CONNECT\naccept-version:1.2\nhost:h\n\n\x00")); err != nil {
		t.Fatal(err)
	}
	one := make([]byte, 1)
	for {
		if _, err := c.Read(one); err != nil {
			t.Fatal(err)
		}
		if one[0] == 0 {
			return c
		}
	}
}
