package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/google/renameio/v2"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/lab/platform"
)

type labPlatform struct {
	Format  string `help:"terminal, md, json." placeholder:"F" default:"terminal" enum:"terminal,md,json"`
	Out     string `short:"o" help:"File to write into; left out: standard output." placeholder:"FILE"`
	Browser string `help:"Program of the browser (default: the Chromium that is found)." placeholder:"PATH"`
}

// Help is shown below the flags.
func (labPlatform) Help() string {
	return `A headless Chromium opens pages of our own, on loopback, with real storage and real channels, and what the data bus takes for
granted about them is measured. It takes about a minute.

Examples:
  assay lab platform
  assay lab platform --format md -o platform.md

Exit status: 0 every assumption that was decided holds; 1 one does not; 2 a measurement failed, or there is no Chromium; 64 usage.`
}

// Run executes the command.
func (c *labPlatform) Run(ctx context.Context, s streams) error {
	if c.Browser != "" {
		if _, err := os.Stat(c.Browser); err != nil {
			return usageError{fmt.Errorf("--browser: %w", err)}
		}
	}
	bar := newProgress(s, "platform")
	r, err := platform.Run(ctx, platform.Config{Browser: c.Browser, Tell: bar.line})
	bar.done()
	if err != nil {
		return err
	}
	if err := c.write(s.out, r); err != nil {
		return err
	}
	return platformStatus(r)
}

// platformStatus returns the exit status of a report as an error; nil: all that was decided holds.
func platformStatus(r *platform.Report) error {
	switch {
	case r.Count(platform.Fails) > 0:
		return statusError(conformance.ExitBroken)
	case r.Faulty():
		return statusError(conformance.ExitInconclusive)
	}
	return nil
}

func (c *labPlatform) write(out io.Writer, r *platform.Report) error {
	if c.Out == "" {
		return r.Write(out, c.Format)
	}
	var b bytes.Buffer
	if err := r.Write(&b, c.Format); err != nil {
		return err
	}
	if err := renameio.WriteFile(c.Out, b.Bytes(), 0o644); err != nil {
		return err
	}
	fmt.Fprintln(out, "written:", c.Out)
	return nil
}
