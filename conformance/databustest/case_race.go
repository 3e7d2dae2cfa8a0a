package databustest

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/corpus"
)

// raceCases are the ways into races which the machine of the data bus has found, as far as requests can take them: those that need nobody's
// clock to run ahead. Under 0.1.0 a way comes to its race, which the law describes and nobody has to have; with the fences it must end well.
func raceCases() []conformance.Case {
	storm := "two workers without records elect each other out"
	cases := []conformance.Case{
		under(v010, one("race/018-storms", storm, laws("DATABUS-RACE-018"), needs(Forges), (*busT).storms)),
		under(fenced, one("race/018-calms-down", storm, laws("DATABUS-LIVE-005"), needs(Forges), (*busT).calmsDown)),
	}
	for _, r := range races() {
		name := "race/" + strings.TrimPrefix(r.Race, "DATABUS-RACE-")
		cases = append(
			cases,
			under(v010, one(name+"-is-there", r.Title, laws(r.Race), needs(ManualFlush, Failures), func(t *busT) { t.races(r) })),
			under(fenced, one(name+"-ends-well", r.Title, laws("DATABUS-LIVE-005"), needs(ManualFlush, Failures), func(t *busT) { t.endsWell(r) })),
		)
	}
	return cases
}

// A race is a shortest way into one, in the words of the machine.
type race struct {
	Race  string   `yaml:"race"`
	Title string   `yaml:"title"`
	Tabs  int      `yaml:"tabs"`
	Setup []string `yaml:"setup"`
	Steps []step   `yaml:"steps"`
	End   string   `yaml:"end"` // of the state

	tabIDs map[string]string // of tabs that do not have their own
	silent bool              // nothing but a call of a user ever mends it
}

// A step is what one tab does next.
type step struct {
	Do      string   `yaml:"do"`
	Effects []string `yaml:"effects"`
}

// races are those that requests can take.
func races() []race {
	more := map[string]race{
		"001": {silent: true}, "002": {}, "003": {}, "004": {silent: true}, "009": {}, "012": {tabIDs: map[string]string{"A": "tabB"}}, "015": {},
	}
	var out []race
	for _, number := range []string{"001", "002", "003", "004", "009", "012", "015"} {
		file := path.Join("databus/races", "RACE-"+number+".yaml")
		text, err := corpus.FS.ReadFile(file)
		r := more[number]
		if err == nil {
			err = yaml.Unmarshal(text, &r)
		}
		if err != nil {
			panic(fmt.Sprintf("%s of the embedded corpus: %v", file, err))
		}
		out = append(out, r)
	}
	return out
}

// A racing origin takes the steps of a race.
type racing struct {
	*origin
	late bool
	tab  map[string]*tab
	from int // how much had happened when the way began
}

// way opens the tabs of a race and takes all steps. One for which there is nothing at hand is left out.
func (t *busT) way(r race) *racing {
	q := originRequest{}
	late := slices.ContainsFunc(r.Steps, func(s step) bool { return strings.HasPrefix(s.Do, "flush ") })
	if late {
		q.Flush = flushManual
	}
	w := &racing{origin: t.OriginWith(q), late: late, tab: map[string]*tab{}}
	for i := range r.Tabs {
		name := tabName(i)
		w.tab[name] = w.TabWith(name, tabRequest{TabID: r.tabIDs[name]})
		w.tab[name].Start()
		w.calm()
	}
	for _, do := range r.Setup {
		w.take(do)
		w.calm()
	}
	w.from = len(w.all)
	for _, step := range r.Steps {
		w.Pass(1)
		w.take(step.Do)
	}
	return w
}

// calm lets all arrive and be written.
func (w *racing) calm() {
	for range 4 {
		w.flush()
		w.Drain()
	}
	w.flush()
}

func (w *racing) flush() {
	if w.late {
		for _, one := range w.tabs {
			one.Flush()
		}
	}
}

// take takes one step.
func (w *racing) take(do string) {
	words := strings.Fields(do)
	if len(words) == 1 {
		return // publish: what the transports receive is a step of its own
	}
	x := w.tab[words[1]]
	switch words[0] {
	case "subscribe":
		x.Subscribe(words[2])
	case "unsubscribe":
		x.Unsubscribe(words[2])
	case "deliver":
		w.hear(x, w.tab[words[3]])
	case "flush":
		x.Flush()
	case "receive":
		x.Emit("x", "1")
	case "hide":
		x.PageHide()
	case "refuse":
		x.FailWrites(-1)
	case "retry":
		x.FailWrites(0)
		w.Pass(50)
	default:
		w.t.Inconclusive("nobody can %s", do)
	}
}

// hear delivers the next frame of one tab that another has to look at. Those that are addressed to somebody else are under way too, and are
// none to the machine.
func (w *racing) hear(to, from *tab) {
	for _, f := range w.OnWire(to) {
		if f.From == from.name {
			w.Deliver(f)
			if target := viewed(f.Message).TargetWorkerID; target == "" || target == to.worker {
				return
			}
		}
	}
}

