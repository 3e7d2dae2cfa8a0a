package eventbustest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// Each fault turns the cases red that are named beside it, by their ids without eventbus/client/.
var clientFaults = []struct{ fault, red string }{
	{"reads latin-1", "parse/utf-8 parse/charset-does-not-matter parse/characters-parted parse/octet-by-octet field/odd-types"},
	{"charset", "parse/charset-does-not-matter"},
	{"ends at bad octets", "parse/invalid-utf-8"},
	{"ends at controls", "deviant/noise deviant/controls field/nul-in-data"},
	{"knows UTF-16", "parse/utf-16-mark"},
	{"keeps the mark", "parse/byte-order-mark parse/byte-order-mark-parted parse/byte-order-mark-again"},
	{"marks eat a line", "parse/byte-order-mark-alone"},
	{"drops all marks", "parse/second-byte-order-mark parse/byte-order-mark-later"},
	{"marks at first only", "parse/byte-order-mark-again"},
	{"knows no CR", "parse/crlf parse/cr parse/mixed-endings parse/lf-crlf parse/lf-cr parse/crlf-parted parse/octet-by-octet parse/prompt-crlf"},
	{"knows no lone CR", "parse/cr parse/prompt-cr"},
	{"CR LF is two", "parse/crlf parse/crlf-parted"},
	{"reads are lines", "parse/characters-parted parse/fields-parted"},
	{"needs chunks", "parse/without-chunks"},
	{"forgets at reads", "parse/characters-parted parse/fields-parted"},
	{"waits for more", "parse/prompt-lf parse/prompt-crlf parse/prompt-cr"},
	{"repeats events", "parse/one-event parse/order parse/lf parse/frames-lf"},
	{"comments reset", "field/comment-inside limit/many-comments"},
	{"comments are events", "field/comment-alone field/comment-inside limit/many-comments limit/long-comment"},
	{"comments are fields", "field/comment-like-a-field"},
	{"last colon", "field/first-colon"},
	{"needs a colon", "field/data-without-colon field/event-without-colon id/without-colon id/empty-without-data"},
	{"trims values", "field/one-space field/tab field/space-at-the-end field/other-spaces"},
	{"trims spaces", "field/one-space"},
	{"keeps the space", "field/no-space field/data-lines"},
	{"needs a space", "field/no-space retry/without-space"},
	{"ends at NUL", "field/nul-in-data"},
	{"drops controls", "deviant/controls field/other-spaces"},
	{"folds names", "field/letter-case"},
	{"trims names", "field/padded-names"},
	{"names by prefix", "field/similar-names"},
	{"finds names anywhere", "field/colon-in-a-name-elsewhere deviant/html deviant/json-lines"},
	{"ends at unknown names", "field/unknown-names field/data-parted-by-others"},
	{"unknown blocks are events", "field/unknown-alone field/type-without-data field/id-without-data field/retry-without-data parse/blank-lines"},
	{"keeps the last data", "field/data-lines field/empty-data-lines field/data-parted-by-others limit/many-data-lines"},
	{"drops empty lines", "field/empty-data-lines field/empty-data field/data-without-colon field/empty-data-of-a-type"},
	{"joins with spaces", "field/data-lines field/empty-data-lines"},
	{"trims all ends", "field/empty-data-lines"},
	{"drops empty data", "field/empty-data field/empty-data-of-a-type"},
	{"every event is a message", "field/type field/last-type field/odd-types deviant/type-error deviant/many-types-and-ids"},
	{"no type is data", "field/no-type field/empty-type"},
	{"keeps the first type", "field/last-type deviant/many-types-and-ids"},
	{"keeps types that are emptied", "field/empty-type field/event-without-colon"},
	{"types are words", "field/odd-types"},
	{"keeps its own types", "deviant/type-error"},
	{"keeps types", "field/type-once field/type-without-data"},
	{"keeps types without data", "field/type-without-data"},
	{"flushes at the end", "parse/end-in-a-block parse/end-in-a-line parse/nothing-left-over deviant/endless-block id/cut-block id/cut-line id/cut-without-data"},
	{"carries blocks over", "parse/nothing-left-over"},
	{"ids of their own", "id/stays reconnect/reports-the-id"},
	{"keeps the first id", "id/last-of-a-block"},
	{"takes NUL", "id/nul id/nul-on-reconnect"},
	{"keeps ids that are emptied", "id/empty id/without-colon id/empty-on-reconnect id/empty-without-data"},
	{"ids at once", "id/cut-block id/cut-without-data"},
	{"ids with data only", "id/without-data id/over-blocks-without-data id/empty-without-data"},
	{"ids are numbers", "id/kept-as-it-is id/outside-ascii id/long"},
	{"ids are tokens", "id/kept-as-it-is deviant/split-header-injection"},
	{"latin-1 ids", "id/outside-ascii"},
	{"short ids", "id/long"},
	{"largest id", "id/smaller"},
	{"retry is nothing", "retry/waits"},
	{"first retry", "retry/newest retry/shorter retry/in-a-cut-block retry/no-data"},
	{"retry of four digits", "retry/leading-zeros"},
	{"scatters", "retry/not-sooner"},
	{"retry by its digits", "retry/letters retry/signs retry/points retry/spaces"},
	{"retry resets", "retry/other-digits retry/letters retry/signs"},
	{"retry overflows", "retry/beyond-all-numbers"},
	{"retry per connection", "retry/over-connections"},
	{"never reconnects", "reconnect/after-the-end reconnect/after-a-reset reconnect/after-a-cut-chunk reconnect/after-a-missing-end reconnect/after-a-short-body deviant/bad-chunk"},
	{"gives up when cut", "reconnect/after-a-reset reconnect/after-a-cut-chunk reconnect/after-a-missing-end reconnect/after-a-short-body deviant/bad-chunk"},
	{"reconnects twice", "reconnect/many-times"},
	{"gives up when empty", "reconnect/empty-body"},
	{"posts again", "reconnect/same-request"},
	{"reports no id", "reconnect/reports-the-id reconnect/keeps-the-id reconnect/new-id reconnect/starting-id reconnect/id-after-a-reset"},
	{"empties the id", "reconnect/keeps-the-id reconnect/reports-the-id"},
	{"id of the first stream", "reconnect/new-id"},
	{"reports always", "reconnect/no-id-at-first reconnect/no-id-without-ids"},
	{"gives up unanswered", "reconnect/unanswered reconnect/cut-head"},
	{"outlives its user", "reconnect/shut-while-open"},
	{"asks when shut", "reconnect/shut-while-waiting"},
	{"forgets headers", "reconnect/own-headers"},
	{"asks for anything", "reconnect/no-caches"},
	{"opens late", "reconnect/state-open"},
	{"stays open", "reconnect/state-connecting"},
	{"retries refusals", "reconnect/state-closed status/204* status/404* status/5* status/4* status/20* status/299 status/plain-text status/html status/json status/longer-type " +
		"status/other-tree status/no-type status/type-in-a-parameter status/type-on-reconnect deviant/event-in-an-error-page"},
	{"takes any status", "status/201 status/400 status/500 status/404-on-reconnect status/500-on-reconnect deviant/event-in-an-error-page"},
	{"takes any type", "status/plain-text status/html status/json status/longer-type status/other-tree status/no-type status/type-in-a-parameter status/type-on-reconnect"},
	{"type by prefix", "status/longer-type status/type-with-letter-case"},
	{"type by equality", "status/type-with-parameters status/type-with-quoted-parameter status/type-with-padded status/type-with-letter-case"},
	{"type by search", "status/type-in-a-parameter status/other-tree"},
	{"follows nothing", "status/301 status/302 status/303 status/307 status/308 status/307-on-reconnect"},
	{"redirects without id", "status/307-on-reconnect"},
	{"cuts long data", "limit/line-of-4-kib limit/line-of-64-kib limit/line-of-1-mib limit/line-of-8-mib limit/many-data-lines"},
	{"loses one of many", "limit/many-events parse/order"},
	{"ends at long lines", "limit/long-comment limit/long-unknown-field"},
	{"reads behind the end", "deviant/body-behind-its-end"},
	{"ends at heads", "deviant/http-in-the-body"},
	{"joins blocks", "parse/one-packet parse/blank-lines"},
	{"knows no CR", "parse/frames-crlf parse/frames-mixed parse/frames-octet-by-octet"},
	{"comments are events", "field/frames-with-comments"},
	{"lines decide", "field/frames-are-authoritative"},
	{"keeps the last data", "field/frames-over-lines"},
	{"needs a space", "field/frames-without-space"},
	{"shows bad frames", "deviant/frames-that-are-none"},
	{"shows bad ids", "deviant/frames-with-bad-ids"},
	{"is bounded early", "limit/frames"},
	{"knows no bound", "limit/frames"},
	{"newest id", "id/cursor-of-a-smaller-id"},
	{"frames without id reset", "id/cursor id/cursor-over-connections"},
	{"cursor from lines", "id/cursor-of-bad-frames"},
	{"reports always", "id/cursor-at-first id/cursor-of-idless-frames"},
	{"reports the epoch alone", "id/no-epoch-without-a-cursor"},
	{"moves the cursor early", "id/cursor-of-an-event-in-work"},
	{"asks for maxQueued always", "reconnect/asks-for-max-queued"},
}

