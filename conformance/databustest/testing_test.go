package databustest

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// A bus of a user's own is judged by the entry that it has, the reference as one of them.
func TestBusOfAUser(t *testing.T) {
	t.Parallel()
	TestRuntime(t, Reference, suitetest.Options{Only: []string{"databus/tab/fence/*"}})
}

// A factory that has one version is judged by its cases alone, one that has none by nothing, and one whose buses do nothing breaks laws.
func TestPoorFactories(t *testing.T) {
	t.Parallel()
	run := func(f Factory) conformance.Counts {
		res, err := conformance.Run(t.Context(), Suite(), conformance.Config{
			Target: suitetest.InGo(), Adapter: serve("poor", f, nil, hooks{}), Profile: conformance.Profile{Deadlines: patient()},
			Selection: conformance.Selection{Only: []string{"databus/tab/fence/*"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return res.Footer.Counts
	}
	half := run(func(s Settings) (Bus, error) {
		if s.Version != v010 {
			return nil, ErrVersion
		}
		return Reference(s)
	})
	if half[conformance.Pass] == 0 || half[conformance.Unsupported] == 0 || half[conformance.Fail] > 0 || half[conformance.Inconclusive] > 0 {
		t.Errorf("of half the versions: %v", half)
	}
	none := run(func(Settings) (Bus, error) { return idle{}, nil })
	if none[conformance.Pass] > 0 || none[conformance.Inconclusive] > 0 {
		t.Errorf("of a bus that does nothing: %v", none)
	}
	throws := run(func(Settings) (Bus, error) { return nil, errors.New("no room") })
	if throws[conformance.Pass] > 0 || throws[conformance.Inconclusive] > 0 {
		t.Errorf("of a factory that fails: %v", throws)
	}
}

// idle is a bus that does nothing.
type idle struct{}

func (idle) Start(func(error)) {}
func (idle) Stop(func(error))  {}
func (idle) Ready(func(error)) {}
func (idle) PageHide()         {}
func (idle) PageShow()         {}
func (idle) Visibility(string) {}
func (idle) View() View        { return View{} }

func (idle) Publish(string, json.RawMessage) {}

func (idle) Subscribe(string, func(string, json.RawMessage)) (func(), error) { return func() {}, nil }
