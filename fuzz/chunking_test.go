package fuzz

import (
	"fmt"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
)

// STOMP-FRAME-012: a short stream comes to the same in every way to cut it, on the reference and on the machine.
func TestStompVectorsInEveryChunking(t *testing.T) {
	seen := map[string]bool{}
	var c cutter
	for _, v := range stompVectors(t, corpus.Decode) {
		stream := v.Stream()
		for _, name := range v.Versions {
			key := fmt.Sprintf("%s %q %v", name, stream, v.Limits)
			if seen[key] || len(stream) > cutTwice {
				continue
			}
			seen[key] = true
			w := twin{version: versionNamed(t, name), limits: limitsOf(&v)}
			single, err := w.run(octetwise(stream))
			if err != nil {
				t.Fatalf("%s in %s, octet by octet: %v", v.Name, name, err)
			}
			for _, chunks := range c.cut(stream) {
				o, err := w.run(chunks)
				if err == nil {
					err = independent(single, o, chunks)
				}
				if err != nil {
					t.Fatalf("%s in %s, cut into %q: %v", v.Name, name, chunks, err)
				}
			}
		}
	}
	if c.everywhere == 0 || c.twice == 0 {
		t.Errorf("streams were cut %+v", c)
	}
}

// cutOnce is the longest body that is cut in every single place.
const cutOnce = 400

// EVENTBUS-WHATWG-004, EVENTBUS-SSE-010: a short body comes to the same in every way to cut it.
func TestEventbusVectorsInEveryChunking(t *testing.T) {
	seen := map[string]bool{}
	var c cutter
	for _, v := range eventbusVectors(t, corpus.ParseStream) {
		body := v.Stream()
		if len(body) > cutOnce || seen[string(body)] {
			continue
		}
		seen[string(body)] = true
		for _, chunks := range c.cut(body) {
			got, err := parseStream(&v, chunks)
			if err == nil {
				err = sameParse(&v.Want, got, chunkOf(v.Want.Error, chunks))
			}
			if err != nil {
				t.Errorf("%s, cut into %q: %v", v.Name, chunks, err)
				break
			}
		}
	}
	if c.everywhere < 3 || c.twice < 60 || c.once < 30 {
		t.Errorf("bodies were cut %+v", c)
	}
}
