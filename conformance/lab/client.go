package lab

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters"
	"github.com/seed-6f28358b/assay/conformance/testees"
)

// Client is a library that the lab has a testee or an adapter for: a program that drives it as a suite says.
type Client struct {
	// Name is the name on the command line, different from every broker's.
	Name string
	// Title says what the library is, without a version.
	Title string
	// Suite is the one that judges it: "stomp-client", "sse-client", or "eventbus" for a bus inside a process.
	Suite string
	// Install is the command that installs it, from the root of the repository.
	Install string

	script string // of package testees or adapters; empty for a compiled one
	args   string // of the script, behind the interpreter's flags, as a shell reads them
	flags  string // of the interpreter
	binary string // compiled testee or adapter in the lab's folder
	module string // whose version a compiled one has
	find   func(ctx context.Context, home string) (found, error)
	home   string
}

// Clients returns every client library that the lab knows, installed or not, in a stable order.
func Clients() []Client {
	clients := []Client{
		{Name: "assay-client", Title: "Assay's own client (Go)", binary: "testee-assay", module: "github.com/seed-6f28358b/assay"},
		{Name: "go-stomp-client", Title: "go-stomp/stomp/v3 client (Go)", binary: "testee-go-stomp", module: "github.com/go-stomp/stomp/v3"},
		{
			Name: "stomp.py", Title: "stomp.py (Python)", script: "stomp.py/testee.py",
			// The system's Python and no other: that is where the package manager puts the library.
			find: says("/usr/bin/python3", "-c", `import os; os.environ["STOMP_SKIP_HOSTNAME_SCAN"] = "1"; import stomp; print(".".join(map(str, stomp.__version__)))`),
		},
		{Name: "stompjs", Title: "@stomp/stompjs over TCP (JavaScript)", script: "stompjs/testee.js", find: npm("@stomp/stompjs")},
		{Name: "stompit", Title: "stompit (JavaScript)", script: "stompit/testee.js", find: npm("stompit")},
		{Name: "net-stomp", Title: "Net::Stomp (Perl)", script: "net-stomp/testee.pl", find: says("perl", "-MNet::Stomp", "-e", "print $Net::Stomp::VERSION")},
		{Name: "ruby-stomp", Title: "stomp gem (Ruby)", script: "ruby-stomp/testee.rb", find: says("ruby", "-e", `require "stomp"; print Stomp::Version::STRING`)},
		{Name: "php-stomp", Title: "stomp extension (PHP)", script: "php-stomp/testee.php", find: says("php", "-r", `print phpversion("stomp");`)},

		qwenBus("0.24.4"), qwenBus("0.21.2"),
		{Name: "go-sse", Title: "tmaxmax/go-sse client (Go)", Suite: sseClient, binary: "adapter-go-sse", module: "github.com/tmaxmax/go-sse"},
		{Name: "r3labs-sse", Title: "r3labs/sse/v2 client (Go)", Suite: sseClient, binary: "adapter-r3labs-sse", module: "github.com/r3labs/sse/v2"},
		{
			Name: "launchdarkly-eventsource", Title: "launchdarkly/eventsource (Go)", Suite: sseClient,
			binary: "adapter-launchdarkly-eventsource", module: "github.com/launchdarkly/eventsource",
		},
		{
			Name: "eventsource", Title: "eventsource (JavaScript)", Suite: sseClient, script: "sse-eventsource-npm/adapter.mjs",
			args: sseFolder, find: sseNPM("eventsource"),
		},
		{
			Name: "node-eventsource", Title: "EventSource of Node.js", Suite: sseClient, script: "sse-node/adapter.mjs",
			flags: "--experimental-eventsource", find: sseNode,
		},
		{
			Name: "qwen-sdk", Title: "stream client of @qwen-code/sdk (JavaScript)", Suite: sseClient, script: "sse-qwen-sdk/adapter.mjs",
			args: sseFolder, find: sseNPM("@qwen-code/sdk"),
		},
		{Name: "chromium-eventsource", Title: "EventSource of Chromium", Suite: sseClient, binary: "adapter-chromium-eventsource", find: chromium},
	}
	home := Home()
	for i := range clients {
		c := &clients[i]
		c.home, c.Install = home, "conformance/lab/install.sh "+c.Name
		if c.module != "" {
			c.find = compiled(c.binary, c.module)
		}
		if c.Suite == "" {
			c.Suite = "stomp-client"
		}
	}
	return clients
}

