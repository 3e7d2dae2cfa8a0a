package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// qwenServe is the daemon of the npm package @qwen-code/qwen-code in one release, which serves sessions of an event bus over
// HTTP, with a language model of ours behind it.
func qwenServe(release string) Broker {
	name := "qwen-serve-" + release
	return Broker{
		Software:   Software{Name: name, Title: "qwen serve (Node.js)", Suite: "eventbus", find: findQwenServe(name)},
		Transports: []string{"http"}, recipe: recipe{ports: 2, plan: planQwenServe},
	}
}

// findQwenServe looks into the folder that install.sh makes for one release: the package, and a Node of its own.
func findQwenServe(name string) finder {
	return func(ctx context.Context, home string) (found, error) {
		f, err := ownNode(name, "@qwen-code/qwen-code")(ctx, home)
		if err != nil {
			return found{}, err
		}
		f.model = filepath.Join(home, "bin", "fakemodel")
		return f, files(f.model)
	}
}

// How the daemon is set up; the profile says the same.
const (
	qwenRing  = 400
	qwenToken = "assay"
)

// qwenSettings are the daemon's settings: an auth type, without which it opens no session, and nothing that talks to the
// outside.
const qwenSettings = `{
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false},
  "general": {"enableAutoUpdate": false},
  "security": {"auth": {"selectedType": "openai"}},
  "model": {"name": "fake"}
}
`

func planQwenServe(p *plan) error {
	const http, model = 0, 1
	for _, dir := range []string{".qwen", "work"} {
		if err := os.Mkdir(p.path(dir), 0o755); err != nil {
			return err
		}
	}
	if err := p.write(filepath.Join(".qwen", "settings.json"), qwenSettings); err != nil {
		return err
	}
	p.run(command{name: "fakemodel", path: p.model, args: []string{p.addr(model)}, listens: p.addr(model)})
	p.run(command{
		name: "qwen", path: p.program, grace: 15 * time.Second,
		args: []string{
			filepath.Join(p.root, "cli-entry.js"), "serve", "--hostname", "127.0.0.1", "--port", fmt.Sprint(p.ports[http]), "--no-web",
			"--workspace", p.path("work"), "--event-ring-size", fmt.Sprint(qwenRing),
			// The suite opens more sessions and streams than a person would.
			"--max-sessions", "0", "--max-connections", "0",
		},
		env: []string{
			"PATH=" + filepath.Dir(p.program) + string(filepath.ListSeparator) + os.Getenv("PATH"),
			// Without a token the older release refuses the requests that change a session.
			"QWEN_SERVER_TOKEN=" + qwenToken,
			"OPENAI_API_KEY=none", "OPENAI_MODEL=fake", "OPENAI_BASE_URL=http://" + p.addr(model) + "/v1",
			"DO_NOT_TRACK=1", "NO_UPDATE_NOTIFIER=1",
		},
	})
	p.serve("http", http, "")
	return nil
}
