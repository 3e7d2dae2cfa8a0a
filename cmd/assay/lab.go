package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/lab"
	"github.com/seed-6f28358b/assay/conformance/report"
	"github.com/seed-6f28358b/assay/conformance/suites"
	"github.com/seed-6f28358b/assay/spec"
)

type labCommand struct {
	List     labList     `cmd:"" help:"Show which brokers and client libraries are known and which are installed."`
	Up       labUp       `cmd:"" help:"Start brokers on loopback and keep them until interrupted."`
	Down     labDown     `cmd:"" help:"End what \"assay lab up\" started."`
	Test     labTest     `cmd:"" help:"Judge what is installed and write a matrix for each protocol."`
	Platform labPlatform `cmd:"" help:"Measure in a real browser what the data bus takes for granted about storage, channels and pages."`
}

// Help is shown below the subcommands.
func (labCommand) Help() string {
	return `Examples:
  assay lab list
  assay lab up rabbitmq
  assay lab test --out lab-report
  assay lab test rabbitmq activemq-classic:tls --out lab-report
  assay lab test stomp.py stompjs
  assay lab platform

Exit status of lab test: 0 all is as the baselines say; 1 a law is broken that they do not list; 2 inconclusive; 3 a baseline is stale or
expired; 64 usage. Of lab up: 0 it was interrupted; 1 every broker ended by itself.`
}

type labList struct{}

// Run executes the command.
func (labList) Run(ctx context.Context, s streams) error {
	w := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	for _, ch := range known() {
		version, err := ch.Installed(ctx)
		if err != nil {
			version = "not installed: " + err.Error()
		}
		kind := "client"
		if ch.client == nil {
			kind = strings.Join(ch.broker.Transports, " ")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", ch.Name, ch.Title, kind, version)
	}
	return w.Flush()
}

// A choice is a broker and, when named, the one endpoint to use; or a client library.
type choice struct {
	lab.Software
	broker    lab.Broker
	transport string
	client    *lab.Client
}

// known returns all that the lab knows, brokers first.
func known() (all []choice) {
	for _, b := range lab.All() {
		all = append(all, choice{Software: b.Software, broker: b})
	}
	for _, c := range lab.Clients() {
		all = append(all, choice{Software: c.Software, client: &c})
	}
	return all
}

// choose resolves NAME and NAME:TRANSPORT; nothing named means everything that is installed.
func choose(ctx context.Context, names []string, complain func(error)) ([]choice, error) {
	var out []choice
	if len(names) == 0 {
		for _, ch := range known() {
			if _, err := ch.Installed(ctx); err != nil {
				complain(err)
				continue
			}
			out = append(out, ch)
		}
		if len(out) == 0 {
			return nil, errors.New("nothing of the lab is installed: run make lab-install")
		}
		return out, nil
	}
	for _, name := range names {
		if c, err := lab.FindClient(name); err == nil {
			out = append(out, choice{Software: c.Software, client: &c})
			continue
		}
		name, transport, _ := strings.Cut(name, ":")
		b, err := lab.Find(name)
		if err != nil {
			return nil, usageError{err}
		}
		out = append(out, choice{Software: b.Software, broker: b, transport: transport})
	}
	return out, nil
}

type labUp struct {
	Names []string `arg:"" optional:"" help:"Brokers; left out: all that are installed."`
}

// Run executes the command.
func (c *labUp) Run(ctx context.Context, s streams) error {
	choices, err := choose(ctx, c.Names, func(err error) { fmt.Fprintln(s.err, "assay:", err) })
	if err != nil {
		return err
	}
	var started []*lab.Running
	defer func() {
		for _, r := range started {
			stopBroker(r, s)
		}
	}()
	for _, ch := range choices {
		if ch.client != nil {
			continue // nothing to keep up: a client lives as long as one experiment
		}
		r, err := ch.broker.Start(ctx, lab.Options{})
		if err != nil {
			return err
		}
		started = append(started, r)
		for _, e := range r.Targets {
			fmt.Fprintf(s.out, "%s %s\t%s\t%s\n", r.Name, r.Version, e.Transport, e.URL)
		}
	}
	if len(started) == 0 {
		return usageError{errors.New("nothing of this is a broker: a client lives as long as one experiment")}
	}
	mark, err := markUp()
	if err != nil {
		return err
	}
	defer os.Remove(mark)
	fmt.Fprintln(s.err, "assay: up; interrupt, or run \"assay lab down\", to end")
	ended := make([]<-chan struct{}, len(started))
	for i, r := range started {
		ended[i] = r.Done()
	}
	return watch(ctx, ended, func(i int) {
		fmt.Fprintf(s.err, "assay: %s ended by itself; log %s\n", started[i].Name, started[i].LogPath)
	})
}

// watch tells of each channel that is closed, and returns when ctx has ended or, with an error, when all are closed.
func watch(ctx context.Context, ended []<-chan struct{}, tell func(i int)) error {
	which := make(chan int)
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel()
	for i, done := range ended {
		wait.Go(func() {
			select {
			case <-done:
			case <-ctx.Done():
				return
			}
			select {
			case which <- i:
			case <-ctx.Done():
			}
		})
	}
	for range ended {
		select {
		case i := <-which:
			tell(i)
		case <-ctx.Done():
			return nil
		}
	}
	return errors.New("every broker has ended by itself")
}

func stopBroker(r *lab.Running, s streams) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := r.Stop(ctx); err != nil {
		fmt.Fprintf(s.err, "assay: %s: %v\n", r.Name, err)
	}
}

