package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/seed-6f28358b/assay/"

// listed is what go list says of a package.
type listed struct {
	ImportPath   string
	Name         string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Name,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// may says which floors the packages of a floor may import.
var may = map[string][]string{
	"spec":        {},
	"model":       {"spec", "model"},
	"impl":        {"impl"},
	"corpus":      {"spec"},
	"conformance": {"spec", "model", "impl", "corpus", "conformance"},
	"fuzz":        {"spec", "model", "impl", "corpus", "conformance", "fuzz"},
	"cmd":         {"spec", "model", "impl", "corpus", "conformance", "fuzz"},
}

// touchesTheWorld are packages that mean I/O: the network, processes, files.
var touchesTheWorld = []string{"net", "net/http", "os", "os/exec", "syscall", "crypto/tls", "io/ioutil"}

// mayTouch reports whether a package of impl does I/O, as its path says.
func mayTouch(at string) bool {
	return strings.HasPrefix(at, "impl/stomp/broker") ||
		slices.Contains([]string{
			"impl/farewell", "impl/pipenet", "impl/stomp/client", "impl/eventbus/sse", "impl/eventbus/daemon",
			"impl/substrate", "impl/substrate/link", "impl/substrate/journal", "impl/substrate/store/sqlite", "impl/substrate/relay/natsstream",
			"impl/databus/host", "impl/databus/socket",
		}, at)
}

// The floors hold: what each package imports, its tests included, lies where it may.
func TestFloors(t *testing.T) {
	for _, p := range packages(t) {
		at := strings.TrimPrefix(p.ImportPath, module)
		floor, _, _ := strings.Cut(at, "/")
		allowed, known := may[floor]
		if !known {
			t.Errorf("%s is on no floor", at)
			continue
		}
		for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			to, ours := strings.CutPrefix(imp, module)
			if !ours || to == at {
				continue
			}
			if below, _, _ := strings.Cut(to, "/"); !slices.Contains(allowed, below) {
				t.Errorf("%s imports %s: %s may import %v", at, to, floor, allowed)
			}
			if a, b := protocolOf(at), protocolOf(to); a != "" && b != "" && a != b {
				t.Errorf("%s imports %s: protocols do not import each other", at, to)
			}
		}
		for _, imp := range p.Imports {
			if slices.Contains(touchesTheWorld, imp) && (floor == "spec" || floor == "model" || floor == "impl" && !mayTouch(at)) {
				if at == "impl/stomp/frame" && imp == "net" {
					// net.Buffers lets the caller's connection write a header and a body in one call; nothing
					// here opens, reads or closes one.
					continue
				}
				t.Errorf("%s imports %s: only conformance, fuzz, cmd and the packages of impl that say so touch the world", at, imp)
			}
		}
	}
}

// SUBSTRATE-STORE-007: what a browser needs of the substrate builds for one.
func TestSubstrateBuildsForBrowsers(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "build")
	for _, name := range []string{"wire", "handshake", "store", "engine", "observe", "relay"} {
		cmd.Args = append(cmd.Args, module+"impl/substrate/"+name)
	}
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// protocolOf returns the protocol whose folder a package is in, empty for generic machinery.
func protocolOf(at string) string {
	for _, element := range strings.Split(at, "/") {
		for _, protocol := range []string{"stomp", "eventbus", "substrate", "databus"} {
			if element == protocol || element == protocol+"model" || element == protocol+"test" {
				return protocol
			}
		}
	}
	return ""
}

// Package names are unique, so that no import needs an alias, and none is a drawer.
func TestPackageNames(t *testing.T) {
	seen := map[string]string{}
	for _, p := range packages(t) {
		if p.Name == "main" {
			continue
		}
		if other := seen[p.Name]; other != "" {
			t.Errorf("%s and %s are both called %s", other, p.ImportPath, p.Name)
		}
		seen[p.Name] = p.ImportPath
		if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "pkg", "misc", "base"}, p.Name) {
			t.Errorf("%s is named for nothing that it does", p.ImportPath)
		}
	}
}

// The top level holds what it is meant to hold and nothing else.
func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		".ci", ".git", ".gitignore", "ARCHITECTURE.md", "LICENSE", "Makefile", "README.md", "cmd", "conformance", "corpus",
		"fuzz", "go.mod", "go.sum", "impl", "model", "spec",
	}
	made := []string{".cache", "assay-report", "lab-report", "assay"} // by the command's defaults, ignored by git
	for _, e := range entries {
		if name := path.Base(e.Name()); !slices.Contains(want, name) && !slices.Contains(made, name) {
			t.Errorf("%s does not belong at the top level", name)
		}
	}
}
