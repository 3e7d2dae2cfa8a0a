package eventbusmodel

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write what the machines say into the tables of testdata")

// TestBusTable runs testdata/bus.txt: a script for each law, with what the machine says behind each = sign.
func TestBusTable(t *testing.T) {
	const file = "testdata/bus.txt"
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	var p player
	law := ""
	for i, line := range strings.Split(strings.TrimRight(string(old), "\n"), "\n") {
		if line == "" || line[0] == '#' {
			if line != "" {
				law = line
			}
			out = append(out, line)
			continue
		}
		command, want, _ := strings.Cut(line, " = ")
		got := p.play(t, strings.Fields(command))
		if !*rewrite && got != want {
			t.Errorf("%s:%d: %s\n%s\n got %s\nwant %s", file, i+1, law, command, got, want)
		}
		out = append(out, strings.TrimRight(command, " ")+" = "+got)
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(strings.Join(out, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A player runs one script after the other.
type player struct {
	m *Bus
	s BusState
}

// play takes one line: a bus, or an action on it.
func (p *player) play(t *testing.T, words []string) string {
	t.Helper()
	if words[0] == "bus" {
		cfg := BusConfig{Slots: 70}
		for _, w := range words[1:] {
			name, value, _ := strings.Cut(w, ":")
			switch n, _ := strconv.Atoi(value); name {
			case "later":
				cfg.Dialect = Later
			case "ring":
				cfg.RingSize = n
			case "subs":
				cfg.MaxSubscribers = n
			case "bytes":
				cfg.MaxQueuedBytes = int64(n)
			case "budget":
				cfg.ReplayBudgetBytes = int64(n)
			case "asks":
				cfg.Asks = n
			}
		}
		p.m = mustBus(t, cfg)
		p.s = p.m.Init()
		return "ok"
	}
	a := BusAction{Op: BusOp(words[0]), Now: 1000, Input: Input{Type: "e"}}
	times := 1
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, ":")
		n, _ := strconv.Atoi(value)
		switch {
		case name == "times":
			times = n
		case name == "after":
			a.Cursor, a.After = true, int64(n)
		case name == "cap":
			a.MaxQueued = n
		case name == "epoch":
			a.Epoch = map[string]Epoch{"right": EpochRight, "wrong": EpochWrong}[value]
		case name == "callback":
			a.Callback = map[string]Callback{"true": CallbackTakes, "false": CallbackLeaves, "throws": CallbackFails}[value]
		case name == "aborted":
			a.Aborted = true
		case name == "size":
			a.Input.Size = int64(n)
		case name == "data":
			a.Input.Data = value
		case name == "unserialisable":
			a.Input.Unserialisable = true
		case name == "stamp":
			a.Input.Stamp = Stamp{Kind: StampOther}
			if f, err := strconv.ParseFloat(value, 64); err == nil {
				a.Input.Stamp = Stamp{StampNumber, f}
			}
		case name == "now":
			a.Now = float64(n)
		case strings.HasPrefix(w, "#"):
			a.Sub, _ = strconv.Atoi(w[1:])
		default:
			t.Fatalf("word %q", w)
		}
	}
	if a.Op == OpSeed {
		for range times {
			a.Inputs = append(a.Inputs, a.Input)
		}
		times = 1
	}
	var said []string
	for range times {
		said = append(said, p.take(t, a)...)
	}
	return strings.Join(append(runs(said), fmt.Sprintf("(last %d, count %d)", p.s.LastEventID(), p.s.Count())), " ")
}

// runs writes a long run of consecutive ids as the first and the last.
func runs(said []string) []string {
	var out []string
	for i := 0; i < len(said); {
		first, err := strconv.Atoi(said[i])
		n := 1
		for err == nil && i+n < len(said) && said[i+n] == strconv.Itoa(first+n) {
			n++
		}
		if n > 6 {
			out = append(out, said[i]+".."+said[i+n-1])
		} else {
			out = append(out, said[i:i+n]...)
		}
		i += n
	}
	return out
}

// take takes one action and says what was seen. A drain asks until there is nothing.
func (p *player) take(t *testing.T, a BusAction) []string {
	t.Helper()
	drain := a.Op == "drain"
	if drain {
		a.Op = OpNext
	}
	var said []string
	for {
		next, o, ok := p.m.Do(p.s, a)
		if !ok {
			return append(said, "impossible")
		}
		for _, inv := range p.m.Invariants() {
			if err := inv.Holds(next); err != nil {
				t.Errorf("%s: %v", inv.Law, err)
			}
		}
		for _, inv := range p.m.EdgeInvariants() {
			if err := inv.Check(p.s, a, next, o); err != nil {
				t.Errorf("%s: %v", inv.Law, err)
			}
		}
		p.s = next
		said = append(said, saying(a, o)...)
		if !drain || o.Next != NextItem {
			return said
		}
	}
}

func saying(a BusAction, o BusOutput) []string {
	var said []string
	switch {
	case o.Refused:
		said = append(said, "refused")
	case a.Op == OpPublish:
		said = append(said, fmt.Sprintf("%d", o.Event.ID))
		if a.Input.Stamp.Kind != StampAbsent {
			said = append(said, fmt.Sprintf("at %v", o.Event.Timestamp))
		}
		if a.Input.Data != "" {
			said = append(said, fmt.Sprintf("of %d", o.Event.Size))
		}
	}
	for _, f := range o.Events {
		said = append(said, fmt.Sprintf("%d", f.ID))
	}
	if o.Limit != 0 {
		said = append(said, fmt.Sprintf("limit %d", o.Limit))
	}
	switch o.Next {
	case NextItem:
		said = append(said, brief(*o.Item))
	case NextParked, NextDone:
		said = append(said, string(o.Next))
	}
	for _, h := range o.Handed {
		what := "done"
		if !h.Done {
			what = brief(h.Frame)
		}
		said = append(said, fmt.Sprintf("#%d<%s", h.Sub, what))
	}
	if o.Unsized {
		said = append(said, "unsized")
	}
	for _, ev := range o.Evictions {
		text := fmt.Sprintf("evicts #%d", ev.Sub)
		if ev.Callback {
			text += fmt.Sprintf(" tells %s of %d", ev.TriggerType, ev.TriggerBytes)
		}
		if !ev.Line {
			text += " silently"
		}
		said = append(said, text)
	}
	return said
}

func brief(f Frame) string {
	if f.ID != 0 {
		return strconv.FormatInt(f.ID, 10)
	}
	name := map[string]string{TypeEvicted: "evicted", TypeWarning: "warning", TypeResync: "resync", TypeReplayComplete: "complete"}[f.Type]
	data := strings.NewReplacer(`"`, "", ",", " ", "{", "{", "lastReplayedEventId", "lastReplayed").Replace(f.Control.json(f.Type))
	return name + data
}
