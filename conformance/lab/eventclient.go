package lab

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seed-6f28358b/assay/conformance/adapters"
)

// inSSE is the folder where install.sh puts clients of event streams in JavaScript, with a Node of their own.
const inSSE = "sse-clients"

// eventClients are the clients of event streams, and the buses inside a process.
func eventClients() []Client {
	const suite = "sse-client"
	script := func(s Software, script, flags, args string) Client {
		return Client{Software: s, scripts: adapters.Scripts, folder: "adapters", script: script, flags: flags, args: args}
	}
	binary := func(name, title, module string) Client {
		return Client{Software: Software{Name: name, Title: title, find: compiled("adapter-"+name, module)}, binary: "adapter-" + name}
	}
	// bus is the one inside the daemon's package in one release, without the daemon.
	bus := func(release string) Client {
		const name = "@qwen-code/qwen-code"
		folder := "qwen-serve-" + release
		return script(Software{
			Name: "qwen-bus-" + release, Title: "EventBus of qwen-code (JavaScript)", Suite: "eventbus", find: ownNode(folder, name),
		}, "eventbus-qwen/adapter.mjs", "", inHome(folder+"/node_modules/"+name))
	}
	clients := []Client{
		bus("0.24.4"), bus("0.21.2"),
		binary("go-sse", "tmaxmax/go-sse client (Go)", "github.com/tmaxmax/go-sse"),
		binary("r3labs-sse", "r3labs/sse/v2 client (Go)", "github.com/r3labs/sse/v2"),
		binary("launchdarkly-eventsource", "launchdarkly/eventsource (Go)", "github.com/launchdarkly/eventsource"),
		script(Software{Name: "eventsource", Title: "eventsource (JavaScript)", find: ownNode(inSSE, "eventsource")},
			"sse-eventsource-npm/adapter.mjs", "", inHome(inSSE)),
		script(Software{Name: "node-eventsource", Title: "EventSource of Node.js", find: sseNode},
			"sse-node/adapter.mjs", "--experimental-eventsource", ""),
		script(Software{Name: "qwen-sdk", Title: "stream client of @qwen-code/sdk (JavaScript)", find: ownNode(inSSE, "@qwen-code/sdk")},
			"sse-qwen-sdk/adapter.mjs", "", inHome(inSSE)),
		{
			Software: Software{Name: "chromium-eventsource", Title: "EventSource of Chromium", find: chromium},
			binary:   "adapter-chromium-eventsource",
		},
	}
	for i := range clients {
		clients[i].complete(suite)
	}
	return clients
}

// sseNode finds the Node of those clients, which is a client itself.
func sseNode(ctx context.Context, home string) (found, error) {
	node, err := nodeIn(filepath.Join(home, inSSE))
	if err != nil {
		return found{}, err
	}
	out, err := exec.CommandContext(ctx, node, "--version").Output()
	if err != nil {
		return found{}, missingError(node)
	}
	return found{version: strings.TrimPrefix(strings.TrimSpace(string(out)), "v"), program: node}, nil
}

// ownNode finds a package in a folder of the lab that has a Node of its own.
func ownNode(folder, name string) finder {
	return func(_ context.Context, home string) (found, error) {
		f, err := npmPackage(filepath.Join(home, folder), name)
		if err != nil {
			return found{}, err
		}
		f.program, err = nodeIn(filepath.Join(home, folder))
		return f, err
	}
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
