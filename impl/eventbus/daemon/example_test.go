package daemon_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"

	"github.com/seed-6f28358b/assay/impl/eventbus/daemon"
)

func Example() {
	d, err := daemon.New(daemon.Config{RingSize: 1000})
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- d.Serve(ctx, listener) }()

	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	post := func(path, body string) string {
		answer, err := client.Post("http://"+listener.Addr().String()+path, "application/json", strings.NewReader(body))
		if err != nil {
			log.Fatal(err)
		}
		defer answer.Body.Close()
		out, err := io.ReadAll(answer.Body)
		if err != nil {
			log.Fatal(err)
		}
		return string(out)
	}
	var session struct{ SessionID string }
	if err := json.Unmarshal([]byte(post("/session", "")), &session); err != nil {
		log.Fatal(err)
	}
	fmt.Println(post("/session/"+session.SessionID+"/publish", `[{"type":"session_update","data":{"text":"hello"}},{"type":"turn_complete"}]`))

	stop()
	fmt.Println(<-done)
	// Output:
	// {"events":2,"lastEventId":2}
	// <nil>
}
