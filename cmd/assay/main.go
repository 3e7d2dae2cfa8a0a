// Command assay judges messaging software: it runs numbered, sourced laws against a target and says,
// with evidence, where the target keeps its protocol and where it does not.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suites"
)

// cli is the command line.
type cli struct {
	Test    testCommand    `cmd:"" help:"Judge a target by a protocol's suite."`
	Replay  replayCommand  `cmd:"" help:"Repeat a finding from its replay file."`
	Laws    lawsCommand    `cmd:"" help:"List laws, show one in full, or show what covers them."`
	Report  reportCommand  `cmd:"" help:"Make reports from result files; several make a matrix."`
	Explore exploreCommand `cmd:"" help:"Explore a machine exhaustively and check its invariants."`
	Serve   serveCommand   `cmd:"" help:"Run a reference as a server."`
	Lab     labCommand     `cmd:"" help:"Third-party software on loopback."`
}

// streams are where a command prints: results for programs and people on out, progress and
// complaints on err.
type streams struct {
	in       io.Reader // commands; nil: there are none
	out, err io.Writer
	terminal bool // err is a terminal
	color    bool
}

// statusError carries an exit status that is not a failure of the program.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usageError marks a fault of the command line or of a file named on it.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(execute(ctx, os.Args[1:], terminalStreams(os.Stdout, os.Stderr)))
}

// execute runs one command line and returns its exit status.
func execute(ctx context.Context, args []string, s streams) (status int) {
	// As a flag of every command it would hide the --version of those that mean a protocol's.
	if len(args) == 1 && args[0] == "--version" {
		fmt.Fprintln(s.out, "assay", program())
		return conformance.ExitHeld
	}
	var c cli
	exited := -1
	parser, err := newParser(&c, s, func(code int) { exited = code; panic(exitPanic{}) })
	if err != nil {
		fmt.Fprintln(s.err, "assay:", err)
		return conformance.ExitUsage
	}
	defer func() {
		if v := recover(); v != nil {
			if _, ok := v.(exitPanic); !ok {
				panic(v)
			}
			status = exited
			if exited != 0 {
				status = conformance.ExitUsage
			}
		}
	}()
	kctx, err := parser.Parse(args)
	if err != nil {
		return usage(s, err, "assay --help\" or \"assay COMMAND --help")
	}
	kctx.BindTo(ctx, (*context.Context)(nil))
	err = kctx.Run(s)
	var code statusError
	var misused usageError
	var fault *conformance.FaultError
	switch {
	case err == nil:
		return conformance.ExitHeld
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &fault):
		fmt.Fprintln(s.err, "assay:", err)
		return conformance.ExitInconclusive
	case errors.As(err, &misused):
		return usage(s, err, "assay "+commandName(kctx)+" --help")
	default:
		fmt.Fprintln(s.err, "assay:", err)
		return conformance.ExitInconclusive
	}
}

type exitPanic struct{}

// newParser returns the parser of a command line into c. It calls exit after it has printed help.
func newParser(c *cli, s streams, exit func(code int)) (*kong.Kong, error) {
	return kong.New(
		c,
		kong.Name("assay"),
		kong.Description("Judge messaging software by numbered laws, with evidence. assay --version prints the version."),
		exploreVars(),
		kong.Vars{"suites": strings.Join(suites.Names(), ", ")},
		kong.Writers(s.out, s.err),
		kong.Exit(exit),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.ValueFormatter(withDefault),
	)
}

// withDefault is the help of a flag with the value that it has when it is left out: a placeholder hides that.
func withDefault(v *kong.Value) string {
	text := kong.DefaultHelpValueFormatter(v)
	if v.Flag == nil || !v.HasDefault || v.IsBool() {
		return text
	}
	return strings.TrimSuffix(text, ".") + " (default " + v.Default + ")."
}

// commandName returns the words of the command that was given, without its arguments.
func commandName(kctx *kong.Context) string {
	var words []string
	for _, at := range kctx.Path {
		if at.Command != nil {
			words = append(words, at.Command.Name)
		}
	}
	return strings.Join(words, " ")
}

// usage says what is wrong with a command line and where its help is.
func usage(s streams, err error, help string) int {
	fmt.Fprintln(s.err, "assay:", err)
	fmt.Fprintf(s.err, "Run \"%s\".\n", help)
	return conformance.ExitUsage
}

// program returns the version of this program as the build recorded it.
func program() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
