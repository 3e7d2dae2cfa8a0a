package eventbustest

import (
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/impl/eventbus/daemon"
)

// serverOptionCases are about how the reference is started, which no stream shows.
func serverOptionCases() []conformance.Case {
	const law = "EVENTBUS-RING-005"
	return []conformance.Case{{
		ID:    "eventbus/server/ring/size-option",
		Title: "the ring size is a whole number from 1 to 1000000, or there is no start",
		Laws:  []string{law},
		Needs: conformance.Needs{Transports: []string{"http"}, Reference: true},
		Run: overHTTP(func(w *webT) {
			for _, text := range []string{"0", "-1", "+5", "1.5", "abc", "", " 5", "1e3", "1000001", "99999999999999999999"} {
				_, err := daemon.ParseRingSize(text)
				if !w.Check(err != nil, law, "a ring size that is none stops the start", "an error for "+text, "none") {
					continue
				}
				w.Check(strings.Contains(err.Error(), text) && strings.Contains(err.Error(), "1000000"), law,
					"the error names the value and the range", text+" and 1000000", err.Error())
			}
			for text, want := range map[string]int{"1": 1, "8000": 8000, "1000000": 1000000} {
				got, err := daemon.ParseRingSize(text)
				w.Check(err == nil && got == want, law, "a whole number in the range is accepted", text, webClip(errorText(err), 80))
			}
			for _, size := range []int{-1, 1000001} {
				_, err := daemon.New(daemon.Config{RingSize: size})
				w.Check(err != nil, law, "the option of an embedded daemon has the same range", "an error", "none")
			}
		}),
	}}
}

func errorText(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}
