package conformance

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// The command of a run and that of a case are complete and quoted, and say nothing that is the default.
func TestCommandLine(t *testing.T) {
	for want, cfg := range map[string]Config{
		"": {Selection: Selection{Only: []string{"x"}}},
		"assay test stomp tcp://127.0.0.1:1 --profile p.yaml":                                                   {Command: "assay test stomp tcp://127.0.0.1:1 --profile p.yaml", Seed: 1},
		"assay test stomp --only 'stomp/server/ack/**' --only STOMP-ESC-003 --version 1.2 --shard 2/3 --seed 7": {Command: "assay test stomp", Seed: 7, Selection: Selection{Only: []string{"stomp/server/ack/**", "STOMP-ESC-003"}, Version: "1.2", ShardIndex: 2, ShardCount: 3}},
	} {
		if got := cfg.commandLine(cfg.Selection); got != want {
			t.Errorf("command %q, want %q", got, want)
		}
	}
}

// A run writes into its header how to make it again, and into each case how to repeat that; its folder holds no replay of
// an earlier run, and what is no replay stays.
func TestRunNamesItsCommandAndClearsReplays(t *testing.T) {
	out := t.TempDir()
	broken := Case{ID: "stomp/server/a/x", Laws: []string{"STOMP-FRAME-001"}, Run: func(ctx context.Context, t *T) {
		t.Broken(Break{Law: "STOMP-FRAME-001", Reason: "it must hold", Expected: "this", Seen: "that"})
	}}
	held := Case{ID: "stomp/server/a/x", Laws: []string{"STOMP-FRAME-001"}, Run: func(ctx context.Context, t *T) {}}
	cfg := Config{Target: Target{Spec: "ref", Scheme: "ref"}, Out: out, Command: "assay test stomp", Seed: 5}
	res, err := Run(t.Context(), scripted(broken), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if res.Header.Command != "assay test stomp --seed 5" || res.Cases[0].Command != "assay test stomp --only stomp/server/a/x --seed 5" {
		t.Errorf("commands %q and %q", res.Header.Command, res.Cases[0].Command)
	}
	replay := filepath.Join(out, res.Cases[0].Replay)
	if _, err := ReadReplay(replay); err != nil || res.Dir != out {
		t.Fatalf("folder %q, replay: %v", res.Dir, err)
	}
	other := filepath.Join(out, "replays", "notes.json")
	if err := os.WriteFile(other, []byte(`{"mine": true}`), 0o644); err != nil {
		t.Fatal(err)
	}
	read, err := ReadResultFile(filepath.Join(out, "result.jsonl"))
	if err != nil || read.Dir != out || read.Cases[0].Replay == "" {
		t.Fatalf("read back: folder %q, replay %q, %v", read.Dir, read.Cases[0].Replay, err)
	}
	if _, err := Run(t.Context(), scripted(held), cfg); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(replay); !os.IsNotExist(err) {
		t.Errorf("the replay of the earlier run is still there: %v", err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("a file that is no replay: %v", err)
	}
}

// A result that lost its replays names none.
func TestReplayThatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "result.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	w := NewWriter(f)
	for _, err := range []error{
		w.Header(Header{Suite: "stomp", Target: "ref"}),
		w.Case(CaseResult{ID: "a", Verdict: Fail, Replay: "replays/a.json"}),
		w.Case(CaseResult{ID: "b", Verdict: Fail, Replay: "../result.jsonl"}),
		w.Footer(Footer{Total: 2, Counts: Counts{Fail: 2}}), f.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	res, err := ReadResultFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range res.Cases {
		if c.Replay != "" {
			t.Errorf("case %s names the replay %q, which is not there or not the result's", c.ID, c.Replay)
		}
	}
}
