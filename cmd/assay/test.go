package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/report"
	"github.com/seed-6f28358b/assay/conformance/suites"
	"github.com/seed-6f28358b/assay/spec"
)

type testCommand struct {
	Protocol string   `arg:"" help:"What to judge: ${suites}."`
	Target   string   `arg:"" optional:"" help:"tcp://HOST:PORT, tls://…, ws://…, wss://…; for event buses http://…, https://…; for those, data buses and the substrate exec:COMMAND or -- COMMAND…; for clients exec:COMMAND, or -- COMMAND…; left out: ref, the embedded reference."`
	Command  []string `arg:"" optional:"" help:"Arguments of a command."`

	Profile       string   `help:"Profile of the target: credentials, destination names, options, deadlines; its own baseline applies (spec/profile.md)." placeholder:"FILE"`
	Version       string   `help:"Only cases of this protocol version; of the event bus: this dialect, seed or later; of the data bus: v010 or fenced." placeholder:"V"`
	Only          []string `help:"Only cases that match a glob over case ids (** crosses slashes) or law ids; may be repeated." placeholder:"GLOB|LAW" sep:"none"`
	List          bool     `help:"List the selected cases with their laws and exit."`
	Parallel      *int     `help:"Cases at a time, 1 to 64 (default 8; of clients 4)." placeholder:"N"`
	Seed          uint64   `help:"Seed of generated experiments (default 1)." placeholder:"N"`
	Out           string   `help:"Folder for result.jsonl, reports and replays; those of an earlier run there are replaced." placeholder:"DIR" default:"assay-report"`
	Baseline      string   `help:"Known deviations; new, changed, fixed and expired ones are red." placeholder:"FILE"`
	WriteBaseline bool     `help:"Write what deviates now into --baseline and exit 0; a run that ended early is refused with 2."`
	Listen        string   `help:"For clients: where to play the server (default 127.0.0.1:0, free ports)." placeholder:"ADDR"`
	Shard         string   `help:"Run the I-th of N parts." placeholder:"I/N"`
	Format        []string `help:"Forms to write into --out: terminal (result.txt), md (result.md), html (result.html), junit (junit.xml), sarif (result.sarif), badge (badge.json, badges/), json (summary.json, and on standard output); may be repeated or joined by commas (default terminal,md,html)." placeholder:"F"`
}

// Help is shown below the flags.
func (testCommand) Help() string {
	return `Examples:
  assay test stomp                                     judge the embedded reference broker
  assay test stomp tcp://127.0.0.1:61613 --profile p.yaml
  assay test stomp tcp://127.0.0.1:61613 --only 'stomp/server/ack/**' --version 1.2
  assay test stomp --only STOMP-ESC-003 --list
  assay test stomp-client                              judge the reference client
  assay test stomp-client -- python3 testee.py         judge the library that testee.py uses
  assay test eventbus exec:'node adapter.mjs'          judge the bus that adapter.mjs drives
  assay test eventbus http://127.0.0.1:4170 --profile daemon.yaml
  assay test databus -- node adapter.mjs               judge the cross-tab bus that adapter.mjs drives
  assay test substrate ws://127.0.0.1:7801/ --profile peer.yaml
  assay test substrate -- node adapter.mjs             judge the engine that adapter.mjs drives
  assay test sse-client -- node adapter.mjs            judge the reader of event streams that adapter.mjs drives

Exit status: 0 all held; 1 a law is broken; 2 inconclusive; 3 the baseline is stale or expired; 64 usage.`
}