// FindClient returns the client library of that name, or an error that lists the names there are.
func FindClient(name string) (Client, error) {
	var names []string
	for _, c := range Clients() {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	return Client{}, fmt.Errorf("no client named %q in the lab (it knows: %s)", name, strings.Join(names, ", "))
}

// Installed returns the version that is on this machine. The error is a *NotInstalledError if something is
// missing.
func (c Client) Installed(ctx context.Context) (version string, err error) {
	f, err := c.locate(ctx)
	return f.version, err
}

func (c Client) locate(ctx context.Context) (found, error) {
	f, err := c.find(ctx, c.home)
	if m, ok := err.(missingError); ok {
		return found{}, &NotInstalledError{Broker: c.Name, Missing: string(m), Install: c.Install}
	}
	if err != nil {
		return found{}, fmt.Errorf("look for %s: %w", c.Name, err)
	}
	return f, nil
}

// homeInShell is what a shell makes [Home] of, so that a target names no folder of this machine and a replay of its
// result runs on another.
const homeInShell = "${ASSAY_LAB_DIR:-$HOME/.cache/assay/lab}"

// Target returns the command of the library's testee or adapter as a target. A script is written into the lab's folder first,
// with all others and what they share.
func (c Client) Target(ctx context.Context) (conformance.Target, error) {
	f, err := c.locate(ctx)
	if err != nil {
		return conformance.Target{}, err
	}
	if c.script == "" {
		return conformance.ParseTarget(fmt.Sprintf(`exec:"%s/bin/%s"`, homeInShell, c.binary))
	}
	scripts, kind := testees.Scripts, "testees"
	if c.Suite != "stomp-client" {
		scripts, kind = adapters.Scripts, "adapters"
	}
	if err := writeAll(scripts, filepath.Join(c.home, kind)); err != nil {
		return conformance.Target{}, fmt.Errorf("script of %s: %w", c.Name, err)
	}
	words := []string{"exec:" + inShell(f.program, c.home), fmt.Sprintf(`"%s/%s/%s"`, homeInShell, kind, c.script)}
	if c.flags != "" {
		words = slices.Insert(words, 1, c.flags)
	}
	if c.args != "" {
		words = append(words, c.args)
	}
	return conformance.ParseTarget(strings.Join(words, " "))
}

// writeAll writes scripts and what they import into a folder, each whole at once: another process may be about to run them.
func writeAll(scripts fs.FS, dir string) error {
	return fs.WalkDir(scripts, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := fs.ReadFile(scripts, name)
		if err != nil {
			return err
		}
		return renameio.WriteFile(to, text, 0o644)
	})
}

// inShell is how a shell reads the path of a program, which may lie in the lab's folder.
func inShell(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+"/"); ok {
		return fmt.Sprintf(`"%s/%s"`, homeInShell, rest)
	}
	return conformance.Quote(path)
}

// says finds a library by what its interpreter prints for a line of code: the version.
func says(interpreter string, args ...string) func(context.Context, string) (found, error) {
	return func(ctx context.Context, _ string) (found, error) {
		path, err := program(interpreter)
		if err != nil {
			return found{}, err
		}
		out, err := exec.CommandContext(ctx, path, args...).Output()
		version := strings.TrimSpace(string(out))
		if err != nil || version == "" {
			return found{}, missingError("the library that " + interpreter + " loads")
		}
		return found{version: version, program: path}, nil
	}
}

// npm finds a package in the lab's npm folder.
func npm(name string) func(context.Context, string) (found, error) {
	return func(_ context.Context, home string) (found, error) {
		f, err := npmPackage(filepath.Join(home, "npm"), name)
		if err != nil {
			return found{}, err
		}
		f.program, err = program("node")
		return f, err
	}
}

// npmPackage finds a package in a folder that npm installed into.
func npmPackage(folder, name string) (found, error) {
	root := filepath.Join(folder, "node_modules", filepath.FromSlash(name))
	raw, err := os.ReadFile(filepath.Join(root, "package.json"))
	if err != nil {
		return found{}, missingError(root)
	}
	var pkg struct{ Version string }
	if err := json.Unmarshal(raw, &pkg); err != nil {
		return found{}, fmt.Errorf("read version of %s: %w", root, err)
	}
	return found{version: pkg.Version, root: root}, nil
}

// compiled finds a program in the lab's bin folder, which has the version of one of its modules.
func compiled(binary, module string) func(context.Context, string) (found, error) {
	return func(_ context.Context, home string) (found, error) {
		path := filepath.Join(home, "bin", binary)
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return found{}, missingError(path)
		}
		if info.Main.Path == module {
			return found{version: strings.Trim(info.Main.Version, "()"), program: path}, nil
		}
		for _, d := range info.Deps {
			if d.Path == module {
				return found{version: strings.TrimPrefix(d.Version, "v"), program: path}, nil
			}
		}
		return found{}, missingError(module + " in " + path)
	}
}
