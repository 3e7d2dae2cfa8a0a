package fuzz

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// raceTopics are the topics of the races.
var raceTopics = []string{"x", "y"}

// A raceFile is a shortest way into a race of the data bus, as its machine found it.
type raceFile struct {
	Race   string     `yaml:"race"`
	Title  string     `yaml:"title"`
	Rules  string     `yaml:"rules"`
	Tabs   int        `yaml:"tabs"`
	Setup  []string   `yaml:"setup"`
	Steps  []raceStep `yaml:"steps"`
	End    string     `yaml:"end"`
	Fenced string     `yaml:"fenced"`
}

type raceStep struct {
	Do      string   `yaml:"do"`
	Effects []string `yaml:"effects"`
}

// raceFiles returns all of them, in the order of the laws.
func raceFiles(t testing.TB) []raceFile {
	t.Helper()
	names, err := fs.Glob(corpus.FS, "databus/races/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files: %v", len(names), err)
	}
	var files []raceFile
	for _, name := range names {
		text, err := fs.ReadFile(corpus.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		var f raceFile
		if err := yaml.UnmarshalWithOptions(text, &f, yaml.Strict()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if f.Race != "DATABUS-"+strings.TrimSuffix(path.Base(name), ".yaml") {
			t.Fatalf("%s is of %s", name, f.Race)
		}
		files = append(files, f)
	}
	return files
}

// raceDecisions are the verbs for what a tab does to a route in its own view, before anybody else can see it.
var raceDecisions = []string{"elects", "hands on", "confirms", "deletes route"}

// splitRace parts the effects of a step into what can be observed at the ports of the tabs, and what a tab decides. What it refuses or
// accepts shows in nothing else. The stores of one flush are sorted: the order of the keys is that of the writer.
func splitRace(effects []string) (seen, decided []string) {
	for _, e := range effects {
		e = strings.TrimSuffix(e, " (!)")
		_, what, _ := strings.Cut(e, " ")
		switch {
		case strings.HasPrefix(what, "refuses ") || strings.HasPrefix(what, "accepts ROUTE_RELEASED"):
		case slices.ContainsFunc(raceDecisions, func(verb string) bool { return strings.HasPrefix(what, verb+" ") }):
			decided = append(decided, e)
		default:
			seen = append(seen, e)
		}
	}
	return sortRaceStores(seen), decided
}

func sortRaceStores(seen []string) []string {
	store := func(e string) bool { return strings.Contains(e, " stores ") || strings.Contains(e, " erases ") }
	for i := 0; i < len(seen); i++ {
		end := i
		for end < len(seen) && store(seen[end]) {
			end++
		}
		slices.Sort(seen[i:end])
		i = max(i, end-1)
	}
	return seen
}

// views returns the routes as a tab sees them, by topic; one that does not run has nothing before it but the storage.
func (t *raceTab) views() map[string]record.Route {
	out := map[string]record.Route{}
	running := t.c.Coordinated()
	for _, topic := range raceTopics {
		key := record.Hash(topic)
		if r, err := record.DecodeRoute(key, t.rig.disk[raceKeys.Route(key)]); err == nil && !running {
			out[topic] = r
		}
		for _, r := range t.c.Snapshot().Routes {
			if running && r.TopicKey == key {
				out[topic] = r.Route
			}
		}
	}
	return out
}

// raceDecided says what has become of the routes in the view of a tab.
func raceDecided(name string, before, after map[string]record.Route) (out []string) {
	for _, topic := range raceTopics {
		old, was := before[topic]
		r, is := after[topic]
		other := !was || old.UpdatedAt != r.UpdatedAt
		if was && !is {
			out = append(out, name+" deletes route "+topic)
		}
		if is && other {
			out = append(out, fmt.Sprintf("%s elects %s->%s gen %d", name, topic, r.WorkerID, r.Generation))
		}
		if is && r.Confirmed() && (other || !old.Confirmed()) {
			out = append(out, name+" confirms "+topic)
		}
	}
	return out
}

// settledRace drops the deletions of routes that are elected anew in the same step.
func settledRace(effects []string) []string {
	return slices.DeleteFunc(slices.Clone(effects), func(e string) bool {
		who, topic, ok := strings.Cut(e, " deletes route ")
		return ok && slices.ContainsFunc(effects, func(f string) bool { return strings.HasPrefix(f, who+" elects "+topic+"->") })
	})
}

// errTopicOrder says that the effects are the same for each topic, and in another order between the topics, which no law names, or that they
// concern both topics and the tab goes through them in another order, so that it elects with other loads.
var errTopicOrder = errors.New("the topics are in another order")

// sameByTopic reports whether two lists of effects differ at most in the order between the topics. A REGISTRY is of no topic.
func sameByTopic(got, want []string) bool {
	for _, topic := range raceTopics {
		ofTopic := func(effects []string) []string {
			return slices.DeleteFunc(slices.Clone(effects), func(e string) bool {
				return !slices.ContainsFunc(strings.Fields(e), func(word string) bool { return word == topic || strings.HasPrefix(word, topic+"->") })
			})
		}
		if !slices.Equal(ofTopic(got), ofTopic(want)) {
			return false
		}
	}
	return slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want)))
}

// turned reports whether a tab goes through its topics from the last to the first.
func (t *raceTab) turned() bool {
	s := t.c.Snapshot()
	return !slices.IsSorted(s.Subscribed) || !slices.IsSorted(s.Assigned)
}