// settle lets twenty heartbeats pass in which nothing is late.
func (w *racing) settle() {
	w.calm()
	for range 20 {
		w.Pass(heartbeat)
		w.calm()
	}
}

// words describe the state as the machine does, without what tells no two ways apart.
func (w *racing) words() []string {
	s := w.Snapshot()
	var out []string
	for _, topic := range []string{"x", "y"} {
		if r, ok := s.Route(topic); ok {
			text := fmt.Sprintf("%s: ->%s gen %d", topic, strings.TrimPrefix(r.WorkerID, "worker"), r.Generation)
			if r.HandoffFrom != "" {
				text += " from " + strings.TrimPrefix(r.HandoffFrom, "worker")
			}
			if r.ConfirmedAt != 0 {
				text += " confirmed"
			}
			out = append(out, text)
		}
	}
	for _, one := range w.tabs {
		v := s.Tab(one)
		set := func(topics []string) string { return "{" + strings.Join(sortedOf(topics), "") + "}" }
		out = append(out, fmt.Sprintf("%s s%s a%s t%s", one.name, set(v.Subscribed), set(v.Assigned), set(v.Server)))
	}
	return out
}

// wordsOf are those of the end of a race.
func wordsOf(end string) []string {
	route := regexp.MustCompile(`^([xy]: ->[A-C] gen \d+( from [A-C])?( confirmed)?) subscribers`)
	worker := regexp.MustCompile(`^([A-C]) (?:running|suspended) (s\S+ a\S+ t\S+)`)
	var out []string
	for part := range strings.SplitSeq(end, "; ") {
		if m := route.FindStringSubmatch(part); m != nil {
			out = append(out, m[1])
		} else if m := worker.FindStringSubmatch(part); m != nil {
			out = append(out, m[1]+" "+m[2])
		}
	}
	return out
}

// asked are what the transports have been asked on the way, as the machine says it.
func (w *racing) asked() []string {
	out := []string{}
	for _, d := range w.all[w.from:].Of(didTSub, didTUnsub) {
		out = append(out, d.Tab+" transport "+map[string]string{didTSub: "subscribes ", didTUnsub: "unsubscribes "}[d.Kind]+d.Topic)
	}
	return out
}

// asks are what they are asked on the way of the machine.
func (r race) asks() []string {
	out := []string{}
	for _, step := range r.Steps {
		for _, e := range step.Effects {
			if strings.Contains(e, " transport ") && strings.Contains(e, "subscribes ") {
				out = append(out, strings.TrimSuffix(e, " (!)"))
			}
		}
	}
	return out
}

func (t *busT) races(r race) {
	w := t.way(r)
	t.Equal(r.Race, "what the transports are asked on the way", strings.Join(r.asks(), "; "), strings.Join(w.asked(), "; "))
	t.Equal(r.Race, "where the way ends", strings.Join(wordsOf(r.End), "; "), strings.Join(w.words(), "; "))
	w.settle()
	if r.silent {
		t.Equal(r.Race, "whom the server sends x in the end", "[]", fmt.Sprint(append([]string{}, w.Snapshot().Served("x")...)))
		return
	}
	w.wanted(r.Race)
}

func (t *busT) endsWell(r race) {
	w := t.way(r)
	w.settle()
	w.wanted("DATABUS-LIVE-005")
}

// wanted wants each topic that a tab wants to be served by one.
func (w *racing) wanted(law string) {
	s := w.Snapshot()
	for _, topic := range []string{"x", "y"} {
		if slices.ContainsFunc(w.tabs, func(one *tab) bool { v := s.Tab(one); return v.Active && slices.Contains(v.Subscribed, topic) }) {
			w.single(law, "in the end", topic)
		}
	}
}

// storm has two tabs lose their records that both own x, as after a sleep, and one of them reconcile. It returns what is under way when so many frames have arrived.
func (t *busT) storm(frames int) (*origin, []flying) {
	o := t.Origin()
	a, b := o.Tab("A"), o.Tab("B")
	a.Subscribe("x")
	b.Subscribe("x")
	o.Drain()
	keys := []string{a.key("worker", a.worker), b.key("worker", b.worker)}
	b.Inject(controlFrame("SUBSCRIBE", "x", a.worker, b.worker, ""))
	o.Remove(keys[0])
	o.Remove(keys[1])
	b.Inject(registryFrame(a.worker))
	o.do("drain", drainRequest{frames})
	return o, o.Wire()
}

// stormFrames is more than any cause leads to that ends by itself.
const stormFrames = 100

func (t *busT) storms() {
	o, left := t.storm(stormFrames)
	t.Check(len(left) > 0, "DATABUS-RACE-018", fmt.Sprintf("frames beget frames after %d", stormFrames), "some under way", "none")
	o.Pass(heartbeat)
	o.Drain()
	o.single("DATABUS-RACE-018", "after a heartbeat", "x")
}

func (t *busT) calmsDown() {
	o, left := t.storm(stormFrames)
	t.Check(len(left) == 0, "DATABUS-LIVE-005", fmt.Sprintf("frames come to an end before %d", stormFrames), "none under way", fmt.Sprint(len(left)))
	o.single("DATABUS-LIVE-005", "at once", "x")
}
