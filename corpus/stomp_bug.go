package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
)

var reportShape = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+#[0-9]+$`)

// Bug is one public bug report as a test input: the smallest octets that we think show the fault, told in our own words.
// Whether the named project still has the fault is not known.
type Bug struct {
	Citation  `yaml:",inline"`
	Report    string   `yaml:"report"`    // owner/project#number
	Also      []string `yaml:"also"`      // reports of the same fault elsewhere
	Symptom   string   `yaml:"symptom"`   // what the reporter saw
	Sections  []string `yaml:"sections"`  // headings of the specification that decide
	Direction string   `yaml:"direction"` // client-to-server or server-to-client
	Transport string   `yaml:"transport"` // tcp: packets are segments; websocket: packets are messages
	Fault     string   `yaml:"fault"`     // who errs: receiver or sender
	Packets   []Text   `yaml:"packets"`   //
	Right     string   `yaml:"right"`     // the right outcome in words

	Want         StompWant     `yaml:"want"`         // what the reference receiver makes of the packets
	Alternatives []Alternative `yaml:"alternatives"` // what another receiver may make of them
	Findings     []Finding     `yaml:"findings"`     // for a sender's fault: what a judge must say of the sender
	Corrected    []Text        `yaml:"corrected"`    // for a sender's fault: what it should have sent
	Answer       *Text         `yaml:"answer"`       // what a client sends to acknowledge the one message
}

// Bugs returns the public STOMP bug reports of the embedded corpus in the order of the file. The versions of each are
// those of the session at the first packet.
func Bugs() ([]Bug, error) { return LoadBugs(FS, stompBugs) }

// LoadBugs reads one file of bug reports. A name may occur once in it. Every error is a [*LoadError].
func LoadBugs(fsys fs.FS, file string) ([]Bug, error) { return load[Bug](fsys, stomp, file) }

func (b *Bug) check() error {
	if err := checkChoices([]choice{
		{"direction", b.Direction, []string{"client-to-server", "server-to-client"}},
		{"transport", b.Transport, []string{"tcp", "websocket"}},
		{"fault", b.Fault, []string{"receiver", "sender"}},
	}); err != nil {
		return err
	}
	for _, r := range append([]string{b.Report}, b.Also...) {
		if !reportShape.MatchString(r) {
			return fmt.Errorf("report %q is not owner/project#number", r)
		}
	}
	if b.Symptom == "" || b.Right == "" || len(b.Sections) == 0 || len(b.Packets) == 0 {
		return errors.New("bug needs symptom, right, sections and packets")
	}
	if b.Want.Events == nil && b.Want.Error == nil {
		return errors.New("bug wants neither events nor an error")
	}
	if b.Want.Bytes != nil || b.Want.Pair != nil || b.Want.Intervals != nil || b.Want.Reject || b.Want.Findings != nil || b.Want.Clear != nil {
		return errors.New("bug wants only events and an error")
	}
	if err := b.Want.Error.check(b.Packets, false); err != nil {
		return err
	}
	if err := checkAlternatives(b.Alternatives, b.Packets, false); err != nil {
		return err
	}
	if (b.Fault == "sender") != (len(b.Findings) > 0) {
		return errors.New("findings are for a sender's fault, and such a fault needs them")
	}
	if b.Answer != nil && (b.Direction != "server-to-client" || len(b.Want.Events) != 1 || b.Want.Events[0].Frame == nil) {
		return errors.New("answer is for one message that a client gets")
	}
	for _, f := range b.Findings {
		if !slices.Contains(b.Laws, f.Law) {
			return fmt.Errorf("finding on %s, which the bug does not cite", f.Law)
		}
	}
	return checkFindings(b.Findings, b.Versions)
}
