package handshake_test

import (
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
)

func Example() {
	keys := func(peer string) (handshake.Record, bool) {
		return handshake.Record{Key: handshake.Key{1, 2, 3}}, peer == "alice" || peer == "bob"
	}
	now := time.Now()
	d, err := handshake.NewDialer(now, handshake.Config{Peer: "alice", Epoch: [8]byte{1}, Auth: handshake.HMAC(keys)})
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := handshake.NewListener(now, handshake.Config{Peer: "bob", Epoch: [8]byte{2}, Auth: handshake.HMAC(keys)})
	if err != nil {
		fmt.Println(err)
		return
	}
	toListener, toDialer := [][]byte{d.Hello()}, [][]byte{}
	for len(toListener)+len(toDialer) > 0 {
		for _, b := range toListener {
			step, failure := l.Receive(now, b)
			if failure != nil {
				fmt.Println(failure)
				return
			}
			toDialer = append(toDialer, step.Send...)
			if step.Ready != nil {
				fmt.Println("the listener is ready for", step.Ready.Peer)
			}
		}
		toListener = nil
		for _, b := range toDialer {
			step, failure := d.Receive(now, b)
			if failure != nil {
				fmt.Println(failure)
				return
			}
			toListener = append(toListener, step.Send...)
			if step.Ready != nil {
				fmt.Println("the dialer is ready for", step.Ready.Peer)
			}
		}
		toDialer = nil
	}
	// Output:
	// the dialer is ready for bob
	// the listener is ready for alice
}