type labTest struct {
	Names         []string `arg:"" optional:"" help:"Brokers, as NAME or NAME:TRANSPORT, and client libraries; left out: all that are installed, every endpoint."`
	Out           string   `help:"Folder for the results and the matrix." placeholder:"DIR" default:"lab-report"`
	Only          []string `help:"As in assay test." placeholder:"GLOB|LAW" sep:"none"`
	Parallel      int      `help:"Cases at a time (default 8)." placeholder:"N"`
	Seed          uint64   `help:"Seed of generated experiments (default 1)." placeholder:"N"`
	WriteBaseline bool     `help:"Write what deviates now into the baselines of --baselines."`
	Baselines     string   `help:"Folder of NAME.yaml and NAME-TRANSPORT.yaml baselines (default: conformance/lab/baselines; those built in where that is not)." placeholder:"DIR"`
	Strict        bool     `help:"What is not installed is an error."`
}

// Run executes the command.
func (c *labTest) Run(ctx context.Context, s streams) error {
	if err := c.findBaselines(); err != nil {
		return usageError{err}
	}
	missing := 0
	choices, err := choose(ctx, c.Names, func(err error) {
		missing++
		fmt.Fprintln(s.err, "assay:", err)
	})
	if err != nil {
		return err
	}
	if c.Strict && missing > 0 {
		return fmt.Errorf("%d brokers and clients are not installed", missing)
	}
	var results []*conformance.Result
	status := conformance.ExitHeld
	for _, ch := range choices {
		if ch.client != nil {
			res, err := c.client(ctx, *ch.client, s)
			if err != nil {
				return fmt.Errorf("%s: %w", ch.Name, err)
			}
			results, status = append(results, res), worseStatus(status, res.Footer.Exit)
			continue
		}
		res, code, err := c.broker(ctx, ch, s)
		if err != nil {
			return err
		}
		results, status = append(results, res...), worseStatus(status, code)
	}
	if len(c.Only) == 0 {
		for _, suite := range suites.Names() {
			of := slices.DeleteFunc(slices.Clone(results), func(r *conformance.Result) bool { return r.Header.Suite != suite })
			if err := matrix(filepath.Join(c.Out, suite), of, s); err != nil {
				return err
			}
		}
	}
	if status != conformance.ExitHeld {
		return statusError(status)
	}
	return nil
}

// sourceBaselines is where the lab's baselines are, from the root of the repository.
const sourceBaselines = "conformance/lab/baselines"

// findBaselines settles the folder of baselines. It stays empty where only those built in are at hand. Nothing is excused by a folder
// that is not there, so that naming one is an error, unless it is to be made.
func (c *labTest) findBaselines() error {
	named := c.Baselines != ""
	if !named {
		c.Baselines = sourceBaselines
	}
	_, err := os.Stat(c.Baselines)
	switch {
	case err == nil, named && c.WriteBaseline && errors.Is(err, os.ErrNotExist):
		return nil
	case named:
		return fmt.Errorf("--baselines: %w", err)
	case c.WriteBaseline:
		return fmt.Errorf("--write-baseline: there is no folder %s here: name one by --baselines", sourceBaselines)
	}
	c.Baselines = ""
	return nil
}

// matrix sets results side by side in out; of none it makes none.
func matrix(out string, results []*conformance.Result, s streams) error {
	if len(results) == 0 {
		return nil
	}
	laws, err := spec.Load()
	if err != nil {
		return err
	}
	files, err := report.WriteFiles(out, []string{"md", "html", "junit"}, report.Options{Laws: laws}, results...)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "matrix of %d targets: %s\n", len(results), strings.Join(files, ", "))
	return nil
}

// worseStatus keeps the status that says more: a broken law over a doubt over a stale baseline.
func worseStatus(a, b int) int {
	for _, s := range []int{conformance.ExitBroken, conformance.ExitInconclusive, conformance.ExitBaseline} {
		if a == s || b == s {
			return s
		}
	}
	return conformance.ExitHeld
}