// clientRecords are the cases that record what the standard leaves open, and so are never red.
var clientRecords = []string{
	"reconnect/accept", "reconnect/id-of-events-behind", "reconnect/first-unanswered", "status/address-after-a-redirect", "parse/frames-deviations",
}

// faultySuite is the suite of clients with one that has these faults for the reference.
func faultySuite(faults ...string) *conformance.Suite {
	profile := conformance.Profile{Deadlines: patient()}
	suite := Client()
	if len(faults) > 0 {
		profile.Deadlines = conformance.ProfileDeadlines{Reply: conformance.Duration(800 * time.Millisecond)}
		// What the probe finds out of a client with a fault would keep cases from being run.
		suite.Probe = func(context.Context, *conformance.T) conformance.Capabilities {
			return conformance.Capabilities{Settings: map[string]string{ending: endedCleanly}}
		}
	}
	suite.Reference = func(context.Context) (*conformance.Reference, error) {
		return &conformance.Reference{Adapter: sseclient.Adapter(faultyLibrary(faults...)), Profile: profile, Stop: func() {}}, nil
	}
	return suite
}

// Every case can fail: some fault turns it red. A client without faults passes them all.
func TestClientFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("judges a hundred clients")
	}
	t.Parallel()
	var all []suitetest.Broken
	for _, f := range clientFaults {
		b := suitetest.Broken{Name: f.fault, Suite: faultySuite(f.fault), Config: conformance.Config{Target: suitetest.Target(t, "ref"), Parallel: 8}}
		for name := range strings.FieldsSeq(f.red) {
			b.Only = append(b.Only, "eventbus/client/"+name)
		}
		all = append(all, b)
	}
	suitetest.GoesRed(t, 6, all, slices.DeleteFunc(Client().Cases, func(c conformance.Case) bool { return records(c.ID) }))
}

func TestFaultlessClient(t *testing.T) {
	t.Parallel()
	res, err := conformance.Run(t.Context(), faultySuite(), conformance.Config{Target: suitetest.Target(t, "ref"), Parallel: manyClients})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range res.Cases {
		if c.Verdict != conformance.Pass && (c.Verdict != conformance.Info || !records(c.ID)) {
			t.Errorf("%s is %s", c.ID, suitetest.Told(c))
		}
	}
}

// records reports whether a case is one of clientRecords.
func records(id string) bool {
	return slices.Contains(clientRecords, strings.TrimPrefix(id, "eventbus/client/"))
}
