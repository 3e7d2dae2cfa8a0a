//go:build linux

package child

import (
	"bufio"
	"os"
	"path/filepath"
	"testing"
)

func TestPipesReachTheProcess(t *testing.T) {
	in, toChild, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromChild, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer fromChild.Close()
	log := filepath.Join(t.TempDir(), "log")
	p, err := Start(Config{
		Name: "echo", Path: "/bin/sh", Args: []string{"-c", "echo to the log >&2; exec cat"}, LogPath: log, Stdin: in, Stdout: out,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := toChild.WriteString("a line\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := bufio.NewReader(fromChild).ReadString('\n'); err != nil || got != "a line\n" {
		t.Errorf("the process answered %q, %v", got, err)
	}
	// The end of its input is the end of the process: nothing on this side holds the pipe open besides.
	if err := toChild.Close(); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if got := p.Tail(100); got != "to the log\n" {
		t.Errorf("the log holds %q", got)
	}
}

func TestPipesAreClosedWhenNothingStarts(t *testing.T) {
	in, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := Start(Config{Name: "none", Path: "/nonexistent/program", LogPath: filepath.Join(t.TempDir(), "log"), Stdin: in}); err == nil {
		t.Fatal("a program that is not there was started")
	}
	if err := in.Close(); err == nil {
		t.Error("the pipe was left open")
	}
}