// ofBoth reports whether effects concern both topics.
func ofBoth(effects []string) bool {
	return !slices.ContainsFunc(raceTopics, func(topic string) bool {
		return !slices.ContainsFunc(effects, func(e string) bool {
			return strings.Contains(e+" ", " "+topic+" ") || strings.Contains(e, " "+topic+"->")
		})
	})
}

// compare takes a step of the file and returns in what the reference differs from it.
func (r *raceRig) compare(step raceStep) error {
	seen, decisions := splitRace(step.Effects)
	words := strings.Fields(step.Do)
	var before map[string]record.Route
	unflushed, turned := false, false
	if len(words) > 1 {
		turned = r.tab(words[1]).turned()
		before, unflushed = r.tab(words[1]).views(), len(r.tab(words[1]).c.Snapshot().Pending) > 0
	}
	if err := r.take(step.Do); err != nil {
		return err
	}
	if got := sortRaceStores(r.seen); !slices.Equal(got, seen) {
		if sameByTopic(got, seen) || turned && ofBoth(got) && ofBoth(seen) {
			return errTopicOrder
		}
		return fmt.Errorf("%s: %q, want %q", step.Do, got, seen)
	}
	// What a tab decides in a leave shows in what it stores, and what a hidden one would see of what it could not store does not show. A retry
	// decides nothing, but what a guard drops ends in another view.
	if len(words) == 1 || !r.tab(words[1]).c.Coordinated() || words[0] == "show" && unflushed || words[0] == "retry" {
		return nil
	}
	got, want := raceDecided(words[1], before, r.tab(words[1]).views()), settledRace(decisions)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s: decides %q, want %q", step.Do, got, want)
	}
	return nil
}

// replayRace takes all steps, and returns the rig and in what the reference differs from the file.
func replayRace(t *testing.T, f raceFile, rules cluster.Rules) (*raceRig, error) {
	t.Helper()
	setup := raceSetups[f.Race]
	setup.tabs, setup.first = f.Tabs, f.Setup
	setup.late = slices.ContainsFunc(f.Steps, func(s raceStep) bool { return strings.HasPrefix(s.Do, "flush ") })
	r, err := newRaceRig(&setup, rules)
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range f.Steps {
		if err := r.compare(step); err != nil {
			return r, fmt.Errorf("step %d, %w", i+1, err)
		}
	}
	if got := r.String(); got != f.End {
		return r, fmt.Errorf("ends in\n\t%s\nwant\n\t%s", got, f.End)
	}
	return r, nil
}

// raceEnds are the races that do not heal in the version that has them: nothing but another call of a user ever mends the silence, and
// nothing but a heartbeat the storm (DATABUS-LIVE-005).
var raceEnds = map[string]string{
	"DATABUS-RACE-001": "silent", "DATABUS-RACE-004": "silent", "DATABUS-RACE-005": "silent", "DATABUS-RACE-006": "silent",
	"DATABUS-RACE-007": "silent", "DATABUS-RACE-014": "silent", "DATABUS-RACE-018": "storm",
}

// TestDatabusRaces: the reference does, step by step, what the machine of the data bus does on the shortest way into each race, comes to
// the same end, and stays there or not as the law says.
func TestDatabusRaces(t *testing.T) {
	for _, f := range raceFiles(t) {
		t.Run(f.Race, func(t *testing.T) {
			rules := cluster.V010()
			if f.Rules == "drifted" {
				rules = cluster.Drifted()
			}
			r, err := replayRace(t, f, rules)
			if err != nil {
				t.Fatal(err)
			}
			want := cmp.Or(raceEnds[f.Race], "heals")
			if got := r.afterwards(raceHeartbeats); got != want {
				t.Errorf("%s, want %s: %v", got, want, r)
			}
		})
	}
}

// TestDatabusRacesFenced: under the fenced rules the reference leaves the way into a race that the machine calls impossible, or is not kept
// at its end; and no way leads to where a topic stays silent or
// frames go round.
func TestDatabusRacesFenced(t *testing.T) {
	for _, f := range raceFiles(t) {
		t.Run(f.Race, func(t *testing.T) {
			r, err := replayRace(t, f, cluster.Fenced())
			if err == nil && f.Fenced == "impossible" && raceEnds[f.Race] == "" {
				t.Error("the reference goes into it")
			}
			if got := r.afterwards(raceHeartbeats); got != "heals" {
				t.Errorf("%s: %v", got, r)
			}
		})
	}
}

// TestDatabusRacesNotice: a file that differs from what the reference does in one effect, or in its end, is noticed.
func TestDatabusRacesNotice(t *testing.T) {
	for _, f := range raceFiles(t) {
		rules := cluster.V010()
		if f.Rules == "drifted" {
			rules = cluster.Drifted()
		}
		for i, step := range f.Steps {
			seen, decisions := splitRace(step.Effects)
			compared := append(seen, settledRace(decisions)...)
			for j, e := range step.Effects {
				if !slices.Contains(compared, strings.TrimSuffix(e, " (!)")) || strings.HasPrefix(step.Do, "hide ") && !slices.Contains(seen, e) {
					continue // of what it decides in a leave, only what it stores is compared
				}
				changed := f
				changed.Steps = slices.Clone(f.Steps)
				changed.Steps[i].Effects = slices.Delete(slices.Clone(step.Effects), j, j+1)
				if _, err := replayRace(t, changed, rules); err == nil {
					t.Errorf("%s: nobody misses %q in step %d", f.Race, e, i+1)
				}
			}
		}
		f.End += "; C"
		if _, err := replayRace(t, f, rules); err == nil {
			t.Errorf("%s: another end is not noticed", f.Race)
		}
	}
}
