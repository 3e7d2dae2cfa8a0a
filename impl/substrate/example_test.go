package substrate_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http/httptest"
	"strings"

	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

// shared is the key that two peers of the examples have; in earnest it is 32 random octets.
func shared(string) (handshake.Record, bool) {
	return handshake.Record{Key: handshake.Key{1: 42}}, true
}

// Two nodes: one listens, the other opens a session, sends a message, asks a question and closes.
func Example() {
	ctx := context.Background()
	ended := make(chan struct{})
	gate, err := substrate.NewListener(substrate.Config{
		ID: "gate", Auth: handshake.HMAC(shared), Authorize: engine.AllowAll,
		Handler: substrate.Handler{
			Open: func(ctx context.Context, o *substrate.Opening) {
				fmt.Println("gate: open", o.Object.Address(), "by", o.Peer.ID())
				_ = o.Accept(ctx)
			},
			Send: func(_ context.Context, m *substrate.Message) error {
				fmt.Printf("gate: send %s\n", m.Body)
				return nil
			},
			Req: func(_ context.Context, r *substrate.Request) ([]byte, error) {
				return []byte(strings.ToUpper(string(r.Body))), nil
			},
			Closed: func(_ *substrate.Peer, obj, code string) {
				fmt.Println("gate:", obj, "ended:", code)
				close(ended)
			},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(gate)
	defer server.Close()

	node, err := substrate.Dial(ctx, strings.Replace(server.URL, "http", "ws", 1), substrate.Config{
		ID: "c1", Remote: "gate", Auth: handshake.HMAC(shared), Authorize: engine.AllowAll,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	chat, err := node.Open(ctx, substrate.Session, "chat", substrate.OpenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = chat.Send(ctx, []byte("hello"))
	answer, err := chat.Req(ctx, []byte("loud"))
	fmt.Printf("c1: %s %v\n", answer, err)
	_ = chat.Close(ctx)
	<-ended
	fmt.Println("c1:", chat.Send(ctx, nil))

	_ = node.Close(ctx)
	_ = gate.Close(ctx)
	// Output:
	// gate: open chat by c1
	// gate: send hello
	// c1: LOUD <nil>
	// gate: chat ended: closed
	// c1: substrate send on chat: closed
}

// What is called while the connection is down waits for the next one.
func ExamplePeer_Disconnect() {
	ctx := context.Background()
	ended := make(chan struct{})
	gate, err := substrate.NewListener(substrate.Config{
		ID: "gate", Auth: handshake.HMAC(shared), Authorize: engine.AllowAll,
		Handler: substrate.Handler{
			Open: func(ctx context.Context, o *substrate.Opening) { _ = o.Accept(ctx) },
			Send: func(_ context.Context, m *substrate.Message) error {
				fmt.Printf("gate: %s\n", m.Body)
				return nil
			},
			Closed: func(*substrate.Peer, string, string) { close(ended) }, // comes after all messages
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(gate)
	defer server.Close()
	node, err := substrate.Dial(ctx, strings.Replace(server.URL, "http", "ws", 1), substrate.Config{
		ID: "c1", Remote: "gate", Auth: handshake.HMAC(shared), Authorize: engine.AllowAll,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	jobs, err := node.Open(ctx, substrate.Queue, "jobs", substrate.OpenOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	node.Disconnect()
	var calls []*substrate.Call
	for i := range 3 {
		call, err := jobs.Enqueue(ctx, fmt.Appendf(nil, "job %d", i))
		if err != nil {
			fmt.Println(err)
			return
		}
		calls = append(calls, call)
	}
	fmt.Println("c1: queued", len(calls))
	node.Connect()
	for _, call := range calls {
		if err := call.Wait(ctx); err != nil {
			fmt.Println(err)
		}
	}
	_ = jobs.Close(ctx)
	<-ended
	_ = node.Close(ctx)
	_ = gate.Close(ctx)
	// Output:
	// c1: queued 3
	// gate: job 0
	// gate: job 1
	// gate: job 2
}

// A message and the row that it tells of are committed together.
func ExamplePeer_Within() {
	ctx := context.Background()
	db, err := sql.Open("sqlite", "file:orders?mode=memory&cache=shared")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec(`CREATE TABLE orders (id INTEGER PRIMARY KEY, what TEXT)`); err != nil {
		fmt.Println(err)
		return
	}
	kept, err := sqlite.New(db, "bridge_")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = kept.Close() }()
	// Nobody is there yet: what is queued waits.
	node, err := substrate.Dial(ctx, "ws://127.0.0.1:1/", substrate.Config{
		ID: "shop", Remote: "gate", Auth: handshake.HMAC(shared), Authorize: engine.AllowAll, Storage: kept,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = node.Within(ctx, db, func(tx *substrate.Tx) error {
		if _, err := tx.Exec(`INSERT INTO orders (what) VALUES ('a lamp')`); err != nil {
			return err
		}
		_, err := tx.Send("orders", []byte("a lamp"))
		return err
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var ordered, queued int
	if err := db.QueryRow(`SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM bridge_outbox)`).Scan(&ordered, &queued); err != nil {
		fmt.Println(err)
	}
	fmt.Println(ordered, "order,", queued, "message")
	_ = node.Close(ctx)
	// Output: 1 order, 1 message
}
