package eventbustest

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

var epochToken = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func serverEpochCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/server/epoch/advertised",
			Title:    "every stream of a session names the same epoch",
			Laws:     []string{"EVENTBUS-HTTP-007", "EVENTBUS-ID-007"},
			Versions: laterOnly,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				first := x.epoch(x.primed(1), "EVENTBUS-HTTP-007")
				w.Check(epochToken.MatchString(first), "EVENTBUS-ID-007", "an epoch is 1 to 64 letters, digits, hyphens and underscores", epochToken.String(), first)
				for _, st := range []*webStream{x.live("live"), x.resume("replay", 0, ask{}).stream, x.resume("reset", 1<<40, ask{}).stream} {
					w.Check(x.epoch(st, "EVENTBUS-HTTP-007") == first, "EVENTBUS-HTTP-007", "the epoch of one bus is constant", "the same epoch", "another one")
				}
			}),
		},
		{
			ID:       "eventbus/server/epoch/of-two-sessions",
			Title:    "two sessions have different epochs",
			Laws:     []string{"EVENTBUS-ID-007"},
			Versions: laterOnly,
			Needs:    webNeeds(WebSessions),
			Run: overHTTP(func(w *webT) {
				x, y := w.open(), w.open()
				a, b := x.epoch(x.live("a"), "EVENTBUS-ID-007"), y.epoch(y.live("b"), "EVENTBUS-ID-007")
				w.Check(a != b, "EVENTBUS-ID-007", "the epoch differs for every bus", "two epochs", a)
			}),
		},
		{
			ID:       "eventbus/server/epoch/right-one",
			Title:    "the right epoch with a cursor is a plain resumption",
			Laws:     []string{"EVENTBUS-RESYNC-008"},
			Versions: laterOnly,
			Needs:    webNeeds(WebPublish, WebKeepsFew),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				live := x.primed(4)
				cursor := live.last() - 2
				x.resume("a", cursor, epoch(x.epoch(live, "EVENTBUS-RESYNC-008"))).follows("EVENTBUS-RESYNC-008", cursor)
			}),
		},
		{
			ID:       "eventbus/server/epoch/wrong-one",
			Title:    "another epoch resets, whatever the cursor, and replays all that is kept",
			Laws:     []string{"EVENTBUS-RESYNC-008"},
			Versions: laterOnly,
			Needs:    webNeeds(WebSessions, WebPublish, WebKeepsFew),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				last := x.primed(3).last()
				for _, cursor := range []int64{0, last - 1, last} {
					r := w.mismatch(x, "EVENTBUS-RESYNC-008", cursor, "another-epoch")
					w.equals("EVENTBUS-RESYNC-008", "lastDeliveredId is the cursor", r.resync(), "lastDeliveredId", cursor)
					w.Check(r.first() == 1 && holes(r.frames) == "" && r.last() >= last, "EVENTBUS-RESYNC-008", "all that is kept is replayed", fmt.Sprintf("ids 1 to %d", last), r.String())
				}
			}),
		},
		{
			ID:       "eventbus/server/epoch/case-sensitive",
			Title:    "the right epoch in capitals is another one",
			Laws:     []string{"EVENTBUS-RESYNC-008"},
			Versions: laterOnly,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				live := x.primed(2)
				token := x.epoch(live, "EVENTBUS-RESYNC-008")
				other := strings.ToUpper(token)
				if other == token {
					other = strings.ToLower(token)
				}
				if other == token {
					w.Unsupported("the epoch %q has no letters", token)
				}
				w.mismatch(x, "EVENTBUS-RESYNC-008", live.last(), other)
			}),
		},
		{
			ID:       "eventbus/server/epoch/part-of-it",
			Title:    "a part of the right epoch, or more than it, is another one",
			Laws:     []string{"EVENTBUS-RESYNC-008"},
			Versions: laterOnly,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				live := x.primed(2)
				token := x.epoch(live, "EVENTBUS-RESYNC-008")
				w.mismatch(x, "EVENTBUS-RESYNC-008", live.last(), token[:len(token)-1])
				if len(token) < 64 {
					w.mismatch(x, "EVENTBUS-RESYNC-008", live.last(), token+"0")
				}
			}),
		},
		{
			ID:       "eventbus/server/epoch/malformed",
			Title:    "a header that is no epoch is ignored",
			Laws:     []string{"EVENTBUS-HTTP-007"},
			Versions: laterOnly,
			Needs:    webNeeds(WebPublish, WebKeepsFew),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				cursor := x.primed(4).last() - 2
				for _, value := range []string{"bad epoch!", strings.Repeat("x", 65), "", "a.b", "\u00e9"} {
					w.Note("value", "%q", value)
					x.resume("a", cursor, epoch(value)).follows("EVENTBUS-HTTP-007", cursor)
				}
			}),
		},
		{
			ID:       "eventbus/server/epoch/longest",
			Title:    "64 characters are an epoch, and not that of this session",
			Laws:     []string{"EVENTBUS-HTTP-007"},
			Versions: laterOnly,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				last := x.primed(2).last()
				w.mismatch(x, "EVENTBUS-HTTP-007", last, strings.Repeat("x", 64))
				w.mismatch(x, "EVENTBUS-HTTP-007", last, "_")
			}),
		},
		{
			ID:       "eventbus/server/epoch/without-a-cursor",
			Title:    "an epoch without a cursor, or with an invalid one, has no effect",
			Laws:     []string{"EVENTBUS-RESYNC-010"},
			Versions: laterOnly,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				before := x.primed(2).last()
				for _, cursor := range []string{"", "abc"} {
					a := epoch("another-epoch")
					a.after = cursor
					st := x.opened("a", a)
					x.settle(st)
					w.liveOnly(st, before, "EVENTBUS-RESYNC-010")
					st.close()
				}
			}),
		},
		{
			ID:       "eventbus/server/epoch/beyond-the-end",
			Title:    "a cursor beyond the end resets under every epoch, with detail only under a wrong one",
			Laws:     []string{"EVENTBUS-RESYNC-009"},
			Versions: laterOnly,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				live := x.primed(2)
				beyond := live.last() + 1000
				for _, a := range []struct {
					epoch, detail string
				}{{x.epoch(live, "EVENTBUS-RESYNC-009"), "absent"}, {"another-epoch", "epoch_mismatch"}} {
					r := x.resume("a", beyond, epoch(a.epoch))
					e := r.resync()
					if w.Check(e != nil && e.text("reason") == "epoch_reset", "EVENTBUS-RESYNC-009", "a matching epoch does not disable the numeric rule", "epoch_reset", r.String()) {
						w.Check(e.text("detail") == a.detail, "EVENTBUS-RESYNC-009", "detail is there exactly if the epochs differ", "detail "+a.detail, "detail "+e.text("detail"))
					}
				}
			}),
		},
	}
}

// epoch asks for a stream with an epoch.
func epoch(value string) ask { return ask{fields: []webField{{epochHeader, value}}} }

// epoch returns the epoch that a stream names. Without one law is broken and the case ends.
func (x *webSession) epoch(st *webStream, law string) string {
	value, ok := st.resp.field(epochHeader)
	if !ok {
		x.w.Step()
		x.w.Stopped(conformance.Break{Law: law, Reason: "an event stream answers with the header " + epochHeader, Expected: "the header", Seen: "none"})
	}
	return value
}

// mismatch resumes under an epoch that is not the session's and ends the case unless that resets.
func (w *webT) mismatch(x *webSession, law string, cursor int64, token string) *webReplay {
	r := x.resume("mismatch", cursor, epoch(token))
	e := r.resync()
	w.Step()
	if e == nil || e.text("reason") != "epoch_reset" || e.text("detail") != "epoch_mismatch" {
		w.Stopped(conformance.Break{Law: law, Reason: "another epoch than the bus's resets", Expected: "state_resync_required, reason epoch_reset, detail epoch_mismatch", Seen: r.String()})
	}
	return r
}