// Run executes the command.
func (c *testCommand) Run(ctx context.Context, s streams) error {
	suite, ok := suites.Named(c.Protocol)
	if !ok {
		return usageError{fmt.Errorf("protocol %q is none of %s", c.Protocol, strings.Join(suites.Names(), ", "))}
	}
	cfg, err := c.config(suite)
	if err != nil {
		return usageError{err}
	}
	if c.List {
		return c.list(suite, cfg, s.out)
	}
	if err := report.Clear(c.Out); err != nil {
		return err
	}
	bar := newProgress(s, suite.Name)
	cfg.Progress = bar.show
	cfg.Calibrate = conformance.Calibrator{Suite: suite, Dir: conformance.CacheDir(), Progress: bar.calibrating}.Calibrate
	res, fault := conformance.Run(ctx, suite, cfg)
	bar.done()
	if res == nil {
		return fault
	}
	laws, err := spec.Load()
	if err != nil {
		return err
	}
	if err := c.print(s, report.Options{Laws: laws, Color: s.color, Part: c.Shard != ""}, res); err != nil {
		return err
	}
	if c.whole(cfg) {
		conformance.Calibrator{Suite: suite, Dir: conformance.CacheDir()}.Remember(res, laws)
	}
	switch {
	case fault != nil:
		return fault
	case c.WriteBaseline && res.Footer.Stopped != "":
		return fmt.Errorf("%s is not written: the run ended early: %s", c.Baseline, res.Footer.Stopped)
	case c.WriteBaseline:
		known := cfg.Baseline.Update(cfg.Target.Spec, res.Cases)
		if err := known.Write(c.Baseline); err != nil {
			return err
		}
		fmt.Fprintf(s.err, "assay: wrote %s: it excuses %d cases from now on; exit 0\n", c.Baseline, len(known.Entries))
		return nil
	case res.Footer.Exit != conformance.ExitHeld:
		return statusError(res.Footer.Exit)
	}
	return nil
}

// whole reports whether a run was one of everything on the reference, which calibrates this binary.
func (c *testCommand) whole(cfg conformance.Config) bool {
	return cfg.Target.Reference() && len(cfg.Selection.Strings()) == 0 && c.Profile == ""
}

// print shows the result: for people on out, or, when a program asked for JSON, that on out and the
// rest on err. The files go into --out in either case.
func (c *testCommand) print(s streams, o report.Options, res *conformance.Result) error {
	formats := c.Format
	if len(formats) == 0 {
		formats = []string{"terminal", "md", "html"}
	}
	files, err := report.WriteFiles(c.Out, formats, o, res)
	if err != nil {
		return err
	}
	people := s.out
	if slices.Contains(formats, "json") {
		if err := report.JSON(s.out, o, res); err != nil {
			return err
		}
		people = s.err
	}
	if text := nothingJudged(res); text != "" {
		fmt.Fprintf(people, "%s; exit %d\n", text, res.Footer.Exit)
	} else if err := report.Terminal(people, o, res); err != nil {
		return err
	}
	fmt.Fprintln(people, "written:", written(c.Out, append([]string{filepath.Join(c.Out, resultFile)}, files...)))
	return nil
}

func (c *testCommand) config(suite *conformance.Suite) (conformance.Config, error) {
	cfg := conformance.Config{Seed: c.Seed, Out: c.Out, Program: program()}
	var err error
	if c.Parallel != nil {
		// The runner takes 0 for "as you see fit", which nobody means who types it.
		if cfg.Parallel = *c.Parallel; cfg.Parallel < 1 {
			return cfg, fmt.Errorf("--parallel %d, allowed are 1 to 64", cfg.Parallel)
		}
	}
	if cfg.Target, err = c.target(suite); err != nil {
		return cfg, err
	}
	if err := suite.Judges(cfg.Target); err != nil {
		return cfg, err
	}
	cfg.Listen = c.Listen
	if c.Profile != "" {
		if cfg.Profile, err = conformance.LoadProfile(c.Profile, suites.Sections()...); err != nil {
			return cfg, err
		}
		if err := suite.Understands(cfg.Profile); err != nil {
			return cfg, fmt.Errorf("profile %s: %w", c.Profile, err)
		}
	}
	for _, name := range c.Format {
		if _, err := report.FormatByName(name); err != nil {
			return cfg, err
		}
	}
	if err := c.baseline(&cfg); err != nil {
		return cfg, err
	}
	cfg.Command = c.again(cfg.Target)
	cfg.Selection = conformance.Selection{Only: c.Only, Version: c.Version}
	if c.Shard != "" {
		if cfg.Selection.ShardIndex, cfg.Selection.ShardCount, err = conformance.ParseShard(c.Shard); err != nil {
			return cfg, err
		}
	}
	if _, err := cfg.Selection.Select(conformance.Instances(suite.Cases)); err != nil {
		return cfg, err
	}
	return cfg, nil
}