// broker starts one broker and judges its endpoints.
func (c *labTest) broker(ctx context.Context, ch choice, s streams) ([]*conformance.Result, int, error) {
	running, err := ch.broker.Start(ctx, lab.Options{})
	if err != nil {
		return nil, 0, err
	}
	defer stopBroker(running, s)
	var results []*conformance.Result
	status, judged := conformance.ExitHeld, false
	for _, e := range running.Targets {
		if ch.transport != "" && ch.transport != e.Transport {
			continue
		}
		judged = true
		res, err := c.endpoint(ctx, running, e, s)
		if err != nil {
			return nil, 0, fmt.Errorf("%s %s: %w", running.Name, e.Transport, err)
		}
		results = append(results, res)
		status = worseStatus(status, res.Footer.Exit)
	}
	if !judged {
		return nil, 0, usageError{fmt.Errorf("%s has no endpoint %q", running.Name, ch.transport)}
	}
	return results, status, nil
}

func (c *labTest) endpoint(ctx context.Context, running *lab.Running, e lab.Endpoint, s streams) (*conformance.Result, error) {
	target, err := conformance.ParseTarget(e.URL)
	if err != nil {
		return nil, err
	}
	return c.judge(ctx, running.Suite, baselineName(running, e), conformance.Config{
		Target: target, Profile: labProfile(running, e), Revive: running.Restart,
		Command: fmt.Sprintf("assay lab test %s:%s", running.Name, e.Transport),
	}, s)
}

// client judges one client library.
func (c *labTest) client(ctx context.Context, client lab.Client, s streams) (*conformance.Result, error) {
	target, err := client.Target(ctx)
	if err != nil {
		return nil, err
	}
	version, err := client.Installed(ctx)
	if err != nil {
		return nil, err
	}
	return c.judge(ctx, client.Suite, client.Name, conformance.Config{
		Target:  target,
		Profile: conformance.Profile{Name: client.Name, Title: strings.TrimSpace(client.Title + " " + version)},
		Command: "assay lab test " + client.Name,
	}, s)
}

// judge runs a suite with what all runs of the lab have in common, and compares it with the baseline of that name.
func (c *labTest) judge(ctx context.Context, of, name string, cfg conformance.Config, s streams) (*conformance.Result, error) {
	suite, ok := suites.Named(of)
	if !ok {
		return nil, fmt.Errorf("%s: no suite is called %q", name, of)
	}
	file := filepath.Join(c.Baselines, name+".yaml")
	var baseline *conformance.Baseline
	var err error
	if c.Baselines == "" {
		baseline, err = lab.Baseline(name)
	} else {
		baseline, err = conformance.LoadBaseline(file)
	}
	if errors.Is(err, os.ErrNotExist) {
		baseline, err = &conformance.Baseline{Target: name}, nil
	}
	if err != nil {
		return nil, usageError{err}
	}
	bar := newProgress(s, name)
	cfg.Parallel, cfg.Out, cfg.Baseline, cfg.Program = c.Parallel, filepath.Join(c.Out, name), baseline, program()
	cfg.Selection, cfg.Seed = conformance.Selection{Only: c.Only}, c.Seed
	cfg.Calibrate = conformance.Calibrator{Suite: suite, Dir: conformance.CacheDir()}.Calibrate
	cfg.Progress = bar.show
	res, err := conformance.Run(ctx, suite, cfg)
	bar.done()
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(s.out, "%s: %s\n", name, oneLine(res))
	for _, change := range []struct {
		what string
		ids  []string
	}{{"new", res.Footer.Baseline.New}, {"changed", res.Footer.Baseline.Changed}, {"fixed", res.Footer.Baseline.Fixed}, {"expired", res.Footer.Baseline.Expired}} {
		for _, id := range change.ids {
			fmt.Fprintf(s.out, "  %s: %s\n", change.what, id)
		}
	}
	if c.WriteBaseline {
		if err := os.MkdirAll(c.Baselines, 0o755); err != nil {
			return nil, err
		}
		if err := baseline.Update(name, res.Cases).Write(file); err != nil {
			return nil, err
		}
		res.Footer.Exit = conformance.ExitHeld
	}
	return res, nil
}

// oneLine sums a result up.
func oneLine(res *conformance.Result) string {
	var parts []string
	for _, v := range conformance.Verdicts() {
		if n := res.Footer.Counts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", v, n))
		}
	}
	return strings.Join(parts, ", ")
}

// labProfile returns the profile with which to judge one endpoint.
func labProfile(running *lab.Running, e lab.Endpoint) conformance.Profile {
	p := running.Profile
	p.Title = fmt.Sprintf("%s %s, %s", running.Title, running.Version, e.Transport)
	p.TLS.CA = e.CAFile
	return p
}

// baselineName names the baseline of an endpoint: the broker's own for its first one, which a profile
// can name, and one with the transport for each other.
func baselineName(running *lab.Running, e lab.Endpoint) string {
	if e == running.Targets[0] {
		return running.Name
	}
	return running.Name + "-" + e.Transport
}
