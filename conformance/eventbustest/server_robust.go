package eventbustest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func serverRobustCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/server/robust/reader-that-stalls",
			Title:    "one reader stops reading while megabytes are published; another gets every event at once",
			Laws:     []string{serverDeath},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions, WebPublish, WebBurst),
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				x := w.open()
				stalled, active := x.opened("stalled", ask{query: "maxQueued=2048"}), x.opened("active", ask{query: "maxQueued=2048"})
				x.settle(stalled, active)
				stalled.conn.Hold()
				for range heavyEnough / heavyBurst {
					x.heavy(active, heavyBurst)
					word := x.publish()
					active.expect(serverDeath, "a reader that stalls delays neither publishing nor other readers", "an event that holds the word just published", holding(word))
				}
				all := active.numbered()
				w.Check(holes(all) == "", serverDeath, "the other reader misses nothing", "ids with step 1", span(all)+" "+holes(all))
				w.serves(serverDeath, "a reader stalled")
			}),
		},
		{
			ID:       "eventbus/server/robust/readers-that-vanish",
			Title:    "connections are reset in the middle of a burst",
			Laws:     []string{serverDeath},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions, WebPublish, WebBurst),
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				x := w.open()
				active := x.opened("active", ask{query: "maxQueued=2048"})
				x.settle(active)
				var doomed []*webStream
				for i := range 20 {
					doomed = append(doomed, x.opened(fmt.Sprintf("doomed-%d", i), ask{}))
				}
				burst := x.burst(300)
				x.came(active, 1, burst)
				for _, st := range doomed {
					st.conn.Reset()
				}
				x.came(active, 299, burst)
				word := x.publish()
				active.expect(serverDeath, "readers that vanish delay nobody", "an event that holds the word just published", holding(word))
				all := active.numbered()
				w.Check(holes(all) == "", serverDeath, "the reader that stays misses nothing", "ids with step 1", span(all)+" "+holes(all))
				w.serves(serverDeath, "readers vanished in a burst")
			}),
		},
		{
			ID:    "eventbus/server/robust/half-a-request",
			Title: "connections with half a request",
			Laws:  []string{serverDeath},
			Needs: webNeeds(WebPublish),
			Alone: true,
			Run: overHTTP(func(w *webT) {
				x := w.open()
				octets := "GET " + x.path("") + " HTTP/1.1\r\nHost: " + w.Target().Address + "\r\nAccept: text/event-stream\r\n\r\n"
				for i := range 30 {
					if _, err := w.sendRaw("half", octets[:len(octets)*(i+1)/31]); err != nil {
						w.Note("half a request", "connection %d: %v", i+1, err)
						break
					}
				}
				w.serves(serverDeath, "30 connections sent half a request")
			}),
		},
		{
			ID:    "eventbus/server/robust/no-http",
			Title: "octets that are no HTTP",
			Laws:  []string{serverDeath},
			Needs: webNeeds(WebPublish),
			Alone: true,
			Run: overHTTP(func(w *webT) {
				for range 10 {
					garbage := make([]byte, 1+w.Rand().IntN(2000))
					for i := range garbage {
						garbage[i] = byte(w.Rand().UintN(256))
					}
					st, err := w.sendRaw("garbage", string(garbage)+"\r\n\r\n")
					if err != nil {
						break
					}
					st.read(w.Timing().Quiet / 3)
					st.close()
				}
				w.serves(serverDeath, "octets that are no HTTP")
			}),
		},
		{
			ID:    "eventbus/server/robust/long-headers",
			Title: "cursors, epochs and queries of many kilobytes",
			Laws:  []string{serverDeath},
			Needs: webNeeds(WebPublish),
			Alone: true,
			Run: overHTTP(func(w *webT) {
				x := w.open()
				for n := 1 << 10; n <= 1<<20; n <<= 2 {
					long := strings.Repeat("7", n)
					for _, a := range []ask{{after: long}, {after: "1", fields: []webField{{epochHeader, long}}}, {query: "maxQueued=" + long}} {
						st := x.stream("long", a)
						w.Note("answer", "%d octets: %d", n, st.resp.status)
						st.close()
					}
				}
				w.serves(serverDeath, "headers and queries of up to a mebibyte")
			}),
		},
		{
			ID:    "eventbus/server/robust/second-request-on-a-stream",
			Title: "a client that sends a second request while its stream is open",
			Laws:  []string{serverDeath},
			Needs: webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				st := x.live("pipelined")
				_, _ = st.conn.Write([]byte("GET " + x.path("") + " HTTP/1.1\r\nHost: " + w.Target().Address + "\r\n\r\n"))
				word := x.publish()
				if st.await(holding(word), w.Timing().Reply) == nil {
					w.Note("stream", "did not outlive the second request: %s", st.resp.state())
				}
				w.serves(serverDeath, "a client sent a second request behind that of a stream")
			}),
		},
		{
			ID:       "eventbus/server/robust/streams-that-come-and-go",
			Title:    "streams are opened and closed over and over while events are published",
			Laws:     []string{serverDeath},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions, WebPublish),
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				x := w.open()
				active := x.live("active")
				x.settle(active)
				for i := range 60 {
					st := x.stream("passing", ask{after: fmt.Sprint(i % 5)})
					if i%3 == 0 {
						x.publish()
					}
					if i%2 == 0 {
						st.conn.Reset()
					} else {
						st.close()
					}
				}
				word := x.publish()
				active.expect(serverDeath, "a stream that stays is not affected by those that come and go", "an event that holds the word just published", holding(word))
				all := active.numbered()
				w.Check(holes(all) == "", serverDeath, "the stream that stays misses nothing", "ids with step 1", span(all)+" "+holes(all))
			}),
		},
	}
}

// serves breaks law unless the target opens a session and streams an event from end to end.
func (w *webT) serves(law, after string) {
	const reason = "the server goes on serving others"
	w.Note("before", "%s", after)
	x := w.open()
	st := x.stream("after", ask{})
	if !st.answers(st.streams(), law, reason, "200, text/event-stream") {
		return
	}
	word := x.publish()
	st.expect(law, reason, "an event that holds the word just published", holding(word))
}
