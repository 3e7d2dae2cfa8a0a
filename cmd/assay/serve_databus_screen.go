package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
)

// A screen is a terminal on which lines roll by above rows that are shown live. On anything else there are lines only.
type screen struct {
	s streams

	mu    sync.Mutex
	rows  []string // that are to be seen
	drawn int      // that are
}

func newScreen(s streams) *screen { return &screen{s: s} }

// Write writes lines above the rows.
func (c *screen) Write(lines []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	n, err := c.s.out.Write(lines)
	c.draw()
	return n, err
}

// show replaces the rows.
func (c *screen) show(rows []string) {
	if !c.s.terminal {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Equal(rows, c.rows) {
		return
	}
	c.erase()
	c.rows = rows
	c.draw()
}

// typed takes note that somebody has typed a line, which the terminal shows below the rows.
func (c *screen) typed() {
	f, ok := c.s.in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.drawn > 0 {
		c.drawn++
	}
}

// clear takes the rows away.
func (c *screen) clear() { c.show(nil) }

func (c *screen) erase() {
	if c.drawn > 0 {
		fmt.Fprintf(c.s.err, "\r\x1b[%dA\x1b[J", c.drawn)
	}
	c.drawn = 0
}

// draw draws the rows, as many and as much of each as there is room for: one that went round would not be erased.
func (c *screen) draw() {
	if len(c.rows) == 0 {
		return
	}
	width, height := size(c.s.err)
	var text strings.Builder
	for _, row := range c.rows[:min(len(c.rows), height-1)] {
		runes := []rune(row)
		text.WriteString(string(runes[:min(len(runes), width-1)]))
		text.WriteByte('\n')
		c.drawn++
	}
	fmt.Fprint(c.s.err, text.String())
}

// size returns that of a terminal.
func size(w io.Writer) (width, height int) {
	if f, ok := w.(*os.File); ok {
		if width, height, err := term.GetSize(int(f.Fd())); err == nil && width > 1 && height > 1 {
			return width, height
		}
	}
	return 80, 24
}

// rows show a cluster at one moment.
func (m *member) rows(s cluster.Snapshot) []string {
	stats := m.host.Stats()
	rows := []string{fmt.Sprintf(
		"processes %d, topics with an owner %d; frames posted %d, received %d, dropped %d",
		len(s.Workers), len(s.Routes), stats.Posted, stats.Received, stats.Dropped,
	)}
	for _, w := range s.Workers {
		mark := " "
		if w.WorkerID == s.Self.WorkerID {
			mark = "*"
		}
		rows = append(rows, fmt.Sprintf("%s %-16s %-8s %-12s owns %d", mark, shown(w.TabID), w.Role, w.Status, w.Load))
	}
	for _, r := range s.Routes {
		topic := "topic " + r.TopicKey[:8]
		if r.Topic != "" {
			topic = shown(r.Topic)
		}
		owner := r.WorkerID
		if w := worker(s.Workers, r.WorkerID); w != nil {
			owner = w.TabID
		}
		state := "confirmed"
		switch {
		case !r.Confirmed() && r.HandoffFrom != "":
			state = "handed over"
		case !r.Confirmed():
			state = "assigned"
		}
		rows = append(rows, fmt.Sprintf("  %-24s owned by %-16s generation %d, %s", topic, shown(owner), r.Generation, state))
	}
	return rows
}
