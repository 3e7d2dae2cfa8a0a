package eventbustest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// snapshotLaw is what all of these cases decide.
const snapshotLaw = "EVENTBUS-HTTP-008"

func serverSnapshotCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/server/snapshot/first-without-a-cursor",
			Title:    "snapshot=1 without a cursor brings a session_snapshot first",
			Laws:     []string{snapshotLaw},
			Versions: laterOnly,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				x.primed(1)
				st := x.opened("a", ask{query: "snapshot=1"})
				x.settle(st)
				w.Check(st.events[0].kind() == "session_snapshot", snapshotLaw, "the snapshot is the first frame", "session_snapshot", st.events[0].String())
				w.snapshots(st, 1)
			}),
		},
		{
			ID:       "eventbus/server/snapshot/behind-the-replay",
			Title:    "snapshot=1 with a cursor brings a session_snapshot right behind replay_complete",
			Laws:     []string{snapshotLaw},
			Versions: laterOnly,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				last := x.primed(2).last()
				for _, cursor := range []int64{0, last, last + 1000} {
					r := x.resume("a", cursor, ask{query: "snapshot=1"})
					x.settle(r.stream)
					next := r.stream.events[len(r.opening)+1]
					w.Check(next.kind() == "session_snapshot", snapshotLaw, "the snapshot follows replay_complete", "session_snapshot", next.String())
					w.snapshots(r.stream, 1)
				}
			}),
		},
		{
			ID:       "eventbus/server/snapshot/members",
			Title:    "members of session_snapshot",
			Laws:     []string{snapshotLaw},
			Versions: laterOnly,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				x.primed(1)
				st := x.opened("a", ask{query: "snapshot=1"})
				e := st.expect(snapshotLaw, "snapshot=1 brings a session_snapshot", "session_snapshot", ofKind("session_snapshot"))
				w.Check(e.synthetic(), snapshotLaw, "a snapshot has no id", "no id", e.lines[0])
				data := e.members()
				for _, name := range []string{"sessionId", "currentModelId", "currentApprovalMode", "recordingDegraded"} {
					_, has := data[name]
					w.Check(has, snapshotLaw, "data of a snapshot has the member "+name, name, webNames(data))
				}
				if x.id != "" {
					w.Check(e.text("sessionId") == x.id, snapshotLaw, "sessionId is that of the session", x.id, e.text("sessionId"))
				}
				for _, name := range []string{"currentModelId", "currentApprovalMode"} {
					var s *string
					w.Check(json.Unmarshal(data[name], &s) == nil, snapshotLaw, name+" is a string or null", "a string or null", string(data[name]))
				}
			}),
		},
		{
			ID:       "eventbus/server/snapshot/only-one",
			Title:    "no value but 1 brings a snapshot",
			Laws:     []string{snapshotLaw},
			Versions: laterOnly,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				for _, query := range []string{"snapshot=true", "snapshot=0", "snapshot=", "snapshot=01", "snapshot=yes", "Snapshot=1", ""} {
					st := x.opened("a", ask{query: query})
					x.settle(st)
					w.snapshots(st, 0)
					st.close()
				}
			}),
		},
		{
			ID:       "eventbus/server/snapshot/is-not-kept",
			Title:    "a snapshot uses no id and is replayed to nobody",
			Laws:     []string{snapshotLaw},
			Versions: laterOnly,
			Needs:    webNeeds(WebSessions, WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				live := x.primed(1)
				for range 3 {
					st := x.opened("a", ask{query: "snapshot=1"})
					x.settle(live, st)
					st.close()
				}
				all := live.numbered()
				w.Check(holes(all) == "", snapshotLaw, "a snapshot of another stream uses no id", "ids with step 1", span(all)+" "+holes(all))
				w.snapshots(live, 0)
				w.snapshots(x.resume("replay", 0, ask{}).stream, 0)
			}),
		},
	}
}

// snapshots breaks the law unless a stream has brought that many snapshots.
func (w *webT) snapshots(st *webStream, want int) {
	var seen []string
	for _, e := range st.all(ofKind("session_snapshot")) {
		seen = append(seen, e.String())
	}
	w.Check(len(seen) == want, snapshotLaw, fmt.Sprintf("this stream brings %d snapshots", want), fmt.Sprint(want), fmt.Sprintf("%d: %s", len(seen), strings.Join(seen, ", ")))
}
