package frame_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var callgrind = flag.Bool("callgrind", false, "count instructions under valgrind and fail above the limits")

// driverEnv makes the test binary, run again under valgrind, decode one input a number of times and do nothing else.
const driverEnv = "ASSAY_FRAME_DRIVER"

// driverSize is the stream each pass decodes. Instruction counts hardly depend on it.
const driverSize = 512 << 10

// TestInstructions is the gate that a noisy machine cannot break: it counts the instructions of one frame as the
// difference between three passes and one.
func TestInstructions(t *testing.T) {
	if job := os.Getenv(driverEnv); job != "" {
		drive(t, job)
		return
	}
	if !*callgrind {
		t.Skip("counts instructions under valgrind only with -callgrind: it takes half a minute")
	}
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		t.Fatalf("-callgrind needs valgrind: %v", err)
	}
	for _, c := range []struct {
		input, mode string
		limit       float64
	}{
		{"a", "borrowed", 2600},
		{"a", "owned", 2600},
		{"a2", "borrowed", 2600},
		{"b", "borrowed", 2600},
		{"d", "borrowed", 60},
		{"d", "owned", 60},
		{"e", "borrowed", 4500},
		{"e", "owned", 4500},
		// Fed octet by octet the cost of one must not depend on how long its line or body is.
		{"a", "octets", 350},
		{"c", "octets", 350},
		{"c2", "octets", 350},
	} {
		t.Run(c.input+"/"+c.mode, func(t *testing.T) {
			in := inputNamed(c.input, driverSize)
			one, three := count(t, valgrind, c.input, c.mode, 1), count(t, valgrind, c.input, c.mode, 3)
			units := float64(in.count)
			if c.mode == "octets" {
				units = float64(len(in.data))
			}
			each := float64(three-one) / 2 / units
			t.Logf("%s %s: %.1f instructions each, limit %.0f", c.input, c.mode, each, c.limit)
			if each > c.limit {
				t.Errorf("%s, %s: %.0f instructions each, limit %.0f", in.what, c.mode, each, c.limit)
			}
			if each < 1 {
				t.Errorf("%.2f instructions are too few to be true: the driver did not decode", each)
			}
		})
	}
}

// collected finds the total in what callgrind writes when its program ends.
var collected = regexp.MustCompile(`Collected : (\d+)`)

func count(t *testing.T, valgrind, input, mode string, passes int) int64 {
	t.Helper()
	out := filepath.Join(t.TempDir(), "callgrind.out")
	cmd := exec.Command(valgrind, "--tool=callgrind", "--callgrind-out-file="+out, os.Args[0], "-test.run=^TestInstructions$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d", driverEnv, input, mode, passes),
		"GODEBUG=asyncpreemptoff=1", "GOMAXPROCS=1", "GOGC=off")
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("valgrind: %v\n%s", err, text)
	}
	m := collected.FindSubmatch(text)
	if m == nil {
		t.Fatalf("valgrind printed no total:\n%s", text)
	}
	n, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func drive(t *testing.T, job string) {
	f := strings.Fields(job)
	passes, err := strconv.Atoi(f[2])
	if err != nil {
		t.Fatal(err)
	}
	in := inputNamed(f[0], driverSize)
	o := newOurs(f[1] != "owned")
	for range 1 + passes { // the first pass grows the buffers
		if f[1] == "octets" {
			o.place(&in, 1)
		} else {
			o.read(&in, in.chunk)
		}
	}
}
