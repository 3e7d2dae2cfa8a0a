package model

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the files in testdata that tests compare with")

func TestGraphsAreWritten(t *testing.T) {
	m := windowMachine{limit: 1, total: 2, bug: true}
	whole, err := Unfold(t.Context(), quiet{m}, Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	part, err := Unfold(t.Context(), m, Bounds{States: 3})
	if err != nil {
		t.Fatal(err)
	}
	labels := Labels[window, string, string]{
		State: func(s window) string { return fmt.Sprintf("sent %d; \"acked\": %d", s.Sent, s.Acked) },
		Step:  func(step Step[string, string]) string { return step.Action },
		Mark:  func(s window) bool { return s.Sent-s.Acked > 0 },
	}
	for _, file := range []struct {
		name  string
		write func(*bytes.Buffer) error
	}{
		{"window.dot", func(b *bytes.Buffer) error { return WriteDOT(b, whole, Labels[window, string, string]{}) }},
		{"window.mmd", func(b *bytes.Buffer) error { return WriteMermaid(b, whole, Labels[window, string, string]{}) }},
		{"part.dot", func(b *bytes.Buffer) error { return WriteDOT(b, part, labels) }},
		{"part.mmd", func(b *bytes.Buffer) error { return WriteMermaid(b, part, labels) }},
	} {
		t.Run(file.name, func(t *testing.T) {
			var got bytes.Buffer
			if err := file.write(&got); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", file.name)
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("the graph is not the one in %s (-want +got); -update rewrites it:\n%s", path, diff)
			}
		})
	}
}

func TestUnfoldAgreesWithExhaust(t *testing.T) {
	m := windowMachine{limit: 3, total: 30}
	g, err := Unfold(t.Context(), m, Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Exhaust(t.Context(), m, windowConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if !g.Complete() || int64(len(g.States)) != r.States || int64(len(g.Edges)) != r.Edges {
		t.Errorf("want %v, got %d states and %d edges", r, len(g.States), len(g.Edges))
	}
}

func TestUnfoldHonoursItsBounds(t *testing.T) {
	m := windowMachine{limit: 2, total: 300}
	g, err := Unfold(t.Context(), m, Bounds{})
	if err != nil || len(g.States) != DefaultGraphStates || g.Complete() {
		t.Errorf("want %d states, got %d, error %v", DefaultGraphStates, len(g.States), err)
	}
	g, err = Unfold(t.Context(), m, Bounds{Depth: 2})
	if err != nil || len(g.States) != 4 || g.Expanded != 2 {
		t.Errorf("want 4 states, 2 of them expanded, got %d, %d, error %v", len(g.States), g.Expanded, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Unfold(ctx, m, Bounds{}); !errors.Is(err, context.Canceled) {
		t.Errorf("want context.Canceled, got %v", err)
	}
	if _, err := Unfold(t.Context(), m, Bounds{Depth: -1}); err == nil {
		t.Error("want an error for a depth of -1")
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken pipe")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestGraphWritersReportErrors(t *testing.T) {
	g, err := Unfold(t.Context(), windowMachine{limit: 2, total: 3}, Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteDOT(brokenWriter{}, g, Labels[window, string, string]{}); !errors.Is(err, errBroken) {
		t.Errorf("want the writer's error, got %v", err)
	}
	if err := WriteMermaid(brokenWriter{}, g, Labels[window, string, string]{}); !errors.Is(err, errBroken) {
		t.Errorf("want the writer's error, got %v", err)
	}
}
