package databustest

import "testing"

// Time does not go back: what a handler took beyond the end of an advance has passed.
func TestAdvanceBeyondItsEnd(t *testing.T) {
	b := &bridge{}
	b.origin(originRequest{Version: v010, Now: start})
	p := &page{b: b}
	b.pages = []*page{p}
	fired := 0
	p.timer(10, false, func() { b.now += 500 })
	p.timer(100, false, func() { fired++ })
	p.timer(101, false, func() { fired++ })
	for _, step := range []struct{ ms, now, fired int64 }{{100, 510, 1}, {0, 510, 2}, {90, 600, 2}} {
		if err := b.advance(advanceRequest{MS: step.ms}); err != nil {
			t.Fatal(err)
		}
		if b.now != start+step.now || int64(fired) != step.fired {
			t.Errorf("%d ms: it is %d, and %d timers have fired, want %+v", step.ms, b.now-start, fired, step)
		}
	}
}
