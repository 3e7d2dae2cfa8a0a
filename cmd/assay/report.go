package main

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/report"
	"github.com/seed-6f28358b/assay/spec"
)

type reportCommand struct {
	Files  []string `arg:"" help:"result.jsonl files. Files of one target join (shards); several targets make a matrix." placeholder:"FILE"`
	Out    string   `short:"o" help:"Folder to write into; left out: the first format goes to standard output." placeholder:"DIR"`
	Format []string `help:"terminal (default), json, md, junit, sarif, html, badge; with -o the files are named as those of assay test." placeholder:"F"`
}

// Help is shown below the flags.
func (reportCommand) Help() string {
	return `Examples:
  assay report assay-report/result.jsonl
  assay report a/result.jsonl b/result.jsonl --format html,md -o matrix

Exit status, of all runs together: 0 all held; 1 a law is broken; 2 inconclusive; 3 the baseline is stale or expired; 64 usage.`
}

// Run executes the command.
func (c *reportCommand) Run(s streams) error {
	laws, err := spec.Load()
	if err != nil {
		return err
	}
	var results []*conformance.Result
	for _, name := range c.Files {
		res, err := conformance.ReadResultFile(name)
		if err != nil {
			return usageError{err}
		}
		results = append(results, res)
	}
	formats := c.Format
	if len(formats) == 0 {
		formats = []string{"terminal"}
	}
	o := report.Options{Laws: laws, Color: s.color}
	if c.Out == "" {
		if len(formats) > 1 {
			return usageError{fmt.Errorf("several formats need -o DIR")}
		}
		f, err := report.FormatByName(formats[0])
		if err != nil {
			return usageError{err}
		}
		if err := f.Write(s.out, o, results...); err != nil {
			return err
		}
	} else {
		files, err := report.WriteFiles(c.Out, formats, o, results...)
		if err != nil {
			return usageError{err}
		}
		fmt.Fprintln(s.out, "written:", written(c.Out, files))
	}
	if exit := report.Join(laws, results...).Exit(); exit != conformance.ExitHeld {
		return statusError(exit)
	}
	return nil
}