// target reads what to judge: where that can be a command, its words count as one.
func (c *testCommand) target(suite *conformance.Suite) (conformance.Target, error) {
	switch {
	case !suite.Clients && c.Listen != "":
		return conformance.Target{}, fmt.Errorf("--listen %s: %s judges servers, to which it connects", c.Listen, c.Protocol)
	case suite.Clients && strings.Contains(c.Target, "://") && !strings.HasPrefix(c.Target, "exec:"):
		return conformance.Target{}, fmt.Errorf("target %s is an address: %s judges clients, which have a command", c.Target, c.Protocol)
	case len(c.Command) > 0 && !suite.TakesCommands():
		return conformance.Target{}, fmt.Errorf("%s is left over: %s judges servers, which have an address and no command", c.Command[0], c.Protocol)
	case len(c.Command) > 0 && (strings.Contains(c.Target, "://") || strings.HasPrefix(c.Target, "exec:")):
		return conformance.Target{}, fmt.Errorf("%s is left over: a command is -- COMMAND… or, in one word, exec:'COMMAND…'", c.Command[0])
	case len(c.Command) == 0 && (!suite.TakesCommands() || names(c.Target)):
		return conformance.ParseTarget(c.Target)
	default:
		return conformance.ExecTarget(append([]string{c.Target}, c.Command...)), nil
	}
}

// names reports whether one word names a target, well or badly, and is no command.
func names(word string) bool {
	_, port, err := net.SplitHostPort(word)
	return word == "" || word == "ref" || strings.HasPrefix(word, "exec:") || strings.Contains(word, "://") || err == nil && port != ""
}

// baseline loads the baseline of the command line or of the profile.
func (c *testCommand) baseline(cfg *conformance.Config) error {
	if c.Baseline == "" && cfg.Profile.Baseline != "" {
		c.Baseline = cfg.Profile.Path(cfg.Profile.Baseline)
	}
	if c.Baseline == "" {
		if c.WriteBaseline {
			return errors.New("--write-baseline needs --baseline FILE")
		}
		return nil
	}
	var err error
	cfg.Baseline, err = conformance.LoadBaseline(c.Baseline)
	switch missing := errors.Is(err, os.ErrNotExist); {
	case missing && c.WriteBaseline:
		cfg.Baseline, err = &conformance.Baseline{Target: cfg.Target.Spec}, nil
	case missing:
		err = fmt.Errorf("%w; --write-baseline makes it", err)
	}
	return err
}

// again is the command line that repeats this one for other cases.
func (c *testCommand) again(target conformance.Target) string {
	words := []string{"assay", "test", c.Protocol}
	if !target.Reference() {
		words = append(words, conformance.Quote(target.Spec))
	}
	if c.Listen != "" {
		words = append(words, "--listen", conformance.Quote(c.Listen))
	}
	if c.Profile != "" {
		words = append(words, "--profile", conformance.Quote(c.Profile))
	}
	return strings.Join(words, " ")
}

func (c *testCommand) list(suite *conformance.Suite, cfg conformance.Config, w io.Writer) error {
	laws, err := spec.Load()
	if err != nil {
		return err
	}
	instances := conformance.Instances(suite.Cases)
	selected, err := cfg.Selection.Select(instances)
	if err != nil {
		return usageError{err}
	}
	n := 0
	for i, in := range instances {
		if !selected[i] {
			continue
		}
		n++
		fmt.Fprintf(w, "%s\n    %s\n", in.ID(), in.Case.Title)
		if needs := in.Case.Needs.Options; len(needs) > 0 {
			fmt.Fprintf(w, "    needs %s\n", strings.Join(needs, ", "))
		}
		for _, id := range in.Case.Laws {
			law, _ := laws.Law(id)
			fmt.Fprintf(w, "    %s  %s  %s\n", id, law.Level, law.Title)
		}
	}
	fmt.Fprintf(w, "%d of %d\n", n, len(instances))
	return nil
}
