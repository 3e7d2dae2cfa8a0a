package child

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the chunks and the limit: the tail is a suffix of the stream, the file begins as the
// stream does, ends as it does, stays within its limit and accounts for every byte.
func TestCaptureKeepsBothEndsWithinItsLimit(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		path := filepath.Join(dir, "log")
		defer os.Remove(path)
		limit := rapid.Int64Range(1, 4*tailSize).Draw(t, "limit")
		c, err := openCapture(path, limit)
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for i, n := range rapid.SliceOfN(rapid.IntRange(0, 2*tailSize), 0, 8).Draw(t, "chunks") {
			chunk := strings.Repeat(string(rune('a'+i)), n)
			all.WriteString(chunk)
			if got, err := c.Write([]byte(chunk)); got != n || err != nil {
				t.Fatalf("capture takes everything: %d of %d, %v", got, n, err)
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if n := rapid.IntRange(0, 2*tailSize).Draw(t, "tail"); !strings.HasSuffix(all.String(), c.Tail(n)) || len(c.Tail(n)) > n {
			t.Fatalf("tail %d is not the end of the stream", n)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, after, cut := strings.Cut(string(b), "\n[")
		if !strings.HasPrefix(all.String(), before) {
			t.Fatal("the file does not begin as the stream does")
		}
		if !cut {
			if before != all.String() {
				t.Fatalf("nothing is said to be dropped, and %d of %d bytes are there", len(before), all.Len())
			}
			return
		}
		_, end, _ := strings.Cut(after, "follows]\n")
		if !strings.HasSuffix(all.String(), end) {
			t.Fatal("the file does not end as the stream does")
		}
		if int64(len(before)+len(end)) > limit {
			t.Fatalf("%d bytes kept, limit %d", len(before)+len(end), limit)
		}
	})
}
