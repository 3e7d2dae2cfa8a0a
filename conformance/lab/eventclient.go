package lab

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
)

// sseClient is the suite of clients of event streams.
const sseClient = "sse-client"

// sseFolder is where install.sh puts clients of event streams in JavaScript, with a Node of their own, as a shell reads it.
const sseFolder = `"` + homeInShell + `/sse-clients"`

// qwenBus is the bus inside the daemon's package in one release, without the daemon.
func qwenBus(release string) Client {
	folder := "qwen-serve-" + release
	return Client{
		Name: "qwen-bus-" + release, Title: "EventBus of qwen-code (JavaScript)", Suite: "eventbus", script: "eventbus-qwen/adapter.mjs",
		args: `"` + homeInShell + "/" + folder + `/node_modules/@qwen-code/qwen-code"`,
		find: func(_ context.Context, home string) (found, error) {
			return ownNode(filepath.Join(home, folder), "@qwen-code/qwen-code")
		},
	}
}

// sseNPM finds a package beside the other clients of event streams.
func sseNPM(name string) func(context.Context, string) (found, error) {
	return func(_ context.Context, home string) (found, error) {
		return ownNode(filepath.Join(home, "sse-clients"), name)
	}
}

// sseNode finds the Node of those clients, which is a client itself.
func sseNode(ctx context.Context, home string) (found, error) {
	node, err := nodeIn(filepath.Join(home, "sse-clients"))
	if err != nil {
		return found{}, err
	}
	out, err := exec.CommandContext(ctx, node, "--version").Output()
	if err != nil {
		return found{}, missingError(node)
	}
	return found{version: strings.TrimPrefix(strings.TrimSpace(string(out)), "v"), program: node}, nil
}

// ownNode finds a package in a folder that has a Node of its own.
func ownNode(folder, name string) (found, error) {
	f, err := npmPackage(folder, name)
	if err != nil {
		return found{}, err
	}
	f.program, err = nodeIn(folder)
	return f, err
}

// nodeIn finds the Node that npm installed into a folder.
func nodeIn(folder string) (string, error) {
	pattern := filepath.Join(folder, "node_modules", "node-*", "bin", "node")
	nodes, err := filepath.Glob(pattern)
	if err != nil || len(nodes) != 1 {
		return "", missingError(pattern)
	}
	return nodes[0], nil
}

// chromium finds the adapter of the installed browser, and the browser.
func chromium(ctx context.Context, home string) (found, error) {
	adapter := filepath.Join(home, "bin", "adapter-chromium-eventsource")
	if err := files(adapter); err != nil {
		return found{}, err
	}
	browser, err := program("chromium")
	if err != nil {
		return found{}, err
	}
	out, err := exec.CommandContext(ctx, browser, "--version").Output()
	words := strings.Fields(string(out))
	if err != nil || len(words) < 2 {
		return found{}, missingError("a version that " + browser + " tells")
	}
	return found{version: words[1], program: browser}, nil
}
