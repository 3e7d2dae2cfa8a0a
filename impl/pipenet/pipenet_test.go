package pipenet_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"

	"github.com/seed-6f28358b/assay/impl/pipenet"
)

func TestNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := pipenet.New()
		go func() {
			c, err := n.Dial(t.Context(), "tcp", "gate:1")
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(c, "hello")
			_ = c.Close()
		}()
		c, err := n.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(c); string(got) != "hello" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		given, giveUp := context.WithCancel(t.Context())
		giveUp()
		if _, err := n.Dial(given, "", ""); !errors.Is(err, context.Canceled) {
			t.Errorf("given up: %v", err)
		}
		ended := make(chan error, 2)
		go func() { _, err := n.Accept(); ended <- err }()
		synctest.Wait()
		for range 2 {
			if err := n.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("accept: %v", err)
		}
		if _, err := n.Dial(t.Context(), "", ""); !errors.Is(err, net.ErrClosed) {
			t.Errorf("dial: %v", err)
		}
	})
}
