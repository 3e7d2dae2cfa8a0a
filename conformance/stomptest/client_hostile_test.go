package stomptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-6f28358b/assay/conformance"
)

// playTestee is how this test binary behaves when it is started as a testee; it is named by a variable of the
// environment.
const playTestee = "ASSAY_TEST_HOSTILE"

func TestMain(m *testing.M) {
	if role := os.Getenv(playTestee); role != "" {
		beHostile(role)
		return
	}
	goleak.VerifyTestMain(m)
}

// beHostile is a testee without a library that errs in the way that its role says.
func beHostile(role string) {
	if role == "exits" {
		return
	}
	c, err := net.Dial("tcp", net.JoinHostPort(os.Getenv("ASSAY_HOST"), os.Getenv("ASSAY_PORT")))
	if err != nil {
		return
	}
	switch role {
	case "mute":
		select {}
	case "garbage":
		fmt.Fprint(c, strings.Repeat("\x00\xff garbage\r", 1000))
		select {}
	case "flood":
		for {
			if _, err := fmt.Fprint(c, strings.Repeat("SEND\ndestination:/assay/reports\n\n{}\x00", 10_000)); err != nil {
				return
			}
		}
	case "half-frame":
		fmt.Fprint(c, "CONNECT\naccept-version:1.2\nhost:a")
		select {}
	case "no-subscription":
		fmt.Fprint(c, "CONNECT\naccept-version:1.2\nhost:a\n\n\x00")
		select {}
	}
	fmt.Fprint(c, "CONNECT\naccept-version:1.2\nhost:a\n\n\x00SUBSCRIBE\nid:o\ndestination:/assay/orders\n\n\x00")
	in := bufio.NewReader(c)
	for {
		frame, err := in.ReadString(0)
		if err != nil {
			return
		}
		_, body, _ := strings.Cut(frame, "\n\n")
		var o struct {
			N  int
			Do string
		}
		if json.Unmarshal([]byte(strings.TrimRight(body, "\x00")), &o) != nil {
			continue
		}
		report := fmt.Sprintf(`{"n":%d}`, o.N)
		switch {
		case o.Do == "hello":
			report = fmt.Sprintf(`{"n":%d,"library":"hostile","can":["1.0","1.1","1.2","binary","headers","receipt"]}`, o.N)
		case role == "hangs":
			continue
		case role == "dies":
			fmt.Println("a last word")
			os.Exit(7)
		case role == "other-number":
			report = `{"n":-1}`
		case role == "no-json":
			report = "certainly"
		case role == "endless":
			report = strings.Repeat("[", 1<<20)
		case role == "unsupported":
			report = fmt.Sprintf(`{"n":%d,"unsupported":"all of it"}`, o.N)
		case role == "errors":
			report = fmt.Sprintf(`{"n":%d,"error":"no"}`, o.N)
		}
		fmt.Fprintf(c, "SEND\ndestination:/assay/reports\ncontent-length:%d\n\n%s\x00", len(report), report)
		if role == "says-and-leaves" && o.Do != "hello" {
			return
		}
		if role == "connects-and-floods" && o.Do == "connect" {
			s, err := net.Dial("tcp", c.RemoteAddr().String())
			if err != nil {
				return
			}
			fmt.Fprint(s, "CONNECT\naccept-version:1.0,1.1,1.2\nhost:a\n\n\x00")
			go func() { _, _ = io.Copy(io.Discard, s) }()
			go func() {
				for {
					if _, err := fmt.Fprint(s, strings.Repeat("SEND\ndestination:/queue/a\n\nx\x00", 1000)); err != nil {
						return
					}
				}
			}()
		}
	}
}

// Whatever a testee does, the run ends with a whole result in bounded time, and a client that shows nothing is not
// said to be in order.
func TestHostileTestees(t *testing.T) {
	for _, role := range []string{
		"exits", "mute", "garbage", "flood", "half-frame", "no-subscription", "hangs", "dies", "other-number", "no-json",
		"endless", "unsupported", "errors", "says-and-leaves", "connects-and-floods",
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			profile := conformance.Profile{Deadlines: conformance.ProfileDeadlines{
				Reply: conformance.Duration(100 * time.Millisecond), Close: conformance.Duration(100 * time.Millisecond),
				Quiet: conformance.Duration(20 * time.Millisecond), HeartBeat: conformance.Duration(100 * time.Millisecond),
				Case: conformance.Duration(2 * time.Second),
			}}
			res, err := conformance.Run(t.Context(), Client(), conformance.Config{
				Target:  conformance.ExecTarget([]string{"env", playTestee + "=" + role, os.Args[0]}),
				Profile: profile, Parallel: 16,
			})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(conformance.Instances(Client().Cases)); res.Footer.Total != n || len(res.Cases) != n {
				t.Errorf("%d and %d results of %d", res.Footer.Total, len(res.Cases), n)
			}
			if n := res.Footer.Counts[conformance.Pass]; n > len(res.Cases)/8 {
				t.Errorf("%d cases pass: %v", n, res.Footer.Counts)
			}
			t.Logf("%v in %.0f ms", res.Footer.Counts, res.Footer.Millis)
		})
	}
}
