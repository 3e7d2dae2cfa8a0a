package session_test

import (
	"fmt"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// roundTrip returns a function that sends a message with a receipt and takes the receipt.
func roundTrip(t testing.TB) func() {
	p := active(t, session.Config{}, "1.2")
	f := frame.New(frame.SEND, "destination", "/queue/a", "receipt", "message-12345", "content-type", "text/plain")
	f.Body = []byte("the quick brown fox jumps over the lazy dog")
	answer := []byte("RECEIPT\nreceipt-id:message-12345\n\n\x00")
	var out []byte
	return func() {
		var err error
		if out, err = p.s.Send(out[:0], 1, f); err != nil {
			t.Fatal(err)
		}
		events, err := p.s.Receive(1, answer)
		if err != nil || len(events) != 1 || events[0].Kind != session.Receipt {
			t.Fatal(events, err)
		}
	}
}

// consume returns a function that takes a message and acknowledges it, behind others that wait.
func consume(t testing.TB, mode string, waiting int) func() {
	p := with(t, session.Config{}, "1.2", "SUBSCRIBE id=s destination=/q ack="+mode, "SUBSCRIBE id=w destination=/q ack="+mode)
	for i := range waiting {
		p.deliver("w", fmt.Sprint("w", i))
	}
	in := []byte("MESSAGE\nsubscription:s\nmessage-id:1\nack:a1\ndestination:/q\n\nthe quick brown fox\x00")
	f := frame.New(frame.ACK, "id", "a1")
	var out []byte
	return func() {
		if _, err := p.s.Receive(1, in); err != nil {
			t.Fatal(err)
		}
		var err error
		if out, err = p.s.Send(out[:0], 1, f); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkReceiptRoundTrip(b *testing.B) {
	step := roundTrip(b)
	b.ReportAllocs()
	for b.Loop() {
		step()
	}
}

// The cost of a delivery and its ACK does not depend on how many deliveries wait.
func BenchmarkConsume(b *testing.B) {
	for _, mode := range []string{"client", "client-individual"} {
		for _, waiting := range []int{0, 1000} {
			b.Run(fmt.Sprintf("%s/%d", mode, waiting), func(b *testing.B) {
				step := consume(b, mode, waiting)
				b.ReportAllocs()
				for b.Loop() {
					step()
				}
			})
		}
	}
}

// BenchmarkCodec is the part of the receipt round trip that is the codec's.
func BenchmarkCodec(b *testing.B) {
	d, err := frame.NewDecoder(frame.DecoderConfig{Version: frame.V12})
	if err != nil {
		b.Fatal(err)
	}
	e := frame.Encoder{Version: frame.V12}
	f := frame.New(frame.SEND, "destination", "/queue/a", "receipt", "message-12345", "content-type", "text/plain")
	f.Body = []byte("the quick brown fox jumps over the lazy dog")
	answer := []byte("RECEIPT\nreceipt-id:message-12345\n\n\x00")
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		if out, err = e.Append(out[:0], f); err != nil {
			b.Fatal(err)
		}
		if _, err := d.Feed(answer); err != nil {
			b.Fatal(err)
		}
	}
}

// The session allocates nothing in the steady state: what is left are the blocks of owned frames, one in a few dozen
// frames.
func TestAllocations(t *testing.T) {
	for name, step := range map[string]func(){
		"receipt round trip": roundTrip(t),
		"client":             consume(t, "client", 100),
		"client-individual":  consume(t, "client-individual", 100),
	} {
		for range 1000 {
			step()
		}
		if n := testing.AllocsPerRun(10, func() {
			for range 100 {
				step()
			}
		}) / 100; n > 0.1 {
			t.Errorf("%s: %.2f allocations", name, n)
		}
	}
}
