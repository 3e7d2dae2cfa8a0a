package main

import (
	"context"
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/report"
	"github.com/seed-6f28358b/assay/conformance/suites"
	"github.com/seed-6f28358b/assay/spec"
)

type replayCommand struct {
	File    string `arg:"" help:"Replay file, as written beside a result."`
	Target  string `arg:"" optional:"" help:"Another target; left out: the one of the replay."`
	Profile string `help:"Profile of the target; left out: the one of the replay." placeholder:"FILE"`
	Out     string `help:"Folder for the result; left out: none is written." placeholder:"DIR"`
}

// Help is shown below the flags.
func (replayCommand) Help() string {
	return `Examples:
  assay replay assay-report/replays/stomp_server_ack_client-mode-is-cumulative_1.2.json
  assay replay finding.json tcp://127.0.0.1:61613 --profile broker.yaml

Exit status: 0 the finding does not show; 1 it does; 2 it could not be decided; 64 usage.`
}

// Run executes the command.
func (c *replayCommand) Run(ctx context.Context, s streams) error {
	r, err := conformance.ReadReplay(c.File)
	if err != nil {
		return usageError{err}
	}
	suite, ok := suites.Named(r.Suite)
	if !ok {
		return usageError{fmt.Errorf("replay of protocol %q, which this program cannot judge", r.Suite)}
	}
	target := c.Target
	if target == "" {
		target = r.Target
	}
	cfg := conformance.Config{Seed: r.Seed, Out: c.Out, Program: program(), Selection: conformance.Selection{Only: []string{r.Case}}}
	if cfg.Target, err = conformance.ParseTarget(target); err != nil {
		return usageError{err}
	}
	file := c.Profile
	if file == "" && c.Target == "" {
		file = r.Profile
	}
	if file != "" {
		if cfg.Profile, err = conformance.LoadProfile(file, suites.Sections()...); err != nil {
			return usageError{err}
		}
	}
	if err := suite.Understands(cfg.Profile); err != nil {
		return usageError{fmt.Errorf("profile %s: %w", file, err)}
	}
	cfg.Steps = r.Steps
	res, err := conformance.Run(ctx, suite, cfg)
	if err != nil {
		return err
	}
	laws, err := spec.Load()
	if err != nil {
		return err
	}
	for _, got := range res.Cases {
		if got.Verdict == conformance.NotRun {
			continue
		}
		fmt.Fprintf(s.out, "%s\n  recorded: %s: %s\n  now:      %s: %s\n\n", got.ID, r.Verdict, r.Reason, got.Verdict, got.Reason)
	}
	if err := report.Terminal(s.out, report.Options{Laws: laws, Color: s.color}, res); err != nil {
		return err
	}
	if res.Footer.Exit != conformance.ExitHeld {
		return statusError(res.Footer.Exit)
	}
	return nil
}
