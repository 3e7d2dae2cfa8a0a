package main

import (
	"context"
	"os"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"assay": func() {
			os.Exit(execute(context.Background(), os.Args[1:], streams{out: os.Stdout, err: os.Stderr}))
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
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
		},
	})
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
