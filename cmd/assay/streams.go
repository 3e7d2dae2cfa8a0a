package main

import (
	"os"

	"golang.org/x/term"
)

// terminalStreams returns the streams of a process; colour needs a terminal and no NO_COLOR.
func terminalStreams(out, err *os.File) streams {
	_, quiet := os.LookupEnv("NO_COLOR")
	return streams{
		in: os.Stdin, out: out, err: err,
		terminal: term.IsTerminal(int(err.Fd())),
		color:    !quiet && term.IsTerminal(int(out.Fd())),
	}
}
