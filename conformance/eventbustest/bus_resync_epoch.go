package eventbustest

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/seed-6f28358b/assay/conformance"
)

// mismatchFrame returns the whole epoch_reset of a wrong epoch token as JSON.
func mismatchFrame(cursor, earliest int64) string {
	return fmt.Sprintf(`{"v":1,"type":"state_resync_required","data":{"reason":"epoch_reset","detail":"epoch_mismatch","lastDeliveredId":%d,"earliestAvailableId":%d}}`, cursor, earliest)
}

// busResyncEpochCases are about epoch tokens.
func busResyncEpochCases() []conformance.Case {
	tokens := conformance.Needs{Options: []string{EpochToken}}
	return []conformance.Case{
		{
			ID:       "eventbus/bus/resync/wrong-epoch",
			Title:    "three events, every cursor, and a token that is not the bus's",
			Laws:     []string{"EVENTBUS-RESYNC-008"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{}, 3)
				for _, cursor := range []int64{0, 1, 2, 3, 4, farthest} {
					got := bus.Subscribe(resumeAfter(cursor), withEpoch("of-another-bus")).Drain()
					b.Sees("EVENTBUS-RESYNC-008", fmt.Sprintf("a reset and the whole ring, whatever the cursor: %d", cursor), got, "epoch_reset 1..3 replay_complete parked")
					b.Exactly("EVENTBUS-RESYNC-008", "the frame has the detail", got.first(), mismatchFrame(cursor, 1))
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/right-epoch",
			Title:    "three events, every cursor up to the last id, and the bus's own token",
			Laws:     []string{"EVENTBUS-RESYNC-008"},
			Versions: laterOnly,
			Needs:    tokens,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{}, 3)
				for cursor := range 4 {
					got := bus.Subscribe(resumeAfter(int64(cursor)), withEpoch(bus.Epoch())).Drain()
					b.Equal("EVENTBUS-RESYNC-008", "no resync with the right token", "[]", reasons(got))
					b.Equal("EVENTBUS-RESYNC-008", "the replay is that of the cursor", numbers(cursor+1, 3), got.IDs())
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/almost-the-epoch",
			Title:    "tokens that differ from the bus's in case, length, or one character",
			Laws:     []string{"EVENTBUS-RESYNC-008"},
			Versions: laterOnly,
			Needs:    tokens,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{}, 3)
				epoch := bus.Epoch()
				other := b.New(options{}).Epoch()
				for what, token := range map[string]string{
					"in upper case": strings.ToUpper(epoch), "in the other case": strings.Map(otherCase, epoch), "without its end": epoch[:len(epoch)-1], "without its beginning": epoch[1:],
					"with one more": epoch + "0", "with a space behind": epoch + " ", "with a space ahead": " " + epoch, "twice": epoch + epoch, "of another bus": other, "of one character": "x",
					"of its first character": epoch[:1], "in quotes": `"` + epoch + `"`,
				} {
					if token == epoch {
						b.Note("skipped", "the token %s is the token itself", what)
						continue
					}
					got := bus.Subscribe(resumeAfter(2), withEpoch(token)).Next(1)
					b.Exactly("EVENTBUS-RESYNC-008", "the comparison is exact: the token "+what, got.only(), mismatchFrame(2, 1))
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/empty-epoch",
			Title:    "a token that is the empty string",
			Laws:     []string{"EVENTBUS-RESYNC-008"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				got := b.filled(options{}, 3).Subscribe(resumeAfter(2), withEpoch("")).Next(1)
				b.Exactly("EVENTBUS-RESYNC-008", "empty text differs from the token", got.only(), mismatchFrame(2, 1))
			}),
		},
		{
			ID:       "eventbus/bus/resync/wrong-epoch-on-a-ring-with-a-gap",
			Title:    "a wrong token on rings that dropped events, and on a new bus",
			Laws:     []string{"EVENTBUS-RESYNC-008"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{RingSize: 3}, 5)
				for _, cursor := range []int64{0, 1, 4, 5, 6} {
					got := bus.Subscribe(resumeAfter(cursor), withEpoch("x")).Drain()
					b.Sees("EVENTBUS-RESYNC-008", "a reset, and no gap beside it", got, "epoch_reset 3..5 replay_complete parked")
					b.Exactly("EVENTBUS-RESYNC-008", "the earliest id is that of the ring", got.first(), mismatchFrame(cursor, 3))
				}
				got := b.New(options{}).Subscribe(resumeAfter(0), withEpoch("x")).Drain()
				b.Sees("EVENTBUS-RESYNC-008", "on a new bus with cursor 0 as well", got, "epoch_reset replay_complete parked")
				b.Exactly("EVENTBUS-RESYNC-008", "the earliest id is the first one", got.first(), mismatchFrame(0, 1))
			}),
		},
		{
			ID:       "eventbus/bus/resync/epoch-does-not-lift-the-numeric-rule",
			Title:    "cursors from the future with the right token, a wrong one and none",
			Laws:     []string{"EVENTBUS-RESYNC-009"},
			Versions: laterOnly,
			Needs:    tokens,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{}, 3)
				for _, cursor := range []int64{4, 9, farthest} {
					for _, c := range []struct {
						what, want string
						options    []subOption
					}{
						{"right", resyncFrame("epoch_reset", cursor, 1), []subOption{resumeAfter(cursor), withEpoch(bus.Epoch())}},
						{"wrong", mismatchFrame(cursor, 1), []subOption{resumeAfter(cursor), withEpoch("wrong")}},
						{"absent", resyncFrame("epoch_reset", cursor, 1), []subOption{resumeAfter(cursor)}},
					} {
						got := bus.Subscribe(c.options...).Drain()
						b.Sees("EVENTBUS-RESYNC-009", fmt.Sprintf("cursor %d resets, the token being %s", cursor, c.what), got, "epoch_reset 1..3 replay_complete parked")
						b.Exactly("EVENTBUS-RESYNC-009", "detail tells of a wrong token alone, this one being "+c.what, got.first(), c.want)
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/epoch-without-a-cursor",
			Title:    "right and wrong tokens without a cursor, on new, full and overflowed rings",
			Laws:     []string{"EVENTBUS-RESYNC-010"},
			Versions: laterOnly,
			Needs:    tokens,
			Run: onBus(func(b *busT) {
				for _, published := range []int{0, 2, 5} {
					bus := b.filled(options{RingSize: 2}, published)
					for _, token := range []string{"zzz", bus.Epoch(), strings.Repeat("x", 64)} {
						b.Sees("EVENTBUS-RESYNC-010", "a token alone brings nothing", bus.Subscribe(withEpoch(token)).Drain(), "parked")
					}
					sub := bus.Subscribe(withEpoch("zzz"))
					bus.Burst(1)
					b.Sees("EVENTBUS-RESYNC-010", "live events come as ever", sub.Drain(), fmt.Sprint(published+1, " parked"))
				}
			}),
		},
		{
			ID:       "eventbus/bus/resync/flows-on-after-a-wrong-epoch",
			Title:    "live events behind the reset of a wrong token",
			Laws:     []string{"EVENTBUS-RESYNC-004", "EVENTBUS-RESYNC-003"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				bus := b.filled(options{RingSize: 3}, 5)
				sub := bus.Subscribe(resumeAfter(0), withEpoch("x"))
				bus.Burst(2)
				b.Sees("EVENTBUS-RESYNC-003", "one leading resync, though token and ring call for one each", sub.Drain(), "epoch_reset 3..5 replay_complete 6 7 parked")
				bus.PublishN(1)
				b.Sees("EVENTBUS-RESYNC-004", "the subscription lives on", sub.Drain(), "8 parked")
			}),
		},
	}
}

func otherCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}
