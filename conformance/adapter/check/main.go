// Command check holds the adapter that a command starts against the rules of spec/adapter.md that all protocols share, and says which
// it breaks:
//
//	go run ./conformance/adapter/check eventbus -- node adapter.mjs
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"

	"github.com/seed-6f28358b/assay/conformance/adapter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit status: 1 if a rule is broken, 2 if there is nothing to check.
func run(ctx context.Context, args []string, out, errors io.Writer) (status int) {
	if len(args) < 3 || args[1] != "--" {
		fmt.Fprintln(errors, "usage: check PROTOCOL -- COMMAND [ARGUMENT...]")
		return 2
	}
	cmd := exec.CommandContext(ctx, args[2], args[3:]...)
	cmd.Stderr = errors
	requests, err := cmd.StdinPipe()
	if err != nil {
		fmt.Fprintln(errors, err)
		return 2
	}
	replies, err := cmd.StdoutPipe()
	if err != nil {
		fmt.Fprintln(errors, err)
		return 2
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(errors, err)
		return 2
	}
	for _, broken := range adapter.Check(ctx, adapter.New(replies, requests, adapter.Config{}), args[0]) {
		fmt.Fprintln(out, broken)
		status = 1
	}
	// One that did not end with its input, which Check says, would be waited for in vain.
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return status
}
