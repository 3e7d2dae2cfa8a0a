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
	"github.com/seed-6f28358b/assay/conformance/testees"
)

// Client is a library that the lab has a testee or an adapter for: a program that drives it as a suite says.
type Client struct {
	Software

	script  string // file of scripts; empty for a compiled one
	scripts fs.FS  // what is written into folder, of the lab
	folder  string
	args    string // of the script, behind the interpreter's flags, as a shell reads them
	flags   string // of the interpreter
	binary  string // compiled testee or adapter in the lab's folder
}

// Clients returns every client library that the lab knows, installed or not, in a stable order.
func Clients() []Client {
	script := func(name, title, script string, find finder) Client {
		return Client{Software: Software{Name: name, Title: title, find: find}, scripts: testees.Scripts, folder: "testees", script: script}
	}
	binary := func(name, title, binary, module string) Client {
		return Client{Software: Software{Name: name, Title: title, find: compiled(binary, module)}, binary: binary}
	}
	clients := []Client{
		binary("assay-client", "Assay's own client (Go)", "testee-assay", "github.com/seed-6f28358b/assay"),
		binary("go-stomp-client", "go-stomp/stomp/v3 client (Go)", "testee-go-stomp", "github.com/go-stomp/stomp/v3"),
		// The system's Python and no other: that is where the package manager puts the library.
		script("stomp.py", "stomp.py (Python)", "stomp.py/testee.py",
			says("/usr/bin/python3", "-c", `import os; os.environ["STOMP_SKIP_HOSTNAME_SCAN"] = "1"; import stomp; print(".".join(map(str, stomp.__version__)))`)),
		script("stompjs", "@stomp/stompjs over TCP (JavaScript)", "stompjs/testee.js", npm("@stomp/stompjs")),
		script("stompit", "stompit (JavaScript)", "stompit/testee.js", npm("stompit")),
		script("net-stomp", "Net::Stomp (Perl)", "net-stomp/testee.pl", says("perl", "-MNet::Stomp", "-e", "print $Net::Stomp::VERSION")),
		script("ruby-stomp", "stomp gem (Ruby)", "ruby-stomp/testee.rb", says("ruby", "-e", `require "stomp"; print Stomp::Version::STRING`)),
		script("php-stomp", "stomp extension (PHP)", "php-stomp/testee.php", says("php", "-r", `print phpversion("stomp");`)),
	}
	for i := range clients {
		clients[i].complete("stomp-client")
	}
	return append(clients, eventClients()...)
}

// FindClient returns the client library of that name, or an error that lists the names there are.
func FindClient(name string) (Client, error) { return lookup(Clients(), "client", name) }

// inHome is a path in the lab's folder as a shell reads it, so that a target names no folder of this machine and a replay of
// its result runs on another.
func inHome(path string) string { return `"${ASSAY_LAB_DIR:-$HOME/.cache/assay/lab}/` + path + `"` }

// Target returns the command of the library's testee or adapter as a target. A script is written into the lab's folder first,
// with all others and what they share.
func (c Client) Target(ctx context.Context) (conformance.Target, error) {
	f, err := c.locate(ctx)
	if err != nil {
		return conformance.Target{}, err
	}
	if c.script == "" {
		return conformance.ParseTarget("exec:" + inHome("bin/"+c.binary))
	}
	if err := writeAll(c.scripts, filepath.Join(c.home, c.folder)); err != nil {
		return conformance.Target{}, fmt.Errorf("script of %s: %w", c.Name, err)
	}
	words := []string{"exec:" + inShell(f.program, c.home), inHome(c.folder + "/" + c.script)}
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
		return inHome(rest)
	}
	return conformance.Quote(path)
}

// says finds a library by what its interpreter prints for a line of code: the version.
func says(interpreter string, args ...string) finder {
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
func npm(name string) finder {
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
func compiled(binary, module string) finder {
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
