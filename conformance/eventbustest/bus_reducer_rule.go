package eventbustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// busReducerRuleCases are about what is taken for a valid frame, and about warnings.
func busReducerRuleCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/reducer/warning/only-counts",
			Title:    "two warnings, the second with the fields of later buses",
			Laws:     []string{"EVENTBUS-REDUCER-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				first := `{"queueSize":6,"maxQueued":8,"lastEventId":6}`
				second := `{"queueSize":7,"maxQueued":8,"lastEventId":19,"queuedBytes":900,"maxQueuedBytes":1000,"threshold":"frames_and_bytes"}`
				views := b.Reduce(pendingEvent, warningEvent(first), warningEvent(second))
				for i, data := range []string{first, second} {
					view := views[i+2]
					b.Same("EVENTBUS-REDUCER-007", "each is counted", fmt.Sprint(i+1), view.Get("slowClientWarningCount"))
					b.Same("EVENTBUS-REDUCER-007", "the last one is held", data, view.Get("lastSlowClientWarning"))
					b.Same("EVENTBUS-REDUCER-007", "the view is alive", "true", view.Get("alive"))
					b.Equal("EVENTBUS-REDUCER-007", "nothing else changes, not the cursor either", "[lastSlowClientWarning slowClientWarningCount]", changed(views[i+1], view))
				}
			}),
		},
		{
			ID:       "eventbus/reducer/type/unknown-changes-only-the-cursor",
			Title:    "types that nobody has heard of, with all kinds of data",
			Laws:     []string{"EVENTBUS-REDUCER-008"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				var events []string
				for _, kind := range []string{"totally_unknown", "", "Client_Evicted", "client_evicted ", "constructor", "__proto__"} {
					for _, rest := range []string{``, `,"data":{}`, `,"data":null`, `,"data":[1]`, `,"data":{"reason":"r"}`} {
						events = append(events, `{"v":1,"type":`+quoted(kind)+rest+`}`)
					}
				}
				views := b.Reduce(append([]string{pendingEvent}, events...)...)
				for i, event := range events {
					b.Equal("EVENTBUS-REDUCER-008", "nothing changes and nothing is counted: "+event, "[]", changed(views[i+1], views[i+2]))
				}
				views = b.Reduce(`{"id":7,"v":1,"type":"totally_unknown","data":{}}`)
				b.Equal("EVENTBUS-REDUCER-008", "with an id, the cursor changes", "[lastEventId]", changed(views[0], views[1]))
			}),
		},
		{
			ID:       "eventbus/reducer/type/malformed-is-counted",
			Title:    "known types with data that is missing, no object or empty",
			Laws:     []string{"EVENTBUS-REDUCER-008"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, kind := range []string{
					"client_evicted", "slow_client_warning", "state_resync_required", "stream_error", "session_died", "session_closed",
					"session_snapshot", "permission_request", "model_switched", "turn_complete",
				} {
					for _, rest := range []string{``, `,"data":null`, `,"data":7`, `,"data":"text"`, `,"data":[]`, `,"data":{}`} {
						event := `{"v":1,"type":"` + kind + `"` + rest + `}`
						views := b.Reduce(pendingEvent, event, event)
						for i, view := range views[2:] {
							b.Same("EVENTBUS-REDUCER-008", "each one is counted: "+event, fmt.Sprint(i+1), view.Get("unrecognizedKnownEventCount"))
							difference := slices.DeleteFunc(changed(views[i+1], view), func(name string) bool {
								return name == "unrecognizedKnownEventCount" || name == "lastUnrecognizedKnownEvent"
							})
							b.Equal("EVENTBUS-REDUCER-008", "and otherwise ignored: "+event, "[]", difference)
						}
					}
				}
			}),
		},
		{
			ID:       "eventbus/reducer/payload/state-resync-required",
			Title:    "state_resync_required with each member mutated",
			Laws:     []string{"EVENTBUS-REDUCER-009"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				b.judgePayloads("state_resync_required", "awaitingResync",
					[]string{
						`{"reason":"ring_evicted","lastDeliveredId":1,"earliestAvailableId":5}`,
						`{"reason":"never heard of","lastDeliveredId":1,"earliestAvailableId":5}`,
						`{"reason":" ","lastDeliveredId":0,"earliestAvailableId":0}`,
						`{"reason":"r","lastDeliveredId":-1,"earliestAvailableId":1.5}`,
						`{"reason":"r","lastDeliveredId":1,"earliestAvailableId":5,"detail":"epoch_mismatch","extra":[null]}`,
					},
					[]string{
						`{"lastDeliveredId":1,"earliestAvailableId":5}`, `{"reason":"r","earliestAvailableId":5}`, `{"reason":"r","lastDeliveredId":1}`,
						`{"reason":"","lastDeliveredId":1,"earliestAvailableId":5}`, `{"reason":7,"lastDeliveredId":1,"earliestAvailableId":5}`,
						`{"reason":null,"lastDeliveredId":1,"earliestAvailableId":5}`,
						`{"reason":"r","lastDeliveredId":"1","earliestAvailableId":5}`, `{"reason":"r","lastDeliveredId":1,"earliestAvailableId":"5"}`,
						`{"reason":"r","lastDeliveredId":null,"earliestAvailableId":5}`, `{"reason":"r","lastDeliveredId":1,"earliestAvailableId":null}`,
						`{"reason":"r","lastDeliveredId":1e999,"earliestAvailableId":5}`, `{"reason":"r","lastDeliveredId":1,"earliestAvailableId":-1e999}`,
						`{"reason":"r","lastDeliveredId":true,"earliestAvailableId":5}`, `{"reason":"r","lastDeliveredId":1,"earliestAvailableId":{}}`,
					})
			}),
		},
		{
			ID:       "eventbus/reducer/payload/client-evicted",
			Title:    "client_evicted with each member mutated",
			Laws:     []string{"EVENTBUS-REDUCER-009"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				good := []string{
					`{"reason":"queue_overflow"}`, `{"reason":"never heard of"}`,
					`{"reason":"queue_bytes_overflow","droppedAfter":3,"queueSize":2,"maxQueued":2,"queuedBytes":9,"maxQueuedBytes":9,"eventBytes":4}`,
					`{"reason":"writer_idle_timeout","errorKind":"writer_idle_timeout","idleForMs":1010,"timeoutMs":1000}`,
				}
				bad := []string{`{"reason":""}`, `{"reason":null}`, `{"reason":7}`, `{"droppedAfter":3}`}
				for _, member := range []string{"droppedAfter", "queueSize", "maxQueued", "queuedBytes", "maxQueuedBytes", "eventBytes"} {
					good = append(good, `{"reason":"r","`+member+`":0}`, `{"reason":"r","`+member+`":2.5}`)
					for _, value := range []string{`"3"`, `null`, `true`, `{}`, `1e999`} {
						bad = append(bad, `{"reason":"r","`+member+`":`+value+`}`)
					}
				}
				b.judgePayloads("client_evicted", "alive", good, bad)
			}),
		},
		{
			ID:       "eventbus/reducer/payload/slow-client-warning",
			Title:    "slow_client_warning with each member mutated",
			Laws:     []string{"EVENTBUS-REDUCER-009"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				good := []string{
					`{"queueSize":6,"maxQueued":8,"lastEventId":6}`, `{"queueSize":0,"maxQueued":0.5,"lastEventId":0}`, `{"queueSize":6,"maxQueued":8,"lastEventId":6,"extra":null}`,
				}
				bad := []string{`{"maxQueued":8,"lastEventId":6}`, `{"queueSize":6,"lastEventId":6}`, `{"queueSize":6,"maxQueued":8}`}
				for _, threshold := range []string{`"frames"`, `"bytes"`, `"frames_and_bytes"`} {
					good = append(good, `{"queueSize":6,"maxQueued":8,"lastEventId":6,"threshold":`+threshold+`}`)
				}
				for _, threshold := range []string{`"Frames"`, `"bytes_and_frames"`, `""`, `null`, `1`} {
					bad = append(bad, `{"queueSize":6,"maxQueued":8,"lastEventId":6,"threshold":`+threshold+`}`)
				}
				for _, value := range []string{`"6"`, `null`, `false`, `[]`, `1e999`} {
					bad = append(bad, `{"queueSize":`+value+`,"maxQueued":8,"lastEventId":6}`, `{"queueSize":6,"maxQueued":`+value+`,"lastEventId":6}`, `{"queueSize":6,"maxQueued":8,"lastEventId":`+value+`}`)
				}
				b.judgePayloads("slow_client_warning", "slowClientWarningCount", good, bad)
			}),
		},
		{
			ID:       "eventbus/reducer/type/replay-complete-is-not-modelled",
			Title:    "what a view makes of replay_complete",
			Laws:     []string{"EVENTBUS-REDUCER-010"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				views := b.Reduce(pendingEvent, completeEvent, completeEvent)
				b.Chose("EVENTBUS-REDUCER-010", "a target may count it or know it", "unrecognizedKnownEventCount "+string(views[3].Get("unrecognizedKnownEventCount"))+" after two")
				difference := slices.DeleteFunc(changed(views[1], views[3]), func(name string) bool {
					return name == "unrecognizedKnownEventCount" || name == "lastUnrecognizedKnownEvent"
				})
				b.Equal("EVENTBUS-REDUCER-010", "nothing but that count moves", "[]", difference)
			}),
		},
	}
}

func warningEvent(data string) string {
	return `{"v":1,"type":"slow_client_warning","data":` + data + `}`
}

// judgePayloads reduces frames of a type on fresh views: a good one changes a member, a bad one does not and is counted.
func (b *busT) judgePayloads(kind, member string, good, bad []string) {
	judge := func(data, count string, moves bool) {
		views := b.Reduce(`{"v":1,"type":"` + kind + `","data":` + data + `}`)
		b.Same("EVENTBUS-REDUCER-009", kind+" "+data, count, views[1].Get("unrecognizedKnownEventCount"))
		b.Equal("EVENTBUS-REDUCER-009", member+" changes by "+kind+" "+data, moves, slices.Contains(changed(views[0], views[1]), member))
	}
	for _, data := range good {
		judge(data, "0", true)
	}
	for _, data := range bad {
		judge(data, "1", false)
	}
}
