package main

import (
	"context"
	"net"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"assay": func() {
			os.Exit(execute(context.Background(), os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
		},
	})
}

// The command line is a contract: what it prints, what it writes and how it exits.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			// Calibrations are remembered per binary; a script must not find another run's.
			env.Setenv("XDG_CACHE_HOME", env.WorkDir+"/cache")
			env.Setenv("HOME", env.WorkDir)
			address, stop, err := startBroker()
			if err != nil {
				return err
			}
			env.Defer(stop)
			env.Setenv("BROKER", "tcp://"+address)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
		},
	})
}

// startBroker starts a broker for a script, which wants a login.
func startBroker() (address string, stop func(), err error) {
	b, err := broker.New(broker.Config{Credentials: map[string]string{"me": "secret"}})
	if err != nil {
		return "", nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = b.Serve(context.Background(), l)
	}()
	return l.Addr().String(), func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = b.Shutdown(ctx)
		<-done
	}, nil
}

// exits runs "exits N assay ARGS…" and fails unless the exit status is N.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if code, ok := err.(interface{ ExitCode() int }); ok {
		got = strconv.Itoa(code.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}
